/* SPDX-License-Identifier: Apache-2.0
 * Binaries that come from another CPU or another version: their code is made anew. Each driver is a process, as it looks at TESSERA_CPU
 * once. */
#include <sys/wait.h>
#include <unistd.h>

#include "cl_test.h"

/* Where an image has the compiler's build id: docs/programs.md. */
enum { BUILD_ID_AT = 8, BUILD_ID_END = 24 };

static const char *const sources[] = {
    /* one kernel */
    "kernel void a(global int *p) { *p = (int)rint(fma(2.0f, 20.0f, 2.0f)) + get_global_id(0); }\n",
    /* several, whose code is made one by one */
    "int helper(int x) { return x + 40; }\n"
    "kernel void b(global int *p) { *p = 1; }\n"
    "kernel void a(global int *p) { *p = helper(2); }\n",
    /* several that share a variable, so their code is made at once */
    "global int shared = 42;\n"
    "kernel void b(global int *p) { shared = *p; }\n"
    "kernel void a(global int *p) { *p = shared; }\n",
};
enum { SOURCES = sizeof sources / sizeof *sources };

/* In the tensor language: a product that a unit for tiles makes, if the CPU has one. */
static const char product[] = "func @a(%p: memref<i32>) attributes { subgroup_size = 16, work_group_size = [16,1] } {\n"
                              "  %a = alloca : memref<i8x64x64,local>\n"
                              "  %c = alloca : memref<i32x64x64,local>\n"
                              "  %from = constant 0 : index\n"
                              "  %to = constant 64 : index\n"
                              "  %one = constant 1 : i8\n"
                              "  %zero = constant 0 : i32\n"
                              "  foreach (%i,%j)=(%from,%from),(%to,%to) { store %one, %a[%i,%j] }\n"
                              "  gemm.n.n %one, %a, %a, %zero, %c\n"
                              "  %last = constant 63 : index\n"
                              "  %sum = load %c[%last,%last] : i32\n"
                              "  store %sum, %p[]\n"
                              "}\n";
enum { PRODUCT = SOURCES /* in the name of its file */, PRODUCT_ITEMS = 16, PRODUCT_SUM = 64 };

static char folder[] = "/tmp/icd_moved_XXXXXX";

static void path_of(char path[128], const char *level, int source)
{
    snprintf(path, 128, "%s/%s.%d", folder, level, source);
}

static unsigned char *binary_of(cl_program program, size_t *size)
{
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL));
    unsigned char *binary = malloc(*size);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    return binary;
}

static unsigned char *read_file(const char *path, size_t *size)
{
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return bytes;
}

/* ---- what a process does ---- */

static void save_one(const struct test_world *w, const char *level, const char *source, int number)
{
    char path[128];
    size_t size;
    cl_program program = test_build(w->context, w->device, source, "-cl-std=CL3.0");
    unsigned char *binary = binary_of(program, &size);
    path_of(path, level, number);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(binary, 1, size, file), size);
    fclose(file);
    free(binary);
    CHECK(clReleaseProgram(program));
}

static void save(const char *level)
{
    struct test_world w = test_begin(0);
    for (int i = 0; i < SOURCES; i++)
        save_one(&w, level, sources[i], i);
    save_one(&w, level, product, PRODUCT);
    test_end(&w);
}

