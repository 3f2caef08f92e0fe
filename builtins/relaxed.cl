/* SPDX-License-Identifier: Apache-2.0
 * What programs get for a function of float under -cl-fast-relaxed-math or -cl-unsafe-math-optimizations, where the wider error bounds that
 * OpenCL C allows then (7.4) make something cheaper: clc/service/link.c gives calls of f the name __tsr_relaxed_f. */
#include "scalar.h"

float PURE exp2(float x);
float PURE log2(float x);
float PURE native_cos(float x);
float PURE native_sin(float x);
float PURE native_tan(float x);

/* Without the reduction of huge arguments: it is a branch that every vector would have to test. */
float PURE __tsr_relaxed_cos(float x)
{
    return native_cos(x);
}

float PURE __tsr_relaxed_sin(float x)
{
    return native_sin(x);
}

float PURE __tsr_relaxed_tan(float x)
{
    return native_tan(x);
}

/* In float instead of double: some 250 units in the last place where the result is huge or tiny, one where it is near 1. */
INLINE float power(float x, float y)
{
    return exp2(y * log2(ABS(x)));
}

INLINE float odd_like(float r, float x, bool odd)
{
    return as_float(as_uint(r) | (odd ? as_uint(x) & 0x80000000 : 0));
}

float PURE __tsr_relaxed_pow(float x, float y)
{
    float whole = __builtin_elementwise_trunc(y), middle = whole * 0.5f, r = power(x, y);
    bool is_whole = whole == y;
    r = odd_like(r, x, is_whole && __builtin_elementwise_trunc(middle) != middle);
    r = x < 0 && !is_whole ? NAN : r;
    return y == 0 || x == 1 ? 1 : r;
}

float PURE __tsr_relaxed_powr(float x, float y)
{
    float r = power(x, y);
    return x < 0 ? NAN : r;
}

float PURE __tsr_relaxed_pown(float x, int n)
{
    float r = odd_like(power(x, (float)n), x, n & 1);
    return n == 0 ? 1 : r;
}

float PURE __tsr_relaxed_rootn(float x, int n)
{
    float r = odd_like(exp2(log2(ABS(x)) / (float)n), x, n & 1);
    return n == 0 || (x < 0 && !(n & 1)) ? NAN : r;
}

EACH_VECTOR(SPLIT1, float, __tsr_relaxed_cos, float)
EACH_VECTOR(SPLIT1, float, __tsr_relaxed_sin, float)
EACH_VECTOR(SPLIT1, float, __tsr_relaxed_tan, float)
EACH_VECTOR(SPLIT2, float, __tsr_relaxed_pow, float, float)
EACH_VECTOR(SPLIT2, float, __tsr_relaxed_powr, float, float)
EACH_VECTOR(SPLIT2, float, __tsr_relaxed_pown, float, int)
EACH_VECTOR(SPLIT2, float, __tsr_relaxed_rootn, float, int)

#define SINCOS(N, S)                                                                                                                       \
    float##N OVER __tsr_relaxed_sincos(float##N x, S float##N *cosine)                                                                     \
    {                                                                                                                                      \
        *cosine = __tsr_relaxed_cos(x);                                                                                                    \
        return __tsr_relaxed_sin(x);                                                                                                       \
    }
EACH_WIDTH(SINCOS, global)
EACH_WIDTH(SINCOS, local)
EACH_WIDTH(SINCOS, private)
EACH_WIDTH(SINCOS, __generic)
