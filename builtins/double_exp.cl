/* SPDX-License-Identifier: Apache-2.0
 * Exponentials, logarithms, powers and inverse hyperbolic functions of a double, in the manner of float_exp.cl. */
#include "wide.h"

double PURE exp(double x)
{
    double r, t = split_exp_wide(between(x, -750, 720), &r);
    return scaled_wide(1 + exp_tail_wide(r), as_ulong(t));
}

double PURE exp2(double x)
{
    x = between(x, -1100, 1100);
    double t = x + ROUNDER, r = x - (t - ROUNDER);
    return scaled_wide(exp2_near_wide(r), as_ulong(t));
}

double PURE exp10(double x)
{
    x = between(x, -330, 310);
    double t = FMA(x, 0x1.a934f0979a371p1, ROUNDER), k = t - ROUNDER;
    double r = FMA(k, 0x1.9dc1da994fd21p-59, FMA(k, -0x1.34413509f79ffp-2, x));
    return scaled_wide(1 + exp_tail_wide(r * 0x1.26bb1bbb55516p1), as_ulong(t));
}

double PURE expm1(double x)
{
    bool large = x > 709; /* 2^1024 is no double */
    double r, t = split_exp_wide(between(x, -50, 710), &r);
    double s = as_double(((as_ulong(t) - (large ? 1 : 0)) << 52) + ONE);
    double e = FMA(s, exp_tail_wide(r), s - (large ? 0.5 : 1.0));
    return SIGN_OF(large ? e + e : e, x);
}

double PURE tanh(double x)
{
    double a = ABS(x), r, t = split_exp_wide(2 * (a > 20 ? 20 : a), &r), s = as_double((as_ulong(t) << 52) + ONE);
    double e = FMA(s, exp_tail_wide(r), s - 1);
    return SIGN_OF(e / (e + 2), x);
}

/* Half of the exponent at a time, so that the product overflows where the result does. */
double PURE cosh(double x)
{
    double a = ABS(x), e = expm1(a), h = exp(a * 0.5);
    return a < 22 ? 1 + e * e / (2 * (1 + e)) : 0.5 * h * h;
}

double PURE sinh(double x)
{
    double a = ABS(x), e = expm1(a), h = exp(a * 0.5);
    return SIGN_OF(a < 22 ? 0.5 * (e + e / (e + 1)) : 0.5 * h * h, x);
}

/* ---- logarithms ----------------------------------------------------------------------------------------------------------------------- */

#define SPLIT 0x3fe5555555555555 /* 2/3: see LOG_SPLIT */

/* x = (1 + f)·2^e, for finite x > 0. */
INLINE double split_log_wide(double x, double *e)
{
    return split_number(x, SPLIT, e) - 1;
}

/* log(1 + f) = f + the answer, for -1/3 ≤ f ≤ 1/3. */
INLINE double log_tail_wide(double f)
{
    double p = POLY(f, 0x1.5555555555543p-2, -0x1.0000000000963p-2, 0x1.999999999e702p-3, -0x1.555555540cb21p-3, 0x1.2492492167f19p-3,
                    -0x1.00000085a7825p-3, 0x1.c71c73bd7eceep-4, -0x1.99996206bb441p-4, 0x1.745cbfe34d4c7p-4, -0x1.555c07ed89744p-4,
                    0x1.3b1cf1b74cec7p-4, -0x1.2413ccb42e825p-4, 0x1.1072f399a4cfbp-4, -0x1.05c5282379c12p-4, 0x1.ef31ed3441b66p-5,
                    -0x1.76ad2dca7ef52p-5, 0x1.5861254d2c51fp-5, -0x1.61423c234901dp-4, 0x1.5a1a1849b01efp-4);
    return f * f * FMA(f, p, -0.5);
}

/* log(1 + f) + e·ln(2). */
INLINE double log_sum_wide(double f, double e)
{
    return FMA(e, 0x1.62e42fefa39efp-1, f + FMA(e, 0x1.abc9e3b39803fp-56, log_tail_wide(f)));
}

/* A logarithm's value r, unless x is zero, negative, infinite or no number. */
INLINE double log_result_wide(double x, double r)
{
    double odd = x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
    return as_ulong(x) - 1 < 0x7fefffffffffffff ? r : odd;
}

double PURE log(double x)
{
    double e, f = split_log_wide(x, &e);
    return log_result_wide(x, log_sum_wide(f, e));
}

/* (f + tail)·SCALE, whose two parts are given, and `whole` and `low`. */
INLINE double log_in_base(double f, double scale, double scale_low, double whole, double low)
{
    double h = f * scale, rest = FMA(f, scale, -h);
    return whole + (h + (FMA(log_tail_wide(f), scale, FMA(f, scale_low, rest)) + low));
}

