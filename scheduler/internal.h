/* SPDX-License-Identifier: Apache-2.0
 * What the files of scheduler/ share. docs/scheduler.md tells how they work together. */
#ifndef TSR_SCHEDULER_INTERNAL_H
#define TSR_SCHEDULER_INTERNAL_H

#include <assert.h>
#include <stdatomic.h>

#include "tessera/abi.h"
#include "tessera/scheduler.h"

/* Marks the places between which other threads can run. test/model_test.c builds these files with a function here that switches threads. */
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
    TSR__HELPERS = 32,                   /* threads that can help at once; a further one only waits */
    TSR__OWN_LINES = 2 * TSR_CACHE_LINE, /* distance of what different threads write: CPUs fetch lines in pairs */
    TSR__FANOUT = 4,                     /* most threads that one thread wakes at a time */
    TSR__SPARES = 2,                     /* threads more than enough that stay awake while tasks of the gang follow each other */
    TSR__SPARE_PAUSES = 16,              /* between two looks of these at the word that the others change */
    TSR__MANY_PENDING = 256,             /* a worker is woken after so many submitted tasks, even without a flush */
};

#define TSR__SMALL_NS UINT64_C(15000)     /* nanoseconds; for less work no thread is woken */
#define TSR__SHARE_NS UINT64_C(10000)     /* nanoseconds of work for each thread that joins, at least */
#define TSR__UNKNOWN_NS UINT64_C(100000)  /* nanoseconds; estimate for a task of unknown cost */
#define TSR__WARM_SMALL_NS UINT64_C(6000) /* nanoseconds; the same while threads look for a task to share … */
#define TSR__WARM_SHARE_NS UINT64_C(2500) /* … for which each that joins takes some hundred nanoseconds */
#define TSR__CHAIN_NS UINT64_C(200000)    /* nanoseconds of work that is submitted, for which it is worth to wake these threads */
#define TSR__SPARE_NS UINT64_C(20000)     /* nanoseconds; the same while more threads than enough look for such a task */
#define TSR__DEFER_NS UINT64_C(1500)      /* nanoseconds for which those of them with the highest numbers leave a task to the others */
#define TSR__YIELD_NS UINT64_C(2000)      /* nanoseconds between two offers of the CPU to others during a search */
#define TSR__SPIN_NS UINT64_C(4000)       /* nanoseconds; longest search for work before sleeping */
#define TSR__LINGER_NS UINT64_C(50000)    /* nanoseconds; the same where threads share long tasks: a wake-up takes about as long */

/* ---- park.c ---- */

/* The only calls of the kernel for threads; the model test has its own versions. */

void tsr__futex_wait(_Atomic uint32_t *word, uint32_t expected);
void tsr__futex_wake(_Atomic uint32_t *word);
void tsr__relax(unsigned pauses); /* inside a spinning loop */
int tsr__cpu(void);               /* the CPU that this thread runs on, or less than 0 */
void tsr__yield(void);            /* lets another thread run that wants this CPU */
/* Starts a detached thread with all signals blocked. cpus: the CPUs that it may run on; NULL: those of its creator. False: no thread could
 * be started. */
bool tsr__thread_start(void (*body)(void *), void *argument, const char *name, const cpu_set_t *cpus);

/* State of a thread. */
struct tsr__self {
    unsigned callbacks;            /* depth of calls into the owner's code */
    bool completing;               /* inside the loop of tsr__complete */
    struct tsr_task *first, *last; /* tasks that this loop still has to complete */
};
struct tsr__self *tsr__self(void);

struct tsr__lock {
    _Atomic uint32_t word; /* 0 free, 1 held, 2 held and a thread sleeps on it */
};
void tsr__lock(struct tsr__lock *lock);
void tsr__unlock(struct tsr__lock *lock);

/* A place where a thread sleeps. A signal stays until the thread takes it, so none is lost. The kernel is called only if the word says
 * SLEEPS. */
