/* SPDX-License-Identifier: Apache-2.0
 * Makes the functions that do for a work-item what a call of an outlined function asks for. */
#include "lanes/prepare/outlined.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/inline_order.h"
#include "lanes/ir/layout.h"
#include "tessera/image_desc.h"

enum { IMAGE, SAMPLER, IMAGE_ARGUMENTS }; /* parameters of the functions on images */

/* A sampler constant comes by way of a variable, and read functions ask whether it is one. */
static const char samplers_known[] = "function(sroa,early-cse,lower-constant-intrinsics)";

bool tsr__is_outlined(LLVMValueRef call, struct tsr__outlined *o)
{
    LLVMValueRef function = LLVMIsACallInst(call) ? tsr__callee(call) : NULL;
    if (!function || !(tsr__is_image(function) || tsr__is_marked_outlined(function)))
        return false;
    const bool numbers = tsr__is_marked_outlined(function);
    const LLVMTypeRef result = LLVMTypeOf(call);
    *o = (struct tsr__outlined){.function = function, .first = numbers ? 0 : IMAGE_ARGUMENTS};
    o->results = LLVMGetTypeKind(result) == LLVMVoidTypeKind ? 0 : (unsigned)tsr__component_count(result);
    o->asks = numbers || !o->results;
    o->arguments = LLVMGetNumArgOperands(call) - o->first + o->asks;
    return true;
}

/* The sampler, or of a write the level: a constant has a function of its own. */
static const char *item_name(struct tsr__compilation *l, LLVMValueRef call)
{
    const char *name = tsr__name(tsr__callee(call));
    if (tsr__is_marked_outlined(tsr__callee(call)))
        return tsr_arena_format(&l->scratch, "%s.item", name);
    LLVMValueRef sampler = LLVMGetOperand(call, SAMPLER);
    if (LLVMIsAConstantInt(sampler))
        return tsr_arena_format(&l->scratch, "%s.%u.item", name, (unsigned)LLVMConstIntGetZExtValue(sampler));
    return tsr_arena_format(&l->scratch, "%s.any.item", name);
}

LLVMValueRef tsr__outlined_item(struct tsr__compilation *l, LLVMValueRef call)
{
    return LLVMGetNamedFunction(l->module, item_name(l, call));
}

LLVMValueRef tsr__outlined_packet(struct tsr__compilation *l, LLVMValueRef item, unsigned width)
{
    return LLVMGetNamedFunction(l->module, tsr_arena_format(&l->scratch, "%s.%u", tsr__name(item), width));
}

/* Where number `i` of the lane is. */
static LLVMValueRef place(struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef lane, unsigned i)
{
    uint64_t row = TSR__OUTLINED_ROW / LLVMABISizeOfType(LLVMGetModuleDataLayout(l->module), type);
    LLVMValueRef index = LLVMBuildNUWAdd(b, lane, tsr__i64(l, i * row), "");
    return LLVMBuildInBoundsGEP2(b, type, array, &index, 1, "");
}

/* A read stores its results and nothing else. */
static void promise_effects(struct tsr__compilation *l, LLVMValueRef item, LLVMValueRef function)
{
    enum { ARGUMENTS_WRITTEN = 3 }; /* the lowest bits of LLVM's attribute speak of what arguments point to */
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(function, at, tsr__attr_kind("memory"));
    if (tsr__is_image(function))
        LLVMAddAttributeAtIndex(item, IMAGE + 1, tsr__int_attr(l, "readonly", 0));
    if (memory)
        LLVMAddAttributeAtIndex(item, at, tsr__int_attr(l, "memory", LLVMGetEnumAttributeValue(memory) | ARGUMENTS_WRITTEN));
}

/* Of images, and of functions of numbers alone. */
static void mark_item(struct tsr__compilation *l, LLVMValueRef item, LLVMValueRef call)
{
    tsr__set_fn_text(l, item, TSR__OUTLINED_ITEM, "");
    promise_effects(l, item, tsr__callee(call));
    if (tsr__is_marked_outlined(tsr__callee(call)))
        return;
    LLVMValueRef sampler = LLVMGetOperand(call, SAMPLER);
    if (LLVMIsAConstantInt(sampler) && !(LLVMConstIntGetZExtValue(sampler) & TSR_SAMPLER_LINEAR))
        tsr__set_fn_text(l, item, TSR__IMAGE_NEAREST, "");
}

