/* SPDX-License-Identifier: Apache-2.0
 * Products whose loops, counters and numbers of work-items are spelled as programs spell them, against plain C. Where there is a report, it
 * has to say that the device runs the loop for all work-groups, whatever the spelling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"

enum { MOST_ROWS = 64, MOST_COLUMNS = 80, MOST_DEPTH = 416, LANES = 16, UP = 8 /* rows of a function */ };

static struct device device;

#define STORE_ALL "    for (int i = 0; i < 8; i++) c[(row + i) * n + column + lane] = s[i];\n"
#define LOADS(x, y, at)                                                                                                                    \
    "        for (int i = 0; i < 8; i++) {\n"                                                                                              \
    "            " x "[i] = a[(row + i) * (k / 2) + (" at ") / 2 + lane];\n"                                                               \
    "            " y "[i] = b[((" at ") / 4 + i) * n + column + lane];\n"                                                                  \
    "        }\n"
#define PRODUCTS                                                                                                                           \
    "    int8 s = 0, y;\n"                                                                                                                 \
    "    short8 x;\n"                                                                                                                      \
    "    for (int p = 0; p < k; p += 32) {\n" LOADS("x", "y", "p") "        s = MAD(x, y, s);\n"                                           \
                                                                   "    }\n" STORE_ALL

