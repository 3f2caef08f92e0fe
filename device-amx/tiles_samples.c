/* SPDX-License-Identifier: Apache-2.0
 * The first pass over the work-groups of a part (tiles_twice.c) by a few of them.
 *
 * In most kernels A depends on one id of a work-group and B on the other one. Then groups of the part's first row and of its first column
 * have all the operands, and running only these tells which loops the other groups will come to. That is what is expected, not what is
 * known: each loop of the second pass is compared with the one that is expected there, and one that differs is run on its own. Nothing is
 * read for a loop that is expected but what loops of the samples read. Where the samples do not have this form, all groups run. */
#include "device-amx/tiles_twice.h"

enum {
    LEAST_GROUPS = 8,
    MOST_SKIPPED = 64,    /* loops that are expected and do not come, in a row */
    MOST_UNEXPECTED = 64, /* of a part */
};

bool tsr__tile_samples_may_do(const struct tsr__run *run, uint64_t across, uint64_t down)
{
    return across > 1 && down > 1 && across * down >= LEAST_GROUPS &&
           !atomic_load_explicit(&run->launch->entry->notes_all_groups, memory_order_relaxed);
}

/* Loops of the samples: of each group of the first row, then of each other group of the first column. */
struct samples {
    const struct tsr__packet_note *at;
    uint32_t across, down, in_group;
    bool a_by_rows; /* A is that of its row of groups, and B that of its column; else the other way round */
};

static const struct tsr__packet_note *in_first_row(const struct samples *s, uint32_t x, uint32_t i)
{
    return s->at + x * s->in_group + i;
}

static const struct tsr__packet_note *in_first_column(const struct samples *s, uint32_t y, uint32_t i)
{
    return in_first_row(s, y ? s->across + y - 1 : 0, i);
}

/* Have all groups of the first row the same A, or B? */
static bool same_in_row(const struct samples *s, bool is_b)
{
    bool same = true;
    for (uint32_t n = 0; n < s->across * s->in_group && same; n++) {
        const struct tsr__packet_note *one = s->at + n, *first = s->at + n % s->in_group;
        same = is_b ? one->b == first->b : one->a == first->a;
    }
    return same;
}

static bool same_in_column(const struct samples *s, bool is_b)
{
    bool same = true;
    for (uint32_t n = 0; n < s->down * s->in_group && same; n++) {
        const struct tsr__packet_note *one = in_first_column(s, n / s->in_group, n % s->in_group), *first = s->at + n % s->in_group;
        same = is_b ? one->b == first->b : one->a == first->a;
    }
    return same;
}

/* Have all groups as many loops, which begin with zeros, each in one part or in the same parts as the others? */
static bool have_one_form(const struct tsr__twice_loops *t, const struct samples *s)
{
    const uint64_t groups = s->across + s->down - 1, all = (uint64_t)s->across * s->down * s->in_group;
    const bool in_parts = t->loop.how & TSR_TILE_GOES_ON;
    bool same = s->in_group && t->in_row == s->across * s->in_group && t->count == groups * s->in_group &&
                all + t->count <= TSR__TWICE_MOST_PACKETS && t->a.count && t->loop.zero && !t->values_full &&
                (!in_parts || t->loop.how & TSR_TILE_SAME_PARTS);
    for (uint32_t i = 1; in_parts && same && i < t->count; i++)
        same = s->at[i].parts == s->at[0].parts && s->at[i].steps == s->at[0].steps;
    return same;
}

static bool find_samples(const struct tsr__twice_loops *t, uint64_t across, uint64_t down, struct samples *s)
{
    *s = (struct samples){t->packets, (uint32_t)across, (uint32_t)down, t->in_row / (uint32_t)across, false};
    if (!have_one_form(t, s))
        return false;
    s->a_by_rows = same_in_row(s, false) && same_in_column(s, true);
    return s->a_by_rows || (same_in_row(s, true) && same_in_column(s, false));
}

