/* SPDX-License-Identifier: Apache-2.0
 * Tests of events: status, user events, failure, callbacks, waits, queries, profiling. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "icd/test/cl_test.h"

static cl_int status_of(cl_event event)
{
    cl_int status = 12345;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static cl_event user_event(cl_context context)
{
    cl_event event;
    CHECK_CREATE(event, clCreateUserEvent(context, &err), CL_SUCCESS);
    return event;
}

static void test_user_event(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_event event;
    CHECK_CREATE(event, clCreateUserEvent(NULL, &err), CL_INVALID_CONTEXT);
    event = user_event(w.context);
    CHECK_THAT(status_of(event) == CL_SUBMITTED);

    cl_command_queue queue = w.queue;
    cl_context context = NULL;
    cl_command_type type = 0;
    cl_uint count = 0;
    size_t size;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, &size));
    CHECK_THAT(!queue && size == sizeof queue);
    CHECK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL));
    CHECK_THAT(context == w.context);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_THAT(type == CL_COMMAND_USER);
    CHECK(clRetainEvent(event));
    CHECK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK_THAT(count == 2);
    CHECK(clReleaseEvent(event));

    CHECK_CODE(clSetUserEventStatus(event, CL_RUNNING), CL_INVALID_VALUE);
    CHECK_CODE(clSetUserEventStatus(event, CL_QUEUED), CL_INVALID_VALUE);
    CHECK_CODE(clSetUserEventStatus(NULL, CL_COMPLETE), CL_INVALID_EVENT);
    CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    CHECK_THAT(status_of(event) == CL_COMPLETE);
    CHECK_CODE(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_OPERATION);
    CHECK_CODE(clSetUserEventStatus(event, -5), CL_INVALID_OPERATION);
    CHECK(clWaitForEvents(1, &event));
    CHECK(clReleaseEvent(event));

    cl_event marker;
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 0, NULL, &marker));
    CHECK_CODE(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT); /* not a user event */
    CHECK(clReleaseEvent(marker));

    /* One that is released without ever being set. */
    event = user_event(w.context);
    CHECK(clReleaseEvent(event));
    test_end(&w);
}

/* Programs ask for the status until a command has ended, without a flush. */
static void test_asked_without_a_flush(void **state)
{
    (void)state;
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        struct test_world w = test_begin(out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_program program = test_build(w.context, w.device, "kernel void set(global int *a) { a[get_global_id(0)] = 3; }", "");
        cl_kernel kernel = test_kernel(program, "set");
        int back = 0;
        cl_mem buffer = test_buffer(w.context, 0, 16 * sizeof back, NULL);
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        cl_event set, read;
        CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, (size_t[]){16}, NULL, 0, NULL, &set));
        CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_FALSE, 0, sizeof back, &back, 1, &set, &read));
        for (int milliseconds = 0; status_of(read) > CL_COMPLETE && milliseconds < 60000; milliseconds++)
            usleep(1000);
        CHECK_THAT(status_of(read) == CL_COMPLETE && back == 3);
        CHECK(clReleaseEvent(set));
        CHECK(clReleaseEvent(read));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
        CHECK(clReleaseMemObject(buffer));
        test_end(&w);
    }
}

