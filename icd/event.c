/* SPDX-License-Identifier: Apache-2.0
 * Events: status, callbacks, user events, waits and queries. */
#include "icd/icd.h"

struct tsr__event_callback {
    struct tsr__event_callback *next;
    void(CL_CALLBACK *call)(cl_event event, cl_int status, void *user_data);
    void *user_data;
    cl_int type; /* CL_SUBMITTED, CL_RUNNING or CL_COMPLETE */
};

/* ---- status and callbacks ---- */

/* Takes the callbacks that are due, in the order of their calls: by type, the highest first, and of a type the one registered first (the
 * event's list is newest first). */
static struct tsr__event_callback *take_due(struct _cl_event *event, cl_int status)
{
    struct tsr__event_callback *due[CL_SUBMITTED + 1] = {NULL}, *later = NULL, **end = &later, *all = NULL;
    tsr_table_lock(&tsr__event_locks, event);
    for (struct tsr__event_callback *c = atomic_load(&event->callbacks), *next; c; c = next) {
        next = c->next;
        if (c->type >= status) {
            c->next = due[c->type];
            due[c->type] = c;
        } else {
            *end = c;
            end = &c->next;
        }
    }
    *end = NULL;
    atomic_store(&event->callbacks, later);
    tsr_table_unlock(&tsr__event_locks, event);
    end = &all;
    for (cl_int type = CL_SUBMITTED; type >= CL_COMPLETE; type--)
        for (*end = due[type]; *end;)
            end = &(*end)->next;
    return all;
}

/* Notes that this thread calls the event's callbacks. False: it does so already, further up on its stack. */
static bool begin_calls(struct _cl_event *event, const void *thread)
{
    tsr_table_lock(&tsr__event_locks, event);
    bool again = event->caller == thread;
    if (!event->caller)
        event->caller = thread;
    tsr_table_unlock(&tsr__event_locks, event);
    return !again;
}

static void end_calls(struct _cl_event *event, const void *thread)
{
    tsr_table_lock(&tsr__event_locks, event);
    if (event->caller == thread)
        event->caller = NULL;
    tsr_table_unlock(&tsr__event_locks, event);
}

/* Calls the callbacks that are due, each once, under no lock. The caller keeps the event alive. What a callback registers for its own event
 * is called after it, not within it: a callback that registers itself again and again needs no more stack each time. */
static void call_due(struct _cl_event *event)
{
    static _Thread_local char this_thread; /* its address stands for the thread */
    if (!begin_calls(event, &this_thread))
        return;
    int begun = tsr_no_cancel_begin();
    for (struct tsr__event_callback *due, *next; (due = take_due(event, atomic_load(&event->status)));)
        for (; due; due = next) {
            next = due->next;
            cl_int status = atomic_load(&event->status);
            due->call(event, status < 0 ? status : due->type, due->user_data);
            tsr_free(due);
        }
    tsr_no_cancel_end(begun);
    end_calls(event, &this_thread);
}

/* The store and the load of `callbacks`, and clSetEventCallback's push and its load of `status`, are sequentially consistent: one of the
 * two threads sees the other's, so no callback is lost. */
void tsr__event_advance(struct _cl_event *event, cl_int status)
{
    atomic_store(&event->status, status);
    if (atomic_load(&event->callbacks))
        call_due(event);
}

cl_int tsr__blocking_in_callback(struct _cl_context *context, const char *function)
{
    return tsr__error(context, CL_INVALID_OPERATION, function, "blocking",
                      "a blocking call was made from an event callback or a native kernel; only calls that do not block are allowed there");
}

cl_int tsr__event_wait(struct _cl_event *event, cl_int *status)
{
    if (tsr_task_wait(&event->task, NULL) != TSR_OK)
        return tsr__blocking_in_callback(event->context, __func__);
    *status = atomic_load(&event->status);
    return CL_SUCCESS;
}

/* ---- user events ---- */

static void user_event_done(struct tsr_task *task, int status)
{
    struct _cl_event *event = TSR_CONTAINER_OF(task, struct _cl_event, task);
    (void)status; /* stored by clSetUserEventStatus */
    if (atomic_load(&event->callbacks))
        call_due(event);
}

static void user_event_released(struct tsr_task *task)
{
    tsr__drop(TSR_CONTAINER_OF(task, struct _cl_event, task));
}

static void user_event_destroy(struct tsr_object *object)
{
    struct _cl_event *event = (struct _cl_event *)object;
    for (struct tsr__event_callback *c = atomic_load(&event->callbacks), *next; c; c = next) {
        next = c->next;
        tsr_free(c);
    }
    tsr__drop(event->context);
    tsr_free(event);
}

