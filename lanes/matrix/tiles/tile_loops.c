/* SPDX-License-Identifier: Apache-2.0
 * Loops over K that the device runs as a whole: where there is no matrix unit, and where their packets can end before, so that the loops of
 * many work-groups run together.
 *
 * Such a loop is one basic block that writes nothing; its accumulators add products of tiles in memory, whose addresses all advance by a
 * constant distance in each round.
 *
 * The loop stays, but only counts its rounds. Behind it, one call computes the products of all rounds. */
#include <string.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/tiles/tile_loops.h"

enum { MOST = TSR_TILE_LOOP_MAX };

/* ---- loops ---- */

static bool is_candidate(struct tsr__compilation *l, enum tsr__tile_unit unit, LLVMBasicBlockRef loop)
{
    struct tsr__mad mad;
    for (LLVMValueRef i = tsr__exit_of_loop(loop) ? LLVMGetFirstInstruction(loop) : NULL; i; i = LLVMGetNextInstruction(i))
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
            split_ways_to(l, function, tsr__exit_of_loop(b));
            split_ways_to(l, function, b);
        }
    tsr__tile_twice_prepare(l, function);
}

/* ---- which ---- */

static bool same_distance(const struct tsr__polynomial *a, const struct tsr__polynomial *b)
{
    return tsr__polynomial_is_multiple(a, b, 1);
}

static bool is_zero(const struct tsr__polynomial *a)
{
    return a->valid && !a->count && !a->constant;
}

/* Where the operand is in a matrix with edges, if it is in one. A moves to the right in each round, B down. */
static bool find_place(struct tsr__tiles *t, const struct tsr__source *s, LLVMBasicBlockRef loop, struct tsr__moving *m)
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
static bool go_along(const struct tsr__moving *from, const struct tsr__moving *to, bool is_b)
{
    struct tsr__polynomial aside = {.valid = true};
    if (from->place && to->place)
        aside = is_b ? tsr__polynomial_minus(&to->x, &from->x) : tsr__polynomial_minus(&to->y, &from->y);
    return is_zero(&aside) && tsr__tile_same_matrix(from->address, to->address);
}

static bool find_moving(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, struct tsr__moving *m)
{
    LLVMBasicBlockRef loop = LLVMGetInstructionParent(point);
    struct tsr__source any = *s;
    any.any_part = true;
    m->by_rows = m->by_columns = false;
    if (tsr__tile_in_place(t, &any, point, &m->stride))
        m->address = LLVMGetOperand(s->from[0], 0);
    else if (tsr__tile_by_rows(t, &any, point, &m->address, &m->stride))
        m->by_rows = true;
    else if (tsr__tile_by_columns(t, &any, point, &m->address, &m->stride))
        m->by_columns = true;
    else
        return false;
    m->at = tsr__polynomial_of(t->l, m->address);
    return find_place(t, s, loop, m) && !tsr__polynomial_varies(&m->stride, loop) && tsr__polynomial_step(t->l, &m->at, loop, &m->step);
}

static bool lie_alike(const struct tsr__moving *a, const struct tsr__moving *b)
{
    return a->by_rows == b->by_rows && a->by_columns == b->by_columns;
}

static struct tsr__polynomial address_distance(const struct tsr__moving *from, const struct tsr__moving *to)
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
static int64_t rows_of_step(const struct tsr__loop_part *part)
{
    int64_t words = part->half ? TSR__WORDS : TSR_TILE_ROWS;
    return part->b.first.by_rows ? words * (part->product->number < TSR_TILE_BF16 ? 4 : 2) : words;
}

/* Do A, or B, of all products of the part lie in memory as its first one does, at regular distances? */
static bool find_operand(struct tsr__tiles *t, const struct tsr__loop_part *part, const LLVMValueRef *calls, struct tsr__part_operand *o)
{
    const bool is_b = o == &part->b;
    for (unsigned d = 0; d < part->depth; d++) {
        struct tsr__moving m = {0};
        if (!find_moving(t, &o->sources[d], calls[d], &m))
            return false;
        if (d == 0) {
            o->first = m;
            o->inner = m.step;
            continue;
        }
        struct tsr__polynomial far = address_distance(&o->first, &m);
        o->inner = d == 1 ? far : o->inner;
        if (!go_along(&o->first, &m, is_b) || !lie_alike(&o->first, &m) || !same_distance(&o->first.stride, &m.stride) ||
            !tsr__polynomial_is_multiple(&far, &o->inner, d))
            return false;
    }
    return tsr__polynomial_is_multiple(&o->first.step, &o->inner, part->depth) &&
           (!is_b || !o->first.place || tsr__polynomial_is_multiple(&o->inner, &o->first.pitch, rows_of_step(part)));
}

