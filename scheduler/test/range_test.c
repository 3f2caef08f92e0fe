/* SPDX-License-Identifier: Apache-2.0
 * Ranges, without threads: exact partition, the order of a worker's way through the parts, leaving early, failing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/internal.h"

static void split(void **state)
{
    (void)state;
    static const uint64_t units[] = {1, 2, 7, 64, 1000, 1000003, UINT64_MAX};
    struct tsr__range *range = tsr__range_new(64);
    assert_non_null(range);
    assert_int_equal((uintptr_t)&range->part[1] % 64, 0);
    for (unsigned u = 0; u < TSR_ARRAY_LEN(units); u++)
        for (unsigned parts = 1; parts <= 64; parts++) {
            tsr__range_split(range, parts, units[u]);
            uint64_t at = 0, least = units[u] / parts;
            for (unsigned i = 0; i < parts; i++) {
                assert_int_equal(range->part[i].next, at);
                assert_true(range->part[i].end - at - least <= 1);
                at = range->part[i].end;
            }
            assert_int_equal(at, units[u]);
        }
    tsr_free(range);
    tsr_fail_alloc(1);
    range = tsr__range_new(64);
    tsr_fail_alloc(0);
    assert_null(range);
}

static void take(void **state)
{
    (void)state;
    for (uint64_t end = 0; end < 300; end += 7)
        for (uint64_t most = 1; most < 400; most *= 3)
            for (unsigned share = 1; share <= 64; share *= 4) {
                _Atomic uint64_t next = 0;
                uint64_t at = 0, begin, stop, last = UINT64_MAX;
                const struct tsr__step step = {1 + most % 5, most};
                while (tsr__range_take(&next, end, step, share, &begin, &stop)) {
                    assert_int_equal(begin, at);
                    assert_in_range(stop - begin, 1,
                                    (most < last ? most : last) + step.least - 1);           /* not larger than before but for a rest … */
                    assert_true(at == 0 || step.least > most || stop - begin >= step.least); /* … too small for a step of its own */
                    assert_true(stop <= end);
                    last = stop - begin;
                    at = stop;
                }
                assert_int_equal(at, end);
            }
    _Atomic uint64_t next = UINT64_MAX - 10; /* no overflow at the top */
    uint64_t begin, stop, count = 0;
    while (tsr__range_take(&next, UINT64_MAX, (struct tsr__step){3, 4}, 2, &begin, &stop))
        count += stop - begin;
    assert_int_equal(count, 10);
}

/* A pool over made-up CPUs; none of its workers is ever started. */
enum { WIDTH = 4, UNITS = 400 };
static struct tsr_pool *pool;
static struct tsr_task task, other;
static uint64_t begins[UNITS + 1];
static unsigned calls, leave_after, fail_after;
static unsigned char seen[UNITS];

static int run(struct tsr_task *t, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)t, (void)worker;
    assert_true(begin < end);
    for (uint64_t i = begin; i < end; i++)
        seen[i]++;
    begins[calls++] = begin;
    if (calls == leave_after)
        tsr_task_finish(&other, 0);
    return calls == fail_after ? -9 : 0;
}

static void prepare(uint64_t cost)
{
    task = (struct tsr_task){.run = run, .units = UNITS, .unit_cost = cost};
    other = (struct tsr_task){.external = true};
    tsr_task_init(&task, pool);
    tsr_task_init(&other, NULL);
    tsr_task_submit(&other);
    tsr__task_weigh(&task);
    memset(seen, 0, sizeof seen);
    calls = leave_after = fail_after = 0;
}

static void share(void)
{
    assert_int_equal(task.want, WIDTH);
    task.range = tsr__range_new(WIDTH);
    tsr__range_split(task.range, task.want, UNITS);
}

/* Worker i begins with part i, each time, and then helps with the parts after it. Whoever comes first begins unit 0 before that. */
static void home_first(void **state)
{
    (void)state;
    for (unsigned worker = 0; worker < WIDTH; worker++) {
        prepare(10000);
        share();
        assert_true(tsr__range_run(&task, &pool->seats[worker], NULL));
        assert_int_equal(begins[0], 0);
        assert_true(!worker || begins[1] == worker * (UNITS / WIDTH));
        unsigned part = worker;
        for (unsigned i = 1; i < calls; i++) {
            unsigned now = (unsigned)(begins[i] / (UNITS / WIDTH));
            assert_true(now == part || now == (part + 1) % WIDTH);
            part = now;
        }
        for (unsigned i = 0; i < UNITS; i++)
            assert_int_equal(seen[i], 1);
        tsr_free(task.range);
    }
}

/* A task for fewer threads than there are: the last part is for a thread that waits on the CPU of a worker without a part. */
static void parts_of_few(void **state)
{
    (void)state;
    struct tsr__seat *helper = tsr__helper_sit(pool);
    for (unsigned i = 0; i < WIDTH; i++)
        assert_int_equal(tsr__seat_part(&pool->seats[i], 3), i % 3);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        pool->seat_of_cpu[cpu] = WIDTH - 1;
    assert_int_equal(tsr__seat_part(helper, WIDTH), WIDTH - 1);
    assert_int_equal(tsr__seat_part(helper, 2), 1);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        pool->seat_of_cpu[cpu] = 0;
    assert_int_equal(tsr__seat_part(helper, 2), 0);
    tsr__helper_rise(helper);
}

