/* SPDX-License-Identifier: Apache-2.0
 * Pieces of the math functions for which a packet has instructions where the CPU has them (lanes/ir/math_op.def); elsewhere these bodies
 * run, which give the same values but for the estimates. */
#include "wide.h"

float __tsr_scale_f(float p, float t)
{
    return scaled(p, as_uint(t));
}

double __tsr_scale_d(double p, double t)
{
    return scaled_wide(p, as_ulong(t));
}

/* The bits of a finite x > 0 less those of 3/4, with the exponent on top; a denormal x is made larger by 2^24. */
#define SPLIT 0x3f400000
#define SPLIT_WIDE 0x3fe8000000000000

INLINE uint split(float x)
{
    return as_uint(x < FLT_MIN ? x * 0x1p24f : x) - SPLIT;
}

INLINE ulong split_wide(double x)
{
    return as_ulong(x < DBL_MIN ? x * 0x1p54 : x) + (ONE - SPLIT_WIDE);
}

float __tsr_significand_f(float x)
{
    return as_float((split(x) & 0x7fffff) + SPLIT);
}

double __tsr_significand_d(double x)
{
    return as_double((split_wide(x) & 0xfffffffffffff) + SPLIT_WIDE);
}

float __tsr_exponent_f(float x)
{
    float e = (float)((int)split(x) >> 23) - (x < FLT_MIN ? 24.0f : 0.0f);
    float odd = x == 0 ? -INFINITY : x < 0 ? NAN : x;
    return as_uint(x) - 1 < 0x7f7fffff ? e : odd;
}

float __tsr_normal_significand_f(float x)
{
    return as_float((as_uint(x) - SPLIT & 0x7fffff) + SPLIT);
}

float __tsr_normal_exponent_f(float x)
{
    float e = (float)((int)(as_uint(x) - SPLIT) >> 23);
    float odd = x == 0 ? -INFINITY : x < 0 ? NAN : x;
    return as_uint(x) - 1 < 0x7f7fffff ? e : odd;
}

double __tsr_exponent_d(double x)
{
    ulong i = split_wide(x);
    double e = x < DBL_MIN ? exponent_of(i, -54) : exponent_of(i, 0);
    double odd = x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
    return as_ulong(x) - 1 < 0x7fefffffffffffff ? e : odd;
}

float __tsr_power_f(float x)
{
    float a = ABS(x);
    uint i = as_uint(a < FLT_MIN ? a * 0x1p24f : a);
    float e = (float)((int)(i >> 23) - (a < FLT_MIN ? 151 : 127));
    return a == 0 ? -INFINITY : a < INFINITY ? e : a;
}

double __tsr_power_d(double x)
{
    double a = ABS(x);
    ulong i = as_ulong(a < DBL_MIN ? a * 0x1p54 : a);
    double e = (double)((int)(i >> 52) - (a < DBL_MIN ? 1077 : 1023));
    e = a == 0 ? -(double)INFINITY : e;
    return a < (double)INFINITY ? e : a;
}

uint __tsr_odd_f(float x)
{
    float rest = x - 2 * __builtin_elementwise_trunc(x * 0.5f); /* 0, 1 or -1 */
    return as_uint(rest) << 2 & 0x80000000;
}

ulong __tsr_odd_d(double x)
{
    double rest = x - 2 * __builtin_elementwise_trunc(x * 0.5);
    return as_ulong(rest) << 2 & 0x8000000000000000;
}

/* A division and a root are two long instructions beside which the CPU does other work; two steps of third order from a guess at the bits are
 * some twenty. */
float __tsr_rsqrt_f(float x)
{
    return 1.0f / __builtin_elementwise_sqrt(x);
}

double __tsr_rsqrt_d(double x)
{
    return 1.0 / __builtin_elementwise_sqrt(x);
}

float __tsr_root_f(float x)
{
    return __builtin_elementwise_sqrt(x);
}

double __tsr_root_d(double x)
{
    return __builtin_elementwise_sqrt(x);
}

float __tsr_rough_rsqrt_f(float x)
{
    return 1.0f / __builtin_elementwise_sqrt(x);
}

float __tsr_rough_recip_f(float x)
{
    return 1.0f / x;
}

INLINE int bounded(int n, int lo, int hi)
{
    return n < lo ? lo : n > hi ? hi : n;
}

/* Exact in the wider type, so rounded once. */
float __tsr_ldexp_f(float x, int n)
{
    long exponent = bounded(n, -300, 300) + 1023;
    return (float)((double)x * as_double(exponent << 52));
}

/* Steps of which the last is the largest: it alone rounds, or the result is none but zero. */
double __tsr_ldexp_d(double x, int n)
{
    int last = bounded(n, -1022, 1023), middle = bounded(n - last, -1022, 1023), first = bounded(n - last - middle, -1022, 1023);
#define POWER(n) as_double((ulong)(uint)((n) + 1023) << 52)
    return x * POWER(first) * POWER(middle) * POWER(last);
#undef POWER
}
