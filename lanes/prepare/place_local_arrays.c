/* SPDX-License-Identifier: Apache-2.0
 * Replaces the placeholders of arrays in local memory by addresses, once transpose_local has settled their layouts. This is needed for
 * kernels that run a work-item at a time as well. */
#include "lanes/ir/calls.h"

bool tsr__pass_place_local_arrays(struct tsr__compilation *l)
{
    LLVMValueRef f = tsr__find_call(l, TSR__CALL_LOCAL_ARRAY);
    if (!f)
        return true;
    LLVMTypeRef base = LLVMFunctionType(LLVMPointerTypeInContext(l->context, TSR__LOCAL_SPACE), NULL, 0, false);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(f)) != NULL;) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMBuilderRef b = tsr__builder_before(l, call);
        LLVMValueRef at = tsr__call(l, b, tsr__declare_call(l, TSR__CALL_LOCAL_BASE, base), NULL, 0);
        at = tsr__at_offset(l, b, at, LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)));
        LLVMDisposeBuilder(b);
        LLVMReplaceAllUsesWith(call, at);
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(f);
    return true;
}
