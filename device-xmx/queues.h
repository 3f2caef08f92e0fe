/* SPDX-License-Identifier: Apache-2.0
 * Command lists and events of a device, and the threads that wait for them. */
#ifndef TESSERA_DEVICE_XMX_QUEUES_H
#define TESSERA_DEVICE_XMX_QUEUES_H

#include "device-xmx/xmx.h"

/* ---- events.c ---- */

/* An event that the host can see, with a time stamp; unsignalled. */
struct tsr__xmx_event {
    ze_event_handle_t handle;
    struct tsr__xmx_event *next; /* of those that are free */
};
/* NULL: none can be had; *status says why. */
struct tsr__xmx_event *tsr__xmx_event_take(struct tsr__xmx_device *device, enum tsr_status *status);
/* Resets the event, for the next user. */
void tsr__xmx_event_give(struct tsr__xmx_device *device, struct tsr__xmx_event *event);
/* Waits until it is signalled. OK, or IO: the device or the wait has failed, and its commands may still run. */
enum tsr_status tsr__xmx_event_wait(struct tsr__xmx_device *device, struct tsr__xmx_event *event);

/* ---- queues.c ---- */

/* A command list whose commands begin at once. */
ze_command_list_handle_t tsr__xmx_list_new(struct tsr__xmx_device *device, uint32_t group, enum tsr_status *status);

/* What a thread waits for: part of a launch. */
struct tsr__xmx_job {
    struct tsr__xmx_job *next;
    struct tsr__xmx_event **events;
    unsigned event_count;
    /* Called by the queue's thread, under no lock, when all events are signalled, or the device is lost. */
    void (*ended)(struct tsr__xmx_job *job, enum tsr_status status);
};

/* A queue with few jobs, locked: jobs may be appended to its list until tsr__xmx_queue_leave. NULL: none can be had; *status says why. */
struct tsr__xmx_queue *tsr__xmx_queue_enter(struct tsr__xmx_device *device, enum tsr_status *status);
ze_command_list_handle_t tsr__xmx_queue_list(const struct tsr__xmx_queue *queue);
/* Unlocks the queue. `job`: its commands have been appended, and `ended` will be called; NULL: there is nothing to wait for. */
void tsr__xmx_queue_leave(struct tsr__xmx_queue *queue, struct tsr__xmx_job *job);

#endif
