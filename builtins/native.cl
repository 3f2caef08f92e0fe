/* SPDX-License-Identifier: Apache-2.0
 * native_ functions: float forms with some 18 bits, for arguments that are neither denormal nor, where it matters, far out. half_ functions
 * are the same where 11 bits are to be had that way for all arguments that OpenCL C speaks of; the others are in math.cl. */
#include "scalar.h"

/* A division is one instruction of three to five cycles, in which the CPU does other work; its estimate with a step of Newton's and 1/0 made
 * good would be five, of two cycles together. */
float PURE native_recip(float x)
{
    return 1.0f / x;
}

float PURE native_divide(float x, float y)
{
    return x / y;
}

/* The pragma lets vector code take the CPU's estimate and one step of Newton's, instead of two long instructions. */
#pragma clang fp reciprocal(on)
float PURE native_rsqrt(float x)
{
    return 1.0f / __builtin_elementwise_sqrt(x);
}
#pragma clang fp reciprocal(off)

float PURE native_sqrt(float x)
{
    return __builtin_elementwise_sqrt(x);
}

/* 0 below 2^-126: for -127 the bits of 1 and those of the exponent cancel, and what lies between would be a wrong denormal. */
float PURE native_exp2(float x)
{
    float above = x < -126 ? -127 : x, bounded = above > 128 ? 128 : above, t = bounded + ROUNDER, r = bounded - (t - ROUNDER);
    float p = POLY4(r, 1.0f, 0x1.62e12cp-1f, 0x1.ec0374p-3f, 0x1.c9fc74p-5f, 0x1.3a03c8p-7f);
    float y = as_float(as_uint(p) + (as_uint(t) << 23));
    return x == x ? y : x;
}

float PURE native_exp(float x)
{
    return native_exp2(x * 0x1.715476p0f);
}

float PURE native_exp10(float x)
{
    return native_exp2(x * 0x1.a934fp1f);
}

float PURE native_log2(float x)
{
    float e, f = split_log_f(x, &e);
    float p = POLY6(f, 0x1.71548cp0f, -0x1.7151ep-1f, 0x1.ec294p-2f, -0x1.724018p-2f, 0x1.31705ep-2f, -0x1.f0973ap-3f, 0x1.e9e54p-4f);
    return FMA(f, p, e);
}

float PURE native_log(float x)
{
    return native_log2(x) * 0x1.62e43p-1f;
}

float PURE native_log10(float x)
{
    return native_log2(x) * 0x1.344136p-2f;
}

/* Of the absolute value, as Intel's GPUs have it: OpenVINO squares negative numbers with it. */
float PURE native_powr(float x, float y)
{
    return native_exp2(y * native_log2(__builtin_elementwise_abs(x)));
}

/* Beyond 2^22 any result is allowed: the argument is kept small. */
INLINE float near_pi(float r)
{
    return within(r, -1.6f, 1.6f);
}

INLINE float less_pi(float x, float k)
{
    return FMA(k, 0x1.777a5cp-24f, FMA(k, -0x1.921fb6p1f, x));
}

/* Sine and cosine of the same number differ in the polynomial only. */
#define NEAREST_PI(x) FMA(x, 0x1.45f306p-2f, ROUNDER)

float PURE native_sin(float x)
{
    float t = NEAREST_PI(x), r = near_pi(less_pi(x, t - ROUNDER)), s = r * r;
    float p = POLY2(s, -0x1.555184p-3f, 0x1.107a24p-7f, -0x1.857d44p-13f);
    return as_float(as_uint(FMA(p * s, r, r)) ^ as_uint(t) << 31);
}

float PURE native_cos(float x)
{
    float t = NEAREST_PI(x), r = near_pi(less_pi(x, t - ROUNDER));
    float p = POLY4(r * r, 1.0f, -0x1.ffffd2p-2f, 0x1.554faep-5f, -0x1.6b3872p-10f, 0x1.851214p-16f);
    return as_float(as_uint(p) ^ as_uint(t) << 31);
}

/* The bits of pi that matter where nearly nothing is left, for 11 bits of the result at least up to 2^16. */
INLINE float less_all_of_pi(float x, float k)
{
    return near_pi(FMA(k, 0x1.ee59dap-49f, less_pi(x, k)));
}

float PURE half_sin(float x)
{
    float t = NEAREST_PI(x);
    return sin_half(less_all_of_pi(x, t - ROUNDER), as_uint(t));
}

float PURE half_cos(float x)
{
    float t = FMA(x, 0x1.45f306p-2f, 0.5f) + ROUNDER;
    return sin_half(less_all_of_pi(x, t - ROUNDER - 0.5f), as_uint(t));
}

/* By multiples of pi/2. */
float PURE half_tan(float x)
{
    float t = FMA(x, 0x1.45f306p-1f, ROUNDER), k = t - ROUNDER;
    float r = within(FMA(k, 0x1.ee59dap-50f, FMA(k, 0x1.777a5cp-25f, FMA(k, -0x1.921fb6p0f, x))), -0.8f, 0.8f);
    float s = sin_quarter(r), c = cos_quarter(r);
    bool odd = as_uint(t) & 1;
    return native_divide(odd ? -c : s, odd ? s : c);
}

float PURE native_tan(float x)
{
    return half_tan(x);
}

#define FORMS1(f) EACH_VECTOR(SPLIT1, float, native_##f, float)
#define FORMS2(f) EACH_VECTOR(SPLIT2, float, native_##f, float, float)
FORMS1(cos)
FORMS1(exp)
FORMS1(exp10)
FORMS1(exp2)
FORMS1(log)
FORMS1(log10)
FORMS1(log2)
FORMS1(recip)
FORMS1(rsqrt)
FORMS1(sin)
FORMS1(sqrt)
FORMS1(tan)
FORMS2(divide)
FORMS2(powr)

#define HALF(N, f)                                                                                                                         \
    float##N PURE half_##f(float##N x)                                                                                                     \
    {                                                                                                                                      \
        return native_##f(x);                                                                                                              \
    }
EACH_WIDTH(HALF, exp)
EACH_WIDTH(HALF, exp10)
EACH_WIDTH(HALF, exp2)
EACH_WIDTH(HALF, log)
EACH_WIDTH(HALF, log10)
EACH_WIDTH(HALF, log2)
EACH_VECTOR(SPLIT1, float, half_cos, float)
EACH_VECTOR(SPLIT1, float, half_sin, float)
EACH_VECTOR(SPLIT1, float, half_tan, float)
