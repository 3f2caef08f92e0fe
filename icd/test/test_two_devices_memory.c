/* SPDX-License-Identifier: Apache-2.0
 * Memory that two devices of a context use in turn: buffers and their parts, mappings, migrations, SVM, USM and addresses. */
#include "icd/test/two_devices.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_migration),     cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_sub_buffers),   cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_maps),          cmocka_unit_test(test_migrate_command),
        cmocka_unit_test(test_readers),       cmocka_unit_test(test_device_memory_ends),
        cmocka_unit_test(test_svm),           cmocka_unit_test(test_usm),
        cmocka_unit_test(test_of_one_device), cmocka_unit_test(test_known_addresses),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
