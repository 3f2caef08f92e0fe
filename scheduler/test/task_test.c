/* SPDX-License-Identifier: Apache-2.0
 * Tasks: order, failure, ranges, waiting, finishing from elsewhere, long chains. */
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

static struct tsr_pool *pool;

/* A task with what the tests look at. */
struct probe {
    struct tsr_task task;
    _Atomic unsigned runs, dones, releases;
    _Atomic uint64_t units_run;
    unsigned order; /* when it ended */
    int answer;     /* what run returns */
    useconds_t sleep;
    _Atomic unsigned char *seen; /* per unit, how often it was run */
};
static _Atomic unsigned clock_now;

static int probe_run(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    struct probe *p = TSR_CONTAINER_OF(task, struct probe, task);
    assert_ptr_equal(worker->pool, pool);
    assert_true(worker->index < tsr_pool_width(pool) + TSR__HELPERS);
    assert_true(begin < end && end <= task->units);
    assert_int_equal(task->phase, TSR_TASK_RUNNING);
    p->runs++;
    p->units_run += end - begin;
    for (uint64_t i = begin; p->seen && i < end; i++)
        p->seen[i]++;
    if (p->sleep)
        usleep(p->sleep);
    return p->answer;
}

static void probe_done(struct tsr_task *task, int status)
{
    struct probe *p = TSR_CONTAINER_OF(task, struct probe, task);
    assert_int_equal(task->status, status);
    p->order = ++clock_now;
    p->dones++;
}

static void probe_released(struct tsr_task *task)
{
    struct probe *p = TSR_CONTAINER_OF(task, struct probe, task);
    assert_int_equal(task->phase, TSR_TASK_DONE);
    assert_int_equal(p->dones, 1);
    p->releases++;
}

static void init(struct probe *p, uint64_t units, uint64_t cost)
{
    memset(p, 0, sizeof *p);
    p->task.run = probe_run;
    p->task.done = probe_done;
    p->task.released = probe_released;
    p->task.units = units;
    p->task.unit_cost = cost;
    tsr_task_init(&p->task, pool);
}

static int wait_for(struct probe *p)
{
    int status = 1;
    assert_int_equal(tsr_task_wait(&p->task, &status), TSR_OK);
    assert_int_equal(p->dones, 1);
    assert_int_equal(p->task.phase, TSR_TASK_DONE);
    while (!p->releases) /* last of all, maybe on another thread */
        usleep(10);
    return status;
}

static void one(void **state)
{
    (void)state;
    struct probe p;
    init(&p, 1, 100);
    p.task.timed = true;
    assert_int_equal(p.task.phase, TSR_TASK_NEW);
    tsr_task_submit(&p.task);
    assert_int_equal(p.runs, 0); /* lazily */
    assert_int_equal(wait_for(&p), 0);
    assert_int_equal(p.runs, 1);
    assert_true(p.task.submit_ns && p.task.submit_ns <= p.task.start_ns && p.task.start_ns <= p.task.end_ns);
    assert_int_equal(wait_for(&p), 0); /* again */
}

static void order(void **state)
{
    (void)state;
    static struct probe p[5];
    for (unsigned i = 0; i < 5; i++)
        init(&p[i], 1, 100);
    /* 4 and 3 before 1; 1 before 0; 2 after all four (more edges than fit inside the task). */
    assert_int_equal(tsr_task_after(&p[1].task, &p[4].task, true), TSR_OK);
    assert_int_equal(tsr_task_after(&p[1].task, &p[3].task, false), TSR_OK);
    assert_int_equal(tsr_task_after(&p[0].task, &p[1].task, true), TSR_OK);
    for (unsigned i = 0; i < 5; i++)
        if (i != 2)
            assert_int_equal(tsr_task_after(&p[2].task, &p[i].task, true), TSR_OK);
    for (unsigned i = 0; i < 5; i++)
        tsr_task_submit(&p[i].task);
    assert_int_equal(wait_for(&p[2]), 0);
    assert_true(p[4].order < p[1].order && p[3].order < p[1].order && p[1].order < p[0].order && p[0].order < p[2].order);
}

