/* SPDX-License-Identifier: Apache-2.0
 * Products of a block in AMX's registers, or in the model of them: strip after strip of 32 rows of A, by squares of two tiles by two. Of
 * each strip a part of K stays in the first cache, while the parts of B come from the second one, past the first. */
#include "device-amx/tiles_block.h"

enum {
    TILES_HIGH = 2, /* in registers */
    STRIP = TILES_HIGH * TSR_TILE_ROWS,
    TILE_STEPS = 18,      /* of K at a time, at most: A of these takes three quarters of the first cache */
    FEW_PANELS = 4,       /* for so many, at most, packing A takes longer than what it saves */
    CACHE_PAGE = 1 << 11, /* rows at multiples of it use so few sets of the first cache that a strip of them does not stay in it */
};

bool tsr__tile_may_load_b(const struct tsr__tile_grid *g)
{
    const struct tsr_tile_loop *x = g->loop;
    const uint64_t other = TSR_TILE_B_UNPACKED | TSR_TILE_NIBBLES | TSR_TILE_B_EDGES | TSR_TILE_B_COMPUTED | TSR_TILE_HALF_N;
    const int64_t words = tsr__loop_words(x), all = g->columns * x->columns;
    if (!tsr__is_in_tiles(x) || rows_of_grid(g) > STRIP || g->segments || x->how & other || g->b_at || g->b_right || is_tf32(x) ||
        all % PANEL || x->b_step != words * x->b_stride || x->steps * words % TSR__TILE_WORDS)
        return false;
    for (int64_t i = 0; i < all; i += PANEL)
        if (column_of_b(g, i + 1) != column_of_b(g, i) + LINE)
            return false;
    return true;
}

/* Where two tiles of B beside each other begin, from a step of tiles on, and how far its rows are from each other. */
static void find_b(const struct tsr__block *b, int64_t panel, int64_t first, struct tsr__tile_square *s)
{
    const bool in_place = b->grid->b_in_place;
    s->b_stride = in_place ? b->grid->loop->b_stride : PANEL_LINE;
    s->b = (in_place ? column_of_b(b->grid, b->column + panel * PANEL) : b->panels + panel * b->words * PANEL_LINE) +
           first * TSR_TILE_ROWS * s->b_stride;
}

/* One tile of a square. */
static void multiply_by_model(const struct tsr__tile_square *s, unsigned i, unsigned j, enum tsr_tile_product product)
{
    const struct tsr__tile_rows *from = &s->from[i][j], *to = &s->to[i][j];
    char sum[TSR_TILE_ROWS][LINE] __attribute__((aligned(LINE))) = {0}, of_a[TSR_TILE_ROWS][LINE] __attribute__((aligned(LINE))),
                                  of_b[TSR_TILE_ROWS][LINE] __attribute__((aligned(LINE)));
    for (unsigned r = 0; r < TSR_TILE_ROWS && !s->zero; r++)
        memcpy(sum[r], from->at + r * from->stride, LINE);
    for (int64_t step = 0; step < s->steps; step++) {
        for (int64_t r = 0; r < TSR_TILE_ROWS; r++) {
            memcpy(of_a[r], s->a + step * s->a_step + i * s->a_next + r * s->a_stride, LINE);
            memcpy(of_b[r], s->b + (step * TSR_TILE_ROWS + r) * s->b_stride + j * LINE, LINE);
        }
        tsr__tile_multiply_model(sum, of_a, of_b, product);
    }
    for (unsigned r = 0; r < TSR_TILE_ROWS; r++)
        memcpy(to->at + r * to->stride, sum[r], LINE);
}

void tsr__tile_square(const struct tsr__tile_square *s, enum tsr_tile_product product, bool in_amx)
{
    if (in_amx) {
        tsr__tile_square_amx(s, product);
        return;
    }
    for (unsigned i = 0; i < s->rows; i++)
        for (unsigned j = 0; j < (s->one_column ? 1 : PANEL); j++)
            multiply_by_model(s, i, j, product);
}

/* Rows of A of a strip: where they are, and those that have to be copied, as they leave their matrix. */
struct strip_rows {
    const char *at[STRIP];
    int64_t row;
    bool in_place; /* tiles are loaded from where they are */
};

/* Are 16 rows at this distance from each other? */
static bool lie_as_tile(const char *const *rows, int64_t stride)
{
    for (int64_t r = 0; r < TSR_TILE_ROWS; r++)
        if (rows[r] != rows[0] + r * stride)
            return false;
    return true;
}

static bool may_stay_in_place(const struct tsr__block *b, const struct strip_rows *rows)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t stride = rows->at[1] - rows->at[0], left = rows_of_grid(b->grid) - rows->row;
    return !b->grid->segments && b->columns <= (stride % CACHE_PAGE ? FEW_PANELS : 1) * PANEL && (left == TSR_TILE_ROWS || left >= STRIP) &&
           has_plain_rows_of_a(b) && x->steps * tsr__loop_words(x) == b->words && lie_as_tile(rows->at, stride) &&
           (left < STRIP || lie_as_tile(rows->at + TSR_TILE_ROWS, stride));
}

