/* SPDX-License-Identifier: Apache-2.0
 * Command buffers: creation, recording, enqueuing, queries. */
#include <string.h>

#include "icd/command_buffer.h"

/* ---- life ---- */

static void command_free(struct _cl_mutable_command_khr *command)
{
    struct tsr__recording *recording = &command->recording;
    if (recording->clear)
        recording->clear((void *)recording->args);
    for (size_t i = 0; i < TSR_ARRAY_LEN(recording->objects); i++)
        if (recording->objects[i])
            tsr__drop(recording->objects[i]);
    tsr_free((void *)recording->args);
    tsr_free(command->properties);
    tsr_free(command->waits);
    command->base.tag = 0;
    tsr_free(command);
}

static void buffer_destroy(struct tsr_object *object)
{
    struct _cl_command_buffer_khr *buffer = (struct _cl_command_buffer_khr *)object;
    for (cl_uint i = 0; i < buffer->count; i++)
        command_free(buffer->commands[i]);
    tsr_free(buffer->commands);
    tsr_free(buffer->properties);
    pthread_mutex_destroy(&buffer->lock);
    if (buffer->recorder)
        tsr__drop(buffer->recorder);
    tsr__drop(buffer->queue);
    object->tag = 0;
    tsr_free(buffer);
}

static struct _cl_command_buffer_khr *buffer_new(struct _cl_command_queue *queue)
{
    struct _cl_command_buffer_khr *buffer = tsr_calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    tsr__object_init(&buffer->base, TSR_TAG_COMMAND_BUFFER, buffer_destroy);
    pthread_mutexattr_t recursive; /* an error calls the context's callback, which may use the command buffer */
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&buffer->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    tsr__hold(queue);
    buffer->queue = queue;
    buffer->recorder = tsr__queue_new(queue->context, queue->device, 0);
    if (!buffer->recorder) {
        tsr__drop(buffer);
        return NULL;
    }
    buffer->recorder->captures = true;
    return buffer;
}

/* Each property once, with bits that exist. */
static cl_int read_properties(struct _cl_context *context, const cl_command_buffer_properties_khr *list, size_t *words,
                              cl_command_buffer_flags_khr *flags, cl_mutable_dispatch_asserts_khr *asserts)
{
    bool has_flags = false, has_asserts = false;
    *words = 0;
    for (; list && list[*words]; *words += 2) {
        cl_command_buffer_properties_khr name = list[*words], value = list[*words + 1];
        bool is_flags = name == CL_COMMAND_BUFFER_FLAGS_KHR;
        RETURN_IF(context, !is_flags && name != CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, CL_INVALID_VALUE,
                  "no command buffer has the property 0x%llx", (unsigned long long)name);
        RETURN_IF(context, is_flags ? has_flags : has_asserts, CL_INVALID_VALUE, "property 0x%llx is given twice",
                  (unsigned long long)name);
        cl_bitfield known = is_flags ? CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR
                                     : CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
        RETURN_IF(context, value & ~known, CL_INVALID_VALUE, "property 0x%llx: unknown bits in 0x%llx", (unsigned long long)name,
                  (unsigned long long)value);
        *(is_flags ? &has_flags : &has_asserts) = true;
        *(is_flags ? flags : asserts) = value;
    }
    return CL_SUCCESS;
}

TSR_API cl_command_buffer_khr CL_API_CALL clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue *queues,
                                                                   const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret)
{
    struct _cl_command_buffer_khr *buffer = NULL;
    cl_command_buffer_flags_khr flags = 0;
    cl_mutable_dispatch_asserts_khr asserts = 0;
    size_t words;
    cl_int err = CL_SUCCESS;
    FAIL_IF(NULL, num_queues != 1 || !queues, CL_INVALID_VALUE, "%u queues at %p: a command buffer has one queue", num_queues,
            (const void *)queues);
    FAIL_IF(NULL, !tsr__valid(queues[0], TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "not a queue: %p", (void *)queues[0]);
    struct _cl_context *context = queues[0]->context;
    err = read_properties(context, properties, &words, &flags, &asserts);
    if (err != CL_SUCCESS)
        goto fail;
    buffer = buffer_new(queues[0]);
    FAIL_IF(context, !buffer, CL_OUT_OF_HOST_MEMORY, "no memory for a command buffer");
    buffer->flags = flags;
    buffer->asserts = asserts;
    FAIL_IF(context, !tsr__keep_properties(properties, words + 1, &buffer->properties, &buffer->property_count), CL_OUT_OF_HOST_MEMORY,
            "no memory for the properties");
fail:
    return tsr__created(buffer, err, errcode_ret);
}

TSR_API cl_int CL_API_CALL clRetainCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
    return tsr__api_retain(command_buffer, TSR_TAG_COMMAND_BUFFER, CL_INVALID_COMMAND_BUFFER_KHR);
}

