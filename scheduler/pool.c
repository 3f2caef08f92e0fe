/* SPDX-License-Identifier: Apache-2.0
 * Pools: the ready list, the threads that sleep, and which of them to wake. */
#include <stdio.h>
#include <string.h>

#include "scheduler/internal.h"

_Atomic unsigned tsr__generation;

/* ---- bits ---- */

static bool bit(const uint64_t *bits, unsigned i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t *bits, unsigned i, bool on)
{
    uint64_t mask = UINT64_C(1) << i % 64;
    bits[i / 64] = on ? bits[i / 64] | mask : bits[i / 64] & ~mask;
}

static void set_idle(struct tsr_pool *pool, unsigned i, bool on)
{
    assert(bit(pool->idle, i) != on);
    set_bit(pool->idle, i, on);
    atomic_store_explicit(&pool->idle_count, on ? pool->idle_count + 1 : pool->idle_count - 1, memory_order_relaxed);
}

/* ---- waking ---- */

static void set_spins(struct tsr__seat *seat, bool on)
{
    atomic_store_explicit(&seat->spins, on, memory_order_relaxed);
}

static bool shadowed(const struct tsr__seat *seat)
{
    return atomic_load_explicit(&seat->shadows, memory_order_relaxed);
}

/* The idle worker with the lowest number, so that few threads stay warm when there is little to do; one whose CPU a helping thread uses
 * comes last. TSR__MAX_WIDTH: none. */
static unsigned idle_worker(const struct tsr_pool *pool, bool only_started)
{
    unsigned last = TSR__MAX_WIDTH;
    for (unsigned w = 0; w * 64 < pool->width; w++)
        for (uint64_t left = only_started ? pool->idle[w] & pool->started[w] : pool->idle[w]; left; left &= left - 1) {
            unsigned i = w * 64 + (unsigned)__builtin_ctzll(left);
            if (!shadowed(&pool->seats[i]))
                return i;
            last = i;
        }
    return last;
}

static void claim(struct tsr_pool *pool, unsigned i, struct tsr__wakes *wakes)
{
    TSR__POINT();
    assert(i < pool->width && bit(pool->idle, i) && wakes->count < TSR__FANOUT);
    set_idle(pool, i, false);
    wakes->starts[wakes->count] = !bit(pool->started, i);
    set_bit(pool->started, i, true);
    wakes->seats[wakes->count++] = &pool->seats[i];
}

/* The signal is given under the lock: after that the thread may find its task ended and return, with the parker on its stack. */
static void claim_sleeper(struct tsr_pool *pool, struct tsr__wakes *wakes)
{
    struct tsr__parker *parker = TSR_LIST_ITEM(pool->sleepers.next, struct tsr__parker, link);
    tsr_list_remove(&parker->link);
    if (tsr__signal(parker, TSR__WORK))
        wakes->sleeper = &parker->signals;
}

/* Chooses one thread for the ready list: a worker that has a thread, then a waiting thread, then a new worker. Under the lock. */
static void claim_any(struct tsr_pool *pool, struct tsr__wakes *wakes)
{
    if (tsr__gang_call(pool))
        return;
    unsigned i = idle_worker(pool, true);
    if (i == TSR__MAX_WIDTH && !tsr_list_empty(&pool->sleepers)) {
        claim_sleeper(pool, wakes);
        return;
    }
    if (i == TSR__MAX_WIDTH)
        i = idle_worker(pool, false);
    if (i != TSR__MAX_WIDTH)
        claim(pool, i, wakes);
}

/* Whether an idle thread has to be woken: a task is ready, or the gang's task waits and no thread spins that would find it. */
static bool wants_thread(const struct tsr_pool *pool)
{
    return pool->ready_count || (tsr__gang_waits(pool) && !tsr__gang_spinners(pool));
}

static void worker_main(void *seat);

