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

/* What blocks of kernels divide. */
enum { MOST_ROWS = 32, MOST_COLUMNS = 64 };

static int up_to(int number, int step)
{
    return (number + step - 1) / step * step;
}

static size_t elements(const struct gemm_problem *p, int rows, int columns)
{
    return (size_t)p->count * (size_t)rows * (size_t)columns;
}

bool gemm_is_square(const struct gemm_problem *p)
{
    return p->size.rows == p->size.columns && p->size.rows == p->size.depth;
}

double gemm_operations(const struct gemm_problem *p)
{
    return 2.0 * p->count * p->size.rows * p->size.columns * p->size.depth;
}

/* Small whole numbers, so that sums of bfloat16 are exact in any order: `rows` rows with `columns` of them, in each `room` rows. */
static void fill(const struct gemm_problem *p, void *to, int room, int rows, int pitch, int columns, uint32_t *state)
{
    for (int row = 0; row < p->count * room; row++)
        for (int column = 0; row % room < rows && column < columns; column++) {
            size_t at = (size_t)row * (size_t)pitch + (size_t)column;
            *state = *state * 1664525u + 1013904223u;
            if (p->type == GEMM_BF16) {
                union {
                    float value;
                    uint32_t bits;
                } u = {(float)(int)(*state >> 29) - 3};
                ((uint16_t *)to)[at] = (uint16_t)(u.bits >> 16);
            } else {
                ((int8_t *)to)[at] = (int8_t)(*state >> 24);
            }
        }
}

struct gemm_problem gemm_make_problem(enum gemm_type type, int products, struct gemm_size size)
{
    const bool small = products > 1;
    const int bytes = gemm_element_bytes(type);
    struct gemm_problem p = {.type = type,
                             .count = products,
                             .size = size,
                             .room = {up_to(size.rows, small ? 1 : MOST_ROWS), up_to(size.columns, small ? 1 : MOST_COLUMNS),
                                      up_to(size.depth, small ? 1 : GEMM_TILE_BYTES / bytes)}};
    const size_t a = elements(&p, p.room.rows, p.room.depth), b = elements(&p, p.room.depth, p.room.columns),
                 c = elements(&p, p.room.rows, p.room.columns);
    p.a = gemm_zeroed(a * (size_t)bytes);
    p.b = gemm_zeroed(b * (size_t)bytes);
    p.packed = gemm_zeroed(b * (size_t)bytes);
    p.packed_a = gemm_zeroed(a * (size_t)bytes);
    p.c = gemm_zeroed(4 * c);
    p.expected = gemm_zeroed(4 * c);
    if (!p.a || !p.b || !p.packed || !p.packed_a || !p.c || !p.expected)
        abort();
    uint32_t state = 1;
    fill(&p, p.a, p.room.rows, size.rows, p.room.depth, size.depth, &state);
    fill(&p, p.b, p.room.depth, size.depth, p.room.columns, size.columns, &state);
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
    int n = p->room.columns, deep = p->room.depth, bytes = gemm_element_bytes(p->type), in_word = 4 / bytes;
    char *to = p->packed;
    for (int at = 0; at < p->count * n; at += width) {
        int panel = at % n, first = at / n * deep; /* first: row of B */
        for (int k = 0; k < deep; k += in_word)
            for (int column = panel; column < panel + width; column++)
                for (int i = 0; i < in_word; i++, to += bytes)
                    memcpy(to, (const char *)p->b + ((size_t)(first + k + i) * (size_t)n + (size_t)column) * (size_t)bytes, (size_t)bytes);
    }
}

void gemm_pack_rows(struct gemm_problem *p)
{
    size_t row_bytes = (size_t)p->room.depth * (size_t)gemm_element_bytes(p->type);
    char *to = p->packed_a;
    for (int row = 0; row < p->room.rows; row += GEMM_TILE)
        for (size_t at = 0; at < row_bytes; at += GEMM_TILE_BYTES)
            for (int r = row; r < row + GEMM_TILE; r++, to += GEMM_TILE_BYTES)
                memcpy(to, (const char *)p->a + (size_t)r * row_bytes + at, GEMM_TILE_BYTES);
}

static double value_at(const struct gemm_problem *p, const void *matrix, size_t at)
{
    if (p->type == GEMM_INT8)
        return ((const int8_t *)matrix)[at];
    union {
        uint32_t bits;
        float value;
    } u = {(uint32_t)((const uint16_t *)matrix)[at] << 16};
    return u.value;
}

/* Some elements by the definition, the last one among them. Products lie one under the other. */
bool gemm_is_right(const struct gemm_problem *p)
{
    for (int i = 0; i <= 400; i++) {
        const bool last = i == 400;
        size_t product = last ? (size_t)p->count - 1 : (unsigned)i * 2654435761u % (unsigned)p->count,
               row = (last ? (unsigned)p->size.rows - 1 : (unsigned)i * 2246822519u % (unsigned)p->size.rows),
               column = last ? (unsigned)p->size.columns - 1 : (unsigned)i * 40503u % (unsigned)p->size.columns,
               line = product * (size_t)p->room.rows + row, at = line * (size_t)p->room.columns + column;
        double sum = 0;
        for (size_t k = 0; k < (size_t)p->size.depth; k++)
            sum += value_at(p, p->a, line * (size_t)p->room.depth + k) *
                   value_at(p, p->b, (product * (size_t)p->room.depth + k) * (size_t)p->room.columns + column);
        double got = p->type == GEMM_INT8 ? ((const int32_t *)p->c)[at] : (double)((const float *)p->c)[at];
        if (got != sum) {
            fprintf(stderr, "C[%zu][%zu] is %g, must be %g\n", line, column, got, sum);
            return false;
        }
    }
    return true;
}
