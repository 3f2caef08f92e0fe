/* SPDX-License-Identifier: Apache-2.0
 * The last lanes of a divergent loop go on one by one, in a copy of the loop for one work-item: a round with gathers costs as much for one
 * lane as for all, and rows of a sparse matrix, lists and trees are of different lengths. If the loop writes to memory, only the very last
 * lane goes: the others have left the loop by then, so the order in which things happen stays as it was. */
#include "solo.h"

enum {
    MAX_INSTRUCTIONS = 160,
    SHARE = 8, /* of the lanes: one of so many takes no longer than a round with gathers */
};

/* A lane's way through a loop. */
struct solo {
    struct tsr__simd *s;
    const struct tsr__loop *loop;
    LLVMValueRef lane, alone;       /* its number, and a mask with nobody else */
    struct tsr__map scalars;        /* in the work-item function → for the lane */
    struct tsr__map slots;          /* of values that are used behind the loop */
    LLVMBasicBlockRef *blocks, end; /* by number, from loop->begin on; where all exits lead: the next lane */
};

/* ---- whether ------------------------------------------------------------------------------------------------------------------------- */

static bool may_be_copied(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMCall: /* primitives and collectives speak of the packet */
        return tsr__callee(inst) && LLVMGetIntrinsicID(tsr__callee(inst));
    case LLVMAlloca:
    case LLVMSwitch:
    case LLVMRet:
    case LLVMFence:
        return false;
    default:
        return true;
    }
}

static bool is_scattered(const struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMValueRef pointer = LLVMIsALoadInst(inst) ? LLVMGetOperand(inst, 0) : LLVMIsAStoreInst(inst) ? LLVMGetOperand(inst, 1) : NULL;
    return pointer && tsr__is_varying(tsr__shape_of(&s->shapes, pointer));
}

/* A phi behind the loop whose slot has lane 0's value, as no one lane can write it. */
static bool has_affine_phi(const struct tsr__simd *s, int block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[block].ref); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        struct tsr__shape shape = tsr__shape_of(&s->shapes, i);
        if (!tsr__is_varying(shape) && !tsr__is_uniform(shape))
            return true;
    }
    return false;
}

/* Volatile and atomic loads may wait for what another lane does. */
static bool minds_order(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        return LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMCall:
        return tsr__starts_with(tsr__name(tsr__callee(inst)), "llvm.mem");
    default:
        return false;
    }
}

unsigned tsr__solo_lanes(const struct tsr__simd *s, int number)
{
    const struct tsr__loop *loop = &s->cfg.loops[number];
    bool scattered = false, ordered = false;
    int count = 0;
    if (s->function_mask || !s->shapes.divergent_loop[number] || loop->latch == TSR__NONE)
        return 0; /* of partial packets there are few */
    for (int b = loop->begin; b < loop->end; b++) {
        const struct tsr__block *block = &s->cfg.blocks[b];
        if (block->loop != number && s->shapes.divergent_loop[block->loop])
            return 0; /* the inner loop has its own */
        for (int k = 0; k < block->succ_count; k++)
            if (!tsr__in_loop(&s->cfg, block->succ[k], number) && has_affine_phi(s, block->succ[k]))
                return 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i)) {
            if (!may_be_copied(i) || ++count > MAX_INSTRUCTIONS)
                return 0;
            scattered = scattered || is_scattered(s, i);
            ordered = ordered || minds_order(i);
        }
    }
    return !scattered ? 0 : ordered ? 1 : s->width / SHARE;
}

/* ---- values ------------------------------------------------------------------------------------------------------------------------- */

static LLVMValueRef of_lane(struct solo *o, LLVMValueRef vector)
{
    return LLVMBuildExtractElement(o->s->b, vector, o->lane, "");
}

