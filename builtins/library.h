/* SPDX-License-Identifier: Apache-2.0
 * What every source of the built-in library includes: names for "each width", "each type", and the splitting of vector forms. */
#ifndef TESSERA_BUILTINS_LIBRARY_H
#define TESSERA_BUILTINS_LIBRARY_H

#include "tessera/primitives.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define OVER __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))
#define RARE(condition) __builtin_expect((condition) ? 1 : 0, 0)
#define INLINE static inline __attribute__((always_inline))
/* A function that stays a call, which a packet makes for one lane after the other: much code that hardly ever runs. */
#define COLD static __attribute__((cold, noinline, const))

/* M(N, ...) for each vector width; N is empty for scalars, so that T##N is the type and CV##N converts to it. */
#define EACH_VECTOR(M, ...) M(2, ##__VA_ARGS__) M(3, ##__VA_ARGS__) M(4, ##__VA_ARGS__) M(8, ##__VA_ARGS__) M(16, ##__VA_ARGS__)
#define EACH_WIDTH(M, ...) M(, ##__VA_ARGS__) EACH_VECTOR(M, ##__VA_ARGS__)

#define CV(T, x) ((T)(x))
#define CV2(T, x) __builtin_convertvector(x, T##2)
#define CV3(T, x) __builtin_convertvector(x, T##3)
#define CV4(T, x) __builtin_convertvector(x, T##4)
#define CV8(T, x) __builtin_convertvector(x, T##8)
#define CV16(T, x) __builtin_convertvector(x, T##16)

#define AS(T, N, x) __builtin_astype(x, T##N)

/* A vector built from a scalar expression E(i) of each element. */
#define SPLAT_2(E) E(0), E(1)
#define SPLAT_3(E) E(0), E(1), E(2)
#define SPLAT_4(E) SPLAT_2(E), E(2), E(3)
#define SPLAT_8(E) SPLAT_4(E), E(4), E(5), E(6), E(7)
#define SPLAT_16(E) SPLAT_8(E), E(8), E(9), E(10), E(11), E(12), E(13), E(14), E(15)

/* Vector forms of a function of one to three arguments, which apply the scalar form to each element. */
#define SPLIT1(N, R, f, A)                                                                                                                 \
    R##N PURE f(A##N x)                                                                                                                    \
    {                                                                                                                                      \
        R##N r;                                                                                                                            \
        _Pragma("unroll") for (int i = 0; i < N; i++) r[i] = f(x[i]);                                                                      \
        return r;                                                                                                                          \
    }
#define SPLIT2(N, R, f, A, B)                                                                                                              \
    R##N PURE f(A##N x, B##N y)                                                                                                            \
    {                                                                                                                                      \
        R##N r;                                                                                                                            \
        _Pragma("unroll") for (int i = 0; i < N; i++) r[i] = f(x[i], y[i]);                                                                \
        return r;                                                                                                                          \
    }
#define SPLIT3(N, R, f, A, B, C)                                                                                                           \
    R##N PURE f(A##N x, B##N y, C##N z)                                                                                                    \
    {                                                                                                                                      \
        R##N r;                                                                                                                            \
        _Pragma("unroll") for (int i = 0; i < N; i++) r[i] = f(x[i], y[i], z[i]);                                                          \
        return r;                                                                                                                          \
    }

#endif