static void failure(void **state)
{
    (void)state;
    static struct probe p[6];
    for (unsigned i = 0; i < 6; i++)
        init(&p[i], 1, 100);
    p[0].answer = -42;
    tsr_task_after(&p[1].task, &p[0].task, true);  /* fails with it */
    tsr_task_after(&p[2].task, &p[0].task, false); /* runs */
    tsr_task_after(&p[3].task, &p[1].task, true);  /* fails at second hand */
    for (unsigned i = 0; i < 4; i++)
        tsr_task_submit(&p[i].task);
    assert_int_equal(wait_for(&p[3]), TSR_TASK_BLOCKED_BY_FAILURE);
    assert_int_equal(wait_for(&p[2]), 0);
    assert_int_equal(wait_for(&p[1]), TSR_TASK_BLOCKED_BY_FAILURE);
    assert_int_equal(wait_for(&p[0]), -42);
    assert_int_equal(p[0].runs, 1);
    assert_int_equal(p[1].runs, 0);
    assert_int_equal(p[2].runs, 1);
    assert_int_equal(p[3].runs, 0);
    /* After the failure. */
    tsr_task_after(&p[4].task, &p[0].task, true);
    tsr_task_after(&p[5].task, &p[0].task, false);
    tsr_task_submit(&p[4].task);
    tsr_task_submit(&p[5].task);
    assert_int_equal(wait_for(&p[4]), TSR_TASK_BLOCKED_BY_FAILURE);
    assert_int_equal(wait_for(&p[5]), 0);
}

/* Every unit exactly once, whatever the estimate says. */
static void ranges(void **state)
{
    (void)state;
    static const uint64_t units[] = {1, 2, 3, 7, 64, 1000, 65537}, costs[] = {0, 1, 100, 20000, 5000000};
    static _Atomic unsigned char seen[65537];
    for (unsigned u = 0; u < TSR_ARRAY_LEN(units); u++)
        for (unsigned c = 0; c < TSR_ARRAY_LEN(costs); c++) {
            struct probe p;
            init(&p, units[u], costs[c]);
            memset((void *)seen, 0, sizeof seen);
            p.seen = seen;
            p.sleep = c == 0 && units[u] < 100 ? 50 : 0;
            tsr_task_submit(&p.task);
            if (u & 1)
                tsr_pool_flush(pool);
            assert_int_equal(wait_for(&p), 0);
            for (uint64_t i = 0; i < units[u]; i++)
                assert_int_equal(seen[i], 1);
        }
}

static void range_failure(void **state)
{
    (void)state;
    struct probe p;
    init(&p, 1000000, 20000);
    p.answer = -7;
    tsr_task_submit(&p.task);
    assert_int_equal(wait_for(&p), -7);
    assert_true(p.units_run < 1000000); /* the rest was dropped */
}

/* A task that must be shared: units wait for each other. */
static _Atomic unsigned inside;
static int meeting(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker, (void)begin, (void)end;
    inside++;
    for (unsigned i = 0; inside < 2 && i < 50000; i++)
        usleep(100);
    return inside < 2 ? -1 : 0;
}

static void sharing(void **state)
{
    (void)state;
    if (tsr_pool_width(pool) < 2)
        skip();
    struct tsr_task task = {.run = meeting, .units = 2, .unit_cost = 1000000};
    inside = 0;
    tsr_task_init(&task, pool);
    tsr_task_submit(&task);
    int status = 1;
    assert_int_equal(tsr_task_wait(&task, &status), TSR_OK);
    assert_int_equal(status, 0);
}

static void flush_alone(void **state)
{
    (void)state;
    static struct probe p[3];
    for (unsigned i = 0; i < 3; i++) {
        init(&p[i], 1, 0);
        if (i)
            tsr_task_after(&p[i].task, &p[i - 1].task, true);
        tsr_task_submit(&p[i].task);
    }
    tsr_pool_flush(pool);
    for (unsigned i = 0; !p[2].releases && i < 50000; i++)
        usleep(100);
    assert_int_equal(p[2].releases, 1); /* nobody waited */
}

