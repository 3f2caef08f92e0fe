/* SPDX-License-Identifier: Apache-2.0
 * Loops over K that wait for those of other work-groups, to be done together (tiles_grid.c).
 *
 * A worker runs the packets of its work-groups one after the other. A loop that may wait only leaves a note of its operands and of where
 * its results go. A note joins the others if it has an A or a B that is there already, and the shape that all have. When one does not join,
 * when the notes are many, and behind the worker's last group, the loops that wait are done. */
#include <string.h>

#include "device-amx/cpu.h"
#include "device-amx/tiles_share.h"

enum {
    MOST_PLACES = 1 << 16, /* of a grid */
    LEAST_ROWS = 128,      /* of loops with the same packed B, for which packing it again pays */
};

struct tsr__tile_share {
    struct tsr_tile_loop loop; /* the first one */
    struct range {
        const char *begin, *end;
    } reach[3]; /* from the lowest to the highest byte of its A, B and C, edges apart */
    uint32_t count, alone;
    struct tsr__side a, b;
    struct tsr__places places; /* with TSR_TILE_IN_ORDER */
    struct note {
        uint16_t row, column;
        char *to;
    } notes[MOST_PLACES];
    char *to[MOST_PLACES];
    char *pairs[MOST_PLACES / 2];
    const char *first[TSR__MOST_SIDE / 2]; /* B of each pair */
    struct tsr__grids grids;               /* of `first`, or of B */
    int32_t row_at[TSR__MOST_SIDE];        /* where the place of a row's first column would be in `to` */
    struct tsr__packed_b packed_b;         /* in `memory` */
    struct tsr__values values;             /* of operands that are computed, of packed_b, too */
    _Alignas(TSR_TILE_ROW_BYTES) char memory[TSR__GRID_BYTES];
    _Alignas(TSR_TILE_ROW_BYTES) char tiles[TSR_TILE_LOOP_MAX][TSR_TILE_BYTES];
    _Alignas(TSR_TILE_ROW_BYTES) char packed[TSR_TILE_PACKED_BYTES];
    _Alignas(TSR_TILE_ROW_BYTES) char operands[2 * TSR_TILE_OPERAND_BYTES];
};

/* ---- operands ---- */

