/* SPDX-License-Identifier: Apache-2.0
 * Programs in SPIR-V: creating, specialisation constants, building, compiling and linking, queries. */
#include "cl_test.h"
#include "spirv_module.h"

static bool takes_il(cl_device_id device)
{
    size_t size = 0;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, 0, NULL, &size));
    return size > 1;
}

/* The tests of what a device can do that has SPIR-V: for others they are not run. */
static struct test_world begin_with_il(void)
{
    struct test_world w = test_begin(0);
    if (!takes_il(w.device)) {
        test_end(&w);
        skip();
    }
    return w;
}

static cl_program with_il(cl_context context)
{
    cl_program program;
    CHECK_CREATE(program, clCreateProgramWithIL(context, spirv_module, sizeof spirv_module, &err), CL_SUCCESS);
    return program;
}

/* What the kernel stores. */
static cl_uint build_and_run(const struct test_world *w, cl_program program, const char *options)
{
    cl_int built = clBuildProgram(program, 1, &w->device, options, NULL, NULL);
    if (built != CL_SUCCESS) {
        static char log[65536];
        CHECK(clGetProgramBuildInfo(program, w->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
        fail_msg("clBuildProgram answers %d\n%s", built, log);
    }
    return test_run(w, program, "k");
}

static void a_device_without_il_refuses_it(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program;
    cl_uint value = 1;
    size_t size = 1;
    static const cl_device_info lists[] = {CL_DEVICE_ILS_WITH_VERSION, CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS,
                                           CL_DEVICE_SPIRV_EXTENSIONS, CL_DEVICE_SPIRV_CAPABILITIES};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        CHECK(clGetDeviceInfo(w.device, lists[i], 0, NULL, &size));
        CHECK_THAT((size != 0) == takes_il(w.device));
    }
    if (!takes_il(w.device)) {
        const char *source = "";
        CHECK_CREATE(program, clCreateProgramWithIL(w.context, spirv_module, sizeof spirv_module, &err), CL_INVALID_OPERATION);
        CHECK_CREATE(program, clCreateProgramWithIL(w.context, NULL, 0, &err), CL_INVALID_OPERATION);
        CHECK_CREATE(program, clCreateProgramWithSource(w.context, 1, &source, NULL, &err), CL_SUCCESS);
        CHECK_CODE(clSetProgramSpecializationConstant(program, 0, sizeof(value), &value), CL_INVALID_OPERATION);
        CHECK(clReleaseProgram(program));
    }
    test_end(&w);
}

static void create_checks_the_module(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    cl_program program;
    uint32_t module[sizeof spirv_module / 4];
    CHECK_CREATE(program, clCreateProgramWithIL(NULL, spirv_module, sizeof spirv_module, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(program, clCreateProgramWithIL(w.context, NULL, sizeof spirv_module, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithIL(w.context, spirv_module, 0, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithIL(w.context, "kernel void k() {}      ", 24, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithIL(w.context, spirv_module, 16, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithIL(w.context, spirv_module, sizeof spirv_module - 1, &err), CL_INVALID_VALUE);
    memcpy(module, spirv_module, sizeof module);
    module[1] = 0x00010700; /* a version to come */
    CHECK_CREATE(program, clCreateProgramWithIL(w.context, module, sizeof module, &err), CL_INVALID_VALUE);
    module[1] = 0x00010600;
    CHECK_CREATE(program, clCreateProgramWithIL(w.context, module, sizeof module, &err), CL_SUCCESS);
    memset(module, 0, sizeof module); /* the program has a copy */
    assert_int_equal(build_and_run(&w, program, NULL), SPIRV_NUMBER);
    CHECK(clReleaseProgram(program));
    /* By the name of the extension. */
    clCreateProgramWithILKHR_fn with_il_khr =
        (clCreateProgramWithILKHR_fn)(intptr_t)clGetExtensionFunctionAddressForPlatform(test_platform(), "clCreateProgramWithILKHR");
    CHECK_THAT(with_il_khr);
    CHECK_CREATE(program, with_il_khr(w.context, spirv_module, sizeof spirv_module, &err), CL_SUCCESS);
    CHECK(clReleaseProgram(program));
    CHECK_CREATE(program, with_il_khr(w.context, "", 1, &err), CL_INVALID_VALUE);
    test_end(&w);
}

static void both_byte_orders(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    cl_program program;
    uint32_t module[sizeof spirv_module / 4], back[sizeof spirv_module / 4], value = 77;
    for (size_t i = 0; i < sizeof spirv_module / 4; i++)
        module[i] = __builtin_bswap32(spirv_module[i]);
    CHECK_CREATE(program, clCreateProgramWithIL(w.context, module, sizeof module, &err), CL_SUCCESS);
    CHECK(clSetProgramSpecializationConstant(program, SPIRV_NUMBER_ID, sizeof(value), &value)); /* in the host's order */
    assert_int_equal(build_and_run(&w, program, NULL), 77);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof back, back, NULL));
    assert_memory_equal(back, module, sizeof module);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void values_count_for_later_builds(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    cl_program program = with_il(w.context);
    cl_uint value = 1000;
    cl_uchar no = 0, two = 2;
    assert_int_equal(build_and_run(&w, program, NULL), SPIRV_NUMBER);
    CHECK(clSetProgramSpecializationConstant(program, SPIRV_NUMBER_ID, sizeof(value), &value));
    value = 0; /* it was copied */
    assert_int_equal(test_run(&w, program, "k"), SPIRV_NUMBER);
    assert_int_equal(build_and_run(&w, program, NULL), 1000);
    CHECK(clSetProgramSpecializationConstant(program, SPIRV_FLAG_ID, 1, &no));
    assert_int_equal(build_and_run(&w, program, NULL), 0);
    CHECK(clSetProgramSpecializationConstant(program, SPIRV_FLAG_ID, 1, &two)); /* "any other value will set it to true" */
    value = 2000;
    CHECK(clSetProgramSpecializationConstant(program, SPIRV_NUMBER_ID, sizeof(value), &value)); /* once more: the last one counts */
    assert_int_equal(build_and_run(&w, program, NULL), 2000);
    cl_program other = with_il(w.context); /* which has no part in them */
    assert_int_equal(build_and_run(&w, other, NULL), SPIRV_NUMBER);
    CHECK(clReleaseProgram(other));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void values_are_checked(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    cl_program program = with_il(w.context), source;
    const char *text = "kernel void k() {}";
    cl_ulong value = 1;
    CHECK_CREATE(source, clCreateProgramWithSource(w.context, 1, &text, NULL, &err), CL_SUCCESS);
    CHECK_CODE(clSetProgramSpecializationConstant(NULL, SPIRV_NUMBER_ID, 4, &value), CL_INVALID_PROGRAM);
    CHECK_CODE(clSetProgramSpecializationConstant(source, SPIRV_NUMBER_ID, 4, &value), CL_INVALID_PROGRAM);
    CHECK_CODE(clSetProgramSpecializationConstant(program, SPIRV_NUMBER_ID + 1, 4, &value), CL_INVALID_SPEC_ID);
    CHECK_CODE(clSetProgramSpecializationConstant(program, SPIRV_NUMBER_ID, 3, &value), CL_INVALID_VALUE);
    CHECK_CODE(clSetProgramSpecializationConstant(program, SPIRV_NUMBER_ID, 8, &value), CL_INVALID_VALUE);
    CHECK_CODE(clSetProgramSpecializationConstant(program, SPIRV_NUMBER_ID, 4, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clSetProgramSpecializationConstant(program, SPIRV_FLAG_ID, 4, &value), CL_INVALID_VALUE);
    CHECK(clSetProgramSpecializationConstant(program, SPIRV_FLAG_ID, 1, &value));
    CHECK(clReleaseProgram(source));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void queries(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    cl_program program = with_il(w.context);
    uint32_t back[sizeof spirv_module / 4];
    char source[8] = "x";
    size_t size, count;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof back, back, &size));
    assert_int_equal(size, sizeof spirv_module);
    assert_memory_equal(back, spirv_module, sizeof spirv_module);
    CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof back - 1, back, NULL), CL_INVALID_VALUE);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof source, source, &size));
    CHECK_THAT(size == 1 && !source[0]);
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL));
    assert_int_equal(count, 1);
    cl_kernel kernel = test_kernel(program, "k");
    cl_uint args;
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(args), &args, NULL));
    assert_int_equal(args, 1);
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof source, source, &size));
    CHECK_THAT(size == 1 && !source[0]); /* "for kernels not created from OpenCL C source" */
    CHECK_CODE(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof source, source, NULL), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    CHECK_CODE(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION); /* it has a kernel */
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void versions_agree(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    char text[256], expected[256] = "";
    cl_name_version list[16];
    size_t size;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_IL_VERSION, sizeof text, text, NULL));
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_ILS_WITH_VERSION, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof(*list); i++) {
        char *end = expected + strlen(expected);
        snprintf(end, sizeof expected - (size_t)(end - expected), "%s%s_%u.%u", i ? " " : "", list[i].name,
                 CL_VERSION_MAJOR(list[i].version), CL_VERSION_MINOR(list[i].version));
    }
    assert_string_equal(text, expected);
    CHECK_THAT(!strncmp(text, "SPIR-V_1.0 ", 11)); /* "must support at least SPIR-V 1.0" */
    const char *sets[8];
    cl_uint capabilities[256];
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS, sizeof sets, sets, &size));
    CHECK_THAT(size && !strcmp(sets[0], "OpenCL.std"));
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_SPIRV_CAPABILITIES, sizeof capabilities, capabilities, &size));
    for (size_t i = 0; i < size / sizeof(*capabilities); i++)
        for (size_t j = 0; j < i; j++) /* each once */
            CHECK_THAT(capabilities[j] != capabilities[i]);
    test_end(&w);
}

