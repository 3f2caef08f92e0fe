/* SPDX-License-Identifier: Apache-2.0
 * Products as people write them for GPUs, whose work-groups share operands: each style in ranges of many shapes, against plain C. What a
 * work-group writes must not depend on which others run, in which order, or with it.
 *
 * matrix_styles [all [FIRST STEP] | random COUNT SEED]: more styles, or each STEP-th of them from FIRST on; or COUNT styles and ranges,
 * made up from numbers that begin with SEED. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/styles.h"

static struct device device;
static bool all_styles, staged_styles;
static unsigned long first_style, style_step = 1, random_count, first_seed;

/* A range, and where the matrices lie in it. In bytes: the distances of rows, and of matrices in z. */
struct shape {
    size_t groups[3], local[3]; /* sub-groups beside each other, and work-items under each other and in z (0: one), in a work-group */
    int depth;                  /* steps of 32 bytes */
    int pad;                    /* bytes between rows, a multiple of 16 */
    bool same_a, same_b;        /* in z */
    enum { APART, C_BESIDE_A, C_OVER_A } place;
    int cut[4];    /* of 2D blocks: so many elements less of A's width and height, and of B's (words, if it is packed) */
    int origin[4]; /* where the first block begins: column and row in A and in B */
};

static const struct shape shapes[] = {
    {{1, 1, 1}, {1, 1}, 1, 0, false, false, APART, {0}, {0}},
    {{5, 7, 1}, {1, 1}, 2, 16, false, false, APART, {0}, {0}},
    {{3, 37, 1}, {1, 1}, 5, 0, false, false, APART, {0}, {0}},
    {{2, 150, 1}, {1, 1}, 3, 0, false, false, APART, {0}, {0}}, /* several blocks under each other */
    {{1, 13, 1}, {1, 1}, 5, 16, false, false, APART, {0}, {0}}, /* one column, strip after strip */
    {{21, 1, 1}, {1, 1}, 5, 16, false, false, APART, {0}, {0}}, /* a few rows in all, for functions of a few: eight columns at once */
    {{19, 3, 1}, {1, 1}, 4, 0, false, false, APART, {0}, {0}},
    {{9, 4, 1}, {1, 1}, 3, 0, false, false, APART, {0}, {0}},
    {{9, 2, 1}, {2, 1}, 3, 0, false, false, APART, {0}, {0}},
    {{2, 9, 2}, {1, 2}, 4, 48, true, false, APART, {0}, {0}},
    {{4, 5, 3}, {1, 1}, 3, 16, false, true, APART, {0}, {0}},
    {{2, 2, 60}, {1, 1}, 1, 0, true, true, APART, {0}, {0}},
    {{3, 5, 2}, {1, 1, 4}, 3, 16, false, false, APART, {0}, {0}}, /* a work-group has sub-groups of several products */
    {{5, 2, 1}, {2, 1, 3}, 4, 0, false, false, APART, {0}, {0}},
    {{2, 3, 3}, {1, 2, 2}, 2, 0, true, false, APART, {0}, {0}},
    {{2, 2, 1}, {1, 1, 70}, 2, 0, false, false, APART, {0}, {0}},
    {{1, 1, 20}, {1, 1}, 2, 0, false, false, APART, {0}, {0}},
    {{3, 3, 1}, {1, 1}, 0, 0, false, false, APART, {0}, {0}},
    {{3, 4, 1}, {1, 1}, 4, 0, false, false, C_BESIDE_A, {0}, {0}},
    {{1, 6, 1}, {1, 1}, 7, 0, false, false, C_OVER_A, {0}, {0}},
    {{2, 3, 1}, {1, 1}, 1026, 0, false, false, APART, {0}, {0}}, /* more of K than is packed at a time */
    {{3, 4, 1}, {1, 1}, 33, 16, false, false, APART, {0}, {0}},  /* parts of K, and half a line */
    {{3, 5, 1}, {1, 1}, 3, 16, false, false, APART, {5, 3, 7, 2}, {0}},
    {{5, 4, 2}, {1, 1}, 4, 0, false, true, APART, {0, 11, 0, 0}, {0}},
    {{2, 7, 1}, {1, 1}, 2, 0, true, false, APART, {1, 0, 0, 1}, {0}},
    {{2, 20, 1}, {2, 1}, 3, 32, false, false, APART, {0, 0, 33, 40}, {0}},
    {{3, 6, 1}, {1, 1}, 4, 0, false, false, APART, {0}, {-3, -5, -9, -2}},
    {{4, 3, 1}, {1, 2}, 3, 0, false, false, APART, {2, 1, 3, 1}, {4, 2, 5, 3}},
    {{3, 9, 1}, {1, 1}, 4, 48, false, false, APART, {-16, 0, -4, 0}, {0}}, /* the matrices reach into the gaps between rows */
    {{2, 2, 1}, {1, 1}, 1, 0, false, false, APART, {1000, 0, 0, 0}, {0}},  /* nothing is there */
    {{2, 3, 1}, {1, 1}, 1026, 0, false, false, APART, {9, 1, 2, 5}, {-1, 0, -1, 0}},
};