static void many_without_flush(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    struct probe *p = calloc(COUNT, sizeof *p);
    for (unsigned i = 0; i < COUNT; i++) {
        init(&p[i], 1, 100);
        tsr_task_submit(&p[i].task);
    }
    for (unsigned i = 0; !p[255].releases && i < 50000; i++)
        usleep(100);
    assert_int_equal(p[255].releases, 1);
    for (unsigned i = 0; i < COUNT; i++)
        wait_for(&p[i]);
    free(p);
}

static void long_chain(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct probe *p = calloc(COUNT, sizeof *p);
    for (unsigned markers = 0; markers < 2; markers++) {
        for (unsigned i = 0; i < COUNT; i++) {
            init(&p[i], markers && i ? 0 : 1, 100);
            if (i)
                assert_int_equal(tsr_task_after(&p[i].task, &p[i - 1].task, true), TSR_OK);
        }
        for (unsigned i = COUNT; i-- > 0;)
            tsr_task_submit(&p[i].task);
        assert_int_equal(wait_for(&p[COUNT - 1]), 0);
        for (unsigned i = 1; i < COUNT; i++)
            assert_int_equal(p[i].order, p[i - 1].order + 1);
    }
    free(p);
}

/* External tasks. */
static void *finisher(void *argument)
{
    usleep(20000);
    tsr_task_finish(argument, 0);
    return NULL;
}

static void user_event(void **state)
{
    (void)state;
    for (int flush = 0; flush < 2; flush++) {
        struct probe user, after;
        init(&user, 0, 0);
        init(&after, 1, 100);
        user.task.external = true;
        tsr_task_init(&user.task, NULL);
        tsr_task_submit(&user.task);
        tsr_task_after(&after.task, &user.task, true);
        tsr_task_submit(&after.task);
        pthread_t thread;
        if (flush)
            tsr_pool_flush(pool);
        assert_int_equal(pthread_create(&thread, NULL, finisher, &user.task), 0);
        if (!flush)
            assert_int_equal(wait_for(&after), 0);
        pthread_join(thread, NULL);
        for (unsigned i = 0; !after.releases && i < 50000; i++)
            usleep(100);
        assert_int_equal(after.releases, 1);
        assert_int_equal(wait_for(&user), 0);
    }
}

static int start_external(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker;
    assert_int_equal(begin, 0);
    assert_int_equal(end, task->units);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, finisher, task), 0);
    pthread_detach(thread);
    return 0;
}

static int refuse_external(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker, (void)begin, (void)end;
    return -3;
}

static void external_device(void **state)
{
    (void)state;
    struct probe p;
    init(&p, 16, 100);
    p.task.run = start_external;
    p.task.external = true;
    tsr_task_submit(&p.task);
    assert_int_equal(wait_for(&p), 0);
    init(&p, 16, 100);
    p.task.run = refuse_external;
    p.task.external = true;
    tsr_task_submit(&p.task);
    assert_int_equal(wait_for(&p), -3);
}

/* Finishing in a callback ends a chain without deep recursion. */
enum { NESTED = 20000 };
static struct tsr_task *nested;
static void finish_next(struct tsr_task *task, int status)
{
    if (task + 1 < nested + NESTED)
        tsr_task_finish(task + 1, status);
}

static void nested_finish(void **state)
{
    (void)state;
    nested = calloc(NESTED, sizeof *nested);
    for (unsigned i = 0; i < NESTED; i++) {
        nested[i].external = true;
        nested[i].done = finish_next;
        tsr_task_init(&nested[i], NULL);
        tsr_task_submit(&nested[i]);
    }
    tsr_task_finish(&nested[0], -5);
    int status = 0;
    assert_int_equal(tsr_task_wait(&nested[NESTED - 1], &status), TSR_OK);
    assert_int_equal(status, -5);
    free(nested);
}