/* The lane's own from lane 0's. */
static LLVMValueRef shifted(struct solo *o, LLVMValueRef first, struct tsr__shape shape)
{
    struct tsr__simd *s = o->s;
    LLVMTypeRef type = LLVMTypeOf(first), i64 = LLVMInt64TypeInContext(s->l->context);
    bool is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    if (tsr__is_uniform(shape))
        return first;
    LLVMTypeRef number = is_pointer ? i64 : type;
    LLVMValueRef by = LLVMBuildIntCast2(s->b, o->lane, number, false, "");
    by = LLVMBuildMul(s->b, by, LLVMConstInt(number, (uint64_t)shape.stride, true), "");
    return is_pointer ? LLVMBuildGEP2(s->b, LLVMInt8TypeInContext(s->l->context), first, &by, 1, "") : LLVMBuildAdd(s->b, first, by, "");
}

/* What the lane brings from outside of the loop. */
static LLVMValueRef brought(struct solo *o, LLVMValueRef v)
{
    struct tsr__simd *s = o->s;
    struct tsr__shape shape = tsr__seen(s, v);
    if (!tsr__is_varying(shape))
        return shifted(o, tsr__whole(s, v), shape);
    LLVMValueRef made = LLVMGetPoison(LLVMTypeOf(v));
    for (int k = 0; k < tsr__part_count(LLVMTypeOf(v)); k++)
        made = tsr__put_scalar(s, made, k, of_lane(o, tsr__part(s, v, k)));
    return made;
}

/* A phi of the loop's header for the round to come. */
static LLVMValueRef waiting(struct solo *o, LLVMValueRef phi)
{
    struct tsr__simd *s = o->s;
    struct tsr__value *value = tsr__value(s, phi);
    if (!tsr__is_varying(value->shape))
        return shifted(o, LLVMBuildLoad2(s->b, value->type, value->whole_in, ""), value->shape);
    LLVMValueRef made = LLVMGetPoison(value->type);
    for (int k = 0; k < value->part_count; k++) {
        LLVMTypeRef type = tsr__vector(s, tsr__part_type(value->type, k));
        made = tsr__put_scalar(s, made, k, of_lane(o, LLVMBuildLoad2(s->b, type, value->parts_in[k], "")));
    }
    return made;
}

/* Only values that an instruction, or an argument of the kernel, makes have another form here. */
static bool is_made(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) || LLVMIsAArgument(v);
}

static LLVMValueRef scalar(const struct solo *o, LLVMValueRef v)
{
    return is_made(v) ? (LLVMValueRef)tsr__map_get(&o->scalars, v) : v;
}

static void bring(struct solo *o, LLVMValueRef v)
{
    if (!is_made(v) || tsr__map_get(&o->scalars, v))
        return;
    if (LLVMIsAInstruction(v)) {
        int block = tsr__cfg_number(&o->s->cfg, LLVMGetInstructionParent(v));
        if (block >= o->loop->begin && block < o->loop->end)
            return;
    }
    tsr__map_set(&o->scalars, v, (uintptr_t)brought(o, v));
}

static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* All that the loop, and the phis behind it, take from outside is read before the loop. */
static void bring_all(struct solo *o)
{
    const struct tsr__cfg *cfg = &o->s->cfg;
    for (int b = o->loop->begin; b < o->loop->end; b++) {
        const struct tsr__block *block = &cfg->blocks[b];
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i)) {
            bool is_phi = LLVMIsAPHINode(i);
            if (is_phi && b == o->loop->header) {
                bring(o, incoming_from(i, cfg->blocks[o->loop->latch].ref));
                continue;
            }
            for (int k = 0; k < LLVMGetNumOperands(i); k++)
                if (!LLVMValueIsBasicBlock(LLVMGetOperand(i, (unsigned)k)))
                    bring(o, LLVMGetOperand(i, (unsigned)k));
        }
        for (int k = 0; k < block->succ_count; k++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[block->succ[k]].ref); LLVMIsAPHINode(i);
                 i = LLVMGetNextInstruction(i))
                if (incoming_from(i, block->ref))
                    bring(o, incoming_from(i, block->ref));
    }
}

/* ---- leaving ----------------------------------------------------------------------------------------------------------------------------
 */