/* Small whole numbers, so that sums of bfloat16 are exact in any order. */
static int number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int)(*seed >> 24) % 15 - 7;
}

static void put(unsigned char *at, int value, enum type type)
{
    float f = (float)value;
    _Float16 half = (_Float16)f;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint16_t upper = (uint16_t)(bits >> 16);
    if (type == BF16)
        memcpy(at, &upper, 2);
    else if (type == F16)
        memcpy(at, &half, 2);
    else if (type == TF32) { /* with bits that do not count */
        memcpy(&bits, &f, sizeof bits);
        bits |= 0x1a5c;
        memcpy(at, &bits, sizeof bits);
    } else
        *at = (unsigned char)(of_types[type].numbers > 1 ? value * 23 : value);
}

/* One of the numbers in an element. */
static int get(const unsigned char *at, int part, enum type type)
{
    const int four_bits = *at >> 4 * part & 15;
    uint16_t upper;
    uint32_t bits;
    float f;
    _Float16 half;
    switch (type) {
    case BF16:
        memcpy(&upper, at, 2);
        bits = (uint32_t)upper << 16;
        memcpy(&f, &bits, sizeof f);
        return (int)f;
    case F16:
        memcpy(&half, at, 2);
        return (int)half;
    case TF32:
        memcpy(&f, at, 4);
        return (int)f;
    case INT4:
        return (four_bits & 7) - (four_bits & 8);
    case UINT4:
        return four_bits;
    default:
        return type == INT8 ? (int8_t)*at : *at;
    }
}

/* The same of an element whose signs the kernel may flip. */
static int get_flipped(const unsigned char *at, int part, enum type type, bool flips)
{
    unsigned char element[4];
    const int bytes = of_types[type].element;
    memcpy(element, at, (size_t)bytes);
    element[bytes - 1] ^= !flips ? 0 : of_types[type].numbers > 1 ? 0x88 : 0x80;
    return get(element, part, type);
}

static int get_sum(const unsigned char *at, enum type type)
{
    int sum;
    float f;
    memcpy(&sum, at, 4);
    memcpy(&f, at, 4);
    return of_types[type].has_fraction ? (int)f : sum;
}

struct layout {
    size_t rows, columns, depth, element, in_word;        /* depth: elements */
    size_t a_pitch, b_pitch, c_pitch, batch[3], bytes[3]; /* of A, B, C */
};

static size_t local_z(const struct shape *x)
{
    return x->local[2] ? x->local[2] : 1;
}

static struct layout lay_out(const struct style *s, const struct shape *x)
{
    struct layout l = {.rows = x->groups[1] * x->local[1] * s->rows * s->m,
                       .columns = x->groups[0] * x->local[0] * s->columns * (size_t)lanes_of(s)};
    l.element = (size_t)of_types[s->type].element;
    l.in_word = 4 / l.element;
    l.depth = x->depth * 32 / l.element;
    if (s->clamps)
        l.rows -= l.rows > (size_t)(s->rows * s->m) ? s->rows * s->m / 2 : 0; /* the last one has half of the rows of the one before */
    l.b_pitch = (s->b_columns ? l.depth * l.element : s->b_rows ? l.columns * l.element : l.columns * 4) + x->pad;
    l.c_pitch = l.columns * 4 + x->pad;
    l.a_pitch = l.depth * l.element + x->pad;
    if (x->place == C_BESIDE_A)
        l.a_pitch = l.c_pitch = l.a_pitch + l.columns * 4;
    else if (x->place == C_OVER_A)
        l.a_pitch = l.c_pitch = l.a_pitch > l.c_pitch ? l.a_pitch : l.c_pitch;
    l.batch[0] = l.rows * l.a_pitch;
    l.batch[1] = (s->b_columns ? l.columns : s->b_rows ? l.depth : l.depth / l.in_word) * l.b_pitch;
    l.batch[2] = l.rows * l.c_pitch;
    for (int i = 0; i < 3; i++)
        l.bytes[i] = l.batch[i] * x->groups[2] * local_z(x) + 64;
    l.batch[0] *= !x->same_a;
    l.batch[1] *= !x->same_b;
    return l;
}

