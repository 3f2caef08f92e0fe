/* SPDX-License-Identifier: Apache-2.0
 * The compiler crashes on one kernel of a program: the log names it, and the other kernels build and run. The compiler is a stand-in that
 * crashes on kernels whose names begin with "crash". */
#include <unistd.h>

#include "icd/test/cl_test.h"

static const char two[] = "kernel void good(global int *p) { p[0] = 7; }\n"
                          "kernel void crash(global int *p) { p[0] = 8; }\n";
static const char alone[] = "kernel void crash(global int *p) { p[0] = 8; }\n";
static const char sharing[] = "global int v = 3;\n"
                              "kernel void good(global int *p) { p[0] = v; }\n"
                              "kernel void crash(global int *p) { v = p[0]; }\n";
static const char named[] = "kernel 'crash'", innocent[] = "kernel 'good'";

static char said[4000]; /* to the context's callback */

static void CL_CALLBACK keep_message(const char *message, const void *private_info, size_t cb, void *user_data)
{
    (void)private_info, (void)cb, (void)user_data;
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s\n", message);
}

static cl_program program_of(cl_context context, const char *source)
{
    cl_program program;
    CHECK_CREATE(program, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    return program;
}

static const char *log_of(const struct test_world *w, cl_program program)
{
    static char log[65536];
    CHECK(clGetProgramBuildInfo(program, w->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    return log;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void expect_in_log(const struct test_world *w, cl_program program, const char *part, int times)
{
    const char *log = log_of(w, program);
    if (count_of(log, part) != times)
        fail_msg("\"%s\" stands %d times, not %d, in the log:\n%s", part, count_of(log, part), times, log);
}

static void good_runs(const struct test_world *w, cl_program program)
{
    int value = 0;
    size_t one = 1;
    cl_kernel kernel = test_kernel(program, "good");
    cl_mem buffer = test_buffer(w->context, CL_MEM_COPY_HOST_PTR, sizeof value, &value);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clEnqueueNDRangeKernel(w->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w->queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    assert_int_equal(value, 7);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
}

/* The code is made in the background: whoever needs it is told. */
static void crash_does_not_run(const struct test_world *w, cl_program program)
{
    size_t one = 1, most;
    *said = 0;
    cl_kernel kernel = test_kernel(program, "crash");
    cl_mem buffer = test_buffer(w->context, 0, sizeof(int), NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK_CODE(clEnqueueNDRangeKernel(w->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    assert_int_equal(count_of(said, named), 1);
    CHECK_CODE(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL), CL_OUT_OF_RESOURCES);
    assert_int_equal(count_of(said, named), 2); /* which has tried again */
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
}

static struct test_world begin(void)
{
    struct test_world w = {.device = test_device()};
    CHECK_CREATE(w.context, clCreateContext(NULL, 1, &w.device, keep_message, NULL, &err), CL_SUCCESS);
    w.queue = test_queue(w.context, w.device, 0);
    return w;
}

static void one_of_two(void **state)
{
    (void)state;
    struct test_world w = begin();
    cl_program program = program_of(w.context, two);
    cl_kernel kernels[2];
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    for (int i = 0; i < 2; i++) {
        crash_does_not_run(&w, program);
        expect_in_log(&w, program, named, 2 * i + 2); /* of another process each */
        expect_in_log(&w, program, "SIGSEGV", 2 * i + 2);
        good_runs(&w, program);
    }
    CHECK(clCreateKernelsInProgram(program, 2, kernels, NULL));
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseKernel(kernels[i]));
    unsigned char *binary = malloc(1 << 20);
    CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), CL_OUT_OF_RESOURCES);
    expect_in_log(&w, program, innocent, 0);
    good_runs(&w, program);
    free(binary);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* Kernels that are created one after the other are made several at once: all but the one that the compiler crashes on. */
static void one_of_many(void **state)
{
    (void)state;
    enum { COUNT = 24, CRASHES = 17 };
    static char source[COUNT * 64];
    struct test_world w = begin();
    size_t one = 1, at = 0;
    for (int i = 0; i < COUNT; i++)
        at += (size_t)snprintf(source + at, sizeof source - at, "kernel void %s%02d(global int *p) { p[0] = %d; }\n",
                               i == CRASHES ? "crash" : "good", i, i + 100);
    cl_program program = program_of(w.context, source);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_mem buffer = test_buffer(w.context, 0, sizeof(int), NULL);
    for (int i = 0; i < COUNT; i++) { /* in an order of its own, so that some of those behind a kernel have code already */
        char name[16];
        int value = 0, number = (i * 7 + 5) % COUNT; /* 7 and COUNT have no common factor */
        cl_kernel kernel;
        snprintf(name, sizeof name, "%s%02d", number == CRASHES ? "crash" : "good", number);
        CHECK_CREATE(kernel, clCreateKernel(program, name, &err), CL_SUCCESS);
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        CHECK_CODE(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
                   number == CRASHES ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
        CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
        if (number != CRASHES)
            assert_int_equal(value, number + 100);
        CHECK(clReleaseKernel(kernel));
    }
    expect_in_log(&w, program, "kernel 'crash17'", 1);
    expect_in_log(&w, program, "kernel 'good", 0);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* What is built at once. */
static void in_a_build(void **state)
{
    (void)state;
    static const struct {
        const char *source, *options;
    } cases[] = {{alone, ""}, {sharing, "-cl-std=CL3.0"}};
    struct test_world w = begin();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cl_program program = program_of(w.context, cases[i].source);
        CHECK_CODE(clBuildProgram(program, 0, NULL, cases[i].options, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        expect_in_log(&w, program, named, 1);
        expect_in_log(&w, program, innocent, 0);
        CHECK(clReleaseProgram(program));
    }
    test_end(&w);
}

static char log_path[] = "/tmp/tessera-crash-test-XXXXXX"; /* reports go to the log as well */

static int count_in_log_file(const char *part)
{
    static char text[65536];
    FILE *file = fopen(log_path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return count_of(text, part);
}

static void with_a_report(void **state)
{
    (void)state;
    struct test_world w = begin();
    cl_program program = program_of(w.context, two);
    setenv("TESSERA_EXPLAIN", "1", 1);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    expect_in_log(&w, program, named, 1);
    expect_in_log(&w, program, "kernel good:", 1); /* its report */
    assert_int_equal(count_in_log_file("kernel good:"), 1);
    assert_int_equal(count_in_log_file(named), 1);
    good_runs(&w, program);
    crash_does_not_run(&w, program);
    unsetenv("TESSERA_EXPLAIN");
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

int main(void)
{
    setenv("TESSERA_CACHE", "0", 1);
    int fd = mkstemp(log_path);
    if (fd < 0)
        return 1;
    close(fd);
    setenv("TESSERA_LOG_FILE", log_path, 1);
    setenv("TESSERA_CC", CRASHING_COMPILER, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_of_two), cmocka_unit_test(one_of_many), cmocka_unit_test(in_a_build),
                                       cmocka_unit_test(with_a_report)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    return failed;
}
