/* SPDX-License-Identifier: Apache-2.0
 * Local memory as a copy of global memory. */
#include "lanes/prepare/staged_copies.h"

#include "lanes/analysis/alternation.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/range.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

enum { DEPTH = 24 /* instructions of an address */ };

static int block_of(const struct tsr__unstage *u, LLVMValueRef inst)
{
    return tsr__cfg_number(&u->cfg, LLVMGetInstructionParent(inst));
}

/* ---- places in local memory -----------------------------------------------------------------------------------------------------------
 */

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
    const int block = block_of(u, place->access);
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
    const int block = LLVMIsAPHINode(phi) ? block_of(u, phi) : TSR__NONE;
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

/* In any round of each. */
static bool overlap(const struct tsr__place *a, const struct tsr__place *b)
{
    bool any = false;
    for (int i = 0; i < 4; i++)
        any = any || tsr__overlap_in_turn(a, i / 2, b, i % 2);
    return any;
}

/* ---- copies ---------------------------------------------------------------------------------------------------------------------------
 */

static bool same_base(const struct tsr__id_base *a, const struct tsr__id_base *b)
{
    return a->counter == b->counter && a->ids == b->ids;
}

/* Each value of one comes with each value of the other. */
static bool go_together(const struct tsr__id_digit *a, const struct tsr__id_digit *b)
{
    if (!same_base(&a->base, &b->base))
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

/* Where the copy comes from, in the address space of its object. */
static LLVMValueRef source_of(const struct tsr__copy *c)
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
        if (!same_base(&d.base, p->base))
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
        if (whole.scale != 1 || whole.count != whole.base.count || !find_parts(&p, source_of(c), DEPTH) ||
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
    const int block = LLVMIsAPHINode(phi) ? block_of(u, phi) : TSR__NONE, loop = block == TSR__NONE ? TSR__NONE : u->cfg.blocks[block].loop;
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

/* ---- what a load of local memory would have read ---------------------------------------------------------------------------------------
 */

/* Bytes of the place that the load reads below those of digit `end`, in units of so many. */
static bool units_of_place(const struct tsr__reading *r, unsigned end, int64_t bytes, int64_t count, struct tsr__form *units)
{
    struct tsr__form below = r->at;
    return (end == r->copy->digit_count || tsr__form_modulo(&r->at, r->copy->digits[end].bytes, &below)) &&
           tsr__form_divide(&below, bytes, units) && tsr__form_most(units) < count;
}

/* The digit's value in the store that wrote what the load reads. */
static bool form_of_digit(const struct tsr__reading *r, unsigned i, struct tsr__form *form)
{
    const struct tsr__id_digit *d = &r->copy->digits[i];
    const int64_t elements = i == 0 && r->run ? d->scale : 1;
    int64_t count = d->count * elements;
    struct tsr__form units;
    unsigned end = i + 1;
    for (; r->merged[end]; end++)
        count *= r->copy->digits[end].count;
    *form = (struct tsr__form){0};
    return r->merged[i] || (units_of_place(r, end, d->bytes / elements, count, &units) && tsr__form_add(form, &units, d->scale / elements));
}

/* The base's value there. */
static bool form_of_base(const struct tsr__reading *r, const struct tsr__id_base *base, struct tsr__form *form)
{
    int64_t known = 1;
    *form = (struct tsr__form){0};
    for (unsigned found = 0; known < base->count; found++) {
        unsigned i = 0;
        struct tsr__form units;
        while (i < r->copy->digit_count && !(same_base(&r->copy->digits[i].base, base) && INT64_C(1) << r->copy->digits[i].shift == known))
            i++;
        const struct tsr__id_digit *d = &r->copy->digits[i];
        if (found == TSR__PLACE_DIGITS || i == r->copy->digit_count || r->merges || !units_of_place(r, i + 1, d->bytes, d->count, &units) ||
            !tsr__form_add(form, &units, known))
            return false;
        known *= d->count;
    }
    return true;
}

static bool leaf_of_reading(void *context, LLVMValueRef v, struct tsr__form *form)
{
    const struct tsr__reading *r = context;
    struct tsr__id_base base;
    return tsr__find_id_base(&r->u->code, v, &base) && form_of_base(r, &base, form);
}

/* A query of the work-group, or of the range. */
static bool asks_group(LLVMValueRef v)
{
    static const enum tsr__engine_call of_group[] = {TSR__CALL_GLOBAL_SIZE, TSR__CALL_GLOBAL_OFFSET, TSR__CALL_NUM_GROUPS,
                                                     TSR__CALL_GROUP_ID,    TSR__CALL_LOCAL_SIZE,    TSR__CALL_ENQUEUED_LOCAL_SIZE,
                                                     TSR__CALL_WORK_DIM};
    for (size_t i = 0; i < TSR_ARRAY_LEN(of_group); i++)
        if (tsr__call_of(v) == of_group[i])
            return LLVMIsAConstant(LLVMGetOperand(v, 0));
    return false;
}

/* Is it the same for all work-items of a group that make the same round? */
static bool is_uniform(struct tsr__reading *r, LLVMValueRef v, int depth)
{
    if (LLVMIsAConstant(v) || LLVMIsAArgument(v) || tsr__map_get(&r->uniform, v))
        return true;
    if (!depth || !LLVMIsAInstruction(v))
        return false;
    if (asks_group(v))
        return true;
    if (LLVMIsAPHINode(v)) {
        const int block = block_of(r->u, v);
        int loop = r->loop;
        while (loop != TSR__NONE && r->u->cfg.loops[loop].header != block)
            loop = r->u->cfg.loops[loop].parent;
        if (loop == TSR__NONE)
            return false;
        tsr__map_set(&r->uniform, v, 1); /* if the others are, which may be made of it */
        bool uniform = true;
        for (unsigned i = 0; i < LLVMCountIncoming(v) && uniform; i++)
            uniform = is_uniform(r, LLVMGetIncomingValue(v, i), depth - 1);
        if (!uniform) /* nor may be what was made of it */
            r->uniform = (struct tsr__map){.arena = r->u->arena};
        return uniform;
    }
    if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAGetElementPtrInst(v))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!is_uniform(r, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return false;
    return true;
}

static bool is_there(const struct tsr__reading *r, LLVMValueRef v)
{
    return !LLVMIsAInstruction(v) || tsr__dominates(&r->u->cfg, block_of(r->u, v), block_of(r->u, r->load->access));
}

static unsigned digit_of_value(const struct tsr__copy *c, LLVMValueRef v)
{
    unsigned i = 0;
    v = tsr__without_extension(v);
    while (i < c->digit_count && c->digits[i].value != v)
        i++;
    return i;
}

/* How much the value grows with a digit, if it is a sum with the digit in it; 0: it does not depend on the digit; -1: it does otherwise. */
static int64_t growth(const struct tsr__unstage *u, LLVMValueRef v, LLVMValueRef digit, int depth)
{
    if (v == digit)
        return 1;
    if (!LLVMIsAInstruction(v) || LLVMIsAPHINode(v) || LLVMIsACallInst(v))
        return 0;
    if (!depth)
        return -1;
    int64_t sum = 0;
    if (LLVMIsAGetElementPtrInst(v)) {
        struct tsr__gep_index index;
        sum = growth(u, LLVMGetOperand(v, 0), digit, depth - 1);
        for (struct tsr__gep_walk walk = tsr__gep_walk(u->layout, v); sum >= 0 && tsr__gep_next(&walk, &index);) {
            const int64_t by = index.is_constant ? 0 : growth(u, index.value, digit, depth - 1);
            sum = by < 0 ? -1 : sum + by * index.bytes;
        }
        return sum;
    }
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    for (int i = 0; i < LLVMGetNumOperands(v) && sum >= 0; i++) {
        int64_t factor =
            op == LLVMAdd || op == LLVMZExt || op == LLVMSExt || op == LLVMAddrSpaceCast || (op == LLVMOr && LLVMGetIsDisjoint(v));
        const int64_t by = growth(u, LLVMGetOperand(v, (unsigned)i), digit, depth - 1);
        if ((op == LLVMMul || op == LLVMShl) && i == 0 && tsr__constant_int(LLVMGetOperand(v, 1), &factor))
            factor = factor < 0 || factor > 32 ? op == LLVMMul ? factor : 0 : op == LLVMMul ? factor : INT64_C(1) << factor;
        sum = by < 0 || (by && factor <= 0) ? -1 : sum + by * factor;
    }
    return sum;
}

/* Where in what one store has written the load begins. */
static bool bytes_in_vector(const struct tsr__reading *r, struct tsr__form *within)
{
    *within = r->at;
    return !r->copy->digit_count || tsr__form_modulo(&r->at, r->copy->digits[0].bytes, within);
}

/* Finds the digits that one number can stand for. */
static void merge_digits(struct tsr__reading *r)
{
    const struct tsr__id_digit *d = r->copy->digits;
    int64_t grows[TSR__PLACE_DIGITS];
    for (unsigned i = 0; i < r->copy->digit_count; i++) {
        grows[i] = growth(r->u, source_of(r->copy), d[i].value, DEPTH) * d[i].scale;
        r->merged[i] = i && grows[i] > 0 && grows[i - 1] > 0 && d[i].bytes == d[i - 1].bytes * d[i - 1].count &&
                       grows[i] == grows[i - 1] * d[i - 1].count;
    }
    r->run = r->copy->digit_count && d[0].bytes == r->copy->to.size && grows[0] == d[0].bytes && d[0].bytes % d[0].scale == 0 &&
             d[0].bytes / d[0].scale == r->load->size;
    r->merges = true;
}

static LLVMValueRef insert_copy(LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMValueRef made = LLVMInstructionClone(v);
    LLVMInsertIntoBuilder(b, made);
    return made;
}

static bool same_form(const struct tsr__form *a, const struct tsr__form *b)
{
    bool same = a->constant == b->constant && a->count == b->count;
    for (unsigned i = 0; i < a->count && same; i++)
        same = a->terms[i].value == b->terms[i].value && a->terms[i].factor == b->terms[i].factor;
    return same;
}

static LLVMValueRef build_form(struct tsr__reading *r, const struct tsr__form *form, LLVMTypeRef type)
{
    for (struct tsr__built_form *f = r->built ? *r->built : NULL; f; f = f->next)
        if (same_form(&f->form, form) && LLVMTypeOf(f->value) == type)
            return f->value;
    LLVMValueRef made = tsr__form_build(r->u->code.l, r->u->b, form, type);
    if (r->built) {
        struct tsr__built_form *f = tsr_arena_alloc(r->u->arena, sizeof *f);
        *f = (struct tsr__built_form){*r->built, *form, made};
        *r->built = f;
    }
    return made;
}

/* A query of the group where the load is; each is asked once there, if forms are built once. */
static LLVMValueRef insert_query(struct tsr__reading *r, LLVMValueRef query)
{
    for (struct tsr__built_form *f = r->built ? *r->built : NULL; f; f = f->next)
        if (tsr__call_of(f->value) == tsr__call_of(query) && LLVMGetOperand(f->value, 0) == LLVMGetOperand(query, 0))
            return f->value;
    LLVMValueRef made = insert_copy(r->u->b, query);
    if (r->built) {
        struct tsr__built_form *f = tsr_arena_alloc(r->u->arena, sizeof *f);
        *f = (struct tsr__built_form){.next = *r->built, .form.constant = -1, .value = made};
        *r->built = f;
    }
    return made;
}

/* What is the same for all work-items, as it was when they copied. NULL: it cannot be had, but perhaps what it is made of. */
static LLVMValueRef uniform_value(struct tsr__reading *r, LLVMValueRef v)
{
    if (!r->rounds || !tsr__is_in_loop(&r->u->cfg, v, r->rounds->loop))
        return is_there(r, v) ? v : NULL;
    return tsr__phi_ahead(r, v);
}

/* The value as it was in the store that wrote what the load reads; NULL: that cannot be told. While nothing is built, any value stands for
 * what there will be. */
static LLVMValueRef value_of_store(struct tsr__reading *r, LLVMValueRef v, int depth)
{
    struct tsr__form form;
    LLVMValueRef operands[4];
    const LLVMBuilderRef b = r->u->b;
    LLVMValueRef same = is_uniform(r, v, DEPTH) ? uniform_value(r, v) : NULL;
    if (same)
        return same;
    if (asks_group(v))
        return b ? insert_query(r, v) : v;
    const unsigned digit = digit_of_value(r->copy, v);
    const bool number = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind;
    if (digit < r->copy->digit_count ? form_of_digit(r, digit, &form) : number && tsr__form_of(v, leaf_of_reading, r, &form))
        return b ? build_form(r, &form, LLVMTypeOf(v)) : v;
    if (!depth || (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAGetElementPtrInst(v)) ||
        LLVMGetNumOperands(v) > (int)TSR_ARRAY_LEN(operands))
        return NULL;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!(operands[i] = value_of_store(r, LLVMGetOperand(v, (unsigned)i), depth - 1)))
            return NULL;
    if (!b)
        return v;
    if (r->rounds)
        return tsr__operation_ahead(r, v, operands);
    LLVMValueRef made = insert_copy(b, v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(made, (unsigned)i, operands[i]);
    return made;
}

/* Do all that come to `b` come from `a`? */
static bool comes_after(const struct tsr__unstage *u, LLVMValueRef a, LLVMValueRef b)
{
    if (LLVMGetInstructionParent(a) != LLVMGetInstructionParent(b))
        return tsr__dominates(&u->cfg, block_of(u, a), block_of(u, b));
    while (a && a != b)
        a = LLVMGetNextInstruction(a);
    return a;
}

int tsr__head_of_copy(const struct tsr__unstage *u, const struct tsr__copy *c, int within)
{
    int block = block_of(u, c->to.access), loop = u->cfg.blocks[block].loop;
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

/* Have all rounds of the copy's own loops stored when the barrier is reached? */
static bool is_complete(const struct tsr__unstage *u, const struct tsr__copy *c, LLVMValueRef barrier)
{
    const int at = block_of(u, barrier);
    int within = u->cfg.blocks[block_of(u, c->to.access)].loop;
    while (within != TSR__NONE && !tsr__in_loop(&u->cfg, at, within))
        within = u->cfg.loops[within].parent;
    const int head = tsr__head_of_copy(u, c, within);
    return head == block_of(u, c->to.access) ? comes_after(u, c->to.access, barrier)
                                             : head != TSR__NONE && tsr__dominates(&u->cfg, head, at);
}

static bool reads_one_store(const struct tsr__reading *r)
{
    struct tsr__form within;
    return r->run || (bytes_in_vector(r, &within) && tsr__form_most(&within) + r->load->size <= r->copy->to.size);
}

bool tsr__can_read_original(struct tsr__reading *r)
{
    if (reads_one_store(r) && value_of_store(r, source_of(r->copy), DEPTH))
        return true;
    merge_digits(r);
    return reads_one_store(r) && value_of_store(r, source_of(r->copy), DEPTH);
}

/* Is the copy made into the buffer that the load reads in the same round? */
static bool same_turn(const struct tsr__place *load, const struct tsr__place *copy)
{
    return load->turn_loop == copy->turn_loop && load->turn[0] == copy->turn[0] && load->turn[1] == copy->turn[1];
}

static bool find_copies(const struct tsr__copy *copies, size_t copy_count, const struct tsr__place *load, const struct tsr__copy *found[2])
{
    unsigned count = 0;
    for (size_t i = 0; i < copy_count; i++) {
        if (!overlap(load, &copies[i].to))
            continue;
        if (count == 2)
            return false;
        found[count++] = &copies[i];
    }
    return count;
}

bool tsr__find_reading(struct tsr__unstage *u, const struct tsr__copy *copies, size_t copy_count, LLVMValueRef const *barriers,
                       size_t barrier_count, const struct tsr__place *load, struct tsr__reading *r)
{
    const struct tsr__copy *found[2] = {0};
    if (!find_copies(copies, copy_count, load, found))
        return false;
    if (found[1] && (found[0]->first_from || found[1]->first_from))
        return false;
    if (found[1])
        return tsr__find_reading_ahead(u, found[0], found[1], barriers, barrier_count, load, r) ||
               tsr__find_reading_ahead(u, found[1], found[0], barriers, barrier_count, load, r);
    *r = (struct tsr__reading){.u = u, .copy = found[0], .load = load, .at = load->at, .uniform = {.arena = u->arena}};
    if (load->at.constant < r->copy->to.at.constant || !same_turn(load, &r->copy->to))
        return false;
    r->at.constant -= r->copy->to.at.constant;
    size_t i = 0;
    while (i < barrier_count && !(is_complete(u, r->copy, barriers[i]) && comes_after(u, barriers[i], load->access)))
        i++;
    if (i == barrier_count)
        return false;
    if (r->copy->first_from)
        return tsr__find_loaded_ahead(u, r->copy, load, r);
    r->loop = u->cfg.blocks[block_of(u, barriers[i])].loop;
    return tsr__can_read_original(r);
}

LLVMValueRef tsr__original_address(struct tsr__reading *r)
{
    const struct tsr__unstage *u = r->u;
    struct tsr__form within = {0};
    LLVMValueRef pointer = value_of_store(r, source_of(r->copy), DEPTH);
    if (!r->run)
        bytes_in_vector(r, &within);
    if (!within.count && !within.constant)
        return pointer;
    LLVMValueRef bytes = build_form(r, &within, LLVMInt64TypeInContext(u->code.l->context));
    return LLVMBuildInBoundsGEP2(u->b, LLVMInt8TypeInContext(u->code.l->context), pointer, &bytes, 1, "");
}

void tsr__read_original(struct tsr__reading *r)
{
    struct tsr__unstage *u = r->u;
    LLVMValueRef load = r->load->access, from = r->copy->from;
    unsigned align = LLVMGetAlignment(from);
    const unsigned size = (unsigned)r->load->size, of_first = r->first ? LLVMGetAlignment(r->first->from) : align;
    align = align < of_first ? align : of_first;
    u->b = tsr__builder_before(u->code.l, load);
    LLVMValueRef made = LLVMBuildLoad2(u->b, LLVMTypeOf(load), tsr__original_address(r), "");
    LLVMSetAlignment(made, align < (size & -size) || r->load->size == r->copy->to.size ? align : size & -size);
    const unsigned tbaa = LLVMGetMDKindIDInContext(u->code.l->context, "tbaa", 4);
    LLVMSetMetadata(made, tbaa, LLVMGetMetadata(from, tbaa));
    LLVMReplaceAllUsesWith(load, made);
    LLVMInstructionEraseFromParent(load);
    LLVMDisposeBuilder(u->b);
    u->b = NULL;
}
