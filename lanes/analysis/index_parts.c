/* SPDX-License-Identifier: Apache-2.0
 * What addresses and indices are computed from. */
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/match.h"

enum { MOST_SHIFTED = 30 };

/* ---- indices of a GEP ---- */

struct tsr__gep_walk tsr__gep_walk(LLVMTargetDataRef layout, LLVMValueRef gep)
{
    return (struct tsr__gep_walk){.layout = layout, .gep = gep, .type = LLVMGetGEPSourceElementType(gep), .next = 1};
}

bool tsr__gep_next(struct tsr__gep_walk *walk, struct tsr__gep_index *index)
{
    if (walk->next == (unsigned)LLVMGetNumOperands(walk->gep))
        return false;
    bool is_first = walk->next == 1; /* which counts whole values of the type */
    LLVMValueRef value = LLVMGetOperand(walk->gep, walk->next++);
    *index = (struct tsr__gep_index){.value = value};
    if (!is_first && LLVMGetTypeKind(walk->type) == LLVMStructTypeKind) {
        unsigned field = (unsigned)LLVMConstIntGetZExtValue(value);
        index->is_field = index->is_constant = true;
        index->offset = (int64_t)LLVMOffsetOfElement(walk->layout, walk->type, field);
        walk->type = LLVMStructGetTypeAtIndex(walk->type, field);
        return true;
    }
    if (!is_first)
        walk->type = LLVMGetElementType(walk->type);
    index->bytes = (int64_t)LLVMABISizeOfType(walk->layout, walk->type);
    index->is_constant = LLVMIsAConstantInt(value);
    if (index->is_constant)
        index->offset = (int64_t)((uint64_t)LLVMConstIntGetSExtValue(value) * (uint64_t)index->bytes);
    else if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(value)) < 64)
        index->extension = TSR__EXT_SIGNED;
    return true;
}

/* ---- parts of a number ---- */

bool tsr__is_exact(LLVMValueRef v, enum tsr__extension extension)
{
    switch (extension) {
    case TSR__EXT_NONE:
        return true;
    case TSR__EXT_SIGNED:
        return LLVMGetNSW(v);
    default:
        return LLVMGetNUW(v);
    }
}

static bool constant_of(LLVMValueRef v, enum tsr__extension extension, int64_t *constant)
{
    if (!tsr__constant_int(v, constant))
        return false;
    if (extension == TSR__EXT_ZERO)
        *constant = (int64_t)LLVMConstIntGetZExtValue(v);
    return true;
}

/* Bits that the operation with a constant clears of its first operand, or sets; 0: it does something else, or more. */
static uint32_t bits_of(LLVMValueRef v)
{
    int64_t bits;
    if (!constant_of(LLVMGetOperand(v, 1), TSR__EXT_SIGNED, &bits))
        return 0;
    bits = LLVMGetInstructionOpcode(v) == LLVMAnd ? ~bits : bits;
    return bits > 0 && bits <= INT32_MAX ? (uint32_t)bits : 0;
}

unsigned tsr__constant_shift(LLVMValueRef v)
{
    int64_t n;
    return constant_of(LLVMGetOperand(v, 1), TSR__EXT_ZERO, &n) && n >= 0 && n < 64 ? (unsigned)n : 0;
}

static enum tsr__parts_kind split_bits(LLVMValueRef v, struct tsr__parts *p)
{
    p->cleared = bits_of(v);
    p->constant = LLVMGetInstructionOpcode(v) == LLVMOr ? p->cleared : 0;
    return p->cleared ? TSR__PARTS_BITS : TSR__PARTS_NONE;
}

static enum tsr__parts_kind split(LLVMValueRef v, struct tsr__parts *p)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
        p->scale = op == LLVMSub ? -1 : 1;
        return tsr__is_exact(v, p->extension) ? TSR__PARTS_SUM : TSR__PARTS_NONE;
    case LLVMMul:
        if (!tsr__is_exact(v, p->extension))
            return TSR__PARTS_NONE;
        return constant_of(p->second, p->extension, &p->scale) ? TSR__PARTS_MULTIPLE : TSR__PARTS_PRODUCT;
    case LLVMShl:
        p->scale = INT64_C(1) << tsr__constant_shift(v);
        return tsr__is_exact(v, p->extension) && p->scale > 1 && p->scale <= INT64_C(1) << MOST_SHIFTED ? TSR__PARTS_MULTIPLE
                                                                                                        : TSR__PARTS_NONE;
    case LLVMOr: /* of disjoint bits: a sum that never carries */
        p->scale = 1;
        return LLVMGetIsDisjoint(v) ? TSR__PARTS_SUM : split_bits(v, p);
    case LLVMAnd:
        return split_bits(v, p);
    default:
        return TSR__PARTS_NONE;
    }
}

struct tsr__parts tsr__parts_of(LLVMValueRef v, enum tsr__extension extension)
{
    struct tsr__parts p = {.extension = extension};
    if (constant_of(v, extension, &p.constant)) {
        p.kind = TSR__PARTS_CONSTANT;
        return p;
    }
    if (!LLVMIsAInstruction(v))
        return p;
    bool is_binary = LLVMIsABinaryOperator(v), extends = LLVMIsASExtInst(v) || LLVMIsAZExtInst(v);
    if (is_binary || extends)
        p.first = LLVMGetOperand(v, 0);
    if (is_binary) {
        p.second = LLVMGetOperand(v, 1);
        p.kind = split(v, &p);
    } else if (extends && extension == TSR__EXT_NONE) {
        /* What is promised not to be negative may be taken as signed, which gathers can do. */
        p.extension = LLVMIsASExtInst(v) || LLVMGetNNeg(v) ? TSR__EXT_SIGNED : TSR__EXT_ZERO;
        p.kind = TSR__PARTS_EXTENSION;
    }
    return p;
}

bool tsr__is_split(LLVMValueRef v, enum tsr__extension extension)
{
    return tsr__parts_of(v, extension).kind > TSR__PARTS_EXTENSION;
}
