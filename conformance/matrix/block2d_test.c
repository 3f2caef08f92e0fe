/* SPDX-License-Identifier: Apache-2.0
 * Every function of cl_intel_subgroup_2d_block_io through the public API, against plain C: blocks inside, across each edge, at corners and
 * outside, at coordinates of any sign; with whole and partial sub-groups; and the rule on sub-group sizes. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"
#include "tessera/block2d.h"

enum { LANES = 16, MAX_ITEMS = 48, MAX_VALUES = 128, GUARD = 256, MAX_MATRIX = 16384, NO_LAYOUT = -1 };

static const struct function {
    const char *name, *type;
    int layout; /* of a read; NO_LAYOUT: a write, or a prefetch if there is no type */
    unsigned bits, rows, columns, blocks, type_size, n;
} functions[] = {
#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define SIZE_uchar 1
#define SIZE_ushort 2
#define SIZE_uint 4
#define TSR_BLOCK2D_READ(name, layout, bits, rows, columns, blocks, T, n)                                                                  \
    {STRING(name), #T, TSR_BLOCK2D_##layout, bits, rows, columns, blocks, SIZE_##T, n},
#define TSR_BLOCK2D_WRITE(name, bits, rows, columns, T, n) {STRING(name), #T, NO_LAYOUT, bits, rows, columns, 1, SIZE_##T, n},
#define TSR_BLOCK2D_PREFETCH(name, bits, rows, columns, blocks) {STRING(name), NULL, NO_LAYOUT, bits, rows, columns, blocks, 0, 0},
#include "tessera/block2d.def"
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static struct device device;
static cl_program program;

/* ---- matrices and where in them ---- */

/* Prefetches, which give nothing to compare, share one kernel. */
static bool is_prefetch(const struct function *f)
{
    return !f->type;
}

/* What a kernel gets: at[0] and at[1] for the first sub-group; each further one works `step` elements further right. */
struct region {
    int width, height, pitch, at[2], step;
};

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void fill(unsigned char *to, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)next(&seed);
}

static size_t matrix_size(const struct region *r)
{
    return (size_t)r->height * (size_t)r->pitch + GUARD;
}

/* The byte in the matrix where an element is, or -1. */
static long place(const struct region *r, long row, long column, unsigned size)
{
    if (row < 0 || row >= r->height || column < 0 || (column + 1) * (long)size > r->width)
        return -1;
    return row * r->pitch + column * (long)size;
}

/* ---- the rules, block by block in the order of memory ---- */

/* Which value of which lane an element of a block belongs to, and at which of its bits. */
struct target {
    unsigned lane, value, shift;
};

static struct target target_of(const struct function *f, unsigned block, unsigned row, unsigned column)
{
    unsigned each = f->type_size * 8 / f->bits, at = row * f->columns + column;
    unsigned deep = f->rows / LANES;
    struct target t = {at / each % LANES, at / each / LANES, at % each * f->bits};
    if (f->layout == TSR_BLOCK2D_TRANSFORM)
        t = (struct target){column, row / each, row % each * f->bits};
    else if (f->layout == TSR_BLOCK2D_TRANSPOSE)
        t = (struct target){row / deep, column * deep + row % deep, 0};
    t.value += block * (f->n / f->blocks);
    return t;
}

static void expect_read(const struct function *f, const struct region *r, const unsigned char *matrix, unsigned sub_group,
                        uint32_t values[LANES][MAX_VALUES])
{
    memset(values, 0, LANES * sizeof values[0]);
    for (unsigned row = 0; row < f->rows; row++)
        for (unsigned c = 0; c < f->columns * f->blocks; c++) {
            long from = place(r, (long)r->at[1] + row, (long)r->at[0] + (long)sub_group * r->step + c, f->bits / 8);
            uint32_t element = 0;
            if (from >= 0)
                memcpy(&element, matrix + from, f->bits / 8);
            struct target t = target_of(f, c / f->columns, row, c % f->columns);
            values[t.lane][t.value] |= element << t.shift;
        }
}

static void expect_write(const struct function *f, const struct region *r, unsigned char *matrix, unsigned sub_group, unsigned present,
                         const uint32_t values[LANES][MAX_VALUES])
{
    for (unsigned row = 0; row < f->rows; row++)
        for (unsigned c = 0; c < f->columns; c++) {
            long to = place(r, (long)r->at[1] + row, (long)r->at[0] + (long)sub_group * r->step + c, f->bits / 8);
            struct target t = target_of(f, 0, row, c);
            uint32_t element = values[t.lane][t.value] >> t.shift;
            if (to >= 0 && t.lane < present)
                memcpy(matrix + to, &element, f->bits / 8);
        }
}

/* ---- running ---- */

static void begin_kernel(struct text *source, const char *name, const char *type)
{
    text_add(source,
             "kernel void %s(global uchar *matrix, global const int *r, global %s *values)\n{\n"
             "    size_t i = get_global_id(0), n = get_global_size(0);\n"
             "    int2 at = (int2)(r[3] + (int)(i / 16) * r[5], r[4]);\n",
             name, type);
}

static void add_kernel(struct text *source, const struct function *f)
{
    begin_kernel(source, f->name + strlen("intel_"), f->type);
    text_add(source, "    %s v[%u];\n", f->type, f->n);
    if (f->layout == NO_LAYOUT)
        text_add(source, "    for (int k = 0; k < %u; k++)\n        v[k] = values[k * n + i];\n", f->n);
    text_add(source, "    %s(matrix, r[0], r[1], r[2], at, v);\n", f->name);
    if (f->layout != NO_LAYOUT)
        text_add(source, "    for (int k = 0; k < %u; k++)\n        values[k * n + i] = v[k];\n", f->n);
    text_add(source, "}\n");
}

static void add_prefetches(struct text *source)
{
    begin_kernel(source, "prefetches", "uchar");
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (is_prefetch(&functions[i]))
            text_add(source, "    %s(matrix, r[0], r[1], r[2], at);\n", functions[i].name);
    text_add(source, "    values[i] = (uchar)(values[i] + 1);\n}\n");
}

static int build_all(void **state)
{
    (void)state;
    struct text source = {0};
    device_open(&device);
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (!is_prefetch(&functions[i]))
            add_kernel(&source, &functions[i]);
    add_prefetches(&source);
    program = device_build_text(&device, &source);
    return program ? 0 : -1;
}

static int close_all(void **state)
{
    (void)state;
    clReleaseProgram(program);
    device_close(&device);
    return 0;
}

static uint32_t get(const unsigned char *values, size_t index, unsigned size)
{
    uint32_t v = 0;
    memcpy(&v, values + index * size, size);
    return v;
}

static unsigned char matrix[MAX_MATRIX], expected[MAX_MATRIX], found[MAX_MATRIX];
static unsigned char values[MAX_ITEMS * MAX_VALUES * 4], out[MAX_ITEMS * MAX_VALUES * 4];

static void launch(const char *kernel, const struct region *r, size_t local, size_t items, size_t value_size)
{
    size_t size = matrix_size(r);
    assert_true(size <= sizeof matrix && value_size <= sizeof values);
    fill(matrix, size, (uint32_t)size);
    fill(values, value_size, (uint32_t)value_size);
    memcpy(expected, matrix, size);
    const struct device_arg args[] = {{size, matrix, found}, {sizeof *r, r, NULL}, {value_size, values, out}};
    assert_int_equal(device_run(&device, program, kernel, items, local, args, 3), CL_SUCCESS);
}

static void check(bool good, const struct function *f, const struct region *r, size_t local, size_t items)
{
    if (!good)
        fprintf(stderr, "%s at (%d, %d), step %d, of %d x %d bytes, pitch %d: %zu work-items in groups of %zu\n", f->name, r->at[0],
                r->at[1], r->step, r->width, r->height, r->pitch, items, local);
    assert_true(good);
}

static void run_prefetches(const struct region *r, size_t local, size_t items)
{
    launch("prefetches", r, local, items, items);
    for (size_t i = 0; i < items; i++)
        assert_int_equal(out[i], (unsigned char)(values[i] + 1));
}

/* One launch of a function in groups of `local`, all compared. Work-groups are of whole sub-groups, or the only one. */
static void run(const struct function *f, const struct region *r, size_t local, size_t items)
{
    static uint32_t of_lanes[LANES][MAX_VALUES];
    bool good = true;
    launch(f->name + strlen("intel_"), r, local, items, items * f->n * f->type_size);
    for (size_t i = 0; i < items; i++) {
        unsigned lane = i % LANES, sub_group = (unsigned)(i / LANES);
        if (lane == 0 && f->layout != NO_LAYOUT)
            expect_read(f, r, matrix, sub_group, of_lanes);
        for (unsigned k = 0; k < f->n; k++) {
            uint32_t v = get(out, k * items + i, f->type_size);
            if (f->layout == NO_LAYOUT)
                of_lanes[lane][k] = v;
            else if (v != of_lanes[lane][k])
                good = false;
        }
        if (f->layout == NO_LAYOUT && (lane == LANES - 1 || i == items - 1))
            expect_write(f, r, expected, sub_group, lane + 1, (const uint32_t (*)[MAX_VALUES])of_lanes);
    }
    check(good && !memcmp(found, expected, matrix_size(r)), f, r, local, items);
}

static void run_all(const struct region *r, size_t local, size_t items)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (!is_prefetch(&functions[i]))
            run(&functions[i], r, local, items);
    run_prefetches(r, local, items);
}

