/* SPDX-License-Identifier: Apache-2.0
 * Packets that run twice, so that their loops over K run together, whatever the packets do with the results.
 *
 * A loop may wait until its packet has ended only if its results are stored and nothing else (tiles_share.c). Other packets run up to the
 * loop first, where they begin with accumulators of any values; all of a block of work-groups are noted. Then the loops are done as one
 * product (tiles_grid.c), whose C is in memory of the worker. At last the packets run from their beginning to their end, in the same order,
 * and each gets its part of C. A loop that cannot join the others is run then, where it stands.
 *
 * A packet may have its loop in parts. One that goes on where the last one has ended in A and B only makes it longer; else the loop has
 * several *segments*, as one over the window of a convolution: their products follow each other. */
#include <string.h>

#include "device-amx/costs.h"
#include "device-amx/cpu.h"
#include "device-amx/tiles_twice.h"

static bool is_narrow(const struct tsr_tile_loop *x)
{
    return x->how & TSR_TILE_HALF_N;
}

/* Rows of C, of all sums if these are apart: one sum after the other. */
static int64_t rows_of_packet(const struct tsr_tile_loop *x)
{
    return tsr__loop_rows(x) * tsr__loop_sums(x);
}

/* The packet's block of C, with rows of whole tiles. Those of a column of the grid follow each other, so that tiles of several packets are
 * whole. Two columns of 8 share them. */
static char *block_of_c(struct tsr__twice_loops *t, const struct tsr__packet_note *p)
{
    const struct tsr_tile_loop *x = &t->loop;
    const int64_t column = is_narrow(x) ? p->column / 2 : p->column, right = is_narrow(x) && p->column % 2 ? tsr__loop_c_bytes(x) : 0;
    return t->c + (column * t->pitch + p->row * rows_of_packet(x)) * x->columns * TSR_TILE_ROW_BYTES + right;
}

/* Which of the range's dimensions are the rows shows only later, so there is room for either. That also spreads what is used, a part of
 * each column, over the sets of the caches. */
static int64_t pitch_of(const struct tsr__twice_loops *t, const struct tsr_tile_loop *x)
{
    const int64_t wanted = (int64_t)(t->down + t->across) * rows_of_packet(x),
                  across = is_narrow(x) ? (int64_t)t->across / 2 + 1 : (int64_t)t->across,
                  room = TSR__TWICE_C_BYTES / (x->columns * TSR_TILE_ROW_BYTES) / across;
    return wanted < room ? wanted : room;
}

static void copy_to_block(char *c, const struct tsr_tile_loop *x)
{
    const size_t bytes = is_narrow(x) ? TSR_TILE_ROW_BYTES / 2 : TSR_TILE_ROW_BYTES;
    for (int64_t r = 0; r < tsr__loop_rows(x); r++)
        for (int64_t i = 0; i < x->columns; i++, c += TSR_TILE_ROW_BYTES)
            memcpy(c, (char *)x->c[r / x->tile_rows * x->columns + i] + r % x->tile_rows * TSR_TILE_ROW_BYTES, bytes);
}

#define IN_ROWS(bytes) vector_size(bytes), aligned(bytes), may_alias
typedef int32_t integers __attribute__((IN_ROWS(TSR_TILE_ROW_BYTES)));
typedef float floats __attribute__((IN_ROWS(TSR_TILE_ROW_BYTES)));
typedef int32_t few_integers __attribute__((IN_ROWS(TSR_TILE_ROW_BYTES / 2)));
typedef float few_floats __attribute__((IN_ROWS(TSR_TILE_ROW_BYTES / 2)));

/* How accumulators get what the loop has given: as it is, or added to what they hold. */
enum way { COPY, ADD_INTEGERS, ADD_FLOATS };

INLINE void fetch_row(char *row, const char *c, enum way way, bool narrow)
{
    if (way == COPY && narrow)
        *(few_integers *)row = *(const few_integers *)c;
    else if (way == COPY)
        *(integers *)row = *(const integers *)c;
    else if (way == ADD_INTEGERS && narrow)
        *(few_integers *)row += *(const few_integers *)c;
    else if (way == ADD_INTEGERS)
        *(integers *)row += *(const integers *)c;
    else if (narrow)
        *(few_floats *)row += *(const few_floats *)c;
    else
        *(floats *)row += *(const floats *)c;
}