static void find_operands(struct tsr__tiles *t, struct tsr__loop_part *part, const LLVMValueRef *calls)
{
    part->half = part->a.sources[0].half;
    part->a.moves = find_operand(t, part, calls, &part->a);
    part->b.moves = find_operand(t, part, calls, &part->b);
}

/* The same of the bytes of which both are the halves. */
static bool find_nibbles(struct tsr__tiles *t, struct tsr__loop_part *part, const LLVMValueRef *calls)
{
    struct tsr__loop_part packed = *part;
    packed.a.sources = tsr_arena_alloc(&t->l->scratch, part->depth * sizeof *packed.a.sources);
    packed.b.sources = tsr_arena_alloc(&t->l->scratch, part->depth * sizeof *packed.b.sources);
    for (unsigned d = 0; d < part->depth; d++) {
        packed.a.sources[d] = part->a.sources[d];
        packed.b.sources[d] = part->b.sources[d];
        if (!tsr__tile_pack_nibbles(&packed.a.sources[d], &packed.b.sources[d]))
            return false;
    }
    find_operands(t, &packed, calls);
    if (!packed.a.moves || !packed.b.moves)
        return false;
    packed.nibbles = true;
    *part = packed;
    return true;
}

/* The products of a round that go into the part's accumulator: calls and sources of each. With `apart` operations of the program are not
 * joined to longer ones. False: they are not all of one kind, or the accumulator gets something else. */
static bool find_products(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count, struct tsr__loop_part *part,
                          LLVMValueRef *calls, bool apart)
{
    LLVMBasicBlockRef loop = part->phi->block;
    const struct tsr__fragment *holds = part->phi;
    part->depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].life != part->life || list[i].latest->block != loop)
            continue;
        const unsigned last = list[i].last->number;
        for (unsigned n = list[i].first->number, end; n <= last; n = end + 1, part->depth++) {
            const struct tsr__tile_block *block = part->life->block;
            struct tsr__tile_mad *const *mads = block->webs[0][0]->mads;
            struct tsr__source *a = &part->a.sources[part->depth], *b = &part->b.sources[part->depth];
            end = apart ? n : last;
            const struct tsr__multiply x = {part->life, mads[n], mads[end], tsr__last_operation(block, mads[end])};
            tsr__tile_sources(t, &x, TSR_TILE_SHAPES_HALVES, a, b);
            if (x.first->c != holds || a->half != part->a.sources[0].half || a->product != part->a.sources[0].product)
                return false;
            holds = x.last->d;
            calls[part->depth] = x.latest->mad.call;
        }
    }
    return part->depth && holds == part->phi->in[LLVMGetIncomingBlock(part->phi->v[0], 1) == loop];
}

/* All that goes into the accumulator of `life` in the loop. False: it is not only products of one kind. */
static bool find_part(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count, LLVMBasicBlockRef loop,
                      struct tsr__loop_part *part)
{
    part->phi = accumulator_at(part->life, loop);
    if (!part->phi || part->phi->in_count != 2 || is_looked_at(t, part->life, loop))
        return false;
    const size_t most = count * TSR__MAX_CHAIN;
    LLVMValueRef *calls = tsr_arena_alloc(&t->l->scratch, most * sizeof *calls);
    part->a.sources = tsr_arena_alloc(&t->l->scratch, most * sizeof *part->a.sources);
    part->b.sources = tsr_arena_alloc(&t->l->scratch, most * sizeof *part->b.sources);
    tsr__tiles_select(t, part->life);
    if ((tsr__sums_apart(loop) || !find_products(t, list, count, part, calls, false)) && !find_products(t, list, count, part, calls, true))
        return false;
    const unsigned front = LLVMGetIncomingBlock(part->phi->v[0], 0) == loop;
    struct tsr__mad mad;
    part->product = part->a.sources[0].product;
    part->zero = !part->phi->in[front]->web && tsr__tile_starts_zero(t, part->phi, front);
    if (!find_nibbles(t, part, calls))
        find_operands(t, part, calls);
    else if (tsr__mad_read(calls[0], &mad))
        part->no_signs = mad.called->ea == TSR_ELEMENT_U4 && mad.called->eb == TSR_ELEMENT_U4;
    return true;
}

