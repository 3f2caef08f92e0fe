/* SPDX-License-Identifier: Apache-2.0
 * Loops over K of many work-groups as one product: A and B are packed once for all loops that share them.
 *
 * Columns of C are taken in blocks whose B, packed, stays in the second cache, in panels of two tiles. For each strip of rows, A is packed
 * into the first cache; then the strip is multiplied by all panels of the block, each with its accumulators in registers for all of K.
 * So C is written once, and a work-group's results do not depend on which others are in its grid. */
#include <string.h>

#include "device-amx/tiles_block.h"

enum {
    WIDE_STRIP = 48,             /* rows, of products that are widened (tiles_wide.c) */
    WIDE_PART = 128,             /* words of K at a time of these: their B stays in the first cache for all rows of a strip */
    TILES_HIGH = 2,              /* in AMX's registers */
    TILE_STEPS = 18,             /* of K at a time, of tiles, at most: A of these takes three quarters of the first cache */
    LEAST_BLOCK_BYTES = 1 << 18, /* of packed B that stay in the second cache, whatever its size */
    MOST_PANELS = 32,
    COMPUTE_TOGETHER = 8, /* steps of a column of B that is computed */
    PACK_TOGETHER = 32,   /* columns of B, of one tile each: two lines of bytes by rows, or eight of words */
};

/* For whose operands there is memory: an even number. */
static int64_t most_steps(const struct tsr_tile_loop *x)
{
    const int64_t of_strip = TSR__GRID_STRIP_BYTES / (TSR_TILE_ROWS * LINE * widening(x)),
                  of_panel = TSR__GRID_PANEL_BYTES / (packed_words(x) * PANEL_LINE);
    return of_strip < of_panel ? of_strip : of_panel;
}

bool tsr__tile_grid_fits(const struct tsr_tile_loop *x)
{
    return x->steps <= most_steps(x);
}

/* ---- packing ---------------------------------------------------------------------------------------------------------------------------
 */

AVX512 static void copy_lines(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned count)
{
    for (unsigned i = 0; i < count; i++, to += to_stride, from += stride)
        _mm512_store_si512(to, _mm512_loadu_si512(from));
}

static void copy_lines_256(char *to, int64_t to_stride, const char *from, int64_t stride, unsigned count)
{
    for (unsigned i = 0; i < count; i++, to += to_stride, from += stride)
        memcpy(to, from, LINE);
}

/* A tile's column of B. */
struct column {
    char *to; /* in a panel */
    const char *from;
    uint32_t tile; /* of its loop */
    bool within;   /* its matrix; else at this place in it */
    struct tsr_tile_matrix at;
};

/* Of a last column that stands alone the one before is the neighbour, whose results go nowhere. */
static struct column find_column(const struct tsr__block *b, int64_t i)
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const int64_t all = g->columns * x->columns, column = b->column + i < all ? b->column + i : all - 1, in_loop = column % x->columns;
    struct column c = {.to = b->panels + i / PANEL * b->words * PANEL_LINE + i % PANEL * LINE,
                       .from = g->b[column / x->columns] + g->first * x->b_step + in_loop * x->b_next,
                       .tile = (uint32_t)in_loop,
                       .within = true};
    if (g->b_at) {
        c.at = g->b_at[column / x->columns];
        c.at.y += g->first * tsr__loop_b_rows(x);
        c.within = tsr__loop_b_is_within(x, &c.at);
        c.at.x += in_loop * x->b_next;
    }
    return c;
}

