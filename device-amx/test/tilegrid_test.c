/* SPDX-License-Identifier: Apache-2.0
 * Grids of loops over K against one loop after the other: numbers of rows, columns and steps around each one at which another way is taken,
 * operands that end where memory does, or where their matrices do, or that are computed, rows of A in few sets of the cache, B that lies
 * together or apart, by rows or by columns, numbers of 4 bits, sums that stay apart, K in segments, and loops that are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <immintrin.h>

#include "device-amx/cpu.h"
#include "device-amx/tiles_share.h"
#include "tile_loops_test.h"

enum { MOST_LOOPS = 48, MOST_COLUMNS = 24, MOST_SEGMENTS = 5 };

/* A grid with memory for its operands and for C. */
struct grid {
    struct tsr_tile_loop loop;
    struct tsr__tile_grid grid;
    struct memory a, b, c, halves; /* `halves`: B again, the left half of all columns in front of the right ones; or nothing */
    const char *rows[MOST_LOOPS], *columns[MOST_COLUMNS], *left[MOST_COLUMNS], *right[MOST_COLUMNS];
    struct tsr_tile_matrix a_in[MOST_LOOPS], b_in[MOST_COLUMNS];                                /* with edges */
    struct copied a_values[MOST_SEGMENTS * MOST_LOOPS], b_values[MOST_SEGMENTS * MOST_COLUMNS]; /* of operands that are computed */
    const char *a_at[MOST_SEGMENTS * MOST_LOOPS], *b_at[MOST_SEGMENTS * MOST_COLUMNS];          /* of each segment */
    int64_t segment_steps[MOST_SEGMENTS];
    char *to[MOST_LOOPS * MOST_COLUMNS];
};

static uint32_t between(uint32_t least, uint32_t most)
{
    return least + number() % (most - least + 1);
}

/* Loops under each other have rows of A at one distance, unless one of them is apart; those beside each other likewise. */
static void place_operands(struct grid *g)
{
    struct tsr_tile_loop *x = &g->loop;
    const int64_t bytes = 4 * (int64_t)tsr__loop_words(x), b_rows = tsr__loop_b_rows(x), b_bytes = tsr__loop_b_bytes(x),
                  apart = number() % 3 ? 0 : 128 * (int64_t)between(1, 3), multiples[] = {1, 64, 2048, 4096},
                  multiple = multiples[number() % 4];
    x->a_step = bytes;
    x->a_stride = (x->steps * bytes + (number() % 2 ? 64 : 0) + multiple - 1) / multiple * multiple;
    x->a_next = TSR_TILE_ROWS * x->a_stride;
    const int64_t rows = g->grid.rows * x->rows * x->tile_rows;
    g->a = reserve((size_t)((rows - 1) * x->a_stride + apart + x->steps * bytes), number() % 2);
    for (int64_t i = 0; i < g->grid.rows; i++)
        g->rows[i] = g->a.begin + i * x->rows * x->tile_rows * x->a_stride + (i && i == g->grid.rows / 2 ? apart : 0);
    const int64_t all = g->grid.columns * x->columns, behind = number() % 2 ? 0 : apart;
    if (x->how & TSR_TILE_B_COLUMNS) {
        x->b_stride = x->steps * b_bytes + behind;
        x->b_step = b_bytes;
        x->b_next = b_rows * x->b_stride;
        g->b = reserve((size_t)(all * x->b_next), number() % 2);
    } else {
        x->b_stride = all * b_bytes + behind;
        x->b_step = b_rows * x->b_stride;
        x->b_next = b_bytes;
        g->b = reserve((size_t)(x->steps * x->b_step), number() % 2);
    }
    const bool turned = !(number() % 4); /* the columns, so they do not follow each other */
    for (int64_t i = 0; i < g->grid.columns; i++)
        g->columns[i] = g->b.begin + (turned ? g->grid.columns - 1 - i : i) * x->columns * x->b_next;
}

