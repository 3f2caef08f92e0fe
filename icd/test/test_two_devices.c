/* SPDX-License-Identifier: Apache-2.0
 * Two devices in one context: what the platform says of them, commands and events on both queues, programs for both. */
#include "icd/test/two_devices.h"

/* ---- what the platform says ---- */

static bool lists(const char *names, const char *name)
{
    const char *at = strstr(names, name);
    return at && (at[strlen(name)] == ' ' || !at[strlen(name)]);
}

static void test_enumeration(void **state)
{
    (void)state;
    static const struct {
        cl_device_type type;
        int first, count;
    } cases[] = {{CL_DEVICE_TYPE_CPU, CPU, 1},
                 {CL_DEVICE_TYPE_DEFAULT, CPU, 1},
                 {CL_DEVICE_TYPE_ACCELERATOR, REMOTE, 1},
                 {CL_DEVICE_TYPE_ALL, CPU, 2},
                 {CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_ACCELERATOR, CPU, 2},
                 {CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_DEFAULT, CPU, 2},
                 {CL_DEVICE_TYPE_GPU, 0, 0},
                 {CL_DEVICE_TYPE_CUSTOM, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_device_id found[2] = {NULL, NULL}, of_context[2];
        cl_uint count = 99;
        cl_context made;
        bool some = cases[i].count;
        CHECK_CODE(clGetDeviceIDs(test_platform(), cases[i].type, 2, found, &count), some ? CL_SUCCESS : CL_DEVICE_NOT_FOUND);
        CHECK_THAT((int)count == cases[i].count);
        CHECK_CREATE(made, clCreateContextFromType(NULL, cases[i].type, NULL, NULL, &err), some ? CL_SUCCESS : CL_DEVICE_NOT_FOUND);
        if (!some)
            continue;
        CHECK_THAT(found[0] == devices[cases[i].first]);
        CHECK(clGetContextInfo(made, CL_CONTEXT_DEVICES, count * sizeof *found, of_context, NULL));
        CHECK_THAT(!memcmp(of_context, found, count * sizeof *found));
        CHECK(clReleaseContext(made));
    }
}

static void test_extensions(void **state)
{
    (void)state;
    static char names[3][8192];
    cl_name_version features[128];
    CHECK(clGetPlatformInfo(test_platform(), CL_PLATFORM_EXTENSIONS, sizeof names[0], names[0], NULL));
    for (int i = 0; i < 2; i++) {
        cl_name_version list[128];
        size_t size, feature_size;
        CHECK(clGetDeviceInfo(devices[i], CL_DEVICE_EXTENSIONS, sizeof names[0], names[1 + i], NULL));
        CHECK(clGetDeviceInfo(devices[i], CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
        for (size_t k = 0; k < size / sizeof *list; k++)
            CHECK_THAT(lists(names[1 + i], list[k].name));
        CHECK(clGetDeviceInfo(devices[i], CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &feature_size));
        bool fp64 = false;
        for (size_t k = 0; k < feature_size / sizeof *features; k++)
            fp64 |= !strcmp(features[k].name, "__opencl_c_fp64");
        CHECK_THAT(fp64 == (i == CPU));
        cl_device_fp_config config;
        CHECK(clGetDeviceInfo(devices[i], CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL));
        CHECK_THAT((config != 0) == (i == CPU));
    }
    CHECK_THAT(lists(names[1], "cl_khr_fp64") && !lists(names[2], "cl_khr_fp64") && !lists(names[0], "cl_khr_fp64"));
    CHECK_THAT(lists(names[1], "cl_khr_icd") && lists(names[2], "cl_khr_icd") && lists(names[0], "cl_khr_icd"));
    cl_uchar uuids[2][CL_UUID_SIZE_KHR];
    for (int i = 0; i < 2; i++)
        CHECK(clGetDeviceInfo(devices[i], CL_DEVICE_UUID_KHR, sizeof uuids[i], uuids[i], NULL));
    CHECK_THAT(memcmp(uuids[0], uuids[1], sizeof uuids[0]));
}

static void test_sub_devices(void **state)
{
    (void)state;
    cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0}, none = 1;
    cl_uint units, most;
    CHECK_CODE(clCreateSubDevices(devices[REMOTE], equally, 0, NULL, &units), CL_INVALID_VALUE);
    CHECK(clGetDeviceInfo(devices[REMOTE], CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL));
    CHECK(clGetDeviceInfo(devices[REMOTE], CL_DEVICE_PARTITION_PROPERTIES, sizeof none, &none, NULL));
    CHECK_THAT(most == 0 && none == 0);
    CHECK(clGetDeviceInfo(devices[CPU], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (units < 2 || units > 64)
        skip();
    cl_device_id parts[64];
    CHECK(clCreateSubDevices(devices[CPU], equally, 64, parts, &units));
    cl_device_id both[] = {parts[0], devices[REMOTE]};
    cl_context shared;
    CHECK_CREATE(shared, clCreateContext(NULL, 2, both, NULL, NULL, &err), CL_SUCCESS);
    cl_mem mem = test_buffer(shared, 0, BYTES, NULL);
    cl_int value = 41, got = 0;
    for (int i = 0; i < 2; i++) {
        cl_command_queue queue = test_queue(shared, both[i], 0);
        if (i == 0)
            CHECK(clEnqueueFillBuffer(queue, mem, &value, sizeof value, 0, BYTES, 0, NULL, NULL));
        else
            CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, BYTES - sizeof got, sizeof got, &got, 0, NULL, NULL));
        CHECK(clFinish(queue));
        CHECK(clReleaseCommandQueue(queue));
    }
    CHECK_THAT(got == value);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseContext(shared));
    for (cl_uint i = 0; i < units; i++)
        CHECK(clReleaseDevice(parts[i]));
}

/* ---- commands ---- */

static void CL_CALLBACK native(void *args)
{
    cl_int *p = *(cl_int **)args;
    p[0] += 1000;
}

static void test_native_kernel(void **state)
{
    (void)state;
    cl_mem mem = counted(CL_MEM_READ_WRITE);
    void *args = NULL;
    const void *places[] = {&args};
    cl_int value;
    finish(add(REMOTE, mem, 5, COUNT, NULL));
    CHECK_CODE(clEnqueueNativeKernel(queues[REMOTE], native, &args, sizeof args, 1, &mem, places, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clEnqueueNativeKernel(queues[CPU], native, &args, sizeof args, 1, &mem, places, 0, NULL, NULL));
    CHECK(clFinish(queues[CPU]));
    CHECK(clEnqueueReadBuffer(queues[REMOTE], mem, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    CHECK_THAT(value == 1005);
    CHECK(clReleaseMemObject(mem));
}

/* A user event holds both back; markers and profiling work on both. */
static void test_events(void **state)
{
    (void)state;
    cl_mem mem = counted(CL_MEM_READ_WRITE);
    cl_event user, marker, last;
    cl_int status;
    CHECK_CREATE(user, clCreateUserEvent(context, &err), CL_SUCCESS);
    CHECK(clRetainEvent(user));
    last = add(REMOTE, mem, 1, COUNT, user);
    last = add(CPU, mem, 1, COUNT, last);
    CHECK(clEnqueueMarkerWithWaitList(queues[REMOTE], 1, &last, &marker));
    CHECK(clFlush(queues[REMOTE]));
    CHECK(clFlush(queues[CPU]));
    CHECK(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK_THAT(status > CL_RUNNING);
    CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    finish(marker);
    CHECK(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK_THAT(status == CL_COMPLETE);
    expect(CPU, mem, 2);
    CHECK(clReleaseEvent(last));
    CHECK(clReleaseEvent(user));

    /* A failed user event fails what depends on it, on each device. */
    CHECK_CREATE(user, clCreateUserEvent(context, &err), CL_SUCCESS);
    CHECK(clRetainEvent(user));
    last = add(CPU, mem, 1, COUNT, add(REMOTE, mem, 1, COUNT, user));
    CHECK(clSetUserEventStatus(user, -77));
    CHECK_CODE(clWaitForEvents(1, &last), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clReleaseEvent(last));
    CHECK(clReleaseEvent(user));
    expect(REMOTE, mem, 2);

    cl_command_queue timed = test_queue(context, devices[REMOTE], CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel kernel = test_kernel(program, "add");
    cl_int by = 1;
    size_t count = COUNT;
    cl_ulong times[4];
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CHECK(clSetKernelArg(kernel, 1, sizeof by, &by));
    CHECK(clEnqueueNDRangeKernel(timed, kernel, 1, NULL, &count, NULL, 0, NULL, &last));
    CHECK(clFinish(timed));
    for (cl_uint i = 0; i < 4; i++)
        CHECK(clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], NULL));
    CHECK_THAT(times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3]);
    CHECK(clReleaseEvent(last));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseCommandQueue(timed));
    CHECK(clReleaseMemObject(mem));
}

/* What cannot be submitted ends with an error, and the queue goes on. */
static void test_refused_launch(void **state)
{
    (void)state;
    cl_context own;
    CHECK_CREATE(own, clCreateContext(NULL, 2, devices, count_errors, (void *)"refused: it failed, and the device gives no reason", &err),
                 CL_SUCCESS);
    cl_command_queue queue = test_queue(own, devices[REMOTE], 0);
    cl_program refused = test_build(own, devices[REMOTE], "kernel void refused(global int *p) { *p = 1; }", NULL);
    cl_kernel kernel = test_kernel(refused, "refused");
    cl_mem mem = test_buffer(own, 0, 4, NULL);
    cl_event event;
    cl_int status;
    size_t one = 1;
    told = 0;
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    CHECK_CODE(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK_THAT(status == CL_OUT_OF_RESOURCES);
    CHECK(clReleaseEvent(event));
    CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &status, 0, NULL, NULL)); /* the launch has been cleaned up */
    assert_int_equal(told, 1);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseProgram(refused));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(own));
    mem = counted(CL_MEM_READ_WRITE);
    finish(add(REMOTE, mem, 4, COUNT, NULL));
    expect(CPU, mem, 4);
    CHECK(clReleaseMemObject(mem));
}

