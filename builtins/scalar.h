/* SPDX-License-Identifier: Apache-2.0
 * What the scalar math functions of float share. Their bodies end up in each lane of a vector register: so choices are selects and not
 * branches, constants are not tables, and what a branch keeps aside is rare and large. */
#ifndef TESSERA_BUILTINS_SCALAR_H
#define TESSERA_BUILTINS_SCALAR_H

#include "library.h"
#include "pieces.h"

#define FMA __builtin_elementwise_fma
#define ABS __builtin_elementwise_abs
#define SIGN_OF(x, from) __builtin_elementwise_copysign(x, from)

/* Polynomials by Horner's rule; coefficients from the constant one up. */
#define POLY1(x, a, b) FMA(b, x, a)
#define POLY2(x, a, ...) FMA(POLY1(x, __VA_ARGS__), x, a)
#define POLY3(x, a, ...) FMA(POLY2(x, __VA_ARGS__), x, a)
#define POLY4(x, a, ...) FMA(POLY3(x, __VA_ARGS__), x, a)
#define POLY5(x, a, ...) FMA(POLY4(x, __VA_ARGS__), x, a)
#define POLY6(x, a, ...) FMA(POLY5(x, __VA_ARGS__), x, a)
#define POLY7(x, a, ...) FMA(POLY6(x, __VA_ARGS__), x, a)
#define POLY8(x, a, ...) FMA(POLY7(x, __VA_ARGS__), x, a)
#define POLY9(x, a, ...) FMA(POLY8(x, __VA_ARGS__), x, a)

/* Of double, the even and the odd powers apart: one long chain would keep the CPU waiting. */
#define POLY(x, ...) polynomial(x, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
INLINE double polynomial(double x, const double *c, int count)
{
    int top = count - 1;
    double square = x * x, sums[2];
    sums[top & 1] = c[top];
    sums[~top & 1] = c[top - 1];
    _Pragma("unroll") for (int i = top - 2; i >= 0; i--) sums[i & 1] = FMA(sums[i & 1], square, c[i]);
    return FMA(sums[1], x, sums[0]);
}

/* x^n for |n| ≤ 8. */
#define SMALL_POWERS(T)                                                                                                                    \
    INLINE T product(T x, int n)                                                                                                           \
    {                                                                                                                                      \
        T b = n < 0 ? 1 / x : x, r = n & 1 ? b : 1;                                                                                        \
        uint m = (uint)(n < 0 ? -n : n);                                                                                                   \
        b *= b;                                                                                                                            \
        r = m & 2 ? r * b : r;                                                                                                             \
        b *= b;                                                                                                                            \
        r = m & 4 ? r * b : r;                                                                                                             \
        return m & 8 ? b * b : r;                                                                                                          \
    }

/* r less k·d·2^n, which is exact and leaves less than d·2^n of it: k has so many bits. r ≥ d > 0, finite and normal. */
INLINE double less_multiple(double r, double d, int bits, double *k, int *n)
{
    int apart = (int)(as_ulong(r) >> 52) - (int)(as_ulong(d) >> 52) - bits;
    *n = apart < 0 ? 0 : apart;
    double step = as_double(as_ulong(d) + ((ulong)*n << 52)), times = __builtin_elementwise_trunc(r / step);
    r = FMA(-times, step, r);
    bool over = r < 0;
    *k = over ? times - 1 : times;
    return over ? r + step : r;
}

/* x + ROUNDER is x rounded to a whole number, which stands in the low bits. |x| < 2^22. */
#define ROUNDER 0x1.8p23f

/* A NaN stays one. */
INLINE float within(float x, float low, float high)
{
    x = x > high ? high : x;
    return x < low ? low : x;
}

/* p·2^k for -250 < k < 250, rounded once: k is in the low bits of `rounder`, other bits above the lowest ten are those of ROUNDER or all
 * the sign's. */
INLINE float scaled(float p, uint rounder)
{
    uint part = (uint)((int)rounder >> 1), rest = rounder - part;
    return p * as_float((part << 23) + 0x3f800000) * as_float((rest << 23) + 0x3f800000);
}

/* exp(r) - 1 for |r| ≤ ln(2)/2. */
INLINE float exp_tail(float r)
{
    return FMA(POLY4(r, 0x1.fffffap-2f, 0x1.555492p-3f, 0x1.555a26p-5f, 0x1.12397cp-7f, 0x1.694c82p-10f), r * r, r);
}

/* x = k·ln(2) + r; the answer is k + ROUNDER. */
INLINE float split_exp(float x, float *r)
{
    float t = FMA(x, 0x1.715476p0f, ROUNDER), k = t - ROUNDER;
    *r = FMA(k, 0x1.05c61p-29f, FMA(k, -0x1.62e43p-1f, x));
    return t;
}

/* exp(x) - 1, for -88 < x < 88. */
INLINE float expm1_within(float x)
{
    float r, t = split_exp(x, &r), s = as_float((as_uint(t) << 23) + 0x3f800000);
    return FMA(s, exp_tail(r), s - 1);
}

