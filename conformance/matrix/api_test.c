/* SPDX-License-Identifier: Apache-2.0
 * Every overload of the matrix functions through the public API, against the oracle: values of every kind, every work-group size from one
 * work-item to more than two teams, several work-groups, the rule on sub-group sizes, and what the device says of itself. With a number as
 * its argument: one in so many of the overloads. A GPU runs those of the sub-group sizes that it has, and the split ones if it has these.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"
#include "conformance/matrix/oracle.h"
#include "tessera/base.h"

enum { MAX_ITEMS = 128, MAX_TEAMS = MAX_ITEMS };

static struct device device;
static cl_program program;
static size_t one_in = 1;

/* Whether the device runs the function and the test is to. */
static bool runs(size_t index)
{
    const struct oracle_function *f = &oracle_functions[index];
    bool split = strstr(f->name, "_split_");
    if (index % one_in)
        return false;
    return !device_is_gpu(&device) ||
           (device_has_size(&device, f->n) && (!split || device_has(&device, "cl_intel_subgroup_split_matrix_multiply_accumulate")));
}

static void need_size(size_t sub_group)
{
    if (device_is_gpu(&device) && !device_has_size(&device, sub_group))
        skip();
}

static void add_kernel(struct text *source, const struct oracle_function *f, size_t index, bool attribute)
{
    if (attribute)
        text_add(source, "__attribute__((intel_reqd_sub_group_size(%u)))\n", f->n);
    text_add(source,
             "kernel void k%zu(global const %s *a, global const %s *b, global const %s *c, global %s *d)\n"
             "{\n    size_t i = get_global_id(0);\n    d[i] = %s(a[i], b[i], c[i]);\n}\n",
             index, f->a, f->b, f->c, f->c, f->name);
}

static int build_all(void **state)
{
    (void)state;
    struct text source = {0};

    device_open(&device);
    text_add(&source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (size_t i = 0; i < oracle_function_count(); i++)
        if (runs(i))
            add_kernel(&source, &oracle_functions[i], i, true);
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

/* Runs a kernel that calls function `f` once in each work-item; a case for each team of each work-group. The last work-group may be
 * smaller. */
static void run(cl_program in, const char *kernel, const struct oracle_function *f, enum oracle_data data, uint32_t seed, size_t local,
                size_t items)
{
    static struct oracle_case cases[MAX_TEAMS];
    static unsigned char a[MAX_ITEMS * ORACLE_ARGUMENT], b[MAX_ITEMS * ORACLE_ARGUMENT], c[MAX_ITEMS * ORACLE_ARGUMENT],
        out[MAX_ITEMS * ORACLE_ARGUMENT];
    size_t teams = (local + f->team - 1) / f->team;

    assert_true(items <= MAX_ITEMS && (items + local - 1) / local * teams <= MAX_TEAMS);
    for (size_t i = 0; i < items; i++) {
        size_t group = i / local, in_group = i % local, team = group * teams + in_group / f->team;
        if (in_group % f->team == 0)
            oracle_fill(&cases[team], f, data, seed + (uint32_t)team);
        oracle_pack(&cases[team], (unsigned)(in_group % f->team), a + i * f->a_size, b + i * 32, c + i * f->c_size);
    }
    const struct device_arg args[] = {
        {items * f->a_size, a, NULL}, {items * 32, b, NULL}, {items * f->c_size, c, NULL}, {items * f->c_size, NULL, out}};
    cl_int status = device_run(&device, in, kernel, items, local, args, 4);
    if (status != CL_SUCCESS)
        fprintf(stderr, "%s, %zu work-items in groups of %zu: error %d\n", f->name, items, local, status);
    assert_int_equal(status, CL_SUCCESS);
    for (size_t i = 0; i < items; i++) {
        size_t group = i / local, in_group = i % local, team = in_group / f->team;
        size_t group_size = items - group * local < local ? items - group * local : local, left = group_size - team * f->team;
        unsigned present = left < f->team ? (unsigned)left : f->team;
        if (oracle_check(&cases[group * teams + team], present, (unsigned)(in_group % f->team), out + i * f->c_size))
            continue;
        fprintf(stderr, "in work-item %zu of %zu in groups of %zu\n", i, items, local);
        fail();
    }
}

static void run_built(size_t index, enum oracle_data data, uint32_t seed, size_t local, size_t items)
{
    char kernel[24];
    snprintf(kernel, sizeof(kernel), "k%zu", index);
    run(program, kernel, &oracle_functions[index], data, seed, local, items);
}

static void values(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_function_count(); i++)
        for (unsigned data = 0; data < ORACLE_DATA_KINDS && runs(i); data++)
            for (uint32_t seed = 0; seed < 3; seed++)
                run_built(i, data, 100 * seed, 2 * oracle_functions[i].team, 6 * oracle_functions[i].team);
}

static void every_work_group_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_function_count(); i++)
        for (unsigned local = 1; local <= 2 * oracle_functions[i].team + 3 && runs(i); local++)
            run_built(i, local % 2 ? ORACLE_RANDOM : ORACLE_CORNERS, local, local, 2 * local);
}