/* A failure reaches what waits for it, across queues, and nothing else. */
static void test_failure(void **state)
{
    (void)state;
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        struct test_world w = test_begin(out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_command_queue second = test_queue(w.context, w.device, 0);
        cl_event gate = user_event(w.context), write, copy, other, both, last;
        unsigned char data[16], back[16] = {7};
        memset(data, 5, sizeof data);
        cl_mem buffer = test_buffer(w.context, 0, sizeof data, NULL);
        CHECK(clEnqueueWriteBuffer(w.queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
        memset(data, 6, sizeof data);
        CHECK(clEnqueueWriteBuffer(w.queue, buffer, CL_FALSE, 0, sizeof data, data, 1, &gate, &write));
        CHECK(clEnqueueReadBuffer(second, buffer, CL_FALSE, 0, sizeof data, back, 1, &write, &copy));
        CHECK(clEnqueueMarkerWithWaitList(second, 0, NULL, &other)); /* after it in order, but not because of it */
        cl_event waits[] = {other, copy};
        CHECK(clEnqueueMarkerWithWaitList(second, 2, waits, &both));
        CHECK(clEnqueueBarrierWithWaitList(w.queue, 0, NULL, &last));
        CHECK_THAT(status_of(write) > CL_RUNNING && status_of(copy) > CL_RUNNING);
        CHECK(clSetUserEventStatus(gate, -42));
        CHECK_CODE(clWaitForEvents(1, &gate), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_CODE(clWaitForEvents(1, &copy), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_CODE(clWaitForEvents(2, waits), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK(clFinish(second));
        CHECK(clFinish(w.queue));
        CHECK_THAT(status_of(gate) == -42);
        CHECK_THAT(status_of(write) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_THAT(status_of(copy) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_THAT(status_of(both) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_THAT(status_of(other) == CL_COMPLETE && status_of(last) == CL_COMPLETE);
        CHECK_THAT(back[0] == 7);

        /* Blocking calls answer with the failure of their wait list and hand out no event; the queue goes on. */
        cl_event none = NULL;
        CHECK_CODE(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof data, back, 1, &gate, &none),
                   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_THAT(!none);
        cl_int err;
        CHECK_THAT(!clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 1, &gate, &none, &err));
        CHECK_THAT(err == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && !none);
        CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof data, back, 0, NULL, NULL));
        CHECK_THAT(back[0] == 5 && back[15] == 5);

        cl_event all[] = {gate, write, copy, other, both, last};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            CHECK(clReleaseEvent(all[i]));
        CHECK(clReleaseMemObject(buffer));
        CHECK(clReleaseCommandQueue(second));
        test_end(&w);
    }
}

static void test_wait_errors(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_context other = test_context(w.device);
    cl_event a = user_event(w.context), b = user_event(other), none = NULL;
    cl_event mixed[] = {a, b}, broken[] = {a, none};
    CHECK_CODE(clWaitForEvents(0, &a), CL_INVALID_VALUE);
    CHECK_CODE(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clWaitForEvents(2, broken), CL_INVALID_EVENT);
    CHECK_CODE(clWaitForEvents(2, mixed), CL_INVALID_CONTEXT);
    CHECK_CODE(clWaitForEvents(1, (cl_event *)&w.queue), CL_INVALID_EVENT);
    CHECK_CODE(clRetainEvent(NULL), CL_INVALID_EVENT);
    CHECK_CODE(clReleaseEvent((cl_event)w.context), CL_INVALID_EVENT);
    cl_int status;
    CHECK_CODE(clGetEventInfo(NULL, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_INVALID_EVENT);
    CHECK_CODE(clGetEventInfo(a, 0x7777, sizeof status, &status, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetEventInfo(a, CL_EVENT_COMMAND_EXECUTION_STATUS, 1, &status, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseEvent(a));
    CHECK(clReleaseEvent(b));
    CHECK(clReleaseContext(other));
    test_end(&w);
}

/* ---- callbacks ---- */

struct record {
    atomic_int count;
    cl_int statuses[8];
    cl_event event;
    bool release;
};

static void CL_CALLBACK note(cl_event event, cl_int status, void *user_data)
{
    struct record *record = user_data;
    int at = atomic_load(&record->count);
    record->event = event;
    if (at < 8)
        record->statuses[at] = status;
    if (record->release)
        clReleaseEvent(event);
    atomic_fetch_add(&record->count, 1);
}

static void CL_CALLBACK open_gate(cl_event event, cl_int status, void *user_data)
{
    (void)event, (void)status;
    clSetUserEventStatus(*(cl_event *)user_data, CL_COMPLETE);
}

static void await(struct record *record, int count)
{
    for (int i = 0; i < 5000 && atomic_load(&record->count) < count; i++)
        usleep(1000);
    CHECK_THAT(atomic_load(&record->count) == count);
}

static void test_callbacks(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    struct record record = {0};
    cl_event gate = user_event(w.context), fill;
    CHECK_CODE(clSetEventCallback(NULL, CL_COMPLETE, note, &record), CL_INVALID_EVENT);
    CHECK_CODE(clSetEventCallback(gate, CL_COMPLETE, NULL, &record), CL_INVALID_VALUE);
    CHECK_CODE(clSetEventCallback(gate, CL_QUEUED, note, &record), CL_INVALID_VALUE);
    CHECK_CODE(clSetEventCallback(gate, -1, note, &record), CL_INVALID_VALUE);

    /* All three types, once each, in the order of the states. */
    unsigned char one = 1;
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    CHECK(clEnqueueFillBuffer(w.queue, buffer, &one, 1, 0, 64, 1, &gate, &fill));
    CHECK(clSetEventCallback(fill, CL_COMPLETE, note, &record));
    CHECK(clSetEventCallback(fill, CL_RUNNING, note, &record));
    CHECK(clSetEventCallback(fill, CL_SUBMITTED, note, &record));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(w.queue)); /* all callbacks have been called when a wait returns */
    CHECK_THAT(atomic_load(&record.count) == 3 && record.event == fill);
    CHECK_THAT(record.statuses[0] == CL_SUBMITTED && record.statuses[1] == CL_RUNNING && record.statuses[2] == CL_COMPLETE);
    /* Late ones are called at once. */
    CHECK(clSetEventCallback(fill, CL_RUNNING, note, &record));
    CHECK(clSetEventCallback(fill, CL_COMPLETE, note, &record));
    CHECK_THAT(atomic_load(&record.count) == 5 && record.statuses[3] == CL_RUNNING && record.statuses[4] == CL_COMPLETE);
    CHECK(clReleaseEvent(fill));

    /* Several of one type, in the order in which they were set; a marker passes through RUNNING too. */
    cl_event second = user_event(w.context), marker;
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &second, &marker));
    struct record numbers = {0};
    CHECK(clSetEventCallback(marker, CL_RUNNING, note, &numbers));
    for (int i = 0; i < 3; i++)
        CHECK(clSetEventCallback(marker, CL_COMPLETE, note, &numbers));
    CHECK(clSetUserEventStatus(second, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &marker));
    CHECK_THAT(atomic_load(&numbers.count) == 4 && numbers.statuses[0] == CL_RUNNING && numbers.statuses[3] == CL_COMPLETE);
    CHECK(clReleaseEvent(marker));
    CHECK(clReleaseEvent(second));

    /* On failure every type is called, with the error. */
    struct record failed = {0}, on_user = {0};
    cl_event bad = user_event(w.context);
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &bad, &marker));
    CHECK(clSetEventCallback(marker, CL_RUNNING, note, &failed));
    CHECK(clSetEventCallback(marker, CL_COMPLETE, note, &failed));
    CHECK(clSetEventCallback(bad, CL_COMPLETE, note, &on_user));
    CHECK(clSetUserEventStatus(bad, -77));
    CHECK_THAT(atomic_load(&on_user.count) == 1 && on_user.statuses[0] == -77);
    CHECK(clFinish(w.queue));
    CHECK_THAT(atomic_load(&failed.count) == 2);
    CHECK_THAT(failed.statuses[0] == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && failed.statuses[1] == failed.statuses[0]);
    CHECK(clReleaseEvent(marker));
    CHECK(clReleaseEvent(bad));
    CHECK(clReleaseEvent(gate));

    /* A callback may release the event that it is called for, and end a user event that others wait for. */
    struct record releasing = {.release = true};
    cl_event inner = user_event(w.context), outer;
    gate = user_event(w.context);
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &gate, &marker));
    CHECK(clSetEventCallback(marker, CL_COMPLETE, open_gate, &inner));
    CHECK(clSetEventCallback(marker, CL_COMPLETE, note, &releasing));
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &inner, &outer));
    CHECK(clFlush(w.queue));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &outer));
    await(&releasing, 1);
    CHECK(clReleaseEvent(outer));
    CHECK(clReleaseEvent(inner));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