/* The rows of a tile of accumulators are next to each other; in the block those of all tiles beside each other take turns. */
INLINE void fetch_rows(const char *c, const struct tsr_tile_loop *x, enum way way, bool narrow)
{
    const int64_t tiles = x->rows * x->columns, columns = x->columns, rows = x->tile_rows, far = columns * TSR_TILE_ROW_BYTES;
    for (int64_t i = 0; i < tiles; i++) {
        char *row = x->c[i];
        const char *from = c + i / columns * rows * far + i % columns * TSR_TILE_ROW_BYTES;
        for (int64_t r = 0; r < rows; r++)
            fetch_row(row + r * TSR_TILE_ROW_BYTES, from + r * far, way, narrow);
    }
}

INLINE void fetch_by(const char *c, const struct tsr_tile_loop *x, enum way way)
{
    const bool narrow = is_narrow(x);
    if (way == COPY)
        narrow ? fetch_rows(c, x, COPY, true) : fetch_rows(c, x, COPY, false);
    else if (way == ADD_INTEGERS)
        narrow ? fetch_rows(c, x, ADD_INTEGERS, true) : fetch_rows(c, x, ADD_INTEGERS, false);
    else
        narrow ? fetch_rows(c, x, ADD_FLOATS, true) : fetch_rows(c, x, ADD_FLOATS, false);
}

__attribute__((target("avx512f"))) static void fetch_512(const char *c, const struct tsr_tile_loop *x, enum way way)
{
    fetch_by(c, x, way);
}

/* The product begins with zeros, and what the accumulators begin with is added when the packet runs for the second time, unless the order
 * of sums is the sources'. */
static bool is_added(const struct tsr_tile_loop *x)
{
    return tsr__is_in_tiles(x) || (x->how & TSR_TILE_PRODUCT) < TSR_TILE_BF16;
}

static void fetch(const char *c, const struct tsr_tile_loop *x)
{
    const bool begins_with_zero = x->zero || x->how & TSR_TILE_FROM_ZERO;
    const enum way way = begins_with_zero || !is_added(x) ? COPY : (x->how & TSR_TILE_PRODUCT) < TSR_TILE_BF16 ? ADD_INTEGERS : ADD_FLOATS;
    if (tsr_cpu_has(tsr_cpu(), TSR_CPU_AVX512F))
        fetch_512(c, x, way);
    else
        fetch_by(c, x, way);
}

/* ---- the first time ---- */

static struct tsr__tile_twice *make_twice(struct tsr__run *run)
{
    struct tsr__tile_twice *t = tsr_worker_scratch(run->seat, TSR__SCRATCH_TWICE, sizeof *t);
    for (struct tsr__twice_loops *n = t ? t->loops : NULL; t && n < t->loops + TSR_TILE_LOOPS; n++) {
        n->count = n->next = n->alone = 0;
        n->is_open = n->values_full = n->now.is_kept = false;
        tsr__side_clear(&n->a);
        tsr__side_clear(&n->b);
        tsr__values_begin(&n->values, run->launch->blocks.launch);
    }
    return t;
}

static bool joins(const struct tsr__twice_loops *t, const struct tsr_tile_loop *x, uint32_t row, uint32_t column)
{
    const int64_t pitch = t->a.count ? t->pitch : pitch_of(t, x), tiles = is_narrow(x) ? column / 2 : column;
    if (row >= TSR__MOST_SIDE || column >= TSR__MOST_SIDE || (row + 1) * rows_of_packet(x) > pitch ||
        (row + 1) * tsr__loop_rows(x) > TSR__TWICE_MOST_ROWS || (x->apart && t->a.count && x->steps != t->loop.steps) ||
        (tiles + 1) * x->columns > TSR__TWICE_MOST_TILES || (tiles + 1) * pitch * x->columns * TSR_TILE_ROW_BYTES > TSR__TWICE_C_BYTES)
        return false;
    if (!t->a.count)
        return true;
    return tsr__tile_same_shape(&t->loop, x) && tsr__tile_same_matrices(&t->a, &t->b, x, row, column) &&
           (t->loop.zero || !t->taken[row][column]);
}