struct _cl_event *tsr__user_event_new(struct _cl_context *context)
{
    struct _cl_event *event = tsr_calloc(1, sizeof *event);
    if (!event)
        return NULL;
    tsr__object_init(&event->base, TSR_TAG_EVENT, user_event_destroy);
    tsr__hold(context);
    event->context = context;
    event->type = CL_COMMAND_USER;
    atomic_init(&event->status, CL_SUBMITTED);
    event->task.external = true;
    event->task.done = user_event_done;
    event->task.released = user_event_released;
    tsr_task_init(&event->task, NULL);
    tsr_task_submit(&event->task);
    return event;
}

/* clCreateUserEvent: OpenCL 3.0, 5.11. */
TSR_API cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    struct _cl_event *event = NULL;
    cl_int err = CL_SUCCESS;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    event = tsr__user_event_new(context);
    FAIL_IF(context, !event, CL_OUT_OF_HOST_MEMORY, "no memory for an event");
fail:
    return tsr__created(event, err, errcode_ret);
}

/* clSetUserEventStatus: OpenCL 3.0, 5.11. Callbacks run on this thread. */
TSR_API cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int execution_status)
{
    RETURN_IF(NULL, !tsr__valid(event, TSR_TAG_EVENT) || event->queue, CL_INVALID_EVENT, "not a user event: %p", (void *)event);
    RETURN_IF(event->context, execution_status > CL_COMPLETE, CL_INVALID_VALUE,
              "status %d: a user event can only be set to CL_COMPLETE or to a negative error code", execution_status);
    cl_int expected = CL_SUBMITTED;
    RETURN_IF(event->context, !atomic_compare_exchange_strong(&event->status, &expected, execution_status), CL_INVALID_OPERATION,
              "the status of this user event was set before, to %d", expected);
    tsr__hold(event); /* dropped by user_event_released */
    tsr_task_finish(&event->task, execution_status);
    return CL_SUCCESS;
}

/* ---- events in general ---- */

/* clRetainEvent, clReleaseEvent: OpenCL 3.0, 5.11. A command runs on when its event is released. */
TSR_API cl_int CL_API_CALL clRetainEvent(cl_event event)
{
    return tsr__api_retain(event, TSR_TAG_EVENT, CL_INVALID_EVENT);
}

TSR_API cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
    return tsr__api_release(event, TSR_TAG_EVENT, CL_INVALID_EVENT);
}

/* clWaitForEvents: OpenCL 3.0, 5.11. Flushes the queues of the events. */
TSR_API cl_int CL_API_CALL clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    RETURN_IF(NULL, num_events == 0 || !event_list, CL_INVALID_VALUE, "an empty list: %u events at %p", num_events,
              (const void *)event_list);
    for (cl_uint i = 0; i < num_events; i++)
        RETURN_IF(NULL, !tsr__valid(event_list[i], TSR_TAG_EVENT), CL_INVALID_EVENT, "entry %u is not an event: %p", i,
                  (void *)event_list[i]);
    for (cl_uint i = 1; i < num_events; i++)
        RETURN_IF(event_list[0]->context, event_list[i]->context != event_list[0]->context, CL_INVALID_CONTEXT,
                  "events 0 and %u belong to different contexts", i);

    /* The application keeps the events alive during the call, but a callback may release one. */
    for (cl_uint i = 0; i < num_events; i++)
        tsr__hold(event_list[i]);
    /* Waiting for a single event helps with the work of its pool; the other pools have to be flushed. */
    for (cl_uint i = 0; num_events > 1 && i < num_events; i++)
        if (event_list[i]->queue && atomic_load(&event_list[i]->status) > CL_COMPLETE)
            tsr_pool_flush(event_list[i]->queue->pool);
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < num_events; i++) {
        cl_int status = CL_COMPLETE;
        cl_int wait_err = tsr__event_wait(event_list[i], &status);
        if (wait_err != CL_SUCCESS)
            err = wait_err;
        else if (status < 0 && err == CL_SUCCESS)
            err = tsr__error(event_list[i]->context, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, __func__, "status < 0",
                             "event %u ended with error %d", i, status);
    }
    /* The other commands of the queues count as flushed too. */
    for (cl_uint i = 0; i < num_events; i++) {
        if (event_list[i]->queue)
            tsr_pool_flush(event_list[i]->queue->pool);
        tsr__drop(event_list[i]);
    }
    return err;
}