/* Registers itself again `left` times. */
static void CL_CALLBACK register_again(cl_event event, cl_int status, void *user_data)
{
    int *left = user_data;
    CHECK_THAT(status == CL_COMPLETE);
    if (*left && --*left)
        CHECK(clSetEventCallback(event, CL_COMPLETE, register_again, user_data));
}

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *user_data)
{
    (void)event, (void)status;
    ++*(int *)user_data;
}

/* Callbacks in numbers for which a stack, or a search through the list for each of them, would not do. */
static void test_many_callbacks(void **state)
{
    (void)state;
    enum { MANY = 1000000, LIST = 100000 };
    struct test_world w = test_begin(0);
    cl_event event = user_event(w.context);
    int left = MANY, calls = 0;
    CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    CHECK(clSetEventCallback(event, CL_COMPLETE, register_again, &left));
    CHECK_THAT(!left);
    CHECK(clReleaseEvent(event));

    event = user_event(w.context);
    for (int i = 0; i < LIST; i++)
        CHECK(clSetEventCallback(event, CL_COMPLETE, count_call, &calls));
    clock_t begin = clock();
    CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    CHECK_THAT(calls == LIST && clock() - begin < 2 * CLOCKS_PER_SEC);
    CHECK(clReleaseEvent(event));
    test_end(&w);
}

