/* SPDX-License-Identifier: Apache-2.0
 * Atomic updates of one place by all lanes of a packet: one update with what the lanes' values fold into. That is one of the orders in
 * which the lanes may come; each lane's old value follows from it. Exchanges go through the lanes in registers and update once. */
#include "explain.h"
#include "fold.h"

static const char *operation_of(LLVMAtomicRMWBinOp op)
{
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub: /* takes away the sum */
        return "add";
    case LLVMAtomicRMWBinOpAnd:
        return "and";
    case LLVMAtomicRMWBinOpOr:
        return "or";
    case LLVMAtomicRMWBinOpXor:
        return "xor";
    case LLVMAtomicRMWBinOpMin:
    case LLVMAtomicRMWBinOpUMin:
        return "min";
    case LLVMAtomicRMWBinOpMax:
    case LLVMAtomicRMWBinOpUMax:
        return "max";
    default:
        return NULL;
    }
}

static LLVMValueRef count_bits(struct tsr__simd *s, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->l->module, LLVMLookupIntrinsicID("llvm.ctpop", 10), &type, 1);
    return LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, &x, 1, "");
}

/* Active lanes, and active lanes below each, as numbers of a type. */
static LLVMValueRef active_lanes(struct tsr__simd *s, LLVMTypeRef type)
{
    return LLVMBuildIntCast2(s->b, count_bits(s, tsr__mask_bits(s, s->mask)), type, false, "");
}

static LLVMValueRef active_lanes_below(struct tsr__simd *s, LLVMTypeRef type)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context);
    LLVMValueRef below[TSR__MAX_LANES], bits = LLVMBuildIntCast2(s->b, tsr__mask_bits(s, s->mask), i32, false, "");
    for (unsigned i = 0; i < s->width; i++)
        below[i] = tsr__i32(s->l, (uint32_t)((UINT64_C(1) << i) - 1));
    bits = LLVMBuildAnd(s->b, tsr__splat(s, bits), LLVMConstVector(below, s->width), "");
    return LLVMBuildIntCast2(s->b, count_bits(s, bits), tsr__vector(s, type), false, "");
}

static LLVMValueRef lane_of(struct tsr__simd *s, LLVMValueRef vector, unsigned lane)
{
    return LLVMBuildExtractElement(s->b, vector, tsr__i32(s->l, lane), "");
}

/* The first active lane gets what was there, each other one what the one before it brought. */
static void exchange(struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMTypeRef i1 = LLVMInt1TypeInContext(s->l->context);
    LLVMValueRef v = tsr__part(s, LLVMGetOperand(inst, 1), 0), bits = s->mask ? tsr__mask_bits(s, s->mask) : NULL, last = NULL;
    LLVMValueRef active[TSR__MAX_LANES];
    for (unsigned i = 0; i < s->width; i++) {
        active[i] = bits ? LLVMBuildTrunc(s->b, LLVMBuildLShr(s->b, bits, LLVMConstInt(LLVMTypeOf(bits), i, false), ""), i1, "") : NULL;
        LLVMValueRef own = lane_of(s, v, i);
        last = last && bits ? LLVMBuildSelect(s->b, active[i], own, last, "") : own;
    }
    LLVMValueRef one = LLVMInstructionClone(inst);
    LLVMSetOperand(one, 0, tsr__whole(s, LLVMGetOperand(inst, 0)));
    LLVMSetOperand(one, 1, last);
    LLVMInsertIntoBuilder(s->b, one);
    if (!LLVMGetFirstUse(inst))
        return;
    LLVMValueRef old = LLVMGetPoison(tsr__vector(s, LLVMTypeOf(inst))), there = one;
    for (unsigned i = 0; i < s->width; i++) {
        old = LLVMBuildInsertElement(s->b, old, there, tsr__i32(s->l, i), "");
        LLVMValueRef own = lane_of(s, v, i);
        there = bits ? LLVMBuildSelect(s->b, active[i], own, there, "") : own;
    }
    tsr__set_part(s, inst, 0, old);
}

/* What is there is read; it goes through the lanes one after the other, and what is left of it is put there, if nobody came between. If
 * no lane found what it expected, nothing need be put. */
