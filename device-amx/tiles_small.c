/* SPDX-License-Identifier: Apache-2.0
 * Products of small matrices: A and B on the stack, and no more arithmetic on places than they need. Numbers are handed on one by one:
 * a vector load of several that have just been stored would wait for these stores, and so for those of C before them. */
#include "device-amx/cpu.h"
#include "device-amx/tiles_square.h"
#include "device-amx/tiles_words.h"

enum {
    MOST_TILES = 16, /* of B: they stay in the first cache, and on the stack */
    MOST_STEPS = 4,
    LINE = TSR_TILE_ROW_BYTES,
    SQUARE = 2 * TSR_TILE_ROWS,      /* rows of C, and columns, of a square */
    PANEL_LINE = 2 * LINE,           /* of a panel, which is two tiles beside each other */
    STEP_BYTES = 2 * TSR_TILE_BYTES, /* of a panel, and of a strip of A, which is two tiles under each other */
};

/* What matrix_product of tessera/tiles.h is asked for. */
struct product {
    const char *a, *b;
    char *c;
    int64_t a_stride, b_stride, c_stride, rows, columns, depth;
    uint32_t how;
};

/* Bytes of an element, elements of K in a step, and tiles of it. */
static int64_t bytes_of(const struct product *p)
{
    return 4 / tsr__tile_in_word(p->how);
}

static int64_t step_of(const struct product *p)
{
    return LINE / bytes_of(p);
}

static int64_t steps_of(const struct product *p)
{
    return (p->depth * bytes_of(p) + LINE - 1) / LINE;
}

bool tsr__product_is_small(int64_t columns, int64_t depth, uint32_t how)
{
    const int64_t tiles = (columns + TSR_TILE_ROWS - 1) / TSR_TILE_ROWS, steps = steps_of(&(struct product){.depth = depth, .how = how});
    return steps <= MOST_STEPS && (tiles + 1) / 2 * 2 * steps <= MOST_TILES;
}

/* ---- A and B ---- */

static void pack_b(const struct product *p, char *panels)
{
    const bool by_columns = p->how & TSR_TILE_B_COLUMNS;
    const int64_t steps = steps_of(p), bytes = bytes_of(p);
    for (int64_t column = 0; column < p->columns; column += TSR_TILE_ROWS)
        for (int64_t step = 0; step < steps; step++) {
            const int64_t tile = column / TSR_TILE_ROWS, k = step * step_of(p), row = by_columns ? column : k, at = by_columns ? k : column;
            tsr__tile_pack_within(panels + (tile / 2 * steps + step) * STEP_BYTES + tile % 2 * LINE, PANEL_LINE,
                                  p->b + row * p->b_stride + at * bytes, p->b_stride, (by_columns ? p->columns : p->depth) - row,
                                  ((by_columns ? p->depth : p->columns) - at) * bytes, p->how);
        }
}

/* Of a B by rows: both tiles of a panel together, words all of whose rows are there, then one that has some, then those that have none. Of
 * the last columns what follows them in the row is read as well, as it gets into columns of C that are not there; not behind the last row.
 */
