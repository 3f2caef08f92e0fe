/* SPDX-License-Identifier: Apache-2.0
 * Sinks code into cold blocks: what only a rarely executed block uses is computed in that block. LLVM has hoisted it out of the loops
 * around. */
#include "lanes/matrix/matrix.h"

/* Is it computed from its operands alone, wherever it stands? */
static bool can_sink(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) || LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsASelectInst(v) || LLVMIsACmpInst(v);
}

static bool is_only_for(LLVMValueRef v, LLVMBasicBlockRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != block)
            return false;
    }
    return true;
}

static LLVMValueRef first_user(LLVMValueRef v, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block);; i = LLVMGetNextInstruction(i))
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            if (LLVMGetOperand(i, (unsigned)k) == v)
                return i;
}

static bool sink_operands(LLVMBuilderRef b, LLVMValueRef inst, LLVMBasicBlockRef block)
{
    bool any = false;
    for (int k = 0; k < LLVMGetNumOperands(inst); k++) {
        LLVMValueRef v = LLVMIsAInstruction(LLVMGetOperand(inst, (unsigned)k));
        if (!v || LLVMGetInstructionParent(v) == block || !can_sink(v) || !is_only_for(v, block))
            continue;
        tsr__move_instruction(b, v, first_user(v, block));
        any = true;
    }
    return any;
}

void tsr__sink_to_cold_block(struct tsr__compilation *l, LLVMBasicBlockRef block)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (bool any = true; any;) {
        any = false;
        for (LLVMValueRef i = LLVMGetLastInstruction(block); i; i = LLVMGetPreviousInstruction(i))
            any = sink_operands(b, i, block) || any;
    }
    LLVMDisposeBuilder(b);
}
