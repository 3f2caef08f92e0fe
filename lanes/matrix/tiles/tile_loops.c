/* SPDX-License-Identifier: Apache-2.0
 * Loops over K that the device runs as a whole: where there is no matrix unit, and where their packets can end before, so that the loops of
 * many work-groups run together.
 *
 * Such a loop is one basic block that writes nothing; its accumulators add products of tiles in memory, whose addresses all advance by a
 * constant distance in each round.
 *
 * The loop stays, but only counts its rounds. Behind it, one call computes the products of all rounds. */
#include <stddef.h>
#include <string.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/tiles/tiles.h"

enum { MOST = TSR_TILE_LOOP_MAX };

/* An operand in a loop. */
struct moving {
    LLVMValueRef address;
    bool by_rows, by_columns; /* of elements, of words; else rows of tiles */
    struct tsr__polynomial at, stride, step /* from round to round */;
    LLVMValueRef place;                                 /* in a matrix with edges, or NULL */
    struct tsr__polynomial pitch, x, y, step_x, step_y; /* the first vector in this matrix: bytes and rows */
};

/* What one accumulator gets in a round: `depth` products. */
struct part {
    struct tsr__live_range *life;
    const struct tsr__fragment *phi;
    struct moving a, b;                      /* of the first product */
    struct tsr__polynomial inner_a, inner_b; /* from product to product */
    const struct tsr__tile_product *product; /* of all of them; the accumulator may have others in other loops */
    unsigned depth;
    bool zero, half; /* half: they have 32 bytes of K each */
    bool nibbles;    /* … in which bytes hold two numbers of 4 bits */
    bool no_signs;   /* … none of which has a sign */
};

/* One call: accumulators in rows and columns. */
struct tsr__k_loop {
    struct tsr__k_loop *next;
    LLVMBasicBlockRef loop;
    struct part parts[MOST];                 /* row after row */
    struct tsr__live_range *lives[MOST];     /* of these */
    struct tsr__pending_tile_store *leaving; /* what becomes of all accumulators, or NULL */
    const char *runs_now;                    /* why its packet cannot end before the loop has run; NULL: it may */
    struct tsr__twice *twice;                /* NULL: … since nothing but stores follows; else since it runs twice */
    unsigned rows, columns;
    struct tsr__polynomial a_next, b_next;
    bool zero;
    bool again;      /* its packet may come to it once more */
    unsigned number; /* of several calls for one basic block */
};

/* ---- loops ------------------------------------------------------------------------------------------------------------------------------
 */

/* The block behind a loop of one block that leaves at its end, or NULL. */
static LLVMBasicBlockRef exit_of_loop(LLVMBasicBlockRef loop)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(loop);
    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2)
        return NULL;
    LLVMBasicBlockRef to[2] = {LLVMGetSuccessor(end, 0), LLVMGetSuccessor(end, 1)};
    return (to[0] == loop) == (to[1] == loop) ? NULL : to[to[0] == loop];
}

static bool is_candidate(struct tsr__compilation *l, enum tsr__tile_unit unit, LLVMBasicBlockRef loop)
{
    struct tsr__mad mad;
    for (LLVMValueRef i = exit_of_loop(loop) ? LLVMGetFirstInstruction(loop) : NULL; i; i = LLVMGetNextInstruction(i))
        if (tsr__mad_read(i, &mad) && tsr__tile_product(l, unit, mad.f))
            return true;
    return false;
}

static unsigned ways_in(LLVMValueRef function, LLVMBasicBlockRef to)
{
    unsigned n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (unsigned i = 0; i < LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b)); i++)
            n += LLVMGetSuccessor(LLVMGetBasicBlockTerminator(b), i) == to;
    return n;
}

/* Every way to the block that begins at a fork becomes a block, except the block's way to itself. */
static void split_ways_to(struct tsr__compilation *l, LLVMValueRef function, LLVMBasicBlockRef to)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && ways_in(function, to) > 1; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; b != to && LLVMIsABranchInst(end) && LLVMGetNumSuccessors(end) == 2 && i < 2; i++)
            if (LLVMGetSuccessor(end, i) == to && LLVMGetSuccessor(end, !i) != to)
                tsr__split_edge(l, b, i);
    }
}

/* The ways into a loop, behind it and around it get room for code that no other way runs. */
void tsr__tile_loops_prepare(struct tsr__compilation *l, LLVMValueRef function)
{
    const enum tsr__tile_unit unit = tsr__tile_unit_of(l, function);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        if (is_candidate(l, unit, b)) {
            split_ways_to(l, function, exit_of_loop(b));
            split_ways_to(l, function, b);
        }
    tsr__tile_twice_prepare(l, function);
}

/* ---- which ------------------------------------------------------------------------------------------------------------------------------
 */

static bool same_distance(const struct tsr__polynomial *a, const struct tsr__polynomial *b)
{
    return tsr__polynomial_is_multiple(a, b, 1);
}

static bool is_zero(const struct tsr__polynomial *a)
{
    return a->valid && !a->count && !a->constant;
}

