/* SPDX-License-Identifier: Apache-2.0
 * Packing of B: rows of elements, as a program has them in memory, become rows of words of K, as products take them. And unpacking of
 * numbers of 4 bits. */
#include <assert.h>
#include <immintrin.h>
#include <string.h>

#include "device-amx/tiles_words.h"
#include "tessera/base.h"

enum { COLUMNS = TSR_TILE_ROW_BYTES / 4 };

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

/* Words all of whose rows are there, then one that has some, then those that have none. */
#define PACK_512(name, in_word, type)                                                                                                      \
    AVX512 static void name(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned words, const struct extent *there)     \
    {                                                                                                                                      \
        const __m512i index = order_of_##type();                                                                                           \
        const __mmask64 all[] = {there->bytes, there->bytes, there->bytes, there->bytes}, any = ~UINT64_C(0),                              \
                        plain[] = {any, any, any, any};                                                                                    \
        const unsigned whole = (unsigned)there->rows / (in_word),                                                                          \
                       unmasked = there->bytes + 1 == UINT64_C(1) << TSR_TILE_ROW_BYTES / (in_word) ? whole : 0;                           \
        unsigned w = 0;                                                                                                                    \
        for (; w < unmasked; w++, to += to_stride, from += (in_word) * stride)                                                             \
            _mm512_store_si512(to, word_of_##type(from, stride, index, plain));                                                            \
        for (; w < whole; w++, to += to_stride, from += (in_word) * stride)                                                                \
            _mm512_store_si512(to, word_of_##type(from, stride, index, all));                                                              \
        for (; w < words; w++, to += to_stride, from += (in_word) * stride) {                                                              \
            const int64_t row = (int64_t)w * (in_word);                                                                                    \
            const __mmask64 some[] = {mask_of(row, there), mask_of(row + 1, there), mask_of(row + 2, there), mask_of(row + 3, there)};     \
            _mm512_store_si512(to, some[0] ? word_of_##type(from, stride, index, some) : _mm512_setzero_si512());                          \
        }                                                                                                                                  \
    }
PACK_512(pack_bytes_512, BYTES_IN_WORD, bytes)
PACK_512(pack_shorts_512, SHORTS_IN_WORD, shorts)

/* Words of 16 columns, each of which has its words side by side: all change places in registers. */
AVX512 static void pack_columns_512(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned words,
                                    const struct extent *there)
{
    enum { FOUR = 4 };
    __m512i row[COLUMNS], pairs[COLUMNS], quads[FOUR][FOUR]; /* of four rows: column c, c + 4, c + 8, c + 12 */
    EACH(r, COLUMNS)
    row[r] = (int64_t)r < there->rows ? _mm512_maskz_loadu_epi8(there->bytes, from + (int64_t)r * stride) : _mm512_setzero_si512();
    EACH(r, COLUMNS / 2)
    {
        pairs[2 * r] = _mm512_unpacklo_epi32(row[2 * r], row[2 * r + 1]);
        pairs[2 * r + 1] = _mm512_unpackhi_epi32(row[2 * r], row[2 * r + 1]);
    }
    EACH(g, FOUR)
    {
        quads[g][0] = _mm512_unpacklo_epi64(pairs[FOUR * g], pairs[FOUR * g + 2]);
        quads[g][1] = _mm512_unpackhi_epi64(pairs[FOUR * g], pairs[FOUR * g + 2]);
        quads[g][2] = _mm512_unpacklo_epi64(pairs[FOUR * g + 1], pairs[FOUR * g + 3]);
        quads[g][3] = _mm512_unpackhi_epi64(pairs[FOUR * g + 1], pairs[FOUR * g + 3]);
    }
    EACH(c, FOUR)
    {
        const __m512i even[2] = {_mm512_shuffle_i32x4(quads[0][c], quads[1][c], 0x88),
                                 _mm512_shuffle_i32x4(quads[2][c], quads[3][c], 0x88)};
        const __m512i odd[2] = {_mm512_shuffle_i32x4(quads[0][c], quads[1][c], 0xdd), _mm512_shuffle_i32x4(quads[2][c], quads[3][c], 0xdd)};
        _mm512_store_si512(to + c * to_stride, _mm512_shuffle_i32x4(even[0], even[1], 0x88));
        _mm512_store_si512(to + (c + FOUR) * to_stride, _mm512_shuffle_i32x4(odd[0], odd[1], 0x88));
        if (words == COLUMNS) {
            _mm512_store_si512(to + (c + 2 * FOUR) * to_stride, _mm512_shuffle_i32x4(even[0], even[1], 0xdd));
            _mm512_store_si512(to + (c + 3 * FOUR) * to_stride, _mm512_shuffle_i32x4(odd[0], odd[1], 0xdd));
        }
    }
}

/* The same of columns all of whose words are there. Four words of every fourth column are put together by loads: these take none of the
 * time of the port that shuffles. */
AVX512 static void pack_whole_columns_512(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned words)
{
    enum { FOUR = 4, LANE = 16 };
    for (unsigned w = 0; w < words; w += FOUR, from += LANE, to += FOUR * to_stride) {
        __m512i every[FOUR]; /* columns c, c + 4, c + 8, c + 12 */
        EACH(c, FOUR)
        {
            const char *at = from + (int64_t)c * stride;
            every[c] = _mm512_castsi128_si512(_mm_loadu_si128((const void *)at));
            every[c] = _mm512_mask_broadcast_i32x4(every[c], 0xf0, _mm_loadu_si128((const void *)(at + FOUR * stride)));
            every[c] = _mm512_mask_broadcast_i32x4(every[c], 0xf00, _mm_loadu_si128((const void *)(at + 2 * FOUR * stride)));
            every[c] = _mm512_mask_broadcast_i32x4(every[c], 0xf000, _mm_loadu_si128((const void *)(at + 3 * FOUR * stride)));
        }
        const __m512i low[] = {_mm512_unpacklo_epi32(every[0], every[1]), _mm512_unpacklo_epi32(every[2], every[3])},
                      high[] = {_mm512_unpackhi_epi32(every[0], every[1]), _mm512_unpackhi_epi32(every[2], every[3])};
        _mm512_store_si512(to, _mm512_unpacklo_epi64(low[0], low[1]));
        _mm512_store_si512(to + to_stride, _mm512_unpackhi_epi64(low[0], low[1]));
        _mm512_store_si512(to + 2 * to_stride, _mm512_unpacklo_epi64(high[0], high[1]));
        _mm512_store_si512(to + 3 * to_stride, _mm512_unpackhi_epi64(high[0], high[1]));
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

/* Rows of a tile of B in memory, and bytes of each. */
static int64_t rows_of_tile(uint32_t how)
{
    const unsigned words = how & TSR_TILE_HALF_K ? TSR__TILE_WORDS / 2 : TSR__TILE_WORDS;
    return how & TSR_TILE_B_COLUMNS ? COLUMNS
                                    : (int64_t)words * ((how & TSR_TILE_PRODUCT) < TSR_TILE_BF16 ? BYTES_IN_WORD : SHORTS_IN_WORD);
}

static int64_t bytes_of_row(uint32_t how)
{
    if (how & TSR_TILE_B_COLUMNS)
        return TSR_TILE_ROW_BYTES / (how & TSR_TILE_HALF_K ? 2 : 1);
    return TSR_TILE_ROW_BYTES / ((how & TSR_TILE_PRODUCT) < TSR_TILE_BF16 ? BYTES_IN_WORD : SHORTS_IN_WORD);
}

static void pack(char *to, int64_t to_stride, const char *from, int64_t stride, uint32_t how)
{
    const unsigned words = how & TSR_TILE_HALF_K ? TSR__TILE_WORDS / 2 : TSR__TILE_WORDS;
    if (how & TSR_TILE_B_COLUMNS)
        pack_columns(to, to_stride, from, stride, words);
    else if ((how & TSR_TILE_PRODUCT) < TSR_TILE_BF16)
        pack_bytes(to, to_stride, from, stride, words);
    else
        pack_shorts(to, to_stride, from, stride, words);
}

AVX512 static void pack_512(char *to, int64_t to_stride, const char *from, int64_t stride, uint32_t how, const struct extent *there,
                            bool is_whole)
{
    const unsigned words = how & TSR_TILE_HALF_K ? TSR__TILE_WORDS / 2 : TSR__TILE_WORDS;
    if (how & TSR_TILE_B_COLUMNS && is_whole)
        pack_whole_columns_512(to, to_stride, from, stride, words);
    else if (how & TSR_TILE_B_COLUMNS)
        pack_columns_512(to, to_stride, from, stride, words, there);
    else if ((how & TSR_TILE_PRODUCT) < TSR_TILE_BF16)
        pack_bytes_512(to, to_stride, from, stride, words, there);
    else
        pack_shorts_512(to, to_stride, from, stride, words, there);
}

void tsr__tile_pack_within(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows, int64_t bytes, uint32_t how)
{
    const int64_t all = rows_of_tile(how), in_row = bytes_of_row(how);
    char copy[TSR_TILE_BYTES];
    assert(((uintptr_t)to | (uintptr_t)to_stride) % TSR_TILE_ROW_BYTES == 0);
    rows = rows < 0 || bytes <= 0 ? 0 : rows < all ? rows : all;
    bytes = bytes < in_row ? bytes : in_row;
    if (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512VBMI)) {
        pack_512(to, to_stride, from, stride, how, &(struct extent){rows, rows ? ~UINT64_C(0) >> (TSR_TILE_ROW_BYTES - bytes) : 0},
                 rows == all && bytes == in_row);
        return;
    }
    if (rows < all || bytes < in_row) {
        memset(copy, 0, sizeof copy);
        for (int64_t r = 0; r < rows; r++)
            memcpy(copy + r * in_row, from + r * stride, (size_t)bytes);
        from = copy;
        stride = in_row;
    }
    pack(to, to_stride, from, stride, how);
}

void tsr__tile_pack_rows(char *to, int64_t to_stride, const char *from, int64_t stride, uint32_t how)
{
    tsr__tile_pack_within(to, to_stride, from, stride, rows_of_tile(how), bytes_of_row(how), how);
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