static bool start(struct tsr_pool *pool, struct tsr__seat *seat)
{
    char name[32];
    snprintf(name, sizeof name, "tessera-%u", seat->worker.index);
    bool pinned = tsr__cpus_pinned();
    cpu_set_t cpus;
    if (pinned) {
        CPU_ZERO(&cpus);
        CPU_SET((size_t)seat->cpu, &cpus);
    } else {
        cpus = CPU_EQUAL(&pool->cpus, tsr_cpus_allowed()) ? *tsr__cpus_inherited() : pool->cpus;
    }
    if (!tsr__thread_start(worker_main, seat, name, &cpus))
        return false;
    tsr_log(TSR_LOG_SCHED, "%s of %u started%s", name, pool->width, pinned ? ", pinned" : "");
    return true;
}

/* Wakes the threads, after the lock is dropped. */
static void wake(struct tsr_pool *pool, struct tsr__wakes *wakes)
{
    if (wakes->sleeper)
        tsr__futex_wake(wakes->sleeper);
    for (unsigned k = 0; k < wakes->count; k++) {
        struct tsr__seat *seat = wakes->seats[k];
        if (!wakes->starts[k]) {
            tsr__unpark(&seat->parker, TSR__WORK);
            continue;
        }
        if (start(pool, seat))
            continue;
        /* No thread could be started: the workers that exist take the tasks, or else the waiting threads. */
        struct tsr__wakes other = {0};
        tsr__lock(&pool->lock);
        unsigned i = idle_worker(pool, true);
        if (i != TSR__MAX_WIDTH)
            claim(pool, i, &other);
        else if (!tsr_list_empty(&pool->sleepers))
            claim_sleeper(pool, &other);
        set_bit(pool->started, seat->worker.index, false);
        set_idle(pool, seat->worker.index, true);
        tsr__unlock(&pool->lock);
        if (other.count)
            tsr__unpark(&other.seats[0]->parker, TSR__WORK);
        else if (other.sleeper)
            tsr__futex_wake(other.sleeper);
    }
}

/* ---- ready list ---- */

static void link_task(struct tsr_pool *pool, struct tsr_task *task, bool first)
{
    assert(task->pool == pool && !task->linked);
    tsr_list_push(first ? pool->ready.next : &pool->ready, &task->link); /* before the first, or at the end */
    TSR__POINT();
    task->linked = true;
    atomic_store_explicit(&pool->ready_count, pool->ready_count + 1, memory_order_relaxed);
    pool->backlog += task->estimate;
}

static void unlink_task(struct tsr_pool *pool, struct tsr_task *task)
{
    assert(task->linked && pool->ready_count && pool->backlog >= task->estimate);
    tsr_list_remove(&task->link);
    TSR__POINT();
    task->linked = false;
    atomic_store_explicit(&pool->ready_count, pool->ready_count - 1, memory_order_relaxed);
    pool->backlog -= task->estimate;
}

static struct tsr_task *first_ready(struct tsr_pool *pool)
{
    return tsr_list_empty(&pool->ready) ? NULL : TSR_LIST_ITEM(pool->ready.next, struct tsr_task, link);
}

/* Claims idle workers to wake, up to `most` and up to TSR__FANOUT; each of them wakes more. Under the lock. */
static void claim_some(struct tsr_pool *pool, unsigned most, struct tsr__wakes *wakes)
{
    for (; most && wakes->count < TSR__FANOUT; most--) {
        unsigned i = idle_worker(pool, false);
        if (i == TSR__MAX_WIDTH || shadowed(&pool->seats[i]))
            break;
        claim(pool, i, wakes);
    }
}

/* The same for workers that join a task which is worth it. One that spins is called, and calls the next when it joins. */
static void claim_sharers(struct tsr_pool *pool, struct tsr_task *task, struct tsr__wakes *wakes)
{
    unsigned there = task->runners + (tsr__gang_call(pool) ? tsr__gang_spinners(pool) : 0);
    claim_some(pool, task->want > there ? task->want - there : 0, wakes);
}