static void note_part(struct tsr__twice_loops *t, struct tsr__packet_note *p, const struct tsr_tile_loop *x)
{
    p->parts++;
    p->steps += x->steps;
    if (!(x->how & TSR_TILE_GOES_ON))
        return;
    t->end.a = x->a + x->steps * x->a_step;
    t->end.b = x->b + x->steps * x->b_step;
    if (x->how & TSR_TILE_A_EDGES) {
        t->end.in_a = x->a_matrix;
        t->end.in_a.x += x->steps * x->a_step;
    }
    if (x->how & TSR_TILE_B_EDGES) {
        t->end.in_b = x->b_matrix;
        t->end.in_b.y += x->steps * tsr__loop_b_rows(x);
    }
}

static bool goes_on(const struct tsr__twice_loops *t, const struct tsr_tile_loop *x)
{
    return !tsr__is_computed(x) && tsr__tile_same_shape(t->now.is_kept ? &t->now.loop : &t->loop, x) && x->a == t->end.a &&
           x->b == t->end.b && (!(x->how & TSR_TILE_A_EDGES) || !memcmp(&t->end.in_a, &x->a_matrix, sizeof x->a_matrix)) &&
           (!(x->how & TSR_TILE_B_EDGES) || !memcmp(&t->end.in_b, &x->b_matrix, sizeof x->b_matrix));
}

/* Where A and B are, or their values are kept. False: there is no room now; all values will be forgotten before the next part. */
static bool keep_operands(struct tsr__twice_loops *t, const struct tsr_tile_loop *x, const char **a, const char **b)
{
    *a = tsr__values_of_operand(&t->values, x, false);
    *b = tsr__values_of_operand(&t->values, x, true);
    t->values_full = t->values_full || !*a || !*b;
    return *a && *b;
}

/* A packet whose A and B are known: with several segments, `a` and `b` are all of them. */
static void place_packet(struct tsr__run *run, struct tsr__twice_loops *t, struct tsr__packet_note *p, const struct tsr_tile_loop *x,
                         const char *a, const char *b)
{
    uint32_t row = tsr__side_find(&t->a, a), column = tsr__side_find(&t->b, b);
    p->row = (uint16_t)row;
    p->column = (uint16_t)column;
    p->together = tsr__tile_loop_may_share(run, x) && joins(t, x, row, column);
    if (!p->together)
        return;
    if (!t->a.count) {
        t->loop = *x;
        t->loop.zero = x->zero || x->how & TSR_TILE_FROM_ZERO || is_added(x);
        t->pitch = pitch_of(t, x);
        t->segment_count = 1;
        if (!t->loop.zero)
            memset(t->taken, 0, sizeof t->taken);
    }
    tsr__side_add(&t->a, row, a, &x->a_matrix);
    tsr__side_add(&t->b, column, b, &x->b_matrix);
    if (t->loop.zero)
        return;
    t->taken[row][column] = true;
    copy_to_block(block_of_c(t, p), x);
}

/* Can the loop have segments? It has whole columns, its operands lie in no matrix with edges, and what its accumulators begin with does not
 * matter yet. */
static bool may_have_segments(const struct tsr_tile_loop *x)
{
    return x->how & TSR_TILE_GOES_ON && !(x->how & (TSR_TILE_A_EDGES | TSR_TILE_B_EDGES | TSR_TILE_HALF_N)) &&
           (x->zero || x->how & TSR_TILE_FROM_ZERO || is_added(x));
}

static void note_packet(struct tsr__run *run, struct tsr__twice_loops *t, const struct tsr_tile_loop *x)
{
    struct tsr__packet_note *p = &t->packets[t->count++];
    *p = (struct tsr__packet_note){0};
    note_part(t, p, x);
    t->now.is_kept = false;
    if (!keep_operands(t, x, &p->a, &p->b))
        return;
    if (!may_have_segments(x)) {
        place_packet(run, t, p, x, p->a, p->b);
        return;
    }
    t->now.loop = *x;
    t->now.is_kept = true;
    t->now.count = 1;
    t->now.a[0] = (struct tsr__segment){p->a, x->steps};
    t->now.b[0] = (struct tsr__segment){p->b, x->steps};
}

