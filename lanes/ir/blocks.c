/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes/ir/blocks.h"

#include <llvm-c/DebugInfo.h>

/* With the operands of the original. */
static void copy_instructions(LLVMBuilderRef b, LLVMBasicBlockRef from, LLVMBasicBlockRef to, struct tsr__map *copies)
{
    LLVMPositionBuilderAtEnd(b, to);
    for (LLVMValueRef i = LLVMGetFirstInstruction(from); i; i = LLVMGetNextInstruction(i)) {
        LLVMMetadataRef line = LLVMInstructionGetDebugLoc(i);
        LLVMValueRef made = LLVMIsAPHINode(i) ? LLVMBuildPhi(b, LLVMTypeOf(i), "") : LLVMInstructionClone(i);
        if (!LLVMIsAPHINode(i))
            LLVMInsertIntoBuilder(b, made);
        LLVMInstructionSetDebugLoc(made, line);
        tsr__map_set(copies, i, (uintptr_t)made);
    }
}

static void connect_phi(LLVMValueRef phi, bool enters, const struct tsr__map *copies)
{
    LLVMValueRef made = tsr__copy_of(copies, phi);
    for (unsigned e = 0; e < LLVMCountIncoming(phi); e++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, e), copied = tsr__copy_of_block(copies, from);
        LLVMValueRef v = tsr__copy_of(copies, LLVMGetIncomingValue(phi, e));
        if (copied || enters)
            LLVMAddIncoming(made, &v, copied ? &copied : &from, 1);
    }
}

static void connect_block(LLVMBasicBlockRef block, bool enters, const struct tsr__map *copies)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef made = tsr__copy_of(copies, i);
        if (LLVMIsAPHINode(i)) {
            connect_phi(i, enters, copies);
            continue;
        }
        for (int k = 0; k < LLVMGetNumOperands(made); k++) {
            LLVMValueRef v = LLVMGetOperand(made, (unsigned)k);
            if (LLVMIsAInstruction(v))
                LLVMSetOperand(made, (unsigned)k, tsr__copy_of(copies, v));
        }
        for (unsigned k = 0; LLVMIsATerminatorInst(made) && k < LLVMGetNumSuccessors(made); k++) {
            LLVMBasicBlockRef to = tsr__copy_of_block(copies, LLVMGetSuccessor(made, k));
            if (to)
                LLVMSetSuccessor(made, k, to);
        }
    }
}

void tsr__copy_blocks(struct tsr__compilation *l, const LLVMBasicBlockRef *blocks, size_t count, LLVMBasicBlockRef entry,
                      LLVMBasicBlockRef before, const char *name, struct tsr__map *copies)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (size_t n = 0; n < count; n++) {
        LLVMBasicBlockRef made = before ? LLVMInsertBasicBlockInContext(l->context, before, name)
                                        : LLVMAppendBasicBlockInContext(l->context, LLVMGetBasicBlockParent(blocks[n]), name);
        tsr__map_set(copies, blocks[n], (uintptr_t)made);
        copy_instructions(b, blocks[n], made, copies);
    }
    LLVMDisposeBuilder(b);
    for (size_t n = 0; n < count; n++)
        connect_block(blocks[n], blocks[n] == entry, copies);
}

LLVMBasicBlockRef tsr__exit_of_loop(LLVMBasicBlockRef loop)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(loop);
    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2)
        return NULL;
    LLVMBasicBlockRef to[2] = {LLVMGetSuccessor(end, 0), LLVMGetSuccessor(end, 1)};
    return (to[0] == loop) == (to[1] == loop) ? NULL : to[to[0] == loop];
}

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
        bool split = false; /* a switch may come by other ways, too */
        for (unsigned e = 0; e < LLVMCountIncoming(phi); e++) {
            LLVMValueRef v = LLVMGetIncomingValue(phi, e);
            LLVMBasicBlockRef before = LLVMGetIncomingBlock(phi, e);
            const bool this_way = before == from && !split;
            split = split || this_way;
            LLVMAddIncoming(copy, &v, this_way ? &made : &before, 1);
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
        const bool branches = LLVMIsATerminatorInst(user);
        for (unsigned i = 0; branches && i < LLVMGetNumSuccessors(user); i++)
            if (LLVMGetSuccessor(user, i) == block)
                LLVMSetSuccessor(user, i, made);
        /* A switch may have several ways here: the next use may have been one of them. */
        use = branches ? LLVMGetFirstUse(LLVMBasicBlockAsValue(block)) : LLVMGetNextUse(use);
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
