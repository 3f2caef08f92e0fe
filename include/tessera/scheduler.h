/* SPDX-License-Identifier: Apache-2.0
 * Threads, task graph and ranges. Knows neither OpenCL nor LLVM.
 *
 * A pool is a set of CPUs with one worker thread each, started at the first task that needs them. A task is a node of a graph with a range
 * of units to run. Small tasks run on the thread that waits for them, without a wake-up.
 *
 * Lock order: no callback is made under a lock of this library, and callers hold none of their own locks when they call tsr_task_wait. */
#ifndef TESSERA_SCHEDULER_H
#define TESSERA_SCHEDULER_H

#include <sched.h>

#include "tessera/base.h"

struct tsr_pool;
struct tsr_task;

/* ---- topology (scheduler/topology.c, hwloc; loaded at first use, a few milliseconds) ---- */

enum tsr_domain { TSR_DOMAIN_NUMA, TSR_DOMAIN_L4, TSR_DOMAIN_L3, TSR_DOMAIN_L2, TSR_DOMAIN_L1, TSR_DOMAIN_COUNT };

/* CPUs that this process may use (affinity mask at first call), limited to as many as the cgroup quota grants (rounded up). No hwloc, no
 * thread. */
const cpu_set_t *tsr_cpus_allowed(void);
unsigned tsr_cpu_count(const cpu_set_t *cpus);
/* Splits `cpus` by domain: up to `max` sets are written, the number of parts is returned; 0 if there is no such domain here. */
unsigned tsr_topology_split(const cpu_set_t *cpus, enum tsr_domain domain, cpu_set_t *parts, unsigned max);
/* Whether tsr_topology_split would give at least two parts, in microseconds and without hwloc where /sys tells. */
bool tsr_topology_splits(const cpu_set_t *cpus, enum tsr_domain domain);
/* Memory this process may use: min of RAM, cgroup v1/v2 limits up to the root, RLIMIT_AS. No hwloc. */
uint64_t tsr_memory_limit(void);

/* ---- pool ---- */

/* Pool over the CPUs; the same set gives the same pool. Starts no thread. Never destroyed: workers park, nothing happens at exit.
 * NULL: out of memory. After fork() the child's pools have no workers and start their own at need. */
struct tsr_pool *tsr_pool_get(const cpu_set_t *cpus);
unsigned tsr_pool_width(const struct tsr_pool *pool); /* its CPUs, which is its workers */
/* A pool of width 1 without workers, which the calling thread alone has until it returns it: a task of it runs only inside that thread's
 * tsr_task_wait. NULL: out of memory. Return it when its tasks have ended. */
struct tsr_pool *tsr_pool_borrow(void);
void tsr_pool_return(struct tsr_pool *pool);

/* What runs units: a worker, or a waiting thread that helps. Valid during the call that gets it. */
struct tsr_worker {
    unsigned index; /* no other running thread of the pool has it. Workers: below the width, helpers from there on */
    struct tsr_pool *pool;
};
/* Scratch memory of this worker, at least `size` bytes aligned to TSR_SCRATCH_ALIGN, contents undefined, kept for the next call with the
 * same slot; slots are independent. NULL: out of memory, or no slot below TSR_SCRATCH_SLOTS. */
enum { TSR_SCRATCH_ALIGN = 128, TSR_SCRATCH_SLOTS = 7 };
void *tsr_worker_scratch(struct tsr_worker *worker, unsigned slot, size_t size);

/* ---- tasks ---- */

enum tsr_task_phase { TSR_TASK_NEW, TSR_TASK_SUBMITTED, TSR_TASK_RUNNING, TSR_TASK_DONE };

/* Private to scheduler/: `task` waits for the owner of the list that this is in. */
struct tsr__edge {
    struct tsr__edge *next;
    struct tsr_task *task;
    bool propagate, allocated;
};

/* Embedded in the owner's command; the owner keeps it alive until `released` has been called. Fill the first group, then tsr_task_init;
 * what it has of units and costs may change until tsr_task_submit. */
