/* SPDX-License-Identifier: Apache-2.0
 * Makes events, pipes, reservations, queues, images and samplers plain pointers and numbers. clang emits types that only SPIR has, of which
 * LLVM makes no machine code: it gives up. builtins/pack.py does the same with the built-in library. */
#include "clc/service/service.h"

#include <string.h>

#include <llvm-c/IRReader.h>

enum { EVENT, RESERVATION, PIPE, QUEUE, DEVICE_EVENT, IMAGE, SAMPLER, TYPES };

static const struct {
    const char *name, *text, *plain; /* text: its beginning */
} types[TYPES] = {
    [EVENT] = {"spirv.Event", "target(\"spirv.Event\"", "ptr"},
    [RESERVATION] = {"spirv.ReserveId", "target(\"spirv.ReserveId\"", "i64"}, /* builtins/pipe.cl */
    [PIPE] = {"spirv.Pipe", "target(\"spirv.Pipe\"", "ptr addrspace(1)"},     /* to a struct tsr_pipe */
    [QUEUE] = {"spirv.Queue", "target(\"spirv.Queue\"", "i64"},               /* builtins/enqueue.cl */
    [DEVICE_EVENT] = {"spirv.DeviceEvent", "target(\"spirv.DeviceEvent\"", "i64"},
    [IMAGE] = {"spirv.Image", "target(\"spirv.Image\"", "ptr addrspace(1)"}, /* to a struct tsr_image_desc */
    [SAMPLER] = {"spirv.Sampler", "target(\"spirv.Sampler\"", "i32"},        /* tessera/sampler.def */
};

/* Those of the first `count` types. */
static bool is_opaque(LLVMTypeRef type, int count)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMTargetExtTypeKind:
        for (int i = 0; i < count; i++)
            if (!strcmp(LLVMGetTargetExtTypeName(type), types[i].name))
                return true;
        return false;
    case LLVMArrayTypeKind:
        return is_opaque(LLVMGetElementType(type), count);
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (is_opaque(LLVMStructGetTypeAtIndex(type, i), count))
                return true;
        return false;
    default:
        return false;
    }
}

/* clang gives every variable a place on the stack, so that of instructions only these and calls need a look: a sampler constant may go from
 * the one call into the other. */
static bool function_has_opaque(LLVMValueRef f, int count)
{
    if (is_opaque(LLVMGetReturnType(LLVMGlobalGetValueType(f)), count))
        return true;
    for (LLVMValueRef p = LLVMGetFirstParam(f); p; p = LLVMGetNextParam(p))
        if (is_opaque(LLVMTypeOf(p), count))
            return true;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i) && is_opaque(LLVMGetAllocatedType(i), count))
                return true;
    return false;
}

/* A reservation may be in a variable of local memory and nowhere else. */
static bool module_has_opaque(LLVMModuleRef module, int count)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        if (is_opaque(LLVMGlobalGetValueType(v), count))
            return true;
    LLVMValueRef f = LLVMGetFirstFunction(module);
    while (f && !function_has_opaque(f, count))
        f = LLVMGetNextFunction(f);
    return f;
}

/* The text of the module with other types; "target(…)" has no parentheses within. */
static void rewrite(const char *before, int count, struct tsr_buf *text)
{
    const char *at = before;
    for (const char *found; (found = strstr(at, "target(\"")) != NULL;) {
        const char *end = strchr(found, ')');
        tsr_buf_bytes(text, at, (size_t)(found - at));
        at = found;
        for (int i = 0; end && i < count; i++)
            if (!strncmp(found, types[i].text, strlen(types[i].text))) {
                tsr_buf_bytes(text, types[i].plain, strlen(types[i].plain));
                at = end + 1;
            }
        if (at == found) {
            tsr_buf_bytes(text, at, 1);
            at++;
        }
    }
    tsr_buf_bytes(text, at, strlen(at) + 1);
}

/* A sampler is the number that clang gives its constant. */
static void resolve_samplers(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, "__translate_sampler_initializer");
    for (LLVMUseRef use; f && (use = LLVMGetFirstUse(f)) != NULL;) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
    }
    if (f)
        LLVMDeleteFunction(f);
}

/* LLVM-C cannot change a type in place; the text of the module can. */
LLVMModuleRef tsr__plain_types(LLVMModuleRef module, bool images)
{
    int count = images ? TYPES : IMAGE;
    if (!module_has_opaque(module, count))
        return module;
    struct tsr_buf text = {0};
    char *before = LLVMPrintModuleToString(module), *message = NULL;
    rewrite(before, count, &text);
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
    if (images)
        resolve_samplers(plain);
    return plain;
}
