/* SPDX-License-Identifier: Apache-2.0
 * Masks: vectors of i1 with one bit per lane. */
#include "lanes/widen/widener.h"

LLVMTypeRef tsr__mask_type(struct tsr__widener *s)
{
    return tsr__vector_of(s, LLVMInt1TypeInContext(s->l->context));
}

LLVMValueRef tsr__first_lanes(struct tsr__widener *s, unsigned count)
{
    LLVMTypeRef i1 = LLVMInt1TypeInContext(s->l->context);
    LLVMValueRef lanes[TSR_MAX_GROUP_LANES];
    for (unsigned i = 0; i < s->width; i++)
        lanes[i] = LLVMConstInt(i1, i < count, false);
    return LLVMConstVector(lanes, s->width);
}

LLVMValueRef tsr__mask_and(struct tsr__widener *s, LLVMValueRef mask, LLVMValueRef condition)
{
    if (!mask)
        return condition;
    return LLVMBuildSelect(s->b, mask, condition, LLVMConstNull(tsr__mask_type(s)), "");
}

LLVMValueRef tsr__mask_or_all(struct tsr__widener *s, LLVMValueRef mask)
{
    return mask ? mask : LLVMConstAllOnes(tsr__mask_type(s));
}

LLVMValueRef tsr__mask_bits(struct tsr__widener *s, LLVMValueRef mask)
{
    return LLVMBuildBitCast(s->b, tsr__mask_or_all(s, mask), LLVMIntTypeInContext(s->l->context, s->width), "");
}

LLVMValueRef tsr__any_lane(struct tsr__widener *s, LLVMValueRef mask)
{
    LLVMValueRef bits = tsr__mask_bits(s, mask);
    return LLVMBuildICmp(s->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "any");
}

LLVMValueRef tsr__all_lanes(struct tsr__widener *s, LLVMValueRef mask)
{
    LLVMValueRef bits = tsr__mask_bits(s, mask);
    return LLVMBuildICmp(s->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "all");
}

LLVMValueRef tsr__first_lane(struct tsr__widener *s, LLVMValueRef bits)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef args[2] = {bits, LLVMConstInt(LLVMInt1TypeInContext(c), 1, false)};
    LLVMValueRef first = tsr__build_intrinsic(s->l, s->b, "llvm.cttz", &type, 1, args, 2);
    return LLVMBuildIntCast2(s->b, first, LLVMInt32TypeInContext(c), false, "lane");
}

LLVMValueRef tsr__blend(struct tsr__widener *s, LLVMValueRef mask, LLVMValueRef new_value, LLVMValueRef old_value)
{
    return mask ? LLVMBuildSelect(s->b, mask, new_value, old_value, "") : new_value;
}
