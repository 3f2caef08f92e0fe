/* SPDX-License-Identifier: Apache-2.0
 * Kernels: creating, cloning, arguments of every type, and all queries. */
#include "icd/test/program_fixture.h"

static const char *const source =
    "typedef struct { int a; char b; } pair;\n"
    "__kernel void mixed(__global int *out, int x, __local int *scratch, __constant float *table, char3 c, pair s)\n"
    "{ scratch[get_local_id(0)] = x; out[get_global_id(0)] = scratch[get_local_id(0)] + (int)table[0] + c.z + s.a + s.b; }\n"
    "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(__global int *out) { out[0] = 1; }\n"
    "__kernel void sub(__global const int * restrict in, volatile __global int *out)\n"
    "{ __local int box[100]; box[get_local_id(0)] = in[0]; barrier(CLK_LOCAL_MEM_FENCE); out[0] = box[0]; }\n"
    "__kernel void two(__local int *a, __local int *b, __global ulong *out)\n"
    "{ a[0] = 11; b[0] = 22; out[0] = (ulong)((__local char *)b - (__local char *)a); out[1] = (ulong)(a[0] * 100 + b[0]); }\n"
    "__kernel void all(__local char *a, __local char *b, uint2 n, __global uint *out)\n"
    "{ __local char own[37]; uint sum = 0;\n"
    "  for (uint i = 0; i < 37; i++) own[i] = 1;\n"
    "  for (uint i = 0; i < n.x; i++) a[i] = 2;\n"
    "  for (uint i = 0; i < n.y; i++) b[i] = 3;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint i = 0; i < 37; i++) sum += own[i];\n"
    "  for (uint i = 0; i < n.x; i++) sum += a[i];\n"
    "  for (uint i = 0; i < n.y; i++) sum += b[i];\n"
    "  out[0] = sum; }\n"
    "__kernel void either(int first, __local int *a, __local int *b, __global int *out)\n"
    "{ __local int *l = first ? a : b; l[get_local_id(0)] = (int)get_local_id(0) * 3; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_local_id(0)] = l[get_local_size(0) - 1 - get_local_id(0)]; }\n";

struct pair {
    cl_int a;
    cl_char b;
};

static int begin(void **state)
{
    (void)state;
    return begin_with(source, NULL);
}