/* Waiting inside a callback. */
static enum tsr_status answers[3];
static struct tsr_task never;
static int wait_in_run(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker, (void)begin, (void)end;
    answers[0] = tsr_task_wait(&never, NULL);
    return 0;
}
static void wait_in_done(struct tsr_task *task, int status)
{
    (void)task, (void)status;
    answers[1] = tsr_task_wait(&never, NULL);
}
static void wait_in_released(struct tsr_task *task)
{
    answers[2] = tsr_task_wait(&never, NULL);
    free(task); /* nobody else may touch it now */
}

static void wait_in_callbacks(void **state)
{
    (void)state;
    never = (struct tsr_task){.external = true};
    tsr_task_init(&never, NULL);
    tsr_task_submit(&never);
    struct probe last;
    struct tsr_task *task = calloc(1, sizeof *task);
    *task = (struct tsr_task){.run = wait_in_run, .done = wait_in_done, .released = wait_in_released, .units = 1};
    tsr_task_init(task, pool);
    init(&last, 1, 100);
    tsr_task_after(&last.task, task, true);
    tsr_task_submit(&last.task);
    tsr_task_submit(task);
    wait_for(&last);
    struct probe p; /* drains the thread that may still be inside `released` */
    for (unsigned i = 0; i < 50000 && !answers[2]; i++)
        usleep(100);
    init(&p, 1, 100);
    tsr_task_submit(&p.task);
    wait_for(&p);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(answers[i], TSR_INVALID);
    tsr_task_finish(&never, 0);
}

static void no_memory_for_edges(void **state)
{
    (void)state;
    static struct probe p[4];
    for (unsigned i = 0; i < 4; i++)
        init(&p[i], 1, 100);
    tsr_fail_alloc(1);
    assert_int_equal(tsr_task_after(&p[3].task, &p[0].task, true), TSR_OK);
    assert_int_equal(tsr_task_after(&p[3].task, &p[1].task, true), TSR_OK);
    enum tsr_status third = tsr_task_after(&p[3].task, &p[2].task, true);
    for (unsigned i = 0; i < 4; i++)
        tsr_task_submit(&p[i].task);
    tsr_fail_alloc(0);
    assert_int_equal(third, TSR_NO_MEMORY);
    for (unsigned i = 0; i < 4; i++)
        wait_for(&p[i]);
}

static void no_memory_for_threads(void **state)
{
    (void)state;
    struct probe p;
    tsr_fail_alloc(1); /* the range's cursors and any worker not started yet */
    init(&p, 1000, 20000);
    tsr_task_submit(&p.task);
    tsr_pool_flush(pool);
    int status = wait_for(&p);
    tsr_fail_alloc(0);
    assert_int_equal(status, 0);
    assert_int_equal(p.units_run, 1000);
}

/* Scratch memory. */
static int use_scratch(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)end;
    unsigned char *p[TSR_SCRATCH_SLOTS];
    for (unsigned slot = 0; slot < TSR_SCRATCH_SLOTS; slot++) {
        size_t size = 100 + begin * 1000 % 100000 + slot;
        p[slot] = tsr_worker_scratch(worker, slot, size);
        if (!p[slot] || (uintptr_t)p[slot] % 128)
            return -1;
        memset(p[slot], (int)slot, size);
    }
    for (unsigned slot = 0; slot < TSR_SCRATCH_SLOTS; slot++)
        if (p[slot][0] != slot || p[slot] != tsr_worker_scratch(worker, slot, 10))
            return -2;
    return tsr_worker_scratch(worker, TSR_SCRATCH_SLOTS, 1) ? -3 : 0;
}

static int scratch_fails(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)begin, (void)end;
    tsr_fail_alloc(1);
    void *none = tsr_worker_scratch(worker, 0, 1 << 30);
    tsr_fail_alloc(0);
    return none ? -1 : tsr_worker_scratch(worker, 0, 10) ? 0 : -2;
}

static void scratch(void **state)
{
    (void)state;
    struct probe p;
    init(&p, 500, 20000);
    p.task.run = use_scratch;
    tsr_task_submit(&p.task);
    assert_int_equal(wait_for(&p), 0);
    init(&p, 1, 100);
    p.task.run = scratch_fails;
    tsr_task_submit(&p.task);
    assert_int_equal(wait_for(&p), 0);
}

