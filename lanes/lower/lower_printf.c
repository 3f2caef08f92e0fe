/* SPDX-License-Identifier: Apache-2.0
 * printf: the arguments go into a block as tessera/printf.h says, its address to the device. */
#include <string.h>

#include "tessera/printf.h"

#include "lanes/ir/calls.h"

/* Tag and size of one argument; 0 if printf takes no such type. */
static uint32_t tag_of(struct tsr__compilation *l, LLVMTypeRef type, uint64_t *bytes)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    unsigned count = 1;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        count = LLVMGetVectorSize(type);
        type = LLVMGetElementType(type);
    }
    unsigned size = (unsigned)LLVMStoreSizeOfType(layout, type);
    *bytes = (uint64_t)size * count;
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return TSR_PRINT_TAG(TSR_PRINT_INT, size, count);
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return TSR_PRINT_TAG(TSR_PRINT_FLOAT, size, count);
    case LLVMPointerTypeKind:
        /* Strings are literals, and literals live in constant memory. */
        return TSR_PRINT_TAG(LLVMGetPointerAddressSpace(type) == TSR__CONSTANT_SPACE ? TSR_PRINT_STRING : TSR_PRINT_POINTER, size, count);
    default:
        return 0;
    }
}

static uint64_t round_up(uint64_t n)
{
    return (n + 7) & ~(uint64_t)7;
}

static void store_argument(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef block, uint64_t offset)
{
    LLVMSetAlignment(LLVMBuildStore(b, value, tsr__at_offset(l, b, block, offset)), 4);
}

static bool lower_call(struct tsr__compilation *l, LLVMValueRef call, LLVMValueRef print)
{
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    unsigned n = LLVMGetNumArgOperands(call);
    uint64_t size = 8, bytes;
    for (unsigned i = 1; i < n; i++) {
        if (!tag_of(l, LLVMTypeOf(LLVMGetOperand(call, i)), &bytes))
            return tsr__fail(l, "'%s': argument %u of printf has a type that printf does not take", tsr__name(f), i);
        size += round_up(4 + bytes);
    }
    LLVMBuilderRef b = tsr__builder_at_entry(l, f);
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(l->context), size);
    LLVMValueRef block = LLVMBuildAlloca(b, type, "");
    LLVMSetAlignment(block, 8);
    LLVMPositionBuilderBefore(b, call);
    store_argument(l, b, tsr__i32(l, n - 1), block, 0);
    uint64_t offset = 8;
    for (unsigned i = 1; i < n; i++) {
        LLVMValueRef value = LLVMGetOperand(call, i);
        uint32_t tag = tag_of(l, LLVMTypeOf(value), &bytes);
        store_argument(l, b, tsr__i32(l, tag), block, offset);
        if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind) {
            /* Element by element: a vector of three must not write a fourth. */
            for (unsigned k = 0; k < TSR_PRINT_COUNT(tag); k++) {
                LLVMValueRef element = LLVMBuildExtractElement(b, value, tsr__i32(l, k), "");
                LLVMValueRef to = tsr__at_offset(l, b, block, offset + 4 + (uint64_t)k * TSR_PRINT_BYTES(tag));
                LLVMSetAlignment(LLVMBuildStore(b, element, to), 1);
            }
        } else {
            store_argument(l, b, value, block, offset + 4);
        }
        offset += round_up(4 + bytes);
    }
    LLVMValueRef format = LLVMGetOperand(call, 0);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(format)) != 0)
        format = LLVMBuildAddrSpaceCast(b, format, tsr__ptr(l), "");
    tsr__call(l, b, print, (LLVMValueRef[]){format, block}, 2);
    LLVMDisposeBuilder(b);
    LLVMReplaceAllUsesWith(call, LLVMConstNull(LLVMTypeOf(call)));
    LLVMInstructionEraseFromParent(call);
    return true;
}

bool tsr__pass_lower_printf(struct tsr__compilation *l)
{
    LLVMValueRef printf_function = LLVMGetNamedFunction(l->module, "printf");
    if (!printf_function || !LLVMIsDeclaration(printf_function) || !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(printf_function)))
        return true;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), (LLVMTypeRef[]){tsr__ptr(l), tsr__ptr(l)}, 2, false);
    LLVMValueRef print = tsr__declare_call(l, TSR__CALL_PRINT, type);
    size_t count;
    LLVMValueRef *code = tsr__all_instructions(l, &count);
    for (size_t i = 0; i < count; i++)
        if (tsr__callee(code[i]) == printf_function && !lower_call(l, code[i], print))
            return false;
    return true;
}
