/* SPDX-License-Identifier: Apache-2.0
 * Program binaries: they load where they were made, and nothing damaged does. */
#include "cl_test.h"

static const char *const source = "int helper(int x) { return x + 40; }\n"
                                  "__kernel void a(__global int *p) { p[0] = helper(2); }\n";

static unsigned char *binary_of(cl_program program, size_t *size)
{
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL));
    unsigned char *binary = malloc(*size);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    return binary;
}

static void a_binary_makes_the_same_program(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = test_build(w.context, w.device, source, NULL);
    size_t size, again;
    unsigned char *binary = binary_of(program, &size), *second;
    CHECK(clReleaseProgram(program));
    cl_int status = 12345;
    const unsigned char *list[] = {binary};
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, list, &status, &err), CL_SUCCESS);
    assert_int_equal(status, CL_SUCCESS);
    cl_kernel kernel;
    CHECK_CREATE(kernel, clCreateKernel(program, "a", &err), CL_INVALID_PROGRAM_EXECUTABLE); /* not built yet */
    CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    for (int i = 0; i < 2; i++) {
        CHECK(clBuildProgram(program, 1, &w.device, NULL, NULL, NULL));
        assert_int_equal(test_run(&w, program, "a"), 42);
    }
    second = binary_of(program, &again);
    assert_int_equal(size, again);
    assert_memory_equal(binary, second, size);
    char text[4] = "xyz";
    size_t length;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(text), text, &length));
    assert_string_equal(text, "");
    kernel = test_kernel(program, "a");
    char name[20];
    CHECK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof(name), name, NULL));
    assert_string_equal(name, "p");
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    free(binary);
    free(second);
    test_end(&w);
}

static void objects_and_libraries_travel_as_binaries(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    const char *texts[] = {"int helper(int x);\n__kernel void a(__global int *p) { p[0] = helper(2); }\n",
                           "int helper(int x) { return x + 40; }\n"};
    cl_program loaded[2], linked;
    for (int i = 0; i < 2; i++) {
        cl_program program;
        CHECK_CREATE(program, clCreateProgramWithSource(w.context, 1, &texts[i], NULL, &err), CL_SUCCESS);
        CHECK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
        size_t size;
        unsigned char *binary = binary_of(program, &size);
        const unsigned char *list[] = {binary};
        CHECK_CREATE(loaded[i], clCreateProgramWithBinary(w.context, 1, &w.device, &size, list, NULL, &err), CL_SUCCESS);
        cl_program_binary_type type;
        CHECK(clGetProgramBuildInfo(loaded[i], w.device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
        assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
        free(binary);
        CHECK(clReleaseProgram(program));
    }
    CHECK_CREATE(linked, clLinkProgram(w.context, 0, NULL, NULL, 2, loaded, NULL, NULL, &err), CL_SUCCESS);
    assert_int_equal(test_run(&w, linked, "a"), 42);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(loaded[0]));
    CHECK(clReleaseProgram(loaded[1]));
    test_end(&w);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program;
    size_t size = 4, zero = 0;
    const unsigned char *binary = (const unsigned char *)"abcd", *null = NULL;
    cl_int status = 12345;
    CHECK_CREATE(program, clCreateProgramWithBinary(NULL, 1, &w.device, &size, &binary, &status, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 0, &w.device, &size, &binary, &status, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, NULL, &size, &binary, &status, &err), CL_INVALID_VALUE);
    cl_device_id nobody = (cl_device_id)(void *)w.context;
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &nobody, &size, &binary, &status, &err), CL_INVALID_DEVICE);
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, NULL, &binary, &status, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, NULL, &status, &err), CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &zero, &binary, &status, &err), CL_INVALID_VALUE);
    assert_int_equal(status, CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &null, &status, &err), CL_INVALID_VALUE);
    assert_int_equal(status, CL_INVALID_VALUE);
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &binary, &status, &err), CL_INVALID_BINARY);
    assert_int_equal(status, CL_INVALID_BINARY);
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, &binary, NULL, &err), CL_INVALID_BINARY);
    test_end(&w);
}

static void nothing_damaged_is_taken(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = test_build(w.context, w.device, source, NULL);
    size_t size;
    unsigned char *binary = binary_of(program, &size);
    CHECK(clReleaseProgram(program));
    /* Every truncation; each copy is exactly as long as it says, so that a checker of memory sees a read past it. */
    for (size_t length = 1; length < size; length += length < 512 ? 1 : 61) {
        unsigned char *cut = malloc(length);
        memcpy(cut, binary, length);
        const unsigned char *list[] = {cut};
        cl_int status = 12345;
        CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &length, list, &status, &err), CL_INVALID_BINARY);
        assert_int_equal(status, CL_INVALID_BINARY);
        free(cut);
    }
    const unsigned char *list[] = {binary};
    for (size_t bit = 0; bit < size * 8; bit += bit < 4096 ? 1 : 127) {
        if (bit / 8 >= 8 && bit / 8 < 24) /* the build of the compiler: of another one if it is damaged (icd_moved) */
            continue;
        binary[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, list, NULL, &err), CL_INVALID_BINARY);
        binary[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK_CREATE(program, clCreateProgramWithBinary(w.context, 1, &w.device, &size, list, NULL, &err), CL_SUCCESS);
    CHECK(clReleaseProgram(program));
    free(binary);
    test_end(&w);
}

static void a_null_pointer_in_the_list_is_skipped(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = test_build(w.context, w.device, source, NULL);
    unsigned char *null = NULL;
    size_t needed;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(null), &null, &needed));
    assert_int_equal(needed, sizeof(null));
    CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_BINARIES, 1, &null, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

int main(void)
{
    setenv("TESSERA_CACHE", "0", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_binary_makes_the_same_program),
        cmocka_unit_test(objects_and_libraries_travel_as_binaries),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(nothing_damaged_is_taken),
        cmocka_unit_test(a_null_pointer_in_the_list_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
