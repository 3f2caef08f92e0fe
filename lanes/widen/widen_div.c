/* SPDX-License-Identifier: Apache-2.0
 * Division of integers in packets. CPUs divide vectors of floating-point numbers, but not of integers.
 *
 * An exact quotient x / y is an integer, or at least 1/y from the next one. To round it to p bits changes it by x / y · 2^-p at most, which
 * is less than 1/y if x has fewer than p bits: 53 of a double for numbers of 32 bits, 24 of a float for those of 16. So the integer part
 * stays the same. The divisor of a lane that is there is never zero (lower/guard_division.c), and nothing traps in the others.
 *
 * By a number that all lanes have in common they are multiplied with its reciprocal, of which there is one for the packet, or before a
 * loop. That is (1 + 2^-k) / y, with k = p - 3: the two roundings change a product by less than its 2^-k part, so no multiple of y comes
 * out below its quotient, and the part is less than 1/y.
 *
 * Numbers of 64 bits are so divided if they turn out to be below 2^32, as ids and sizes are. */
#include "lanes/widen/widen_div.h"

#include "lanes/ir/match.h"
#include "lanes/widen/memory/fork.h"

static bool is_comparison(LLVMValueRef v, LLVMValueRef number, LLVMValueRef with)
{
    return LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == LLVMIntEQ && LLVMGetOperand(v, 0) == number && LLVMGetOperand(v, 1) == with;
}

/* The operands of a conjunction, or disjunction, of conditions. */
static bool is_joined(LLVMValueRef v, bool all, LLVMValueRef *a, LLVMValueRef *b)
{
    if (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == (all ? LLVMAnd : LLVMOr)) {
        *a = LLVMGetOperand(v, 0);
        *b = LLVMGetOperand(v, 1);
        return true;
    }
    if (!LLVMIsASelectInst(v))
        return false;
    *a = LLVMGetOperand(v, 0);
    *b = LLVMGetOperand(v, all ? 1 : 2);
    LLVMValueRef other = LLVMGetOperand(v, all ? 2 : 1);
    return LLVMIsAConstantInt(other) && LLVMConstIntGetZExtValue(other) == !all;
}

/* Does it hold only if y is zero, or -1 with the lowest number above it? */
static bool is_guard(LLVMValueRef v, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(y);
    LLVMValueRef a, b, lowest = LLVMConstInt(type, UINT64_C(1) << (LLVMGetIntTypeWidth(type) - 1), false);
    if (is_comparison(v, y, LLVMConstNull(type)))
        return true;
    if (is_joined(v, false, &a, &b))
        return is_guard(a, x, y) && is_guard(b, x, y);
    if (!is_joined(v, true, &a, &b))
        return false;
    return (is_comparison(a, x, lowest) && is_comparison(b, y, LLVMConstAllOnes(type))) ||
           (is_comparison(b, x, lowest) && is_comparison(a, y, LLVMConstAllOnes(type)));
}

/* The divisor that all lanes have in common, a scalar, where it is not zero; NULL: there is none. Its guard compares each lane's x as well,
 * as an instruction for scalars would trap. */
static LLVMValueRef common_divisor(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef y = LLVMGetOperand(inst, 1);
    if (LLVMGetTypeKind(LLVMTypeOf(y)) != LLVMIntegerTypeKind)
        return NULL;
    if (tsr__is_uniform(tsr__shape_here(s, y)))
        return tsr__scalar_of(s, y);
    if (!LLVMIsASelectInst(y) || !tsr__is_constant(LLVMGetOperand(y, 1), 1))
        return NULL;
    LLVMValueRef guarded = LLVMGetOperand(y, 2);
    if (!tsr__is_uniform(tsr__shape_here(s, guarded)) || !is_guard(LLVMGetOperand(y, 0), LLVMGetOperand(inst, 0), guarded))
        return NULL;
    LLVMValueRef number = tsr__scalar_of(s, guarded), none = LLVMConstNull(LLVMTypeOf(number));
    return LLVMBuildSelect(s->b, LLVMBuildICmp(s->b, LLVMIntEQ, number, none, ""), LLVMConstInt(LLVMTypeOf(number), 1, false), number, "");
}

/* x / y or x % y of numbers of up to 32 bits. `common`: y as a scalar, if all lanes have the same; or NULL. */
static LLVMValueRef divide_as_real(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef y, LLVMValueRef common, bool is_signed,
                                   bool remainder)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    const bool wide = LLVMGetIntTypeWidth(LLVMGetElementType(type)) > 16;
    LLVMTypeRef scalar = wide ? LLVMDoubleTypeInContext(s->l->context) : LLVMFloatTypeInContext(s->l->context);
    LLVMTypeRef real = tsr__vector_of(s, scalar);
    LLVMOpcode to_real = is_signed ? LLVMSIToFP : LLVMUIToFP, from_real = is_signed ? LLVMFPToSI : LLVMFPToUI;
    LLVMValueRef quotient = LLVMBuildCast(s->b, to_real, x, real, "");
    if (common) {
        const double above_one = wide ? 1 + 0x1p-50 : 1 + 0x1p-21;
        LLVMValueRef by = LLVMBuildFDiv(s->b, LLVMConstReal(scalar, above_one), LLVMBuildCast(s->b, to_real, common, scalar, ""), "");
        quotient = LLVMBuildFMul(s->b, quotient, tsr__splat(s, by), "");
        y = tsr__splat(s, common);
    } else {
        quotient = LLVMBuildFDiv(s->b, quotient, LLVMBuildCast(s->b, to_real, y, real, ""), "");
    }
    /* The lowest number by -1 has no quotient; any will do. */
    quotient = LLVMBuildFreeze(s->b, LLVMBuildCast(s->b, from_real, quotient, type, ""), "");
    return remainder ? LLVMBuildSub(s->b, x, LLVMBuildMul(s->b, quotient, y, ""), "") : quotient;
}