static void pack_step(const struct column *c, const struct tsr_tile_loop *x, int64_t step, bool wide)
{
    const unsigned words = tsr__loop_words(x);
    int64_t rows = tsr__loop_b_rows(x), bytes = tsr__loop_b_bytes(x), stride = x->b_stride;
    const char *from = c->from + step * x->b_step;
    char *to = c->to + step * packed_words(x) * PANEL_LINE, copy[TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    if (!c->within) {
        struct tsr_tile_matrix now = c->at;
        now.y += step * rows;
        tsr__tile_copy_within(copy, bytes, from, stride, rows, bytes, &now);
        from = copy;
        stride = bytes;
    }
    if (x->how & TSR_TILE_B_COLUMNS && !is_of_nibbles(x)) {
        tsr__tile_pack_rows(copy, LINE, from, stride, (uint32_t)x->how);
        from = copy;
        stride = LINE;
        rows = words;
    }
    if (is_of_halves(x))
        (x->how & TSR_TILE_B_ROWS ? tsr__tile_widen_halves : tsr__tile_widen_words)(to, PANEL_LINE, from, stride, rows);
    else if (is_of_nibbles(x))
        tsr__tile_unpack_b(to, PANEL_LINE, from, stride, (uint32_t)x->how);
    else if (x->how & TSR_TILE_B_ROWS)
        tsr__tile_pack_rows(to, PANEL_LINE, from, stride, (uint32_t)x->how);
    else
        (wide ? copy_lines : copy_lines_256)(to, PANEL_LINE, from, stride, words);
    if (is_tf32(x))
        tsr__tile_cut_lines(to, PANEL_LINE, words);
}

/* The same of some steps of a column that is computed. */
static void compute_steps(const struct column *c, const struct tsr__tile_grid *g, int64_t first, int64_t steps)
{
    const struct tsr_tile_loop *x = g->loop;
    const int64_t words = tsr__loop_words(x), next = packed_words(x) * PANEL_LINE;
    char *to = c->to + first * next, half[COMPUTE_TOGETHER * TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    if (!is_of_halves(x)) {
        x->b_code(c->from, g->first + first, steps, c->tile, to, PANEL_LINE, next);
    } else {
        x->b_code(c->from, g->first + first, steps, c->tile, half, LINE, words * LINE);
        for (int64_t i = 0; i < steps; i++)
            tsr__tile_widen_words(to + i * next, PANEL_LINE, half + i * words * LINE, LINE, words);
    }
    if (is_tf32(x))
        tsr__tile_cut_lines(to, PANEL_LINE, steps * words);
}

/* Step after step of some columns beside each other, as a row of B has lines in common with its neighbours, or follows them in a page. */
static void pack_steps(const struct tsr__block *b, const struct column *columns, int64_t count)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const bool wide = tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F), computed = x->how & TSR_TILE_B_COMPUTED;
    for (int64_t step = 0, steps; step < x->steps; step += steps) {
        steps = !computed ? 1 : x->steps - step < COMPUTE_TOGETHER ? x->steps - step : COMPUTE_TOGETHER;
        for (int64_t i = 0; i < count; i++) {
            if (computed)
                compute_steps(&columns[i], b->grid, step, steps);
            else
                pack_step(&columns[i], x, step, wide);
        }
    }
}

static void pack_panels(const struct tsr__block *b)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t packed = x->steps * packed_words(x);
    struct column columns[PACK_TOGETHER];
    for (int64_t first = 0; first < b->columns; first += PACK_TOGETHER) {
        const int64_t count = b->columns - first < PACK_TOGETHER ? b->columns - first : PACK_TOGETHER;
        for (int64_t i = 0; i < count; i++)
            columns[i] = find_column(b, first + i);
        pack_steps(b, columns, count);
        for (int64_t i = 0; i < count && packed < b->words; i += PANEL)
            memset(columns[i].to + packed * PANEL_LINE, 0, (size_t)(b->words - packed) * PANEL_LINE);
    }
}

/* ---- products that are widened first ----------------------------------------------------------------------------------------------------
 */

/* Does C of so many columns lie as one matrix does, from `to` on? */
static bool lies_in_rows(const struct tsr__block *b, int64_t row, int64_t rows, int64_t column, int64_t columns, const char *to)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            if (!to || row_of_c(b, row + r, column + c) != to + r * b->grid->loop->to_stride + c * LINE)
                return false;
    return true;
}

/* A strip of numbers that are widened as they are packed: a step of those of 4 bits is a line, and of a step of halves each half is one, or
 * all with TSR_TILE_HALF_K. */
