/* SPDX-License-Identifier: Apache-2.0
 * The rate of fp32 fused multiply-adds that one core of this machine reaches: twelve independent chains in the widest registers. */
#include <immintrin.h>

#include "../bench.h"
#include "suite.h"

enum { CHAINS = 12, STEPS = 1 << 17 };

/* The empty asm keeps each chain in a register of its own. */
#define PEAK_LOOP(name, isa, type, set1, fmadd, constraint)                                                                                \
    __attribute__((target(isa), noinline)) static float name(float factor)                                                                 \
    {                                                                                                                                      \
        type x[CHAINS], a = set1(factor), b = set1(0.25f), sum = set1(0);                                                                  \
        _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) x[i] = set1((float)i);                                                   \
        for (int step = 0; step < STEPS; step++) {                                                                                         \
            _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++)                                                                      \
            {                                                                                                                              \
                x[i] = fmadd(x[i], a, b);                                                                                                  \
                __asm__("" : constraint(x[i]));                                                                                            \
            }                                                                                                                              \
        }                                                                                                                                  \
        _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) sum = sum + x[i];                                                        \
        return sum[0];                                                                                                                     \
    }

PEAK_LOOP(peak_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, "+v")
PEAK_LOOP(peak_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, "+x")

double suite_peak(void)
{
    static volatile float factor = 0.5f, sink;
    bool wide = __builtin_cpu_supports("avx512f");
    if (!wide && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
        return 0;
    double best = 0;
    for (int i = 0; i < 3; i++) {
        double start = bench_now_us();
        sink = wide ? peak_avx512(factor) : peak_avx2(factor);
        double rate = 2.0 * CHAINS * STEPS * (wide ? 16 : 8) / (bench_now_us() - start) / 1e3;
        best = rate > best ? rate : best;
    }
    (void)sink;
    return best;
}