/* Where the operand is in a matrix with edges, if it is in one. A moves to the right in each round, B down. */
static bool find_place(struct tsr__tiles *t, const struct tsr__source *s, LLVMBasicBlockRef loop, struct moving *m)
{
    int64_t row, byte;
    m->place = tsr__tile_place(m->address);
    if (!m->place)
        return true;
    struct tsr__polynomial origin = tsr__polynomial_of(t->l, m->place), from = tsr__polynomial_minus(&m->at, &origin);
    m->pitch = tsr__polynomial_of(t->l, LLVMGetOperand(m->place, TSR__PLACE_PITCH));
    if (s->rows == 1 && !s->is_b)
        m->stride = m->pitch;
    if (!tsr__polynomial_divide(&from, &m->pitch, &row, &byte) || !same_distance(&m->stride, &m->pitch))
        return false;
    m->x = tsr__polynomial_of(t->l, LLVMGetOperand(m->place, TSR__PLACE_X));
    m->y = tsr__polynomial_of(t->l, LLVMGetOperand(m->place, TSR__PLACE_Y));
    m->x.constant += byte;
    m->y.constant += row;
    return tsr__polynomial_step(t->l, &m->x, loop, &m->step_x) && tsr__polynomial_step(t->l, &m->y, loop, &m->step_y) &&
           is_zero(s->is_b ? &m->step_x : &m->step_y);
}

/* Do both move in the same matrix, in the direction of their kind only? */
static bool go_along(const struct moving *from, const struct moving *to, bool is_b)
{
    struct tsr__polynomial aside = {.valid = true};
    if (from->place && to->place)
        aside = is_b ? tsr__polynomial_minus(&to->x, &from->x) : tsr__polynomial_minus(&to->y, &from->y);
    return is_zero(&aside) && tsr__tile_same_matrix(from->address, to->address);
}

static bool find_moving(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, struct moving *m)
{
    LLVMBasicBlockRef loop = LLVMGetInstructionParent(point);
    struct tsr__source any = *s;
    any.any_part = true;
    m->address = LLVMGetOperand(s->from[0], 0);
    m->by_rows = !tsr__tile_in_place(t, &any, point, &m->stride);
    m->by_columns = false;
    if (m->by_rows && !tsr__tile_by_rows(t, &any, point, &m->address, &m->stride)) {
        m->by_rows = false;
        m->by_columns = tsr__tile_by_columns(t, s, point, &m->address, &m->stride);
        if (!m->by_columns)
            return false;
    }
    m->at = tsr__polynomial_of(t->l, m->address);
    return find_place(t, s, loop, m) && !tsr__polynomial_varies(&m->stride, loop) && tsr__polynomial_step(t->l, &m->at, loop, &m->step);
}

static bool is_unpacked(const struct moving *m)
{
    return m->by_rows || m->by_columns;
}

static bool lie_alike(const struct moving *a, const struct moving *b)
{
    return a->by_rows == b->by_rows && a->by_columns == b->by_columns;
}

static struct tsr__polynomial address_distance(const struct moving *from, const struct moving *to)
{
    return tsr__polynomial_minus(&to->at, &from->at);
}

static const struct tsr__fragment *accumulator_at(const struct tsr__live_range *life, LLVMBasicBlockRef block)
{
    const struct tsr__web *first = life->block->webs[0][0];
    for (unsigned i = 0; i < first->fragment_count; i++)
        if (first->fragments[i]->kind == TSR__FRAGMENT_PHI && first->fragments[i]->block == block)
            return first->fragments[i];
    return NULL;
}

static bool is_looked_at(const struct tsr__tiles *t, const struct tsr__live_range *life, LLVMBasicBlockRef block)
{
    for (size_t i = 0; i < life->unpacking_count; i++)
        if (t->registers.places.at[life->unpackings[i].place].ref == block)
            return true;
    return false;
}

/* Rows of B in memory that a product takes. */
static int64_t rows_of_step(const struct part *part)
{
    int64_t words = part->half ? TSR__WORDS : TSR_TILE_ROWS;
    return part->b.by_rows ? words * (part->product->number < TSR_TILE_BF16 ? 4 : 2) : words;
}

