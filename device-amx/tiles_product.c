/* SPDX-License-Identifier: Apache-2.0
 * Products of whole matrices of any sizes: one loop over K that has all tiles of C, or, where the matrices fill tiles, loops that wait for
 * those of other work-groups. */
#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

enum {
    MOST_TILES = 1 << 11, /* of rows, or of columns, of a loop: no place in C is too far for the grid's arithmetic */
    SIDE = 4,             /* tiles, of a loop that waits */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t tiles_of(int64_t size)
{
    return (size + TSR_TILE_ROWS - 1) / TSR_TILE_ROWS;
}

/* The part of the product that begins with these tiles of rows and columns, and has as many of these. */
static struct tsr_tile_loop part_of(const struct tsr_tile_loop *all, int64_t row, int64_t column, int64_t rows, int64_t columns)
{
    struct tsr_tile_loop x = *all;
    x.rows = rows;
    x.columns = columns;
    x.a += row * x.a_next;
    x.b += column * x.b_next;
    x.to += row * TSR_TILE_ROWS * x.to_stride + column * TSR_TILE_ROW_BYTES;
    if (x.how & TSR_TILE_A_COLUMNS)
        x.a_matrix.x += row * x.a_next;
    else
        x.a_matrix.y += row * TSR_TILE_ROWS;
    if (x.how & TSR_TILE_B_COLUMNS)
        x.b_matrix.y += column * TSR_TILE_ROWS;
    else
        x.b_matrix.x += column * x.b_next;
    return x;
}

/* `rows`, and `bytes` of each, are left of C; 0: all tiles are whole. */
static void multiply_now(const struct tsr_tile_loop *x, int64_t rows, int64_t bytes, char *memory)
{
    const bool edges = x->how & (TSR_TILE_A_EDGES | TSR_TILE_B_EDGES);
    tsr__tile_grid_multiply(&(struct tsr__tile_grid){.loop = x,
                                                     .rows = 1,
                                                     .columns = 1,
                                                     .a = &x->a,
                                                     .b = &x->b,
                                                     .a_at = x->how & TSR_TILE_A_EDGES ? &x->a_matrix : NULL,
                                                     .b_at = x->how & TSR_TILE_B_EDGES ? &x->b_matrix : NULL,
                                                     .to = &x->to,
                                                     .c_rows = edges ? rows : 0,
                                                     .c_bytes = edges ? bytes : 0,
                                                     .memory = memory});
}

/* All parts of the product wait, or none. */
static bool all_wait(struct tsr__run *run, const struct tsr_tile_loop *all)
{
    for (int64_t row = 0; row < all->rows; row += SIDE)
        for (int64_t column = 0; column < all->columns; column += SIDE) {
            const struct tsr_tile_loop x =
                part_of(all, row, column, least(SIDE, all->rows - row), least(SIDE, all->columns - column));
            if (!tsr__tile_loop_waits(run, &x)) {
                if (row || column)
                    tsr__tile_loops_end(run);
                return false;
            }
        }
    return true;
}

static void clear(char *c, int64_t stride, int64_t rows, size_t bytes)
{
    for (int64_t r = 0; r < rows; r++)
        memset(c + r * stride, 0, bytes);
}

void tsr__matrix_product(struct tsr_item *item, const void *a, const void *b, void *c, int64_t a_stride, int64_t b_stride, int64_t c_stride,
                         int64_t rows, int64_t columns, int64_t depth, uint32_t how)
{
    struct tsr__run *run = ((struct tsr__work_item *)item)->run;
    struct tsr_tile_loop x = {.a = a, .b = b, .to = c, .to_stride = c_stride, .tile_rows = TSR_TILE_ROWS, .zero = !(how & TSR_TILE_ADDS)};
    x.how = how;
    const int64_t in_word = tsr__loop_in_word(&x), bytes = 4 / in_word, in_step = TSR__TILE_WORDS * in_word;
    const bool by_columns = how & TSR_TILE_A_COLUMNS, b_columns = how & TSR_TILE_B_COLUMNS;
    if (rows <= 0 || columns <= 0)
        return;
    if (depth <= 0) {
        if (x.zero)
            clear(c, c_stride, rows, (size_t)columns * 4);
        return;
    }
    x.a_stride = by_columns ? bytes : a_stride;
    x.a_next = TSR_TILE_ROWS * x.a_stride;
    x.a_step = by_columns ? in_step * a_stride : TSR_TILE_ROW_BYTES;
    x.b_stride = b_stride;
    x.b_next = TSR_TILE_ROWS * (b_columns ? b_stride : bytes);
    x.b_step = b_columns ? TSR_TILE_ROW_BYTES : in_step * b_stride;
    x.a_matrix = (struct tsr_tile_matrix){.width = (by_columns ? rows : depth) * bytes, .height = by_columns ? depth : rows};
    x.b_matrix = (struct tsr_tile_matrix){.width = (b_columns ? depth : columns) * bytes, .height = b_columns ? columns : depth};
    x.steps = (depth + in_step - 1) / in_step;
    x.rows = tiles_of(rows);
    x.columns = tiles_of(columns);
    if (!b_columns)
        x.how |= TSR_TILE_B_ROWS;
    const bool whole = !((rows | columns) % TSR_TILE_ROWS) && !(depth % in_step);
    if (whole && !by_columns && how & TSR_TILE_MAY_WAIT && all_wait(run, &x))
        return;
    char *memory = tsr_worker_scratch(run->seat, TSR__SCRATCH_PRODUCT, TSR__GRID_BYTES);
    if (!memory) {
        tsr__launch_fail(run->launch, NULL);
        return;
    }
    if (!whole)
        x.how |= TSR_TILE_A_EDGES | TSR_TILE_B_EDGES;
    for (int64_t row = 0; row < x.rows; row += MOST_TILES)
        for (int64_t column = 0; column < x.columns; column += MOST_TILES) {
            const struct tsr_tile_loop part =
                part_of(&x, row, column, least(MOST_TILES, x.rows - row), least(MOST_TILES, x.columns - column));
            multiply_now(&part, rows - row * TSR_TILE_ROWS, (columns - column * TSR_TILE_ROWS) * 4, memory);
        }
}
