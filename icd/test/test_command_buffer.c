/* SPDX-License-Identifier: Apache-2.0
 * Command buffers: recording, order, replays, queries, and the code of each error. Updates are those of test_mutable_dispatch.c. */
#include <pthread.h>
#include <stdatomic.h>

#include "icd/test/command_buffer.h"

/* ---- what it does ---- */

/* Arguments are those of the recording, each replay starts anew, and objects may be released before. */
static void replays(void **state)
{
    (void)state;
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        struct world t = begin(out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_command_buffer_khr buffer = new_buffer(&t, 0);
        cl_sync_point_khr points[4];
        const cl_int three = 3;
        set_add(&t, t.a, 5);
        CHECK(cb.fill(buffer, NULL, NULL, t.a, &three, sizeof three, 0, BYTES, 0, NULL, &points[0], NULL));
        CHECK(cb.launch(buffer, NULL, NULL, t.add, 1, NULL, &items, NULL, 1, &points[0], &points[1], NULL));
        set_add(&t, t.a, 1000);
        CHECK(cb.launch(buffer, NULL, NULL, t.twice, 1, NULL, &items, NULL, 1, &points[1], &points[2], NULL));
        CHECK(cb.copy(buffer, NULL, NULL, t.a, t.b, 0, 0, BYTES, 1, &points[2], &points[3], NULL));
        assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
        CHECK(cb.finalize(buffer));
        assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
        for (int i = 0; i < 3; i++) {
            CHECK(clEnqueueFillBuffer(t.w.queue, t.b, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
            CHECK(clEnqueueBarrierWithWaitList(t.w.queue, 0, NULL, NULL));
            CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
            CHECK(clEnqueueBarrierWithWaitList(t.w.queue, 0, NULL, NULL));
            expect(&t, t.b, 16, 0);
        }
        CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
        CHECK(cb.release(buffer)); /* what is enqueued still runs */
        CHECK(clFinish(t.w.queue));
        expect(&t, t.b, 16, 0);
        end(&t);
    }
}

/* Order by the queue of the recording, by barriers and by synchronization points. A chain of many commands shows an edge that is missing.
 */
static void order(void **state)
{
    (void)state;
    enum { STEPS = 100 };
    for (int way = 0; way < 3; way++) {
        struct world t = begin(way ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_command_buffer_khr buffer = new_buffer(&t, 0);
        cl_sync_point_khr last = 0;
        cl_int expected = 1;
        const cl_int one = 1;
        CHECK(cb.fill(buffer, NULL, NULL, t.a, &one, sizeof one, 0, BYTES, 0, NULL, &last, NULL));
        for (int i = 0; i < STEPS; i++) {
            bool add = i % 3;
            set_add(&t, t.a, i);
            expected = add ? expected + i : (expected * 2) % (1 << 20);
            if (!add && expected * 2 > 1 << 20) /* keeps the numbers small */
                break;
            if (way == 1)
                CHECK(cb.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
            bool by_points = way == 2;
            CHECK(cb.launch(buffer, NULL, NULL, add ? t.add : t.twice, 1, NULL, &items, NULL, by_points, by_points ? &last : NULL, &last,
                            NULL));
        }
        /* A barrier with a list keeps back what follows it. */
        if (way == 2) {
            CHECK(cb.barrier(buffer, NULL, NULL, 1, &last, NULL, NULL));
            CHECK(cb.copy(buffer, NULL, NULL, t.a, t.b, 0, 0, BYTES, 0, NULL, NULL, NULL));
        } else {
            if (way == 1)
                CHECK(cb.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
            CHECK(cb.copy(buffer, NULL, NULL, t.a, t.b, 0, 0, BYTES, 0, NULL, NULL, NULL));
        }
        CHECK(cb.finalize(buffer));
        for (int i = 0; i < 5; i++) {
            cl_event event;
            CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, &event));
            CHECK(clWaitForEvents(1, &event));
            CHECK(clReleaseEvent(event));
            cl_int got[ITEMS], again[ITEMS];
            CHECK(clEnqueueReadBuffer(t.w.queue, t.b, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
            CHECK(clEnqueueReadBuffer(t.w.queue, t.a, CL_TRUE, 0, BYTES, again, 0, NULL, NULL));
            assert_memory_equal(got, again, BYTES);
            for (int k = 1; k < ITEMS; k++)
                assert_int_equal(got[k], got[0]);
            if (i)
                assert_true(got[0] > 1);
        }
        CHECK(cb.release(buffer));
        end(&t);
    }
}

/* In an in-order queue, the whole has the place of one command. */
static void one_place_in_the_queue(void **state)
{
    (void)state;
    struct world t = begin(0);
    cl_command_buffer_khr buffer = new_buffer(&t, 0), empty = new_buffer(&t, 0);
    set_add(&t, t.a, 1);
    CHECK(cb.launch(buffer, NULL, NULL, t.add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CHECK(cb.launch(buffer, NULL, NULL, t.twice, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CHECK(cb.finalize(buffer));
    CHECK(cb.finalize(empty));
    CHECK(clEnqueueFillBuffer(t.w.queue, t.a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    for (int i = 0; i < 10; i++) {
        CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
        CHECK(cb.enqueue(0, NULL, empty, 0, NULL, NULL));
    }
    CHECK(clEnqueueCopyBuffer(t.w.queue, t.a, t.b, 0, 0, BYTES, 0, NULL, NULL));
    expect(&t, t.b, 2046, 0); /* x → 2 (x + 1), ten times */
    CHECK(cb.release(buffer));
    CHECK(cb.release(empty));
    end(&t);
}

static void events(void **state)
{
    (void)state;
    struct world t = begin(CL_QUEUE_PROFILING_ENABLE);
    cl_command_buffer_khr buffer = new_buffer(&t, 0);
    set_add(&t, t.a, 1);
    for (int i = 0; i < 3; i++)
        CHECK(cb.launch(buffer, NULL, NULL, t.add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CHECK(cb.finalize(buffer));
    cl_event gate, event;
    CHECK(clEnqueueFillBuffer(t.w.queue, t.a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    CHECK_CREATE(gate, clCreateUserEvent(t.w.context, &err), CL_SUCCESS);
    CHECK(cb.enqueue(1, &t.w.queue, buffer, 1, &gate, &event));
    cl_command_type type;
    cl_command_queue queue;
    cl_int status;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_COMMAND_BUFFER_KHR);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    assert_ptr_equal(queue, t.w.queue);
    CHECK(clFlush(t.w.queue));
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    assert_true(status > CL_COMPLETE);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &event));
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                              CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE};
    cl_ulong times[5];
    for (int i = 0; i < 5; i++)
        CHECK(clGetEventProfilingInfo(event, names[i], sizeof times[i], &times[i], NULL));
    for (int i = 1; i < 5; i++)
        assert_true(times[i] >= times[i - 1]);
    assert_true(times[3] > times[2]); /* three launches take some time */
    expect(&t, t.a, 3, 0);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseEvent(gate));

    /* An event that failed keeps all of it from running. */
    CHECK_CREATE(gate, clCreateUserEvent(t.w.context, &err), CL_SUCCESS);
    CHECK(cb.enqueue(0, NULL, buffer, 1, &gate, &event));
    CHECK(clSetUserEventStatus(gate, -5));
    CHECK_CODE(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    expect(&t, t.a, 3, 0);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseEvent(gate));
    CHECK(cb.release(buffer));
    end(&t);
}

/* Another queue of the device may take the place of that of the recording; several replays may be under way. */
static void other_queues_and_simultaneous_use(void **state)
{
    (void)state;
    struct world t = begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_command_queue other = test_queue(t.w.context, t.w.device, CL_QUEUE_PROFILING_ENABLE);
    cl_command_buffer_khr buffer = new_buffer(&t, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_mutable_command_khr command;
    set_add(&t, t.a, 1);
    CHECK(cb.launch(buffer, NULL, NULL, t.add, 1, NULL, &items, NULL, 0, NULL, NULL, &command));
    CHECK(cb.finalize(buffer));
    cl_event gate, done[2];
    CHECK(clEnqueueFillBuffer(other, t.a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    CHECK(clEnqueueFillBuffer(other, t.b, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    CHECK(clFinish(other));
    CHECK_CREATE(gate, clCreateUserEvent(t.w.context, &err), CL_SUCCESS);
    CHECK(cb.enqueue(1, &t.w.queue, buffer, 1, &gate, &done[0]));
    const cl_int ten = 10;
    const cl_mutable_dispatch_arg_khr args[] = {{0, sizeof t.b, &t.b}, {1, sizeof ten, &ten}};
    const cl_mutable_dispatch_config_khr config = {.command = command, .num_args = 2, .arg_list = args};
    const cl_command_buffer_update_type_khr type = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
    const void *configs[] = {&config};
    CHECK(cb.update(buffer, 1, &type, configs)); /* the first replay keeps its arguments */
    CHECK(cb.enqueue(1, &other, buffer, 0, NULL, &done[1]));
    CHECK(clFinish(other));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(2, done));
    expect(&t, t.a, 1, 0);
    expect(&t, t.b, 10, 0);
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseEvent(done[i]));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseCommandQueue(other));
    CHECK(cb.release(buffer));
    end(&t);
}

static void shared_memory(void **state)
{
    (void)state;
    struct world t = begin(0);
    cl_device_svm_capabilities svm = 0;
    CHECK(clGetDeviceInfo(t.w.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    cl_command_buffer_khr buffer = new_buffer(&t, 0);
    cl_int from[4] = {0}, to[4] = {0};
    const cl_int seven = 7;
    cl_int code = svm ? CL_SUCCESS : CL_INVALID_OPERATION;
    CHECK_CODE(cb.svm_fill(buffer, NULL, NULL, from, &seven, sizeof seven, sizeof from, 0, NULL, NULL, NULL), code);
    CHECK_CODE(cb.svm_copy(buffer, NULL, NULL, to, from, sizeof to, 0, NULL, NULL, NULL), code);
    if (svm) {
        CHECK_CODE(cb.svm_copy(buffer, NULL, NULL, NULL, from, sizeof to, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
        CHECK_CODE(cb.svm_copy(buffer, NULL, NULL, from, from, sizeof to, 0, NULL, NULL, NULL), CL_MEM_COPY_OVERLAP);
        CHECK_CODE(cb.svm_fill(buffer, NULL, NULL, from, &seven, 3, 3, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
        CHECK(cb.finalize(buffer));
        CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
        CHECK(clFinish(t.w.queue));
        for (int i = 0; i < 4; i++)
            assert_int_equal(to[i], 7);
    }
    CHECK(cb.release(buffer));
    end(&t);
}

/* ---- queries and errors ---- */

static void queries(void **state)
{
    (void)state;
    struct world t = begin(0);
    const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR,
                                                     CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
                                                     CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0};
    cl_command_buffer_khr buffer, plain = new_buffer(&t, 0);
    CHECK_CREATE(buffer, cb.create(1, &t.w.queue, list, &err), CL_SUCCESS);
    cl_command_buffer_properties_khr got[5];
    cl_uint count;
    cl_command_queue queue;
    cl_context context;
    size_t size;
    CHECK(cb.info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof got, got, &size));
    assert_int_equal(size, sizeof list);
    assert_memory_equal(got, list, sizeof list);
    CHECK(cb.info(plain, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof got, got, &size));
    assert_int_equal(size, 0);
    CHECK(cb.info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    CHECK(cb.info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof queue, &queue, &size));
    assert_int_equal(size, sizeof queue);
    assert_ptr_equal(queue, t.w.queue);
    CHECK(cb.info(buffer, CL_COMMAND_BUFFER_CONTEXT_KHR, sizeof context, &context, NULL));
    assert_ptr_equal(context, t.w.context);
    CHECK(cb.retain(buffer));
    CHECK(cb.info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    assert_int_equal(count, 2);
    CHECK(cb.release(buffer));
    CHECK_CODE(cb.info(buffer, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(cb.info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, 1, &queue, NULL), CL_INVALID_VALUE);
    CHECK_CODE(cb.info(NULL, CL_COMMAND_BUFFER_QUEUES_KHR, 0, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);

    cl_mutable_command_khr command;
    const size_t global[2] = {ITEMS, 1}, local[2] = {8, 1}, zeros[2] = {0, 0};
    /* The number of work-groups is asserted. */
    CHECK_CODE(cb.launch(buffer, NULL, NULL, t.ids, 2, NULL, global, NULL, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK(cb.launch(buffer, NULL, NULL, t.ids, 2, NULL, global, local, 0, NULL, NULL, &command));
    cl_command_buffer_khr of;
    cl_command_type type;
    cl_kernel kernel;
    size_t sizes[2];
    CHECK(cb.command_info(command, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, sizeof queue, &queue, NULL));
    assert_ptr_equal(queue, t.w.queue);
    CHECK(cb.command_info(command, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, sizeof of, &of, NULL));
    assert_ptr_equal(of, buffer);
    CHECK(cb.command_info(command, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_NDRANGE_KERNEL);
    CHECK(cb.command_info(command, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, 0, NULL, &size));
    assert_int_equal(size, 0);
    CHECK(cb.command_info(command, CL_MUTABLE_DISPATCH_KERNEL_KHR, sizeof kernel, &kernel, NULL));
    assert_ptr_equal(kernel, t.ids);
    CHECK(cb.command_info(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof count, &count, NULL));
    assert_int_equal(count, 2);
    CHECK(cb.command_info(command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, sizeof sizes, sizes, &size));
    assert_int_equal(size, sizeof sizes);
    assert_memory_equal(sizes, zeros, sizeof sizes);
    CHECK(cb.command_info(command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, sizeof sizes, sizes, NULL));
    assert_memory_equal(sizes, global, sizeof sizes);
    CHECK(cb.command_info(command, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, sizeof sizes, sizes, NULL));
    assert_memory_equal(sizes, local, sizeof sizes);
    CHECK_CODE(cb.command_info(command, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(cb.command_info(command, CL_MUTABLE_DISPATCH_KERNEL_KHR, 1, &kernel, NULL), CL_INVALID_VALUE);
    CHECK_CODE(cb.command_info(NULL, CL_MUTABLE_DISPATCH_KERNEL_KHR, 0, NULL, NULL), CL_INVALID_MUTABLE_COMMAND_KHR);
    CHECK(cb.release(buffer));
    CHECK(cb.release(plain));
    end(&t);
}

static void wrong_creations(void **state)
{
    (void)state;
    struct world t = begin(0);
    cl_command_buffer_khr buffer;
    cl_command_queue none = NULL, two[] = {t.w.queue, t.w.queue};
    const cl_command_buffer_properties_khr unknown[] = {12345, 0, 0}, bits[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 9, 0},
                                           twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 0, CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0},
                                           asserts[] = {CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 2, 0};
    CHECK_CREATE(buffer, cb.create(0, &t.w.queue, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(buffer, cb.create(2, two, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(buffer, cb.create(1, NULL, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(buffer, cb.create(1, &none, NULL, &err), CL_INVALID_COMMAND_QUEUE);
    CHECK_CREATE(buffer, cb.create(1, &t.w.queue, unknown, &err), CL_INVALID_VALUE);
    CHECK_CREATE(buffer, cb.create(1, &t.w.queue, bits, &err), CL_INVALID_VALUE);
    CHECK_CREATE(buffer, cb.create(1, &t.w.queue, twice, &err), CL_INVALID_VALUE);
    CHECK_CREATE(buffer, cb.create(1, &t.w.queue, asserts, &err), CL_INVALID_VALUE);
    CHECK_CODE(cb.retain(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_CODE(cb.release(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_CODE(cb.finalize(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    end(&t);
}

/* Each call with one thing wrong; the code is that of the specification's list. */
static void wrong_recordings(void **state)
{
    (void)state;
    struct world t = begin(0);
    struct world u = begin(0); /* of another context */
    cl_command_buffer_khr buffer = new_buffer(&t, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_sync_point_khr point, unknown = 77;
    cl_mutable_command_khr handle;
    const cl_command_properties_khr property[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1, 0},
                                    twice[] = {CL_MUTABLE_DISPATCH_ASSERTS_KHR, 1, CL_MUTABLE_DISPATCH_ASSERTS_KHR, 1, 0},
                                    bits[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1 << 9, 0};
    const size_t origin[3] = {0}, far[3] = {BYTES, 0, 0}, region[3] = {4, 2, 1};
    CHECK(cb.fill(buffer, NULL, NULL, t.a, &zero, sizeof zero, 0, BYTES, 0, NULL, &point, NULL));
    for (int finalized = 0; finalized < 2; finalized++) {
        cl_int done = finalized ? CL_INVALID_OPERATION : CL_SUCCESS;
        if (finalized) {
            CHECK(cb.finalize(buffer));
            CHECK_CODE(cb.finalize(buffer), CL_INVALID_OPERATION);
        }
#define AFTER(code) (finalized ? CL_INVALID_OPERATION : (code))
        /* What all have in common. */
        CHECK_CODE(cb.barrier(NULL, NULL, NULL, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
        CHECK_CODE(cb.barrier(buffer, t.w.queue, NULL, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        CHECK_CODE(cb.barrier(buffer, NULL, property, 0, NULL, NULL, NULL), AFTER(CL_INVALID_VALUE));
        CHECK_CODE(cb.barrier(buffer, NULL, NULL, 0, NULL, NULL, &handle), AFTER(CL_INVALID_VALUE));
        CHECK_CODE(cb.barrier(buffer, NULL, NULL, 1, NULL, NULL, NULL), AFTER(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
        CHECK_CODE(cb.barrier(buffer, NULL, NULL, 0, &point, NULL, NULL), AFTER(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
        CHECK_CODE(cb.barrier(buffer, NULL, NULL, 1, &unknown, NULL, NULL), AFTER(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
        CHECK_CODE(cb.barrier(buffer, NULL, NULL, 1, &point, NULL, NULL), done);

        CHECK_CODE(cb.copy(buffer, NULL, NULL, t.a, u.a, 0, 0, 4, 0, NULL, NULL, NULL), AFTER(CL_INVALID_CONTEXT));
        CHECK_CODE(cb.copy(buffer, NULL, NULL, NULL, t.a, 0, 0, 4, 0, NULL, NULL, NULL), AFTER(CL_INVALID_MEM_OBJECT));
        CHECK_CODE(cb.copy(buffer, NULL, NULL, t.a, t.b, 0, BYTES, 4, 0, NULL, NULL, NULL), AFTER(CL_INVALID_VALUE));
        CHECK_CODE(cb.copy(buffer, NULL, NULL, t.a, t.a, 0, 2, 4, 0, NULL, NULL, NULL), AFTER(CL_MEM_COPY_OVERLAP));
        CHECK_CODE(cb.copy(NULL, NULL, NULL, t.a, t.b, 0, 0, 4, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
        CHECK_CODE(cb.copy_rect(buffer, NULL, NULL, t.a, t.b, origin, origin, region, 0, 0, 0, 0, 0, NULL, NULL, NULL), done);
        CHECK_CODE(cb.copy_rect(buffer, NULL, NULL, t.a, t.b, origin, far, region, 0, 0, 0, 0, 0, NULL, NULL, NULL),
                   AFTER(CL_INVALID_VALUE));
        CHECK_CODE(cb.copy_rect(buffer, NULL, NULL, t.a, t.b, NULL, origin, region, 0, 0, 0, 0, 0, NULL, NULL, NULL),
                   AFTER(CL_INVALID_VALUE));
        CHECK_CODE(cb.fill(buffer, NULL, NULL, t.a, NULL, 4, 0, 4, 0, NULL, NULL, NULL), AFTER(CL_INVALID_VALUE));
        CHECK_CODE(cb.fill(buffer, NULL, NULL, t.a, &zero, 3, 0, 3, 0, NULL, NULL, NULL), AFTER(CL_INVALID_VALUE));
        CHECK_CODE(cb.fill(buffer, NULL, NULL, u.a, &zero, 4, 0, 4, 0, NULL, NULL, NULL), AFTER(CL_INVALID_CONTEXT));

        /* A buffer is no image. */
        CHECK_CODE(cb.copy_image(buffer, NULL, NULL, t.a, t.b, origin, origin, region, 0, NULL, NULL, NULL), AFTER(CL_INVALID_MEM_OBJECT));
        CHECK_CODE(cb.image_to_buffer(buffer, NULL, NULL, t.a, t.b, origin, region, 0, 0, NULL, NULL, NULL), AFTER(CL_INVALID_MEM_OBJECT));
        CHECK_CODE(cb.buffer_to_image(buffer, NULL, NULL, t.a, t.b, 0, origin, region, 0, NULL, NULL, NULL), AFTER(CL_INVALID_MEM_OBJECT));
        CHECK_CODE(cb.fill_image(buffer, NULL, NULL, t.a, &zero, origin, region, 0, NULL, NULL, NULL), AFTER(CL_INVALID_MEM_OBJECT));

        set_add(&t, t.a, 1);
        set_add(&u, u.a, 1);
        CHECK_CODE(cb.launch(buffer, NULL, NULL, NULL, 1, NULL, &items, NULL, 0, NULL, NULL, NULL), AFTER(CL_INVALID_KERNEL));
        CHECK_CODE(cb.launch(buffer, NULL, NULL, u.add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL), AFTER(CL_INVALID_CONTEXT));
        CHECK_CODE(cb.launch(buffer, NULL, NULL, t.add, 0, NULL, &items, NULL, 0, NULL, NULL, NULL), AFTER(CL_INVALID_WORK_DIMENSION));
        CHECK_CODE(cb.launch(buffer, NULL, NULL, t.add, 4, NULL, &items, NULL, 0, NULL, NULL, NULL), AFTER(CL_INVALID_WORK_DIMENSION));
        CHECK_CODE(cb.launch(buffer, NULL, NULL, t.add, 1, NULL, &items, origin, 0, NULL, NULL, NULL), AFTER(CL_INVALID_WORK_GROUP_SIZE));
        CHECK_CODE(cb.launch(buffer, NULL, bits, t.add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL), AFTER(CL_INVALID_VALUE));
        CHECK_CODE(cb.launch(buffer, NULL, twice, t.add, 1, NULL, &items, region, 0, NULL, NULL, NULL), AFTER(CL_INVALID_VALUE));
        CHECK_CODE(cb.launch(buffer, NULL, NULL, t.add, 1, NULL, &items, NULL, 0, &point, NULL, NULL),
                   AFTER(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
        CHECK_CODE(cb.launch(buffer, NULL, property, t.add, 1, NULL, &items, NULL, 0, NULL, NULL, &handle), done);
#undef AFTER
    }
    CHECK(cb.release(buffer));
    end(&t);
    end(&u);
}

static void wrong_enqueues(void **state)
{
    (void)state;
    struct world t = begin(0);
    struct world u = begin(0);
    cl_command_buffer_khr buffer = new_buffer(&t, 0);
    cl_event event = NULL, foreign;
    cl_command_queue none = NULL, two[] = {t.w.queue, t.w.queue};
    CHECK_CREATE(foreign, clCreateUserEvent(u.w.context, &err), CL_SUCCESS);
    CHECK_CODE(cb.enqueue(0, NULL, buffer, 0, NULL, &event), CL_INVALID_OPERATION);
    CHECK(cb.finalize(buffer));
    CHECK_CODE(cb.enqueue(0, NULL, NULL, 0, NULL, &event), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_CODE(cb.enqueue(1, NULL, buffer, 0, NULL, &event), CL_INVALID_VALUE);
    CHECK_CODE(cb.enqueue(0, &t.w.queue, buffer, 0, NULL, &event), CL_INVALID_VALUE);
    CHECK_CODE(cb.enqueue(2, two, buffer, 0, NULL, &event), CL_INVALID_VALUE);
    CHECK_CODE(cb.enqueue(1, &none, buffer, 0, NULL, &event), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(cb.enqueue(1, &u.w.queue, buffer, 0, NULL, &event), CL_INVALID_CONTEXT);
    CHECK_CODE(cb.enqueue(0, NULL, buffer, 1, NULL, &event), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(cb.enqueue(0, NULL, buffer, 0, &foreign, &event), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(cb.enqueue(0, NULL, buffer, 1, &foreign, &event), CL_INVALID_CONTEXT);
    assert_null(event);
    CHECK(clReleaseEvent(foreign));
    CHECK(cb.release(buffer));
    end(&t);
    end(&u);
}

/* Records launches until the command buffer has been finalized. */
struct recorder {
    const struct world *t;
    cl_command_buffer_khr buffer;
    atomic_int recorded, end; /* end: the code of the last recording */
};

static void *record_launches(void *data)
{
    enum { MOST = 40 };
    struct recorder *r = data;
    while (r->recorded < MOST && !(r->end = cb.launch(r->buffer, NULL, NULL, r->t->add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL)))
        r->recorded++;
    return NULL;
}

/* What another thread records while the command buffer is finalized is in it from then on, or refused. */
static void finalized_while_another_thread_records(void **state)
{
    (void)state;
    struct world t = begin(0);
    set_add(&t, t.a, 1);
    for (int round = 0; round < 60; round++) {
        struct recorder r = {.t = &t, .buffer = new_buffer(&t, 0)};
        pthread_t thread;
        CHECK(clEnqueueFillBuffer(t.w.queue, t.a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
        assert_int_equal(pthread_create(&thread, NULL, record_launches, &r), 0);
        while (r.recorded < 3 && !r.end)
            ;
        cl_int finalized = cb.finalize(r.buffer), enqueued = cb.enqueue(0, NULL, r.buffer, 0, NULL, NULL);
        assert_int_equal(pthread_join(thread, NULL), 0);
        CHECK(finalized);
        CHECK(enqueued);
        CHECK_THAT(r.end == CL_INVALID_OPERATION || r.end == CL_SUCCESS);
        expect(&t, t.a, r.recorded, 0);
        CHECK(cb.release(r.buffer));
    }
    end(&t);
}

/* The command buffer keeps buffers and kernels that the application has released, and its program cannot be built again. */
static void released_objects(void **state)
{
    (void)state;
    struct world t = begin(0);
    cl_command_buffer_khr buffer = new_buffer(&t, 0);
    cl_mem mem = test_buffer(t.w.context, CL_MEM_READ_WRITE, BYTES, NULL);
    const cl_int two = 2;
    CHECK(cb.fill(buffer, NULL, NULL, mem, &two, sizeof two, 0, BYTES, 0, NULL, NULL, NULL));
    CHECK(cb.copy(buffer, NULL, NULL, mem, t.a, 0, 0, BYTES, 0, NULL, NULL, NULL));
    CHECK(clReleaseMemObject(mem));
    cl_program program = test_build(t.w.context, t.w.device, source, NULL);
    cl_kernel kernel = test_kernel(program, "add");
    CHECK(clSetKernelArg(kernel, 0, sizeof t.a, &t.a));
    CHECK(clSetKernelArg(kernel, 1, sizeof two, &two));
    CHECK(cb.launch(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CHECK(clReleaseKernel(kernel));
    CHECK_CODE(clBuildProgram(program, 1, &t.w.device, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clReleaseProgram(program));
    CHECK(cb.finalize(buffer));
    CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(&t, t.a, 4, 0);

    /* Buffers that are arguments are not kept; without one of them nothing is launched. */
    cl_command_buffer_khr second = new_buffer(&t, 0);
    mem = test_buffer(t.w.context, CL_MEM_READ_WRITE, BYTES, NULL);
    set_add(&t, mem, 1);
    CHECK(cb.launch(second, NULL, NULL, t.add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CHECK(cb.finalize(second));
    set_add(&t, t.a, 1);
    CHECK(clReleaseMemObject(mem));
    CHECK_CODE(cb.enqueue(0, NULL, second, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    CHECK(cb.release(second));
    CHECK(cb.release(buffer));
    end(&t);
}

static void CL_CALLBACK release_it(const char *message, const void *private_info, size_t cb_bytes, void *buffer)
{
    (void)message, (void)private_info, (void)cb_bytes;
    cl_command_buffer_khr *released = buffer;
    if (*released)
        CHECK(cb.release(*released));
    *released = NULL;
}

/* The context's callback releases the command buffer of the call that fails. */
static void released_by_the_callback(void **state)
{
    (void)state;
    struct world t = begin(0);
    cl_command_buffer_khr buffer = NULL;
    cl_context context;
    CHECK_CREATE(context, clCreateContext(NULL, 1, &t.w.device, release_it, &buffer, &err), CL_SUCCESS);
    cl_command_queue queue = test_queue(context, t.w.device, 0);
    cl_mem mem = test_buffer(context, CL_MEM_READ_WRITE, BYTES, NULL);
    CHECK_CREATE(buffer, cb.create(1, &queue, NULL, &err), CL_SUCCESS);
    CHECK_CODE(cb.fill(buffer, NULL, NULL, mem, &zero, 3, 0, BYTES, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_THAT(!buffer);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays),
        cmocka_unit_test(order),
        cmocka_unit_test(one_place_in_the_queue),
        cmocka_unit_test(events),
        cmocka_unit_test(other_queues_and_simultaneous_use),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(queries),
        cmocka_unit_test(wrong_creations),
        cmocka_unit_test(wrong_recordings),
        cmocka_unit_test(wrong_enqueues),
        cmocka_unit_test(released_objects),
        cmocka_unit_test(released_by_the_callback),
        cmocka_unit_test(finalized_while_another_thread_records),
    };
    return cmocka_run_group_tests(tests, find_functions, NULL);
}