/* Bodies of kernels of bytes. B is of packed words, or by columns. */
static const struct idiom {
    const char *name, *text, *says;
    bool in_a_row, by_columns,
        in_structure; /* the range has one dimension; B is by columns; n, k and the number of rows come in a structure */
    bool c_by_columns;
    int depth;              /* the only K for which it is; 0: any */
    int sub_groups;         /* of a work-group, whose results are one; 0: 1 */
    int high, wide;         /* rows and columns of a work-group's C, which edges may cut; 0: 8 and 16, which divide all */
    const char *never_says; /* of tiles in registers */
} idioms[] = {
    {.name = "a loop for the last rounds",
     .text = "    int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16, p = 0;\n"
             "    int8 s = 0, y;\n"
             "    short8 x;\n"
             "    for (; p + 64 <= k; p += 64) {\n" LOADS("x", "y", "p") "        s = MAD(x, y, s);\n" LOADS(
                 "x", "y", "p + 32") "        s = MAD(x, y, s);\n"
                                     "    }\n"
                                     "    for (; p < k; p += 32) {\n" LOADS("x", "y", "p") "        s = MAD(x, y, s);\n"
                                                                                           "    }\n" STORE_ALL,
     .says = "A and B straight from memory; all rounds of the loop at once, with those of work-groups"},
    {.name = "numbers of all work-items, without a sign",
     .text = "    ulong id = get_global_linear_id() / 16;\n"
             "    uint lane = get_sub_group_local_id(), row = id / (n / 16) * 8, column = id % (n / 16) * 16;\n" PRODUCTS,
     .says = "A and B straight from memory; all rounds of the loop at once, with those of work-groups",
     .in_a_row = true},
    {.name = "numbers of all work-items, as int",
     .text = "    int id = (int)get_global_linear_id() / 16;\n"
             "    int lane = get_sub_group_local_id(), row = id / (n / 16) * 8, column = id % (n / 16) * 16;\n" PRODUCTS,
     .says = "A and B straight from memory; all rounds of the loop at once, with those of work-groups",
     .in_a_row = true},
    {.name = "a work-item's number, as int",
     .text = "    int id = get_global_id(0), lane = id % 16, row = get_global_id(1) * 8, column = id / 16 * 16;\n" PRODUCTS,
     .says = "A and B straight from memory; all rounds of the loop at once, with those of work-groups"},
    {.name = "the next step by pointers, B by columns",
     .text = "    int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16;\n"
             "    global const int8 *at_b = (global const int8 *)(b + (column + lane) * (k / 4));\n"
             "    global const short *at_a = a + row * (k / 2) + lane;\n"
             "    int8 s = 0, y = *at_b;\n"
             "    short8 x, next;\n"
             "    for (int i = 0; i < 8; i++) x[i] = at_a[i * (k / 2)];\n"
             "    for (int p = 32; p < k; p += 32) {\n"
             "        at_a += 16;\n"
             "        at_b++;\n"
             "        for (int i = 0; i < 8; i++) next[i] = at_a[i * (k / 2)];\n"
             "        int8 next_y = *at_b;\n"
             "        s = MAD(x, y, s);\n"
             "        x = next;\n"
             "        y = next_y;\n"
             "    }\n"
             "    s = MAD(x, y, s);\n" STORE_ALL,
     .says = "A straight from memory, B from columns in memory, a lane each, which are packed; all rounds of the loop at once",
     .by_columns = true},
    {.name = "sizes in a structure, without a sign",
     .text = "    uint lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16;\n"
             "    int8 sum = 0, y;\n"
             "    short8 x;\n"
             "    for (uint p = 0; p < s.k; p += 32) {\n"
             "        for (uint i = 0; i < 8; i++) x[i] = a[(row + i) * (s.k / 2) + p / 2 + lane];\n"
             "        for (uint i = 0; i < 8; i++) y[i] = b[(p / 4 + i) * s.n + column + lane];\n"
             "        sum = MAD(x, y, sum);\n"
             "    }\n"
             "    for (uint i = 0; i < 8; i++) c[(row + i) * s.n + column + lane] = sum[i];\n",
     .says = "A and B straight from memory; all rounds of the loop at once, with those of work-groups",
     .in_structure = true},
    {.name = "sizes in a structure, local memory",
     .text = "    local short of_a[8][16];\n"
             "    local int of_b[8][16];\n"
             "    int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16;\n"
             "    int8 sum = 0, y;\n"
             "    short8 x;\n"
             "    for (int p = 0; p < s.k; p += 32) {\n"
             "        barrier(CLK_LOCAL_MEM_FENCE);\n"
             "        for (int i = 0; i < 8; i++) {\n"
             "            of_a[i][get_local_id(0)] = a[(row + i) * (s.k / 2) + p / 2 + get_local_id(0)];\n"
             "            of_b[i][get_local_id(0)] = b[(p / 4 + i) * s.n + column + get_local_id(0)];\n"
             "        }\n"
             "        barrier(CLK_LOCAL_MEM_FENCE);\n"
             "        for (int i = 0; i < 8; i++) x[i] = of_a[i][lane];\n"
             "        for (int i = 0; i < 8; i++) y[i] = of_b[i][lane];\n"
             "        sum = MAD(x, y, sum);\n"
             "    }\n"
             "    for (int i = 0; i < 8; i++) c[(row + i) * s.n + column + lane] = sum[i];\n",
     .says = "A and B straight from memory; all rounds of the loop at once, with those of work-groups",
     .in_structure = true},
    {.name = "a loop that the program wants unrolled",
     .text = "    int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16;\n"
             "    int8 s = 0, y;\n"
             "    short8 x;\n"
             "    _Pragma(\"unroll\")\n"
             "    for (int p = 0; p < 192; p += 32) {\n" LOADS("x", "y", "p") "        s = MAD(x, y, s);\n"
                                                                              "    }\n" STORE_ALL,
     .says = "A and B straight from memory; all rounds of the loop at once, with those of work-groups",
     .depth = 192},
    {.name = "C by columns",
     .text =
         "    int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16, m = get_global_size(1) * 8;\n"
         "    int8 s = 0, y;\n"
         "    short8 x;\n"
         "    for (int p = 0; p < k; p += 32) {\n" LOADS("x", "y", "p") "        s = MAD(x, y, s);\n"
                                                                        "    }\n"
                                                                        "    for (int i = 0; i < 8; i++)\n"
                                                                        "        c[(column + lane) * m + row + i] = s[i];\n",
     .says = "A and B straight from memory; all rounds of the loop at once, with those of work-groups",
     .c_by_columns = true},
    {.name = "K over four sub-groups",
     .text = "    local int part[4][8][16];\n"
             "    int lane = get_sub_group_local_id(), g = get_sub_group_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16;\n"
             "    int chunk = (k / 32 + 3) / 4 * 32, to = min(g * chunk + chunk, k);\n"
             "    int8 s = 0, y;\n"
             "    short8 x;\n"
             "    for (int p = g * chunk; p < to; p += 32) {\n" LOADS("x", "y", "p") "        s = MAD(x, y, s);\n"
                                                                                     "    }\n"
                                                                                     "    for (int i = 0; i < 8; i++)\n"
                                                                                     "        part[g][i][lane] = s[i];\n"
                                                                                     "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
                                                                                     "    for (int i = g; i < 8; i += 4)\n"
                                                                                     "        c[(row + i) * n + column + lane] = "
                                                                                     "part[0][i][lane] + part[1][i][lane] +\n"
                                                                                     "                                           "
                                                                                     "part[2][i][lane] + part[3][i][lane];\n",
     .says = "A and B straight from memory; all rounds of the loop at once, with those of work-groups",
     .sub_groups = 4},
    {.name = "limits of many rows and columns",
     .text = "    int lane = get_sub_group_local_id(), row = get_global_id(1) * 32, column = get_group_id(0) * 32;\n"
             "    int m = s.m, n = s.n, k = s.k;\n"
             "    int8 sum[4][2] = {};\n"
             "    for (int p = 0; p < k; p += 32) {\n"
             "        short8 x[4];\n"
             "        int8 y[2];\n"
             "        for (int t = 0; t < 4; t++)\n"
             "            for (int i = 0; i < 8; i++)\n"
             "                x[t][i] = p + 2 * lane < k ? a[min(row + t * 8 + i, m - 1) * (k / 2) + p / 2 + lane] : 0;\n"
             "        for (int j = 0; j < 2; j++)\n"
             "            for (int i = 0; i < 8; i++)\n"
             "                y[j][i] = p / 4 + i < k / 4 ? b[(p / 4 + i) * n + min(column + j * 16 + lane, n - 1)] : 0;\n"
             "        for (int t = 0; t < 4; t++)\n"
             "            for (int j = 0; j < 2; j++)\n"
             "                sum[t][j] = MAD(x[t], y[j], sum[t][j]);\n"
             "    }\n"
             "    for (int t = 0; t < 4; t++)\n"
             "        for (int j = 0; j < 2; j++)\n"
             "            for (int i = 0; i < 8; i++)\n"
             "                if (row + t * 8 + i < m && column + j * 16 + lane < n)\n"
             "                    c[(row + t * 8 + i) * n + column + j * 16 + lane] = sum[t][j][i];\n",
     .says = "with those of work-groups",
     .in_structure = true,
     .high = 32,
     .wide = 32,
     .never_says = "A and B by way of the stack"},
};

