/* SPDX-License-Identifier: Apache-2.0
 * Products of tiles with AVX-512: sixteen accumulators in registers, one for each row, while a row of B at a time meets A's words or
 * numbers, which come from memory spread over a register. Operands are prepared when they are loaded, for the many products that they take
 * part in.
 *
 * VNNI multiplies unsigned by signed bytes. Where both are of one kind, A is moved into the other one's range: s + 128, or u - 128, by
 * turning the highest bit. What that makes too much is 128 times the sum of a column of B; it lies behind B's rows. */
#include <immintrin.h>
#include <string.h>

#include "device-amx/tiles.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,f16c")))
#define AVX512_PAIRS __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
enum { NUMBERS = 2 * TSR__TILE_WORDS /* in a row of A, rows of B */, CORRECTION = 1024 /* where it lies in B's operand */ };

static bool same_signs(enum tsr_tile_product product)
{
    return product == TSR_TILE_S8S8 || product == TSR_TILE_U8U8;
}

AVX512 static __m512i row_of(const void *from, uint64_t stride, int r)
{
    return _mm512_loadu_si512((const char *)from + (uint64_t)r * stride);
}

/* What the next step of K reads, as long as rows of A are rows of a matrix and B is packed: while one product is made, there is time to get
 * a tile. */
static void fetch_next_of_a(const void *from, uint64_t stride, int r)
{
    __builtin_prefetch((const char *)from + (uint64_t)r * stride + TSR__TILE_BYTES);
}

static void fetch_next_of_b(const void *from, uint64_t stride, int r)
{
    __builtin_prefetch((const char *)from + (uint64_t)(r + TSR__TILE_ROWS) * stride);
}

/* ---- operands ---------------------------------------------------------------------------------------------------------------------------
 */

AVX512 static void integer_a(__m512i *to, const void *from, uint64_t stride, bool turned)
{
    __m512i turn = turned ? _mm512_set1_epi8(-128) : _mm512_setzero_si512();
    for (int r = 0; r < TSR__TILE_ROWS; r++) {
        to[r] = _mm512_xor_si512(row_of(from, stride, r), turn);
        fetch_next_of_a(from, stride, r);
    }
}

AVX512 static void integer_b(__m512i *to, const void *from, uint64_t stride, enum tsr_tile_product product)
{
    enum { CHAINS = 4 };
    __m512i sums[CHAINS] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    __m512i one = _mm512_set1_epi8(1), zero = _mm512_setzero_si512();
    for (int r = 0; r < TSR__TILE_ROWS; r += CHAINS)
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++) {
            __m512i row = row_of(from, stride, r + i);
            fetch_next_of_b(from, stride, r + i);
            to[r + i] = row;
            sums[i] = product == TSR_TILE_S8S8 ? _mm512_dpbusd_epi32(sums[i], one, row) : _mm512_dpbusd_epi32(sums[i], row, one);
        }
    __m512i sum = _mm512_add_epi32(_mm512_add_epi32(sums[0], sums[1]), _mm512_add_epi32(sums[2], sums[3]));
    sum = _mm512_slli_epi32(sum, 7);
    to[CORRECTION / TSR__TILE_BYTES] = product == TSR_TILE_S8S8 ? _mm512_sub_epi32(zero, sum) : sum;
}

/* The lower or upper half of each word, as a number. */
AVX512 static __m512 half_of(__m512i words, bool upper, bool is_bf16)
{
    if (is_bf16)
        return _mm512_castsi512_ps(upper ? _mm512_and_si512(words, _mm512_set1_epi32((int)0xffff0000)) : _mm512_slli_epi32(words, 16));
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(upper ? _mm512_srli_epi32(words, 16) : words));
}

AVX512 static void number_a(float *to, const void *from, uint64_t stride, bool is_bf16)
{
    for (int r = 0; r < TSR__TILE_ROWS; r++) {
        fetch_next_of_a(from, stride, r);
        for (int h = 0; h < 2; h++) {
            __m256i halves = _mm256_loadu_si256((const __m256i *)((const char *)from + (uint64_t)r * stride) + h);
            __m512 x = is_bf16 ? _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16)) : _mm512_cvtph_ps(halves);
            _mm512_store_ps(to + r * NUMBERS + h * TSR__TILE_WORDS, x);
        }
    }
}

