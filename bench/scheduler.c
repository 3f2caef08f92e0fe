/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler costs: a submission, a small task in a chain, a wake-up, a shared range. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tessera/scheduler.h"

enum { COUNT = 20000, ROUNDS = 7 };

static struct tsr_pool *pool;
static _Atomic uint64_t began;

static int nothing(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker, (void)begin, (void)end;
    return 0;
}

static int note_begin(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker, (void)begin, (void)end;
    atomic_store(&began, tsr_now_ns());
    return 0;
}

/* About 1 us a unit. */
static int work(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker;
    for (uint64_t i = begin; i < end; i++)
        for (volatile unsigned k = 0; k < 400; k++)
            ;
    return 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *what, double *ns, const char *unit)
{
    qsort(ns, ROUNDS, sizeof ns[0], by_value);
    printf("%-44s %10.1f %s (best %.1f)\n", what, ns[ROUNDS / 2], unit, ns[0]);
}

static void init(struct tsr_task *task, int (*run)(struct tsr_task *, struct tsr_worker *, uint64_t, uint64_t), uint64_t units,
                 uint64_t cost)
{
    *task = (struct tsr_task){.run = run, .units = units, .unit_cost = cost};
    tsr_task_init(task, pool);
}

int main(void)
{
    pool = tsr_pool_get(tsr_cpus_allowed());
    struct tsr_task *tasks = calloc(COUNT, sizeof *tasks);
    if (!pool || !tasks)
        return 1;
    double submit[ROUNDS], chain[ROUNDS], chain_submit[ROUNDS], single[ROUNDS], wake[ROUNDS], alone[ROUNDS], shared[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < 200; i++)
            init(&tasks[i], nothing, 1, 50);
        uint64_t start = tsr_now_ns();
        for (int i = 0; i < 200; i++)
            tsr_task_submit(&tasks[i]);
        submit[r] = (double)(tsr_now_ns() - start) / 200;
        for (int i = 0; i < 200; i++)
            tsr_task_wait(&tasks[i], NULL);

        for (int i = 0; i < COUNT; i++)
            init(&tasks[i], nothing, 1, 50);
        struct tsr_task gate = {.external = true};
        tsr_task_init(&gate, NULL);
        tsr_task_submit(&gate);
        start = tsr_now_ns();
        for (int i = 0; i < COUNT; i++) {
            tsr_task_after(&tasks[i], i ? &tasks[i - 1] : &gate, true);
            tsr_task_submit(&tasks[i]);
        }
        uint64_t middle = tsr_now_ns();
        chain_submit[r] = (double)(middle - start) / COUNT;
        tsr_task_finish(&gate, 0);
        tsr_task_wait(&tasks[COUNT - 1], NULL);
        chain[r] = (double)(tsr_now_ns() - middle) / COUNT;

        start = tsr_now_ns();
        for (int i = 0; i < COUNT; i++) {
            init(&tasks[i], nothing, 1, 50);
            tsr_task_submit(&tasks[i]);
            tsr_task_wait(&tasks[i], NULL);
        }
        single[r] = (double)(tsr_now_ns() - start) / COUNT;

        usleep(5000); /* workers sleep */
        init(&tasks[0], note_begin, 1, 50);
        tsr_task_submit(&tasks[0]);
        start = tsr_now_ns();
        tsr_pool_flush(pool);
        while (tasks[0].phase != TSR_TASK_DONE)
            ;
        tsr_task_wait(&tasks[0], NULL);
        wake[r] = (double)(atomic_load(&began) - start) / 1000;

        start = tsr_now_ns();
        work(NULL, NULL, 0, 4000);
        alone[r] = (double)(tsr_now_ns() - start) / 1000;
        init(&tasks[0], work, 4000, 1000);
        start = tsr_now_ns();
        tsr_task_submit(&tasks[0]);
        tsr_task_wait(&tasks[0], NULL);
        shared[r] = (double)(tsr_now_ns() - start) / 1000;
    }
    printf("%u workers, %zu bytes a task\n", tsr_pool_width(pool), sizeof(struct tsr_task));
    print("submit a ready small task", submit, "ns");
    print("order after one task and submit", chain_submit, "ns");
    print("run and complete a small task in a chain", chain, "ns");
    print("init, submit, wait for a small task", single, "ns");
    print("flush until a sleeping worker runs the task", wake, "us");
    print("4000 units in one thread", alone, "us");
    print("the same as one task", shared, "us");
    free(tasks);
    return 0;
}
