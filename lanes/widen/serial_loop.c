/* SPDX-License-Identifier: Apache-2.0
 * Serialised lanes: lanes run a divergent loop one after the other, in a copy of the loop for one work-item. */
#include "lanes/widen/serial_loop.h"
#include "lanes/ir/costs.h"

#include "lanes/prepare/unroll.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"

/* A value that the lanes bring to the loop. */
struct brought {
    LLVMValueRef v;
    struct tsr__shape shape;
    LLVMValueRef scalar, *slots; /* lane 0's, or where the vectors of its parts lie */
    LLVMValueRef own;            /* the lane's */
    struct brought *next;
};

/* Memory in which the lanes' scalars come together, to become a vector when the last lane has left: stores cost less than blends. */
struct landing {
    LLVMValueRef slot, memory; /* of the vector; an element for each lane */
    LLVMTypeRef type;
    struct landing *next;
};

/* A lane's way through a loop. */
struct serial_loop {
    struct tsr__widener *s;
    const struct tsr__loop *loop;
    LLVMValueRef lane, alone; /* its number, and a mask with nobody else */
    struct brought *brought;
    struct tsr__map scalars;               /* in the work-item function → for the lane */
    struct tsr__map slots;                 /* of values that are used behind the loop */
    bool all;                              /* lanes go through it so */
    struct landing *landings;              /* of the stack slots that they write then */
    LLVMBasicBlockRef *blocks, start, end; /* by number, from loop->begin on; before them; where all exits lead: the next lane */
};

/* ---- values ---- */

/* The lane's own from lane 0's. */
static LLVMValueRef value_of_lane(struct serial_loop *o, LLVMValueRef first, struct tsr__shape shape, LLVMValueRef lane)
{
    struct tsr__widener *s = o->s;
    LLVMTypeRef type = LLVMTypeOf(first), i64 = LLVMInt64TypeInContext(s->l->context);
    bool is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    if (tsr__is_uniform(shape))
        return first;
    LLVMTypeRef number = is_pointer ? i64 : type;
    LLVMValueRef by = LLVMBuildIntCast2(s->b, lane, number, false, "");
    by = LLVMBuildMul(s->b, by, LLVMConstInt(number, (uint64_t)shape.stride, true), "");
    return is_pointer ? tsr__plus_bytes(s->l, s->b, first, by) : LLVMBuildAdd(s->b, first, by, "");
}

/* The number with which a phi of the header begins in all lanes, or NULL. */
static LLVMValueRef initial_value(const struct serial_loop *o, LLVMValueRef phi)
{
    LLVMValueRef number = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (LLVMGetIncomingBlock(phi, i) == o->s->cfg.blocks[o->loop->latch].ref)
            continue;
        if ((!LLVMIsAConstantInt(v) && !LLVMIsAConstantFP(v)) || (number && number != v))
            return NULL;
        number = v;
    }
    return number;
}

/* Before the first lane goes: what all lanes have of a value, and what the phi of the loop's header is to be in the round to come. */
static void pass_in(struct serial_loop *o, LLVMValueRef v, bool waits)
{
    struct tsr__widener *s = o->s;
    struct tsr__value *value = tsr__value(s, v);
    LLVMTypeRef type = LLVMTypeOf(v);
    struct brought *b = tsr_arena_alloc(s->arena, sizeof *b);
    *b = (struct brought){.v = v, .shape = waits ? value->shape : tsr__shape_here(s, v), .next = o->brought};
    o->brought = b;
    if (waits && o->all && initial_value(o, v)) {
        b->scalar = initial_value(o, v);
        b->shape = tsr__shape_of(&s->shapes, b->scalar);
        return;
    }
    if (!tsr__is_varying(b->shape)) {
        b->scalar = waits ? LLVMBuildLoad2(s->b, type, value->scalar_in, "") : tsr__scalar_of(s, v);
        return;
    }
    int components = tsr__component_count(type);
    b->slots = tsr_arena_alloc(s->arena, (size_t)components * sizeof *b->slots);
    for (int k = 0; k < components; k++) {
        LLVMTypeRef vector = tsr__vector_of(s, tsr__component_type(type, k));
        b->slots[k] = tsr__spill_vector(s, waits ? LLVMBuildLoad2(s->b, vector, value->components_in[k], "") : tsr__component_of(s, v, k));
    }
}

