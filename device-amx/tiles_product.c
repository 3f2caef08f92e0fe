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
            const struct tsr_tile_loop x = part_of(all, row, column, least(SIDE, all->rows - row), least(SIDE, all->columns - column));
            if (!tsr__tile_loop_waits(run, &x)) {
                if (row || column)
                    tsr__tile_loops_end(run);
                return false;
            }
        }
    return true;
}

/* ---- small products ---- */

enum {
    MOST_SMALL = 16, /* tiles of B: they stay in the first cache, and on the stack */
    MOST_STEPS = 4,
    PANEL_LINE = 2 * TSR_TILE_ROW_BYTES,
    STEP_BYTES = 2 * TSR_TILE_BYTES, /* of a panel */
};

/* Rows of C, and bytes of each. */
struct sizes {
    int64_t rows, c_bytes;
};

static bool is_small(const struct tsr_tile_loop *x)
{
    return x->steps <= MOST_STEPS && (x->columns + 1) / 2 * 2 * x->steps <= MOST_SMALL;
}

/* All tiles of B, in panels of two beside each other. */
static void pack_small_b(const struct tsr_tile_loop *x, char *panels)
{
    const bool by_columns = x->how & TSR_TILE_B_COLUMNS;
    const int64_t down = by_columns ? TSR_TILE_ROWS : 0, right = by_columns ? 0 : x->b_next;
    for (int64_t column = 0; column < x->columns; column++)
        for (int64_t step = 0; step < x->steps; step++) {
            const int64_t row = column * down + (by_columns ? 0 : step * tsr__loop_b_rows(x)),
                          at = column * right + (by_columns ? step * x->b_step : 0);
            tsr__tile_pack_within(panels + (column / 2 * x->steps + step) * STEP_BYTES + column % 2 * TSR_TILE_ROW_BYTES, PANEL_LINE,
                                  x->b + column * x->b_next + step * x->b_step, x->b_stride, x->b_matrix.height - row,
                                  x->b_matrix.width - at, (uint32_t)x->how);
        }
}

/* Both tiles of A of a step, under each other, step after step. */
static void pack_small_a(const struct tsr_tile_loop *x, int64_t row, char *tiles)
{
    const uint32_t product = x->how & (TSR_TILE_PRODUCT | TSR_TILE_IN_AMX | TSR_TILE_IN_MODEL);
    const int64_t in_step = TSR__TILE_WORDS * tsr__loop_in_word(x);
    char words[TSR_TILE_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES)));
    for (int64_t step = 0; step < x->steps; step++)
        for (int64_t tile = row; tile < row + 2 && tile < x->rows; tile++) {
            char *to = tiles + (2 * step + tile - row) * TSR_TILE_BYTES;
            const char *from = x->a + tile * x->a_next + step * x->a_step;
            if (x->how & TSR_TILE_A_COLUMNS) {
                tsr__tile_pack_within(words, TSR_TILE_ROW_BYTES, from, x->a_step / in_step, x->a_matrix.height - step * in_step,
                                      x->a_matrix.width - tile * x->a_next, product);
                tsr__tile_pack_rows(to, TSR_TILE_ROW_BYTES, words, TSR_TILE_ROW_BYTES, product | TSR_TILE_B_COLUMNS);
            } else {
                const struct tsr_tile_matrix at = {step * x->a_step, tile * TSR_TILE_ROWS, x->a_matrix.width, x->a_matrix.height};
                tsr__tile_copy_within(to, TSR_TILE_ROW_BYTES, from, x->a_stride, TSR_TILE_ROWS, TSR_TILE_ROW_BYTES, &at);
            }
        }
}

/* Between a tile of C, `at` of which is there, and one aside. */
static void copy_of_c(const struct tsr_tile_loop *x, int64_t row, int64_t column, const struct sizes *all, char *aside, bool back)
{
    char *c = x->to + row * TSR_TILE_ROWS * x->to_stride + column * TSR_TILE_ROW_BYTES;
    const int64_t rows = least(all->rows - row * TSR_TILE_ROWS, TSR_TILE_ROWS), bytes = all->c_bytes - column * TSR_TILE_ROW_BYTES;
    const struct tsr_tile_matrix there = {0, 0, bytes, rows};
    if (row >= x->rows || column >= x->columns)
        return;
    if (!back)
        tsr__tile_copy_within(aside, TSR_TILE_ROW_BYTES, c, x->to_stride, TSR_TILE_ROWS, TSR_TILE_ROW_BYTES, &there);
    else
        tsr__tile_copy_within(c, x->to_stride, aside, TSR_TILE_ROW_BYTES, rows, least(bytes, TSR_TILE_ROW_BYTES), &there);
}