static void smaller_last_work_group(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_function_count(); i++)
        for (size_t rest = 1; rest < oracle_functions[i].team && runs(i); rest += 3)
            run_built(i, ORACLE_RANDOM, 5, oracle_functions[i].team + 2, oracle_functions[i].team + 2 + rest);
}

/* The largest sub-group of a kernel, as the device tells it. */
static size_t sub_group_size(cl_program in, const char *name)
{
    size_t local = 32, size = 0;
    cl_int status;
    cl_kernel kernel = clCreateKernel(in, name, &status);

    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(clGetKernelSubGroupInfo(kernel, device.id, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(local), &local,
                                             sizeof(size), &size, NULL),
                     CL_SUCCESS);
    clReleaseKernel(kernel);
    return size;
}

/* Where the attribute is missing, the functions that a kernel calls give the size; helper functions count, too. */
static void size_without_attribute(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_function_count(); i += one_in > 1 ? one_in : 13) {
        const struct oracle_function *f = &oracle_functions[i];
        struct text source = {0};
        if (!runs(i))
            continue;
        text_add(&source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
        add_kernel(&source, f, 0, false);
        text_add(&source,
                 "__attribute__((noinline)) %s helper(%s a, %s b, %s c) { return %s(a, b, c); }\n"
                 "kernel void through_helper(global const %s *a, global const %s *b, global const %s *c, global %s *d)\n"
                 "{\n    size_t i = get_global_id(0);\n    d[i] = helper(a[i], b[i], c[i]);\n}\n",
                 f->c, f->a, f->b, f->c, f->name, f->a, f->b, f->c, f->c);
        cl_program inferred = device_build(&device, source.at, "-cl-std=CL3.0");
        if (!inferred)
            fprintf(stderr, "%s\n", device.log);
        free(source.at);
        assert_non_null(inferred);
        assert_int_equal(sub_group_size(inferred, "k0"), f->n);
        assert_int_equal(sub_group_size(inferred, "through_helper"), f->n);
        run(inferred, "k0", f, ORACLE_RANDOM, 7, 2 * f->team, 4 * f->team);
        run(inferred, "through_helper", f, ORACLE_RANDOM, 8, f->team + 1, 2 * (f->team + 1));
        clReleaseProgram(inferred);
    }
}

