/* SPDX-License-Identifier: Apache-2.0
 * A loop over K in one call: a block of tiles of C gets the products of all steps. With AVX-512 a strip of 8 rows and two columns of tiles
 * stays in registers for the loop. B is read in place. A's next step is copied while the current one is multiplied: the store ports are
 * free, and products never wait for A's lines, however far apart these are.
 *
 * Where both kinds of bytes have one signedness, A's are flipped as they are copied (tiles_dot.h): once for each strip, where B's would be
 * for every eight rows. The first strip of a column computes the correction. */
#include <assert.h>
#include <string.h>

#include "device-amx/tiles_dot.h"
#include "tessera/base.h"

/* VDPBF16PS is used in functions for BF16_PAIRS only, which are not called on CPUs without it. */
enum {
    STRIP = 8,
    AHEAD = 2, /* a line of A is fetched so many steps before it is copied */
};

/* ---- one tile after the other ---- */

static void tile_by_tile(struct tsr_item *item, const struct tsr_tile_loop *x)
{
    uint32_t how = (uint32_t)x->how; /* for a half step, too */
    char *in_a = x->operands, *in_b = in_a + x->rows * TSR_TILE_OPERAND_BYTES;
    for (int64_t i = 0; x->zero && i < x->rows * x->columns; i++)
        memset(x->c[i], 0, TSR_TILE_ROWS * TSR_TILE_ROW_BYTES);
    for (int64_t step = 0; step < x->steps; step++) {
        for (int64_t i = 0; i < x->rows; i++)
            tsr__tile_operand(item, in_a + i * TSR_TILE_OPERAND_BYTES, x->a + step * x->a_step + i * x->a_next, x->a_stride, how);
        for (int64_t i = 0; i < x->columns; i++)
            tsr__tile_operand(item, in_b + i * TSR_TILE_OPERAND_BYTES, x->b + step * x->b_step + i * x->b_next, x->b_stride,
                              how | TSR_TILE_IS_B);
        for (int64_t i = 0; i < x->rows * x->columns; i++)
            tsr__tile_multiply(item, x->c[i], in_a + i / x->columns * TSR_TILE_OPERAND_BYTES,
                               in_b + i % x->columns * TSR_TILE_OPERAND_BYTES, how);
    }
}

/* The same by AMX, of operands anywhere. */
static void tile_by_tile_amx(const struct tsr_tile_loop *x)
{
    char a[TSR_TILE_ROWS][TSR_TILE_ROW_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES))) = {0};
    char b[TSR_TILE_ROWS][TSR_TILE_ROW_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES))) = {0};
    const unsigned words = tsr__loop_words(x);
    for (int64_t i = 0; i < x->rows * x->columns; i++) {
        if (x->zero)
            memset(x->c[i], 0, TSR_TILE_BYTES);
        for (int64_t step = 0; step < x->steps; step++) {
            const char *from_a = x->a + step * x->a_step + i / x->columns * x->a_next,
                       *from_b = x->b + step * x->b_step + i % x->columns * x->b_next;
            for (int64_t r = 0; r < x->tile_rows; r++)
                memcpy(a[r], from_a + r * x->a_stride, 4 * words);
            for (unsigned w = 0; w < words && !(x->how & TSR_TILE_B_UNPACKED); w++)
                memcpy(b[w], from_b + w * x->b_stride, TSR_TILE_ROW_BYTES);
            if (x->how & TSR_TILE_B_UNPACKED)
                tsr__tile_pack_rows(b[0], TSR_TILE_ROW_BYTES, from_b, x->b_stride, (uint32_t)x->how);
            tsr__tile_multiply_amx(x->c[i], a, b, x->how & TSR_TILE_PRODUCT);
        }
    }
}

/* ---- strips ---- */

/* A step of A, row after row. */
typedef char copied[STRIP][TSR_TILE_ROW_BYTES];