static unsigned char *b_at(unsigned char *b, const struct style *s, const struct layout *l, size_t k, size_t column)
{
    if (s->b_columns)
        return b + column * l->b_pitch + k * l->element;
    if (s->b_rows)
        return b + k * l->b_pitch + column * l->element;
    return b + k / l->in_word * l->b_pitch + column * 4 + k % l->in_word * l->element;
}

/* Numbers of 2D blocks: width in bytes and height of A, and of B. */
static void edges_of(const struct style *s, const struct shape *x, const struct layout *l, cl_int *edges)
{
    const size_t in_b = s->b_rows ? l->element : 4;
    edges[0] = (cl_int)((int)(l->depth * l->element) - x->cut[0] * (int)l->element);
    edges[1] = (cl_int)l->rows - x->cut[1];
    edges[2] = (cl_int)((int)(l->columns * in_b) - x->cut[2] * (int)in_b);
    edges[3] = (cl_int)(s->b_rows ? l->depth : l->depth / l->in_word) - x->cut[3];
}

/* And of C. */
static void edges_of_c(const struct style *s, const struct shape *x, const struct layout *l, cl_int *edges)
{
    const bool cut = s->writes || s->checks;
    edges[0] = (cl_int)(l->columns * 4) - (cut ? x->cut[2] * 4 : 0);
    edges[1] = (cl_int)l->rows - (cut ? x->cut[1] : 0);
}

static bool is_inside(int64_t byte, int64_t row, const cl_int *edges)
{
    return byte >= 0 && row >= 0 && byte < edges[0] && row < edges[1];
}

static int element_of_a(const struct style *s, const struct shape *x, const struct layout *l, unsigned char *a, size_t row, size_t k,
                        int part)
{
    cl_int edges[4];
    int64_t column = (int64_t)k + x->origin[0], line = (int64_t)row + x->origin[1];
    const int64_t byte = (int64_t)(k * l->element),
                  end = byte / a_bytes(s) * a_bytes(s) + a_bytes(s) - 1; /* a lane's part is there, or not */
    const bool flips = s->computes & COMPUTES_A && byte / a_bytes(s) % 2;
    if (!(s->blocks & A_BLOCKS) && !s->checks)
        return get_flipped(a + row * l->a_pitch + k * l->element, part, s->type, flips);
    edges_of(s, x, l, edges);
    if (s->checks)
        return is_inside(end, (int64_t)row, edges) ? get_flipped(a + row * l->a_pitch + k * l->element, part, s->type, flips) : 0;
    if (!is_inside(column * (int)l->element, line, edges))
        return 0;
    return get(a + line * (int64_t)l->a_pitch + column * (int64_t)l->element, part, s->type);
}

static int element_of_b(const struct style *s, const struct shape *x, const struct layout *l, unsigned char *b, size_t k, size_t column,
                        int part)
{
    cl_int edges[4];
    const size_t last = k / l->in_word * l->in_word + l->in_word - 1; /* of the word, which is there, or not */
    const bool flips = s->computes & COMPUTES_B && k / l->in_word % 2;
    if (!(s->blocks & B_BLOCKS) && !s->checks)
        return get_flipped(b_at(b, s, l, k, column), part, s->type, flips);
    edges_of(s, x, l, edges);
    if (s->checks) {
        const bool inside =
            is_inside((int64_t)column * (int)(s->b_rows ? l->element : 4), (int64_t)(s->b_rows ? last : k / l->in_word), edges + 2);
        return inside ? get_flipped(b_at(b, s, l, k, column), part, s->type, flips) : 0;
    }
    int64_t at = (int64_t)column + x->origin[2], row = (int64_t)(s->b_rows ? k : k / l->in_word) + x->origin[3];
    int64_t byte = at * (int64_t)(s->b_rows ? l->element : 4);
    if (!is_inside(byte, row, edges + 2))
        return 0;
    return get(b + row * (int64_t)l->b_pitch + byte + (s->b_rows ? 0 : k % l->in_word * l->element), part, s->type);
}

