/* SPDX-License-Identifier: Apache-2.0
 * Semaphores: signals and waits in any order, over queues, and the code of each error. */
#include <time.h>

#include "cl_test.h"

static struct {
    clCreateSemaphoreWithPropertiesKHR_fn create;
    clEnqueueWaitSemaphoresKHR_fn wait;
    clEnqueueSignalSemaphoresKHR_fn signal;
    clGetSemaphoreInfoKHR_fn info;
    clRetainSemaphoreKHR_fn retain;
    clReleaseSemaphoreKHR_fn release;
} sem;

static int find_functions(void **state)
{
    (void)state;
    const struct test_function all[] = {
        {&sem.create, "clCreateSemaphoreWithPropertiesKHR"},
        {&sem.wait, "clEnqueueWaitSemaphoresKHR"},
        {&sem.signal, "clEnqueueSignalSemaphoresKHR"},
        {&sem.info, "clGetSemaphoreInfoKHR"},
        {&sem.retain, "clRetainSemaphoreKHR"},
        {&sem.release, "clReleaseSemaphoreKHR"},
    };
    test_find_functions(all, sizeof all / sizeof *all);
    return 0;
}

static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

static cl_semaphore_khr new_semaphore(cl_context context)
{
    cl_semaphore_khr semaphore;
    CHECK_CREATE(semaphore, sem.create(context, binary, &err), CL_SUCCESS);
    return semaphore;
}

static cl_semaphore_payload_khr payload_of(cl_semaphore_khr semaphore)
{
    cl_semaphore_payload_khr payload = 77;
    CHECK(sem.info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, NULL));
    return payload;
}