static void creation_checks_its_arguments(void **state)
{
    (void)state;
    cl_kernel kernel, kernels[8];
    cl_uint count = 0;
    CHECK_CREATE(kernel, clCreateKernel(NULL, "mixed", &err), CL_INVALID_PROGRAM);
    CHECK_CREATE(kernel, clCreateKernel(program, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(kernel, clCreateKernel(program, "nobody", &err), CL_INVALID_KERNEL_NAME);
    CHECK_CREATE(kernel, clCreateKernel(program, "", &err), CL_INVALID_KERNEL_NAME);
    CHECK_CREATE(kernel, clCloneKernel(NULL, &err), CL_INVALID_KERNEL);
    CHECK_CODE(clCreateKernelsInProgram(program, 3, kernels, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clCreateKernelsInProgram(NULL, 3, kernels, NULL), CL_INVALID_PROGRAM);
    CHECK(clCreateKernelsInProgram(program, 0, NULL, &count));
    assert_int_equal(count, 6);
    CHECK(clCreateKernelsInProgram(program, 8, kernels, &count));
    assert_int_equal(count, 6);
    for (cl_uint i = 0; i < count; i++)
        CHECK(clReleaseKernel(kernels[i]));
    CHECK_CODE(clRetainKernel(NULL), CL_INVALID_KERNEL);
    CHECK_CODE(clReleaseKernel(NULL), CL_INVALID_KERNEL);
    CHECK_CODE(clReleaseKernel((cl_kernel)(void *)program), CL_INVALID_KERNEL);
}

static void arguments_are_checked_by_their_type(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "mixed");
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL), null = NULL;
    cl_int x = 5;
    cl_mem wrong = (cl_mem)(void *)w.queue;
    CHECK_CODE(clSetKernelArg(NULL, 0, sizeof(buffer), &buffer), CL_INVALID_KERNEL);
    CHECK_CODE(clSetKernelArg(kernel, 6, sizeof(buffer), &buffer), CL_INVALID_ARG_INDEX);
    CHECK_CODE(clSetKernelArg(kernel, ~0u, sizeof(buffer), &buffer), CL_INVALID_ARG_INDEX);
    /* a global pointer */
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(kernel, 0, sizeof(null), &null));
    CHECK(clSetKernelArg(kernel, 0, sizeof(null), NULL));
    CHECK_CODE(clSetKernelArg(kernel, 0, 4, &buffer), CL_INVALID_ARG_SIZE);
    CHECK_CODE(clSetKernelArg(kernel, 0, 64, NULL), CL_INVALID_ARG_SIZE);
    CHECK_CODE(clSetKernelArg(kernel, 0, sizeof(wrong), &wrong), CL_INVALID_MEM_OBJECT);
    /* a value */
    CHECK(clSetKernelArg(kernel, 1, sizeof(x), &x));
    CHECK_CODE(clSetKernelArg(kernel, 1, sizeof(x), NULL), CL_INVALID_ARG_VALUE);
    CHECK_CODE(clSetKernelArg(kernel, 1, 8, &x), CL_INVALID_ARG_SIZE);
    CHECK_CODE(clSetKernelArg(kernel, 1, 0, &x), CL_INVALID_ARG_SIZE);
    /* local memory */
    CHECK(clSetKernelArg(kernel, 2, 64, NULL));
    CHECK_CODE(clSetKernelArg(kernel, 2, 64, &x), CL_INVALID_ARG_VALUE);
    CHECK(clSetKernelArg(kernel, 2, 0, NULL)); /* since OpenCL 3.1 */
    /* vectors of three have the size of four */
    cl_char4 c = {{1, 2, 3, 4}};
    CHECK(clSetKernelArg(kernel, 4, 4, &c));
    CHECK_CODE(clSetKernelArg(kernel, 4, 3, &c), CL_INVALID_ARG_SIZE);
    struct pair s = {1, 2};
    CHECK(clSetKernelArg(kernel, 5, sizeof(s), &s));
    CHECK_CODE(clSetKernelArg(kernel, 5, 5, &s), CL_INVALID_ARG_SIZE);
    /* a buffer of another context */
    cl_context other = test_context(w.device);
    cl_mem foreign = test_buffer(other, 0, 64, NULL);
    CHECK_CODE(clSetKernelArg(kernel, 0, sizeof(foreign), &foreign), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(foreign));
    CHECK(clReleaseContext(other));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
}

static void svm_pointers_are_checked(void **state)
{
    (void)state;
    cl_device_svm_capabilities has;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL));
    if (!has)
        skip();
    cl_kernel kernel = test_kernel(program, "mixed");
    cl_int here = 0;
    cl_int *svm = clSVMAlloc(w.context, CL_MEM_READ_WRITE, 256, 0);
    assert_non_null(svm);
    CHECK_CODE(clSetKernelArgSVMPointer(NULL, 0, svm), CL_INVALID_KERNEL);
    CHECK_CODE(clSetKernelArgSVMPointer(kernel, 9, svm), CL_INVALID_ARG_INDEX);
    CHECK_CODE(clSetKernelArgSVMPointer(kernel, 1, svm), CL_INVALID_ARG_VALUE);
    CHECK_CODE(clSetKernelArgSVMPointer(kernel, 2, svm), CL_INVALID_ARG_VALUE);
    CHECK(clSetKernelArgSVMPointer(kernel, 0, &here)); /* system SVM: all memory of the process */
    CHECK(clSetKernelArgSVMPointer(kernel, 0, svm));
    CHECK(clSetKernelArgSVMPointer(kernel, 0, svm + 3));
    CHECK(clSetKernelArgSVMPointer(kernel, 0, NULL));
    void *pointers[] = {svm};
    cl_bool no = CL_FALSE, yes = CL_TRUE;
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(pointers), pointers));
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(no), &no));
    CHECK_CODE(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(pointers), pointers), CL_INVALID_KERNEL);
    CHECK_CODE(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 5, pointers), CL_INVALID_VALUE);
    CHECK_CODE(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &no), CL_INVALID_VALUE);
    CHECK_CODE(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes), &yes),
               has & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM ? CL_SUCCESS : CL_INVALID_OPERATION);
    yes = 2;
    CHECK_CODE(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes), &yes), CL_INVALID_VALUE);
    CHECK_CODE(clSetKernelExecInfo(kernel, 0x4242, sizeof(yes), &yes), CL_INVALID_VALUE);
    clSVMFree(w.context, svm);
    CHECK(clReleaseKernel(kernel));
}