/* "Must be supported by devices supporting …" of the OpenCL SPIR-V environment specification, and the same of Intel's extensions. */
static void what_extensions_promise_of_spirv(void **state)
{
    static const struct {
        const char *extension, *spirv; /* an extension of OpenCL; the extension of SPIR-V that goes with it, NULL: none */
        cl_uint capability;            /* 0: none */
    } pairs[] = {
        {"cl_khr_fp16", NULL, 9},
        {"cl_khr_fp64", NULL, 10},
        {"cl_khr_int64_base_atomics", NULL, 12},
        {"cl_khr_subgroup_non_uniform_vote", NULL, 62},
        {"cl_khr_subgroup_non_uniform_arithmetic", NULL, 63},
        {"cl_khr_subgroup_ballot", NULL, 64},
        {"cl_khr_subgroup_shuffle", NULL, 65},
        {"cl_khr_subgroup_shuffle_relative", NULL, 66},
        {"cl_khr_subgroup_clustered_reduce", NULL, 67},
        {"cl_khr_subgroup_rotate", "SPV_KHR_subgroup_rotate", 6026},
        {"cl_khr_expect_assume", "SPV_KHR_expect_assume", 5629},
        {"cl_khr_extended_bit_ops", "SPV_KHR_bit_instructions", 6025},
        {"cl_khr_integer_dot_product", "SPV_KHR_integer_dot_product", 6019},
        {"cl_khr_kernel_clock", "SPV_KHR_shader_clock", 5055},
        {"cl_khr_spirv_linkonce_odr", "SPV_KHR_linkonce_odr", 0},
        {"cl_khr_spirv_no_integer_wrap_decoration", "SPV_KHR_no_integer_wrap_decoration", 0},
        {"cl_ext_float_atomics", "SPV_EXT_shader_atomic_float_add", 6033},
        {"cl_ext_float_atomics", "SPV_EXT_shader_atomic_float_min_max", 5612},
        {"cl_intel_subgroups", "SPV_INTEL_subgroups", 5568},
        {"cl_intel_bfloat16_conversions", "SPV_INTEL_bfloat16_conversion", 6115},
        {"cl_intel_split_work_group_barrier", "SPV_INTEL_split_barrier", 6141},
        {"cl_intel_subgroup_buffer_prefetch", "SPV_INTEL_subgroup_buffer_prefetch", 6220},
        {"cl_intel_subgroup_matrix_multiply_accumulate", "SPV_INTEL_subgroup_matrix_multiply_accumulate", 6236},
        {"cl_intel_subgroup_2d_block_io", "SPV_INTEL_2d_block_io", 6228},
    };
    (void)state;
    struct test_world w = begin_with_il();
    static char extensions[8192];
    const char *names[128];
    cl_uint capabilities[256];
    size_t names_size, capabilities_size;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_SPIRV_EXTENSIONS, sizeof names, names, &names_size));
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_SPIRV_CAPABILITIES, sizeof capabilities, capabilities, &capabilities_size));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t length = strlen(pairs[i].extension);
        const char *found = strstr(extensions, pairs[i].extension);
        while (found && found[length] != ' ' && found[length])
            found = strstr(found + 1, pairs[i].extension);
        bool named = !pairs[i].spirv, capable = !pairs[i].capability;
        for (size_t k = 0; k < names_size / sizeof *names && !named; k++)
            named = !strcmp(names[k], pairs[i].spirv);
        for (size_t k = 0; k < capabilities_size / sizeof *capabilities && !capable; k++)
            capable = capabilities[k] == pairs[i].capability;
        if (found && (!named || !capable))
            fail_msg("%s is there, %s or capability %u is not", pairs[i].extension, pairs[i].spirv ? pairs[i].spirv : "-",
                     pairs[i].capability);
    }
    test_end(&w);
}

