/* SPDX-License-Identifier: Apache-2.0
 * Replaces the placeholders of arrays in local memory by addresses, once transpose_local has settled their layouts. This is needed for
 * kernels that run a work-item at a time as well.
 *
 * The address of local memory is then one value in each function: accesses can be compared by their distance from it, and what does not
 * change in a loop can be read before it. */
#include "lanes/ir/calls.h"

static void place_arrays(struct tsr__compilation *l, LLVMValueRef f)
{
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
}

static void keep_one_base(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMValueRef first = NULL;
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++) {
        if (tsr__call_of(code[i]) != TSR__CALL_LOCAL_BASE)
            continue;
        if (first) {
            LLVMReplaceAllUsesWith(code[i], first);
            LLVMInstructionEraseFromParent(code[i]);
            continue;
        }
        first = code[i];
        if (!i)
            continue;
        LLVMBuilderRef b = tsr__builder_before(l, code[0]);
        LLVMInstructionRemoveFromParent(first);
        LLVMInsertIntoBuilder(b, first);
        LLVMDisposeBuilder(b);
    }
}

bool tsr__pass_place_local_arrays(struct tsr__compilation *l)
{
    LLVMValueRef arrays = tsr__find_call(l, TSR__CALL_LOCAL_ARRAY);
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    if (arrays)
        place_arrays(l, arrays);
    for (size_t i = 0; i < count; i++)
        keep_one_base(l, functions[i]);
    return true;
}