/* Another part of the current packet, that does not go on where the last one has ended. */
static void note_segment(struct tsr__twice_loops *t, const struct tsr_tile_loop *x)
{
    struct tsr__segment *a = &t->now.a[t->now.count], *b = &t->now.b[t->now.count];
    t->now.is_kept = t->now.count < TSR__GRID_MOST_SEGMENTS && tsr__tile_same_shape(&t->now.loop, x) && keep_operands(t, x, &a->at, &b->at);
    if (t->now.is_kept) {
        a->steps = b->steps = x->steps;
        t->now.count++;
    }
}

/* Have the current packet's segments as many steps as those of the others? */
static bool has_same_segments(const struct tsr__twice_loops *t)
{
    bool same = t->now.count == t->segment_count;
    for (uint32_t i = 0; i < t->now.count && same && t->now.count > 1; i++)
        same = t->now.a[i].steps == t->segment_steps[i];
    return same;
}

/* Several segments are what tells the packet's A and B from those of others. */
static void end_packet(struct tsr__run *run, struct tsr__twice_loops *t)
{
    t->is_open = false;
    if (!t->now.is_kept)
        return;
    const char *a = t->now.a[0].at, *b = t->now.b[0].at;
    t->now.is_kept = false;
    const bool first = !t->a.count;
    if (!first && !has_same_segments(t))
        return;
    if (t->now.count > 1) {
        a = tsr__values_keep(&t->values, false, t->now.a, t->now.count * sizeof t->now.a[0]);
        b = tsr__values_keep(&t->values, true, t->now.b, t->now.count * sizeof t->now.b[0]);
        t->values_full = t->values_full || !a || !b;
        if (!a || !b)
            return;
    }
    place_packet(run, t, &t->packets[t->count - 1], &t->now.loop, a, b);
    if (!first || !t->a.count)
        return;
    t->segment_count = t->now.count;
    for (uint32_t i = 0; i < t->now.count; i++)
        t->segment_steps[i] = t->now.a[i].steps;
}

static void forget_packed(struct tsr__twice_loops *t)
{
    for (unsigned i = 0; i < TSR__TWICE_MOST_PACKED; i++)
        t->packed[i].launch = 0;
}

void tsr__tile_twice_begin(struct tsr__run *run, uint64_t across, uint64_t down)
{
    if (!run->twice)
        run->twice = make_twice(run);
    if (!run->twice)
        return;
    for (struct tsr__twice_loops *n = run->twice->loops; n < run->twice->loops + TSR_TILE_LOOPS; n++) {
        n->count = n->next = 0;
        n->is_open = n->now.is_kept = n->is_expected = false;
        n->unexpected = 0;
        tsr__side_forget(&n->a); /* of groups that did not tell enough */
        tsr__side_forget(&n->b);
        if (n->values_full) {
            tsr__values_clear(&n->values);
            forget_packed(n);
            n->values_full = false;
        }
        n->across = across;
        n->down = down;
    }
}

static struct tsr__twice_loops *loops_of(struct tsr__run *run, const struct tsr_tile_loop *x)
{
    return run->twice ? &run->twice->loops[(x->how & TSR_TILE_LOOP_NUMBER) >> TSR_TILE_LOOP_SHIFT] : NULL;
}

bool tsr__tile_twice_may_sample(const struct tsr__run *run, uint64_t across, uint64_t down)
{
    return run->twice && tsr__tile_samples_may_do(run, across, down);
}

void tsr__tile_twice_end_row(struct tsr__run *run)
{
    for (unsigned n = 0; n < TSR_TILE_LOOPS; n++)
        run->twice->loops[n].in_row = run->twice->loops[n].count;
}

bool tsr__tile_twice_expect(struct tsr__run *run, uint64_t across, uint64_t down)
{
    for (unsigned n = 0; n < TSR_TILE_LOOPS; n++)
        end_packet(run, &run->twice->loops[n]);
    return tsr__tile_samples_expect(run, across, down);
}