static uint16_t *slot_of(struct tsr__side *s, const char *at)
{
    uint32_t i = (uint32_t)(((uintptr_t)at * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % TSR__SIDE_HASH;
    while (s->number[i] && s->at[s->number[i] - 1] != at)
        i = (i + 1) % TSR__SIDE_HASH;
    return &s->number[i];
}

/* Mostly it is the same as the last one's, or the one behind it. */
uint32_t tsr__side_find(struct tsr__side *s, const char *at)
{
    for (uint32_t i = s->last; i < s->last + 2; i++)
        if (i < s->count && s->at[i] == at)
            return i;
    uint16_t number = *slot_of(s, at);
    return number ? number - 1u : s->count;
}

void tsr__side_add(struct tsr__side *s, uint32_t number, const char *at, const struct tsr_tile_matrix *in)
{
    if (number == s->count) {
        s->in[number] = *in;
        s->slot[number] = slot_of(s, at);
        *s->slot[number] = (uint16_t)(number + 1);
        s->at[s->count++] = at;
    }
    s->last = number;
}

void tsr__side_forget(struct tsr__side *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        *s->slot[i] = 0;
    s->count = s->last = 0;
    s->has_right = false;
}

/* ---- who overlaps ---- */

static void widen(struct range *x, int64_t count, int64_t distance)
{
    int64_t far = (count - 1) * distance;
    x->begin += far < 0 ? far : 0;
    x->end += far > 0 ? far : 0;
}

static bool overlap(struct range x, struct range y)
{
    return x.begin < y.end && y.begin < x.end;
}

/* What of the range is in the matrix in which `at` is. */
static void clip(struct range *x, const char *at, int64_t stride, const struct tsr_tile_matrix *in)
{
    const char *base = at - in->y * stride - in->x, *end = base + (in->height - 1) * stride + in->width;
    if (stride < 0)
        return;
    if (in->height <= 0 || in->width <= 0)
        end = base;
    x->begin = x->begin < base ? base : x->begin;
    x->end = x->end > end ? end : x->end;
}

/* Of the ranges where A, B and C begin, those of all that the loops have of them; of operands that are computed no more than their values,
 * as what these read is known to be apart from C. */
static void extend(const struct tsr_tile_loop *x, struct range *of_a, struct range *of_b, struct range *of_c)
{
    const int64_t words = tsr__loop_words(x);
    struct range a = *of_a, b = *of_b, c = *of_c;
    a.end += 4 * words;
    b.end += tsr__loop_b_bytes(x);
    c.end += tsr__loop_c_bytes(x);
    widen(&a, x->tile_rows, x->a_stride);
    widen(&a, x->rows, x->a_next);
    widen(&a, x->steps, x->a_step);
    widen(&b, tsr__loop_b_rows(x), x->b_stride);
    widen(&b, x->columns, x->b_next);
    widen(&b, x->steps, x->b_step);
    widen(&c, tsr__loop_rows(x), x->to_stride);
    *of_a = a;
    *of_b = b;
    *of_c = c;
}

/* C must not change while A and B are read. The ranges are where each of the three begins, in one loop or in many. */
static bool is_apart(const struct tsr_tile_loop *x, struct range a, struct range b, struct range c)
{
    extend(x, &a, &b, &c);
    if (x->how & TSR_TILE_A_EDGES)
        clip(&a, x->a, x->a_stride, &x->a_matrix);
    if (x->how & TSR_TILE_B_EDGES)
        clip(&b, x->b, x->b_stride, &x->b_matrix);
    return !overlap(a, c) && !overlap(b, c);
}

static void include(struct range *x, const char *at)
{
    x->begin = at < x->begin ? at : x->begin;
    x->end = at > x->end ? at : x->end;
}

static bool all_are_apart(const struct tsr__tile_share *s)
{
    struct range a = {s->a.at[0], s->a.at[0]}, b = {s->b.at[0], s->b.at[0]}, c = {s->notes[0].to, s->notes[0].to};
    for (uint32_t i = 0; i < s->a.count; i++)
        include(&a, s->a.at[i]);
    for (uint32_t i = 0; i < s->b.count; i++)
        include(&b, s->b.at[i]);
    for (uint32_t i = 0; i < s->count; i++)
        include(&c, s->notes[i].to);
    return is_apart(&s->loop, a, b, c);
}

/* ---- doing them ---- */

static bool is_packed(const struct tsr__packed_b *p, const struct tsr__run *run, const struct tsr__tile_grid *g)
{
    const size_t count = (size_t)g->columns, all = g->segments ? g->segments * count : count;
    return p->launch == run->launch->blocks.launch && p->count == g->columns && tsr__tile_same_shape(&p->loop, g->loop) &&
           p->loop.steps == g->loop->steps && p->packed_at == g->packed_at && p->segments == g->segments &&
           (!g->segments || !memcmp(p->segment_steps, g->segment_steps, g->segments * sizeof p->segment_steps[0])) &&
           !memcmp(p->at, g->b, all * sizeof p->at[0]) && (!g->b_at || !memcmp(p->in, g->b_at, count * sizeof p->in[0])) &&
           p->is_of_pairs == (g->b_right != NULL) && (!g->b_right || !memcmp(p->right, g->b_right, count * sizeof p->right[0]));
}

void tsr__packed_b_multiply(struct tsr__packed_b *p, const struct tsr__run *run, struct tsr__tile_grid *g)
{
    if (tsr__tile_is_thin(g)) {
        tsr__tile_thin_multiply(g);
        return;
    }
    g->has_packed_b = is_packed(p, run, g);
    const bool turns = !g->has_packed_b && tsr__tile_may_turn(g);
    g->b_in_place = turns || (!g->has_packed_b && tsr__tile_may_load_b(g));
    tsr__tile_grid_multiply(g);
    if (turns)
        p->launch = 0; /* A was packed in place of B */
    if (g->has_packed_b || g->b_in_place)
        return;
    p->launch = run->launch->blocks.launch;
    p->loop = *g->loop;
    p->count = g->columns;
    p->packed_at = g->packed_at;
    p->segments = g->segments;
    if (g->segments)
        memcpy(p->segment_steps, g->segment_steps, g->segments * sizeof p->segment_steps[0]);
    memcpy(p->at, g->b, (size_t)g->columns * (g->segments ? g->segments : 1) * sizeof p->at[0]);
    p->is_of_pairs = g->b_right;
    if (g->b_at)
        memcpy(p->in, g->b_at, (size_t)g->columns * sizeof p->in[0]);
    if (g->b_right)
        memcpy(p->right, g->b_right, (size_t)g->columns * sizeof p->right[0]);
}

/* Rows and columns of the notes' grid, from these on. */
static struct tsr__tile_grid grid_of(struct tsr__tile_share *s, uint32_t row, uint32_t rows, const char *const *b, uint32_t columns,
                                     char *const *to)
{
    return (struct tsr__tile_grid){.loop = &s->loop,
                                   .rows = rows,
                                   .columns = columns,
                                   .a = s->a.at + row,
                                   .b = b,
                                   .a_at = s->loop.how & TSR_TILE_A_EDGES ? s->a.in + row : NULL,
                                   .b_at = s->loop.how & TSR_TILE_B_EDGES ? s->b.in + (b - s->b.at) : NULL,
                                   .to = to,
                                   .memory = s->memory};
}

/* Of 8 columns. */
static void run_narrow(struct tsr__run *run, struct tsr_tile_loop *x, char *to)
{
    tsr__tile_loop_at_edges(&run->items->item, x);
    for (int64_t r = 0; r < x->tile_rows; r++)
        memcpy(to + r * x->to_stride, (char *)x->c[0] + r * TSR_TILE_ROW_BYTES, (size_t)tsr__loop_c_bytes(x));
}

/* One after the other, in the order in which they came: each may write what the next one reads. */
static void run_alone(struct tsr__run *run, struct tsr__tile_share *s, uint32_t count)
{
    struct tsr_tile_loop x = s->loop;
    x.packed = s->packed;
    x.operands = s->operands;
    x.past = x.past && !(x.how & TSR_TILE_HALF_N);
    for (uint32_t i = 0; i < x.rows * x.columns; i++)
        x.c[i] = s->tiles[i];
    for (uint32_t i = 0; i < count; i++) {
        const struct note *note = &s->notes[i];
        x.a = s->a.at[note->row];
        x.b = s->b.at[note->column];
        x.to = note->to;
        struct tsr__tile_grid grid = grid_of(s, note->row, 1, s->b.at + note->column, 1, &x.to);
        bool in_grid = tsr__is_in_tiles(&x) && !tsr__loads_tiles_in_place(&x);
        if (x.how & TSR_TILE_HALF_N)
            run_narrow(run, &x, note->to);
        else if (in_grid || x.tile_rows < TSR_TILE_ROWS || x.how & (TSR_TILE_A_EDGES | TSR_TILE_B_EDGES) || tsr__is_computed(&x)) {
            s->packed_b.launch = 0;
            tsr__tile_grid_multiply(&grid);
        } else
            tsr__tile_loop_now(&run->items->item, &x);
    }
}

/* Pairs begin with each operand that has none in front of it. */
uint32_t tsr__side_pair(struct tsr__side *s, int64_t bytes, uint16_t *number)
{
    uint32_t pairs = 0, single = s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        if (tsr__side_find(s, s->at[i] - bytes) < s->count)
            continue;
        uint32_t first = i, second;
        while (first < s->count && (second = tsr__side_find(s, s->at[first] + bytes)) < s->count) {
            number[first] = (uint16_t)(2 * pairs);
            number[second] = (uint16_t)(2 * pairs++ + 1);
            first = tsr__side_find(s, s->at[second] + bytes);
        }
        if (first < s->count)
            number[first] = (uint16_t)--single;
    }
    return pairs;
}

/* Gives columns new numbers. */
static void order_columns(struct tsr__tile_share *s, const uint16_t *number)
{
    tsr__grids_order(&s->grids, &s->b, s->b.count, number);
    for (uint32_t i = 0; i < s->count; i++)
        s->notes[i].column = number[s->notes[i].column];
}

/* Of columns of 8 the pairs come first. Answers how many columns of tiles there are. */
static uint32_t pair_columns(struct tsr__tile_share *s)
{
    if (tsr__columns_in_tile(&s->loop) == 1)
        return s->b.count;
    const uint32_t pairs = tsr__side_pair(&s->b, tsr__loop_b_beside(&s->loop), s->grids.column);
    order_columns(s, s->grids.column);
    return pairs;
}

/* Gives rows and columns new numbers, in which those of a grid follow each other; `columns`: of tiles. */
static void find_grids(struct tsr__tile_share *s, uint32_t columns)
{
    struct tsr__grids *g = &s->grids;
    const uint32_t in_tile = tsr__columns_in_tile(&s->loop);
    tsr__grids_begin(g, s->a.count, columns);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->notes[i].column / in_tile < columns)
            tsr__grids_add(g, s->notes[i].row, s->notes[i].column / in_tile);
    tsr__grids_end(g);
    for (uint32_t i = s->b.count; i-- > 0;)
        g->column[i] = (uint16_t)(i / in_tile < columns ? g->column[i / in_tile] * in_tile + i % in_tile : i);
    order_columns(s, g->column);
    tsr__grids_order(g, &s->a, s->a.count, g->row);
    for (uint32_t i = 0; i < s->count; i++)
        s->notes[i].row = g->row[s->notes[i].row];
    for (uint32_t i = 0; i < columns && in_tile > 1; i++)
        s->first[i] = s->b.at[2 * i];
}

