/* SPDX-License-Identifier: Apache-2.0
 * Functions on images: what LLVM's writer of SPIR-V gets wrong of them, and where it cannot write them. */
#include "clc/service/service.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ORDER = 0x10B0, FIRST_DATA_TYPE = 0x10D0 }; /* CLK_R, CLK_SNORM_INT8; SPIR-V counts both from 0 */

static bool is_named(LLVMValueRef function, const char *wanted)
{
    size_t length;
    const char *name = tsr__mangled_name(LLVMGetValueName2(function, &length), &length);
    return name && length == strlen(wanted) && !strncmp(name, wanted, length);
}

/* Calls back for each call of the declared functions with this name. */
static void each_call(LLVMModuleRef module, const char *name, void (*mend)(LLVMBuilderRef, LLVMValueRef call, LLVMValueRef function))
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module), after; f; f = after) {
        after = LLVMGetNextFunction(f);
        if (!LLVMIsDeclaration(f) || !is_named(f, name))
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f), next; use; use = next) {
            next = LLVMGetNextUse(use);
            LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(LLVMGetUser(use)));
            mend(builder, LLVMGetUser(use), f);
        }
    }
    LLVMDisposeBuilder(builder);
}

/* Who used the answer uses the sum. */
static void add_first(LLVMBuilderRef builder, LLVMValueRef call, uint32_t first)
{
    LLVMValueRef sum = LLVMBuildAdd(builder, call, LLVMConstInt(LLVMTypeOf(call), first, false), "");
    LLVMReplaceAllUsesWith(call, sum);
    LLVMSetOperand(sum, 0, call);
}

/* The writer makes an instruction of this function, but forgets from where on OpenCL C counts. */
static void mend_data_type(LLVMBuilderRef builder, LLVMValueRef call, LLVMValueRef function)
{
    (void)function;
    add_first(builder, call, FIRST_DATA_TYPE);
}

/* The function of the same image with another name, and another result. */
static LLVMValueRef sibling(LLVMValueRef function, const char *name, const char *other, LLVMTypeRef result)
{
    size_t length;
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    const char *arguments = tsr__mangled_name(LLVMGetValueName2(function, &length), &length) + strlen(name);
    char *mangled = tsr_format("_Z%zu%s%s", strlen(other), other, arguments);
    if (!mangled)
        tsr__out_of_memory();
    LLVMValueRef found = LLVMGetNamedFunction(module, mangled);
    enum { MOST = 8 };
    LLVMTypeRef type = LLVMGlobalGetValueType(function), params[MOST];
    unsigned count = LLVMCountParamTypes(type);
    if (!found && count <= MOST) {
        LLVMGetParamTypes(type, params);
        found = LLVMAddFunction(module, mangled, LLVMFunctionType(result, params, count, false));
        LLVMSetFunctionCallConv(found, LLVMGetFunctionCallConv(function));
    }
    tsr_free(mangled);
    return found ? found : function;
}

static const char data_type_name[] = "get_image_channel_data_type", order_name[] = "get_image_channel_order", half_name[] = "read_imageh";

/* The writer leaves this function to the driver, and no driver has it. Its instruction differs from the one above in its number alone, so
 * it is written as that, and told from it by what is added: tsr__il_mend_orders. */
static void mend_order(LLVMBuilderRef builder, LLVMValueRef call, LLVMValueRef function)
{
    LLVMValueRef other = sibling(function, order_name, data_type_name, LLVMTypeOf(call));
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, other);
    add_first(builder, call, FIRST_ORDER);
}