struct size {
    int rows, columns, depth;
    size_t offset; /* where the range begins in x */
};

static int8_t in_a[MOST_ROWS * MOST_DEPTH], in_b[MOST_DEPTH * MOST_COLUMNS], as_kernel_has_b[MOST_DEPTH * MOST_COLUMNS];
static int32_t out[MOST_ROWS * MOST_COLUMNS];

static void fill(const struct idiom *idiom, const struct size *size)
{
    unsigned seed = 5;
    for (int i = 0; i < size->rows * size->depth; i++)
        in_a[i] = (int8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
    for (int k = 0; k < size->depth; k++)
        for (int c = 0; c < size->columns; c++) {
            const int8_t value = (int8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
            in_b[k * size->columns + c] = value;
            as_kernel_has_b[idiom->by_columns ? c * size->depth + k : (k / 4 * size->columns + c) * 4 + k % 4] = value;
        }
}

static cl_mem buffer(const void *in, size_t bytes)
{
    cl_int status;
    cl_mem made = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, (void *)(uintptr_t)in, &status);
    assert_int_equal(status, CL_SUCCESS);
    return made;
}

static void run(cl_program program, const struct idiom *idiom, const struct size *size)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "k", &status);
    assert_int_equal(status, CL_SUCCESS);
    memset(out, 0, sizeof out);
    cl_mem memory[] = {buffer(in_a, sizeof in_a), buffer(as_kernel_has_b, sizeof as_kernel_has_b), buffer(out, sizeof out)};
    for (cl_uint i = 0; i < 3; i++)
        clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]);
    const cl_int sizes[] = {size->columns, size->depth, size->rows};
    clSetKernelArg(kernel, 3, idiom->in_structure ? sizeof sizes : sizeof sizes[0], sizes);
    if (!idiom->in_structure)
        clSetKernelArg(kernel, 4, sizeof sizes[1], &sizes[1]);
    const size_t high = idiom->high ? (size_t)idiom->high : UP, wide = idiom->wide ? (size_t)idiom->wide : LANES,
                 up = ((size_t)size->rows + high - 1) / high, items = idiom->sub_groups ? (size_t)idiom->sub_groups * LANES : LANES,
                 across = ((size_t)size->columns + wide - 1) / wide * items, offset[] = {size->offset, 0}, local[] = {items, 1},
                 global[] = {idiom->in_a_row ? across * up : across, up};
    assert_int_equal(clEnqueueNDRangeKernel(device.queue, kernel, idiom->in_a_row ? 1 : 2, offset, global, local, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(device.queue, memory[2], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), CL_SUCCESS);
    for (cl_uint i = 0; i < 3; i++)
        clReleaseMemObject(memory[i]);
    clReleaseKernel(kernel);
}