/* All that goes into the accumulator of `life` in the loop. False: it is not only products of tiles at regular distances. */
static bool find_part(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count, LLVMBasicBlockRef loop, struct part *part)
{
    const struct tsr__fragment *holds = part->phi = accumulator_at(part->life, loop);
    if (!holds || holds->in_count != 2 || is_looked_at(t, part->life, loop))
        return false;
    unsigned back = LLVMGetIncomingBlock(holds->v[0], 1) == loop;
    for (size_t i = 0; i < count; i++) {
        const struct tsr__multiply *x = &list[i];
        struct tsr__source source_a, source_b;
        struct moving a, b;
        if (x->life != part->life || x->latest->block != loop)
            continue;
        tsr__tiles_select(t, part->life);
        tsr__tile_sources(t, x, true, &source_a, &source_b);
        const bool nibbles = tsr__tile_pack_nibbles(&source_a, &source_b);
        if (x->first->c != holds || !find_moving(t, &source_a, x->latest->mad.call, &a) ||
            !find_moving(t, &source_b, x->latest->mad.call, &b))
            return false;
        if (nibbles && b.by_columns)
            return false;
        holds = x->last->d;
        if (!part->depth++) {
            part->a = a;
            part->b = b;
            part->inner_a = a.step;
            part->inner_b = b.step;
            part->half = source_a.half;
            part->nibbles = nibbles;
            part->no_signs = nibbles && x->first->mad.called->ea == TSR_ELEMENT_U4 && x->first->mad.called->eb == TSR_ELEMENT_U4;
            part->product = source_a.product;
            continue;
        }
        struct tsr__polynomial far_a = address_distance(&part->a, &a), far_b = address_distance(&part->b, &b);
        if (part->depth == 2) {
            part->inner_a = far_a;
            part->inner_b = far_b;
        }
        if (!go_along(&part->a, &a, false) || !go_along(&part->b, &b, true) || source_a.half != part->half || nibbles != part->nibbles ||
            source_a.product != part->product || !lie_alike(&b, &part->b) || !same_distance(&a.stride, &part->a.stride) ||
            !same_distance(&b.stride, &part->b.stride) || !tsr__polynomial_is_multiple(&far_a, &part->inner_a, part->depth - 1) ||
            !tsr__polynomial_is_multiple(&far_b, &part->inner_b, part->depth - 1))
            return false;
    }
    part->zero = !part->phi->in[!back]->web && tsr__tile_starts_zero(t, part->phi, !back);
    return part->depth && holds == part->phi->in[back] && tsr__polynomial_is_multiple(&part->a.step, &part->inner_a, part->depth) &&
           tsr__polynomial_is_multiple(&part->b.step, &part->inner_b, part->depth) &&
           (!part->b.place || tsr__polynomial_is_multiple(&part->inner_b, &part->b.pitch, rows_of_step(part)));
}

static bool go_together(const struct part *x, const struct part *y)
{
    return x->product == y->product && x->depth == y->depth && x->half == y->half && x->nibbles == y->nibbles &&
           x->no_signs == y->no_signs && lie_alike(&x->b, &y->b) && same_distance(&x->a.stride, &y->a.stride) &&
           same_distance(&x->b.stride, &y->b.stride) && tsr__rows_of_block(x->life->block) == tsr__rows_of_block(y->life->block) &&
           tsr__row_of_block(x->life->block) == tsr__row_of_block(y->life->block) && same_distance(&x->inner_a, &y->inner_a) &&
           same_distance(&x->inner_b, &y->inner_b);
}

/* How many times `unit` the distance is, less than MOST; MOST: not so. */
static unsigned multiple_of_unit(const struct tsr__polynomial *distance, const struct tsr__polynomial *unit)
{
    unsigned i = 0;
    while (i < MOST && !tsr__polynomial_is_multiple(distance, unit, (int64_t)i))
        i++;
    return i;
}

/* The first distance from A, or from B, of the first part to another part's; zero: they all have the same. */
static struct tsr__polynomial first_distance(const struct part *parts, unsigned count, bool of_b)
{
    struct tsr__polynomial d = {.valid = true};
    for (unsigned i = 1; i < count && !d.count && !d.constant; i++)
        d = of_b ? address_distance(&parts[0].b, &parts[i].b) : address_distance(&parts[0].a, &parts[i].a);
    return d;
}

/* If A and B are in matrices with edges: do tiles of A lie right under each other there, and those of B beside each other? */
static bool lie_in_matrices(const struct tsr__k_loop *x)
{
    const struct part *first = &x->parts[0];
    for (unsigned i = 0; i < x->rows * x->columns; i++) {
        const struct moving *a = &x->parts[i].a, *b = &x->parts[i].b;
        struct tsr__polynomial right = {.valid = true}, down = {.valid = true};
        if (a->place && first->a.place)
            right = tsr__polynomial_minus(&a->x, &first->a.x);
        if (b->place && first->b.place)
            down = tsr__polynomial_minus(&b->y, &first->b.y);
        if (!is_zero(&right) || !is_zero(&down) || !tsr__tile_same_matrix(a->address, first->a.address) ||
            !tsr__tile_same_matrix(b->address, first->b.address))
            return false;
    }
    return x->rows == 1 || !first->a.place || tsr__polynomial_is_multiple(&x->a_next, &first->a.pitch, TSR_TILE_ROWS);
}