TSR_API cl_int CL_API_CALL clReleaseCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
    return tsr__api_release(command_buffer, TSR_TAG_COMMAND_BUFFER, CL_INVALID_COMMAND_BUFFER_KHR);
}

/* ---- recording ---- */

static cl_int check_sync_points(const struct tsr__record_call *call)
{
    struct _cl_context *context = call->buffer->queue->context;
    if (!call->wait_list != !call->wait_count)
        return tsr__error(context, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, call->function, "sync_point_wait_list",
                          "%u synchronization points at %p: both or neither must be zero", call->wait_count, (const void *)call->wait_list);
    tsr__command_buffer_lock(call->buffer);
    cl_uint count = call->buffer->count, i = 0;
    tsr__command_buffer_unlock(call->buffer);
    while (i < call->wait_count && call->wait_list[i] >= 1 && call->wait_list[i] <= count)
        i++;
    if (i < call->wait_count)
        return tsr__error(context, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, call->function, "sync_point_wait_list",
                          "entry %u, %u, is no synchronization point of the command buffer", i, call->wait_list[i]);
    return CL_SUCCESS;
}

static cl_int report_finalized(const struct tsr__record_call *call)
{
    return tsr__error(call->buffer->queue->context, CL_INVALID_OPERATION, call->function, "finalized",
                      "the command buffer has been finalized");
}

cl_int tsr__record_check(const struct tsr__record_call *call, bool dispatch)
{
    if (!tsr__valid(call->buffer, TSR_TAG_COMMAND_BUFFER))
        return tsr__error(NULL, CL_INVALID_COMMAND_BUFFER_KHR, call->function, "command_buffer", "not a command buffer: %p",
                          (void *)call->buffer);
    struct _cl_context *context = call->buffer->queue->context;
    if (call->queue)
        return tsr__error(context, CL_INVALID_COMMAND_QUEUE, call->function, "command_queue",
                          "the queue must be NULL: a command buffer has one queue");
    tsr__command_buffer_lock(call->buffer);
    bool finalized = call->buffer->finalized;
    tsr__command_buffer_unlock(call->buffer);
    if (finalized)
        return report_finalized(call);
    if (!dispatch && call->properties && call->properties[0])
        return tsr__error(context, CL_INVALID_VALUE, call->function, "properties", "no command of this kind has the property 0x%llx",
                          (unsigned long long)call->properties[0]);
    if (!dispatch && call->handle)
        return tsr__error(context, CL_INVALID_VALUE, call->function, "mutable_handle",
                          "the command cannot be changed later, so mutable_handle must be NULL");
    return check_sync_points(call);
}

/* Notes what the command waits for: synchronization points, the last barrier, in an in-order queue the command before it; a barrier
 * without a list, everything. The lock is held. False: out of memory. */
