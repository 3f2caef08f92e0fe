/* SPDX-License-Identifier: Apache-2.0
 * Fibers: any number of them, one after another, on the same stack, whether they end or are left where they wait. */
#include "harness.h"

/* More than fit into what ThreadSanitizer keeps of a fiber, if each left something there. */
enum { ROUNDS = 100000 };

struct visit {
    struct tsr__fiber worker, fiber;
    bool ends;
    unsigned started, at_home;
};

static void visit_main(void *argument)
{
    struct visit *visit = argument;
    tsr__fiber_started(&visit->worker);
    const char *frame = __builtin_frame_address(0);
    visit->started++;
    visit->at_home += frame > visit->fiber.low && frame < visit->fiber.low + visit->fiber.size;
    if (!visit->ends)
        tsr__fiber_switch(&visit->fiber, &visit->worker);
    tsr__fiber_end(&visit->worker);
}

static void run_rounds(bool ends)
{
    struct visit visit = {.ends = ends};
    struct tsr__stacks *stacks = tsr__stacks_take(0, 1, 4096);
    assert_non_null(stacks);
    tsr__fiber_worker(&visit.worker);
    for (unsigned i = 0; i < ROUNDS; i++) {
        tsr__fiber_make(stacks, 0, &visit.fiber, visit_main, &visit);
        tsr__fiber_switch(&visit.worker, &visit.fiber);
    }
    tsr__stacks_give_back(0, stacks);
    assert_int_equal(visit.started, ROUNDS);
    assert_int_equal(visit.at_home, ROUNDS);
}

static void test_ended(void **state)
{
    (void)state;
    run_rounds(true);
}

static void test_left(void **state)
{
    (void)state;
    run_rounds(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ended), cmocka_unit_test(test_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
