/* SPDX-License-Identifier: Apache-2.0
 * Roots, error functions and remainders of a double (scalar.h says how). */
#include "wide.h"

double PURE rsqrt(double x)
{
    return __tsr_rsqrt_d(x);
}

/* As in float_other.cl; the guess is made from the upper half of the bits. */
INLINE double cbrt_normal(double a)
{
    uint guess = (uint)FMA((double)(uint)(as_ulong(a) >> 32), -1.0 / 3, (double)0x553eee50);
    double y = as_double((ulong)guess << 32), h;
    h = FMA(-a * y, y * y, 1.0);
    y = FMA(FMA(h, 2.0 / 9, 1.0 / 3) * h, y, y);
    h = FMA(-a * y, y * y, 1.0);
    y = FMA(FMA(h, 2.0 / 9, 1.0 / 3) * h, y, y);
    double square = y * y, r = a * square;
    return FMA(FMA(-r * r, r, a) * square, 1.0 / 3, r);
}

double PURE cbrt(double x)
{
    double a = ABS(x), r = cbrt_normal(a);
    if (!(a >= DBL_MIN && a < (double)INFINITY))
        r = a > 0 && a < DBL_MIN ? cbrt_normal(a * 0x1p54) * 0x1p-18 : a;
    return SIGN_OF(r, x);
}

INLINE double hypot_apart(double a, double b)
{
    bool huge = a > 1 || b > 1;
    double down = huge ? 0x1p-600 : 0x1p600, up = huge ? 0x1p600 : 0x1p-600, p = a * down, q = b * down;
    double r = __builtin_elementwise_sqrt(FMA(p, p, q * q)) * up;
    r = a == (double)INFINITY ? a : r;
    return b == (double)INFINITY ? b : r;
}

double PURE hypot(double x, double y)
{
    double s = FMA(x, x, y * y), r = __tsr_root_d(s);
    if (!(s > 0x1p-800 && s < 0x1p1000))
        r = hypot_apart(ABS(x), ABS(y));
    return r;
}

/* ---- error functions ---- */

/* x·P(x²)/Q(x²), whose coefficients are all above zero. From 5.93 on it is 1. */
double PURE erf(double x)
{
    double a = between(x, -5.93, 5.93), z = a * a;
    double p = POLY(z, 0x1.20dd750429b6dp0, 0x1.c2f2dae471ad9p-3, 0x1.0ed86e81827a8p-4, 0x1.c392b576c17d3p-8, 0x1.c0a65408502d6p-11,
                    0x1.ddc1c6b483924p-15, 0x1.05c798354ec2dp-18, 0x1.6c04057f8901ep-23, 0x1.d08fc9dfcb25cp-28, 0x1.7a34b364213f2p-33,
                    0x1.d56e102b90794p-39, 0x1.90db94c33713fp-46, 0x1.21891d493a906p-56);
    double q = POLY(z, 1.0, 0x1.0e93ceec1e979p-1, 0x1.13fc2f1dc71f8p-3, 0x1.6841c6e03728ap-6, 0x1.50335e2debc77p-9, 0x1.da36b9b7a2ae2p-13,
                    0x1.040effb43850cp-16, 0x1.c05c09a45b1e4p-21, 0x1.2e046cc52146ep-25, 0x1.3523364a7c8d5p-30, 0x1.c077212641adep-36,
                    0x1.7581791780479p-42, 0x1.fdbf810c2fe0ep-51);
    return between(a * (p / q), -1, 1);
}

/* exp(-a²)·P(a)/Q(a). With exp(r) = (c + r)/(c - r), where c is a polynomial of r², one division does for both. What a² loses by rounding is
 * made good. */
