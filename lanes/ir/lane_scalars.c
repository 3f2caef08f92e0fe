/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes/ir/lane_scalars.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

void tsr__lane_scalars_begin(struct tsr__lane_scalars *c, struct tsr__compilation *l)
{
    *c = (struct tsr__lane_scalars){.l = l, .b = LLVMCreateBuilderInContext(l->context), .made = {.arena = &l->scratch}};
}

void tsr__lane_scalars_end(struct tsr__lane_scalars *c)
{
    LLVMDisposeBuilder(c->b);
}

static void set_builder_before(struct tsr__lane_scalars *c, LLVMValueRef v)
{
    LLVMPositionBuilderBefore(c->b, v);
}

static LLVMValueRef of_operation(struct tsr__lane_scalars *c, LLVMValueRef v, unsigned lane)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef x = tsr__lane_scalar(c, LLVMGetOperand(v, 0), lane), y = tsr__lane_scalar(c, LLVMGetOperand(v, 1), lane);
    set_builder_before(c, v);
    LLVMValueRef made = LLVMBuildBinOp(c->b, op, x, y, "");
    if (LLVMIsAInstruction(made) && (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl)) {
        LLVMSetNSW(made, LLVMGetNSW(v));
        LLVMSetNUW(made, LLVMGetNUW(v));
    }
    if (LLVMIsAInstruction(made) && op == LLVMOr)
        LLVMSetIsDisjoint(made, LLVMGetIsDisjoint(v));
    return made;
}

static LLVMValueRef of_gep(struct tsr__lane_scalars *c, LLVMValueRef v, unsigned lane)
{
    unsigned n = (unsigned)LLVMGetNumOperands(v);
    LLVMValueRef *operands = tsr_arena_alloc(&c->l->scratch, n * sizeof *operands);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef x = LLVMGetOperand(v, i);
        operands[i] = tsr__is_vector(x) ? tsr__lane_scalar(c, x, lane) : x;
    }
    set_builder_before(c, v);
    return LLVMBuildGEPWithNoWrapFlags(c->b, LLVMGetGEPSourceElementType(v), operands[0], operands + 1, n - 1, "",
                                       LLVMGEPGetNoWrapFlags(v));
}

static LLVMValueRef of_shuffle(struct tsr__lane_scalars *c, LLVMValueRef v, unsigned lane)
{
    unsigned operand, element;
    if (!tsr__shuffle_source(v, lane, &operand, &element))
        return LLVMGetPoison(LLVMGetElementType(LLVMTypeOf(v)));
    return tsr__lane_scalar(c, LLVMGetOperand(v, operand), element);
}

/* NULL: no instruction that takes lanes separately. */
static LLVMValueRef by_itself(struct tsr__lane_scalars *c, LLVMValueRef v, unsigned lane)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (LLVMIsABinaryOperator(v))
        return of_operation(c, v, lane);
    switch (op) {
    case LLVMGetElementPtr:
        return of_gep(c, v, lane);
    case LLVMShuffleVector:
        return of_shuffle(c, v, lane);
    case LLVMInsertElement: {
        LLVMValueRef at = LLVMGetOperand(v, 2);
        if (!LLVMIsAConstantInt(at))
            return NULL;
        return LLVMConstIntGetZExtValue(at) == lane ? LLVMGetOperand(v, 1) : tsr__lane_scalar(c, LLVMGetOperand(v, 0), lane);
    }
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMAddrSpaceCast: {
        LLVMValueRef x = tsr__lane_scalar(c, LLVMGetOperand(v, 0), lane);
        set_builder_before(c, v);
        return LLVMBuildCast(c->b, op, x, LLVMGetElementType(LLVMTypeOf(v)), "");
    }
    default:
        return NULL;
    }
}

/* The scalars of a vector. Bytes that are shuffled to words have more lanes than packets have work-items. */
static LLVMValueRef *scalars_of(struct tsr__lane_scalars *c, LLVMValueRef v)
{
    LLVMValueRef *scalars = (LLVMValueRef *)tsr__map_get(&c->made, v);
    if (!scalars) {
        scalars = tsr_arena_alloc(&c->l->scratch, LLVMGetVectorSize(LLVMTypeOf(v)) * sizeof *scalars);
        tsr__map_set(&c->made, v, (uintptr_t)scalars);
    }
    return scalars;
}

LLVMValueRef tsr__lane_scalar(struct tsr__lane_scalars *c, LLVMValueRef v, unsigned lane)
{
    if (!LLVMIsAInstruction(v)) /* functions of the program have no vectors of lanes as arguments */
        return LLVMConstExtractElement(v, tsr__i32(c->l, lane));
    LLVMValueRef *scalars = scalars_of(c, v);
    if (scalars[lane])
        return scalars[lane];
    LLVMValueRef made = by_itself(c, v, lane);
    if (!made) {
        set_builder_before(c, tsr__after_phis(LLVMGetNextInstruction(v)));
        made = LLVMBuildExtractElement(c->b, v, tsr__i32(c->l, lane), "");
    }
    return scalars[lane] = made;
}
