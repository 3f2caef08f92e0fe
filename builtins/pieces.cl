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

/* The bits of 3/4. Less them, a number has its exponent on top. */
#define SPLIT 0x3f400000
#define SPLIT_WIDE 0x3fe8000000000000

float __tsr_normal_significand_f(float x)
{
    return as_float((as_uint(x) - SPLIT & 0x7fffff) + SPLIT);
}

float __tsr_normal_exponent_f(float x)
{
    return (float)((int)(as_uint(x) - SPLIT) >> 23);
}

double __tsr_normal_significand_d(double x)
{
    return as_double((as_ulong(x) + (ONE - SPLIT_WIDE) & 0xfffffffffffff) + SPLIT_WIDE);
}

double __tsr_normal_exponent_d(double x)
{
    return exponent_of(as_ulong(x) + (ONE - SPLIT_WIDE), 0);
}

/* Denormals, zero, the negative, infinities and NaN: all that is not from FLT_MIN or DBL_MIN up to the largest. One comparison with a sign. */
int __tsr_apart_f(float x)
{
    return (int)(as_uint(x) + 0x7f800000) >= -0x1000000;
}

int __tsr_apart_d(double x)
{
    return (long)(as_ulong(x) + 0x7ff0000000000000) >= -0x20000000000000;
}

float __tsr_significand_f(float x)
{
    return __tsr_normal_significand_f(x < FLT_MIN ? x * 0x1p24f : x);
}

double __tsr_significand_d(double x)
{
    return __tsr_normal_significand_d(x < DBL_MIN ? x * 0x1p54 : x);
}

float __tsr_exponent_f(float x)
{
    float e = x < FLT_MIN ? __tsr_normal_exponent_f(x * 0x1p24f) - 24 : __tsr_normal_exponent_f(x);
    e = x == 0 ? -INFINITY : x < 0 ? NAN : e;
    return x < INFINITY ? e : x;
}

double __tsr_exponent_d(double x)
{
    double e = x < DBL_MIN ? __tsr_normal_exponent_d(x * 0x1p54) - 54 : __tsr_normal_exponent_d(x);
    e = x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : e;
    return x < (double)INFINITY ? e : x;
}

float __tsr_power_f(float x)
{
    float a = ABS(x), e = (float)((int)(as_uint(a) >> 23) - 127);
    if (RARE(__tsr_apart_f(a))) {
        e = (float)((int)(as_uint(a * 0x1p24f) >> 23) - 151);
        e = a < FLT_MIN ? e : a;
        e = a == 0 ? -INFINITY : e;
    }
    return e;
}

double __tsr_power_d(double x)
{
    double a = ABS(x), e = exponent_of(as_ulong(a), 0);
    if (RARE(__tsr_apart_d(a))) {
        e = exponent_of(as_ulong(a * 0x1p54), -54);
        e = a < DBL_MIN ? e : a;
        e = a == 0 ? -(double)INFINITY : e;
    }
    return e;
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

INLINE double power_of_two(int n)
{
    return as_double((ulong)(uint)(n + 1023) << 52);
}

/* Where 2^n is no double, in steps of which the last is the largest: it alone rounds, or the result is none but zero. */
double __tsr_ldexp_d(double x, int n)
{
    double r = x * power_of_two(n);
    if (RARE((uint)n + 1022 > 2045)) {
        int last = bounded(n, -1022, 1023), middle = bounded(n - last, -1022, 1023), first = bounded(n - last - middle, -1022, 1023);
        r = x * power_of_two(first) * power_of_two(middle) * power_of_two(last);
    }
    return r;
}
