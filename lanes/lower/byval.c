/* SPDX-License-Identifier: Apache-2.0
 * Structs passed by value: the caller makes the copy and passes a plain pointer. x86's own byval keeps no alignment above 16. */
#include "lanes/ir/ir.h"

static LLVMTypeRef byval_type(LLVMValueRef function, unsigned param)
{
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(function, param + 1, tsr__attr_kind("byval"));
    return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

/* What a kernel gets points into the argument block, which all work-items share: it is copied before the kernel may change it. */
static void copy_in_kernel(struct tsr__compilation *l, LLVMValueRef kernel, LLVMValueRef param, LLVMTypeRef type, unsigned align,
                           uint64_t size)
{
    LLVMBuilderRef b = tsr__builder_at_entry(l, kernel);
    LLVMValueRef copy = LLVMBuildAlloca(b, type, "");
    LLVMSetAlignment(copy, align);
    LLVMReplaceAllUsesWith(param, copy);
    LLVMBuildMemCpy(b, copy, align, param, align, tsr__i64(l, size));
    LLVMDisposeBuilder(b);
}

static void copy_at_call(struct tsr__compilation *l, LLVMValueRef call, unsigned param, LLVMTypeRef type, unsigned align, uint64_t size)
{
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMBuilderRef b = tsr__builder_at_entry(l, caller);
    LLVMValueRef copy = LLVMBuildAlloca(b, type, "");
    LLVMSetAlignment(copy, align);
    LLVMPositionBuilderBefore(b, call);
    LLVMBuildMemCpy(b, copy, align, LLVMGetOperand(call, param), 1, tsr__i64(l, size));
    LLVMSetOperand(call, param, copy);
    LLVMDisposeBuilder(b);
    tsr__drop_call_attr(call, param + 1, "byval");
}

bool tsr__pass_byval(struct tsr__compilation *l)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    size_t function_count;
    LLVMValueRef *functions = tsr__defined_functions(l, &function_count);
    for (size_t k = 0; k < function_count; k++) {
        LLVMValueRef f = functions[k];
        for (unsigned p = 0; p < LLVMCountParams(f); p++) {
            LLVMTypeRef type = byval_type(f, p);
            if (!type)
                continue;
            LLVMValueRef param = LLVMGetParam(f, p);
            unsigned align = LLVMABIAlignmentOfType(layout, type), stated = tsr__param_align(f, p);
            if (stated > align)
                align = stated;
            uint64_t size = LLVMABISizeOfType(layout, type);
            for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
                LLVMValueRef call = LLVMGetUser(use);
                if (tsr__callee(call) == f)
                    copy_at_call(l, call, p, type, align, size);
            }
            /* Pass "entry" needs to know the size of a kernel's arguments: there the attribute stays until then. */
            if (tsr__is_kernel(f))
                copy_in_kernel(l, f, param, type, align, size);
            else
                tsr__drop_attr(f, p + 1, "byval");
        }
    }
    return true;
}