/* The grids' rows in `to`, one grid behind the other. Answers how many places there are. */
static uint32_t lay_out_rows(struct tsr__tile_share *s)
{
    const struct tsr__grids *g = &s->grids;
    const uint32_t in_tile = tsr__columns_in_tile(&s->loop);
    uint32_t places = 0;
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t row = g->row_begin[i]; row < g->row_begin[i + 1]; row++) {
            s->row_at[row] = (int32_t)places - (int32_t)(g->column_begin[i] * in_tile);
            places += (g->column_begin[i + 1] - g->column_begin[i]) * in_tile;
        }
    return places;
}

/* Multiplies all grids, whose C lies where these say. */
static void run_grids(struct tsr__run *run, struct tsr__tile_share *s, char *const *to)
{
    const struct tsr__grids *g = &s->grids;
    const char *const *b = to == s->pairs ? s->first : s->b.at;
    for (uint32_t i = 0; i < g->count; i++) {
        const uint32_t rows = g->row_begin[i + 1] - g->row_begin[i], columns = g->column_begin[i + 1] - g->column_begin[i];
        struct tsr__tile_grid grid = grid_of(s, g->row_begin[i], rows, b + g->column_begin[i], columns, to);
        if (rows && columns)
            tsr__packed_b_multiply(&s->packed_b, run, &grid);
        to += rows * columns;
    }
}