static void compare_exchange(struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMContextRef c = s->l->context;
    LLVMValueRef place = tsr__whole(s, LLVMGetOperand(inst, 0));
    LLVMValueRef expected = LLVMBuildFreeze(s->b, tsr__part(s, LLVMGetOperand(inst, 1), 0), "");
    LLVMValueRef wanted = tsr__part(s, LLVMGetOperand(inst, 2), 0);
    if (s->mask) /* absent lanes change nothing, whatever they find */
        wanted = tsr__blend(s, s->mask, wanted, expected);
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(expected));
    LLVMValueRef read = LLVMBuildLoad2(s->b, type, place, "");
    LLVMSetOrdering(read, LLVMGetCmpXchgFailureOrdering(inst));
    LLVMSetAtomicSyncScopeID(read, LLVMGetAtomicSyncScopeID(inst));
    LLVMSetAlignment(read, LLVMGetAlignment(inst));
    LLVMBasicBlockRef start = LLVMGetInsertBlock(s->b), together = LLVMAppendBasicBlockInContext(c, s->to, "together");
    LLVMBasicBlockRef put = LLVMAppendBasicBlockInContext(c, s->to, "put"), done = LLVMAppendBasicBlockInContext(c, s->to, "");
    LLVMBuildBr(s->b, together);

    LLVMPositionBuilderAtEnd(s->b, together);
    LLVMValueRef first = LLVMBuildPhi(s->b, type, ""), there = first, old = LLVMGetPoison(LLVMTypeOf(expected));
    for (unsigned i = 0; i < s->width; i++) {
        old = LLVMBuildInsertElement(s->b, old, there, tsr__i32(s->l, i), "");
        LLVMValueRef hits = LLVMBuildICmp(s->b, LLVMIntEQ, there, lane_of(s, expected, i), "");
        there = LLVMBuildSelect(s->b, hits, lane_of(s, wanted, i), there, "");
    }
    LLVMValueRef hit = LLVMBuildICmp(s->b, LLVMIntEQ, old, expected, "");
    LLVMBuildCondBr(s->b, tsr__any(s, s->mask ? tsr__mask_and(s, s->mask, hit) : hit), put, done);

    LLVMPositionBuilderAtEnd(s->b, put);
    LLVMValueRef one = LLVMInstructionClone(inst);
    LLVMSetOperand(one, 0, place);
    LLVMSetOperand(one, 1, first);
    LLVMSetOperand(one, 2, there);
    LLVMInsertIntoBuilder(s->b, one);
    LLVMValueRef now = LLVMBuildExtractValue(s->b, one, 0, "");
    LLVMBuildCondBr(s->b, LLVMBuildExtractValue(s->b, one, 1, ""), done, together);
    LLVMAddIncoming(first, &read, &start, 1);
    LLVMAddIncoming(first, &now, &put, 1);

    LLVMPositionBuilderAtEnd(s->b, done);
    tsr__set_part(s, inst, 0, old);
    tsr__set_part(s, inst, 1, hit);
}

bool tsr__widen_atomic(struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    LLVMValueRef pointer = LLVMGetOperand(inst, 0);
    if ((opcode != LLVMAtomicRMW && opcode != LLVMAtomicCmpXchg) || !tsr__is_uniform(tsr__seen(s, pointer)))
        return false;
    if (opcode == LLVMAtomicCmpXchg || LLVMGetAtomicRMWBinOp(inst) == LLVMAtomicRMWBinOpXchg) {
        tsr__explain(s->l, inst, "atomic", "one", "exchange after the lanes' own in registers");
        (opcode == LLVMAtomicCmpXchg ? compare_exchange : exchange)(s, inst);
        return true;
    }
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(inst);
    if (!operation_of(op))
        return false;
    tsr__explain(s->l, inst, "atomic", "one", "of what the lanes' values fold into");
    LLVMValueRef v = LLVMGetOperand(inst, 1);
    LLVMTypeRef type = LLVMTypeOf(inst);
    struct tsr__fold f = tsr__fold_make(operation_of(op), type, op == LLVMAtomicRMWBinOpUMin || op == LLVMAtomicRMWBinOpUMax);
    bool counts = (op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub) && tsr__is_uniform(tsr__seen(s, v));
    LLVMValueRef filled = counts ? NULL : tsr__fold_filled(s, &f, v);
    LLVMValueRef all = counts ? LLVMBuildMul(s->b, tsr__whole(s, v), active_lanes(s, type), "") : tsr__fold_all(s, &f, filled);
    LLVMValueRef one = LLVMInstructionClone(inst);
    LLVMSetOperand(one, 0, tsr__whole(s, pointer));
    LLVMSetOperand(one, 1, all);
    LLVMInsertIntoBuilder(s->b, one);
    if (!LLVMGetFirstUse(inst))
        return true;
    LLVMValueRef below = counts ? LLVMBuildMul(s->b, tsr__part(s, v, 0), active_lanes_below(s, type), "") : tsr__fold_below(s, &f, filled);
    LLVMValueRef old = tsr__splat(s, one);
    tsr__set_part(s, inst, 0, op == LLVMAtomicRMWBinOpSub ? LLVMBuildSub(s->b, old, below, "") : tsr__fold_two(s, &f, old, below));
    return true;
}
