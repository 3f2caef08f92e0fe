/* SPDX-License-Identifier: Apache-2.0
 * Command queues, which execute regular lists, and fences. */
#include "device-xmx/ze_newer.h"
#include "device-xmx/standin/standin.h"

ze_result_t ZE_APICALL zeCommandQueueCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice, const ze_command_queue_desc_t *desc,
                                            ze_command_queue_handle_t *phCommandQueue)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(phCommandQueue);
    ze_result_t result = tsr__standin_check_queue(__func__, context, device, desc);
    if (result)
        return result;
    struct tsr__queue *queue = tsr_calloc(1, sizeof *queue);
    if (!queue || !tsr__standin_add(queue, TSR__KIND_QUEUE, context)) {
        tsr_free(queue);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    queue->device = device;
    queue->context = context;
    queue->ordinal = desc->ordinal;
    queue->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    tsr__standin_stream_open(&queue->stream, device, desc->flags & TSR_ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    *phCommandQueue = HANDLE(ze_command_queue_handle_t, queue);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandQueueDestroy(ze_command_queue_handle_t hCommandQueue)
{
    FIND(QUEUE, tsr__queue, queue, hCommandQueue);
    pthread_mutex_lock(&tsr__standin_lock);
    bool busy = queue->stream.count;
    pthread_mutex_unlock(&tsr__standin_lock);
    MISUSE_IF(busy, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "commands of the queue have not ended");
    CHECK_NO_CHILDREN(queue);
    tsr__standin_stream_close(&queue->stream);
    tsr__standin_remove(queue);
    tsr_free(queue);
    return ZE_RESULT_SUCCESS;
}

/* A command that does nothing, after all before it. */
static ze_result_t submit_mark(struct tsr__queue *queue, struct tsr__tell tell)
{
    ze_result_t result;
    struct tsr__command *mark =
        tsr__standin_command_new(sizeof *mark, "zeCommandQueueExecuteCommandLists", queue->context, NULL, 0, NULL, 0, NULL, &result);
    if (!mark)
        return result;
    mark->barrier = true;
    result = tsr__standin_submit(&queue->stream, mark, tell);
    tsr__standin_command_drop(mark);
    return result;
}

/* The lists of an execution follow each other: what a later one holds begins when the earlier one has ended. */
static ze_result_t execute(struct tsr__queue *queue, struct tsr__list *list)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (struct tsr_list *at = list->commands.next; at != &list->commands && !result; at = at->next)
        result = tsr__standin_submit(&queue->stream, TSR_LIST_ITEM(at, struct tsr__command, link), (struct tsr__tell){.list = list});
    return result ? result : submit_mark(queue, (struct tsr__tell){.list = list});
}

ze_result_t ZE_APICALL zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t hCommandQueue, uint32_t numCommandLists,
                                                         ze_command_list_handle_t *phCommandLists, ze_fence_handle_t hFence)
{
    FIND(QUEUE, tsr__queue, queue, hCommandQueue);
    NEED_POINTER(phCommandLists);
    MISUSE_IF(!numCommandLists, ZE_RESULT_ERROR_INVALID_SIZE, "no lists");
    struct tsr__fence *fence = NULL;
    if (hFence) {
        FIND(FENCE, tsr__fence, found, hFence);
        MISUSE_IF(found->queue != queue, ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "the fence is of another queue");
        MISUSE_IF(found->used, ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "the fence has been used: reset it first");
        fence = found;
    }
    for (uint32_t i = 0; i < numCommandLists; i++) {
        FIND(LIST, tsr__list, list, phCommandLists[i]);
        MISUSE_IF(list->immediate || list->ordinal != queue->ordinal, ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                  "list %u is immediate, or of another group of queues", i);
        MISUSE_IF(!list->closed, ZE_RESULT_ERROR_INVALID_ARGUMENT, "list %u is not closed", i);
        MISUSE_IF(list->device != queue->device, ZE_RESULT_ERROR_INVALID_ARGUMENT, "list %u is of another device", i);
    }
    ze_result_t result = ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&tsr__standin_lock);
    for (uint32_t i = 0; i < numCommandLists && !result; i++)
        result = execute(queue, tsr__standin_look(TSR__KIND_LIST, phCommandLists[i]));
    if (!result && fence) {
        result = submit_mark(queue, (struct tsr__tell){.fence = fence, .round = fence->round});
        fence->used = !result;
    }
    if (!result && queue->synchronous)
        result = tsr__standin_wait(&queue->stream.count, queue->device, UINT64_MAX);
    pthread_mutex_unlock(&tsr__standin_lock);
    return result;
}

ze_result_t ZE_APICALL zeCommandQueueSynchronize(ze_command_queue_handle_t hCommandQueue, uint64_t timeout)
{
    FIND(QUEUE, tsr__queue, queue, hCommandQueue);
    pthread_mutex_lock(&tsr__standin_lock);
    ze_result_t result = tsr__standin_wait(&queue->stream.count, queue->device, timeout);
    pthread_mutex_unlock(&tsr__standin_lock);
    return result;
}

/* ---- fences ---- */

ze_result_t ZE_APICALL zeFenceCreate(ze_command_queue_handle_t hCommandQueue, const ze_fence_desc_t *desc, ze_fence_handle_t *phFence)
{
    FIND(QUEUE, tsr__queue, queue, hCommandQueue);
    CHECK_TYPE(desc, ZE_STRUCTURE_TYPE_FENCE_DESC);
    NEED_POINTER(phFence);
    struct tsr__fence *fence = tsr_calloc(1, sizeof *fence);
    if (!fence || !tsr__standin_add(fence, TSR__KIND_FENCE, queue)) {
        tsr_free(fence);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    fence->queue = queue;
    fence->used = fence->signalled = desc->flags & ZE_FENCE_FLAG_SIGNALED;
    *phFence = HANDLE(ze_fence_handle_t, fence);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeFenceDestroy(ze_fence_handle_t hFence)
{
    FIND(FENCE, tsr__fence, fence, hFence);
    pthread_mutex_lock(&tsr__standin_lock);
    bool busy = fence->base.pending;
    pthread_mutex_unlock(&tsr__standin_lock);
    MISUSE_IF(busy, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "the execution that signals the fence has not ended");
    tsr__standin_remove(fence);
    tsr_free(fence);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeFenceHostSynchronize(ze_fence_handle_t hFence, uint64_t timeout)
{
    FIND(FENCE, tsr__fence, fence, hFence);
    uint64_t until = tsr__standin_deadline(timeout);
    pthread_mutex_lock(&tsr__standin_lock);
    while (!fence->signalled && !atomic_load(&fence->queue->device->lost) && tsr__standin_sleep(until))
        ;
    bool signalled = fence->signalled, lost = atomic_load(&fence->queue->device->lost);
    pthread_mutex_unlock(&tsr__standin_lock);
    return signalled ? ZE_RESULT_SUCCESS : lost ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_NOT_READY;
}

ze_result_t ZE_APICALL zeFenceQueryStatus(ze_fence_handle_t hFence)
{
    return zeFenceHostSynchronize(hFence, 0);
}

ze_result_t ZE_APICALL zeFenceReset(ze_fence_handle_t hFence)
{
    FIND(FENCE, tsr__fence, fence, hFence);
    pthread_mutex_lock(&tsr__standin_lock);
    fence->round++;
    fence->used = fence->signalled = false;
    pthread_mutex_unlock(&tsr__standin_lock);
    return ZE_RESULT_SUCCESS;
}
