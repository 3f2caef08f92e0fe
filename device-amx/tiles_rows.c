/* SPDX-License-Identifier: Apache-2.0
 * Rows of A of a grid of loops over K, from a step on: as they are in memory, computed, or copied where they leave their matrix. */
#include "device-amx/tiles_block.h"

/* A tile's rows of A that is computed, row after row, in memory of the grid: those of the last steps that were asked for. */
struct computed {
    const char *values; /* NULL: none */
    int64_t tile, first, steps;
    _Alignas(LINE) char rows[];
};

static struct computed *computed_rows(const struct tsr__tile_grid *g)
{
    return (struct computed *)(g->memory + TSR__GRID_PANEL_BYTES + TSR__GRID_STRIP_BYTES + TSR__GRID_EDGE_BYTES);
}

/* From row to row, an odd number of lines: rows at multiples of a page would share a set of the first cache. */
static int64_t pitch_of(int64_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE | LINE;
}

static const char *computed_row_of_a(const struct tsr__block *b, int64_t row, int64_t first, int64_t steps, int64_t *far)
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const int64_t bytes = 4 * (int64_t)tsr__loop_words(x), grid_row = quotient(row, b->by_rows),
                  in_loop = row - grid_row * tsr__loop_rows(x), tile = x->rows > 1 ? in_loop / TSR_TILE_ROWS : 0,
                  pitch = pitch_of(steps * bytes);
    struct computed *c = computed_rows(g);
    first += g->first;
    if (c->values != g->a[grid_row] || c->tile != tile || c->first != first || c->steps != steps) {
        *c = (struct computed){g->a[grid_row], tile, first, steps};
        x->a_code(g->a[grid_row], first, steps, (uint32_t)tile, c->rows, pitch, bytes);
    }
    *far = bytes;
    return c->rows + (in_loop - tile * TSR_TILE_ROWS) * pitch;
}

const char *tsr__block_steps_of_a(const struct tsr__block *b, int64_t row, int64_t first, int64_t steps, int64_t *far)
{
    const struct tsr__tile_grid *g = b->grid;
    const struct tsr_tile_loop *x = g->loop;
    const int64_t bytes = 4 * (int64_t)tsr__loop_words(x);
    if (x->how & TSR_TILE_A_COMPUTED)
        return computed_row_of_a(b, row, first, steps, far);
    const char *from = row_of_a(b, row) + first * x->a_step;
    *far = x->a_step;
    if (!g->a_at)
        return from;
    char *copy = g->memory + TSR__GRID_PANEL_BYTES + TSR__GRID_STRIP_BYTES;
    struct tsr_tile_matrix at = g->a_at[row / tsr__loop_rows(x)];
    at.y += row % tsr__loop_rows(x);
    at.x += (g->first + first) * x->a_step;
    if (x->a_step >= 0 && tsr__is_within(&at, 1, (steps - 1) * x->a_step + bytes))
        return from;
    const int64_t at_once = x->a_step == bytes ? steps : 1; /* steps that follow each other in memory */
    for (int64_t i = 0; i < steps; i += at_once, at.x += x->a_step)
        tsr__tile_copy_within(copy + i * bytes, 0, from + i * x->a_step, 0, 1, at_once * bytes, &at);
    *far = bytes;
    return copy;
}

/* Of two steps that fill a line each is copied by itself; the second half of a last line is zero. */
static void pack_halves(char *to, int64_t pitch, const char *from, int64_t far, int64_t steps, int64_t packed)
{
    enum { HALF = LINE / 2 };
    char *line = to + packed / 2 * pitch;
    if (packed % 2 && steps > 0) {
        memcpy(line + HALF, from, HALF);
        line += pitch;
        from += far;
        steps--;
    }
    for (; steps > 1; steps -= 2, line += pitch, from += 2 * far) {
        memcpy(line, from, HALF);
        memcpy(line + HALF, from + far, HALF);
    }
    if (steps > 0) {
        memcpy(line, from, HALF);
        memset(line + HALF, 0, HALF);
    }
}

void tsr__block_pack_row(const struct tsr__block *b, int64_t row, int64_t first, int64_t steps, char *to, int64_t pitch, int64_t packed)
{
    const struct tsr_tile_loop *x = b->grid->loop;
    const int64_t bytes = 4 * (int64_t)tsr__loop_words(x), in_line = TSR__TILE_WORDS / packed_words(x);
    int64_t far;
    const char *from = tsr__block_steps_of_a(b, row, first, steps, &far);
    if (is_of_nibbles(x)) {
        tsr__tile_unpack_a(to + packed * pitch, pitch, from, far, steps, (uint32_t)x->how);
        return;
    }
    const int64_t lines = packed % in_line == 0 && (in_line == 1 || far == bytes) ? steps / in_line : 0;
    copy_lines(to + packed / in_line * pitch, pitch, from, in_line * far, (unsigned)lines);
    if (in_line > 1)
        pack_halves(to, pitch, from + lines * in_line * far, far, steps - lines * in_line, packed + lines * in_line);
}

void tsr__grid_forget_computed_rows(const struct tsr__tile_grid *g)
{
    computed_rows(g)->values = NULL;
}
