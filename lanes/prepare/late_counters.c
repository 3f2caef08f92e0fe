/* SPDX-License-Identifier: Apache-2.0
 * In kernels with matrix functions, a counter that is a round behind another one counts by itself.
 *
 * Of `for (; k + 32 <= n; k += 32)` LLVM keeps the sum that it compares, and makes k a phi of what that sum was in the round before. So k
 * has no step of its own, and no address that is computed from it has one. */
#include "lanes/ir/match.h"
#include "lanes/prepare/rounds.h"

/* The sum of `v` and a constant, or NULL. */
static LLVMValueRef constant_step(LLVMValueRef sum, LLVMValueRef v)
{
    const bool adds = LLVMIsABinaryOperator(sum) && LLVMGetInstructionOpcode(sum) == LLVMAdd && LLVMGetOperand(sum, 0) == v;
    return adds && LLVMIsAConstantInt(LLVMGetOperand(sum, 1)) ? LLVMGetOperand(sum, 1) : NULL;
}

/* Whether `to` is `from` and the step; `flags`: those of the sum. */
static bool is_step(LLVMValueRef from, LLVMValueRef to, LLVMValueRef step, unsigned *flags)
{
    if (constant_step(to, from) == step) {
        *flags = (LLVMGetNSW(to) ? TSR__SIGNED_FITS : 0u) | (LLVMGetNUW(to) ? TSR__UNSIGNED_FITS : 0u);
        return true;
    }
    LLVMValueRef operands[2] = {from, step};
    if (!LLVMIsAConstantInt(from) || !LLVMIsAConstantInt(to) || LLVMGetIntTypeWidth(LLVMTypeOf(to)) > 64 || LLVMConstAdd(from, step) != to)
        return false;
    *flags = tsr__flags_of_constants(LLVMAdd, LLVMTypeOf(to), operands);
    return true;
}

/* The first counter of the loop that is a round behind another one gets a sum of its own. */
static bool count_alone(void *context, struct tsr__rounds *r)
{
    for (LLVMValueRef late = LLVMGetFirstInstruction(r->header); LLVMIsAPHINode(late); late = LLVMGetNextInstruction(late)) {
        LLVMValueRef counter = tsr__incoming_from(late, r->latch);
        if (LLVMGetTypeKind(LLVMTypeOf(late)) != LLVMIntegerTypeKind || counter == late || !LLVMIsAPHINode(counter) ||
            LLVMGetInstructionParent(counter) != r->header)
            continue;
        LLVMValueRef next = tsr__incoming_from(counter, r->latch), step = constant_step(next, counter);
        unsigned flags;
        if (!step || !is_step(tsr__incoming_from(late, r->before), tsr__incoming_from(counter, r->before), step, &flags))
            continue;
        LLVMBuilderRef b = tsr__builder_before(r->l, LLVMGetBasicBlockTerminator(r->latch));
        LLVMValueRef sum = LLVMBuildAdd(b, late, step, "");
        LLVMSetNSW(sum, LLVMGetNSW(next) && flags & TSR__SIGNED_FITS);
        LLVMSetNUW(sum, LLVMGetNUW(next) && flags & TSR__UNSIGNED_FITS);
        LLVMDisposeBuilder(b);
        LLVMSetOperand(late, LLVMGetIncomingBlock(late, 1) == r->latch, sum);
        return true;
    }
    (void)context;
    return false;
}

bool tsr__pass_late_counters(struct tsr__compilation *l)
{
    tsr__change_product_loops(l, count_alone);
    return true;
}
