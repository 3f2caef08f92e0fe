/* SPDX-License-Identifier: Apache-2.0
 * What LLVM's code generator gets wrong is not shown to it. lanes/llvm_bugs.def lists it. */
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

#include <string.h>

/* pmulhw_shift */
static bool is_wide_product(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMMul || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return false;
    return LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v))) > 32;
}

static bool is_right_shift(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && (LLVMGetInstructionOpcode(v) == LLVMLShr || LLVMGetInstructionOpcode(v) == LLVMAShr);
}

/* ternary_logic. Logic of logic: one instruction of three operands, if it is not one already (lanes/after/ternary_logic.c). */
static bool is_ternary_logic(LLVMValueRef v)
{
    return tsr__calls(v, "llvm.x86.avx512.pternlog.") ||
           (tsr__is_logic(v) && (tsr__is_logic(LLVMGetOperand(v, 0)) || tsr__is_logic(LLVMGetOperand(v, 1))));
}

/* The type to select as instead of this one; NULL: the selection may stay as it is. */
static LLVMTypeRef other_type(struct tsr__compilation *l, LLVMValueRef select)
{
    LLVMTypeRef type = LLVMTypeOf(select);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind)
        return NULL;
    if (!is_ternary_logic(LLVMGetOperand(select, 1)) && !is_ternary_logic(LLVMGetOperand(select, 2)))
        return NULL;
    switch (LLVMGetIntTypeWidth(LLVMGetElementType(type))) {
    case 32:
        return LLVMVectorType(LLVMFloatTypeInContext(l->context), LLVMGetVectorSize(type));
    case 64:
        return LLVMVectorType(LLVMDoubleTypeInContext(l->context), LLVMGetVectorSize(type));
    default:
        return NULL;
    }
}

static void select_as(LLVMBuilderRef b, LLVMValueRef select, LLVMTypeRef type)
{
    LLVMPositionBuilderBefore(b, select);
    LLVMValueRef x = LLVMBuildBitCast(b, LLVMGetOperand(select, 1), type, ""), y = LLVMBuildBitCast(b, LLVMGetOperand(select, 2), type, "");
    LLVMValueRef made = LLVMBuildSelect(b, LLVMGetOperand(select, 0), x, y, "");
    LLVMReplaceAllUsesWith(select, LLVMBuildBitCast(b, made, LLVMTypeOf(select), ""));
    LLVMInstructionEraseFromParent(select);
}

/* mask_shift. Of a shuffle of masks: a lane that comes from its first operand, or -1 if none does, or if the others are not all zeros. */
static int lane_beside_zeros(LLVMValueRef shuffle)
{
    LLVMTypeRef bit = LLVMGetElementType(LLVMTypeOf(shuffle));
    LLVMValueRef others = LLVMGetOperand(shuffle, 1);
    if (LLVMGetTypeKind(bit) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(bit) != 1 || !LLVMIsAConstant(others))
        return -1;
    unsigned operand, element;
    int lane = -1;
    bool zeros = false;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(shuffle); i++) {
        if (!tsr__shuffle_source(shuffle, i, &operand, &element))
            continue;
        if (operand && !LLVMIsNull(LLVMGetAggregateElement(others, element)))
            return -1;
        zeros = zeros || operand;
        lane = operand ? lane : (int)element;
    }
    return zeros ? lane : -1;
}

static void clear_afterwards(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef shuffle, int lane)
{
    unsigned count = LLVMGetNumMaskElements(shuffle);
    unsigned *from = tsr_arena_alloc(&l->scratch, count * sizeof *from), operand;
    LLVMValueRef *kept = tsr_arena_alloc(&l->scratch, count * sizeof *kept);
    for (unsigned i = 0; i < count; i++) {
        bool own = tsr__shuffle_source(shuffle, i, &operand, &from[i]) && !operand;
        from[i] = own ? from[i] : (unsigned)lane;
        kept[i] = LLVMConstInt(LLVMInt1TypeInContext(l->context), own, false);
    }
    LLVMPositionBuilderBefore(b, shuffle);
    LLVMValueRef made = tsr__pick_elements(l, b, LLVMGetOperand(shuffle, 0), NULL, from, count);
    LLVMReplaceAllUsesWith(shuffle, LLVMBuildAnd(b, made, LLVMConstVector(kept, count), ""));
    LLVMInstructionEraseFromParent(shuffle);
}

