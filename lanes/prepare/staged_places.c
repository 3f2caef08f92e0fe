/* SPDX-License-Identifier: Apache-2.0
 * Places in local memory, and in the code. */
#include "lanes/prepare/staged_places.h"

#include <string.h>

#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/range.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

static bool waits(const struct tsr__unstage *u, int loop)
{
    for (int b = u->cfg.loops[loop].begin; b < u->cfg.loops[loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(u->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (tsr__call_of(i) == TSR__CALL_BARRIER)
                return true;
    return false;
}

/* Which of several buffers a loop uses in this round. The loops of a copy do not wait. */
static bool is_turn(const struct tsr__unstage *u, LLVMValueRef v, struct tsr__round_cycle *turn)
{
    if (!tsr__find_round_cycle(&u->cfg, v, turn) || turn->loop == TSR__NONE || turn->of_next)
        return false;
    for (int i = 0; i < TSR__CYCLE_ROUNDS; i++)
        if (turn->values[i] < 0)
            return false;
    return waits(u, turn->loop);
}

static int64_t most_of_turn(const struct tsr__round_cycle *turn)
{
    int64_t most = 0;
    for (int i = 0; i < TSR__CYCLE_ROUNDS; i++)
        most = turn->values[i] > most ? turn->values[i] : most;
    return most;
}

/* What a place is made of: numbers of which bounds are known. */
static bool leaf_of_place(void *context, LLVMValueRef v, struct tsr__form *form)
{
    const struct tsr__unstage *u = context;
    struct tsr__id_digit digit;
    struct tsr__round_cycle turn;
    struct tsr__range range;
    if (is_turn(u, v, &turn)) {
        *form = tsr__form_of_value(v, most_of_turn(&turn));
        return true;
    }
    if (tsr__find_id_digit(&u->code, v, &digit)) {
        *form = tsr__form_of_value(v, (digit.count - 1) * digit.scale);
        return true;
    }
    LLVMValueRef counter;
    int64_t most;
    if (tsr__find_stepped(&u->code, v, &counter, &most)) {
        *form = tsr__form_of_value(v, most);
        return true;
    }
    if (!tsr__range_of(u->code.info, v, &range))
        return false;
    *form = tsr__form_of_value(v, range.most);
    return true;
}

/* Are all counters below their bounds there, as in the bodies of their loops? */
static bool is_in_bodies(const struct tsr__unstage *u, LLVMValueRef at, const struct tsr__form *form)
{
    const int block = tsr__block_of(u, at);
    for (unsigned i = 0; i < form->count; i++) {
        struct tsr__id_digit d;
        LLVMValueRef counter = NULL;
        int64_t most;
        if (tsr__find_id_digit(&u->code, form->terms[i].value, &d))
            counter = d.base.counter;
        else if (!tsr__find_stepped(&u->code, form->terms[i].value, &counter, &most))
            counter = NULL;
        if (!counter)
            continue;
        const int loop = tsr__loop_of_counter(&u->code, counter);
        if (!tsr__in_loop(&u->cfg, block, loop) || block == u->cfg.loops[loop].header)
            return false;
    }
    return true;
}

LLVMValueRef tsr__object_of(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer) || tsr__call_of(pointer) == TSR__CALL_SAME)
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

unsigned tsr__space_of(LLVMValueRef pointer)
{
    return LLVMGetPointerAddressSpace(tsr__element_type(LLVMTypeOf(tsr__object_of(pointer))));
}

static bool is_group_memory(LLVMValueRef object)
{
    return tsr__call_of(object) == TSR__CALL_LOCAL_BASE || tsr__call_of(object) == TSR__CALL_LOCAL_ARRAY;
}

static bool add_turn(struct tsr__place *place, int loop, const int64_t values[TSR__CYCLE_ROUNDS], int64_t factor)
{
    if (place->turn_loop != TSR__NONE && place->turn_loop != loop)
        return false;
    place->turn_loop = loop;
    for (int i = 0; i < TSR__CYCLE_ROUNDS; i++)
        place->turn[i] += values[i] * factor;
    return true;
}

/* The constant distance of the pointer from the beginning of the work-group's local memory. */
static bool find_offset(const struct tsr__unstage *u, LLVMValueRef pointer, int64_t *offset)
{
    struct tsr__gep_index index;
    *offset = 0;
    for (; LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer); pointer = LLVMGetOperand(pointer, 0))
        for (struct tsr__gep_walk walk = tsr__gep_walk(u->layout, pointer);
             LLVMIsAGetElementPtrInst(pointer) && tsr__gep_next(&walk, &index);) {
            if (!index.is_constant || index.offset < 0)
                return false;
            *offset += index.offset;
        }
    if (tsr__call_of(pointer) == TSR__CALL_LOCAL_ARRAY)
        *offset += (int64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, 0));
    return is_group_memory(pointer);
}