/* Columns of 16 as two of 8, which do not lie beside each other. */
static void take_apart(struct grid *g)
{
    const struct tsr_tile_loop *x = &g->loop;
    const size_t half = (size_t)tsr__loop_b_bytes(x) / 2, rows = (size_t)(x->steps * tsr__loop_b_rows(x));
    g->halves = reserve(g->b.bytes, number() % 2);
    for (int64_t i = 0; i < g->grid.columns; i++) {
        char *left = g->halves.begin + (size_t)i * half, *right = left + (size_t)g->grid.columns * half;
        for (size_t r = 0; r < rows; r++) {
            memcpy(left + r * (size_t)x->b_stride, g->columns[i] + r * (size_t)x->b_stride, half);
            memcpy(right + r * (size_t)x->b_stride, g->columns[i] + r * (size_t)x->b_stride + half, half);
        }
        g->left[i] = left;
        g->right[i] = right;
    }
    g->grid.b = g->left;
    g->grid.b_right = g->right;
}

/* The end of a matrix: in the last quarter of `all`, or there. */
static int64_t any_end(int64_t all)
{
    return number() % 4 ? all - (int64_t)between(0, (uint32_t)all / 4) : all;
}

/* A and B go on behind the last row and the last column of their matrices, by something else. */
static void place_edges(struct grid *g)
{
    struct tsr_tile_loop *x = &g->loop;
    const int64_t rows = g->grid.rows * x->rows * x->tile_rows, elements = x->steps * tsr__loop_b_rows(x);
    struct tsr_tile_matrix a = {.width = any_end(x->steps * x->a_step), .height = any_end(rows)},
                           b = {.width = any_end(x->b_stride), .height = any_end(elements)};
    x->how |= TSR_TILE_A_EDGES | TSR_TILE_B_EDGES;
    for (int64_t i = 0; i < g->grid.rows; i++, a.y += x->rows * x->tile_rows) {
        g->rows[i] = g->a.begin + a.y * x->a_stride;
        g->a_in[i] = a;
    }
    for (int64_t i = 0; i < g->grid.columns; i++) {
        b.x = g->columns[i] - g->b.begin;
        g->b_in[i] = b;
    }
    g->grid.a_at = g->a_in;
    g->grid.b_at = g->b_in;
}

/* Each byte outside of the matrix, of which the first operand begins at its first row. */
static void set_outside(struct memory *m, int64_t stride, const struct tsr_tile_matrix *in, int value)
{
    for (size_t i = 0; i < m->bytes; i++)
        if ((int64_t)i % stride >= in->width || (int64_t)i / stride >= in->height)
            m->begin[i] = (char)value;
}

static void set_outsides(struct grid *g, int value)
{
    if (!g->grid.a_at)
        return;
    set_outside(&g->a, g->loop.a_stride, g->a_in, value);
    set_outside(&g->b, g->loop.b_stride, g->b_in, value);
}

/* Cuts K into parts. */
static void cut(struct grid *g)
{
    int64_t left = g->loop.steps;
    while (left && g->grid.segments + 1 < MOST_SEGMENTS) {
        const int64_t steps = between(1, (uint32_t)left);
        g->segment_steps[g->grid.segments++] = steps;
        left -= steps;
    }
    g->segment_steps[g->grid.segments - 1] += left;
    g->grid.segment_steps = g->segment_steps;
}

/* Operands of all segments; those that are computed get values instead of places, once it is known what C must be. */
static void compute(struct grid *g)
{
    struct tsr_tile_loop *x = &g->loop;
    const bool of_a = x->how & TSR_TILE_A_COMPUTED, of_b = x->how & TSR_TILE_B_COMPUTED;
    int64_t first = 0, a = 0, b = 0;
    for (uint32_t s = 0; s == 0 || s < g->grid.segments; first += g->segment_steps[s++]) {
        for (int64_t i = 0; i < g->grid.rows; i++, a++) {
            x->a = g->rows[i] + first * x->a_step;
            g->a_values[a] = copied_a(x);
            g->a_at[a] = of_a ? (const char *)&g->a_values[a] : x->a;
        }
        for (int64_t i = 0; i < g->grid.columns; i++, b++) {
            x->b = g->columns[i] + first * x->b_step;
            g->b_values[b] = copied_b(x);
            g->b_at[b] = of_b ? (const char *)&g->b_values[b] : x->b;
        }
    }
    if (g->grid.segments) {
        g->grid.a = g->a_at;
        g->grid.b = g->b_at;
    }
    if (x->how & TSR_TILE_A_COMPUTED) {
        g->grid.a = g->a_at;
        x->a_code = copy_steps;
        x->a_bytes = sizeof *g->a_values;
        x->a_stride = x->a_step = x->a_next = 0;
    }
    if (x->how & TSR_TILE_B_COMPUTED) {
        g->grid.b = g->b_at;
        x->b_code = copy_steps;
        x->b_bytes = sizeof *g->b_values;
        x->b_stride = x->b_step = x->b_next = 0;
    }
}