/* Puts the parts into rows and columns. False: they do not fill such a block. */
static bool arrange_parts(struct tsr__k_loop *x, const struct part *parts, unsigned count)
{
    const struct part *taken[MOST][MOST] = {0};
    x->rows = x->columns = 0;
    x->a_next = first_distance(parts, count, false);
    x->b_next = first_distance(parts, count, true);
    for (unsigned i = 0; i < count; i++) {
        struct tsr__polynomial down = address_distance(&parts[0].a, &parts[i].a), right = address_distance(&parts[0].b, &parts[i].b);
        unsigned row = multiple_of_unit(&down, &x->a_next), column = multiple_of_unit(&right, &x->b_next);
        if (row == MOST || column == MOST || taken[row][column] || !go_together(&parts[0], &parts[i]))
            return false;
        taken[row][column] = &parts[i];
        x->rows = row >= x->rows ? row + 1 : x->rows;
        x->columns = column >= x->columns ? column + 1 : x->columns;
    }
    x->zero = true;
    for (unsigned i = 0; i < x->rows * x->columns; i++) {
        const struct part *part = taken[i / x->columns][i % x->columns];
        if (!part)
            return false;
        x->parts[i] = *part;
        x->zero = x->zero && part->zero;
    }
    return !tsr__polynomial_varies(&x->a_next, x->loop) && !tsr__polynomial_varies(&x->b_next, x->loop) && lie_in_matrices(x);
}

/* The stores of the loop's accumulators, in the block behind it or in the one to which that leads. To be asked before code is put there:
 * its stores would stand in front of these. */
static struct tsr__pending_tile_store *stores_behind(struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    LLVMBasicBlockRef after = exit_of_loop(x->loop);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(after);
    struct tsr__pending_tile_store *found = tsr__tile_store_at(t, after, after, x->lives, x->rows, x->columns);
    if (!found && LLVMGetNumSuccessors(end) == 1)
        found = tsr__tile_store_at(t, LLVMGetSuccessor(end, 0), after, x->lives, x->rows, x->columns);
    return found;
}

/* Does the function only let the launch fail? */
static bool ends_launch(LLVMValueRef callee)
{
    return !strcmp(tsr__name(callee), TSR__RT_PREFIX "barrier_mismatch") || !strcmp(tsr__name(callee), TSR__RT_PREFIX "divergent_barrier");
}

/* Is there nothing in the function, and in those that it calls, by which work-groups could wait for each other, or that must happen in its
 * place? */
static bool runs_alone(LLVMValueRef function)
{
    for (LLVMValueRef i = tsr__first(function); i; i = tsr__next(i)) {
        struct tsr__mad mad;
        LLVMValueRef callee = LLVMIsACallInst(i) ? tsr__callee(i) : NULL;
        if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetVolatile(i))
            return false;
        if (LLVMIsAFenceInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
            return false;
        if (!LLVMIsACallInst(i) || tsr__mad_read(i, &mad))
            continue;
        if (!callee || (LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) && !tsr__is_marker(callee) && !ends_launch(callee) &&
                        !tsr__starts_with(tsr__name(callee), TSR__RT_PREFIX "tile_")))
            return false;
        const bool elsewhere = tsr__has_text_attr(callee, TSR__ELSEWHERE); /* that does what this function does */
        if (!LLVMIsDeclaration(callee) && !elsewhere && !runs_alone(callee))
            return false;
    }
    return true;
}

static uint32_t registers_of(const struct tsr__k_loop *x)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < x->rows * x->columns; i++)
        all |= UINT32_C(1) << x->lives[i]->accumulator;
    return all;
}

/* The device's code has AMX's registers for itself: are none in use behind the loop but `own` ones? */
static bool leaves_registers_alone(const struct tsr__tiles *t, LLVMBasicBlockRef loop, uint32_t own)
{
    uint32_t taken = t->registers.places.at[tsr__map_number(&t->registers.places.number, exit_of_loop(loop))].taken;
    return t->unit != TSR__TILES_AMX || (!(taken & ~own) && !t->halves);
}

static bool is_narrow(const struct tsr__k_loop *x)
{
    return tsr__row_of_block(x->parts[0].life->block) < TSR_TILE_ROW_BYTES;
}

/* Why the device cannot run it with those of other work-groups, whatever the packet does, or NULL. */
static const char *runs_apart(const struct tsr__tiles *t, const struct tsr__k_loop *x, uint32_t own_registers)
{
    const struct part *part = &x->parts[0];
    if (!tsr__is_global_memory(part->a.address) || !tsr__is_global_memory(part->b.address))
        return "A or B is not in global memory";
    if (tsr__rows_of_block(part->life->block) < TSR_TILE_ROWS && x->rows > 1)
        return "its rows are not those of one tile";
    if (is_narrow(x) && x->rows * x->columns > 1)
        return "it has 8 columns in more than one tile";
    bool in_panels = part->b.stride.valid && !part->b.stride.count; /* of a width that the program knows: it has packed B for tiles */
    if (t->unit == TSR__TILES_AMX && tsr__rows_of_block(part->life->block) == TSR_TILE_ROWS && !is_unpacked(&part->b) && !part->nibbles &&
        in_panels)
        return "whole tiles of A and B come straight from memory";
    return leaves_registers_alone(t, x->loop, own_registers) ? NULL : "other accumulators wait in tile registers";
}

static const char *const runs_once = "in launches where indices may wrap, or in those where none does, packets cannot run twice";