AVX512 static void number_b(float *to, const void *from, uint64_t stride, bool is_bf16)
{
    for (int r = 0; r < TSR__TILE_ROWS; r++) {
        fetch_next_of_b(from, stride, r);
        for (int h = 0; h < 2; h++)
            _mm512_store_ps(to + (2 * r + h) * TSR__TILE_WORDS, half_of(row_of(from, stride, r), h, is_bf16));
    }
}

AVX512 static void copy_operand(__m512i *to, const void *from, uint64_t stride, bool is_b)
{
    for (int r = 0; r < TSR__TILE_ROWS; r++) {
        to[r] = row_of(from, stride, r);
        if (is_b)
            fetch_next_of_b(from, stride, r);
        else
            fetch_next_of_a(from, stride, r);
    }
}

void tsr__tile_operand_vectors(void *operand, const void *from, uint64_t stride, uint32_t how)
{
    enum tsr_tile_product product = how & TSR_TILE_PRODUCT;
    bool numbers = product >= TSR_TILE_BF16, is_b = how & TSR_TILE_IS_B;
    if (product == TSR_TILE_BF16_PAIRS)
        copy_operand(operand, from, stride, is_b);
    else if (numbers && is_b)
        number_b(operand, from, stride, product == TSR_TILE_BF16);
    else if (numbers)
        number_a(operand, from, stride, product == TSR_TILE_BF16);
    else if (is_b)
        integer_b(operand, from, stride, product);
    else
        integer_a(operand, from, stride, same_signs(product));
}

/* ---- products ---------------------------------------------------------------------------------------------------------------------------
 */

#define EACH_ROW _Pragma("GCC unroll 16") for (int r = 0; r < TSR__TILE_ROWS; r++)

/* Is A, once turned, the unsigned one? */
AVX512 __attribute__((always_inline)) static inline void integers(__m512i *d, const int32_t *a, const __m512i *b, bool a_unsigned,
                                                                  bool corrected)
{
    __m512i sum[TSR__TILE_ROWS], correction = corrected ? b[CORRECTION / TSR__TILE_BYTES] : _mm512_setzero_si512();
    EACH_ROW sum[r] = corrected ? _mm512_add_epi32(correction, d[r]) : d[r];
    for (int k = 0; k < TSR__TILE_WORDS; k++)
        EACH_ROW
        {
            __m512i x = _mm512_set1_epi32(a[r * TSR__TILE_WORDS + k]);
            sum[r] = a_unsigned ? _mm512_dpbusd_epi32(sum[r], x, b[k]) : _mm512_dpbusd_epi32(sum[r], b[k], x);
        }
    EACH_ROW d[r] = sum[r];
}

AVX512 static void numbers(float *d, const float *a, const float *b)
{
    __m512 sum[TSR__TILE_ROWS];
    EACH_ROW sum[r] = _mm512_load_ps(d + r * TSR__TILE_WORDS);
    for (int k = 0; k < NUMBERS; k++)
        EACH_ROW sum[r] = _mm512_fmadd_ps(_mm512_set1_ps(a[r * NUMBERS + k]), _mm512_load_ps(b + k * TSR__TILE_WORDS), sum[r]);
    EACH_ROW _mm512_store_ps(d + r * TSR__TILE_WORDS, sum[r]);
}

AVX512_PAIRS static void pairs(float *d, const int32_t *a, const __m512i *b)
{
    __m512 sum[TSR__TILE_ROWS];
    EACH_ROW sum[r] = _mm512_load_ps(d + r * TSR__TILE_WORDS);
    for (int k = 0; k < TSR__TILE_WORDS; k++)
        EACH_ROW sum[r] = _mm512_dpbf16_ps(sum[r], (__m512bh)_mm512_set1_epi32(a[r * TSR__TILE_WORDS + k]), (__m512bh)b[k]);
    EACH_ROW _mm512_store_ps(d + r * TSR__TILE_WORDS, sum[r]);
}

AVX512 void tsr__tile_multiply_vectors(void *accumulator, const void *a, const void *b, enum tsr_tile_product product)
{
    switch (product) {
    case TSR_TILE_S8S8:
        integers(accumulator, a, b, true, true);
        break;
    case TSR_TILE_S8U8:
        integers(accumulator, a, b, false, false);
        break;
    case TSR_TILE_U8S8:
        integers(accumulator, a, b, true, false);
        break;
    case TSR_TILE_U8U8:
        integers(accumulator, a, b, false, true);
        break;
    case TSR_TILE_BF16_PAIRS:
        pairs(accumulator, a, b);
        break;
    default:
        numbers(accumulator, a, b);
    }
}