/* Sets all arguments of `mixed` so that each work-item gives x + 7 + 3 + 100 + 1. */
static void set_mixed(cl_kernel kernel, cl_mem out, cl_mem table, cl_int x)
{
    cl_char4 c = {{1, 2, 3, 0}};
    struct pair s = {100, 1};
    CHECK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    CHECK(clSetKernelArg(kernel, 1, sizeof(x), &x));
    CHECK(clSetKernelArg(kernel, 2, 8 * sizeof(cl_int), NULL));
    CHECK(clSetKernelArg(kernel, 3, sizeof(table), &table));
    CHECK(clSetKernelArg(kernel, 4, sizeof(c), &c));
    CHECK(clSetKernelArg(kernel, 5, sizeof(s), &s));
}

static void a_launch_keeps_the_arguments_it_was_made_with(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "mixed");
    cl_float seven = 7;
    cl_mem table = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(seven), &seven);
    cl_mem out[3];
    cl_int result[8];
    size_t global = 8, local = 8;
    cl_event gate;
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    for (int i = 0; i < 3; i++) {
        out[i] = test_buffer(w.context, 0, sizeof(result), NULL);
        set_mixed(kernel, out[i], table, 1000 * i);
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, &local, i == 0, i == 0 ? &gate : NULL, NULL));
    }
    /* The kernel and a buffer are gone before anything runs. */
    CHECK(clReleaseMemObject(table));
    CHECK(clReleaseKernel(kernel));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    for (int i = 0; i < 3; i++) {
        CHECK(clEnqueueReadBuffer(w.queue, out[i], CL_TRUE, 0, sizeof(result), result, 0, NULL, NULL));
        for (int j = 0; j < 8; j++)
            assert_int_equal(result[j], 1000 * i + 111);
        CHECK(clReleaseMemObject(out[i]));
    }
    CHECK(clReleaseEvent(gate));
}

static void CL_CALLBACK note_destruction(cl_mem mem, void *user_data)
{
    (void)mem;
    *(int *)user_data += 1;
}

/* "Implementations shall not allow cl_kernel objects to hold reference counts to cl_kernel arguments." */
static void a_kernel_does_not_keep_its_arguments_alive(void **state)
{
    (void)state;
    cl_int err, destroyed = 0;
    cl_kernel kernel = clCreateKernel(program, "fixed", &err), clone;
    CHECK(err);
    cl_mem mem = clCreateBuffer(w.context, 0, 64, NULL, &err);
    CHECK(err);
    CHECK(clSetMemObjectDestructorCallback(mem, note_destruction, &destroyed));
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    clone = clCloneKernel(kernel, &err);
    CHECK(err);
    CHECK(clReleaseMemObject(mem));
    assert_int_equal(destroyed, 1);
    size_t global[] = {4, 2, 1};
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, clone, 3, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    mem = clCreateBuffer(w.context, 0, 64, NULL, &err);
    CHECK(err);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(clone));
}

static void a_clone_has_arguments_of_its_own(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "mixed"), clone;
    cl_float seven = 7;
    cl_mem table = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(seven), &seven);
    cl_mem out = test_buffer(w.context, 0, 32, NULL);
    set_mixed(kernel, out, table, 1);
    CHECK_CREATE(clone, clCloneKernel(kernel, &err), CL_SUCCESS);
    cl_int x = 50, result[8];
    CHECK(clSetKernelArg(kernel, 1, sizeof(x), &x));
    size_t global = 8;
    for (int i = 0; i < 2; i++) {
        CHECK(clEnqueueNDRangeKernel(w.queue, i ? kernel : clone, 1, NULL, &global, &global, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof(result), result, 0, NULL, NULL));
        assert_int_equal(result[7], i ? 161 : 112);
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clEnqueueNDRangeKernel(w.queue, clone, 1, NULL, &global, &global, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK(clReleaseKernel(clone));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(table));
}

