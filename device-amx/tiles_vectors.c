/* SPDX-License-Identifier: Apache-2.0
 * Products of tiles with AVX-512: sixteen accumulators in registers, one for each row. A row of B is multiplied by one word of A at a time,
 * which a load spreads over a register. Integer operands are prepared when they are loaded, once for the many products that use them.
 *
 * Where both kinds of bytes have one signedness, A's are flipped, and the correction stands behind B's rows (tiles_dot.h). */
#include "device-amx/tiles_dot.h"
#include "tessera/base.h"

enum { CORRECTION = 1024 /* where it stands in B's operand */ };

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

AVX512 static void integer_a(__m512i *to, const void *from, int64_t stride, enum tsr_tile_product product)
{
    const __m512i flip = flip_of(product);
    for (int r = 0; r < TSR_TILE_ROWS; r++) {
        to[r] = _mm512_xor_si512(row_of(from, stride, r), flip);
        fetch_next_of_a(from, stride, r);
    }
}

AVX512 static void integer_b(__m512i *to, const void *from, int64_t stride, enum tsr_tile_product product)
{
    enum { CHAINS = 4 };
    __m512i sums[CHAINS] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    for (int r = 0; r < TSR_TILE_ROWS; r += CHAINS)
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++) {
            __m512i row = row_of(from, stride, r + i);
            fetch_next_of_b(from, stride, r + i);
            to[r + i] = row;
            sums[i] = add_to_column(sums[i], row, product);
        }
    __m512i sum = _mm512_add_epi32(_mm512_add_epi32(sums[0], sums[1]), _mm512_add_epi32(sums[2], sums[3]));
    to[CORRECTION / TSR_TILE_ROW_BYTES] = correction_of(sum, product);
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
        integer_a(operand, from, stride, product);
}

/* ---- products ---- */

AVX512 INLINE void multiply(__m512i *d, const int32_t *a, const __m512i *b, enum tsr_tile_product product)
{
    __m512i sum[TSR_TILE_ROWS];
    EACH(r, TSR_TILE_ROWS)
    sum[r] = has_same_signs(product) ? _mm512_add_epi32(b[CORRECTION / TSR_TILE_ROW_BYTES], d[r]) : d[r];
    for (unsigned k = 0; k < TSR__TILE_WORDS; k++)
        EACH(r, TSR_TILE_ROWS) sum[r] = dot(sum[r], _mm512_set1_epi32(a[r * TSR__TILE_WORDS + k]), b[k], product);
    EACH(r, TSR_TILE_ROWS) d[r] = sum[r];
}

#define MULTIPLY(name, product)                                                                                                            \
    AVX512 static void name(void *accumulator, const void *a, const void *b)                                                               \
    {                                                                                                                                      \
        multiply(accumulator, a, b, product);                                                                                              \
    }
MULTIPLY(s8s8, TSR_TILE_S8S8)
MULTIPLY(s8u8, TSR_TILE_S8U8)
MULTIPLY(u8s8, TSR_TILE_U8S8)
MULTIPLY(u8u8, TSR_TILE_U8U8)
MULTIPLY(bf16_pairs, TSR_TILE_BF16_PAIRS)

void tsr__tile_multiply_vectors(void *accumulator, const void *a, const void *b, enum tsr_tile_product product)
{
    static void (*const of_product[])(void *accumulator, const void *a, const void *b) = {
        [TSR_TILE_S8S8] = s8s8, [TSR_TILE_S8U8] = s8u8, [TSR_TILE_U8S8] = u8s8, [TSR_TILE_U8U8] = u8u8, [TSR_TILE_BF16_PAIRS] = bf16_pairs};
    if (tsr__tile_is_wide(product))
        tsr__tile_multiply_wide(accumulator, a, b, product);
    else
        of_product[product](accumulator, a, b);
}
