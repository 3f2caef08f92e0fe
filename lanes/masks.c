/* SPDX-License-Identifier: Apache-2.0
 * Masks: one bit per lane, as vectors of i1, and code that runs lane by lane. */
#include "simd.h"

LLVMTypeRef tsr__mask_type(struct tsr__simd *s)
{
    return tsr__vector(s, LLVMInt1TypeInContext(s->l->context));
}

LLVMValueRef tsr__mask_and(struct tsr__simd *s, LLVMValueRef mask, LLVMValueRef condition)
{
    if (!mask)
        return condition;
    return LLVMBuildSelect(s->b, mask, condition, LLVMConstNull(tsr__mask_type(s)), "");
}

LLVMValueRef tsr__mask_or_all(struct tsr__simd *s, LLVMValueRef mask)
{
    return mask ? mask : LLVMConstAllOnes(tsr__mask_type(s));
}

LLVMValueRef tsr__mask_bits(struct tsr__simd *s, LLVMValueRef mask)
{
    return LLVMBuildBitCast(s->b, tsr__mask_or_all(s, mask), LLVMIntTypeInContext(s->l->context, s->width), "");
}

LLVMValueRef tsr__any(struct tsr__simd *s, LLVMValueRef mask)
{
    LLVMValueRef bits = tsr__mask_bits(s, mask);
    return LLVMBuildICmp(s->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "any");
}

LLVMValueRef tsr__first_lane(struct tsr__simd *s, LLVMValueRef bits)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef cttz = LLVMGetIntrinsicDeclaration(s->l->module, LLVMLookupIntrinsicID("llvm.cttz", 9), &type, 1);
    LLVMValueRef args[2] = {bits, LLVMConstInt(LLVMInt1TypeInContext(c), 1, false)};
    LLVMValueRef first = LLVMBuildCall2(s->b, LLVMGlobalGetValueType(cttz), cttz, args, 2, "");
    return LLVMBuildIntCast2(s->b, first, LLVMInt32TypeInContext(c), false, "lane");
}

LLVMValueRef tsr__blend(struct tsr__simd *s, LLVMValueRef mask, LLVMValueRef new_value, LLVMValueRef old_value)
{
    return mask ? LLVMBuildSelect(s->b, mask, new_value, old_value, "") : new_value;
}

/* One lane's value of an operand, in its own type; `lane` is an i32. The parts are computed before the loop. */
static LLVMValueRef lane_value(struct tsr__simd *s, LLVMValueRef v, LLVMValueRef lane)
{
    if (tsr__is_uniform(tsr__seen(s, v)))
        return tsr__whole(s, v);
    LLVMValueRef made = LLVMGetPoison(LLVMTypeOf(v));
    for (int i = 0; i < tsr__part_count(LLVMTypeOf(v)); i++)
        made = tsr__put_scalar(s, made, i, LLVMBuildExtractElement(s->b, tsr__part(s, v, i), lane, ""));
    return made;
}

static bool is_data(LLVMValueRef operand)
{
    return !LLVMIsAFunction(operand) && !LLVMValueIsBasicBlock(operand) && LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMMetadataTypeKind;
}

void tsr__each_lane(struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef bits_type = LLVMIntTypeInContext(c, s->width);
    int operands = LLVMGetNumOperands(inst), parts = tsr__part_count(LLVMTypeOf(inst));
    for (int i = 0; i < operands; i++) { /* everything that is the same for all lanes first */
        LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i);
        if (!is_data(v))
            continue;
        if (tsr__is_uniform(tsr__seen(s, v)))
            tsr__whole(s, v);
        else
            for (int k = 0; k < tsr__part_count(LLVMTypeOf(v)); k++)
                tsr__part(s, v, k);
    }
    LLVMValueRef all = tsr__mask_bits(s, s->mask);
    LLVMValueRef results[64];
    LLVMValueRef *phis = parts <= 64 ? results : tsr_arena_alloc(s->arena, (size_t)parts * sizeof *phis);

    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->b);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(c, s->to, "lane");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(c, s->to, "lanes.done");
    LLVMBuildBr(s->b, loop); /* a block runs only if a lane is in it */
    LLVMPositionBuilderAtEnd(s->b, loop);
    LLVMValueRef left = LLVMBuildPhi(s->b, bits_type, "left");
    for (int i = 0; i < parts; i++)
        phis[i] = LLVMBuildPhi(s->b, tsr__vector(s, tsr__part_type(LLVMTypeOf(inst), i)), "");
    LLVMValueRef lane = tsr__first_lane(s, left);

    LLVMValueRef copy = LLVMInstructionClone(inst);
    for (int i = 0; i < operands; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i);
        if (is_data(v))
            LLVMSetOperand(copy, (unsigned)i, lane_value(s, v, lane));
    }
    LLVMInsertIntoBuilder(s->b, copy);
    LLVMValueRef rest = LLVMBuildAnd(s->b, left, LLVMBuildSub(s->b, left, LLVMConstInt(bits_type, 1, false), ""), "");
    LLVMValueRef none_left = LLVMBuildICmp(s->b, LLVMIntEQ, rest, LLVMConstNull(bits_type), "");
    LLVMValueRef made[64];
    LLVMValueRef *new_parts = parts <= 64 ? made : tsr_arena_alloc(s->arena, (size_t)parts * sizeof *new_parts);
    for (int i = 0; i < parts; i++)
        new_parts[i] = LLVMBuildInsertElement(s->b, phis[i], tsr__get_scalar(s, copy, i), lane, "");
    LLVMBuildCondBr(s->b, none_left, after, loop);
    LLVMAddIncoming(left, &all, &before, 1);
    LLVMAddIncoming(left, &rest, &loop, 1);
    for (int i = 0; i < parts; i++) {
        LLVMValueRef poison = LLVMGetPoison(LLVMTypeOf(phis[i]));
        LLVMAddIncoming(phis[i], &poison, &before, 1);
        LLVMAddIncoming(phis[i], &new_parts[i], &loop, 1);
    }
    LLVMPositionBuilderAtEnd(s->b, after);
    for (int i = 0; i < parts; i++)
        tsr__set_part(s, inst, i, new_parts[i]);
}
