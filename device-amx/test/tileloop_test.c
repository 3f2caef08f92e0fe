/* SPDX-License-Identifier: Apache-2.0
 * Loops over K at once against one tile after the other: any block, distances in any direction, operands that end where memory does, and
 * results that would overwrite them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device-amx/cpu.h"
#include "tile_loops_test.h"

enum { MOST = TSR_TILE_LOOP_MAX };

/* `count` blocks with rows at a distance: where the first is in memory that just holds them. */
struct place {
    int64_t count[3], distance[3];
};

static struct memory reserve_for(const struct place *p, int64_t width, char const **first)
{
    int64_t low = 0, high = width;
    for (int i = 0; i < 3; i++) {
        int64_t far = (p->count[i] - 1) * p->distance[i];
        low += far < 0 ? far : 0;
        high += far > 0 ? far : 0;
    }
    struct memory m = reserve((size_t)(high - low), number() % 2);
    *first = m.begin - low;
    return m;
}

enum goal { IN_TILES, ELSEWHERE, OVER_A, OVER_B, GOALS };

static bool runs_in_strips(uint64_t how)
{
    return !(how & TSR_TILE_IN_MODEL);
}

struct call {
    const struct tsr_tile_loop *loop;
    bool there;
    struct tsr__fiber worker, fiber;
};

static void call_main(void *argument)
{
    struct call *call = argument;
    tsr__fiber_started(&call->worker);
    call->there = tsr__tile_loop(NULL, call->loop);
    tsr__fiber_end(&call->worker);
}

/* Does the loop on a stack like that of a work-item, of which it may not use more than the kernel has asked for. */
static bool call_on_fiber(const struct tsr_tile_loop *loop)
{
    static const char untouched = 0x5a;
    struct call call = {.loop = loop};
    struct tsr__stacks *stacks = tsr__stacks_take(0, 1, TSR_TILE_STACK_BYTES);
    assert_non_null(stacks);
    tsr__fiber_worker(&call.worker);
    tsr__fiber_make(stacks, 0, &call.fiber, call_main, &call);
    char *low = (char *)call.fiber.low;
    const size_t below = IS_SANITIZED ? 0 : call.fiber.size - TSR_TILE_STACK_BYTES;
    memset(low, untouched, below);
    tsr__fiber_switch(&call.worker, &call.fiber);
    for (size_t i = 0; i < below; i++)
        assert_int_equal(low[i], untouched);
    tsr__stacks_give_back(0, stacks);
    return call.there;
}

/* The same loop, with A or B or both computed where they may be. */
static struct tsr_tile_loop computed(const struct tsr_tile_loop *loop, struct copied *a, struct copied *b)
{
    struct tsr_tile_loop x = *loop;
    *a = copied_a(&x);
    *b = copied_b(&x);
    if (!(x.how & TSR_TILE_NIBBLES) && number() % 2) {
        x.how |= TSR_TILE_A_COMPUTED;
        x.a = (const char *)a;
        x.a_code = copy_steps;
        x.a_bytes = sizeof *a;
        x.a_stride = x.a_step = x.a_next = 0;
    }
    if (!(x.how & (TSR_TILE_NIBBLES | TSR_TILE_B_UNPACKED | TSR_TILE_HALF_N)) && number() % 2) {
        x.how |= TSR_TILE_B_COMPUTED;
        x.b = (const char *)b;
        x.b_code = copy_steps;
        x.b_bytes = sizeof *b;
        x.b_stride = x.b_step = x.b_next = 0;
    }
    return x;
}

/* How many tiles, of how many rows, and how A and B lie in memory. */
static void choose_form(struct tsr_tile_loop *x)
{
    x->columns = 1 + number() % 3;
    x->rows = 1 + number() % (MOST / x->columns);
    x->tile_rows = TSR_TILE_ROWS;
    if (number() % 4 == 0) {
        x->rows = 1;
        x->tile_rows = 1 + number() % (TSR_TILE_ROWS - 1);
    }
    x->how |= number() % 2 ? TSR_TILE_HALF_K : 0;
    x->how |= x->how & TSR_TILE_HALF_K && !has_fractions(x->how) && number() % 2 ? TSR_TILE_NIBBLES : 0;
    x->how |= number() % 2 && (x->how & TSR_TILE_PRODUCT) != TSR_TILE_TF32 ? TSR_TILE_B_ROWS : 0;
    if (!(x->how & TSR_TILE_B_ROWS) && number() % 3 == 0)
        x->how |= TSR_TILE_B_COLUMNS;
    if (number() % 5 == 0 && !(x->how & TSR_TILE_B_COLUMNS && x->how & TSR_TILE_NIBBLES)) {
        x->how |= TSR_TILE_HALF_N;
        x->rows = x->columns = 1;
    }
}

static void fill_accumulators(struct tsr_tile_loop *x, tile *c)
{
    for (unsigned i = 0; i < MOST; i++) {
        x->c[i] = c[i];
        for (unsigned k = 0; k < TILE; k += 4) {
            float f = (float)(int)(number() % 2000) - 1000;
            uint32_t word = number() * 2654435761u;
            if (has_fractions(x->how))
                memcpy(&word, &f, 4);
            memcpy(c[i] + k, &word, 4);
        }
    }
}

