/* SPDX-License-Identifier: Apache-2.0
 * The pools of the process, one for each set of CPUs, and how a forked child resets them. */
#include <pthread.h>
#include <string.h>

#include "scheduler/internal.h"

static _Atomic(struct tsr_pool *) pools;

static void in_child(void)
{
    atomic_fetch_add(&tsr__generation, 1);
    for (struct tsr_pool *pool = atomic_load(&pools); pool; pool = pool->next)
        tsr__pool_reset(pool);
    tsr__trace_reset();
}

static void register_fork_handler(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

void tsr__watch_fork(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork_handler);
}

static struct tsr_pool *find(struct tsr_pool *from, const cpu_set_t *cpus)
{
    while (from && !CPU_EQUAL(&from->cpus, cpus))
        from = from->next;
    return from;
}

/* A pool that no other thread knows yet. NULL: out of memory. */
static struct tsr_pool *make(unsigned width)
{
    unsigned seats = width + TSR__HELPERS;
    struct tsr_pool *pool = tsr_aligned(_Alignof(struct tsr_pool), sizeof *pool + seats * sizeof pool->seats[0]);
    if (!pool)
        return NULL;
    tsr__watch_fork();
    memset(pool, 0, sizeof *pool + seats * sizeof pool->seats[0]);
    pool->width = width;
    pool->run = tsr__task_run;
    for (unsigned i = 0; i < seats; i++)
        pool->seats[i].worker = (struct tsr_worker){.index = i, .pool = pool};
    return pool;
}

struct tsr_pool *tsr_pool_get(const cpu_set_t *cpus)
{
    unsigned width = tsr_cpu_count(cpus);
    if (!width)
        return NULL;
    struct tsr_pool *head = atomic_load_explicit(&pools, memory_order_acquire), *pool = find(head, cpus);
    if (pool || !(pool = make(width)))
        return pool;
    pool->cpus = *cpus;
    for (unsigned cpu = 0, i = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, cpus)) {
            pool->seat_of_cpu[cpu] = (uint16_t)i;
            pool->seats[i++].cpu = (int)cpu;
        }
    tsr__pool_reset(pool);
    do {
        struct tsr_pool *same = find(head, cpus);
        if (same) { /* another thread was first */
            tsr_free(pool);
            return same;
        }
        pool->next = head;
    } while (!atomic_compare_exchange_weak(&pools, &head, pool));
    return pool;
}

/* ---- pools without workers ---- */

struct tsr_pool *tsr_pool_borrow(void)
{
    struct tsr_pool *head = atomic_load_explicit(&pools, memory_order_acquire), *pool;
    for (pool = head; pool; pool = pool->next) {
        struct tsr__self *nobody = NULL;
        if (pool->is_lent && atomic_compare_exchange_strong(&pool->owner, &nobody, tsr__self()))
            return pool;
    }
    if (!(pool = make(1)))
        return NULL;
    pool->is_lent = true;
    tsr__pool_reset(pool);
    atomic_store(&pool->owner, tsr__self());
    do
        pool->next = head;
    while (!atomic_compare_exchange_weak(&pools, &head, pool));
    return pool;
}

void tsr_pool_return(struct tsr_pool *pool)
{
    assert(pool->is_lent && atomic_load(&pool->owner) == tsr__self());
    atomic_store(&pool->owner, NULL);
}

bool tsr__pool_admits(const struct tsr_pool *pool)
{
    return !pool->is_lent || atomic_load_explicit(&pool->owner, memory_order_relaxed) == tsr__self();
}