/* Limits and facts of a kernel are those of the device. */
static void test_kernel_infos(void **state)
{
    (void)state;
    cl_kernel kernel = test_kernel(program, "local_size");
    cl_mem mem = test_buffer(context, 0, 4, NULL);
    size_t one = 1, size;
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    for (int i = 0; i < 2; i++) {
        CHECK(clGetKernelWorkGroupInfo(kernel, devices[i], CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof size, &size, NULL));
        CHECK_THAT(size == (i == CPU ? 16 : 8));
        CHECK(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clFinish(queues[i]));
    }
    CHECK_CODE(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof size, &size, NULL),
               CL_INVALID_DEVICE);
    CHECK(clReleaseKernel(kernel));
    kernel = test_kernel(program, "large");
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CHECK(clSetKernelArg(kernel, 1, 48 << 10, NULL)); /* of local memory: the CPU has it, the other has 32 KiB */
    CHECK_CODE(clEnqueueNDRangeKernel(queues[REMOTE], kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    CHECK(clEnqueueNDRangeKernel(queues[CPU], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clFinish(queues[CPU]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
}

/* ---- programs ---- */

static void expect_log(cl_program of, int where, cl_build_status status, const char *part)
{
    static char log[65536];
    cl_build_status is;
    CHECK(clGetProgramBuildInfo(of, devices[where], CL_PROGRAM_BUILD_STATUS, sizeof is, &is, NULL));
    CHECK(clGetProgramBuildInfo(of, devices[where], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (is != status || !strstr(log, part))
        fail_msg("device %d: status %d, log: %s", where, is, log);
}

/* The macros are the device's. A program that only one can build has its kernels there. */
static void test_one_device_fails(void **state)
{
    (void)state;
    const char *source = "#ifndef cl_khr_fp64\n#error no doubles here\n#endif\nkernel void k(global double *p) { *p = 1.5; }\n";
    cl_program made;
    CHECK_CREATE(made, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    CHECK_CODE(clBuildProgram(made, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    expect_log(made, CPU, CL_BUILD_SUCCESS, "");
    expect_log(made, REMOTE, CL_BUILD_ERROR, "no doubles here");
    cl_kernel kernel = test_kernel(made, "k");
    cl_mem mem = test_buffer(context, 0, BYTES, NULL);
    size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CHECK_CODE(clEnqueueNDRangeKernel(queues[REMOTE], kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clEnqueueNDRangeKernel(queues[CPU], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_double value;
    CHECK(clEnqueueReadBuffer(queues[CPU], mem, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    CHECK_THAT(value == 1.5);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseProgram(made));
}

static cl_int answer_of(cl_program of, int where)
{
    cl_kernel kernel = test_kernel(of, "answer");
    cl_mem mem = test_buffer(context, 0, sizeof(cl_int), NULL);
    size_t one = 1;
    cl_int value = 0;
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CHECK(clEnqueueNDRangeKernel(queues[where], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queues[where], mem, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
    return value;
}

/* Builds with options of their own, one after the other; and each device's own macros in one build. */
static void test_options(void **state)
{
    (void)state;
    const char *source = "#ifdef cl_khr_fp64\n#define HERE 1\n#else\n#define HERE 2\n#endif\n"
                         "kernel void answer(global int *p) { *p = VALUE + HERE; }\n";
    cl_program made;
    CHECK_CREATE(made, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(made, 1, &devices[CPU], "-DVALUE=10", NULL, NULL));
    CHECK(clBuildProgram(made, 1, &devices[REMOTE], "-DVALUE=20", NULL, NULL));
    CHECK_THAT(answer_of(made, CPU) == 11);
    CHECK_THAT(answer_of(made, REMOTE) == 22);
    char options[64];
    CHECK(clGetProgramBuildInfo(made, devices[REMOTE], CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    CHECK_THAT(!strcmp(options, "-DVALUE=20"));
    CHECK(clBuildProgram(made, 0, NULL, "-DVALUE=30", NULL, NULL));
    CHECK_THAT(answer_of(made, CPU) == 31);
    CHECK_THAT(answer_of(made, REMOTE) == 32);
    CHECK(clReleaseProgram(made));
}

/* Out of both binaries, and linked from what was compiled for both. */
static void test_binaries(void **state)
{
    (void)state;
    const char *source = "#ifdef cl_khr_fp64\n#define HERE 1\n#else\n#define HERE 2\n#endif\n"
                         "kernel void answer(global int *p) { *p = HERE; }\n";
    cl_program made, again, compiled, linked;
    CHECK_CREATE(compiled, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    CHECK(clCompileProgram(compiled, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    CHECK_CREATE(linked, clLinkProgram(context, 0, NULL, "", 1, &compiled, NULL, NULL, &err), CL_SUCCESS);
    CHECK_CREATE(made, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(made, 0, NULL, "", NULL, NULL));
    cl_program from[] = {made, compiled};
    for (int i = 0; i < 2; i++) {
        size_t sizes[2];
        CHECK(clGetProgramInfo(from[i], CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
        unsigned char *binaries[2] = {malloc(sizes[0]), malloc(sizes[1])};
        CHECK(clGetProgramInfo(from[i], CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
        CHECK_THAT(sizes[0] != sizes[1] || memcmp(binaries[0], binaries[1], sizes[0]));
        cl_int status[2];
        CHECK_CREATE(again, clCreateProgramWithBinary(context, 2, devices, sizes, (const unsigned char **)binaries, status, &err),
                     CL_SUCCESS);
        CHECK_THAT(status[0] == CL_SUCCESS && status[1] == CL_SUCCESS);
        CHECK(clBuildProgram(again, 0, NULL, "", NULL, NULL));
        CHECK_THAT(answer_of(again, CPU) == 1);
        CHECK_THAT(answer_of(again, REMOTE) == 2);
        CHECK(clReleaseProgram(again));
        free(binaries[0]);
        free(binaries[1]);
    }
    CHECK_THAT(answer_of(linked, CPU) == 1);
    CHECK_THAT(answer_of(linked, REMOTE) == 2);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(compiled));
    CHECK(clReleaseProgram(made));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration),   cmocka_unit_test(test_extensions),       cmocka_unit_test(test_sub_devices),
        cmocka_unit_test(test_native_kernel), cmocka_unit_test(test_events),           cmocka_unit_test(test_refused_launch),
        cmocka_unit_test(test_kernel_infos),  cmocka_unit_test(test_one_device_fails), cmocka_unit_test(test_options),
        cmocka_unit_test(test_binaries),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
