/* SPDX-License-Identifier: Apache-2.0
 * Exponentials, logarithms, powers and hyperbolic functions of a float (scalar.h says how). */
#include "scalar.h"

float PURE exp(float x)
{
    float r, t = split_exp(within(x, -105, 90), &r);
    return scaled(1 + exp_tail(r), as_uint(t));
}

float PURE exp2(float x)
{
    x = within(x, -152, 130);
    float t = x + ROUNDER;
    return scaled(exp2_near(x - (t - ROUNDER)), as_uint(t));
}

float PURE exp10(float x)
{
    x = within(x, -47, 40);
    float t = FMA(x, 0x1.a934fp1f, ROUNDER), k = t - ROUNDER;
    float r = FMA(k, 0x1.ec10cp-27f, FMA(k, -0x1.344136p-2f, x));
    float p = POLY6(r, 1.0f, 0x1.26bb1cp1f, 0x1.535248p1f, 0x1.046f9ap1f, 0x1.2bdbdap0f, 0x1.156bacp-1f, 0x1.a497c6p-3f);
    return scaled(p, as_uint(t));
}

float PURE expm1(float x)
{
    bool large = x > 88; /* 2^128 is no float */
    float r, t = split_exp(within(x, -20, 89), &r);
    float s = as_float(((as_uint(t) - (large ? 1 : 0)) << 23) + 0x3f800000);
    float e = FMA(s, exp_tail(r), s - (large ? 0.5f : 1.0f));
    return SIGN_OF(large ? e + e : e, x);
}

float PURE log(float x)
{
    float e, f = split_log(x, &e);
    return log_result(x, log_sum(f, e));
}

float PURE log2(float x)
{
    float e, f = split_log(x, &e);
    float p = POLY9(f, 0x1.715476p0f, -0x1.715476p-1f, 0x1.ec70bep-2f, -0x1.715436p-2f, 0x1.278c18p-2f, -0x1.ecb2b8p-3f, 0x1.9f7e64p-3f,
                    -0x1.69ecc6p-3f, 0x1.968d1ap-3f, -0x1.74ea54p-3f);
    return log_result(x, FMA(f, p, e));
}

float PURE log10(float x)
{
    float e, f = split_log(x, &e);
    float p = POLY9(f, 0x1.bcb7b2p-2f, -0x1.bcb7b4p-3f, 0x1.287988p-3f, -0x1.bcb4c4p-4f, 0x1.642152p-4f, -0x1.28f3fp-4f, 0x1.ee2532p-5f,
                    -0x1.ac5034p-5f, 0x1.011dap-4f, -0x1.de9068p-5f);
    return log_result(x, FMA(e, 0x1.344136p-2f, FMA(f, p, e * -0x1.ec10cp-27f)));
}

float PURE log1p(float x)
{
    return log1p_of(x);
}

/* ---- powers: of |x| in double ------------------------------------------------------------------------------------------------------- */

/* Of any a. Comparisons of doubles make the masks that choices of doubles need; none hangs on two conditions (double_exp.cl). */
INLINE double log2_any(float a)
{
    double r = log2_wide(a), d = (double)a, none = d == 0 ? -(double)INFINITY : (double)NAN;
    r = d > 0 ? r : none;
    return d < (double)INFINITY ? r : d;
}

float PURE pow(float x, float y)
{
    y = x == 1 ? 0 : y;
    float rest = y - 2 * __builtin_elementwise_trunc(y * 0.5f), whole = __builtin_elementwise_trunc(y);
    float a = whole == y ? ABS(x) : x;
    a = x == -INFINITY ? INFINITY : a;
    float r = exp2_wide((double)within(y, -0x1p100f, 0x1p100f) * log2_any(a)); /* 1 to an infinite power is 1 */
    float with_sign = as_float(as_uint(r) | (as_uint(x) & 0x80000000));
    r = ABS(rest) == 1 ? with_sign : r;
    return y == 0 ? 1 : r;
}

float PURE powr(float x, float y)
{
    return exp2_wide((double)y * log2_any(x)); /* 0^0, 1^inf and inf^0 are no numbers, as are the products of their logarithms */
}

SMALL_POWERS(float)

float PURE pown(float x, int n)
{
    if ((uint)n + 8 <= 16)
        return product(x, n);
    float r = exp2_wide((double)n * log2_any(ABS(x)));
    return as_float(as_uint(r) | (as_uint(x) & (uint)n << 31));
}

float PURE rootn(float x, int n)
{
    uint odd_sign = (uint)n << 31;
    double whole = (double)n, r = log2_any(as_float(as_uint(x) & ~odd_sign)) / (whole == 0 ? (double)NAN : whole);
    return as_float(as_uint(exp2_wide(r)) | (as_uint(x) & odd_sign));
}

/* ---- hyperbolic functions ----------------------------------------------------------------------------------------------------------- */

/* (exp(a) - 1)/2 for a ≥ 0, in two halves so that it overflows no earlier than it has to. */
INLINE float half_expm1(float a)
{
    float r, t = split_exp(a > 89.5f ? 89.5f : a, &r), s = as_float((as_uint(t) << 23) + 0x3e800000); /* 2^k / 4 */
    float quarter = FMA(s, exp_tail(r), s - 0.25f);
    return quarter + quarter;
}

float PURE sinh(float x)
{
    float a = ABS(x), h = half_expm1(a), bounded = h > 0x1p64f ? 0x1p64f : h;
    float r = h + bounded / (2 * bounded + 1);
    return SIGN_OF(a < 0x1p-12f ? a : r, x);
}

float PURE cosh(float x)
{
    float h = half_expm1(ABS(x)) + 0.5f;
    return h + 0.25f / h;
}

float PURE tanh(float x)
{
    float a = ABS(x), t = expm1_within(2 * (a > 10 ? 10 : a));
    return SIGN_OF(t / (t + 2), x);
}

float PURE asinh(float x)
{
    float a = ABS(x), square = a * a;
    bool huge = a > 0x1p30f;
    float r = log1p_of(huge ? a : a + square / (1 + __builtin_elementwise_sqrt(square + 1)));
    return SIGN_OF(huge ? r + 0x1.62e43p-1f : r, x);
}

float PURE acosh(float x)
{
    float a = x - 1;
    bool huge = x > 0x1p30f;
    float r = log1p_of(huge ? x : a + __builtin_elementwise_sqrt(a * (a + 2)));
    return x < 1 ? NAN : huge ? r + 0x1.62e43p-1f : r;
}

float PURE atanh(float x)
{
    float a = ABS(x), r = 0.5f * log1p_of(2 * a / (1 - a));
    return a > 1 ? NAN : SIGN_OF(r, x);
}
