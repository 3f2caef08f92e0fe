/* SPDX-License-Identifier: Apache-2.0
 * In kernels with matrix functions, a pointer that goes along a work-item's own row or column is where that begins and a distance, which is
 * the same for all work-items of a packet. So the lanes' places are computed before the loop, and it is plain to see how they move. */
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/rounds.h"

enum { DEPTH = 12 };

static bool is_constant_factor(LLVMValueRef product)
{
    return LLVMIsAConstantInt(LLVMGetOperand(product, 1)) || LLVMIsAConstantInt(LLVMGetOperand(product, 0));
}

/* Is it made of a lane's number? `scaled`: of one that has been multiplied by a number of the program's. */
static bool counts_lanes(LLVMValueRef v, bool scaled, int depth)
{
    const enum tsr__engine_call call = tsr__call_of(v);
    if (call != TSR__CALL_NONE)
        return !scaled && (call == TSR__CALL_LANE || call == TSR__CALL_LOCAL_ID || call == TSR__CALL_GLOBAL_ID);
    const bool operates = LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAGetElementPtrInst(v) || LLVMIsAFreezeInst(v);
    if (!depth || !operates)
        return false;
    if (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMMul && !is_constant_factor(v))
        scaled = false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (counts_lanes(LLVMGetOperand(v, (unsigned)i), scaled, depth - 1))
            return true;
    return false;
}

/* The first such pointer becomes where it begins and a distance. */
static bool count_distance(void *context, struct tsr__rounds *r)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->l->context);
    (void)context;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(r->header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef next = tsr__incoming_from(phi, r->latch), first = tsr__incoming_from(phi, r->before);
        if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMPointerTypeKind || !LLVMIsAGetElementPtrInst(next) || LLVMGetNumIndices(next) != 1 ||
            LLVMGetOperand(next, 0) != phi || tsr__is_in_loop(r->cfg, LLVMGetOperand(next, 1), r->loop) ||
            !counts_lanes(first, true, DEPTH))
            continue;
        LLVMTypeRef unit = LLVMGetGEPSourceElementType(next);
        LLVMBuilderRef b = tsr__builder_before(r->l, phi);
        LLVMValueRef distance = LLVMBuildPhi(b, i64, "");
        LLVMPositionBuilderBefore(b, tsr__after_phis(phi));
        LLVMValueRef place = LLVMBuildGEP2(b, unit, first, &distance, 1, "");
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(r->latch));
        LLVMValueRef step = LLVMBuildIntCast2(b, LLVMGetOperand(next, 1), i64, true, ""),
                     values[] = {LLVMConstNull(i64), LLVMBuildAdd(b, distance, step, "")};
        LLVMDisposeBuilder(b);
        LLVMAddIncoming(distance, values, (LLVMBasicBlockRef[]){r->before, r->latch}, 2);
        LLVMReplaceAllUsesWith(phi, place);
        LLVMInstructionEraseFromParent(phi);
        return true;
    }
    return false;
}

bool tsr__pass_moving_columns(struct tsr__compilation *l)
{
    tsr__change_product_loops(l, count_distance);
    return true;
}