static void place_results(struct grid *g)
{
    struct tsr_tile_loop *x = &g->loop;
    const int64_t rows = g->grid.rows * x->rows * x->tile_rows * tsr__loop_sums(x),
                  width = g->grid.columns * x->columns * TSR_TILE_ROW_BYTES;
    x->to_stride = width + 64 * (int64_t)between(0, 2);
    g->c = reserve((size_t)((rows - 1) * x->to_stride + width), number() % 2);
    x->past = number() % 2 && tsr__fills_lines(&(struct tsr_tile_loop){.to = g->c.begin, .to_stride = x->to_stride});
    const uint32_t missing = number() % 3 ? UINT32_MAX : number() % (uint32_t)(g->grid.rows * g->grid.columns);
    for (uint32_t i = 0; i < g->grid.rows * g->grid.columns; i++)
        g->to[i] = i == missing ? NULL
                                : g->c.begin + i / g->grid.columns * tsr__loop_sums(x) * tsr__loop_sum_bytes(x) +
                                      i % g->grid.columns * x->columns * TSR_TILE_ROW_BYTES;
}

/* Operands and results of the loops, whose shape and numbers are known. */
static void place(struct grid *g)
{
    const bool fractions = has_fractions(g->loop.how);
    place_operands(g);
    place_results(g);
    fill(&g->a, fractions);
    fill(&g->b, fractions);
    fill(&g->c, fractions);
    g->grid.loop = &g->loop;
    g->grid.a = g->rows;
    g->grid.b = g->columns;
    g->grid.to = g->to;
}

static void make(struct grid *g, uint64_t how)
{
    static const uint8_t rows_of_tile[] = {1, 2, 4, 8, 16};
    struct tsr_tile_loop *x = &g->loop;
    *g = (struct grid){.loop = {.how = how, .zero = number() % 4 > 0, .steps = between(1, number() % 3 ? 6 : 40)}};
    if (!(tsr__is_in_tiles(x) && has_fractions(how))) /* a grid adds two halves of a step at once, which is another rounding */
        x->how |= number() % 3 ? 0 : TSR_TILE_HALF_K;
    if (number() % 4 == 0 && !tsr__is_in_tiles(x) && !tsr__tile_is_wide(tsr__packed_product(x))) {
        x->apart = between(1, 3);
        x->steps = x->apart * between(1, 20);
        x->zero = true;
    }
    x->how |= number() % 4 || (how & TSR_TILE_PRODUCT) == TSR_TILE_TF32 ? 0 : TSR_TILE_B_ROWS;
    x->how |= number() % 6 || x->how & TSR_TILE_B_ROWS ? 0 : TSR_TILE_B_COLUMNS;
    x->how |= number() % 3 || !(x->how & TSR_TILE_HALF_K) || has_fractions(how) || x->apart ? 0 : TSR_TILE_NIBBLES;
    x->tile_rows = rows_of_tile[number() % 5];
    x->rows = x->tile_rows == TSR_TILE_ROWS ? between(1, 2) : 1;
    x->columns = between(1, 2);
    g->grid.rows = between(1, (uint32_t)(66 / (x->rows * x->tile_rows) < MOST_LOOPS ? 66 / (x->rows * x->tile_rows) : MOST_LOOPS));
    g->grid.columns = between(1, number() % 3 ? 5 : MOST_COLUMNS / 2);
    place(g);
    const bool a_may_be_computed = !(x->how & TSR_TILE_NIBBLES), b_may_be_computed = a_may_be_computed && !(x->how & TSR_TILE_B_UNPACKED);
    if (x->columns == 1 && !(x->how & TSR_TILE_B_COLUMNS) && number() % 4 == 0)
        take_apart(g);
    else if (!(x->how & TSR_TILE_B_COLUMNS) && number() % 3 == 0)
        place_edges(g);
    else
        x->how |= (a_may_be_computed && number() % 4 == 0 ? TSR_TILE_A_COMPUTED : 0) |
                  (b_may_be_computed && number() % 4 == 0 ? TSR_TILE_B_COMPUTED : 0);
    if (tsr__is_in_tiles(x) && !x->apart && !g->grid.a_at && !g->grid.b_right && number() % 3 == 0)
        cut(g);
}