static void options_change_nothing(void **state)
{
    (void)state;
    static const char *const options[] = {"-cl-opt-disable", "-g", "-cl-std=CL1.2", "-cl-fast-relaxed-math"};
    bool pairs = oracle_bf16_pairs;
    for (size_t o = 0; o < sizeof(options) / sizeof(options[0]); o++) {
        oracle_bf16_pairs = pairs && o; /* without optimization the reference engine runs, which is strict */
        struct text source = {0};
        text_add(&source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
        for (size_t i = o; i < oracle_function_count(); i += 17)
            if (runs(i))
                add_kernel(&source, &oracle_functions[i], i, true);
        cl_program built = device_build(&device, source.at, options[o]);
        if (!built)
            fprintf(stderr, "%s\n", device.log);
        free(source.at);
        assert_non_null(built);
        for (size_t i = o; i < oracle_function_count(); i += 17) {
            char kernel[24];
            if (!runs(i))
                continue;
            snprintf(kernel, sizeof(kernel), "k%zu", i);
            run(built, kernel, &oracle_functions[i], ORACLE_CORNERS, 4, oracle_functions[i].team + 3, 2 * (oracle_functions[i].team + 3));
        }
        clReleaseProgram(built);
    }
}

static cl_program compile(const char *source)
{
    cl_int status;
    cl_program p = clCreateProgramWithSource(device.context, 1, &source, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(clCompileProgram(p, 1, &device.id, "", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    return p;
}

/* The call stands in one program, the kernels in another: the rule holds when they are linked. */
static void across_programs(void **state)
{
    (void)state;
    const struct oracle_function *f = &oracle_functions[3]; /* i8_i8, 8 rows, 8 columns */
    cl_int status;
    need_size(8);
    cl_program library = compile("int8 product(int8 a, int8 b, int8 c) { return intel_sub_group_i8_i8_matrix_mad_k32(a, b, c); }");
    static const char *const kernels[] = {
        "int8 product(int8 a, int8 b, int8 c);\n"
        "kernel void k(global int8 *a, global int8 *b, global int8 *c, global int8 *d)\n"
        "{ size_t i = get_global_id(0); d[i] = product(a[i], b[i], c[i]); }",
        "int8 product(int8 a, int8 b, int8 c);\n"
        "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int8 *d) { *d = product(*d, *d, *d); }"};

    for (int wrong = 0; wrong < 2; wrong++) {
        cl_program parts[] = {compile(kernels[wrong]), library};
        cl_program linked = clLinkProgram(device.context, 1, &device.id, "", 2, parts, NULL, NULL, &status);
        assert_int_equal(status, wrong ? CL_LINK_PROGRAM_FAILURE : CL_SUCCESS);
        if (!wrong)
            run(linked, "k", f, ORACLE_RANDOM, 1, 16, 32);
        if (linked)
            clReleaseProgram(linked);
        clReleaseProgram(parts[0]);
    }
    clReleaseProgram(library);
}

/* The build must fail, and the log must name the function and the rule. */
static void must_not_build(const char *source, const char *function, const char *rule)
{
    cl_program wrong = device_build(&device, source, "-cl-std=CL3.0");

    assert_null(wrong);
    if (!strstr(device.log, function) || !strstr(device.log, rule))
        fprintf(stderr, "the log should name %s and \"%s\":\n%s\n", function, rule, device.log);
    assert_non_null(strstr(device.log, function));
    assert_non_null(strstr(device.log, rule));
}

static void wrong_size_is_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_function_count(); i += 7) {
        const struct oracle_function *f = &oracle_functions[i];
        for (unsigned size = 8; size <= 32; size *= 2) {
            if (size == f->n)
                continue;
            struct text source = {0};
            text_add(&source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n__attribute__((intel_reqd_sub_group_size(%u)))\n", size);
            add_kernel(&source, f, 0, false);
            must_not_build(source.at, f->name, f->n == 8 ? "requires sub-group size 8" : "requires sub-group size 16");
            free(source.at);
        }
    }
    must_not_build("int helper(int8 b) { return intel_sub_group_i8_i8_matrix_mad_k32(1, b, 2); }\n"
                   "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int *p) { p[0] = helper(0); }",
                   "intel_sub_group_i8_i8_matrix_mad_k32", "requires sub-group size 8");
}

static void both_sizes_are_an_error(void **state)
{
    (void)state;
    must_not_build("kernel void k(global int *p)\n"
                   "{\n"
                   "    int one = intel_sub_group_i8_i8_matrix_mad_k32(1, (int8)(2), 3);\n"
                   "    p[0] = intel_sub_group_i8_i8_matrix_mad_k32((short)1, (int8)(2), one);\n"
                   "}",
                   "intel_sub_group_i8_i8_matrix_mad_k32", "for sub-groups of 16");
}

static void extensions_and_macros(void **state)
{
    (void)state;
    static const char *const names[] = {"cl_intel_subgroup_matrix_multiply_accumulate", "cl_intel_subgroup_matrix_multiply_accumulate_tf32",
                                        "cl_intel_subgroup_split_matrix_multiply_accumulate", "cl_intel_required_subgroup_size",
                                        "cl_tessera_madw"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct text source = {0};
        bool has = device_has(&device, names[i]);
        if (!has && !device_is_gpu(&device))
            fprintf(stderr, "%s is not in CL_DEVICE_EXTENSIONS\n", names[i]);
        assert_true(has || device_is_gpu(&device));
        text_add(&source, "#if %sdefined(%s) || (%d && %s != 1)\n#error macro\n#endif\nkernel void k(global int *p) { *p = 1; }",
                 has ? "!" : "", names[i], has, names[i]);
        cl_program defined = device_build(&device, source.at, "");
        assert_non_null(defined);
        clReleaseProgram(defined);
        /* Intel's clients pass the macro themselves. */
        free(source.at);
        source = (struct text){0};
        text_add(&source, "-D%s -cl-std=CL3.0", names[i]);
        defined = device_build(&device, "kernel void k(global int *p) { *p = 1; }", source.at);
        assert_non_null(defined);
        clReleaseProgram(defined);
        free(source.at);
    }
}

/* A call that half of a sub-group reaches. The reference engine: the launch fails, and the next one is as good as ever. The vector engine:
 * the other half counts as if its part of A were zero. The functions for GPUs without units leave it open. */
static void divergence(void **state)
{
    (void)state;
    int out[16];
    if (!device_has(&device, "cl_intel_subgroup_matrix_multiply_accumulate"))
        skip();
    need_size(8);
    const struct device_arg arg = {sizeof(out), NULL, out};
    cl_program diverging = device_build(&device,
                                        "kernel void k(global int *d)\n"
                                        "{\n"
                                        "    int i = get_global_id(0), v = 5;\n"
                                        "    if (i % 8 < 4)\n"
                                        "        v = intel_sub_group_i8_i8_matrix_mad_k32(i, (int8)(i), v);\n"
                                        "    d[i] = v;\n"
                                        "}",
                                        "");

    assert_non_null(diverging);
    const char *engine = getenv("TESSERA_ENGINE"), *check = getenv("TESSERA_CHECK");
    bool told = (engine && strcmp(engine, "reference") == 0) || (check && *check == '1');
    cl_int status = device_run(&device, diverging, "k", 16, 16, &arg, 1);
    if (!told) {
        assert_int_equal(status, CL_SUCCESS);
        for (int i = 0; i < 16; i++) {
            int sum = 5;
            for (int k = i / 8 * 8; k < i / 8 * 8 + 4; k++)
                sum += i % 8 < 4 ? k * i : 0;
            assert_int_equal(out[i], sum);
        }
    } else {
        assert_true(status < 0);
    }
    run_built(0, ORACLE_RANDOM, 1, 8, 16);
    clReleaseProgram(diverging);
}

/* Names that only the preprocessor puts together are found, too. */
static void pasted_name(void **state)
{
    (void)state;
    need_size(8);
    cl_program pasted =
        device_build(&device,
                     "#define PASTE(a, b) a##b\n"
                     "kernel void k(global int *p) { p[0] = PASTE(intel_sub_group_i8_i8_matrix_, mad_k32)(1, (int8)(2), 3); }",
                     "");
    assert_non_null(pasted);
    clReleaseProgram(pasted);
}

/* A sum over four blocks of K in a loop, with the accumulator carried along: what a kernel does with the functions. */
static void accumulation_in_a_loop(void **state)
{
    (void)state;
    enum { N = 8, M = 8, STEPS = 4 };
    static const char source[] = "__attribute__((intel_reqd_sub_group_size(8)))\n"
                                 "kernel void k(global const int8 *a, global const int8 *b, global int8 *d)\n"
                                 "{\n"
                                 "    int8 sum = 0;\n"
                                 "    size_t i = get_global_id(0);\n"
                                 "    for (int step = 0; step < 4; step++)\n"
                                 "        sum = intel_sub_group_i8_i8_matrix_mad_k32(a[step * 8 + i], b[step * 8 + i], sum);\n"
                                 "    d[i] = sum;\n"
                                 "}\n";
    int32_t a[STEPS * N * 8], b[STEPS * N * 8], d[N * M];
    uint32_t seed = 1;
    need_size(8);
    cl_program loop = device_build(&device, source, "");

    assert_non_null(loop);
    for (size_t i = 0; i < sizeof(a) / sizeof(a[0]); i++) {
        a[i] = (int32_t)oracle_random(&seed);
        b[i] = (int32_t)oracle_random(&seed);
    }
    const struct device_arg args[] = {{sizeof(a), a, NULL}, {sizeof(b), b, NULL}, {sizeof(d), NULL, d}};
    assert_int_equal(device_run(&device, loop, "k", N, N, args, 3), CL_SUCCESS);
    for (int r = 0; r < M; r++) {
        for (int n = 0; n < N; n++) {
            int sum = 0;
            for (int k = 0; k < STEPS * 32;
                 k++) { /* lane k / 4 brings columns k to k + 3 of A; component i of b brings rows 4 i to 4 i + 3 */
                int step = k / 32, kk = k % 32;
                int x = (int8_t)(a[(step * N + kk / 4) * 8 + r] >> 8 * (kk % 4));
                int y = (int8_t)(b[(step * N + n) * 8 + kk / 4] >> 8 * (kk % 4));
                sum += x * y;
            }
            assert_int_equal(d[n * M + r], sum);
        }
    }
    clReleaseProgram(loop);
}

int main(int argc, char **argv)
{
    const char *engine = getenv("TESSERA_ENGINE");
    one_in = argc > 1 ? (size_t)atoi(argv[1]) : 1;
    oracle_bf16_pairs = tsr_cpu_has(tsr_cpu(), TSR_CPU_BF16_PAIRS) && !(engine && !strcmp(engine, "reference"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(every_work_group_size),
        cmocka_unit_test(smaller_last_work_group),
        cmocka_unit_test(accumulation_in_a_loop),
        cmocka_unit_test(divergence),
        cmocka_unit_test(pasted_name),
        cmocka_unit_test(size_without_attribute),
        cmocka_unit_test(options_change_nothing),
        cmocka_unit_test(across_programs),
        cmocka_unit_test(wrong_size_is_an_error),
        cmocka_unit_test(both_sizes_are_an_error),
        cmocka_unit_test(extensions_and_macros),
    };
    return cmocka_run_group_tests(tests, build_all, close_all);
}