/* The binary makes a program with the right results. Whether its code was made anew. */
static bool load(const struct test_world *w, const unsigned char *binary, size_t size)
{
    cl_program program;
    cl_int status = 12345;
    cl_program_binary_type type;
    size_t again;
    CHECK_CREATE(program, clCreateProgramWithBinary(w->context, 1, &w->device, &size, &binary, &status, &err), CL_SUCCESS);
    assert_int_equal(status, CL_SUCCESS);
    CHECK(clGetProgramBuildInfo(program, w->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    unsigned char *given = binary_of(program, &again); /* until it is built, the program has the binary that it was given */
    assert_int_equal(again, size);
    assert_memory_equal(given, binary, size);
    free(given);
    for (int i = 0; i < 2; i++) {
        CHECK(clBuildProgram(program, 1, &w->device, "", NULL, NULL));
        assert_int_equal(test_run(w, program, "a"), 42);
    }
    CHECK(clGetProgramBuildInfo(program, w->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    unsigned char *made = binary_of(program, &again);
    bool moved = again != size || memcmp(made, binary, size) != 0;
    CHECK(clReleaseProgram(program));
    if (moved) { /* the new binary is one of this CPU */
        const unsigned char *list = made;
        CHECK_CREATE(program, clCreateProgramWithBinary(w->context, 1, &w->device, &again, &list, NULL, &err), CL_SUCCESS);
        CHECK(clBuildProgram(program, 1, &w->device, "", NULL, NULL));
        assert_int_equal(test_run(w, program, "a"), 42);
        size_t third;
        unsigned char *last = binary_of(program, &third);
        assert_int_equal(third, again);
        assert_memory_equal(last, made, again);
        free(last);
        CHECK(clReleaseProgram(program));
    }
    free(made);
    return moved;
}

static void load_all(const char *level, const char *from)
{
    struct test_world w = test_begin(0);
    for (int i = 0; i < SOURCES; i++) {
        char path[128];
        size_t size;
        path_of(path, from, i);
        unsigned char *binary = read_file(path, &size);
        assert_int_equal(load(&w, binary, size), strcmp(level, from) != 0);
    }
    test_end(&w);
}

/* Who asks for the reference engine, or for sub-groups of another size, does not get the code that a binary has. */
static void load_for_other_code(const char *level, const char *from)
{
    (void)level;
    struct test_world w = test_begin(0);
    for (int i = 0; i < SOURCES; i++) {
        char path[128];
        size_t size, again;
        cl_program program;
        path_of(path, from, i);
        const unsigned char *binary = read_file(path, &size);
        CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &binary, NULL, &err), CL_SUCCESS);
        CHECK(clBuildProgram(program, 1, &w.device, "", NULL, NULL));
        assert_int_equal(test_run(&w, program, "a"), 42);
        unsigned char *made = binary_of(program, &again);
        assert_true(again != size || memcmp(made, binary, size) != 0);
        free(made);
        CHECK(clReleaseProgram(program));
    }
    test_end(&w);
}

/* A product made by a unit that this process does without. */
static void load_product(const char *level, const char *from)
{
    (void)level;
    struct test_world w = test_begin(0);
    char path[128];
    size_t size, items = PRODUCT_ITEMS;
    cl_program program;
    int sum = -1;
    path_of(path, from, PRODUCT);
    const unsigned char *binary = read_file(path, &size);
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &binary, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(program, 1, &w.device, "", NULL, NULL));
    cl_kernel kernel = test_kernel(program, "a");
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof sum, &sum);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
    assert_int_equal(sum, PRODUCT_SUM);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* As if another version of the driver had made them. */
static void load_other_version(const char *level, const char *from)
{
    struct test_world w = test_begin(0);
    (void)level;
    for (int i = 0; i < SOURCES; i++) {
        char path[128];
        size_t size;
        path_of(path, from, i);
        unsigned char *binary = read_file(path, &size);
        for (int at = BUILD_ID_AT; at < BUILD_ID_END; at++)
            binary[at] ^= 0x55;
        assert_true(load(&w, binary, size));
    }
    test_end(&w);
}

/* Objects of another version can be linked. */
static void link_other_version(const char *level, const char *from)
{
    (void)level, (void)from;
    struct test_world w = test_begin(0);
    cl_program program, linked, parts[2];
    const char *texts[] = {"int helper(int x);\nkernel void a(global int *p) { *p = helper(2); }\n",
                           "int helper(int x) { return x + 40; }\n"};
    for (int i = 0; i < 2; i++) {
        size_t size;
        CHECK_CREATE(program, clCreateProgramWithSource(w.context, 1, &texts[i], NULL, &err), CL_SUCCESS);
        CHECK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
        unsigned char *binary = binary_of(program, &size);
        const unsigned char *list = binary;
        binary[BUILD_ID_AT] ^= 1;
        CHECK_CREATE(parts[i], clCreateProgramWithBinary(w.context, 1, &w.device, &size, &list, NULL, &err), CL_SUCCESS);
        CHECK(clReleaseProgram(program));
        free(binary);
    }
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 2, parts, NULL, NULL, &err), CL_SUCCESS);
    assert_int_equal(test_run(&w, linked, "a"), 42);
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseProgram(parts[i]));
    CHECK(clReleaseProgram(linked));
    test_end(&w);
}

