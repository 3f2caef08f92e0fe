/* SPDX-License-Identifier: Apache-2.0
 * Operands of loops over K that cross edges of their matrices: elements outside are zero, and nothing outside is read. */
#include <immintrin.h>
#include <string.h>

#include "device-amx/tiles.h"

__attribute__((target("avx512f,avx512bw"))) static void copy_within_512(char *to, int64_t to_stride, const char *from, int64_t stride,
                                                                        int64_t rows, int64_t bytes, const struct tsr_tile_matrix *at)
{
    const __mmask64 all = ~UINT64_C(0) >> (TSR_TILE_ROW_BYTES - bytes);
    const int64_t left = at->x < 0 ? -at->x : 0, end = at->width - at->x < bytes ? at->width - at->x : bytes;
    const __mmask64 some = left < end ? ~UINT64_C(0) >> (TSR_TILE_ROW_BYTES - end) & ~UINT64_C(0) << left : 0;
    for (int64_t r = 0; r < rows; r++, to += to_stride)
        _mm512_mask_storeu_epi8(to, all, _mm512_maskz_loadu_epi8(at->y + r >= 0 && at->y + r < at->height ? some : 0, from + r * stride));
}

void tsr__tile_copy_within(char *to, int64_t to_stride, const char *from, int64_t stride, int64_t rows, int64_t bytes,
                           const struct tsr_tile_matrix *at)
{
    const int64_t left = at->x < 0 ? -at->x : 0, end = at->width - at->x < bytes ? at->width - at->x : bytes;
    if (bytes <= TSR_TILE_ROW_BYTES && tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512BW)) {
        copy_within_512(to, to_stride, from, stride, rows, bytes, at);
        return;
    }
    for (int64_t r = 0; r < rows; r++, to += to_stride) {
        memset(to, 0, (size_t)bytes);
        if (at->y + r >= 0 && at->y + r < at->height && left < end)
            memcpy(to + left, from + r * stride + left, (size_t)(end - left));
    }
}

bool tsr__loop_a_is_within(const struct tsr_tile_loop *x, const struct tsr_tile_matrix *at)
{
    const int64_t bytes = 4 * (int64_t)tsr__loop_words(x);
    struct tsr_tile_matrix last = *at;
    last.x += (x->steps - 1) * x->a_step;
    return tsr__is_within(at, tsr__loop_rows(x), bytes) && tsr__is_within(&last, 1, bytes);
}

bool tsr__loop_b_is_within(const struct tsr_tile_loop *x, const struct tsr_tile_matrix *at)
{
    const int64_t rows = x->steps * tsr__loop_b_rows(x);
    struct tsr_tile_matrix last = *at;
    last.x += (x->columns - 1) * x->b_next;
    return tsr__is_within(at, rows, tsr__loop_b_bytes(x)) && tsr__is_within(&last, 1, tsr__loop_b_bytes(x));
}

/* A step of a tile of A. */
static void copy_a(char *to, const struct tsr_tile_loop *x, int64_t row, int64_t step)
{
    const char *from = x->a + row * x->a_next + step * x->a_step;
    struct tsr_tile_matrix at = x->a_matrix;
    if (x->how & TSR_TILE_A_COMPUTED) {
        x->a_code(x->a, step, 1, (uint32_t)row, to, TSR_TILE_ROW_BYTES, 0);
        return;
    }
    at.x += step * x->a_step;
    at.y += row * TSR_TILE_ROWS;
    if (x->how & TSR_TILE_A_EDGES)
        tsr__tile_copy_within(to, TSR_TILE_ROW_BYTES, from, x->a_stride, x->tile_rows, 4 * (int64_t)tsr__loop_words(x), &at);
    for (int64_t r = 0; r < x->tile_rows && !(x->how & TSR_TILE_A_EDGES); r++)
        memcpy(to + r * TSR_TILE_ROW_BYTES, from + r * x->a_stride, 4 * tsr__loop_words(x));
}

