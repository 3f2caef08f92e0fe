/* SPDX-License-Identifier: Apache-2.0
 * Products of tiles by AVX-512's VNNI and VDPBF16PS: what loops over K and grids of them share. */
#ifndef TESSERA_TILES_DOT_H
#define TESSERA_TILES_DOT_H

#include <immintrin.h>

#include "device-amx/tiles.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx512bf16")))
#define INLINE __attribute__((always_inline)) static inline

AVX512 INLINE __m512i dot(__m512i sum, __m512i a, __m512i b, enum tsr_tile_product product)
{
    if (product == TSR_TILE_BF16_PAIRS)
        return _mm512_castps_si512(_mm512_dpbf16_ps(_mm512_castsi512_ps(sum), (__m512bh)a, (__m512bh)b));
    bool b_signed = product == TSR_TILE_S8S8 || product == TSR_TILE_U8S8;
    return b_signed ? _mm512_dpbusd_epi32(sum, a, b) : _mm512_dpbusd_epi32(sum, b, a);
}

typedef int word __attribute__((may_alias, aligned(1)));

AVX512 INLINE __m512i spread(const char *at)
{
    __m512i all;
    __asm__("vpbroadcastd %1, %0" : "=v"(all) : "m"(*(const word *)at));
    return all;
}

INLINE bool has_same_signs(enum tsr_tile_product product)
{
    return product == TSR_TILE_S8S8 || product == TSR_TILE_U8U8;
}

#endif