static void check(cl_program program, const struct idiom *idiom, const struct size *size)
{
    fill(idiom, size);
    run(program, idiom, size);
    for (int r = 0; r < size->rows; r++)
        for (int c = 0; c < size->columns; c++) {
            int32_t sum = 0;
            for (int k = 0; k < size->depth; k++)
                sum += in_a[r * size->depth + k] * in_b[k * size->columns + c];
            if (out[idiom->c_by_columns ? c * size->rows + r : r * size->columns + c] != sum)
                fail_msg("%s: %d x %d x %d: row %d, column %d", idiom->name, size->rows, size->columns, size->depth, r, c);
        }
}

static void idioms_of_programs(void **state)
{
    static const struct size sizes[] = {{64, 64, 384, 0}, {40, 80, 416, 0}, {8, 48, 32, 0}, {24, 16, 64, 0}, {40, 48, 192, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof idioms / sizeof idioms[0]; i++) {
        const struct idiom *idiom = &idioms[i];
        struct text text = {0};
        text_add(&text,
                 "#define MAD intel_sub_group_i8_i8_matrix_mad_k32\n"
                 "struct sizes { int n, k, m; };\n"
                 "__attribute__((intel_reqd_sub_group_size(16)%s))\n"
                 "kernel void k(global const short *restrict a, global const int *restrict b, global int *restrict c, %s)\n"
                 "{\n%s}\n",
                 idiom->sub_groups                ? ", reqd_work_group_size(64, 1, 1)"
                 : strstr(idiom->text, "barrier") ? ", reqd_work_group_size(16, 1, 1)"
                                                  : "",
                 idiom->in_structure ? "struct sizes s" : "int n, int k", idiom->text);
        cl_program program = device_build_text(&device, &text);
        assert_non_null(program);
        if (strstr(device.log, "\"topic\":\"matrix\"") && !strstr(device.log, idiom->says))
            fail_msg("%s: the report lacks \"%s\":\n%s", idiom->name, idiom->says, device.log);
        const char *tiles = getenv("TESSERA_TILES");
        if (idiom->never_says && tiles && strcmp(tiles, "model") == 0 && strstr(device.log, idiom->never_says))
            fail_msg("%s: the report has \"%s\":\n%s", idiom->name, idiom->never_says, device.log);
        for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++)
            if (!idiom->depth || idiom->depth == sizes[n].depth)
                check(program, idiom, &sizes[n]);
        if (idiom->in_a_row) /* rows of the range are no whole packets */
            check(program, idiom, &(struct size){40, 80, 416, 8});
        clReleaseProgram(program);
    }
}

/* Each matrix may lie by rows or by columns, with lines that are longer than need be. */
static const char strides_text[] =
    "#define MAD intel_sub_group_i8_i8_matrix_mad_k32\n"
    "__attribute__((intel_reqd_sub_group_size(16)))\n"
    "kernel void k(global const char *a, global const char *b, global int *c, int k, int a_row, int a_k, int b_k, int b_column,\n"
    "              int c_row, int c_column)\n"
    "{\n"
    "    int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16;\n"
    "    global const char *at_a = a + row * a_row + 2 * lane * a_k, *at_b = b + (column + lane) * b_column;\n"
    "    int8 s = 0, y;\n"
    "    short8 x;\n"
    "    for (int p = 0; p < k; p += 32) {\n"
    "        for (int i = 0; i < 8; i++) {\n"
    "            x[i] = as_short((char2)(at_a[i * a_row], at_a[i * a_row + a_k]));\n"
    "            y[i] = as_int((char4)(at_b[4 * i * b_k], at_b[(4 * i + 1) * b_k], at_b[(4 * i + 2) * b_k], at_b[(4 * i + 3) * b_k]));\n"
    "        }\n"
    "        s = MAD(x, y, s);\n"
    "        at_a += 32 * a_k;\n"
    "        at_b += 32 * b_k;\n"
    "    }\n"
    "    for (int i = 0; i < 8; i++) c[(row + i) * c_row + (column + lane) * c_column] = s[i];\n"
    "}\n";