/* lower_half. A word taken from a vector of smaller numbers. */
static bool is_word_of_numbers(LLVMValueRef v)
{
    if (!LLVMIsAExtractElementInst(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 64)
        return false;
    LLVMValueRef words = LLVMGetOperand(v, 0);
    if (!LLVMIsABitCastInst(words))
        return false;
    LLVMTypeRef numbers = LLVMTypeOf(LLVMGetOperand(words, 0));
    return LLVMGetTypeKind(numbers) == LLVMVectorTypeKind && LLVMGetTypeKind(LLVMGetElementType(numbers)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(numbers)) < 64;
}

static void hide_value(LLVMBuilderRef b, LLVMValueRef word)
{
    static const char tied[] = "=r,0";
    LLVMTypeRef type = LLVMTypeOf(word), function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef assembly = LLVMGetInlineAsm(function, "", 0, tied, strlen(tied), false, false, LLVMInlineAsmDialectATT, false),
                 undefined = LLVMGetUndef(type);
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(word));
    LLVMValueRef hidden = LLVMBuildCall2(b, function, assembly, &undefined, 1, "");
    LLVMReplaceAllUsesWith(word, hidden);
    LLVMSetOperand(hidden, 0, word);
}

/* element_store. The one element that a masked store stores, or -1 if there are others, or if who knows how many. */
static int only_element(LLVMValueRef call)
{
    if (!tsr__calls(call, "llvm.masked.store.") || !LLVMIsConstant(LLVMGetOperand(call, 2)))
        return -1;
    LLVMValueRef mask = LLVMGetOperand(call, 2);
    int found = -1;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(mask)); i++) {
        LLVMValueRef bit = LLVMGetAggregateElement(mask, i);
        if (!bit || !LLVMIsAConstantInt(bit) || (LLVMConstIntGetZExtValue(bit) && found >= 0))
            return -1;
        found = LLVMConstIntGetZExtValue(bit) ? (int)i : found;
    }
    return found;
}

static void store_element(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef call, int element)
{
    LLVMValueRef value = LLVMGetOperand(call, 0), at = tsr__i32(l, (uint32_t)element);
    LLVMPositionBuilderBefore(b, call);
    LLVMValueRef p = LLVMBuildGEP2(b, LLVMGetElementType(LLVMTypeOf(value)), LLVMGetOperand(call, 1), &at, 1, "");
    LLVMSetAlignment(LLVMBuildStore(b, LLVMBuildExtractElement(b, value, at, ""), p), 1);
    LLVMInstructionEraseFromParent(call);
}

static void freeze_operand(LLVMBuilderRef b, LLVMValueRef inst, unsigned operand)
{
    LLVMPositionBuilderBefore(b, inst);
    LLVMSetOperand(inst, operand, LLVMBuildFreeze(b, LLVMGetOperand(inst, operand), ""));
}

/* half_maximum */
static bool is_half_extreme(LLVMValueRef inst)
{
    return (tsr__calls(inst, "llvm.maxnum.") || tsr__calls(inst, "llvm.minnum.")) && tsr__floats_of_halves(LLVMTypeOf(inst));
}

static void in_float(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMTypeRef half = LLVMTypeOf(call), type = tsr__floats_of_halves(half);
    unsigned id = LLVMGetIntrinsicID(tsr__callee(call));
    LLVMPositionBuilderBefore(b, call);
    LLVMValueRef args[2];
    for (unsigned i = 0; i < 2; i++)
        args[i] = LLVMBuildFPExt(b, LLVMGetOperand(call, i), type, "");
    LLVMValueRef made = LLVMBuildCall2(b, LLVMIntrinsicGetType(l->context, id, &type, 1),
                                       LLVMGetIntrinsicDeclaration(l->module, id, &type, 1), args, 2, "");
    LLVMReplaceAllUsesWith(call, LLVMBuildFPTrunc(b, made, half, ""));
    LLVMInstructionEraseFromParent(call);
}

bool tsr__pass_llvm_bugs(struct tsr__compilation *l)
{
    size_t count;
    LLVMValueRef *code = tsr__all_instructions(l, &count);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    bool has_half = tsr__has(l, TSR_CPU_AVX512FP16);
    for (size_t i = 0; i < count; i++) {
        if (is_right_shift(code[i]) && is_wide_product(LLVMGetOperand(code[i], 0)))
            freeze_operand(b, code[i], 0);
        LLVMTypeRef type = LLVMIsASelectInst(code[i]) ? other_type(l, code[i]) : NULL;
        if (type) {
            select_as(b, code[i], type);
            continue;
        }
        if (!has_half && is_half_extreme(code[i])) {
            in_float(l, b, code[i]);
            continue;
        }
        if (is_word_of_numbers(code[i])) {
            hide_value(b, code[i]);
            continue;
        }
        int element = LLVMIsACallInst(code[i]) ? only_element(code[i]) : -1;
        if (element >= 0) {
            store_element(l, b, code[i], element);
            continue;
        }
        int lane = LLVMIsAShuffleVectorInst(code[i]) ? lane_beside_zeros(code[i]) : -1;
        if (lane >= 0)
            clear_afterwards(l, b, code[i], lane);
    }
    LLVMDisposeBuilder(b);
    return true;
}