void tsr__tile_twice_note(struct tsr__run *run, const struct tsr_tile_loop *x)
{
    struct tsr__twice_loops *t = loops_of(run, x);
    if (!t)
        return;
    if (!t->is_open) {
        end_packet(run, t);
        t->is_noted = t->count < TSR__TWICE_MOST_PACKETS;
        if (t->is_noted)
            note_packet(run, t, x);
    } else if (t->is_noted) {
        struct tsr__packet_note *p = &t->packets[t->count - 1];
        const bool longer = goes_on(t, x);
        p->together = p->together && longer;
        if (t->now.is_kept && longer)
            t->now.a[t->now.count - 1].steps = t->now.b[t->now.count - 1].steps += x->steps;
        else if (t->now.is_kept)
            note_segment(t, x);
        note_part(t, p, x);
    }
    t->is_open = x->how & TSR_TILE_GOES_ON;
}

/* ---- launches without a first pass ---- */

/* A kernel may have loops that wait and others for which packets run twice, as at edges of matrices: which of them run, launches show. */
static uint64_t size_of(const struct tsr_launch *launch)
{
    return launch->group.num_groups[0] << 32 | (uint32_t)launch->group.num_groups[1];
}

static void learn_idle(struct tsr_launch *launch, bool idle)
{
    const uint64_t size = idle ? size_of(launch) : 0;
    if (atomic_load_explicit(&launch->entry->idle_launch, memory_order_relaxed) != size)
        atomic_store_explicit(&launch->entry->idle_launch, size, memory_order_relaxed);
}

static void learn_noted(struct tsr__run *run, bool noted)
{
    bool any = atomic_load_explicit(&run->launch->notes_loops, memory_order_relaxed);
    if (noted && !any)
        atomic_store_explicit(&run->launch->notes_loops, any = true, memory_order_relaxed);
    learn_idle(run->launch, !any);
}

bool tsr__tile_twice_is_idle(const struct tsr_launch *launch)
{
    return atomic_load_explicit(&launch->entry->idle_launch, memory_order_relaxed) == size_of(launch);
}

void tsr__tile_twice_missed(struct tsr__run *run)
{
    learn_noted(run, true);
}

/* ---- in between ---- */

/* Rows and columns of operands, those of B with where they are in their matrices. */
struct part {
    uint32_t row, rows, columns;
    const char *const *b, *const *b_right;
    const struct tsr_tile_matrix *b_at;
    const char *const *a; /* of `row` and the ones behind it */
    uint32_t segments;    /* whose operands follow each other in `a` and `b`; 0: there is one */
    uint32_t packed;      /* its place in `packed` */
    int64_t packed_at;    /* … and in `memory` */
};

static void multiply(struct tsr__run *run, struct tsr__twice_loops *t, const struct part *part)
{
    struct tsr_tile_loop x = t->loop;
    x.how &= ~(uint64_t)TSR_TILE_HALF_N;
    struct tsr__tile_grid grid = {.loop = &x,
                                  .rows = part->rows,
                                  .columns = part->columns,
                                  .a = part->a,
                                  .b = part->b,
                                  .b_right = t->b.has_right ? part->b_right : NULL,
                                  .a_at = x.how & TSR_TILE_A_EDGES ? t->a.in + part->row : NULL,
                                  .b_at = x.how & TSR_TILE_B_EDGES ? part->b_at : NULL,
                                  .to = t->to,
                                  .segment_steps = t->segment_steps,
                                  .segments = part->segments,
                                  .memory = t->memory,
                                  .packed_at = part->packed_at};
    tsr__packed_b_multiply(&t->packed[part->packed], run, &grid);
}

/* Of loops of 8 columns two make a tile: first those that lie beside each other in B, then any two; the last one may run alone. The grid's
 * columns are the pairs then. C that is in its place already stays there. Answers how many pairs there are. */