/* A program may ask until the command has ended, and never flush. */
static cl_int asked_status(cl_event event)
{
    cl_int status = atomic_load(&event->status);
    if (status > CL_RUNNING && event->queue)
        tsr_pool_flush(event->queue->pool);
    return status;
}

/* clGetEventInfo: OpenCL 3.0, 5.11. */
TSR_API cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value, size_t *size_ret)
{
    RETURN_IF(NULL, !tsr__valid(event, TSR_TAG_EVENT), CL_INVALID_EVENT, "not an event: %p", (void *)event);
    struct tsr_info_out out = {size, value, size_ret};
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
        return tsr__info_value(out, cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT:
        return tsr__info_value(out, cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE:
        return tsr__info_value(out, cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return tsr__info_value(out, cl_int, asked_status(event));
    case CL_EVENT_REFERENCE_COUNT:
        return tsr__info_value(out, cl_uint, (cl_uint)atomic_load(&event->base.api));
    default:
        return tsr__error(event->context, CL_INVALID_VALUE, __func__, "param_name", "no event has the property 0x%x", name);
    }
}

/* clSetEventCallback: OpenCL 3.0, 5.11. If the status has been reached already, the callback is called before this returns, or, in a
 * callback of the same event, after that one. */
TSR_API cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int type, void(CL_CALLBACK *call)(cl_event, cl_int, void *),
                                              void *user_data)
{
    RETURN_IF(NULL, !tsr__valid(event, TSR_TAG_EVENT), CL_INVALID_EVENT, "not an event: %p", (void *)event);
    RETURN_IF(event->context, !call, CL_INVALID_VALUE, "the callback is NULL");
    RETURN_IF(event->context, type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE, CL_INVALID_VALUE,
              "type %d is none of CL_SUBMITTED, CL_RUNNING and CL_COMPLETE", type);
    struct tsr__event_callback *callback = tsr_malloc(sizeof *callback);
    RETURN_IF(event->context, !callback, CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
    *callback = (struct tsr__event_callback){.call = call, .user_data = user_data, .type = type};

    tsr__hold(event); /* the callback may release it */
    tsr_table_lock(&tsr__event_locks, event);
    callback->next = atomic_load(&event->callbacks);
    atomic_store(&event->callbacks, callback);
    tsr_table_unlock(&tsr__event_locks, event);
    if (atomic_load(&event->status) <= type)
        call_due(event);
    tsr__drop(event);
    return CL_SUCCESS;
}

/* clGetEventProfilingInfo: OpenCL 3.0, 5.14. Nanoseconds of CLOCK_MONOTONIC, as clGetHostTimer. */
TSR_API cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void *value, size_t *size_ret)
{
    RETURN_IF(NULL, !tsr__valid(event, TSR_TAG_EVENT), CL_INVALID_EVENT, "not an event: %p", (void *)event);
    RETURN_IF(event->context, !event->queue, CL_PROFILING_INFO_NOT_AVAILABLE, "a user event is not profiled");
    RETURN_IF(event->context, !event->task.timed, CL_PROFILING_INFO_NOT_AVAILABLE,
              "the command's queue was created without CL_QUEUE_PROFILING_ENABLE");
    RETURN_IF(event->context, atomic_load(&event->status) != CL_COMPLETE, CL_PROFILING_INFO_NOT_AVAILABLE,
              "the command is not complete (status %d)", atomic_load(&event->status));
    struct tsr_info_out out = {size, value, size_ret};
    switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
        return tsr__info_value(out, cl_ulong, event->queued_ns);
    case CL_PROFILING_COMMAND_SUBMIT:
        return tsr__info_value(out, cl_ulong, event->task.submit_ns);
    case CL_PROFILING_COMMAND_START:
        return tsr__info_value(out, cl_ulong, event->device_start_ns ? event->device_start_ns : event->task.start_ns);
    case CL_PROFILING_COMMAND_END:
        return tsr__info_value(out, cl_ulong, event->device_end_ns ? event->device_end_ns : event->task.end_ns);
    case CL_PROFILING_COMMAND_COMPLETE: /* with the commands that a kernel has enqueued: the task is that of all */
        return tsr__info_value(
            out, cl_ulong, event->device_end_ns && !event->queue->device->caps->device_queues ? event->device_end_ns : event->task.end_ns);
    default:
        return tsr__error(event->context, CL_INVALID_VALUE, __func__, "param_name", "no profiling value 0x%x", name);
    }
}
