/* SPDX-License-Identifier: Apache-2.0
 * What the files of scheduler/ share. docs/scheduler.md tells how they work together. */
#ifndef TSR_SCHEDULER_INTERNAL_H
#define TSR_SCHEDULER_INTERNAL_H

#include <stdatomic.h>

#include "tessera/scheduler.h"

/* Marks the steps between which other threads can come. test/model_test.c builds these files with a function here that switches threads. */
#ifdef TSR_MODEL
void tsr__model_point(void);
#define TSR__POINT() tsr__model_point()
#define TSR__LOCK_SPINS 1
#else
#define TSR__POINT() ((void)0)
#define TSR__LOCK_SPINS 64
#endif

enum {
    TSR__MAX_WIDTH = CPU_SETSIZE,
    TSR__HELPERS = 32, /* threads that can help at once; further ones only wait */
    TSR__SLOTS = 4,
    TSR__FANOUT = 4,         /* threads that one wakes at a time */
    TSR__MANY_PENDING = 256, /* every so many submitted tasks wake a worker, though nobody flushes */
};

#define TSR__SMALL_NS UINT64_C(15000)    /* less work is not worth a wake-up */
#define TSR__SHARE_NS UINT64_C(10000)    /* work for each thread that joins, at least */
#define TSR__UNKNOWN_NS UINT64_C(100000) /* assumed of a task that says nothing */
#define TSR__SPIN_NS UINT64_C(4000)      /* longest look for work before sleeping */
#define TSR__LINGER_NS UINT64_C(50000)   /* the same where threads share long tasks: a wake-up takes about as long */

/* ---- park.c: the only calls of the kernel for threads; the model test has its own versions ---------------------------------- */

void tsr__futex_wait(_Atomic uint32_t *word, uint32_t expected);
void tsr__futex_wake(_Atomic uint32_t *word);
void tsr__relax(void); /* inside a spinning loop */
/* A detached thread with all signals blocked. cpus: where it may run, NULL: as its creator. False: none could be made. */
bool tsr__thread_start(void (*body)(void *), void *argument, const char *name, const cpu_set_t *cpus);

/* What a thread knows of itself. */
struct tsr__self {
    unsigned callbacks;            /* depth of calls into the owner's code */
    bool completing;               /* inside the loop of tsr__complete */
    struct tsr_task *first, *last; /* tasks that this loop still has to complete */
};
struct tsr__self *tsr__self(void);

struct tsr__lock {
    _Atomic uint32_t word; /* 0 free, 1 held, 2 held and somebody sleeps */
};
void tsr__lock(struct tsr__lock *lock);
void tsr__unlock(struct tsr__lock *lock);

/* A place to sleep. A signal stays until it is taken, so that none is lost. Whose word does not say SLEEPS needs no call of the kernel. */
enum tsr__signals { TSR__WORK = 1, TSR__END = 2, TSR__SLEEPS = 4 };
struct tsr__parker {
    _Atomic uint32_t signals;
    struct tsr__parker *next; /* in a task's list of waiters */
    struct tsr_list link;     /* in a pool's list of sleepers */
};
bool tsr__linger(struct tsr__parker *parker);                           /* a while; true: a signal is there */
uint32_t tsr__park(struct tsr__parker *parker);                         /* until a signal is there */
bool tsr__signal(struct tsr__parker *parker, enum tsr__signals signal); /* true: the caller has to wake the futex */
void tsr__unpark(struct tsr__parker *parker, enum tsr__signals signal);

/* ---- pool.c, pools.c ----------------------------------------------------------------------------------------------------------------- */

/* A worker thread, or the place of a helping one. */
struct tsr__seat {
    _Alignas(128) struct tsr_worker worker;
    int cpu; /* of a worker */
    struct tsr__parker parker;
    struct {
        void *data;
        size_t size;
    } scratch[TSR__SLOTS];
};

