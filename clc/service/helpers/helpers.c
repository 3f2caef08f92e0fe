/* SPDX-License-Identifier: Apache-2.0
 * Functions that LLVM's code generator calls where the CPU lacks the instruction (before AVX2: fused multiply-add, halves, rounding).
 * Linked into each program that needs them; they take nothing from libm, which the application may not have. Round to nearest even. */
#include <stdint.h>
#include <string.h>

/* The linker's --gc-sections drops what a program does not use. */
#define HELPER __attribute__((visibility("hidden")))

typedef unsigned __int128 wide;

static uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}

static double of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, 8);
    return x;
}

static double with_sign(double magnitude, double sign)
{
    return of_bits((bits_of(magnitude) & ~(1ull << 63)) | (bits_of(sign) & 1ull << 63));
}

/* ---- rounding: a float's value is exact in double, and so is the result ---- */

static int is_whole(double x) /* also infinities and NaN */
{
    return (bits_of(x) >> 52 & 0x7ff) >= 1023 + 52;
}

HELPER double trunc(double x)
{
    return is_whole(x) ? x : with_sign((double)(int64_t)x, x);
}

HELPER double floor(double x)
{
    if (is_whole(x))
        return x;
    double t = (double)(int64_t)x;
    return with_sign(t > x ? t - 1 : t, x);
}

HELPER double ceil(double x)
{
    if (is_whole(x))
        return x;
    double t = (double)(int64_t)x;
    return with_sign(t < x ? t + 1 : t, x);
}

HELPER double round(double x)
{
    if (is_whole(x))
        return x;
    double t = (double)(int64_t)x, rest = x - t;
    return with_sign(rest >= 0.5 ? t + 1 : rest <= -0.5 ? t - 1 : t, x);
}

HELPER double rint(double x)
{
    if (is_whole(x))
        return x;
    volatile double big = with_sign(0x1p52, x); /* the sum has no room for a fraction */
    double sum = x + big;
    return with_sign(sum - big, x);
}

HELPER double nearbyint(double x)
{
    return rint(x);
}

HELPER double roundeven(double x)
{
    return rint(x);
}

#define OF_FLOAT(name)                                                                                                                     \
    HELPER float name##f(float x)                                                                                                          \
    {                                                                                                                                      \
        return (float)name(x);                                                                                                             \
    }
OF_FLOAT(trunc)
OF_FLOAT(floor)
OF_FLOAT(ceil)
OF_FLOAT(round)
OF_FLOAT(rint)
OF_FLOAT(nearbyint)
OF_FLOAT(roundeven)

/* ---- exact arithmetic on mantissas ---- */

/* (-1)^negative · mantissa · 2^exponent */
struct number {
    int negative, exponent;
    wide mantissa;
};

static struct number take_apart(double x)
{
    uint64_t u = bits_of(x), fraction = u & ((1ull << 52) - 1);
    int e = (int)(u >> 52 & 0x7ff);
    return (struct number){.negative = (int)(u >> 63), .exponent = (e ? e : 1) - 1075, .mantissa = e ? fraction | 1ull << 52 : fraction};
}

static int top_bit(wide m) /* m is not 0 */
{
    return m >> 64 ? 127 - __builtin_clzll((uint64_t)(m >> 64)) : 63 - __builtin_clzll((uint64_t)m);
}

/* Shifts right; bits that fall off leave a one at the end, which is all that rounding needs to know of them. */
static wide shift_jam(wide m, int by)
{
    if (by <= 0)
        return m << -by;
    if (by > 127)
        return m != 0;
    return m >> by | ((m & (((wide)1 << by) - 1)) != 0);
}

static struct number normalise(struct number n)
{
    int by = 125 - top_bit(n.mantissa);
    n.mantissa <<= by;
    n.exponent -= by;
    return n;
}

/* Rounds to a format of `digits` mantissa bits with `bias`; answers its bits without the sign. */
static uint64_t round_to(struct number n, int digits, int bias, int exponent_bits)
{
    if (!n.mantissa)
        return 0;
    int least = 2 - bias - digits; /* exponent of the last bit of subnormals */
    int drop = top_bit(n.mantissa) + 1 - digits;
    if (n.exponent + drop < least)
        drop = least - n.exponent;
    wide m = shift_jam(n.mantissa, drop - 2); /* two more bits, the last of them sticky */
    int exponent = n.exponent + drop;
    uint64_t r = (uint64_t)(m >> 2), half = (uint64_t)m & 3;
    r += half > 2 || (half == 2 && (r & 1));
    /* The hidden one carries into the exponent field; so does a carry out of rounding. */
    uint64_t field = r >> (digits - 1) ? (uint64_t)(exponent - least) : 0;
    uint64_t result = (field << (digits - 1)) + r;
    uint64_t infinity = ((1ull << exponent_bits) - 1) << (digits - 1);
    return result < infinity ? result : infinity;
}