AVX512 INLINE void copy_row(char *to, const char *from, enum tsr_tile_product product, unsigned words)
{
    __m512i row = _mm512_maskz_loadu_epi32((__mmask16)((1u << words) - 1), from);
    _mm512_store_si512(to, _mm512_xor_si512(row, flip_of(product)));
}

/* Adds a step to eight rows of C. `pair`: two tiles beside each other; else one, whose integers have two accumulators for a row, one for
 * even and one for odd words of K. Copies the step of A at `next`, if there is one. */
AVX512 INLINE void multiply(__m512i (*sum)[2], __m512i of_column[2], const struct tsr_tile_loop *x, const copied *a, const char *b,
                            copied *to, const char *next, bool pair, enum tsr_tile_product product, unsigned words, bool first)
{
    const bool halved = !pair && product < TSR_TILE_BF16, two = pair || halved;
    const int64_t a_stride = x->a_stride, a_step = x->a_step, b_stride = x->b_stride, second = pair ? x->b_next : b_stride;
    const char *word = (*a)[0];
    char *row = to ? (*to)[0] : NULL;
    /* Not unrolled: the compiler would load ahead of the registers that it has. */
    _Pragma("GCC unroll 1") for (unsigned k = 0; k < words; k += 2, b += 2 * b_stride, word += 8)
    {
        _Pragma("GCC unroll 2") for (unsigned odd = 0; odd < (halved ? 1 : 2); odd++)
        {
            const char *at = b + odd * b_stride;
            __m512i y[2] = {_mm512_loadu_si512(at), two ? _mm512_loadu_si512(at + second) : _mm512_setzero_si512()};
            if (first)
                EACH(c, 2) of_column[c] = add_to_column(of_column[c], y[c], product);
            EACH(r, STRIP)
            {
                const char *in_row = word + r * TSR_TILE_ROW_BYTES + 4 * odd;
                __m512i spread_a = spread(in_row);
                sum[r][0] = dot(sum[r][0], spread_a, y[0], product);
                if (two)
                    sum[r][1] = dot(sum[r][1], halved ? spread(in_row + 4) : spread_a, y[1], product);
            }
        }
        if (to)
            _Pragma("GCC unroll 2") for (unsigned r = 0; r < 2 * STRIP / words; r++, next += a_stride, row += TSR_TILE_ROW_BYTES)
            {
                _mm_prefetch(next + AHEAD * a_step, _MM_HINT_T0);
                copy_row(row, next, product, words);
            }
    }
}

/* Fetched now, to be in the cache at the end of the strip. */
static inline void fetch_goal(const struct tsr_tile_loop *x, int64_t row, int64_t column)
{
    if (!x->past && x->steps >= 8)
        __builtin_prefetch(tsr__loop_goal(x, row, column));
}