/* Two columns of a grid that lie beside each other, in B and in C, are one tile's. Answers how many notes are left. */
static uint32_t run_in_pairs(struct tsr__run *run, struct tsr__tile_share *s, uint32_t places)
{
    const struct tsr_tile_loop half = s->loop;
    uint32_t later = 0;
    bool fill_lines = true;
    for (uint32_t i = 0; i < places / 2; i++) {
        char **first = &s->to[2 * i];
        s->pairs[i] = first[0] && first[1] == first[0] + tsr__loop_c_bytes(&half) ? first[0] : NULL;
        fill_lines = fill_lines && (uintptr_t)s->pairs[i] % TSR_TILE_ROW_BYTES == 0;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const struct note n = s->notes[i];
        const char *pair = n.column < 2 * s->grids.columns ? s->pairs[(s->row_at[n.row] + n.column) / 2] : NULL;
        if (!pair || n.to != pair + n.column % 2 * tsr__loop_c_bytes(&half))
            s->notes[later++] = n;
    }
    s->loop.how &= ~(uint64_t)TSR_TILE_HALF_N;
    s->loop.past = half.past && fill_lines;
    run_grids(run, s, s->pairs);
    s->loop.how = half.how;
    s->loop.past = half.past;
    return later;
}

/* Loops with the same A and the same B, but another C, are in grids of their own. */
static void run_together(struct tsr__run *run, struct tsr__tile_share *s)
{
    find_grids(s, pair_columns(s));
    const bool narrow = tsr__columns_in_tile(&s->loop) > 1;
    const uint32_t places = lay_out_rows(s);
    for (uint32_t count = s->count, later; count; count = later) {
        memset(s->to, 0, places * sizeof s->to[0]);
        later = 0;
        for (uint32_t i = 0; i < count; i++) {
            const struct note note = s->notes[i];
            char **place = &s->to[s->row_at[note.row] + note.column];
            if (narrow && note.column >= 2 * s->grids.columns)
                continue;
            if (*place && !narrow)
                s->notes[later++] = note;
            else
                *place = note.to;
        }
        if (narrow)
            run_alone(run, s, run_in_pairs(run, s, places));
        else
            run_grids(run, s, s->to);
    }
}