enum tsr__signals { TSR__WORK = 1, TSR__END = 2, TSR__SLEEPS = 4 };
struct tsr__parker {
    _Atomic uint32_t signals;
    struct tsr__parker *next; /* in a task's list of waiters */
    struct tsr_list link;     /* in a pool's list of sleepers */
};
/* A short search, zero at its start. False: it has taken `ns` nanoseconds. */
struct tsr__spin {
    uint64_t end, yield;
};
bool tsr__spin(struct tsr__spin *spin, uint64_t ns);
uint32_t tsr__park(struct tsr__parker *parker);                         /* sleeps until there is a signal */
bool tsr__signal(struct tsr__parker *parker, enum tsr__signals signal); /* true: the caller has to wake the futex */
void tsr__unpark(struct tsr__parker *parker, enum tsr__signals signal);

/* ---- pool.c, pools.c ---- */

/* A worker thread, or a place for a helping thread. */
struct tsr__seat {
    _Alignas(TSR__OWN_LINES) struct tsr_worker worker;
    int cpu; /* of a worker */
    struct tsr__parker parker;
    _Atomic bool spins;       /* the gang counts this worker as a spinning one; written by the worker */
    _Atomic unsigned shadows; /* helping threads that share tasks on the CPU of this worker */
    struct tsr__seat *shadow; /* of a helping thread: the worker whose CPU it uses so */
    struct {
        void *data;
        size_t size;
    } scratch[TSR_SCRATCH_SLOTS];
};

/* gang.c: a task that several threads share without the lock. */
struct tsr__gang {
    _Alignas(TSR__OWN_LINES) _Atomic uint64_t state;
    _Alignas(TSR__OWN_LINES) _Atomic(struct tsr_task *) task;
    struct tsr__range *range; /* of that task; allocated once */
};

struct tsr_pool {
    struct tsr_pool *next; /* of all pools */
    cpu_set_t cpus;
    unsigned width;
    bool is_lent;                                                                       /* it has no workers: only `owner` runs its tasks */
    _Atomic(struct tsr__self *) owner;                                                  /* NULL: none */
    bool (*run)(struct tsr_task *task, struct tsr__seat *seat, struct tsr_task *until); /* tsr__task_run */
    uint16_t seat_of_cpu[CPU_SETSIZE];

    _Alignas(TSR__OWN_LINES) struct tsr__lock lock; /* of what follows */
    struct tsr_list ready;
    _Atomic unsigned ready_count; /* written under the lock, read as a hint */
    uint64_t backlog;             /* nanoseconds of the tasks in `ready`, estimated */
    struct tsr_list sleepers;     /* waiting threads that would help */
    unsigned blocked_waiters;     /* sleeping threads whose task has not become ready */
    struct tsr__range *free_ranges;
    uint64_t idle[TSR__MAX_WIDTH / 64], started[TSR__MAX_WIDTH / 64];
    _Atomic unsigned idle_count; /* bits of `idle`; written under the lock, read as a hint */

    struct tsr__gang gang;

    _Alignas(TSR__OWN_LINES) _Atomic unsigned pending; /* tasks that are submitted and not done */
    _Atomic uint32_t helpers;                          /* a bit for each helper's seat that is taken */
    struct tsr__seat seats[];
};

/* Threads to wake once the lock is dropped. */
struct tsr__wakes {
    unsigned count;
    struct tsr__seat *seats[TSR__FANOUT];
    bool starts[TSR__FANOUT];  /* the worker has no thread yet */
    _Atomic uint32_t *sleeper; /* address of the futex; the word may be gone by then */
};

/* Changes in the child at fork(): tasks of an older generation are the parent's. */
extern _Atomic unsigned tsr__generation;
/* Empties the pool: no worker runs, no thread sleeps, no task is ready. For a new pool, and for each pool of a forked child. */
void tsr__pool_reset(struct tsr_pool *pool);
/* Prepares for fork(); first call registers the handler. */
void tsr__watch_fork(void);