/* Are these operands of two parts, in rows and columns of one block, alike where the device computes addresses? */
static bool move_alike(const struct tsr__part_operand *x, const struct tsr__part_operand *y)
{
    return lie_alike(&x->first, &y->first) && same_distance(&x->first.stride, &y->first.stride) && same_distance(&x->inner, &y->inner);
}

static bool multiply_alike(const struct tsr__loop_part *x, const struct tsr__loop_part *y)
{
    return x->product == y->product && x->depth == y->depth && x->half == y->half && x->nibbles == y->nibbles &&
           x->no_signs == y->no_signs && tsr__rows_of_block(x->life->block) == tsr__rows_of_block(y->life->block) &&
           tsr__row_of_block(x->life->block) == tsr__row_of_block(y->life->block);
}

static const struct tsr__part_operand *operand_of(const struct tsr__loop_part *part, bool of_b)
{
    return of_b ? &part->b : &part->a;
}

/* Have both parts the same A, or B, in all products? */
static bool is_same_operand(const struct tsr__loop_part *x, const struct tsr__loop_part *y, bool of_b)
{
    const struct tsr__part_operand *a = operand_of(x, of_b), *b = operand_of(y, of_b);
    if (a->moves && b->moves) {
        struct tsr__polynomial far = address_distance(&a->first, &b->first);
        return is_zero(&far);
    }
    for (unsigned d = 0; d < x->depth; d++) {
        const unsigned vectors = a->sources[d].rows * a->sources[d].chunks;
        if (memcmp(a->sources[d].from, b->sources[d].from, vectors * sizeof a->sources[d].from[0]) != 0)
            return false;
    }
    return true;
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
static struct tsr__polynomial first_distance(const struct tsr__loop_part *parts, unsigned count, bool of_b)
{
    struct tsr__polynomial d = {.valid = true};
    for (unsigned i = 1; i < count && !d.count && !d.constant; i++)
        d = address_distance(&operand_of(&parts[0], of_b)->first, &operand_of(&parts[i], of_b)->first);
    return d;
}

/* If A and B are in matrices with edges: do tiles of A lie right under each other there, and those of B beside each other? */
static bool lie_in_matrices(const struct tsr__k_loop *x)
{
    const struct tsr__loop_part *first = &x->parts[0];
    for (unsigned i = 0; i < x->rows * x->columns; i++) {
        const struct tsr__moving *a = &x->parts[i].a.first, *b = &x->parts[i].b.first;
        struct tsr__polynomial right = {.valid = true}, down = {.valid = true};
        if (a->place && first->a.first.place)
            right = tsr__polynomial_minus(&a->x, &first->a.first.x);
        if (b->place && first->b.first.place)
            down = tsr__polynomial_minus(&b->y, &first->b.first.y);
        if (!is_zero(&right) || !is_zero(&down) || (!x->slice_a && !tsr__tile_same_matrix(a->address, first->a.first.address)) ||
            (!x->slice_b && !tsr__tile_same_matrix(b->address, first->b.first.address)))
            return false;
    }
    return x->slice_a || x->rows == 1 || !first->a.first.place ||
           tsr__polynomial_is_multiple(&x->a_next, &first->a.first.pitch, TSR_TILE_ROWS);
}

/* The row of each part, which is that of its A, or the column, that of its B; and how many there are. False: their operands do not lie at
 * regular distances. */
static bool number_by_distance(const struct tsr__loop_part *parts, unsigned count, bool of_b, const struct tsr__polynomial *next,
                               unsigned *number, unsigned *numbers)
{
    const struct tsr__part_operand *first = operand_of(&parts[0], of_b);
    *numbers = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct tsr__part_operand *o = operand_of(&parts[i], of_b);
        struct tsr__polynomial far = address_distance(&first->first, &o->first);
        if (!o->moves || !move_alike(first, o))
            return false;
        number[i] = multiple_of_unit(&far, next);
        if (number[i] == MOST)
            return false;
        *numbers = number[i] >= *numbers ? number[i] + 1 : *numbers;
    }
    return true;
}

