/* SPDX-License-Identifier: Apache-2.0
 * What may move out of a loop, and what stands in its way. */
#include "lanes/prepare/loop_motion.h"

#include "lanes/ir/calls.h"

bool tsr__can_hoist(const struct tsr__loop_of *l, LLVMValueRef v, int depth)
{
    if (!tsr__is_in_loop(l->cfg, v, l->loop))
        return true;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMGetElementPtr:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        break;
    default:
        return false;
    }
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!depth || !tsr__can_hoist(l, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return false;
    return true;
}

void tsr__hoist(const struct tsr__loop_of *l, LLVMBuilderRef b, LLVMValueRef v)
{
    if (!tsr__is_in_loop(l->cfg, v, l->loop))
        return;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        tsr__hoist(l, b, LLVMGetOperand(v, (unsigned)i));
    LLVMInstructionRemoveFromParent(v);
    LLVMInsertIntoBuilder(b, v);
}

unsigned tsr__space_bit(LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    return space <= TSR__LOCAL_SPACE ? 1u << space : TSR__ALL_SPACES;
}

static bool may_call_write(LLVMValueRef call)
{
    LLVMValueRef callee = tsr__callee(call);
    if (callee && tsr__math_op(callee))
        return false;
    if (callee && LLVMGetIntrinsicID(callee))
        return tsr__starts_with(tsr__name(callee), "llvm.mem");
    return !callee || !tsr__touches_no_memory(callee);
}

unsigned tsr__spaces_written(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMStore:
        return LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic ? tsr__space_bit(LLVMGetOperand(inst, 1)) : TSR__ALL_SPACES;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return TSR__ALL_SPACES;
    case LLVMCall:
        if (LLVMIsAMemSetInst(inst) || LLVMIsAMemCpyInst(inst) || LLVMIsAMemMoveInst(inst))
            return tsr__space_bit(LLVMGetOperand(inst, 0));
        return may_call_write(inst) ? TSR__ALL_SPACES : 0;
    default:
        return 0;
    }
}

int tsr__preheader_of(const struct tsr__cfg *cfg, const struct tsr__loop *loop)
{
    const struct tsr__block *header = &cfg->blocks[loop->header];
    int found = TSR__NONE;
    for (int i = 0; i < header->pred_count; i++) {
        if (header->pred[i] >= loop->header)
            continue;
        if (found != TSR__NONE)
            return TSR__NONE;
        found = header->pred[i];
    }
    return found != TSR__NONE && cfg->blocks[found].succ_count == 1 ? found : TSR__NONE;
}
