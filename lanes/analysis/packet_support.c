/* SPDX-License-Identifier: Apache-2.0
 * Whether a kernel can run in packets at all, and multiplies tiles there. */
#include "lanes/analysis/packet_support.h"

#include <string.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/mad_op.h"

bool tsr__can_run_as_packet(struct tsr__compilation *l, LLVMValueRef body)
{
    bool totals = false, others = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(body); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = tsr__callee(i);
            if (callee && tsr_matrix_find(tsr__name(callee)) && !tsr__mad_overload(l, callee))
                return false;
            const char *name = tsr__primitive_called(i);
            totals = totals || (name && tsr__starts_with(name, "total_"));
            others = others || (name && !strcmp(name, "exchange") && !LLVMIsAConstantInt(LLVMGetOperand(i, 0)));
        }
    return !totals || !others;
}

bool tsr__multiplies_tiles(struct tsr__compilation *l, LLVMValueRef body)
{
    if (tsr__tile_unit(l) == TSR__TILES_NONE)
        return false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(body); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = tsr__callee(i);
            if (callee && tsr_matrix_find(tsr__name(callee)))
                return true;
        }
    return false;
}
