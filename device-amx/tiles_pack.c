/* SPDX-License-Identifier: Apache-2.0
 * Packing of B: rows of elements, as a program has them in memory, become rows of words of K, as products take them. And unpacking of
 * numbers of 4 bits. */
#include <assert.h>
#include <immintrin.h>

#include "device-amx/tiles.h"
#include "tessera/base.h"

enum { COLUMNS = TSR_TILE_ROW_BYTES / 4, BYTES_IN_WORD = 4, SHORTS_IN_WORD = 2 };

/* 16 bytes of each of four rows: two rounds of interleaving. SSE2 is there on every CPU. */
static void pack_bytes(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned words)
{
    for (unsigned w = 0; w < words; w++, to += to_stride, from += BYTES_IN_WORD * stride) {
        __m128i row[BYTES_IN_WORD];
        for (int i = 0; i < BYTES_IN_WORD; i++)
            row[i] = _mm_loadu_si128((const void *)(from + i * stride));
        __m128i low[2] = {_mm_unpacklo_epi8(row[0], row[1]), _mm_unpacklo_epi8(row[2], row[3])};
        __m128i high[2] = {_mm_unpackhi_epi8(row[0], row[1]), _mm_unpackhi_epi8(row[2], row[3])};
        __m128i *out = (__m128i *)to;
        _mm_store_si128(out, _mm_unpacklo_epi16(low[0], low[1]));
        _mm_store_si128(out + 1, _mm_unpackhi_epi16(low[0], low[1]));
        _mm_store_si128(out + 2, _mm_unpacklo_epi16(high[0], high[1]));
        _mm_store_si128(out + 3, _mm_unpackhi_epi16(high[0], high[1]));
    }
}

/* 16 elements of 16 bits of each of two rows. */
static void pack_shorts(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned words)
{
    for (unsigned w = 0; w < words; w++, to += to_stride, from += SHORTS_IN_WORD * stride)
        for (int half = 0; half < 2; half++) {
            __m128i even = _mm_loadu_si128((const __m128i *)from + half), odd = _mm_loadu_si128((const __m128i *)(from + stride) + half);
            _mm_store_si128((__m128i *)to + 2 * half, _mm_unpacklo_epi16(even, odd));
            _mm_store_si128((__m128i *)to + 2 * half + 1, _mm_unpackhi_epi16(even, odd));
        }
}

/* The same by one permutation of a register that has the rows one after the other. */
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

AVX512 static void pack_bytes_512(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned words)
{
    char order[TSR_TILE_ROW_BYTES];
    for (int i = 0; i < TSR_TILE_ROW_BYTES; i++)
        order[i] = (char)(i % BYTES_IN_WORD * COLUMNS + i / BYTES_IN_WORD);
    __m512i index = _mm512_loadu_si512(order);
    for (unsigned w = 0; w < words; w++, to += to_stride, from += BYTES_IN_WORD * stride) {
        __m512i rows = _mm512_castsi128_si512(_mm_loadu_si128((const void *)from));
        rows = _mm512_mask_broadcast_i32x4(rows, 0x00f0, _mm_loadu_si128((const void *)(from + stride)));
        rows = _mm512_mask_broadcast_i32x4(rows, 0x0f00, _mm_loadu_si128((const void *)(from + 2 * stride)));
        rows = _mm512_mask_broadcast_i32x4(rows, 0xf000, _mm_loadu_si128((const void *)(from + 3 * stride)));
        _mm512_store_si512(to, _mm512_permutexvar_epi8(index, rows));
    }
}

AVX512 static void pack_shorts_512(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned words)
{
    uint16_t order[TSR_TILE_ROW_BYTES / 2];
    for (unsigned i = 0; i < TSR_ARRAY_LEN(order); i++)
        order[i] = (uint16_t)(i % SHORTS_IN_WORD * COLUMNS + i / SHORTS_IN_WORD);
    __m512i index = _mm512_loadu_si512(order);
    for (unsigned w = 0; w < words; w++, to += to_stride, from += SHORTS_IN_WORD * stride) {
        __m512i rows = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)from));
        rows = _mm512_inserti64x4(rows, _mm256_loadu_si256((const void *)(from + stride)), 1);
        _mm512_store_si512(to, _mm512_permutexvar_epi16(index, rows));
    }
}

