/* SPDX-License-Identifier: Apache-2.0
 * Products of elements that are widened first: bfloat16, half and tf32 by fused multiply-adds in the strict order, and bytes, without VNNI,
 * by products of 16-bit numbers. Serves a loop over K and a single product of tiles; a strip of C stays in registers.
 *
 * B is widened in registers: one operation makes 16 numbers, which multiply all rows of the strip. Each number of A fills a register, so A
 * is widened in memory first, and the load spreads it. A's next step is widened while the current one is multiplied, a row with each word
 * of K, as multiplications leave the store ports free.
 *
 * One source serves AVX-512 and AVX2: 64 bytes are one register there and two here. */
#include <immintrin.h>
#include <string.h>

#include "device-amx/tiles.h"
#include "tessera/base.h"

#define AVX512 __attribute__((target("avx512f")))
#define AVX2 __attribute__((target("avx2,fma,f16c"))) /* AVX-512 has it */

/* One more product: TSR_TILE_TF32 with TSR__TILE_IS_CUT. */
enum { TSR_TILE_CUT = TSR_TILE_TF32 + 1 };

/* ---- widening ---- */

#define IN_A_TILE vector_size(TSR_TILE_ROW_BYTES), may_alias
typedef float numbers __attribute__((IN_A_TILE));
typedef uint32_t words __attribute__((IN_A_TILE, aligned(1)));
typedef uint32_t line __attribute__((IN_A_TILE, aligned(TSR_TILE_ROW_BYTES)));
typedef uint16_t shorts __attribute__((IN_A_TILE, aligned(1)));
typedef int16_t signed_shorts __attribute__((IN_A_TILE, aligned(1)));
typedef _Float16 halves __attribute__((vector_size(TSR_TILE_ROW_BYTES / 2), may_alias, aligned(1)));

/* Of each word the bytes 0 and 2, or 1 and 3, as 16-bit numbers. */
AVX2 INLINE void bytes_of(words *to, const void *from, bool odd, bool is_signed)
{
    shorts bytes = *(const shorts *)from;
    if (is_signed)
        *to = (words)((signed_shorts)(odd ? bytes : bytes << 8) >> 8);
    else
        *to = (words)(odd ? bytes >> 8 : bytes & 0xff);
}

/* The lower or upper halves of words of bfloat16: the lower bits of a float are zero. */
AVX2 INLINE void bf16_of(words *to, const void *from, bool upper)
{
    words both = *(const words *)from;
    *to = upper ? both & 0xffff0000u : both << 16;
}

/* The bits of tf32; a NaN stays one even if only the other bits said so. */
AVX2 INLINE void tf32_of(words *to, const void *from)
{
    const words x = *(const words *)from, is_nan = (words)((numbers)x != (numbers)x);
    *to = (x | (is_nan & 0x400000u)) & 0xffffe000u;
}

/* Halves, in the order that they lie in. */
AVX2 INLINE void f16_of(numbers *to, const void *from)
{
    to[0] = __builtin_convertvector(((const halves *)from)[0], numbers);
    to[1] = __builtin_convertvector(((const halves *)from)[1], numbers);
}