static cl_int status_of(cl_event event)
{
    cl_int status;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static cl_command_type type_of(cl_event event)
{
    cl_command_type type;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    return type;
}

static void signal_then_wait(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_command_queue other = test_queue(w.context, w.device, 0);
    cl_semaphore_khr semaphore = new_semaphore(w.context);
    cl_event events[2];
    for (int i = 0; i < 5; i++) {
        assert_int_equal(payload_of(semaphore), 0);
        CHECK(sem.signal(w.queue, 1, &semaphore, NULL, 0, NULL, &events[0]));
        CHECK(clFinish(w.queue));
        assert_int_equal(payload_of(semaphore), 1);
        CHECK(sem.wait(other, 1, &semaphore, NULL, 0, NULL, &events[1]));
        CHECK(clFinish(other));
        assert_int_equal(type_of(events[0]), CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
        assert_int_equal(type_of(events[1]), CL_COMMAND_SEMAPHORE_WAIT_KHR);
        for (int k = 0; k < 2; k++)
            CHECK(clReleaseEvent(events[k]));
    }
    CHECK(sem.release(semaphore));
    CHECK(clReleaseCommandQueue(other));
    test_end(&w);
}

/* A wait may be enqueued before its signal, and holds back what the signal's queue has not done yet. */
static void wait_then_signal(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_command_queue other = test_queue(w.context, w.device, 0);
    cl_semaphore_khr semaphore = new_semaphore(w.context);
    cl_mem mem = test_buffer(w.context, CL_MEM_READ_WRITE, 4, NULL);
    const cl_int one = 1, two = 2;
    for (int round = 0; round < 20; round++) {
        cl_event gate, waited, read;
        cl_int got = 0;
        CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
        CHECK(clEnqueueFillBuffer(other, mem, &one, sizeof one, 0, 4, 0, NULL, NULL));
        CHECK(clFinish(other));
        CHECK(sem.wait(other, 1, &semaphore, NULL, 0, NULL, &waited));
        CHECK(clEnqueueReadBuffer(other, mem, CL_FALSE, 0, 4, &got, 0, NULL, &read));
        CHECK(clFlush(other));
        CHECK(clEnqueueFillBuffer(w.queue, mem, &two, sizeof two, 0, 4, 1, &gate, NULL));
        CHECK(sem.signal(w.queue, 1, &semaphore, NULL, 0, NULL, NULL));
        CHECK(clFlush(w.queue));
        assert_true(status_of(waited) > CL_COMPLETE);
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clWaitForEvents(1, &read));
        assert_int_equal(got, 2);
        assert_int_equal(status_of(waited), CL_COMPLETE);
        assert_int_equal(payload_of(semaphore), 0);
        CHECK(clReleaseEvent(gate));
        CHECK(clReleaseEvent(waited));
        CHECK(clReleaseEvent(read));
    }
    CHECK(clReleaseMemObject(mem));
    CHECK(sem.release(semaphore));
    CHECK(clReleaseCommandQueue(other));
    test_end(&w);
}

static void twice_in_a_list(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_semaphore_khr semaphore = new_semaphore(w.context), twice[2] = {semaphore, semaphore};
    cl_event waited;
    CHECK(sem.signal(w.queue, 2, twice, NULL, 0, NULL, NULL));
    CHECK(sem.wait(w.queue, 2, twice, NULL, 0, NULL, &waited));
    CHECK(clFlush(w.queue));
    for (int i = 0; i < 5000 && status_of(waited) > CL_COMPLETE; i++)
        usleep(1000);
    assert_int_equal(status_of(waited), CL_COMPLETE);
    assert_int_equal(payload_of(semaphore), 0);
    CHECK(clReleaseEvent(waited));
    CHECK(sem.release(semaphore));
    test_end(&w);
}

static void wait_for_each(const struct test_world *w, const cl_semaphore_khr *list, cl_uint count)
{
    cl_event waited;
    CHECK(sem.signal(w->queue, count, list, NULL, 0, NULL, NULL));
    CHECK(sem.wait(w->queue, count, list, NULL, 0, NULL, &waited));
    CHECK(clWaitForEvents(1, &waited));
    assert_int_equal(status_of(waited), CL_COMPLETE);
    CHECK(clReleaseEvent(waited));
    for (cl_uint i = 0; i < count; i += count / 7)
        assert_int_equal(payload_of(list[i]), 0);
}

/* Processor time of long lists, and of one semaphore for which many commands wait. */
static clock_t time_of_many(const struct test_world *w, cl_uint many)
{
    cl_semaphore_khr *list = malloc(many * sizeof *list);
    assert_non_null(list);
    clock_t begin = clock();
    for (cl_uint i = 0; i < many; i++)
        list[i] = i % 5 == 4 ? list[i - i % 100] : new_semaphore(w->context);
    wait_for_each(w, list, many);
    for (cl_uint i = 1; i < many; i++)
        if (i % 5 != 4)
            CHECK(sem.release(list[i]));
    cl_event last = NULL;
    for (cl_uint i = 0; i < many; i++)
        CHECK(sem.wait(w->queue, 1, list, NULL, 0, NULL, i == many - 1 ? &last : NULL));
    for (cl_uint i = 0; i < many; i++) {
        if (i % 1000 == 0)
            assert_true(status_of(last) > CL_COMPLETE);
        CHECK(sem.signal(w->queue, 1, list, NULL, 0, NULL, NULL));
    }
    CHECK(clFinish(w->queue));
    assert_int_equal(status_of(last), CL_COMPLETE);
    CHECK(clReleaseEvent(last));
    CHECK(sem.release(list[0]));
    clock_t spent = clock() - begin;
    free(list);
    return spent;
}

static void many_at_once(void **state)
{
    (void)state;
    enum { MANY = 50000 };
    struct test_world w = test_begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    clock_t some = time_of_many(&w, MANY), more = time_of_many(&w, 4 * MANY);
    if (more > 10 * some)
        fail_msg("%d: %.2f s, four times as many: %.2f s", MANY, (double)some / CLOCKS_PER_SEC, (double)more / CLOCKS_PER_SEC);
    test_end(&w);
}

/* After a wait is enqueued, the semaphore can be signaled again, whatever has run. */
static void many_rounds_at_once(void **state)
{
    (void)state;
    enum { ROUNDS = 50 };
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        struct test_world w = test_begin(out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_command_queue other = test_queue(w.context, w.device, 0);
        cl_semaphore_khr semaphores[2] = {new_semaphore(w.context), new_semaphore(w.context)};
        cl_event gate, last = NULL;
        CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
        for (int i = 0; i < ROUNDS; i++) {
            CHECK(sem.signal(w.queue, 2, semaphores, NULL, 1, &gate, NULL));
            if (last)
                CHECK(clReleaseEvent(last));
            CHECK(sem.wait(other, 2, semaphores, NULL, 0, NULL, &last));
        }
        CHECK(clFlush(other));
        assert_true(status_of(last) > CL_COMPLETE);
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clWaitForEvents(1, &last));
        CHECK(clFinish(other));
        CHECK(clReleaseEvent(last));
        CHECK(clReleaseEvent(gate));
        for (int i = 0; i < 2; i++)
            CHECK(sem.release(semaphores[i]));
        CHECK(clReleaseCommandQueue(other));
        test_end(&w);
    }
}