/* Words of 16 columns, each of which has its words side by side: four by four. */
static void pack_columns(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned words)
{
    enum { FOUR = 4 };
    for (unsigned w = 0; w < words; w += FOUR)
        for (unsigned c = 0; c < COLUMNS; c += FOUR) {
            const char *at = from + c * stride + BYTES_IN_WORD * w;
            char *out = to + w * to_stride + BYTES_IN_WORD * c;
            __m128i column[FOUR];
            for (int i = 0; i < FOUR; i++)
                column[i] = _mm_loadu_si128((const void *)(at + i * stride));
            const __m128i low[2] = {_mm_unpacklo_epi32(column[0], column[1]), _mm_unpacklo_epi32(column[2], column[3])},
                          high[2] = {_mm_unpackhi_epi32(column[0], column[1]), _mm_unpackhi_epi32(column[2], column[3])};
            _mm_store_si128((void *)out, _mm_unpacklo_epi64(low[0], low[1]));
            _mm_store_si128((void *)(out + to_stride), _mm_unpackhi_epi64(low[0], low[1]));
            _mm_store_si128((void *)(out + 2 * to_stride), _mm_unpacklo_epi64(high[0], high[1]));
            _mm_store_si128((void *)(out + 3 * to_stride), _mm_unpackhi_epi64(high[0], high[1]));
        }
}

void tsr__tile_pack_rows(char *to, int64_t to_stride, const char *from, int64_t stride, uint32_t how)
{
    bool wide = tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512VBMI);
    unsigned words = how & TSR_TILE_HALF_K ? TSR__TILE_WORDS / 2 : TSR__TILE_WORDS;
    assert(((uintptr_t)to | (uintptr_t)to_stride) % TSR_TILE_ROW_BYTES == 0);
    if (how & TSR_TILE_B_COLUMNS)
        pack_columns(to, to_stride, from, stride, words);
    else if ((how & TSR_TILE_PRODUCT) < TSR_TILE_BF16)
        (wide ? pack_bytes_512 : pack_bytes)(to, to_stride, from, stride, words);
    else
        (wide ? pack_shorts_512 : pack_shorts)(to, to_stride, from, stride, words);
}

void tsr__tile_pack(struct tsr_item *item, void *to, const void *from, int64_t stride, uint32_t how)
{
    (void)item;
    tsr__tile_pack_rows(to, TSR_TILE_ROW_BYTES, from, stride, how);
}

/* ---- numbers of 4 bits ---- */

enum { BITS = 4, NIBBLE = 15, SIGN = 8 };

/* Registers of 32 bytes, or pairs of them. */
typedef uint8_t half_row __attribute__((vector_size(TSR_TILE_ROW_BYTES / 2), aligned(1), may_alias));

#define AVX2 __attribute__((target("avx2")))

INLINE void unpack_half_row(char *low, char *high, const char *from, bool is_signed)
{
    const uint8_t sign = is_signed ? SIGN : 0;
    const half_row x = *(const half_row *)from;
    *(half_row *)low = ((x & NIBBLE) ^ sign) - sign;
    *(half_row *)high = ((x >> BITS) ^ sign) - sign;
}

INLINE void unpack_a(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows, bool is_signed)
{
    for (int64_t r = 0; r < rows; r++, to += to_stride, from += stride)
        unpack_half_row(to, to + TSR_TILE_ROW_BYTES / 2, from, is_signed);
}

INLINE void unpack_b(char *to, int64_t to_stride, const char *from, int64_t stride, bool is_signed)
{
    const int64_t words = TSR__TILE_WORDS / 2, upper = words * to_stride;
    for (int64_t w = 0; w < words; w++, to += to_stride, from += stride)
        for (int64_t i = 0; i < TSR_TILE_ROW_BYTES; i += TSR_TILE_ROW_BYTES / 2)
            unpack_half_row(to + i, to + upper + i, from + i, is_signed);
}

AVX2 static void unpack_a_256(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows, bool is_signed)
{
    unpack_a(to, to_stride, from, stride, rows, is_signed);
}

AVX2 static void unpack_b_256(char *to, int64_t to_stride, const char *from, int64_t stride, bool is_signed)
{
    unpack_b(to, to_stride, from, stride, is_signed);
}

void tsr__tile_unpack_a(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows, uint32_t how)
{
    const bool is_signed = tsr__a_is_signed(how & TSR_TILE_PRODUCT);
    if (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX2))
        unpack_a_256(to, to_stride, from, stride, rows, is_signed);
    else
        unpack_a(to, to_stride, from, stride, rows, is_signed);
}

void tsr__tile_unpack_b(char *to, int64_t to_stride, const char *from, int64_t stride, uint32_t how)
{
    const bool is_signed = tsr__b_is_signed(how & TSR_TILE_PRODUCT);
    char words[TSR_TILE_BYTES / 2] __attribute__((aligned(TSR_TILE_ROW_BYTES)));
    if (how & TSR_TILE_B_UNPACKED) {
        tsr__tile_pack_rows(words, TSR_TILE_ROW_BYTES, from, stride, how);
        from = words;
        stride = TSR_TILE_ROW_BYTES;
    }
    if (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX2))
        unpack_b_256(to, to_stride, from, stride, is_signed);
    else
        unpack_b(to, to_stride, from, stride, is_signed);
}
