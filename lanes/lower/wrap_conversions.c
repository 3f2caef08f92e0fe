/* SPDX-License-Identifier: Apache-2.0
 * Conversions of floating-point numbers to integers of 8 and 16 bits. OpenCL C leaves open what becomes of numbers out of range. LLVM takes
 * it as never happening, so that each of a CPU's instructions, and each use of the result, gives another one. By way of 32 bits the numbers
 * wrap, as they do in code for one work-item on any x86 CPU. */
#include "lanes/ir/match.h"

enum { WRAPS = 32 };

static LLVMTypeRef type_to_wrap_in(struct tsr__compilation *l, LLVMTypeRef type)
{
    LLVMTypeRef wide = LLVMIntTypeInContext(l->context, WRAPS);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMVectorType(wide, LLVMGetVectorSize(type)) : wide;
}

bool tsr__pass_wrap_conversions(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, function, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMTypeRef type = LLVMTypeOf(code[i]);
        bool converts = LLVMIsAFPToUIInst(code[i]) || LLVMIsAFPToSIInst(code[i]);
        if (!converts || LLVMGetIntTypeWidth(LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type) >= WRAPS)
            continue;
        LLVMBuilderRef b = tsr__builder_before(l, code[i]);
        LLVMValueRef wide = LLVMBuildFPToSI(b, LLVMGetOperand(code[i], 0), type_to_wrap_in(l, type), "");
        LLVMReplaceAllUsesWith(code[i], LLVMBuildTrunc(b, wide, type, ""));
        LLVMInstructionEraseFromParent(code[i]);
        LLVMDisposeBuilder(b);
    }
    return true;
}