static uint32_t pair_columns(struct tsr__twice_loops *t, struct tsr__grids *g)
{
    const uint32_t neighbours = tsr__side_pair(&t->b, tsr__loop_b_beside(&t->loop), g->column);
    uint32_t pairs = neighbours + (t->b.count - 2 * neighbours) / 2;
    for (uint32_t i = 0; i < t->b.count && !t->loop.zero; i++)
        if (g->column[i] != i && g->column[i] / 2 < pairs)
            pairs = g->column[i] / 2;
    tsr__grids_order(g, &t->b, t->b.count, g->column);
    for (uint32_t i = 0; i < t->count; i++) {
        struct tsr__packet_note *p = &t->packets[i];
        p->together = p->together && g->column[p->column] / 2 < pairs;
        if (p->together)
            p->column = g->column[p->column];
    }
    for (uint32_t i = 0; i < pairs; i++) {
        t->b.right[i] = t->b.at[2 * i + 1];
        t->b.at[i] = t->b.at[2 * i];
    }
    t->b.has_right = pairs > neighbours;
    return pairs;
}

/* Blocks with many rows read a packed B where it lies about as fast, and C takes no detour. */
static bool is_better_alone(const struct tsr_tile_loop *x)
{
    return x->tile_rows == TSR_TILE_ROWS && x->rows > 1 && !tsr__is_in_tiles(x) && x->steps < TSR__TWICE_STEPS && !x->apart &&
           tsr__tile_lies_ready(x);
}

static const char *operand_of_packet(const void *twice, uint32_t packet, bool is_b)
{
    const struct tsr__packet_note *p = &((const struct tsr__twice_loops *)twice)->packets[packet];
    return is_b ? p->b : p->a;
}

/* Which of the noted loops can be done together: those with as many steps as the first one. Answers how many. */
static uint32_t count_together(struct tsr__twice_loops *t)
{
    uint32_t together = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        struct tsr__packet_note *p = &t->packets[i];
        if (p->together && !together)
            t->loop.steps = p->steps;
        p->together = p->together && p->steps == t->loop.steps;
        together += p->together;
    }
    return together;
}

static void find_operands_of_segment(const char **to, const char *const *of, uint32_t count, uint32_t segment)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = ((const struct tsr__segment *)of[i])[segment].at;
}

/* All segments, each of which adds to what the ones before have left in C. */
static void multiply_segments(struct tsr__run *run, struct tsr__twice_loops *t, struct part part)
{
    const char *const *all_a = part.a, *const *all_b = part.b;
    const struct tsr_tile_loop all = t->loop;
    part.a = t->of_segment[0];
    part.b = t->of_segment[1];
    if (tsr__is_in_tiles(&t->loop) && tsr__tile_grid_fits(&t->loop) && t->segment_count * part.rows <= TSR__MOST_SIDE &&
        t->segment_count * part.columns <= TSR__MOST_SIDE) {
        for (uint32_t i = 0; i < t->segment_count; i++) {
            find_operands_of_segment(t->of_segment[0] + i * part.rows, all_a, part.rows, i);
            find_operands_of_segment(t->of_segment[1] + i * part.columns, all_b, part.columns, i);
        }
        part.segments = t->segment_count;
        multiply(run, t, &part);
        return;
    }
    for (uint32_t i = 0; i < t->segment_count; i++) {
        find_operands_of_segment(t->of_segment[0], all_a, part.rows, i);
        find_operands_of_segment(t->of_segment[1], all_b, part.columns, i);
        t->loop.steps = t->segment_steps[i];
        t->loop.zero = all.zero && !i;
        multiply(run, t, &part);
    }
    t->loop.steps = all.steps;
    t->loop.zero = all.zero;
}

/* The loops in rows and columns of the grid, or in pairs of columns. */
static void multiply_part(struct tsr__run *run, struct tsr__twice_loops *t, struct part part, uint32_t column)
{
    const uint32_t in_tile = tsr__columns_in_tile(&t->loop);
    memset(t->to, 0, (size_t)part.rows * part.columns * sizeof t->to[0]);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct tsr__packet_note *p = &t->packets[i];
        if (p->together && p->row >= part.row && p->row < part.row + part.rows)
            t->to[(p->row - part.row) * part.columns + p->column / in_tile - column] =
                block_of_c(t, p) - p->column % in_tile * tsr__loop_c_bytes(&t->loop);
    }
    part.a = t->a.at + part.row;
    if (part.rows && part.columns && t->segment_count > 1)
        multiply_segments(run, t, part);
    else if (part.rows && part.columns)
        multiply(run, t, &part);
}