struct tsr_task {
    /* Runs units [begin, end). Called from several threads at once for disjoint ranges. Return 0, or a negative value that fails the task
     * (ranges not yet begun are dropped). A task with `external` set returns at once and is ended by tsr_task_finish. */
    int (*run)(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end);
    /* Called once, after the last range, before dependents start; may be NULL. status: 0, what run returned, or a failed dependency's. */
    void (*done)(struct tsr_task *task, int status);
    /* Called once, last of all, after `phase` is DONE and the waiters and dependents have been told: the scheduler does not touch the task
     * any more, so that this may free it. May be NULL; then the task may be freed only by a thread for which tsr_task_wait has returned. */
    void (*released)(struct tsr_task *task);
    uint64_t units;     /* 0: run is not called (markers). 1: serial work */
    uint64_t unit_cost; /* rough nanoseconds a unit, 0 = unknown: decides whether other workers are woken and how ranges are cut */
    bool external;      /* ended by tsr_task_finish: user events, devices with queues of their own */
    bool timed;         /* take time stamps */
    const char *label;  /* for the trace: text that lives as long as the task; may be NULL */

    /* Written by the scheduler, readable by the owner when the phase says so. */
    _Atomic int phase; /* enum tsr_task_phase */
    int status;
    uint64_t submit_ns, start_ns, end_ns; /* CLOCK_MONOTONIC; whole if timed */

    /* Private to scheduler/. */
    struct tsr_pool *pool;
    struct tsr_list link;       /* in the pool's ready list; `next` alone: in a thread's list of tasks to complete */
    struct tsr__range *range;   /* of a task that several threads share */
    _Atomic uint64_t next_unit; /* of a task that one thread runs */
    uint64_t estimate;          /* nanoseconds of the whole task */
    _Atomic uint64_t cost;      /* nanoseconds a unit as far as known, or 0 */
    unsigned want, runners;     /* threads that it is worth; threads inside, of one that is not ganged; under the pool's lock */
    unsigned generation;        /* of the process that submitted it: changes at fork() */
    bool linked;                /* in the ready list; under the pool's lock */
    bool ganged;                /* shared by the gang, and not in the ready list */
    _Atomic int blockers;       /* dependencies not yet done, plus one until submitted */
    _Atomic int failed;         /* first failure */
    _Atomic int holds;          /* external tasks: what must happen before the end */
    _Atomic(void *) dependents; /* lock-free list of edges; a sentinel once done */
    _Atomic(void *) waiters;    /* lock-free list of sleeping threads; a sentinel once all has been told */
    struct tsr__edge edges[2];  /* the first dependencies need no allocation */
    unsigned edge_count;
};

/* `pool` may be NULL for a task without units, which then ends in the thread that submits it or that ends its last dependency. */
void tsr_task_init(struct tsr_task *task, struct tsr_pool *pool);
/* The same task is for another pool; before its submission. */
void tsr_task_move(struct tsr_task *task, struct tsr_pool *pool);
/* `task` starts only after `before` is done. With `propagate`, a failure of `before` fails `task` with TSR_TASK_BLOCKED_BY_FAILURE without
 * running it; otherwise only the order counts. Before submission of `task` only; `before` may be in any phase. NO_MEMORY possible.
 * A `before` that belongs to the parent process counts as failed. */
enum tsr_status tsr_task_after(struct tsr_task *task, struct tsr_task *before, bool propagate);
enum { TSR_TASK_BLOCKED_BY_FAILURE = -14 };
/* From now on the task may run, as soon as its dependencies are done. It is not started eagerly: workers are woken by tsr_pool_flush,
 * by a wait, or when enough is pending. */
void tsr_task_submit(struct tsr_task *task);
/* Makes sure that everything submitted to the pool makes progress without a waiting thread. */
void tsr_pool_flush(struct tsr_pool *pool);
/* Blocks until the task is done and the scheduler has let go of it, running ready tasks of the pool meanwhile. OK: *task_status (may be
 * NULL) is what it ended with. INVALID: called from a callback (`done`, `released`, or inside `run`). DIED: the task was submitted before
 * fork() and belongs to the parent process; it will never end here. */
enum tsr_status tsr_task_wait(struct tsr_task *task, int *task_status);
/* Whether the calling thread is in a callback, where tsr_task_wait answers INVALID. */
bool tsr_in_callback(void);
/* Ends an external task, once. Any thread, also from a callback. A task whose `run` has returned a negative value has ended by that. */
void tsr_task_finish(struct tsr_task *task, int status);

/* Trace of tasks and ranges as Chrome JSON, if TESSERA_TRACE names a file. (scheduler/trace.c) */

#endif
