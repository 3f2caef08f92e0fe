/* SPDX-License-Identifier: Apache-2.0
 * Kernels get code for full packets first: launches of full packets run with it, others wait for code of their own. */
#include "cl_test.h"

#include <pthread.h>
#include <unistd.h>

/* What kernels see of their work-groups decides how ranges are cut into packets. Each stores the number of the work-item, or 0 where
 * something was wrong. */
static const char source[] = "#define ID (get_global_id(0) - get_global_offset(0) + get_global_id(1) * get_global_size(0) + 1)\n"
                             "#if ONLY < 0 || ONLY == 0\n"
                             "kernel void range(global uint *out, local uint *t) { out[ID - 1] = ID; }\n"
                             "#endif\n"
                             "#if ONLY < 0 || ONLY == 1\n"
                             "kernel void group(global uint *out, local uint *t)\n"
                             "{\n"
                             "    size_t x = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0) + get_global_offset(0);\n"
                             "    out[ID - 1] = x == get_global_id(0) && get_local_id(0) < get_local_size(0) ? ID : 0;\n"
                             "}\n"
                             "#endif\n"
                             "#if ONLY < 0 || ONLY == 2\n"
                             "kernel void barriers(global uint *out, local uint *t)\n"
                             "{\n"
                             "    uint l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1), id = ID;\n"
                             "    t[l] = id;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    uint v = t[n - 1 - l];\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    t[l] = v;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    out[id - 1] = t[n - 1 - l] == id ? id : 0;\n"
                             "}\n"
                             "#endif\n"
                             "#if ONLY < 0 || ONLY == 3\n"
                             "kernel void sub_groups(global uint *out, local uint *t)\n"
                             "{\n"
                             "    uint number = sub_group_scan_exclusive_add(1u), count = sub_group_reduce_add(1u);\n"
                             "    out[ID - 1] = number == get_sub_group_local_id() && count == get_sub_group_size() ? ID : 0;\n"
                             "}\n"
                             "#endif\n";

/* And the number of the only kernel, or -1. */
#define OPTIONS "-cl-std=CL3.0 -DONLY="

static const char *const names[] = {"range", "group", "barriers", "sub_groups"};
enum { RANGE, GROUP, KERNELS = sizeof(names) / sizeof(*names), MOST_ITEMS = 4096, MOST_LOCAL = 1024 };

struct range {
    size_t global[2], local[2], offset;
};
/* Packets have 8, 16 or 32 work-items. */
static const struct range full[] = {
    {{64, 1}, {64, 1}, 0},   {{256, 1}, {32, 1}, 0}, {{96, 1}, {64, 1}, 0},    {{160, 5}, {32, 2}, 0},
    {{256, 3}, {64, 3}, 32}, {{64, 7}, {32, 4}, 64}, {{1024, 2}, {512, 1}, 0},
};
/* Rows of full packets for a kernel that sees its range alone. */
static const struct range full_rows[] = {{{64, 1}, {5, 1}, 0}, {{96, 3}, {1, 1}, 32}, {{32, 9}, {10, 4}, 64}};
/* The device chooses the local size (0). */
static const struct range free_size[] = {
    {{32, 1}, {0, 0}, 0}, {{96, 1}, {0, 0}, 0}, {{224, 1}, {0, 0}, 0}, {{352, 3}, {0, 0}, 32}, {{416, 1}, {0, 0}, 0}, {{992, 4}, {0, 0}, 0},
};
static const struct range others[] = {
    {{1, 1}, {1, 1}, 0},  {{97, 1}, {97, 1}, 0},   {{64, 1}, {64, 1}, 3},   {{65, 2}, {32, 1}, 0},
    {{50, 6}, {5, 3}, 0}, {{200, 3}, {100, 1}, 7}, {{33, 11}, {16, 2}, 32}, {{130, 1}, {128, 1}, 0},
};

static char folder[] = "/tmp/tessera-test-XXXXXX", *log_path;
static struct test_world w;
static unsigned told;

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

/* How many kernels have got code for other packets since the last call. */
static unsigned made(void)
{
    char line[1000];
    unsigned count = 0;
    FILE *file = fopen(log_path, "r");
    while (file && fgets(line, sizeof(line), file))
        count += strstr(line, "code for packets that are not full") != NULL;
    if (file)
        fclose(file);
    unsigned more = count - told;
    told = count;
    return more;
}

static void launch(cl_command_queue queue, cl_kernel kernel, const struct range *r)
{
    static const cl_uint zeros[MOST_ITEMS];
    cl_uint out[MOST_ITEMS];
    size_t items = r->global[0] * r->global[1], offset[2] = {r->offset, 0};
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(zeros), (void *)zeros);
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(kernel, 1, MOST_LOCAL * sizeof(cl_uint), NULL));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, offset, r->global, r->local[0] ? r->local : NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (size_t i = 0; i < MOST_ITEMS; i++)
        if (out[i] != (i < items ? i + 1 : 0))
            fail_msg("%zu x %zu in groups of %zu x %zu from %zu: work-item %zu is wrong", r->global[0], r->global[1], r->local[0],
                     r->local[1], r->offset, i);
    CHECK(clReleaseMemObject(buffer));
}