/* Puts the lane's scalars into the vectors of all lanes. */
static void put(struct solo *o, LLVMValueRef *homes, LLVMValueRef v)
{
    struct tsr__simd *s = o->s;
    for (int k = 0; k < tsr__part_count(LLVMTypeOf(v)); k++) {
        LLVMValueRef all = tsr__splat(s, tsr__get_scalar(s, v, k)), old = LLVMBuildLoad2(s->b, LLVMTypeOf(all), homes[k], "");
        LLVMBuildStore(s->b, tsr__blend(s, o->alone, all, old), homes[k]);
    }
}

static void leave(struct solo *o, int from, int to)
{
    struct tsr__simd *s = o->s;
    LLVMBasicBlockRef from_ref = s->cfg.blocks[from].ref;
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[to].ref); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        struct tsr__value *phi = tsr__value(s, i);
        LLVMValueRef v = incoming_from(i, from_ref);
        if (LLVMIsUndef(v))
            continue;
        if (tsr__is_varying(phi->shape))
            put(o, phi->parts_in, scalar(o, v));
        else
            LLVMBuildStore(s->b, scalar(o, v), phi->whole_in);
    }
    for (int b = o->loop->begin; b < o->loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef slot = (LLVMValueRef)tsr__map_get(&o->slots, i);
            if (slot)
                put(o, tsr__value(s, i)->part_homes, LLVMBuildLoad2(s->b, LLVMTypeOf(i), slot, ""));
        }
    LLVMValueRef home = s->blocks[to].mask_home;
    if (home)
        LLVMBuildStore(s->b, LLVMBuildOr(s->b, LLVMBuildLoad2(s->b, tsr__mask_type(s), home, ""), o->alone, ""), home);
    LLVMBuildBr(s->b, o->end);
}

/* ---- the copy -------------------------------------------------------------------------------------------------------------------------
 */

static void note(struct solo *o, LLVMValueRef inst, LLVMValueRef made)
{
    tsr__map_set(&o->scalars, inst, (uintptr_t)made);
    LLVMValueRef slot = (LLVMValueRef)tsr__map_get(&o->slots, inst);
    if (slot)
        LLVMBuildStore(o->s->b, made, slot);
}

static void copy_terminator(struct solo *o, int number)
{
    struct tsr__simd *s = o->s;
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
    if (block->succ_count == 2)
        LLVMBuildCondBr(s->b, scalar(o, LLVMGetCondition(block->terminator)), arms[0], arms[1]);
    else
        LLVMBuildBr(s->b, arms[0]);
    for (int k = 0; k < block->succ_count; k++)
        if (outside[k]) {
            LLVMPositionBuilderAtEnd(s->b, outside[k]);
            leave(o, number, block->succ[k]);
        }
}

static void copy_block(struct solo *o, int number)
{
    struct tsr__simd *s = o->s;
    const struct tsr__block *block = &s->cfg.blocks[number];
    LLVMPositionBuilderAtEnd(s->b, o->blocks[number - o->loop->begin]);
    LLVMValueRef first = LLVMGetFirstInstruction(block->ref), rest = first;
    while (LLVMIsAPHINode(rest)) {
        tsr__map_set(&o->scalars, rest, (uintptr_t)LLVMBuildPhi(s->b, LLVMTypeOf(rest), ""));
        rest = LLVMGetNextInstruction(rest);
    }
    for (LLVMValueRef i = first; i != rest; i = LLVMGetNextInstruction(i))
        note(o, i, scalar(o, i));
    for (LLVMValueRef i = rest; i != block->terminator; i = LLVMGetNextInstruction(i)) {
        tsr__lines_at(s, i);
        LLVMValueRef copy = LLVMInstructionClone(i);
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            LLVMSetOperand(copy, (unsigned)k, scalar(o, LLVMGetOperand(i, (unsigned)k)));
        LLVMInsertIntoBuilder(s->b, copy);
        note(o, i, copy);
    }
    tsr__lines_at(s, block->terminator);
    copy_terminator(o, number);
}

