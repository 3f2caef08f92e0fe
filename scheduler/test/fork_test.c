/* SPDX-License-Identifier: Apache-2.0
 * Fork: the child has its own workers, never hangs for the parent's tasks, and never runs them; the parent notices nothing. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tessera/scheduler.h"

/* ThreadSanitizer ends a child that makes threads, unless told otherwise. */
const char *__tsan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

static struct tsr_pool *pool;
static _Atomic unsigned runs, inside;

static int count(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker;
    inside++;
    runs += (unsigned)(end - begin);
    usleep(200);
    inside--;
    return 0;
}

static void make(struct tsr_task *task, uint64_t units, uint64_t cost)
{
    *task = (struct tsr_task){.run = count, .units = units, .unit_cost = cost};
    tsr_task_init(task, pool);
}

/* Work of all kinds; 0 if all of it was done. */
static int work(void)
{
    runs = 0;
    struct tsr_task small, large, after, alone;
    make(&small, 1, 100);
    make(&large, 20, 1000000);
    make(&after, 1, 100);
    make(&alone, 1, 100);
    if (tsr_task_after(&after, &large, true))
        return 10;
    tsr_task_submit(&small);
    tsr_task_submit(&large);
    tsr_task_submit(&after);
    int status = 1;
    if (tsr_task_wait(&after, &status) || status)
        return 11;
    if (tsr_task_wait(&small, &status) || status)
        return 12;
    tsr_task_submit(&alone);
    tsr_pool_flush(pool);
    for (unsigned i = 0; alone.phase != TSR_TASK_DONE && i < 20000; i++)
        usleep(100);
    if (alone.phase != TSR_TASK_DONE || tsr_task_wait(&alone, NULL))
        return 13;
    return runs == 23 ? 0 : 14;
}

static int finish_child(pid_t pid)
{
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status)); /* not killed by the alarm */
    return WEXITSTATUS(status);
}

static int child_of(int (*body)(void))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        alarm(20);
        _exit(body());
    }
    return finish_child(pid);
}

static void before_and_after_work(void **state)
{
    (void)state;
    assert_int_equal(child_of(work), 0); /* nothing has run yet */
    assert_int_equal(work(), 0);
    assert_int_equal(child_of(work), 0);
    assert_int_equal(work(), 0);
}

static struct tsr_task running, ready, blocked, gate, user;
static atomic_bool may_end;

/* Keeps the worker until the children are there, however long the forks take. */
static int hold(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker, (void)begin, (void)end;
    inside++;
    while (!may_end)
        usleep(100);
    inside--;
    return 0;
}

static int look_at_parents_tasks(void)
{
    runs = 0;
    if (tsr_task_wait(&running, NULL) != TSR_DIED || tsr_task_wait(&ready, NULL) != TSR_DIED || tsr_task_wait(&blocked, NULL) != TSR_DIED ||
        tsr_task_wait(&user, NULL) != TSR_DIED)
        return 1;
    struct tsr_task strict, lax;
    make(&strict, 1, 100);
    make(&lax, 1, 100);
    if (tsr_task_after(&strict, &blocked, true) || tsr_task_after(&lax, &blocked, false))
        return 2;
    tsr_task_submit(&strict);
    tsr_task_submit(&lax);
    int status = 1;
    if (tsr_task_wait(&strict, &status) || status != TSR_TASK_BLOCKED_BY_FAILURE)
        return 3;
    if (tsr_task_wait(&lax, &status) || status)
        return 4;
    tsr_task_finish(&user, 0); /* what the child itself ends has ended, and sets nothing of the parent's going */
    if (tsr_task_wait(&user, &status) || status || runs != 1)
        return 5;
    return work();
}

static void in_the_middle(void **state)
{
    (void)state;
    user = gate = (struct tsr_task){.external = true};
    tsr_task_init(&user, NULL);
    tsr_task_init(&gate, NULL);
    tsr_task_submit(&user);
    tsr_task_submit(&gate);
    make(&running, 2000, 200000);
    running.run = hold;
    make(&ready, 1, 100);
    make(&blocked, 1, 100);
    tsr_task_after(&blocked, &gate, true);
    tsr_task_after(&blocked, &user, true);
    tsr_task_submit(&running);
    tsr_pool_flush(pool);
    while (inside < tsr_pool_width(pool)) /* so that no worker is left for `ready` */
        usleep(10);
    tsr_task_submit(&ready);
    tsr_task_submit(&blocked);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(child_of(look_at_parents_tasks), 0);
    may_end = true;
    tsr_task_finish(&gate, 0);
    tsr_task_finish(&user, 0);
    int status = 1;
    assert_int_equal(tsr_task_wait(&running, &status), TSR_OK);
    assert_int_equal(status, 0);
    assert_int_equal(tsr_task_wait(&blocked, NULL), TSR_OK);
    assert_int_equal(tsr_task_wait(&ready, NULL), TSR_OK);
    assert_int_equal(work(), 0);
}

/* From inside a unit, on a waiting thread: the child comes back into tsr_task_wait. */
static pid_t child;
static int fork_here(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)task, (void)worker, (void)begin, (void)end;
    child = fork();
    return 0;
}

static void from_inside(void **state)
{
    (void)state;
    struct tsr_task task = {.run = fork_here, .units = 1, .unit_cost = 100}, after;
    tsr_task_init(&task, pool);
    make(&after, 1, 100);
    tsr_task_after(&after, &task, true);
    tsr_task_submit(&task);
    tsr_task_submit(&after);
    runs = 0;
    enum tsr_status answer = tsr_task_wait(&after, NULL);
    if (!child) {
        alarm(20);
        _exit(answer != TSR_DIED ? 1 : runs ? 2 : work());
    }
    assert_int_equal(answer, TSR_OK);
    assert_int_equal(finish_child(child), 0);
}

/* Forks at any moment of other threads' work. */
static _Atomic bool stop;
static void *busy(void *unused)
{
    while (!stop) {
        struct tsr_task a, b;
        make(&a, 1, 100);
        make(&b, 8, 20000);
        a.run = b.run = count;
        tsr_task_after(&b, &a, true);
        tsr_task_submit(&a);
        tsr_task_submit(&b);
        tsr_task_wait(&b, NULL);
        tsr_task_wait(&a, NULL);
    }
    return unused;
}

static void at_any_moment(void **state)
{
    (void)state;
    pthread_t thread[2];
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, busy, NULL), 0);
    for (unsigned i = 0; i < 40; i++) {
        usleep(i * 37 % 300);
        assert_int_equal(child_of(work), 0);
    }
    stop = true;
    for (unsigned i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(work(), 0);
}

int main(void)
{
    pool = tsr_pool_get(tsr_cpus_allowed());
    if (!pool)
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(before_and_after_work), cmocka_unit_test(in_the_middle),
                                       cmocka_unit_test(from_inside), cmocka_unit_test(at_any_moment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