/* The column at the same place of the sub-group at the same place from the other end. */
static size_t other_column(const struct style *s, const struct layout *l, size_t column)
{
    const size_t tile = (size_t)(s->columns * lanes_of(s));
    return l->columns - tile * (column / tile + 1) + column % tile;
}

/* In place, as the kernel; work-groups do not read what others write. */
static void expect(const struct style *s, const struct shape *x, const struct layout *l, unsigned char *a, unsigned char *b,
                   unsigned char *c)
{
    const int step = s->rows * s->m;
    const size_t numbers = (size_t)of_types[s->type].numbers;
    cl_int edges[2];
    edges_of_c(s, x, l, edges);
    int *sums = malloc(l->columns * step * sizeof *sums), *row_sums = malloc(step * sizeof *row_sums);
    for (size_t z = 0; z < x->groups[2] * local_z(x); z++, a += l->batch[0], b += l->batch[1], c += l->batch[2])
        for (size_t from = 0; from < l->rows; from += step) {
            size_t first = s->clamps && from + step > l->rows ? l->rows - step : from;
            memset(sums, 0, l->columns * step * sizeof *sums);
            memset(row_sums, 0, step * sizeof *row_sums);
            for (size_t r = 0; r < (size_t)step; r++)
                for (size_t k = 0; k < l->depth * numbers; k++) {
                    const int part = (int)(k % numbers), value = element_of_a(s, x, l, a, first + r, k / numbers, part);
                    row_sums[r] += value;
                    for (size_t column = 0; column < l->columns && value; column++)
                        sums[r * l->columns + column] += value * element_of_b(s, x, l, b, k / numbers, column, part);
                }
            for (size_t i = 0; i < l->columns * step; i++) {
                size_t r = i / l->columns, column = i % l->columns;
                unsigned char *at = c + (first + r) * l->c_pitch + column * 4;
                int sum =
                    sums[i] - (s->row_sums ? 3 * row_sums[r] : 0) + (s->two_b ? 2 * sums[r * l->columns + other_column(s, l, column)] : 0);
                float f;
                if (!is_inside((int64_t)column * 4, (int64_t)(first + r), edges))
                    continue;
                if (s->end == ADDS_TO_C)
                    sum += get_sum(at, s->type);
                if (s->end == SCALES)
                    sum = sum * 3 + (int)column;
                sum = s->end == CUTS_NEGATIVE && sum < 0 ? 0 : sum;
                sum += s->end == READS_BACK && r == 0 && column / (size_t)lanes_of(s) % (size_t)s->columns == 0;
                f = (float)sum;
                memcpy(at, of_types[s->type].has_fraction ? (void *)&f : (void *)&sum, 4);
            }
        }
    free(sums);
    free(row_sums);
}

/* Not NULL: memory for A, B and C at the same addresses in each run, with numbers that differ. */
static char *same_memory;
enum { SAME_BYTES = 1 << 23 };
static unsigned runs;

static cl_mem buffer(const void *bytes, size_t size)
{
    cl_int error;
    cl_mem made = clCreateBuffer(device.context, CL_MEM_COPY_HOST_PTR, size, (void *)bytes, &error);
    assert_int_equal(error, CL_SUCCESS);
    return made;
}

static cl_mem matrix(const void *bytes, size_t size, int which)
{
    cl_int error;
    if (!same_memory)
        return buffer(bytes, size);
    assert_true(size <= SAME_BYTES);
    char *here = memcpy(same_memory + (size_t)which * SAME_BYTES, bytes, size);
    cl_mem made = clCreateBuffer(device.context, CL_MEM_USE_HOST_PTR, size, here, &error);
    assert_int_equal(error, CL_SUCCESS);
    return made;
}

/* The shape, with the work-groups that the style needs. */
static struct shape shape_of(const struct style *s, const struct shape *x)
{
    struct shape made = *x;
    if (s->limits)
        made.cut[0] = made.cut[3] = 0;
    if (s->staged) {
        made.local[0] = STAGED_BESIDE;
        made.local[1] = STAGED_UNDER;
        made.local[2] = 1;
    }
    return made;
}

