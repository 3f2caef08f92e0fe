/* SPDX-License-Identifier: Apache-2.0
 * Blocks of very many accesses to memory are cut, as instruction selection takes a time that grows with the square of their number: before
 * it makes a load the operand of an instruction, it looks for a way from one to the other through all that the block computes and accesses.
 *
 * LLVM joins a block with the only one that leads there. So each cut is a branch that is never taken, on the stack pointer, of which LLVM
 * knows nothing: two instructions for each PIECE accesses. Functions with matrix products of the packet stay as they are: in smaller blocks
 * LLVM loads all words of A into registers first, and spills them. */
#include "lanes/ir/blocks.h"
#include "lanes/ir/match.h"

enum {
    MOST = 1000, /* accesses of a block that stays as it is */
    PIECE = 500, /* of a piece */
};

static bool accesses_memory(LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst) || LLVMIsACallInst(inst);
}

static size_t count_accesses(LLVMBasicBlockRef block)
{
    size_t count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        count += accesses_memory(i);
    return count;
}

/* The first instruction behind the block's allocas. In any block but the entry, an alloca moves the stack pointer each time that it runs.
 */
static LLVMValueRef behind_allocas(LLVMBasicBlockRef block)
{
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i))
            first = LLVMGetNextInstruction(i);
    return first;
}

/* The function's block for what never happens. */
static LLVMBasicBlockRef make_trap(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMBasicBlockRef trap = LLVMAppendBasicBlockInContext(l->context, function, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(b, trap);
    LLVMValueRef f = tsr__intrinsic(l, "llvm.trap", NULL, 0);
    LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, NULL, 0, "");
    LLVMBuildUnreachable(b);
    LLVMDisposeBuilder(b);
    return trap;
}

static LLVMValueRef stack_pointer(struct tsr__compilation *l, LLVMBuilderRef b)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef f = tsr__intrinsic(l, "llvm.read_register", &i64, 1);
    LLVMMetadataRef name = LLVMMDStringInContext2(l->context, "rsp", 3);
    LLVMValueRef list = LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, &name, 1));
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, &list, 1, "");
}

static void mark_never_taken(struct tsr__compilation *l, LLVMValueRef branch)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMMetadataRef weights[] = {LLVMMDStringInContext2(l->context, "branch_weights", 14), LLVMValueAsMetadata(LLVMConstInt(i32, 0, 0)),
                                 LLVMValueAsMetadata(LLVMConstInt(i32, 1, 0))};
    LLVMValueRef node = LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, weights, TSR_ARRAY_LEN(weights)));
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->context, "prof", 4), node);
}

static void cut_before(struct tsr__compilation *l, LLVMBasicBlockRef block, LLVMValueRef inst, LLVMBasicBlockRef trap)
{
    LLVMBasicBlockRef front = tsr__split_block(l, block, inst);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(front));
    LLVMPositionBuilderAtEnd(b, front);
    LLVMValueRef never = LLVMBuildIsNull(b, stack_pointer(l, b), "");
    mark_never_taken(l, LLVMBuildCondBr(b, never, trap, block));
    LLVMDisposeBuilder(b);
}

static void cut_block(struct tsr__compilation *l, LLVMBasicBlockRef block, LLVMBasicBlockRef trap)
{
    size_t accesses = 0;
    for (LLVMValueRef i = behind_allocas(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        accesses += accesses_memory(i);
        if (accesses == PIECE && next && !LLVMIsATerminatorInst(next)) {
            cut_before(l, block, next, trap);
            accesses = 0;
        }
    }
}

bool tsr__pass_long_blocks(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMBasicBlockRef trap = NULL;
    if (tsr__has_text_attr(function, TSR__PRODUCTS))
        return true;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function), next; block; block = next) {
        next = LLVMGetNextBasicBlock(block);
        if (count_accesses(block) <= MOST)
            continue;
        trap = trap ? trap : make_trap(l, function);
        cut_block(l, block, trap);
    }
    return true;
}
