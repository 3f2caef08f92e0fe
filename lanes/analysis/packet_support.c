/* SPDX-License-Identifier: Apache-2.0
 * Whether a kernel can run in packets at all, and multiplies tiles there. */
#include "lanes/analysis/packet_support.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/mad_op.h"

bool tsr__is_product(LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    return callee && tsr_matrix_find(tsr__name(callee));
}

bool tsr__can_run_as_packet(struct tsr__compilation *l, LLVMValueRef body)
{
    bool totals = false, others = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(body); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            if (tsr__is_product(i) && !tsr__mad_overload(l, tsr__callee(i)))
                return false;
            enum tsr__engine_call call = tsr__call_of(i);
            totals = totals || call == TSR__CALL_TOTAL;
            others = others || (call == TSR__CALL_EXCHANGE && !LLVMIsAConstantInt(LLVMGetOperand(i, 0)));
        }
    return !totals || !others;
}

bool tsr__multiplies_tiles(struct tsr__compilation *l, LLVMValueRef body)
{
    if (tsr__tile_unit(l) == TSR__TILES_NONE)
        return false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(body); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (tsr__is_product(i))
                return true;
    return false;
}
