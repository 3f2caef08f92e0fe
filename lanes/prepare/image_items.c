/* SPDX-License-Identifier: Apache-2.0
 * Makes the functions that do for a work-item what a call of an image function asks for. */
#include "lanes/prepare/image_items.h"

#include "lanes/ir/calls.h"

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

static void make_item(struct tsr__compilation *l, LLVMValueRef call, LLVMValueRef body)
{
    LLVMContextRef c = l->context;
    LLVMTypeRef body_type = LLVMGlobalGetValueType(body), ptr = tsr__ptr(l), i32 = LLVMInt32TypeInContext(c);
    unsigned count = LLVMCountParams(body);
    LLVMTypeRef params[PARAMS] = {LLVMTypeOf(LLVMGetParam(body, IMAGE)), i32, ptr, ptr};
    LLVMValueRef item = LLVMAddFunction(l->module, item_name(l, call), LLVMFunctionType(LLVMVoidTypeInContext(c), params, PARAMS, false));
    tsr__set_fn_text(l, item, TSR__IMAGE_ITEM, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, item, ""));
    LLVMValueRef lane = LLVMBuildZExt(b, tsr__build_query(l, b, TSR__CALL_LANE, -1), LLVMInt64TypeInContext(c), "");
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, (count + 1) * sizeof *args), sampler = LLVMGetOperand(call, SAMPLER);
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