/* What C of a loop must be, or of one of its sums, */
static void expect_sum(const struct grid *g, int64_t i, int64_t sum, char *c)
{
    static tile tiles[TSR_TILE_LOOP_MAX];
    struct tsr_tile_loop x = g->loop;
    char *to = c + (g->to[i] - g->c.begin) + sum * tsr__loop_sum_bytes(&x);
    const int64_t rows = x.rows * x.tile_rows, columns = x.columns;
    x.steps = x.apart ? x.apart : x.steps;
    x.a = g->rows[i / g->grid.columns] + sum * x.steps * x.a_step;
    x.b = g->columns[i % g->grid.columns] + sum * x.steps * x.b_step;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < columns; j++)
            memcpy(tiles[r / TSR_TILE_ROWS * columns + j] + r % TSR_TILE_ROWS * TSR_TILE_ROW_BYTES,
                   to + r * x.to_stride + j * TSR_TILE_ROW_BYTES, TSR_TILE_ROW_BYTES);
    expect(&x, tiles);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < columns; j++)
            memcpy(to + r * x.to_stride + j * TSR_TILE_ROW_BYTES,
                   tiles[r / TSR_TILE_ROWS * columns + j] + r % TSR_TILE_ROWS * TSR_TILE_ROW_BYTES, TSR_TILE_ROW_BYTES);
}

/* … once the loops have been done one after the other. */
static void expect_grid(const struct grid *g, char *c)
{
    for (int64_t i = 0; i < g->grid.rows * g->grid.columns; i++)
        for (int64_t sum = 0; sum < tsr__loop_sums(&g->loop) && g->to[i]; sum++)
            expect_sum(g, i, sum, c);
}

static void release_all(struct grid *g)
{
    release(&g->a);
    release(&g->b);
    release(&g->c);
    if (g->grid.b_right)
        release(&g->halves);
}

/* As device-amx/tiles_share.c does a grid: B is not packed for few rows, where it need not be. */
static void multiply(struct grid *g)
{
    g->grid.b_in_place = tsr__tile_may_load_b(&g->grid) || tsr__tile_may_turn(&g->grid);
    if (tsr__tile_is_thin(&g->grid) && number() % 2)
        tsr__tile_thin_multiply(&g->grid);
    else
        tsr__tile_grid_multiply(&g->grid);
}

/* `packed`: what is packed in the memory; NULL: anything. */
static void check_results(struct grid *g, char *memory, struct tsr__packed_b *packed)
{
    static struct tsr_launch launch = {.blocks.launch = 1};
    const struct tsr__run run = {.launch = &launch};
    g->grid.memory = memory;
    char *expected = malloc(g->c.bytes);
    memcpy(expected, g->c.begin, g->c.bytes);
    set_outsides(g, 0);
    expect_grid(g, expected);
    set_outsides(g, 0xff); /* fractions that are no numbers */
    compute(g);
    if (packed)
        tsr__packed_b_multiply(packed, &run, &g->grid);
    else
        multiply(g);
    assert_memory_equal(g->c.begin, expected, g->c.bytes);
    free(expected);
}

static void check(struct grid *g, char *memory)
{
    check_results(g, memory, NULL);
    release_all(g);
}

static void one(uint64_t how, char *memory)
{
    struct grid g;
    make(&g, how);
    check(&g, memory);
}

static void one_chunk(const struct tsr_tile_loop *x, int64_t steps, int64_t end, char *memory)
{
    struct grid g = {.loop = *x, .grid = {.rows = 1, .columns = 1}};
    g.loop.steps = steps;
    place(&g);
    if (x->how & TSR_TILE_A_EDGES)
        place_edges(&g);
    g.a_in[0].width = end * g.loop.a_step + 4;
    g.b_in[0].height = end * tsr__loop_b_rows(x) + 1;
    check(&g, memory);
}

/* Loops with as many steps as are done in one chunk of K, and with one more; matrices end in the last step of the first chunk, behind it,
 * or a step later. */