static void find_rows(const struct tsr__block *b, int64_t row, struct strip_rows *rows)
{
    const int64_t all = rows_of_grid(b->grid);
    rows->row = row;
    for (int64_t r = 0; r < STRIP; r++)
        rows->at[r] = row_of_a(b, row + r < all ? row + r : all - 1);
    rows->in_place = may_stay_in_place(b, rows);
}

/* Steps of tiles of an A by columns, whose words of K are made as those of B, and then change places with rows. */
static void pack_columns_of_a(const struct tsr__block *b, const struct strip_rows *rows, int64_t first, int64_t count)
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const uint32_t product = x->how & TSR_TILE_PRODUCT;
    const int64_t in_step = TSR__TILE_WORDS * tsr__loop_in_word(x), bytes = TSR_TILE_ROW_BYTES / tsr__loop_in_word(x);
    char words[TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    for (int64_t step = first; step < first + count; step++)
        for (int64_t i = 0; i < TILES_HIGH && rows->row + i * TSR_TILE_ROWS < rows_of_grid(b->grid); i++) {
            const int64_t row = rows->row / TSR_TILE_ROWS + i, k = (g->first + step) * in_step;
            tsr__tile_pack_within(words, LINE, rows->at[i * TSR_TILE_ROWS] + step * x->a_step, x->a_step / in_step,
                                  x->a_matrix.height - x->a_matrix.y - k, x->a_matrix.width - x->a_matrix.x - row * bytes, product);
            tsr__tile_pack_rows(b->strip + ((step - first) * STRIP + i * TSR_TILE_ROWS) * LINE, LINE, words, LINE,
                                product | TSR_TILE_B_COLUMNS);
        }
}

/* Packs `steps` steps of a grid without segments, from step `first` on, behind `packed` steps of the strip. */
static void pack_segment(const struct tsr__block *b, const struct strip_rows *rows, int64_t first, int64_t steps, int64_t packed)
{
    const int64_t all = rows_of_grid(b->grid), count = all - rows->row > TSR_TILE_ROWS ? STRIP : TSR_TILE_ROWS;
    for (int64_t r = 0; r < count; r++)
        tsr__block_pack_row(b, rows->row + r < all ? rows->row + r : all - 1, first, steps, b->strip + r * LINE, STRIP * LINE, packed);
}

/* Packs `count` steps of tiles, of all segments that they touch; two halves of a line lie beside each other, a missing one is zero. */
static void pack_tiles(const struct tsr__block *b, const struct strip_rows *rows, int64_t first, int64_t count)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t in_line = TSR__TILE_WORDS / packed_words(x), left = x->steps - first * in_line,
                  steps = count * in_line < left ? count * in_line : left, begin = first * in_line, end = begin + steps;
    if (!b->grid->segments)
        pack_segment(b, rows, begin, steps, 0);
    for (int64_t i = 0, from = 0, to; i < b->grid->segments; i++, from = to) {
        to = from + b->grid->segment_steps[i];
        struct tsr__tile_segment part;
        struct tsr__block of_part = *b;
        const int64_t low = from > begin ? from : begin, high = to < end ? to : end;
        tsr__grid_segment(b->grid, i, &part);
        of_part.grid = &part.grid;
        if (low < high)
            pack_segment(&of_part, rows, low - from, high - low, low - begin);
    }
}

/* Tiles of A of a strip, packed or in place, from a step of tiles on. */
static void find_a(const struct tsr__block *b, const struct strip_rows *rows, int64_t first, struct tsr__tile_square *s)
{
    const bool in_place = rows->in_place;
    s->a = in_place ? rows->at[0] + first * LINE : b->strip;
    s->a_stride = in_place ? rows->at[1] - rows->at[0] : LINE;
    s->a_next = in_place ? rows->at[TSR_TILE_ROWS] - rows->at[0] : TSR_TILE_BYTES;
    s->a_step = in_place ? LINE : STRIP * LINE;
}

/* Where a tile of C begins, if all of it is there and lies as one; else NULL. */
static char *whole_tile(const struct tsr__block *b, int64_t row, int64_t column)
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const int64_t of_loop = tsr__loop_rows(x), grid_column = quotient(column, b->by_columns);
    int64_t grid_row = quotient(row, b->by_rows);
    char *to = row_of_c(b, row, column);
    if (g->c_rows && (row + TSR_TILE_ROWS > g->c_rows || (column + 1) * LINE > g->c_bytes))
        return NULL;
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

/* How much of these 16 columns of a row of C there is. */
static size_t bytes_of_c(const struct tsr__block *b, int64_t row, int64_t column)
{
    const struct tsr__tile_grid *g = b->grid;
    const int64_t left = g->c_bytes - column * LINE;
    if (!g->c_rows || (row < g->c_rows && left >= LINE))
        return LINE;
    return row < g->c_rows && left > 0 ? (size_t)left : 0;
}