/* ---- tests ---- */

static void inside(void **state)
{
    (void)state;
    for (int y = 0; y < 8; y += 3)
        run_all(&(struct region){256, 40, 288, {y, y}, 4}, 32, 32);
}

/* Every edge and corner, with blocks that lie within by one and more, and outside by one and more. */
static void edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const struct function *f = &functions[i];
        int width = (int)(f->columns * f->blocks), rows = (int)f->rows;
        struct region r = {80, 24, 96, {0, 0}, 4};
        int columns = r.width * 8 / (int)f->bits;
        const int xs[] = {-4, 0, columns - width, columns - width + 4, columns - 4}, ys[] = {-1, 0, r.height - rows, r.height - 1};
        for (size_t x = 0; x < sizeof xs / sizeof xs[0] && !is_prefetch(f); x++)
            for (size_t y = 0; y < sizeof ys / sizeof ys[0]; y++) {
                r.at[0] = xs[x];
                r.at[1] = ys[y];
                run(f, &r, 16, 16);
            }
    }
}

static void outside(void **state)
{
    (void)state;
    static const int far[] = {INT_MIN, INT_MIN / 4, -64, 0, 200, INT_MAX / 4, INT_MAX - 64};
    enum { FAR = sizeof far / sizeof far[0] };
    for (int k = 0; k < FAR * FAR; k += 5)
        run_all(&(struct region){64, 3, 64, {far[k % FAR], far[k / FAR]}, 0}, 32, 32);
}

