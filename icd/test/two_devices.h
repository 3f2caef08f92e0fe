/* SPDX-License-Identifier: Apache-2.0
 * What the tests with two devices share: a context of the CPU and of the device of remote_device.c, which has memory and a queue of its own
 * and lacks some extensions; a queue on each, and a program for both. They run with the driver that has both devices. */
#ifndef TESSERA_ICD_TEST_TWO_DEVICES_H
#define TESSERA_ICD_TEST_TWO_DEVICES_H

#include "icd/test/usm.h"

enum { CPU, REMOTE, COUNT = 64, BYTES = COUNT * sizeof(cl_int) };

static cl_device_id devices[2];
static cl_context context;
static cl_command_queue queues[2];
static cl_program program;

/* CL_DEVICE_TYPE_ALL lists them in the order of icd/test/two_devices.def. */
static CL_TEST_UNUSED int begin(void **state)
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

static CL_TEST_UNUSED int end(void **state)
{
    (void)state;
    CHECK(clReleaseProgram(program));
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseCommandQueue(queues[i]));
    CHECK(clReleaseContext(context));
    return 0;
}

/* Runs `add` over `count` elements; the event is the caller's. */
static CL_TEST_UNUSED cl_event add(int where, cl_mem mem, cl_int by, size_t count, cl_event after)
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

static CL_TEST_UNUSED void finish(cl_event event)
{
    CHECK(clWaitForEvents(1, &event));
    CHECK(clReleaseEvent(event));
}

static CL_TEST_UNUSED cl_mem counted(cl_mem_flags flags)
{
    static cl_int values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    return test_buffer(context, flags | CL_MEM_COPY_HOST_PTR, BYTES, values);
}

/* Every element is its index and `more`, seen from the queue. */
static CL_TEST_UNUSED void expect(int where, cl_mem mem, cl_int more)
{
    cl_int values[COUNT];
    CHECK(clEnqueueReadBuffer(queues[where], mem, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        if (values[i] != i + more)
            fail_msg("element %d is %d, not %d", i, values[i], i + more);
}

/* Counts the messages with the text `data`. */
static CL_TEST_UNUSED int told;
static CL_TEST_UNUSED void CL_CALLBACK count_errors(const char *message, const void *private_info, size_t cb, void *data)
{
    (void)private_info, (void)cb;
    told += strstr(message, data) != NULL;
}

#endif
