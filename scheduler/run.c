/* SPDX-License-Identifier: Apache-2.0
 * Running: a thread's share of the units of a task, and what the end of the task sets free. */
#include "scheduler/internal.h"

/* The next units for this thread, searching the parts from `part` on. */
static bool take(struct tsr_task *task, unsigned *part, struct tsr__step step, uint64_t *begin, uint64_t *stop)
{
    struct tsr__range *range = task->range;
    if (!range)
        return tsr__range_take(&task->next_unit, task->units, step, task->want > 1 ? 4 * task->want : 1, begin, stop);
    assert(*part < range->parts);
    for (unsigned tried = 0; tried < range->parts; tried++) {
        struct tsr__part *p = &range->part[*part];
        /* A thread takes its own part in quarters of what is left: large steps first, and small ones at the end for threads that finish
         * early and help. */
        if (tsr__range_take(&p->next, p->end, step, 4, begin, stop))
            return true;
        *part = *part + 1 < range->parts ? *part + 1 : 0;
    }
    return false;
}

/* Unit 0, before a thread's own part, for the first of all threads: kernels whose work-item 0 clears a sum, to which the others add, race
 * with themselves, but come out right where the first work-group begins first. */
static bool take_first(struct tsr__range *range, uint64_t *begin, uint64_t *stop)
{
    struct tsr__part *p = &range->part[0];
    return !atomic_load_explicit(&p->next, memory_order_relaxed) &&
           tsr__range_take(&p->next, p->end, (struct tsr__step){1, 1}, 1, begin, stop);
}

/* How many units take so long. */
static uint64_t units_in(uint64_t ns, uint64_t cost)
{
    return !cost || cost >= ns ? 1 : ns / cost;
}

/* Steps are short enough to look often at leaving early and sharing, and long enough to hide their own cost. */
static struct tsr__step step_of(uint64_t cost)
{
    return (struct tsr__step){units_in(2000, cost), units_in(50000, cost)};
}

bool tsr__range_run(struct tsr_task *task, struct tsr__seat *seat, struct tsr_task *until)
{
    struct tsr__self *self = tsr__self();
    bool trace = tsr__trace_on(), small = task->want <= 1 && (task->estimate <= TSR__SMALL_NS || task->external || task->units == 1);
    unsigned part = task->range ? tsr__seat_part(seat, task->range->parts) : 0;
    uint64_t cost = atomic_load_explicit(&task->cost, memory_order_relaxed), begin, stop;
    struct tsr__step step = small ? (struct tsr__step){1, task->units} : step_of(cost);
    bool measure = !cost && !small, shared = false;
    uint64_t first = measure ? tsr_now_ns() : 0, done = 0;
    unsigned generation = atomic_load_explicit(&tsr__generation, memory_order_relaxed);
    bool opens = part > 0;
    while (!atomic_load_explicit(&task->failed, memory_order_relaxed) &&
           ((opens && take_first(task->range, &begin, &stop)) || take(task, &part, step, &begin, &stop))) {
        opens = false;
        uint64_t start = trace ? tsr_now_ns() : 0;
        self->callbacks++;
        int status = task->run(task, &seat->worker, begin, stop);
        self->callbacks--;
        if (generation != atomic_load_explicit(&tsr__generation, memory_order_relaxed))
            return false;
        if (trace)
            tsr__trace_range(task, seat, begin, stop, start, tsr_now_ns());
        if (status < 0)
            tsr__task_fail(task, status);
        done += stop - begin;
        if (measure) {
            uint64_t elapsed = tsr_now_ns() - first;
            cost = elapsed / done + 1;
            if (elapsed >= TSR__SPIN_NS)
                step = step_of(cost);
            else if (step.most < task->units)
                step.most *= 2;
            if (!shared && elapsed > TSR__SHARE_NS) { /* the task takes longer than estimated */
                atomic_store_explicit(&task->cost, cost, memory_order_relaxed);
                if (task->want > 1)
                    tsr__pool_share(task);
                shared = true;
            }
        }
        if (until && !small && until != task && tsr__task_ended(until))
            return false;
    }
    return true;
}

static bool forked_since(unsigned generation)
{
    return generation != atomic_load_explicit(&tsr__generation, memory_order_relaxed);
}

/* Runs this thread's share of a joined task. True: this thread is to complete it. */
static bool run_part(struct tsr_task *task, struct tsr__seat *seat, struct tsr_task *until, unsigned generation)
{
    if (task->external) {
        struct tsr__self *self = tsr__self();
        self->callbacks++;
        int status = task->run(task, &seat->worker, 0, task->units); /* another thread may finish it from now on */
        self->callbacks--;
        if (forked_since(generation))
            return false;
        if (status < 0)
            tsr__task_fail(task, status);
        return status < 0 || tsr__task_drop_hold(task);
    }
    bool rest = !tsr__range_run(task, seat, until);
    if (forked_since(generation))
        return false;
    return task->want <= 1 && !rest ? true : tsr__pool_leave(task, seat, rest);
}

bool tsr__task_run(struct tsr_task *task, struct tsr__seat *seat, struct tsr_task *until)
{
    unsigned generation = atomic_load_explicit(&tsr__generation, memory_order_relaxed);
    for (;;) {
        /* A task for one thread with nothing to run can end here: no other thread has joined it. */
        bool idle = !task->units || atomic_load_explicit(&task->failed, memory_order_relaxed) < 0;
        bool last = (idle && task->want <= 1) || run_part(task, seat, until, generation);
        if (forked_since(generation))
            return false;
        if (!last)
            return true;
        task = tsr__complete(task, seat->worker.pool);
        if (forked_since(generation))
            return false;
        if (!task)
            return true;
        if (until && tsr__task_ended(until)) {
            tsr__pool_push(task, TSR__MEMBER);
            return true;
        }
        task->runners = 1;
        tsr__task_begin(task);
    }
}
