/* SPDX-License-Identifier: Apache-2.0
 * Tests with sizes whose sums and products pass the largest number: of ranges, work-groups, local memory, arguments. */
#include "icd/test/cl_test.h"

static cl_event never(cl_context context)
{
    cl_event event;
    CHECK_CREATE(event, clCreateUserEvent(context, &err), CL_SUCCESS);
    return event;
}

/* Ranges so large that they can be enqueued but never run: they wait for an event that fails. */
static void test_huge_ranges(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = test_build(w.context, w.device,
                                    "kernel void free_of_groups(global int *a) { a[get_global_id(0)] = 1; }\n"
                                    "kernel void in_groups(global int *a) { a[get_global_id(0)] = get_local_id(0); }\n"
                                    "kernel void meets(global int *a) { barrier(CLK_GLOBAL_MEM_FENCE); a[get_global_id(0)] = 1; }\n",
                                    "-cl-std=CL3.0");
    static const char *const names[] = {"free_of_groups", "in_groups", "meets"};
    static const size_t cases[][3] = {
        /* global size, offset, local size or 0 */
        {SIZE_MAX, 0, 0},        {SIZE_MAX, 0, 1},      {SIZE_MAX, 0, 3},
        {SIZE_MAX - 31, 31, 0},  {SIZE_MAX - 1, 1, 64}, {SIZE_MAX / 2 + 1, SIZE_MAX / 2, 16},
        {(size_t)1 << 40, 5, 0},
    };
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cl_kernel kernel = test_kernel(program, names[k]);
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const size_t *c = cases[i];
            cl_event gate = never(w.context), event;
            CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, &c[1], &c[0], c[2] ? &c[2] : NULL, 1, &gate, &event));
            CHECK(clSetUserEventStatus(gate, -1));
            CHECK_CODE(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            CHECK(clReleaseEvent(gate));
            CHECK(clReleaseEvent(event));
        }
        const size_t past[3] = {(size_t)1 << 32, (size_t)1 << 31, 2}, nothing[3] = {(size_t)1 << 40, (size_t)1 << 40, 0};
        CHECK_CODE(clEnqueueNDRangeKernel(w.queue, kernel, 3, NULL, past, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 3, NULL, nothing, NULL, 0, NULL, NULL));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* A hint for the size of work-groups is followed only if the group is possible, whatever the product of its numbers wraps to. */
