/* SPDX-License-Identifier: Apache-2.0
 * Room for more code: blocks are cut in two, ways between blocks get a block of their own. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "lanes/ir/calls.h"
#include "lanes/matrix/matrix.h"

LLVMBasicBlockRef tsr__split_edge(struct tsr__compilation *l, LLVMBasicBlockRef from, unsigned way)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from), phi;
    LLVMBasicBlockRef to = LLVMGetSuccessor(end, way), made = LLVMInsertBasicBlockInContext(l->context, to, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(b, made);
    LLVMBuildBr(b, to);
    LLVMSetSuccessor(end, way, made);
    for (LLVMValueRef i = LLVMGetFirstInstruction(to); (phi = LLVMIsAPHINode(i)) != NULL;) {
        LLVMPositionBuilderBefore(b, phi);
        LLVMValueRef copy = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
        for (unsigned e = 0; e < LLVMCountIncoming(phi); e++) {
            LLVMValueRef v = LLVMGetIncomingValue(phi, e);
            LLVMBasicBlockRef before = LLVMGetIncomingBlock(phi, e);
            LLVMAddIncoming(copy, &v, before == from ? &made : &before, 1);
        }
        i = LLVMGetNextInstruction(phi);
        LLVMReplaceAllUsesWith(phi, copy);
        LLVMInstructionEraseFromParent(phi);
    }
    LLVMDisposeBuilder(b);
    return made;
}

LLVMBasicBlockRef tsr__split_block(struct tsr__compilation *l, LLVMBasicBlockRef block, LLVMValueRef first)
{
    LLVMBasicBlockRef made = LLVMInsertBasicBlockInContext(l->context, block, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use;) {
        LLVMValueRef user = LLVMGetUser(use);
        use = LLVMGetNextUse(use);
        for (unsigned i = 0; LLVMIsATerminatorInst(user) && i < LLVMGetNumSuccessors(user); i++)
            if (LLVMGetSuccessor(user, i) == block)
                LLVMSetSuccessor(user, i, made);
    }
    LLVMPositionBuilderAtEnd(b, made);
    for (LLVMValueRef i; (i = LLVMGetFirstInstruction(block)) != first;) {
        LLVMMetadataRef line = LLVMInstructionGetDebugLoc(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(b, i);
        LLVMInstructionSetDebugLoc(i, line);
    }
    LLVMBuildBr(b, block);
    LLVMDisposeBuilder(b);
    return made;
}

LLVMValueRef tsr__packet_end_in(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? tsr__callee(i) : NULL;
        if (callee && !strcmp(tsr__name(callee), TSR__PACKET_END))
            return i;
    }
    return NULL;
}
