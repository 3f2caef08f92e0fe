/* SPDX-License-Identifier: Apache-2.0
 * Whether a kernel can run in packets at all, and multiplies tiles there. */
#include "lanes/analysis/packet_support.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/match.h"

bool tsr__is_product(LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    return callee && tsr_matrix_find(tsr__name(callee));
}

/* A barrier or exchange of a pair of sub-groups. A packet has no operation for it: packets that are pairs call matrix functions instead. */
static bool joins_sub_groups(LLVMValueRef inst, enum tsr__engine_call call)
{
    return (call == TSR__CALL_EXCHANGE || call == TSR__CALL_BARRIER) && tsr__is_constant(LLVMGetOperand(inst, 0), TSR_SCOPE_PAIR);
}

bool tsr__can_run_as_packet(struct tsr__compilation *l, LLVMValueRef body)
{
    bool totals = false, others = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(body); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            if (tsr__is_product(i) && !tsr__mad_overload(l, tsr__callee(i)))
                return false;
            enum tsr__engine_call call = tsr__call_of(i);
            if (joins_sub_groups(i, call))
                return false;
            totals = totals || call == TSR__CALL_TOTAL;
            others = others || (call == TSR__CALL_EXCHANGE && !LLVMIsAConstantInt(LLVMGetOperand(i, 0)));
        }
    return !totals || !others;
}

bool tsr__multiplies_tiles(struct tsr__compilation *l, LLVMValueRef body)
{
    if (tsr__tile_unit(l) == TSR__TILES_NONE || tsr__why_without_tiles(l, body))
        return false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(body); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (tsr__is_product(i))
                return true;
    return false;
}