/* The same of operands that are computed: in the order in which they come. */
static void number_by_value(const struct tsr__loop_part *parts, unsigned count, bool of_b, unsigned *number, unsigned *numbers)
{
    *numbers = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned same = 0;
        while (!is_same_operand(&parts[same], &parts[i], of_b))
            same++;
        number[i] = same < i ? number[same] : (*numbers)++;
    }
}

/* Numbers the rows, or columns, and finds the slice that computes their operands if `computed`. */
static bool number_side(struct tsr__tiles *t, struct tsr__k_loop *x, const struct tsr__loop_part *parts, unsigned count, bool of_b,
                        bool computed, unsigned *number)
{
    unsigned *numbers = of_b ? &x->columns : &x->rows;
    struct tsr__slice **slice = of_b ? &x->slice_b : &x->slice_a;
    struct tsr__polynomial *next = of_b ? &x->b_next : &x->a_next;
    const struct tsr__source *sources[MOST];
    *slice = NULL;
    if (!computed) {
        *next = first_distance(parts, count, of_b);
        return number_by_distance(parts, count, of_b, next, number, numbers) && !tsr__polynomial_varies(next, x->loop);
    }
    number_by_value(parts, count, of_b, number, numbers);
    for (unsigned i = count; i-- > 0;)
        sources[number[i]] = operand_of(&parts[i], of_b)->sources;
    *slice = tsr__slice_find(&t->webs, x->loop, sources, *numbers, parts[0].depth);
    return *slice;
}

/* Puts the parts into rows and columns. False: they do not fill such a block. */
static bool arrange_as(struct tsr__tiles *t, struct tsr__k_loop *x, const struct tsr__loop_part *parts, unsigned count, bool computes_a,
                       bool computes_b)
{
    const struct tsr__loop_part *taken[MOST][MOST] = {0};
    unsigned row[MOST], column[MOST];
    if (!number_side(t, x, parts, count, false, computes_a, row) || !number_side(t, x, parts, count, true, computes_b, column) ||
        x->rows * x->columns != count)
        return false;
    x->zero = true;
    for (unsigned i = 0; i < count; i++) {
        if (taken[row[i]][column[i]] || !multiply_alike(&parts[0], &parts[i]))
            return false;
        taken[row[i]][column[i]] = &parts[i];
        x->parts[row[i] * x->columns + column[i]] = parts[i];
        x->zero = x->zero && parts[i].zero;
    }
    return lie_in_matrices(x);
}

/* `computed`: with A or B that the loop computes. */
static bool arrange_parts(struct tsr__tiles *t, struct tsr__k_loop *x, const struct tsr__loop_part *parts, unsigned count, bool computed)
{
    if (!computed)
        return arrange_as(t, x, parts, count, false, false);
    return !parts[0].nibbles && (arrange_as(t, x, parts, count, false, true) || arrange_as(t, x, parts, count, true, false) ||
                                 arrange_as(t, x, parts, count, true, true));
}

/* The stores of the loop's accumulators, in the block behind it or in the one to which that leads. To be asked before code is put there:
 * its stores would stand in front of these. */
static struct tsr__pending_tile_store *stores_behind(struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    LLVMBasicBlockRef after = tsr__exit_of_loop(x->loop);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(after);
    struct tsr__pending_tile_store *found = tsr__tile_store_at(t, after, after, x->lives, x->rows, x->columns);
    if (!found && LLVMGetNumSuccessors(end) == 1)
        found = tsr__tile_store_at(t, LLVMGetSuccessor(end, 0), after, x->lives, x->rows, x->columns);
    return found;
}

