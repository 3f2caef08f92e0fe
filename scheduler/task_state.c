/* SPDX-License-Identifier: Apache-2.0
 * The states of a task before and while it runs: its estimate, its start, its failure. */
#include "scheduler/internal.h"

void tsr__task_fail(struct tsr_task *task, int status)
{
    int none = 0;
    atomic_compare_exchange_strong_explicit(&task->failed, &none, status, memory_order_relaxed, memory_order_relaxed);
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
    if (task->units > 1 && !task->external && total > TSR__SMALL_NS) {
        uint64_t want = task->pool->width;
        if (cost && total / TSR__SHARE_NS < want)
            want = total / TSR__SHARE_NS + 1;
        task->want = (unsigned)(want < task->units ? want : task->units);
        if (task->want > task->pool->width)
            task->want = task->pool->width;
    }
}

void tsr__task_begin(struct tsr_task *task)
{
    task->started = true;
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