static LLVMValueRef add_item(struct tsr__compilation *l, LLVMValueRef call, const struct tsr__outlined *o)
{
    LLVMTypeRef params[IMAGE_ARGUMENTS + 2];
    for (unsigned i = 0; i < o->first; i++)
        params[i] = LLVMTypeOf(LLVMGetOperand(call, i));
    params[o->first] = params[o->first + 1] = tsr__ptr(l);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), params, o->first + 2, false);
    LLVMValueRef item = LLVMAddFunction(l->module, item_name(l, call), type);
    mark_item(l, item, call);
    return item;
}

static void make_item(struct tsr__compilation *l, LLVMValueRef call, LLVMValueRef body, const struct tsr__outlined *o)
{
    LLVMContextRef c = l->context;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c);
    unsigned count = LLVMCountParams(body);
    LLVMValueRef item = add_item(l, call, o), arguments = LLVMGetParam(item, o->first), results = LLVMGetParam(item, o->first + 1);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, item, ""));
    LLVMValueRef lane = LLVMBuildZExt(b, tsr__build_query(l, b, TSR__CALL_LANE, -1), LLVMInt64TypeInContext(c), "");
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, (count + 1) * sizeof *args);
    for (unsigned i = 0; i < o->first; i++)
        args[i] = LLVMIsAConstantInt(LLVMGetOperand(call, i)) ? LLVMGetOperand(call, i) : LLVMGetParam(item, i);
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(c, item, "");
    if (o->asks) {
        LLVMBasicBlockRef there = LLVMInsertBasicBlockInContext(c, end, "");
        LLVMValueRef is_there = LLVMBuildLoad2(b, i32, place(l, b, i32, arguments, lane, o->arguments - 1), "");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, is_there, tsr__i32(l, 0), ""), there, end);
        LLVMPositionBuilderAtEnd(b, there);
    }
    for (unsigned i = o->first; i < count; i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(body, i));
        args[i] = LLVMBuildLoad2(b, type, place(l, b, type, arguments, lane, i - o->first), "");
    }
    LLVMValueRef made = LLVMBuildCall2(b, LLVMGlobalGetValueType(body), body, args, count, "");
    LLVMSetInstructionCallConv(made, LLVMGetFunctionCallConv(body));
    for (unsigned i = 0; i < o->results; i++) {
        LLVMValueRef number = o->results > 1 ? LLVMBuildExtractElement(b, made, tsr__i32(l, i), "") : made;
        LLVMBuildStore(b, number, place(l, b, LLVMTypeOf(number), results, lane, i));
    }
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

static bool has_calls(struct tsr__compilation *l, bool (*of)(LLVMValueRef function))
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        if (of(f) && LLVMGetFirstUse(f))
            return true;
    return false;
}

bool tsr__make_outlined_items(struct tsr__compilation *l, LLVMValueRef (*body_of)(struct tsr__compilation *l, LLVMValueRef function))
{
    size_t functions, count;
    struct tsr__map bodies = {.arena = &l->scratch};
    const bool images = has_calls(l, tsr__is_image);
    if (!images && !has_calls(l, tsr__is_marked_outlined))
        return true;
    if (images) {
        promise_descriptors(l);
        if (!tsr__run_llvm(l, samplers_known))
            return false;
    }
    LLVMValueRef *function = tsr__defined_functions(l, &functions);
    for (size_t f = 0; f < functions; f++) {
        LLVMValueRef *code = tsr__instructions(l, function[f], &count);
        for (size_t i = 0; i < count; i++) {
            struct tsr__outlined o;
            LLVMValueRef body = tsr__is_outlined(code[i], &o) ? body_of(l, o.function) : NULL;
            if (!body || tsr__outlined_item(l, code[i]))
                continue;
            make_item(l, code[i], body, &o);
            tsr__map_set(&bodies, body, 1);
        }
    }
    for (size_t f = 0; f < functions; f++)
        if (tsr__map_get(&bodies, function[f])) {
            tsr__drop_fn_attr(function[f], "noinline");
            tsr__add_fn_attr(l, function[f], "alwaysinline");
        }
    if (!tsr__inline_marked(l, "always-inline"))
        return false;
    for (size_t f = 0; f < functions; f++) {
        if (!tsr__map_get(&bodies, function[f]))
            continue;
        tsr__drop_fn_attr(function[f], "alwaysinline");
        tsr__add_fn_attr(l, function[f], "noinline");
    }
    return true;
}