static void local_arguments_lie_behind_each_other(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "two");
    cl_mem out = test_buffer(w.context, 0, 2 * sizeof(cl_ulong), NULL);
    cl_ulong result[2], bytes;
    size_t one = 1;
    const size_t sizes[][2] = {{4, 4}, {1000, 4}, {4, 1000}, {129, 3}};
    CHECK(clSetKernelArg(kernel, 2, sizeof(out), &out));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        /* In both orders: the offset of the second follows a later change of the first. */
        CHECK(clSetKernelArg(kernel, i % 2, sizes[i][i % 2], NULL));
        CHECK(clSetKernelArg(kernel, !(i % 2), sizes[i][!(i % 2)], NULL));
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof(result), result, 0, NULL, NULL));
        CHECK_THAT(result[0] >= sizes[i][0] && result[0] % 128 == 0);
        assert_int_equal(result[1], 1122);
        CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(bytes), &bytes, NULL));
        assert_int_equal(bytes, sizes[i][0] + sizes[i][1]); /* programs add it up themselves: no gaps */
    }
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
}

/* A program may use all the local memory that the device and the kernel say is left. */
static void local_memory_can_be_used_up(void **state)
{
    (void)state;
    if (!test_unified(w.device))
        skip(); /* a GPU's driver aligns the arguments in memory of its own */
    enum { OWN = 37, FIRST = 130 };
    cl_kernel kernel = test_kernel(program, "all");
    cl_mem out = test_buffer(w.context, 0, sizeof(cl_uint), NULL);
    cl_ulong has, used;
    cl_uint sum;
    size_t one = 1;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(has), &has, NULL));
    CHECK(clSetKernelArg(kernel, 0, FIRST, NULL));
    CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(used), &used, NULL));
    assert_int_equal(used, OWN + FIRST);
    const cl_uint lengths[2] = {FIRST, (cl_uint)(has - used)};
    CHECK(clSetKernelArg(kernel, 1, lengths[1], NULL));
    CHECK(clSetKernelArg(kernel, 2, sizeof(lengths), lengths));
    CHECK(clSetKernelArg(kernel, 3, sizeof(out), &out));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof(sum), &sum, 0, NULL, NULL));
    assert_int_equal(sum, OWN + 2 * lengths[0] + 3 * lengths[1]);
    CHECK(clSetKernelArg(kernel, 1, lengths[1] + 1, NULL));
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
}

/* A kernel gets no memory where it uses none: OpenCL 3.1, "clSetKernelArg". */
static void local_arguments_may_be_empty(void **state)
{
    (void)state;
    enum { ITEMS = 37 };
    cl_kernel kernel = test_kernel(program, "either");
    cl_mem out = test_buffer(w.context, 0, ITEMS * sizeof(cl_int), NULL);
    const size_t items = ITEMS;
    CHECK(clSetKernelArg(kernel, 3, sizeof(out), &out));
    for (int first = 0; first < 2; first++) {
        cl_int result[ITEMS];
        CHECK(clSetKernelArg(kernel, 0, sizeof(first), &first));
        CHECK(clSetKernelArg(kernel, first ? 1 : 2, sizeof(result), NULL));
        CHECK(clSetKernelArg(kernel, first ? 2 : 1, 0, NULL));
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof(result), result, 0, NULL, NULL));
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(result[i], (ITEMS - 1 - i) * 3);
    }
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
}

static void queries_tell_what_the_source_says(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "mixed");
    char text[100];
    cl_uint number;
    cl_context context;
    cl_program owner;
    size_t size;
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(text), text, &size));
    assert_string_equal(text, "mixed");
    assert_int_equal(size, 6);
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(number), &number, NULL));
    assert_int_equal(number, 6);
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(number), &number, NULL));
    assert_int_equal(number, 1);
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof(context), &context, NULL));
    assert_ptr_equal(context, w.context);
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(owner), &owner, NULL));
    assert_ptr_equal(owner, program);
    CHECK_CODE(clGetKernelInfo(kernel, 0x4242, sizeof(number), &number, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, 1, &number, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetKernelInfo(NULL, CL_KERNEL_NUM_ARGS, sizeof(number), &number, NULL), CL_INVALID_KERNEL);
    CHECK(clReleaseKernel(kernel));
    kernel = test_kernel(program, "fixed");
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(text), text, NULL));
    CHECK_THAT(strstr(text, "reqd_work_group_size(4,2,1)"));
    CHECK(clReleaseKernel(kernel));
}