/* Those of a row of B's words. */
AVX2 INLINE void f16_halves_of(words *lower, words *upper, const void *from)
{
    numbers x[2];
    f16_of(x, from);
    *lower = (words)__builtin_shufflevector(x[0], x[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *upper = (words)__builtin_shufflevector(x[0], x[1], 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

/* One half of each word, made to a word. */
AVX2 INLINE void half_of(words *to, const void *from, unsigned half, enum tsr_tile_product product, bool is_signed)
{
    if (product == TSR_TILE_BF16)
        bf16_of(to, from, half);
    else
        bytes_of(to, from, half, is_signed);
}

/* A widened row of A of 64 or 32 bytes: the first halves of all words, then the second halves; with TSR_TILE_F16 word after word. Of TF32
 * words are whole. */
typedef uint32_t wide_row[2 * TSR__TILE_WORDS];

AVX2 INLINE void widen_row(wide_row *to, const char *from, unsigned in_row, enum tsr_tile_product product)
{
    bool is_signed = tsr__a_is_signed(product);
    words half_row = {0};
    if (in_row < TSR__TILE_WORDS) {
        memcpy(&half_row, from, TSR_TILE_ROW_BYTES / 2);
        from = (const char *)&half_row;
    }
    if (product == TSR_TILE_F16)
        f16_of((numbers *)*to, from);
    else if (product == TSR_TILE_TF32)
        tf32_of((words *)*to, from);
    else if (product == TSR_TILE_CUT)
        *(words *)*to = *(const words *)from;
    else
        EACH(half, 2) half_of((words *)*to + half, from, half, product, is_signed);
}

/* Also fetches the row of the step after that into the cache. */
AVX2 INLINE void widen_next(wide_row *to, const char *from, int64_t step, unsigned in_row, enum tsr_tile_product product)
{
    __builtin_prefetch(from + step);
    widen_row(to, from, in_row, product);
}

/* ---- strips ---- */

AVX2 INLINE void add_product(words *sum, const words *x, const words *y, enum tsr_tile_product product)
{
    if (product >= TSR_TILE_BF16) {
        *sum = (words)__builtin_elementwise_fma((numbers)*x, (numbers)*y, (numbers)*sum);
        return;
    }
    const __m256i_u *u = (const __m256i_u *)x, *v = (const __m256i_u *)y;
    __m256i_u *d = (__m256i_u *)sum;
    EACH(i, 2) d[i] = _mm256_add_epi32(d[i], _mm256_madd_epi16(u[i], v[i]));
}

/* What a row of B's words adds to the strip. `x`: A's words of the first row, widened. */
AVX2 INLINE void multiply(words (*sum)[2], const uint32_t *x, const char *b, int64_t b_next, unsigned rows, unsigned columns,
                          enum tsr_tile_product product)
{
    const bool is_f16 = product == TSR_TILE_F16, is_signed = tsr__b_is_signed(product);
    const unsigned in_word = product >= TSR_TILE_TF32 ? 1 : 2; /* what a word is widened to */
    words y[2][2];
    if (is_f16)
        EACH(c, columns) f16_halves_of(&y[0][c], &y[1][c], b + c * b_next);
    EACH(half, in_word)
    {
        if (product == TSR_TILE_TF32)
            EACH(c, columns) tf32_of(&y[0][c], b + c * b_next);
        else if (product == TSR_TILE_CUT)
            EACH(c, columns) y[0][c] = *(const words *)(b + c * b_next);
        else if (!is_f16) {
            __asm__("" : "+r"(b)); /* so the words are loaded twice: there are no registers to keep them in */
            EACH(c, columns) half_of(&y[half][c], b + c * b_next, half, product, is_signed);
        }
        EACH(r, rows)
        {
            words all = ((const wide_row *)x)[r][half * (is_f16 ? 1 : TSR__TILE_WORDS)] + (words){0};
            EACH(c, columns) add_product(&sum[r][c], &all, &y[half][c], product);
        }
    }
}

/* A strip of C: `rows` rows of `columns` tiles beside each other. in_step: words of K in a step. */
AVX2 INLINE void strip(const struct tsr_tile_loop *x, int64_t row, int64_t column, unsigned rows, unsigned columns,
                       enum tsr_tile_product product, unsigned in_step)
{
    wide_row wide[2][TSR_TILE_ROWS] __attribute__((aligned(TSR_TILE_ROW_BYTES)));
    const int64_t a_stride = x->a_stride, b_stride = x->b_stride, b_next = x->b_next;
    const char *a = tsr__loop_a(x, row), *b = x->b + column * b_next;
    const unsigned to_next_word = product == TSR_TILE_F16 ? 2 : 1;
    words sum[TSR_TILE_ROWS][2];
    EACH(r, rows)
    {
        EACH(c, columns) sum[r][c] = x->zero ? (words){0} : *(const words *)tsr__loop_row(x, row + r, column + c);
        if (x->steps)
            widen_row(&wide[0][r], a + r * a_stride, in_step, product);
    }
    for (int64_t step = 0; step < x->steps; step++, b += x->b_step) {
        const char *from = b, *next = a += x->a_step;
        const uint32_t *word = wide[step % 2][0];
        unsigned k = 0;
        if (step + 1 < x->steps)
            for (wide_row *to = wide[!(step % 2)]; k < rows && k < in_step; k++, from += b_stride, word += to_next_word, next += a_stride) {
                multiply(sum, word, from, b_next, rows, columns, product);
                widen_next(to + k, next, x->a_step, in_step, product);
                if (k + in_step < rows) /* there are fewer words than rows */
                    widen_next(to + k + in_step, next + in_step * a_stride, x->a_step, in_step, product);
            }
        for (; k < in_step; k++, from += b_stride, word += to_next_word)
            multiply(sum, word, from, b_next, rows, columns, product);
    }
    EACH(r, rows)
    {
        EACH(c, columns)
        {
            char *to = tsr__loop_goal(x, row + r, column + c);
            if (x->past)
                __builtin_nontemporal_store(sum[r][c], (line *)to);
            else
                *(words *)to = sum[r][c];
        }
    }
}

/* Strips have as many rows as there are registers, so that each load serves many products. A single tile is one strip with all its rows,
 * since only then two products are under way in each of four cycles. */
typedef void strip_function(const struct tsr_tile_loop *x, int64_t row, int64_t column);
struct strips {
    int64_t rows_of_high, rows_of_low;
    strip_function *high, *low; /* `low`: where twice as many rows are left */
    strip_function *alone;      /* for a column of one tile; the others take two tiles beside each other if there is such a form */
};

#define STRIP(unit, product, rows, columns)                                                                                                \
    unit static void product##_##rows##x##columns(const struct tsr_tile_loop *x, int64_t row, int64_t column)                              \
    {                                                                                                                                      \
        if (x->how & TSR_TILE_HALF_K)                                                                                                      \
            strip(x, row, column, rows, columns, TSR_TILE_##product, TSR__TILE_WORDS / 2);                                                 \
        else                                                                                                                               \
            strip(x, row, column, rows, columns, TSR_TILE_##product, TSR__TILE_WORDS);                                                     \
    }
#define STRIPS_512(product) STRIP(AVX512, product, 12, 2) STRIP(AVX512, product, 8, 2) STRIP(AVX512, product, 16, 1)
#define STRIPS_256(product) STRIP(AVX2, product, 6, 1) STRIP(AVX2, product, 4, 1)
STRIPS_512(BF16)
STRIPS_512(F16)
STRIPS_512(TF32)
STRIPS_512(CUT)
STRIPS_256(BF16)
STRIPS_256(F16)
STRIPS_256(TF32)
STRIPS_256(CUT)
STRIPS_256(S8S8)
STRIPS_256(S8U8)
STRIPS_256(U8S8)
STRIPS_256(U8U8)

static const struct strips *strips_of(enum tsr_tile_product product)
{
#define OF_512(product) [TSR_TILE_##product] = {12, 8, product##_12x2, product##_8x2, product##_16x1}
#define OF_256(product) [TSR_TILE_##product] = { 6, 4, product##_6x1, product##_4x1, NULL }
    static const struct strips of_512[] = {OF_512(BF16), OF_512(F16), OF_512(TF32), OF_512(CUT)},
                               of_256[] = {OF_256(S8S8), OF_256(S8U8), OF_256(U8S8), OF_256(U8U8),
                                           OF_256(BF16), OF_256(F16),  OF_256(TF32), OF_256(CUT)};
    return product >= TSR_TILE_BF16 && tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F) ? &of_512[product] : &of_256[product];
}

void tsr__tile_loop_wide(const struct tsr_tile_loop *x)
{
    const struct strips *by = strips_of(x->how & TSR__TILE_IS_CUT ? TSR_TILE_CUT : x->how & TSR_TILE_PRODUCT);
    bool one_matrix = x->rows == 1 || x->a_next == TSR_TILE_ROWS * x->a_stride; /* a strip may have rows of two tiles */
    for (int64_t column = 0; column < x->columns; column += by->alone ? 2 : 1)
        for (int64_t row = 0, left = x->rows * TSR_TILE_ROWS, rows; left; row += rows, left -= rows) {
            bool alone = by->alone && column + 1 == x->columns,
                 high = one_matrix && left >= by->rows_of_high && left != 2 * by->rows_of_low;
            rows = alone ? TSR_TILE_ROWS : high ? by->rows_of_high : by->rows_of_low;
            (alone ? by->alone : high ? by->high : by->low)(x, row, column);
        }
}

AVX2 INLINE void cut_lines(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++, to += to_stride, from += stride)
        tf32_of((words *)to, from);
}

AVX2 INLINE void widen_halves(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++, to += to_stride, from += stride)
        *(numbers *)to = __builtin_convertvector(*(const halves *)from, numbers);
}

AVX2 INLINE void widen_words(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++, to += 2 * to_stride, from += stride)
        f16_halves_of((words *)to, (words *)(to + to_stride), from);
}

#define EITHER_WAY(name)                                                                                                                   \
    AVX512 static void name##_512(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows)                             \
    {                                                                                                                                      \
        name(to, to_stride, from, stride, rows);                                                                                           \
    }                                                                                                                                      \
    AVX2 static void name##_256(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows)                               \
    {                                                                                                                                      \
        name(to, to_stride, from, stride, rows);                                                                                           \
    }
EITHER_WAY(cut_lines)
EITHER_WAY(widen_halves)
EITHER_WAY(widen_words)

void tsr__tile_cut_lines(char *to, int64_t stride, int64_t rows)
{
    (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F) ? cut_lines_512 : cut_lines_256)(to, stride, to, stride, rows);
}

void tsr__tile_widen_halves(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows)
{
    (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F) ? widen_halves_512 : widen_halves_256)(to, to_stride, from, stride, rows);
}

void tsr__tile_widen_words(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows)
{
    (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F) ? widen_words_512 : widen_words_256)(to, to_stride, from, stride, rows);
}

void tsr__tile_multiply_wide(void *accumulator, const void *a, const void *b, enum tsr_tile_product product)
{
    tsr__tile_loop_wide(&(struct tsr_tile_loop){.a = a,
                                                .b = b,
                                                .a_stride = TSR_TILE_ROW_BYTES,
                                                .b_stride = TSR_TILE_ROW_BYTES,
                                                .steps = 1,
                                                .rows = 1,
                                                .columns = 1,
                                                .how = product,
                                                .c = {accumulator}});
}
