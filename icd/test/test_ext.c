/* SPDX-License-Identifier: Apache-2.0
 * What tessera/ext.def promises, kernels can use: each macro is defined, and functions of each extension compile, link and do what they
 * should; what it does not promise is not defined. */
#include "icd/test/cl_test.h"

static const struct {
    const char *name;
    bool macro;
} extensions[] =
    {
#define BY_CLANG true
#define BY_MACRO true
#define BY_HOST false
#define BY_QUIET true
#define TSR_EXT(name, major, minor, patch, by) {#name, BY_##by},
#define TSR_FEATURE(name, by)
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
},
  features[] = {
#define TSR_EXT(name, major, minor, patch, by)
#define TSR_FEATURE(name, by) {#name, true},
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Lines of images are those of devices that have them. */
static bool offers(cl_device_id device, const char *name)
{
    cl_bool images;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    return images || !strstr(name, "image");
}

/* clang has these macros from OpenCL C 2.0 on. */
static bool is_later(const char *name)
{
    return strstr(name, "mipmap") || strstr(name, "srgb");
}

/* C 1.2 has no functions for these, and programs tell by the macro which way to go. */
static bool is_of_atomics(const char *name)
{
    return strstr(name, "__opencl_c_ext_");
}

static char *want_macro(char *at, const char *end, const char *name)
{
    return at + snprintf(at, (size_t)(end - at), "#if %s != 1\n#error %s\n#endif\n", name, name);
}

static void macros(void **state)
{
    (void)state;
    static char source[16384];
    cl_device_id device = test_device();
    cl_context context = test_context(device);
    char *at = source, *end = source + sizeof(source);
    for (size_t i = 0; i < COUNT(extensions); i++)
        if (extensions[i].macro && offers(device, extensions[i].name) && !is_later(extensions[i].name))
            at = want_macro(at, end, extensions[i].name);
    char *features_at = at;
    for (size_t i = 0; i < COUNT(features); i++)
        if (is_of_atomics(features[i].name))
            at += snprintf(at, (size_t)(end - at), "#ifdef %s\n#error %s\n#endif\n", features[i].name, features[i].name);
    at += snprintf(at, (size_t)(end - at), "kernel void k() {}\n");
    CHECK_THAT(at < end);
    CHECK(clReleaseProgram(test_build(context, device, source, "")));
    CHECK(clReleaseProgram(test_build(context, device, source, "-cl-std=CL1.2")));
    at = features_at;
    for (size_t i = 0; i < COUNT(features); i++)
        if (offers(device, features[i].name))
            at = want_macro(at, end, features[i].name);
    for (size_t i = 0; i < COUNT(extensions); i++)
        if (extensions[i].macro && offers(device, extensions[i].name) && is_later(extensions[i].name))
            at = want_macro(at, end, extensions[i].name);
    static const char *const optional[] = {
        "__opencl_c_3d_image_writes",
        "__opencl_c_atomic_order_acq_rel",
        "__opencl_c_atomic_order_seq_cst",
        "__opencl_c_atomic_scope_device",
        "__opencl_c_atomic_scope_all_devices",
        "__opencl_c_device_enqueue",
        "__opencl_c_fp64",
        "__opencl_c_generic_address_space",
        "__opencl_c_images",
        "__opencl_c_int64",
        "__opencl_c_integer_dot_product_input_4x8bit",
        "__opencl_c_integer_dot_product_input_4x8bit_packed",
        "__opencl_c_kernel_clock_scope_device",
        "__opencl_c_pipes",
        "__opencl_c_program_scope_global_variables",
        "__opencl_c_read_write_images",
        "__opencl_c_subgroups",
        "__opencl_c_work_group_collective_functions",
        "__IMAGE_SUPPORT__",
        "cl_khr_subgroups",
        "cl_khr_3d_image_writes",
        "cl_khr_depth_images",
    };
    for (size_t i = 0; i < COUNT(optional); i++) {
        bool listed = !strcmp(optional[i], "__IMAGE_SUPPORT__") && offers(device, "image");
        for (size_t j = 0; j < COUNT(features); j++)
            listed |= !strcmp(optional[i], features[j].name) && offers(device, features[j].name);
        for (size_t j = 0; j < COUNT(extensions); j++)
            listed |= !strcmp(optional[i], extensions[j].name) && offers(device, extensions[j].name);
        if (!listed)
            at += snprintf(at, (size_t)(end - at), "#ifdef %s\n#error %s is not offered\n#endif\n", optional[i], optional[i]);
    }
    at += snprintf(at, (size_t)(end - at), "kernel void k() {}\n");
    CHECK_THAT(at < end);
    CHECK(clReleaseProgram(test_build(context, device, source, "-cl-std=CL3.0")));
    CHECK(clReleaseContext(context));
}

static int same(int i)
{
    return i;
}
static int one(int i)
{
    (void)i;
    return 1;
}
static int sum16(int i)
{
    (void)i;
    return 120;
}
static int swapped(int i)
{
    return i ^ 1;
}
static int next_or_own(int i)
{
    return i < 15 ? i + 1 : i;
}
static int rotated(int i)
{
    return (i + 3) % 16;
}
static int sum_of_four(int i)
{
    return 4 * (i & ~3) + 6;
}
static int before(int i)
{
    return i * (i - 1) / 2;
}
static int odd_sum(int i)
{
    return i & 1 ? 64 : 0;
}

/* Uses of cl_ext_float_atomics on the number at `place`, which is zero after the store. */
#define FLOAT_ATOMIC(bits, T, space, place, what, operation)                                                                               \
    {"__opencl_c_ext_fp" #bits "_" #space "_atomic_" what,                                                                                 \
     "({ volatile " #space " atomic_" #T " *p = (volatile " #space " atomic_" #T " *)&" #place "; atomic_store(p, (" #T ")0); "            \
     "(void)" operation "; (int)atomic_load(p); })",                                                                                       \
     same}
#define FLOAT_ATOMICS(bits, T, space, place)                                                                                               \
    FLOAT_ATOMIC(bits, T, space, place, "add", "atomic_fetch_add_explicit(p, (" #T ")i, memory_order_relaxed, memory_scope_work_group)"),  \
        FLOAT_ATOMIC(bits, T, space, place, "min_max", "atomic_fetch_min(p, (" #T ")-1), atomic_fetch_max(p, (" #T ")i)")

/* A build's status; its log in `log`. */
static cl_int build_quietly(cl_context context, cl_device_id device, const char *source, const char *options, char *log, size_t size)
{
    cl_program program;
    CHECK_CREATE(program, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    cl_int status = clBuildProgram(program, 1, &device, options, NULL, NULL);
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
    CHECK(clReleaseProgram(program));
    return status;
}

/* Programs may name every extension that the device lists in a pragma, whatever clang knows of it; of others it warns. */
static void pragmas(void **state)
{
    (void)state;
    static const char *const options[] = {"-Werror -cl-std=CL1.0", "-Werror", "-Werror -cl-std=CL3.0"};
    static char source[32768], listed[8192], log[16384];
    cl_device_id device = test_device();
    cl_context context = test_context(device);
    char *at = source, *rest = listed, *end = source + sizeof(source);
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(listed), listed, NULL));
    int count = 0;
    for (char *name; (name = strsep(&rest, " ")) != NULL; count += *name != 0)
        if (*name)
            at += snprintf(at, (size_t)(end - at),
                           "#pragma OPENCL EXTENSION %s : enable\n#pragma OPENCL EXTENSION %s : disable\n"
                           "_Pragma(\"OPENCL EXTENSION %s : enable\")\n",
                           name, name, name);
    assert_true(count > 20);
    at += snprintf(at, (size_t)(end - at), "kernel void k(global int *p) { *p = 1; }\n");
    for (size_t i = 0; i < COUNT(options); i++) {
        cl_int status = build_quietly(context, device, source, options[i], log, sizeof(log));
        assert_string_equal(log, "");
        assert_int_equal(status, CL_SUCCESS);
    }
    snprintf(at, (size_t)(end - at), "#pragma OPENCL EXTENSION cl_nobody_knows : enable\n");
    assert_int_equal(build_quietly(context, device, source, "", log, sizeof(log)), CL_SUCCESS);
    assert_non_null(strstr(log, "cl_nobody_knows"));
    assert_int_equal(build_quietly(context, device, source, "-Werror", log, sizeof(log)), CL_BUILD_PROGRAM_FAILURE);
    CHECK(clReleaseContext(context));
}

/* For each name an expression of type int in a sub-group of 16 (`i` is the work-item), and its value. */
static const struct {
    const char *name, *expression;
    int (*expected)(int i);
} uses[] = {
    {"cl_khr_byte_addressable_store", "({ bytes[i] = (char)i; bytes[i]; })", same},
    {"cl_khr_fp16", "(int)((half)i + (half)0.5h)", same},
    {"cl_khr_fp64", "(int)(sqrt((double)(i * i)) + 0.25)", same},
    {"cl_khr_global_int32_base_atomics", "({ atom_add(&scratch[i], i); scratch[i]; })", same},
    {"cl_khr_global_int32_extended_atomics", "({ atom_max(&scratch[16 + i], i); scratch[16 + i]; })", same},
    {"cl_khr_local_int32_base_atomics", "({ ints[i] = 0; atom_add(&ints[i], i); ints[i]; })", same},
    {"cl_khr_local_int32_extended_atomics", "({ ints[i] = 0; atom_or(&ints[i], i); ints[i]; })", same},
    {"cl_khr_int64_base_atomics", "({ wide[i] = 0; atom_add(&wide[i], (long)i); (int)wide[i]; })", same},
    {"cl_khr_int64_extended_atomics", "({ wide[i] = -1; atom_max(&wide[i], (long)i); (int)wide[i]; })", same},
    {"cl_khr_expect_assume", "({ __builtin_assume(i < 16); __builtin_expect(i, 3); })", same},
    {"cl_khr_kernel_clock", "clock_read_device() ? i : 0", same},
    {"__opencl_c_kernel_clock_scope_device", "clock_read_hilo_device().x != clock_read_hilo_device().x ? i : 0", same},
    {"__opencl_c_kernel_clock_scope_work_group", "clock_read_work_group() < clock_read_work_group() ? i : 0", same},
    {"__opencl_c_kernel_clock_scope_sub_group", "clock_read_sub_group() != clock_read_sub_group() ? i : 0", same},
    {"cl_khr_extended_bit_ops", "bitfield_extract_signed(bit_reverse(bit_reverse(bitfield_insert(-1, i, 5, 8))), 5, 8)", same},
    {"cl_khr_integer_dot_product", "dot_acc_sat((char4)(1, -1, 0, 0), (char4)((char)i, 1, 1, 1), 1)", same},
    {"cl_ext_float_atomics",
     "({ volatile global atomic_float *p = (volatile global atomic_float *)&scratch[i]; atomic_fetch_add(p, (float)i); "
     "(int)atomic_load(p); })",
     same},
    FLOAT_ATOMICS(16, half, global, scratch[2 * i]),
    FLOAT_ATOMICS(16, half, local, wide[i]),
    FLOAT_ATOMIC(16, half, global, scratch[2 * i], "load_store", "atomic_exchange(p, (half)i)"),
    FLOAT_ATOMIC(16, half, local, wide[i], "load_store", "atomic_exchange(p, (half)i)"),
    FLOAT_ATOMICS(32, float, global, scratch[2 * i]),
    FLOAT_ATOMICS(32, float, local, wide[i]),
    FLOAT_ATOMICS(64, double, global, scratch[2 * i]),
    FLOAT_ATOMICS(64, double, local, wide[i]),
    {"__opencl_c_integer_dot_product_input_4x8bit", "dot((uchar4)(1, 0, 0, 0), (uchar4)(uchar)i)", same},
    {"__opencl_c_integer_dot_product_input_4x8bit_packed", "dot_4x8packed_us_int(2u, (uint)i) - i", same},
    {"cl_khr_subgroup_extended_types", "(int)sub_group_broadcast((short)1, 0)", one},
    {"cl_khr_subgroup_non_uniform_vote", "sub_group_non_uniform_all(i < 16) != 0", one},
    {"cl_khr_subgroup_ballot", "sub_group_ballot_bit_count(sub_group_ballot(i == 5))", one},
    {"cl_khr_subgroup_non_uniform_arithmetic", "({ int r = 0; if (i & 1) r = sub_group_non_uniform_reduce_add(i); r; })", odd_sum},
    {"cl_khr_subgroup_shuffle", "sub_group_shuffle_xor(i, 1)", swapped},
    {"cl_khr_subgroup_shuffle_relative", "({ int v = sub_group_shuffle_down(i, 1); i < 15 ? v : i; })", next_or_own},
    {"cl_khr_subgroup_clustered_reduce", "sub_group_clustered_reduce_add(i, 4)", sum_of_four},
    {"cl_khr_subgroup_rotate", "sub_group_rotate(i, 3)", rotated},
    {"cl_intel_required_subgroup_size", "get_sub_group_size() == 16", one},
    {"cl_intel_subgroups", "intel_sub_group_shuffle(i, i ^ 1)", swapped},
    {"cl_intel_subgroups", "(int)intel_sub_group_block_read((global uint *)numbers)", same},
    {"cl_intel_subgroups_short", "(int)intel_sub_group_block_read_us((global ushort *)shorts)", same},
    {"cl_intel_subgroups_char", "(int)intel_sub_group_block_read_uc((global uchar *)chars)", same},
    {"cl_intel_subgroups_long", "(int)intel_sub_group_block_read_ul((global ulong *)longs)", same},
    {"cl_intel_subgroup_local_block_io", "({ ints[i] = i; (int)intel_sub_group_block_read((local uint *)ints); })", same},
    {"cl_intel_subgroup_buffer_prefetch", "({ intel_sub_group_block_prefetch_ui((global uint *)numbers); i; })", same},
    {"cl_tessera_cooperative_matrix", "({ tessera_matrix_int m; tessera_matrix_fill(&m, i); tessera_matrix_get(m, 0); })", same},
    {"cl_intel_subgroup_2d_block_io",
     "({ uint v[1]; intel_sub_group_2d_block_read_32b_1r16x1c(numbers, 64, 1, 64, (int2)(0), v); (int)v[0]; })", same},
    {"cl_khr_work_group_uniform_arithmetic", "work_group_reduce_xor(1 << i) == 0xffff", one},
    {"cl_intel_subgroup_matrix_multiply_accumulate", "intel_sub_group_i8_i8_matrix_mad_k32((short)0, (int8)0, i)", same},
    {"cl_intel_subgroup_matrix_multiply_accumulate_tf32",
     "(int)intel_sub_group_tf32_tf32_matrix_mad_k8(0.0f, (float8)0.0f, (float)i + 0.5f)", same},
    {"cl_intel_bfloat16_conversions", "(int)intel_convert_as_bfloat16_float(intel_convert_bfloat16_as_ushort((float)i))", same},
    {"__opencl_c_atomic_order_acq_rel",
     "({ atomic_int v; atomic_store_explicit((volatile atomic_int *)&v, i, memory_order_release, memory_scope_work_group); "
     "atomic_load_explicit((volatile atomic_int *)&v, memory_order_acquire, memory_scope_work_group); })",
     same},
    {"__opencl_c_atomic_order_seq_cst",
     "({ atomic_int v; atomic_store((volatile atomic_int *)&v, i); atomic_load((volatile atomic_int *)&v); })", same},
    {"__opencl_c_atomic_scope_all_devices",
     "atomic_fetch_add_explicit((volatile global atomic_int *)&scratch[32 + i], 1, memory_order_relaxed, memory_scope_all_devices) + 1",
     one},
    {"__opencl_c_atomic_scope_device",
     "atomic_fetch_add_explicit((volatile global atomic_int *)&scratch[48 + i], 1, memory_order_relaxed, memory_scope_device) + 1", one},
    {"__opencl_c_fp64", "(int)fma((double)i, 1.0, 0.5)", same},
    {"__opencl_c_generic_address_space", "({ int v = i; int *p = &v; *p; })", same},
    {"__opencl_c_int64", "(int)mul_hi((long)i << 32, 1L << 32)", same},
    {"cl_khr_extended_async_copies",
     "({ event_t e = async_work_group_copy_2D2D(ints, 0, numbers, 0, 4, 4, 4, 4, 4, 0); wait_group_events(1, &e); ints[i]; })", same},
    {"__opencl_c_program_scope_global_variables", "at_program_scope + i - 7", same},
    {"__opencl_c_subgroups", "sub_group_reduce_add(i)", sum16},
    {"__opencl_c_subgroups", "sub_group_scan_exclusive_add(i)", before},
    {"__opencl_c_work_group_collective_functions", "work_group_reduce_add(i)", sum16},
};

static const char frame[] = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                            "global int at_program_scope = 7;\n"
                            "__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(16, 1, 1)))\n"
                            "kernel void k(global int *out, global int *scratch, global const uint *numbers, global const ushort *shorts,\n"
                            "              global const uchar *chars, global const ulong *longs) {\n"
                            "  local char bytes[16]; local int ints[16]; local long wide[16];\n"
                            "  int i = (int)get_local_id(0);\n"
                            "  int v = %s;\n"
                            "  out[i] = v;\n"
                            "}\n";

static void functions(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_uint numbers[64];
    cl_ushort shorts[64];
    cl_uchar chars[64];
    cl_ulong longs[64];
    for (unsigned i = 0; i < 64; i++)
        numbers[i] = i, shorts[i] = (cl_ushort)i, chars[i] = (cl_uchar)i, longs[i] = i;
    unsigned failures = 0;
    for (size_t u = 0; u < COUNT(uses); u++) {
        char source[2048];
        const char *text = source;
        snprintf(source, sizeof(source), frame, uses[u].expression);
        cl_program program;
        CHECK_CREATE(program, clCreateProgramWithSource(w.context, 1, &text, NULL, &err), CL_SUCCESS);
        if (clBuildProgram(program, 1, &w.device, "-cl-std=CL3.0", NULL, NULL)) {
            static char log[16384];
            clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
            print_message("%s: %s\n%s\n", uses[u].name, uses[u].expression, log);
            failures++;
            CHECK(clReleaseProgram(program));
            continue;
        }
        cl_kernel kernel = test_kernel(program, "k");
        int out[16], zeros[64] = {0};
        cl_mem buffers[] = {
            test_buffer(w.context, CL_MEM_READ_WRITE, sizeof(out), NULL),
            test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(zeros), zeros),
            test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers),
            test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(shorts), shorts),
            test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(chars), chars),
            test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(longs), longs),
        };
        for (cl_uint a = 0; a < COUNT(buffers); a++)
            CHECK(clSetKernelArg(kernel, a, sizeof(cl_mem), &buffers[a]));
        size_t size = 16;
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, buffers[0], CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        for (int i = 0; i < 16; i++)
            if (out[i] != uses[u].expected(i)) {
                print_message("%s: %s\n  work-item %d gets %d, expected %d\n", uses[u].name, uses[u].expression, i, out[i],
                              uses[u].expected(i));
                failures++;
                break;
            }
        for (size_t a = 0; a < COUNT(buffers); a++)
            CHECK(clReleaseMemObject(buffers[a]));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
    }
    assert_int_equal(failures, 0);
    test_end(&w);
}