static void learn(_Atomic uint32_t *known, uint32_t value)
{
    if (atomic_load_explicit(known, memory_order_relaxed) != value)
        atomic_store_explicit(known, value, memory_order_relaxed);
}

void tsr__tile_loops_learn(struct tsr__run *run, const struct tsr_tile_loop *x)
{
    const uint32_t known[] = {x ? (uint32_t)(tsr__loop_c_bytes(x) / 4) : TSR__LOOPS_DO_NOT_WAIT,
                              x ? (uint32_t)tsr__loop_rows(x) : TSR__LOOPS_DO_NOT_WAIT,
                              x ? (uint32_t)(x->steps * tsr__loop_words(x) * 4) : 0};
    for (unsigned i = 0; i < TSR_ARRAY_LEN(known); i++)
        learn(&run->launch->entry->loop_size[i], known[i]);
    learn(&run->launch->entry->loop_size[5], x ? (uint32_t)tsr__loop_sums(x) : 0);
    learn(&run->launch->entry->loop_size[6], x ? (uint32_t)(tsr__tile_grid_packed_bytes(x, 2) / (2 * TSR__TILE_WORDS * x->columns)) : 0);
    learn(&run->launch->entry->repeats_loops, x && x->how & TSR_TILE_IN_ORDER);
}

static uint32_t count_operands(uint32_t loops, const char *(*operand_of)(const void *, uint32_t, bool), const void *notes, bool is_b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < loops; i++) {
        uint32_t same = 0;
        while (operand_of(notes, same, is_b) != operand_of(notes, i, is_b))
            same++;
        count += same == i;
    }
    return count;
}

