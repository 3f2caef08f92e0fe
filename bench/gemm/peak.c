/* SPDX-License-Identifier: Apache-2.0
 * The rates that one core reaches when everything is in registers: tiles, VNNI, BF16's products of pairs, fused multiply-adds. */
#include <immintrin.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../bench.h"
#include "../suite/suite.h"
#include "gemm.h"

enum { CHAINS = 12, STEPS = 1 << 16 };

__attribute__((target("amx-tile,amx-int8,amx-bf16"), noinline)) static void tiles(enum gemm_type type)
{
    struct {
        uint8_t palette, start, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } config;
    memset(&config, 0, sizeof(config));
    config.palette = 1;
    for (int i = 0; i < 8; i++) {
        config.bytes[i] = 64;
        config.rows[i] = 16;
    }
    _tile_loadconfig(&config);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    for (int i = 0; i < STEPS; i++) {
        if (type == GEMM_INT8) {
            _tile_dpbssd(0, 4, 5);
            _tile_dpbssd(1, 4, 5);
            _tile_dpbssd(2, 4, 5);
            _tile_dpbssd(3, 4, 5);
        } else {
            _tile_dpbf16ps(0, 4, 5);
            _tile_dpbf16ps(1, 4, 5);
            _tile_dpbf16ps(2, 4, 5);
            _tile_dpbf16ps(3, 4, 5);
        }
    }
    _tile_release();
}

__attribute__((target("avx512f,avx512vnni"), noinline)) static void vnni(void)
{
    __m512i x[CHAINS], a = _mm512_set1_epi8(1);
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++)
        x[i] = _mm512_set1_epi32(i);
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            __asm__ volatile("vpdpbusd %1, %1, %0" : "+v"(x[i]) : "v"(a));
}

__attribute__((target("avx512f,avx512bf16"), noinline)) static void pairs(void)
{
    __m512 x[CHAINS];
    __m512i a = _mm512_set1_epi32(0x3f803f80);
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++)
        x[i] = _mm512_set1_ps((float)i);
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            __asm__ volatile("vdpbf16ps %1, %1, %0" : "+v"(x[i]) : "v"(a));
}

static bool tiles_granted(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA);
}

static double best_of(void (*run)(enum gemm_type), void (*other)(void), enum gemm_type type, double operations)
{
    double best = 0;
    for (int i = 0; i < 5; i++) {
        double start = bench_now_us();
        if (run)
            run(type);
        else
            other();
        double rate = operations / (bench_now_us() - start) / 1e3;
        best = rate > best ? rate : best;
    }
    return best;
}

void gemm_peaks(struct gemm_peaks *peaks)
{
    memset(peaks, 0, sizeof(*peaks));
    if (tiles_granted())
        for (enum gemm_type type = GEMM_INT8; type < GEMM_PLAIN_TYPES; type++)
            peaks->tiles[type] = best_of(tiles, NULL, type, 4.0 * STEPS * 2 * 16 * 16 * (type == GEMM_INT8 ? 64 : 32));
    if (__builtin_cpu_supports("avx512vnni"))
        peaks->vectors[GEMM_INT8] = best_of(NULL, vnni, GEMM_INT8, 2.0 * 64 * CHAINS * STEPS);
    peaks->multiply_add = suite_peak();
    if (__builtin_cpu_supports("avx512bf16"))
        peaks->pairs = best_of(NULL, pairs, GEMM_BF16, 2.0 * 32 * CHAINS * STEPS);
    peaks->vectors[GEMM_BF16] = peaks->pairs > peaks->multiply_add ? peaks->pairs : peaks->multiply_add;
    peaks->vectors[GEMM_F16] = peaks->vectors[GEMM_TF32] = peaks->multiply_add;
}