/* Are there several grids, which have `together` loops in all? C that is in its place already stays there. */
static bool find_grids(struct tsr__twice_loops *t, struct tsr__grids *g, uint32_t together)
{
    if (!t->loop.zero || together == t->a.count * t->columns * tsr__columns_in_tile(&t->loop))
        return false;
    tsr__grids_begin(g, t->a.count, t->columns);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->packets[i].together)
            tsr__grids_add(g, t->packets[i].row, t->packets[i].column / tsr__columns_in_tile(&t->loop));
    return tsr__grids_end(g);
}

/* Do the packed B of all grids have room beside each other? Then each is packed once for all parts of a block under each other. */
static bool may_stay_packed(const struct tsr__twice_loops *t, const struct tsr__grids *g)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < g->count; i++)
        bytes += tsr__tile_grid_packed_bytes(&t->loop, g->column_begin[i + 1] - g->column_begin[i]);
    return g->count <= TSR__TWICE_MOST_PACKED && !t->loop.apart && t->segment_count == 1 && bytes <= (int64_t)tsr__tile_grid_best_b();
}

/* How many grids have their B in `memory` from now on: those of another number of them are not where these are looked for. */
static void have_packed(struct tsr__twice_loops *t, uint32_t count)
{
    if (count != t->packed_count)
        forget_packed(t);
    t->packed_count = count;
}

static void multiply_grids(struct tsr__run *run, struct tsr__twice_loops *t, struct tsr__grids *g)
{
    const uint32_t in_tile = tsr__columns_in_tile(&t->loop);
    tsr__grids_order(g, &t->a, t->a.count, g->row);
    tsr__grids_order(g, &t->b, t->columns, g->column);
    for (uint32_t i = 0; i < t->count; i++) {
        struct tsr__packet_note *p = &t->packets[i];
        if (p->together) {
            p->row = g->row[p->row];
            p->column = (uint16_t)(g->column[p->column / in_tile] * in_tile + p->column % in_tile);
        }
    }
    struct part part = {0};
    const bool stay_packed = may_stay_packed(t, g);
    have_packed(t, stay_packed ? g->count : 1);
    for (uint32_t i = 0; i < g->count; i++) {
        const uint32_t column = g->column_begin[i];
        part.row = g->row_begin[i];
        part.rows = g->row_begin[i + 1] - part.row;
        part.columns = g->column_begin[i + 1] - column;
        part.b = t->b.at + column;
        part.b_right = t->b.right + column;
        part.b_at = t->b.in + column;
        multiply_part(run, t, part, column);
        part.packed += stay_packed;
        part.packed_at += stay_packed ? tsr__tile_grid_packed_bytes(&t->loop, part.columns) : 0;
    }
}

static void multiply_one(struct tsr__run *run, struct tsr__twice_loops *t)
{
    have_packed(t, 1);
    multiply_part(run, t, (struct part){.rows = t->a.count, .columns = t->columns, .b = t->b.at, .b_right = t->b.right, .b_at = t->b.in},
                  0);
}

static void multiply_all(struct tsr__run *run, struct tsr__twice_loops *t)
{
    end_packet(run, t);
    t->columns = is_narrow(&t->loop) ? pair_columns(t, &run->twice->grids) : t->b.count;
    const uint32_t together = count_together(t);
    if (t->a.count) {
        t->loop.to_stride = t->loop.columns * TSR_TILE_ROW_BYTES;
        t->loop.past = 0;
        tsr__tile_loops_learn(run, &t->loop);
        tsr__tile_loops_learn_row(run, t->count, operand_of_packet, t);
    }
    const bool alone = together && is_better_alone(&t->loop),
               shares = !alone && tsr__tile_is_dense(together, t->a.count, t->columns * tsr__columns_in_tile(&t->loop)) &&
                        (t->loop.apart || !tsr__tile_few_rows(&t->loop, t->a.count));
    if (alone)
        tsr__tile_shares_nothing(run);
    if (shares && find_grids(t, &run->twice->grids, together))
        multiply_grids(run, t, &run->twice->grids);
    else if (shares)
        multiply_one(run, t);
    for (uint32_t i = 0; i < t->count && !shares; i++)
        t->packets[i].together = false;
    t->alone = shares || alone || !t->count ? 0 : t->alone + 1;
    if (t->alone >= TSR__MOST_ALONE)
        tsr__tile_shares_nothing(run);
    tsr__side_forget(&t->a);
    tsr__side_forget(&t->b);
    t->next = 0;
    t->is_open = false;
}