struct blocked {
    cl_command_queue queue;
    cl_mem buffer;
    atomic_bool called;
    cl_int finish, read, write, map;
    unsigned char to[64];
};

static void CL_CALLBACK block(cl_event event, cl_int status, void *user_data)
{
    (void)event, (void)status;
    struct blocked *b = user_data;
    b->finish = clFinish(b->queue);
    b->read = clEnqueueReadBuffer(b->queue, b->buffer, CL_TRUE, 0, sizeof b->to, b->to, 0, NULL, NULL);
    b->write = clEnqueueWriteBuffer(b->queue, b->buffer, CL_TRUE, 0, sizeof b->to, b->to, 0, NULL, NULL);
    void *pointer = clEnqueueMapBuffer(b->queue, b->buffer, CL_TRUE, CL_MAP_WRITE, 0, sizeof b->to, 0, NULL, NULL, &b->map);
    if (pointer)
        fail_msg("a mapping that the call refuses");
    atomic_store(&b->called, true);
}

/* A blocking call in a callback is refused when it would have to wait, not a dead lock. Nothing of it is left in the queue: the memory that
 * it names may be gone when the callback has returned. */
static void test_blocking_callback(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_event gate = user_event(w.context), never = user_event(w.context), marker;
    unsigned char fives[64], back[64];
    memset(fives, 5, sizeof fives);
    cl_mem buffer = test_buffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof fives, fives);
    struct blocked b = {.queue = w.queue, .buffer = buffer};
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &gate, &marker));
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &never, NULL));
    CHECK(clSetEventCallback(marker, CL_COMPLETE, block, &b));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &marker));
    while (!atomic_load(&b.called))
        usleep(100);
    CHECK_CODE(b.finish, CL_INVALID_OPERATION);
    CHECK_CODE(b.read, CL_INVALID_OPERATION);
    CHECK_CODE(b.write, CL_INVALID_OPERATION);
    CHECK_CODE(b.map, CL_INVALID_OPERATION);
    CHECK(clSetUserEventStatus(never, CL_COMPLETE));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof back; i++)
        CHECK_THAT(back[i] == 5 && b.to[i] == 0);
    cl_int err;
    void *pointer = clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, sizeof back, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK(clEnqueueUnmapMemObject(w.queue, buffer, pointer, 0, NULL, NULL));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseEvent(never));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(marker));
    test_end(&w);
}

/* ---- threads ---- */

static void *set_later(void *event)
{
    usleep(20000);
    return (void *)(intptr_t)clSetUserEventStatus(event, CL_COMPLETE);
}

