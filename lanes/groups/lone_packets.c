/* SPDX-License-Identifier: Apache-2.0
 * A work-group that is one full packet needs no barrier, as its lanes move in step. Short kernels get a second function for full packets,
 * <kernel>.lone, in which barriers are nothing and the local size is a constant; the kernel chooses it where a work-group has one
 * sub-group. */
#include "lanes/analysis/group_visibility.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/widen/widener.h"

static bool calls(LLVMValueRef f, enum tsr__engine_call call)
{
    for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i))
        if (tsr__call_of(i) == call)
            return true;
    return false;
}

/* Private arrays that are still there lie in the contexts of packets at barriers; without those they would take the stack. Where lanes may
 * have parted before a barrier, it is not nothing. */
static bool is_worth_it(struct tsr__compilation *l, const struct tsr__packet_kernel *k)
{
    if (!k->whole || k->wrapping || k->packet.is_group || k->packet.width == 1 || l->options->bodies == TSR_BODIES_PARTIAL)
        return false;
    if (!calls(k->whole, TSR__CALL_BARRIER) || calls(k->whole, TSR__CALL_DIVERGENT_BARRIER) ||
        tsr__group_visibility(l, k->item) != TSR__SEES_GROUPS)
        return false;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, k->item, &count);
    for (size_t i = 0; i < count; i++)
        if (LLVMIsAAllocaInst(code[i]))
            return false;
    return count <= TSR__LONE_MAX_CODE;
}

/* The packet is a row of its own. */
static void fix_local_size(struct tsr__compilation *l, LLVMValueRef lone, unsigned width)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, lone, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t dim;
        if (tsr__call_of(code[i]) != TSR__CALL_LOCAL_SIZE || !tsr__constant_int(LLVMGetOperand(code[i], 0), &dim))
            continue;
        LLVMReplaceAllUsesWith(code[i], tsr__i64(l, dim ? 1 : width));
        LLVMInstructionEraseFromParent(code[i]);
    }
}

/* What calls the function for full packets asks before it whether the packet is alone. */
static void choose_by_count(struct tsr__compilation *l, const struct tsr__packet_kernel *k)
{
    LLVMBasicBlockRef usual = LLVMGetInstructionParent(LLVMGetUser(LLVMGetFirstUse(k->whole)));
    LLVMBasicBlockRef alone = tsr__packet_call_block(l, k, k->lone);
    LLVMBasicBlockRef choice = LLVMInsertBasicBlockInContext(l->context, usual, "");
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(k->kernel); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        for (unsigned i = 0; t && i < LLVMGetNumSuccessors(t); i++)
            if (LLVMGetSuccessor(t, i) == usual)
                LLVMSetSuccessor(t, i, choice);
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(b, choice);
    LLVMValueRef packets = tsr__build_query(l, b, TSR__CALL_NUM_SUB_GROUPS, -1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, packets, tsr__i32(l, 1), ""), alone, usual);
    LLVMDisposeBuilder(b);
}

bool tsr__pass_lone_packets(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    if (!is_worth_it(l, k))
        return true;
    struct tsr__packet packet = k->packet;
    packet.is_group = true;
    size_t notes = tsr__explain_count(l); /* they are those of the other function */
    k->lone = tsr__declare_packet_function(l, k->kernel, TSR__LONE);
    tsr__add_fn_attr(l, k->lone, "noinline");
    if (!tsr__widen_packet_function(l, k, k->lone, packet, false))
        return false;
    tsr__explain_forget(l, notes);
    tsr__explain(l, k->item, "packets", "alone", "a work-group of one full packet has code without barriers");
    tsr__forget_restrict(k->lone);
    fix_local_size(l, k->lone, packet.width);
    choose_by_count(l, k);
    return true;
}