#define PACK(type, in_word)                                                                                                                \
    AMX INLINE void pack_##type(const struct product *p, char *to)                                                                         \
    {                                                                                                                                      \
        enum { BYTES = LINE / (in_word) };                                                                                                 \
        const int64_t stride = p->b_stride, words = steps_of(p) * TSR__TILE_WORDS;                                                         \
        const __m512i order = order_of_##type();                                                                                           \
        for (int64_t column = 0; column < p->columns; column += SQUARE) {                                                                  \
            const int64_t left = (p->columns - column) * BYTES / TSR_TILE_ROWS;                                                            \
            const int64_t whole = (left >= 2 * BYTES ? p->depth : stride >= 2 * BYTES ? p->depth - 1 : 0) / (in_word);                     \
            const __mmask64 there = left < 2 * BYTES ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0), other = there >> BYTES;                   \
            const char *from = p->b + column * BYTES / TSR_TILE_ROWS;                                                                      \
            int64_t w = 0;                                                                                                                 \
            for (; w < whole; w++, to += PANEL_LINE, from += (in_word) * stride) {                                                         \
                _mm512_store_si512(to, whole_word_of_##type(from, stride, order));                                                         \
                _mm512_store_si512(to + LINE, whole_word_of_##type(from + BYTES, stride, order));                                          \
            }                                                                                                                              \
            for (; w * (in_word) < p->depth; w++, to += PANEL_LINE, from += (in_word) * stride) {                                          \
                const int64_t rows = p->depth - w * (in_word);                                                                             \
                const __mmask64 two = rows > 1 ? there : 0, three = rows > 2 ? there : 0, four = rows > 3 ? there : 0;                     \
                const __mmask64 one_of[] = {there, two, three, four}, two_of[] = {other, two >> BYTES, three >> BYTES, four >> BYTES};     \
                _mm512_store_si512(to, word_of_##type(from, stride, order, one_of));                                                       \
                _mm512_store_si512(to + LINE, word_of_##type(from + BYTES, stride, order, two_of));                                        \
            }                                                                                                                              \
            for (; w < words; w++, to += PANEL_LINE) {                                                                                     \
                _mm512_store_si512(to, _mm512_setzero_si512());                                                                            \
                _mm512_store_si512(to + LINE, _mm512_setzero_si512());                                                                     \
            }                                                                                                                              \
        }                                                                                                                                  \
    }
PACK(bytes, BYTES_IN_WORD)
PACK(shorts, SHORTS_IN_WORD)

/* Copies so many rows, and bytes of each, to lines, whose rest is zero, or back. */
typedef void copy_function(char *to, const char *from, int64_t stride, int64_t rows, int64_t bytes, bool back);

static void copy_rows(char *to, const char *from, int64_t stride, int64_t rows, int64_t bytes, bool back)
{
    const struct tsr_tile_matrix there = {0, 0, bytes, rows};
    tsr__tile_copy_within(to, back ? stride : LINE, from, back ? LINE : stride, rows, back ? bytes : LINE, &there);
}

AMX INLINE void copy_rows_inline(char *to, const char *from, int64_t stride, int64_t rows, int64_t bytes, bool back)
{
    const __mmask64 there = ~UINT64_C(0) >> (LINE - bytes);
    for (int64_t r = 0; r < rows; r++, to += back ? stride : LINE, from += back ? LINE : stride) {
        const __m512i line = _mm512_maskz_loadu_epi8(there, from);
        if (back)
            _mm512_mask_storeu_epi8(to, there, line);
        else
            _mm512_store_si512(to, line);
    }
}

static void pack_columns_of_a(const struct product *p, int64_t row, int64_t k, char *to)
{
    const uint32_t product = p->how & (TSR_TILE_PRODUCT | TSR_TILE_IN_AMX | TSR_TILE_IN_MODEL);
    char words[TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    tsr__tile_pack_within(words, LINE, p->a + k * p->a_stride + row * bytes_of(p), p->a_stride, p->depth - k, (p->rows - row) * bytes_of(p),
                          product);
    tsr__tile_pack_rows(to, LINE, words, LINE, product | TSR_TILE_B_COLUMNS);
}

/* Both tiles of A of a step from row `row` on, under each other, step after step. What is in rows that A lacks does not count. */
INLINE void copy_a(const struct product *p, int64_t row, char *strip, copy_function *copy)
{
    const int64_t bytes = bytes_of(p), steps = steps_of(p);
    for (int64_t end = tsr__tile_least(row + 2 * TSR_TILE_ROWS, p->rows); row < end; row += TSR_TILE_ROWS, strip += TSR_TILE_BYTES)
        for (int64_t step = 0; step < steps; step++) {
            const int64_t k = step * step_of(p);
            if (p->how & TSR_TILE_A_COLUMNS)
                pack_columns_of_a(p, row, k, strip + step * STEP_BYTES);
            else
                copy(strip + step * STEP_BYTES, p->a + row * p->a_stride + k * bytes, p->a_stride,
                     tsr__tile_least(p->rows - row, TSR_TILE_ROWS), tsr__tile_least((p->depth - k) * bytes, LINE), false);
        }
}

/* ---- C ---- */

static char *place_of(const struct product *p, int64_t row, int64_t column)
{
    return p->c + row * p->c_stride + column * 4;
}

/* Tiles of a square that are there but not whole, between C and whole ones aside. */
INLINE void copy_c(const struct product *p, int64_t row, int64_t column, char aside[2][2][TSR_TILE_BYTES], copy_function *copy, bool back)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const int64_t r = row + i * TSR_TILE_ROWS, c = column + j * TSR_TILE_ROWS, rows = tsr__tile_least(p->rows - r, TSR_TILE_ROWS),
                          bytes = tsr__tile_least((p->columns - c) * 4, LINE);
            char *place = p->c + r * p->c_stride + c * 4;
            if (rows > 0 && bytes > 0 && (rows < TSR_TILE_ROWS || bytes < LINE))
                copy(back ? place : aside[i][j], back ? aside[i][j] : place, p->c_stride, rows, bytes, back);
        }
}

/* ---- products ---- */

typedef void pack_function(const struct product *p, char *panels);
typedef void square_function(const struct tsr__tile_square *s, uint32_t how);

/* Rows of C to be written, which lie in a cache that stores have to wait for. */
INLINE void claim(const struct product *p, int64_t row, int64_t column)
{
    const char *place = place_of(p, row, column);
    for (int64_t r = 0; r < SQUARE; r++, place += p->c_stride) {
        __builtin_prefetch(place, 1);
        __builtin_prefetch(place + LINE, 1);
    }
}

/* A of a row of squares: where it lies, or a copy. */
struct strip {
    const char *a;
    int64_t stride, next, step;
};

/* All but the places of C's tiles. */
INLINE struct tsr__tile_square square_of(const struct strip *a, const char *b, int64_t steps, bool down, bool right, bool zero)
{
    return (struct tsr__tile_square){.a = a->a,
                                     .b = b,
                                     .a_stride = a->stride,
                                     .a_next = a->next,
                                     .a_step = a->step,
                                     .b_stride = PANEL_LINE,
                                     .steps = steps,
                                     .rows = 1 + down,
                                     .zero = zero,
                                     .one_column = !right};
}

#define FOR_TILES(i, j)                                                                                                                    \
    for (int i = 0; i < 2; i++)                                                                                                            \
        for (int j = 0; j < 2; j++)

INLINE void set_place(struct tsr__tile_square *s, int i, int j, char *at, int64_t stride)
{
    s->from[i][j].at = s->to[i][j].at = at;
    s->from[i][j].stride = s->to[i][j].stride = stride;
}

INLINE void multiply_whole(const struct product *p, int64_t row, int64_t column, const struct strip *a, const char *b, int64_t steps,
                           bool zero, square_function *square)
{
    struct tsr__tile_square s = square_of(a, b, steps, true, true, zero);
    FOR_TILES(i, j)
    set_place(&s, i, j, place_of(p, row + i * TSR_TILE_ROWS, column + j * TSR_TILE_ROWS), p->c_stride);
    if (zero && (row || column))
        claim(p, row, column);
    square(&s, p->how);
}

/* A square some of whose tiles are not there, or not whole: these are made aside. */
INLINE void multiply_edge(const struct product *p, int64_t row, int64_t column, const struct strip *a, const char *b, int64_t steps,
                          bool zero, square_function *square, copy_function *copy)
{
    char aside[2][2][TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    struct tsr__tile_square s = square_of(a, b, steps, row + TSR_TILE_ROWS < p->rows, column + TSR_TILE_ROWS < p->columns, zero);
    FOR_TILES(i, j)
    {
        const int64_t r = row + i * TSR_TILE_ROWS, c = column + j * TSR_TILE_ROWS;
        const bool whole = r + TSR_TILE_ROWS <= p->rows && c + TSR_TILE_ROWS <= p->columns;
        set_place(&s, i, j, whole ? place_of(p, r, c) : aside[i][j], whole ? p->c_stride : LINE);
    }
    if (!zero)
        copy_c(p, row, column, aside, copy, false);
    square(&s, p->how);
    copy_c(p, row, column, aside, copy, true);
}

INLINE void multiply(const struct product *p, pack_function *pack, square_function *square, copy_function *copy)
{
    char panels[MOST_TILES * TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    char strip[2 * MOST_STEPS * TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    const int64_t steps = steps_of(p);
    const bool plain = !(p->how & TSR_TILE_A_COLUMNS) && p->depth % step_of(p) == 0, zero = !(p->how & TSR_TILE_ADDS);
    if (zero && p->rows >= SQUARE && p->columns >= SQUARE)
        claim(p, 0, 0);
    pack(p, panels);
    for (int64_t row = 0; row < p->rows; row += SQUARE) {
        const bool down = row + TSR_TILE_ROWS < p->rows, whole = row + (down + 1) * TSR_TILE_ROWS <= p->rows, in_place = plain && whole;
        const struct strip a = {in_place ? p->a + row * p->a_stride : strip, in_place ? p->a_stride : LINE,
                                in_place ? TSR_TILE_ROWS * p->a_stride : TSR_TILE_BYTES, in_place ? LINE : STEP_BYTES};
        const char *b = panels;
        int64_t column = 0;
        if (!in_place)
            copy_a(p, row, strip, copy);
        for (; down && whole && column + SQUARE <= p->columns; column += SQUARE, b += steps * STEP_BYTES)
            multiply_whole(p, row, column, &a, b, steps, zero, square);
        for (; column < p->columns; column += SQUARE, b += steps * STEP_BYTES)
            multiply_edge(p, row, column, &a, b, steps, zero, square, copy);
    }
}

static void any_square(const struct tsr__tile_square *s, uint32_t how)
{
    tsr__tile_square(s, how & TSR_TILE_PRODUCT, how & TSR_TILE_IN_AMX);
}

/* Those of matrix_product, so that arguments stay where its caller has put them. */
#define PARAMETERS                                                                                                                         \
    struct tsr_item *item, const void *a, const void *b, void *c, int64_t a_stride, int64_t b_stride, int64_t c_stride, int64_t rows,      \
        int64_t columns, int64_t depth, uint32_t how
#define ARGUMENTS a, b, c, a_stride, b_stride, c_stride, rows, columns, depth, how

static void any_product(PARAMETERS)
{
    (void)item;
    multiply(&(struct product){ARGUMENTS}, pack_b, any_square, copy_rows);
}

/* The usual ones, as code of their own. */
#define PRODUCT(name, type, known)                                                                                                         \
    AMX INLINE void name##_square(const struct tsr__tile_square *s, uint32_t how)                                                          \
    {                                                                                                                                      \
        (void)how;                                                                                                                         \
        name##_square_inline(s);                                                                                                           \
    }                                                                                                                                      \
    AMX INLINE void name##_pack(const struct product *p, char *panels)                                                                     \
    {                                                                                                                                      \
        if (p->how & TSR_TILE_B_COLUMNS)                                                                                                   \
            pack_b(p, panels);                                                                                                             \
        else                                                                                                                               \
            pack_##type(p, panels);                                                                                                        \
    }                                                                                                                                      \
    AMX static void name##_product(PARAMETERS)                                                                                             \
    {                                                                                                                                      \
        (void)item;                                                                                                                        \
        how = (how & ~(uint32_t)TSR_TILE_PRODUCT) | (known); /* the compiler knows it then */                                              \
        multiply(&(struct product){ARGUMENTS}, name##_pack, name##_square, copy_rows_inline);                                              \
    }
PRODUCT(s8s8, bytes, TSR_TILE_S8S8)
PRODUCT(bf16, shorts, TSR_TILE_BF16)
PRODUCT(f16, shorts, TSR_TILE_F16)

typedef void product_function(PARAMETERS);

void tsr__product_small(PARAMETERS)
{
    static product_function *const in_amx[TSR_TILE_PRODUCT + 1] = {
        [TSR_TILE_S8S8] = s8s8_product, [TSR_TILE_BF16] = bf16_product, [TSR_TILE_F16] = f16_product};
    product_function *own = how & TSR_TILE_IN_AMX ? in_amx[how & TSR_TILE_PRODUCT] : NULL;
    (own ? own : any_product)(item, ARGUMENTS);
}
