/* SPDX-License-Identifier: Apache-2.0
 * Commands: what a queue runs. A command is an event; its life is described in docs/queues.md. */
#include <string.h>

#include "icd/icd.h"

enum { SPARE_MAX = 256 /* dead events whose memory a queue keeps for new ones */ };

/* ---- life ---- */

static int command_run(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    struct _cl_event *command = TSR_CONTAINER_OF(task, struct _cl_event, task);
    /* Several threads may begin with a command at once; one of them changes its status. */
    cl_int submitted = CL_SUBMITTED;
    if (atomic_load_explicit(&command->status, memory_order_relaxed) == CL_SUBMITTED &&
        atomic_compare_exchange_strong(&command->status, &submitted, CL_RUNNING))
        tsr__event_advance(command, CL_RUNNING);
    cl_int err = command->uses ? tsr__uses_ready(command) : CL_SUCCESS;
    return err != CL_SUCCESS ? err : command->execute(command, worker, begin, end);
}

/* Empties the fence's slot if the event is in it, so that a complete command is not kept by its queue. */
static void leave_fence(struct _cl_event *command)
{
    struct _cl_event *expected = command;
    if (atomic_compare_exchange_strong(&command->queue->fence, &expected, NULL))
        tsr__drop(command);
}

static void command_done(struct tsr_task *task, int status)
{
    struct _cl_event *command = TSR_CONTAINER_OF(task, struct _cl_event, task);
    if (status < 0)
        command->result = status;
    if (command->cleanup)
        command->cleanup(command);
    if (command->uses)
        tsr__uses_free(command);
    tsr__event_advance(command, command->result);
    leave_fence(command);
}

static void command_released(struct tsr_task *task)
{
    tsr__drop(TSR_CONTAINER_OF(task, struct _cl_event, task));
}

/* Keeps the memory of a dead event for the next events of its queue. */
static void recycle(struct _cl_event *command)
{
    struct _cl_command_queue *queue = command->queue;
    if (atomic_fetch_add_explicit(&queue->returned_count, 1, memory_order_relaxed) >= SPARE_MAX) {
        atomic_fetch_sub_explicit(&queue->returned_count, 1, memory_order_relaxed);
        tsr_free(command);
        return;
    }
    struct _cl_event *top = atomic_load_explicit(&queue->returned, memory_order_relaxed);
    do
        command->next_spare = top;
    while (!atomic_compare_exchange_weak_explicit(&queue->returned, &top, command, memory_order_release, memory_order_relaxed));
}

static void command_destroy(struct tsr_object *object)
{
    struct _cl_event *command = (struct _cl_event *)object;
    struct _cl_command_queue *queue = command->queue;
    object->tag = 0;
    recycle(command);
    tsr__drop(queue);
}

static void free_spares(struct _cl_event *spare)
{
    for (struct _cl_event *next; spare; spare = next) {
        next = spare->next_spare;
        tsr_free(spare);
    }
}

void tsr__queue_discard(struct _cl_command_queue *queue)
{
    free_spares(queue->spare);
    free_spares(atomic_load(&queue->returned));
    tsr_free(queue->gather); /* no task refers to it: the commands that it waited for held the queue */
}

void tsr__queue_forget(struct tsr_fork_mutex *fork_waits)
{
    struct _cl_command_queue *queue = TSR_CONTAINER_OF(fork_waits, struct _cl_command_queue, fork_waits);
    atomic_store(&queue->fence, NULL);
    queue->gather = NULL;
}

/* Memory of a dead event with at least `lines` lines of payload, or NULL. The whole list `returned` is taken at once, so a compare-and-swap
 * cannot meet a reused head of it. */
static struct _cl_event *take_spare(struct _cl_command_queue *queue, size_t lines)
{
    pthread_mutex_lock(&queue->lock);
    if (!queue->spare && atomic_load_explicit(&queue->returned, memory_order_relaxed))
        queue->spare = atomic_exchange_explicit(&queue->returned, NULL, memory_order_acquire);
    struct _cl_event *spare = queue->spare;
    if (spare)
        queue->spare = spare->next_spare;
    pthread_mutex_unlock(&queue->lock);
    if (!spare)
        return NULL;
    atomic_fetch_sub_explicit(&queue->returned_count, 1, memory_order_relaxed);
    if (spare->payload_lines >= lines)
        return spare;
    tsr_free(spare);
    return NULL;
}