/* A lane's own. */
static LLVMValueRef passed_in_value(struct serial_loop *o, const struct brought *b, LLVMValueRef lane)
{
    struct tsr__widener *s = o->s;
    LLVMTypeRef type = LLVMTypeOf(b->v);
    if (b->scalar)
        return value_of_lane(o, b->scalar, b->shape, lane);
    LLVMValueRef made = LLVMGetPoison(type);
    for (int k = 0; k < tsr__component_count(type); k++)
        made = tsr__insert_component(s, made, k, tsr__load_lane(s, tsr__component_type(type, k), b->slots[k], lane));
    return made;
}

/* Only values that an instruction, or an argument of the kernel, makes have another form here. */
static bool is_made(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) || LLVMIsAArgument(v);
}

static LLVMValueRef lane_scalar(const struct serial_loop *o, LLVMValueRef v)
{
    return is_made(v) ? (LLVMValueRef)tsr__map_get(&o->scalars, v) : v;
}

static void pass_in_from_outside(struct serial_loop *o, struct tsr__map *known, LLVMValueRef v)
{
    const struct tsr__cfg *cfg = &o->s->cfg;
    if (!is_made(v) || tsr__map_get(known, v) || tsr__is_in_loop(cfg, v, (int)(o->loop - cfg->loops)))
        return;
    tsr__map_set(known, v, true);
    pass_in(o, v, false);
}

/* All that the loop, and the phis behind it, take from outside. */
static void pass_in_all(struct serial_loop *o)
{
    const struct tsr__cfg *cfg = &o->s->cfg;
    struct tsr__map known = {.arena = o->s->arena};
    for (int b = o->loop->begin; b < o->loop->end; b++) {
        const struct tsr__block *block = &cfg->blocks[b];
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i)) {
            bool is_phi = LLVMIsAPHINode(i);
            if (is_phi && b == o->loop->header) {
                pass_in(o, i, true);
                pass_in_from_outside(o, &known, tsr__incoming_from(i, cfg->blocks[o->loop->latch].ref));
                continue;
            }
            for (int k = 0; k < LLVMGetNumOperands(i); k++)
                if (!LLVMValueIsBasicBlock(LLVMGetOperand(i, (unsigned)k)))
                    pass_in_from_outside(o, &known, LLVMGetOperand(i, (unsigned)k));
        }
        for (int k = 0; k < block->succ_count; k++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[block->succ[k]].ref); LLVMIsAPHINode(i);
                 i = LLVMGetNextInstruction(i))
                if (tsr__incoming_from(i, block->ref))
                    pass_in_from_outside(o, &known, tsr__incoming_from(i, block->ref));
    }
}

/* ---- leaving ---- */

static const struct landing *landing_of(const struct serial_loop *o, LLVMValueRef slot)
{
    const struct landing *l = o->landings;
    while (l && l->slot != slot)
        l = l->next;
    return l;
}

static void add_landing(struct serial_loop *o, LLVMTypeRef scalar, LLVMValueRef slot)
{
    struct tsr__widener *s = o->s;
    if (landing_of(o, slot))
        return;
    struct landing *l = tsr_arena_alloc(s->arena, sizeof *l);
    *l = (struct landing){.slot = slot, .type = tsr__vector_of(s, scalar), .next = o->landings};
    l->memory = tsr__spill_vector(s, LLVMBuildLoad2(s->b, l->type, slot, ""));
    o->landings = l;
}

static void add_landings(struct serial_loop *o, LLVMTypeRef type, LLVMValueRef *slots)
{
    for (int k = 0; k < tsr__component_count(type); k++)
        add_landing(o, tsr__component_type(type, k), slots[k]);
}

