/* SPDX-License-Identifier: Apache-2.0
 * Events are made in pools of many, and are used again: making one costs more than a launch. */
#include "device-xmx/queues.h"

enum { EVENTS = 64 /* of a pool */ };

/* A driver that waits without a limit may never return after the device was reset: each wait is a short one. */
#define WAIT_NS UINT64_C(50000000)

/* Adds a pool's events to the list of free ones. The device's lock is held. */
static enum tsr_status add_pool(struct tsr__xmx_device *device)
{
    enum tsr_status status;
    ze_context_handle_t context = tsr__xmx_context(device, &status);
    if (!context)
        return status;
    struct tsr__xmx_event *events = tsr_calloc(EVENTS, sizeof *events);
    if (!events)
        return TSR_NO_MEMORY;
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                                 .count = EVENTS};
    ze_event_pool_handle_t pool = NULL;
    ze_result_t result = tsr__ze.EventPoolCreate(context, &desc, 1, &device->handle, &pool);
    unsigned count = 0;
    while (!result && count < EVENTS) {
        ze_event_desc_t event = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = count, .signal = ZE_EVENT_SCOPE_FLAG_HOST, .wait = ZE_EVENT_SCOPE_FLAG_HOST};
        result = tsr__ze.EventCreate(pool, &event, &events[count].handle);
        count += !result;
    }
    if (result) {
        while (count--)
            tsr__ze.EventDestroy(events[count].handle);
        if (pool)
            tsr__ze.EventPoolDestroy(pool);
        tsr_free(events);
        return tsr__xmx_judge(device, result, "zeEventPoolCreate");
    }
    for (unsigned i = 0; i < EVENTS; i++) {
        events[i].next = device->events;
        device->events = &events[i];
    }
    return TSR_OK;
}

struct tsr__xmx_event *tsr__xmx_event_take(struct tsr__xmx_device *device, enum tsr_status *status)
{
    pthread_mutex_lock(&device->lock);
    *status = device->events ? TSR_OK : add_pool(device);
    struct tsr__xmx_event *event = device->events;
    if (event)
        device->events = event->next;
    pthread_mutex_unlock(&device->lock);
    return event;
}

void tsr__xmx_event_give(struct tsr__xmx_device *device, struct tsr__xmx_event *event)
{
    if (atomic_load(&device->lost))
        return;
    if (tsr__xmx_judge(device, tsr__ze.EventHostReset(event->handle), "zeEventHostReset") != TSR_OK)
        return; /* it is lost with its place in the pool */
    pthread_mutex_lock(&device->lock);
    event->next = device->events;
    device->events = event;
    pthread_mutex_unlock(&device->lock);
}

enum tsr_status tsr__xmx_event_wait(struct tsr__xmx_device *device, struct tsr__xmx_event *event)
{
    for (;;) {
        ze_result_t result = tsr__ze.EventHostSynchronize(event->handle, WAIT_NS);
        if (result != ZE_RESULT_NOT_READY) /* after any failure the commands may still run */
            return tsr__xmx_judge(device, result, "zeEventHostSynchronize") == TSR_OK ? TSR_OK : TSR_IO;
        if (atomic_load(&device->lost) || tsr__xmx_judge(device, tsr__ze.DeviceGetStatus(device->handle), "zeDeviceGetStatus") != TSR_OK)
            return TSR_IO;
    }
}
