/* SPDX-License-Identifier: Apache-2.0
 * Atomic operations on local memory become plain ones: one thread runs all work-items of a work-group and changes between them at barriers
 * only, so nobody comes in between. */
#include "lanes/ir/match.h"

static LLVMValueRef select_of(LLVMBuilderRef b, LLVMIntPredicate p, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b, LLVMBuildICmp(b, p, x, y, ""), x, y, "");
}

/* NULL: an operation that stays atomic. */
static LLVMValueRef updated_value(LLVMBuilderRef b, LLVMAtomicRMWBinOp op, LLVMValueRef old, LLVMValueRef v)
{
    switch (op) {
    case LLVMAtomicRMWBinOpXchg:
        return v;
    case LLVMAtomicRMWBinOpAdd:
        return LLVMBuildAdd(b, old, v, "");
    case LLVMAtomicRMWBinOpSub:
        return LLVMBuildSub(b, old, v, "");
    case LLVMAtomicRMWBinOpAnd:
        return LLVMBuildAnd(b, old, v, "");
    case LLVMAtomicRMWBinOpOr:
        return LLVMBuildOr(b, old, v, "");
    case LLVMAtomicRMWBinOpXor:
        return LLVMBuildXor(b, old, v, "");
    case LLVMAtomicRMWBinOpMax:
        return select_of(b, LLVMIntSGT, old, v);
    case LLVMAtomicRMWBinOpMin:
        return select_of(b, LLVMIntSLT, old, v);
    case LLVMAtomicRMWBinOpUMax:
        return select_of(b, LLVMIntUGT, old, v);
    case LLVMAtomicRMWBinOpUMin:
        return select_of(b, LLVMIntULT, old, v);
    case LLVMAtomicRMWBinOpFAdd:
        return LLVMBuildFAdd(b, old, v, "");
    case LLVMAtomicRMWBinOpFSub:
        return LLVMBuildFSub(b, old, v, "");
    default:
        return NULL;
    }
}

static void lower_update(LLVMBuilderRef b, LLVMValueRef inst)
{
    LLVMValueRef pointer = LLVMGetOperand(inst, 0), old = LLVMBuildLoad2(b, LLVMTypeOf(inst), pointer, "");
    LLVMValueRef made = updated_value(b, LLVMGetAtomicRMWBinOp(inst), old, LLVMGetOperand(inst, 1));
    if (!made) {
        LLVMInstructionEraseFromParent(old);
        return;
    }
    LLVMBuildStore(b, made, pointer);
    LLVMReplaceAllUsesWith(inst, old);
    LLVMInstructionEraseFromParent(inst);
}

static void lower_exchange(LLVMBuilderRef b, LLVMValueRef inst)
{
    LLVMValueRef pointer = LLVMGetOperand(inst, 0), expected = LLVMGetOperand(inst, 1), wanted = LLVMGetOperand(inst, 2);
    LLVMValueRef old = LLVMBuildLoad2(b, LLVMTypeOf(expected), pointer, "");
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, old, expected, "");
    LLVMBuildStore(b, LLVMBuildSelect(b, same, wanted, old, ""), pointer);
    LLVMValueRef result = LLVMBuildInsertValue(b, LLVMGetPoison(LLVMTypeOf(inst)), old, 0, "");
    LLVMReplaceAllUsesWith(inst, LLVMBuildInsertValue(b, result, same, 1, ""));
    LLVMInstructionEraseFromParent(inst);
}

static void make_plain(LLVMBuilderRef b, LLVMValueRef inst)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    bool store = opcode == LLVMStore;
    if (!store && opcode != LLVMLoad && opcode != LLVMAtomicRMW && opcode != LLVMAtomicCmpXchg)
        return;
    if (!tsr__points_into(LLVMGetOperand(inst, store ? 1 : 0), TSR__LOCAL_SPACE))
        return;
    LLVMPositionBuilderBefore(b, inst);
    if (opcode == LLVMAtomicRMW)
        lower_update(b, inst);
    else if (opcode == LLVMAtomicCmpXchg)
        lower_exchange(b, inst);
    else if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
        LLVMSetOrdering(inst, LLVMAtomicOrderingNotAtomic);
}

bool tsr__pass_local_atomics(struct tsr__compilation *l)
{
    size_t count;
    LLVMValueRef *code = tsr__all_instructions(l, &count);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (size_t i = 0; i < count; i++)
        make_plain(b, code[i]);
    LLVMDisposeBuilder(b);
    return true;
}
