/* SPDX-License-Identifier: Apache-2.0
 * Words of K of 16 columns of B, whose rows are memory's: one permutation of a register that has these rows one after the other. */
#ifndef TESSERA_CPU_TILES_WORDS_H
#define TESSERA_CPU_TILES_WORDS_H

#include <immintrin.h>

#include "device-amx/tiles.h"

enum { BYTES_IN_WORD = 4, SHORTS_IN_WORD = 2 };

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

/* How much of a tile's rows in memory there is; the rest is zero. */
struct extent {
    int64_t rows;
    __mmask64 bytes; /* of each row */
};

/* Of a row that is there. */
AVX512 INLINE __mmask64 mask_of(int64_t row, const struct extent *there)
{
    return row < there->rows ? there->bytes : 0;
}

#define ORDER(name, in_word, type)                                                                                                         \
    AVX512 INLINE __m512i name(void)                                                                                                       \
    {                                                                                                                                      \
        type order[TSR_TILE_ROW_BYTES / sizeof(type)];                                                                                     \
        EACH(i, TSR_TILE_ROW_BYTES / sizeof(type))                                                                                         \
        order[i] = (type)(i % (in_word) * TSR__TILE_WORDS + i / (in_word));                                                                \
        __m512i register_of = _mm512_loadu_si512(order);                                                                                   \
        __asm__("" : "+v"(register_of)); /* the compiler would make many instructions of a permutation that it knows */                    \
        return register_of;                                                                                                                \
    }
ORDER(order_of_bytes, BYTES_IN_WORD, uint8_t)
ORDER(order_of_shorts, SHORTS_IN_WORD, uint16_t)

AVX512 INLINE __m512i word_of_bytes(const char *from, int64_t stride, __m512i order, const __mmask64 *mask)
{
    __m512i rows = _mm512_castsi128_si512(_mm_maskz_loadu_epi8((__mmask16)mask[0], from));
    rows = _mm512_mask_broadcast_i32x4(rows, 0x00f0, _mm_maskz_loadu_epi8((__mmask16)mask[1], from + stride));
    rows = _mm512_mask_broadcast_i32x4(rows, 0x0f00, _mm_maskz_loadu_epi8((__mmask16)mask[2], from + 2 * stride));
    rows = _mm512_mask_broadcast_i32x4(rows, 0xf000, _mm_maskz_loadu_epi8((__mmask16)mask[3], from + 3 * stride));
    return _mm512_permutexvar_epi8(order, rows);
}

/* Rows that are all there are read by the instructions that put them in place. */
AVX512 INLINE __m512i whole_word_of_bytes(const char *from, int64_t stride, __m512i order)
{
    __m256i low = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)from));
    __m256i high = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(from + 2 * stride)));
    low = _mm256_inserti128_si256(low, _mm_loadu_si128((const __m128i *)(from + stride)), 1);
    high = _mm256_inserti128_si256(high, _mm_loadu_si128((const __m128i *)(from + 3 * stride)), 1);
    return _mm512_permutexvar_epi8(order, _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
}

AVX512 INLINE __m512i word_of_shorts(const char *from, int64_t stride, __m512i order, const __mmask64 *mask)
{
    __m512i rows = _mm512_castsi256_si512(_mm256_maskz_loadu_epi8((__mmask32)mask[0], from));
    rows = _mm512_inserti64x4(rows, _mm256_maskz_loadu_epi8((__mmask32)mask[1], from + stride), 1);
    return _mm512_permutexvar_epi16(order, rows);
}

AVX512 INLINE __m512i whole_word_of_shorts(const char *from, int64_t stride, __m512i order)
{
    __m512i rows = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)from));
    rows = _mm512_inserti64x4(rows, _mm256_loadu_si256((const __m256i *)(from + stride)), 1);
    return _mm512_permutexvar_epi16(order, rows);
}

#endif