static void argument_queries_tell_what_the_source_says(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        cl_uint index;
        const char *name, *type;
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_type_qualifier qualifier;
    } expected[] = {
        {"mixed", 0, "out", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_NONE},
        {"mixed", 1, "x", "int", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
        {"mixed", 2, "scratch", "int*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE},
        {"mixed", 3, "table", "float*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
        {"mixed", 4, "c", "char3", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
        {"mixed", 5, "s", "pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
        {"sub", 0, "in", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
        {"sub", 1, "out", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_VOLATILE},
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        cl_kernel kernel = test_kernel(program, expected[i].kernel);
        char text[100];
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_access_qualifier access;
        cl_kernel_arg_type_qualifier qualifier;
        cl_uint index = expected[i].index;
        CHECK(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL));
        assert_string_equal(text, expected[i].name);
        CHECK(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL));
        assert_string_equal(text, expected[i].type);
        CHECK(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address, NULL));
        assert_int_equal(address, expected[i].address);
        CHECK(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access, NULL));
        assert_int_equal(access, CL_KERNEL_ARG_ACCESS_NONE);
        CHECK(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifier), &qualifier, NULL));
        assert_int_equal(qualifier, expected[i].qualifier);
        CHECK_CODE(clGetKernelArgInfo(kernel, 99, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL), CL_INVALID_ARG_INDEX);
        CHECK_CODE(clGetKernelArgInfo(kernel, 0, 0x4242, sizeof(text), text, NULL), CL_INVALID_VALUE);
        CHECK(clReleaseKernel(kernel));
    }
    CHECK_CODE(clGetKernelArgInfo(NULL, 0, CL_KERNEL_ARG_NAME, 0, NULL, NULL), CL_INVALID_KERNEL);
}

static void work_group_queries(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "fixed");
    size_t sizes[3], most, multiple, device_most;
    cl_ulong bytes;
    CHECK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(sizes), sizes, NULL));
    assert_int_equal(sizes[0], 4);
    assert_int_equal(sizes[1], 2);
    assert_int_equal(sizes[2], 1);
    CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, NULL));
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(device_most), &device_most, NULL));
    CHECK_THAT(most >= 1 && most <= device_most);
    CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(multiple), &multiple, NULL));
    CHECK_THAT(multiple >= 1);
    CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(bytes), &bytes, NULL));
    CHECK_CODE(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof(sizes), sizes, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetKernelWorkGroupInfo(kernel, w.device, 0x4242, sizeof(sizes), sizes, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetKernelWorkGroupInfo(kernel, (cl_device_id)(void *)program, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, NULL),
               CL_INVALID_DEVICE);
    CHECK_CODE(clGetKernelWorkGroupInfo(NULL, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, NULL), CL_INVALID_KERNEL);
    CHECK(clReleaseKernel(kernel));
    kernel = test_kernel(program, "sub");
    CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(bytes), &bytes, NULL));
    CHECK_THAT(bytes >= 400 && bytes < 1000);
    CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(bytes), &bytes, NULL));
    CHECK_THAT(bytes < 10000);
    CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(sizes), sizes, NULL));
    assert_int_equal(sizes[0] + sizes[1] + sizes[2], 0);
    CHECK(clReleaseKernel(kernel));
}

/* What work-items keep across a barrier is memory for each of the group's, which limits it. */
static void memory_across_barriers(void **state)
{
    (void)state;
    enum { ARRAY = 1 << 24 };
    if (!test_unified(w.device))
        skip(); /* private memory is not part of what the device calls its global memory */
    cl_program keeping =
        test_build(w.context, w.device,
                   "kernel void keeps(global const int *in, global int *out) { size_t i = get_local_id(0); char a[1 << 24];\n"
                   "a[in[i] & 0xffffff] = 7; a[in[i + 1] & 0xffffff] = in[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "out[i] = a[in[i] & 0xffffff]; }\n",
                   NULL);
    cl_kernel kernel = test_kernel(keeping, "keeps");
    size_t most, size;
    cl_ulong bytes, memory;
    CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(bytes), &bytes, NULL));
    CHECK_THAT(bytes >= ARRAY && bytes < 2 * ARRAY);
    CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, NULL));
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory, NULL));
    CHECK_THAT(most >= 1 && (most == 1 || most * (cl_ulong)ARRAY <= memory));
    cl_int in[65], out[64], err;
    for (int i = 0; i < 65; i++)
        in[i] = i * 1001;
    cl_mem from = clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof(in), in, &err);
    CHECK(err);
    cl_mem to = clCreateBuffer(w.context, 0, sizeof(out), NULL, &err);
    CHECK(err);
    CHECK(clSetKernelArg(kernel, 0, sizeof(from), &from));
    CHECK(clSetKernelArg(kernel, 1, sizeof(to), &to));
    size = most < 64 ? most : 64;
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, size * sizeof(*out), out, 0, NULL, NULL));
    for (size_t i = 0; i < size; i++)
        assert_int_equal(out[i], 7);
    size = most + 1;
    cl_int code = clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    CHECK_THAT(code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE);
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(keeping));
}