static void pack_widened_strip(const struct tsr__block *b, int64_t row, int64_t rows)
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const int64_t all = rows_of_grid(g), in_step = packed_words(x) / TSR__TILE_WORDS;
    for (int64_t r = 0; r < rows; r++) {
        int64_t far;
        const char *from = tsr__block_steps_of_a(b, row + r < all ? row + r : all - 1, 0, x->steps, &far);
        if (is_of_nibbles(x))
            tsr__tile_unpack_a(b->strip + r * LINE, rows * LINE, from, far, x->steps, (uint32_t)x->how);
        for (int64_t i = 0; i < in_step && is_of_halves(x); i++)
            tsr__tile_widen_halves(b->strip + (i * rows + r) * LINE, in_step * rows * LINE, from + i * LINE / 2, far, x->steps);
    }
}

/* A strip of A, line after line of K; a line is two steps of halves. */
static void pack_wide_strip(const struct tsr__block *b, int64_t row, int64_t rows)
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const bool wide = tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F);
    const int64_t all = rows_of_grid(g), bytes = 4 * (int64_t)tsr__loop_words(x), in_line = LINE / bytes;
    for (int64_t r = 0; r < rows; r++) {
        int64_t far;
        const char *from = tsr__block_steps_of_a(b, row + r < all ? row + r : all - 1, 0, x->steps, &far);
        char *to = b->strip + r * LINE;
        const int64_t lines = in_line == 1 || far == bytes ? x->steps / in_line : 0;
        (wide ? copy_lines : copy_lines_256)(to, rows * LINE, from, in_line * far, (unsigned)lines);
        for (int64_t step = lines * in_line; step < x->steps; step++)
            memcpy(to + step / in_line * rows * LINE + step % in_line * bytes, from + step * far, (size_t)bytes);
    }
    if (is_tf32(x))
        tsr__tile_cut_lines(b->strip, LINE, (x->steps + in_line - 1) / in_line * rows);
}

/* Part after part of K, of so many words: the sums are in the loop's tiles in between. */
static void multiply_parts(struct tsr_tile_loop x, int64_t words)
{
    char *const to = x.to;
    const bool zero = x.zero, past = x.past;
    for (int64_t first = 0, count; first < words; first += count) {
        const int64_t left = words - first;
        x.steps = left < WIDE_PART ? left / TSR__TILE_WORDS : WIDE_PART / TSR__TILE_WORDS;
        if (!x.steps) { /* half a line is left */
            x.steps = 1;
            x.how |= TSR_TILE_HALF_K;
        }
        count = x.steps * (int64_t)tsr__loop_words(&x);
        x.to = count == left ? to : NULL;
        x.past = x.to && past;
        x.zero = zero && !first;
        tsr__tile_loop_wide(&x);
        x.a += x.steps * x.a_step;
        x.b += x.steps * x.b_step;
    }
}