/* x = (1 + f)·2^e for finite x > 0, with f, the answer, from -1/4 up to 1/2. Of zero, infinity, the negative and no number *e is -inf, inf and
 * no number. */
#define SPLIT_LOG(T, S)                                                                                                                    \
    INLINE T split_log_##S(T x, T *e)                                                                                                      \
    {                                                                                                                                      \
        T m = __tsr_normal_significand_##S(x);                                                                                             \
        *e = __tsr_normal_exponent_##S(x);                                                                                                 \
        if (RARE(__tsr_apart_##S(x))) {                                                                                                    \
            m = __tsr_significand_##S(x);                                                                                                  \
            *e = __tsr_exponent_##S(x);                                                                                                    \
        }                                                                                                                                  \
        return m - 1;                                                                                                                      \
    }
SPLIT_LOG(float, f)
SPLIT_LOG(double, d)

/* log(1 + f) = f + the answer, for -1/4 ≤ f ≤ 1/2. */
INLINE float log_tail(float f)
{
    float p = POLY7(f, 0x1.5555a4p-2f, -0x1.00004p-2f, 0x1.9969bp-3f, -0x1.54efdcp-3f, 0x1.28847cp-3f, -0x1.0d8a8ap-3f, 0x1.ac90bp-4f,
                    -0x1.7140aap-5f);
    return f * f * FMA(f, p, -0.5f);
}

/* log(1 + f) + e·ln(2). Of an infinite e, which has the sign of both parts of ln(2), it is e. */
INLINE float log_sum(float f, float e)
{
    return FMA(e, 0x1.62e42ep-1f, f + FMA(e, 0x1.efa39ep-25f, log_tail(f)));
}

/* log(1 + x) for x > -1 and finite. x is scaled by what takes 1 + x to 3/4 up to 3/2, and by four, so that no scale is a denormal. */
INLINE float log1p_finite(float x)
{
    uint i = as_uint(1 + x) - 0x3f400000;
    int e = (int)i >> 23;
    float scale = as_float(0x40800000 - ((uint)e << 23));
    return log_sum(0.25f * FMA(x, scale, scale - 4), (float)e);
}

/* log(1 + a) for a ≥ 0. */
INLINE float log1p_positive(float a)
{
    float r = log1p_finite(a);
    return a < INFINITY ? r : a;
}

/* log2(1 + f) + e in double, with some 29 bits; of terms that are small a float is good enough. */
INLINE double log2_wide(float f, float e)
{
    float p = POLY7(f, -0x1.7155a8p-2f, 0x1.277504p-2f, -0x1.ebfea4p-3f, 0x1.a5b2b6p-3f, -0x1.78eb26p-3f, 0x1.5b8278p-3f, -0x1.0d3b4ep-3f,
                    0x1.b6c6dcp-5f);
    double d = (double)f;
    return FMA(d, POLY3(d, 0x1.71547650ee018p0, -0x1.7154756c8dd3p-1, 0x1.ec70a9869052ep-2, (double)p), (double)e);
}

/* 2^r for |r| ≤ 1/2. */
INLINE float exp2_near(float r)
{
    return POLY6(r, 1.0f, 0x1.62e43p-1f, 0x1.ebfbd8p-3f, 0x1.c6af76p-5f, 0x1.3b30ap-7f, 0x1.5f0b82p-10f, 0x1.3fa206p-13f);
}

/* 2^t, rounded once. The branch holds what is rare: results that are too large or too small for a number, and NaN. */
INLINE float exp2_wide(double t)
{
    double whole = __builtin_elementwise_rint(t);
    float k = (float)whole, r = __tsr_scale_f(exp2_near((float)(t - whole)), k + ROUNDER);
    if (!(ABS(k) < 200))
        r = k > 0 ? INFINITY : k < 0 ? 0 : k;
    return r;
}

/* sin(r) for |r| ≤ pi/2, with its sign changed if the lowest bit of `odd` is set. */
INLINE float sin_half(float r, uint odd)
{
    /* Rounding may not lead beyond 1, which programs hand on to acos and to square roots of 1 - y². */
    float s = r * r, p = POLY3(s, -0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70fp-13f, 0x1.5dc902p-19f);
    float y = within(FMA(p * s, r, r), -1.0f, 1.0f);
    return as_float(as_uint(y) ^ odd << 31);
}

/* sin(r) and cos(r) for |r| ≤ pi/4. */
INLINE float sin_quarter(float r)
{
    float s = r * r;
    return FMA(POLY2(s, -0x1.555546p-3f, 0x1.110778p-7f, -0x1.9953fep-13f) * s, r, r);
}

INLINE float cos_quarter(float r)
{
    float s = r * r;
    return POLY4(s, 1.0f, -0.5f, 0x1.55554ap-5f, -0x1.6c0c2ap-10f, 0x1.99e91p-16f);
}

#endif