/* The worker on whose CPU this thread is. */
static unsigned seat_home(const struct tsr__seat *seat)
{
    const struct tsr_pool *pool = seat->worker.pool;
    if (seat->worker.index < pool->width)
        return seat->worker.index;
    int cpu = tsr__cpu();
    return cpu >= 0 && cpu < CPU_SETSIZE ? pool->seat_of_cpu[cpu] : 0;
}

/* A helping thread shares a task on the CPU of a worker, which leaves it to the others. True: the worker was about to join. */
static bool cast_shadow(struct tsr__seat *seat)
{
    struct tsr_pool *pool = seat->worker.pool;
    if (seat->worker.index < pool->width || !tsr__cpus_pinned())
        return false;
    struct tsr__seat *under = &pool->seats[seat_home(seat)];
    if (seat->shadow != under) {
        tsr__helper_lifts(seat);
        atomic_fetch_add_explicit(&under->shadows, 1, memory_order_relaxed);
        seat->shadow = under;
    }
    return atomic_load_explicit(&under->spins, memory_order_relaxed);
}

void tsr__helper_lifts(struct tsr__seat *seat)
{
    if (seat->shadow)
        atomic_fetch_sub_explicit(&seat->shadow->shadows, 1, memory_order_relaxed);
    seat->shadow = NULL;
}

/* Joins the gang's task. Of the threads that join it first, whichever is the fastest begins it: no unit runs before. */
static struct tsr_task *enter_gang(struct tsr_pool *pool, bool spins, unsigned *missing)
{
    struct tsr_task *task = tsr__gang_join(pool, spins, missing);
    if (!task)
        return NULL;
    TSR__POINT();
    int phase = atomic_load_explicit(&task->phase, memory_order_relaxed);
    if (phase == TSR_TASK_SUBMITTED) {
        uint64_t now = task->timed ? tsr_now_ns() : 0;
        if (atomic_compare_exchange_strong_explicit(&task->phase, &phase, TSR_TASK_RUNNING, memory_order_release, memory_order_relaxed))
            task->start_ns = now;
    }
    return task;
}

/* The same; wakes threads for which it has work. NULL: see tsr__gang_join. */
static struct tsr_task *join_gang(struct tsr_pool *pool, struct tsr__seat *seat, bool spins)
{
    unsigned missing;
    struct tsr_task *task = enter_gang(pool, spins, &missing);
    if (task && cast_shadow(seat))
        missing++;
    if (task && missing && atomic_load_explicit(&pool->idle_count, memory_order_relaxed)) {
        struct tsr__wakes wakes = {0};
        tsr__lock(&pool->lock);
        claim_some(pool, missing, &wakes);
        tsr__unlock(&pool->lock);
        wake(pool, &wakes);
    }
    return task;
}

/* Whether more threads should share a task. If its cost is unknown, a first unit that has not ended when a second thread comes says that it
 * is long. */
static bool turns_out_long(const struct tsr_task *task)
{
    return atomic_load_explicit(&task->cost, memory_order_relaxed) || (task->runners > 1 && tsr_now_ns() - task->start_ns > TSR__SHARE_NS);
}

static void join(struct tsr_pool *pool, struct tsr__seat *seat, struct tsr_task *task, struct tsr__wakes *wakes)
{
    assert(task->linked && task->want <= pool->width && task->runners < task->want);
    if (atomic_load_explicit(&task->phase, memory_order_relaxed) == TSR_TASK_SUBMITTED) {
        if (task->want > 1) {
            task->range = pool->free_ranges;
            if (task->range)
                pool->free_ranges = task->range->next;
            else
                task->range = tsr__range_new(pool->width); /* failed: all threads share one cursor */
            if (task->range)
                tsr__range_split(task->range, task->want, task->units);
        }
        tsr__task_begin(task);
    }
    task->runners++;
    if (task->want > 1)
        cast_shadow(seat);
    TSR__POINT();
    if (task->runners >= task->want)
        unlink_task(pool, task);
    else if (turns_out_long(task))
        claim_sharers(pool, task, wakes);
    /* Tasks that this thread will not reach soon go to other threads. */
    bool others = pool->ready_count > task->linked || tsr__gang_waits(pool);
    if (others && !wakes->count && task->estimate + pool->backlog > TSR__SMALL_NS)
        claim_any(pool, wakes);
}

