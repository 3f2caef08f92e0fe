/* SPDX-License-Identifier: Apache-2.0
 * Few rows by a B by columns, in AMX's registers or in the model of them: C turned round is B turned round times A turned round. So columns
 * of B are rows of tiles that are loaded from where they lie, each byte once, and A, which is small, is what is packed. Sums have the same
 * order. */
#include "device-amx/tiles_block.h"

enum { MOST_HIGH = 2 }; /* tiles of rows, which are as many columns of tiles of the product that is made */

static int64_t tiles_high(const struct tsr__tile_grid *g)
{
    return (rows_of_grid(g) + TSR_TILE_ROWS - 1) / TSR_TILE_ROWS;
}

bool tsr__tile_may_turn(const struct tsr__tile_grid *g)
{
    const struct tsr_tile_loop *x = g->loop;
    const uint64_t other = TSR_TILE_NIBBLES | TSR_TILE_A_COLUMNS | TSR_TILE_B_EDGES | TSR_TILE_B_COMPUTED | TSR_TILE_HALF_N;
    const int64_t words = tsr__loop_words(x), high = tiles_high(g), bytes = x->steps * words * 4 * high * TSR_TILE_ROWS; /* of A */
    return tsr__is_in_tiles(x) && x->how & TSR_TILE_B_COLUMNS && !(x->how & other) && high <= MOST_HIGH && !g->segments && !g->b_at &&
           !g->b_right && !g->c_rows && !x->apart && x->b_step == 4 * words && x->steps * words % TSR__TILE_WORDS == 0 &&
           (high == 1 || bytes <= TSR__GRID_STRIP_BYTES);
}

/* Words of 16 lines change places with lines; of lines that are not there they are zero. */
static void turn(char *to, int64_t to_stride, const char *from, int64_t lines)
{
    tsr__tile_pack_within(to, to_stride, from, LINE, lines, LINE, TSR_TILE_S8S8 | TSR_TILE_B_COLUMNS);
}

/* The product that multiplies the same numbers with A and B exchanged. */
static enum tsr_tile_product exchanged(enum tsr_tile_product product)
{
    return product == TSR_TILE_S8U8 ? TSR_TILE_U8S8 : product == TSR_TILE_U8S8 ? TSR_TILE_S8U8 : product;
}

/* A becomes a panel, of one tile or two beside each other. */
static void pack_a(const struct tsr__block *b)
{
    const int64_t rows = rows_of_grid(b->grid), tiles = b->words / TSR__TILE_WORDS, high = tiles_high(b->grid);
    for (int64_t r = 0; r < rows; r++)
        tsr__block_pack_row(b, r, 0, b->grid->loop->steps, b->strip + r * LINE, high * TSR_TILE_BYTES, 0);
    for (int64_t i = 0; i < tiles; i++)
        for (int64_t t = 0; t < high; t++)
            turn(b->panels + i * high * TSR_TILE_BYTES + t * LINE, high * LINE, b->strip + (i * high + t) * TSR_TILE_BYTES,
                 rows - t * TSR_TILE_ROWS);
}

void tsr__block_multiply_turned(const struct tsr__block *b)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t rows = rows_of_grid(b->grid), all = b->grid->columns * x->columns, high = tiles_high(b->grid);
    char sums[MOST_HIGH][TSR_TILE_BYTES] __attribute__((aligned(LINE))), c[MOST_HIGH][TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    struct tsr__tile_square s = {.a_stride = x->b_stride,
                                 .a_step = LINE,
                                 .b = b->panels,
                                 .b_stride = high * LINE,
                                 .steps = b->words / TSR__TILE_WORDS,
                                 .rows = 1,
                                 .one_column = high == 1,
                                 .zero = x->zero,
                                 .from = {{{sums[0], LINE}, {sums[1], LINE}}},
                                 .to = {{{sums[0], LINE}, {sums[1], LINE}}}};
    pack_a(b);
    for (int64_t column = 0; column < all; column++) {
        s.a = column_of_b(b->grid, column);
        for (int64_t r = 0; r < rows && !x->zero; r++) {
            const char *from = row_of_c(b, r, column);
            if (from)
                memcpy(c[0] + r * LINE, from, LINE);
        }
        for (int64_t t = 0; t < high && !x->zero; t++)
            turn(sums[t], LINE, c[t], rows - t * TSR_TILE_ROWS);
        tsr__tile_square(&s, exchanged(tsr__packed_product(x)), x->how & TSR_TILE_IN_AMX);
        for (int64_t t = 0; t < high; t++)
            turn(c[t], LINE, sums[t], TSR_TILE_ROWS);
        for (int64_t r = 0; r < rows; r++) {
            char *to = row_of_c(b, r, column);
            if (to)
                memcpy(to, c[0] + r * LINE, LINE);
        }
    }
}