/* A blocking call that a user event holds up waits; a flushed queue goes on without anybody waiting. */
static void test_set_by_other_thread(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_mem buffer = test_buffer(w.context, 0, 64, NULL);
    unsigned char one = 1, back = 0;
    cl_event gate = user_event(w.context), fill;
    CHECK(clEnqueueFillBuffer(w.queue, buffer, &one, 1, 0, 64, 1, &gate, NULL));
    pthread_t thread;
    void *result;
    CHECK_THAT(!pthread_create(&thread, NULL, set_later, gate));
    CHECK(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 1, &back, 0, NULL, NULL));
    CHECK_THAT(back == 1);
    pthread_join(thread, &result);
    CHECK((cl_int)(intptr_t)result);
    CHECK(clReleaseEvent(gate));

    gate = user_event(w.context);
    CHECK(clEnqueueFillBuffer(w.queue, buffer, &one, 1, 0, 64, 1, &gate, &fill));
    CHECK(clFlush(w.queue));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    for (int i = 0; i < 5000 && status_of(fill) != CL_COMPLETE; i++)
        usleep(1000);
    CHECK_THAT(status_of(fill) == CL_COMPLETE);
    CHECK(clReleaseEvent(fill));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

/* ---- profiling ---- */

static void test_profiling(void **state)
{
    (void)state;
    struct test_world w = test_begin(CL_QUEUE_PROFILING_ENABLE);
    cl_command_queue plain = test_queue(w.context, w.device, 0);
    cl_event gate = user_event(w.context), fill, marker, unprofiled, failed, bad = user_event(w.context);
    cl_ulong before, after, time[5];
    size_t size;
    unsigned char one = 1;
    cl_mem buffer = test_buffer(w.context, 0, 1 << 20, NULL);
    CHECK(clGetHostTimer(w.device, &before));
    CHECK(clEnqueueFillBuffer(w.queue, buffer, &one, 1, 0, 1 << 20, 1, &gate, &fill));
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 0, NULL, &marker));
    CHECK(clEnqueueMarkerWithWaitList(w.queue, 1, &bad, &failed));
    CHECK(clEnqueueMarkerWithWaitList(plain, 0, NULL, &unprofiled));
    CHECK_CODE(clGetEventProfilingInfo(fill, CL_PROFILING_COMMAND_QUEUED, sizeof *time, time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clSetUserEventStatus(bad, -3));
    CHECK(clFinish(w.queue));
    CHECK(clFinish(plain));
    CHECK(clGetHostTimer(w.device, &after));

    const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                       CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE};
    cl_event profiled[] = {fill, marker};
    for (int e = 0; e < 2; e++) {
        for (int i = 0; i < 5; i++) {
            CHECK(clGetEventProfilingInfo(profiled[e], names[i], sizeof time[i], &time[i], &size));
            CHECK_THAT(size == sizeof time[i]);
            CHECK_THAT(time[i] >= (i ? time[i - 1] : before) && time[i] <= after);
        }
        CHECK_THAT(time[4] == time[3]);
    }
    CHECK(clGetEventProfilingInfo(fill, CL_PROFILING_COMMAND_START, sizeof *time, time, NULL));
    CHECK(clGetEventProfilingInfo(fill, CL_PROFILING_COMMAND_END, sizeof *time, time + 1, NULL));
    CHECK_THAT(time[1] > time[0]); /* a megabyte takes time */

    CHECK_CODE(clGetEventProfilingInfo(NULL, names[0], sizeof *time, time, NULL), CL_INVALID_EVENT);
    CHECK_CODE(clGetEventProfilingInfo(fill, 0x7777, sizeof *time, time, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetEventProfilingInfo(fill, names[0], 4, time, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetEventProfilingInfo(unprofiled, names[0], sizeof *time, time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK_CODE(clGetEventProfilingInfo(gate, names[0], sizeof *time, time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK_CODE(clGetEventProfilingInfo(failed, names[0], sizeof *time, time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);

    cl_event all[] = {gate, fill, marker, unprofiled, failed, bad};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(clReleaseEvent(all[i]));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseCommandQueue(plain));
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_user_event),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_wait_errors),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_many_callbacks),
        cmocka_unit_test(test_profiling),
        cmocka_unit_test(test_blocking_callback),
        cmocka_unit_test(test_set_by_other_thread),
        cmocka_unit_test(test_asked_without_a_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
