/* SPDX-License-Identifier: Apache-2.0
 * One entry per kernel: takes the arguments from the argument block, whose layout is decided here, and calls the kernel's body. */
#include <string.h>

#include "tessera/item.h"

#include "lanes/ir/layout.h"

/* The type of an argument that is passed by its address and copied into the block; NULL: the argument is passed as it is. */
static LLVMTypeRef by_value_type(LLVMValueRef function, unsigned p)
{
    LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(function, p + 1, tsr__attr_kind("byval"));
    return byval ? LLVMGetTypeAttributeValue(byval) : NULL;
}

/* Fills kind, size and alignments. NULL: done; else what is wrong with it, malloc'd. */
static char *classify_argument(LLVMValueRef function, const struct tsr_kernel_info *kernel, unsigned p, bool opaque_images)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
    struct tsr_arg_info *arg = &kernel->args[p];
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, p)), value_type = by_value_type(function, p);
    arg->size = arg->align = 8;
    arg->pointee_align = 1;
    if (value_type) {
        arg->kind = TSR_ARG_VALUE;
        arg->size = (uint32_t)LLVMABISizeOfType(layout, value_type);
        arg->align = LLVMABIAlignmentOfType(layout, value_type);
        unsigned stated = tsr__param_align(function, p);
        if (stated > arg->align)
            arg->align = stated;
        if (arg->align > TSR_MAX_ALIGN)
            return tsr_format("kernel '%s': argument %u wants an alignment of %u bytes; at most %d are there", kernel->name, p, arg->align,
                              TSR_MAX_ALIGN);
        return NULL;
    }
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        if (arg->kind == TSR_ARG_IMAGE || arg->kind == TSR_ARG_PIPE)
            return NULL;
        arg->kind = LLVMGetPointerAddressSpace(type) == TSR__LOCAL_SPACE ? TSR_ARG_LOCAL : TSR_ARG_POINTER;
        arg->pointee_align = tsr__param_align(function, p);
        return NULL;
    case LLVMTargetExtTypeKind:
        if (opaque_images && arg->kind == TSR_ARG_IMAGE)
            return NULL;
        if (opaque_images && arg->kind == TSR_ARG_SAMPLER) {
            arg->size = arg->align = 4;
            return NULL;
        }
        return tsr_format("kernel '%s': argument %u is of the type %s, which this device does not have", kernel->name, p,
                          LLVMGetTargetExtTypeName(type));
    default:
        if (arg->kind != TSR_ARG_SAMPLER && arg->kind != TSR_ARG_QUEUE)
            arg->kind = TSR_ARG_VALUE;
        arg->size = (uint32_t)LLVMABISizeOfType(layout, type);
        arg->align = LLVMABIAlignmentOfType(layout, type);
        return NULL;
    }
}

bool tsr_lanes_lay_out(LLVMValueRef function, struct tsr_kernel_info *kernel, bool opaque_images, char **why)
{
    uint64_t size = 0;
    for (unsigned p = 0; p < kernel->arg_count; p++) {
        *why = classify_argument(function, kernel, p, opaque_images);
        if (*why)
            return false;
        struct tsr_arg_info *arg = &kernel->args[p];
        size = (size + arg->align - 1) & ~(uint64_t)(arg->align - 1);
        arg->offset = (uint32_t)size;
        size += arg->size;
    }
    kernel->args_size = (uint32_t)((size + 7) & ~(uint64_t)7);
    return true;
}

static void build_entry(struct tsr__compilation *l, const struct tsr_kernel_info *kernel, LLVMValueRef body, LLVMTypeRef *value_types)
{
    LLVMTypeRef ptr = tsr__ptr(l);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), &ptr, 1, false);
    LLVMValueRef entry = LLVMAddFunction(l->module, kernel->entry, type);
    tsr__add_fn_attr(l, entry, "nounwind");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(l->context, entry, ""));
    LLVMValueRef item = LLVMGetParam(entry, 0);
    LLVMValueRef group = tsr__load_fixed(l, b, ptr, item, offsetof(struct tsr_item, group), 8);
    LLVMValueRef block = tsr__load_fixed(l, b, ptr, group, offsetof(struct tsr_group, args), 8);
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, (kernel->arg_count + 1) * sizeof(LLVMValueRef));
    unsigned n = kernel->arg_count;
    for (unsigned p = 0; p < n; p++) {
        const struct tsr_arg_info *arg = &kernel->args[p];
        LLVMTypeRef param = LLVMTypeOf(LLVMGetParam(body, p));
        if (value_types[p]) {
            args[p] = tsr__at_offset(l, b, block, arg->offset);
        } else if (arg->kind == TSR_ARG_LOCAL) {
            LLVMValueRef local = tsr__load_fixed(l, b, param, group, offsetof(struct tsr_group, local), 8);
            LLVMValueRef offset = tsr__load_fixed(l, b, LLVMInt64TypeInContext(l->context), block, arg->offset, 8);
            LLVMSetMetadata(offset, tsr__local_argument_kind(l->context),
                            LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0)));
            args[p] = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(l->context), local, &offset, 1, "");
        } else {
            args[p] = tsr__load_fixed(l, b, param, block, arg->offset, arg->align);
        }
    }
    if (tsr__has_text_attr(body, TSR__HAS_ITEM))
        args[n++] = item;
    LLVMSetFunctionCallConv(body, TSR__SPIR_FUNC_CONV); /* a kernel may not be called */
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(body), body, args, n, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(body));
    if (l->options->debug) {
        /* The entry stands in no source: what is inlined into it has no lines any more. */
        tsr__drop_fn_attr(body, "alwaysinline");
        tsr__add_fn_attr(l, body, "noinline");
    }
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

bool tsr__pass_entry(struct tsr__compilation *l)
{
    for (uint32_t k = 0; k < l->info->kernel_count; k++) {
        struct tsr_kernel_info *kernel = &l->info->kernels[k];
        LLVMValueRef body = tsr__kernel(l, kernel);
        if (!body)
            return tsr__fail(l, "there is no kernel '%s' in the module", kernel->name);
        unsigned params = LLVMCountParams(body) - tsr__has_text_attr(body, TSR__HAS_ITEM);
        if (params != kernel->arg_count)
            return tsr__fail(l, "kernel '%s' has %u parameters, its description %u", kernel->name, params, kernel->arg_count);
        char *why;
        if (!tsr_lanes_lay_out(body, kernel, false, &why)) {
            tsr__fail(l, "%s", why ? why : "out of memory");
            tsr_free(why);
            return false;
        }
        LLVMTypeRef *value_types = tsr_arena_alloc(&l->scratch, params * sizeof(LLVMTypeRef));
        for (unsigned p = 0; p < params; p++) {
            value_types[p] = by_value_type(body, p);
            tsr__drop_attr(body, p + 1, "byval");
        }
        kernel->entry = tsr_arena_format(l->arena, "%s" TSR__ENTRY_SUFFIX, kernel->name);
        kernel->sub_group_size = tsr__sub_group_size(l, kernel);
        build_entry(l, kernel, body, value_types);
    }
    return true;
}