/* Where the lanes come out: the number of a block, or TSR__NONE if there are several. */
static int only_exit(const struct serial_loop *o)
{
    int only = TSR__NONE;
    for (int b = o->loop->begin; b < o->loop->end; b++)
        for (int k = 0; k < o->s->cfg.blocks[b].succ_count; k++) {
            int to = o->s->cfg.blocks[b].succ[k];
            if (to >= o->loop->begin && to < o->loop->end)
                continue;
            if (only != TSR__NONE && only != to)
                return TSR__NONE;
            only = to;
        }
    return only;
}

static void or_mask(struct tsr__widener *s, LLVMValueRef slot, LLVMValueRef mask)
{
    LLVMBuildStore(s->b, LLVMBuildOr(s->b, LLVMBuildLoad2(s->b, tsr__mask_type(s), slot, ""), mask, ""), slot);
}

/* Before the first lane goes, if all go: `mask` says who. */
static void prepare_landings(struct serial_loop *o, LLVMValueRef mask)
{
    struct tsr__widener *s = o->s;
    int only = only_exit(o);
    if (only != TSR__NONE && s->blocks[only].mask_slot)
        or_mask(s, s->blocks[only].mask_slot, mask);
    for (int b = o->loop->begin; b < o->loop->end; b++) {
        const struct tsr__block *block = &s->cfg.blocks[b];
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i))
            if (tsr__value(s, i)->live_out_of_loop && tsr__value(s, i)->component_slots)
                add_landings(o, LLVMTypeOf(i), tsr__value(s, i)->component_slots);
        for (int k = 0; k < block->succ_count; k++) {
            int to = block->succ[k];
            if (to >= o->loop->begin && to < o->loop->end)
                continue;
            if (only == TSR__NONE && s->blocks[to].mask_slot)
                add_landing(o, LLVMInt1TypeInContext(s->l->context), s->blocks[to].mask_slot);
            for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[to].ref); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
                if (tsr__is_varying(tsr__value(s, i)->shape))
                    add_landings(o, LLVMTypeOf(i), tsr__value(s, i)->components_in);
        }
    }
}

/* Behind the last lane. */
static void reload_results(struct serial_loop *o)
{
    for (const struct landing *l = o->landings; l; l = l->next)
        LLVMBuildStore(o->s->b, tsr__reload_vector(o->s, l->type, l->memory), l->slot);
}

/* Puts the lane's scalars into the vectors of all lanes. */
static void store_component(struct serial_loop *o, LLVMValueRef *slots, LLVMValueRef v)
{
    struct tsr__widener *s = o->s;
    for (int k = 0; k < tsr__component_count(LLVMTypeOf(v)); k++) {
        LLVMValueRef own = tsr__extract_component(s, v, k);
        const struct landing *landing = landing_of(o, slots[k]);
        if (landing) {
            tsr__store_lane(s, own, landing->memory, o->lane);
            continue;
        }
        LLVMValueRef all = tsr__splat(s, own), old = LLVMBuildLoad2(s->b, LLVMTypeOf(all), slots[k], "");
        LLVMBuildStore(s->b, tsr__blend(s, o->alone, all, old), slots[k]);
    }
}

static void put_mask(struct serial_loop *o, int to)
{
    struct tsr__widener *s = o->s;
    LLVMValueRef slot = s->blocks[to].mask_slot;
    const struct landing *landing = landing_of(o, slot);
    if (landing)
        tsr__store_lane(s, LLVMConstAllOnes(LLVMInt1TypeInContext(s->l->context)), landing->memory, o->lane);
    else if (slot && !o->all)
        or_mask(s, slot, o->alone);
}

static void leave_serial_loop(struct serial_loop *o, int from, int to)
{
    struct tsr__widener *s = o->s;
    LLVMBasicBlockRef from_ref = s->cfg.blocks[from].ref;
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[to].ref); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        struct tsr__value *phi = tsr__value(s, i);
        LLVMValueRef v = tsr__incoming_from(i, from_ref);
        if (LLVMIsUndef(v))
            continue;
        if (tsr__is_varying(phi->shape))
            store_component(o, phi->components_in, lane_scalar(o, v));
        else
            LLVMBuildStore(s->b, lane_scalar(o, v), phi->scalar_in);
    }
    for (int b = o->loop->begin; b < o->loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef slot = (LLVMValueRef)tsr__map_get(&o->slots, i);
            if (slot)
                store_component(o, tsr__value(s, i)->component_slots, LLVMBuildLoad2(s->b, LLVMTypeOf(i), slot, ""));
        }
    put_mask(o, to);
    LLVMBuildBr(s->b, o->end);
}

