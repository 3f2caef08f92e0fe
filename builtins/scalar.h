/* SPDX-License-Identifier: Apache-2.0
 * What the scalar math functions of float share. Their bodies end up in each lane of a vector register: so choices are selects and not
 * branches, constants are not tables, and what a branch keeps aside is rare and large. */
#ifndef TESSERA_BUILTINS_SCALAR_H
#define TESSERA_BUILTINS_SCALAR_H

#include "library.h"

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

/* log(1 + f) = f + the answer, for -1/3 ≤ f ≤ 1/3. */
INLINE float log_tail(float f)
{
    float p = POLY7(f, 0x1.555506p-2f, -0x1.fffefp-3f, 0x1.99d05ep-3f, -0x1.559de4p-3f, 0x1.1ed422p-3f, -0x1.f30e34p-4f, 0x1.1e73b8p-3f,
                    -0x1.080caap-3f);
    return f * f * FMA(f, p, -0.5f);
}

/* log(1 + f) + e·ln(2). */
INLINE float log_sum(float f, float e)
{
    return FMA(e, 0x1.62e43p-1f, f + FMA(e, -0x1.05c61p-29f, log_tail(f)));
}

/* 2/3 ≤ m < 4/3: x = m·2^exponent. These bits less LOG_SPLIT have the exponent on top. */
#define LOG_SPLIT 0x3f2aaaabu

/* x = (1 + f)·2^e, for finite x > 0. */
INLINE float split_log(float x, float *e)
{
    bool small = x < FLT_MIN;
    uint i = as_uint(small ? x * 0x1p24f : x) - LOG_SPLIT;
    *e = (float)((int)i >> 23) - (small ? 24.0f : 0.0f);
    return as_float((i & 0x7fffff) + LOG_SPLIT) - 1;
}

/* A logarithm's value r, unless x is zero, negative, infinite or no number. */
INLINE float log_result(float x, float r)
{
    float odd = x == 0 ? -INFINITY : x < 0 ? NAN : x;
    return as_uint(x) - 1 < 0x7f7fffff ? r : odd;
}

/* log(1 + x). A huge x goes down by 2^32 first, so that no scale becomes denormal. */
INLINE float log1p_of(float x)
{
    bool huge = x > 0x1p100f;
    float y = huge ? x * 0x1p-32f : x;
    uint i = as_uint(1 + y) - LOG_SPLIT;
    int e = (int)i >> 23;
    float scale = as_float(0x3f800000 - ((uint)e << 23)), f = FMA(y, scale, scale - 1);
    float r = log_sum(f, (float)e + (huge ? 32.0f : 0.0f));
    r = x > -1 && x < INFINITY ? r : x == -1 ? -INFINITY : x < 0 ? NAN : x;
    return SIGN_OF(r, x);
}

/* log2 of a finite x > 0 with some 30 bits. */
INLINE double log2_wide(float x)
{
    ulong i = as_ulong((double)x) - 0x3fe5555555555555;
    double e = (double)((long)i >> 52), f = as_double((i & 0xfffffffffffff) + 0x3fe5555555555555) - 1;
    double p = POLY(f, 0x1.7154765228cd7p0, -0x1.7154774eec8d5p-1, 0x1.ec70a38703036p-2, -0x1.715317ce28aecp-2, 0x1.277464e72b067p-2,
                      -0x1.ecf8404e92ba2p-3, 0x1.a6ccc9ebcf4fdp-3, -0x1.66bd41fc5a4e9p-3, 0x1.3c3f8459c37c1p-3, -0x1.81796389c77c1p-3,
                      0x1.67ef65e36e152p-3);
    return FMA(f, p, e);
}

/* 2^r for |r| ≤ 1/2. */
INLINE float exp2_near(float r)
{
    return POLY6(r, 1.0f, 0x1.62e43p-1f, 0x1.ebfbd8p-3f, 0x1.c6af76p-5f, 0x1.3b30ap-7f, 0x1.5f0b82p-10f, 0x1.3fa206p-13f);
}

/* 2^t, rounded once. */
INLINE float exp2_wide(double t)
{
    t = t > 200 ? 200 : t;
    t = t < -200 ? -200 : t;
    double shifted = t + 0x1.8p52, k = shifted - 0x1.8p52;
    return scaled(exp2_near((float)(t - k)), (uint)as_ulong(shifted));
}

/* sin(r) for |r| ≤ pi/2, with its sign changed if the lowest bit of `odd` is set. */
INLINE float sin_half(float r, uint odd)
{
    /* Rounding may not lead beyond 1, which programs hand on to acos and to square roots of 1 - y². */
    float s = r * r, p = POLY3(s, -0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70fp-13f, 0x1.5dc902p-19f);
    float y = __builtin_elementwise_max(__builtin_elementwise_min(FMA(p * s, r, r), 1.0f), -1.0f);
    return as_float(as_uint(y) ^ odd << 31);
}

#endif
