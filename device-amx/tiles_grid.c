/* SPDX-License-Identifier: Apache-2.0
 * Loops over K of many work-groups as one product: A and B are packed once for all loops that share them.
 *
 * Columns of C are taken in blocks whose B, packed, stays in the second cache, in panels of two tiles. For each strip of rows, A is packed
 * into the first cache; then the strip is multiplied by all panels of the block, each with its accumulators in registers for all of K.
 * So C is written once, and a work-group's results do not depend on which others are in its grid. */
#include "device-amx/tiles_block.h"

enum {
    WIDE_STRIP = 48,             /* rows, of products that are widened (tiles_wide.c) */
    WIDE_PART = 128,             /* words of K at a time of these: their B stays in the first cache for all rows of a strip */
    LEAST_BLOCK_BYTES = 1 << 18, /* of packed B that stay in the second cache, whatever its size */
    MOST_PANELS = 32,
    COMPUTE_TOGETHER = 8, /* steps of a column of B that is computed */
    PACK_TOGETHER = 32,   /* columns of B, of one tile each: two lines of bytes by rows, or eight of words */
    PACK_BY_COLUMNS = 1,  /* … where B is by columns: its 16 are as many streams, of which the processor fetches few ahead */
};

/* For whose operands there is memory: an even number. */
static int64_t most_steps(const struct tsr_tile_loop *x)
{
    const int64_t of_strip = TSR__GRID_STRIP_BYTES / (TSR_TILE_ROWS * LINE * widening(x)),
                  of_panel = TSR__GRID_PANEL_BYTES / ((packed_words(x) + (x->apart != 0)) * PANEL_LINE);
    return of_strip < of_panel ? of_strip : of_panel;
}

bool tsr__tile_grid_fits(const struct tsr_tile_loop *x)
{
    return x->steps <= most_steps(x);
}

/* ---- packing ---- */

/* A tile's column of B. */
struct column {
    char *to;                 /* in a panel */
    const char *from, *right; /* the second 8 columns, unless they are right behind the first */
    uint32_t tile;            /* of its loop */
    bool within;              /* its matrix; else at this place in it */
    struct tsr_tile_matrix at;
};

/* Where a step's rows of a column lie in their matrix. */
static struct tsr_tile_matrix place_of_step(const struct column *c, const struct tsr_tile_loop *x, int64_t step)
{
    struct tsr_tile_matrix at = c->at;
    if (x->how & TSR_TILE_B_COLUMNS)
        at.x += step * x->b_step;
    else
        at.y += step * tsr__loop_b_rows(x);
    return at;
}

/* Of a last column that stands alone the one before is the neighbour, whose results go nowhere. */
static struct column find_column(const struct tsr__block *b, int64_t i)
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const int64_t all = g->columns * x->columns, column = b->column + i < all ? b->column + i : all - 1, in_loop = column % x->columns;
    struct column c = {.to = b->panels + i / PANEL * b->words * PANEL_LINE + i % PANEL * LINE,
                       .from = column_of_b(g, column),
                       .right = g->b_right ? g->b_right[column] + g->first * x->b_step : NULL,
                       .tile = (uint32_t)in_loop,
                       .within = true};
    if (g->b_at) {
        c.at = g->b_at[column / x->columns];
        c.at = place_of_step(&c, x, g->first);
        c.within = !(x->how & TSR_TILE_B_COLUMNS) && tsr__loop_b_is_within(x, &c.at); /* this chunk of K */
        if (x->how & TSR_TILE_B_COLUMNS)
            c.at.y += in_loop * tsr__loop_b_rows(x);
        else
            c.at.x += in_loop * x->b_next;
    }
    return c;
}

/* Copies a step's rows, of which each half is elsewhere; of B by columns the rows are columns. */
static void copy_halves(char *to, const struct column *c, const struct tsr_tile_loop *x, int64_t step)
{
    const int64_t rows = tsr__loop_b_rows(x), bytes = tsr__loop_b_bytes(x), far = step * x->b_step;
    const bool by_columns = x->how & TSR_TILE_B_COLUMNS;
    for (int64_t r = 0; r < rows; r++, to += bytes) {
        const bool second = by_columns && r >= rows / 2;
        const char *first_half = second ? c->right + far + (r - rows / 2) * x->b_stride : c->from + far + r * x->b_stride;
        const char *second_half = by_columns ? first_half + bytes / 2 : c->right + far + r * x->b_stride;
        memcpy(to, first_half, (size_t)bytes / 2);
        memcpy(to + bytes / 2, second_half, (size_t)bytes / 2);
    }
}

