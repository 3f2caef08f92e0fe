/* SPDX-License-Identifier: Apache-2.0
 * Event pools and events. */
#include <string.h>

#include "device-xmx/standin/standin.h"

ze_result_t ZE_APICALL zeEventPoolCreate(ze_context_handle_t hContext, const ze_event_pool_desc_t *desc, uint32_t numDevices,
                                         ze_device_handle_t *phDevices, ze_event_pool_handle_t *phEventPool)
{
    const ze_event_pool_flags_t known = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
    FIND(CONTEXT, tsr__context, context, hContext);
    CHECK_TYPE(desc, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
    NEED_POINTER(phEventPool);
    MISUSE_IF(desc->flags & ~known, ZE_RESULT_ERROR_INVALID_ENUMERATION, "flags 0x%x", desc->flags);
    MISUSE_IF(!desc->count || (numDevices && !phDevices), ZE_RESULT_ERROR_INVALID_SIZE, "%u events for %u devices", desc->count,
              numDevices);
    for (uint32_t i = 0; i < numDevices; i++) {
        FIND(DEVICE, tsr__device, device, phDevices[i]);
        MISUSE_IF(!tsr__standin_context_has(context, device), ZE_RESULT_ERROR_INVALID_ARGUMENT, "device %u is not of the context", i);
    }
    struct tsr__event_pool *pool = tsr_calloc(1, sizeof *pool);
    bool *taken = tsr_calloc(desc->count, sizeof *taken);
    if (!pool || !taken || !tsr__standin_add(pool, TSR__KIND_EVENT_POOL, context)) {
        tsr_free(pool);
        tsr_free(taken);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    pool->context = context;
    pool->flags = desc->flags;
    pool->count = desc->count;
    pool->taken = taken;
    *phEventPool = HANDLE(ze_event_pool_handle_t, pool);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventPoolDestroy(ze_event_pool_handle_t hEventPool)
{
    FIND(EVENT_POOL, tsr__event_pool, pool, hEventPool);
    CHECK_NO_CHILDREN(pool);
    tsr__standin_remove(pool);
    tsr_free(pool->taken);
    tsr_free(pool);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventCreate(ze_event_pool_handle_t hEventPool, const ze_event_desc_t *desc, ze_event_handle_t *phEvent)
{
    FIND(EVENT_POOL, tsr__event_pool, pool, hEventPool);
    CHECK_TYPE(desc, ZE_STRUCTURE_TYPE_EVENT_DESC);
    NEED_POINTER(phEvent);
    MISUSE_IF(desc->index >= pool->count, ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool has %u events, none with index %u", pool->count,
              desc->index);
    struct tsr__event *event = tsr_calloc(1, sizeof *event);
    if (!event || !tsr__standin_add(event, TSR__KIND_EVENT, pool)) {
        tsr_free(event);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    event->pool = pool;
    event->index = desc->index;
    pthread_mutex_lock(&tsr__standin_lock);
    bool taken = pool->taken[desc->index];
    pool->taken[desc->index] = true;
    pthread_mutex_unlock(&tsr__standin_lock);
    if (taken) {
        tsr__standin_remove(event);
        tsr_free(event);
    }
    MISUSE_IF(taken, ZE_RESULT_ERROR_INVALID_ARGUMENT, "index %u of the pool is that of a live event", desc->index);
    *phEvent = HANDLE(ze_event_handle_t, event);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventDestroy(ze_event_handle_t hEvent)
{
    FIND(EVENT, tsr__event, event, hEvent);
    pthread_mutex_lock(&tsr__standin_lock);
    bool busy = event->base.pending;
    if (!busy)
        event->pool->taken[event->index] = false;
    pthread_mutex_unlock(&tsr__standin_lock);
    MISUSE_IF(busy, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "commands that have not ended wait for the event or signal it");
    tsr__standin_remove(event);
    tsr_free(event);
    return ZE_RESULT_SUCCESS;
}

/* An event whose pool is not for the host: drivers give it all the same, and Intel's Unified Runtime relies on that. */
static void check_visible(const struct tsr__event *event, const char *function)
{
    if (!(event->pool->flags & (ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP)))
        tsr__standin_forgive(function, "the event's pool was made without ZE_EVENT_POOL_FLAG_HOST_VISIBLE");
}

static void set(struct tsr__event *event, bool signalled)
{
    pthread_mutex_lock(&tsr__standin_lock);
    event->signalled = signalled;
    tsr__standin_changed();
    pthread_mutex_unlock(&tsr__standin_lock);
}

ze_result_t ZE_APICALL zeEventHostSignal(ze_event_handle_t hEvent)
{
    FIND(EVENT, tsr__event, event, hEvent);
    check_visible(event, __func__);
    set(event, true);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventHostReset(ze_event_handle_t hEvent)
{
    FIND(EVENT, tsr__event, event, hEvent);
    set(event, false);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventHostSynchronize(ze_event_handle_t hEvent, uint64_t timeout)
{
    FIND(EVENT, tsr__event, event, hEvent);
    check_visible(event, __func__);
    uint64_t until = tsr__standin_deadline(timeout);
    pthread_mutex_lock(&tsr__standin_lock);
    while (!event->signalled && !tsr__standin_context_lost(event->pool->context) && tsr__standin_sleep(until))
        ;
    bool signalled = event->signalled, lost = tsr__standin_context_lost(event->pool->context);
    pthread_mutex_unlock(&tsr__standin_lock);
    return signalled ? ZE_RESULT_SUCCESS : lost ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_NOT_READY;
}

ze_result_t ZE_APICALL zeEventQueryStatus(ze_event_handle_t hEvent)
{
    return zeEventHostSynchronize(hEvent, 0);
}

ze_result_t ZE_APICALL zeEventQueryKernelTimestamp(ze_event_handle_t hEvent, ze_kernel_timestamp_result_t *dstptr)
{
    FIND(EVENT, tsr__event, event, hEvent);
    NEED_POINTER(dstptr);
    MISUSE_IF(!(event->pool->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP), ZE_RESULT_ERROR_INVALID_ARGUMENT,
              "the event's pool was made without ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP");
    pthread_mutex_lock(&tsr__standin_lock);
    bool signalled = event->signalled;
    if (signalled)
        *dstptr = event->times;
    pthread_mutex_unlock(&tsr__standin_lock);
    return signalled ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}
