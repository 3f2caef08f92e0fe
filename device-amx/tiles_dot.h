/* SPDX-License-Identifier: Apache-2.0
 * Products of tiles by AVX-512's VNNI and VDPBF16PS: what loops over K and grids of them share. */
#ifndef TESSERA_TILES_DOT_H
#define TESSERA_TILES_DOT_H

#include <immintrin.h>

#include "device-amx/tiles.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx512bf16")))

AVX512 INLINE __m512i dot(__m512i sum, __m512i a, __m512i b, enum tsr_tile_product product)
{
    if (product == TSR_TILE_BF16_PAIRS)
        return _mm512_castps_si512(_mm512_dpbf16_ps(_mm512_castsi512_ps(sum), (__m512bh)a, (__m512bh)b));
    return tsr__b_is_signed(product) ? _mm512_dpbusd_epi32(sum, a, b) : _mm512_dpbusd_epi32(sum, b, a);
}

typedef int word __attribute__((may_alias, aligned(1)));

AVX512 INLINE __m512i spread(const char *at)
{
    __m512i all;
    __asm__("vpbroadcastd %1, %0" : "=v"(all) : "m"(*(const word *)at));
    return all;
}

/* VNNI multiplies unsigned by signed bytes. Where both are of one kind, A is moved into the other kind's range: s + 128, or u - 128, by
 * flipping the highest bit. The difference is 128 times the sum of a column of B. */
INLINE bool has_same_signs(enum tsr_tile_product product)
{
    return product == TSR_TILE_S8S8 || product == TSR_TILE_U8U8;
}

/* The bits of A's bytes that are flipped. */
AVX512 INLINE __m512i flip_of(enum tsr_tile_product product)
{
    return has_same_signs(product) ? _mm512_set1_epi8(-128) : _mm512_setzero_si512();
}

/* Adds a word of each column of B to the sums of the columns. */
AVX512 INLINE __m512i add_to_column(__m512i sum, __m512i b, enum tsr_tile_product product)
{
    return dot(sum, _mm512_set1_epi8(1), b, product);
}

/* What C needs once A was flipped, by these sums. */
AVX512 INLINE __m512i correction_of(__m512i of_column, enum tsr_tile_product product)
{
    const __m512i large = _mm512_slli_epi32(of_column, 7);
    return product == TSR_TILE_U8U8 ? large : _mm512_sub_epi32(_mm512_setzero_si512(), large);
}

/* Stores a line of C, past the caches or not. */
AVX512 INLINE void put(char *to, __m512i row, bool past)
{
    if (past)
        _mm512_stream_si512((void *)to, row);
    else
        _mm512_storeu_si512(to, row);
}

#endif