/* Nothing damaged is taken for a binary of another CPU. */
static void load_damaged(const char *level, const char *from)
{
    (void)level;
    struct test_world w = test_begin(0);
    char path[128];
    size_t size;
    path_of(path, from, 0);
    unsigned char *binary = read_file(path, &size);
    const unsigned char *list = binary;
    cl_program program;
    for (size_t at = 0; at < size; at += at < 64 ? 1 : 53) {
        if (at >= BUILD_ID_AT && at < BUILD_ID_END)
            continue;
        binary[at] ^= 4;
        CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &list, NULL, &err), CL_INVALID_BINARY);
        binary[at] ^= 4;
    }
    for (size_t length = 1; length < size; length += 41)
        CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &length, &list, NULL, &err), CL_INVALID_BINARY);
    test_end(&w);
}

/* Without a compiler, code for a lesser CPU stays, and else the build says what is missing. */
static void load_without_compiler(const char *level, const char *from)
{
    struct test_world w = test_begin(0);
    char path[128], log[4096] = "";
    size_t size;
    path_of(path, from, 0);
    unsigned char *binary = read_file(path, &size);
    const unsigned char *list = binary;
    cl_program program;
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &list, NULL, &err), CL_SUCCESS);
    bool usable = !strcmp(level, "avx2");
    CHECK_CODE(clBuildProgram(program, 1, &w.device, "", NULL, NULL), usable ? CL_SUCCESS : CL_COMPILER_NOT_AVAILABLE);
    if (usable)
        assert_int_equal(test_run(&w, program, "a"), 42);
    CHECK(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_non_null(strstr(log, "/nowhere/tessera-cc"));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* ---- the processes ---- */

static void save_of(const char *level, const char *from)
{
    (void)from;
    save(level);
}

static const struct step {
    const char *name, *level, *from, *variable; /* TESSERA_CPU of the process; of the process that has saved */
    void (*run)(const char *level, const char *from);
} steps[] = {
    {"save_low", "sse2", "", NULL, save_of},
    {"save_high", "avx2", "", NULL, save_of},
    {"same_low", "sse2", "sse2", NULL, load_all},
    {"same_high", "avx2", "avx2", NULL, load_all},
    {"low_to_high", "avx2", "sse2", NULL, load_all},
    {"high_to_low", "sse2", "avx2", NULL, load_all},
    {"other_version", "sse2", "sse2", NULL, load_other_version},
    {"other_version_and_cpu", "avx2", "sse2", NULL, load_other_version},
    {"link_other_version", "sse2", "", NULL, link_other_version},
    {"reference", "avx2", "avx2", "TESSERA_ENGINE=Reference", load_for_other_code},
    {"sub_groups", "avx2", "avx2", "TESSERA_SUB_GROUP_SIZE=32", load_for_other_code},
    {"damaged", "sse2", "avx2", NULL, load_damaged},
    {"save_native", "native", "", NULL, save_of},
    {"product_without_tiles", "native", "native", "TESSERA_TILES=vectors", load_product},
    {"product_on_lesser_cpu", "sse2", "native", NULL, load_product},
    {"product_on_greater_cpu", "native", "sse2", NULL, load_product},
    {"without_compiler", "sse2", "avx2", "TESSERA_CC=/nowhere/tessera-cc", load_without_compiler},
    {"lesser_code_without_compiler", "avx2", "sse2", "TESSERA_CC=/nowhere/tessera-cc", load_without_compiler},
};

static const struct step *chosen;

static void run_chosen(void **state)
{
    (void)state;
    chosen->run(chosen->level, chosen->from);
}

static void each_in_a_process(void **state)
{
    (void)state;
    unsigned failed = 0;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].run == load_for_other_code && getenv("TESSERA_ENGINE"))
            continue;
        char *const words[] = {(char *)"icd_moved", (char *)steps[i].name, folder, NULL};
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            setenv("TESSERA_CPU", steps[i].level, 1);
            if (steps[i].variable)
                putenv((char *)steps[i].variable);
            execv("/proc/self/exe", words);
            _exit(127);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            print_error("%s: status 0x%x\n", steps[i].name, status);
            failed++;
        }
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int source = 0; source <= PRODUCT; source++) {
            char path[128];
            path_of(path, steps[i].level, source);
            unlink(path);
        }
    rmdir(folder);
    assert_int_equal(failed, 0);
}

int main(int count, char **words)
{
    setenv("TESSERA_CACHE", "0", 1);
    if (count > 2) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            if (!strcmp(steps[i].name, words[1]))
                chosen = &steps[i];
        snprintf(folder, sizeof folder, "%s", words[2]);
        alarm(30);
        const struct CMUnitTest one[] = {{words[1], run_chosen, NULL, NULL, NULL}};
        return !chosen || cmocka_run_group_tests(one, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_in_a_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
