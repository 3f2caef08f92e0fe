/* SPDX-License-Identifier: Apache-2.0
 * Two devices in one context: the CPU, and the one of remote_device.c, which has memory and a queue of its own and lacks some extensions.
 * Runs with the driver that has both. */
#include "icd/test/usm.h"

enum { CPU, REMOTE, COUNT = 64, BYTES = COUNT * sizeof(cl_int) };

static cl_device_id devices[2];
static cl_context context;
static cl_command_queue queues[2];
static cl_program program;

/* CL_DEVICE_TYPE_ALL lists them in the order of icd/test/two_devices.def. */
static int begin(void **state)
{
    (void)state;
    cl_uint count;
    CHECK(clGetDeviceIDs(test_platform(), CL_DEVICE_TYPE_ALL, 2, devices, &count));
    CHECK_THAT(count == 2);
    CHECK_CREATE(context, clCreateContext(NULL, 2, devices, test_notify, NULL, &err), CL_SUCCESS);
    for (int i = 0; i < 2; i++)
        queues[i] = test_queue(context, devices[i], 0);
    static const char *source =
        "kernel void add(global int *p, int by) { p[get_global_id(0)] += by; }\n"
        "kernel void sum(global const int *a, constant int *b, global int *c) { size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
        "kernel void where(global ulong *p) { *p = (ulong)p; }\n"
        "kernel void local_size(global uint *p) { *p = get_sub_group_size(); }\n"
        "kernel void large(global int *p, local int *l) { l[get_local_id(0)] = 1; p[0] = l[0]; }\n";
    CHECK_CREATE(program, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    return 0;
}

static int end(void **state)
{
    (void)state;
    CHECK(clReleaseProgram(program));
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseCommandQueue(queues[i]));
    CHECK(clReleaseContext(context));
    return 0;
}

/* Runs `add` over `count` elements; the event is the caller's. */
static cl_event add(int where, cl_mem mem, cl_int by, size_t count, cl_event after)
{
    cl_kernel kernel = test_kernel(program, "add");
    cl_event event;
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CHECK(clSetKernelArg(kernel, 1, sizeof by, &by));
    CHECK(clEnqueueNDRangeKernel(queues[where], kernel, 1, NULL, &count, NULL, after != NULL, after ? &after : NULL, &event));
    CHECK(clReleaseKernel(kernel));
    if (after)
        CHECK(clReleaseEvent(after));
    return event;
}

static void finish(cl_event event)
{
    CHECK(clWaitForEvents(1, &event));
    CHECK(clReleaseEvent(event));
}

static cl_mem counted(cl_mem_flags flags)
{
    static cl_int values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    return test_buffer(context, flags | CL_MEM_COPY_HOST_PTR, BYTES, values);
}

