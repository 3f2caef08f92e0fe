/* SPDX-License-Identifier: Apache-2.0
 * The upper halves of 128-bit products of lanes. LLVM takes the four products of 32 bits by which programs, and the library's mul_hi,
 * compute them for one of 128 bits, which its code generator makes number by number outside of vectors. Here they are vectors of four
 * again. */
#include "lanes/ir/ir.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

enum { HALF = 32 };

static LLVMValueRef behind_freeze(LLVMValueRef v)
{
    return LLVMIsAFreezeInst(v) ? LLVMGetOperand(v, 0) : v;
}

/* A vector of 64-bit numbers that is extended; a constant that could be one becomes one. */
static LLVMValueRef extended(LLVMValueRef v, LLVMTypeRef type)
{
    if (LLVMIsAZExtInst(v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == type)
        return LLVMGetOperand(v, 0);
    LLVMValueRef first = LLVMIsAConstant(v) ? LLVMGetAggregateElement(v, 0) : NULL;
    for (unsigned i = 1; first && i < LLVMGetVectorSize(type); i++)
        if (LLVMGetAggregateElement(v, i) != first)
            return NULL;
    if (!first || !LLVMIsAConstantInt(first))
        return NULL;
    LLVMValueRef narrow = LLVMConstTrunc(first, LLVMGetElementType(type));
    const uint64_t number = LLVMConstIntGetZExtValue(narrow);
    return LLVMConstInt(LLVMTypeOf(first), number, false) == first ? tsr__splat_number(type, number) : NULL;
}

/* trunc (lshr (mul (zext x), (zext y)), 64) */
static bool is_upper_half(LLVMValueRef v, LLVMValueRef *x, LLVMValueRef *y)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (!LLVMIsATruncInst(v) || !tsr__is_vector_type(type) || LLVMGetIntTypeWidth(LLVMGetElementType(type)) != 2 * HALF)
        return false;
    LLVMValueRef shift = behind_freeze(LLVMGetOperand(v, 0));
    if (!LLVMIsABinaryOperator(shift) || LLVMGetInstructionOpcode(shift) != LLVMLShr || !tsr__is_vector(shift) ||
        LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(shift))) != 4 * HALF ||
        LLVMGetOperand(shift, 1) != tsr__splat_number(LLVMTypeOf(shift), 2 * HALF))
        return false;
    LLVMValueRef product = behind_freeze(LLVMGetOperand(shift, 0));
    if (!LLVMIsABinaryOperator(product) || LLVMGetInstructionOpcode(product) != LLVMMul)
        return false;
    *x = extended(behind_freeze(LLVMGetOperand(product, 0)), type);
    *y = extended(behind_freeze(LLVMGetOperand(product, 1)), type);
    return *x && *y;
}

static LLVMValueRef upper_half(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef low_bits = tsr__splat_number(LLVMTypeOf(x), UINT32_MAX), half = tsr__splat_number(LLVMTypeOf(x), HALF);
    LLVMValueRef xl = LLVMBuildAnd(b, x, low_bits, ""), xh = LLVMBuildLShr(b, x, half, "");
    LLVMValueRef yl = LLVMBuildAnd(b, y, low_bits, ""), yh = LLVMBuildLShr(b, y, half, "");
    LLVMValueRef low = LLVMBuildLShr(b, LLVMBuildMul(b, xl, yl, ""), half, "");
    LLVMValueRef middle = LLVMBuildAdd(b, LLVMBuildMul(b, xh, yl, ""), low, "");
    low = LLVMBuildAdd(b, LLVMBuildMul(b, xl, yh, ""), LLVMBuildAnd(b, middle, low_bits, ""), "");
    LLVMValueRef high = LLVMBuildAdd(b, LLVMBuildMul(b, xh, yh, ""), LLVMBuildLShr(b, middle, half, ""), "");
    return LLVMBuildAdd(b, high, LLVMBuildLShr(b, low, half, ""), "");
}

bool tsr__pass_wide_products(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count), x, y;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!is_upper_half(code[i], &x, &y))
            continue;
        LLVMPositionBuilderBefore(b, code[i]);
        /* A program that goes on from one half to the other has the same number in both. */
        LLVMValueRef same_x = LLVMIsAConstant(x) ? x : LLVMBuildFreeze(b, x, ""), same_y = y == x ? same_x : y;
        same_y = LLVMIsAConstant(same_y) || same_y == same_x ? same_y : LLVMBuildFreeze(b, same_y, "");
        LLVMReplaceAllUsesWith(code[i], upper_half(b, same_x, same_y));
        any = true;
    }
    LLVMDisposeBuilder(b);
    return !any || tsr__run_llvm_on(l, function, "dce");
}
