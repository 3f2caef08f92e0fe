/* SPDX-License-Identifier: Apache-2.0
 * The arithmetic of the language in plain C. Sums, products and quotients of types smaller than f64 are made in double and rounded once
 * more, which gives the same as rounding once, since double has more than twice their bits. */
#include "tensor/interp.h"

#include <math.h>
#include <string.h>

static enum tsr__t_number part_of(enum tsr__t_number type)
{
    return tsr__t_numbers[type].component;
}

static bool is_int(enum tsr__t_number type)
{
    return tsr__t_numbers[type].class == TSR__T_INTEGER;
}

/* ---- rounding ---- */

/* To 8 bits of mantissa, with the exponents of float. */
static double round_bf16(double a)
{
    if (a == 0 || isnan(a) || isinf(a))
        return a;
    int exponent;
    frexp(a, &exponent); /* |a| = 0.1… * 2^exponent */
    int unit = (exponent < -125 ? -125 : exponent) - 8;
    double rounded = ldexp(nearbyint(ldexp(a, -unit)), unit);
    return fabs(rounded) >= 0x1p128 ? copysign(INFINITY, a) : rounded;
}

static double round_part(enum tsr__t_number type, double a)
{
    switch (type) {
    case TSR__T_BF16:
        return round_bf16(a);
    case TSR__T_F16:
        return (double)(_Float16)a;
    case TSR__T_F32:
        return (double)(float)a;
    default:
        return a;
    }
}

static int64_t wrap(enum tsr__t_number type, uint64_t a)
{
    unsigned bits = 8 * tsr__t_numbers[type].bytes;
    return (int64_t)(a << (64 - bits)) >> (64 - bits);
}

struct tsr__ti_number tsr__ti_round(enum tsr__t_number type, struct tsr__ti_number a)
{
    if (is_int(type))
        return (struct tsr__ti_number){.i = wrap(type, (uint64_t)a.i)};
    bool complex = tsr__t_numbers[type].class == TSR__T_COMPLEX;
    return (struct tsr__ti_number){.re = round_part(part_of(type), a.re), .im = complex ? round_part(part_of(type), a.im) : 0};
}

struct tsr__ti_number tsr__ti_convert(struct tsr__ti_number a, enum tsr__t_number from, enum tsr__t_number to)
{
    if (is_int(from) && is_int(to))
        return (struct tsr__ti_number){.i = wrap(to, (uint64_t)a.i)};
    if (is_int(to)) /* what does not fit is undefined */
        return (struct tsr__ti_number){.i = wrap(to, isnan(a.re) || fabs(a.re) >= 0x1p63 ? 0 : (uint64_t)(int64_t)a.re)};
    if (is_int(from)) {
        enum tsr__t_number part = part_of(to);
        bool single = part == TSR__T_F32 || part == TSR__T_BF16; /* bf16 by way of f32 */
        double real = single ? (double)(float)a.i : part == TSR__T_F16 ? (double)(_Float16)a.i : (double)a.i;
        return (struct tsr__ti_number){.re = round_part(part, real)};
    }
    return tsr__ti_round(to, a);
}

/* ---- arithmetic ---- */

static int64_t arith_int(enum tsr__t_op op, enum tsr__t_number type, int64_t a, int64_t b)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    unsigned by = (unsigned)(ub & (8 * tsr__t_numbers[type].bytes - 1));
    switch (op) {
    case TSR__T_ADD:
        return wrap(type, ua + ub);
    case TSR__T_SUB:
        return wrap(type, ua - ub);
    case TSR__T_MUL:
        return wrap(type, ua * ub);
    case TSR__T_DIV: /* by 0, and what does not fit, is undefined */
        return b == 0 ? 0 : b == -1 ? wrap(type, 0 - ua) : wrap(type, (uint64_t)(a / b));
    case TSR__T_REM:
        return b == 0 || b == -1 ? 0 : a % b;
    case TSR__T_SHL:
        return wrap(type, ua << by);
    case TSR__T_SHR:
        return a >> by;
    case TSR__T_AND:
        return a & b;
    case TSR__T_OR:
        return a | b;
    case TSR__T_XOR:
        return a ^ b;
    case TSR__T_MIN:
        return a < b ? a : b;
    default:
        return a > b ? a : b;
    }
}

