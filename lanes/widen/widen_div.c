/* SPDX-License-Identifier: Apache-2.0
 * Division of integers of up to 32 bits in packets. CPUs divide vectors of floating-point numbers, but not of integers.
 *
 * An exact quotient x / y is an integer, or at least 1/y from the next one. To round it to p bits changes it by x / y · 2^-p at most, which
 * is less than 1/y if x has fewer than p bits: 53 of a double for numbers of 32 bits, 24 of a float for those of 16. So the integer part
 * stays the same. The divisor of a lane that is there is never zero (lower/guard_division.c), and nothing traps in the others. */
#include "lanes/widen/widen_div.h"

LLVMValueRef tsr__build_division(struct tsr__widener *s, LLVMOpcode op, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(x), element = LLVMGetElementType(type);
    unsigned bits = LLVMGetIntTypeWidth(element);
    bool is_signed = op == LLVMSDiv || op == LLVMSRem, remainder = op == LLVMSRem || op == LLVMURem;
    if (bits > 32 || LLVMIsConstant(y)) /* LLVM multiplies by what is constant */
        return NULL;
    LLVMTypeRef scalar = bits > 16 ? LLVMDoubleTypeInContext(s->l->context) : LLVMFloatTypeInContext(s->l->context);
    LLVMTypeRef real = tsr__vector_of(s, scalar);
    LLVMOpcode to_real = is_signed ? LLVMSIToFP : LLVMUIToFP, from_real = is_signed ? LLVMFPToSI : LLVMFPToUI;
    LLVMValueRef quotient = LLVMBuildFDiv(s->b, LLVMBuildCast(s->b, to_real, x, real, ""), LLVMBuildCast(s->b, to_real, y, real, ""), "");
    quotient = LLVMBuildCast(s->b, from_real, quotient, type, "");
    return remainder ? LLVMBuildSub(s->b, x, LLVMBuildMul(s->b, quotient, y, ""), "") : quotient;
}