struct tsr_task *tsr__pool_pick(struct tsr_pool *pool, struct tsr__seat *seat, struct tsr_task *wanted)
{
    struct tsr_task *task = wanted && tsr__gang_has(pool, wanted) ? join_gang(pool, seat, false) : NULL;
    if (!task && atomic_load_explicit(&pool->ready_count, memory_order_relaxed)) {
        struct tsr__wakes wakes = {0};
        tsr__lock(&pool->lock);
        task = wanted && wanted->linked ? wanted : first_ready(pool);
        if (task)
            join(pool, seat, task, &wakes);
        tsr__unlock(&pool->lock);
        wake(pool, &wakes);
    }
    return task ? task : join_gang(pool, seat, false);
}

bool tsr__pool_has_work(struct tsr_pool *pool)
{
    return atomic_load_explicit(&pool->ready_count, memory_order_relaxed) || tsr__gang_has_room(pool);
}

static bool leave_gang(struct tsr_task *task, struct tsr__seat *seat, bool rest)
{
    struct tsr_pool *pool = task->pool;
    bool worker = seat->worker.index < pool->width;
    bool last = tsr__gang_leave(pool, rest, worker); /* other threads may end the task from here on */
    set_spins(seat, worker && !last);
    return last;
}

bool tsr__pool_leave(struct tsr_task *task, struct tsr__seat *seat, bool rest)
{
    if (task->ganged)
        return leave_gang(task, seat, rest);
    struct tsr_pool *pool = task->pool;
    struct tsr__wakes wakes = {0};
    tsr__lock(&pool->lock);
    assert(task->runners);
    task->runners--;
    if (rest) {
        if (!task->linked)
            link_task(pool, task, true);
        if (!task->runners)
            claim_any(pool, &wakes);
    } else if (task->linked) {
        unlink_task(pool, task);
    }
    bool last = !task->runners && !task->linked;
    if (last && task->range) {
        task->range->next = pool->free_ranges;
        pool->free_ranges = task->range;
        task->range = NULL;
    }
    tsr__unlock(&pool->lock);
    wake(pool, &wakes);
    return last;
}

void tsr__pool_share(struct tsr_task *task)
{
    struct tsr_pool *pool = task->pool;
    struct tsr__wakes wakes = {0};
    tsr__lock(&pool->lock);
    if (task->linked)
        claim_sharers(pool, task, &wakes);
    tsr__unlock(&pool->lock);
    wake(pool, &wakes);
}

void tsr__pool_push(struct tsr_task *task, enum tsr__pusher pusher)
{
    struct tsr_pool *pool = task->pool;
    struct tsr__wakes wakes = {0};
    tsr__lock(&pool->lock);
    /* The cost of a task of the gang is known: who joins need not ask whether others should. */
    if (task->want <= 1 || !task->unit_cost || !tsr__gang_open(pool, task))
        link_task(pool, task, false);
    /* A submitter wakes no further thread, unless a sleeping thread may depend on this task. */
    bool needs_thread = pusher == TSR__OUTSIDER || (pusher == TSR__SUBMITTER && pool->blocked_waiters);
    if (needs_thread && (task->linked || !tsr__gang_spinners(pool)))
        claim_any(pool, &wakes);
    tsr__unlock(&pool->lock);
    wake(pool, &wakes);
}