struct tsr_pool {
    struct tsr_pool *next; /* of all pools */
    cpu_set_t cpus;
    unsigned width;
    bool (*run)(struct tsr_task *task, struct tsr__seat *seat, struct tsr_task *until); /* tsr__task_run */
    uint16_t seat_of_cpu[CPU_SETSIZE];

    _Alignas(128) struct tsr__lock lock; /* of what follows */
    struct tsr_list ready;
    _Atomic unsigned ready_count; /* written under the lock, read as a hint */
    uint64_t backlog;             /* nanoseconds of the tasks in `ready`, estimated */
    struct tsr_list sleepers;     /* waiting threads that would help */
    unsigned blocked_waiters;     /* sleeping threads whose task has not become ready */
    unsigned searching;           /* workers that will look at `ready` before they sleep */
    struct tsr__range *free_ranges;
    uint64_t idle[TSR__MAX_WIDTH / 64], started[TSR__MAX_WIDTH / 64];

    _Alignas(128) _Atomic unsigned pending; /* tasks submitted and not done */
    _Atomic uint32_t helpers;               /* bit per helper's seat taken */
    struct tsr__seat seats[];
};

/* Threads to wake once the lock is dropped. */
struct tsr__wakes {
    unsigned count;
    struct tsr__seat *seats[TSR__FANOUT];
    bool starts[TSR__FANOUT];  /* that worker has no thread yet */
    _Atomic uint32_t *sleeper; /* whose word may be gone by then */
};

/* Changes in the child at fork(): what an older generation submitted is not ours. */
extern _Atomic unsigned tsr__generation;
/* No worker runs, nobody sleeps, nothing is ready: a new pool, and each pool of a forked child. */
void tsr__pool_reset(struct tsr_pool *pool);
/* Prepares for fork(); first call registers the handler. */
void tsr__watch_fork(void);

/* Who makes a task ready: its submitter, a thread that will look at the ready list itself afterwards, or any other thread. */
enum tsr__pusher { TSR__SUBMITTER, TSR__MEMBER, TSR__OUTSIDER };
void tsr__pool_push(struct tsr_task *task, enum tsr__pusher pusher);
/* The next task to run, joined; `wanted` if it is ready. NULL: none. */
struct tsr_task *tsr__pool_pick(struct tsr_pool *pool, struct tsr__seat *seat, struct tsr_task *wanted);
/* After a thread's part in a shared task. rest: it leaves though units remain. True: it was the last, the task is to be completed. */
bool tsr__pool_leave(struct tsr_task *task, bool rest);
/* A running task turned out long: wakes others for it. */
void tsr__pool_share(struct tsr_task *task, struct tsr__seat *seat);
/* Wakes a thread if tasks are ready that nobody is about to take. */
void tsr__pool_nudge(struct tsr_pool *pool);
/* Sleeps until a signal comes. helps: not if tasks are ready, and wakes to run such. */
void tsr__pool_sleep(struct tsr_pool *pool, bool helps, struct tsr_task *task, struct tsr__parker *parker);
struct tsr__seat *tsr__helper_sit(struct tsr_pool *pool);
void tsr__helper_rise(struct tsr__seat *seat);
/* The worker's seat whose part of a range this thread should take. */
unsigned tsr__seat_home(const struct tsr__seat *seat);

/* ---- task_state.c, graph.c, range.c, run.c
 * ------------------------------------------------------------------------------------------------- */

#define TSR__CLOSED ((void *)1)

static inline bool tsr__task_ended(struct tsr_task *task)
{
    TSR__POINT();
    return atomic_load_explicit(&task->waiters, memory_order_acquire) == TSR__CLOSED;
}
/* How many threads the task is worth, and its estimate; before it becomes ready. */
void tsr__task_weigh(struct tsr_task *task);
/* One of the holds of an external task ends. True: it was the last. */
bool tsr__task_drop_hold(struct tsr_task *task);
void tsr__task_begin(struct tsr_task *task);
void tsr__task_fail(struct tsr_task *task, int status);
/* All dependencies are done. What now: it ends at once, it is to run, or it waits for tsr_task_finish. */
enum tsr__ready { TSR__READY_ENDS, TSR__READY_RUNS, TSR__READY_WAITS };
enum tsr__ready tsr__task_ready(struct tsr_task *task);
/* Submitted by the process of which this is a forked child. */
bool tsr__task_foreign(const struct tsr_task *task);
/* Ends the task and all that end with it. `member`: the pool whose ready list the caller looks at next. Returns a task of it that the
 * caller should run alone at once, or NULL. */
