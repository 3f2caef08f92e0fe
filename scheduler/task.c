/* SPDX-License-Identifier: Apache-2.0
 * The life of a task: submit, run, wait, finish. */
#include "scheduler/internal.h"

void tsr_task_init(struct tsr_task *task, struct tsr_pool *pool)
{
    task->pool = pool;
    task->status = 0;
    task->submit_ns = task->start_ns = task->end_ns = 0;
    task->range = NULL;
    task->want = task->runners = 0;
    task->generation = 0;
    task->linked = task->ganged = false;
    task->edge_count = 0;
    task->estimate = 0;
    atomic_init(&task->phase, TSR_TASK_NEW);
    atomic_init(&task->next_unit, 0);
    atomic_init(&task->cost, task->unit_cost);
    atomic_init(&task->blockers, 1);
    atomic_init(&task->failed, 0);
    atomic_init(&task->holds, 2); /* of an external task: run has returned (or there is nothing to run), and finish was called */
    atomic_init(&task->dependents, NULL);
    atomic_init(&task->waiters, NULL);
}

void tsr_task_move(struct tsr_task *task, struct tsr_pool *pool)
{
    assert(atomic_load_explicit(&task->phase, memory_order_relaxed) == TSR_TASK_NEW);
    task->pool = pool;
}

void tsr_task_submit(struct tsr_task *task)
{
    struct tsr_pool *pool = task->pool;
    assert(atomic_load_explicit(&task->phase, memory_order_relaxed) == TSR_TASK_NEW && (pool || !task->units));
    tsr__watch_fork();
    if (task->timed)
        task->submit_ns = tsr_now_ns();
    task->generation = atomic_load_explicit(&tsr__generation, memory_order_relaxed);
    unsigned pending = pool ? atomic_fetch_add_explicit(&pool->pending, 1, memory_order_relaxed) + 1 : 0;
    atomic_store_explicit(&task->phase, TSR_TASK_SUBMITTED, memory_order_release);
    TSR__POINT();
    if (atomic_fetch_sub_explicit(&task->blockers, 1, memory_order_acq_rel) == 1) {
        if (!pool || (task->external && !task->units)) {
            if (tsr__task_ready(task) == TSR__READY_ENDS)
                tsr__complete(task, NULL);
        } else {
            tsr__task_weigh(task);
            tsr__pool_push(task, TSR__SUBMITTER); /* also a task that ends at once: the submitter may hold locks that `done` takes */
        }
    }
    if (pending && pending % TSR__MANY_PENDING == 0)
        tsr__pool_nudge(pool);
}

void tsr_task_finish(struct tsr_task *task, int status)
{
    if (status < 0)
        tsr__task_fail(task, status);
    if (tsr__task_drop_hold(task))
        tsr__complete(task, NULL);
}

/* False: the task has ended meanwhile. */
static bool post_parker(struct tsr_task *task, struct tsr__parker *parker)
{
    TSR__POINT();
    void *head = atomic_load_explicit(&task->waiters, memory_order_acquire);
    while (head != TSR__CLOSED) {
        parker->next = head;
        TSR__POINT();
        if (atomic_compare_exchange_weak_explicit(&task->waiters, &head, parker, memory_order_acq_rel, memory_order_acquire))
            return true;
    }
    return false;
}

/* Most waits are short: searches before sleeping. True: there is something to do. */
static bool look_around(struct tsr_task *task, struct tsr_pool *pool, uint64_t ns)
{
    struct tsr__spin spin = {0};
    do {
        if (tsr__task_ended(task) || (pool && tsr__pool_has_work(pool)))
            return true;
    } while (tsr__spin(&spin, ns));
    return false;
}

static bool wait_for(struct tsr_task *task)
{
    struct tsr_pool *pool = task->pool;
    struct tsr__seat *seat = pool && tsr__pool_admits(pool) ? tsr__helper_sit(pool) : NULL;
    struct tsr__parker parker = {0};
    bool posted = false, slept = false;
    uint64_t patience = TSR__SPIN_NS;
    while (!tsr__task_ended(task)) {
        struct tsr_task *next = seat ? tsr__pool_pick(pool, seat, task) : NULL;
        if (next) {
            if (next->want > 1) /* when this thread finds no more units, the other threads are at their last steps */
                patience = TSR__LINGER_NS;
            if (!tsr__task_run(next, seat, task))
                return false;
            continue;
        }
        if (look_around(task, seat ? pool : NULL, patience))
            continue;
        if (!posted && !(posted = post_parker(task, &parker)))
            break;
        slept = true;
        if (seat)
            tsr__helper_lifts(seat);
        if (pool)
            tsr__pool_sleep(pool, seat, task, &parker);
        else
            tsr__park(&parker);
    }
    while (posted && !(tsr__park(&parker) & TSR__END)) /* the parker is on the list: the thread that ended the task will still signal it */
        atomic_fetch_and_explicit(&parker.signals, ~(uint32_t)TSR__WORK, memory_order_relaxed);
    if (seat)
        tsr__helper_rise(seat);
    /* Tasks that this thread was woken for, or made ready itself, go to other threads now. */
    if (pool && (slept || tsr__pool_has_work(pool)))
        tsr__pool_nudge(pool);
    return true;
}

bool tsr_in_callback(void)
{
    return tsr__self()->callbacks;
}

enum tsr_status tsr_task_wait(struct tsr_task *task, int *task_status)
{
    if (!tsr__task_ended(task)) {
        if (tsr_in_callback())
            return TSR_INVALID;
        int begun = tsr_no_cancel_begin(); /* the thread may run tasks of others */
        bool ended = !tsr__task_foreign(task) && wait_for(task);
        tsr_no_cancel_end(begun);
        if (!ended)
            return TSR_DIED;
    }
    if (task_status)
        *task_status = task->status;
    return TSR_OK;
}
