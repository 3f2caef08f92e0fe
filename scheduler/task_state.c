/* SPDX-License-Identifier: Apache-2.0
 * The states of a task before and while it runs: its estimate, its start, its failure. */
#include "scheduler/internal.h"

void tsr__task_fail(struct tsr_task *task, int status)
{
    int none = 0;
    atomic_compare_exchange_strong_explicit(&task->failed, &none, status, memory_order_relaxed, memory_order_relaxed);
}

/* How many of the threads that look for a task now are to share one of `total` nanoseconds. A chain of tasks that is submitted is worth
 * waking them. */
static uint64_t warm_threads(struct tsr_pool *pool, uint64_t total)
{
    if (total <= TSR__WARM_SMALL_NS || atomic_load_explicit(&pool->ready_count, memory_order_relaxed) || tsr__gang_has_room(pool))
        return 1;
    uint64_t want = total / TSR__WARM_SHARE_NS + 1, spinners = tsr__gang_spinners(pool);
    uint64_t pending = atomic_load_explicit(&pool->pending, memory_order_relaxed);
    uint64_t most = pending > 1 && pending > TSR__CHAIN_NS / total ? pool->width : spinners + 1;
    return want < most ? want : most;
}

void tsr__task_weigh(struct tsr_task *task)
{
    const uint64_t longest = UINT64_C(1) << 40; /* so that sums stay in range */
    uint64_t cost = task->unit_cost, total;
    atomic_store_explicit(&task->cost, cost, memory_order_relaxed); /* the cost may have become known since tsr_task_init */
    if (!task->units)
        total = 0;
    else if (!cost)
        total = TSR__UNKNOWN_NS;
    else if (__builtin_mul_overflow(task->units, cost, &total) || total > longest)
        total = longest;
    task->estimate = total;
    task->want = 1;
    if (task->units <= 1 || task->external)
        return;
    uint64_t want = 1, warm = cost ? warm_threads(task->pool, total) : 1, width = task->pool->width;
    if (total > TSR__SMALL_NS)
        want = cost ? total / TSR__SHARE_NS + 1 : width;
    want = want > warm ? want : warm;
    want = want < task->units ? want : task->units;
    task->want = (unsigned)(want < width ? want : width);
}

void tsr__task_begin(struct tsr_task *task)
{
    if (task->timed || (task->want > 1 && !task->unit_cost))
        task->start_ns = tsr_now_ns();
    atomic_store_explicit(&task->phase, TSR_TASK_RUNNING, memory_order_release);
}

/* Drops one of the two conditions for the end of an external task; true: that was the last. */
bool tsr__task_drop_hold(struct tsr_task *task)
{
    TSR__POINT();
    int holds = atomic_fetch_sub_explicit(&task->holds, 1, memory_order_acq_rel);
    assert(holds > 0);
    return holds == 1;
}

enum tsr__ready tsr__task_ready(struct tsr_task *task)
{
    bool failed = atomic_load_explicit(&task->failed, memory_order_relaxed) < 0;
    if (task->units)
        return failed ? TSR__READY_ENDS : TSR__READY_RUNS;
    if (!task->external)
        return TSR__READY_ENDS;
    return tsr__task_drop_hold(task) ? TSR__READY_ENDS : TSR__READY_WAITS;
}