static void sub_group_queries_agree_with_each_other(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "sub"), fixed = test_kernel(program, "fixed");
    cl_uint most_sub_groups = 0;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(most_sub_groups), &most_sub_groups, NULL));
    size_t count, size, local[3] = {10, 3, 2}, most, sizes[3], zero = 0;
    if (!most_sub_groups) {
        CHECK_CODE(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof(most), &most, NULL),
                   CL_INVALID_OPERATION);
        goto done;
    }
    for (size_t x = 1; x < 100; x++) {
        local[0] = x;
        for (size_t dims = 1; dims <= 3; dims++) {
            size_t items = x * (dims > 1 ? 3 : 1) * (dims > 2 ? 2 : 1);
            CHECK(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, dims * sizeof(size_t), local,
                                          sizeof(size), &size, NULL));
            CHECK(clGetKernelSubGroupInfo(kernel, NULL, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, dims * sizeof(size_t), local, sizeof(count),
                                          &count, NULL));
            assert_int_equal(count, (items + size - 1) / size);
        }
    }
    CHECK(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof(most), &most, NULL));
    for (size_t n = 1; n <= most; n++) {
        CHECK(
            clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(n), &n, sizeof(sizes), sizes, NULL));
        CHECK(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof(sizes), sizes, sizeof(count), &count,
                                      NULL));
        assert_int_equal(count, n);
    }
    size_t many = most + 1, huge = SIZE_MAX;
    CHECK(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(many), &many, sizeof(sizes), sizes,
                                  NULL));
    assert_int_equal(sizes[0], 0);
    CHECK(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(huge), &huge, sizeof(sizes), sizes,
                                  NULL));
    assert_int_equal(sizes[0], 0);
    CHECK(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof(size), &size, NULL));
    assert_int_equal(size, 0);
    /* A required work-group size leaves one answer. */
    size_t two_by_four[3] = {4, 2, 1};
    CHECK(clGetKernelSubGroupInfo(fixed, w.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof(two_by_four), two_by_four, sizeof(count),
                                  &count, NULL));
    CHECK(clGetKernelSubGroupInfo(fixed, w.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(count), &count, sizeof(sizes), sizes,
                                  NULL));
    assert_memory_equal(sizes, two_by_four, sizeof(sizes));
    /* wrong use */
    CHECK_CODE(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 0, NULL, sizeof(count), &count, NULL),
               CL_INVALID_VALUE);
    CHECK_CODE(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 7, local, sizeof(count), &count, NULL),
               CL_INVALID_VALUE);
    CHECK_CODE(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 0, &zero, sizeof(sizes), sizes, NULL),
               CL_INVALID_VALUE);
    CHECK_CODE(clGetKernelSubGroupInfo(kernel, w.device, 0x4242, 0, NULL, sizeof(count), &count, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetKernelSubGroupInfo(NULL, w.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof(count), &count, NULL),
               CL_INVALID_KERNEL);
    CHECK_CODE(
        clGetKernelSubGroupInfo(kernel, (cl_device_id)(void *)program, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof(count), &count, NULL),
        CL_INVALID_DEVICE);
done:
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(fixed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation_checks_its_arguments),
        cmocka_unit_test(arguments_are_checked_by_their_type),
        cmocka_unit_test(svm_pointers_are_checked),
        cmocka_unit_test(a_launch_keeps_the_arguments_it_was_made_with),
        cmocka_unit_test(a_kernel_does_not_keep_its_arguments_alive),
        cmocka_unit_test(a_clone_has_arguments_of_its_own),
        cmocka_unit_test(local_arguments_lie_behind_each_other),
        cmocka_unit_test(local_memory_can_be_used_up),
        cmocka_unit_test(local_arguments_may_be_empty),
        cmocka_unit_test(queries_tell_what_the_source_says),
        cmocka_unit_test(argument_queries_tell_what_the_source_says),
        cmocka_unit_test(work_group_queries),
        cmocka_unit_test(memory_across_barriers),
        cmocka_unit_test(sub_group_queries_agree_with_each_other),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
