/* SPDX-License-Identifier: Apache-2.0
 * Blocks of OpenCL C that kernels enqueue. clang makes a kernel of each and passes its address; here the name of that kernel takes the
 * place of its address, so that the engine meets no addresses of kernels, and links and renamed functions change nothing. */
#include "clc/service/service.h"

#include "clc/common/names.h"

#include <stdio.h>
#include <string.h>

bool tsr__has_blocks(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetFirstFunction(module);
    while (f && !tsr__is_block(f))
        f = LLVMGetNextFunction(f);
    return f;
}

/* The first constant expression in use that is made of the function's address, NULL if there is none. */
static LLVMValueRef address_of(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
        if (LLVMIsAConstantExpr(LLVMGetUser(use)) && LLVMGetFirstUse(LLVMGetUser(use)))
            return LLVMGetUser(use);
    return NULL;
}

/* Functions that are static may have the same names in two modules that are linked; their blocks get names that tell them apart. */
static LLVMValueRef text_of(LLVMModuleRef module, LLVMValueRef kernel, const struct tsr_clc_text *source)
{
    enum { CONSTANT_SPACE = 2 };
    size_t length;
    char suffix[20];
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct tsr_buf name = {0};
    tsr_buf_printf(&name, "%s", LLVMGetValueName2(kernel, &length));
    snprintf(suffix, sizeof suffix, ".%016llx", (unsigned long long)tsr_hash_bytes(source->data, source->size).lo);
    tsr_buf_bytes(&name, suffix, strlen(suffix));
    if (name.failed)
        tsr__out_of_memory();
    LLVMSetValueName2(kernel, (const char *)name.data, length + strlen(suffix));
    LLVMValueRef text = LLVMConstStringInContext2(context, (const char *)name.data, length + strlen(suffix), false);
    tsr_buf_free(&name);
    LLVMValueRef global = LLVMAddGlobalInAddressSpace(module, LLVMTypeOf(text), "tsr.block", CONSTANT_SPACE);
    LLVMSetInitializer(global, text);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetAlignment(global, 1);
    return global;
}

/* Replaces the kernel's address by its name. */
static void name_kernel(LLVMModuleRef module, LLVMValueRef kernel, const struct tsr_clc_text *source)
{
    LLVMValueRef text = NULL;
    for (LLVMValueRef address; (address = address_of(kernel));) {
        if (!text)
            text = text_of(module, kernel, source);
        LLVMReplaceAllUsesWith(address, LLVMConstAddrSpaceCast(text, LLVMTypeOf(address)));
    }
    if (!text)
        return;
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(context, TSR_CLC_BLOCK, sizeof TSR_CLC_BLOCK - 1, "", 0);
    LLVMAddAttributeAtIndex(kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

/* Whether a block is called by its address, since clang does not know which one it is. The optimiser may find out. */
static bool calls_by_address(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsACallInst(i) && !LLVMIsAFunction(LLVMGetCalledValue(i)))
                    return true;
    return false;
}

/* What a block has of its function's address, which nobody reads, would keep the function's code. */
static void drop_addresses(LLVMValueRef invoke)
{
    for (LLVMValueRef address; (address = address_of(invoke));)
        LLVMReplaceAllUsesWith(address, LLVMConstNull(LLVMTypeOf(address)));
}

static bool is_of_block(LLVMValueRef function)
{
    size_t length;
    return strstr(LLVMGetValueName2(function, &length), "_block_invoke") && !tsr__cc_is_kernel(function);
}

void tsr__name_blocks(LLVMModuleRef module, const struct tsr_clc_text *source)
{
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        any |= is_of_block(f);
        if (tsr__cc_is_kernel(f))
            name_kernel(module, f, source);
    }
    if (!any || calls_by_address(module))
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_of_block(f))
            drop_addresses(f);
}