/* Adds the loop if that pays, as one call. False: its parts are no block. */
static bool add_block(struct tsr__tiles *t, LLVMBasicBlockRef loop, const struct tsr__loop_part *parts, unsigned count, bool computed,
                      bool all)
{
    struct tsr__k_loop *x = tsr_arena_alloc(&t->l->scratch, sizeof *x);
    *x = (struct tsr__k_loop){.next = t->rounds, .loop = loop, .alone = -1, .apart = tsr__sums_apart(loop)};
    if (!arrange_parts(t, x, parts, count, computed)) {
        for (unsigned i = 0; i < count && computed; i++)
            parts[i].life->runs_alone = "A or B is not read from global memory in a way that could be done for other work-groups as well";
        return false;
    }
    for (unsigned i = 0; i < count; i++)
        x->lives[i] = x->parts[i].life;
    x->leaving = stores_behind(t, x);
    x->runs_now = tsr__tile_loop_must_run_now(t, x, all);
    for (unsigned i = 0; i < count; i++)
        x->lives[i]->runs_alone = x->runs_now;
    const bool whole = tsr__rows_of_block(parts->life->block) == TSR_TILE_ROWS && !tsr__is_narrow(&x->parts[0]),
               other_way = parts->a.first.place || parts->b.first.place,
               pays = (t->unit == TSR__TILES_VECTORS && !tsr__is_narrow(&x->parts[0])) || (t->unit == TSR__TILES_MODEL && whole);
    if (x->twice) {
        x->leaving = NULL;
        tsr__map_set(&t->twice, loop, 1);
    } else if (!x->runs_now)
        tsr__tile_store_waits(x->leaving);
    if (!x->runs_now || (pays && !computed && !other_way))
        t->rounds = x;
    return true;
}

/* The same, or each part on its own. */
static bool add_loop(struct tsr__tiles *t, LLVMBasicBlockRef loop, const struct tsr__loop_part *parts, unsigned count, bool computed,
                     bool all)
{
    if (add_block(t, loop, parts, count, computed, all))
        return true;
    for (unsigned i = 0; i < count && count > 1 && !computed; i++)
        add_block(t, loop, &parts[i], 1, false, false);
    return false;
}

/* Are operands of both in memory, or neither's? A product with a B of ones, for sums of rows of A, is one for all columns. */
static bool lie_in_memory_alike(const struct tsr__loop_part *x, const struct tsr__loop_part *y)
{
    return x->a.moves == y->a.moves && x->b.moves == y->b.moves;
}

/* Gives parts that have an operand in common, by way of others too, the same number, but not those of 8 columns, of which a loop has one
 * tile. Answers how many numbers there are. */
