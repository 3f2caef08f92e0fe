/* SPDX-License-Identifier: Apache-2.0
 * Device-side enqueue: commands that kernels give to the scheduler, and the events that stand for them. Private to device-amx/.
 * docs/queues.md, "Device-side enqueue". */
#ifndef TESSERA_CPU_ENQUEUE_H
#define TESSERA_CPU_ENQUEUE_H

#include "device-amx/cpu.h"
#include "tessera/enqueue.h"

struct tsr_device_queue {
    const struct tsr_device *device;
    struct tsr_pool *pool;
    uint64_t size;          /* CL_QUEUE_SIZE */
    _Atomic uint64_t bytes; /* of the commands that are not complete */
    _Atomic uint32_t events;
    bool timed; /* CL_QUEUE_PROFILING_ENABLE */
};

/* Where a kernel wants the times of a command, once it is complete. */
struct tsr__capture {
    struct tsr__capture *next;
    uint64_t *times; /* two: to the end of the command, and to that of the commands which it has enqueued */
};

enum tsr__command_kind {
    TSR__COMMAND_ROOT, /* the launch of the host: `end` is not used */
    TSR__COMMAND_KERNEL,
    TSR__COMMAND_MARKER,
    TSR__COMMAND_USER, /* a user event: `run` is not used */
};

/* A command that a kernel has enqueued, or the launch of the host from which all of them descend. It is complete when it has run, and all
 * commands of which it is the parent are complete. */
struct tsr__command {
    enum tsr__command_kind kind;
    struct tsr_task run;                /* its own work */
    struct tsr_task end;                /* external: ends when the command is complete. What wait lists name */
    struct tsr__command *parent, *root; /* they live until this one is complete. The parent has an event or is the root */
    struct tsr__command *next;          /* of those that wait for the end of a work-group */
    const struct tsr_device *device;
    struct tsr_device_queue *default_queue;
    struct tsr_device_queue *queue; /* that it is in */
    uint64_t bytes;                 /* of the queue */
    struct tsr_launch *launch;      /* of kernels; that of a root is the host's */
    _Atomic uint32_t open;          /* its own work, and commands of which it is the parent and that are not complete */
    _Atomic uint32_t holds;         /* the two tasks, the host's launch, the table of events, threads that wait for its event */
    _Atomic int status;             /* of its own work; of a root, also of a launch that has failed anywhere below it */
    atomic_bool set;                /* a user event has its status */
    bool named;                     /* it has had an event */
    struct tsr__capture *captures;  /* under the lock of the table of events, as `complete` */
    bool complete;
    void (*ended)(void *data, int status); /* of a root */
    void *data;
    _Alignas(TSR_MAX_ALIGN) unsigned char literal[];
};

/* ---- device_event.c ---- */

void tsr__command_drop(struct tsr__command *command);

/* A number for the command, with one reference of the kernel's; 0: the queue has as many events as it can. `owner` may be NULL. */
uint64_t tsr__event_new(struct tsr__command *command, struct tsr_device_queue *owner);
/* The command that the number stands for, held; NULL: none. */
struct tsr__command *tsr__event_find(uint64_t event);
void tsr__event_retain(uint64_t event);
void tsr__event_release(uint64_t event);
/* Gives up all events of the queue. */
void tsr__events_forget(const struct tsr_device_queue *owner);
/* Writes the times of the command to *times, two numbers, when it is complete; nothing if its queue takes no times. */
void tsr__event_capture(struct tsr__command *command, uint64_t *times);
/* The command is complete. */
void tsr__event_complete(struct tsr__command *command);
/* Ends a user event, once; later calls do nothing. */
void tsr__user_event_set(struct tsr__command *command, int status);

#endif