static void wide_strip_by_panels(const struct tsr__block *b, int64_t row, int64_t rows)
{
    const struct tsr_tile_loop *of = b->grid->loop;
    const int64_t all = b->grid->columns * of->columns;
    char tiles[WIDE_STRIP / TSR_TILE_ROWS * PANEL][TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    struct tsr_tile_loop x = {.a = b->strip,
                              .a_stride = LINE,
                              .b_stride = PANEL_LINE,
                              .a_step = rows * LINE,
                              .b_step = TSR__TILE_WORDS * PANEL_LINE,
                              .a_next = TSR_TILE_BYTES,
                              .b_next = LINE,
                              .rows = rows / TSR_TILE_ROWS,
                              .tile_rows = TSR_TILE_ROWS,
                              .how = is_tf32(of) || is_of_halves(of) ? TSR_TILE_TF32 | TSR__TILE_IS_CUT : tsr__packed_product(of),
                              .zero = of->zero,
                              .to_stride = of->to_stride};
    (widening(of) > 1 ? pack_widened_strip : pack_wide_strip)(b, row, rows);
    for (unsigned i = 0; i < rows / TSR_TILE_ROWS * PANEL; i++)
        x.c[i] = tiles[i];
    for (int64_t column = b->column; column < b->column + b->columns; column += PANEL) {
        char *to = row_of_c(b, row, column);
        x.columns = all - column < PANEL ? all - column : PANEL;
        x.b = b->panels + (column - b->column) * b->words * LINE;
        x.to = lies_in_rows(b, row, rows, column, x.columns, to) ? to : NULL;
        x.past = x.to ? of->past : 0;
        for (int64_t i = 0; !x.zero && i < rows * x.columns; i++) {
            to = row_of_c(b, row + i / x.columns, column + i % x.columns);
            if (to)
                memcpy(tsr__loop_row(&x, i / x.columns, i % x.columns), to, LINE);
            else
                memset(tsr__loop_row(&x, i / x.columns, i % x.columns), 0, LINE);
        }
        multiply_parts(x, b->words);
        for (int64_t i = 0; !x.to && i < rows * x.columns; i++) {
            to = row_of_c(b, row + i / x.columns, column + i % x.columns);
            if (to)
                memcpy(to, tsr__loop_row(&x, i / x.columns, i % x.columns), LINE);
        }
    }
}

static void wide_strips(const struct tsr__block *b)
{
    const int64_t most =
        b->grid->loop->steps * WIDE_STRIP * LINE * widening(b->grid->loop) <= TSR__GRID_STRIP_BYTES ? WIDE_STRIP : TSR_TILE_ROWS;
    for (int64_t row = 0, left = rows_of_grid(b->grid), rows; left > 0; row += rows, left -= rows) {
        rows = (left + TSR_TILE_ROWS - 1) / TSR_TILE_ROWS * TSR_TILE_ROWS;
        rows = rows < most ? rows : most;
        wide_strip_by_panels(b, row, rows);
    }
}

/* ---- tiles ------------------------------------------------------------------------------------------------------------------------------
 */

/* Two tiles by two of C, in each of so many steps of K. */
struct square {
    struct tsr__tile_rows from[TILES_HIGH][PANEL], to[TILES_HIGH][PANEL];
    bool zero; /* instead of what is at `from` */
};

bool tsr__tile_may_load_b(const struct tsr__tile_grid *g)
{
    const struct tsr_tile_loop *x = g->loop;
    const uint64_t other = TSR_TILE_B_UNPACKED | TSR_TILE_NIBBLES | TSR_TILE_B_EDGES | TSR_TILE_B_COMPUTED | TSR_TILE_HALF_N;
    const int64_t words = tsr__loop_words(x), all = g->columns * x->columns;
    if (!tsr__is_in_tiles(x) || rows_of_grid(g) > TILES_HIGH * TSR_TILE_ROWS || x->how & other || g->b_at || is_tf32(x) || all % PANEL ||
        x->b_step != words * x->b_stride || x->steps * words % TSR__TILE_WORDS)
        return false;
    for (int64_t i = 1; i < all; i += PANEL) {
        const char *before = g->b[(i - 1) / x->columns] + (i - 1) % x->columns * x->b_next;
        if (g->b[i / x->columns] + i % x->columns * x->b_next != before + LINE)
            return false;
    }
    return true;
}

/* Where two tiles of B beside each other begin, from a step of tiles on, and how far its rows are from each other. */
static const char *tiles_of_b(const struct tsr__block *b, int64_t panel, int64_t first, int64_t *stride)
{
    const bool in_place = b->grid->b_in_place;
    *stride = in_place ? b->grid->loop->b_stride : PANEL_LINE;
    return (in_place ? find_column(b, panel * PANEL).from : b->panels + panel * b->words * PANEL_LINE) + first * TSR_TILE_ROWS * *stride;
}

static void multiply_tiles(const struct tsr__block *b, int64_t panel, int64_t first, int64_t steps, const struct square *c)
{
    int64_t stride;
    const char *of_panel = tiles_of_b(b, panel, first, &stride);
    const enum tsr_tile_product product = tsr__packed_product(b->grid->loop);
    if (b->grid->loop->how & TSR_TILE_IN_AMX) {
        tsr__tile_block_amx(b->strip, of_panel, stride, steps, c->zero ? NULL : c->from, c->to, product);
        return;
    }
    for (unsigned i = 0; i < TILES_HIGH * PANEL; i++) {
        const struct tsr__tile_rows *from = &c->from[i / PANEL][i % PANEL], *to = &c->to[i / PANEL][i % PANEL];
        char sum[TSR_TILE_ROWS][LINE] __attribute__((aligned(LINE))) = {0}, of_b[TSR_TILE_ROWS][LINE] __attribute__((aligned(LINE)));
        for (unsigned r = 0; r < TSR_TILE_ROWS && !c->zero; r++)
            memcpy(sum[r], from->at + r * from->stride, LINE);
        for (int64_t step = 0; step < steps; step++) {
            for (int64_t w = 0; w < TSR__TILE_WORDS; w++)
                memcpy(of_b[w], of_panel + (step * TSR__TILE_WORDS + w) * stride + i % PANEL * LINE, LINE);
            tsr__tile_multiply_model(sum, b->strip + (step * TILES_HIGH + i / PANEL) * TSR_TILE_BYTES, of_b, product);
        }
        for (unsigned r = 0; r < TSR_TILE_ROWS; r++)
            memcpy(to->at + r * to->stride, sum[r], LINE);
    }
}

/* Rows of A of a strip: where they are, and those that have to be copied, as they leave their matrix. */
struct strip_rows {
    const char *at[TILES_HIGH * TSR_TILE_ROWS];
    int64_t row;
};

static void find_rows(const struct tsr__block *b, int64_t row, struct strip_rows *rows)
{
    const int64_t all = rows_of_grid(b->grid);
    rows->row = row;
    for (int64_t r = 0; r < TILES_HIGH * TSR_TILE_ROWS; r++)
        rows->at[r] = row_of_a(b, row + r < all ? row + r : all - 1);
}

/* Steps of tiles; those of halves lie beside each other, the other half of the last one is zero. */
static void pack_tiles(const struct tsr__block *b, const struct strip_rows *rows, int64_t first, int64_t count)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t all = b->grid->rows * rows_of_loop(x), words = tsr__loop_words(x), in_line = TSR__TILE_WORDS / packed_words(x),
                  left = x->steps - first * in_line, steps = count * in_line < left ? count * in_line : left;
    const bool wide = tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F);
    for (int64_t r = 0; r < TILES_HIGH * TSR_TILE_ROWS; r++) {
        int64_t far = x->a_step;
        const char *from = rows->at[r] + first * in_line * far;
        char *to = b->strip + r * LINE;
        if (b->grid->a_at || x->how & TSR_TILE_A_COMPUTED)
            from = tsr__block_steps_of_a(b, rows->row + r < all ? rows->row + r : all - 1, first * in_line, steps, &far);
        if (is_of_nibbles(x)) {
            tsr__tile_unpack_a(to, TILES_HIGH * TSR_TILE_BYTES, from, far, steps, (uint32_t)x->how);
            continue;
        }
        const int64_t lines = in_line == 1 || far == words * 4 ? steps / in_line : 0;
        (wide ? copy_lines : copy_lines_256)(to, TILES_HIGH * TSR_TILE_BYTES, from, in_line * far, (unsigned)lines);
        if (lines == count)
            continue;
        memset(to + (count - 1) * TILES_HIGH * TSR_TILE_BYTES, 0, LINE);
        for (int64_t step = lines * in_line; step < steps; step++)
            memcpy(to + step / in_line * TILES_HIGH * TSR_TILE_BYTES + step % in_line * words * 4, from + step * far, (size_t)words * 4);
    }
}

