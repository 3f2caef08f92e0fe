/* SPDX-License-Identifier: Apache-2.0
 * Strides that hold at run time mostly, though not for sure. */
#include "lanes/prepare/hoped_stride.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/outlined.h"

enum { MAX_DEPTH = 8 };

static struct tsr__shape shape_of(const struct tsr__hope *h, LLVMValueRef v)
{
    return h->shape_of(h->context, v);
}

static int64_t find_stride(const struct tsr__hope *h, LLVMValueRef v, int depth);

static int64_t find_stride_of_call(const struct tsr__hope *h, LLVMValueRef call, int depth)
{
    LLVMValueRef callee = tsr__callee(call);
    if (!callee)
        return 0;
    if (tsr__is_extreme(callee)) {
        int64_t x = find_stride(h, LLVMGetOperand(call, 0), depth);
        return x ? x : find_stride(h, LLVMGetOperand(call, 1), depth);
    }
    return tsr__starts_with(tsr__name(callee), "llvm.abs.") ? find_stride(h, LLVMGetOperand(call, 0), depth) : 0;
}

/* The same for all, but where the pass `guard_division` puts 1 for it. */
static bool is_divisor(const struct tsr__hope *h, LLVMValueRef v)
{
    if (LLVMIsASelectInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        v = LLVMGetOperand(v, 2);
    return tsr__is_uniform(shape_of(h, v));
}

/* Of the functions on images: x, of which lanes mostly have neighbours. */
static bool is_image_x(const struct tsr__hope *h, LLVMValueRef v)
{
    enum { ARGUMENTS = 2 };
    LLVMValueRef p = LLVMIsALoadInst(v) ? LLVMGetOperand(v, 0) : NULL;
    return p && tsr__has_text_attr(h->function, TSR__OUTLINED_ITEM) && LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 &&
           LLVMGetOperand(p, 0) == LLVMGetParam(h->function, ARGUMENTS) && !LLVMIsABinaryOperator(LLVMGetOperand(p, 1));
}

/* Whether a pixel's number is made of x as a float. */
static bool comes_from_image_x(const struct tsr__hope *h, LLVMValueRef v, int depth)
{
    if (is_image_x(h, v))
        return true;
    for (int i = 0; depth && LLVMIsAInstruction(v) && !LLVMIsAPHINode(v) && i < LLVMGetNumOperands(v); i++)
        if (comes_from_image_x(h, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return true;
    return false;
}

/* What the stride would be if limits were not met and nothing wrapped. */
static int64_t find_stride(const struct tsr__hope *h, LLVMValueRef v, int depth)
{
    struct tsr__shape shape = shape_of(h, v);
    if (shape.kind == TSR__SHAPE_AFFINE)
        return shape.stride;
    if (!depth || !LLVMIsAInstruction(v))
        return 0;
    int64_t c, x;
    depth--;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMCall:
        return find_stride_of_call(h, v, depth);
    case LLVMSelect:
        x = find_stride(h, LLVMGetOperand(v, 1), depth);
        return x ? x : find_stride(h, LLVMGetOperand(v, 2), depth);
    case LLVMAdd:
    case LLVMOr:
        return find_stride(h, LLVMGetOperand(v, 0), depth) + find_stride(h, LLVMGetOperand(v, 1), depth);
    case LLVMSub:
        return find_stride(h, LLVMGetOperand(v, 0), depth) - find_stride(h, LLVMGetOperand(v, 1), depth);
    case LLVMMul:
        return tsr__constant_int(LLVMGetOperand(v, 1), &c) && c > -TSR__MOST_HOPED_STRIDE && c < TSR__MOST_HOPED_STRIDE
                   ? c * find_stride(h, LLVMGetOperand(v, 0), depth)
                   : 0;
    case LLVMShl:
        return tsr__constant_int(LLVMGetOperand(v, 1), &c) && c >= 0 && c < 12 ? find_stride(h, LLVMGetOperand(v, 0), depth) * (1 << c) : 0;
    case LLVMAnd:
        if (tsr__is_uniform(shape_of(h, LLVMGetOperand(v, 0))))
            return find_stride(h, LLVMGetOperand(v, 1), depth);
        return tsr__is_uniform(shape_of(h, LLVMGetOperand(v, 1))) ? find_stride(h, LLVMGetOperand(v, 0), depth) : 0;
    case LLVMURem:
    case LLVMSRem:
        return is_divisor(h, LLVMGetOperand(v, 1)) ? find_stride(h, LLVMGetOperand(v, 0), depth) : 0;
    case LLVMLoad:
        return is_image_x(h, v);
    case LLVMFPToSI:
        return tsr__has_text_attr(h->function, TSR__IMAGE_NEAREST) && comes_from_image_x(h, LLVMGetOperand(v, 0), MAX_DEPTH);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze:
        return find_stride(h, LLVMGetOperand(v, 0), depth);
    default:
        return 0;
    }
}

int64_t tsr__hoped_stride(const struct tsr__hope *h, LLVMValueRef v)
{
    return find_stride(h, v, MAX_DEPTH);
}