static bool order(struct _cl_mutable_command_khr *command, const struct tsr__record_call *call, bool barrier)
{
    struct _cl_command_buffer_khr *buffer = command->buffer;
    bool full = barrier && !call->wait_count;
    command->waits = tsr_malloc((full ? buffer->count : call->wait_count + 2) * sizeof(cl_uint) + 1);
    if (!command->waits)
        return false;
    for (cl_uint i = 0; full && i < buffer->count; i++)
        if (!buffer->commands[i]->awaited)
            command->waits[command->wait_count++] = i;
    for (cl_uint i = 0; i < call->wait_count; i++)
        command->waits[command->wait_count++] = call->wait_list[i] - 1;
    if (!full && buffer->barrier)
        command->waits[command->wait_count++] = buffer->barrier - 1;
    bool in_order = !(buffer->queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (!full && in_order && buffer->count)
        command->waits[command->wait_count++] = buffer->count - 1;
    return true;
}

static bool copy_properties(struct _cl_mutable_command_khr *command, const cl_command_properties_khr *properties)
{
    size_t words = 0;
    while (properties && properties[words])
        words += 2;
    return tsr__keep_properties(properties, words + 1, &command->properties, &command->property_count);
}

/* Room for one more command. The lock is held. */
static bool grow(struct _cl_command_buffer_khr *buffer)
{
    if (buffer->count < buffer->room)
        return true;
    cl_uint room = buffer->room ? 2 * buffer->room : 16;
    struct _cl_mutable_command_khr **commands = tsr_realloc(buffer->commands, room * sizeof(struct _cl_mutable_command_khr *));
    if (!commands)
        return false;
    buffer->commands = commands;
    buffer->room = room;
    return true;
}

/* The command with copies of everything, ordered. NULL: out of memory. The lock is held. */
static struct _cl_mutable_command_khr *command_new(const struct tsr__record_call *call, const struct tsr__recording *recording)
{
    struct _cl_mutable_command_khr *command = tsr_calloc(1, sizeof *command);
    void *args = tsr_malloc(recording->args_size + 1);
    if (command && args) {
        tsr__object_init(&command->base, TSR_TAG_RECORDED_COMMAND, NULL);
        command->buffer = call->buffer;
        if (order(command, call, !recording->enqueue) && copy_properties(command, call->properties) && grow(call->buffer)) {
            if (recording->args_size)
                memcpy(args, recording->args, recording->args_size);
            command->recording = *recording;
            command->recording.args = args;
            for (size_t i = 0; i < TSR_ARRAY_LEN(recording->objects); i++)
                if (recording->objects[i])
                    tsr__hold(recording->objects[i]);
            return command;
        }
    }
    tsr_free(args);
    if (command)
        command_free(command);
    return NULL;
}

cl_int tsr__record_add(const struct tsr__record_call *call, const struct tsr__recording *recording)
{
    struct _cl_command_buffer_khr *buffer = call->buffer;
    tsr__command_buffer_lock(buffer);
    bool finalized = buffer->finalized; /* perhaps since the check */
    struct _cl_mutable_command_khr *command = finalized ? NULL : command_new(call, recording);
    cl_uint number = 0;
    if (command) {
        for (cl_uint i = 0; i < command->wait_count; i++)
            buffer->commands[command->waits[i]]->awaited = true;
        buffer->commands[buffer->count++] = command;
        number = buffer->count;
        if (!recording->enqueue)
            buffer->barrier = number;
    }
    tsr__command_buffer_unlock(buffer);
    if (finalized)
        return report_finalized(call);
    if (!command)
        return tsr__error(buffer->queue->context, CL_OUT_OF_HOST_MEMORY, call->function, "command", "no memory to record a command");
    if (call->sync_point)
        *call->sync_point = number;
    if (call->handle)
        *call->handle = command;
    return CL_SUCCESS;
}

/* ---- enqueuing ---- */

/* Whether every command can run. The lock is held. */
static bool complete(const struct _cl_command_buffer_khr *buffer)
{
    for (cl_uint i = 0; i < buffer->count; i++) {
        const struct tsr__recording *recording = &buffer->commands[i]->recording;
        if (recording->lacks && recording->lacks(recording->args))
            return false;
    }
    return true;
}

static cl_command_buffer_state_khr state_of(struct _cl_command_buffer_khr *buffer)
{
    tsr__command_buffer_lock(buffer);
    cl_command_buffer_state_khr state = !buffer->finalized ? CL_COMMAND_BUFFER_STATE_RECORDING_KHR
                                        : complete(buffer) ? CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR
                                                           : CL_COMMAND_BUFFER_STATE_FINALIZED_KHR;
    tsr__command_buffer_unlock(buffer);
    return state;
}

TSR_API cl_int CL_API_CALL clFinalizeCommandBufferKHR(cl_command_buffer_khr command_buffer)
{
    RETURN_IF(NULL, !tsr__valid(command_buffer, TSR_TAG_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR, "not a command buffer: %p",
              (void *)command_buffer);
    tsr__command_buffer_lock(command_buffer);
    bool before = command_buffer->finalized;
    command_buffer->finalized = true;
    tsr__command_buffer_unlock(command_buffer);
    RETURN_IF(command_buffer->queue->context, before, CL_INVALID_OPERATION, "the command buffer has been finalized before");
    return CL_SUCCESS;
}

/* Payload of the last of the tasks that an enqueued command buffer becomes. */
struct span {
    struct _cl_event *begin; /* the first one, held */
};

/* The event's time begins when the first command may begin. */
static void span_cleanup(struct _cl_event *end)
{
    struct span *span = (struct span *)(void *)end->payload;
    uint64_t begin = span->begin->task.end_ns;
    if (end->task.timed)
        end->device_start_ns = begin > end->task.submit_ns ? begin : end->task.submit_ns;
    tsr__drop(span->begin);
}

/* Makes the recorded commands anew, between the two that stand for the whole: made[0] and made[count + 1]. The lock is held. On an error
 * none is left. */
static cl_int make_commands(struct _cl_command_buffer_khr *buffer, struct _cl_command_queue *queue, struct _cl_event **made)
{
    cl_uint done = 0;
    cl_int err = CL_SUCCESS;
    struct _cl_event *begin = tsr__command_new(queue, CL_COMMAND_COMMAND_BUFFER_KHR, 0);
    struct _cl_event *end = tsr__command_new(queue, CL_COMMAND_COMMAND_BUFFER_KHR, sizeof(struct span));
    if (!begin || !end)
        err = CL_OUT_OF_HOST_MEMORY;
    while (err == CL_SUCCESS && done < buffer->count) {
        const struct tsr__recording *recording = &buffer->commands[done]->recording;
        buffer->recorder->captured = NULL;
        if (recording->enqueue)
            err = recording->enqueue(buffer->recorder, recording->args);
        else
            buffer->recorder->captured = tsr__empty_command(buffer->recorder, CL_COMMAND_BARRIER, NULL);
        if (err == CL_SUCCESS && !buffer->recorder->captured)
            err = CL_OUT_OF_HOST_MEMORY;
        if (err == CL_SUCCESS)
            made[++done] = buffer->recorder->captured;
    }
    if (err == CL_SUCCESS) {
        begin->task.units = end->task.units = 0;
        struct span *span = (struct span *)(void *)end->payload;
        tsr__hold(begin);
        span->begin = begin;
        end->cleanup = span_cleanup;
        made[0] = begin;
        made[done + 1] = end;
        return CL_SUCCESS;
    }
    while (done)
        tsr__command_abandon(made[done--]);
    if (begin)
        tsr__command_abandon(begin);
    if (end)
        tsr__command_abandon(end);
    return err;
}

/* Orders them as they were recorded. The lock is held. */
static enum tsr_status order_commands(const struct _cl_command_buffer_khr *buffer, struct _cl_event *const *made)
{
    struct tsr_task *begin = &made[0]->task, *end = &made[buffer->count + 1]->task;
    enum tsr_status status = TSR_OK;
    for (cl_uint i = 0; i < buffer->count && status == TSR_OK; i++) {
        const struct _cl_mutable_command_khr *command = buffer->commands[i];
        struct tsr_task *task = &made[i + 1]->task;
        if (!command->wait_count)
            status = tsr_task_after(task, begin, true);
        for (cl_uint w = 0; w < command->wait_count && status == TSR_OK; w++)
            status = tsr_task_after(task, &made[command->waits[w] + 1]->task, true);
        if (!command->awaited && status == TSR_OK)
            status = tsr_task_after(end, task, true);
    }
    return !buffer->count ? tsr_task_after(end, begin, true) : status;
}

static cl_int enqueue(struct _cl_command_buffer_khr *buffer, struct _cl_command_queue *queue, cl_uint wait_count, const cl_event *wait_list,
                      cl_event *event)
{
    struct _cl_event **made = tsr_malloc((buffer->count + 2) * sizeof(struct _cl_event *));
    cl_int err = made ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    tsr__command_buffer_lock(buffer);
    if (err == CL_SUCCESS)
        err = make_commands(buffer, queue, made);
    bool ordered = err == CL_SUCCESS && order_commands(buffer, made) == TSR_OK;
    if (err == CL_SUCCESS && !ordered) /* they refer to each other already, so they are submitted all the same */
        tsr__commands_spoil(made, buffer->count + 2);
    if (err == CL_SUCCESS)
        err = tsr__commands_submit(made, buffer->count + 2, wait_count, wait_list, ordered ? event : NULL, false);
    tsr__command_buffer_unlock(buffer);
    tsr_free(made);
    return err == CL_SUCCESS && !ordered ? CL_OUT_OF_HOST_MEMORY : err;
}

/* "any element of queues does not have the same device, … context, as the command-queue set on creation" */
static cl_int check_substitute(struct _cl_command_buffer_khr *buffer, cl_command_queue queue)
{
    struct _cl_context *context = buffer->queue->context;
    RETURN_IF(context, !tsr__valid(queue, TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "not a queue: %p", (void *)queue);
    RETURN_IF(context, queue->context != context, CL_INVALID_CONTEXT, "command buffer and queue are of two contexts");
    RETURN_IF(context, queue->device != buffer->queue->device, CL_INVALID_DEVICE, "command buffer and queue are of two devices");
    return CL_SUCCESS;
}

TSR_API cl_int CL_API_CALL clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue *queues, cl_command_buffer_khr command_buffer,
                                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    RETURN_IF(NULL, !tsr__valid(command_buffer, TSR_TAG_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR, "not a command buffer: %p",
              (void *)command_buffer);
    struct _cl_context *context = command_buffer->queue->context;
    cl_command_buffer_state_khr state = state_of(command_buffer);
    RETURN_IF(context, state == CL_COMMAND_BUFFER_STATE_RECORDING_KHR, CL_INVALID_OPERATION, "the command buffer has not been finalized");
    RETURN_IF(context, state == CL_COMMAND_BUFFER_STATE_FINALIZED_KHR, CL_INVALID_OPERATION,
              "a kernel of the command buffer lacks arguments; set them by clUpdateMutableCommandsKHR");
    RETURN_IF(context, !queues != !num_queues || num_queues > 1, CL_INVALID_VALUE, "%u queues at %p: a command buffer has one queue",
              num_queues, (void *)queues);
    cl_int err = queues ? check_substitute(command_buffer, queues[0]) : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = tsr__check_wait_list(context, num_events_in_wait_list, event_wait_list);
    if (err != CL_SUCCESS)
        return err;
    err = enqueue(command_buffer, queues ? queues[0] : command_buffer->queue, num_events_in_wait_list, event_wait_list, event);
    RETURN_IF(context, err == CL_OUT_OF_HOST_MEMORY, err, "no memory for the commands of a command buffer");
    return err;
}

/* ---- queries ---- */

TSR_API cl_int CL_API_CALL clGetCommandBufferInfoKHR(cl_command_buffer_khr command_buffer, cl_command_buffer_info_khr param_name,
                                                     size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    RETURN_IF(NULL, !tsr__valid(command_buffer, TSR_TAG_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR, "not a command buffer: %p",
              (void *)command_buffer);
    struct tsr_info_out out = {param_value_size, param_value, param_value_size_ret};
    switch (param_name) {
    case CL_COMMAND_BUFFER_NUM_QUEUES_KHR:
        return tsr__info_value(out, cl_uint, 1);
    case CL_COMMAND_BUFFER_QUEUES_KHR:
        return tsr__info_value(out, cl_command_queue, command_buffer->queue);
    case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR:
        return tsr__info_value(out, cl_uint, (cl_uint)atomic_load(&command_buffer->base.api));
    case CL_COMMAND_BUFFER_STATE_KHR:
        return tsr__info_value(out, cl_command_buffer_state_khr, state_of(command_buffer));
    case CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
        return tsr__info_bytes(out, command_buffer->properties, command_buffer->property_count * sizeof *command_buffer->properties);
    case CL_COMMAND_BUFFER_CONTEXT_KHR:
        return tsr__info_value(out, cl_context, command_buffer->queue->context);
    default:
        return tsr__error(command_buffer->queue->context, CL_INVALID_VALUE, __func__, "param_name",
                          "no command buffer has the property 0x%x", param_name);
    }
}
