/* SPDX-License-Identifier: Apache-2.0
 * Atomic updates of one place by all lanes of a packet: one update with what the lanes' values fold into. That is one of the orders in
 * which the lanes may come; each lane's old value follows from it. */
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

bool tsr__widen_atomic(struct tsr__simd *s, LLVMValueRef inst)
{
    if (LLVMGetInstructionOpcode(inst) != LLVMAtomicRMW)
        return false;
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(inst);
    LLVMValueRef pointer = LLVMGetOperand(inst, 0), v = LLVMGetOperand(inst, 1);
    if (!operation_of(op) || !tsr__is_uniform(tsr__seen(s, pointer)))
        return false;
    tsr__explain(s->l, inst, "atomic", "one", "of what the lanes' values fold into");
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
