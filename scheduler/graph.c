/* SPDX-License-Identifier: Apache-2.0
 * Dependencies between tasks, and the end of a task: what it sets free, in order and without recursion. */
#include "scheduler/internal.h"

bool tsr__task_foreign(const struct tsr_task *task)
{
    int phase = atomic_load_explicit(&task->phase, memory_order_acquire);
    return phase != TSR_TASK_NEW && task->generation != atomic_load_explicit(&tsr__generation, memory_order_relaxed);
}

static bool closed(struct tsr_task *task)
{
    return atomic_load_explicit(&task->dependents, memory_order_acquire) == TSR__CLOSED;
}

enum tsr_status tsr_task_after(struct tsr_task *task, struct tsr_task *before, bool propagate)
{
    bool lost = !closed(before) && tsr__task_foreign(before);
    if (!lost && !closed(before)) {
        struct tsr__edge *edge;
        bool allocated = task->edge_count == TSR_ARRAY_LEN(task->edges);
        if (allocated && !(edge = tsr_malloc(sizeof *edge)))
            return TSR_NO_MEMORY;
        if (!allocated)
            edge = &task->edges[task->edge_count];
        *edge = (struct tsr__edge){.task = task, .propagate = propagate, .allocated = allocated};
        atomic_fetch_add_explicit(&task->blockers, 1, memory_order_relaxed);
        TSR__POINT();
        void *head = atomic_load_explicit(&before->dependents, memory_order_acquire);
        while (head != TSR__CLOSED) {
            edge->next = head;
            TSR__POINT();
            if (atomic_compare_exchange_weak_explicit(&before->dependents, &head, edge, memory_order_acq_rel, memory_order_acquire)) {
                task->edge_count += !allocated;
                return TSR_OK;
            }
        }
        atomic_fetch_sub_explicit(&task->blockers, 1, memory_order_relaxed);
        if (allocated)
            tsr_free(edge);
    }
    if (propagate && (lost || before->status < 0))
        tsr__task_fail(task, TSR_TASK_BLOCKED_BY_FAILURE);
    return TSR_OK;
}

/* Edges were pushed at the front, so the oldest dependent is the last. */
static struct tsr__edge *reverse(struct tsr__edge *list)
{
    struct tsr__edge *out = NULL;
    while (list) {
        struct tsr__edge *next = list->next;
        list->next = out;
        out = list;
        list = next;
    }
    return out;
}

static void later(struct tsr__self *self, struct tsr_task *task)
{
    task->link.next = NULL;
    if (self->first)
        self->last->link.next = &task->link;
    else
        self->first = task;
    self->last = task;
}

static struct tsr_task *pop(struct tsr__self *self)
{
    struct tsr_task *task = self->first;
    if (task)
        self->first = task->link.next ? TSR_LIST_ITEM(task->link.next, struct tsr_task, link) : NULL;
    return task;
}

/* A small task that nothing else waits for: the thread that ended its dependency runs it at once, without the list. */
static bool runs_on(const struct tsr_task *task, const struct tsr_pool *member)
{
    return task->pool == member && task->want <= 1 && !atomic_load_explicit(&member->ready_count, memory_order_relaxed) &&
           !tsr__gang_waits(member);
}

static void release_dependents(struct tsr__self *self, struct tsr__edge *edge, int status, struct tsr_pool *member, struct tsr_task **next)
{
    for (edge = reverse(edge); edge;) {
        struct tsr__edge *following = edge->next; /* the owner may free the task, and the edge in it, once its last blocker is gone */
        struct tsr_task *task = edge->task;
        if (edge->propagate && status < 0)
            tsr__task_fail(task, TSR_TASK_BLOCKED_BY_FAILURE);
        if (edge->allocated)
            tsr_free(edge);
        edge = following;
        TSR__POINT();
        int blockers = atomic_fetch_sub_explicit(&task->blockers, 1, memory_order_acq_rel);
        assert(blockers > 0);
        if (blockers != 1 || tsr__task_foreign(task))
            continue;
        switch (tsr__task_ready(task)) {
        case TSR__READY_ENDS:
            later(self, task);
            break;
        case TSR__READY_RUNS:
            tsr__task_weigh(task);
            if (member && !*next && runs_on(task, member)) {
                *next = task;
                break;
            }
            tsr__pool_push(task, task->pool == member ? TSR__MEMBER : TSR__OUTSIDER);
            break;
        case TSR__READY_WAITS:
            break;
        }
    }
}

static void tell_waiters(struct tsr__parker *parker)
{
    while (parker) {
        struct tsr__parker *following = parker->next; /* the waiter lies on the stack of a thread that goes on as soon as it is woken */
        tsr__unpark(parker, TSR__END);
        parker = following;
    }
}

static void end(struct tsr__self *self, struct tsr_task *task, struct tsr_pool *member, struct tsr_task **next)
{
    bool ours = !tsr__task_foreign(task);
    assert(atomic_load(&task->waiters) != TSR__CLOSED && !closed(task) && !task->linked); /* no task ends twice */
    task->status = atomic_load_explicit(&task->failed, memory_order_relaxed);
    if (task->timed) {
        task->end_ns = tsr_now_ns();
        if (!task->start_ns)
            task->start_ns = task->end_ns;
    }
    if (task->done) {
        self->callbacks++;
        task->done(task, task->status);
        self->callbacks--;
    }
    if (ours && tsr__task_foreign(task)) /* the callback has forked, and this is the child */
        return;
    if (task->pool && ours)
        atomic_fetch_sub_explicit(&task->pool->pending, 1, memory_order_relaxed);
    int status = task->status;
    void (*released)(struct tsr_task *) = task->released;
    atomic_store_explicit(&task->phase, TSR_TASK_DONE, memory_order_release);
    TSR__POINT();
    release_dependents(self, atomic_exchange_explicit(&task->dependents, TSR__CLOSED, memory_order_acq_rel), status, member, next);
    TSR__POINT();
    struct tsr__parker *waiters = atomic_exchange_explicit(&task->waiters, TSR__CLOSED, memory_order_acq_rel);
    /* From here on a waiting thread may free the task. */
    if (ours) /* else the waiting threads are the parent's, and their stacks do not exist here */
        tell_waiters(waiters);
    if (released) {
        self->callbacks++;
        released(task);
        self->callbacks--;
    }
}

struct tsr_task *tsr__complete(struct tsr_task *task, struct tsr_pool *member)
{
    struct tsr__self *self = tsr__self();
    later(self, task);
    if (self->completing) /* called from a callback: the loop of the outer call completes the task */
        return NULL;
    self->completing = true;
    struct tsr_task *next = NULL;
    unsigned generation = atomic_load_explicit(&tsr__generation, memory_order_relaxed);
    while ((task = pop(self))) {
        end(self, task, member, &next);
        if (generation != atomic_load_explicit(&tsr__generation,
                                               memory_order_relaxed)) { /* a callback has forked: the remaining tasks are the parent's */
            self->first = NULL;
            next = NULL;
        }
    }
    self->completing = false;
    return next;
}
