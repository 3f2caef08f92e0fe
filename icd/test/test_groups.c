/* SPDX-License-Identifier: Apache-2.0
 * Which launches run with other code than the usual one, and when such code is made: work-groups with barriers, of which several are lanes
 * of a packet, or which have code for their size; and narrow ranges. */
#include "cl_test.h"

#include <unistd.h>

#define KERNEL(name)                                                                                                                       \
    "kernel void " name "(global uint *out, local uint *t, uint rounds)\n"                                                                 \
    "{\n"                                                                                                                                  \
    "    uint l = get_local_id(0) + get_local_id(1) * get_local_size(0), n = get_local_size(0) * get_local_size(1);\n"                     \
    "    uint id = get_global_id(0) - get_global_offset(0) + get_global_id(1) * get_global_size(0), v = id;\n"                             \
    "    for (uint i = 0; i < rounds; i++) {\n"                                                                                            \
    "        t[l] = v;\n"                                                                                                                  \
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"                                                                                              \
    "        v = t[n - 1 - l];\n"                                                                                                          \
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"                                                                                              \
    "    }\n"                                                                                                                              \
    "    out[id] = v == id;\n"                                                                                                             \
    "}\n"

enum { ITEMS = 960, MOST = 64 };

static char folder[] = "/tmp/tessera-test-XXXXXX", *log_path;
static struct test_world w;
static unsigned told[5]; /* lines so far, by what they tell */

static int begin(void **state)
{
    (void)state;
    w = test_begin(0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    test_end(&w);
    return 0;
}

/* How many kernels have got code with groups as lanes, for a size, with lanes along x or y, or for packets that are not full since the last
 * call. */
enum { LANES, SIZED, IN_X, IN_Y, PARTIAL };
static unsigned made(int what)
{
    static const char *const texts[] = {"small work-groups may be lanes", "may have their own code", "lanes follow x", "lanes follow y",
                                        "code for packets that are not full"};
    char line[1000];
    unsigned count = 0;
    FILE *file = fopen(log_path, "r");
    while (file && fgets(line, sizeof(line), file))
        count += strstr(line, texts[what]) != NULL;
    if (file)
        fclose(file);
    unsigned more = count - told[what];
    told[what] = count;
    return more;
}

static void launch(cl_program program, const char *name, cl_uint dims, const size_t *global, const size_t *local, size_t offset,
                   cl_uint rounds)
{
    static cl_uint out[ITEMS];
    size_t items = global[0] * (dims > 1 ? global[1] : 1), offsets[2] = {offset, 0};
    cl_kernel kernel = test_kernel(program, name);
    cl_mem buffer = test_buffer(w.context, 0, sizeof(out), NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(kernel, 1, MOST * sizeof(cl_uint), NULL));
    CHECK(clSetKernelArg(kernel, 2, sizeof(rounds), &rounds));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, dims, offsets, global, local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, items * sizeof(cl_uint), out, 0, NULL, NULL));
    for (size_t i = 0; i < items; i++)
        if (!out[i])
            fail_msg("work-item %zu is wrong, groups of %zu", i, local[0]);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
}

/* Both sides of each condition: for lanes a power of two up to the width, one dimension, an offset that is a multiple of it; for code of
 * one size all groups have it. */