void tsr__tile_loops_learn_row(struct tsr__run *run, uint32_t loops, const char *(*operand_of)(const void *notes, uint32_t loop, bool is_b),
                               const void *notes)
{
    const uint32_t in_row = (uint32_t)(run->group.local_size[0] / run->group.sub_group_size);
    if (!in_row || in_row > loops)
        return;
    const uint32_t rows = count_operands(in_row, operand_of, notes, false), columns = count_operands(in_row, operand_of, notes, true);
    if (in_row % columns)
        return;
    learn(&run->launch->entry->loop_size[3], in_row / columns);
    learn(&run->launch->entry->loop_size[4], rows * columns % in_row ? 1 : rows * columns / in_row);
}

static const char *operand_of_note(const void *share, uint32_t loop, bool is_b)
{
    const struct tsr__tile_share *s = share;
    return is_b ? s->b.at[s->notes[loop].column] : s->a.at[s->notes[loop].row];
}

static void flush(struct tsr__run *run)
{
    struct tsr__tile_share *s = run->share;
    if (!s->count)
        return;
    const struct tsr_tile_loop *x = &s->loop;
    bool shares = !tsr__tile_few_rows(x, s->a.count) && tsr__tile_is_dense(s->count, s->a.count, s->b.count);
    if (!shares || !all_are_apart(s))
        run_alone(run, s, s->count);
    else
        run_together(run, s);
    if (shares || atomic_load_explicit(&run->launch->entry->loop_size[0], memory_order_relaxed) != TSR__LOOPS_DO_NOT_WAIT)
        tsr__tile_loops_learn(run, x);
    if (shares)
        tsr__tile_loops_learn_row(run, s->count, operand_of_note, s);
    s->alone = shares ? 0 : s->alone + 1;
    s->count = 0;
    if (x->how & TSR_TILE_IN_ORDER) /* the packet may store to B next */
        s->packed_b.launch = 0;
    tsr__side_forget(&s->a);
    tsr__side_forget(&s->b);
}

/* ---- collecting them ---- */

bool tsr__tile_same_shape(const struct tsr_tile_loop *x, const struct tsr_tile_loop *y)
{
    return x->a_stride == y->a_stride && x->b_stride == y->b_stride && x->a_step == y->a_step && x->b_step == y->b_step &&
           x->a_next == y->a_next && x->b_next == y->b_next && x->rows == y->rows && x->columns == y->columns &&
           x->tile_rows == y->tile_rows && x->apart == y->apart && x->how == y->how && x->to_stride == y->to_stride &&
           x->a_code == y->a_code && x->b_code == y->b_code && x->a_bytes == y->a_bytes && x->b_bytes == y->b_bytes;
}

/* Is it in the same matrix as the others of the side, and if it is one of them, at the same place there? Addresses alone do not say that.
 */
static bool same_matrix(const struct tsr__side *s, uint32_t number, const char *at, int64_t stride, const struct tsr_tile_matrix *in)
{
    const struct tsr_tile_matrix *first = &s->in[0];
    if (number < s->count && (s->in[number].x != in->x || s->in[number].y != in->y))
        return false;
    return first->width == in->width && first->height == in->height &&
           s->at[0] - first->y * stride - first->x == at - in->y * stride - in->x;
}

bool tsr__tile_same_matrices(const struct tsr__side *a, const struct tsr__side *b, const struct tsr_tile_loop *x, uint32_t row,
                             uint32_t column)
{
    return (!(x->how & TSR_TILE_A_EDGES) || same_matrix(a, row, x->a, x->a_stride, &x->a_matrix)) &&
           (!(x->how & TSR_TILE_B_EDGES) || same_matrix(b, column, x->b, x->b_stride, &x->b_matrix));
}

/* Can it join the others, with its operands at this row and column of their grid? It need not have an operand that is there already if the
 * packet comes to the loop again, since it may go through its tiles in any order, or if products follow each other in z of work-groups. */