/* The thread that makes a task ready: its submitter, a thread that will look at the ready list afterwards, or any other thread. */
enum tsr__pusher { TSR__SUBMITTER, TSR__MEMBER, TSR__OUTSIDER };
void tsr__pool_push(struct tsr_task *task, enum tsr__pusher pusher);
/* The next task to run, which the thread has joined; `wanted` if that is ready. NULL: none. */
struct tsr_task *tsr__pool_pick(struct tsr_pool *pool, struct tsr__seat *seat, struct tsr_task *wanted);
/* Called after a thread's part of a shared task. rest: units remain. True: it was the last thread, and the task is to be completed. */
bool tsr__pool_leave(struct tsr_task *task, struct tsr__seat *seat, bool rest);
/* A running task takes longer than estimated: wakes threads to share it. */
void tsr__pool_share(struct tsr_task *task);
/* Whether there may be a task to join; a hint. */
bool tsr__pool_has_work(struct tsr_pool *pool);
/* Wakes a thread if tasks are ready and no thread is about to take them. */
void tsr__pool_nudge(struct tsr_pool *pool);
/* Sleeps until a signal comes. helps: does not sleep while tasks are ready, and is woken to run them. */
void tsr__pool_sleep(struct tsr_pool *pool, bool helps, struct tsr_task *task, struct tsr__parker *parker);
/* Whether this thread may run tasks of the pool. */
bool tsr__pool_admits(const struct tsr_pool *pool);
struct tsr__seat *tsr__helper_sit(struct tsr_pool *pool);
void tsr__helper_rise(struct tsr__seat *seat);
void tsr__helper_lifts(struct tsr__seat *seat); /* the helping thread leaves its CPU to the worker */
/* The part with which this thread begins. */
unsigned tsr__seat_part(const struct tsr__seat *seat, unsigned parts);

/* ---- task_state.c, graph.c, range.c, run.c ---- */

#define TSR__CLOSED ((void *)1)

static inline bool tsr__task_ended(struct tsr_task *task)
{
    TSR__POINT();
    return atomic_load_explicit(&task->waiters, memory_order_acquire) == TSR__CLOSED;
}
/* Estimates, before the task becomes ready, its time and how many threads it is worth. */
void tsr__task_weigh(struct tsr_task *task);
/* Drops one of the two holds of an external task. True: it was the last. */
bool tsr__task_drop_hold(struct tsr_task *task);
void tsr__task_begin(struct tsr_task *task);
void tsr__task_fail(struct tsr_task *task, int status);
/* All dependencies are done: the task ends at once, is to run, or waits for tsr_task_finish. */
enum tsr__ready { TSR__READY_ENDS, TSR__READY_RUNS, TSR__READY_WAITS };
enum tsr__ready tsr__task_ready(struct tsr_task *task);
/* Whether the task was submitted by the process that this one was forked from. */
bool tsr__task_foreign(const struct tsr_task *task);
/* Ends the task and all tasks that end with it. `member`: the pool whose ready list the caller looks at next. Returns a task of that pool
 * which the caller should run alone at once, or NULL. */
struct tsr_task *tsr__complete(struct tsr_task *task, struct tsr_pool *member);
/* Runs a joined task until its units are taken, completes it if this thread was the last, and runs small tasks that become ready by that.
 * Returns early if `until` has ended. False: this is a forked child now, and no object may be touched. */
bool tsr__task_run(struct tsr_task *task, struct tsr__seat *seat, struct tsr_task *until);

/* The positions of a task that several threads share, one part for each worker. */
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
/* How many units a thread takes at a time. */
struct tsr__step {
    uint64_t least, most;
};
/* Takes units of [*next, end), at most a step, and fewer when few are left. False: none left. */
bool tsr__range_take(_Atomic uint64_t *next, uint64_t end, struct tsr__step step, unsigned share, uint64_t *begin, uint64_t *stop);
/* Runs units of the joined task. True: all units have been begun; false: returned early because `until` ended. */
bool tsr__range_run(struct tsr_task *task, struct tsr__seat *seat, struct tsr_task *until);

