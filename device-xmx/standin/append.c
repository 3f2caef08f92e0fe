/* SPDX-License-Identifier: Apache-2.0
 * Commands that only order others: barriers, events, timestamps. */
#include <string.h>

#include "device-xmx/standin/standin.h"

/* Appends a command that does nothing but wait and signal. */
static ze_result_t append_plain(const char *name, ze_command_list_handle_t hCommandList, ze_event_handle_t signal, bool resets,
                                bool barrier, uint32_t wait_count, const ze_event_handle_t *waits)
{
    struct tsr__list *list = tsr__standin_find(TSR__KIND_LIST, hCommandList, name);
    if (!list)
        return hCommandList ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    ze_result_t result;
    struct tsr__command *command =
        tsr__standin_command_new(sizeof *command, name, list->context, signal, wait_count, waits, 0, NULL, &result);
    if (!command)
        return result;
    command->barrier = barrier;
    command->resets = resets;
    return tsr__standin_append(list, command);
}

ze_result_t ZE_APICALL zeCommandListAppendBarrier(ze_command_list_handle_t hCommandList, ze_event_handle_t hSignalEvent,
                                                  uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    return append_plain(__func__, hCommandList, hSignalEvent, false, true, numWaitEvents, phWaitEvents);
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryRangesBarrier(ze_command_list_handle_t hCommandList, uint32_t numRanges,
                                                              const size_t *pRangeSizes, const void **pRanges,
                                                              ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                              ze_event_handle_t *phWaitEvents)
{
    NEED_POINTER(pRangeSizes);
    NEED_POINTER(pRanges);
    (void)numRanges;
    return append_plain(__func__, hCommandList, hSignalEvent, false, true, numWaitEvents, phWaitEvents);
}

/* The event is signalled when all commands before it have ended. */
ze_result_t ZE_APICALL zeCommandListAppendSignalEvent(ze_command_list_handle_t hCommandList, ze_event_handle_t hEvent)
{
    MISUSE_IF(!hEvent, ZE_RESULT_ERROR_INVALID_NULL_HANDLE, "the event is NULL");
    return append_plain(__func__, hCommandList, hEvent, false, true, 0, NULL);
}

/* Later commands begin when the events are signalled. */
ze_result_t ZE_APICALL zeCommandListAppendWaitOnEvents(ze_command_list_handle_t hCommandList, uint32_t numEvents,
                                                       ze_event_handle_t *phEvents)
{
    NEED_POINTER(phEvents);
    return append_plain(__func__, hCommandList, NULL, false, true, numEvents, phEvents);
}

ze_result_t ZE_APICALL zeCommandListAppendEventReset(ze_command_list_handle_t hCommandList, ze_event_handle_t hEvent)
{
    MISUSE_IF(!hEvent, ZE_RESULT_ERROR_INVALID_NULL_HANDLE, "the event is NULL");
    return append_plain(__func__, hCommandList, hEvent, true, true, 0, NULL);
}

/* ---- timestamps ---- */

struct write_clock {
    struct tsr__command base;
    uint64_t *to;
};

static bool run_write_clock(struct tsr__command *command, struct tsr__device *device)
{
    struct write_clock *write = (struct write_clock *)command;
    uint32_t bits = device->persona->timestamp_bits;
    *write->to = tsr__standin_ticks(device, tsr_now_ns()) & (((uint64_t)1 << bits) - 1);
    return true;
}

ze_result_t ZE_APICALL zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t hCommandList, uint64_t *dstptr,
                                                               ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                               ze_event_handle_t *phWaitEvents)
{
    FIND(LIST, tsr__list, list, hCommandList);
    NEED_POINTER(dstptr);
    struct tsr__use use = {dstptr, sizeof *dstptr, true};
    ze_result_t result;
    struct write_clock *write =
        tsr__standin_command_new(sizeof *write, __func__, list->context, hSignalEvent, numWaitEvents, phWaitEvents, 1, &use, &result);
    if (!write)
        return result;
    write->base.run = run_write_clock;
    write->to = dstptr;
    return tsr__standin_append(list, &write->base);
}

struct query_times {
    struct tsr__command base;
    uint32_t count;
    ze_event_handle_t *events;
    size_t *offsets;
    unsigned char *to;
};

/* Events that are not signalled give 0. */
static bool run_query_times(struct tsr__command *command, struct tsr__device *device)
{
    struct query_times *query = (struct query_times *)command;
    (void)device;
    pthread_mutex_lock(&tsr__standin_lock);
    for (uint32_t i = 0; i < query->count; i++) {
        const struct tsr__event *event = tsr__standin_look(TSR__KIND_EVENT, query->events[i]);
        ze_kernel_timestamp_result_t times = {0};
        if (event && event->signalled)
            times = event->times;
        memcpy(query->to + (query->offsets ? query->offsets[i] : i * sizeof times), &times, sizeof times);
    }
    pthread_mutex_unlock(&tsr__standin_lock);
    return true;
}

static void free_query_times(struct tsr__command *command)
{
    struct query_times *query = (struct query_times *)command;
    tsr_free(query->events);
    tsr_free(query->offsets);
}

ze_result_t ZE_APICALL zeCommandListAppendQueryKernelTimestamps(ze_command_list_handle_t hCommandList, uint32_t numEvents,
                                                                ze_event_handle_t *phEvents, void *dstptr, const size_t *pOffsets,
                                                                ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                                ze_event_handle_t *phWaitEvents)
{
    FIND(LIST, tsr__list, list, hCommandList);
    NEED_POINTER(phEvents);
    NEED_POINTER(dstptr);
    size_t end = 0;
    for (uint32_t i = 0; i < numEvents; i++) {
        FIND(EVENT, tsr__event, event, phEvents[i]);
        MISUSE_IF(!(event->pool->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP), ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "event %u has no timestamps", i);
        size_t begin = pOffsets ? pOffsets[i] : i * sizeof(ze_kernel_timestamp_result_t);
        end = begin + sizeof(ze_kernel_timestamp_result_t) > end ? begin + sizeof(ze_kernel_timestamp_result_t) : end;
    }
    struct tsr__use use = {dstptr, end, true};
    ze_result_t result;
    struct query_times *query =
        tsr__standin_command_new(sizeof *query, __func__, list->context, hSignalEvent, numWaitEvents, phWaitEvents, 1, &use, &result);
    if (!query)
        return result;
    query->base.run = run_query_times;
    query->base.free = free_query_times;
    query->to = dstptr;
    query->count = numEvents;
    query->events = tsr_calloc(numEvents, sizeof *query->events);
    query->offsets = pOffsets ? tsr_calloc(numEvents, sizeof *query->offsets) : NULL;
    if (!query->events || (pOffsets && !query->offsets)) {
        tsr__standin_command_drop(&query->base);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    memcpy(query->events, phEvents, numEvents * sizeof *phEvents);
    if (pOffsets)
        memcpy(query->offsets, pOffsets, numEvents * sizeof *pOffsets);
    return tsr__standin_append(list, &query->base);
}