static bool joins(const struct tsr__run *run, const struct tsr__tile_share *s, const struct tsr_tile_loop *x, uint32_t row, uint32_t column)
{
    const bool new_row = row == s->a.count, new_column = column == s->b.count,
               many_grids = x->how & TSR_TILE_IN_ORDER || run->group.local_size[2] > 1;
    return tsr__tile_same_matrices(&s->a, &s->b, x, row, column) && tsr__tile_same_shape(&s->loop, x) && s->loop.steps == x->steps &&
           (!(new_row && new_column) || many_grids) && s->count < MOST_PLACES && row < TSR__MOST_SIDE && column < TSR__MOST_SIDE &&
           (s->a.count + new_row) * (s->b.count + new_column) <= MOST_PLACES;
}

/* Notes where its C lies, if that matters. False: it may overlap another one's. */
static bool find_place(struct tsr__tile_share *s, const struct tsr_tile_loop *x, uint32_t row, uint32_t column)
{
    return !(x->how & TSR_TILE_IN_ORDER) ||
           tsr__places_add(&s->places, x, (struct tsr__spot){row, s->a.count}, (struct tsr__spot){column, s->b.count});
}

static struct tsr__tile_share *make_share(struct tsr__run *run)
{
    struct tsr__tile_share *s = tsr_worker_scratch(run->seat, TSR__SCRATCH_SHARE, sizeof *s);
    if (s) {
        s->count = s->alone = 0;
        tsr__side_clear(&s->a);
        tsr__side_clear(&s->b);
        tsr__values_begin(&s->values, run->launch->blocks.launch);
    }
    return s;
}

/* Is B best read where it is, in panels as a program packs them for itself, by blocks with many rows? */
static bool is_packed_already(const struct tsr_tile_loop *x)
{
    return x->tile_rows == TSR_TILE_ROWS && x->rows > 1 && x->columns > 1 && !(x->how & (TSR_TILE_B_UNPACKED | TSR_TILE_NIBBLES)) &&
           !tsr__is_in_tiles(x) && x->b_stride > 0 && x->b_stride <= 2 * TSR_TILE_ROW_BYTES;
}

bool tsr__tile_loop_may_share(struct tsr__run *run, const struct tsr_tile_loop *x)
{
    if (run->shares && is_packed_already(x)) {
        tsr__tile_loops_learn(run, NULL);
        run->shares = false; /* all loops of the kernel are alike, as a rule */
    }
    return run->shares && !atomic_load_explicit(&run->launch->shares_nothing, memory_order_relaxed);
}

bool tsr__tile_lies_ready(const struct tsr_tile_loop *x)
{
    return !(x->how & (TSR_TILE_B_UNPACKED | TSR_TILE_NIBBLES | TSR_TILE_A_EDGES | TSR_TILE_B_EDGES)) && !tsr__is_computed(x);
}

bool tsr__tile_few_rows(const struct tsr_tile_loop *x, uint32_t rows)
{
    return x->tile_rows == TSR_TILE_ROWS && !tsr__is_in_tiles(x) && tsr__tile_lies_ready(x) && rows * tsr__loop_rows(x) < LEAST_ROWS;
}

void tsr__tile_shares_nothing(struct tsr__run *run)
{
    tsr__tile_loops_learn(run, NULL);
    atomic_store_explicit(&run->launch->shares_nothing, true, memory_order_relaxed);
}

static void begin_notes(struct tsr__tile_share *s, const struct tsr_tile_loop *x, bool past)
{
    s->loop = *x;
    s->loop.past = past;
    tsr__places_begin(&s->places, x);
    s->reach[0] = (struct range){x->a, x->a};
    s->reach[1] = (struct range){x->b, x->b};
    s->reach[2] = (struct range){x->to, x->to};
    extend(x, &s->reach[0], &s->reach[1], &s->reach[2]);
}

static struct range shifted(struct range x, const char *from, const char *to)
{
    return (struct range){to + (x.begin - from), to + (x.end - from)};
}

