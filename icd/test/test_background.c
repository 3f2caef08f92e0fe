/* SPDX-License-Identifier: Apache-2.0
 * Code of kernels that threads make in the background: the application uses, releases, clones and builds meanwhile, forks and exits. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icd/test/cl_test.h"

enum { KERNELS = 14 };

/* A program of so many kernels; number i stores i + 100 + `add`, and what it got through local memory. */
static cl_program make_program(const struct test_world *w, int add)
{
    static char source[KERNELS * 512];
    size_t at = 0;
    for (int i = 0; i < KERNELS; i++)
        at += (size_t)snprintf(source + at, sizeof source - at,
                               "kernel void k%02d(global int *p, local int *given, int x) {\n"
                               "    local int own[5];\n"
                               "    size_t l = get_local_id(0);\n"
                               "    own[l %% 5] = -1; given[l] = x + %d;\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "    own[l %% 5] = -2;\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "    p[get_global_id(0)] = given[get_local_size(0) - 1 - l] + 100;\n"
                               "}\n",
                               i, i + add);
    const char *text = source;
    cl_program program;
    CHECK_CREATE(program, clCreateProgramWithSource(w->context, 1, &text, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    return program;
}

static cl_kernel make_kernel(cl_program program, int number)
{
    char name[8];
    snprintf(name, sizeof name, "k%02d", number);
    return test_kernel(program, name);
}

/* Creates all kernels, and sets an argument of each, so that their code begins to be made. */
static void make_kernels(cl_program program, cl_kernel *kernels)
{
    CHECK(clCreateKernelsInProgram(program, KERNELS, kernels, NULL));
    for (int i = 0; i < KERNELS; i++)
        CHECK(clSetKernelArg(kernels[i], 1, 6 * sizeof(int), NULL));
}

static char folder[] = "/tmp/tessera-test-XXXXXX", *log_path;

/* How many requests compilers have answered so far. */
static unsigned answers(void)
{
    char line[1000];
    unsigned count = 0;
    FILE *file = fopen(log_path, "r");
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, " answered ") != NULL;
    if (file)
        fclose(file);
    return count;
}

/* Runs the kernel, whose arguments may be set already; answers what all work-items have stored. */
static int run(const struct test_world *w, cl_kernel kernel, bool set)
{
    size_t items = 6;
    int got[6] = {0}, x = 1000;
    cl_mem buffer = test_buffer(w->context, 0, sizeof got, NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    if (set) {
        CHECK(clSetKernelArg(kernel, 1, sizeof got, NULL));
        CHECK(clSetKernelArg(kernel, 2, sizeof x, &x));
    }
    CHECK(clEnqueueNDRangeKernel(w->queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w->queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 1; i < 6; i++)
        assert_int_equal(got[i], got[0]);
    CHECK(clReleaseMemObject(buffer));
    return got[0];
}

static void all_run(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = make_program(&w, 0);
    cl_kernel kernels[KERNELS];
    make_kernels(program, kernels);
    for (int i = KERNELS - 1; i >= 0; i--) {
        char name[8];
        CHECK(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
        assert_int_equal(run(&w, kernels[i], true), 1100 + atoi(name + 1));
        CHECK(clReleaseKernel(kernels[i]));
    }
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* Where one kernel gets arguments, those that are created beside it cost nothing; its code comes in one or two parts. Where more do, others
 * are made that are likely to follow, but fewer than these. */
static void created_only(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = make_program(&w, 0);
    cl_kernel kernels[KERNELS];
    unsigned before = answers();
    CHECK(clCreateKernelsInProgram(program, KERNELS, kernels, NULL));
    usleep(200000);
    assert_int_equal(answers(), before);
    assert_int_equal(run(&w, kernels[KERNELS / 2], true), 1100 + KERNELS / 2);
    CHECK_THAT(answers() - before >= 1 && answers() - before <= 2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(run(&w, kernels[i], true), 1100 + i);
    usleep(200000);
    CHECK_THAT(answers() - before <= 2 * (4 + 3));
    for (int i = 0; i < KERNELS; i++)
        CHECK(clReleaseKernel(kernels[i]));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* Local arguments lie behind the local variables, which the code tells. */
static void arguments_before_code(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = make_program(&w, 0);
    cl_kernel kernel = make_kernel(program, 3), clone;
    int x = 2000;
    CHECK(clSetKernelArg(kernel, 1, 6 * sizeof(int), NULL));
    CHECK(clSetKernelArg(kernel, 2, sizeof x, &x));
    CHECK_CREATE(clone, clCloneKernel(kernel, &err), CL_SUCCESS);
    CHECK(clReleaseKernel(kernel));
    assert_int_equal(run(&w, clone, false), 2103);
    cl_ulong bytes;
    CHECK(clGetKernelWorkGroupInfo(clone, NULL, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    CHECK_THAT(bytes >= 11 * sizeof(int));
    CHECK(clReleaseKernel(clone));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void queries_wait(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = make_program(&w, 0);
    for (int i = 0; i < KERNELS; i += 5) {
        cl_kernel kernel = make_kernel(program, i);
        size_t multiple, most;
        CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple, &multiple, NULL));
        CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
        CHECK_THAT(multiple > 0 && most >= multiple);
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* "CL_INVALID_OPERATION if there are kernel objects attached to program": threads in the background are none. */
static void released_and_built_again(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = make_program(&w, 0);
    for (int round = 0; round < 4; round++) {
        cl_kernel kernels[KERNELS];
        make_kernels(program, kernels);
        if (round == 2)
            usleep(20000);
        CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
        for (int i = 0; i < KERNELS; i++)
            CHECK(clReleaseKernel(kernels[i]));
        CHECK(clBuildProgram(program, 0, NULL, round % 2 ? "" : "-cl-mad-enable", NULL, NULL));
    }
    cl_kernel kernel = make_kernel(program, 7);
    assert_int_equal(run(&w, kernel, true), 1107);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void all_released_at_once(void **state)
{
    (void)state;
    for (int round = 0; round < 6; round++) {
        struct test_world w = test_begin(0);
        cl_program program = make_program(&w, round + 1);
        cl_kernel kernels[KERNELS];
        make_kernels(program, kernels);
        if (round >= 3)
            assert_int_equal(run(&w, kernels[0], true), 1100 + round + 1);
        for (int i = 0; i < KERNELS; i++)
            CHECK(clReleaseKernel(kernels[i]));
        CHECK(clReleaseProgram(program));
        test_end(&w);
    }
}

/* The code of the binary serves kernels that have none of their own, and kernels that have keep it. */
static void created_after_the_binary(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = make_program(&w, 0);
    cl_kernel before = make_kernel(program, 2), waiting = make_kernel(program, 3);
    assert_int_equal(run(&w, before, true), 1102);
    size_t size;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    CHECK_THAT(size > 0);
    cl_kernel after = make_kernel(program, 4), same = make_kernel(program, 2);
    assert_int_equal(run(&w, after, true), 1104);
    assert_int_equal(run(&w, waiting, true), 1103);
    assert_int_equal(run(&w, same, true), 1102);
    assert_int_equal(run(&w, before, true), 1102);
    const cl_kernel all[] = {before, waiting, after, same};
    for (int i = 0; i < 4; i++)
        CHECK(clReleaseKernel(all[i]));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* Variables count as they were at the build, and an application may change them while threads of the driver work. */
static void environment_of_the_build(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = make_program(&w, 0);
    cl_kernel kernels[KERNELS];
    setenv("TESSERA_CC_MEMORY", "1M", 1); /* nothing can be compiled with that */
    make_kernels(program, kernels);
    for (int i = 0; i < 3000; i++) {
        char name[32];
        snprintf(name, sizeof name, "TESSERA_TEST_%d", i % 500);
        if (i < 2500)
            setenv(name, "some text", 1);
        else
            unsetenv(name);
        if (i % 300 == 0)
            usleep(2000);
    }
    for (int i = 0; i < KERNELS; i++) {
        assert_int_equal(run(&w, kernels[i], true), 1100 + i);
        CHECK(clReleaseKernel(kernels[i]));
    }
    CHECK_THAT(clBuildProgram(program, 0, NULL, "", NULL, NULL) != CL_SUCCESS);
    unsetenv("TESSERA_CC_MEMORY");
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static struct {
    struct test_world w;
    cl_kernel kernel;
} shared;

static void *launch(void *unused)
{
    size_t items = 6;
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(shared.w.queue, shared.kernel, 1, NULL, &items, &items, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    CHECK(clReleaseEvent(event));
    return unused;
}

static void first_launch_by_many_threads(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    shared.w = test_begin(0);
    cl_program program = make_program(&shared.w, 0);
    cl_mem buffer = test_buffer(shared.w.context, 0, 6 * sizeof(int), NULL);
    for (int round = 0; round < 3; round++) {
        pthread_t threads[THREADS];
        int x = 5;
        shared.kernel = make_kernel(program, round * 5);
        CHECK(clSetKernelArg(shared.kernel, 0, sizeof buffer, &buffer));
        CHECK(clSetKernelArg(shared.kernel, 1, 6 * sizeof(int), NULL));
        CHECK(clSetKernelArg(shared.kernel, 2, sizeof x, &x));
        for (int i = 0; i < THREADS; i++)
            CHECK_THAT(!pthread_create(&threads[i], NULL, launch, NULL));
        for (int i = 0; i < THREADS; i++)
            CHECK_THAT(!pthread_join(threads[i], NULL));
        CHECK(clReleaseKernel(shared.kernel));
    }
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    test_end(&shared.w);
}

/* The child has none of the threads, and the parent's go on. */
static void forks(void **state)
{
    (void)state;
    if (TSR_TSAN) {
        print_message("ThreadSanitizer starts no threads in a child, and takes the parent's for the child's\n");
        skip();
    }
    struct test_world w = test_begin(0);
    cl_program program = make_program(&w, 0);
    cl_kernel kernels[KERNELS];
    pid_t children[3];
    make_kernels(program, kernels);
    for (int c = 0; c < 3; c++) {
        fflush(NULL);
        children[c] = fork();
        CHECK_THAT(children[c] >= 0);
        if (!children[c]) {
            alarm(60);
            bool good = true;
            for (int i = c; i < KERNELS; i += 3)
                good = good && run(&w, kernels[i], true) == 1100 + i;
            good = good && run(&w, test_kernel(make_program(&w, 50), "k01"), true) == 1151;
            _exit(good ? 42 : 1);
        }
        usleep(7000);
    }
    for (int i = 0; i < KERNELS; i++) {
        assert_int_equal(run(&w, kernels[i], true), 1100 + i);
        CHECK(clReleaseKernel(kernels[i]));
    }
    for (int c = 0; c < 3; c++) {
        int status;
        CHECK_THAT(waitpid(children[c], &status, 0) == children[c] && WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 42);
    }
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* A process that ends while code is being made. */
static void exits(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        fflush(NULL);
        pid_t child = fork();
        CHECK_THAT(child >= 0);
        if (!child) {
            alarm(60);
            execl("/proc/self/exe", "icd_background", "exit", NULL);
            _exit(1);
        }
        int status;
        CHECK_THAT(waitpid(child, &status, 0) == child && WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 42);
    }
}

static int create_and_exit(void)
{
    struct test_world w = test_begin(0);
    cl_kernel kernels[KERNELS];
    make_kernels(make_program(&w, 0), kernels);
    exit(42);
}

int main(int argc, char **argv)
{
    setenv("TESSERA_CACHE", "0", 1); /* so that code takes a while */
    if (argc > 1 && !strcmp(argv[1], "exit"))
        return create_and_exit();
    if (!mkdtemp(folder) || asprintf(&log_path, "%s/log", folder) < 0)
        return 1;
    setenv("TESSERA_LOG_FILE", log_path, 1);
    setenv("TESSERA_DEBUG", "compile", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_run),
        cmocka_unit_test(created_only),
        cmocka_unit_test(arguments_before_code),
        cmocka_unit_test(queries_wait),
        cmocka_unit_test(released_and_built_again),
        cmocka_unit_test(all_released_at_once),
        cmocka_unit_test(created_after_the_binary),
        cmocka_unit_test(environment_of_the_build),
        cmocka_unit_test(first_launch_by_many_threads),
        cmocka_unit_test(forks),
        cmocka_unit_test(exits),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    rmdir(folder);
    return failed;
}