static void some_launches_can(void **state)
{
    (void)state;
    static const struct {
        cl_uint dims;
        size_t global[2], local[2], offset;
        unsigned made[2];
    } cases[] = {
        {1, {ITEMS}, {1}, 0, {1, 1}},           {1, {ITEMS}, {8}, 0, {1, 1}},
        {1, {ITEMS}, {16}, 0, {1, 1}},          {1, {ITEMS}, {32}, 0, {0, 1}},
        {1, {ITEMS}, {3}, 0, {0, 1}},           {1, {ITEMS}, {6}, 0, {0, 1}},
        {1, {ITEMS - 3}, {4}, 0, {1, 0}},       {1, {ITEMS}, {4}, 8, {1, 1}},
        {1, {ITEMS}, {4}, 6, {0, 1}},           {2, {ITEMS / 4, 4}, {2, 1}, 0, {1, 1}},
        {2, {ITEMS / 4, 4}, {2, 2}, 0, {0, 1}}, {1, {ITEMS}, {7}, 0, {0, 0}},
        {2, {ITEMS / 4, 4}, {2, 3}, 0, {0, 0}}, {2, {ITEMS / 4, 4}, {20, 2}, 3, {0, 1}},
    };
    static const char *const ways[] = {"lanes", "sized"};
    for (size_t k = 0; k < 2 * sizeof(cases) / sizeof(*cases); k++) {
        size_t i = k / 2;
        setenv("TESSERA_GROUPS", ways[k % 2], 1);
        cl_program program = test_build(w.context, w.device, KERNEL("swap"), "-cl-std=CL3.0");
        for (int again = 0; again < 2; again++) {
            bool whole = cases[i].global[0] % cases[i].local[0] == 0 && (cases[i].dims == 1 || cases[i].global[1] % cases[i].local[1] == 0);
            launch(program, "swap", cases[i].dims, cases[i].global, cases[i].local, cases[i].offset, whole ? 4 : 2);
        }
        unsigned count = made(k % 2);
        if (count != cases[i].made[k % 2] || made(1 - k % 2))
            fail_msg("groups of %zu x %zu from %zu: made %s %u times", cases[i].local[0], cases[i].local[1], cases[i].offset, ways[k % 2],
                     count);
        if (made(PARTIAL) && count) /* launches run with the other code from the first */
            fail_msg("groups of %zu x %zu from %zu: %s, but with the usual code", cases[i].local[0], cases[i].local[1], cases[i].offset,
                     ways[k % 2]);
        CHECK(clReleaseProgram(program));
    }
}

/* The same program, of its binary. */
static cl_program from_binary(cl_program program)
{
    size_t size;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    const unsigned char *given = binary;
    cl_program other;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    CHECK_CREATE(other, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &given, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(other, 0, NULL, "", NULL, NULL));
    free(binary);
    return other;
}

/* The code is made of the bitcode in the program's image; variables of the program are in one place only. */
static void some_programs_can(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        unsigned made;
    } cases[] = {
        {KERNEL("swap"), 1},
        {KERNEL("swap") KERNEL("other"), 1},
        {"global uint variable = 3;\n" KERNEL("swap") "kernel void store(global uint *o) { variable += o[0]; }\n", 0},
    };
    size_t global = ITEMS, local = 4;
    setenv("TESSERA_GROUPS", "lanes", 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        cl_program programs[2] = {test_build(w.context, w.device, cases[i].source, "-cl-std=CL3.0")};
        programs[1] = from_binary(programs[0]);
        for (int p = 0; p < 2; p++) {
            launch(programs[p], "swap", 1, &global, &local, 0, 2);
            assert_int_equal(made(LANES), cases[i].made);
            CHECK(clReleaseProgram(programs[p]));
        }
    }
}

static void it_takes_long_launches(void **state)
{
    (void)state;
    size_t global = ITEMS, local = 2;
    setenv("TESSERA_GROUPS", "regions", 1);
    cl_program program = test_build(w.context, w.device, KERNEL("swap"), "-cl-std=CL3.0");
    for (int i = 0; i < 4; i++)
        launch(program, "swap", 1, &global, &local, 0, 600);
    assert_int_equal(made(LANES) + made(SIZED), 0);
    unsetenv("TESSERA_GROUPS");
    CHECK(clReleaseProgram(program));

    program = test_build(w.context, w.device, KERNEL("swap"), "-cl-std=CL3.0");
    for (int i = 0; i < 10; i++)
        launch(program, "swap", 1, &global, &local, 0, 2);
    assert_int_equal(made(LANES) + made(SIZED), 0);
    unsigned count = 0;
    for (int i = 0; i < 100 && !count; i++) {
        launch(program, "swap", 1, &global, &local, 0, 600);
        count = made(LANES);
    }
    assert_int_equal(count, 1);
    assert_int_equal(made(SIZED), 1);
    launch(program, "swap", 1, &global, &local, 0, 600);
    assert_int_equal(made(LANES) + made(SIZED), 0);
    CHECK(clReleaseProgram(program));
}

/* A packet would have one lane: the code for the size is made at once, and that for packets that are not full when another size needs it.
 */
