/* SPDX-License-Identifier: Apache-2.0
 * Programs: creating, building at once and in the background, compiling with headers, linking, queries, every error code. */
#include <pthread.h>
#include <unistd.h>

#include "cl_test.h"

static const char *const two_kernels = "__kernel void b(__global int *p) { p[0] = 2; }\n"
                                       "__kernel void a(__global int *p) { p[0] = 1; }\n";

static cl_program with_source(cl_context context, const char *source)
{
    cl_program program;
    CHECK_CREATE(program, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    return program;
}

static cl_build_status status_of(cl_program program, cl_device_id device)
{
    cl_build_status status = 12345;
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    return status;
}

static cl_program_binary_type type_of(cl_program program, cl_device_id device)
{
    cl_program_binary_type type = 12345;
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
    return type;
}

static char *log_of(cl_program program, cl_device_id device)
{
    static char log[65536];
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    return log;
}

/* Kernels of a program get their code one by one: from several threads at once, then all that are left, then for the binary. */
static void *create_and_release(void *data)
{
    static const char *const names[] = {"a", "b"};
    for (int i = 0; i < 20; i++)
        CHECK(clReleaseKernel(test_kernel(data, names[i % 2])));
    return NULL;
}

static void code_is_made_kernel_by_kernel(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct test_world w = test_begin(0);
    cl_program program = with_source(w.context, two_kernels);
    CHECK(clBuildProgram(program, 0, NULL, "-DUNIQUE_FOR_THIS_TEST", NULL, NULL));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, create_and_release, program), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(test_run(&w, program, "a"), 1);
    assert_int_equal(test_run(&w, program, "b"), 2);
    cl_kernel kernels[2];
    CHECK(clCreateKernelsInProgram(program, 2, kernels, NULL));
    CHECK(clReleaseKernel(kernels[0]));
    CHECK(clReleaseKernel(kernels[1]));
    size_t size = 0;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *binary = malloc(size);
    const unsigned char *in = binary;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    cl_program copy;
    CHECK_CREATE(copy, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &in, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(copy, 0, NULL, "", NULL, NULL));
    assert_int_equal(test_run(&w, copy, "a"), 1);
    assert_int_equal(test_run(&w, copy, "b"), 2);
    free(binary);
    /* Kernels are gone, so the program may be built again. */
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    CHECK(clReleaseProgram(copy));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* TESSERA_EXPLAIN: the report on all kernels stands in the build log, which goes to standard error, too. */
static void reports_stand_in_the_log(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = with_source(w.context, two_kernels);
    FILE *printed = tmpfile();
    int standard_error = dup(STDERR_FILENO);
    assert_true(printed && standard_error >= 0);
    setenv("TESSERA_EXPLAIN", "1", 1);
    dup2(fileno(printed), STDERR_FILENO);
    cl_int err = clBuildProgram(program, 0, NULL, "", NULL, NULL);
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    unsetenv("TESSERA_EXPLAIN");
    assert_int_equal(err, CL_SUCCESS);
    char text[4096];
    rewind(printed);
    text[fread(text, 1, sizeof text - 1, printed)] = 0;
    fclose(printed);
    const char *log = log_of(program, w.device);
    assert_non_null(strstr(log, "kernel a:\n"));
    assert_non_null(strstr(log, "kernel b:\n"));
    assert_non_null(strstr(text, log));
    assert_int_equal(test_run(&w, program, "b"), 2);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void create_checks_its_arguments(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program;
    const char *source = two_kernels, *with_null[2] = {two_kernels, NULL};
    CHECK_CREATE(program, clCreateProgramWithSource(NULL, 1, &source, NULL, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(program, clCreateProgramWithSource(w.context, 0, &source, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithSource(w.context, 1, NULL, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithSource(w.context, 2, with_null, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithBuiltInKernels(w.context, 1, &w.device, "none", &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithBuiltInKernels(w.context, 0, NULL, "none", &err), CL_INVALID_VALUE);
    CHECK_CODE(clRetainProgram(NULL), CL_INVALID_PROGRAM);
    CHECK_CODE(clReleaseProgram(NULL), CL_INVALID_PROGRAM);
    test_end(&w);
}

static void strings_are_joined_by_their_lengths(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    const char *parts[] = {"__kernel void xxx", "a(__global int *p) { p[0] =", " 7; } garbage"};
    size_t lengths[] = {14, 0, 5};
    cl_program program;
    CHECK_CREATE(program, clCreateProgramWithSource(w.context, 3, parts, lengths, &err), CL_SUCCESS);
    char source[200];
    size_t size;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(source), source, &size));
    assert_string_equal(source, "__kernel void a(__global int *p) { p[0] = 7; }");
    assert_int_equal(size, strlen(source) + 1);
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(test_run(&w, program, "a"), 7);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void queries_follow_the_state(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = with_source(w.context, two_kernels);
    size_t count, size;
    char names[64];
    cl_uint number;
    cl_device_id device;
    assert_int_equal(status_of(program, w.device), CL_BUILD_NONE);
    assert_int_equal(type_of(program, w.device), CL_PROGRAM_BINARY_TYPE_NONE);
    assert_string_equal(log_of(program, w.device), "");
    CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    assert_int_equal(size, 0);
    CHECK(clBuildProgram(program, 1, &w.device, "-DX=1", NULL, NULL));
    assert_int_equal(status_of(program, w.device), CL_BUILD_SUCCESS);
    assert_int_equal(type_of(program, w.device), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL));
    assert_int_equal(count, 2);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, &size));
    assert_string_equal(names, "a;b");
    assert_int_equal(size, 4);
    CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 3, names, NULL), CL_INVALID_VALUE);
    CHECK(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_OPTIONS, sizeof(names), names, NULL));
    assert_string_equal(names, "-DX=1");
    CHECK(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof(size), &size, NULL));
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof(number), &number, NULL));
    assert_int_equal(number, 1);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof(device), &device, NULL));
    assert_ptr_equal(device, w.device);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof(number), &number, NULL));
    assert_int_equal(number, 1);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
    assert_int_equal(size, 0);
    cl_bool present = CL_TRUE;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof(present), &present, NULL));
    assert_int_equal(present, CL_FALSE);
    CHECK_CODE(clGetProgramInfo(program, 0x4242, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetProgramBuildInfo(program, w.device, 0x4242, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL), CL_INVALID_DEVICE);
    CHECK_CODE(clGetProgramInfo(NULL, CL_PROGRAM_SOURCE, 0, NULL, NULL), CL_INVALID_PROGRAM);
    CHECK_CODE(clSetProgramReleaseCallback(program, (void(CL_CALLBACK *)(cl_program, void *))abort, NULL), CL_INVALID_OPERATION);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void build_checks_its_arguments(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = with_source(w.context, two_kernels);
    CHECK_CODE(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    CHECK_CODE(clBuildProgram(program, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clBuildProgram(program, 0, &w.device, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clBuildProgram(program, 0, NULL, NULL, NULL, &w), CL_INVALID_VALUE);
    cl_device_id nobody = (cl_device_id)(void *)w.context;
    CHECK_CODE(clBuildProgram(program, 1, &nobody, NULL, NULL, NULL), CL_INVALID_DEVICE);
    CHECK_CODE(clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_CODE(clCompileProgram(program, 0, NULL, "-no-such-option", 0, NULL, NULL, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
    CHECK(clUnloadPlatformCompiler(test_platform()));
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    /* A kernel is attached: no other build. */
    cl_kernel kernel = test_kernel(program, "a");
    CHECK_CODE(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clReleaseKernel(kernel));
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* Options that are refused leave the build as it is, but for its log. */
static void refused_options_stand_in_the_log(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = with_source(w.context, two_kernels);
    CHECK_CODE(clBuildProgram(program, 0, NULL, "-cl-mad-enable -cl-fast", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_THAT(strstr(log_of(program, w.device), "unknown option '-cl-fast'; clBuildProgram takes"));
    CHECK_THAT(strstr(log_of(program, w.device), "-cl-fast-relaxed-math"));
    assert_int_equal(status_of(program, w.device), CL_BUILD_NONE);
    CHECK_CODE(clCompileProgram(program, 1, &w.device, "-cl-std=CL9", 0, NULL, NULL, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
    CHECK_THAT(strstr(log_of(program, w.device), "'-cl-std=CL9': this device compiles CL1.0"));
    CHECK(clBuildProgram(program, 0, NULL, "-Wall", NULL, NULL));
    assert_string_equal(log_of(program, w.device), "");
    CHECK_CODE(clBuildProgram(program, 0, NULL, "-D", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_THAT(strstr(log_of(program, w.device), "'-D' needs a name"));
    assert_int_equal(status_of(program, w.device), CL_BUILD_SUCCESS);
    assert_int_equal(test_run(&w, program, "a"), 1);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* TESSERA_CC_MEMORY, which gets the build a compiler of its own: the code for it, and a log that says what to do. */
static void a_compiler_without_memory_says_so(void **state)
{
    (void)state;
    setenv("TESSERA_CC_MEMORY", "32M", 1);
    struct test_world w = test_begin(0);
    cl_program program = with_source(w.context, two_kernels), linked = NULL;
    cl_int err = CL_SUCCESS;
    CHECK_CODE(clBuildProgram(program, 0, NULL, "-DWITHOUT_MEMORY", NULL, NULL), CL_OUT_OF_HOST_MEMORY);
    CHECK_THAT(strstr(log_of(program, w.device), "raise TESSERA_CC_MEMORY"));
    assert_int_equal(status_of(program, w.device), CL_BUILD_ERROR);
    unsetenv("TESSERA_CC_MEMORY");
    CHECK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    setenv("TESSERA_CC_MEMORY", "32M", 1);
    linked = clLinkProgram(w.context, 0, NULL, NULL, 1, &program, NULL, NULL, &err);
    assert_int_equal(err, CL_OUT_OF_HOST_MEMORY);
    CHECK_THAT(strstr(log_of(linked, w.device), "raise TESSERA_CC_MEMORY"));
    unsetenv("TESSERA_CC_MEMORY");
    CHECK(clReleaseProgram(linked));
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    assert_int_equal(test_run(&w, program, "b"), 2);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void a_failed_build_leaves_a_log_and_can_be_repeated(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program =
        with_source(w.context, "#ifdef GOOD\n__kernel void a(__global int *p) { p[0] = 5; }\n#else\nint broken = ;\n#endif\n");
    CHECK_CODE(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(status_of(program, w.device), CL_BUILD_ERROR);
    assert_int_equal(type_of(program, w.device), CL_PROGRAM_BINARY_TYPE_NONE);
    CHECK_THAT(strstr(log_of(program, w.device), "error:") && strstr(log_of(program, w.device), "int broken = ;"));
    cl_kernel kernel;
    CHECK_CREATE(kernel, clCreateKernel(program, "a", &err), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clBuildProgram(program, 0, NULL, "-DGOOD", NULL, NULL));
    assert_int_equal(test_run(&w, program, "a"), 5);
    CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CREATE(kernel, clCreateKernel(program, "a", &err), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

struct called {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    cl_program program;
    cl_build_status status;
};

static void CL_CALLBACK on_built(cl_program program, void *data)
{
    struct called *called = data;
    pthread_mutex_lock(&called->lock);
    clGetProgramBuildInfo(program, test_device(), CL_PROGRAM_BUILD_STATUS, sizeof(called->status), &called->status, NULL);
    called->program = program;
    pthread_cond_signal(&called->changed);
    pthread_mutex_unlock(&called->lock);
}

static void wait_for(struct called *called)
{
    pthread_mutex_lock(&called->lock);
    while (!called->program)
        pthread_cond_wait(&called->changed, &called->lock);
    pthread_mutex_unlock(&called->lock);
}

static void a_callback_makes_the_build_asynchronous(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    for (int good = 0; good < 2; good++) {
        struct called called = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, CL_BUILD_NONE};
        cl_program program = with_source(w.context, good ? two_kernels : "broken");
        /* Before it takes the lock the callback cannot end, so the state in between can be seen. */
        pthread_mutex_lock(&called.lock);
        CHECK(clBuildProgram(program, 0, NULL, good ? "-DTHIRTEEN=13" : "", on_built, &called));
        pthread_mutex_unlock(&called.lock);
        wait_for(&called);
        assert_ptr_equal(called.program, program);
        assert_int_equal(called.status, good ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
        if (good)
            assert_int_equal(test_run(&w, program, "b"), 2);
        CHECK(clReleaseProgram(program));
    }
    test_end(&w);
}

static void a_build_in_progress_excludes_others_and_survives_a_release(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    struct called called = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, CL_BUILD_NONE};
    /* Long enough to be caught running: many functions. */
    size_t size = 0, room = 1 << 20;
    char *source = malloc(room);
    for (int i = 0; i < 2000; i++)
        size += (size_t)snprintf(source + size, room - size, "int f%d(int x) { return x * %d + x / 7; }\n", i, i + (int)getpid());
    snprintf(source + size, room - size, "__kernel void a(__global int *p) { p[0] = f1(1); }\n");
    cl_program program = with_source(w.context, source);
    free(source);
    CHECK(clBuildProgram(program, 0, NULL, NULL, on_built, &called));
    if (status_of(program, w.device) == CL_BUILD_IN_PROGRESS) {
        cl_int second = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
        CHECK_THAT(second == CL_INVALID_OPERATION || status_of(program, w.device) == CL_BUILD_SUCCESS);
    }
    CHECK(clReleaseProgram(program));
    wait_for(&called);
    assert_int_equal(called.status, CL_BUILD_SUCCESS);
    test_end(&w);
}

static void headers_are_found_by_their_names(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program =
        with_source(w.context, "#include \"dir/one.h\"\n#include <two.h>\n__kernel void a(__global int *p) { p[0] = ONE + TWO; }\n");
    cl_program headers[2] = {with_source(w.context, "#define ONE 1\n"), with_source(w.context, "#define TWO 20\n")};
    const char *names[2] = {"dir/one.h", "two.h"}, *null_name[2] = {"dir/one.h", NULL};
    CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 2, NULL, names, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 2, headers, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 0, headers, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 2, headers, null_name, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    struct test_world other = test_begin(0);
    cl_program foreign[2] = {headers[0], with_source(other.context, "#define TWO 20\n")}, none;
    CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 2, foreign, names, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK(clCompileProgram(program, 0, NULL, NULL, 2, headers, names, NULL, NULL));
    assert_int_equal(type_of(program, w.device), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    CHECK_CREATE(none, clLinkProgram(other.context, 0, NULL, NULL, 1, &program, NULL, NULL, &err), CL_INVALID_CONTEXT);
    CHECK(clReleaseProgram(foreign[1]));
    test_end(&other);
    cl_kernel kernel;
    CHECK_CREATE(kernel, clCreateKernel(program, "a", &err), CL_INVALID_PROGRAM_EXECUTABLE);
    cl_program linked;
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 1, &program, NULL, NULL, &err), CL_SUCCESS);
    assert_int_equal(type_of(linked, w.device), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_int_equal(test_run(&w, linked, "a"), 21);
    CHECK_CODE(clBuildProgram(linked, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(clCompileProgram(linked, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(headers[0]));
    CHECK(clReleaseProgram(headers[1]));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void objects_and_libraries_are_linked(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program user = with_source(w.context, "int f(int x);\n__kernel void a(__global int *p) { p[0] = f(20); }\n");
    cl_program other = with_source(w.context, "int f(int x) { return 2 * x + 2; }\n");
    cl_program library, linked;
    /* Nothing compiled yet. */
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 1, &user, NULL, NULL, &err), CL_INVALID_OPERATION);
    CHECK(clCompileProgram(user, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program mixed[2] = {user, other};
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 2, mixed, NULL, NULL, &err), CL_INVALID_OPERATION);
    CHECK(clCompileProgram(other, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    CHECK_CREATE(linked, clLinkProgram(NULL, 0, NULL, NULL, 2, mixed, NULL, NULL, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 0, mixed, NULL, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 1, NULL, NULL, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(linked, clLinkProgram(w.context, 1, NULL, NULL, 2, mixed, NULL, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 2, mixed, NULL, &w, &err), CL_INVALID_VALUE);
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, "-DNOT_HERE", 2, mixed, NULL, NULL, &err), CL_INVALID_LINKER_OPTIONS);

    CHECK_CREATE(library, clLinkProgram(w.context, 0, NULL, "-create-library", 1, &other, NULL, NULL, &err), CL_SUCCESS);
    assert_int_equal(type_of(library, w.device), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program inputs[2] = {user, library};
    CHECK_CREATE(linked, clLinkProgram(w.context, 1, &w.device, NULL, 2, inputs, NULL, NULL, &err), CL_SUCCESS);
    assert_int_equal(test_run(&w, linked, "a"), 42);
    CHECK(clReleaseProgram(linked));

    /* A missing function: a program comes back all the same, for its log. */
    cl_int code = 12345;
    linked = clLinkProgram(w.context, 0, NULL, NULL, 1, &user, NULL, NULL, &code);
    assert_int_equal(code, CL_LINK_PROGRAM_FAILURE);
    assert_non_null(linked);
    assert_int_equal(status_of(linked, w.device), CL_BUILD_ERROR);
    CHECK_THAT(strstr(log_of(linked, w.device), "f"));
    CHECK(clReleaseProgram(linked));

    struct called called = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, CL_BUILD_NONE};
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 2, inputs, on_built, &called, &err), CL_SUCCESS);
    wait_for(&called);
    assert_int_equal(called.status, CL_BUILD_SUCCESS);
    assert_int_equal(test_run(&w, linked, "a"), 42);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(library));
    CHECK(clReleaseProgram(other));
    CHECK(clReleaseProgram(user));
    test_end(&w);
}

static void building_many_times_keeps_memory_flat(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    long after_some = 0;
    for (int i = 0; i < 200; i++) {
        char source[200];
        snprintf(source, sizeof(source), "__kernel void a(__global int *p) { p[0] = %d; }\n", i);
        cl_program program = test_build(w.context, w.device, source, NULL);
        assert_int_equal(test_run(&w, program, "a"), i);
        CHECK(clReleaseProgram(program));
        if (i == 40)
            after_some = test_resident_kib();
    }
    long growth = test_resident_kib() - after_some;
    if (!CL_TEST_SANITIZED && growth > 1024)
        fail_msg("160 builds left %ld KiB behind", growth);
    test_end(&w);
}

static void a_build_leaves_the_host_small(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    long before = test_resident_kib();
    cl_program program = test_build(w.context, w.device, two_kernels, NULL);
    assert_int_equal(test_run(&w, program, "a"), 1);
    long growth = test_resident_kib() - before;
    if (!CL_TEST_SANITIZED && growth > 25 * 1024)
        fail_msg("a build takes %ld KiB of the host", growth);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* 33 MiB of white space with `text` at the end, without a final zero. */
static char *large_text(const char *text, size_t *size)
{
    *size = 33 << 20;
    char *large = malloc(*size);
    assert_non_null(large);
    memset(large, ' ', *size);
    for (size_t i = 79; i < *size; i += 80)
        large[i] = '\n';
    memcpy(large + *size - strlen(text), text, strlen(text));
    return large;
}

static void sources_and_headers_of_32_mib_build(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    size_t source_size, header_size;
    char *source = large_text("\n#include \"large.h\"\n__kernel void a(__global int *p) { p[0] = NINE; }\n", &source_size);
    char *text = large_text("\n#define NINE 9\n", &header_size);
    const char *name = "large.h";
    cl_program program, header, linked;
    CHECK_CREATE(program, clCreateProgramWithSource(w.context, 1, (const char **)&source, &source_size, &err), CL_SUCCESS);
    CHECK_CREATE(header, clCreateProgramWithSource(w.context, 1, (const char **)&text, &header_size, &err), CL_SUCCESS);
    CHECK(clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 1, &program, NULL, NULL, &err), CL_SUCCESS);
    assert_int_equal(test_run(&w, linked, "a"), 9);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(header));
    CHECK(clReleaseProgram(program));
    free(text);
    free(source);
    test_end(&w);
}

int main(void)
{
    setenv("TESSERA_CACHE", "0", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_checks_its_arguments),
        cmocka_unit_test(strings_are_joined_by_their_lengths),
        cmocka_unit_test(queries_follow_the_state),
        cmocka_unit_test(build_checks_its_arguments),
        cmocka_unit_test(refused_options_stand_in_the_log),
        cmocka_unit_test(a_compiler_without_memory_says_so),
        cmocka_unit_test(a_failed_build_leaves_a_log_and_can_be_repeated),
        cmocka_unit_test(a_callback_makes_the_build_asynchronous),
        cmocka_unit_test(a_build_in_progress_excludes_others_and_survives_a_release),
        cmocka_unit_test(headers_are_found_by_their_names),
        cmocka_unit_test(objects_and_libraries_are_linked),
        cmocka_unit_test(code_is_made_kernel_by_kernel),
        cmocka_unit_test(reports_stand_in_the_log),
        cmocka_unit_test(building_many_times_keeps_memory_flat),
        cmocka_unit_test(a_build_leaves_the_host_small),
        cmocka_unit_test(sources_and_headers_of_32_mib_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