static double arith_real(enum tsr__t_op op, enum tsr__t_number type, double a, double b)
{
    switch (op) {
    case TSR__T_ADD:
        return round_part(type, a + b);
    case TSR__T_SUB:
        return round_part(type, a - b);
    case TSR__T_MUL:
        return round_part(type, a * b);
    case TSR__T_DIV:
        return round_part(type, a / b);
    case TSR__T_REM:
        return round_part(type, fmod(a, b));
    case TSR__T_MIN:
        return fmin(a, b);
    default:
        return fmax(a, b);
    }
}

static double fma_real(enum tsr__t_number type, double a, double b, double c)
{
    switch (type) {
    case TSR__T_F64:
        return fma(a, b, c);
    case TSR__T_F32:
        return (double)fmaf((float)a, (float)b, (float)c);
    case TSR__T_BF16:
        return round_bf16((double)fmaf((float)a, (float)b, (float)c));
    default: /* the product and the sum are exact in double */
        return round_part(type, a * b + c);
    }
}

static struct tsr__ti_number multiply_complex(enum tsr__t_number part, struct tsr__ti_number a, struct tsr__ti_number b)
{
    double re = arith_real(TSR__T_MUL, part, a.re, b.re), im = arith_real(TSR__T_MUL, part, a.re, b.im);
    return (struct tsr__ti_number){.re = fma_real(part, -a.im, b.im, re), .im = fma_real(part, a.im, b.re, im)};
}

struct tsr__ti_number tsr__ti_arith(enum tsr__t_op op, enum tsr__t_number type, struct tsr__ti_number a, struct tsr__ti_number b)
{
    enum tsr__t_number part = part_of(type);
    bool complex = tsr__t_numbers[type].class == TSR__T_COMPLEX;
    if (is_int(type))
        return (struct tsr__ti_number){.i = arith_int(op, type, a.i, b.i)};
    if (complex && op == TSR__T_MUL)
        return multiply_complex(part, a, b);
    if (complex && op == TSR__T_DIV) {
        struct tsr__ti_number top = multiply_complex(part, a, (struct tsr__ti_number){.re = b.re, .im = -b.im});
        double size = fma_real(part, b.im, b.im, arith_real(TSR__T_MUL, part, b.re, b.re));
        return (struct tsr__ti_number){.re = arith_real(op, part, top.re, size), .im = arith_real(op, part, top.im, size)};
    }
    return (struct tsr__ti_number){.re = arith_real(op, part, a.re, b.re), .im = complex ? arith_real(op, part, a.im, b.im) : 0};
}

struct tsr__ti_number tsr__ti_fma(enum tsr__t_number type, struct tsr__ti_number a, struct tsr__ti_number b, struct tsr__ti_number c)
{
    enum tsr__t_number part = part_of(type);
    if (is_int(type))
        return (struct tsr__ti_number){.i = wrap(type, (uint64_t)a.i * (uint64_t)b.i + (uint64_t)c.i)};
    struct tsr__ti_number made = {.re = fma_real(part, a.re, b.re, c.re)};
    if (tsr__t_numbers[type].class != TSR__T_COMPLEX)
        return made;
    made.re = fma_real(part, -a.im, b.im, made.re);
    made.im = fma_real(part, a.im, b.re, fma_real(part, a.re, b.im, c.im));
    return made;
}

struct tsr__ti_number tsr__ti_unary(enum tsr__t_op op, enum tsr__t_number type, struct tsr__ti_number a)
{
    bool complex = tsr__t_numbers[type].class == TSR__T_COMPLEX;
    enum tsr__t_number part = part_of(type);
    switch (op) {
    case TSR__T_NEG:
        return (struct tsr__ti_number){.i = is_int(type) ? wrap(type, 0 - (uint64_t)a.i) : 0, .re = -a.re, .im = complex ? -a.im : 0};
    case TSR__T_CONJ:
        return (struct tsr__ti_number){.re = a.re, .im = -a.im};
    case TSR__T_IM:
        return (struct tsr__ti_number){.re = a.im};
    case TSR__T_RE:
        return (struct tsr__ti_number){.re = a.re};
    case TSR__T_NOT:
        return (struct tsr__ti_number){.i = ~a.i};
    default:
        if (complex) {
            double square = fma_real(part, a.im, a.im, arith_real(TSR__T_MUL, part, a.re, a.re));
            return (struct tsr__ti_number){.re = round_part(part, sqrt(square))};
        }
        return (struct tsr__ti_number){.i = a.i < 0 ? wrap(type, 0 - (uint64_t)a.i) : a.i, .re = fabs(a.re)};
    }
}