/* Of pointers to buffers that a loop hands on from one to the next in each round: where this one points in each. */
static bool find_exchanged(const struct tsr__unstage *u, LLVMValueRef phi, int *loop, int64_t at[TSR__CYCLE_ROUNDS])
{
    const int block = LLVMIsAPHINode(phi) ? tsr__block_of(u, phi) : TSR__NONE;
    if (block == TSR__NONE || (*loop = u->cfg.blocks[block].loop) == TSR__NONE || u->cfg.loops[*loop].header != block ||
        u->cfg.loops[*loop].latch == TSR__NONE || LLVMCountIncoming(phi) != 2)
        return false;
    const unsigned back = LLVMGetIncomingBlock(phi, 1) == u->cfg.blocks[u->cfg.loops[*loop].latch].ref;
    LLVMBasicBlockRef latch = LLVMGetIncomingBlock(phi, back), before = LLVMGetIncomingBlock(phi, !back);
    LLVMValueRef points = phi;
    for (int i = 0; i < TSR__CYCLE_ROUNDS; i++, points = tsr__incoming_from(points, latch))
        if (!LLVMIsAPHINode(points) || LLVMGetInstructionParent(points) != LLVMGetInstructionParent(phi) ||
            !find_offset(u, tsr__incoming_from(points, before), &at[i]))
            return false;
    return points == phi;
}

bool tsr__is_buffer_in_turn(const struct tsr__unstage *u, LLVMValueRef phi)
{
    int loop;
    int64_t at[TSR__CYCLE_ROUNDS];
    return find_exchanged(u, phi, &loop, at);
}

/* Where the place's object is, which is the work-group's local memory, an argument, or one of several buffers in turn. */
static bool find_object(const struct tsr__unstage *u, LLVMValueRef object, struct tsr__place *place)
{
    int loop;
    int64_t at[TSR__CYCLE_ROUNDS];
    if (tsr__call_of(object) == TSR__CALL_LOCAL_ARRAY)
        place->at.constant = (int64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(object, 0));
    if (is_group_memory(object))
        return true;
    if (find_exchanged(u, object, &loop, at))
        return add_turn(place, loop, at, 1);
    place->root = object;
    return LLVMIsAArgument(object) || LLVMIsAAllocaInst(object);
}

/* Takes out of the place what says whose turn it is. */
static bool find_turns(const struct tsr__unstage *u, struct tsr__place *place)
{
    for (unsigned i = 0; i < place->at.count;) {
        struct tsr__round_cycle turn;
        if (!is_turn(u, place->at.terms[i].value, &turn)) {
            i++;
            continue;
        }
        if (!add_turn(place, turn.loop, turn.values, place->at.terms[i].factor))
            return false;
        place->at.terms[i] = place->at.terms[--place->at.count];
    }
    return true;
}