/* The first strip of a column computes the correction, and all strips add it. */
AVX512 INLINE void strip(const struct tsr_tile_loop *x, int64_t row, int64_t column, bool pair, enum tsr_tile_product product,
                         unsigned words, bool first, __m512i correction[2])
{
    const char *a = tsr__loop_a(x, row), *b = x->b + column * x->b_next;
    const bool same_signs = has_same_signs(product), halved = !pair && product < TSR_TILE_BF16;
    copied steps[2] __attribute__((aligned(TSR_TILE_ROW_BYTES)));
    __m512i sum[STRIP][2], of_column[2];
    of_column[0] = of_column[1] = _mm512_setzero_si512();
    EACH(r, STRIP)
    {
        sum[r][0] = sum[r][1] = _mm512_setzero_si512();
        if (!x->zero) {
            sum[r][0] = _mm512_load_si512(tsr__loop_row(x, row + r, column));
            if (pair)
                sum[r][1] = _mm512_load_si512(tsr__loop_row(x, row + r, column + 1));
        }
        fetch_goal(x, row + r, column);
        if (pair)
            fetch_goal(x, row + r, column + 1);
        if (x->steps)
            copy_row(steps[0][r], a + r * x->a_stride, product, words);
    }
    int64_t step = 0;
    for (; step + 1 < x->steps; step++, b += x->b_step)
        multiply(sum, of_column, x, &steps[step % 2], b, &steps[!(step % 2)], a += x->a_step, pair, product, words, first);
    if (x->steps)
        multiply(sum, of_column, x, &steps[step % 2], b, NULL, a, pair, product, words, first);
    if (first) {
        if (halved)
            of_column[0] = _mm512_add_epi32(of_column[0], of_column[1]);
        EACH(c, 2) correction[c] = correction_of(of_column[c], product);
    }
    EACH(r, STRIP)
    {
        if (halved)
            sum[r][0] = _mm512_add_epi32(sum[r][0], sum[r][1]);
        if (same_signs) {
            sum[r][0] = _mm512_add_epi32(sum[r][0], correction[0]);
            sum[r][1] = _mm512_add_epi32(sum[r][1], correction[1]);
        }
        put(tsr__loop_goal(x, row + r, column), sum[r][0], x->past);
        if (pair)
            put(tsr__loop_goal(x, row + r, column + 1), sum[r][1], x->past);
    }
}

AVX512 INLINE void strips_under_each_other(const struct tsr_tile_loop *x, int64_t column, bool pair, enum tsr_tile_product product,
                                           unsigned words)
{
    __m512i correction[2];
    for (int64_t row = 0; row < x->rows * TSR_TILE_ROWS; row += STRIP) {
        if (has_same_signs(product) && row == 0)
            strip(x, row, column, pair, product, words, true, correction);
        else
            strip(x, row, column, pair, product, words, false, correction);
    }
}

#define STRIPS(name, product)                                                                                                              \
    AVX512 static void name(const struct tsr_tile_loop *x, int64_t column, bool pair)                                                      \
    {                                                                                                                                      \
        if (x->how & TSR_TILE_HALF_K && pair)                                                                                              \
            strips_under_each_other(x, column, true, product, TSR__TILE_WORDS / 2);                                                        \
        else if (x->how & TSR_TILE_HALF_K)                                                                                                 \
            strips_under_each_other(x, column, false, product, TSR__TILE_WORDS / 2);                                                       \
        else if (pair)                                                                                                                     \
            strips_under_each_other(x, column, true, product, TSR__TILE_WORDS);                                                            \
        else                                                                                                                               \
            strips_under_each_other(x, column, false, product, TSR__TILE_WORDS);                                                           \
    }
STRIPS(s8s8, TSR_TILE_S8S8)
STRIPS(s8u8, TSR_TILE_S8U8)
STRIPS(u8s8, TSR_TILE_U8S8)
STRIPS(u8u8, TSR_TILE_U8U8)
STRIPS(bf16_pairs, TSR_TILE_BF16_PAIRS)

static void (*const strips[])(const struct tsr_tile_loop *, int64_t column, bool pair) = {
    [TSR_TILE_S8S8] = s8s8, [TSR_TILE_S8U8] = s8u8, [TSR_TILE_U8S8] = u8s8, [TSR_TILE_U8U8] = u8u8, [TSR_TILE_BF16_PAIRS] = bf16_pairs};

static void strip_by_strip(const struct tsr_tile_loop *x)
{
    for (int64_t column = 0; column < x->columns; column += 2)
        strips[x->how & TSR_TILE_PRODUCT](x, column, column + 1 < x->columns);
}

/* ---- either way ---- */

static void run_packed(struct tsr_item *item, const struct tsr_tile_loop *x)
{
    if (x->how & TSR_TILE_IN_MODEL)
        tile_by_tile(item, x);
    else if (tsr__tile_is_wide(x->how & TSR_TILE_PRODUCT))
        tsr__tile_loop_wide(x);
    else
        strip_by_strip(x);
}

