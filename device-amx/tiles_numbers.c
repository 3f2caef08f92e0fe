/* SPDX-License-Identifier: Apache-2.0
 * Numbers with a fraction, bfloat16 and half, by fused multiply-adds in the strict order: a loop over K at once, or one product of tiles.
 * A strip of C stays in registers for the whole loop.
 *
 * B is widened in registers: there one operation makes 16 numbers, which meet all rows of the strip. A's numbers fill a register each, so
 * they are widened in memory first, from where the load itself spreads them. That is done for the next step while the one before is
 * multiplied, a row with each word of K: stores are the one thing that multiplications leave room for.
 *
 * One source serves AVX-512 and AVX2: 64 bytes are one register there, two here. */
#include "device-amx/tiles.h"
#include "tessera/base.h"

#define AVX512 __attribute__((target("avx512f")))
#define AVX2 __attribute__((target("avx2,fma,f16c")))
#define INLINE __attribute__((always_inline)) static inline
#define EACH(i, count) _Pragma("GCC unroll 16") for (unsigned i = 0; i < (count); i++)

/* ---- numbers ---------------------------------------------------------------------------------------------------------------------------
 */

#define IN_A_TILE vector_size(TSR__TILE_BYTES), may_alias
typedef float numbers __attribute__((IN_A_TILE, aligned(4)));
typedef uint32_t words __attribute__((IN_A_TILE, aligned(1)));
typedef _Float16 halves __attribute__((vector_size(TSR__TILE_BYTES / 2), may_alias, aligned(1)));

/* The lower or upper halves of bfloat16's words: the lower bits of a float are zero. */
INLINE void bf16_of(numbers *to, const void *from, bool upper)
{
    const words *x = from;
    *to = (numbers)(upper ? *x & 0xffff0000u : *x << 16);
}

/* Halves, in the order that they lie in. */
INLINE void f16_of(numbers *to, const void *from)
{
    to[0] = __builtin_convertvector(((const halves *)from)[0], numbers);
    to[1] = __builtin_convertvector(((const halves *)from)[1], numbers);
}

/* ---- strips ----------------------------------------------------------------------------------------------------------------------------
 */

/* 64 bytes of a row of A: of bfloat16 the lower halves of all words come first, of half each lies before the upper one. */
typedef float wide_row[2 * TSR__TILE_WORDS];

INLINE void widen_row(wide_row *to, const char *from, bool is_bf16)
{
    numbers *half = (numbers *)*to;
    if (is_bf16) {
        bf16_of(&half[0], from, false);
        bf16_of(&half[1], from, true);
    } else {
        f16_of(half, from);
    }
}