/* Do sub-groups take the steps of K in turns, to add their sums behind a barrier? Each of them has little of K: with AMX, tile registers of
 * its own are faster than two passes (docs/measurements.md, products as others write them). */
static bool takes_turns_in_k(const struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    const struct part *part = &x->parts[0];
    const bool next = part->inner_a.valid && !part->inner_a.count && part->inner_a.constant == TSR_TILE_ROW_BYTES / 2;
    return t->unit == TSR__TILES_AMX && part->half && !next && tsr__tile_twice_pauses(x->twice);
}

/* Why its packet cannot end before the loop has run, or NULL. `all`: is it all that the loop multiplies? */
static const char *must_run_now(struct tsr__tiles *t, struct tsr__k_loop *x, bool all)
{
    const char *why = runs_apart(t, x, registers_of(x));
    if (why)
        return why;
    why = "several blocks, whose rows are not those of one";
    if (x->zero && x->leaving && tsr__tile_loop_can_wait(t->l, x->loop, x->leaving, all, &x->again) && runs_alone(t->webs.function))
        return NULL;
    if (t->once)
        return runs_once;
    if (all)
        x->twice = tsr__tile_runs_twice(t, x->loop, x->lives, x->rows * x->columns, &why);
    if (x->twice && takes_turns_in_k(t, x)) {
        x->twice = NULL;
        why = "it has few steps of K, and packets wait for each other behind it";
    }
    return x->twice ? NULL : why;
}

static void add_loop(struct tsr__tiles *t, LLVMBasicBlockRef loop, const struct part *parts, unsigned count, bool all)
{
    struct tsr__k_loop *x = tsr_arena_alloc(&t->l->scratch, sizeof *x);
    *x = (struct tsr__k_loop){.next = t->rounds, .loop = loop};
    if (arrange_parts(x, parts, count)) {
        for (unsigned i = 0; i < x->rows * x->columns; i++)
            x->lives[i] = x->parts[i].life;
        x->leaving = stores_behind(t, x);
        x->runs_now = must_run_now(t, x, all);
        bool whole = tsr__rows_of_block(parts->life->block) == TSR_TILE_ROWS && !is_narrow(x);
        if (x->twice) {
            x->leaving = NULL;
            tsr__map_set(&t->twice, loop, 1);
        } else if (!x->runs_now)
            tsr__tile_store_waits(x->leaving);
        if (x->runs_now && (parts->a.place || parts->b.place)) /* there is another way */
            return;
        if (!x->runs_now || (t->unit == TSR__TILES_VECTORS && !is_narrow(x)) || (t->unit == TSR__TILES_MODEL && whole))
            t->rounds = x;
        return;
    }
    for (unsigned i = 0; i < count && count > 1; i++)
        add_loop(t, loop, &parts[i], 1, false);
}

/* Gives parts that have an operand in common, by way of others too, the same number. Answers how many numbers there are. */
static unsigned number_parts(const struct part *parts, unsigned count, unsigned *number)
{
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        number[i] = most++;
        for (unsigned k = 0; k < i; k++) {
            struct tsr__polynomial a = address_distance(&parts[k].a, &parts[i].a), b = address_distance(&parts[k].b, &parts[i].b);
            const unsigned from = number[k] > number[i] ? number[k] : number[i], to = number[k] > number[i] ? number[i] : number[k];
            if (!is_zero(&a) && !is_zero(&b))
                continue;
            for (unsigned n = 0; n <= i; n++)
                number[n] = number[n] == from ? to : number[n];
        }
    }
    unsigned numbers = 0;
    for (unsigned n = 0; n < most; n++) {
        bool used = false;
        for (unsigned i = 0; i < count; i++)
            if (number[i] == n) {
                number[i] = numbers;
                used = true;
            }
        numbers += used;
    }
    return numbers;
}

/* Several sums in one loop over K that have no operand in common, as those of even and odd steps: a call each, for which packets run twice
 * together. False: not so. */
static bool add_several(struct tsr__tiles *t, LLVMBasicBlockRef loop, struct part *const *sets, const unsigned *sizes, unsigned count)
{
    struct tsr__k_loop *all[TSR_TILE_LOOPS];
    struct tsr__live_range *lives[MOST];
    uint32_t registers = 0;
    unsigned live = 0;
    const char *why;
    if (count > TSR_TILE_LOOPS || t->once)
        return false;
    for (unsigned n = 0; n < count; n++) {
        struct tsr__k_loop *x = all[n] = tsr_arena_alloc(&t->l->scratch, sizeof *x);
        *x = (struct tsr__k_loop){.loop = loop, .number = n};
        if (!arrange_parts(x, sets[n], sizes[n]))
            return false;
        for (unsigned i = 0; i < x->rows * x->columns; i++)
            lives[live++] = x->lives[i] = x->parts[i].life;
        registers |= registers_of(x);
    }
    for (unsigned n = 0; n < count; n++)
        if (runs_apart(t, all[n], registers))
            return false;
    struct tsr__twice *twice = tsr__tile_runs_twice(t, loop, lives, live, &why);
    for (unsigned n = 0; n < count && twice; n++) {
        all[n]->twice = twice;
        all[n]->next = t->rounds;
        t->rounds = all[n];
    }
    if (twice)
        tsr__map_set(&t->twice, loop, 1);
    return twice;
}