void tsr__pool_nudge(struct tsr_pool *pool)
{
    struct tsr__wakes wakes = {0};
    tsr__lock(&pool->lock);
    if (wants_thread(pool))
        claim_any(pool, &wakes);
    tsr__unlock(&pool->lock);
    wake(pool, &wakes);
}

void tsr_pool_flush(struct tsr_pool *pool)
{
    tsr__pool_nudge(pool);
}

void tsr__pool_sleep(struct tsr_pool *pool, bool helps, struct tsr_task *task, struct tsr__parker *parker)
{
    struct tsr__wakes wakes = {0};
    tsr__lock(&pool->lock);
    if (helps && tsr__pool_has_work(pool)) {
        tsr__unlock(&pool->lock);
        return;
    }
    if (wants_thread(pool))
        claim_any(pool, &wakes);
    bool blocked = atomic_load_explicit(&task->blockers, memory_order_relaxed) > 0;
    pool->blocked_waiters += blocked;
    tsr_list_init(&parker->link);
    if (helps)
        tsr_list_push(&pool->sleepers, &parker->link);
    tsr__unlock(&pool->lock);
    wake(pool, &wakes);
    tsr__trace_flush();
    tsr__park(parker);
    tsr__lock(&pool->lock);
    assert(pool->blocked_waiters >= blocked);
    pool->blocked_waiters -= blocked;
    tsr_list_remove(&parker->link);
    tsr__unlock(&pool->lock);
    atomic_fetch_and_explicit(&parker->signals, ~(uint32_t)TSR__WORK, memory_order_relaxed);
}

/* ---- workers and helpers ---- */

/* Spins until the gang has a task to join (returned), this thread answers a call to the ready list (*called), or the time is up. */
static struct tsr_task *look_out(struct tsr_pool *pool, struct tsr__seat *seat, uint64_t ns, bool *called)
{
    struct tsr__spin spin = {0}, spare = {0}, defer = {0};
    while (!(*called = tsr__gang_answer(pool)) && !shadowed(seat)) {
        bool room = tsr__gang_has_room(pool);
        unsigned surplus = tsr__gang_surplus(pool, seat->worker.index);
        if (!room) {
            defer = (struct tsr__spin){0};
        } else if (surplus && tsr__spin(&defer, TSR__DEFER_NS)) {
            if (surplus <= TSR__SPARES) /* tasks follow each other, and the next one may be worth another thread */
                spin = (struct tsr__spin){0};
        } else {
            struct tsr_task *task = join_gang(pool, seat, true);
            if (task)
                return task;
        }
        if (surplus <= TSR__SPARES)
            spare = (struct tsr__spin){0};
        else if (!tsr__spin(&spare, TSR__SPARE_NS))
            break;
        if (surplus)
            tsr__relax(TSR__SPARE_PAUSES);
        if (!tsr__spin(&spin, ns))
            break;
    }
    return NULL;
}

/* Searches for work a little longer, then marks the seat as idle. NULL: idle; a signal will come. */
static struct tsr_task *search(struct tsr_pool *pool, struct tsr__seat *seat, uint64_t ns)
{
    if (!seat->spins)
        tsr__gang_spin(pool, true);
    set_spins(seat, true);
    atomic_thread_fence(memory_order_seq_cst); /* as in tsr__gang_call: a task that became ready while no thread spun called none */
    struct tsr_task *task = NULL;
    bool called = false;
    if (!atomic_load_explicit(&pool->ready_count, memory_order_relaxed) && (task = look_out(pool, seat, ns, &called))) {
        set_spins(seat, false);
        return task;
    }
    struct tsr__wakes wakes = {0};
    unsigned missing;
    tsr__lock(&pool->lock);
    if (!called)
        tsr__gang_spin(pool, false);
    set_spins(seat, false);
    task = first_ready(pool);
    if (task)
        join(pool, seat, task, &wakes);
    else if ((shadowed(seat) && !tsr__gang_waits(pool)) || !(task = enter_gang(pool, false, &missing)))
        set_idle(pool, seat->worker.index, true);
    else
        claim_some(pool, missing, &wakes);
    tsr__unlock(&pool->lock);
    wake(pool, &wakes);
    return task;
}

