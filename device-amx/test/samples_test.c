/* SPDX-License-Identifier: Apache-2.0
 * What the work-groups of a part's first row and first column tell of the others (tiles_samples.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device-amx/tiles_twice.h"

enum { LOOPS = 2, STEPS = 8, MOST = 128 }; /* loops of a work-group */

static const char of_a[MOST * LOOPS], of_b[MOST * LOOPS];

struct part {
    struct tsr__run run;
    struct tsr__entry entry;
    struct tsr__tile_twice twice;
    struct tsr_launch launch; /* has room for arguments behind it */
};

static int drop(void **state)
{
    free(*state);
    return 0;
}

static struct part *make(void **state)
{
    struct part *p = *state = aligned_alloc(_Alignof(struct part), sizeof *p);
    assert_non_null(p);
    memset(p, 0, sizeof *p);
    p->run.launch = &p->launch;
    p->launch.entry = &p->entry;
    p->run.twice = &p->twice;
    return p;
}

/* A depends on y and B on x, or the other way round. */
static struct tsr_tile_loop loop_of(uint32_t x, uint32_t y, uint32_t i, bool turned)
{
    return (struct tsr_tile_loop){.a = of_a + (turned ? x : y) * LOOPS + i,
                                  .b = of_b + (turned ? y : x) * LOOPS + i,
                                  .steps = STEPS,
                                  .rows = 1,
                                  .columns = 1,
                                  .tile_rows = 8,
                                  .how = TSR_TILE_TWICE};
}

static void note(struct tsr__twice_loops *t, const struct tsr_tile_loop *x)
{
    const uint32_t row = tsr__side_find(&t->a, x->a), column = tsr__side_find(&t->b, x->b);
    if (!t->a.count) {
        t->loop = *x;
        t->loop.zero = true;
    }
    tsr__side_add(&t->a, row, x->a, &x->a_matrix);
    tsr__side_add(&t->b, column, x->b, &x->b_matrix);
    t->packets[t->count++] = (struct tsr__packet_note){
        .a = x->a, .b = x->b, .steps = x->steps, .parts = 1, .row = (uint16_t)row, .column = (uint16_t)column, .together = true};
}

static void note_samples(struct part *p, uint32_t across, uint32_t down, bool turned)
{
    struct tsr__twice_loops *t = &p->twice.loops[0];
    for (uint32_t n = 0; n < across + down - 1; n++) {
        const uint32_t x = n < across ? n : 0, y = n < across ? 0 : n - across + 1;
        for (uint32_t i = 0; i < LOOPS; i++) {
            const struct tsr_tile_loop now = loop_of(x, y, i, turned);
            note(t, &now);
        }
        if (n + 1 == across)
            t->in_row = t->count;
    }
}

static void groups_that_are_few_all_run(void **state)
{
    struct part *p = make(state);
    assert_false(tsr__tile_samples_may_do(&p->run, 7, 1));
    assert_false(tsr__tile_samples_may_do(&p->run, 1, 100));
    assert_false(tsr__tile_samples_may_do(&p->run, 2, 3));
    assert_true(tsr__tile_samples_may_do(&p->run, 2, 4));
    p->entry.notes_all_groups = true;
    assert_false(tsr__tile_samples_may_do(&p->run, 2, 4));
}

static void all_groups_come_to_their_own_loops(void **state)
{
    enum { ACROSS = 5, DOWN = 4 };
    for (int way = 0; way < 4; way++) {
        const bool turned = way & 1, down_columns = way & 2;
        struct part *p = make(state);
        struct tsr__twice_loops *t = &p->twice.loops[0];
        p->launch.form = TSR_FORM_ROWS;
        p->launch.column_rows = down_columns ? 16 : 0;
        note_samples(p, ACROSS, DOWN, turned);
        assert_true(tsr__tile_samples_expect(&p->run, ACROSS, DOWN));
        assert_int_equal(t->count, ACROSS * DOWN * LOOPS);
        for (uint32_t n = 0; n < t->count; n++) {
            const uint32_t group = n / LOOPS, across = down_columns ? group / DOWN : group % ACROSS,
                           down = down_columns ? group % DOWN : group / ACROSS;
            const struct tsr_tile_loop x = loop_of(across, down, n % LOOPS, turned);
            const struct tsr__packet_note *note = tsr__tile_samples_expected(&p->run, t, &x);
            assert_ptr_equal(note, &t->packets[n]);
            assert_ptr_equal(t->a.at[note->row], x.a);
            assert_ptr_equal(t->b.at[note->column], x.b);
        }
        assert_int_equal(t->unexpected, 0);
        assert_false(p->entry.notes_all_groups);
        if (way < 3)
            drop(state);
    }
}

enum change { FEWER_LOOPS, BOTH_IDS, OTHER_STEPS, FROM_C, IN_PARTS, IN_SAME_PARTS, CHANGES };

