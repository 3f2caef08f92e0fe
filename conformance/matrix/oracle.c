/* SPDX-License-Identifier: Apache-2.0
 * Exact matrices against which the matrix functions are checked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/matrix/oracle.h"

/* ---- functions, from their prototypes ---- */

static const struct prototype {
    const char *name, *a, *b, *c;
} prototypes[] = {
#define TSR_MATRIX(name, form, n, m, k, a, b, c, ea, eb, ec) {#name, #a, #b, #c},
#include "tessera/matrix.def"
#undef TSR_MATRIX
};
enum { COUNT = sizeof(prototypes) / sizeof(prototypes[0]) };

static unsigned components(const char *type)
{
    const char *digits = type + strcspn(type, "0123456789");
    return *digits ? (unsigned)atoi(digits) : 1;
}

static unsigned scalar_bits(const char *type)
{
    bool small = strncmp(type, "short", 5) == 0 || strncmp(type, "ushort", 6) == 0 || strncmp(type, "half", 4) == 0;
    return small ? 16 : 32;
}

static void parse(struct oracle_function *f, const struct prototype *p)
{
    const char *elements = p->name + strlen("intel_sub_group_"), *second = strchr(elements, '_') + 1;

    f->name = p->name;
    snprintf(f->a, sizeof(f->a), "%s", p->a);
    snprintf(f->b, sizeof(f->b), "%s", p->b);
    snprintf(f->c, sizeof(f->c), "%s", p->c);
    f->split = strstr(p->name, "_split_") != NULL;
    f->k = (unsigned)atoi(strrchr(p->name, 'k') + 1);
    f->m = components(p->c);
    f->a_size = components(p->a) * scalar_bits(p->a) / 8;
    f->c_size = components(p->c) * scalar_bits(p->c) / 8;
    f->c_bits = scalar_bits(p->c);

    f->number = strstr(elements, "f16") == elements || elements[0] == 'b' || elements[0] == 't';
    f->a_signed = elements[0] == 'i';
    f->b_signed = second[0] == 'i';
    if (elements[0] == 't') {
        f->bits = 32, f->exponent_bits = 8, f->fraction_bits = 10;
    } else if (f->number) {
        f->bits = 16, f->exponent_bits = elements[0] == 'b' ? 8 : 5, f->fraction_bits = 15 - f->exponent_bits;
    } else {
        f->bits = (unsigned)atoi(elements + 1);
    }
    if (f->number) {
        f->c_exponent_bits = f->c_bits == 32 ? 8 : f->exponent_bits;
        f->c_fraction_bits = f->c_bits - 1 - f->c_exponent_bits;
    }
    /* A lane brings 32 bits of each row of A where N is 8, and 16 bits where it is 16; tf32 exists for 16 only. */
    f->n = elements[0] == 't' || scalar_bits(p->a) == 16 ? 16 : 8;
    f->team = f->split ? 16 : f->n;
}

static struct oracle_function functions[COUNT];
const struct oracle_function *const oracle_functions = functions;

size_t oracle_function_count(void)
{
    if (!functions[0].name)
        for (size_t i = 0; i < COUNT; i++)
            parse(&functions[i], &prototypes[i]);
    return COUNT;
}

/* ---- numbers ---- */

/* Value of a bit pattern of sign, exponent and fraction. Exact. */
static double decode(uint32_t bits, unsigned exponent_bits, unsigned fraction_bits)
{
    int exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1)), bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1.0 : 1.0;

    if (exponent == (1 << exponent_bits) - 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - (int)fraction_bits);
    return sign * ldexp(fraction + ldexp(1, (int)fraction_bits), exponent - bias - (int)fraction_bits);
}

static double element_of(const struct oracle_function *f, uint32_t bits)
{
    if (f->bits == 32) { /* tf32 travels in a float, whose low bits do not count, but for NaN */
        double value = decode(bits, 8, 23);
        return isnan(value) ? value : decode(bits >> 13, 8, 10);
    }
    return decode(bits, f->exponent_bits, f->fraction_bits);
}

/* Rounds to the nearest value of a format, ties to even, beyond its range to infinity. */
static double round_to(double x, unsigned exponent_bits, unsigned fraction_bits)
{
    int exponent, smallest = 2 - (1 << (exponent_bits - 1)), largest = (1 << (exponent_bits - 1)) - 1;

    if (x == 0 || !isfinite(x))
        return x;
    frexp(x, &exponent);
    int unit = (exponent - 1 > smallest ? exponent - 1 : smallest) - (int)fraction_bits;
    double r = ldexp(nearbyint(ldexp(x, -unit)), unit);
    return fabs(r) >= ldexp(1, largest + 1) ? copysign((double)INFINITY, x) : r;
}

/* a·b + acc with one rounding to float. The product has at most 24 bits; in 113 bits the sum can only lose what cannot matter. `flush`: to
 * zero if it is below the normal numbers, rounded to 24 bits. */