HELPER double fma(double x, double y, double z)
{
    if (!(x - x == 0) || !(y - y == 0) || x == 0 || y == 0)
        return x * y + z; /* NaN, infinities; zeros keep the signs that the sum gives them */
    if (!(z - z == 0))
        return z; /* also where the product alone would overflow */
    struct number a = take_apart(x), b = take_apart(y), c = take_apart(z);
    struct number p = {a.negative ^ b.negative, a.exponent + b.exponent, a.mantissa * b.mantissa};
    p = normalise(p);
    if (z != 0) {
        c = normalise(c);
        struct number large = p.exponent >= c.exponent ? p : c, small = p.exponent >= c.exponent ? c : p;
        small.mantissa = shift_jam(small.mantissa, large.exponent - small.exponent);
        if (large.negative == small.negative) {
            large.mantissa += small.mantissa;
        } else if (large.mantissa >= small.mantissa) {
            large.mantissa -= small.mantissa;
        } else {
            large.mantissa = small.mantissa - large.mantissa;
            large.negative = small.negative;
        }
        if (!large.mantissa)
            return 0.0;
        p = large;
    }
    return of_bits((uint64_t)p.negative << 63 | round_to(p, 53, 1023, 11));
}

HELPER float fmaf(float x, float y, float z)
{
    double product = (double)x * y, sum = product + z; /* the product is exact */
    if (!(sum - sum == 0))
        return (float)sum;
    /* Round the sum to odd, so that rounding to float does not round twice. */
    double high = sum - product, rest = (product - (sum - high)) + (z - high);
    uint64_t u = bits_of(sum);
    if (rest != 0 && !(u & 1))
        u += (rest > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    return (float)of_bits(u);
}

HELPER double fmod(double x, double y)
{
    if (!(x - x == 0) || y != y || y == 0)
        return (x * y) / (x * y);
    if (!(y - y == 0))
        return x; /* by infinity */
    struct number a = take_apart(x), b = take_apart(y);
    if (!a.mantissa)
        return x;
    uint64_t m = (uint64_t)a.mantissa, n = (uint64_t)b.mantissa;
    int distance = a.exponent - b.exponent;
    if (distance < 0) {
        /* x has smaller bits than y: both to x's exponent, unless y is then larger than x in any case. */
        if (-distance > 63 || (wide)n << -distance > m)
            return x;
        n <<= -distance;
        b.exponent = a.exponent;
        distance = 0;
    }
    m %= n;
    while (distance > 0 && m) {
        int by = distance < 11 ? distance : 11; /* m is below 2^53 */
        m = (m << by) % n;
        distance -= by;
    }
    struct number r = {a.negative, b.exponent, m};
    return of_bits((uint64_t)r.negative << 63 | round_to(r, 53, 1023, 11));
}

HELPER float fmodf(float x, float y)
{
    return (float)fmod(x, y);
}

/* ---- halves ---- */

static _Float16 half_of(double x)
{
    uint64_t u = bits_of(x);
    uint16_t h = (uint16_t)(u >> 48 & 0x8000);
    if (x != x)
        h |= 0x7e00 | (u >> 42 & 0x1ff);
    else if (!(x - x == 0))
        h |= 0x7c00;
    else
        h |= (uint16_t)round_to(take_apart(x), 11, 15, 5);
    _Float16 result;
    memcpy(&result, &h, 2);
    return result;
}

HELPER _Float16 __truncdfhf2(double x)
{
    return half_of(x);
}

HELPER _Float16 __truncsfhf2(float x)
{
    return half_of(x);
}

HELPER float __extendhfsf2(_Float16 x)
{
    uint16_t h;
    memcpy(&h, &x, 2);
    uint64_t sign = (uint64_t)(h & 0x8000) << 48, fraction = h & 0x3ff;
    int e = h >> 10 & 31;
    if (e == 31)
        return (float)of_bits(sign | 0x7ffull << 52 | fraction << 42 | (fraction ? 1ull << 51 : 0));
    double magnitude = (double)(e ? fraction | 0x400 : fraction);
    for (int i = e ? e : 1; i < 25; i++)
        magnitude *= 0.5;
    for (int i = 25; i < e; i++)
        magnitude *= 2;
    return (float)with_sign(magnitude, of_bits(sign));
}
