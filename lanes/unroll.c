/* SPDX-License-Identifier: Apache-2.0
 * Marks loops for complete unrolling: those that count through the elements of a private array or
 * a vector. GPU programs keep blocks of matrices and
 * other register files in such arrays; once each index is a constant, they are registers here, too. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "simd.h"

static bool is_alloca(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAAllocaInst(pointer);
}

/* Does an index follow the counter of the loop, by casts and by arithmetic with what stays the same? */
static bool follows(LLVMValueRef index, LLVMBasicBlockRef header, int depth)
{
    if (!LLVMIsAInstruction(index) || depth == 0)
        return false;
    if (LLVMIsAPHINode(index))
        return LLVMGetInstructionParent(index) == header;
    if (!LLVMIsACastInst(index) && !LLVMIsABinaryOperator(index))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(index); i++)
        if (follows(LLVMGetOperand(index, (unsigned)i), header, depth - 1))
            return true;
    return false;
}

/* The lane that a shuffle takes its value from, else NULL: a register with a constant pattern is moved in one instruction. */
static LLVMValueRef wanted_lane(LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    const struct tsr__collective *c = callee ? tsr__collective(callee) : NULL;
    return c && c->result == TSR__BY_LANE ? LLVMGetOperand(inst, 2) : NULL;
}

static bool counts_through_registers(const struct tsr__cfg *cfg, const struct tsr__loop *loop)
{
    enum { DEPTH = 6 };
    LLVMBasicBlockRef header = cfg->blocks[loop->header].ref;
    for (int b = loop->begin; b < loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef lane = wanted_lane(i);
            if (lane && follows(lane, header, DEPTH))
                return true;
            bool address = LLVMIsAGetElementPtrInst(i) && is_alloca(i);
            if (!address && !LLVMIsAInsertElementInst(i) && !LLVMIsAExtractElementInst(i))
                continue;
            for (int k = address ? 1 : LLVMGetNumOperands(i) - 1; k < LLVMGetNumOperands(i); k++)
                if (follows(LLVMGetOperand(i, (unsigned)k), header, DEPTH))
                    return true;
        }
    return false;
}

/* !llvm.loop is a node whose first operand is itself. */
static void mark(struct tsr__lanes *l, LLVMValueRef latch)
{
    static const char hint[] = "llvm.loop.unroll.full";
    LLVMContextRef c = l->context;
    LLVMMetadataRef name = LLVMMDStringInContext2(c, hint, strlen(hint)), self = LLVMTemporaryMDNode(c, NULL, 0);
    LLVMMetadataRef operands[2] = {self, LLVMMDNodeInContext2(c, &name, 1)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(c, operands, 2);
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(c, "llvm.loop", strlen("llvm.loop")), LLVMMetadataAsValue(c, node));
}

bool tsr__mark_unrolls(struct tsr__lanes *l, LLVMValueRef function)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    bool marked = false;
    if (tsr__cfg_make(&cfg, function, &arena)) {
        for (int i = 0; i < cfg.loop_count; i++) {
            if (cfg.loops[i].latch == TSR__NONE || !counts_through_registers(&cfg, &cfg.loops[i]))
                continue;
            mark(l, cfg.blocks[cfg.loops[i].latch].terminator);
            marked = true;
        }
    }
    tsr_arena_free(&arena);
    return marked;
}