/* Now that all blocks are there. */
static void complete_phis(struct solo *o, int number, LLVMBasicBlockRef start, const LLVMValueRef *initial)
{
    const struct tsr__cfg *cfg = &o->s->cfg;
    const struct tsr__block *block = &cfg->blocks[number];
    int n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = scalar(o, i);
        if (number == o->loop->header)
            LLVMAddIncoming(phi, (LLVMValueRef *)&initial[n++], &start, 1);
        for (int k = 0; k < block->pred_count; k++) {
            int from = block->pred[k];
            if (from < o->loop->begin || from >= o->loop->end)
                continue;
            LLVMValueRef v = scalar(o, incoming_from(i, cfg->blocks[from].ref));
            LLVMAddIncoming(phi, &v, &o->blocks[from - o->loop->begin], 1);
        }
    }
}

/* The loop for the lane, whose number is known. */
static void copy_loop(struct solo *o)
{
    struct tsr__simd *s = o->s;
    const struct tsr__loop *loop = o->loop;
    LLVMBasicBlockRef start = LLVMGetInsertBlock(s->b);
    LLVMValueRef first = LLVMGetFirstInstruction(s->cfg.blocks[loop->header].ref);
    size_t phis = 0;
    for (LLVMValueRef i = first; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        phis++;
    LLVMValueRef *initial = tsr_arena_alloc(s->arena, (phis + 1) * sizeof *initial);
    phis = 0;
    for (LLVMValueRef i = first; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        initial[phis++] = waiting(o, i);
    bring_all(o);
    for (int b = loop->begin; b < loop->end; b++) {
        o->blocks[b - loop->begin] = LLVMAppendBasicBlockInContext(s->l->context, s->to, "solo");
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (tsr__value(s, i)->outlives && tsr__value(s, i)->part_homes)
                tsr__map_set(&o->slots, i, (uintptr_t)tsr__home(s, LLVMTypeOf(i), ""));
    }
    LLVMBuildBr(s->b, o->blocks[loop->header - loop->begin]);
    for (int b = loop->begin; b < loop->end; b++)
        copy_block(o, b);
    for (int b = loop->begin; b < loop->end; b++)
        complete_phis(o, b, start, initial);
}

void tsr__build_solo(struct tsr__simd *s, int number, LLVMValueRef bits, LLVMBasicBlockRef end)
{
    const struct tsr__loop *loop = &s->cfg.loops[number];
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->b), next = LLVMAppendBasicBlockInContext(s->l->context, s->to, "solo.next");
    struct solo o = {.s = s,
                     .loop = loop,
                     .scalars = {.arena = s->arena},
                     .slots = {.arena = s->arena},
                     .blocks = tsr_arena_alloc(s->arena, (size_t)(loop->end - loop->begin) * sizeof *o.blocks),
                     .end = LLVMAppendBasicBlockInContext(s->l->context, s->to, "solo.end")};
    LLVMBuildStore(s->b, LLVMConstNull(tsr__mask_type(s)), s->blocks[loop->header].mask_home);
    LLVMBuildBr(s->b, next);
    LLVMPositionBuilderAtEnd(s->b, next);
    LLVMValueRef left = LLVMBuildPhi(s->b, type, "left");
    LLVMValueRef rest = LLVMBuildAnd(s->b, left, LLVMBuildSub(s->b, left, LLVMConstInt(type, 1, false), ""), "");
    o.lane = tsr__first_lane(s, left);
    o.alone = LLVMBuildBitCast(s->b, LLVMBuildXor(s->b, left, rest, ""), tsr__mask_type(s), "alone");
    copy_loop(&o);
    LLVMPositionBuilderAtEnd(s->b, o.end);
    LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntNE, rest, LLVMConstNull(type), ""), next, end);
    LLVMAddIncoming(left, &bits, &before, 1);
    LLVMAddIncoming(left, &rest, &o.end, 1);
}