/* What the extension leaves undefined, and we do not: any coordinate, any width, also one that ends within an element. */
static void odd_numbers(void **state)
{
    (void)state;
    for (int k = -3; k < 12; k += 5)
        run_all(&(struct region){67 + k, 9, 83 + k, {k, k}, 3}, 48, 48);
}

static void partial_sub_groups(void **state)
{
    (void)state;
    for (size_t local = 1; local < 48; local += 9)
        run_all(&(struct region){128, 20, 128, {local % 2 ? 4 : 60, 2}, 4}, local, local);
}

static void other_sizes_are_errors(void **state)
{
    (void)state;
    static const char body[] = "kernel void k(global int *p) { intel_sub_group_2d_block_prefetch_8b_1r32x1c(p, 64, 1, 64, (int2)(0)); }\n";
    for (unsigned size = 8; size <= 32; size += size) {
        struct text source = {0};
        text_add(&source, "__attribute__((intel_reqd_sub_group_size(%u)))\n%s", size, body);
        cl_program built = device_build(&device, source.at, "-cl-std=CL3.0");
        free(source.at);
        assert_true((built != NULL) == (size == LANES));
        if (built)
            clReleaseProgram(built);
        else
            assert_non_null(strstr(device.log, "intel_sub_group_2d_block_prefetch_8b_1r32x1c requires sub-group size 16"));
    }
}

/* Prefetches of cl_intel_subgroup_buffer_prefetch change nothing, wherever they point; in kernels of pairs, too. */
static void buffer_prefetches(void **state)
{
    (void)state;
    static const struct {
        const char *type, *suffix;
        unsigned sizes; /* 1, 2 … up to this one */
    } forms[] = {{"uchar", "uc", 16}, {"ushort", "us", 16}, {"uint", "ui", 8}, {"ulong", "ul", 8}};
    static const char *const options[] = {"-cl-std=CL3.0", "-DSPLIT"};
    struct text source = {0};
    int in[64], back[64], twice[64];
    text_add(&source, "#if cl_intel_subgroup_buffer_prefetch != 1\n#error macro\n#endif\n"
                      "kernel void k(global int *p)\n{\n    size_t i = get_global_id(0);\n    int v = p[i];\n"
                      "#ifdef SPLIT\n    v = intel_sub_group_i8_i8_split_matrix_mad_k32((int4)0, (int8)i, (int8)v).s0;\n#endif\n");
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (unsigned n = 1; n <= forms[i].sizes; n *= 2) {
            char size[4] = "";
            if (n > 1)
                snprintf(size, sizeof size, "%u", n);
            text_add(&source, "    intel_sub_group_block_prefetch_%s%s((global const %s *)%s);\n", forms[i].suffix, size, forms[i].type,
                     n == 2 ? "0" : "(p + i / 8 * 8)");
        }
    text_add(&source, "    p[i] = 2 * v;\n}\n");
    for (int i = 0; i < 64; i++) {
        in[i] = 3 * i;
        twice[i] = 6 * i;
    }
    size_t ways = device_has(&device, "cl_intel_subgroup_split_matrix_multiply_accumulate") ? sizeof options / sizeof options[0] : 1;
    for (size_t i = 0; i < ways; i++) {
        cl_program built = device_build(&device, source.at, options[i]);
        if (!built)
            fprintf(stderr, "%s\n", device.log);
        assert_non_null(built);
        assert_int_equal(device_run(&device, built, "k", 64, 32, &(struct device_arg){sizeof in, in, back}, 1), CL_SUCCESS);
        assert_memory_equal(back, twice, sizeof back);
        clReleaseProgram(built);
    }
    free(source.at);
    assert_true(device_has(&device, "cl_intel_subgroup_buffer_prefetch"));
    assert_true(device_is_gpu(&device) || device_has(&device, "cl_intel_subgroup_2d_block_io"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inside),
                                       cmocka_unit_test(edges),
                                       cmocka_unit_test(outside),
                                       cmocka_unit_test(odd_numbers),
                                       cmocka_unit_test(partial_sub_groups),
                                       cmocka_unit_test(other_sizes_are_errors),
                                       cmocka_unit_test(buffer_prefetches)};
    return cmocka_run_group_tests(tests, build_all, close_all);
}