enum { PAD = 3 /* elements behind each line */, MOST_LINES = 420 };

static int8_t strided_a[MOST_LINES * MOST_LINES], strided_b[MOST_LINES * MOST_LINES];
static int32_t strided_c[(MOST_ROWS + PAD) * (MOST_COLUMNS + PAD) * 2];

static int stride_of_rows(bool by_columns, int columns)
{
    return by_columns ? 1 : columns + PAD;
}

static int stride_of_columns(bool by_columns, int rows)
{
    return by_columns ? rows + PAD : 1;
}

static void check_strides(cl_kernel kernel, const struct size *size, unsigned by_columns)
{
    const bool a_columns = by_columns & 1, b_columns = by_columns & 2, c_columns = by_columns & 4;
    const cl_int numbers[] = {size->depth,
                              stride_of_rows(a_columns, size->depth),
                              stride_of_columns(a_columns, size->rows),
                              stride_of_rows(b_columns, size->columns),
                              stride_of_columns(b_columns, size->depth),
                              stride_of_rows(c_columns, size->columns),
                              stride_of_columns(c_columns, size->rows)};
    unsigned seed = 7 + by_columns;
    for (int i = 0; i < MOST_LINES * MOST_LINES; i++) {
        strided_a[i] = (int8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
        strided_b[i] = (int8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
    }
    memset(strided_c, 0, sizeof strided_c);
    cl_mem memory[] = {buffer(strided_a, sizeof strided_a), buffer(strided_b, sizeof strided_b), buffer(strided_c, sizeof strided_c)};
    for (cl_uint i = 0; i < 3; i++)
        clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]);
    for (cl_uint i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        clSetKernelArg(kernel, 3 + i, sizeof numbers[i], &numbers[i]);
    const size_t local[] = {LANES, 1}, global[] = {(size_t)size->columns, (size_t)size->rows / UP};
    assert_int_equal(clEnqueueNDRangeKernel(device.queue, kernel, 2, NULL, global, local, 0, NULL, NULL), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(device.queue, memory[2], CL_TRUE, 0, sizeof strided_c, strided_c, 0, NULL, NULL), CL_SUCCESS);
    for (int r = 0; r < size->rows; r++)
        for (int c = 0; c < size->columns; c++) {
            int32_t sum = 0;
            for (int k = 0; k < size->depth; k++)
                sum += strided_a[r * numbers[1] + k * numbers[2]] * strided_b[k * numbers[3] + c * numbers[4]];
            if (strided_c[r * numbers[5] + c * numbers[6]] != sum)
                fail_msg("strides %u: %d x %d x %d: row %d, column %d", by_columns, size->rows, size->columns, size->depth, r, c);
        }
    for (cl_uint i = 0; i < 3; i++)
        clReleaseMemObject(memory[i]);
}

static void strides_as_arguments(void **state)
{
    static const struct size sizes[] = {{64, 64, 384, 0}, {40, 80, 416, 0}, {8, 48, 32, 0}, {24, 16, 64, 0}};
    static const char *const says[] = {"B from rows in memory, which are packed; all rounds of the loop at once, with those of work-groups",
                                       "B from columns in memory, a lane each, which are packed; all rounds of the loop at once"};
    (void)state;
    struct text text = {0};
    text_add(&text, "%s", strides_text);
    cl_program program = device_build_text(&device, &text);
    assert_non_null(program);
    for (size_t i = 0; i < sizeof says / sizeof says[0]; i++)
        if (strstr(device.log, "\"topic\":\"matrix\"") && !strstr(device.log, says[i]))
            fail_msg("strides: the report lacks \"%s\":\n%s", says[i], device.log);
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "k", &status);
    assert_int_equal(status, CL_SUCCESS);
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++)
        for (unsigned by_columns = 0; by_columns < 8; by_columns++)
            check_strides(kernel, &sizes[n], by_columns);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(idioms_of_programs), cmocka_unit_test(strides_as_arguments)};
    device_open(&device);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&device);
    return failures;
}