static void add_loops(struct tsr__tiles *t, LLVMBasicBlockRef loop, const struct part *parts, unsigned count)
{
    unsigned number[MOST], sizes[MOST] = {0}, numbers = number_parts(parts, count, number);
    struct part *sets[MOST];
    if (numbers == 1) {
        add_loop(t, loop, parts, count, true);
        return;
    }
    for (unsigned n = 0; n < numbers; n++) {
        sets[n] = tsr_arena_alloc(&t->l->scratch, count * sizeof *sets[n]);
        for (unsigned i = 0; i < count; i++)
            if (number[i] == n)
                sets[n][sizes[n]++] = parts[i];
    }
    if (add_several(t, loop, sets, sizes, numbers))
        return;
    for (unsigned n = 0; n < numbers; n++)
        add_loop(t, loop, sets[n], sizes[n], false);
}

static bool is_read_only(const struct tsr__tiles *t, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (tsr__tile_may_write(t, i))
            return false;
    return true;
}

void tsr__tile_loops_that_wait(const struct tsr__tiles *t, struct tsr__map *blocks)
{
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        if (!x->runs_now)
            tsr__map_set(blocks, x->loop, 1);
}

bool tsr__tile_loops_make_all(const struct tsr__tiles *t, LLVMBasicBlockRef block)
{
    size_t all = 0, waiting = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        struct tsr__mad mad;
        all += tsr__mad_read(i, &mad);
    }
    for (size_t i = 0; i < t->webs.mad_count; i++)
        for (const struct tsr__k_loop *x = t->webs.mads[i].block == block ? t->rounds : NULL; x; x = x->next)
            for (unsigned k = 0; k < x->rows * x->columns; k++)
                if (x->loop == block && !x->runs_now && tsr__is_in_block_of_webs(x->lives[k]->block, t->webs.mads[i].d->web))
                    waiting++;
    return all && all == waiting;
}

bool tsr__tile_loops_reject(struct tsr__tiles *t)
{
    bool any = false;
    for (size_t i = 0; i < t->webs.block_count; i++) {
        struct tsr__live_range *life = &t->registers.live_ranges[i];
        const char *why = "a block of fewer than 16 rows or columns is worth it only in a loop over K that the device can run as a whole";
        for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
            for (unsigned k = 0; k < x->rows * x->columns; k++)
                why = x->lives[k] == life ? x->runs_now : why;
        if (life->accumulator < 0 || !life->is_part || !why)
            continue;
        tsr__reject_tile(life, why);
        any = true;
    }
    return any;
}

void tsr__tile_loops_find(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count)
{
    for (int p = 0; p < t->registers.places.count; p++) {
        LLVMBasicBlockRef loop = t->registers.places.at[p].ref;
        unsigned n = 0;
        if (!exit_of_loop(loop) || !is_read_only(t, loop))
            continue;
        struct part *parts = tsr_arena_alloc(&t->l->scratch, MOST * sizeof *parts);
        for (size_t i = 0; i < t->webs.block_count && n < MOST; i++) {
            parts[n] = (struct part){.life = &t->registers.live_ranges[i]};
            n += parts[n].life->accumulator >= 0 && find_part(t, list, count, loop, &parts[n]);
        }
        if (n)
            add_loops(t, loop, parts, n);
    }
}

static const struct tsr__k_loop *rounds_of(const struct tsr__tiles *t, const struct tsr__live_range *life, LLVMBasicBlockRef loop)
{
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        for (unsigned i = 0; i < x->rows * x->columns; i++)
            if (x->loop == loop && x->parts[i].life == life)
                return x;
    return NULL;
}

void tsr__tile_loops_use_memory(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < t->webs.block_count; i++) {
        struct tsr__live_range *life = &t->registers.live_ranges[i];
        life->to_memory = life->accumulator >= 0;
        for (size_t k = 0; k < count; k++) {
            const struct tsr__k_loop *rounds = list[k].life == life ? rounds_of(t, life, list[k].latest->block) : NULL;
            life->to_memory = life->to_memory && (list[k].life != life || (rounds && !rounds->runs_now));
        }
        any = any || life->to_memory;
    }
    if (any)
        tsr__tiles_to_memory(&t->registers, &t->webs);
}

bool tsr__in_tile_loop(const struct tsr__tiles *t, const struct tsr__multiply *x, enum tsr__operand_place *b, const char **runs_now,
                       bool *twice)
{
    const struct tsr__k_loop *rounds = rounds_of(t, x->life, x->latest->block);
    *b = rounds && rounds->parts[0].b.by_columns ? TSR__PACKED_COLUMNS : rounds && rounds->parts[0].b.by_rows ? TSR__PACKED : TSR__IN_PLACE;
    *runs_now = rounds ? rounds->runs_now : NULL;
    *twice = rounds && rounds->twice;
    return rounds;
}

