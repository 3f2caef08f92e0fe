/* SPDX-License-Identifier: Apache-2.0
 * What LLVM's code generator gets wrong is not shown to it.
 *
 * LLVM 22 makes PMULHW of a vector product of which bits above 15 are kept as 16 bits, whatever the shift: of products of 64 bits with shifts of 32
 * and more it gives undefined values. It does not look through a freeze. */
#include "lanes.h"

static bool is_wide_product(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMMul || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return false;
    return LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v))) > 32;
}

static bool is_right_shift(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && (LLVMGetInstructionOpcode(v) == LLVMLShr || LLVMGetInstructionOpcode(v) == LLVMAShr);
}

bool tsr__pass_mistakes(struct tsr__lanes *l)
{
    size_t function_count;
    LLVMValueRef *functions = tsr__defined_functions(l, &function_count);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (size_t f = 0; f < function_count; f++) {
        size_t count;
        LLVMValueRef *code = tsr__instructions(l, functions[f], &count);
        for (size_t i = 0; i < count; i++) {
            LLVMValueRef product = is_right_shift(code[i]) ? LLVMGetOperand(code[i], 0) : NULL;
            if (!product || !is_wide_product(product))
                continue;
            LLVMPositionBuilderBefore(b, code[i]);
            LLVMSetOperand(code[i], 0, LLVMBuildFreeze(b, product, ""));
        }
    }
    LLVMDisposeBuilder(b);
    return true;
}