struct _cl_event *tsr__command_new(struct _cl_command_queue *queue, cl_command_type type, size_t payload)
{
    size_t lines = payload / TSR_CACHE_LINE + (payload % TSR_CACHE_LINE != 0);
    if (lines > UINT32_MAX)
        return NULL;
    struct _cl_event *command = take_spare(queue, lines);
    if (command)
        lines = command->payload_lines;
    else
        command = tsr_malloc(sizeof *command + lines * TSR_CACHE_LINE);
    if (!command)
        return NULL;
    memset(command, 0, sizeof *command + payload);
    command->payload_lines = (uint32_t)lines;
    tsr__object_init(&command->base, TSR_TAG_EVENT, command_destroy);
    tsr__hold(queue);
    command->queue = queue;
    command->context = queue->context;
    command->type = type;
    atomic_init(&command->status, CL_QUEUED);
    command->task.run = command_run;
    command->task.done = command_done;
    command->task.released = command_released;
    command->task.units = 1;
    command->task.timed = queue->flags & CL_QUEUE_PROFILING_ENABLE;
    if (command->task.timed)
        command->queued_ns = tsr_now_ns();
    tsr_task_init(&command->task, queue->pool);
    return command;
}

void tsr__command_abandon(struct _cl_event *command)
{
    if (command->cleanup)
        command->cleanup(command);
    if (command->uses)
        tsr__uses_free(command);
    atomic_store(&command->base.api, 0);
    tsr__drop(command);
}

struct _cl_event *tsr__command_if(struct _cl_event *command, bool complete)
{
    if (complete)
        return command;
    tsr__command_abandon(command);
    return NULL;
}

/* ---- order ---- */

/* Takes the queue's fence out of its slot, and with it the slot's hold. NULL if there is nothing to wait for. */
static struct _cl_event *take_fence(struct _cl_command_queue *queue)
{
    return atomic_exchange(&queue->fence, NULL);
}

/* Puts the fence back into its slot. */
static void return_fence(struct _cl_command_queue *queue, struct _cl_event *fence)
{
    tsr__hold(fence);
    atomic_store(&queue->fence, fence);
    /* If the fence has completed while it was out of the slot, its completion did not find it there. */
    if (atomic_load(&fence->status) <= CL_COMPLETE)
        leave_fence(fence);
    tsr__drop(fence);
}

struct _cl_event *tsr__queue_fence(struct _cl_command_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    struct _cl_event *fence = take_fence(queue);
    if (fence) {
        tsr__hold(fence);
        return_fence(queue, fence);
    }
    pthread_mutex_unlock(&queue->lock);
    return fence;
}

static void gather_released(struct tsr_task *task)
{
    tsr_free(task);
}

/* The task that gathers the commands of an out-of-order queue: the next marker, barrier or clFinish waits for it. */
static struct tsr_task *open_gather(struct _cl_command_queue *queue)
{
    if (!queue->gather && (queue->gather = tsr_calloc(1, sizeof *queue->gather))) {
        queue->gather->released = gather_released;
        tsr_task_init(queue->gather, NULL);
    }
    return queue->gather;
}

static void close_gather(struct _cl_command_queue *queue)
{
    struct tsr_task *gather = queue->gather;
    queue->gather = NULL;
    if (gather)
        tsr_task_submit(gather);
}

/* Orders commands after the queue's last barrier and, if the last waits for all earlier commands, after the gather task. On devices whose
 * commands end in order one that waits for nothing is as a barrier. Under the queue's lock. */
static enum tsr_status order_loosely(struct _cl_command_queue *queue, struct _cl_event *first, struct _cl_event *last, cl_uint wait_count)
{
    bool barrier = last->type == CL_COMMAND_BARRIER, marker = last->type == CL_COMMAND_MARKER;
    bool everything = wait_count == 0 && (barrier || marker);
    bool fences = barrier || (wait_count == 0 && !marker && queue->device->caps->ends_in_order);
    enum tsr_status status = TSR_OK;
    struct _cl_event *fence = take_fence(queue);
    if (fence)
        status = tsr_task_after(&first->task, &fence->task, false);
    if (status == TSR_OK && everything && queue->gather)
        status = tsr_task_after(&first->task, queue->gather, false);
    if (status == TSR_OK && everything)
        close_gather(queue);
    /* A marker is gathered too, so the next marker waits for all that this one waits for. */
    if (status == TSR_OK)
        status = open_gather(queue) ? tsr_task_after(queue->gather, &last->task, false) : TSR_NO_MEMORY;
    if (status == TSR_OK && fences) {
        tsr__hold(last);
        atomic_store(&queue->fence, last);
        if (fence)
            tsr__drop(fence);
    } else if (fence) {
        return_fence(queue, fence);
    }
    return status;
}

/* Orders commands after the one before them; under the queue's lock. A failure does not spread along the queue. */
static enum tsr_status order_strictly(struct _cl_command_queue *queue, struct _cl_event *first, struct _cl_event *last)
{
    struct _cl_event *fence = take_fence(queue);
    if (fence) {
        enum tsr_status status = tsr_task_after(&first->task, &fence->task, false);
        if (status != TSR_OK) {
            return_fence(queue, fence);
            return status;
        }
        tsr__drop(fence);
    }
    tsr__hold(last);
    atomic_store(&queue->fence, last); /* the command is not submitted yet, so its completion will find it there */
    return TSR_OK;
}