/* ---- gang.c ---- */

/* Opens a task to the gang; under the lock. False: the gang has a task, or there is no memory. */
bool tsr__gang_open(struct tsr_pool *pool, struct tsr_task *task);
/* Joins the gang's task. spins: the thread is counted as a spinning one until it has joined. *missing: how many more threads the task is
 * worth than run it or spin. NULL: no task is open, enough threads run it, or the spinning thread is called to the ready list. */
struct tsr_task *tsr__gang_join(struct tsr_pool *pool, bool spins, unsigned *missing);
/* Leaves the gang's task. rest: units remain. True: this was the last thread, which has to complete the task, and the gang is free. False:
 * with `spins` the thread counts as a spinning one from now on. */
bool tsr__gang_leave(struct tsr_pool *pool, bool rest, bool spins);
/* The thread begins or ends to spin. Who ends to spin looks at the ready list. */
void tsr__gang_spin(struct tsr_pool *pool, bool spins);
/* Calls one of the spinning threads to the ready list. False: none spins. */
bool tsr__gang_call(struct tsr_pool *pool);
/* A spinning thread answers the call, if there is one: it stops to count as spinning, and has to look at the ready list. */
bool tsr__gang_answer(struct tsr_pool *pool);
unsigned tsr__gang_spinners(const struct tsr_pool *pool);
/* By how many the threads that run the gang's task or spin exceed what the task is worth; 0 unless worker `number` is one of the threads
 * that give way. So the same threads share small tasks each time, and find their parts in their caches. */
unsigned tsr__gang_surplus(const struct tsr_pool *pool, unsigned number);
bool tsr__gang_has(struct tsr_pool *pool, const struct tsr_task *task); /* it is the gang's task; a hint */
bool tsr__gang_has_room(struct tsr_pool *pool);                         /* a further thread may join */
bool tsr__gang_waits(const struct tsr_pool *pool);                      /* units remain, and no thread runs them */

/* ---- limits.c ---- */

struct tsr__limits {
    unsigned cpus;   /* CPUs that the quotas grant, rounded up; 0: no quota */
    uint64_t memory; /* bytes: RAM and limits; 0: unknown */
};
/* root: "" or the folder in which a test has built /proc and /sys. */
void tsr__limits_read(const char *root, struct tsr__limits *limits);

/* ---- topology.c ---- */

/* Whether workers are bound to their CPUs, and the affinity mask that they are not to leave. */
bool tsr__cpus_pinned(void);
const cpu_set_t *tsr__cpus_inherited(void);
/* Keeps `count` CPUs of the set, whole cores first. */
void tsr__cpus_keep(const char *root, cpu_set_t *cpus, unsigned count);

/* ---- domain.c ---- */

enum tsr__domain_found { TSR__DOMAIN_UNKNOWN, TSR__DOMAIN_NONE, TSR__DOMAIN_FOUND }; /* UNKNOWN: /sys does not tell */
/* The CPUs that share the domain with `cpu`. */
enum tsr__domain_found tsr__domain_of(const char *root, unsigned cpu, enum tsr_domain domain, cpu_set_t *set);
/* tsr_topology_split without hwloc. */
unsigned tsr__domain_split(const char *root, const cpu_set_t *cpus, enum tsr_domain domain, cpu_set_t *parts, unsigned max);
/* FOUND: the CPUs lie in at least two domains of the kind. */
enum tsr__domain_found tsr__domain_splits(const char *root, const cpu_set_t *cpus, enum tsr_domain domain);

/* ---- trace.c ---- */

bool tsr__trace_on(void);
void tsr__trace_range(const struct tsr_task *task, const struct tsr__seat *seat, uint64_t begin, uint64_t end, uint64_t start_ns,
                      uint64_t end_ns);
void tsr__trace_flush(void);
void tsr__trace_reset(void); /* in a forked child */

#endif