double PURE log2(double x)
{
    double e, f = split_log_wide(x, &e);
    return log_result_wide(x, log_in_base(f, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56, e, 0));
}

double PURE log10(double x)
{
    double e, f = split_log_wide(x, &e), whole = e * 0x1.34413509f79ffp-2, low = FMA(e, 0x1.34413509f79ffp-2, -whole);
    low = FMA(e, -0x1.9dc1da994fd21p-59, low);
    return log_result_wide(x, log_in_base(f, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, whole, low));
}

/* ---- powers: the logarithm in two parts. A choice that hangs on two conditions is dear without AVX-512: there are none --------------------- */

/* Of any a. */
INLINE double log2_any(double a, double *low)
{
    double r = log2_parts(a, low), none = a == 0 ? -(double)INFINITY : (double)NAN;
    r = a > 0 ? r : none;
    return a < (double)INFINITY ? r : a;
}

INLINE double power(double a, double y)
{
    double low, log_a = log2_any(a, &low), p = y * log_a;
    return times_exp2(1, p, FMA(y, low, FMA(y, log_a, -p)));
}

/* Gives the result the sign of x. */
INLINE double signed_like(double r, double x)
{
    return as_double(as_ulong(r) | (as_ulong(x) & 0x8000000000000000));
}

double PURE pow(double x, double y)
{
    y = x == 1 ? 0 : y;
    double rest = y - 2 * __builtin_elementwise_trunc(y * 0.5), whole = __builtin_elementwise_trunc(y);
    double a = whole == y ? ABS(x) : x;
    a = x == -(double)INFINITY ? (double)INFINITY : a;
    double r = power(a, between(y, -0x1p1000, 0x1p1000)), with_sign = signed_like(r, x); /* 1 to an infinite power is 1 */
    r = ABS(rest) == 1 ? with_sign : r;
    return y == 0 ? 1 : r;
}

double PURE powr(double x, double y)
{
    return power(x, y); /* 0^0, 1^inf and inf^0 are no numbers, as are the products of their logarithms */
}

/* The sign bit of an odd n. */
INLINE ulong odd_sign(int n)
{
    return (ulong)(uint)n << 63;
}

double PURE rootn(double x, int n)
{
    double low, log_a = log2_any(as_double(as_ulong(x) & ~odd_sign(n)), &low), whole = (double)n;
    double y = whole == 0 ? (double)NAN : 1 / whole, y_low = FMA(-y, whole, 1.0) * y, p = y * log_a;
    double r = times_exp2(1, p, FMA(y_low, log_a, FMA(y, low, FMA(y, log_a, -p))));
    return as_double(as_ulong(r) | (as_ulong(x) & odd_sign(n)));
}

SMALL_POWERS(double)

double PURE pown(double x, int n)
{
    if ((uint)n + 8 <= 16)
        return product(x, n);
    return as_double(as_ulong(power(ABS(x), n)) | (as_ulong(x) & odd_sign(n)));
}

/* ---- log(1 + x) and inverse hyperbolic functions ------------------------------------------------------------------------------------- */

/* A huge x goes down by 2^64 first, so that no scale becomes denormal. */
INLINE double log1p_wide(double x)
{
    bool huge = x > 0x1p900;
    double y = huge ? x * 0x1p-64 : x;
    ulong i = as_ulong(1 + y) + (ONE - SPLIT);
    double scale = as_double(2 * ONE - (i & 0xfff0000000000000)), f = FMA(y, scale, scale - 1);
    double r = log_sum_wide(f, huge ? exponent_of(i, 64) : exponent_of(i, 0));
    r = x > -1 && x < (double)INFINITY ? r : x == -1 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
    return SIGN_OF(r, x);
}

double PURE log1p(double x)
{
    return log1p_wide(x);
}

double PURE asinh(double x)
{
    double a = ABS(x), square = a * a;
    bool huge = a > 0x1p500;
    double r = log1p_wide(huge ? a : a + square / (1 + __builtin_elementwise_sqrt(square + 1)));
    return SIGN_OF(huge ? r + 0x1.62e42fefa39efp-1 : r, x);
}

double PURE acosh(double x)
{
    double a = x - 1;
    bool huge = x > 0x1p500;
    double r = log1p_wide(huge ? x : a + __builtin_elementwise_sqrt(a * (a + 2)));
    return x < 1 ? (double)NAN : huge ? r + 0x1.62e42fefa39efp-1 : r;
}

double PURE atanh(double x)
{
    double a = ABS(x), r = 0.5 * log1p_wide(2 * a / (1 - a));
    return a > 1 ? (double)NAN : SIGN_OF(r, x);
}