void tsr__commands_spoil(struct _cl_event *const *commands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        commands[i]->task.units = 0;
        commands[i]->result = CL_OUT_OF_HOST_MEMORY;
    }
}

/* The commands that nobody gets an event of: the task alone holds them. */
static void submit_silently(struct _cl_event *const *commands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        atomic_store_explicit(&commands[i]->base.api, 0, memory_order_relaxed);
        atomic_store_explicit(&commands[i]->status, CL_SUBMITTED, memory_order_relaxed);
        tsr_task_submit(&commands[i]->task);
    }
}

/* cl_intel_exec_by_local_thread: the thread that enqueues the commands is to run them, and nobody else. False: out of memory. Where no call
 * may wait, in a callback, they are left to the device's threads. */
static bool take_over(struct _cl_event *const *commands, size_t count, struct tsr_pool **own)
{
    const struct _cl_command_queue *queue = commands[0]->queue;
    *own = NULL;
    if (!(queue->flags & CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL) || tsr_in_callback())
        return true;
    if (!(*own = tsr_pool_borrow()))
        return false;
    for (size_t i = 0; i < count; i++)
        tsr_task_move(&commands[i]->task, *own);
    tsr_pool_flush(queue->pool); /* commands before these, from callbacks */
    return true;
}

cl_int tsr__commands_submit(struct _cl_event *const *commands, size_t count, cl_uint wait_count, const cl_event *wait_list, cl_event *event,
                            bool blocking)
{
    struct _cl_event *first = commands[0], *command = commands[count - 1];
    struct _cl_command_queue *queue = command->queue;
    struct _cl_context *context = command->context;
    struct tsr_pool *own;
    enum tsr_status status = take_over(commands, count, &own) ? TSR_OK : TSR_NO_MEMORY;
    for (cl_uint i = 0; i < wait_count && status == TSR_OK; i++) {
        status = tsr_task_after(&first->task, &wait_list[i]->task, true);
        /* A thread that waits for this command does not run work of another pool: that pool is flushed. */
        if (wait_list[i]->queue && (own || wait_list[i]->queue->pool != queue->pool))
            tsr_pool_flush(wait_list[i]->queue->pool);
    }
    if (status == TSR_OK) {
        pthread_mutex_lock(&queue->lock);
        status = queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ? order_loosely(queue, first, command, wait_count)
                                                                       : order_strictly(queue, first, command);
        pthread_mutex_unlock(&queue->lock);
    }
    bool failed = status != TSR_OK, waits = blocking || own;
    if (failed) {
        /* Other tasks may depend on these by now: they have to end, with nothing to run. */
        tsr__commands_spoil(commands, count);
        event = NULL;
        blocking = false;
        waits = own;
    }
    submit_silently(commands, count - 1);
    if (event)
        *event = command;
    if (waits)
        tsr__hold(command);
    /* One hold stands for the API's count and is dropped by the last release; the task has a hold of its own. */
    if (event)
        tsr__hold(command);
    else
        atomic_store_explicit(&command->base.api, 0, memory_order_relaxed);
    atomic_store_explicit(&command->status, CL_SUBMITTED, memory_order_relaxed);
    tsr_task_submit(&command->task);
    cl_int ended = CL_COMPLETE, err = waits ? tsr__event_wait(command, &ended) : CL_SUCCESS;
    if (own && err == CL_SUCCESS)
        tsr_pool_return(own);
    if (failed)
        err = tsr__error(context, CL_OUT_OF_HOST_MEMORY, __func__, "tsr_task_after", "no memory to order the command in its queue");
    else if (blocking && err == CL_SUCCESS && ended < 0)
        err = tsr__error(context, ended, __func__, "blocking", "the command ended with error %d", ended);
    if (err != CL_SUCCESS && event) { /* a call that fails hands out no event */
        *event = NULL;
        tsr__api_release(command, TSR_TAG_EVENT, CL_INVALID_EVENT);
    }
    if (waits)
        tsr__drop(command);
    if (blocking)
        tsr_pool_flush(queue->pool); /* a blocking call flushes the commands before it as well */
    return err;
}

cl_int tsr__command_submit(struct _cl_event *command, cl_uint wait_count, const cl_event *wait_list, cl_event *event, bool blocking)
{
    if (command->queue->captures) {
        command->queue->captured = command;
        return CL_SUCCESS;
    }
    return tsr__commands_submit(&command, 1, wait_count, wait_list, event, blocking);
}