static void worker_main(void *argument)
{
    struct tsr__seat *seat = argument;
    struct tsr_pool *pool = seat->worker.pool;
    uint64_t patience = TSR__LINGER_NS;
    for (;;) {
        struct tsr_task *task = seat->spins ? NULL : tsr__pool_pick(pool, seat, NULL);
        if (!task)
            task = search(pool, seat, patience);
        if (task) {
            patience = task->want > 1 ? TSR__LINGER_NS : TSR__SPIN_NS; /* the next shared one often comes soon */
            if (!pool->run(task, seat, NULL))
                return;
        } else {
            tsr__trace_flush();
            tsr__park(&seat->parker);
            atomic_store_explicit(&seat->parker.signals, 0,
                                  memory_order_relaxed); /* no thread signals this one before the seat is idle again */
            patience = TSR__LINGER_NS;                   /* the task for which this thread was woken may have ended */
        }
    }
}

struct tsr__seat *tsr__helper_sit(struct tsr_pool *pool)
{
    uint32_t taken = atomic_load_explicit(&pool->helpers, memory_order_relaxed);
    while (taken != UINT32_MAX) {
        unsigned i = (unsigned)__builtin_ctz(~taken);
        TSR__POINT();
        if (atomic_compare_exchange_weak_explicit(&pool->helpers, &taken, taken | UINT32_C(1) << i, memory_order_acquire,
                                                  memory_order_relaxed))
            return &pool->seats[pool->width + i];
    }
    return NULL;
}

void tsr__helper_rise(struct tsr__seat *seat)
{
    struct tsr_pool *pool = seat->worker.pool;
    assert(seat->worker.index >= pool->width && seat->worker.index < pool->width + TSR__HELPERS);
    tsr__helper_lifts(seat);
    uint32_t place = UINT32_C(1) << (seat->worker.index - pool->width);
    uint32_t taken = atomic_fetch_and_explicit(&pool->helpers, ~place, memory_order_release);
    assert(taken & place);
    (void)taken;
}

unsigned tsr__seat_part(const struct tsr__seat *seat, unsigned parts)
{
    unsigned home = seat_home(seat);
    if (home < parts)
        return home;
    /* The workers with the lowest numbers have the first parts: the last one is left for a waiting thread on another CPU. */
    return seat->worker.index < seat->worker.pool->width ? home % parts : parts - 1;
}

/* ---- making ---- */

void tsr__pool_reset(struct tsr_pool *pool)
{
    atomic_store(&pool->lock.word, 0);
    tsr_list_init(&pool->ready);
    tsr_list_init(&pool->sleepers);
    atomic_store(&pool->ready_count, 0);
    atomic_store(&pool->pending, 0);
    atomic_store(&pool->helpers, 0);
    pool->backlog = 0;
    pool->blocked_waiters = 0;
    atomic_store(&pool->gang.state, 0);
    atomic_store(&pool->gang.task, NULL);
    atomic_store(&pool->idle_count, 0);
    pool->free_ranges = NULL; /* a fork may have come in the middle of a change: these few are lost */
    memset(pool->started, 0, sizeof pool->started);
    memset(pool->idle, 0, sizeof pool->idle);
    atomic_store(&pool->owner, NULL);
    for (unsigned i = 0; i < pool->width; i++) {
        if (!pool->is_lent)
            set_idle(pool, i, true);
        set_spins(&pool->seats[i], false);
        atomic_store(&pool->seats[i].parker.signals, 0);
        atomic_store(&pool->seats[i].shadows, 0);
    }
    for (unsigned i = 0; i < TSR__HELPERS; i++)
        pool->seats[pool->width + i].shadow = NULL;
}

unsigned tsr_pool_width(const struct tsr_pool *pool)
{
    return pool->width;
}