/* Pools without workers: only the thread that has borrowed one runs its tasks. */
static pthread_t runner;

static int note_thread(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)begin, (void)end;
    runner = pthread_self();
    return tsr_pool_width(worker->pool) == 1 ? 0 : -1;
}

static void *wait_beside(void *task)
{
    int status = 1;
    return tsr_task_wait(task, &status) == TSR_OK && !status ? task : NULL;
}

static void lent_pool(void **state)
{
    (void)state;
    struct tsr_pool *first = tsr_pool_borrow(), *second = tsr_pool_borrow();
    assert_non_null(first);
    assert_true(second && second != first);
    struct probe p, after;
    init(&p, 1000, 20000);
    p.task.run = note_thread;
    tsr_task_move(&p.task, first);
    init(&after, 1, 100);
    tsr_task_after(&after.task, &p.task, true);
    tsr_task_submit(&after.task);
    tsr_task_submit(&p.task);
    tsr_pool_flush(first);
    pthread_t beside;
    void *said;
    assert_int_equal(pthread_create(&beside, NULL, wait_beside, &p.task), 0);
    usleep(5000); /* the other thread waits, and does not run it */
    assert_int_equal(atomic_load(&p.task.phase), TSR_TASK_SUBMITTED);
    assert_int_equal(wait_for(&p), 0);
    assert_true(pthread_equal(runner, pthread_self()));
    pthread_join(beside, &said);
    assert_ptr_equal(said, &p.task);
    assert_int_equal(wait_for(&after), 0); /* in the pool with workers */
    tsr_pool_return(first);
    assert_ptr_equal(tsr_pool_borrow(), first);
    tsr_pool_return(first);
    tsr_pool_return(second);
}

/* More waiting threads than there are seats for helpers. */
static void *waiter(void *argument)
{
    int status = 1;
    return tsr_task_wait(argument, &status) == TSR_OK && !status ? argument : NULL;
}

static void many_waiters(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    struct probe gate, p;
    pthread_t thread[COUNT];
    init(&gate, 0, 0);
    gate.task.external = true;
    tsr_task_submit(&gate.task);
    init(&p, 1, 100);
    tsr_task_after(&p.task, &gate.task, true);
    tsr_task_submit(&p.task);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, waiter, &p.task), 0);
    usleep(20000);
    tsr_task_finish(&gate.task, 0);
    for (unsigned i = 0; i < COUNT; i++) {
        void *same;
        pthread_join(thread[i], &same);
        assert_ptr_equal(same, &p.task);
    }
    wait_for(&p);
    wait_for(&gate);
}

/* A thread sleeps for a task whose dependency another thread submits later, without a flush. */
static void submitted_later(void **state)
{
    (void)state;
    struct probe first, second;
    init(&first, 1, 100);
    init(&second, 1, 100);
    tsr_task_after(&second.task, &first.task, true);
    tsr_task_submit(&second.task);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, waiter, &second.task), 0);
    usleep(20000);
    tsr_task_submit(&first.task);
    void *same;
    pthread_join(thread, &same);
    assert_ptr_equal(same, &second.task);
    wait_for(&second);
    wait_for(&first);
}

int main(void)
{
    pool = tsr_pool_get(tsr_cpus_allowed());
    if (!pool)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one),
        cmocka_unit_test(order),
        cmocka_unit_test(failure),
        cmocka_unit_test(no_memory_for_threads),
        cmocka_unit_test(ranges),
        cmocka_unit_test(range_failure),
        cmocka_unit_test(sharing),
        cmocka_unit_test(flush_alone),
        cmocka_unit_test(many_without_flush),
        cmocka_unit_test(long_chain),
        cmocka_unit_test(user_event),
        cmocka_unit_test(external_device),
        cmocka_unit_test(nested_finish),
        cmocka_unit_test(wait_in_callbacks),
        cmocka_unit_test(no_memory_for_edges),
        cmocka_unit_test(scratch),
        cmocka_unit_test(lent_pool),
        cmocka_unit_test(many_waiters),
        cmocka_unit_test(submitted_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