/* Between a tile aside and C, whose rows lie in several places. */
static void load_aside(const struct tsr__block *b, char *aside, int64_t row, int64_t column)
{
    for (int64_t r = 0; r < TSR_TILE_ROWS; r++) {
        const char *from = row_of_c(b, row + r, column);
        if (from)
            memcpy(aside + r * LINE, from, bytes_of_c(b, row + r, column));
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
            memcpy(to, aside + r * LINE, bytes_of_c(b, row + r, column));
    }
}

/* Tiles of C that do not lie as one, between their rows and the registers. */
typedef char aside_tiles[TILES_HIGH][PANEL][TSR_TILE_BYTES];

/* Where the tiles of C lie in the end, or aside. */
static void find_tiles(const struct tsr__block *b, int64_t row, int64_t column, aside_tiles aside,
                       struct tsr__tile_rows to[TILES_HIGH][PANEL])
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const int64_t rows = g->c_rows ? g->c_rows : tsr__loop_rows(x), bytes = g->c_rows ? g->c_bytes : x->columns * LINE;
    if (g->rows == 1 && g->columns == 1 && !x->past && g->to[0] && row + STRIP <= rows && (column + PANEL) * LINE <= bytes) {
        char *first = g->to[0] + g->sum + row * x->to_stride + column * LINE; /* all tiles of one loop lie as a matrix */
        for (int64_t i = 0; i < TILES_HIGH * PANEL; i++)
            to[i / PANEL][i % PANEL] =
                (struct tsr__tile_rows){first + i / PANEL * TSR_TILE_ROWS * x->to_stride + i % PANEL * LINE, x->to_stride};
        return;
    }
    for (int64_t i = 0; i < TILES_HIGH; i++)
        for (int64_t j = 0; j < PANEL; j++) {
            char *at = b->grid->loop->past ? NULL : whole_tile(b, row + i * TSR_TILE_ROWS, column + j);
            to[i][j] = at ? (struct tsr__tile_rows){at, b->grid->loop->to_stride} : (struct tsr__tile_rows){aside[i][j], LINE};
        }
}

/* Sums of a panel between two parts of K. */
static void find_sums(const struct tsr__block *b, int64_t panel, struct tsr__tile_rows to[TILES_HIGH][PANEL])
{
    char *sums = b->strip + TILE_STEPS * STRIP * LINE;
    for (int64_t i = 0; i < TILES_HIGH * PANEL; i++)
        to[i / PANEL][i % PANEL] = (struct tsr__tile_rows){sums + (panel * TILES_HIGH * PANEL + i) * TSR_TILE_BYTES, LINE};
}

/* Multiplies `steps` steps of K from `first` on. */
static void squares_by_panels(const struct tsr__block *b, const struct strip_rows *rows, int64_t first, int64_t steps, aside_tiles aside)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const bool past = x->past && tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F), last = first + steps == b->words / TSR__TILE_WORDS,
               from_c = !first && !x->zero;
    struct tsr__tile_square s = {
        .steps = steps, .rows = rows_of_grid(b->grid) - rows->row > TSR_TILE_ROWS ? TILES_HIGH : 1, .zero = x->zero && !first};
    find_a(b, rows, first, &s);
    for (int64_t panel = 0; panel < b->columns / PANEL; panel++) {
        const int64_t column = b->column + panel * PANEL;
        find_b(b, panel, first, &s);
        find_sums(b, panel, s.from);
        find_sums(b, panel, s.to);
        if (from_c)
            find_tiles(b, rows->row, column, aside, s.from);
        if (last)
            find_tiles(b, rows->row, column, aside, s.to);
        for (int64_t i = 0; i < s.rows * PANEL; i++)
            if (from_c && s.from[i / PANEL][i % PANEL].at == aside[i / PANEL][i % PANEL])
                load_aside(b, aside[i / PANEL][i % PANEL], rows->row + i / PANEL * TSR_TILE_ROWS, column + i % PANEL);
        tsr__tile_square(&s, tsr__packed_product(x), x->how & TSR_TILE_IN_AMX);
        for (int64_t i = 0; i < s.rows * PANEL; i++)
            if (last && s.to[i / PANEL][i % PANEL].at == aside[i / PANEL][i % PANEL])
                store_aside(b, aside[i / PANEL][i % PANEL], rows->row + i / PANEL * TSR_TILE_ROWS, column + i % PANEL, past);
    }
}

void tsr__block_multiply_squares(const struct tsr__block *b)
{
    const int64_t steps = b->words / TSR__TILE_WORDS, parts = (steps + TILE_STEPS - 1) / TILE_STEPS, most = (steps + parts - 1) / parts;
    aside_tiles aside __attribute__((aligned(LINE))) = {0};
    struct strip_rows rows;
    for (int64_t row = 0; row < rows_of_grid(b->grid); row += STRIP) {
        find_rows(b, row, &rows);
        for (int64_t first = 0, count; first < steps; first += count) {
            count = steps - first < most ? steps - first : most;
            if (!rows.in_place)
                (b->grid->loop->how & TSR_TILE_A_COLUMNS ? pack_columns_of_a : pack_tiles)(b, &rows, first, count);
            squares_by_panels(b, &rows, first, count, aside);
        }
    }
}