/* The numbers of a row of B's words. */
INLINE void f16_halves_of(numbers *lower, numbers *upper, const char *from)
{
    numbers x[2];
    f16_of(x, from);
    *lower = __builtin_shufflevector(x[0], x[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *upper = __builtin_shufflevector(x[0], x[1], 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

/* What two rows of B, which lie in words, add to the strip. `x`: A's number of the first row, for the first of them. */
INLINE void multiply(numbers (*sum)[2], const float *x, const char *b, uint64_t b_next, unsigned rows, unsigned columns, bool is_bf16)
{
    numbers y[2][2];
    if (!is_bf16)
        EACH(c, columns) f16_halves_of(&y[0][c], &y[1][c], b + c * b_next);
    EACH(half, 2)
    {
        if (is_bf16) {
            __asm__("" : "+r"(b)); /* so the words are loaded twice: there are no registers to keep them in */
            EACH(c, columns) bf16_of(&y[half][c], b + c * b_next, half);
        }
        EACH(r, rows)
        {
            numbers all = ((const wide_row *)x)[r][half * (is_bf16 ? TSR__TILE_WORDS : 1)] - (numbers){0};
            EACH(c, columns) sum[r][c] = __builtin_elementwise_fma(all, y[half][c], sum[r][c]);
        }
    }
}

/* Of C `rows` rows and `columns` tiles beside each other. */
INLINE void strip(const struct tsr_tile_loop *x, uint64_t row, uint64_t column, unsigned rows, unsigned columns, bool is_bf16)
{
    wide_row wide[2][TSR__TILE_ROWS] __attribute__((aligned(TSR__TILE_BYTES)));
    const char *a = x->a + row * x->a_stride, *b = x->b + column * x->b_next;
    const uint64_t a_stride = x->a_stride, b_stride = x->b_stride, b_next = x->b_next;
    numbers sum[TSR__TILE_ROWS][2];
    EACH(r, rows)
    {
        EACH(c, columns) sum[r][c] = x->zero ? (numbers){0} : *(const numbers *)tsr__loop_row(x, row + r, column + c);
        if (x->steps)
            widen_row(&wide[0][r], a + r * a_stride, is_bf16);
    }
    for (uint64_t step = 0; step < x->steps; step++, b += x->b_step) {
        const char *from = b, *next = a += x->a_step;
        const float *number = wide[step % 2][0];
        unsigned k = 0;
        if (step + 1 < x->steps)
            for (wide_row *to = wide[!(step % 2)]; k < rows; k++, from += b_stride, number += is_bf16 ? 1 : 2) {
                multiply(sum, number, from, b_next, rows, columns, is_bf16);
                widen_row(to++, next, is_bf16);
                next += a_stride;
            }
        for (; k < TSR__TILE_WORDS; k++, from += b_stride, number += is_bf16 ? 1 : 2)
            multiply(sum, number, from, b_next, rows, columns, is_bf16);
    }
    EACH(r, rows)
    {
        EACH(c, columns)
        {
            numbers *to = (numbers *)tsr__loop_goal(x, row + r, column + c);
            *to = sum[r][c];
        }
    }
}

#define STRIP(unit, rows, columns)                                                                                                         \
    unit static void strip_##rows##x##columns(const struct tsr_tile_loop *x, uint64_t row, uint64_t column)                                \
    {                                                                                                                                      \
        if (x->how == TSR_TILE_BF16)                                                                                                       \
            strip(x, row, column, rows, columns, true);                                                                                    \
        else                                                                                                                               \
            strip(x, row, column, rows, columns, false);                                                                                   \
    }
STRIP(AVX512, 8, 2)
STRIP(AVX512, 12, 2)
STRIP(AVX512, 16, 1)
STRIP(AVX2, 4, 1)
STRIP(AVX2, 6, 1)

/* As many rows as there are registers for: then each load serves many products. One tile alone has all of its rows in a strip, since two
 * products must be under way at a time in each of four cycles. */
static void strips_512(const struct tsr_tile_loop *x, uint64_t column)
{
    bool pair = column + 1 < x->columns;
    for (uint64_t row = 0, left = x->rows * TSR__TILE_ROWS, taken; left; row += taken, left -= taken) {
        taken = !pair ? 16 : left >= 12 && left != 16 ? 12 : 8;
        (taken == 16 ? strip_16x1 : taken == 12 ? strip_12x2 : strip_8x2)(x, row, column);
    }
}

static void strips_256(const struct tsr_tile_loop *x, uint64_t column)
{
    for (uint64_t row = 0, left = x->rows * TSR__TILE_ROWS, taken; left; row += taken, left -= taken) {
        taken = left >= 6 && left != 8 ? 6 : 4;
        (taken == 6 ? strip_6x1 : strip_4x1)(x, row, column);
    }
}

void tsr__tile_loop_numbers(const struct tsr_tile_loop *x)
{
    if (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F))
        for (uint64_t column = 0; column < x->columns; column += 2)
            strips_512(x, column);
    else
        for (uint64_t column = 0; column < x->columns; column++)
            strips_256(x, column);
}

/* ---- one product -----------------------------------------------------------------------------------------------------------------------
 */

void tsr__tile_multiply_numbers(void *accumulator, const void *a, const void *b, enum tsr_tile_product product)
{
    tsr__tile_loop_numbers(&(struct tsr_tile_loop){.a = a,
                                                   .b = b,
                                                   .a_stride = TSR__TILE_BYTES,
                                                   .b_stride = TSR__TILE_BYTES,
                                                   .steps = 1,
                                                   .rows = 1,
                                                   .columns = 1,
                                                   .how = product,
                                                   .c = {accumulator}});
}