struct tsr_task *tsr__complete(struct tsr_task *task, struct tsr_pool *member);
/* Runs a joined task as far as it goes, completes it if that was the last of it, and small ones that follow from it. Leaves early if
 * `until` has ended. False: this is a forked child now, and nothing more may be touched. */
bool tsr__task_run(struct tsr_task *task, struct tsr__seat *seat, struct tsr_task *until);

/* Cursors of a task that several threads share, one part for each worker. */
struct tsr__range {
    struct tsr__range *next;
    unsigned parts;
    struct tsr__part {
        _Alignas(64) _Atomic uint64_t next;
        uint64_t end;
    } part[];
};
struct tsr__range *tsr__range_new(unsigned width);
void tsr__range_split(struct tsr__range *range, unsigned parts, uint64_t units);
/* How many units one step takes. */
struct tsr__step {
    uint64_t least, most;
};
/* Takes units of [*next, end): the fewer the fewer are left, but as the step says. False: none left. */
bool tsr__range_take(_Atomic uint64_t *next, uint64_t end, struct tsr__step step, unsigned share, uint64_t *begin, uint64_t *stop);
/* Runs units of the joined task; true: all have been begun, false: left early because `until` ended. */
bool tsr__range_run(struct tsr_task *task, struct tsr__seat *seat, struct tsr_task *until);

/* ---- limits.c ------------------------------------------------------------------------------------------------------------------ */

struct tsr__limits {
    unsigned cpus;   /* that the quotas grant, rounded up; 0: no quota */
    uint64_t memory; /* bytes: RAM and limits; 0: unknown */
};
/* root: "" or the folder in which a test has built /proc and /sys. */
void tsr__limits_read(const char *root, struct tsr__limits *limits);

/* ---- topology.c ---------------------------------------------------------------------------------------------------------------- */

/* Whether workers are bound to their CPUs, and the affinity mask that they are not to leave. */
bool tsr__cpus_pinned(void);
const cpu_set_t *tsr__cpus_inherited(void);
/* Keeps `count` CPUs of the set, whole cores first. */
void tsr__cpus_keep(const char *root, cpu_set_t *cpus, unsigned count);

/* ---- domain.c ------------------------------------------------------------------------------------------------------------------ */

enum tsr__domain_found { TSR__DOMAIN_UNKNOWN, TSR__DOMAIN_NONE, TSR__DOMAIN_FOUND }; /* UNKNOWN: /sys does not tell */
/* The CPUs that share the domain with `cpu`. */
enum tsr__domain_found tsr__domain_of(const char *root, unsigned cpu, enum tsr_domain domain, cpu_set_t *set);
/* tsr_topology_split without hwloc. */
unsigned tsr__domain_split(const char *root, const cpu_set_t *cpus, enum tsr_domain domain, cpu_set_t *parts, unsigned max);
/* FOUND: the CPUs lie in at least two domains of the kind. */
enum tsr__domain_found tsr__domain_splits(const char *root, const cpu_set_t *cpus, enum tsr_domain domain);

/* ---- trace.c ------------------------------------------------------------------------------------------------------------------- */

bool tsr__trace_on(void);
void tsr__trace_range(const struct tsr_task *task, const struct tsr__seat *seat, uint64_t begin, uint64_t end, uint64_t start_ns,
                      uint64_t end_ns);
void tsr__trace_flush(void);
void tsr__trace_reset(void); /* in a forked child */

#endif
