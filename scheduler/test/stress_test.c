/* SPDX-License-Identifier: Apache-2.0
 * Random graphs of random tasks from several threads: each unit once, each end once, in order, with the right status. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scheduler/internal.h"

enum { THREADS = 3, NODES = 150, DEPENDENCIES = 4, MAX_UNITS = 300, SECONDS = 3 };

struct node {
    struct tsr_task task;
    unsigned dependency_count;
    struct {
        struct node *node;
        bool propagate;
    } dependencies[DEPENDENCIES];
    int fails; /* what run returns or what the finisher says */
    bool fails_in_run;
    struct node *next_external;
    _Atomic unsigned dones, releases;
    _Atomic bool wrong;
    _Atomic unsigned char seen[MAX_UNITS];
};

/* Nodes that another thread finishes. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *externals;
static _Atomic bool stop, users_gone; /* the last graphs still need the finisher */
static _Atomic unsigned wrong, graphs;

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void spend(uint64_t ns)
{
    for (uint64_t end = tsr_now_ns() + ns; tsr_now_ns() < end;)
        ;
}

static void check(struct node *n, bool right)
{
    if (!right)
        n->wrong = true;
}

static int run(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    struct node *n = TSR_CONTAINER_OF(task, struct node, task);
    check(n, begin < end && end <= task->units && worker->index < tsr_pool_width(worker->pool) + TSR__HELPERS);
    for (unsigned i = 0; i < n->dependency_count; i++)
        check(n, n->dependencies[i].node->dones == 1);
    for (uint64_t i = begin; i < end; i++)
        check(n, n->seen[i]++ == 0);
    if (task->unit_cost)
        spend((end - begin) * task->unit_cost / 4);
    if (task->external && !n->fails_in_run) {
        pthread_mutex_lock(&lock);
        n->next_external = externals;
        externals = n;
        pthread_mutex_unlock(&lock);
        return 0;
    }
    return n->fails;
}

static void done(struct tsr_task *task, int status)
{
    struct node *n = TSR_CONTAINER_OF(task, struct node, task);
    check(n, status == task->status && task->phase != TSR_TASK_DONE);
    n->dones++;
}

static void released(struct tsr_task *task)
{
    struct node *n = TSR_CONTAINER_OF(task, struct node, task);
    check(n, n->dones == 1 && task->phase == TSR_TASK_DONE);
    n->releases++;
}

static void *finisher(void *unused)
{
    while (!users_gone) {
        pthread_mutex_lock(&lock);
        struct node *n = externals;
        if (n)
            externals = n->next_external;
        pthread_mutex_unlock(&lock);
        if (n)
            tsr_task_finish(&n->task, n->fails);
        else
            usleep(20);
    }
    return unused;
}

static void make(struct node *nodes, unsigned i, struct tsr_pool *pool, uint64_t *seed)
{
    static const uint64_t costs[] = {0, 10, 1000, 20000};
    struct node *n = &nodes[i];
    memset(n, 0, sizeof *n);
    n->task.run = run;
    n->task.done = done;
    n->task.released = released;
    n->task.timed = next_random(seed) % 2;
    n->task.unit_cost = costs[next_random(seed) % 4];
    switch (next_random(seed) % 8) {
    case 0:
        n->task.units = 0; /* a marker */
        break;
    case 1:
        n->task.external = true;
        n->task.units = 1 + next_random(seed) % 3;
        break;
    case 2:
        n->task.units = 2 + next_random(seed) % (MAX_UNITS - 2);
        break;
    default:
        n->task.units = 1;
    }
    if (n->task.unit_cost * n->task.units > 300000)
        n->task.unit_cost = 300000 / n->task.units;
    if (n->task.units && next_random(seed) % 12 == 0) {
        n->fails = -100 - (int)i;
        n->fails_in_run = next_random(seed) % 2;
    }
    tsr_task_init(&n->task, pool);
    for (unsigned d = next_random(seed) % (DEPENDENCIES + 1); d && i; d--) {
        struct node *before = &nodes[next_random(seed) % 3 ? i - 1 : next_random(seed) % i];
        bool propagate = next_random(seed) % 2;
        if (tsr_task_after(&n->task, &before->task, propagate))
            abort();
        n->dependencies[n->dependency_count].node = before;
        n->dependencies[n->dependency_count++].propagate = propagate;
    }
}