/* Workers with high numbers make room if more threads look for a task than it is worth. */
static void surplus(void **state)
{
    (void)state;
    prepare(10000);
    task.want = 2;
    assert_true(tsr__gang_open(pool, &task));
    tsr__gang_spin(pool, true);
    tsr__gang_spin(pool, true);
    assert_int_equal(tsr__gang_surplus(pool, WIDTH - 1), 0); /* two threads for two places */
    tsr__gang_spin(pool, true);
    tsr__gang_spin(pool, true);
    assert_int_equal(tsr__gang_surplus(pool, 0), 0);
    assert_int_equal(tsr__gang_surplus(pool, 1), 2);
    assert_int_equal(tsr__gang_surplus(pool, WIDTH - 1), 2);
    unsigned missing;
    assert_ptr_equal(tsr__gang_join(pool, true, &missing), &task); /* it counts as well when it runs the task */
    assert_int_equal(missing, 0);
    assert_int_equal(tsr__gang_surplus(pool, 1), 2);
    assert_true(tsr__gang_leave(pool, false, true));
    assert_int_equal(tsr__gang_surplus(pool, 1), 1);
    for (int i = 0; i < 3; i++)
        tsr__gang_spin(pool, false);
}

static void small_at_once(void **state)
{
    (void)state;
    prepare(10); /* 4 us in all */
    assert_int_equal(task.want, 1);
    assert_true(tsr__range_run(&task, &pool->seats[0], NULL));
    assert_int_equal(calls, 1);
}

static void leaves_early(void **state)
{
    (void)state;
    prepare(10000);
    share();
    leave_after = 3;
    assert_false(tsr__range_run(&task, &pool->seats[1], &other));
    assert_int_equal(calls, 3);
    assert_true(tsr__range_run(&task, &pool->seats[2], NULL)); /* somebody else does the rest */
    for (unsigned i = 0; i < UNITS; i++)
        assert_int_equal(seen[i], 1);
    tsr_free(task.range);
}

static void fails(void **state)
{
    (void)state;
    prepare(10000);
    share();
    fail_after = 2;
    assert_true(tsr__range_run(&task, &pool->seats[0], NULL));
    assert_int_equal(calls, 2);
    assert_int_equal(task.failed, -9);
    assert_true(tsr__range_run(&task, &pool->seats[1], NULL));
    assert_int_equal(calls, 2);
    tsr_free(task.range);
}

/* Steps that grow while nobody knows the cost: there are more steps here than a step has bits. */
static int quick(struct tsr_task *t, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)t, (void)worker;
    assert_true(begin < end);
    calls++;
    return 0;
}

static void unknown_cost(void **state)
{
    (void)state;
    unsigned most_calls = 0;
    for (unsigned i = 0; i < 1000 && most_calls <= 64; i++) {
        prepare(0);
        task.run = quick;
        task.units = 1 << 24;
        share();
        tsr__range_split(task.range, task.want, task.units);
        assert_true(tsr__range_run(&task, &pool->seats[0], NULL));
        most_calls = calls > most_calls ? calls : most_calls;
        tsr_free(task.range);
    }
    assert_true(most_calls > 64);
}

/* One cursor for all, if there was no memory for more. */
static void without_parts(void **state)
{
    (void)state;
    prepare(10000);
    assert_true(tsr__range_run(&task, &pool->seats[3], NULL));
    for (unsigned i = 0; i < UNITS; i++)
        assert_int_equal(seen[i], 1);
}

static void weights(void **state)
{
    (void)state;
    static const struct {
        uint64_t units, cost, estimate;
        unsigned want;
    } cases[] = {
        {0, 0, 0, 1},
        {1, 0, TSR__UNKNOWN_NS, 1},
        {1, 1000000, 1000000, 1},
        {2, 1000000, 2000000, 2},
        {100, 0, TSR__UNKNOWN_NS, WIDTH},
        {100, 10, 1000, 1},
        {100, 250, 25000, 3},
        {UINT64_MAX, UINT64_MAX, UINT64_C(1) << 40, WIDTH},
    };
    for (unsigned i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct tsr_task t = {.run = run, .units = cases[i].units, .unit_cost = cases[i].cost};
        tsr_task_init(&t, pool);
        tsr__task_weigh(&t);
        assert_int_equal(t.estimate, cases[i].estimate);
        assert_int_equal(t.want, cases[i].want);
        /* What an owner learns after tsr_task_init counts as well. */
        struct tsr_task later = {.run = run};
        tsr_task_init(&later, pool);
        later.units = cases[i].units;
        later.unit_cost = cases[i].cost;
        tsr__task_weigh(&later);
        assert_int_equal(later.cost, cases[i].cost);
        assert_int_equal(later.estimate, cases[i].estimate);
        assert_int_equal(later.want, cases[i].want);
    }
}

int main(void)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (unsigned i = 0; i < WIDTH; i++)
        CPU_SET(CPU_SETSIZE - 1 - i, &cpus);
    pool = tsr_pool_get(&cpus);
    if (!pool)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split),        cmocka_unit_test(take),         cmocka_unit_test(home_first),    cmocka_unit_test(small_at_once),
        cmocka_unit_test(leaves_early), cmocka_unit_test(fails),        cmocka_unit_test(without_parts), cmocka_unit_test(unknown_cost),
        cmocka_unit_test(weights),      cmocka_unit_test(parts_of_few), cmocka_unit_test(surplus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
