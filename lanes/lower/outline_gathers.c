/* SPDX-License-Identifier: Apache-2.0
 * Gathers and scatters for which the CPU has no instruction are an address, a load and often a branch for each lane. Of a function that has
 * so many of them that it would be too much code, all of one kind become calls of one function. Mostly they are what accesses with
 * consecutive addresses come to in packets of several rows. */
#include "lanes/lower/outline_gathers.h"

#include "lanes/ir/match.h"

unsigned tsr__emulated_lanes(const struct tsr__compilation *l, LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    const char *name = callee ? tsr__name(callee) : "";
    if (!tsr__starts_with(name, "llvm.masked."))
        return 0;
    LLVMTypeRef type = LLVMTypeOf(inst);
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
        type = LLVMTypeOf(LLVMGetOperand(inst, 0)); /* what is stored */
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return 0;
    bool wide = tsr__element_bits(l, LLVMGetElementType(type)) >= 32;
    bool moves = tsr__starts_with(name, "llvm.masked.load") || tsr__starts_with(name, "llvm.masked.store");
    bool gathers = tsr__starts_with(name, "llvm.masked.gather");
    bool native =
        wide ? tsr__has(l, TSR_CPU_AVX512F) || (tsr__has(l, TSR_CPU_AVX2) && (moves || gathers)) : tsr__has(l, TSR_CPU_AVX512BW) && moves;
    return native ? 0 : LLVMGetVectorSize(type);
}

/* With the parameters of the intrinsic; a mask of all lanes is in the function. */
static LLVMValueRef function_for(struct tsr__compilation *l, LLVMValueRef access, unsigned mask, bool all)
{
    LLVMValueRef intrinsic = tsr__callee(access);
    const char *name = tsr_arena_format(&l->scratch, "tsr.outlined.%s%s", tsr__name(intrinsic), all ? ".all" : "");
    LLVMValueRef f = LLVMGetNamedFunction(l->module, name), args[4];
    if (f)
        return f;
    f = LLVMAddFunction(l->module, name, LLVMGlobalGetValueType(intrinsic));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    tsr__add_fn_attr(l, f, "nounwind");
    tsr__add_fn_attr(l, f, "noinline");
    tsr__set_target(l, f);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(l->context, f, ""));
    const unsigned count = LLVMCountParams(f);
    LLVMGetParams(f, args);
    if (all)
        args[mask] = LLVMConstAllOnes(LLVMTypeOf(args[mask]));
    LLVMValueRef made = LLVMBuildCall2(b, LLVMGlobalGetValueType(intrinsic), intrinsic, args, count, "");
    if (LLVMGetTypeKind(LLVMTypeOf(made)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(b);
    else
        LLVMBuildRet(b, made);
    LLVMDisposeBuilder(b);
    return f;
}

void tsr__outline_gathers(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++) {
        const bool gathers = tsr__calls(code[i], "llvm.masked.gather."), scatters = tsr__calls(code[i], "llvm.masked.scatter.");
        if ((!gathers && !scatters) || !tsr__emulated_lanes(l, code[i]))
            continue;
        const unsigned mask = gathers ? 1 : 2;
        int64_t bit;
        const bool all = tsr__same_number(LLVMGetOperand(code[i], mask), &bit) && bit;
        LLVMValueRef f = function_for(l, code[i], mask, all);
        LLVMSetOperand(code[i], LLVMGetNumArgOperands(code[i]), f);
    }
}
