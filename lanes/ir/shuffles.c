/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes/ir/shuffles.h"
#include "lanes/ir/calls.h"

LLVMValueRef tsr__splat_constant(LLVMTypeRef type, LLVMValueRef element)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return element;
    LLVMValueRef all[TSR__MAX_ELEMENTS];
    unsigned n = LLVMGetVectorSize(type);
    TSR__REQUIRE(n <= TSR__MAX_ELEMENTS);
    for (unsigned i = 0; i < n; i++)
        all[i] = element;
    return LLVMConstVector(all, n);
}

LLVMValueRef tsr__splat_number(LLVMTypeRef type, uint64_t number)
{
    return tsr__splat_constant(type, LLVMConstInt(tsr__element_type(type), number, false));
}

LLVMValueRef tsr__splat_scalar(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef scalar, unsigned count)
{
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), count), numbers = LLVMVectorType(LLVMInt32TypeInContext(l->context), count);
    LLVMValueRef first = LLVMBuildInsertElement(b, LLVMGetPoison(type), scalar, tsr__i32(l, 0), "");
    return LLVMBuildShuffleVector(b, first, LLVMGetPoison(type), LLVMConstNull(numbers), "");
}

LLVMValueRef tsr__pick_elements(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, const unsigned *from,
                                unsigned count)
{
    LLVMValueRef *number = tsr_arena_alloc(&l->scratch, count * sizeof *number);
    for (unsigned i = 0; i < count; i++)
        number[i] = from[i] == TSR__NO_ELEMENT ? LLVMGetPoison(LLVMInt32TypeInContext(l->context)) : tsr__i32(l, from[i]);
    return LLVMBuildShuffleVector(b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(number, count), "");
}

LLVMValueRef tsr__take_lanes(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, unsigned first, unsigned count)
{
    unsigned *from = tsr_arena_alloc(&l->scratch, count * sizeof *from);
    for (unsigned i = 0; i < count; i++)
        from[i] = first + i;
    return tsr__pick_elements(l, b, x, y, from, count);
}

LLVMValueRef tsr__concat_pair(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y)
{
    return tsr__take_lanes(l, b, x, y, 0, 2 * LLVMGetVectorSize(LLVMTypeOf(x)));
}

LLVMValueRef tsr__join_lanes(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef *parts, unsigned count)
{
    for (; count > 1; count /= 2)
        for (unsigned i = 0; i < count / 2; i++)
            parts[i] = tsr__concat_pair(l, b, parts[2 * i], parts[2 * i + 1]);
    return parts[0];
}

unsigned tsr__shuffle_number(LLVMValueRef shuffle, unsigned i)
{
    const int number = LLVMGetMaskValue(shuffle, i);
    return number == LLVMGetUndefMaskElem() ? TSR__NO_ELEMENT : (unsigned)number;
}

bool tsr__shuffle_source(LLVMValueRef shuffle, unsigned i, unsigned *operand, unsigned *element)
{
    const unsigned number = tsr__shuffle_number(shuffle, i), first = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(shuffle, 0)));
    if (number == TSR__NO_ELEMENT)
        return false;
    *operand = number >= first;
    *element = number % first;
    return true;
}

bool tsr__picks_every(LLVMValueRef v, unsigned first, unsigned step)
{
    if (!LLVMIsAShuffleVectorInst(v))
        return false;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(v); i++)
        if (tsr__shuffle_number(v, i) != first + i * step)
            return false;
    return true;
}

bool tsr__is_concat_pair(LLVMValueRef v)
{
    return tsr__picks_every(v, 0, 1) && LLVMGetNumMaskElements(v) == 2 * LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
}