bool tsr__tile_loop_fills(const struct tsr__tiles *t, const struct tsr__live_range *life, const struct tsr__fragment *phi)
{
    const struct tsr__k_loop *x = rounds_of(t, life, phi->block);
    return x && x->zero;
}

/* ---- code -------------------------------------------------------------------------------------------------------------------------------
 */

/* How many rounds the loop has made, at its end. */
static LLVMValueRef count_rounds(struct tsr__tiles *t, LLVMBasicBlockRef loop, const struct tsr__fragment *phi)
{
    LLVMPositionBuilderBefore(t->b, LLVMGetFirstInstruction(loop));
    LLVMValueRef number = LLVMBuildPhi(t->b, LLVMInt64TypeInContext(t->l->context), "");
    LLVMPositionBuilderBefore(t->b, LLVMGetBasicBlockTerminator(loop));
    LLVMValueRef made = LLVMBuildAdd(t->b, number, tsr__i64(t->l, 1), "");
    for (unsigned e = 0; e < phi->in_count; e++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi->v[0], e);
        LLVMValueRef v = from == loop ? made : tsr__i64(t->l, 0);
        LLVMAddIncoming(number, &v, &from, 1);
    }
    return made;
}

/* What is the same for all packets of a call of the function is stored once. */
static void store_field(struct tsr__tiles *t, LLVMValueRef block, size_t offset, LLVMValueRef v)
{
    LLVMBuilderRef b = LLVMIsConstant(v) || tsr__map_get(&t->buffers, v) ? t->entry : t->b;
    LLVMBuildStore(b, v, tsr__at_offset(t->l, b, block, offset));
}

/* Where the operand was in the first round; in the last one it was at its address. */
static LLVMValueRef first_address(struct tsr__tiles *t, const struct moving *m, LLVMValueRef step, LLVMValueRef rounds)
{
    LLVMValueRef last = LLVMBuildAddrSpaceCast(t->b, m->address, tsr__ptr(t->l), "");
    LLVMValueRef back = LLVMBuildMul(t->b, step, LLVMBuildSub(t->b, tsr__i64(t->l, 1), rounds, ""), "");
    return LLVMBuildGEP2(t->b, LLVMInt8TypeInContext(t->l->context), last, &back, 1, "");
}

static LLVMValueRef reserve_stack(struct tsr__tiles *t, uint64_t bytes)
{
    LLVMValueRef made = LLVMBuildAlloca(t->entry, LLVMArrayType2(LLVMInt8TypeInContext(t->l->context), bytes), "");
    LLVMSetAlignment(made, TSR_TILE_ROW_BYTES);
    return made;
}

/* The number in the first round. */
static LLVMValueRef first_number(struct tsr__tiles *t, const struct tsr__polynomial *at, const struct tsr__polynomial *step,
                                 LLVMValueRef rounds)
{
    LLVMValueRef back = LLVMBuildSub(t->b, tsr__i64(t->l, 1), rounds, "");
    back = LLVMBuildMul(t->b, tsr__polynomial_build(t->l, t->b, step), back, "");
    return LLVMBuildAdd(t->b, tsr__polynomial_build(t->l, t->b, at), back, "");
}

static void store_place(struct tsr__tiles *t, LLVMValueRef loop, size_t offset, const struct moving *m, LLVMValueRef rounds)
{
    if (!m->place)
        return;
    store_field(t, loop, offset + offsetof(struct tsr_tile_matrix, x), first_number(t, &m->x, &m->step_x, rounds));
    store_field(t, loop, offset + offsetof(struct tsr_tile_matrix, y), first_number(t, &m->y, &m->step_y, rounds));
    store_field(t, loop, offset + offsetof(struct tsr_tile_matrix, width), LLVMGetOperand(m->place, TSR__PLACE_WIDTH));
    store_field(t, loop, offset + offsetof(struct tsr_tile_matrix, height), LLVMGetOperand(m->place, TSR__PLACE_HEIGHT));
}