double PURE erfc(double x)
{
    double a = between(ABS(x), 0, 27.3), s = a * a, r, k = split_exp_wide(-s, &r);
    r -= FMA(a, a, -s);
    double c = POLY(r * r, 2.0, 0x1.5555555555534p-3, -0x1.6c16c16be491p-9, 0x1.1566aae0e04f4p-14, -0x1.bbd3f7c8e0d4fp-20,
                    0x1.6368b6ab9d67ep-25);
    double p = POLY(a, 0x1.fffffffffffffp-1, 0x1.18a9af87c0542p1, 0x1.306bd56bc5157p1, 0x1.a38df11d25aadp0, 0x1.90e5c1acf36acp-1,
                    0x1.124ef69342e7ep-2, 0x1.0cc8154a486f2p-4, 0x1.6cf11132d5c3ep-7, 0x1.39e930253c594p-10, 0x1.087eaffc9074p-14);
    double q = POLY(a, 1.0, 0x1.a9186a09d52d1p1, 0x1.480b848cb8f6p2, 0x1.36a4ed1ab8fe6p2, 0x1.90f6695584d63p1, 0x1.71e6ec796cdd3p0,
                    0x1.f03fae6a7110cp-2, 0x1.e0bfefde0c581p-4, 0x1.4456366907104p-6, 0x1.16323fa5f0554p-9, 0x1.d4ce1197421a5p-14);
    double y = __tsr_scale_d(p * (c + r) / (q * (c - r)), k);
    return x < 0 ? 2 - y : y;
}

/* ---- remainders: exact ---- */

/* The seven low bits of a whole number. */
INLINE double low_bits(double k)
{
    return k - 128 * __builtin_elementwise_trunc(k * 0x1p-7);
}

/* r modulo d for r ≥ d, both finite, d normal; the low bits of the quotient in *quotient. */
INLINE double far_steps(double r, double d, double *quotient)
{
    while (r >= d) {
        int n;
        double k;
        r = less_multiple(r, d, 51, &k, &n);
        *quotient = n > 7 ? 0 : low_bits(*quotient + low_bits(k) * (double)(1 << n));
    }
    return r;
}

/* Of any two numbers. A tiny b is in the way of exact steps: they are made modulo b·2^100 first, then with both that much larger. */
INLINE double modulo_apart(double a, double b, double *quotient)
{
    bool tiny = b < 0x1p-900;
    double r = a < (double)INFINITY ? a : (double)NAN;
    r = b > 0 ? r : (double)NAN;
    *quotient = 0;
    r = far_steps(r, tiny ? b * 0x1p100 : b, quotient);
    if (!tiny)
        return r;
    *quotient = 0;
    return far_steps(r * 0x1p100, b * 0x1p100, quotient) * 0x1p-100;
}

/* a modulo b for a, b ≥ 0. Where the quotient is too large for a double, and with zero, infinity and NaN, the remainder is not less than b. */
INLINE double modulo(double a, double b, double *quotient)
{
    double q = a / b, k = __builtin_elementwise_trunc(q < 0x1p53 ? q : 0x1p53), r = FMA(-k, b, a), more = r + b;
    bool over = as_long(r) < 0; /* the division may have rounded up to a whole number */
    *quotient = over ? k - 1 : k;
    r = over ? more : r;
    if (!(r < b))
        r = modulo_apart(a, b, quotient);
    return r;
}

double PURE fmod(double x, double y)
{
    double quotient;
    return as_double(as_ulong(modulo(ABS(x), ABS(y), &quotient)) | (as_ulong(x) & 0x8000000000000000));
}

INLINE double remainder_of(double x, double y, double *quotient)
{
    double b = ABS(y), r = modulo(ABS(x), b, quotient), less = r - b;
    bool odd = *quotient - 2 * __builtin_elementwise_trunc(*quotient * 0.5) != 0;
    double middle = odd ? less : r, far = r > -less ? less : r;
    double result = r == -less ? middle : far;
    *quotient += result < 0 ? 1 : 0;
    return as_double(as_ulong(result) ^ (as_ulong(x) & 0x8000000000000000));
}

double PURE remainder(double x, double y)
{
    double a = ABS(x), b = ABS(y), q = a / b, r = FMA(-__builtin_elementwise_rint(q), b, a), rest = b - ABS(r), quotient;
    r = ABS(r) > rest ? SIGN_OF(rest, -r) : r;
    if (!(q < 0x1p51 && b < (double)INFINITY))
        return remainder_of(x, y, &quotient);
    return as_double(as_ulong(r) ^ (as_ulong(x) & 0x8000000000000000));
}

double OVER remquo(double x, double y, private int *quotient)
{
    double k, r = remainder_of(x, y, &k);
    int q = (int)low_bits(k);
    *quotient = r != r ? 0 : as_long(x) < 0 != as_long(y) < 0 ? -q : q;
    return r;
}