static void one(uint64_t how, enum goal goal)
{
    static tile c[MOST], d[MOST];
    static char packed[TSR_TILE_PACKED_BYTES] __attribute__((aligned(64)));
    operand *operands = aligned_alloc(64, sizeof(operand) * 2 * MOST);
    struct tsr_tile_loop x = {.how = how,
                              .zero = number() % 2,
                              .past = number() % 2,
                              .steps = 1 + number() % (number() % 4 ? 5 : 20),
                              .operands = operands,
                              .packed = packed};
    choose_form(&x);
    const bool odd = number() % 2, back = number() % 2, fractions = has_fractions(how);
    const int64_t words = tsr__loop_words(&x), bytes = 4 * words; /* in a step */
    const int64_t b_rows = tsr__loop_b_rows(&x), b_bytes = tsr__loop_b_bytes(&x),
                  c_bytes = x.how & TSR_TILE_HALF_N ? TSR_TILE_ROW_BYTES / 2 : TSR_TILE_ROW_BYTES;
    int64_t pad = odd ? number() % 50 * (fractions ? 2 : 1) : 0, width = x.columns * c_bytes;
    /* A: row after row, from the last to the first, step after step, or with the tiles apart. B likewise. */
    struct place a = {{x.tile_rows, x.steps, x.rows}, {x.steps * bytes + pad, bytes, TSR_TILE_ROWS * (x.steps * bytes + pad)}};
    struct place b = {{b_rows, x.steps, x.columns}, {width + pad, b_rows * (width + pad), b_bytes}};
    if (back) {
        a.distance[0] = -a.distance[0];
        a.distance[2] = -a.distance[2];
        b.distance[1] = -b.distance[1];
        b.distance[2] = -b.distance[2];
    } else if (number() % 2) {
        a.distance[0] = bytes;
        a.distance[1] = bytes * x.rows * TSR_TILE_ROWS + pad;
        a.distance[2] = bytes * TSR_TILE_ROWS;
    }
    if (number() % 3 == 0)
        a.distance[2] += (a.distance[2] < 0 ? -2 : 2) * (int64_t)(number() % 100);
    x.a_stride = a.distance[0];
    x.a_step = a.distance[1];
    x.b_stride = b.distance[0];
    x.b_step = b.distance[1];
    x.a_next = a.distance[2];
    x.b_next = b.distance[2];
    struct memory in_a = reserve_for(&a, bytes, &x.a), in_b = reserve_for(&b, b_bytes, &x.b);
    fill(&in_a, fractions);
    fill(&in_b, fractions);

    x.to_stride = width + pad;
    struct memory elsewhere = reserve((size_t)((x.rows * x.tile_rows - 1) * x.to_stride + width), number() % 2);
    struct memory *over = goal == OVER_A ? &in_a : goal == OVER_B ? &in_b : &elsewhere;
    bool fits = over->bytes >= elsewhere.bytes;
    x.to = goal == IN_TILES || !fits ? NULL : over->begin + (over->bytes - elsewhere.bytes) / 2;
    fill_accumulators(&x, c);
    memcpy(d, c, sizeof c);
    expect(&x, d);
    /* What is not C stays: A and B, and what lies between the rows where C goes. */
    fill(&elsewhere, false);
    struct memory *const inputs[] = {&in_a, &in_b, &elsewhere};
    char *before[3];
    for (int i = 0; i < 3; i++) {
        before[i] = malloc(inputs[i]->bytes);
        memcpy(before[i], inputs[i]->begin, inputs[i]->bytes);
    }
    struct copied of_a, of_b;
    const struct tsr_tile_loop made = goal == IN_TILES || goal == ELSEWHERE ? computed(&x, &of_a, &of_b) : x;
    bool there = call_on_fiber(&made);
    assert_int_equal(there,
                     x.to && goal == ELSEWHERE && runs_in_strips(how) && x.tile_rows == TSR_TILE_ROWS && c_bytes == TSR_TILE_ROW_BYTES);
    for (int64_t i = 0; i < x.rows * x.columns; i++)
        for (int64_t r = 0; r < x.tile_rows; r++) {
            const char *at = there ? x.to + (i / x.columns * TSR_TILE_ROWS + r) * x.to_stride + i % x.columns * TSR_TILE_ROW_BYTES
                                   : (const char *)c[i] + r * TSR_TILE_ROW_BYTES;
            assert_memory_equal(at, d[i] + r * TSR_TILE_ROW_BYTES, (size_t)c_bytes);
        }
    for (int i = 0; i < 2; i++)
        assert_memory_equal(before[i], inputs[i]->begin, inputs[i]->bytes);
    for (size_t at = there ? (size_t)width : 0, step = there ? (size_t)x.to_stride : elsewhere.bytes; at < elsewhere.bytes; at += step)
        assert_memory_equal(before[2] + at, elsewhere.begin + at, there ? step - (size_t)width : step);
    for (int i = 0; i < 3; i++)
        free(before[i]);
    release(&in_a);
    release(&in_b);
    release(&elsewhere);
    free(operands);
}

static void by_vectors(void **unused)
{
    (void)unused;
    if (!runs_in_vectors(TSR_TILE_F16))
        skip();
    for (int round = 0; round < ROUNDS; round++)
        for (uint64_t product = TSR_TILE_S8S8; product <= TSR_TILE_TF32; product++)
            for (enum goal goal = 0; goal < GOALS; goal++)
                if (runs_in_vectors(product))
                    one(product, goal);
}

static void by_the_model(void **unused)
{
    (void)unused;
    for (int round = 0; round < 3; round++)
        for (uint64_t product = TSR_TILE_S8S8; product <= TSR_TILE_BF16_PAIRS; product++)
            one(product | TSR_TILE_IN_MODEL, round);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_vectors), cmocka_unit_test(by_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