static void emit_loop_call(struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    const struct part *part = &x->parts[0];
    bool prepares = t->unit == TSR__TILES_MODEL;
    unsigned how = tsr__tile_product_bits(t, part->product) | (part->half ? TSR_TILE_HALF_K : 0u) |
                   (part->b.by_rows ? TSR_TILE_B_ROWS : 0u) | (part->b.by_columns ? TSR_TILE_B_COLUMNS : 0u) |
                   (is_narrow(x) ? TSR_TILE_HALF_N : 0u) | (part->nibbles ? TSR_TILE_NIBBLES : 0u) |
                   (part->a.place ? TSR_TILE_A_EDGES : 0u) | (part->b.place ? TSR_TILE_B_EDGES : 0u);
    if (part->no_signs)
        how = (how & ~(unsigned)TSR_TILE_PRODUCT) | TSR_TILE_U8U8;
    LLVMValueRef args[2], loop = args[1] = reserve_stack(t, sizeof(struct tsr_tile_loop)), rounds = count_rounds(t, x->loop, part->phi);
    LLVMBasicBlockRef after = exit_of_loop(x->loop);
    if (!x->runs_now) {
        how |= (x->twice ? tsr__tile_twice_bits(x->twice) : TSR_TILE_MAY_WAIT | (x->again ? TSR_TILE_IN_ORDER : 0u)) |
               x->number << TSR_TILE_LOOP_SHIFT;
        tsr__set_fn_text(t->l, t->webs.function, TSR__SHARES, "");
    }
    LLVMPositionBuilderBefore(t->b, tsr__after_phis(LLVMGetFirstInstruction(after)));
#define PUT(field, value) store_field(t, loop, offsetof(struct tsr_tile_loop, field), value)
    PUT(a, first_address(t, &part->a, tsr__polynomial_build(t->l, t->b, &part->a.step), rounds));
    PUT(b, first_address(t, &part->b, tsr__polynomial_build(t->l, t->b, &part->b.step), rounds));
    PUT(a_stride, tsr__polynomial_build(t->l, t->b, &part->a.stride));
    PUT(b_stride, tsr__polynomial_build(t->l, t->b, &part->b.stride));
    PUT(a_step, tsr__polynomial_build(t->l, t->b, &part->inner_a));
    PUT(b_step, tsr__polynomial_build(t->l, t->b, &part->inner_b));
    PUT(a_next, tsr__polynomial_build(t->l, t->b, &x->a_next));
    PUT(b_next, tsr__polynomial_build(t->l, t->b, &x->b_next));
    PUT(steps, LLVMBuildMul(t->b, rounds, tsr__i64(t->l, part->depth), ""));
    PUT(rows, tsr__i64(t->l, x->rows));
    PUT(columns, tsr__i64(t->l, x->columns));
    PUT(tile_rows, tsr__i64(t->l, tsr__rows_of_block(part->life->block)));
    PUT(how, tsr__i64(t->l, how));
    PUT(packed, is_unpacked(&part->b) ? reserve_stack(t, TSR_TILE_PACKED_BYTES) : LLVMConstNull(tsr__ptr(t->l)));
    PUT(zero, tsr__i64(t->l, x->zero));
    store_place(t, loop, offsetof(struct tsr_tile_loop, a_matrix), &part->a, rounds);
    store_place(t, loop, offsetof(struct tsr_tile_loop, b_matrix), &part->b, rounds);
    PUT(operands, prepares ? reserve_stack(t, (uint64_t)(x->rows + x->columns) * TSR_TILE_OPERAND_BYTES) : LLVMConstNull(tsr__ptr(t->l)));
    for (unsigned i = 0; i < x->rows * x->columns; i++)
        PUT(c[i], tsr__tile_slot(t, x->lives[i]->accumulator));
    LLVMValueRef to_stride = tsr__i64(t->l, 0), past = to_stride, to = LLVMConstNull(tsr__ptr(t->l));
    if (x->leaving)
        to = tsr__tile_store_destination(x->leaving, after, &to_stride, &past);
    PUT(to, to);
    PUT(to_stride, to_stride);
    PUT(past, past);
#undef PUT
    LLVMValueRef done = tsr__tile_call(t, LLVMInt32TypeInContext(t->l->context), TSR__RT_PREFIX "tile_loop", args, 2);
    if (x->twice) /* each call uses AMX's registers for itself */
        LLVMPositionBuilderBefore(t->b, LLVMGetNextInstruction(tsr__tile_twice_called(x->twice, done)));
    for (unsigned i = 0; i < x->rows * x->columns && t->unit == TSR__TILES_AMX; i++) {
        int number = x->lives[i]->accumulator;
        if (number < TSR_TILE_COUNT)
            tsr__tile_load(t, number, tsr__tile_slot(t, number), tsr__i64(t->l, TSR_TILE_ROW_BYTES), &(struct tsr__source){0});
    }
    if (x->leaving)
        tsr__tile_store_done(x->leaving, after, done);
}

/* In front of all calls behind the loop. */
static void store_accumulators(struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    LLVMPositionBuilderBefore(t->b, tsr__after_phis(LLVMGetFirstInstruction(exit_of_loop(x->loop))));
    for (unsigned i = 0; i < x->rows * x->columns && t->unit == TSR__TILES_AMX && !x->zero; i++) {
        int number = x->lives[i]->accumulator;
        if (number < TSR_TILE_COUNT)
            tsr__tile_store(t, number, tsr__tile_slot(t, number), tsr__i64(t->l, TSR_TILE_ROW_BYTES));
    }
}

void tsr__tile_loops_make(struct tsr__tiles *t)
{
    /* A call is put in front of those that stand behind the same loop already, so that the last one is made first. */
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        emit_loop_call(t, x);
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        store_accumulators(t, x);
}

void tsr__tile_loops_leave(struct tsr__tiles *t)
{
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        if (x->twice && !x->number)
            tsr__tile_twice_make(x->twice);
}
