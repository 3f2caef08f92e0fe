/* SPDX-License-Identifier: Apache-2.0
 * Under -cl-finite-math-only, which -cl-fast-relaxed-math implies, LLVM may take every number for finite. But programs that are compiled so
 * name INFINITY all the same, as the distance of what has not been hit yet, and ask isnan(). Where a program does, its arithmetic has no
 * such promise, so that comparisons with infinity are what they say; other relaxations stay. */
#include <string.h>

#include "lanes/ir/match.h"
#include "lanes/lower/finite_flags_shim.h"

enum { PROMISES = LLVMFastMathNoInfs | LLVMFastMathNoNaNs };
static const char *const texts[] = {"no-infs-fp-math", "no-nans-fp-math"};

/* Is it a number, or a vector with an element, that is no finite one? */
static bool is_infinite(LLVMValueRef v)
{
    if (LLVMIsAConstantFP(v)) {
        LLVMBool loses;
        const double number = LLVMConstRealGetDouble(v, &loses);
        return number - number != 0;
    }
    if (!LLVMIsAConstant(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(v)); i++) {
        LLVMValueRef element = LLVMGetAggregateElement(v, i);
        if (element && LLVMIsAConstantFP(element) && is_infinite(element))
            return true;
    }
    return false;
}

/* Does the instruction call a function that tells numbers that are not finite from others? */
static bool asks(LLVMValueRef inst)
{
    static const char *const names[] = {"_Z5isnan", "_Z5isinf", "_Z8isfinite", "_Z8isnormal", "_Z9isordered", "_Z11isunordered"};
    LLVMValueRef callee = LLVMIsACallInst(inst) ? tsr__callee(inst) : NULL;
    for (size_t i = 0; callee && i < TSR_ARRAY_LEN(names); i++)
        if (tsr__starts_with(tsr__name(callee), names[i]))
            return true;
    return false;
}

/* Is it code for which somebody promised that its numbers are finite? */
static bool has_promises(LLVMValueRef function)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(texts); i++)
        if (tsr__has_text_attr(function, texts[i]))
            return true;
    for (LLVMValueRef i = tsr__first(function); i; i = tsr__next(i))
        if (LLVMCanValueUseFastMathFlags(i) && LLVMGetFastMathFlags(i) & PROMISES)
            return true;
    return false;
}

static bool names_infinities(LLVMValueRef function)
{
    for (LLVMValueRef i = tsr__first(function); i; i = tsr__next(i)) {
        if (asks(i))
            return true;
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            if (is_infinite(LLVMGetOperand(i, (unsigned)k)))
                return true;
    }
    return false;
}

static void drop_from_call(LLVMValueRef call)
{
    for (unsigned i = 0; i <= LLVMGetNumArgOperands(call); i++)
        tsr__drop_call_attr(call, i, "nofpclass");
}

static void drop_promises(LLVMValueRef function)
{
    for (unsigned i = 0; i <= LLVMCountParams(function); i++)
        tsr__drop_attr(function, i, "nofpclass");
    for (size_t i = 0; i < TSR_ARRAY_LEN(texts); i++)
        tsr__drop_fn_text(function, texts[i]);
    for (LLVMValueRef i = tsr__first(function); i; i = tsr__next(i)) {
        if (LLVMCanValueUseFastMathFlags(i))
            tsr__clear_finite_flags(i);
        if (LLVMIsACallInst(i))
            drop_from_call(i);
    }
}

bool tsr__pass_infinities(struct tsr__compilation *l)
{
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    bool named = false;
    for (size_t i = 0; i < count && !named; i++)
        named = has_promises(functions[i]) && names_infinities(functions[i]);
    for (LLVMValueRef f = named ? LLVMGetFirstFunction(l->module) : NULL; f; f = LLVMGetNextFunction(f))
        drop_promises(f);
    return true;
}
