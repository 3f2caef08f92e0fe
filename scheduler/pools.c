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

struct tsr_pool *tsr_pool_get(const cpu_set_t *cpus)
{
    struct tsr_pool *head = atomic_load_explicit(&pools, memory_order_acquire), *pool = find(head, cpus);
    unsigned width = tsr_cpu_count(cpus);
    if (pool || !width)
        return pool;
    tsr__watch_fork();
    unsigned seats = width + TSR__HELPERS;
    pool = tsr_aligned(_Alignof(struct tsr_pool), sizeof *pool + seats * sizeof pool->seats[0]);
    if (!pool)
        return NULL;
    memset(pool, 0, sizeof *pool + seats * sizeof pool->seats[0]);
    pool->cpus = *cpus;
    pool->width = width;
    pool->run = tsr__task_run;
    for (unsigned i = 0; i < seats; i++)
        pool->seats[i].worker = (struct tsr_worker){.index = i, .pool = pool};
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