static void options_are_those_of_a_module(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    cl_program program = with_il(w.context);
    char text[64];
    assert_int_equal(build_and_run(&w, program, "-cl-std=CL2.0 -D 1X -w -cl-opt-disable"), SPIRV_NUMBER);
    CHECK(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
    assert_string_equal(text, "-cl-std=CL2.0 -D 1X -w -cl-opt-disable");
    assert_int_equal(build_and_run(&w, program, "-g -cl-fast-relaxed-math -cl-kernel-arg-info"), SPIRV_NUMBER);
    CHECK_CODE(clBuildProgram(program, 0, NULL, "-x spir", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_CODE(clCompileProgram(program, 0, NULL, "-x spir", 0, NULL, NULL, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* -cl-uniform-work-group-size alone forbids a remainder. */
static void groups_may_have_a_remainder(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    size_t global = 3, local = 2;
    for (int uniform = 0; uniform < 2; uniform++) {
        cl_program program = with_il(w.context);
        CHECK(clBuildProgram(program, 0, NULL, uniform ? "-cl-uniform-work-group-size" : "", NULL, NULL));
        cl_kernel kernel = test_kernel(program, "k");
        cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
        CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
        CHECK_CODE(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                   uniform ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS);
        CHECK(clFinish(w.queue));
        CHECK(clReleaseMemObject(buffer));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
    }
    test_end(&w);
}

static cl_program link_programs(const struct test_world *w, cl_uint count, const cl_program *inputs)
{
    cl_program program;
    CHECK_CREATE(program, clLinkProgram(w->context, 1, &w->device, NULL, count, inputs, NULL, NULL, &err), CL_SUCCESS);
    return program;
}

/* Compiled modules link with compiled OpenCL C, values and all; headers "are ignored". */
static void compile_and_link(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    const char *text = "kernel void other(global uint *p) { p[0] = 1; }", *name = NULL;
    cl_program inputs[2] = {with_il(w.context)};
    cl_uint value = 31;
    CHECK_CREATE(inputs[1], clCreateProgramWithSource(w.context, 1, &text, NULL, &err), CL_SUCCESS);
    CHECK(clCompileProgram(inputs[1], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    CHECK(clSetProgramSpecializationConstant(inputs[0], SPIRV_NUMBER_ID, sizeof(value), &value));
    CHECK(clCompileProgram(inputs[0], 0, NULL, NULL, 1, &inputs[1], &name, NULL, NULL));
    cl_program_binary_type type;
    CHECK(clGetProgramBuildInfo(inputs[0], w.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    /* A module is no header. */
    name = "h.h";
    CHECK_CODE(clCompileProgram(inputs[1], 0, NULL, NULL, 1, &inputs[0], &name, NULL, NULL), CL_INVALID_OPERATION);
    cl_program program = link_programs(&w, 2, inputs);
    size_t size, count;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL));
    assert_int_equal(count, 2);
    assert_int_equal(test_run(&w, program, "k"), 31);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
    assert_int_equal(size, 0);
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseProgram(inputs[0]));
    CHECK(clReleaseProgram(inputs[1]));
    test_end(&w);
}

static void binaries(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    cl_program program = with_il(w.context), copy;
    cl_uint value = 99;
    size_t size;
    CHECK(clSetProgramSpecializationConstant(program, SPIRV_NUMBER_ID, sizeof(value), &value));
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *binary = malloc(size);
    const unsigned char *in = binary;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    CHECK_CREATE(copy, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &in, NULL, &err), CL_SUCCESS);
    assert_int_equal(build_and_run(&w, copy, NULL), 99);
    CHECK(clGetProgramInfo(copy, CL_PROGRAM_IL, 0, NULL, &size));
    assert_int_equal(size, 0);
    CHECK_CODE(clSetProgramSpecializationConstant(copy, SPIRV_NUMBER_ID, sizeof(value), &value), CL_INVALID_PROGRAM);
    free(binary);
    CHECK(clReleaseProgram(copy));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* What the compiler does not know fails the build, with a log. */
static void a_module_that_is_refused(void **state)
{
    (void)state;
    struct test_world w = begin_with_il();
    uint32_t module[sizeof spirv_module / 4];
    cl_program program;
    char log[4096];
    memcpy(module, spirv_module, sizeof module);
    module[6] = 1; /* OpCapability Shader */
    CHECK_CREATE(program, clCreateProgramWithIL(w.context, module, sizeof module, &err), CL_SUCCESS);
    CHECK_CODE(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK_THAT(strstr(log, "Shader"));
    CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_without_il_refuses_it),
        cmocka_unit_test(create_checks_the_module),
        cmocka_unit_test(both_byte_orders),
        cmocka_unit_test(values_count_for_later_builds),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(queries),
        cmocka_unit_test(versions_agree),
        cmocka_unit_test(what_extensions_promise_of_spirv),
        cmocka_unit_test(options_are_those_of_a_module),
        cmocka_unit_test(groups_may_have_a_remainder),
        cmocka_unit_test(compile_and_link),
        cmocka_unit_test(binaries),
        cmocka_unit_test(a_module_that_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