/* Where a tile of C begins, if all of it is there and lies as one; else NULL. */
static char *whole_tile(const struct tsr__block *b, int64_t row, int64_t column)
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const int64_t of_loop = rows_of_loop(x), grid_column = quotient(column, b->by_columns);
    int64_t grid_row = quotient(row, b->by_rows);
    char *to = row_of_c(b, row, column);
    const char *same = to ? to - (row - grid_row * of_loop) * x->to_stride - (column - grid_column * x->columns) * LINE : NULL;
    for (int64_t end = row + TSR_TILE_ROWS; to && grid_row * of_loop < end; grid_row++, same += of_loop * x->to_stride)
        if (grid_row >= g->rows || g->to[grid_row * g->columns + grid_column] != same)
            return NULL;
    return to;
}

AVX512 static void copy_past(char *to, int64_t stride, const char *from, unsigned rows)
{
    for (unsigned r = 0; r < rows; r++)
        _mm512_stream_si512((void *)(to + r * stride), _mm512_load_si512(from + r * LINE));
}

/* Between a tile aside and C, whose rows lie in several places. */
static void load_aside(const struct tsr__block *b, char *aside, int64_t row, int64_t column)
{
    for (int64_t r = 0; r < TSR_TILE_ROWS; r++) {
        const char *from = row_of_c(b, row + r, column);
        if (from)
            memcpy(aside + r * LINE, from, LINE);
    }
}