/* Notes what all groups are expected to come to, in the order in which they run. */
static void expect(struct tsr__twice_loops *t, struct samples *s, bool down_columns)
{
    struct tsr__packet_note *copy = t->packets + TSR__TWICE_MOST_PACKETS - t->count;
    memmove(copy, t->packets, t->count * sizeof *copy);
    s->at = copy;
    t->count = 0;
    for (uint32_t g = 0; g < s->across * s->down; g++) {
        const uint32_t x = down_columns ? g / s->down : g % s->across, y = down_columns ? g % s->down : g / s->across;
        for (uint32_t i = 0; i < s->in_group; i++) {
            const struct tsr__packet_note *row = in_first_row(s, x, i), *column = in_first_column(s, y, i),
                                          *a = s->a_by_rows ? column : row, *b = s->a_by_rows ? row : column;
            t->packets[t->count++] = (struct tsr__packet_note){.a = a->a,
                                                               .b = b->b,
                                                               .steps = a->steps,
                                                               .parts = a->parts,
                                                               .row = a->row,
                                                               .column = b->column,
                                                               .of_a = a->row,
                                                               .of_b = b->column,
                                                               .together = a->together && b->together && a->steps == b->steps};
        }
    }
    t->asked.shape = t->loop;
    if (t->loop.how & TSR_TILE_A_EDGES)
        memcpy(t->asked.a, t->a.in, t->a.count * sizeof t->asked.a[0]);
    if (t->loop.how & TSR_TILE_B_EDGES)
        memcpy(t->asked.b, t->b.in, t->b.count * sizeof t->asked.b[0]);
    t->is_expected = true;
}

bool tsr__tile_samples_expect(struct tsr__run *run, uint64_t across, uint64_t down)
{
    struct samples samples[TSR_TILE_LOOPS];
    bool any = false, all = true;
    for (unsigned n = 0; n < TSR_TILE_LOOPS && all; n++) {
        const bool noted = run->twice->loops[n].count;
        any = any || noted;
        all = !noted || find_samples(&run->twice->loops[n], across, down, &samples[n]);
    }
    for (unsigned n = 0; any && all && n < TSR_TILE_LOOPS; n++)
        if (run->twice->loops[n].count)
            expect(&run->twice->loops[n], &samples[n], tsr__goes_down_columns(run->launch));
    if (any && !all)
        atomic_store_explicit(&run->launch->entry->notes_all_groups, true, memory_order_relaxed);
    return any && all;
}

/* Is it the loop that is expected, all of it or its first part? */
static bool is_as_asked(const struct tsr__twice_loops *t, const struct tsr__packet_note *p, const struct tsr_tile_loop *x)
{
    return (p->parts > 1 || p->steps == x->steps) && tsr__tile_same_shape(&t->asked.shape, x) &&
           (!(x->how & TSR_TILE_A_EDGES) || !memcmp(&t->asked.a[p->of_a], &x->a_matrix, sizeof x->a_matrix)) &&
           (!(x->how & TSR_TILE_B_EDGES) || !memcmp(&t->asked.b[p->of_b], &x->b_matrix, sizeof x->b_matrix));
}

const struct tsr__packet_note *tsr__tile_samples_expected(struct tsr__run *run, struct tsr__twice_loops *t, const struct tsr_tile_loop *x)
{
    const uint32_t left = t->count - t->next, most = left < MOST_SKIPPED ? left : MOST_SKIPPED;
    for (uint32_t i = t->next; i < t->next + most; i++) {
        const struct tsr__packet_note *p = &t->packets[i];
        if (!tsr__is_operand(x, false, p->a) || !tsr__is_operand(x, true, p->b))
            continue;
        t->next = i + 1;
        if (!p->together) /* there was no room for it, or it is better alone */
            return NULL;
        if (is_as_asked(t, p, x))
            return p;
        break;
    }
    if (++t->unexpected == MOST_UNEXPECTED)
        atomic_store_explicit(&run->launch->entry->notes_all_groups, true, memory_order_relaxed);
    return NULL;
}