/* False: the results are wrong. */
static bool run(const struct style *s, const struct shape *of_any, cl_kernel kernel)
{
    const struct shape of_style = shape_of(s, of_any), *x = &of_style;
    const struct layout l = lay_out(s, x);
    const bool joint = x->place != APART;
    const size_t c_offset = x->place == C_BESIDE_A ? l.depth * l.element : 0;
    unsigned char *bytes[3];
    unsigned seed = (unsigned)(l.rows + 7 * l.columns + 31 * l.depth) + (same_memory ? 1000 * runs++ : 0);
    for (int i = 0; i < 3; i++)
        bytes[i] = calloc(1, l.bytes[i]);
    for (size_t i = 0; i + 64 < l.bytes[0]; i += l.element)
        put(bytes[0] + i, number(&seed), s->type);
    for (size_t i = 0; i < l.bytes[2] / 4; i++) {
        int first = number(&seed);
        float f = (float)first;
        memcpy(bytes[2] + 4 * i, of_types[s->type].has_fraction ? (void *)&f : (void *)&first, 4);
    }
    cl_int count = (cl_int)l.rows;
    cl_mem mems[4] = {matrix(bytes[0], l.bytes[0], 0), matrix(bytes[1], l.bytes[1], 1), NULL, buffer(&count, sizeof count)};
    mems[2] = joint ? mems[0] : matrix(bytes[2], l.bytes[2], 2);
    cl_mem c = mems[2];
    if (c_offset) {
        cl_buffer_region region = {c_offset, l.bytes[0] - c_offset};
        c = clCreateSubBuffer(mems[0], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
        assert_non_null(c);
    }
    const long numbers[] = {(long)l.depth,
                            (long)l.a_pitch / a_bytes(s),
                            (long)(l.b_pitch / (s->b_rows || s->b_columns ? l.element : 4)),
                            (long)l.c_pitch / 4,
                            (long)l.batch[0],
                            (long)l.batch[1],
                            (long)l.batch[2]};
    const cl_mem args[] = {mems[0], mems[1], c, mems[3]};
    for (cl_uint i = 0; i < 4; i++)
        assert_int_equal(clSetKernelArg(kernel, i, sizeof args[i], &args[i]), CL_SUCCESS);
    for (cl_uint i = 0; i < 7; i++) {
        cl_int narrow = (cl_int)numbers[i];
        bool wide = strcmp(s->index, "long") == 0;
        assert_int_equal(clSetKernelArg(kernel, 4 + i, wide ? 8 : 4, wide ? (const void *)&numbers[i] : &narrow), CL_SUCCESS);
    }
    cl_int edges[4];
    edges_of(s, x, &l, edges);
    assert_int_equal(clSetKernelArg(kernel, 11, sizeof edges, edges), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, 12, sizeof x->origin, x->origin), CL_SUCCESS);
    cl_int c_edges[2];
    edges_of_c(s, x, &l, c_edges);
    assert_int_equal(clSetKernelArg(kernel, 13, sizeof c_edges, c_edges), CL_SUCCESS);
    const size_t rows = s->order ? x->groups[1] : 1; /* of work-groups that follow each other in x */
    const size_t local[3] = {(size_t)lanes_of(s) * x->local[0], x->local[1], local_z(x)},
                 global[3] = {x->groups[0] * rows * local[0], x->groups[1] / rows * local[1], x->groups[2] * local[2]};
    const cl_int groups[2] = {(cl_int)x->groups[0], (cl_int)x->groups[1]};
    assert_int_equal(clSetKernelArg(kernel, 14, sizeof groups, groups), CL_SUCCESS);
    const size_t size = joint ? l.bytes[0] : l.bytes[2];
    unsigned char *before = malloc(size), *out = malloc(size), *goal = joint ? bytes[0] : bytes[2];
    memcpy(before, goal, size);
    bool right = true;
    for (int round = 0; round < 2; round++) { /* the first launch finds out what the later ones know; each has a B of its own */
        for (size_t i = 0; i + 64 < l.bytes[1]; i += l.element)
            put(bytes[1] + i, number(&seed), s->type);
        memcpy(goal, before, size);
        expect(s, x, &l, bytes[0], bytes[1], goal + c_offset);
        assert_int_equal(clEnqueueWriteBuffer(device.queue, mems[1], CL_TRUE, 0, l.bytes[1], bytes[1], 0, NULL, NULL), CL_SUCCESS);
        assert_int_equal(clEnqueueWriteBuffer(device.queue, mems[2], CL_TRUE, 0, size, before, 0, NULL, NULL), CL_SUCCESS);
        assert_int_equal(clEnqueueNDRangeKernel(device.queue, kernel, 3, NULL, global, local, 0, NULL, NULL), CL_SUCCESS);
        assert_int_equal(clEnqueueReadBuffer(device.queue, mems[2], CL_TRUE, 0, size, out, 0, NULL, NULL), CL_SUCCESS);
        right = right && !memcmp(out, goal, size);
    }
    free(before);
    free(out);
    if (c_offset)
        clReleaseMemObject(c);
    for (int i = 0; i < 4; i++) {
        if (i != 2 || !joint)
            clReleaseMemObject(mems[i]);
        if (i < 3)
            free(bytes[i]);
    }
    return right;
}