/* Likewise; pixels are read as floats, and rounded. */
static void mend_half(LLVMBuilderRef builder, LLVMValueRef call, LLVMValueRef function)
{
    enum { MOST = 8 };
    LLVMTypeRef halves = LLVMTypeOf(call), floats = LLVMVectorType(LLVMFloatTypeInContext(LLVMGetTypeContext(halves)), 4);
    LLVMValueRef other = sibling(function, half_name, "read_imagef", floats), arguments[MOST];
    unsigned count = LLVMGetNumArgOperands(call);
    if (count > MOST)
        return;
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(call, i);
    LLVMValueRef read = LLVMBuildCall2(builder, LLVMGlobalGetValueType(other), other, arguments, count, "");
    LLVMSetInstructionCallConv(read, LLVMGetInstructionCallConv(call));
    LLVMReplaceAllUsesWith(call, LLVMBuildFPTrunc(builder, read, halves, ""));
    LLVMInstructionEraseFromParent(call);
}

/* What the module declares and does not call any more would be an import. */
static void drop_unused(LLVMModuleRef module, const char *name)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) && !LLVMGetFirstUse(f) && is_named(f, name))
            LLVMDeleteFunction(f);
    }
}

void tsr__il_mend_images(LLVMModuleRef module)
{
    each_call(module, data_type_name, mend_data_type);
    each_call(module, order_name, mend_order);
    each_call(module, half_name, mend_half);
    drop_unused(module, order_name);
    drop_unused(module, half_name);
}

static uint32_t word_at(const struct tsr_buf *spirv, size_t index)
{
    uint32_t word;
    memcpy(&word, spirv->data + 4 * index, sizeof word);
    return word;
}

/* The id of the constant with this value, of a type of 32 bits; 0: there is none. */
static uint32_t find_constant(const struct tsr_buf *spirv, uint32_t value)
{
    enum { OP_CONSTANT = 43, WORDS = 4 };
    for (size_t at = TSR_SPIRV_HEADER / 4, count = spirv->size / 4; at + WORDS <= count; at += word_at(spirv, at) >> 16)
        if (word_at(spirv, at) == (WORDS << 16 | OP_CONSTANT) && word_at(spirv, at + 3) == value)
            return word_at(spirv, at + 2);
    return 0;
}

/* The sum comes right behind the instruction, or a few behind it. */
static bool is_added(const struct tsr_buf *spirv, size_t at, uint32_t query, uint32_t constant)
{
    enum { OP_ADD = 128, OP_FUNCTION_END = 56, WORDS = 5 };
    for (size_t count = spirv->size / 4; at + WORDS <= count && (word_at(spirv, at) & 0xffff) != OP_FUNCTION_END;
         at += word_at(spirv, at) >> 16)
        if ((word_at(spirv, at) & 0xffff) == OP_ADD && word_at(spirv, at + 3) == query && word_at(spirv, at + 4) == constant)
            return true;
    return false;
}

void tsr__il_mend_orders(struct tsr_buf *spirv)
{
    enum { OP_QUERY_FORMAT = 101, OP_QUERY_ORDER = 102, WORDS = 4 };
    uint32_t first = find_constant(spirv, FIRST_ORDER), order = WORDS << 16 | OP_QUERY_ORDER;
    for (size_t at = TSR_SPIRV_HEADER / 4, count = spirv->size / 4; first && at + WORDS <= count; at += word_at(spirv, at) >> 16)
        if (word_at(spirv, at) == (WORDS << 16 | OP_QUERY_FORMAT) && is_added(spirv, at + WORDS, word_at(spirv, at + 2), first))
            memcpy(spirv->data + 4 * at, &order, sizeof order);
}

bool tsr__il_check_images(LLVMModuleRef module, struct tsr_buf *log)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) || !strstr(LLVMGetValueName2(f, &length), "ocl_image") || !LLVMCountParams(f) ||
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetFirstParam(f))) != LLVMPointerTypeKind)
            continue;
        char *name = tsr__source_name(f);
        tsr_buf_printf(log,
                       "error: %s: images of a program in SPIR-V go to this device only if all of the program does as it is: build it from "
                       "one module, whose matrix functions, capabilities and sub-group sizes the device has\n",
                       name ? name : "an image");
        free(name);
        return false;
    }
    return true;
}