static void pack_step(const struct column *c, const struct tsr_tile_loop *x, int64_t step)
{
    const unsigned words = tsr__loop_words(x);
    int64_t rows = tsr__loop_b_rows(x), bytes = tsr__loop_b_bytes(x), stride = x->b_stride;
    const char *from = c->from + step * x->b_step;
    char *to = c->to + step * packed_words(x) * PANEL_LINE, copy[TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    char aside[TSR_TILE_BYTES];
    if (c->right) {
        copy_halves(aside, c, x, step);
        from = aside;
        stride = bytes;
    }
    const struct tsr_tile_matrix now = place_of_step(c, x, step);
    const bool packs = x->how & TSR_TILE_B_UNPACKED && !is_of_nibbles(x) && !is_of_halves(x);
    if (!c->within && !tsr__is_within(&now, rows, bytes)) {
        if (packs && now.x >= 0 && now.y >= 0) {
            rows = now.height - now.y;
            bytes = now.width - now.x;
        } else {
            tsr__tile_copy_within(copy, bytes, from, stride, rows, bytes, &now);
            from = copy;
            stride = bytes;
        }
    }
    if (x->how & TSR_TILE_B_COLUMNS && is_of_halves(x)) {
        tsr__tile_pack_rows(copy, LINE, from, stride, (uint32_t)x->how);
        from = copy;
        stride = LINE;
        rows = words;
    }
    if (is_of_halves(x))
        (x->how & TSR_TILE_B_ROWS ? tsr__tile_widen_halves : tsr__tile_widen_words)(to, PANEL_LINE, from, stride, rows);
    else if (is_of_nibbles(x))
        tsr__tile_unpack_b(to, PANEL_LINE, from, stride, (uint32_t)x->how);
    else if (packs)
        tsr__tile_pack_within(to, PANEL_LINE, from, stride, rows, bytes, (uint32_t)x->how);
    else
        copy_lines(to, PANEL_LINE, from, stride, words);
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

/* Fetches a row of a step's B to the second cache, of all columns if they are beside each other. The processor fetches no rows that are
 * apart ahead. */
static void fetch_row(const struct column *columns, int64_t count, const struct tsr_tile_loop *x, int64_t step, int64_t row)
{
    const char *from = columns[0].from + step * x->b_step + row * x->b_stride;
    for (int64_t i = 0; i < count * tsr__loop_b_bytes(x); i += LINE)
        __builtin_prefetch(from + i, 0, 2);
}

/* Step after step of some columns beside each other, as a row of B has lines in common with its neighbours, or follows them in a page. */
static void pack_steps(const struct tsr__block *b, const struct column *columns, int64_t count)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const bool computed = x->how & TSR_TILE_B_COMPUTED;
    for (int64_t step = 0, steps; step < x->steps; step += steps) {
        steps = !computed ? 1 : x->steps - step < COMPUTE_TOGETHER ? x->steps - step : COMPUTE_TOGETHER;
        for (int64_t i = 0; i < count; i++) {
            for (int64_t r = i; x->how & TSR_TILE_B_ROWS && step + 1 < x->steps && r < tsr__loop_b_rows(x); r += count)
                fetch_row(columns, count, x, step + 1, r);
            if (computed)
                compute_steps(&columns[i], b->grid, step, steps);
            else
                pack_step(&columns[i], x, step);
        }
    }
}

/* All steps of a grid without segments. */
static void pack_columns(const struct tsr__block *b)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t together = x->how & TSR_TILE_B_COLUMNS ? PACK_BY_COLUMNS : PACK_TOGETHER;
    struct column columns[PACK_TOGETHER];
    for (int64_t first = 0; first < b->columns; first += together) {
        const int64_t count = b->columns - first < together ? b->columns - first : together;
        for (int64_t i = 0; i < count; i++)
            columns[i] = find_column(b, first + i);
        pack_steps(b, columns, count);
    }
}

static void pack_panels(const struct tsr__block *b)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t packed = x->steps * packed_words(x);
    struct tsr__block of_part = *b;
    if (!b->grid->segments)
        pack_columns(b);
    for (int64_t i = 0; i < b->grid->segments; i++) {
        struct tsr__tile_segment part;
        tsr__grid_segment(b->grid, i, &part);
        of_part.grid = &part.grid;
        pack_columns(&of_part);
        of_part.panels += part.loop.steps * packed_words(x) * PANEL_LINE;
    }
    for (int64_t i = 0; i < b->columns && packed < b->words; i += PANEL)
        memset(b->panels + (i / PANEL * b->words + packed) * PANEL_LINE, 0, (size_t)(b->words - packed) * PANEL_LINE);
}

/* ---- products that are widened first ---- */