static bool has_sub_groups(const struct style *s)
{
    return device_has_size(&device, s->eight ? 8 : 16);
}

static void check_report(const struct style *s)
{
    bool shared = strstr(device.log, "with those of work-groups that share A or B"),
         vectors = strstr(device.log, "\"verdict\":\"VP") || strstr(device.log, "\"verdict\":\"VDPBF16PS");
    bool mixed = s->rows * s->m > 16 && s->rows * s->m % 16; /* tiles of 16 rows and of fewer */
    bool narrow = s->eight && s->columns % 2 && (s->columns > 1 || s->rows * s->m > 16 || s->computes & COMPUTES_B); /* not one tile of 8
                                                                                                                        columns in memory */
    if (strstr(device.log, "\"topic\":\"matrix\"") && vectors && !s->staged && !s->halves && !s->apart && strcmp(s->index, "uint") &&
        of_types[s->type].numbers == 1)
        assert_int_equal(shared, !mixed && !narrow);
}

/* Edges are for 2D blocks alone; reads that begin in front of the matrices need no memory there. */
static bool suits(const struct style *s, const struct shape *x)
{
    static const int none[4];
    if ((s->ahead && x->depth < (int)style_rounds_ahead(s)) || (s->staged && x->place == C_OVER_A) ||
        (s->checks && memcmp(x->origin, none, sizeof none)))
        return false;
    bool edges = memcmp(x->cut, none, sizeof none) || memcmp(x->origin, none, sizeof none);
    bool adds_floats = s->end == ADDS_TO_C && of_types[s->type].has_fraction; /* where there is A, are no floats */
    return (x->place == APART || (!s->clamps && s->end != READS_BACK && !adds_floats)) && (s->blocks || s->writes || s->checks || !edges);
}

static void styles_in_all_shapes(void **state)
{
    (void)state;
    for (size_t i = first_style; i < (all_styles || staged_styles ? style_count : style_few); i += style_step) {
        const struct style *s = &styles[i];
        if (!has_sub_groups(s) || (staged_styles && !s->any_size && !(s->staged && i % 8 == 0)))
            continue;
        cl_program program = style_build(&device, s);
        assert_true(!s->staged || !s->ahead || s->buffers);
        if (!program)
            fail_msg("style %zu: %s", i, device.log);
        check_report(s);
        cl_kernel kernel = clCreateKernel(program, "k", NULL);
        assert_non_null(kernel);
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
            if (suits(s, &shapes[k]) && !run(s, &shapes[k], kernel))
                fail_msg("style %zu, shape %zu", i, k);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
}

static unsigned below(unsigned *seed, unsigned limit)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % limit;
}