static void groups_of_one_have_code_at_once(void **state)
{
    (void)state;
    static const char single[] = "kernel void single(global uint *out, uint n)\n"
                                 "{ uint s = 0; for (uint i = 0; i < n; i++) s += i; out[0] = s; }\n";
    size_t global = ITEMS, one = 1, three = 3;
    cl_uint out, n = 100;
    cl_program program = test_build(w.context, w.device, KERNEL("swap"), "-cl-std=CL3.0"), other;
    made(SIZED);
    made(PARTIAL);
    for (int again = 0; again < 3; again++) {
        launch(program, "swap", 1, &global, &one, 0, 4);
        assert_int_equal(made(SIZED), !again);
        assert_int_equal(made(PARTIAL), 0);
    }
    launch(program, "swap", 1, &global, &three, 0, 4);
    assert_int_equal(made(PARTIAL), 1);
    launch(program, "swap", 1, &global, &one, 0, 4);
    assert_int_equal(made(SIZED) + made(PARTIAL), 0);
    CHECK(clReleaseProgram(program));

    other = test_build(w.context, w.device, single, "-cl-std=CL3.0");
    cl_kernel kernel = test_kernel(other, "single");
    cl_mem buffer = test_buffer(w.context, 0, sizeof(out), NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof(n), &n));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof(out), &out, 0, NULL, NULL));
    assert_int_equal(out, n * (n - 1) / 2);
    assert_int_equal(made(SIZED), 1);
    assert_int_equal(made(PARTIAL), 0);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(other));
}

/* Each size has code of its own, which is not made again. */
static void sizes_have_code(void **state)
{
    (void)state;
    size_t global = ITEMS;
    setenv("TESSERA_GROUPS", "sized", 1);
    cl_program program = test_build(w.context, w.device, KERNEL("swap"), "-cl-std=CL3.0");
    for (unsigned again = 0; again < 2; again++)
        for (size_t local = 1; local <= 60; local = 2 * local + local % 3) {
            launch(program, "swap", 1, &global, &local, 0, 4);
            assert_int_equal(made(SIZED), !again);
        }
    unsetenv("TESSERA_GROUPS");
    CHECK(clReleaseProgram(program));
}

#define ROWS                                                                                                                               \
    "kernel void rows(global uint *out, uint n) { out[get_global_id(0) * n + get_global_id(1)] += 1 + get_local_id(0); }\n"                \
    "kernel void columns(global uint *out, uint n) { out[get_global_id(0) + n * get_global_id(1)] += 1 + get_local_id(1); }\n"             \
    "kernel void tell(global uint *out, uint n) { out[get_global_id(0) + n * get_global_id(1)] += 1 + get_local_id(1); if (!n) "           \
    "printf(\"\"); }\n"

/* Runs a kernel of (out, n) over a range in two dimensions; the `count` numbers of `out`, zero before, malloc'd. */
static cl_uint *run_counting(cl_program program, const char *name, cl_uint n, const size_t *from, const size_t *global, const size_t *local,
                             size_t count)
{
    static const cl_uint zero;
    const size_t bytes = count * sizeof(cl_uint);
    cl_uint *out = malloc(bytes);
    cl_kernel kernel = test_kernel(program, name);
    cl_mem buffer = test_buffer(w.context, 0, bytes, NULL);
    CHECK(clEnqueueFillBuffer(w.queue, buffer, &zero, sizeof(zero), 0, bytes, 0, NULL, NULL));
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof(n), &n));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 2, from, global, local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    return out;
}

/* Of x rows of y elements, which the kernel's x or y counts. */
static void count_rows(cl_program program, const char *name, size_t x, size_t y)
{
    bool swapped = strcmp(name, "rows") != 0;
    size_t global[2] = {swapped ? y : x, swapped ? x : y}, local[2] = {swapped ? 1 : 3, swapped ? 3 : 1};
    cl_uint *out = run_counting(program, name, (cl_uint)y, NULL, global, local, x * y);
    for (size_t i = 0; i < x * y; i++)
        if (out[i] != 1 + i / y % 3)
            fail_msg("element %zu of %zu x %zu is %u", i, x, y, out[i]);
    free(out);
}

