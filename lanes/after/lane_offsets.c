/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes/after/lane_offsets.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

enum { MAX_DEPTH = 12 };

/* What makes a number of more bits of it, if anything: then it must not wrap. */
enum extension { EXACT, SIGNED, UNSIGNED };

static bool find_offsets(LLVMValueRef v, struct tsr__lane_offsets *o, enum extension extension, int depth);

static bool of_constant(LLVMValueRef v, struct tsr__lane_offsets *o, enum extension extension)
{
    int64_t number[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < o->lanes; i++) {
        LLVMValueRef element = LLVMGetAggregateElement(v, i);
        number[i] = i ? number[i - 1] : 0;
        if (element && LLVMIsUndef(element)) /* the lane does not get there, so any number will do */
            continue;
        if (!element || !LLVMIsAConstantInt(element) || !tsr__constant_int(element, &number[i]))
            return false;
        if (extension == UNSIGNED && number[i] < 0)
            return false;
        o->at[i] = number[i] - number[i / o->in_row * o->in_row];
    }
    return true;
}

static bool is_zero(const struct tsr__lane_offsets *o)
{
    for (unsigned i = 0; i < o->lanes; i++)
        if (o->at[i])
            return false;
    return true;
}

static bool of_operation(LLVMValueRef v, struct tsr__lane_offsets *o, enum extension extension, int depth)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    struct tsr__lane_offsets y = *o;
    int64_t factor = 0;
    if (!find_offsets(LLVMGetOperand(v, 0), o, extension, depth - 1) || !find_offsets(LLVMGetOperand(v, 1), &y, extension, depth - 1))
        return false;
    if (is_zero(o) && is_zero(&y)) /* whatever it does, it does the same in all lanes of a row */
        return true;
    if (op == LLVMOr) {
        if (!LLVMGetIsDisjoint(v))
            return false;
    } else if (op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl)
        return false;
    else if ((extension == SIGNED && !LLVMGetNSW(v)) || (extension == UNSIGNED && !LLVMGetNUW(v)))
        return false;
    if (op == LLVMMul || op == LLVMShl) {
        const bool by_second = tsr__same_number(LLVMGetOperand(v, 1), &factor);
        if (!by_second && (op == LLVMShl || !tsr__same_number(LLVMGetOperand(v, 0), &factor)))
            return false;
        const int64_t bits = (int64_t)LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v)));
        if (op == LLVMShl && (factor < 0 || factor >= bits))
            return false;
        factor = op == LLVMShl ? (int64_t)(UINT64_C(1) << factor) : factor;
        for (unsigned i = 0; i < o->lanes; i++)
            o->at[i] = (int64_t)((uint64_t)(by_second ? o->at[i] : y.at[i]) * (uint64_t)factor);
        return true;
    }
    for (unsigned i = 0; i < o->lanes; i++)
        o->at[i] = (int64_t)((uint64_t)o->at[i] + (op == LLVMSub ? -(uint64_t)y.at[i] : (uint64_t)y.at[i]));
    return true;
}

static LLVMTypeRef element_type(LLVMValueRef v)
{
    return tsr__element_type(LLVMTypeOf(v));
}

/* A vector, or a scalar that all lanes have. */
static bool of_any(LLVMValueRef v, struct tsr__lane_offsets *o, int depth)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
        return find_offsets(v, o, EXACT, depth - 1);
    memset(o->at, 0, sizeof o->at);
    return true;
}

static bool of_address(LLVMValueRef v, struct tsr__lane_offsets *o, int depth)
{
    LLVMValueRef base = LLVMGetOperand(v, 0), index = LLVMGetOperand(v, 1);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(v)));
    const uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGetGEPSourceElementType(v));
    struct tsr__lane_offsets of_base = *o;
    if (LLVMGetNumOperands(v) != 2 || LLVMGetIntTypeWidth(element_type(index)) != 64 || !of_any(base, &of_base, depth) ||
        !of_any(index, o, depth))
        return false;
    for (unsigned i = 0; i < o->lanes; i++)
        o->at[i] = (int64_t)((uint64_t)of_base.at[i] + (uint64_t)o->at[i] * size);
    return true;
}

static bool find_offsets(LLVMValueRef v, struct tsr__lane_offsets *o, enum extension extension, int depth)
{
    if (LLVMIsAConstant(v))
        return of_constant(v, o, extension);
    if (tsr__picks_every(v, 0, 0)) {
        memset(o->at, 0, sizeof o->at);
        return true;
    }
    if (!depth || !LLVMIsAInstruction(v))
        return false;
    if (LLVMIsABinaryOperator(v))
        return of_operation(v, o, extension, depth);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMGetElementPtr:
        return of_address(v, o, depth);
    case LLVMSExt: /* a number with zeros before it is no longer negative, so it may not get its sign as well */
        return extension != UNSIGNED && find_offsets(LLVMGetOperand(v, 0), o, SIGNED, depth - 1);
    case LLVMZExt: /* what does not wrap below zero in some lanes may do so in others, far away from these */
        return !o->in_some_lanes && find_offsets(LLVMGetOperand(v, 0), o, UNSIGNED, depth - 1);
    case LLVMFreeze:
        return find_offsets(LLVMGetOperand(v, 0), o, extension, depth - 1) && is_zero(o);
    default:
        return false;
    }
}

bool tsr__find_lane_offsets(LLVMValueRef pointers, struct tsr__lane_offsets *o)
{
    return find_offsets(pointers, o, EXACT, MAX_DEPTH);
}

LLVMValueRef tsr__addresses_behind(LLVMValueRef pointers, LLVMValueRef *mask)
{
    *mask = NULL;
    if (!LLVMIsASelectInst(pointers) || !tsr__picks_every(LLVMGetOperand(pointers, 2), 0, 0) ||
        !tsr__is_nowhere(LLVMGetOperand(pointers, 2)) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(pointers, 0))) != LLVMVectorTypeKind)
        return pointers;
    *mask = LLVMGetOperand(pointers, 0);
    return LLVMGetOperand(pointers, 1);
}