static double fused(double a, double b, double acc, bool flush)
{
    __float128 sum = (__float128)a * (__float128)b + (__float128)acc;
    bool tiny = flush && sum < (__float128)(0x1p-126 - 0x1p-151) && -sum < (__float128)(0x1p-126 - 0x1p-151);
    return tiny ? copysign(0, (double)(float)sum) : (double)(float)sum;
}

static double normal_or_zero(double x, bool flush)
{
    return flush && fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

static int64_t integer_of(uint32_t bits, unsigned width, bool is_signed)
{
    int64_t v = bits & ((1ull << width) - 1);
    return is_signed && v >> (width - 1) ? v - (1ll << width) : v;
}

/* ---- data ---- */

uint32_t oracle_random(uint32_t *state)
{
    uint32_t x = *state * 747796405u + 2891336453u;
    *state = x;
    x = (x >> ((x >> 28) + 4) ^ x) * 277803737u;
    return x >> 22 ^ x;
}

/* A number of moderate size: exponent within four of the bias. */
static uint32_t moderate(uint32_t *state, unsigned exponent_bits, unsigned fraction_bits)
{
    uint32_t r = oracle_random(state), bias = (1u << (exponent_bits - 1)) - 1;
    uint32_t fraction = r & ((1u << fraction_bits) - 1), exponent = bias - 4 + (r >> 24 & 7), sign = r >> 31;
    return sign << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

static uint32_t corner(uint32_t *state, unsigned exponent_bits, unsigned fraction_bits)
{
    uint32_t one = ((1u << (exponent_bits - 1)) - 1) << fraction_bits, infinity = ((1u << exponent_bits) - 1) << fraction_bits;
    const uint32_t values[] = {0,
                               0,
                               1,                         /* smallest denormal */
                               (1u << fraction_bits) - 1, /* largest denormal */
                               1u << fraction_bits,       /* smallest normal */
                               one,
                               one + 1,
                               one / 2 + (1u << fraction_bits),
                               infinity - 1 /* largest */,
                               moderate(state, exponent_bits, fraction_bits)};
    uint32_t r = oracle_random(state);
    return values[r % (sizeof(values) / sizeof(values[0]))] | (r >> 31) << (exponent_bits + fraction_bits);
}

static uint32_t element(const struct oracle_function *f, enum oracle_data data, bool is_signed, uint32_t *state)
{
    uint32_t r = oracle_random(state), mask = f->bits == 32 ? ~0u : (1u << f->bits) - 1, top = 1u << (f->bits - 1);
    unsigned fraction_bits = f->bits == 32 ? 23 : f->fraction_bits;

    if (data == ORACLE_RANDOM && f->number)
        return moderate(state, f->exponent_bits, fraction_bits);
    if (data == ORACLE_CORNERS && f->number)
        return corner(state, f->exponent_bits, fraction_bits);
    if (data == ORACLE_CORNERS) {
        const uint32_t values[] = {0, 1, mask, top, top - 1, top + 1};
        return values[r % 6];
    }
    if (data == ORACLE_SPECIAL && !f->number)
        return is_signed ? top : mask;
    if (data == ORACLE_SPECIAL && r % 4) /* mostly ordinary, so that not every sum is NaN */
        return moderate(state, f->exponent_bits, fraction_bits);
    return oracle_random(state) & mask;
}

static uint32_t accumulator(const struct oracle_function *f, enum oracle_data data, uint32_t *state)
{
    uint32_t r = oracle_random(state), mask = f->c_bits == 32 ? ~0u : (1u << f->c_bits) - 1;

    if (f->number && data == ORACLE_RANDOM)
        return moderate(state, f->c_exponent_bits, f->c_fraction_bits);
    if (f->number && (data == ORACLE_CORNERS || r % 4))
        return corner(state, f->c_exponent_bits, f->c_fraction_bits);
    if (!f->number && data != ORACLE_RANDOM) { /* one step from either end, so that sums wrap */
        const uint32_t values[] = {0x7fffffff, 0x80000000, 0xffffffff, 0, 0x7fffff00, 0x80000100};
        return values[r % 6];
    }
    return oracle_random(state) & mask;
}

void oracle_fill(struct oracle_case *t, const struct oracle_function *f, enum oracle_data data, uint32_t seed)
{
    uint32_t state = seed * 2654435761u + (uint32_t)data, hot_row = seed % f->m, hot_k = seed / f->m % f->k;
    uint32_t one = f->bits == 32 ? 0x3f800000u : f->number ? ((1u << (f->exponent_bits - 1)) - 1) << f->fraction_bits : 1;
    enum oracle_data rest = data == ORACLE_ONE_HOT ? ORACLE_RANDOM : data;

    t->f = f;
    for (unsigned r = 0; r < f->m; r++)
        for (unsigned k = 0; k < f->k; k++)
            t->a[r][k] = data != ORACLE_ONE_HOT ? element(f, data, f->a_signed, &state) : r == hot_row && k == hot_k ? one : 0;
    for (unsigned k = 0; k < f->k; k++)
        for (unsigned n = 0; n < f->team; n++)
            t->b[k][n] = element(f, rest, f->b_signed, &state);
    for (unsigned r = 0; r < f->m; r++)
        for (unsigned n = 0; n < f->team; n++)
            t->c[r][n] = accumulator(f, rest, &state);
}

/* ---- layout: the index formulas of docs/matrix.md ---- */

static void put(unsigned char *bytes, unsigned first_bit, unsigned width, uint32_t value)
{
    for (unsigned i = 0; i < width; i++)
        if (value >> i & 1)
            bytes[(first_bit + i) / 8] |= (unsigned char)(1u << (first_bit + i) % 8);
}

void oracle_pack(const struct oracle_case *t, unsigned lane, void *a, void *b, void *c)
{
    const struct oracle_function *f = t->f;
    unsigned carrier = scalar_bits(f->a), in_a = f->k / f->n, in_b = 32 / f->bits, l = lane % f->n;

    memset(a, 0, f->a_size);
    memset(b, 0, 32);
    memset(c, 0, f->c_size);
    for (unsigned e = 0; e < f->a_size * 8 / carrier; e++) {
        if (f->bits == 32) { /* tf32: A[2e + (l >> 3)][l & 7] */
            unsigned row = 2 * e + (l >> 3);
            put(a, e * 32, 32, row < f->m ? t->a[row][l & 7] : 0x7fc0dead /* a NaN that no one may read */);
            continue;
        }
        for (unsigned p = 0; p < in_a; p++) { /* A[e][P·l + p]; split: the second half of the rows from the second sub-group */
            unsigned row = f->split && lane >= f->n ? f->m / 2 + e : e;
            put(a, e * carrier + p * f->bits, f->bits, t->a[row][in_a * l + p]);
        }
    }
    for (unsigned i = 0; i < 8; i++)
        for (unsigned p = 0; p < in_b; p++)
            put(b, i * 32 + p * f->bits, f->bits, t->b[in_b * i + p][lane]);
    for (unsigned r = 0; r < f->m; r++)
        put(c, r * f->c_bits, f->c_bits, t->c[r][lane]);
}

/* The lane of the team that brings A[row][k]. */
static unsigned lane_of(const struct oracle_function *f, unsigned row, unsigned k)
{
    if (f->bits == 32)
        return 8 * (row % 2) + k;
    return k / (f->k / f->n) + (f->split && row >= f->m / 2 ? f->n : 0);
}

/* ---- product ---- */

static bool check_integer(const struct oracle_case *t, unsigned present, unsigned r, unsigned n, uint32_t got)
{
    const struct oracle_function *f = t->f;
    int64_t sum = integer_of(t->c[r][n], 32, true);

    for (unsigned k = 0; k < f->k; k++)
        if (lane_of(f, r, k) < present)
            sum += integer_of(t->a[r][k], f->bits, f->a_signed) * integer_of(t->b[k][n], f->bits, f->b_signed);
    if ((uint32_t)sum == got)
        return true;
    fprintf(stderr, "%s(%s, %s, %s): D[%u][%u] is %d, must be %d\n", f->name, f->a, f->b, f->c, r, n, (int)got, (int)(uint32_t)sum);
    return false;
}

bool oracle_bf16_pairs;

static bool check_number(const struct oracle_case *t, unsigned present, unsigned r, unsigned n, uint32_t bits)
{
    const struct oracle_function *f = t->f;
    bool pairs = oracle_bf16_pairs && f->bits == 16 && f->exponent_bits == 8, flush = pairs;
    double start = normal_or_zero(decode(t->c[r][n], f->c_exponent_bits, f->c_fraction_bits), flush), want = start;
    double exact = start, magnitude = fabs(start); /* for the bound that the fast arithmetic, too, keeps */
    double got = decode(bits, f->c_exponent_bits, f->c_fraction_bits);

    for (unsigned i = 0; i < f->k; i++) {
        unsigned k = i ^ pairs;
        double a = lane_of(f, r, k) < present ? normal_or_zero(element_of(f, t->a[r][k]), flush) : 0;
        double b = normal_or_zero(element_of(f, t->b[k][n]), flush);
        want = fused(a, b, want, flush);
        exact += a * b;
        magnitude += fabs(a * b);
    }
    want = round_to(want, f->c_exponent_bits, f->c_fraction_bits);
    bool same = isnan(want) ? isnan(got) : want == got && signbit(want) == signbit(got);
    bool in_bound = f->c_bits != 32 || !isfinite(exact) || !isfinite(got) ||
                    fabs(got - exact) <= f->k * 0x1p-23 * magnitude + f->k * (flush ? 0x1p-126 : 0x1p-149);
    if (same && in_bound)
        return true;
    fprintf(stderr, "%s(%s, %s, %s): D[%u][%u] is %a, must be %a\n", f->name, f->a, f->b, f->c, r, n, got, want);
    return false;
}

bool oracle_check(const struct oracle_case *t, unsigned present, unsigned lane, const void *d)
{
    const struct oracle_function *f = t->f;

    for (unsigned r = 0; r < f->m; r++) {
        uint32_t bits = 0;
        memcpy(&bits, (const char *)d + r * f->c_bits / 8, f->c_bits / 8);
        if (!(f->number ? check_number : check_integer)(t, present, r, lane, bits))
            return false;
    }
    return true;
}