static void store_aside(const struct tsr__block *b, const char *aside, int64_t row, int64_t column, bool past)
{
    char *whole = past ? whole_tile(b, row, column) : NULL;
    if (whole)
        copy_past(whole, b->grid->loop->to_stride, aside, TSR_TILE_ROWS);
    for (int64_t r = 0; r < TSR_TILE_ROWS && !whole; r++) {
        char *to = row_of_c(b, row + r, column);
        if (to && past)
            copy_past(to, LINE, aside + r * LINE, 1);
        else if (to)
            memcpy(to, aside + r * LINE, LINE);
    }
}

/* Where the tiles of C lie in the end, or aside those that do not lie as one. */
static void find_tiles(const struct tsr__block *b, int64_t row, int64_t column, char aside[TILES_HIGH][PANEL][TSR_TILE_BYTES],
                       struct tsr__tile_rows to[TILES_HIGH][PANEL])
{
    for (int64_t i = 0; i < TILES_HIGH; i++)
        for (int64_t j = 0; j < PANEL; j++) {
            char *at = b->grid->loop->past ? NULL : whole_tile(b, row + i * TSR_TILE_ROWS, column + j);
            to[i][j] = at ? (struct tsr__tile_rows){at, b->grid->loop->to_stride} : (struct tsr__tile_rows){aside[i][j], LINE};
        }
}

/* Sums of a panel between two parts of K. */
static void find_sums(const struct tsr__block *b, int64_t panel, struct tsr__tile_rows to[TILES_HIGH][PANEL])
{
    char *sums = b->strip + TILE_STEPS * TILES_HIGH * TSR_TILE_BYTES;
    for (int64_t i = 0; i < TILES_HIGH * PANEL; i++)
        to[i / PANEL][i % PANEL] = (struct tsr__tile_rows){sums + (panel * TILES_HIGH * PANEL + i) * TSR_TILE_BYTES, LINE};
}

/* A part of K, in steps. */
static void tiles_by_panels(const struct tsr__block *b, int64_t row, int64_t first, int64_t count)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const bool past = x->past && tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F), last = first + count == b->words / TSR__TILE_WORDS;
    char aside[TILES_HIGH][PANEL][TSR_TILE_BYTES] __attribute__((aligned(LINE))) = {0};
    for (int64_t panel = 0; panel < b->columns / PANEL; panel++) {
        const int64_t column = b->column + panel * PANEL;
        struct square c = {.zero = x->zero && !first};
        find_sums(b, panel, c.from);
        find_sums(b, panel, c.to);
        if (!first && !x->zero)
            find_tiles(b, row, column, aside, c.from);
        if (last)
            find_tiles(b, row, column, aside, c.to);
        for (int64_t i = 0; i < TILES_HIGH * PANEL; i++)
            if (!first && !x->zero && c.from[i / PANEL][i % PANEL].at == aside[i / PANEL][i % PANEL])
                load_aside(b, aside[i / PANEL][i % PANEL], row + i / PANEL * TSR_TILE_ROWS, column + i % PANEL);
        multiply_tiles(b, panel, first, count, &c);
        for (int64_t i = 0; i < TILES_HIGH * PANEL; i++)
            if (last && c.to[i / PANEL][i % PANEL].at == aside[i / PANEL][i % PANEL])
                store_aside(b, aside[i / PANEL][i % PANEL], row + i / PANEL * TSR_TILE_ROWS, column + i % PANEL, past);
    }
}