/* Where it has 8 columns, the others are zeros. */
static void copy_b(char *to, const struct tsr_tile_loop *x, int64_t column, int64_t step)
{
    const int64_t rows = tsr__loop_b_rows(x), there = tsr__loop_b_bytes(x), bytes = there * (x->how & TSR_TILE_HALF_N ? 2 : 1);
    const char *from = x->b + column * x->b_next + step * x->b_step;
    char in_rows[TSR_TILE_BYTES] = {0}, *first = x->how & TSR_TILE_B_ROWS ? in_rows : to;
    struct tsr_tile_matrix at = x->b_matrix;
    if (x->how & TSR_TILE_B_COMPUTED) {
        x->b_code(x->b, step, 1, (uint32_t)column, to, TSR_TILE_ROW_BYTES, 0);
        return;
    }
    if (x->how & TSR_TILE_B_COLUMNS) {
        for (int64_t k = 0; k < rows; k++)
            for (int64_t w = 0; w < there / 4; w++)
                memcpy(to + w * TSR_TILE_ROW_BYTES + 4 * k, from + k * x->b_stride + 4 * w, 4);
        return;
    }
    at.x += column * x->b_next;
    at.y += step * rows;
    if (x->how & TSR_TILE_B_EDGES)
        tsr__tile_copy_within(first, bytes, from, x->b_stride, rows, bytes, &at);
    for (int64_t r = 0; r < rows && !(x->how & TSR_TILE_B_EDGES); r++)
        memcpy(first + r * bytes, from + r * x->b_stride, (size_t)there);
    if (x->how & TSR_TILE_B_ROWS)
        tsr__tile_pack_rows(to, TSR_TILE_ROW_BYTES, in_rows, bytes, (uint32_t)x->how);
}

/* The number of steps from the first one on that lie within the matrices: K is no multiple of a step, as a rule. */
static int64_t steps_within(const struct tsr_tile_loop *x)
{
    struct tsr_tile_loop part = *x;
    const uint64_t a_edges = x->how & TSR_TILE_A_EDGES, b_edges = x->how & TSR_TILE_B_EDGES;
    const int64_t a_bytes = 4 * (int64_t)tsr__loop_words(x), b_rows = tsr__loop_b_rows(x);
    if (a_edges && x->a_step > 0 && (x->a_matrix.width - x->a_matrix.x - a_bytes) / x->a_step + 1 < part.steps)
        part.steps = (x->a_matrix.width - x->a_matrix.x - a_bytes) / x->a_step + 1;
    if (b_edges && (x->b_matrix.height - x->b_matrix.y) / b_rows < part.steps)
        part.steps = (x->b_matrix.height - x->b_matrix.y) / b_rows;
    const bool within = part.steps > 0 && !(x->how & TSR_TILE_HALF_N) && (!a_edges || tsr__loop_a_is_within(&part, &x->a_matrix)) &&
                        (!b_edges || tsr__loop_b_is_within(&part, &x->b_matrix));
    return within ? part.steps : 0;
}

/* Runs the first `steps` steps as a loop without edges. */
static void run_within(struct tsr_item *item, const struct tsr_tile_loop *x, int64_t steps)
{
    struct tsr_tile_loop part = *x;
    part.how &= ~(uint64_t)(TSR_TILE_A_EDGES | TSR_TILE_B_EDGES);
    part.steps = steps;
    part.to = NULL;
    part.past = 0;
    if (tsr__is_computed(x))
        tsr__tile_loop_computed(item, &part);
    else
        tsr__tile_loop_now(item, &part);
}

void tsr__tile_loop_at_edges(struct tsr_item *item, const struct tsr_tile_loop *x)
{
    char a[TSR_TILE_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES))) = {0};
    char b[TSR_TILE_BYTES] __attribute__((aligned(TSR_TILE_ROW_BYTES))) = {0};
    struct tsr_tile_loop part = {.a = a,
                                 .b = b,
                                 .a_stride = TSR_TILE_ROW_BYTES,
                                 .b_stride = TSR_TILE_ROW_BYTES,
                                 .steps = 1,
                                 .rows = 1,
                                 .columns = 1,
                                 .tile_rows = TSR_TILE_ROWS,
                                 .how =
                                     x->how & (TSR_TILE_PRODUCT | TSR_TILE_HALF_K | TSR_TILE_NIBBLES | TSR_TILE_IN_MODEL | TSR_TILE_IN_AMX),
                                 .operands = x->operands};
    const int64_t within = steps_within(x);
    if (within)
        run_within(item, x, within);
    for (int64_t i = 0; i < x->rows * x->columns; i++)
        for (int64_t step = within; step < x->steps; step++) {
            copy_a(a, x, i / x->columns, step);
            copy_b(b, x, i % x->columns, step);
            part.c[0] = x->c[i];
            part.zero = x->zero && step == 0;
            tsr__tile_loop_now(item, &part);
        }
}