/* CL_DEVICE_SVM_FINE_GRAIN_SYSTEM: a kernel works on memory of malloc, without any map. */
static void system_svm(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = test_build(w.context, w.device, "kernel void k(global int *p) { p[get_global_id(0)] *= 3; }", "");
    cl_kernel kernel = test_kernel(program, "k");
    size_t size = 100;
    int *numbers = malloc(size * sizeof(*numbers));
    assert_non_null(numbers);
    for (int i = 0; i < (int)size; i++)
        numbers[i] = i;
    CHECK(clSetKernelArgSVMPointer(kernel, 0, numbers));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    for (int i = 0; i < (int)size; i++)
        assert_int_equal(numbers[i], 3 * i);
    free(numbers);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* Whoever adds a line to ext.def that kernels can see adds a use here. The split functions and MADW have tests of their own, of every
 * overload; images, too (conformance/images); pipes are arguments (icd_pipe), kernels are enqueued by icd_enqueue, and C++ is another
 * language (kernels/cxx.cl). */
static void nothing_untried(void **state)
{
    (void)state;
    static const char *const elsewhere[] = {"cl_intel_subgroup_split_matrix_multiply_accumulate", "cl_tessera_madw", "__opencl_c_pipes",
                                            "__opencl_c_device_enqueue", "cl_ext_cxx_for_opencl"};
    for (size_t e = 0; e < COUNT(extensions) + COUNT(features); e++) {
        const char *name = e < COUNT(extensions) ? extensions[e].name : features[e - COUNT(extensions)].name;
        bool tried = (e < COUNT(extensions) && !extensions[e].macro) || strstr(name, "image");
        for (size_t i = 0; i < COUNT(uses); i++)
            tried |= !strcmp(uses[i].name, name);
        for (size_t i = 0; i < COUNT(elsewhere); i++)
            tried |= !strcmp(elsewhere[i], name);
        if (!tried)
            fail_msg("no function of %s is tried here", name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_untried), cmocka_unit_test(macros),     cmocka_unit_test(pragmas),
        cmocka_unit_test(functions),       cmocka_unit_test(system_svm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
