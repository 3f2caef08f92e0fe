/* SPDX-License-Identifier: Apache-2.0
 * The gang: threads that share one task after the other without the pool's lock. One word of the pool says whether a task is open to them,
 * how many threads it is worth, how many run it, and how many look for the next one. A thread joins and leaves by one exchange of the word;
 * while it is counted as a runner, no other task can take the place of its task. */
#include "scheduler/internal.h"

enum { SPINNERS = 0, RUNNERS = 16, WANT = 32, FIELD = 0xffff };
#define ONE(field) (UINT64_C(1) << (field))
#define OPEN ONE(62)   /* units of the task remain */
#define CALLED ONE(63) /* one of the spinning threads has to look at the ready list */

_Static_assert((int)TSR__MAX_WIDTH + (int)TSR__HELPERS < (int)FIELD, "all threads can be counted");

static unsigned count(uint64_t state, unsigned field)
{
    return (unsigned)(state >> field) & FIELD;
}

static bool has_room(uint64_t state)
{
    return state & OPEN && count(state, RUNNERS) < count(state, WANT);
}

static uint64_t state_of(struct tsr__gang *gang)
{
    TSR__POINT();
    return atomic_load_explicit(&gang->state, memory_order_acquire);
}

static bool change(struct tsr__gang *gang, uint64_t *state, uint64_t next)
{
    TSR__POINT();
    return atomic_compare_exchange_strong_explicit(&gang->state, state, next, memory_order_acq_rel, memory_order_acquire);
}

bool tsr__gang_open(struct tsr_pool *pool, struct tsr_task *task)
{
    struct tsr__gang *gang = &pool->gang;
    uint64_t state = state_of(gang);
    assert(task->want > 1 && task->want <= pool->width);
    if (state & OPEN || count(state, RUNNERS))
        return false;
    if (!gang->range && !(gang->range = tsr__range_new(pool->width)))
        return false;
    tsr__range_split(gang->range, task->want, task->units);
    task->range = gang->range;
    task->ganged = true;
    atomic_store_explicit(&gang->task, task, memory_order_relaxed);
    while (!change(gang, &state, (state & ~(FIELD * ONE(WANT))) | task->want * ONE(WANT) | OPEN)) {
    }
    return true;
}

struct tsr_task *tsr__gang_join(struct tsr_pool *pool, bool spins, unsigned *missing)
{
    struct tsr__gang *gang = &pool->gang;
    uint64_t state = state_of(gang), next;
    do {
        if (!has_room(state) || (spins && state & CALLED))
            return NULL;
        next = state + ONE(RUNNERS) - spins * ONE(SPINNERS);
    } while (!change(gang, &state, next));
    unsigned present = count(next, RUNNERS) + count(next, SPINNERS), want = count(next, WANT);
    *missing = want > present ? want - present : 0;
    return atomic_load_explicit(&gang->task, memory_order_relaxed);
}

bool tsr__gang_leave(struct tsr_pool *pool, bool rest, bool spins)
{
    uint64_t state = state_of(&pool->gang), next;
    bool last;
    do {
        assert(count(state, RUNNERS));
        next = state - ONE(RUNNERS);
        if (!rest)
            next &= ~OPEN;
        last = !(next & OPEN) && !count(next, RUNNERS);
        next += spins && !last ? ONE(SPINNERS) : 0;
    } while (!change(&pool->gang, &state, next));
    return last;
}

void tsr__gang_spin(struct tsr_pool *pool, bool spins)
{
    uint64_t state = state_of(&pool->gang);
    assert(spins || count(state, SPINNERS));
    while (!change(&pool->gang, &state, spins ? state + ONE(SPINNERS) : (state & ~CALLED) - ONE(SPINNERS))) {
    }
}

bool tsr__gang_call(struct tsr_pool *pool)
{
    atomic_thread_fence(memory_order_seq_cst); /* a thread that this one does not see spin sees the task in the ready list */
    uint64_t state = state_of(&pool->gang);
    do {
        if (!count(state, SPINNERS))
            return false;
    } while (!change(&pool->gang, &state, state | CALLED));
    return true;
}

unsigned tsr__gang_spinners(const struct tsr_pool *pool)
{
    return count(atomic_load_explicit(&pool->gang.state, memory_order_relaxed), SPINNERS);
}

bool tsr__gang_has(struct tsr_pool *pool, const struct tsr_task *task)
{
    return atomic_load_explicit(&pool->gang.task, memory_order_relaxed) == task;
}

bool tsr__gang_has_room(struct tsr_pool *pool)
{
    return has_room(atomic_load_explicit(&pool->gang.state, memory_order_relaxed));
}

bool tsr__gang_waits(const struct tsr_pool *pool)
{
    uint64_t state = atomic_load_explicit(&pool->gang.state, memory_order_relaxed);
    return state & OPEN && !count(state, RUNNERS);
}

unsigned tsr__gang_surplus(const struct tsr_pool *pool, unsigned number)
{
    uint64_t state = atomic_load_explicit(&pool->gang.state, memory_order_relaxed);
    unsigned want = count(state, WANT), present = count(state, RUNNERS) + count(state, SPINNERS);
    /* One place is the waiting thread's. */
    return number + 1 >= want && present > want ? present - want : 0;
}

bool tsr__gang_answer(struct tsr_pool *pool)
{
    uint64_t state = atomic_load_explicit(&pool->gang.state, memory_order_relaxed);
    while (state & CALLED)
        if (change(&pool->gang, &state, (state & ~CALLED) - ONE(SPINNERS)))
            return true;
    return false;
}
