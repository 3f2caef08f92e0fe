/* SPDX-License-Identifier: Apache-2.0
 * The matrices of a product: their making, how the kernels take them, the check of C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"

int gemm_element_bytes(enum gemm_type type)
{
    return type == GEMM_BF16 ? 2 : 1;
}

/* As clCreateBuffer would give it. */
void *gemm_zeroed(size_t bytes)
{
    void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return p ? memset(p, 0, bytes) : NULL;
}

/* Small whole numbers, so that sums of bfloat16 are exact in any order. */
struct gemm_problem gemm_make_problem(enum gemm_type type, int products, int size)
{
    size_t count = (size_t)products * (size_t)size * (size_t)size, bytes = count * (size_t)gemm_element_bytes(type);
    struct gemm_problem p = {.type = type,
                             .count = products,
                             .size = size,
                             .a = gemm_zeroed(bytes),
                             .b = gemm_zeroed(bytes),
                             .packed = gemm_zeroed(bytes),
                             .packed_a = gemm_zeroed(bytes),
                             .c = gemm_zeroed(4 * count),
                             .expected = gemm_zeroed(4 * count)};
    uint32_t state = 1;
    if (!p.a || !p.b || !p.packed || !p.packed_a || !p.c || !p.expected)
        abort();
    for (size_t i = 0; i < 2 * count; i++) {
        state = state * 1664525u + 1013904223u;
        void *to = i < count ? p.a : p.b;
        size_t at = i % count;
        if (type == GEMM_BF16) {
            union {
                float value;
                uint32_t bits;
            } u = {(float)(int)(state >> 29) - 3};
            ((uint16_t *)to)[at] = (uint16_t)(u.bits >> 16);
        } else {
            ((int8_t *)to)[at] = (int8_t)(state >> 24);
        }
    }
    return p;
}

void gemm_free_problem(struct gemm_problem *p)
{
    free(p->a);
    free(p->b);
    free(p->packed);
    free(p->packed_a);
    free(p->c);
    free(p->expected);
}

/* For each panel of `width` columns: words of K's elements, row after row. */
void gemm_pack(struct gemm_problem *p, int width)
{
    int n = p->size, bytes = gemm_element_bytes(p->type), in_word = 4 / bytes;
    char *to = p->packed;
    for (int at = 0; at < p->count * n; at += width) {
        int panel = at % n, first = at / n * n; /* first: row of B */
        for (int k = 0; k < n; k += in_word)
            for (int column = panel; column < panel + width; column++)
                for (int i = 0; i < in_word; i++, to += bytes)
                    memcpy(to, (const char *)p->b + ((size_t)(first + k + i) * (size_t)n + (size_t)column) * (size_t)bytes, (size_t)bytes);
    }
}

void gemm_pack_rows(struct gemm_problem *p)
{
    size_t row_bytes = (size_t)p->size * (size_t)gemm_element_bytes(p->type);
    char *to = p->packed_a;
    for (int row = 0; row < p->size; row += GEMM_TILE)
        for (size_t at = 0; at < row_bytes; at += GEMM_TILE_BYTES)
            for (int r = row; r < row + GEMM_TILE; r++, to += GEMM_TILE_BYTES)
                memcpy(to, (const char *)p->a + (size_t)r * row_bytes + at, GEMM_TILE_BYTES);
}

static double value_at(const struct gemm_problem *p, const void *matrix, int row, int column)
{
    size_t at = (size_t)row * (size_t)p->size + (size_t)column;
    if (p->type == GEMM_INT8)
        return ((const int8_t *)matrix)[at];
    union {
        uint32_t bits;
        float value;
    } u = {(uint32_t)((const uint16_t *)matrix)[at] << 16};
    return u.value;
}

/* Some elements by the definition. Products lie one under the other. */
bool gemm_is_right(const struct gemm_problem *p)
{
    for (int i = 0; i < 400; i++) {
        int row = (int)((unsigned)i * 2654435761u % (unsigned)(p->count * p->size)),
            column = (int)((unsigned)i * 40503u % (unsigned)p->size);
        double sum = 0;
        for (int k = 0; k < p->size; k++)
            sum += value_at(p, p->a, row, k) * value_at(p, p->b, row / p->size * p->size + k, column);
        size_t at = (size_t)row * (size_t)p->size + (size_t)column;
        double got = p->type == GEMM_INT8 ? ((const int32_t *)p->c)[at] : (double)((const float *)p->c)[at];
        if (got != sum) {
            fprintf(stderr, "C[%d][%d] is %g, must be %g\n", row, column, got, sum);
            return false;
        }
    }
    return true;
}