static void test_hints(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_program program = test_build(w.context, w.device,
                                    "__attribute__((work_group_size_hint(65536, 16777216, 16777216)))\n"
                                    "kernel void wraps(global int *a) { barrier(CLK_GLOBAL_MEM_FENCE); a[get_global_id(0)] = 1; }\n"
                                    "__attribute__((work_group_size_hint(65536, 1, 1)))\n"
                                    "kernel void large(global int *a) { barrier(CLK_GLOBAL_MEM_FENCE); a[get_global_id(0)] = 1; }\n",
                                    NULL);
    static const char *const names[] = {"wraps", "large"};
    /* By name: a loader of OpenCL 3.0 does not export the function. */
    cl_int(CL_API_CALL * suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);
    *(void **)&suggest = clGetExtensionFunctionAddressForPlatform(test_platform(), "clGetKernelSuggestedLocalWorkSizeKHR");
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cl_kernel kernel = test_kernel(program, names[k]);
        size_t global = 65536, local = 0, most = 0;
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        CHECK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
        CHECK(suggest(w.queue, kernel, 1, NULL, &global, &local));
        CHECK_THAT(local >= 1 && local <= most);
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

/* Local arrays whose sizes sum up to more than a number can hold do not become a small sum. */
static void test_local_sum(void **state)
{
    (void)state;
    enum { ARRAYS = 16 }; /* of 2^60 bytes each, together 2^64 */
    struct test_world w = test_begin(0);
    char source[4096], *at = source;
    at += sprintf(at, "kernel void k(global int *a, uint x) { int sum = 0;\n");
    for (int i = 0; i < ARRAYS; i++)
        at += sprintf(at, "local char v%d[1ul << 60]; if (x) v%d[x] = x; barrier(CLK_LOCAL_MEM_FENCE); sum += v%d[x + 1];\n", i, i, i);
    sprintf(at, "*a = sum; }\n");
    cl_program program = test_build(w.context, w.device, source, NULL);
    cl_kernel kernel = test_kernel(program, "k");
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    cl_uint x = 5;
    size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof x, &x));
    CHECK_CODE(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void CL_CALLBACK native(void *args)
{
    (void)args;
}

/* Arguments of a native kernel that no memory can hold. */
static void test_native_arguments(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    void *args[2] = {0};
    const void *place = &args[1];
    for (size_t less = 0; less < 200; less++)
        CHECK_CODE(clEnqueueNativeKernel(w.queue, native, args, SIZE_MAX - less, less % 2, less % 2 ? &buffer : NULL,
                                         less % 2 ? &place : NULL, 0, NULL, NULL),
                   CL_OUT_OF_HOST_MEMORY);
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

/* Two devices of a program whose builds differ in what they have of local memory: the local arguments of a launch lie behind the arrays
 * of the device that runs it. */
static void test_local_of_devices(void **state)
{
    (void)state;
    enum { SMALL = 1, LARGE = 5000, ARGUMENT = 64, GROUPS = 8 };
    cl_device_id devices[2] = {test_device()};
    cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint units = 0;
    CHECK(clGetDeviceInfo(devices[0], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (units < 2)
        skip();
    cl_device_id *all = calloc(units, sizeof *all);
    CHECK(clCreateSubDevices(devices[0], parts, units, all, NULL));
    devices[0] = all[0];
    devices[1] = all[1];
    cl_context context;
    CHECK_CREATE(context, clCreateContext(NULL, 2, devices, test_notify, NULL, &err), CL_SUCCESS);
    const char *source = "kernel void k(local int *a, global int *out, local int *b, int n) {\n"
                         "  local int own[OWN];\n"
                         "  if (!get_local_id(0)) {\n"
                         "    for (int i = 0; i < OWN; i++) own[i] = 1;\n"
                         "    for (int i = 0; i < n; i++) a[i] = 100;\n"
                         "    for (int i = 0; i < n; i++) b[i] = 10000;\n"
                         "  }\n"
                         "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                         "  int sum = 0;\n"
                         "  for (int i = 0; i < OWN; i++) sum += own[i];\n"
                         "  for (int i = 0; i < n; i++) sum += a[i] + b[i];\n"
                         "  if (!get_local_id(0)) out[get_group_id(0)] = sum;\n"
                         "}\n";
    for (int larger = 0; larger < 2; larger++) {
        cl_program program;
        CHECK_CREATE(program, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
        for (int d = 0; d < 2; d++) {
            char options[32];
            snprintf(options, sizeof options, "-DOWN=%d", d == larger ? LARGE : SMALL);
            CHECK(clBuildProgram(program, 1, &devices[d], options, NULL, NULL));
        }
        cl_kernel made = test_kernel(program, "k"), kernel;
        cl_mem out = test_buffer(context, 0, GROUPS * sizeof(cl_int), NULL);
        cl_int n = ARGUMENT;
        CHECK(clSetKernelArg(made, 0, ARGUMENT * sizeof(cl_int), NULL));
        CHECK(clSetKernelArg(made, 1, sizeof out, &out));
        CHECK(clSetKernelArg(made, 2, ARGUMENT * sizeof(cl_int), NULL));
        CHECK(clSetKernelArg(made, 3, sizeof n, &n));
        CHECK_CREATE(kernel, clCloneKernel(made, &err), CL_SUCCESS);
        for (int round = 0; round < 4; round++) { /* each device after the other */
            int d = round % 2;
            cl_command_queue queue = test_queue(context, devices[d], 0);
            cl_int sums[GROUPS];
            size_t global = 4 * GROUPS, local = 4;
            CHECK(clEnqueueNDRangeKernel(queue, round < 2 ? made : kernel, 1, NULL, &global, &local, 0, NULL, NULL));
            CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL));
            for (int i = 0; i < GROUPS; i++)
                if (sums[i] != (d == larger ? LARGE : SMALL) + ARGUMENT * 10100)
                    fail_msg("device %d, the larger is %d: work-group %d sums up to %d", d, larger, i, sums[i]);
            CHECK(clReleaseCommandQueue(queue));
        }
        CHECK(clReleaseMemObject(out));
        CHECK(clReleaseKernel(made));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
    }
    CHECK(clReleaseContext(context));
    for (cl_uint i = 0; i < units; i++)
        CHECK(clReleaseDevice(all[i]));
    free(all);
}

/* A buffer over shared virtual memory ends with the allocation, wherever in it it begins. */
static void test_over_svm(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    enum { SIZE = 4096 };
    unsigned char *svm = clSVMAlloc(w.context, 0, SIZE, 0);
    CHECK_THAT(svm);
    static const size_t cases[][3] = {{0, SIZE, 1},       {0, SIZE + 1, 0}, {64, SIZE - 64, 1},
                                      {64, SIZE - 63, 0}, {SIZE - 1, 1, 1}, {SIZE - 1, 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int copy = 0; copy < 2; copy++) {
            cl_mem mem;
            CHECK_CREATE(mem,
                         clCreateBuffer(w.context, copy ? CL_MEM_COPY_HOST_PTR : CL_MEM_USE_HOST_PTR, cases[i][1], svm + cases[i][0], &err),
                         cases[i][2] ? CL_SUCCESS : CL_INVALID_BUFFER_SIZE);
            if (mem)
                CHECK(clReleaseMemObject(mem));
        }
    clSVMFree(w.context, svm);
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_huge_ranges),      cmocka_unit_test(test_hints),
        cmocka_unit_test(test_local_sum),        cmocka_unit_test(test_native_arguments),
        cmocka_unit_test(test_local_of_devices), cmocka_unit_test(test_over_svm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
