/* SPDX-License-Identifier: Apache-2.0
 * Exponentials, logarithms, powers and hyperbolic functions of a float (scalar.h says how). */
#include "scalar.h"

float PURE exp(float x)
{
    float r, t = split_exp(within(x, -105, 90), &r);
    return __tsr_scale_f(1 + exp_tail(r), t);
}

float PURE exp2(float x)
{
    x = within(x, -152, 130);
    float t = x + ROUNDER;
    return __tsr_scale_f(exp2_near(x - (t - ROUNDER)), t);
}

float PURE exp10(float x)
{
    x = within(x, -47, 40);
    float t = FMA(x, 0x1.a934fp1f, ROUNDER), k = t - ROUNDER;
    float r = FMA(k, 0x1.ec10cp-27f, FMA(k, -0x1.344136p-2f, x));
    float p = POLY6(r, 1.0f, 0x1.26bb1cp1f, 0x1.535248p1f, 0x1.046f9ap1f, 0x1.2bdbdap0f, 0x1.156bacp-1f, 0x1.a497c6p-3f);
    return __tsr_scale_f(p, t);
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
    float e, f = split_log_f(x, &e);
    return log_sum(f, e);
}

float PURE log2(float x)
{
    float e, f = split_log_f(x, &e);
    float p = POLY9(f, 0x1.715476p0f, -0x1.715476p-1f, 0x1.ec714p-2f, -0x1.7154cp-2f, 0x1.274e26p-2f, -0x1.ebd2dp-3f, 0x1.ac3d1ep-3f,
                    -0x1.85b0ccp-3f, 0x1.34913cp-3f, -0x1.078e62p-4f);
    return FMA(f, p, e);
}

float PURE log10(float x)
{
    float e, f = split_log_f(x, &e);
    float p = POLY9(f, 0x1.bcb7b2p-2f, -0x1.bcb7b2p-3f, 0x1.287ad8p-3f, -0x1.bcb80ap-4f, 0x1.63953cp-4f, -0x1.281b74p-4f, 0x1.01d34ep-4f,
                    -0x1.d53bf8p-5f, 0x1.738d56p-5f, -0x1.3d5a7p-6f);
    return FMA(e, 0x1.344134p-2f, FMA(f, p, e * 0x1.09f7ap-26f));
}

float PURE log1p(float x)
{
    float r = log1p_finite(x);
    if (!(x > -1 && x < INFINITY))
        r = x == -1 ? -INFINITY : x < 0 ? NAN : x;
    return SIGN_OF(r, x);
}

/* ---- powers: the logarithm in two parts ---- */

/* log2(a) of a finite a > 0 with some 29 bits after the point; *low is the second part, up to 1/16. Of zero, infinity, the negative and no number it is -inf,
 * inf and no number. */
INLINE float log2_parts(float a, float *low)
{
    float e, f = split_log_f(a, &e), square = f * f, square_low = FMA(f, f, -square);
    float q = POLY8(f, 0x1.ec70a4p-2f, -0x1.715516p-2f, 0x1.277546p-2f, -0x1.ec1a9cp-3f, 0x1.a5cfaep-3f, -0x1.780f52p-3f,
                    0x1.59b694p-3f, -0x1.0d5a52p-3f, 0x1.bd3ef6p-5f);
    float c1 = 0x1.715476p0f, c2 = -0x1.715476p-1f, first = f * c1, second = square * c2;
    float first_low = FMA(f, 0x1.4ae0cp-26f, FMA(f, c1, -first));
    float second_low = FMA(square, -0x1.4ae0cp-27f, FMA(square_low, c2, FMA(square, c2, -second)));
    float sum = e + first, sum_low = (e - sum) + first, all = sum + second, all_low = (sum - all) + second;
    *low = FMA(square * f, q, first_low + second_low) + (sum_low + all_low);
    return all;
}

/* a^y, where p is the first part of y·log2(a), |p| < 200. */
INLINE float power_near(float a, float y, float *p)
{
    float low, log_a = log2_parts(a, &low);
    *p = y * log_a;
    float p_low = FMA(y, low, FMA(y, log_a, -*p)), t = *p + p_low + ROUNDER;
    return __tsr_scale_f(exp2_near(*p - (t - ROUNDER) + p_low), t);
}

/* pow(x, y) where x is not above zero, or p = y·log2(|x|) is not within 200. r is a power of |x|, if it is a number. */
INLINE float odd_power(float x, float y, float p, float r)
{
    float a = ABS(x), whole = __builtin_elementwise_trunc(y), middle = y * 0.5f;
    bool is_odd = whole == y && __builtin_elementwise_trunc(middle) != middle;
    r = ABS(p) < 200 ? r : p > 0 ? INFINITY : 0;
    r = x < 0 && whole != y && a < INFINITY ? NAN : r;
    r = is_odd ? SIGN_OF(r, x) : r;
    r = a == 1 && ABS(y) == INFINITY ? 1 : r;
    r = x != x || y != y ? NAN : r;
    return y == 0 || x == 1 ? 1 : r;
}

float PURE pow(float x, float y)
{
    float p, r = power_near(ABS(x), y, &p);
    if (!(x > 0 && ABS(p) < 200))
        r = odd_power(x, y, p, r);
    return r;
}

/* 0^0, 1^inf and inf^0 are no numbers, as are the products of their logarithms. */
float PURE powr(float x, float y)
{
    float p, r = power_near(x, y, &p);
    if (!(ABS(p) < 200))
        r = p > 0 ? INFINITY : p < 0 ? 0 : p;
    return r;
}

/* Of whole numbers, which a float does not always hold, and of their reciprocals: in double. */
INLINE double log2_of(float a)
{
    float e, f = split_log_f(a, &e);
    return log2_wide(f, e);
}

SMALL_POWERS(float)

float PURE pown(float x, int n)
{
    if ((uint)n + 8 <= 16)
        return product(x, n);
    float r = exp2_wide((double)n * log2_of(ABS(x)));
    return as_float(as_uint(r) | (as_uint(x) & (uint)n << 31));
}

float PURE rootn(float x, int n)
{
    uint odd_sign = (uint)n << 31;
    double whole = (double)n, r = log2_of(as_float(as_uint(x) & ~odd_sign)) / (whole == 0 ? (double)NAN : whole);
    return as_float(as_uint(exp2_wide(r)) | (as_uint(x) & odd_sign));
}

/* ---- hyperbolic functions ---- */

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

/* Beyond 2^30 the same as of twice the argument. */
float PURE asinh(float x)
{
    float a = ABS(x), square = a * a;
    bool huge = a > 0x1p30f;
    float r = log1p_positive(huge ? a : a + square / (1 + __builtin_elementwise_sqrt(square + 1)));
    return SIGN_OF(huge ? r + 0x1.62e43p-1f : r, x);
}

float PURE acosh(float x)
{
    float a = x - 1;
    bool huge = x > 0x1p30f;
    float r = log1p_positive(huge ? x : a + __builtin_elementwise_sqrt(a * (a + 2)));
    return x < 1 ? NAN : huge ? r + 0x1.62e43p-1f : r;
}

float PURE atanh(float x)
{
    float a = ABS(x), r = 0.5f * log1p_finite(2 * a / (1 - a));
    r = a < 1 ? r : a == 1 ? INFINITY : NAN;
    return SIGN_OF(r, x);
}
