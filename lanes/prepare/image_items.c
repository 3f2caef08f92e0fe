/* SPDX-License-Identifier: Apache-2.0
 * Makes the functions that do for a work-item what a call of an image function asks for. */
#include "lanes/prepare/image_items.h"

#include "lanes/ir/calls.h"
#include "tessera/image_desc.h"

enum { IMAGE, SAMPLER, ARGUMENTS, RESULTS, PARAMS };

/* A sampler constant comes by way of a variable, and read functions ask whether it is one. */
static const char samplers_known[] = "function(sroa,early-cse,lower-constant-intrinsics)";

/* The sampler, or of a write the level: a constant has a function of its own. */
static const char *item_name(struct tsr__compilation *l, LLVMValueRef call)
{
    LLVMValueRef sampler = LLVMGetOperand(call, SAMPLER);
    const char *name = tsr__name(tsr__callee(call));
    if (LLVMIsAConstantInt(sampler))
        return tsr_arena_format(&l->scratch, "%s.%u.item", name, (unsigned)LLVMConstIntGetZExtValue(sampler));
    return tsr_arena_format(&l->scratch, "%s.any.item", name);
}

LLVMValueRef tsr__image_item(struct tsr__compilation *l, LLVMValueRef call)
{
    return LLVMGetNamedFunction(l->module, item_name(l, call));
}

LLVMValueRef tsr__image_packet(struct tsr__compilation *l, LLVMValueRef item, unsigned width)
{
    return LLVMGetNamedFunction(l->module, tsr_arena_format(&l->scratch, "%s.%u", tsr__name(item), width));
}

/* Where number `i` of the lane is. */
static LLVMValueRef place(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef array, LLVMValueRef lane, unsigned i)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(l->context);
    LLVMValueRef index = LLVMBuildNUWAdd(b, lane, tsr__i64(l, (uint64_t)i * TSR_MAX_LANES), "");
    return LLVMBuildInBoundsGEP2(b, word, array, &index, 1, "");
}

/* A read stores its results and nothing else. */
static void promise_effects(struct tsr__compilation *l, LLVMValueRef item, LLVMValueRef function)
{
    enum { ARGUMENTS_WRITTEN = 3 }; /* the lowest bits of LLVM's attribute speak of what arguments point to */
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(function, at, tsr__attr_kind("memory"));
    LLVMAddAttributeAtIndex(item, IMAGE + 1, tsr__int_attr(l, "readonly", 0));
    if (memory)
        LLVMAddAttributeAtIndex(item, at, tsr__int_attr(l, "memory", LLVMGetEnumAttributeValue(memory) | ARGUMENTS_WRITTEN));
}

static void make_item(struct tsr__compilation *l, LLVMValueRef call, LLVMValueRef body)
{
    LLVMContextRef c = l->context;
    LLVMTypeRef body_type = LLVMGlobalGetValueType(body), ptr = tsr__ptr(l), i32 = LLVMInt32TypeInContext(c);
    unsigned count = LLVMCountParams(body);
    LLVMTypeRef params[PARAMS] = {LLVMTypeOf(LLVMGetParam(body, IMAGE)), i32, ptr, ptr};
    LLVMValueRef item = LLVMAddFunction(l->module, item_name(l, call), LLVMFunctionType(LLVMVoidTypeInContext(c), params, PARAMS, false));
    LLVMValueRef sampler = LLVMGetOperand(call, SAMPLER);
    bool nearest = LLVMIsAConstantInt(sampler) && !(LLVMConstIntGetZExtValue(sampler) & TSR_SAMPLER_LINEAR);
    tsr__set_fn_text(l, item, TSR__IMAGE_ITEM, "");
    if (nearest)
        tsr__set_fn_text(l, item, TSR__IMAGE_NEAREST, "");
    promise_effects(l, item, tsr__callee(call));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, item, ""));
    LLVMValueRef lane = LLVMBuildZExt(b, tsr__build_query(l, b, TSR__CALL_LANE, -1), LLVMInt64TypeInContext(c), "");
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, (count + 1) * sizeof *args);
    args[IMAGE] = LLVMGetParam(item, IMAGE);
    args[SAMPLER] = LLVMIsAConstantInt(sampler) ? sampler : LLVMGetParam(item, SAMPLER);
    bool writes = LLVMGetTypeKind(LLVMGetReturnType(body_type)) == LLVMVoidTypeKind;
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(c, item, "");
    if (writes) { /* the last argument: whether the lane is there */
        LLVMBasicBlockRef there = LLVMInsertBasicBlockInContext(c, end, "");
        LLVMValueRef is_there = LLVMBuildLoad2(b, i32, place(l, b, LLVMGetParam(item, ARGUMENTS), lane, count - 2), "");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, is_there, tsr__i32(l, 0), ""), there, end);
        LLVMPositionBuilderAtEnd(b, there);
    }
    for (unsigned i = 2; i < count; i++)
        args[i] = LLVMBuildLoad2(b, LLVMTypeOf(LLVMGetParam(body, i)), place(l, b, LLVMGetParam(item, ARGUMENTS), lane, i - 2), "");
    LLVMValueRef made = LLVMBuildCall2(b, body_type, body, args, count, "");
    LLVMSetInstructionCallConv(made, LLVMGetFunctionCallConv(body));
    for (unsigned i = 0; !writes && i < TSR__IMAGE_RESULTS; i++)
        LLVMBuildStore(b, LLVMBuildExtractElement(b, made, tsr__i32(l, i), ""), place(l, b, LLVMGetParam(item, RESULTS), lane, i));
    LLVMBuildBr(b, end);
    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

