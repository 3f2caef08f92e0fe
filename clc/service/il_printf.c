/* SPDX-License-Identifier: Apache-2.0
 * The formats of printf. In OpenCL C they are in constant memory; a module in SPIR-V may declare the extension by which they may be in any,
 * and our reader then casts them to the one printf that there is. LLVM's writer has no such cast, but takes calls of printf with formats of
 * any memory. */
#include "clc/service/service.h"

#include <string.h>

enum { CONSTANT_SPACE = 2 };

/* The format as it was before a cast to constant memory. */
static LLVMValueRef before_cast(LLVMValueRef format)
{
    bool cast = LLVMIsAAddrSpaceCastInst(format) || (LLVMIsAConstantExpr(format) && LLVMGetConstOpcode(format) == LLVMAddrSpaceCast);
    return cast ? LLVMGetOperand(format, 0) : format;
}

/* Calls printf with this format. */
static void call_with(LLVMBuilderRef builder, LLVMValueRef call, LLVMValueRef format)
{
    enum { MOST = 256 }; /* what our reader takes */
    LLVMValueRef arguments[MOST];
    LLVMTypeRef of_format = LLVMTypeOf(format), type = LLVMFunctionType(LLVMTypeOf(call), &of_format, 1, true);
    unsigned count = LLVMGetNumArgOperands(call);
    if (count > MOST)
        return;
    for (unsigned i = 0; i < count; i++)
        arguments[i] = i ? LLVMGetOperand(call, i) : format;
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef made = LLVMBuildCall2(builder, type, LLVMGetCalledValue(call), arguments, count, "");
    LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(call));
    LLVMValueRef cast = LLVMGetOperand(call, 0);
    LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
    if (LLVMIsAAddrSpaceCastInst(cast) && !LLVMGetFirstUse(cast))
        LLVMInstructionEraseFromParent(cast);
}

bool tsr__il_mend_formats(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, "printf");
    bool constant = true;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL, next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef call = LLVMGetUser(use);
        if (!LLVMIsACallInst(call))
            continue;
        LLVMValueRef format = before_cast(LLVMGetOperand(call, 0));
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(format)) == CONSTANT_SPACE)
            continue;
        constant = false;
        if (format != LLVMGetOperand(call, 0))
            call_with(builder, call, format);
    }
    LLVMDisposeBuilder(builder);
    return constant;
}

/* To learn where the format of printf is, LLVM's writer looks up a register of one function in another, so that what it finds is chance,
 * and declares the extension where there is no need for it. Not all drivers know it. */
void tsr__il_forget_printf_extension(struct tsr_buf *spirv)
{
    static const char name[] = "SPV_EXT_relaxed_printf_string_address_space";
    enum { HEADER = 5 * sizeof(uint32_t), OP_EXTENSION = 10 };
    uint32_t word;
    for (size_t at = HEADER, bytes; at + sizeof word <= spirv->size; at += bytes) {
        memcpy(&word, spirv->data + at, sizeof word);
        bytes = (word >> 16) * sizeof word;
        if ((word & 0xffff) != OP_EXTENSION || bytes < sizeof word + sizeof name ||
            memcmp(spirv->data + at + sizeof word, name, sizeof name) != 0)
            continue;
        memmove(spirv->data + at, spirv->data + at + bytes, spirv->size - at - bytes);
        spirv->size -= bytes;
        return;
    }
}