static void launch_all(cl_kernel kernel, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        launch(w.queue, kernel, &ranges[i]);
}

static void full_packets_need_no_other_code(void **state)
{
    (void)state;
    cl_program program = test_build(w.context, w.device, source, OPTIONS "-1");
    for (unsigned k = 0; k < KERNELS; k++) {
        cl_kernel kernel = test_kernel(program, names[k]);
        launch_all(kernel, full, sizeof(full) / sizeof(*full));
        launch_all(kernel, free_size, sizeof(free_size) / sizeof(*free_size));
        if (k == RANGE)
            launch_all(kernel, full_rows, sizeof(full_rows) / sizeof(*full_rows));
        CHECK(clReleaseKernel(kernel));
    }
    assert_int_equal(made(), 0);
    CHECK(clReleaseProgram(program));
}

/* Each of the ranges is the first one once; the code is made once, for one kernel, and both codes go on together. */
static void other_packets_wait_for_their_code(void **state)
{
    (void)state;
    size_t count = sizeof(others) / sizeof(*others);
    for (size_t first = 0; first < count; first++) {
        cl_program program = test_build(w.context, w.device, source, OPTIONS "-1");
        cl_kernel kernel = test_kernel(program, names[first % KERNELS]);
        launch(w.queue, kernel, &full[0]);
        assert_int_equal(made(), 0);
        for (size_t i = 0; i < count; i++) {
            launch(w.queue, kernel, &others[(first + i) % count]);
            assert_int_equal(made(), i == 0);
        }
        launch_all(kernel, full, sizeof(full) / sizeof(*full));
        assert_int_equal(made(), 0);
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
    }
}

static void launch_alone(cl_program program, unsigned k, unsigned makes)
{
    cl_kernel kernel = test_kernel(program, names[k]);
    launch_all(kernel, full, sizeof(full) / sizeof(*full));
    assert_int_equal(made(), 0);
    launch_all(kernel, others, sizeof(others) / sizeof(*others));
    assert_int_equal(made(), makes);
    CHECK(clReleaseKernel(kernel));
}

/* Binaries have both codes. */
static void a_kernel_alone_waits_as_well(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KERNELS; k++) {
        char options[] = OPTIONS "0";
        options[sizeof(options) - 2] = (char)('0' + k);
        cl_program program = test_build(w.context, w.device, source, options);
        if (k % 2)
            launch_alone(program, k, 1);
        size_t size;
        CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
        assert_int_equal(made(), k % 2 == 0);
        launch_alone(program, k, 0);
        unsigned char *binary = malloc(size);
        CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
        CHECK(clReleaseProgram(program));
        cl_int err;
        program = clCreateProgramWithBinary(w.context, 1, &w.device, &size, (const unsigned char **)&binary, NULL, &err);
        CHECK(err);
        CHECK(clBuildProgram(program, 1, &w.device, NULL, NULL, NULL));
        free(binary);
        launch_alone(program, k, 0);
        CHECK(clReleaseProgram(program));
    }
}

/* The second launch that waits may have other kernels' code made with it, but only of kernels that have been created. */
static void others_follow(void **state)
{
    (void)state;
    cl_program program = test_build(w.context, w.device, source, OPTIONS "-1");
    cl_kernel kernels[KERNELS];
    for (unsigned k = 0; k < KERNELS - 1; k++)
        kernels[k] = test_kernel(program, names[k]);
    unsigned all = 0;
    for (unsigned k = 0; k < KERNELS - 1; k++) {
        launch(w.queue, kernels[k], &others[0]);
        unsigned now = made();
        assert_true(k ? now < KERNELS - 1 : now == 1);
        all += now;
    }
    assert_int_equal(all, KERNELS - 1);
    for (unsigned k = 0; k < KERNELS - 1; k++)
        CHECK(clReleaseKernel(kernels[k]));
    CHECK(clReleaseProgram(program));
}

static void *launch_in_thread(void *kernel)
{
    cl_command_queue queue = test_queue(w.context, w.device, 0);
    launch(queue, kernel, &others[3]);
    CHECK(clReleaseCommandQueue(queue));
    return NULL;
}

static void threads_share_the_code(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    cl_kernel kernels[THREADS];
    cl_program program = test_build(w.context, w.device, source, OPTIONS "-1");
    for (int i = 0; i < THREADS; i++)
        kernels[i] = test_kernel(program, names[GROUP]);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_in_thread, kernels[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(clReleaseKernel(kernels[i]));
    }
    assert_int_equal(made(), 1);
    CHECK(clReleaseProgram(program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_packets_need_no_other_code), cmocka_unit_test(other_packets_wait_for_their_code),
        cmocka_unit_test(a_kernel_alone_waits_as_well),    cmocka_unit_test(others_follow),
        cmocka_unit_test(threads_share_the_code),
    };
    if (!mkdtemp(folder) || asprintf(&log_path, "%s/log", folder) < 0)
        return 1;
    setenv("TESSERA_LOG_FILE", log_path, 1);
    setenv("TESSERA_DEBUG", "compile", 1);
    setenv("TESSERA_GROUPS", "regions", 1); /* groups of one packet have code of their own otherwise */
    int failed = cmocka_run_group_tests(tests, begin, end);
    unlink(log_path);
    rmdir(folder);
    return failed;
}