/* Lanes of the first kernel follow y, of the second x; in a range with few work-items there they follow the other, once such launches have
 * taken long. Not in one that prints, whose lines have an order. */
static void narrow_ranges_have_code(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        size_t x, y;
        int what;
        unsigned made;
    } cases[] = {{"rows", 60, 1, IN_X, 1},     {"rows", 60, 3, IN_X, 1},    {"rows", 60, 4, IN_X, 0},    {"rows", 60, 40, IN_X, 0},
                 {"rows", 3, 3, IN_X, 0},      {"columns", 60, 1, IN_Y, 1}, {"columns", 60, 3, IN_Y, 1}, {"columns", 60, 4, IN_Y, 0},
                 {"columns", 60, 40, IN_Y, 0}, {"columns", 3, 3, IN_Y, 0},  {"tell", 60, 1, IN_Y, 0}};
    for (int forced = 1; forced >= 0; forced--)
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
            forced ? setenv("TESSERA_GROUPS", "lanes", 1) : unsetenv("TESSERA_GROUPS");
            cl_program program = test_build(w.context, w.device, ROWS, "-cl-std=CL3.0");
            for (int again = 0; again < 2; again++)
                count_rows(program, cases[i].kernel, cases[i].x, cases[i].y);
            if (made(cases[i].what) != (forced ? cases[i].made : 0))
                fail_msg("%s, %zu x %zu, forced %d", cases[i].kernel, cases[i].x, cases[i].y, forced);
            CHECK(clReleaseProgram(program));
        }
}

#define CELLS                                                                                                                              \
    "kernel void cells(global uint *out, uint n) { size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1); "             \
    "if (y % 5 != 4) out[y * n + x] += 100 * get_local_id(0) + 10 * get_local_id(1) + get_group_id(1) % 2 * 5 + 1; }\n"

static void count_cells(cl_program program, size_t x, size_t offset)
{
    enum { Y = 30, LOCAL_Y = 3 };
    const size_t from[2] = {offset, 0}, global[2] = {x, Y}, local[2] = {x, LOCAL_Y};
    cl_uint *out = run_counting(program, "cells", (cl_uint)x, from, global, local, x * Y);
    for (size_t i = 0; i < x * Y; i++) {
        size_t column = i % x, row = i / x;
        if (out[i] != (row % 5 == 4 ? 0 : 100 * column + 10 * (row % LOCAL_Y) + row / LOCAL_Y % 2 * 5 + 1))
            fail_msg("element %zu of rows of %zu, offset %zu, is %u", i, x, offset, out[i]);
    }
    free(out);
}

/* Rows that are shorter than a packet, but not so short that lanes follow another dimension, are packets; not where ids are larger than an
 * `int`. */
static void short_rows_have_code(void **state)
{
    (void)state;
    static const size_t widths[] = {3, 4, 5, 7, 8, 12, 15, 16};
    setenv("TESSERA_GROUPS", "sized", 1);
    cl_program program = test_build(w.context, w.device, CELLS, "-cl-std=CL3.0");
    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
        count_cells(program, widths[i], UINT64_C(1) << 31);
        assert_int_equal(made(SIZED), 0);
        count_cells(program, widths[i], 0);
        assert_int_equal(made(SIZED), widths[i] >= 4 && widths[i] < 16);
        count_cells(program, widths[i], 5);
        assert_int_equal(made(SIZED), 0);
    }
    unsetenv("TESSERA_GROUPS");
    CHECK(clReleaseProgram(program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_launches_can),
        cmocka_unit_test(some_programs_can),
        cmocka_unit_test(it_takes_long_launches),
        cmocka_unit_test(sizes_have_code),
        cmocka_unit_test(narrow_ranges_have_code),
        cmocka_unit_test(short_rows_have_code),
        cmocka_unit_test(groups_of_one_have_code_at_once),
    };
    if (!mkdtemp(folder) || asprintf(&log_path, "%s/log", folder) < 0)
        return 1;
    setenv("TESSERA_LOG_FILE", log_path, 1);
    setenv("TESSERA_DEBUG", "compile", 1);
    int failed = cmocka_run_group_tests(tests, begin, end);
    unlink(log_path);
    rmdir(folder);
    return failed;
}
