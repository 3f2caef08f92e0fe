/* SPDX-License-Identifier: Apache-2.0
 * Whether a comparison of consecutive numbers with a uniform one holds in any lane of a full packet, as one lane knows it. */
#include "lanes/widen/widener.h"

/* How the consecutive numbers stand to the uniform one. */
struct comparison {
    LLVMIntPredicate how;
    LLVMValueRef numbers, with;
    struct tsr__shape shape; /* of the numbers */
};

static bool is_uniform_here(struct tsr__widener *s, LLVMValueRef v)
{
    return tsr__is_uniform(tsr__shape_here(s, v));
}

static struct comparison read_comparison(struct tsr__widener *s, LLVMValueRef inst, bool opposite)
{
    struct comparison c = {LLVMGetICmpPredicate(inst), LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1), {0}};
    if (opposite)
        c.how = tsr__opposite_of(c.how);
    if (is_uniform_here(s, c.numbers))
        c = (struct comparison){tsr__swapped(c.how), c.with, c.numbers, {0}};
    c.shape = tsr__shape_here(s, c.numbers);
    return c;
}

bool tsr__can_compare_extreme_lane(struct tsr__widener *s, LLVMValueRef comparison, bool opposite)
{
    if (!LLVMIsAICmpInst(comparison) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(comparison, 0))) != LLVMIntegerTypeKind)
        return false;
    struct comparison c = read_comparison(s, comparison, opposite);
    if (c.shape.kind != TSR__SHAPE_AFFINE || !c.shape.stride || !is_uniform_here(s, c.with))
        return false;
    switch (c.how) {
    case LLVMIntEQ:
        return c.shape.stride == 1;
    case LLVMIntNE:
        return false;
    case LLVMIntSGT:
    case LLVMIntSGE:
    case LLVMIntSLT:
    case LLVMIntSLE:
        return c.shape.nsw;
    default:
        return c.shape.nuw;
    }
}

LLVMValueRef tsr__compare_extreme_lane(struct tsr__widener *s, LLVMValueRef comparison, bool opposite)
{
    struct comparison c = read_comparison(s, comparison, opposite);
    LLVMValueRef first = tsr__scalar_of(s, c.numbers), with = tsr__scalar_of(s, c.with);
    LLVMTypeRef type = LLVMTypeOf(first);
    if (c.how == LLVMIntEQ && c.shape.align >= (unsigned)__builtin_ctz(s->width)) { /* the lane's number is in the lower bits */
        with = LLVMBuildAnd(s->b, with, LLVMConstInt(type, -(uint64_t)s->width, true), "");
        return LLVMBuildICmp(s->b, LLVMIntEQ, first, with, "any");
    }
    if (c.how == LLVMIntEQ)
        return LLVMBuildICmp(s->b, LLVMIntULT, LLVMBuildSub(s->b, with, first, ""), LLVMConstInt(type, s->width, false), "any");
    bool less = c.how == LLVMIntULT || c.how == LLVMIntULE || c.how == LLVMIntSLT || c.how == LLVMIntSLE;
    uint64_t last = (uint64_t)c.shape.stride * (s->width - 1);
    bool is_first = less == (c.shape.stride > 0);
    LLVMValueRef extreme = is_first ? first : LLVMBuildAdd(s->b, first, LLVMConstInt(type, last, false), "");
    return LLVMBuildICmp(s->b, c.how, extreme, with, "any");
}