/* Does C of these rows and columns lie as one matrix does, from `to` on? */
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
    const int64_t all = rows_of_grid(g), bytes = 4 * (int64_t)tsr__loop_words(x), in_line = LINE / bytes;
    for (int64_t r = 0; r < rows; r++) {
        int64_t far;
        const char *from = tsr__block_steps_of_a(b, row + r < all ? row + r : all - 1, 0, x->steps, &far);
        char *to = b->strip + r * LINE;
        const int64_t lines = in_line == 1 || far == bytes ? x->steps / in_line : 0;
        copy_lines(to, rows * LINE, from, in_line * far, (unsigned)lines);
        for (int64_t step = lines * in_line; step < x->steps; step++)
            memcpy(to + step / in_line * rows * LINE + step % in_line * bytes, from + step * far, (size_t)bytes);
    }
    if (is_tf32(x))
        tsr__tile_cut_lines(b->strip, LINE, (x->steps + in_line - 1) / in_line * rows);
}

/* Multiplies part after part of K, each of `words` words: the sums are in the loop's tiles in between. */
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

/* Half of the second cache. Products that are all widened take long enough for each line of B, so it may come from the third. */
uint64_t tsr__tile_grid_best_b(void)
{
    const int64_t most = TSR__GRID_PANEL_BYTES, half = tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F) ? tsr_cpu()->l2_size / 2 : most;
    return (uint64_t)(half < LEAST_BLOCK_BYTES ? LEAST_BLOCK_BYTES : half < most ? half : most);
}

/* ---- either way ---- */

/* In tiles there are whole steps of these. */
static int64_t words_of_k(const struct tsr_tile_loop *x)
{
    const int64_t words = x->steps * packed_words(x);
    return tsr__is_in_tiles(x) ? (words + TSR__TILE_WORDS - 1) / TSR__TILE_WORDS * TSR__TILE_WORDS : words;
}

int64_t tsr__tile_grid_packed_bytes(const struct tsr_tile_loop *x, int64_t columns)
{
    return (columns * x->columns + PANEL - 1) / PANEL * words_of_k(x) * PANEL_LINE;
}

static void multiply_chunk(const struct tsr__tile_grid *g)
{
    __m512i corrections[MOST_PANELS][PANEL];
    const enum tsr_tile_product product = tsr__packed_product(g->loop);
    const bool tiles = tsr__is_in_tiles(g->loop);
    struct tsr__block b = {.grid = g,
                           .words = words_of_k(g->loop),
                           .panels = g->memory + g->packed_at,
                           .strip = g->memory + TSR__GRID_PANEL_BYTES,
                           .corrections = corrections};
    b.by_rows = reciprocal(tsr__loop_rows(g->loop));
    b.by_columns = reciprocal(g->loop->columns);
    b.sums = tsr__loop_sums(g->loop);
    const int64_t all = g->columns * g->loop->columns, kept = b.sums > 1 ? b.words + b.sums : b.words, /* with corrections */
        fit = (int64_t)tsr__tile_grid_best_b() / (kept * PANEL_LINE);
    const int64_t most = PANEL * (fit < 1 ? 1 : fit < MOST_PANELS ? fit : MOST_PANELS);
    if (g->b_in_place && tsr__tile_may_turn(g)) {
        tsr__block_multiply_turned(&b);
        return;
    }
    if (b.sums > 1)
        b.corrections = (__m512i(*)[PANEL])(b.panels + most / PANEL * b.words * PANEL_LINE);
    for (b.column = 0; b.column < all; b.column += b.columns) {
        b.columns = all - b.column < most ? (all - b.column + PANEL - 1) / PANEL * PANEL : most;
        if (!g->b_in_place && (!g->has_packed_b || all > most))
            pack_panels(&b);
        if (tiles)
            tsr__block_multiply_squares(&b);
        else if (tsr__tile_is_wide(product))
            wide_strips(&b);
        else
            tsr__block_multiply_strips(&b, product);
    }
}

/* A chunk of K after the other: each adds to what the last one has stored, or makes sums of its own. */
void tsr__tile_grid_multiply(const struct tsr__tile_grid *g)
{
    const int64_t apart = g->loop->apart, room = most_steps(g->loop), most = apart ? room / apart * apart : room;
    struct tsr_tile_loop part = *g->loop;
    struct tsr__tile_grid now = *g;
    now.loop = &part;
    now.has_packed_b = g->has_packed_b && g->loop->steps <= most;
    part.past = g->loop->past && g->loop->steps <= most;
    tsr__grid_forget_computed_rows(g);
    for (; now.first < g->loop->steps; now.first += part.steps) {
        part.steps = g->loop->steps - now.first < most ? g->loop->steps - now.first : most;
        part.zero = apart || (g->loop->zero && !now.first);
        multiply_chunk(&now);
        now.sum += apart ? part.steps / apart * tsr__loop_sum_bytes(g->loop) : 0;
    }
}