/* As many steps at a time as there is memory for packed tiles of B. */
static void run_unpacked(struct tsr_item *item, const struct tsr_tile_loop *x)
{
    const int64_t most = TSR_TILE_PACKED_BYTES / TSR_TILE_BYTES / x->columns;
    struct tsr_tile_loop part = *x;
    assert((uintptr_t)x->packed % TSR_TILE_ROW_BYTES == 0);
    part.how &= ~(uint64_t)TSR_TILE_B_UNPACKED;
    part.b = x->packed;
    part.b_stride = TSR_TILE_ROW_BYTES;
    part.b_next = TSR_TILE_BYTES;
    part.b_step = x->columns * TSR_TILE_BYTES;
    for (int64_t step = 0; step < x->steps; step += part.steps) {
        part.steps = x->steps - step < most ? x->steps - step : most;
        for (int64_t i = 0; i < part.steps * x->columns; i++)
            tsr__tile_pack(item, (char *)x->packed + i * TSR_TILE_BYTES,
                           x->b + (step + i / x->columns) * x->b_step + i % x->columns * x->b_next, x->b_stride, (uint32_t)x->how);
        part.a = x->a + step * x->a_step;
        part.zero = x->zero && step == 0;
        part.to = step + part.steps == x->steps ? x->to : NULL;
        part.past = part.to ? x->past : 0;
        run_packed(item, &part);
    }
}

/* Tiles of fewer rows: some steps of A at a time are copied to whole tiles. */
static __attribute__((noinline)) void run_few_rows(struct tsr_item *item, const struct tsr_tile_loop *x)
{
    enum { MOST = 8 };
    const size_t bytes = 4 * tsr__loop_words(x);
    char tiles[MOST][TSR_TILE_ROWS][TSR_TILE_ROW_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES)));
    struct tsr_tile_loop part = *x;
    part.a = tiles[0][0];
    part.a_stride = TSR_TILE_ROW_BYTES;
    part.a_step = TSR_TILE_BYTES;
    part.tile_rows = TSR_TILE_ROWS;
    part.to = NULL;
    part.past = 0;
    memset(tiles, 0, sizeof tiles);
    for (int64_t step = 0; step < x->steps; step += part.steps) {
        part.steps = x->steps - step < MOST ? x->steps - step : MOST;
        for (int64_t i = 0; i < part.steps; i++)
            for (int64_t r = 0; r < x->tile_rows; r++)
                memcpy(tiles[i][r], x->a + (step + i) * x->a_step + r * x->a_stride, bytes);
        part.b = x->b + step * x->b_step;
        part.zero = x->zero && step == 0;
        tsr__tile_loop_now(item, &part);
    }
}

/* ---- operands that are made tiles of first ---- */

enum { TILES_AT_ONCE = TSR_TILE_LOOP_MAX + 1 };

/* In a step of the tiles that are made, those of A come before those of B. */
struct made {
    bool a, b;
    char (*tiles)[TSR_TILE_BYTES];
    int64_t of_a, in_step;
    void (*make)(const struct made *made, const struct tsr_tile_loop *x, int64_t step, int64_t steps);
};