bool tsr__find_place(const struct tsr__unstage *u, LLVMValueRef access, struct tsr__place *place)
{
    LLVMValueRef pointer = tsr__accessed_pointer(access), object = tsr__object_of(pointer);
    const LLVMTypeRef type = LLVMTypeOf(LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 0) : access);
    *place = (struct tsr__place){.access = access, .turn_loop = TSR__NONE, .size = (int64_t)LLVMStoreSizeOfType(u->layout, type)};
    if (!find_object(u, object, place))
        return false;
    for (; pointer != object; pointer = LLVMGetOperand(pointer, 0)) {
        struct tsr__gep_index index;
        if (!LLVMIsAGetElementPtrInst(pointer))
            continue;
        for (struct tsr__gep_walk walk = tsr__gep_walk(u->layout, pointer); tsr__gep_next(&walk, &index);) {
            struct tsr__form part = {.constant = index.offset};
            if ((index.is_constant && index.offset < 0) ||
                (!index.is_constant && !tsr__form_of(index.value, leaf_of_place, (void *)(uintptr_t)u, &part)) ||
                !tsr__form_add(&place->at, &part, index.is_constant ? 1 : index.bytes))
                return false;
        }
    }
    return tsr__is_plain_access(access) && find_turns(u, place) && is_in_bodies(u, access, &place->at);
}

bool tsr__sum_of_place(const struct tsr__unstage *u, LLVMValueRef at, LLVMValueRef v, struct tsr__form *form)
{
    return tsr__block_of(u, at) != TSR__NONE && tsr__form_of(v, leaf_of_place, (void *)(uintptr_t)u, form) && is_in_bodies(u, at, form);
}

/* Do both lie in bytes of their own of each `by` bytes? */
static bool lie_apart(const struct tsr__place *a, int i, const struct tsr__place *b, int k, int64_t by)
{
    struct tsr__form of_a = a->at, of_b = b->at, x, y;
    of_a.constant += a->turn[i];
    of_b.constant += b->turn[k];
    if (!tsr__form_modulo(&of_a, by, &x) || !tsr__form_modulo(&of_b, by, &y))
        return false;
    const int64_t end_x = tsr__form_most(&x) + a->size, end_y = tsr__form_most(&y) + b->size;
    return end_x <= by && end_y <= by && (end_x <= y.constant || end_y <= x.constant);
}

static bool lie_apart_by_factors(const struct tsr__place *a, int i, const struct tsr__place *b, int k, const struct tsr__form *of)
{
    for (unsigned t = 0; t < of->count; t++)
        if (lie_apart(a, i, b, k, of->terms[t].factor))
            return true;
    return false;
}

bool tsr__overlap_in_turn(const struct tsr__place *a, int i, const struct tsr__place *b, int k)
{
    return a->root == b->root && a->at.constant + a->turn[i] < tsr__form_most(&b->at) + b->turn[k] + b->size &&
           b->at.constant + b->turn[k] < tsr__form_most(&a->at) + a->turn[i] + a->size && !lie_apart_by_factors(a, i, b, k, &a->at) &&
           !lie_apart_by_factors(a, i, b, k, &b->at);
}

bool tsr__overlap(const struct tsr__place *a, const struct tsr__place *b)
{
    for (int i = 0; i < TSR__CYCLE_ROUNDS * TSR__CYCLE_ROUNDS; i++)
        if (tsr__overlap_in_turn(a, i / TSR__CYCLE_ROUNDS, b, i % TSR__CYCLE_ROUNDS))
            return true;
    return false;
}

bool tsr__is_source(LLVMValueRef v)
{
    const unsigned space = tsr__is_plain_load(v) ? tsr__space_of(LLVMGetOperand(v, 0)) : TSR__PRIVATE_SPACE;
    return space == TSR__GLOBAL_SPACE || space == TSR__CONSTANT_SPACE;
}

/* ---- code ---- */