/* Every element is its index and `more`, seen from the queue. */
static void expect(int where, cl_mem mem, cl_int more)
{
    cl_int values[COUNT];
    CHECK(clEnqueueReadBuffer(queues[where], mem, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        if (values[i] != i + more)
            fail_msg("element %d is %d, not %d", i, values[i], i + more);
}

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

/* ---- memory ---- */

/* Back and forth, ordered by events alone, and at the end each device and the host see the same. */
static void test_migration(void **state)
{
    (void)state;
    cl_mem mem = counted(CL_MEM_READ_WRITE);
    cl_event event = NULL;
    cl_int sum = 0;
    for (int i = 1; i <= 20; i++) {
        event = add(i * 7 / 3 % 2, mem, i, COUNT, event);
        sum += i;
    }
    finish(event);
    expect(REMOTE, mem, sum);
    expect(CPU, mem, sum);
    cl_int err, *host = clEnqueueMapBuffer(queues[REMOTE], mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &err);
    CHECK(err);
    for (int i = 0; i < COUNT; i++) {
        CHECK_THAT(host[i] == i + sum);
        host[i]++;
    }
    CHECK(clEnqueueUnmapMemObject(queues[REMOTE], mem, host, 0, NULL, NULL));
    expect(REMOTE, mem, sum + 1);
    expect(CPU, mem, sum + 1);
    CHECK(clReleaseMemObject(mem));
}

/* Kernels of the device see its own addresses. */
static void test_addresses(void **state)
{
    (void)state;
    cl_mem mem = test_buffer(context, 0, BYTES, NULL);
    cl_kernel kernel = test_kernel(program, "where");
    size_t one = 1;
    cl_ulong seen[2];
    cl_int err;
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    for (int i = 0; i < 2; i++) {
        CHECK(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queues[i], mem, CL_TRUE, 0, sizeof seen[i], &seen[i], 0, NULL, NULL));
    }
    void *host = clEnqueueMapBuffer(queues[CPU], mem, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK_THAT(seen[CPU] == (cl_ulong)(uintptr_t)host && seen[REMOTE] != seen[CPU]);
    CHECK(clEnqueueUnmapMemObject(queues[CPU], mem, host, 0, NULL, NULL));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
}

/* Each device writes its own sub-buffer; both at the same time. */
static void test_sub_buffers(void **state)
{
    (void)state;
    enum { HALF = BYTES / 2 };
    for (int round = 0; round < 20; round++) {
        cl_mem mem = counted(CL_MEM_READ_WRITE), halves[2];
        cl_event events[2];
        for (int i = 0; i < 2; i++) {
            cl_buffer_region region = {(size_t)i * HALF, HALF};
            CHECK_CREATE(halves[i], clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_SUCCESS);
        }
        for (int i = 0; i < 2; i++) {
            events[i] = add((i + round) % 2, halves[i], 100 + i, COUNT / 2, NULL);
            CHECK(clFlush(queues[(i + round) % 2]));
        }
        CHECK(clWaitForEvents(2, events));
        cl_int values[COUNT];
        CHECK(clEnqueueReadBuffer(queues[round / 2 % 2], mem, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
        for (int i = 0; i < COUNT; i++)
            if (values[i] != i + 100 + i / (COUNT / 2))
                fail_msg("round %d: element %d is %d", round, i, values[i]);
        for (int i = 0; i < 2; i++) {
            CHECK(clReleaseEvent(events[i]));
            CHECK(clReleaseMemObject(halves[i]));
        }
        CHECK(clReleaseMemObject(mem));
    }
}

/* Parts of a buffer are valid on different devices, and all commands find them. */
static void test_transfers(void **state)
{
    (void)state;
    for (int reader = 0; reader < 2; reader++)
        for (int writer = 0; writer < 2; writer++) {
            cl_mem a = counted(CL_MEM_READ_WRITE), b = counted(CL_MEM_READ_WRITE);
            cl_int pattern = -7, values[COUNT], piece[8] = {1, 2, 3, 4, 5, 6, 7, 8};
            finish(add(writer, a, 1, COUNT, NULL));
            finish(add(!writer, b, 2, COUNT, NULL));
            CHECK(clEnqueueFillBuffer(queues[writer], a, &pattern, sizeof pattern, 16, 32, 0, NULL, NULL)); /* elements 4 … 11 */
            CHECK(clFinish(queues[writer]));
            CHECK(clEnqueueWriteBuffer(queues[!writer], a, CL_TRUE, 80, sizeof piece, piece, 0, NULL, NULL)); /* 20 … 27 */
            CHECK(clEnqueueCopyBuffer(queues[writer], b, a, 160, 120, 40, 0, NULL, NULL));                    /* 30 … 39 */
            size_t source[] = {8, 2, 0}, target[] = {0, 11, 0}, region[] = {8, 2, 1};                         /* rows of 4 elements */
            CHECK(clEnqueueCopyBufferRect(queues[writer], b, a, source, target, region, 16, 0, 16, 0, 0, NULL, NULL)); /* 44, 45, 48, 49 */
            CHECK(clFinish(queues[writer]));
            CHECK(clEnqueueReadBuffer(queues[reader], a, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
            for (int i = 0; i < COUNT; i++) {
                cl_int expected = i + 1;
                if (i >= 4 && i < 12)
                    expected = -7;
                if (i >= 20 && i < 28)
                    expected = i - 19;
                if (i >= 30 && i < 40)
                    expected = i + 10 + 2;
                if (i == 44 || i == 45)
                    expected = 10 + i - 44 + 2;
                if (i == 48 || i == 49)
                    expected = 14 + i - 48 + 2;
                if (values[i] != expected)
                    fail_msg("reader %d, writer %d: element %d is %d, not %d", reader, writer, i, values[i], expected);
            }
            size_t origin[] = {4, 1, 0}, zero[] = {0, 0, 0}, box[] = {8, 2, 2};
            cl_int boxed[8];
            CHECK(clEnqueueReadBufferRect(queues[reader], b, CL_TRUE, origin, zero, box, 16, 64, 8, 16, boxed, 0, NULL, NULL));
            for (int i = 0; i < 8; i++)
                CHECK_THAT(boxed[i] == 5 + i % 2 + i / 2 % 2 * 4 + i / 4 * 16 + 2);
            CHECK(clEnqueueWriteBufferRect(queues[reader], b, CL_TRUE, origin, zero, box, 16, 64, 8, 16, piece, 0, NULL, NULL));
            CHECK(clEnqueueReadBuffer(queues[!reader], b, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
            CHECK_THAT(values[4] == 4 + 2 && values[5] == 1 && values[6] == 2 && values[9] == 3 && values[21] == 5 && values[26] == 8 &&
                       values[27] == 27 + 2);
            CHECK(clReleaseMemObject(a));
            CHECK(clReleaseMemObject(b));
        }
}

/* A region mapped for reading or writing, over CL_MEM_USE_HOST_PTR too. */
static void test_maps(void **state)
{
    (void)state;
    cl_int memory[COUNT], err;
    for (int i = 0; i < COUNT; i++)
        memory[i] = i;
    cl_mem mem = test_buffer(context, CL_MEM_USE_HOST_PTR, BYTES, memory);
    finish(add(REMOTE, mem, 10, COUNT, NULL));
    cl_int *part = clEnqueueMapBuffer(queues[CPU], mem, CL_TRUE, CL_MAP_READ, 16, 64, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK_THAT(part == memory + 4 && part[0] == 14 && part[15] == 29);
    CHECK(clEnqueueUnmapMemObject(queues[CPU], mem, part, 0, NULL, NULL));
    part = clEnqueueMapBuffer(queues[REMOTE], mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 16, 0, NULL, NULL, &err);
    CHECK(err);
    for (int i = 0; i < 4; i++)
        part[i] = i + 10;
    CHECK(clEnqueueUnmapMemObject(queues[REMOTE], mem, part, 0, NULL, NULL));
    finish(add(REMOTE, mem, 1, COUNT, NULL));
    expect(REMOTE, mem, 11);
    expect(CPU, mem, 11);
    CHECK(clReleaseMemObject(mem));
}

static void test_migrate_command(void **state)
{
    (void)state;
    cl_mem mem = counted(CL_MEM_READ_WRITE), mems[] = {mem};
    CHECK(clEnqueueMigrateMemObjects(queues[REMOTE], 1, mems, 0, 0, NULL, NULL));
    finish(add(REMOTE, mem, 3, COUNT, NULL));
    CHECK(clEnqueueMigrateMemObjects(queues[REMOTE], 1, mems, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    CHECK(clFinish(queues[REMOTE]));
    expect(CPU, mem, 3);
    cl_int values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = i - 1;
    CHECK(clEnqueueMigrateMemObjects(queues[REMOTE], 1, mems, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
    CHECK(clEnqueueWriteBuffer(queues[REMOTE], mem, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    expect(CPU, mem, -1);
    CHECK(clReleaseMemObject(mem));
}

/* Two devices read one buffer at a time; what only reads leaves all copies good. */
static void test_readers(void **state)
{
    (void)state;
    cl_mem a = counted(CL_MEM_READ_WRITE), b = counted(CL_MEM_READ_ONLY), out[2];
    cl_event events[2];
    size_t count = COUNT;
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = test_kernel(program, "sum");
        out[i] = test_buffer(context, CL_MEM_WRITE_ONLY, BYTES, NULL);
        CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
        CHECK(clSetKernelArg(kernel, 1, sizeof b, &b));
        CHECK(clSetKernelArg(kernel, 2, sizeof out[i], &out[i]));
        CHECK(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &count, NULL, 0, NULL, &events[i]));
        CHECK(clFlush(queues[i]));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clWaitForEvents(2, events));
    for (int i = 0; i < 2; i++) {
        cl_int values[COUNT];
        CHECK(clEnqueueReadBuffer(queues[!i], out[i], CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
        for (int k = 0; k < COUNT; k++)
            CHECK_THAT(values[k] == 2 * k);
        CHECK(clReleaseEvent(events[i]));
        CHECK(clReleaseMemObject(out[i]));
    }
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
}

static int told;

/* Counts the messages with the text `data`. */
static void CL_CALLBACK count_errors(const char *message, const void *private_info, size_t cb, void *data)
{
    (void)private_info, (void)cb;
    told += strstr(message, data) != NULL;
}

/* 16 MiB each is allowed, five of them are more than the device has: the command fails and says so, the others and the host go on. */
static void test_device_memory_ends(void **state)
{
    (void)state;
    enum { BUFFERS = 6, EACH = 16 << 20 };
    cl_context own;
    CHECK_CREATE(own, clCreateContext(NULL, 2, devices, count_errors, (void *)"memory", &err), CL_SUCCESS);
    cl_command_queue queue = test_queue(own, devices[REMOTE], 0), host = test_queue(own, devices[CPU], 0);
    cl_mem mems[BUFFERS];
    cl_int value = 9, failed = 0, got;
    told = 0;
    for (int i = 0; i < BUFFERS; i++) {
        cl_event event;
        cl_int status;
        mems[i] = test_buffer(own, 0, EACH - (i == 0), NULL); /* an odd size */
        CHECK(clEnqueueFillBuffer(queue, mems[i], &value, 1, 0, 100, 0, NULL, &event));
        CHECK(clFinish(queue));
        CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK_THAT(status == CL_COMPLETE || status == CL_MEM_OBJECT_ALLOCATION_FAILURE);
        failed += status != CL_COMPLETE;
        CHECK(clReleaseEvent(event));
    }
    CHECK_THAT(failed >= 2 && failed < BUFFERS && told == failed);
    CHECK(clEnqueueFillBuffer(host, mems[BUFFERS - 1], &value, 1, 0, 100, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(host, mems[BUFFERS - 1], CL_TRUE, 50, sizeof got, &got, 0, NULL, NULL));
    CHECK_THAT(got == 0x09090909);
    CHECK(clReleaseMemObject(mems[0]));
    CHECK(clEnqueueReadBuffer(queue, mems[BUFFERS - 1], CL_TRUE, 50, sizeof got, &got, 0, NULL, NULL)); /* there is room again */
    CHECK_THAT(got == 0x09090909);
    cl_mem larger = test_buffer(own, 0, 2 * EACH, NULL); /* the CPU can hold it */
    CHECK_CODE(clEnqueueWriteBuffer(queue, larger, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK(clReleaseMemObject(larger));
    for (int i = 1; i < BUFFERS; i++)
        CHECK(clReleaseMemObject(mems[i]));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseCommandQueue(host));
    CHECK(clReleaseContext(own));
}

static void test_svm(void **state)
{
    (void)state;
    cl_device_svm_capabilities has;
    CHECK(clGetDeviceInfo(devices[REMOTE], CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL));
    CHECK_THAT(has == 0);
    cl_context alone = test_context(devices[REMOTE]);
    CHECK_THAT(!clSVMAlloc(alone, CL_MEM_READ_WRITE, 64, 0));
    CHECK(clReleaseContext(alone));
    /* In a context with the CPU, that one's commands and kernels take it. */
    cl_int *svm = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, BYTES, 0), by = 3;
    CHECK_THAT(svm);
    memset(svm, 0, BYTES);
    cl_kernel kernel = test_kernel(program, "add");
    size_t count = COUNT;
    CHECK(clSetKernelArgSVMPointer(kernel, 0, svm));
    CHECK(clSetKernelArg(kernel, 1, sizeof by, &by));
    CHECK_CODE(clEnqueueNDRangeKernel(queues[REMOTE], kernel, 1, NULL, &count, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clEnqueueNDRangeKernel(queues[CPU], kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    CHECK(clFinish(queues[CPU]));
    CHECK_THAT(svm[COUNT - 1] == 3);
    CHECK_CODE(clEnqueueSVMMemFill(queues[REMOTE], svm, &by, 4, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(clEnqueueSVMMap(queues[REMOTE], CL_TRUE, CL_MAP_READ, svm, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_mem mem = counted(CL_MEM_READ_WRITE); /* a buffer in its place makes the kernel fit again */
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CHECK(clEnqueueNDRangeKernel(queues[REMOTE], kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    expect(REMOTE, mem, 3);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    clSVMFree(context, svm);
}

/* A buffer has an address on each device, the same as long as it lives, and its bytes are brought to where a launch has such an address. */
static void test_known_addresses(void **state)
{
    (void)state;
    const cl_mem_properties properties[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
    clSetKernelArgDevicePointerEXT_fn set_pointer =
        (clSetKernelArgDevicePointerEXT_fn)clGetExtensionFunctionAddressForPlatform(test_platform(), "clSetKernelArgDevicePointerEXT");
    cl_int values[COUNT] = {0}, by = 1;
    cl_mem mem;
    cl_mem_device_address_ext addresses[2], again[2];
    size_t size, half = COUNT / 2;
    CHECK_CREATE(mem, clCreateBufferWithProperties(context, properties, CL_MEM_COPY_HOST_PTR, BYTES, values, &err), CL_SUCCESS);
    CHECK(clGetMemObjectInfo(mem, CL_MEM_DEVICE_ADDRESS_EXT, sizeof addresses, addresses, &size));
    CHECK_THAT(size == sizeof addresses && addresses[CPU] && addresses[REMOTE] && addresses[CPU] != addresses[REMOTE]);
    cl_kernel kernel = test_kernel(program, "add");
    for (int turn = 0; turn < 6; turn++, by *= 10) {
        int where = turn % 2;
        CHECK(set_pointer(kernel, 0, addresses[where] + BYTES / 2));
        CHECK(clSetKernelArg(kernel, 1, sizeof by, &by));
        CHECK(clEnqueueNDRangeKernel(queues[where], kernel, 1, NULL, &half, NULL, 0, NULL, NULL));
        CHECK(clFinish(queues[where]));
    }
    for (int where = CPU; where <= REMOTE; where++) {
        CHECK(clEnqueueReadBuffer(queues[where], mem, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(values[i], i < COUNT / 2 ? 0 : 111111);
    }
    CHECK(clGetMemObjectInfo(mem, CL_MEM_DEVICE_ADDRESS_EXT, sizeof again, again, &size));
    CHECK_THAT(!memcmp(addresses, again, sizeof again));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
    /* It is allocated at once, so a device without memory for it shows at once. */
    cl_ulong all;
    cl_mem more[64];
    int made = 0;
    CHECK(clGetDeviceInfo(devices[REMOTE], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
    cl_int err = CL_SUCCESS;
    while (made < 64 && (more[made] = clCreateBufferWithProperties(context, properties, 0, all / 8, NULL, &err)))
        made++;
    CHECK_THAT(err == CL_MEM_OBJECT_ALLOCATION_FAILURE && made >= 6);
    while (made)
        CHECK(clReleaseMemObject(more[--made]));
}

/* Only the CPU has unified shared memory. What is allocated without a device is for it, and its limits hold, not the smaller ones of the
 * other device. */
static void test_usm(void **state)
{
    (void)state;
    usm_load();
    const cl_device_info queries[] = {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
                                      CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
                                      CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        for (int where = CPU; where <= REMOTE; where++) {
            cl_device_unified_shared_memory_capabilities_intel has = 99;
            CHECK(clGetDeviceInfo(devices[where], queries[i], sizeof has, &has, NULL));
            assert_int_equal(has, where == CPU ? 15 : 0);
        }
    cl_ulong most;
    CHECK(clGetDeviceInfo(devices[REMOTE], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    cl_int *all, *none;
    CHECK_CREATE(none, usm_clDeviceMemAllocINTEL(context, devices[REMOTE], NULL, 64, 0, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(none, usm_clSharedMemAllocINTEL(context, devices[REMOTE], NULL, 64, 0, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(all, usm_clSharedMemAllocINTEL(context, NULL, NULL, most + 1, 0, &err), CL_SUCCESS);
    CHECK(usm_clMemFreeINTEL(context, all));
    CHECK_CREATE(all, usm_clHostMemAllocINTEL(context, NULL, BYTES, 0, &err), CL_SUCCESS);

    cl_context alone = test_context(devices[REMOTE]);
    cl_program built = test_build(alone, devices[REMOTE], "kernel void one(global int *p) { *p = 1; }", "");
    cl_kernel one = test_kernel(built, "one"), kernel = test_kernel(program, "add");
    const cl_bool yes = CL_TRUE;
    CHECK_CREATE(none, usm_clHostMemAllocINTEL(alone, NULL, 64, 0, &err), CL_INVALID_OPERATION);
    CHECK_CREATE(none, usm_clSharedMemAllocINTEL(alone, NULL, NULL, 64, 0, &err), CL_INVALID_OPERATION);
    CHECK_CODE(clSetKernelExecInfo(one, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes), CL_INVALID_OPERATION);
    CHECK_CODE(clSetKernelExecInfo(one, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof all, &all), CL_INVALID_OPERATION);
    CHECK_CODE(usm_clSetKernelArgMemPointerINTEL(one, 0, all), CL_INVALID_OPERATION);

    /* The CPU's kernels and commands take it, and mix it with buffers; the other device's do not. */
    cl_int by = 3, pattern = 7;
    size_t count = COUNT;
    CHECK(usm_clEnqueueMemFillINTEL(queues[CPU], all, &pattern, sizeof pattern, BYTES, 0, NULL, NULL));
    CHECK(usm_clSetKernelArgMemPointerINTEL(kernel, 0, all));
    CHECK(clSetKernelArg(kernel, 1, sizeof by, &by));
    CHECK_CODE(clEnqueueNDRangeKernel(queues[REMOTE], kernel, 1, NULL, &count, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clEnqueueNDRangeKernel(queues[CPU], kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    CHECK_CODE(usm_clEnqueueMemFillINTEL(queues[REMOTE], all, &pattern, 4, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(usm_clEnqueueMemsetINTEL(queues[REMOTE], all, 0, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(usm_clEnqueueMemcpyINTEL(queues[REMOTE], CL_TRUE, all, &by, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(usm_clEnqueueMigrateMemINTEL(queues[REMOTE], all, 4, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(usm_clEnqueueMemAdviseINTEL(queues[REMOTE], all, 4, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clFinish(queues[CPU]));
    CHECK_THAT(all[0] == 10 && all[COUNT - 1] == 10);
    /* A buffer of the other device is read and written with it as with memory of the host. */
    cl_mem mem = counted(CL_MEM_READ_WRITE);
    finish(add(REMOTE, mem, 5, COUNT, NULL));
    CHECK(clEnqueueReadBuffer(queues[REMOTE], mem, CL_TRUE, 0, BYTES, all, 0, NULL, NULL));
    CHECK_THAT(all[0] == 5 && all[COUNT - 1] == COUNT + 4);
    CHECK(clReleaseMemObject(mem));
    CHECK(usm_clMemBlockingFreeINTEL(context, all));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(one));
    CHECK(clReleaseProgram(built));
    CHECK(clReleaseContext(alone));
}

/* cl_khr_unified_svm and pipes, which the CPU alone has. */
static void test_of_one_device(void **state)
{
    (void)state;
    clSVMAllocWithPropertiesKHR_fn allocate;
    const struct test_function function = {&allocate, "clSVMAllocWithPropertiesKHR"};
    test_find_functions(&function, 1);
    size_t size;
    CHECK(clGetDeviceInfo(devices[REMOTE], CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, 0, NULL, &size));
    assert_int_equal(size, 0);
    void *memory;
    CHECK_CREATE(memory, allocate(context, NULL, 0, 64, &err), CL_INVALID_OPERATION);

    cl_uint number = 1;
    CHECK(clGetDeviceInfo(devices[REMOTE], CL_DEVICE_MAX_PIPE_ARGS, sizeof number, &number, NULL));
    assert_int_equal(number, 0);
    cl_context alone = test_context(devices[REMOTE]);
    cl_mem pipe;
    CHECK_CREATE(pipe, clCreatePipe(alone, 0, 4, 4, NULL, &err), CL_INVALID_OPERATION);
    CHECK(clReleaseContext(alone));
    CHECK_CREATE(pipe, clCreatePipe(context, 0, sizeof(cl_int), 4, NULL, &err), CL_SUCCESS);
    const char *source = "kernel void k(write_only pipe int p, read_only pipe int q, global int *out) {\n"
                         "    int x = 5, y = 0; *out = write_pipe(p, &x) == 0 && read_pipe(q, &y) == 0 ? y : 0;\n"
                         "}\n";
    cl_program built;
    CHECK_CREATE(built, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    CHECK_CODE(clBuildProgram(built, 1, &devices[REMOTE], "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(clBuildProgram(built, 1, &devices[CPU], "-cl-std=CL3.0", NULL, NULL));
    cl_kernel kernel = test_kernel(built, "k");
    cl_mem out = counted(CL_MEM_READ_WRITE);
    const size_t one = 1;
    cl_int got = 0;
    CHECK(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
    CHECK(clSetKernelArg(kernel, 1, sizeof pipe, &pipe));
    CHECK(clSetKernelArg(kernel, 2, sizeof out, &out));
    CHECK(clEnqueueNDRangeKernel(queues[CPU], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queues[CPU], out, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    assert_int_equal(got, 5);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(built));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(pipe));
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
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_extensions),
        cmocka_unit_test(test_sub_devices),
        cmocka_unit_test(test_migration),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_sub_buffers),
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_migrate_command),
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_device_memory_ends),
        cmocka_unit_test(test_svm),
        cmocka_unit_test(test_usm),
        cmocka_unit_test(test_of_one_device),
        cmocka_unit_test(test_known_addresses),
        cmocka_unit_test(test_native_kernel),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_refused_launch),
        cmocka_unit_test(test_kernel_infos),
        cmocka_unit_test(test_one_device_fails),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_binaries),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
