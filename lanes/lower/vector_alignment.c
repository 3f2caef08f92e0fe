/* SPDX-License-Identifier: Apache-2.0
 * Vectors in memory are aligned as their elements are. OpenCL C promises more, but programs cast pointers; GPUs allow that, and the
 * instructions of x86 that insist on alignment are no faster. */
#include "lanes/ir/ir.h"

static LLVMTypeRef accessed_type(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        return LLVMTypeOf(inst);
    case LLVMStore:
        return LLVMTypeOf(LLVMGetOperand(inst, 0));
    default:
        return NULL;
    }
}

bool tsr__pass_vector_alignment(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMTypeRef type = accessed_type(code[i]);
        if (!type || LLVMGetTypeKind(type) != LLVMVectorTypeKind)
            continue;
        unsigned element = LLVMABIAlignmentOfType(layout, LLVMGetElementType(type));
        if (LLVMGetAlignment(code[i]) > element)
            LLVMSetAlignment(code[i], element);
    }
    return true;
}
