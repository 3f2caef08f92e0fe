/* SPDX-License-Identifier: Apache-2.0
 * Products of tiles with AVX-512: sixteen accumulators in registers, one for each row. A row of B is multiplied by one word of A at a time,
 * which a load spreads over a register. Integer operands are prepared when they are loaded, once for the many products that use them.
 *
 * VNNI multiplies unsigned by signed bytes. Where both are of one kind, A is moved into the other kind's range: s + 128, or u - 128, by
 * flipping the highest bit. The difference is 128 times the sum of a column of B, which stands behind B's rows. */
#include <immintrin.h>

#include "device-amx/tiles.h"
#include "tessera/base.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define AVX512_PAIRS __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define INLINE __attribute__((always_inline)) static inline
enum { CORRECTION = 1024 /* where the sums stand in B's operand */ };

static bool same_signs(enum tsr_tile_product product)
{
    return product == TSR_TILE_S8S8 || product == TSR_TILE_U8U8;
}

AVX512 static __m512i row_of(const void *from, int64_t stride, int r)
{
    return _mm512_loadu_si512((const char *)from + r * stride);
}

/* Fetches what the next step of K reads, provided that rows of A are rows of a matrix and B is packed: a product takes as long as the fetch
 * of a tile. */
static void fetch_next_of_a(const void *from, int64_t stride, int r)
{
    __builtin_prefetch((const char *)from + r * stride + TSR_TILE_ROW_BYTES);
}

static void fetch_next_of_b(const void *from, int64_t stride, int r)
{
    __builtin_prefetch((const char *)from + (r + TSR_TILE_ROWS) * stride);
}

/* ---- operands ---- */

AVX512 static void integer_a(__m512i *to, const void *from, int64_t stride, bool turned)
{
    __m512i turn = turned ? _mm512_set1_epi8(-128) : _mm512_setzero_si512();
    for (int r = 0; r < TSR_TILE_ROWS; r++) {
        to[r] = _mm512_xor_si512(row_of(from, stride, r), turn);
        fetch_next_of_a(from, stride, r);
    }
}

AVX512 static void integer_b(__m512i *to, const void *from, int64_t stride, enum tsr_tile_product product)
{
    enum { CHAINS = 4 };
    __m512i sums[CHAINS] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    __m512i one = _mm512_set1_epi8(1), zero = _mm512_setzero_si512();
    for (int r = 0; r < TSR_TILE_ROWS; r += CHAINS)
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++) {
            __m512i row = row_of(from, stride, r + i);
            fetch_next_of_b(from, stride, r + i);
            to[r + i] = row;
            sums[i] = product == TSR_TILE_S8S8 ? _mm512_dpbusd_epi32(sums[i], one, row) : _mm512_dpbusd_epi32(sums[i], row, one);
        }
    __m512i sum = _mm512_add_epi32(_mm512_add_epi32(sums[0], sums[1]), _mm512_add_epi32(sums[2], sums[3]));
    sum = _mm512_slli_epi32(sum, 7);
    to[CORRECTION / TSR_TILE_ROW_BYTES] = product == TSR_TILE_S8S8 ? _mm512_sub_epi32(zero, sum) : sum;
}

/* Rows are stored in pieces of the size in which they are loaded. */
typedef uint64_t row __attribute__((vector_size(TSR_TILE_ROW_BYTES), aligned(1), may_alias));

INLINE void copy(row *to, const char *from, int64_t stride, bool is_b)
{
    for (int r = 0; r < TSR_TILE_ROWS; r++) {
        to[r] = *(const row *)(from + r * stride);
        if (is_b)
            fetch_next_of_b(from, stride, r);
        else
            fetch_next_of_a(from, stride, r);
    }
}

AVX512 static void copy_512(void *to, const void *from, int64_t stride, bool is_b)
{
    copy(to, from, stride, is_b);
}

__attribute__((target("avx2"))) static void copy_256(void *to, const void *from, int64_t stride, bool is_b)
{
    copy(to, from, stride, is_b);
}

void tsr__tile_operand_vectors(void *operand, const void *from, int64_t stride, uint32_t how)
{
    enum tsr_tile_product product = how & TSR_TILE_PRODUCT;
    bool is_b = how & TSR_TILE_IS_B;
    if (product == TSR_TILE_BF16_PAIRS || tsr__tile_is_wide(product))
        (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F) ? copy_512 : copy_256)(operand, from, stride, is_b);
    else if (is_b)
        integer_b(operand, from, stride, product);
    else
        integer_a(operand, from, stride, same_signs(product));
}

/* ---- products ---- */

#define EACH_ROW _Pragma("GCC unroll 16") for (int r = 0; r < TSR_TILE_ROWS; r++)

/* Whether A is unsigned after the flip. */
AVX512 INLINE void integers(__m512i *d, const int32_t *a, const __m512i *b, bool a_unsigned, bool corrected)
{
    __m512i sum[TSR_TILE_ROWS], correction = corrected ? b[CORRECTION / TSR_TILE_ROW_BYTES] : _mm512_setzero_si512();
    EACH_ROW sum[r] = corrected ? _mm512_add_epi32(correction, d[r]) : d[r];
    for (int k = 0; k < TSR__TILE_WORDS; k++)
        EACH_ROW
        {
            __m512i x = _mm512_set1_epi32(a[r * TSR__TILE_WORDS + k]);
            sum[r] = a_unsigned ? _mm512_dpbusd_epi32(sum[r], x, b[k]) : _mm512_dpbusd_epi32(sum[r], b[k], x);
        }
    EACH_ROW d[r] = sum[r];
}

AVX512_PAIRS static void pairs(float *d, const int32_t *a, const __m512i *b)
{
    __m512 sum[TSR_TILE_ROWS];
    EACH_ROW sum[r] = _mm512_load_ps(d + r * TSR__TILE_WORDS);
    for (int k = 0; k < TSR__TILE_WORDS; k++)
        EACH_ROW sum[r] = _mm512_dpbf16_ps(sum[r], (__m512bh)_mm512_set1_epi32(a[r * TSR__TILE_WORDS + k]), (__m512bh)b[k]);
    EACH_ROW _mm512_store_ps(d + r * TSR__TILE_WORDS, sum[r]);
}

AVX512 static void multiply_integers(void *accumulator, const void *a, const void *b, enum tsr_tile_product product)
{
    if (product == TSR_TILE_S8S8)
        integers(accumulator, a, b, true, true);
    else if (product == TSR_TILE_S8U8)
        integers(accumulator, a, b, false, false);
    else if (product == TSR_TILE_U8S8)
        integers(accumulator, a, b, true, false);
    else
        integers(accumulator, a, b, false, true);
}

void tsr__tile_multiply_vectors(void *accumulator, const void *a, const void *b, enum tsr_tile_product product)
{
    if (tsr__tile_is_wide(product))
        tsr__tile_multiply_wide(accumulator, a, b, product);
    else if (product == TSR_TILE_BF16_PAIRS)
        pairs(accumulator, a, b);
    else
        multiply_integers(accumulator, a, b, product);
}