/* What can never be signaled fails, and does not hang. */
static void failures(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_command_queue other = test_queue(w.context, w.device, 0);
    cl_semaphore_khr semaphore = new_semaphore(w.context);
    cl_event gate, waited;
    CHECK_CREATE(gate, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(sem.signal(w.queue, 1, &semaphore, NULL, 1, &gate, NULL));
    CHECK(sem.wait(other, 1, &semaphore, NULL, 0, NULL, &waited));
    CHECK(clSetUserEventStatus(gate, -7));
    CHECK_CODE(clWaitForEvents(1, &waited), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_true(status_of(waited) < 0);
    CHECK(clReleaseEvent(waited));
    /* An event that has failed is told at once. */
    CHECK_CODE(sem.signal(w.queue, 1, &semaphore, NULL, 1, &gate, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_CODE(sem.wait(w.queue, 1, &semaphore, NULL, 1, &gate, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clReleaseEvent(gate));

    CHECK(sem.wait(other, 1, &semaphore, NULL, 0, NULL, &waited));
    CHECK(sem.release(semaphore));
    CHECK_CODE(clWaitForEvents(1, &waited), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clReleaseEvent(waited));
    CHECK(clReleaseCommandQueue(other));
    test_end(&w);
}

static void queries(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    const cl_semaphore_properties_khr with_device[] = {CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                       (cl_semaphore_properties_khr)(uintptr_t)w.device,
                                                       CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR,
                                                       CL_SEMAPHORE_TYPE_KHR,
                                                       CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                       0};
    cl_semaphore_khr semaphore, plain = new_semaphore(w.context);
    CHECK_CREATE(semaphore, sem.create(w.context, with_device, &err), CL_SUCCESS);
    cl_semaphore_properties_khr got[6];
    cl_context context;
    cl_uint count;
    cl_semaphore_type_khr type;
    cl_device_id device;
    size_t size;
    CHECK(sem.info(semaphore, CL_SEMAPHORE_PROPERTIES_KHR, sizeof got, got, &size));
    assert_int_equal(size, sizeof with_device);
    assert_memory_equal(got, with_device, size);
    CHECK(sem.info(semaphore, CL_SEMAPHORE_CONTEXT_KHR, sizeof context, &context, NULL));
    assert_ptr_equal(context, w.context);
    CHECK(sem.retain(semaphore));
    CHECK(sem.info(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    assert_int_equal(count, 2);
    CHECK(sem.release(semaphore));
    CHECK(sem.info(semaphore, CL_SEMAPHORE_TYPE_KHR, sizeof type, &type, NULL));
    assert_int_equal(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    CHECK(sem.info(semaphore, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof device, &device, &size));
    assert_int_equal(size, sizeof device);
    assert_ptr_equal(device, w.device);
    CHECK(sem.info(plain, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof device, &device, NULL));
    assert_ptr_equal(device, w.device);
    CHECK_CODE(sem.info(semaphore, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(sem.info(semaphore, CL_SEMAPHORE_TYPE_KHR, 1, &type, NULL), CL_INVALID_VALUE);
    CHECK_CODE(sem.info(NULL, CL_SEMAPHORE_TYPE_KHR, 0, NULL, NULL), CL_INVALID_SEMAPHORE_KHR);
    CHECK_CODE(sem.retain(NULL), CL_INVALID_SEMAPHORE_KHR);
    CHECK_CODE(sem.release(NULL), CL_INVALID_SEMAPHORE_KHR);
    CHECK(sem.release(semaphore));
    CHECK(sem.release(plain));
    test_end(&w);
}

static void errors(void **state)
{
    (void)state;
    struct test_world w = test_begin(0), u = test_begin(0);
    cl_semaphore_khr semaphore;
    const cl_semaphore_properties_khr
        none[] = {0},
        unknown[] = {12345, 1, 0}, wrong_type[] = {CL_SEMAPHORE_TYPE_KHR, 9, 0},
        twice[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_TYPE_KHR, 0},
        no_device[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, 0, 0, 0},
        device = (cl_semaphore_properties_khr)(uintptr_t)w.device,
        two_devices[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, device, device, 0, 0},
        no_handle[] = {CL_SEMAPHORE_TYPE_KHR,
                       CL_SEMAPHORE_TYPE_BINARY_KHR,
                       CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                       (cl_semaphore_properties_khr)(uintptr_t)w.context,
                       0,
                       0};
    CHECK_CREATE(semaphore, sem.create(NULL, binary, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(semaphore, sem.create(w.context, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(semaphore, sem.create(w.context, none, &err), CL_INVALID_VALUE);
    CHECK_CREATE(semaphore, sem.create(w.context, unknown, &err), CL_INVALID_PROPERTY);
    CHECK_CREATE(semaphore, sem.create(w.context, wrong_type, &err), CL_INVALID_PROPERTY);
    CHECK_CREATE(semaphore, sem.create(w.context, twice, &err), CL_INVALID_PROPERTY);
    CHECK_CREATE(semaphore, sem.create(w.context, no_device, &err), CL_INVALID_DEVICE);
    CHECK_CREATE(semaphore, sem.create(w.context, two_devices, &err), CL_INVALID_DEVICE);
    CHECK_CREATE(semaphore, sem.create(w.context, no_handle, &err), CL_INVALID_DEVICE);

    semaphore = new_semaphore(w.context);
    cl_event event = NULL, foreign;
    cl_semaphore_khr invalid = (cl_semaphore_khr)w.context;
    CHECK_CREATE(foreign, clCreateUserEvent(u.context, &err), CL_SUCCESS);
    clEnqueueSignalSemaphoresKHR_fn both[] = {sem.signal, sem.wait};
    for (int i = 0; i < 2; i++) {
        CHECK_CODE(both[i](NULL, 1, &semaphore, NULL, 0, NULL, &event), CL_INVALID_COMMAND_QUEUE);
        CHECK_CODE(both[i](w.queue, 0, &semaphore, NULL, 0, NULL, &event), CL_INVALID_VALUE);
        CHECK_CODE(both[i](w.queue, 1, NULL, NULL, 0, NULL, &event), CL_INVALID_VALUE);
        CHECK_CODE(both[i](w.queue, 1, &invalid, NULL, 0, NULL, &event), CL_INVALID_SEMAPHORE_KHR);
        CHECK_CODE(both[i](u.queue, 1, &semaphore, NULL, 0, NULL, &event), CL_INVALID_CONTEXT);
        CHECK_CODE(both[i](w.queue, 1, &semaphore, NULL, 1, &foreign, &event), CL_INVALID_CONTEXT);
        CHECK_CODE(both[i](w.queue, 1, &semaphore, NULL, 1, NULL, &event), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_CODE(both[i](w.queue, 1, &semaphore, NULL, 0, &foreign, &event), CL_INVALID_EVENT_WAIT_LIST);
        assert_null(event);
    }
    CHECK(clReleaseEvent(foreign));
    CHECK(sem.release(semaphore));
    test_end(&w);
    test_end(&u);
}

/* A context of two devices: the semaphore names one of them, and the queues of the other may not use it. */
static void sub_devices(void **state)
{
    (void)state;
    cl_device_id device = test_device(), parts[2];
    const cl_device_partition_property by_counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    if (clCreateSubDevices(device, by_counts, 2, parts, NULL) != CL_SUCCESS)
        return; /* a machine with one CPU */
    cl_context context;
    cl_semaphore_khr semaphore;
    CHECK_CREATE(context, clCreateContext(NULL, 2, parts, NULL, NULL, &err), CL_SUCCESS);
    CHECK_CREATE(semaphore, sem.create(context, binary, &err), CL_INVALID_PROPERTY);
    const cl_semaphore_properties_khr list[] = {CL_SEMAPHORE_TYPE_KHR,
                                                CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                (cl_semaphore_properties_khr)(uintptr_t)parts[0],
                                                0,
                                                0};
    CHECK_CREATE(semaphore, sem.create(context, list, &err), CL_SUCCESS);
    cl_command_queue queues[2] = {test_queue(context, parts[0], 0), test_queue(context, parts[1], 0)};
    CHECK_CODE(sem.signal(queues[1], 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(sem.wait(queues[1], 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK(sem.signal(queues[0], 1, &semaphore, NULL, 0, NULL, NULL));
    CHECK(sem.wait(queues[0], 1, &semaphore, NULL, 0, NULL, NULL));
    CHECK(clFinish(queues[0]));
    CHECK(sem.release(semaphore));
    for (int i = 0; i < 2; i++) {
        CHECK(clReleaseCommandQueue(queues[i]));
        CHECK(clReleaseDevice(parts[i]));
    }
    CHECK(clReleaseContext(context));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signal_then_wait),
        cmocka_unit_test(wait_then_signal),
        cmocka_unit_test(twice_in_a_list),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(many_rounds_at_once),
        cmocka_unit_test(failures),
        cmocka_unit_test(queries),
        cmocka_unit_test(errors),
        cmocka_unit_test(sub_devices),
    };
    return cmocka_run_group_tests(tests, find_functions, NULL);
}