bool tsr__comes_after(const struct tsr__unstage *u, LLVMValueRef a, LLVMValueRef b)
{
    if (LLVMGetInstructionParent(a) != LLVMGetInstructionParent(b))
        return tsr__dominates(&u->cfg, tsr__block_of(u, a), tsr__block_of(u, b));
    while (a && a != b)
        a = LLVMGetNextInstruction(a);
    return a;
}

int tsr__common_loop(const struct tsr__unstage *u, int a, int b)
{
    int loop = u->cfg.blocks[a].loop;
    while (loop != TSR__NONE && !tsr__in_loop(&u->cfg, b, loop))
        loop = u->cfg.loops[loop].parent;
    return loop;
}

bool tsr__leads(const struct tsr__unstage *u, int from, int to, int avoid, int header)
{
    bool *seen = tsr_arena_alloc(u->arena, (size_t)u->cfg.block_count * sizeof *seen);
    int *open = tsr_arena_alloc(u->arena, (size_t)u->cfg.block_count * sizeof *open), count = 0;
    memset(seen, 0, (size_t)u->cfg.block_count * sizeof *seen);
    for (int at = from;; at = open[--count]) {
        for (int i = 0; i < u->cfg.blocks[at].succ_count; i++) {
            const int next = u->cfg.blocks[at].succ[i];
            if (next == to)
                return true;
            if (seen[next] || next == avoid || next == header)
                continue;
            seen[next] = true;
            open[count++] = next;
        }
        if (!count)
            return false;
    }
}

/* Does the loop end by its header's branch alone, and is it entered whenever that is reached, `by_all` work-items or at least by those
 * whose ids its counter begins with? */
static bool is_entered(const struct tsr__unstage *u, int loop, bool by_all)
{
    const struct tsr__loop *of = &u->cfg.loops[loop];
    LLVMValueRef end = u->cfg.blocks[of->header].terminator;
    int64_t first, bound;
    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2)
        return false;
    for (int b = of->begin; b < of->end; b++)
        for (int i = 0; i < u->cfg.blocks[b].succ_count; i++)
            if (b != of->header && !tsr__in_loop(&u->cfg, u->cfg.blocks[b].succ[i], loop))
                return false;
    LLVMValueRef condition = LLVMGetCondition(end), phi = LLVMIsAICmpInst(condition) ? LLVMGetOperand(condition, 0) : condition,
                 begin = NULL;
    const bool enters = tsr__in_loop(&u->cfg, tsr__cfg_number(&u->cfg, LLVMGetSuccessor(end, 0)), loop);
    struct tsr__id_base base;
    if (!LLVMIsAPHINode(phi) || tsr__block_of(u, phi) != of->header)
        return false;
    if (tsr__find_id_base(&u->code, phi, &base))
        return !by_all || !base.ids;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        const int from = tsr__cfg_number(&u->cfg, LLVMGetIncomingBlock(phi, i));
        if (from == TSR__NONE || tsr__in_loop(&u->cfg, from, loop))
            continue;
        if (begin && begin != LLVMGetIncomingValue(phi, i))
            return false;
        begin = LLVMGetIncomingValue(phi, i);
    }
    if (!begin || !tsr__constant_int(begin, &first))
        return false;
    if (phi == condition)
        return (first != 0) == enters;
    return LLVMGetICmpPredicate(condition) == (enters ? LLVMIntEQ : LLVMIntNE) && tsr__constant_int(LLVMGetOperand(condition, 1), &bound) &&
           first == bound;
}

int tsr__head_of_rounds(const struct tsr__unstage *u, int block, int within, bool by_all)
{
    for (int loop = u->cfg.blocks[block].loop; loop != within; loop = u->cfg.loops[loop].parent) {
        if (loop == TSR__NONE || u->cfg.loops[loop].latch == TSR__NONE || !tsr__dominates(&u->cfg, block, u->cfg.loops[loop].latch) ||
            !is_entered(u, loop, by_all))
            return TSR__NONE;
        block = u->cfg.loops[loop].header;
    }
    return block;
}