/* ---- the copy ---- */

static void map_value(struct serial_loop *o, LLVMValueRef inst, LLVMValueRef made)
{
    tsr__map_set(&o->scalars, inst, (uintptr_t)made);
    LLVMValueRef slot = (LLVMValueRef)tsr__map_get(&o->slots, inst);
    if (slot)
        LLVMBuildStore(o->s->b, made, slot);
}

static void copy_terminator(struct serial_loop *o, int number)
{
    struct tsr__widener *s = o->s;
    const struct tsr__block *block = &s->cfg.blocks[number];
    LLVMBasicBlockRef arms[2], outside[2] = {0};
    if (LLVMGetInstructionOpcode(block->terminator) == LLVMUnreachable) {
        LLVMBuildUnreachable(s->b);
        return;
    }
    for (int k = 0; k < block->succ_count; k++) {
        int to = block->succ[k];
        if (to >= o->loop->begin && to < o->loop->end)
            arms[k] = o->blocks[to - o->loop->begin];
        else
            arms[k] = outside[k] = LLVMAppendBasicBlockInContext(s->l->context, s->to, "solo.leave");
    }
    if (block->succ_count == 2) {
        LLVMValueRef branch = LLVMBuildCondBr(s->b, lane_scalar(o, LLVMGetCondition(block->terminator)), arms[0], arms[1]);
        if (number == o->loop->latch && tsr__goes_along_row(s, o->loop))
            tsr__set_loop_hint(s->l, branch, TSR_ALONG_ROW, 0);
    } else {
        LLVMBuildBr(s->b, arms[0]);
    }
    for (int k = 0; k < block->succ_count; k++)
        if (outside[k]) {
            LLVMPositionBuilderAtEnd(s->b, outside[k]);
            leave_serial_loop(o, number, block->succ[k]);
        }
}

static void copy_block(struct serial_loop *o, int number)
{
    struct tsr__widener *s = o->s;
    const struct tsr__block *block = &s->cfg.blocks[number];
    LLVMPositionBuilderAtEnd(s->b, o->blocks[number - o->loop->begin]);
    LLVMValueRef first = LLVMGetFirstInstruction(block->ref), rest = first;
    while (LLVMIsAPHINode(rest)) {
        LLVMValueRef phi = LLVMBuildPhi(s->b, LLVMTypeOf(rest), ""), initial = lane_scalar(o, rest);
        if (number == o->loop->header)
            LLVMAddIncoming(phi, &initial, &o->start, 1);
        tsr__map_set(&o->scalars, rest, (uintptr_t)phi);
        rest = LLVMGetNextInstruction(rest);
    }
    for (LLVMValueRef i = first; i != rest; i = LLVMGetNextInstruction(i))
        map_value(o, i, lane_scalar(o, i));
    for (LLVMValueRef i = rest; i != block->terminator; i = LLVMGetNextInstruction(i)) {
        tsr__debug_info_at(s, i);
        LLVMValueRef copy = LLVMInstructionClone(i);
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            LLVMSetOperand(copy, (unsigned)k, lane_scalar(o, LLVMGetOperand(i, (unsigned)k)));
        LLVMInsertIntoBuilder(s->b, copy);
        map_value(o, i, copy);
    }
    tsr__debug_info_at(s, block->terminator);
    copy_terminator(o, number);
}

/* Now that all blocks are there. */
static void complete_phis(struct serial_loop *o, int number)
{
    const struct tsr__cfg *cfg = &o->s->cfg;
    const struct tsr__block *block = &cfg->blocks[number];
    for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = lane_scalar(o, i);
        for (int k = 0; k < block->pred_count; k++) {
            int from = block->pred[k];
            if (from < o->loop->begin || from >= o->loop->end)
                continue;
            LLVMValueRef v = lane_scalar(o, tsr__incoming_from(i, cfg->blocks[from].ref));
            LLVMAddIncoming(phi, &v, &o->blocks[from - o->loop->begin], 1);
        }
    }
}