bool tsr__ti_compare(enum tsr__t_op op, enum tsr__t_number type, struct tsr__ti_number a, struct tsr__ti_number b)
{
    bool ints = is_int(type);
    switch (op) {
    case TSR__T_EQ:
        return ints ? a.i == b.i : a.re == b.re && a.im == b.im;
    case TSR__T_NE:
        return ints ? a.i != b.i : a.re != b.re || a.im != b.im;
    case TSR__T_GT:
        return ints ? a.i > b.i : a.re > b.re;
    case TSR__T_GE:
        return ints ? a.i >= b.i : a.re >= b.re;
    case TSR__T_LT:
        return ints ? a.i < b.i : a.re < b.re;
    default:
        return ints ? a.i <= b.i : a.re <= b.re;
    }
}

struct tsr__ti_number tsr__ti_math(enum tsr__t_op op, enum tsr__t_number type, struct tsr__ti_number a)
{
    static double (*const functions[])(double) = {
        [TSR__T_EXP] = exp, [TSR__T_NATIVE_EXP] = exp, [TSR__T_EXP2] = exp2, [TSR__T_NATIVE_EXP2] = exp2,
        [TSR__T_LOG] = log, [TSR__T_NATIVE_LOG] = log, [TSR__T_LOG2] = log2, [TSR__T_NATIVE_LOG2] = log2,
        [TSR__T_SIN] = sin, [TSR__T_NATIVE_SIN] = sin, [TSR__T_COS] = cos,   [TSR__T_NATIVE_COS] = cos,
    };
    double size = functions[op](a.re);
    if (tsr__t_numbers[type].class != TSR__T_COMPLEX)
        return tsr__ti_round(type, (struct tsr__ti_number){.re = size});
    bool base_two = op == TSR__T_EXP2 || op == TSR__T_NATIVE_EXP2;
    double angle = base_two ? a.im * 0.693147180559945309417232121458 : a.im;
    return tsr__ti_round(type, (struct tsr__ti_number){.re = size * cos(angle), .im = size * sin(angle)});
}

/* ---- memory ---- */

static double read_part(enum tsr__t_number part, const char *memory)
{
    switch (part) {
    case TSR__T_BF16: {
        uint16_t bits;
        memcpy(&bits, memory, sizeof bits);
        uint32_t wide = (uint32_t)bits << 16;
        float number;
        memcpy(&number, &wide, sizeof number);
        return (double)number;
    }
    case TSR__T_F16: {
        _Float16 number;
        memcpy(&number, memory, sizeof number);
        return (double)number;
    }
    case TSR__T_F32: {
        float number;
        memcpy(&number, memory, sizeof number);
        return (double)number;
    }
    default: {
        double number;
        memcpy(&number, memory, sizeof number);
        return number;
    }
    }
}

static void write_part(enum tsr__t_number part, char *memory, double a)
{
    float single = (float)a;
    _Float16 half = (_Float16)a;
    uint32_t bits;
    switch (part) {
    case TSR__T_BF16:
        memcpy(&bits, &single, sizeof bits);
        bits >>= 16;
        memcpy(memory, &bits, 2);
        return;
    case TSR__T_F16:
        memcpy(memory, &half, sizeof half);
        return;
    case TSR__T_F32:
        memcpy(memory, &single, sizeof single);
        return;
    default:
        memcpy(memory, &a, sizeof a);
        return;
    }
}

struct tsr__ti_number tsr__ti_read(enum tsr__t_number type, const void *memory)
{
    struct tsr__ti_number made = {0};
    enum tsr__t_number part = part_of(type);
    if (is_int(type)) {
        uint64_t bits = 0;
        memcpy(&bits, memory, tsr__t_numbers[type].bytes);
        made.i = wrap(type, bits);
        return made;
    }
    made.re = read_part(part, memory);
    if (tsr__t_numbers[type].class == TSR__T_COMPLEX)
        made.im = read_part(part, (const char *)memory + tsr__t_numbers[part].bytes);
    return made;
}

void tsr__ti_write(enum tsr__t_number type, void *memory, struct tsr__ti_number a)
{
    enum tsr__t_number part = part_of(type);
    if (is_int(type)) {
        memcpy(memory, &a.i, tsr__t_numbers[type].bytes);
        return;
    }
    write_part(part, memory, a.re);
    if (tsr__t_numbers[type].class == TSR__T_COMPLEX)
        write_part(part, (char *)memory + tsr__t_numbers[part].bytes, a.im);
}
