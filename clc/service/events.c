/* SPDX-License-Identifier: Apache-2.0
 * Makes event_t a plain pointer. clang emits a type that only SPIR has, of which LLVM makes no machine code: it gives up. */
#include "clc/service/service.h"

#include <string.h>

#include <llvm-c/IRReader.h>

static const char event_type[] = "target(\"spirv.Event\")", pointer_type[] = "ptr";

static bool has_event(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMTargetExtTypeKind:
        return !strcmp(LLVMGetTargetExtTypeName(type), "spirv.Event");
    case LLVMArrayTypeKind:
        return has_event(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (has_event(LLVMStructGetTypeAtIndex(type, i)))
                return true;
        return false;
    default:
        return false;
    }
}

/* clang gives every variable a place on the stack, so that no other instruction needs a look. */
static bool function_has_event(LLVMValueRef f)
{
    if (has_event(LLVMGetReturnType(LLVMGlobalGetValueType(f))))
        return true;
    for (LLVMValueRef p = LLVMGetFirstParam(f); p; p = LLVMGetNextParam(p))
        if (has_event(LLVMTypeOf(p)))
            return true;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i) && has_event(LLVMGetAllocatedType(i)))
                return true;
    return false;
}

/* LLVM-C cannot change a type in place; the text of the module can. */
LLVMModuleRef tsr__plain_events(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetFirstFunction(module);
    while (f && !function_has_event(f))
        f = LLVMGetNextFunction(f);
    if (!f)
        return module;
    struct tsr_buf text = {0};
    char *before = LLVMPrintModuleToString(module), *message = NULL;
    const char *at = before;
    for (const char *found; (found = strstr(at, event_type)) != NULL; at = found + strlen(event_type)) {
        tsr_buf_bytes(&text, at, (size_t)(found - at));
        tsr_buf_bytes(&text, pointer_type, strlen(pointer_type));
    }
    tsr_buf_bytes(&text, at, strlen(at) + 1);
    LLVMDisposeMessage(before);
    LLVMModuleRef plain = NULL;
    LLVMMemoryBufferRef memory =
        text.failed ? NULL : LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)text.data, text.size - 1, "program");
    if (memory && LLVMParseIRInContext(LLVMGetModuleContext(module), memory, &plain, &message))
        LLVMDisposeMessage(message);
    tsr_buf_free(&text);
    if (!plain)
        return module;
    LLVMDisposeModule(module);
    return plain;
}