static struct style random_style(unsigned *seed)
{
    static const char *const indices[] = {"int", "long", "uint"};
    struct style s = {.m = 1 << below(seed, 4),
                      .rows = 1 + (int)below(seed, 4),
                      .columns = 1 + (int)below(seed, 3),
                      .type = below(seed, below(seed, 2) ? 3 : TYPES)};
    s.b_rows = below(seed, 2);
    s.index = indices[below(seed, 3)];
    s.end = below(seed, 3) ? STORES : below(seed, COUNTS + 1);
    s.clamps = s.end == STORES && below(seed, 3) == 0;
    s.blocks = below(seed, 3) ? NO_BLOCKS : A_BLOCKS + below(seed, BLOCKS);
    s.nested = below(seed, 3) == 0;
    s.writes = s.end < READS_BACK && below(seed, 4) == 0;
    s.eight = !s.blocks && !s.writes && s.type != TF32 && below(seed, 4) == 0;
    s.b_columns = !(s.blocks & B_BLOCKS) && below(seed, 4) == 0;
    s.checks = s.end != READS_BACK && !s.blocks && !s.b_columns && below(seed, 3) == 0;
    s.staged = !s.blocks && !s.b_rows && !s.b_columns && !s.clamps && s.end != READS_BACK && below(seed, 3) == 0;
    s.any_size = s.staged && getenv("TESSERA_GROUPS") && below(seed, 2);
    s.halves = !s.nested && !s.staged && below(seed, 5) == 0;
    s.limits = s.checks && !s.staged && below(seed, 3) == 0;
    s.ahead = !s.nested && !s.staged && !s.halves && below(seed, 3) == 0 ? 1 + below(seed, 2) : IN_ITS_ROUND;
    if (s.staged && !s.nested && below(seed, 2)) {
        s.ahead = 1 + below(seed, 2);
        s.buffers = s.ahead == LAST_BEHIND ? 1 + below(seed, BY_BOOL) : 1 + below(seed, BUFFERS - 1);
        s.registers = s.rows * s.m % 4 == 0 && style_rounds_ahead(&s) == 1 && below(seed, 3) == 0;
    } else if (s.ahead && below(seed, 2))
        s.buffers = s.ahead == LAST_BEHIND || below(seed, 2) ? 1 + below(seed, BY_BOOL) : BY_THREE + below(seed, BUFFERS - BY_THREE);
    s.to_last = s.buffers && s.ahead == A_ROUND_AHEAD && below(seed, 4) == 0;
    s.backwards = s.nested && below(seed, 2);
    s.row_sums = !s.ahead && !s.staged && !s.halves && below(seed, 5) == 0;
    s.two_b = !s.ahead && !s.staged && !s.halves && !s.limits && below(seed, 5) == 0;
    s.apart = below(seed, 8) == 0;
    s.order = below(seed, 4) ? IN_GRID : 1 + below(seed, ORDERS - 1);
    s.computes = !s.registers && s.type != TF32 && below(seed, 3) == 0 ? (1 + below(seed, COMPUTES_BOTH)) & ~s.blocks : COMPUTES_NOTHING;
    return s;
}

/* Multiplications, in steps of K of 32 bytes. */
static size_t work_of(const struct shape *x, const struct style *s)
{
    const size_t rows = x->groups[1] * x->local[1] * (size_t)(s->rows * s->m),
                 columns = x->groups[0] * x->local[0] * (size_t)(s->columns * lanes_of(s));
    return rows * columns * x->groups[2] * local_z(x) * (size_t)x->depth;
}

static struct shape random_shape(unsigned *seed, const struct style *s)
{
    enum { MOST_WORK = 1 << 23 }; /* about a second of the model's */
    struct shape x = {.groups = {1 + below(seed, 7), 1 + below(seed, below(seed, 6) ? 12 : 150), 1 + below(seed, 8) / 6},
                      .local = {1 + below(seed, 5) / 4, 1 + below(seed, 5) / 4, 1 + below(seed, 6) / 4 * below(seed, 5)}};
    x.depth = (int)below(seed, below(seed, 8) ? 12 : 150) + (s->ahead ? (int)style_rounds_ahead(s) : 0);
    x.pad = 16 * (int)below(seed, 4);
    x.same_a = below(seed, 4) == 0;
    x.same_b = below(seed, 4) == 0;
    if (!s->clamps && !s->staged && s->end != READS_BACK && (s->end != ADDS_TO_C || !of_types[s->type].has_fraction) &&
        below(seed, 6) == 0) {
        x.groups[0] = x.local[0] = x.groups[2] = x.local[2] = 1;
        x.place = C_OVER_A;
    }
    for (int i = 0; i < 4 && (s->blocks || s->writes || s->checks) && x.place == APART; i++) {
        x.cut[i] = (int)below(seed, below(seed, 6) ? 20 : 300) * (below(seed, 2) != 0);
        x.origin[i] = ((int)below(seed, 25) - 12) * (below(seed, 3) == 0 && !s->checks);
    }
    while (work_of(&x, s) > MOST_WORK && x.groups[1] > 1)
        x.groups[1] = (x.groups[1] + 1) / 2;
    return x;
}

