/* SPDX-License-Identifier: Apache-2.0
 * The matrices of a product: their making, how the kernels take them, the check of C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"

static const struct {
    const char *name;
    int bytes, numbers; /* of an element of memory; in it */
} types[GEMM_TYPES] = {
    [GEMM_INT8] = {"int8", 1, 1}, [GEMM_BF16] = {"bf16", 2, 1}, [GEMM_F16] = {"f16", 2, 1},
    [GEMM_TF32] = {"tf32", 4, 1}, [GEMM_INT4] = {"int4", 1, 2},
};

const char *gemm_type_name(enum gemm_type type)
{
    return types[type].name;
}

int gemm_element_bytes(enum gemm_type type)
{
    return types[type].bytes;
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

int gemm_depth(const struct gemm_problem *p)
{
    return up_to(p->size.depth, types[p->type].numbers) / types[p->type].numbers;
}

bool gemm_is_square(const struct gemm_problem *p)
{
    return p->size.rows == p->size.columns && p->size.rows == p->size.depth;
}

double gemm_operations(const struct gemm_problem *p)
{
    return 2.0 * p->count * p->size.rows * p->size.columns * p->size.depth;
}

/* An element of memory: small whole numbers where sums must be exact in any order. */
static void put(const struct gemm_problem *p, void *to, size_t at, uint32_t random)
{
    static const uint16_t halves[8] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200, 0x4400}; /* -3 to 4 */
    union {
        float value;
        uint32_t bits;
    } u = {(float)(int)(random >> 29) - 3};
    if (p->type == GEMM_BF16)
        ((uint16_t *)to)[at] = (uint16_t)(u.bits >> 16);
    else if (p->type == GEMM_F16)
        ((uint16_t *)to)[at] = halves[random >> 29];
    else if (p->type == GEMM_TF32)
        ((float *)to)[at] = u.value;
    else
        ((int8_t *)to)[at] = (int8_t)(random >> 24);
}

/* `rows` rows with `columns` elements, in each `room` rows. */
static void fill(const struct gemm_problem *p, void *to, int room, int rows, int pitch, int columns, uint32_t *state)
{
    for (int row = 0; row < p->count * room; row++)
        for (int column = 0; row % room < rows && column < columns; column++) {
            size_t at = (size_t)row * (size_t)pitch + (size_t)column;
            *state = *state * 1664525u + 1013904223u;
            put(p, to, at, *state);
        }
}

struct gemm_problem gemm_make_problem(enum gemm_type type, int products, struct gemm_size size)
{
    const bool small = products > 1;
    const int bytes = gemm_element_bytes(type);
    struct gemm_problem p = {.type = type,
                             .count = products,
                             .size = size,
                             .room = {up_to(size.rows, small ? 1 : MOST_ROWS), up_to(size.columns, small ? 1 : MOST_COLUMNS), 0}};
    const int depth = gemm_depth(&p);
    p.room.depth = up_to(depth, small ? 1 : GEMM_TILE_BYTES / bytes);
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
    fill(&p, p.a, p.room.rows, size.rows, p.room.depth, depth, &state);
    fill(&p, p.b, p.room.depth, depth, p.room.columns, size.columns, &state);
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

void gemm_transpose(struct gemm_problem *p)
{
    const size_t bytes = (size_t)gemm_element_bytes(p->type), n = (size_t)p->room.columns, deep = (size_t)p->room.depth;
    char *to = p->packed;
    for (size_t product = 0; product < (size_t)p->count; product++)
        for (size_t column = 0; column < n; column++)
            for (size_t k = 0; k < deep; k++, to += bytes)
                memcpy(to, (const char *)p->b + ((product * deep + k) * n + column) * bytes, bytes);
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

static int low_half(int8_t both)
{
    return (both & 7) - (both & 8);
}

/* The product of two elements of memory. */
static double product_of(const struct gemm_problem *p, const void *a, size_t at_a, const void *b, size_t at_b)
{
    const void *of[2] = {a, b};
    const size_t at[2] = {at_a, at_b};
    double values[2];
    if (p->type == GEMM_INT4) {
        const int8_t x = ((const int8_t *)a)[at_a], y = ((const int8_t *)b)[at_b];
        return low_half(x) * low_half(y) + (x >> 4) * (y >> 4);
    }
    for (int i = 0; i < 2; i++) {
        const uint16_t half = p->type == GEMM_BF16 || p->type == GEMM_F16 ? ((const uint16_t *)of[i])[at[i]] : 0;
        union {
            uint32_t bits;
            float value;
        } u = {(uint32_t)half << 16};
        if (p->type == GEMM_F16) /* whole numbers, so no denormals */
            u.bits = half & 0x7fff ? (uint32_t)(half & 0x8000) << 16 | ((uint32_t)(half & 0x7fff) + ((127 - 15) << 10)) << 13 : 0;
        else if (p->type == GEMM_TF32)
            u.value = ((const float *)of[i])[at[i]];
        values[i] = p->type == GEMM_INT8 ? ((const int8_t *)of[i])[at[i]] : u.value;
    }
    return values[0] * values[1];
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
        for (size_t k = 0; k < (size_t)gemm_depth(p); k++)
            sum += product_of(p, p->a, line * (size_t)p->room.depth + k, p->b,
                              (product * (size_t)p->room.depth + k) * (size_t)p->room.columns + column);
        double got = p->type == GEMM_INT8 || p->type == GEMM_INT4 ? ((const int32_t *)p->c)[at] : (double)((const float *)p->c)[at];
        if (got != sum) {
            fprintf(stderr, "C[%zu][%zu] is %g, must be %g\n", line, column, got, sum);
            return false;
        }
    }
    return true;
}
