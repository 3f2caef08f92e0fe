/* SPDX-License-Identifier: Apache-2.0
 * A block of columns of a grid of loops over K (tiles_grid.c): where its rows of A and of C lie. */
#ifndef TESSERA_TILES_BLOCK_H
#define TESSERA_TILES_BLOCK_H

#include <string.h>

#include "device-amx/tiles_dot.h"
#include "tessera/base.h"

enum {
    LINE = TSR_TILE_ROW_BYTES,
    PANEL = 2,                 /* tiles beside each other */
    PANEL_LINE = PANEL * LINE, /* a word of K of all columns of a panel */
};

/* A segment of K of a grid, as a grid. */
struct tsr__tile_segment {
    struct tsr__tile_grid grid;
    struct tsr_tile_loop loop;
};

static inline void tsr__grid_segment(const struct tsr__tile_grid *g, int64_t i, struct tsr__tile_segment *s)
{
    s->loop = *g->loop;
    s->grid = *g;
    s->loop.steps = g->segment_steps[i];
    s->grid.loop = &s->loop;
    s->grid.segments = 0;
    s->grid.a += i * g->rows;
    s->grid.b += i * g->columns;
}

/* A block of columns, packed. */
struct tsr__block {
    const struct tsr__tile_grid *grid;
    int64_t column, columns; /* tiles */
    int64_t words;           /* of K, in tiles a multiple of 16 */
    char *panels, *strip;
    int64_t sums;                  /* of K, that stay apart, one behind the other */
    __m512i (*corrections)[PANEL]; /* of each sum of each panel, for bytes of one signedness */
    uint64_t by_rows, by_columns;  /* reciprocals of the rows and of the tiles beside each other of a loop */
};

static inline bool is_tf32(const struct tsr_tile_loop *x)
{
    return (x->how & TSR_TILE_PRODUCT) == TSR_TILE_TF32;
}

/* Halves that vectors multiply are packed as floats. */
static inline bool is_of_halves(const struct tsr_tile_loop *x)
{
    return (x->how & TSR_TILE_PRODUCT) == TSR_TILE_F16 && !tsr__is_in_tiles(x);
}

/* Numbers of 4 bits are packed as bytes. */
static inline bool is_of_nibbles(const struct tsr_tile_loop *x)
{
    return x->how & TSR_TILE_NIBBLES;
}

/* How many times as long K is once it is packed. */
static inline int64_t widening(const struct tsr_tile_loop *x)
{
    return is_of_halves(x) || is_of_nibbles(x) ? 2 : 1;
}

/* Words of K in a step, packed. */
static inline int64_t packed_words(const struct tsr_tile_loop *x)
{
    return (int64_t)tsr__loop_words(x) * widening(x);
}

/* ---- where ---- */

static inline int64_t rows_of_grid(const struct tsr__tile_grid *g)
{
    return g->rows * tsr__loop_rows(g->loop);
}

/* Quotients without the processor's division, as there are many for each block of C. The product of number and divisor is below 2^32. */
static inline uint64_t reciprocal(int64_t divisor)
{
    return (UINT64_C(1) << 32) / (uint64_t)divisor + 1;
}

static inline int64_t quotient(int64_t number, uint64_t by)
{
    return (int64_t)((uint64_t)number * by >> 32);
}

/* A row of A, counted through all rows of the grid. Loops of several tiles of rows have whole ones. */
static inline const char *row_of_a(const struct tsr__block *b, int64_t row)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t in_grid = quotient(row, b->by_rows), in_loop = row - in_grid * tsr__loop_rows(x),
                  tile = x->rows > 1 ? in_loop / TSR_TILE_ROWS : 0;
    return b->grid->a[in_grid] + b->grid->first * x->a_step + tile * x->a_next + (in_loop - tile * TSR_TILE_ROWS) * x->a_stride;
}

/* A row of A from a step on, and how far it is to the next one. Where the row leaves its matrix, or is computed, `steps`
 * steps from `first` on are copied to the block's own memory. */
const char *tsr__block_steps_of_a(const struct tsr__block *b, int64_t row, int64_t first, int64_t steps, int64_t *far);
/* Packs some steps of a row of A as lines of tiles, which are `pitch` bytes apart, behind `packed` steps. */
void tsr__block_pack_row(const struct tsr__block *b, int64_t row, int64_t first, int64_t steps, char *to, int64_t pitch, int64_t packed);
/* What the grid's memory holds is not of this grid yet. */
void tsr__grid_forget_computed_rows(const struct tsr__tile_grid *g);

/* Do words of A follow each other in memory through all steps, as the products take them? */
static inline bool has_plain_rows_of_a(const struct tsr__block *b)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    return !b->grid->a_at && !(x->how & (TSR_TILE_A_COMPUTED | TSR_TILE_A_COLUMNS)) && !is_of_nibbles(x) &&
           x->a_step == 4 * (int64_t)tsr__loop_words(x);
}

/* Where a column of tiles of B begins, counted through all columns of the grid. */
static inline const char *column_of_b(const struct tsr__tile_grid *g, int64_t column)
{
    const struct tsr_tile_loop *x = g->loop;
    return g->b[column / x->columns] + g->first * x->b_step + column % x->columns * x->b_next;
}

/* A row of C, or 16 columns of it: in which row, or column, of the grid's loops, and how far behind the start of that one's C. */
struct place {
    int64_t grid, offset;
};

static inline struct place place_of_row(const struct tsr__block *b, int64_t row)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t grid_row = quotient(row, b->by_rows);
    return (struct place){grid_row, (row - grid_row * tsr__loop_rows(x)) * x->to_stride};
}

static inline struct place place_of_column(const struct tsr__block *b, int64_t column)
{
    const int64_t grid_column = quotient(column, b->by_columns);
    return (struct place){grid_column, (column - grid_column * b->grid->loop->columns) * LINE};
}

/* NULL: nowhere. */
static inline char *at_places(const struct tsr__tile_grid *g, struct place row, struct place column)
{
    if (row.grid >= g->rows || column.grid >= g->columns)
        return NULL;
    char *to = g->to[row.grid * g->columns + column.grid];
    return to ? to + g->sum + row.offset + column.offset : NULL;
}

/* Where 16 columns of a row of C go; NULL: nowhere. */
static inline char *row_of_c(const struct tsr__block *b, int64_t row, int64_t column)
{
    return at_places(b->grid, place_of_row(b, row), place_of_column(b, column));
}

AVX512 static inline void copy_lines_512(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned count)
{
    for (unsigned i = 0; i < count; i++, to += to_stride, from += stride)
        _mm512_store_si512(to, _mm512_loadu_si512(from));
}

/* To lines of 64 bytes, a multiple of 64 apart. */
static inline void copy_lines(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned count)
{
    if (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F)) {
        copy_lines_512(to, to_stride, from, stride, count);
        return;
    }
    for (unsigned i = 0; i < count; i++, to += to_stride, from += stride)
        memcpy(to, from, LINE);
}

/* All rows of the block times all its columns by the instructions that multiply bytes or bfloat16, A's strips packed one after the other
 * (tiles_strips.c); and the same in AMX's registers, or in the model of them (tiles_squares.c). */
void tsr__block_multiply_strips(const struct tsr__block *b, enum tsr_tile_product product);
void tsr__block_multiply_squares(const struct tsr__block *b);
/* The grid's few rows times all its columns, which are not packed. */
void tsr__block_multiply_turned(const struct tsr__block *b);

#endif