void tsr__tile_twice_multiply(struct tsr__run *run)
{
    if (!run->twice)
        return;
    learn_noted(run, run->twice->loops[0].count);
    for (struct tsr__twice_loops *n = run->twice->loops; n < run->twice->loops + TSR_TILE_LOOPS; n++)
        if (n->count)
            multiply_all(run, n);
}

/* ---- the second time ---- */

void tsr__tile_sums_apart(const struct tsr_tile_loop *x, const char *at, int64_t far, int64_t row)
{
    enum { PART = TSR_TILE_ROW_BYTES / 2, PARTS = TSR_TILE_BYTES / PART };
    for (int64_t i = 0; i < x->rows * x->columns; i++) {
        const char *tile = at ? at + i / x->columns * x->tile_rows * row + i % x->columns * TSR_TILE_ROW_BYTES : NULL;
        for (int64_t k = 0; k < PARTS; k++) {
            const char *part = at ? tile + k / 2 * row + k % 2 * PART : NULL;
            const int64_t answer[] = {(int64_t)(uintptr_t)part, far, row, 0};
            memcpy((char *)x->c[i] + k * PART, answer, sizeof answer);
        }
    }
}

/* Fetches the first rows of the next packet's results, from the second cache. */
static void fetch_ahead(const char *c, const struct tsr_tile_loop *x)
{
    enum { MOST = 8 };
    const int64_t lines = tsr__loop_rows(x) * x->columns;
    for (int64_t i = 0; i < lines && i < MOST; i++)
        __builtin_prefetch(c + i * TSR_TILE_ROW_BYTES);
}

/* The note of the packet that comes next, if the others' product has its results. */
static const struct tsr__packet_note *next_noted(struct tsr__twice_loops *t, const struct tsr_tile_loop *x)
{
    const struct tsr__packet_note *p = t->next < t->count ? &t->packets[t->next++] : NULL;
    return p && p->together && tsr__is_operand(x, false, p->a) && tsr__is_operand(x, true, p->b) ? p : NULL;
}

bool tsr__tile_twice_take(struct tsr__run *run, const struct tsr_tile_loop *x)
{
    struct tsr__twice_loops *t = loops_of(run, x);
    if (!t)
        return false;
    if (t->is_open) { /* the first part has got all */
        bool has = t->parts_left > 0;
        t->parts_left -= has;
        return has;
    }
    t->is_open = x->how & TSR_TILE_GOES_ON;
    t->parts_left = 0;
    const struct tsr__packet_note *p = t->is_expected ? tsr__tile_samples_expected(run, t, x) : next_noted(t, x);
    if (!p)
        return false;
    if (x->apart) {
        const int64_t row = x->columns * TSR_TILE_ROW_BYTES;
        tsr__tile_sums_apart(x, block_of_c(t, p), tsr__loop_rows(x) * row, row);
        return true;
    }
    fetch(block_of_c(t, p), x);
    if (t->next < t->count && t->packets[t->next].together)
        fetch_ahead(block_of_c(t, &t->packets[t->next]), x);
    t->parts_left = p->parts - 1;
    return true;
}

uint32_t tsr__tile_first(struct tsr_item *item)
{
    struct tsr__run *run = ((struct tsr__work_item *)item)->run;
    for (unsigned n = 0; run->twice && n < TSR_TILE_LOOPS; n++) {
        if (run->pass == TSR__FIRST_PASS)
            end_packet(run, &run->twice->loops[n]);
        run->twice->loops[n].is_open = false;
    }
    return run->pass == TSR__FIRST_PASS;
}
