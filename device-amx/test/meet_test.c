/* SPDX-License-Identifier: Apache-2.0
 * Rendezvous: barriers at every small size, exchanges in each scope and mode, illegal divergence reported and not hung. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static struct program programs[4]; /* at O0, at O2, in packets, in packets that look who comes */

static void check_sum(struct program *p, const struct tsr_ndrange *r)
{
    uint64_t total = r->global[0] * r->global[1] * r->global[2], *out = calloc(total, sizeof *out);
    assert_int_equal(program_run(p, "barrier_sum", r, (struct argument[]){ARG(out)}, 1, NULL), 0);
    for (uint64_t z = 0; z < r->global[2]; z++) {
        for (uint64_t y = 0; y < r->global[1]; y++) {
            for (uint64_t x = 0; x < r->global[0]; x++) {
                uint64_t first[3] = {x - x % r->local[0], y - y % r->local[1], z - z % r->local[2]}, sum = 0;
                for (uint64_t c = first[2]; c < first[2] + r->local[2] && c < r->global[2]; c++) {
                    for (uint64_t b = first[1]; b < first[1] + r->local[1] && b < r->global[1]; b++) {
                        for (uint64_t a = first[0]; a < first[0] + r->local[0] && a < r->global[0]; a++)
                            sum += (c * r->global[1] + b) * r->global[0] + a;
                    }
                }
                assert_int_equal(out[(z * r->global[1] + y) * r->global[0] + x], sum);
            }
        }
    }
    free(out);
}

static void test_every_size(void **state)
{
    (void)state;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        for (uint64_t n = 1; n <= 40; n++) {
            struct tsr_ndrange r = range1(3 * n + n / 3, n);
            check_sum(&programs[k], &r);
        }
        for (uint64_t n = 1; n <= 40; n += 3) {
            struct tsr_ndrange r = range3(n % 7 + 2, n, 3, n % 5 + 1, n, 2);
            check_sum(&programs[k], &r);
            r = range3(4, n % 4 + 1, 2 * n + 1, 3, n % 3 + 1, n);
            check_sum(&programs[k], &r);
        }
        /* Groups of whole packets, in rows, planes and beside smaller ones. */
        const struct tsr_ndrange whole[] = {range1(5000, 4096), range1(64, 16), range1(200, 32), range3(70, 6, 4, 32, 3, 2),
                                            range3(48, 7, 5, 16, 2, 3)};
        for (size_t i = 0; i < TSR_ARRAY_LEN(whole); i++)
            check_sum(&programs[k], &whole[i]);
    }
}

static void test_sub_groups_apart(void **state)
{
    (void)state;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        int32_t out[150] = {0}, *po = out;
        assert_int_equal(RUN(&programs[k], "sub_groups_apart", range1(150, 75), ARG(po)), 0);
        for (int i = 0; i < 150; i++)
            assert_int_equal(out[i], i % 75 / 16 + 1);
    }
}

/* ---- exchanges ---- */

enum { GLOBAL = 120, LOCAL = 55, S = 16 };

/* Slots of work-item i: those with the same `key` among the first to the last of its scope. */
static void check_slots(const uint64_t *out, uint64_t scope_size, uint64_t (*key)(uint64_t lane))
{
    for (uint64_t i = 0; i < GLOBAL; i++) {
        uint64_t local = i % LOCAL, group = i - local, first = local - local % scope_size, mask = 0;
        for (uint64_t slot = 0; slot < 64 && slot < scope_size; slot++) {
            bool there = first + slot < LOCAL && group + first + slot < GLOBAL && (!key || key(slot) == key(local - first));
            assert_int_equal(out[65 * i + 1 + slot], there ? group + first + slot + 1 : 0);
            mask |= (uint64_t)there << slot;
        }
        assert_int_equal(out[65 * i], mask);
    }
}

static uint64_t odd(uint64_t lane)
{
    return lane & 1;
}

static void test_exchange(void **state)
{
    (void)state;
    enum { WORK_ITEMS = 2 }; /* programs whose entry runs one: the vector engine makes other code of an exchange than a call */
    static const struct {
        const char *kernel;
        uint64_t scope_size;
        uint64_t (*key)(uint64_t);
    } cases[] = {
        {"exchange_sub_group", S, NULL},
        {"exchange_pair", 2 * S, NULL},
        {"exchange_group", LOCAL, NULL},
        {"exchange_active", S, odd},
    };
    uint64_t *out = calloc(GLOBAL, 65 * 8);
    for (size_t i = 0; i < WORK_ITEMS * TSR_ARRAY_LEN(cases); i++) {
        memset(out, 0xff, (size_t)GLOBAL * 65 * 8);
        assert_int_equal(RUN(&programs[i % WORK_ITEMS], cases[i / WORK_ITEMS].kernel, range1(GLOBAL, LOCAL), ARG(out)), 0);
        check_slots(out, cases[i / WORK_ITEMS].scope_size, cases[i / WORK_ITEMS].key);
    }
    free(out);
}

static void test_leaving(void **state)
{
    (void)state;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        uint32_t out[40] = {0}, *po = out;
        assert_int_equal(RUN(&programs[k], "exchange_leaving", range1(40, 40), ARG(po)), 0);
        for (uint32_t i = 0; i < 40; i++) {
            uint32_t size = i < 32 ? S : 8;
            assert_int_equal(out[i], size - i % S);
        }
    }
}