/* A part of K of a strip of A stays in the first cache, while those of B come from the second one, past the first. */
static void tile_strips(const struct tsr__block *b)
{
    const int64_t steps = b->words / TSR__TILE_WORDS, parts = (steps + TILE_STEPS - 1) / TILE_STEPS, most = (steps + parts - 1) / parts;
    struct strip_rows rows;
    for (int64_t row = 0; row < rows_of_grid(b->grid); row += TILES_HIGH * TSR_TILE_ROWS) {
        find_rows(b, row, &rows);
        for (int64_t first = 0, count; first < steps; first += count) {
            count = steps - first < most ? steps - first : most;
            pack_tiles(b, &rows, first, count);
            tiles_by_panels(b, row, first, count);
        }
    }
}

/* Half of the second cache. Products that are all widened take long enough for each line of B, so it may come from the third. */
uint64_t tsr__tile_grid_best_b(void)
{
    const int64_t most = TSR__GRID_PANEL_BYTES, half = tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F) ? tsr_cpu()->l2_size / 2 : most;
    return (uint64_t)(half < LEAST_BLOCK_BYTES ? LEAST_BLOCK_BYTES : half < most ? half : most);
}

/* ---- either way -------------------------------------------------------------------------------------------------------------------------
 */

static void multiply_chunk(const struct tsr__tile_grid *g)
{
    __m512i corrections[MOST_PANELS][PANEL];
    const enum tsr_tile_product product = tsr__packed_product(g->loop);
    const bool tiles = tsr__is_in_tiles(g->loop);
    struct tsr__block b = {.grid = g,
                           .words = g->loop->steps * packed_words(g->loop),
                           .panels = g->memory,
                           .strip = g->memory + TSR__GRID_PANEL_BYTES,
                           .corrections = corrections};
    b.by_rows = reciprocal(rows_of_loop(g->loop));
    b.by_columns = reciprocal(g->loop->columns);
    b.words = tiles ? (b.words + TSR__TILE_WORDS - 1) / TSR__TILE_WORDS * TSR__TILE_WORDS : b.words;
    const int64_t all = g->columns * g->loop->columns, fit = (int64_t)tsr__tile_grid_best_b() / (b.words * PANEL_LINE);
    const int64_t most = PANEL * (fit < 1 ? 1 : fit < MOST_PANELS ? fit : MOST_PANELS);
    for (b.column = 0; b.column < all; b.column += b.columns) {
        b.columns = all - b.column < most ? (all - b.column + PANEL - 1) / PANEL * PANEL : most;
        if (!g->b_in_place && (!g->has_packed_b || all > most))
            pack_panels(&b);
        if (tiles)
            tile_strips(&b);
        else if (tsr__tile_is_wide(product))
            wide_strips(&b);
        else
            tsr__block_multiply_strips(&b, product);
    }
}

/* A chunk of K after the other: each adds to what the last one has stored. */
void tsr__tile_grid_multiply(const struct tsr__tile_grid *g)
{
    const int64_t most = most_steps(g->loop);
    struct tsr_tile_loop part = *g->loop;
    struct tsr__tile_grid now = *g;
    now.loop = &part;
    now.has_packed_b = g->has_packed_b && g->loop->steps <= most;
    part.past = g->loop->past && g->loop->steps <= most;
    tsr__grid_forget_computed_rows(g);
    for (; now.first < g->loop->steps; now.first += part.steps) {
        part.steps = g->loop->steps - now.first < most ? g->loop->steps - now.first : most;
        part.zero = g->loop->zero && !now.first;
        multiply_chunk(&now);
    }
}