/* A and B on the stack, and no more arithmetic on places than they need: what a large product does once takes longer than these. */
static void multiply_small(const struct tsr_tile_loop *x, const struct sizes *all)
{
    char panels[MOST_SMALL * TSR_TILE_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES)));
    char strip[2 * MOST_STEPS * TSR_TILE_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES)));
    char aside[2][2][TSR_TILE_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES)));
    const bool plain = !(x->how & TSR_TILE_A_COLUMNS) && x->a_matrix.width == x->steps * TSR_TILE_ROW_BYTES;
    pack_small_b(x, panels);
    for (int64_t row = 0; row < x->rows; row += 2) {
        const bool down = row + 1 < x->rows, in_place = plain && (row + 1 + down) * TSR_TILE_ROWS <= all->rows;
        struct tsr__tile_square s = {.steps = x->steps, .rows = 1 + down, .zero = x->zero, .b_stride = PANEL_LINE};
        if (!in_place)
            pack_small_a(x, row, strip);
        s.a = in_place ? x->a + row * x->a_next : strip;
        s.a_stride = in_place ? x->a_stride : TSR_TILE_ROW_BYTES;
        s.a_next = in_place ? x->a_next : TSR_TILE_BYTES;
        s.a_step = in_place ? x->a_step : 2 * TSR_TILE_BYTES;
        for (int64_t column = 0; column < x->columns; column += 2) {
            bool whole[2][2];
            s.b = panels + column / 2 * x->steps * STEP_BYTES;
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) {
                    whole[i][j] = (row + i + 1) * TSR_TILE_ROWS <= all->rows && (column + j + 1) * TSR_TILE_ROW_BYTES <= all->c_bytes;
                    s.to[i][j] =
                        whole[i][j]
                            ? (struct tsr__tile_rows){x->to + (row + i) * TSR_TILE_ROWS * x->to_stride + (column + j) * TSR_TILE_ROW_BYTES,
                                                      x->to_stride}
                            : (struct tsr__tile_rows){aside[i][j], TSR_TILE_ROW_BYTES};
                    s.from[i][j] = s.to[i][j];
                    if (!whole[i][j] && !x->zero)
                        copy_of_c(x, row + i, column + j, all, aside[i][j], false);
                }
            tsr__tile_square(&s, x);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    if (!whole[i][j])
                        copy_of_c(x, row + i, column + j, all, aside[i][j], true);
        }
    }
}

/* ---- all of them ---- */

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
    const bool shares = atomic_load_explicit(&run->launch->entry->loop_size[0], memory_order_relaxed) != TSR__LOOPS_DO_NOT_WAIT;
    if (shares && whole && !by_columns && how & TSR_TILE_MAY_WAIT && all_wait(run, &x))
        return;
    if (is_small(&x)) {
        multiply_small(&x, &(struct sizes){rows, columns * 4});
        return;
    }
    char *memory = tsr_worker_scratch(run->seat, TSR__SCRATCH_PRODUCT, TSR__GRID_BYTES);
    if (!memory) {
        tsr__launch_fail(run->launch, NULL);
        return;
    }
    if (!whole)
        x.how |= TSR_TILE_A_EDGES | TSR_TILE_B_EDGES;
    const int64_t most_steps = by_columns && x.columns > MANY_COLUMNS ? STEPS_BY_COLUMNS : x.steps;
    for (int64_t row = 0; row < x.rows; row += MOST_TILES)
        for (int64_t column = 0; column < x.columns; column += MOST_TILES)
            for (int64_t first = 0; first < x.steps; first += most_steps) {
                const struct tsr_tile_loop some = steps_of(&x, first, least(most_steps, x.steps - first)),
                                           part = part_of(&some, row, column, least(MOST_TILES, x.rows - row),
                                                          least(MOST_TILES, x.columns - column));
                multiply_now(&part, rows - row * TSR_TILE_ROWS, (columns - column * TSR_TILE_ROWS) * 4, memory);
            }
}