/* The loop for the lane, whose number is known. */
static void copy_loop_for_lane(struct serial_loop *o)
{
    struct tsr__widener *s = o->s;
    const struct tsr__loop *loop = o->loop;
    for (const struct brought *b = o->brought; b; b = b->next)
        tsr__map_set(&o->scalars, b->v, (uintptr_t)b->own);
    o->start = LLVMGetInsertBlock(s->b);
    for (int b = loop->begin; b < loop->end; b++) {
        o->blocks[b - loop->begin] = LLVMAppendBasicBlockInContext(s->l->context, s->to, "solo");
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (tsr__value(s, i)->live_out_of_loop && tsr__value(s, i)->component_slots)
                tsr__map_set(&o->slots, i, (uintptr_t)tsr__stack_slot(s, LLVMTypeOf(i), ""));
    }
    LLVMBuildBr(s->b, o->blocks[loop->header - loop->begin]);
    for (int b = loop->begin; b < loop->end; b++)
        copy_block(o, b);
    for (int b = loop->begin; b < loop->end; b++)
        complete_phis(o, b);
}

static void pass_in_of_all_lanes(struct serial_loop *o, LLVMValueRef lane)
{
    for (struct brought *b = o->brought; b; b = b->next)
        b->own = passed_in_value(o, b, lane);
}

/* What each lane brings has been read before the one before it went: the CPU does not foresee where a lane's loop ends, begins anew there,
 * and would have nothing to do until it knows where the next lane begins. Answers whether there is a next one. */
static LLVMValueRef load_next_lane(struct serial_loop *o, LLVMValueRef bits, LLVMBasicBlockRef before)
{
    struct tsr__widener *s = o->s;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context); /* as addresses have it */
    LLVMBasicBlockRef next = LLVMGetInsertBlock(s->b);
    LLVMPositionBuilderBefore(s->b, LLVMGetBasicBlockTerminator(before));
    bits = bits ? LLVMBuildZExt(s->b, bits, i64, "") : NULL;
    LLVMValueRef first = bits ? tsr__first_lane(s, bits) : tsr__i64(s->l, 0), left = NULL, rest, coming, more;
    pass_in_of_all_lanes(o, first);
    LLVMPositionBuilderAtEnd(s->b, next);
    o->lane = LLVMBuildPhi(s->b, LLVMTypeOf(first), "lane");
    LLVMAddIncoming(o->lane, &first, &before, 1);
    if (bits)
        left = LLVMBuildPhi(s->b, i64, "left");
    for (struct brought *b = o->brought; b; b = b->next)
        if (!tsr__is_uniform(b->shape)) {
            LLVMValueRef own = LLVMBuildPhi(s->b, LLVMTypeOf(b->own), "");
            LLVMAddIncoming(own, &b->own, &before, 1);
            b->own = own;
        }
    /* Behind the last lane comes some lane. */
    if (bits) {
        rest = LLVMBuildAnd(s->b, left, LLVMBuildSub(s->b, left, tsr__i64(s->l, 1), ""), "");
        more = LLVMBuildICmp(s->b, LLVMIntNE, rest, LLVMConstNull(i64), "");
        coming = tsr__first_lane(s, LLVMBuildOr(s->b, rest, tsr__i64(s->l, UINT64_C(1) << (s->width - 1)), ""));
        LLVMAddIncoming(left, (LLVMValueRef[]){bits, rest}, (LLVMBasicBlockRef[]){before, o->end}, 2);
    } else {
        rest = LLVMBuildAdd(s->b, o->lane, tsr__i64(s->l, 1), "");
        more = LLVMBuildICmp(s->b, LLVMIntNE, rest, tsr__i64(s->l, s->width), "");
        coming = LLVMBuildAnd(s->b, rest, tsr__i64(s->l, s->width - 1), "");
    }
    LLVMAddIncoming(o->lane, bits ? &coming : &rest, &o->end, 1);
    for (struct brought *b = o->brought; b; b = b->next)
        if (!tsr__is_uniform(b->shape)) {
            LLVMValueRef own = passed_in_value(o, b, coming);
            LLVMAddIncoming(b->own, &own, &o->end, 1);
        }
    return more;
}