static unsigned number_parts(const struct tsr__loop_part *parts, unsigned count, unsigned *number)
{
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        number[i] = most++;
        for (unsigned k = 0; k < i; k++) {
            const unsigned from = number[k] > number[i] ? number[k] : number[i], to = number[k] > number[i] ? number[i] : number[k];
            if (!multiply_alike(&parts[k], &parts[i]) || !lie_in_memory_alike(&parts[k], &parts[i]) || tsr__is_narrow(&parts[i]) ||
                (!is_same_operand(&parts[k], &parts[i], false) && !is_same_operand(&parts[k], &parts[i], true)))
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
static bool add_several(struct tsr__tiles *t, LLVMBasicBlockRef loop, struct tsr__loop_part *const *sets, const unsigned *sizes,
                        unsigned count, bool computed)
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
        *x = (struct tsr__k_loop){.loop = loop, .number = n, .alone = -1, .apart = tsr__sums_apart(loop)};
        if (!arrange_parts(t, x, sets[n], sizes[n], false) && !(computed && arrange_parts(t, x, sets[n], sizes[n], true)))
            return false;
        for (unsigned i = 0; i < x->rows * x->columns; i++)
            lives[live++] = x->lives[i] = x->parts[i].life;
        registers |= tsr__registers_of_loop(x);
    }
    for (unsigned n = 0; n < count; n++)
        if (tsr__tile_loop_runs_apart(t, all[n], registers))
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

/* `computed`: with operands that the loop computes, if it can wait then. False: some of the parts do not fill blocks. */
static bool add_loops(struct tsr__tiles *t, LLVMBasicBlockRef loop, const struct tsr__loop_part *parts, unsigned count, bool computed)
{
    unsigned number[MOST], sizes[MOST] = {0}, numbers = number_parts(parts, count, number);
    struct tsr__loop_part *sets[MOST];
    if (numbers == 1)
        return add_loop(t, loop, parts, count, computed, true);
    for (unsigned n = 0; n < numbers; n++) {
        sets[n] = tsr_arena_alloc(&t->l->scratch, count * sizeof *sets[n]);
        for (unsigned i = 0; i < count; i++)
            if (number[i] == n)
                sets[n][sizes[n]++] = parts[i];
    }
    if (add_several(t, loop, sets, sizes, numbers, computed))
        return true;
    bool all = !computed;
    for (unsigned n = 0; n < numbers && !computed; n++)
        all = add_loop(t, loop, sets[n], sizes[n], false, false) && all;
    return all;
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

/* Products in the block; `waiting`: of these, by loops of the device. */
static size_t count_products(const struct tsr__tiles *t, LLVMBasicBlockRef block, size_t *waiting)
{
    size_t all = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        struct tsr__mad mad;
        all += tsr__mad_read(i, &mad);
    }
    *waiting = 0;
    for (size_t i = 0; i < t->webs.mad_count; i++)
        for (const struct tsr__k_loop *x = t->webs.mads[i].block == block ? t->rounds : NULL; x; x = x->next)
            for (unsigned k = 0; k < x->rows * x->columns; k++)
                if (x->loop == block && !x->runs_now && tsr__is_in_block_of_webs(x->lives[k]->block, t->webs.mads[i].d->web))
                    ++*waiting;
    return all;
}

bool tsr__tile_loops_make_all(const struct tsr__tiles *t, LLVMBasicBlockRef block)
{
    size_t waiting, all = count_products(t, block, &waiting);
    return all && all == waiting;
}

/* Do most products of the loop stay vectors? Then the packet runs it in any case, and running twice for the others does not pay. */
static bool has_more_vectors(const struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    size_t waiting, all = count_products(t, x->loop, &waiting);
    return x->twice && 2 * waiting < all;
}

/* Why vectors of the packet are better for the accumulator than those of a block, or NULL. */
static const char *why_no_block(struct tsr__tiles *t, const struct tsr__live_range *life)
{
    const char *why = "without tiles of the CPU's a block is worth it only in a loop over K that the device can run as a whole";
    if (life->runs_alone)
        why = tsr_arena_format(
            &t->l->scratch,
            "without tiles of the CPU's a block is worth it only where the device runs its loop with those of other work-groups: %s",
            life->runs_alone);
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        for (unsigned k = 0; k < x->rows * x->columns; k++)
            if (x->lives[k] == life && has_more_vectors(t, x))
                why = "most products of its loop over K are the packet's own";
            else if (x->lives[k] == life)
                why = life->is_part ? x->runs_now : NULL;
    return why;
}

/* The same of tiles of the CPU's: all are good but those of a part, where the device runs no loop of it. */
static const char *why_no_tile(const struct tsr__tiles *t, const struct tsr__live_range *life)
{
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        for (unsigned k = 0; k < x->rows * x->columns; k++)
            if (x->lives[k] == life)
                return NULL;
    return life->is_part ? "vectors multiply so few rows of bytes faster than A and B go by way of the stack" : NULL;
}

bool tsr__tile_loops_reject(struct tsr__tiles *t)
{
    bool any = false;
    for (size_t i = 0; i < t->webs.block_count; i++) {
        struct tsr__live_range *life = &t->registers.live_ranges[i];
        const char *why = life->accumulator < 0 ? NULL : t->unit == TSR__TILES_VECTORS ? why_no_block(t, life) : why_no_tile(t, life);
        if (!why)
            continue;
        tsr__reject_tile(life, why);
        t->rejected = why;
        any = true;
    }
    return any;
}

/* How many parts of the loop are made with those of other work-groups; `stored`: by calls that store their results as well. */
static unsigned count_waiting(const struct tsr__tiles *t, LLVMBasicBlockRef loop, bool stored)
{
    unsigned waiting = 0;
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        waiting += x->loop == loop && !x->runs_now && !(stored && x->twice) ? x->rows * x->columns : 0;
    return waiting;
}

/* First with the operands that lie in memory. If some do not, or the parts do not fill blocks so, with those that the loop computes. */
static void add_loops_of(struct tsr__tiles *t, LLVMBasicBlockRef loop, const struct tsr__loop_part *parts, unsigned count)
{
    struct tsr__k_loop *const others = t->rounds;
    struct tsr__loop_part moving[MOST];
    unsigned moves = 0;
    bool fill_blocks = true;
    for (unsigned i = 0; i < count; i++)
        if (parts[i].a.moves && parts[i].b.moves)
            moving[moves++] = parts[i];
    if (moves)
        fill_blocks = add_loops(t, loop, moving, moves, false);
    if ((moves == count && fill_blocks) || count_waiting(t, loop, true))
        return;
    struct tsr__k_loop *const found = t->rounds;
    t->rounds = others;
    if (!add_loops(t, loop, parts, count, true) || count_waiting(t, loop, false) < count)
        t->rounds = found;
}

/* What keeps the device from running the loops in which these products are, whatever their operands. */
static void note_other_blocks(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        LLVMBasicBlockRef block = list[i].latest->block;
        if (!tsr__exit_of_loop(block))
            list[i].life->runs_alone = "the loop over K has branches, or there is none";
        else if (!is_read_only(t, block))
            list[i].life->runs_alone = "the loop over K stores, or calls what may";
    }
}

