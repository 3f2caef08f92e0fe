/* SPDX-License-Identifier: Apache-2.0
 * Products of whole matrices of any sizes: one loop over K that has all tiles of C, or, where the matrices fill tiles, loops that wait for
 * those of other work-groups. */
#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

enum {
    MOST_TILES = 1 << 11, /* of rows, or of columns, of a loop: no place in C is too far for the grid's arithmetic */
    SIDE = 4,             /* tiles, of a loop that waits */
    /* An A by columns takes longer to pack than sums to store and load: for so many columns of tiles, no more steps are made at a time than
     * leave room for the packed B of as many. */
    MANY_COLUMNS = 32,
    STEPS_BY_COLUMNS = 16,
};

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

/* So many steps of the product from this one on, the first of which begin with zeros if it does. */
static struct tsr_tile_loop steps_of(const struct tsr_tile_loop *all, int64_t first, int64_t steps)
{
    const int64_t in_step = TSR__TILE_WORDS * tsr__loop_in_word(all);
    struct tsr_tile_loop x = *all;
    x.steps = steps;
    x.zero = all->zero && !first;
    x.a += first * x.a_step;
    x.b += first * x.b_step;
    if (x.how & TSR_TILE_A_COLUMNS)
        x.a_matrix.y += first * in_step;
    else
        x.a_matrix.x += first * x.a_step;
    if (x.how & TSR_TILE_B_COLUMNS)
        x.b_matrix.x += first * x.b_step;
    else
        x.b_matrix.y += first * in_step;
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
                part_of(all, row, column, tsr__tile_least(SIDE, all->rows - row), tsr__tile_least(SIDE, all->columns - column));
            if (!tsr__tile_loop_waits(run, &x)) {
                if (row || column)
                    tsr__tile_loops_end(run);
                return false;
            }
        }
    return true;
}

/* ---- all of them ---- */

static void clear(char *c, int64_t stride, int64_t rows, size_t bytes)
{
    for (int64_t r = 0; r < rows; r++)
        memset(c + r * stride, 0, bytes);
}

/* May the product be made later, with those of other work-groups? */
static bool may_wait(struct tsr__run *run, int64_t rows, int64_t columns, int64_t depth, uint32_t how)
{
    const int64_t in_step = TSR__TILE_WORDS * tsr__tile_in_word(how);
    return how & TSR_TILE_MAY_WAIT && !((rows | columns) % TSR_TILE_ROWS) && !(depth % in_step) && !(how & TSR_TILE_A_COLUMNS) &&
           atomic_load_explicit(&run->launch->entry->loop_size[0], memory_order_relaxed) != TSR__LOOPS_DO_NOT_WAIT;
}

__attribute__((noinline)) static void make_product(struct tsr_item *item, const void *a, const void *b, void *c, int64_t a_stride,
                                                   int64_t b_stride, int64_t c_stride, int64_t rows, int64_t columns, int64_t depth,
                                                   uint32_t how)
{
    struct tsr__run *run = ((struct tsr__work_item *)item)->run;
    struct tsr_tile_loop x = {.a = a, .b = b, .to = c, .to_stride = c_stride, .tile_rows = TSR_TILE_ROWS, .zero = !(how & TSR_TILE_ADDS)};
    x.how = how;
    const int64_t in_word = tsr__tile_in_word(how), bytes = 4 / in_word, in_step = TSR__TILE_WORDS * in_word;
    const bool by_columns = how & TSR_TILE_A_COLUMNS, b_columns = how & TSR_TILE_B_COLUMNS;
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
    if (may_wait(run, rows, columns, depth, how) && all_wait(run, &x))
        return;
    if (tsr__product_is_small(columns, depth, how)) {
        tsr__product_small(item, a, b, c, a_stride, b_stride, c_stride, rows, columns, depth, how);
        return;
    }
    char *memory = tsr_worker_scratch(run->seat, TSR__SCRATCH_PRODUCT, TSR__GRID_BYTES);
    if (!memory) {
        tsr__launch_fail(run->launch, NULL);
        return;
    }
    if ((rows | columns) % TSR_TILE_ROWS || depth % in_step)
        x.how |= TSR_TILE_A_EDGES | TSR_TILE_B_EDGES;
    const int64_t most_steps = by_columns && x.columns > MANY_COLUMNS ? STEPS_BY_COLUMNS : x.steps;
    for (int64_t row = 0; row < x.rows; row += MOST_TILES)
        for (int64_t column = 0; column < x.columns; column += MOST_TILES)
            for (int64_t first = 0; first < x.steps; first += most_steps) {
                const struct tsr_tile_loop some = steps_of(&x, first, tsr__tile_least(most_steps, x.steps - first)),
                                           part = part_of(&some, row, column, tsr__tile_least(MOST_TILES, x.rows - row),
                                                          tsr__tile_least(MOST_TILES, x.columns - column));
                multiply_now(&part, rows - row * TSR_TILE_ROWS, (columns - column * TSR_TILE_ROWS) * 4, memory);
            }
}

/* Small products come in large numbers, so nothing is done for them here. */
void tsr__matrix_product(struct tsr_item *item, const void *a, const void *b, void *c, int64_t a_stride, int64_t b_stride, int64_t c_stride,
                         int64_t rows, int64_t columns, int64_t depth, uint32_t how)
{
    if (rows <= 0 || columns <= 0)
        return;
    if (depth <= 0) {
        if (!(how & TSR_TILE_ADDS))
            clear(c, c_stride, rows, (size_t)columns * 4);
    } else if (tsr__product_is_small(columns, depth, how) && !may_wait(((struct tsr__work_item *)item)->run, rows, columns, depth, how)) {
        tsr__product_small(item, a, b, c, a_stride, b_stride, c_stride, rows, columns, depth, how);
    } else {
        make_product(item, a, b, c, a_stride, b_stride, c_stride, rows, columns, depth, how);
    }
}
