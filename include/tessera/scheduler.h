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

/* ---- topology (scheduler/topology.c, hwloc; loaded at first use, a few milliseconds) ---------------------------------------- */

enum tsr_domain { TSR_DOMAIN_NUMA, TSR_DOMAIN_L4, TSR_DOMAIN_L3, TSR_DOMAIN_L2, TSR_DOMAIN_L1, TSR_DOMAIN_COUNT };

/* CPUs that this process may use (affinity mask at first call), limited to as many as the cgroup quota grants (rounded up). No hwloc, no
 * thread. */
const cpu_set_t *tsr_cpus_allowed(void);
unsigned tsr_cpu_count(const cpu_set_t *cpus);
/* Splits `cpus` by domain: up to `max` sets are written, the number of parts is returned; 0 if there is no such domain here. */
unsigned tsr_topology_split(const cpu_set_t *cpus, enum tsr_domain domain, cpu_set_t *parts, unsigned max);
/* Memory this process may use: min of RAM, cgroup v1/v2 limits up to the root, RLIMIT_AS. No hwloc. */
uint64_t tsr_memory_limit(void);

/* ---- pool ------------------------------------------------------------------------------------------------------------------- */

/* Pool over the CPUs; the same set gives the same pool. Starts no thread. Never destroyed: workers park, nothing happens at exit.
 * NULL: out of memory. After fork() the child's pools have no workers and start their own at need. */
struct tsr_pool *tsr_pool_get(const cpu_set_t *cpus);
unsigned tsr_pool_width(const struct tsr_pool *pool);

/* What runs units: a worker, or a waiting thread that helps. Valid during the call that gets it. */
struct tsr_worker {
    unsigned index; /* 0 … width; helping threads get an index that no other running thread of the pool has */
    struct tsr_pool *pool;
};
/* Scratch memory of this worker, at least `size` bytes aligned to 128, contents undefined, kept for the next call with the same slot.
 * Slots 0 … 3 are independent. NULL: out of memory. */
void *tsr_worker_scratch(struct tsr_worker *worker, unsigned slot, size_t size);

/* ---- tasks -------------------------------------------------------------------------------------------------------------------- */

enum tsr_task_phase { TSR_TASK_NEW, TSR_TASK_SUBMITTED, TSR_TASK_RUNNING, TSR_TASK_DONE };

/* Embedded in the owner's command; the owner keeps it alive until `released` has been called. Fill the first group, then tsr_task_init. */
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

    /* Written by the scheduler, readable by the owner when the phase says so. */
    _Atomic int phase; /* enum tsr_task_phase */
    int status;
    uint64_t submit_ns, start_ns, end_ns; /* CLOCK_MONOTONIC, if timed */

    /* Private to scheduler/. */
    struct tsr_pool *pool;
    _Atomic uint64_t next_unit, units_left;
    _Atomic int blockers;       /* dependencies not yet done, plus one until submitted */
    _Atomic int failed;         /* first failure */
    _Atomic(void *) dependents; /* lock-free list of edges; a sentinel once done */
    struct tsr_list ready;
    _Atomic int waiters;
};

/* `pool` may be NULL for a task without units. */
void tsr_task_init(struct tsr_task *task, struct tsr_pool *pool);
/* `task` starts only after `before` is done. With `propagate`, a failure of `before` fails `task` with TSR_TASK_BLOCKED_BY_FAILURE without
 * running it; otherwise only the order counts. Before submission of `task` only; `before` may be in any phase. NO_MEMORY possible. */
enum tsr_status tsr_task_after(struct tsr_task *task, struct tsr_task *before, bool propagate);
enum { TSR_TASK_BLOCKED_BY_FAILURE = -14 };
/* From now on the task may run, as soon as its dependencies are done. It is not started eagerly: workers are woken by tsr_pool_flush,
 * by a wait, or when enough is pending. */
void tsr_task_submit(struct tsr_task *task);
/* Makes sure that everything submitted to the pool makes progress without a waiting thread. */
void tsr_pool_flush(struct tsr_pool *pool);
/* Blocks until done, running ready tasks of the pool meanwhile. Returns the status. From a callback (`done`, or a thread inside `run`):
 * INVALID. */
enum tsr_status tsr_task_wait(struct tsr_task *task, int *task_status);
/* Ends an external task, once. Any thread. */
void tsr_task_finish(struct tsr_task *task, int status);

/* Trace of tasks and ranges as Chrome JSON, if TESSERA_TRACE names a file. (scheduler/trace.c) */

#endif