static void chunks(uint64_t how, char *memory)
{
    static const uint64_t edges = TSR_TILE_A_EDGES | TSR_TILE_B_EDGES, forms[] = {edges,
                                                                                  edges | TSR_TILE_B_ROWS,
                                                                                  edges | TSR_TILE_HALF_K,
                                                                                  edges | TSR_TILE_HALF_K | TSR_TILE_NIBBLES,
                                                                                  TSR_TILE_B_COLUMNS,
                                                                                  TSR_TILE_A_COMPUTED | TSR_TILE_B_COMPUTED};
    for (size_t form = 0; form < TSR_ARRAY_LEN(forms); form++) {
        struct tsr_tile_loop x = {.how = how | forms[form], .rows = 1, .columns = 1, .tile_rows = TSR_TILE_ROWS / 2, .zero = true};
        if ((forms[form] & TSR_TILE_NIBBLES && has_fractions(how)) ||
            (forms[form] & TSR_TILE_HALF_K && tsr__is_in_tiles(&x) && has_fractions(how)) ||
            (forms[form] & TSR_TILE_B_ROWS && (how & TSR_TILE_PRODUCT) == TSR_TILE_TF32))
            continue;
        while (x.steps++, tsr__tile_grid_fits(&x))
            ;
        const int64_t most = x.steps - 1;
        one_chunk(&x, most + 1, most, memory);
        for (int64_t more = 0; more <= 1 && !form; more++) {
            one_chunk(&x, most + more, most - 1, memory);
            one_chunk(&x, most + more, most + more, memory);
        }
    }
}

static void all_products(uint64_t how, int rounds, enum tsr_tile_product last)
{
    char *memory = aligned_alloc(64, TSR__GRID_BYTES);
    for (uint64_t product = TSR_TILE_S8S8; product <= last; product++)
        if (how || runs_in_vectors(product))
            chunks(product | how, memory);
    for (int round = 0; round < rounds; round++)
        for (uint64_t product = TSR_TILE_S8S8; product <= last; product++)
            if (how || runs_in_vectors(product))
                one(product | how, memory);
    free(memory);
}

static void by_vectors(void **unused)
{
    (void)unused;
    if (!runs_in_vectors(TSR_TILE_F16))
        skip();
    all_products(0, ROUNDS, TSR_TILE_BF16_PAIRS);
}

static void by_the_model(void **unused)
{
    (void)unused;
    all_products(TSR_TILE_IN_MODEL, ROUNDS / 5, TSR_TILE_BF16_PAIRS);
}

__attribute__((target("amx-tile"))) static void configure_tiles(void)
{
    static const struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    _tile_loadconfig(&shape);
}

__attribute__((target("amx-tile"))) static void by_amx(void **unused)
{
    (void)unused;
    if (!tsr_cpu_has(tsr_cpu(), TSR_CPU_AMX_INT8) || !tsr_cpu_has(tsr_cpu(), TSR_CPU_AMX_BF16) || !tsr_cpu_request_amx())
        skip();
    configure_tiles();
    all_products(TSR_TILE_IN_AMX, ROUNDS, tsr_cpu_has(tsr_cpu(), TSR_CPU_AMX_FP16) ? TSR_TILE_F16 : TSR_TILE_BF16);
    _tile_release();
}

/* B stays packed for the next grid with the same one, unless that grid has other memory, or the product of another one was turned round,
 * for which A is packed in place of B. */
static void b_stays_packed(void **unused)
{
    (void)unused;
    enum { OTHER_PLACE = 1 << 16 };
    char *memory = aligned_alloc(64, TSR__GRID_BYTES);
    struct tsr__packed_b packed = {0};
    struct grid tall = {.loop = {.how = TSR_TILE_S8S8 | TSR_TILE_IN_MODEL | TSR_TILE_B_COLUMNS,
                                 .rows = 1,
                                 .columns = 1,
                                 .tile_rows = TSR_TILE_ROWS,
                                 .steps = 4,
                                 .zero = true},
                        .grid = {.rows = 3, .columns = 4}},
                few = tall;
    few.grid.rows = 1;
    place(&tall);
    place(&few);
    assert_true(!tsr__tile_may_turn(&tall.grid) && tsr__tile_may_turn(&few.grid) && !tsr__tile_is_thin(&few.grid));
    check_results(&tall, memory, &packed);
    check_results(&tall, memory, &packed);
    assert_true(tall.grid.has_packed_b);
    check_results(&few, memory, &packed);
    check_results(&tall, memory, &packed);
    tall.grid.packed_at = OTHER_PLACE;
    check_results(&tall, memory, &packed);
    release_all(&tall);
    release_all(&few);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_vectors), cmocka_unit_test(by_the_model), cmocka_unit_test(by_amx),
                                       cmocka_unit_test(b_stays_packed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