/* From where the builder stands to `last`. NULL for `bits`: every lane goes. */
static void build_lane_loop(struct serial_loop *o, LLVMValueRef bits, LLVMBasicBlockRef last)
{
    struct tsr__widener *s = o->s;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->b), next = LLVMAppendBasicBlockInContext(s->l->context, s->to, "solo.next");
    LLVMValueRef more;
    o->end = LLVMAppendBasicBlockInContext(s->l->context, s->to, "solo.end");
    LLVMBuildBr(s->b, next);
    LLVMPositionBuilderAtEnd(s->b, next);
    if (o->all) {
        more = load_next_lane(o, bits, before);
    } else {
        LLVMTypeRef type = LLVMTypeOf(bits);
        LLVMValueRef left = LLVMBuildPhi(s->b, type, "left");
        LLVMValueRef rest = LLVMBuildAnd(s->b, left, LLVMBuildSub(s->b, left, LLVMConstInt(type, 1, false), ""), "");
        LLVMAddIncoming(left, (LLVMValueRef[]){bits, rest}, (LLVMBasicBlockRef[]){before, o->end}, 2);
        o->lane = tsr__first_lane(s, left);
        o->alone = LLVMBuildBitCast(s->b, LLVMBuildXor(s->b, left, rest, ""), tsr__mask_type(s), "alone");
        pass_in_of_all_lanes(o, o->lane);
        more = LLVMBuildICmp(s->b, LLVMIntNE, rest, LLVMConstNull(type), "");
    }
    copy_loop_for_lane(o);
    LLVMPositionBuilderAtEnd(s->b, o->end);
    LLVMValueRef branch = LLVMBuildCondBr(s->b, more, next, last);
    if (!bits)
        tsr__set_loop_hint(s->l, branch, TSR_UNROLL_LATE, TSR__SERIAL_UNROLL);
}

/* Whether it is worth a loop of its own in which no lane is missing, with several lanes' ways in a round. */
static bool is_short(const struct serial_loop *o)
{
    int count = 0;
    for (int b = o->loop->begin; b < o->loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(o->s->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            count++;
    return !o->s->function_mask && !tsr__goes_along_row(o->s, o->loop) && count <= TSR__SERIAL_SHORT_CODE;
}

void tsr__build_serial_loop(struct tsr__widener *s, int number, LLVMValueRef bits, LLVMBasicBlockRef end)
{
    const struct tsr__loop *loop = &s->cfg.loops[number];
    LLVMContextRef c = s->l->context;
    struct serial_loop o = {.s = s,
                            .loop = loop,
                            .scalars = {.arena = s->arena},
                            .slots = {.arena = s->arena},
                            .all = s->serial[number].lanes == s->width,
                            .blocks = tsr_arena_alloc(s->arena, (size_t)(loop->end - loop->begin) * sizeof *o.blocks)};
    LLVMBuildStore(s->b, LLVMConstNull(tsr__mask_type(s)), s->blocks[loop->header].mask_slot);
    pass_in_all(&o);
    if (!o.all) {
        build_lane_loop(&o, bits, end);
        return;
    }
    prepare_landings(&o, LLVMBuildBitCast(s->b, bits, tsr__mask_type(s), ""));
    LLVMBasicBlockRef last = LLVMAppendBasicBlockInContext(c, s->to, "solo.last");
    if (is_short(&o)) {
        LLVMBasicBlockRef every = LLVMAppendBasicBlockInContext(c, s->to, "solo.every");
        LLVMBasicBlockRef some = LLVMAppendBasicBlockInContext(c, s->to, "solo.some");
        LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), ""), every, some);
        LLVMPositionBuilderAtEnd(s->b, every);
        build_lane_loop(&o, NULL, last);
        LLVMPositionBuilderAtEnd(s->b, some);
    }
    build_lane_loop(&o, bits, last);
    LLVMPositionBuilderAtEnd(s->b, last);
    reload_results(&o);
    LLVMBuildBr(s->b, end);
}