/* Is C of a loop of the same shape apart from its A and B? */
static bool stays_apart(const struct tsr__tile_share *s, const struct tsr_tile_loop *x)
{
    const struct tsr_tile_loop *y = &s->loop;
    const struct range a = shifted(s->reach[0], y->a, x->a), b = shifted(s->reach[1], y->b, x->b), c = shifted(s->reach[2], y->to, x->to);
    return (!overlap(a, c) && !overlap(b, c)) || tsr__tile_goal(x);
}

/* Could rows of C go past the caches, if those of two loops of 8 columns make a line? */
static bool may_fill_lines(const struct tsr_tile_loop *x)
{
    struct tsr_tile_loop line = *x;
    if (x->how & TSR_TILE_HALF_N)
        line.to -= (uintptr_t)x->to % TSR_TILE_ROW_BYTES == TSR_TILE_ROW_BYTES / 2 ? TSR_TILE_ROW_BYTES / 2 : 0;
    return tsr__fills_lines(&line);
}

static bool keep_operands(struct tsr__tile_share *s, const struct tsr_tile_loop *x, const char *kept[2])
{
    for (int is_b = 0; is_b < 2; is_b++)
        if (!(kept[is_b] = tsr__values_of_operand(&s->values, x, is_b)))
            return false;
    return true;
}

/* Keeps the values of operands that are computed; those of earlier loops are forgotten if there is no room. False: never is. */
static bool keep_values(struct tsr__run *run, struct tsr__tile_share *s, struct tsr_tile_loop *x)
{
    const char *kept[2];
    if (!keep_operands(s, x, kept)) {
        flush(run);
        s->packed_b.launch = 0;
        tsr__values_clear(&s->values);
        if (!keep_operands(s, x, kept))
            return false;
    }
    x->a = kept[0];
    x->b = kept[1];
    return true;
}

static bool wait_for_others(struct tsr__run *run, const struct tsr_tile_loop *x)
{
    struct tsr_tile_loop kept;
    if (!tsr__tile_loop_may_share(run, x))
        return false;
    if (!run->share)
        run->share = make_share(run);
    struct tsr__tile_share *s = run->share;
    const bool past = x->past && may_fill_lines(x);
    if (!s)
        return false;
    if (tsr__is_computed(x)) {
        kept = *x;
        x = &kept;
        if (!keep_values(run, s, &kept))
            return false;
    }
    uint32_t row = tsr__side_find(&s->a, x->a), column = tsr__side_find(&s->b, x->b);
    const bool joined = s->count && s->loop.past == past && joins(run, s, x, row, column) && find_place(s, x, row, column);
    if (!joined && !tsr__tile_grid_fits(x))
        return false;
    if (s->count && !joined) {
        flush(run);
        row = column = 0;
    }
    if (s->alone >= TSR__MOST_ALONE) {
        tsr__tile_shares_nothing(run);
        return false;
    }
    if (!s->count)
        begin_notes(s, x, past);
    if (!stays_apart(s, x))
        return false;
    tsr__side_add(&s->a, row, x->a, &x->a_matrix);
    tsr__side_add(&s->b, column, x->b, &x->b_matrix);
    s->notes[s->count++] = (struct note){.row = (uint16_t)row, .column = (uint16_t)column, .to = x->to};
    return true;
}

bool tsr__tile_loop_waits(struct tsr__run *run, const struct tsr_tile_loop *x)
{
    return x->how & TSR_TILE_MAY_WAIT && x->to && (x->zero || x->how & TSR_TILE_ADDS) && run->pass != TSR__FIRST_PASS &&
           wait_for_others(run, x);
}

char *tsr__tile_goal(const struct tsr_tile_loop *x)
{
    return x->to && is_apart(x, (struct range){x->a, x->a}, (struct range){x->b, x->b}, (struct range){x->to, x->to}) ? x->to : NULL;
}

void tsr__tile_loops_end(struct tsr__run *run)
{
    if (run->share)
        flush(run);
}