static bool judge(const struct node *n)
{
    int expected = n->fails;
    for (unsigned i = 0; i < n->dependency_count; i++)
        if (n->dependencies[i].propagate && n->dependencies[i].node->task.status < 0)
            expected = TSR_TASK_BLOCKED_BY_FAILURE;
    bool right = !n->wrong && n->dones == 1 && n->task.status == expected && n->task.phase == TSR_TASK_DONE;
    for (uint64_t u = 0; u < n->task.units; u++) {
        if (expected == 0)
            right = right && n->seen[u] == 1;
        if (expected == TSR_TASK_BLOCKED_BY_FAILURE)
            right = right && n->seen[u] == 0;
    }
    if (n->task.timed)
        right = right && n->task.submit_ns <= n->task.start_ns && n->task.start_ns <= n->task.end_ns;
    return right;
}

/* Eight workers, however few CPUs there are: those without one of their own run anywhere. */
static struct tsr_pool *wide_pool(void)
{
    cpu_set_t cpus = *tsr_cpus_allowed();
    for (unsigned i = CPU_SETSIZE; i-- > 0 && CPU_COUNT(&cpus) < 8;)
        CPU_SET(i, &cpus);
    return tsr_pool_get(&cpus);
}

static void *user(void *seed_pointer)
{
    uint64_t *seed = seed_pointer;
    struct tsr_pool *pool = next_random(seed) % 2 ? tsr_pool_get(tsr_cpus_allowed()) : wide_pool();
    struct node *nodes = calloc(NODES, sizeof *nodes);
    while (!stop) {
        for (unsigned i = 0; i < NODES; i++) {
            make(nodes, i, pool, seed);
            tsr_task_submit(&nodes[i].task);
            if (next_random(seed) % 16 == 0)
                tsr_pool_flush(pool);
            if (next_random(seed) % 16 == 0 && tsr_task_wait(&nodes[next_random(seed) % (i + 1)].task, NULL))
                wrong++;
        }
        for (unsigned i = NODES; i-- > 0;)
            if (tsr_task_wait(&nodes[i].task, NULL))
                wrong++;
        for (unsigned i = 0; i < NODES; i++) {
            while (!nodes[i].releases)
                usleep(1);
            if (!judge(&nodes[i])) {
                const struct node *n = &nodes[i];
                print_error("task %u: status %d (run says %d), ended %u times, %s, %llu units of %llu ns%s, %u dependencies\n", i,
                            n->task.status, n->fails, n->dones, n->wrong ? "wrong" : "right", (unsigned long long)n->task.units,
                            (unsigned long long)n->task.unit_cost, n->task.external ? ", external" : "", n->dependency_count);
                for (uint64_t u = 0; u < n->task.units; u++)
                    if (n->seen[u] != 1)
                        print_error("unit %llu seen %u times\n", (unsigned long long)u, n->seen[u]);
                wrong++;
            }
        }
        graphs++;
    }
    free(nodes);
    return NULL;
}

static void random_graphs(void **state)
{
    (void)state;
    const char *from = getenv("STRESS_SEED");
    uint64_t seeds[THREADS], seed = from ? strtoull(from, NULL, 0) : tsr_now_ns();
    print_message("STRESS_SEED=%llu\n", (unsigned long long)seed);
    pthread_t users[THREADS], ender;
    assert_int_equal(pthread_create(&ender, NULL, finisher, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = seed + i;
        assert_int_equal(pthread_create(&users[i], NULL, user, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < SECONDS * 10 && !wrong; i++)
        usleep(100000);
    stop = true;
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(users[i], NULL);
    users_gone = true;
    pthread_join(ender, NULL);
    assert_int_equal(wrong, 0);
    assert_true(graphs > 0);
    print_message("%u graphs\n", graphs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
