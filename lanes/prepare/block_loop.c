/* SPDX-License-Identifier: Apache-2.0
 * Loops of one block, and versions of them. */
#include "lanes/prepare/block_loop.h"

#include <llvm-c/DebugInfo.h>

#include "lanes/ir/match.h"

/* The block behind a loop of one block, if nothing else leads there; else NULL. */
static LLVMBasicBlockRef block_behind(const struct tsr__cfg *cfg, int header)
{
    const struct tsr__block *block = &cfg->blocks[header];
    for (int i = 0; i < block->succ_count; i++)
        if (block->succ[i] != header && cfg->blocks[block->succ[i]].pred_count == 1)
            return cfg->blocks[block->succ[i]].ref;
    return NULL;
}

bool tsr__block_loop_find(const struct tsr__cfg *cfg, int loop, struct tsr__block_loop *found)
{
    int before = tsr__preheader_of(cfg, &cfg->loops[loop]), header = cfg->loops[loop].header;
    if (before == TSR__NONE || cfg->loops[loop].end - cfg->loops[loop].begin != 1)
        return false;
    *found = (struct tsr__block_loop){
        .of = {cfg, loop}, .block = cfg->blocks[header].ref, .before = cfg->blocks[before].ref, .behind = block_behind(cfg, header)};
    return true;
}

LLVMValueRef tsr__copy_inst(LLVMBuilderRef b, struct tsr__map *copies, LLVMValueRef inst)
{
    LLVMValueRef copy = LLVMInstructionClone(inst);
    for (int k = 0; k < LLVMGetNumOperands(inst); k++)
        LLVMSetOperand(copy, (unsigned)k, tsr__copy_of(copies, LLVMGetOperand(inst, (unsigned)k)));
    LLVMInsertIntoBuilder(b, copy);
    LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(inst));
    tsr__map_set(copies, inst, (uintptr_t)copy);
    return copy;
}

static LLVMValueRef first_outside(const struct tsr__block_loop *loop, LLVMValueRef v, LLVMValueRef except)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (LLVMGetInstructionParent(LLVMGetUser(use)) != loop->block && LLVMGetUser(use) != except)
            return LLVMGetUser(use);
    return NULL;
}

void tsr__join_behind(LLVMBuilderRef b, const struct tsr__block_loop *loop, LLVMBasicBlockRef from, LLVMBasicBlockRef other,
                      const struct tsr__map *copies)
{
    for (LLVMValueRef phi; LLVMIsAPHINode(phi = LLVMGetFirstInstruction(loop->behind));) { /* of one edge, so far */
        LLVMReplaceAllUsesWith(phi, LLVMGetIncomingValue(phi, 0));
        LLVMInstructionEraseFromParent(phi);
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->block); i; i = LLVMGetNextInstruction(i)) {
        if (!first_outside(loop, i, NULL))
            continue;
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(loop->behind));
        LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(i), "");
        for (LLVMValueRef user; (user = first_outside(loop, i, phi));)
            for (int k = 0; k < LLVMGetNumOperands(user); k++)
                if (LLVMGetOperand(user, (unsigned)k) == i)
                    LLVMSetOperand(user, (unsigned)k, phi);
        LLVMAddIncoming(phi, (LLVMValueRef[]){i, tsr__copy_of(copies, i)}, (LLVMBasicBlockRef[]){from, other}, 2);
    }
}

LLVMBasicBlockRef tsr__copy_loop(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr__block_loop *loop, const char *name,
                                 struct tsr__map *copies)
{
    LLVMBasicBlockRef copy = LLVMInsertBasicBlockInContext(l->context, loop->block, name), before = loop->before;
    LLVMPositionBuilderAtEnd(b, copy);
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(i), "");
        LLVMValueRef first = LLVMGetIncomingValue(i, LLVMGetIncomingBlock(i, 0) == loop->block);
        LLVMAddIncoming(phi, &first, &before, 1);
        tsr__map_set(copies, i, (uintptr_t)phi);
    }
    for (LLVMValueRef i = tsr__after_phis(LLVMGetFirstInstruction(loop->block)); i; i = LLVMGetNextInstruction(i))
        tsr__copy_inst(b, copies, i);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(copy);
    for (unsigned k = 0; k < 2; k++)
        LLVMSetSuccessor(end, k, LLVMGetSuccessor(end, k) == loop->block ? copy : loop->behind);
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop->block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef next = tsr__copy_of(copies, tsr__incoming_from(i, loop->block));
        LLVMAddIncoming(tsr__copy_of(copies, i), &next, &copy, 1);
    }
    return copy;
}

/* The loop is entered from another block. */
static void enter_from(LLVMBuilderRef b, struct tsr__block_loop *loop, LLVMBasicBlockRef before)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(loop->block), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(b, phi);
        LLVMValueRef made = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
        LLVMValueRef first = tsr__incoming_from(phi, loop->before), again = tsr__incoming_from(phi, loop->block);
        LLVMReplaceAllUsesWith(phi, made);
        LLVMAddIncoming(made, (LLVMValueRef[]){first, again == phi ? made : again}, (LLVMBasicBlockRef[]){before, loop->block}, 2);
        LLVMInstructionEraseFromParent(phi);
    }
    loop->before = before;
}

void tsr__version_loop(struct tsr__compilation *l, LLVMBuilderRef b, struct tsr__block_loop *loop, LLVMValueRef condition,
                       struct tsr_arena *arena)
{
    struct tsr__map copies = {.arena = arena};
    LLVMBasicBlockRef copy = tsr__copy_loop(l, b, loop, "shared", &copies),
                      own = LLVMInsertBasicBlockInContext(l->context, loop->behind, "alone.end"),
                      before = LLVMInsertBasicBlockInContext(l->context, loop->block, "alone");
    LLVMValueRef to_loop = LLVMGetBasicBlockTerminator(loop->before), end = LLVMGetBasicBlockTerminator(loop->block);
    LLVMPositionBuilderBefore(b, to_loop);
    LLVMBuildCondBr(b, condition, before, copy);
    LLVMInstructionEraseFromParent(to_loop);
    LLVMPositionBuilderAtEnd(b, before);
    LLVMBuildBr(b, loop->block);
    tsr__join_behind(b, loop, own, copy, &copies);
    for (unsigned k = 0; k < 2; k++)
        if (LLVMGetSuccessor(end, k) == loop->behind)
            LLVMSetSuccessor(end, k, own);
    LLVMPositionBuilderAtEnd(b, own);
    LLVMBuildBr(b, loop->behind);
    loop->behind = own;
    enter_from(b, loop, before);
}