/* As many steps at a time as there is memory for. What is not made stays where it is. */
static __attribute__((noinline)) void run_made(struct tsr_item *item, const struct tsr_tile_loop *x, struct made made, uint64_t how)
{
    char tiles[TILES_AT_ONCE][TSR_TILE_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES)));
    struct tsr_tile_loop part = *x;
    made.tiles = tiles;
    made.of_a = made.a ? x->rows : 0;
    made.in_step = made.of_a + (made.b ? x->columns : 0);
    const int64_t most = TILES_AT_ONCE / made.in_step;
    part.how = how;
    if (made.a) {
        part.a_stride = TSR_TILE_ROW_BYTES;
        part.a_next = TSR_TILE_BYTES;
        part.a_step = made.in_step * TSR_TILE_BYTES;
        part.tile_rows = TSR_TILE_ROWS;
        memset(tiles, 0, x->tile_rows < TSR_TILE_ROWS ? sizeof tiles : 0); /* rows that are not there */
    }
    if (made.b) {
        part.b_stride = TSR_TILE_ROW_BYTES;
        part.b_next = TSR_TILE_BYTES;
        part.b_step = made.in_step * TSR_TILE_BYTES;
    }
    for (int64_t step = 0; step < x->steps; step += part.steps) {
        part.steps = x->steps - step < most ? x->steps - step : most;
        made.make(&made, x, step, part.steps);
        part.a = made.a ? tiles[0] : x->a + step * x->a_step;
        part.b = made.b ? tiles[made.of_a] : x->b + step * x->b_step;
        part.zero = x->zero && step == 0;
        part.to = step + part.steps == x->steps ? x->to : NULL;
        part.past = part.to ? x->past : 0;
        tsr__tile_loop_now(item, &part);
    }
}

/* Bytes of numbers of 4 bits. */
static void unpack_steps(const struct made *made, const struct tsr_tile_loop *x, int64_t step, int64_t steps)
{
    char (*to)[TSR_TILE_BYTES] = made->tiles;
    for (const int64_t end = step + steps; step < end; step++) {
        for (int64_t i = 0; i < x->rows; i++)
            tsr__tile_unpack_a(*to++, TSR_TILE_ROW_BYTES, x->a + step * x->a_step + i * x->a_next, x->a_stride, x->tile_rows,
                               (uint32_t)x->how);
        for (int64_t i = 0; i < x->columns; i++)
            tsr__tile_unpack_b(*to++, TSR_TILE_ROW_BYTES, x->b + step * x->b_step + i * x->b_next, x->b_stride, (uint32_t)x->how);
    }
}

static void run_nibbles(struct tsr_item *item, const struct tsr_tile_loop *x)
{
    const uint64_t others = TSR_TILE_NIBBLES | TSR_TILE_HALF_K | TSR_TILE_B_UNPACKED | TSR_TILE_PRODUCT;
    run_made(item, x, (struct made){.a = true, .b = true, .make = unpack_steps}, (x->how & ~others) | tsr__packed_product(x));
}

static void compute_steps(const struct made *made, const struct tsr_tile_loop *x, int64_t step, int64_t steps)
{
    const int64_t next = made->in_step * TSR_TILE_BYTES;
    for (int64_t i = 0; made->a && i < x->rows; i++)
        x->a_code(x->a, step, steps, (uint32_t)i, made->tiles[i], TSR_TILE_ROW_BYTES, next);
    for (int64_t i = 0; made->b && i < x->columns; i++)
        x->b_code(x->b, step, steps, (uint32_t)i, made->tiles[made->of_a + i], TSR_TILE_ROW_BYTES, next);
}

void tsr__tile_loop_computed(struct tsr_item *item, const struct tsr_tile_loop *x)
{
    const uint64_t computed = TSR_TILE_A_COMPUTED | TSR_TILE_B_COMPUTED;
    const struct made made = {.a = x->how & TSR_TILE_A_COMPUTED, .b = x->how & TSR_TILE_B_COMPUTED, .make = compute_steps};
    run_made(item, x, made, x->how & ~computed);
}

void tsr__tile_loop_now(struct tsr_item *item, const struct tsr_tile_loop *x)
{
    if (x->how & TSR_TILE_NIBBLES)
        run_nibbles(item, x);
    else if (tsr__loads_tiles_in_place(x))
        tsr__tile_loop_amx(x);
    else if (x->how & TSR_TILE_IN_AMX)
        tile_by_tile_amx(x);
    else if (x->tile_rows < TSR_TILE_ROWS)
        run_few_rows(item, x);
    else if (x->how & TSR_TILE_B_UNPACKED)
        run_unpacked(item, x);
    else
        run_packed(item, x);
}
