/* SPDX-License-Identifier: Apache-2.0
 * Few rows by a B by columns, in AMX's registers or in the model of them: C turned round is B turned round times A turned round. So columns
 * of B are rows of tiles that are loaded from where they lie, each byte once, and A, which is small, is what is packed. Sums have the same
 * order. */
#include "device-amx/tiles_block.h"

bool tsr__tile_may_turn(const struct tsr__tile_grid *g)
{
    const struct tsr_tile_loop *x = g->loop;
    const uint64_t other = TSR_TILE_NIBBLES | TSR_TILE_A_COLUMNS | TSR_TILE_B_EDGES | TSR_TILE_B_COMPUTED | TSR_TILE_HALF_N;
    const int64_t words = tsr__loop_words(x);
    return tsr__is_in_tiles(x) && x->how & TSR_TILE_B_COLUMNS && !(x->how & other) && rows_of_grid(g) <= TSR_TILE_ROWS && !g->segments &&
           !g->b_at && !g->b_right && !g->c_rows && !x->apart && x->b_step == 4 * words && x->steps * words % TSR__TILE_WORDS == 0;
}

/* Words of 16 lines change places with lines; of lines that are not there they are zero. */
static void turn(char *to, const char *from, int64_t lines)
{
    tsr__tile_pack_within(to, LINE, from, LINE, lines, LINE, TSR_TILE_S8S8 | TSR_TILE_B_COLUMNS);
}

/* The product that multiplies the same numbers with A and B exchanged. */
static enum tsr_tile_product exchanged(enum tsr_tile_product product)
{
    return product == TSR_TILE_S8U8 ? TSR_TILE_U8S8 : product == TSR_TILE_U8S8 ? TSR_TILE_S8U8 : product;
}

static void pack_a(const struct tsr__block *b)
{
    const int64_t rows = rows_of_grid(b->grid), tiles = b->words / TSR__TILE_WORDS;
    for (int64_t r = 0; r < rows; r++)
        tsr__block_pack_row(b, r, 0, b->grid->loop->steps, b->strip + r * LINE, TSR_TILE_BYTES, 0);
    for (int64_t i = 0; i < tiles; i++)
        turn(b->panels + i * TSR_TILE_BYTES, b->strip + i * TSR_TILE_BYTES, rows);
}

void tsr__block_multiply_turned(const struct tsr__block *b)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t rows = rows_of_grid(b->grid), all = b->grid->columns * x->columns;
    char sums[TSR_TILE_BYTES] __attribute__((aligned(LINE))), c[TSR_TILE_BYTES] __attribute__((aligned(LINE)));
    struct tsr__tile_square s = {.a_stride = x->b_stride,
                                 .a_step = LINE,
                                 .b = b->panels,
                                 .b_stride = LINE,
                                 .steps = b->words / TSR__TILE_WORDS,
                                 .rows = 1,
                                 .one_column = true,
                                 .zero = x->zero,
                                 .from = {{{sums, LINE}}},
                                 .to = {{{sums, LINE}}}};
    pack_a(b);
    for (int64_t column = 0; column < all; column++) {
        s.a = column_of_b(b->grid, column);
        for (int64_t r = 0; r < rows && !x->zero; r++) {
            const char *from = row_of_c(b, r, column);
            if (from)
                memcpy(c + r * LINE, from, LINE);
        }
        if (!x->zero)
            turn(sums, c, rows);
        tsr__tile_square(&s, exchanged(tsr__packed_product(x)), x->how & TSR_TILE_IN_AMX);
        turn(c, sums, TSR_TILE_ROWS);
        for (int64_t r = 0; r < rows; r++) {
            char *to = row_of_c(b, r, column);
            if (to)
                memcpy(to, c + r * LINE, LINE);
        }
    }
}