/* Are all of these numbers of 64 bits, in all lanes, below 2^32, and so neither negative? `first` and `last`: of x, where its lanes are a
 * constant distance apart; or NULL. */
static LLVMValueRef are_words(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef first, LLVMValueRef last, LLVMValueRef y,
                              LLVMValueRef common)
{
    LLVMValueRef most = tsr__i64(s->l, UINT32_MAX), scalars = common, vectors = common ? NULL : y;
    if (first) {
        scalars = LLVMBuildOr(s->b, first, last, "");
        scalars = common ? LLVMBuildOr(s->b, scalars, common, "") : scalars;
    } else {
        vectors = vectors && !LLVMIsConstant(vectors) ? LLVMBuildOr(s->b, x, vectors, "") : x;
    }
    LLVMValueRef small = NULL;
    if (vectors && !LLVMIsConstant(vectors)) {
        LLVMValueRef large = LLVMBuildICmp(s->b, LLVMIntUGT, LLVMBuildFreeze(s->b, vectors, ""), tsr__splat(s, most), "");
        LLVMValueRef lanes = tsr__mask_bits(s, large);
        small = LLVMBuildICmp(s->b, LLVMIntEQ, lanes, LLVMConstNull(LLVMTypeOf(lanes)), "");
    }
    if (scalars) {
        LLVMValueRef too = LLVMBuildICmp(s->b, LLVMIntULE, LLVMBuildFreeze(s->b, scalars, ""), most, "");
        small = small ? LLVMBuildAnd(s->b, small, too, "") : too;
    }
    return small;
}

/* x / y or x % y of numbers of 64 bits, which are mostly ids and sizes, and small. A CPU divides them one by one. */
static LLVMValueRef divide_words(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef x, LLVMValueRef y, LLVMValueRef common,
                                 bool remainder)
{
    LLVMValueRef number = LLVMGetOperand(inst, 0), first = NULL, last = NULL;
    struct tsr__shape shape = tsr__shape_here(s, number);
    if (!tsr__is_varying(shape)) {
        first = tsr__scalar_of(s, number);
        last = LLVMBuildAdd(s->b, first, tsr__i64(s->l, (uint64_t)shape.stride * (s->width - 1)), "");
    }
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->l->context), words = tsr__vector_of(s, i32), type = LLVMTypeOf(x);
    struct tsr__fork f = tsr__fork_on(s, are_words(s, x, first, last, y, common));
    LLVMValueRef divisor = common ? LLVMBuildTrunc(s->b, common, i32, "") : NULL, of_words = LLVMBuildTrunc(s->b, x, words, "");
    LLVMValueRef short_way =
        LLVMIsConstant(y) ? LLVMBuildBinOp(s->b, remainder ? LLVMURem : LLVMUDiv, of_words, LLVMConstTrunc(y, words), "")
                          : divide_as_real(s, of_words, common ? NULL : LLVMBuildTrunc(s->b, y, words, ""), divisor, false, remainder);
    short_way = LLVMBuildZExt(s->b, short_way, type, "");
    LLVMBasicBlockRef from_short = tsr__fork_way_ends(s, &f, f.other);
    LLVMValueRef long_way = LLVMBuildBinOp(s->b, LLVMGetInstructionOpcode(inst), x, y, "");
    LLVMBasicBlockRef from_long = tsr__fork_way_ends(s, &f, f.after);
    return tsr__fork_phi(s, short_way, from_short, long_way, from_long);
}

LLVMValueRef tsr__build_division(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef x, LLVMValueRef y)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x)));
    const bool is_signed = op == LLVMSDiv || op == LLVMSRem, remainder = op == LLVMSRem || op == LLVMURem;
    if (bits > 32 || LLVMIsConstant(y)) /* LLVM multiplies by what is constant */
        return NULL;
    return divide_as_real(s, x, y, common_divisor(s, inst), is_signed, remainder);
}

LLVMValueRef tsr__build_wide_division(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef x, LLVMValueRef y)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    if (s->width == 1 || LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(inst)) != 64)
        return NULL;
    int64_t number;
    const bool constant = LLVMIsConstant(y);
    /* By powers of two LLVM shifts; by one that is too large there is no short way. */
    if (constant && (!tsr__same_number(y, &number) || number <= 0 || number > UINT32_MAX || !(number & (number - 1))))
        return NULL;
    return divide_words(s, inst, x, y, constant ? NULL : common_divisor(s, inst), op == LLVMSRem || op == LLVMURem);
}