static void random_styles(void **state)
{
    enum { SHAPES = 6 };
    (void)state;
    for (unsigned long i = 0; i < random_count; i++) {
        unsigned seed = (unsigned)(first_seed + i);
        struct style s = random_style(&seed);
        if (!has_sub_groups(&s))
            continue;
        cl_program program = style_build(&device, &s);
        assert_non_null(program);
        cl_kernel kernel = clCreateKernel(program, "k", NULL);
        assert_non_null(kernel);
        for (int k = 0; k < SHAPES; k++) {
            struct shape x = random_shape(&seed, &s);
            if (!run(&s, &x, kernel))
                fail_msg("matrix_styles random 1 %lu, range %d: %dx%d of M = %d, type %d, %s, %s, end %d, clamps %d; %zux%zux%zu of "
                         "%zux%zux%zu, depth %d, pad %d, place %d%s%s%s%s%s%s%s%s%s%s, ahead %d, buffers %d%s%s, computes %d",
                         first_seed + i, k, s.rows, s.columns, s.m, s.type,
                         s.b_columns ? "columns"
                         : s.b_rows  ? "rows"
                                     : "words",
                         s.index, s.end, s.clamps, x.groups[0], x.groups[1], x.groups[2], x.local[0], x.local[1], x.local[2], x.depth,
                         x.pad, x.place, (const char *[]){"", ", A by blocks", ", B by blocks", ", blocks"}[s.blocks],
                         s.writes ? ", writes" : "",
                         s.backwards ? ", backwards"
                         : s.nested  ? ", nested"
                                     : "",
                         s.eight ? ", eight" : "", s.checks ? ", checks" : "", s.staged ? ", staged" : "", s.halves ? ", halves" : "",
                         s.limits ? ", limits" : "", s.two_b ? ", two B" : "", s.row_sums ? ", row sums" : "", s.ahead, s.buffers,
                         s.registers ? ", registers" : "", s.to_last ? ", to last" : "", s.computes);
        }
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
}

/* Launches whose work-groups share nothing, after which loops of the next one wait without blocks; then B has changed where it lies. */
static void packed_for_one_launch(void **state)
{
    (void)state;
    static const struct style types[] = {{.m = 8, .rows = 1, .columns = 1, .type = INT8, .index = "int"},
                                         {.m = 8, .rows = 4, .columns = 2, .type = BF16, .index = "int", .blocks = BLOCKS}};
    static const struct shape apart = {{1, 1, 20}, {1, 1}, 3, 0, false, false, APART, {0}, {0}},
                              together = {{2, 150, 1}, {1, 1}, 3, 0, false, false, APART, {0}, {0}};
    same_memory = aligned_alloc(4096, 3 * SAME_BYTES);
    assert_non_null(same_memory);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        cl_program program = style_build(&device, &types[i]);
        cl_kernel kernel = program ? clCreateKernel(program, "k", NULL) : NULL;
        assert_non_null(kernel);
        for (int k = 0; k < 6; k++) {
            assert_true(run(&types[i], &apart, kernel));
            if (!run(&types[i], &together, kernel))
                fail_msg("type %zu, round %d", i, k);
        }
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
    free(same_memory);
    same_memory = NULL;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(styles_in_all_shapes), cmocka_unit_test(packed_for_one_launch)};
    all_styles = argc > 1 && strcmp(argv[1], "all") == 0;
    staged_styles = argc > 1 && strcmp(argv[1], "sized") == 0;
    const struct CMUnitTest random_tests[] = {cmocka_unit_test(random_styles)};
    bool is_random = argc > 3 && strcmp(argv[1], "random") == 0;
    if (all_styles && argc > 3) {
        first_style = strtoul(argv[2], NULL, 0);
        style_step = strtoul(argv[3], NULL, 0);
        style_step += !style_step;
    }
    if (is_random) {
        random_count = strtoul(argv[2], NULL, 0);
        first_seed = strtoul(argv[3], NULL, 0);
    }
    device_open(&device);
    int failures = is_random ? cmocka_run_group_tests(random_tests, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&device);
    return failures;
}