/* With AMX a B that lies in memory is worth tiles for few rows of bytes, too: a whole one, or also half a step of K where registers are to
 * have few rows. */
static void keep_whole_b(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count)
{
    const enum tsr_tile_shapes shapes = t->may_have_eight_rows ? TSR_TILE_SHAPES_EIGHT_ROWS : TSR_TILE_SHAPES_WHOLE;
    for (size_t i = 0; i < t->webs.block_count; i++)
        t->registers.live_ranges[i].is_part = tsr__is_part_of_tile(&t->webs, t->registers.live_ranges[i].block);
    for (size_t i = 0; i < count && t->unit != TSR__TILES_VECTORS; i++) {
        struct tsr__source a, b;
        struct tsr__polynomial stride;
        LLVMValueRef point = list[i].latest->mad.call, first;
        if (!list[i].life->is_part)
            continue;
        tsr__tiles_select(t, list[i].life);
        tsr__tile_sources(t, &list[i], shapes, &a, &b);
        list[i].life->is_part = !tsr__tile_in_place(t, &b, point, &stride) && !tsr__tile_by_rows(t, &b, point, &first, &stride);
    }
}

void tsr__tile_loops_find(struct tsr__tiles *t, const struct tsr__multiply *list, size_t count)
{
    note_other_blocks(t, list, count);
    keep_whole_b(t, list, count);
    for (int p = 0; p < t->registers.places.count; p++) {
        LLVMBasicBlockRef loop = t->registers.places.at[p].ref;
        unsigned n = 0;
        if (!tsr__exit_of_loop(loop) || !is_read_only(t, loop))
            continue;
        struct tsr__loop_part *parts = tsr_arena_alloc(&t->l->scratch, MOST * sizeof *parts);
        for (size_t i = 0; i < t->webs.block_count && n < MOST; i++) {
            parts[n] = (struct tsr__loop_part){.life = &t->registers.live_ranges[i]};
            n += parts[n].life->accumulator >= 0 && find_part(t, list, count, loop, &parts[n]);
        }
        if (n)
            add_loops_of(t, loop, parts, n);
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

bool tsr__in_tile_loop(const struct tsr__tiles *t, const struct tsr__multiply *x, enum tsr__operand_place *a, enum tsr__operand_place *b,
                       const char **runs_now, bool *twice)
{
    const struct tsr__k_loop *rounds = rounds_of(t, x->life, x->latest->block);
    const struct tsr__moving *first = rounds ? &rounds->parts[0].b.first : NULL;
    *a = rounds && rounds->slice_a ? TSR__COMPUTED : TSR__IN_PLACE;
    *b = rounds && rounds->slice_b     ? TSR__COMPUTED
         : rounds && first->by_columns ? TSR__PACKED_COLUMNS
         : rounds && first->by_rows    ? TSR__PACKED
                                       : TSR__IN_PLACE;
    *runs_now = rounds ? rounds->runs_now : NULL;
    *twice = rounds && rounds->twice;
    return rounds;
}

bool tsr__tile_loop_fills(const struct tsr__tiles *t, const struct tsr__live_range *life, const struct tsr__fragment *phi)
{
    const struct tsr__k_loop *x = rounds_of(t, life, phi->block);
    return x && x->zero;
}