/* Nobody writes to descriptors while a kernel runs, so that what they say can be read before a loop. */
static void promise_descriptors(struct tsr__compilation *l)
{
    static const char *const promises[] = {"readonly", "noalias", "nonnull", "noundef"};
    for (uint32_t k = 0; k < l->info->kernel_count; k++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[k]);
        for (unsigned p = 0; kernel && p < l->info->kernels[k].arg_count; p++) {
            if (l->info->kernels[k].args[p].kind != TSR_ARG_IMAGE)
                continue;
            for (size_t i = 0; i < TSR_ARRAY_LEN(promises); i++)
                LLVMAddAttributeAtIndex(kernel, p + 1, tsr__int_attr(l, promises[i], 0));
            LLVMAddAttributeAtIndex(kernel, p + 1, tsr__int_attr(l, "dereferenceable", sizeof(struct tsr_image_desc)));
            LLVMAddAttributeAtIndex(kernel, p + 1, tsr__int_attr(l, "align", 8));
        }
    }
}

static bool calls_images(struct tsr__compilation *l)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        if (tsr__is_image(f) && LLVMGetFirstUse(f))
            return true;
    return false;
}

bool tsr__make_image_items(struct tsr__compilation *l, LLVMValueRef (*body_of)(struct tsr__compilation *l, LLVMValueRef function))
{
    size_t functions, count;
    struct tsr__map bodies = {.arena = &l->scratch};
    if (!calls_images(l))
        return true;
    promise_descriptors(l);
    if (!tsr__run_llvm(l, samplers_known))
        return false;
    LLVMValueRef *function = tsr__defined_functions(l, &functions);
    for (size_t f = 0; f < functions; f++) {
        LLVMValueRef *code = tsr__instructions(l, function[f], &count);
        for (size_t i = 0; i < count; i++) {
            LLVMValueRef callee = tsr__callee(code[i]), body = callee && tsr__is_image(callee) ? body_of(l, callee) : NULL;
            if (!body || tsr__image_item(l, code[i]))
                continue;
            make_item(l, code[i], body);
            tsr__map_set(&bodies, body, 1);
        }
    }
    for (size_t f = 0; f < functions; f++)
        if (tsr__map_get(&bodies, function[f]))
            tsr__add_fn_attr(l, function[f], "alwaysinline");
    if (!tsr__run_llvm(l, "always-inline"))
        return false;
    for (size_t f = 0; f < functions; f++) {
        if (!tsr__map_get(&bodies, function[f]))
            continue;
        tsr__drop_fn_attr(function[f], "alwaysinline");
        tsr__add_fn_attr(l, function[f], "noinline");
    }
    return true;
}
