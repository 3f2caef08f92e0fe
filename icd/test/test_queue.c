/* SPDX-License-Identifier: Apache-2.0
 * Tests of queues: creation, queries, flush, finish, markers, barriers, timers. */
#include "icd/test/cl_test.h"

static void test_create(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    cl_context context = test_context(device);
    cl_command_queue queue;

    CHECK_CREATE(queue, clCreateCommandQueueWithProperties(NULL, device, NULL, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(queue, clCreateCommandQueueWithProperties(context, NULL, NULL, &err), CL_INVALID_DEVICE);
    CHECK_CREATE(queue, clCreateCommandQueueWithProperties(context, (cl_device_id)context, NULL, &err), CL_INVALID_DEVICE);
    CHECK_CREATE(queue, clCreateCommandQueue(NULL, device, 0, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(queue, clCreateCommandQueue(context, NULL, 0, &err), CL_INVALID_DEVICE);
    CHECK_CREATE(queue, clCreateCommandQueue(context, device, 1u << 20, &err), CL_INVALID_VALUE);
    CHECK_CREATE(queue, clCreateCommandQueue(context, device, CL_QUEUE_ON_DEVICE, &err), CL_INVALID_VALUE);

    const cl_command_queue_properties device_queue = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_device_device_enqueue_capabilities has;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof has, &has, NULL));
    const cl_int on_device = has ? CL_SUCCESS : CL_INVALID_QUEUE_PROPERTIES;
    const struct {
        cl_queue_properties list[5];
        cl_int code;
    } cases[] = {
        {{0}, CL_SUCCESS},
        {{CL_QUEUE_PROPERTIES, 0, 0}, CL_SUCCESS},
        {{CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}, CL_SUCCESS},
        {{CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0}, CL_SUCCESS},
        {{CL_QUEUE_PROPERTIES, 1u << 20, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_SIZE, 1024, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PROPERTIES, device_queue, 0}, on_device},
        {{CL_QUEUE_PROPERTIES, device_queue, CL_QUEUE_SIZE, 1024, 0}, on_device},
        {{CL_QUEUE_PROPERTIES, device_queue, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, 0}, CL_INVALID_QUEUE_PROPERTIES},
        {{CL_QUEUE_PROPERTIES, device_queue, CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR, 0}, CL_INVALID_QUEUE_PROPERTIES},
        {{CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0}, CL_INVALID_VALUE},
        {{0x7777, 0, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, 0}, CL_SUCCESS},
        {{CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_MED_KHR, 0}, CL_SUCCESS},
        {{CL_QUEUE_PRIORITY_KHR, 0, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR | CL_QUEUE_PRIORITY_LOW_KHR, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_THROTTLE_KHR, 8, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR, CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR, 0}, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CREATE(queue, clCreateCommandQueueWithProperties(context, device, cases[i].list, &err), cases[i].code);
        if (queue)
            CHECK(clReleaseCommandQueue(queue));
    }
    CHECK_THAT(!clCreateCommandQueue(NULL, NULL, 0, NULL)); /* errcode_ret may be NULL */
    CHECK(clReleaseContext(context));
}

static void test_info(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    cl_context context = test_context(device);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}, got_list[8];
    cl_command_queue queue;
    CHECK_CREATE(queue, clCreateCommandQueueWithProperties(context, device, list, &err), CL_SUCCESS);

    cl_context got_context;
    cl_device_id got_device;
    cl_uint count;
    cl_command_queue_properties flags;
    cl_command_queue other = queue;
    size_t size = 0;
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof got_context, &got_context, &size));
    CHECK_THAT(got_context == context && size == sizeof got_context);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof got_device, &got_device, NULL));
    CHECK_THAT(got_device == device);
    CHECK(clRetainCommandQueue(queue));
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK_THAT(count == 2);
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK_THAT(count == 1);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof flags, &flags, NULL));
    CHECK_THAT(flags == CL_QUEUE_PROFILING_ENABLE);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof got_list, got_list, &size));
    CHECK_THAT(size == sizeof list && !memcmp(list, got_list, size));
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE_DEFAULT, sizeof other, &other, NULL));
    CHECK_THAT(!other);
    CHECK_CODE(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof count, &count, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clGetCommandQueueInfo(queue, 0x7777, sizeof count, &count, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, 1, &got_context, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetCommandQueueInfo(NULL, CL_QUEUE_CONTEXT, sizeof got_context, &got_context, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK(clReleaseCommandQueue(queue));

    CHECK_CREATE(queue, clCreateCommandQueue(context, device, 0, &err), CL_SUCCESS);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    CHECK_THAT(size == 0);
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

static void test_refusals(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    CHECK_CODE(clSetCommandQueueProperty(w.queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL), CL_INVALID_OPERATION);
    CHECK_CODE(clSetCommandQueueProperty(NULL, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_device_device_enqueue_capabilities has;
    CHECK(clGetDeviceInfo(w.device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof has, &has, NULL));
    const cl_int no_device_queue = has ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_OPERATION;
    CHECK_CODE(clSetDefaultDeviceCommandQueue(w.context, w.device, w.queue), no_device_queue);
    CHECK_CODE(clSetDefaultDeviceCommandQueue(w.context, w.device, NULL), no_device_queue);
    CHECK_CODE(clSetDefaultDeviceCommandQueue(NULL, w.device, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clSetDefaultDeviceCommandQueue(w.context, NULL, NULL), CL_INVALID_DEVICE);
    CHECK_CODE(clRetainCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clReleaseCommandQueue((cl_command_queue)w.context), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clFlush(NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
    test_end(&w);
}

static void test_markers(void **state)
{
    (void)state;
    struct test_world w = test_begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_context other = test_context(w.device);
    cl_event gate, foreign, marker, barrier;
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK_CREATE(foreign, clCreateUserEvent(other, &err), CL_SUCCESS);

    CHECK_CODE(clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueMarkerWithWaitList(w.queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(clEnqueueMarkerWithWaitList(w.queue, 0, &gate, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(clEnqueueMarkerWithWaitList(w.queue, 1, (cl_event *)&w.queue, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(clEnqueueMarkerWithWaitList(w.queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clEnqueueBarrierWithWaitList(NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueBarrierWithWaitList(w.queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(clEnqueueBarrierWithWaitList(w.queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clEnqueueMarker(w.queue, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueMarker(NULL, &marker), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueBarrier(NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueWaitForEvents(NULL, 1, &gate), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(clEnqueueWaitForEvents(w.queue, 0, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueWaitForEvents(w.queue, 1, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clEnqueueWaitForEvents(w.queue, 1, &foreign), CL_INVALID_CONTEXT);
    cl_event none = NULL;
    CHECK_CODE(clEnqueueWaitForEvents(w.queue, 1, &none), CL_INVALID_EVENT);

    /* A gate, a marker behind it, a marker of everything, a barrier, and a marker behind the barrier with nothing else to wait for. */
    cl_event all, behind, done;
    CHECK_CREATE(done, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(clSetUserEventStatus(done, CL_COMPLETE));
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &gate, &marker));
    CHECK(clEnqueueMarker(w.queue, &all));
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &done, &behind)); /* not behind the barrier: free to complete */
    CHECK(clWaitForEvents(1, &behind));
    CHECK(clReleaseEvent(behind));
    CHECK(clEnqueueBarrierWithWaitList(w.queue, 0, NULL, &barrier));
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &done, &behind));
    CHECK(clFlush(w.queue));
    cl_event events[] = {marker, all, barrier, behind};
    cl_int status;
    for (int i = 0; i < 4; i++) {
        CHECK(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK_THAT(status > CL_RUNNING);
    }
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(w.queue));
    for (int i = 0; i < 4; i++) {
        CHECK(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK_THAT(status == CL_COMPLETE);
        CHECK(clReleaseEvent(events[i]));
    }
    CHECK(clReleaseEvent(done));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(foreign));
    CHECK(clReleaseContext(other));
    test_end(&w);
}

/* What is enqueued runs although queue, context and event are released at once. */
static void test_release_running(void **state)
{
    (void)state;
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        struct test_world w = test_begin(out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_event gate, last;
        CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
        cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
        unsigned char one = 1, seen[64] = {0};
        CHECK(clEnqueueFillBuffer(w.queue, buffer, &one, 1, 0, 64, 1, &gate, NULL));
        CHECK(clEnqueueBarrier(w.queue));
        CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_FALSE, 0, 64, seen, 0, NULL, &last));
        CHECK(clReleaseMemObject(buffer));
        CHECK(clReleaseCommandQueue(w.queue));
        CHECK(clReleaseContext(w.context));
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clReleaseEvent(gate));
        CHECK(clWaitForEvents(1, &last));
        CHECK(clReleaseEvent(last));
        for (int i = 0; i < 64; i++)
            CHECK_THAT(seen[i] == 1);
    }
}

static void test_timers(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    cl_ulong a, b, host;
    CHECK(clGetHostTimer(device, &host));
    CHECK(clGetDeviceAndHostTimer(device, &a, &b));
    CHECK_THAT(b >= host && a >= host && a - host < 10ull * 1000 * 1000 * 1000);
    CHECK_CODE(clGetHostTimer(NULL, &host), CL_INVALID_DEVICE);
    CHECK_CODE(clGetHostTimer(device, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetDeviceAndHostTimer(NULL, &a, &b), CL_INVALID_DEVICE);
    CHECK_CODE(clGetDeviceAndHostTimer(device, NULL, &b), CL_INVALID_VALUE);
    CHECK_CODE(clGetDeviceAndHostTimer(device, &a, NULL), CL_INVALID_VALUE);
}

/* A queue of 20,000, again and again: the memory of commands is given back. */
static void test_many(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    unsigned char zero = 0;
    long after_first = 0;
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 20000; i++)
            CHECK(clEnqueueFillBuffer(w.queue, buffer, &zero, 1, 0, 64, 0, NULL, NULL));
        CHECK(clFinish(w.queue));
        if (round == 1)
            after_first = test_resident_kib();
    }
    /* 20,000 commands take about 8,000 KiB. How many wait at once differs from round to round, so one round more than the first two
     * is no leak; commands that are not freed would take four. */
    CHECK_THAT(CL_TEST_SANITIZED || test_resident_kib() < after_first + 20000);
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),  cmocka_unit_test(test_info),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_markers), cmocka_unit_test(test_timers), cmocka_unit_test(test_release_running),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
