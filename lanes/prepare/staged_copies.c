/* SPDX-License-Identifier: Apache-2.0
 * Local memory as a copy of global memory. */
#include "lanes/prepare/staged_copies.h"

#include "lanes/analysis/alternation.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/range.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

enum { DEPTH = 24 /* instructions of an address */ };

/* ---- places in local memory ---------------------------------------------------------------------------------------------------------- */

static bool waits(const struct tsr__unstage *u, int loop)
{
    for (int b = u->cfg.loops[loop].begin; b < u->cfg.loops[loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(u->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (tsr__call_of(i) == TSR__CALL_BARRIER)
                return true;
    return false;
}

/* Which of two buffers a loop uses in this round. The loops of a copy do not wait. */
static bool is_turn(const struct tsr__unstage *u, LLVMValueRef v, struct tsr__alternation *turn)
{
    return tsr__find_alternation(&u->cfg, v, turn) && turn->loop != TSR__NONE && !turn->of_next && turn->values[0] >= 0 &&
           turn->values[1] >= 0 && waits(u, turn->loop);
}

/* What a place is made of: numbers of which bounds are known. */
static bool leaf_of_place(void *context, LLVMValueRef v, struct tsr__form *form)
{
    const struct tsr__unstage *u = context;
    struct tsr__id_digit digit;
    struct tsr__alternation turn;
    struct tsr__range range;
    if (is_turn(u, v, &turn)) {
        *form = tsr__form_of_value(v, turn.values[turn.values[1] > turn.values[0]]);
        return true;
    }
    if (tsr__find_id_digit(&u->code, v, &digit)) {
        *form = tsr__form_of_value(v, (digit.count - 1) * digit.scale);
        return true;
    }
    if (!tsr__range_of(u->code.info, v, &range))
        return false;
    *form = tsr__form_of_value(v, range.most);
    return true;
}

/* Are all counters below their bounds there, as in the bodies of their loops? */
static bool is_in_bodies(const struct tsr__unstage *u, const struct tsr__place *place)
{
    const int block = tsr__block_of(u, place->access);
    for (unsigned i = 0; i < place->at.count; i++) {
        struct tsr__id_digit d;
        if (!tsr__find_id_digit(&u->code, place->at.terms[i].value, &d) || !d.base.counter)
            continue;
        const int loop = tsr__loop_of_counter(&u->code, d.base.counter);
        if (!tsr__in_loop(&u->cfg, block, loop) || block == u->cfg.loops[loop].header)
            return false;
    }
    return true;
}

LLVMValueRef tsr__object_of(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

unsigned tsr__space_of(LLVMValueRef pointer)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(tsr__object_of(pointer)));
}

static bool is_group_memory(LLVMValueRef object)
{
    return tsr__call_of(object) == TSR__CALL_LOCAL_BASE || tsr__call_of(object) == TSR__CALL_LOCAL_ARRAY;
}

static bool add_turn(struct tsr__place *place, int loop, const int64_t values[2], int64_t factor)
{
    if (place->turn_loop != TSR__NONE && place->turn_loop != loop)
        return false;
    place->turn_loop = loop;
    for (int i = 0; i < 2; i++)
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

/* Of pointers to two buffers that a loop exchanges in each round: where this one points in even and odd rounds. */
static bool find_exchanged(const struct tsr__unstage *u, LLVMValueRef phi, int *loop, int64_t at[2])
{
    const int block = LLVMIsAPHINode(phi) ? tsr__block_of(u, phi) : TSR__NONE;
    if (block == TSR__NONE || (*loop = u->cfg.blocks[block].loop) == TSR__NONE || u->cfg.loops[*loop].header != block ||
        u->cfg.loops[*loop].latch == TSR__NONE || LLVMCountIncoming(phi) != 2)
        return false;
    const unsigned back = LLVMGetIncomingBlock(phi, 1) == u->cfg.blocks[u->cfg.loops[*loop].latch].ref;
    LLVMBasicBlockRef latch = LLVMGetIncomingBlock(phi, back), before = LLVMGetIncomingBlock(phi, !back);
    LLVMValueRef other = LLVMGetIncomingValue(phi, back);
    return LLVMIsAPHINode(other) && LLVMGetInstructionParent(other) == LLVMGetInstructionParent(phi) &&
           tsr__incoming_from(other, latch) == phi && find_offset(u, tsr__incoming_from(phi, before), &at[0]) &&
           find_offset(u, tsr__incoming_from(other, before), &at[1]);
}

bool tsr__is_buffer_in_turn(const struct tsr__unstage *u, LLVMValueRef phi)
{
    int loop;
    int64_t at[2];
    return find_exchanged(u, phi, &loop, at);
}

/* Where the place's object is, which is the work-group's local memory, an argument, or one of two buffers in turn. */
static bool find_object(const struct tsr__unstage *u, LLVMValueRef object, struct tsr__place *place)
{
    int loop;
    int64_t at[2];
    if (tsr__call_of(object) == TSR__CALL_LOCAL_ARRAY)
        place->at.constant = (int64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(object, 0));
    if (is_group_memory(object))
        return true;
    if (find_exchanged(u, object, &loop, at))
        return add_turn(place, loop, at, 1);
    place->root = object;
    return LLVMIsAArgument(object);
}

/* Takes out of the place what says whose turn it is. */
static bool find_turns(const struct tsr__unstage *u, struct tsr__place *place)
{
    for (unsigned i = 0; i < place->at.count;) {
        struct tsr__alternation turn;
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
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic && find_turns(u, place) &&
           is_in_bodies(u, place);
}

bool tsr__overlap_in_turn(const struct tsr__place *a, int i, const struct tsr__place *b, int k)
{
    return a->root == b->root && a->at.constant + a->turn[i] < tsr__form_most(&b->at) + b->turn[k] + b->size &&
           b->at.constant + b->turn[k] < tsr__form_most(&a->at) + a->turn[i] + a->size;
}

bool tsr__overlap(const struct tsr__place *a, const struct tsr__place *b)
{
    bool any = false;
    for (int i = 0; i < 4; i++)
        any = any || tsr__overlap_in_turn(a, i / 2, b, i % 2);
    return any;
}

/* ---- copies -------------------------------------------------------------------------------------------------------------------------- */

bool tsr__same_base(const struct tsr__id_base *a, const struct tsr__id_base *b)
{
    return a->counter == b->counter && a->ids == b->ids;
}

/* Each value of one comes with each value of the other. */
static bool go_together(const struct tsr__id_digit *a, const struct tsr__id_digit *b)
{
    if (!tsr__same_base(&a->base, &b->base))
        return tsr__ids_are_independent(a->base.ids, b->base.ids) || !(a->base.ids && b->base.ids);
    const struct tsr__id_digit *low = a->shift < b->shift ? a : b, *high = low == a ? b : a;
    return low->count << low->shift <= INT64_C(1) << high->shift;
}

/* Sorts the digits by what their values count for. Do no two values of them, or of the bytes of a store, mean one place? */
static bool sort_digits(struct tsr__copy *c)
{
    for (unsigned i = 1; i < c->digit_count; i++)
        for (unsigned k = i; k && c->digits[k].bytes < c->digits[k - 1].bytes; k--) {
            const struct tsr__id_digit d = c->digits[k];
            c->digits[k] = c->digits[k - 1];
            c->digits[k - 1] = d;
        }
    int64_t end = c->to.size;
    for (unsigned i = 0; i < c->digit_count; i++) {
        if (c->digits[i].bytes < end)
            return false;
        end = c->digits[i].bytes * c->digits[i].count;
    }
    return true;
}

LLVMValueRef tsr__source_of(const struct tsr__copy *c)
{
    LLVMValueRef pointer = LLVMGetOperand(c->from, 0);
    while (LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

/* The parts of one number of which the address is made; false: it is also made of the number itself. */
struct parts {
    const struct tsr__unstage *u;
    const struct tsr__id_base *base;
    struct tsr__id_digit digits[TSR__PLACE_DIGITS];
    unsigned count;
};

static bool find_parts(struct parts *p, LLVMValueRef v, int depth)
{
    struct tsr__id_digit d;
    v = tsr__without_extension(v);
    if (!LLVMIsAInstruction(v) || !depth)
        return !LLVMIsAInstruction(v);
    if (tsr__find_id_digit(&p->u->code, v, &d)) {
        if (!tsr__same_base(&d.base, p->base))
            return true;
        unsigned i = 0;
        while (i < p->count && p->digits[i].value != v)
            i++;
        if (i == TSR__PLACE_DIGITS || d.count == d.base.count)
            return false;
        d.value = v;
        p->digits[i] = d;
        p->count += i == p->count;
        return true;
    }
    for (int i = 0; i < LLVMGetNumOperands(v) && !LLVMIsAPHINode(v) && !LLVMIsACallInst(v); i++)
        if (!find_parts(p, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return false;
    return true;
}

/* Where a vector's number is taken apart into rows and columns of global memory, as `i / 4` and `i % 4`, its parts are the place's digits.
 */
static void split_digits(const struct tsr__unstage *u, struct tsr__copy *c)
{
    for (unsigned i = 0; i < c->digit_count; i++) {
        const struct tsr__id_digit whole = c->digits[i];
        struct parts p = {.u = u, .base = &whole.base};
        if (whole.scale != 1 || whole.count != whole.base.count || !find_parts(&p, tsr__source_of(c), DEPTH) ||
            c->digit_count + p.count - 1 > TSR__PLACE_DIGITS)
            continue;
        int64_t known = 1;
        for (unsigned found = 0; found < p.count; found++) {
            unsigned k = 0;
            while (k < p.count && INT64_C(1) << p.digits[k].shift != known)
                k++;
            known *= k < p.count ? p.digits[k].count : 0;
        }
        if (!p.count || known != whole.count)
            continue;
        c->digits[i] = c->digits[--c->digit_count];
        for (unsigned k = 0; k < p.count; k++) {
            p.digits[k].bytes = whole.bytes << p.digits[k].shift;
            c->digits[c->digit_count++] = p.digits[k];
        }
        return;
    }
}

/* A load of global memory. */
static bool is_source(LLVMValueRef v)
{
    const unsigned space = tsr__is_plain_load(v) ? tsr__space_of(LLVMGetOperand(v, 0)) : TSR__PRIVATE_SPACE;
    return space == TSR__GLOBAL_SPACE || space == TSR__CONSTANT_SPACE;
}

/* Of a phi that a loop begins with a load, and goes on with a load of each round that is followed by another one. */
static bool find_loads_ahead(const struct tsr__unstage *u, LLVMValueRef phi, struct tsr__copy *c)
{
    const int block = LLVMIsAPHINode(phi) ? tsr__block_of(u, phi) : TSR__NONE,
              loop = block == TSR__NONE ? TSR__NONE : u->cfg.blocks[block].loop;
    if (loop == TSR__NONE || u->cfg.loops[loop].header != block || u->cfg.loops[loop].latch == TSR__NONE || LLVMCountIncoming(phi) != 2)
        return false;
    const unsigned back = LLVMGetIncomingBlock(phi, 1) == u->cfg.blocks[u->cfg.loops[loop].latch].ref;
    LLVMValueRef next = LLVMGetIncomingValue(phi, back);
    c->first_from = LLVMGetIncomingValue(phi, !back);
    c->from = LLVMIsAPHINode(next) ? NULL : next;
    for (unsigned i = 0; LLVMIsAPHINode(next) && i < LLVMCountIncoming(next); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(next, i);
        if (v == phi || LLVMIsUndef(v))
            continue;
        if (c->from)
            return false;
        c->from = v;
    }
    return c->from && is_source(c->from) && is_source(c->first_from);
}

bool tsr__find_copy(const struct tsr__unstage *u, const struct tsr__place *to, struct tsr__copy *c)
{
    *c = (struct tsr__copy){.to = *to, .from = LLVMGetOperand(to->access, 0)};
    const bool now = is_source(c->from) && LLVMGetInstructionParent(c->from) == LLVMGetInstructionParent(to->access);
    if (to->at.count > TSR__PLACE_DIGITS || (!now && !find_loads_ahead(u, c->from, c)))
        return false;
    for (unsigned i = 0; i < to->at.count; i++) {
        struct tsr__id_digit *d = &c->digits[c->digit_count];
        if (!tsr__find_id_digit(&u->code, to->at.terms[i].value, d))
            return false;
        d->value = tsr__without_extension(to->at.terms[i].value);
        d->bytes = to->at.terms[i].factor * d->scale;
        for (unsigned k = 0; k < c->digit_count; k++)
            if (!go_together(d, &c->digits[k]))
                return false;
        c->digit_count++;
    }
    split_digits(u, c);
    return sort_digits(c);
}

bool tsr__comes_after(const struct tsr__unstage *u, LLVMValueRef a, LLVMValueRef b)
{
    if (LLVMGetInstructionParent(a) != LLVMGetInstructionParent(b))
        return tsr__dominates(&u->cfg, tsr__block_of(u, a), tsr__block_of(u, b));
    while (a && a != b)
        a = LLVMGetNextInstruction(a);
    return a;
}

int tsr__head_of_copy(const struct tsr__unstage *u, const struct tsr__copy *c, int within)
{
    int block = tsr__block_of(u, c->to.access), loop = u->cfg.blocks[block].loop;
    for (unsigned i = 0; i < c->digit_count; i++)
        if (c->digits[i].base.counter && within != TSR__NONE &&
            tsr__in_loop(&u->cfg, u->cfg.loops[within].header, tsr__loop_of_counter(&u->code, c->digits[i].base.counter)))
            return TSR__NONE;
    for (; loop != within; loop = u->cfg.loops[loop].parent) {
        if (loop == TSR__NONE || u->cfg.loops[loop].latch == TSR__NONE || !tsr__dominates(&u->cfg, block, u->cfg.loops[loop].latch))
            return TSR__NONE;
        block = u->cfg.loops[loop].header;
    }
    return block;
}