static void samples_of_another_form_tell_nothing(void **state)
{
    for (enum change change = 0; change < CHANGES; change++) {
        struct part *p = make(state);
        struct tsr__twice_loops *t = &p->twice.loops[0];
        note_samples(p, 4, 4, false);
        if (change == FEWER_LOOPS)
            t->count--;
        if (change == BOTH_IDS)
            t->packets[LOOPS].a = of_a + MOST;
        if (change == OTHER_STEPS)
            t->packets[t->count - 1].steps++;
        if (change == FROM_C)
            t->loop.zero = false;
        if (change == IN_PARTS || change == IN_SAME_PARTS)
            t->loop.how |= TSR_TILE_GOES_ON;
        if (change == IN_SAME_PARTS)
            t->loop.how |= TSR_TILE_SAME_PARTS;
        const bool told = change == OTHER_STEPS || change == IN_SAME_PARTS;
        assert_int_equal(tsr__tile_samples_expect(&p->run, 4, 4), told);
        assert_int_equal(p->entry.notes_all_groups, !told);
        if (change == OTHER_STEPS) /* those of its row do not run with the others */
            assert_false(t->packets[t->count - 1].together);
        if (change + 1 < CHANGES)
            drop(state);
    }
}

/* Of those that are expected, as many as are looked through do not come, or one more. */
static void loops_may_not_come(void **state)
{
    enum { ACROSS = 16, DOWN = 4, LOOKED_THROUGH = 64 };
    for (uint32_t skipped = LOOKED_THROUGH - 1; skipped <= LOOKED_THROUGH; skipped++) {
        struct part *p = make(state);
        struct tsr__twice_loops *t = &p->twice.loops[0];
        note_samples(p, ACROSS, DOWN, false);
        assert_true(tsr__tile_samples_expect(&p->run, ACROSS, DOWN));
        const struct tsr_tile_loop x = loop_of(skipped / LOOPS % ACROSS, skipped / LOOPS / ACROSS, skipped % LOOPS, false);
        const bool found = skipped < LOOKED_THROUGH;
        assert_ptr_equal(tsr__tile_samples_expected(&p->run, t, &x), found ? &t->packets[skipped] : NULL);
        assert_int_equal(t->next, found ? skipped + 1 : 0);
        if (found)
            drop(state);
    }
}

static void a_loop_that_differs_is_none_of_them(void **state)
{
    struct part *p = make(state);
    struct tsr__twice_loops *t = &p->twice.loops[0];
    note_samples(p, 8, 32, false);
    assert_true(tsr__tile_samples_expect(&p->run, 8, 32));
    for (uint32_t n = 0; n < 63; n++) {
        struct tsr_tile_loop x = loop_of(n / LOOPS % 8, n / LOOPS / 8, n % LOOPS, false);
        switch (n % 4) {
        case 0:
            x.steps++;
            break;
        case 1:
            x.a_stride++;
            break;
        case 2:
            x.a = of_a + MOST + n;
            break;
        default:
            x.how |= TSR_TILE_HALF_K;
        }
        assert_null(tsr__tile_samples_expected(&p->run, t, &x));
    }
    assert_false(p->entry.notes_all_groups);
    t->packets[63].together = false; /* there was no room: that is no mistake */
    struct tsr_tile_loop x = loop_of(31 % 8, 31 / 8, 1, false);
    assert_null(tsr__tile_samples_expected(&p->run, t, &x));
    assert_false(p->entry.notes_all_groups);
    x.b = of_b + MOST;
    assert_null(tsr__tile_samples_expected(&p->run, t, &x));
    assert_true(p->entry.notes_all_groups);
}

static void places_in_matrices_count(void **state)
{
    struct part *p = make(state);
    struct tsr__twice_loops *t = &p->twice.loops[0];
    note_samples(p, 4, 4, false);
    t->loop.how |= TSR_TILE_A_EDGES | TSR_TILE_B_EDGES;
    t->a.in[0] = (struct tsr_tile_matrix){.x = 64, .y = 2, .width = 640, .height = 16};
    assert_true(tsr__tile_samples_expect(&p->run, 4, 4));
    struct tsr_tile_loop x = loop_of(0, 0, 0, false);
    x.how = t->loop.how;
    x.a_matrix = t->a.in[0];
    assert_ptr_equal(tsr__tile_samples_expected(&p->run, t, &x), &t->packets[0]);
    t->next = 0;
    x.a_matrix.x = 0; /* the same address, of another row that begins elsewhere */
    assert_null(tsr__tile_samples_expected(&p->run, t, &x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(groups_that_are_few_all_run, drop),
        cmocka_unit_test_teardown(all_groups_come_to_their_own_loops, drop),
        cmocka_unit_test_teardown(samples_of_another_form_tell_nothing, drop),
        cmocka_unit_test_teardown(loops_may_not_come, drop),
        cmocka_unit_test_teardown(a_loop_that_differs_is_none_of_them, drop),
        cmocka_unit_test_teardown(places_in_matrices_count, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