static void test_keeps(void **state)
{
    (void)state;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        uint64_t out[32] = {0}, *po = out;
        assert_int_equal(RUN(&programs[k], "exchange_keeps", range1(32, 32), ARG(po)), 0);
        for (uint64_t i = 0; i < 32; i++)
            assert_int_equal(out[i], i < S ? S * (S + 1) / 2 : S * S + S * (S + 1) / 2);
    }
}

/* ---- illegal divergence ---- */

static void check_report(struct program *p, const char *kernel, int32_t limit, const char *const *words)
{
    char *why = NULL;
    struct tsr_ndrange r = range1(40, 20);
    assert_int_not_equal(program_run(p, kernel, &r, (struct argument[]){ARG(limit)}, 1, &why), 0);
    assert_non_null(why);
    for (; *words; words++) {
        if (!strstr(why, *words))
            fail_msg("'%s' does not say '%s'", why, *words);
    }
    tsr_free(why);
}

static void test_illegal_divergence(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct program *p = &programs[k];
        check_report(p, "barrier_in_branch", 5,
                     (const char *[]){"kernel 'barrier_in_branch'", "work-group (", "20 work-items of the work-group",
                                      "5 wait at call site", "(barrier)", "15 have returned", NULL});
        check_report(p, "barrier_after_return", 1, (const char *[]){"19 wait", "1 has returned", NULL});
        check_report(p, "different_barriers", 8, (const char *[]){"8 wait at", "(barrier)", "12 wait at", "(work_group_barrier)", NULL});
        check_report(p, "sub_group_barrier_in_branch", 3,
                     (const char *[]){"16 work-items of sub-group 0", "3 wait", "(sub_group_barrier)", "13 have returned", NULL});
        /* The same kernels are fine where nobody diverges, also after a failure. */
        int32_t all = 20, none = 0;
        assert_int_equal(RUN(p, "barrier_in_branch", range1(40, 20), ARG(all)), 0);
        assert_int_equal(RUN(p, "barrier_after_return", range1(40, 20), ARG(none)), 0);
        assert_int_equal(RUN(p, "different_barriers", range1(40, 20), ARG(none)), 0);
    }
}

static void check_torn(struct program *p)
{
    check_report(p, "barrier_in_branch", 5, (const char *[]){"kernel 'barrier_in_branch'", "5 wait at call site", "(barrier)", NULL});
    check_report(p, "barrier_after_return", 1, (const char *[]){"15 wait at call site", "1 elsewhere", NULL});
    check_report(p, "different_barriers", 8, (const char *[]){"8 wait at call site", "8 elsewhere", NULL});
    /* Whole packets that part as one. */
    char *why = NULL;
    int32_t limit = 16;
    struct tsr_ndrange r = range1(96, 48);
    assert_int_not_equal(program_run(p, "different_barriers", &r, (struct argument[]){ARG(limit)}, 1, &why), 0);
    assert_true(why && strstr(why, "of the 48 work-items of the work-group, 16 wait at call site"));
    assert_non_null(strstr(why, "(barrier), 32 wait at call site"));
    tsr_free(why);
    why = NULL;
    assert_int_not_equal(program_run(p, "barrier_in_branch", &r, (struct argument[]){ARG(limit)}, 1, &why), 0);
    assert_true(why && strstr(why, "(barrier), 32 have returned"));
    tsr_free(why);
    limit = 48;
    assert_int_equal(RUN(p, "barrier_in_branch", r, ARG(limit)), 0);
}

static void test_torn_packets(void **state)
{
    (void)state;
    check_torn(&programs[2]);
    check_torn(&programs[3]);
}

/* Within a sub-group: the reference engine always tells, packets do if they look. */
static void test_torn_sub_groups(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *site;
    } cases[] = {{"sub_group_barrier_in_branch", "(sub_group_barrier"}, {"reduce_in_branch", "(sub_group_reduce_add"}};
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
            struct program *p = &programs[k];
            const char *kernel = cases[i].kernel;
            int32_t all = 16, none = 0, some = 3;
            assert_int_equal(RUN(p, kernel, range1(40, 20), ARG(all)), 0);
            assert_int_equal(RUN(p, kernel, range1(40, 20), ARG(none)), 0);
            if (k == 2) {
                assert_int_equal(RUN(p, kernel, range1(40, 20), ARG(some)), 0);
                continue;
            }
            check_report(p, kernel, some, (const char *[]){kernel, "illegal divergence", "3 wait", cases[i].site, "13 ", NULL});
        }
    }
}

static int load(void **state)
{
    (void)state;
    program_load(&programs[0], "kernels-O0");
    program_load(&programs[1], "kernels-O2");
    program_load(&programs[2], "kernels-packets=16");
    program_load(&programs[3], "kernels-checked=16");
    return 0;
}

static int unload(void **state)
{
    (void)state;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++)
        program_free(&programs[k]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size),   cmocka_unit_test(test_sub_groups_apart),
        cmocka_unit_test(test_exchange),     cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_keeps),        cmocka_unit_test(test_illegal_divergence),
        cmocka_unit_test(test_torn_packets), cmocka_unit_test(test_torn_sub_groups),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
