/* SPDX-License-Identifier: Apache-2.0
 * Range analysis of indices. */
#include "lanes/analysis/range.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

enum {
    MAX_DEPTH = 12, /* instructions from an index to what bounds it */
    MOST_BITS = 40  /* of a number that is far from wrapping */
};

static bool is_index(LLVMValueRef v, int64_t *value)
{
    return tsr__constant_int(v, value) && *value >= 0 && *value < INT64_C(1) << MOST_BITS;
}

static bool find_range(const struct tsr_kernel_info *kernel, LLVMValueRef v, int depth, struct tsr__range *r);

/* Of operations that bound their result themselves. False: it is none of these. */
static bool range_of_result(const struct tsr_kernel_info *kernel, LLVMValueRef v, int depth, struct tsr__range *r)
{
    struct tsr__range a;
    int64_t c;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMCall:
        if (tsr__call_of(v) != TSR__CALL_LOCAL_ID || !is_index(LLVMGetOperand(v, 0), &c) || c > 2 ||
            !tsr_required_size(kernel, (unsigned)c))
            return false;
        *r = (struct tsr__range){0, (int64_t)tsr_required_size(kernel, (unsigned)c) - 1};
        return true;
    case LLVMAnd:
        if (!is_index(LLVMGetOperand(v, 1), &c))
            return false;
        *r = (struct tsr__range){0, find_range(kernel, LLVMGetOperand(v, 0), depth, &a) && a.most < c ? a.most : c};
        return true;
    case LLVMURem:
        if (!is_index(LLVMGetOperand(v, 1), &c) || c == 0)
            return false;
        *r = (struct tsr__range){0, c - 1};
        return true;
    default:
        return false;
    }
}

/* Of operations on numbers of which the range is known: that of the first is `a`. */
static bool range_of_operation(const struct tsr_kernel_info *kernel, LLVMValueRef v, struct tsr__range a, int depth, struct tsr__range *r)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef second = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    int64_t c = 0;
    bool by_constant = second && is_index(second, &c);
    struct tsr__range b;
    switch (op) {
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        *r = a;
        return true;
    case LLVMShl:
        *r = by_constant && c <= 20 ? (struct tsr__range){a.least << c, a.most << c} : a;
        return by_constant && c <= 20;
    case LLVMLShr:
        *r = by_constant && c <= 62 ? (struct tsr__range){a.least >> c, a.most >> c} : a;
        return by_constant && c <= 62;
    case LLVMMul:
        *r = by_constant && c <= 1 << 20 ? (struct tsr__range){a.least * c, a.most * c} : a;
        return by_constant && c <= 1 << 20;
    case LLVMOr: /* of disjoint bits: a sum */
        if (!LLVMGetIsDisjoint(v))
            return false;
        /* fall through */
    case LLVMAdd:
        if (!find_range(kernel, second, depth, &b))
            return false;
        *r = (struct tsr__range){a.least + b.least, a.most + b.most};
        return true;
    default:
        return false;
    }
}

static bool find_range(const struct tsr_kernel_info *kernel, LLVMValueRef v, int depth, struct tsr__range *r)
{
    struct tsr__range a;
    int64_t c;
    if (is_index(v, &c)) {
        *r = (struct tsr__range){c, c};
        return true;
    }
    if (!LLVMIsAInstruction(v) || depth == 0 || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
        return false;
    if (range_of_result(kernel, v, depth - 1, r))
        return true;
    if (LLVMIsACallInst(v) || LLVMGetNumOperands(v) == 0 || !find_range(kernel, LLVMGetOperand(v, 0), depth - 1, &a) ||
        !range_of_operation(kernel, v, a, depth - 1, r))
        return false;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v)) - 1;
    return r->most < INT64_C(1) << (bits < MOST_BITS ? bits : MOST_BITS);
}

bool tsr__range_of(const struct tsr_kernel_info *kernel, LLVMValueRef v, struct tsr__range *range)
{
    return find_range(kernel, v, MAX_DEPTH, range);
}
