/* SPDX-License-Identifier: Apache-2.0
 * Instructions that stay in registers: arithmetic, comparisons, selects, casts, and the taking apart of vectors and structs.
 * A uniform or affine result is one scalar instruction; a varying one is a vector instruction for each scalar in its type. */
#include "lanes/analysis/packet_support.h"
#include "lanes/widen/widen_div.h"
#include "lanes/widen/widener.h"
#include "lanes/widen/memory/access.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"

/* ---- scalar ---- */

/* Flags under which a wrapped or odd result would be poison: lane 0 need not be one of the lanes that the program runs. */
static void drop_promises(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNSW(inst, false);
        LLVMSetNUW(inst, false);
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr:
        LLVMSetExact(inst, false);
        break;
    case LLVMZExt:
        LLVMSetNNeg(inst, false);
        break;
    case LLVMOr:
        LLVMSetIsDisjoint(inst, false);
        break;
    case LLVMICmp:
        LLVMSetICmpSameSign(inst, false);
        break;
    case LLVMGetElementPtr:
        LLVMGEPSetNoWrapFlags(inst, 0);
        break;
    default:
        break;
    }
}

/* Lane 0 of an affine result. The instruction's flags (non-negative, disjoint) hold for the lanes that the program runs, and lane 0 may be
 * masked off. NULL: the instruction has no such flag, and is right for lane 0 as well. */
static LLVMValueRef extrapolate_lane0(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef x = LLVMGetOperand(inst, 0);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMZExt: /* of a negative number, where the others are not */
        return tsr__shape_of(&s->shapes, x).nuw ? NULL : LLVMBuildSExt(s->b, tsr__scalar_of(s, x), LLVMTypeOf(inst), "");
    case LLVMOr: { /* an addition, unless bits meet; one that does not wrap, if lane 0 is there */
        if (!LLVMGetIsDisjoint(inst))
            return NULL;
        LLVMValueRef sum = LLVMBuildAdd(s->b, tsr__scalar_of(s, x), tsr__scalar_of(s, LLVMGetOperand(inst, 1)), "");
        if (LLVMIsABinaryOperator(sum) && !s->mask) {
            LLVMSetNSW(sum, true);
            LLVMSetNUW(sum, true);
        }
        return sum;
    }
    default:
        return NULL;
    }
}

static bool adds_up(LLVMValueRef inst)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
}

static void clone_whole(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef other = tsr__is_uniform(tsr__shape_of(&s->shapes, inst)) ? NULL : extrapolate_lane0(s, inst);
    if (other) {
        tsr__set_scalar(s, inst, other);
        return;
    }
    LLVMValueRef copy = LLVMInstructionClone(inst);
    for (int i = 0; i < LLVMGetNumOperands(inst); i++)
        LLVMSetOperand(copy, (unsigned)i, tsr__scalar_of(s, LLVMGetOperand(inst, (unsigned)i)));
    if (!tsr__is_uniform(tsr__shape_of(&s->shapes, inst)) || s->mask) {
        struct tsr__shape shape = tsr__shape_of(&s->shapes, inst);
        bool stays = !s->mask && adds_up(inst), nsw = stays && LLVMGetNSW(inst) && shape.nsw;
        bool nuw = stays && LLVMGetNUW(inst) && shape.nuw;
        drop_promises(copy);
        if (nsw) /* as its extension is taken to be exact */
            LLVMSetNSW(copy, true);
        if (nuw)
            LLVMSetNUW(copy, true);
    }
    LLVMInsertIntoBuilder(s->b, copy);
    tsr__set_scalar(s, inst, copy);
}

static bool operands_have_wholes(struct tsr__widener *s, LLVMValueRef inst)
{
    for (int i = 0; i < LLVMGetNumOperands(inst); i++)
        if (tsr__is_varying(tsr__shape_here(s, LLVMGetOperand(inst, (unsigned)i))))
            return false;
    return true;
}

/* ---- vector ---- */

static LLVMValueRef with_fast_math(LLVMValueRef made, LLVMValueRef inst)
{
    if (LLVMIsAInstruction(made) && LLVMCanValueUseFastMathFlags(made) && LLVMCanValueUseFastMathFlags(inst))
        LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(inst));
    return made;
}

static bool never_traps(LLVMValueRef divisor)
{
    int64_t number;
    return tsr__constant_int(divisor, &number) && number != 0 && number != -1;
}

static LLVMValueRef build_binary(struct tsr__widener *s, LLVMValueRef inst, LLVMOpcode op, LLVMValueRef x, LLVMValueRef y)
{
    bool divides = op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
    LLVMValueRef quotient = divides ? tsr__build_division(s, inst, x, y) : NULL;
    if (quotient)
        return quotient;
    /* An absent lane's divisor may be poison, and division by poison is undefined even if nobody looks at it. */
    if (s->mask && divides && !never_traps(LLVMGetOperand(inst, 1)))
        y = LLVMBuildSelect(s->b, s->mask, y, tsr__splat(s, LLVMConstInt(tsr__component_type(LLVMTypeOf(inst), 0), 1, false)), "");
    quotient = divides ? tsr__build_wide_division(s, inst, x, y) : NULL;
    if (quotient)
        return quotient;
    LLVMValueRef made = LLVMBuildBinOp(s->b, op, x, y, "");
    if (!LLVMIsAInstruction(made))
        return made;
    if (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl) {
        LLVMSetNSW(made, LLVMGetNSW(inst));
        LLVMSetNUW(made, LLVMGetNUW(inst));
    } else if (op == LLVMOr)
        LLVMSetIsDisjoint(made, LLVMGetIsDisjoint(inst));
    return with_fast_math(made, inst);
}

static LLVMTypeRef vector_type(struct tsr__widener *s, LLVMValueRef inst, int component)
{
    return tsr__vector_of(s, tsr__component_type(LLVMTypeOf(inst), component));
}

enum { SMALL_BITS = 16, MAX_DEPTH = 4 };
_Static_assert(TSR_WORK_GROUP_BOUND == 1 << SMALL_BITS, "bits of small results");

/* How many bits of an unsigned number made of ids and sizes in a work-group may be set; 64: any. */
static unsigned bits_of_number(LLVMValueRef v, int depth)
{
    if (tsr__call_info(tsr__call_of(v))->small)
        return SMALL_BITS;
    if (!depth || !LLVMIsAInstruction(v) || (LLVMGetInstructionOpcode(v) != LLVMMul && LLVMGetInstructionOpcode(v) != LLVMAdd))
        return 64;
    unsigned a = bits_of_number(LLVMGetOperand(v, 0), depth - 1), b = bits_of_number(LLVMGetOperand(v, 1), depth - 1);
    return LLVMGetInstructionOpcode(v) == LLVMMul ? a + b : (a > b ? a : b) + 1;
}

/* Ids and sizes in a work-group have few bits, and AVX2 has no instruction that makes a float of 64. */
static LLVMValueRef integer_to_float(struct tsr__widener *s, LLVMValueRef inst, int component)
{
    LLVMValueRef number = LLVMGetOperand(inst, 0), from = tsr__component_of(s, number, component);
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    LLVMTypeRef type = LLVMTypeOf(number);
    bool wide = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 32;
    unsigned bits = wide ? bits_of_number(number, MAX_DEPTH) : 64;
    if (bits <= 32) {
        op = bits < 32 ? LLVMSIToFP : LLVMUIToFP;
        from = LLVMBuildIntCast2(s->b, from, tsr__vector_of(s, LLVMInt32TypeInContext(s->l->context)), false, "");
    }
    return LLVMBuildCast(s->b, op, from, vector_type(s, inst, component), "");
}

/* One part of an instruction that treats the scalars of its operands separately. NULL: no such instruction. */
static LLVMValueRef by_part(struct tsr__widener *s, LLVMValueRef inst, int component)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    if (LLVMIsABinaryOperator(inst))
        return build_binary(s, inst, op, tsr__component_of(s, LLVMGetOperand(inst, 0), component),
                            tsr__component_of(s, LLVMGetOperand(inst, 1), component));
    switch (op) {
    case LLVMICmp:
        return LLVMBuildICmp(s->b, LLVMGetICmpPredicate(inst), tsr__component_of(s, LLVMGetOperand(inst, 0), component),
                             tsr__component_of(s, LLVMGetOperand(inst, 1), component), "");
    case LLVMFCmp:
        return with_fast_math(LLVMBuildFCmp(s->b, LLVMGetFCmpPredicate(inst), tsr__component_of(s, LLVMGetOperand(inst, 0), component),
                                            tsr__component_of(s, LLVMGetOperand(inst, 1), component), ""),
                              inst);
    case LLVMFNeg:
        return with_fast_math(LLVMBuildFNeg(s->b, tsr__component_of(s, LLVMGetOperand(inst, 0), component), ""), inst);
    case LLVMFreeze:
        return LLVMBuildFreeze(s->b, tsr__component_of(s, LLVMGetOperand(inst, 0), component), "");
    case LLVMSelect: {
        LLVMValueRef c = LLVMGetOperand(inst, 0);
        LLVMValueRef x = tsr__component_of(s, LLVMGetOperand(inst, 1), component),
                     y = tsr__component_of(s, LLVMGetOperand(inst, 2), component);
        bool vector = LLVMGetTypeKind(LLVMTypeOf(c)) == LLVMVectorTypeKind;
        LLVMValueRef cond =
            !vector && tsr__is_uniform(tsr__shape_here(s, c)) ? tsr__scalar_of(s, c) : tsr__component_of(s, c, vector ? component : 0);
        return with_fast_math(LLVMBuildSelect(s->b, cond, x, y, ""), inst);
    }
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
        return with_fast_math(
            LLVMBuildCast(s->b, op, tsr__component_of(s, LLVMGetOperand(inst, 0), component), vector_type(s, inst, component), ""), inst);
    case LLVMUIToFP:
    case LLVMSIToFP:
        return with_fast_math(integer_to_float(s, inst, component), inst);
    default:
        return NULL;
    }
}

/* ---- bitcasts between types of different element counts ---- */

static LLVMTypeRef integer_like(struct tsr__widener *s, LLVMTypeRef scalar)
{
    return LLVMIntTypeInContext(s->l->context, (unsigned)LLVMSizeOfTypeInBits(s->layout, scalar));
}

enum { MOST_PIECES = 4 };

static void widen_bitcast(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    LLVMTypeRef from = tsr__component_type(LLVMTypeOf(v), 0), to = tsr__component_type(LLVMTypeOf(inst), 0);
    int from_count = tsr__component_count(LLVMTypeOf(v)), to_count = tsr__component_count(LLVMTypeOf(inst));
    LLVMTypeRef small_from = tsr__vector_of(s, integer_like(s, from)), wide_to = tsr__vector_of(s, to),
                int_to = tsr__vector_of(s, integer_like(s, to));
    unsigned from_bits = (unsigned)LLVMSizeOfTypeInBits(s->layout, from), to_bits = (unsigned)LLVMSizeOfTypeInBits(s->layout, to);
    for (int i = 0; i < to_count; i++) {
        LLVMValueRef made, pieces[MOST_PIECES];
        const int count = from_count / to_count;
        for (int k = 0; k < count && k < MOST_PIECES; k++)
            pieces[k] = tsr__component_of(s, v, i * count + k);
        if (from_count == to_count) {
            made = LLVMBuildBitCast(s->b, tsr__component_of(s, v, i), wide_to, "");
        } else if (from_count > to_count && tsr__is_loaded_word(s, pieces, (unsigned)count, from_bits)) {
            for (int k = 0; k < count; k++)
                pieces[k] = LLVMBuildBitCast(s->b, pieces[k], small_from, "");
            made = LLVMBuildBitCast(s->b, tsr__interleave_vectors(s, pieces, (unsigned)count), wide_to, "");
        } else if (from_count > to_count) { /* several small ones make a large one, the first lowest */
            made = LLVMConstNull(int_to);
            int each = from_count / to_count;
            for (int k = 0; k < each; k++) {
                LLVMValueRef piece = LLVMBuildBitCast(s->b, tsr__component_of(s, v, i * each + k), small_from, "");
                piece = LLVMBuildZExt(s->b, piece, int_to, "");
                LLVMValueRef by = tsr__splat(s, LLVMConstInt(integer_like(s, to), (uint64_t)k * from_bits, false));
                made = LLVMBuildOr(s->b, made, LLVMBuildShl(s->b, piece, by, ""), "");
            }
            made = LLVMBuildBitCast(s->b, made, wide_to, "");
        } else {
            int each = to_count / from_count;
            LLVMValueRef large = LLVMBuildBitCast(s->b, tsr__component_of(s, v, i / each), small_from, "");
            LLVMValueRef by = tsr__splat(s, LLVMConstInt(integer_like(s, from), (uint64_t)(i % each) * to_bits, false));
            made = LLVMBuildTrunc(s->b, LLVMBuildLShr(s->b, large, by, ""), int_to, "");
            made = LLVMBuildBitCast(s->b, made, wide_to, "");
        }
        tsr__set_component(s, inst, i, made);
    }
}

/* ---- vectors and structs ---- */

static void extract_element(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0), index = LLVMGetOperand(inst, 1);
    int count = tsr__component_count(LLVMTypeOf(v));
    if (LLVMIsAConstantInt(index)) {
        uint64_t i = LLVMConstIntGetZExtValue(index);
        tsr__set_component(s, inst, 0, i < (uint64_t)count ? tsr__component_of(s, v, (int)i) : LLVMGetPoison(vector_type(s, inst, 0)));
        return;
    }
    LLVMValueRef made = tsr__component_of(s, v, 0), wanted = tsr__component_of(s, index, 0);
    for (int i = 1; i < count; i++) {
        LLVMValueRef is = LLVMBuildICmp(s->b, LLVMIntEQ, wanted, tsr__splat(s, LLVMConstInt(LLVMTypeOf(index), (uint64_t)i, false)), "");
        made = LLVMBuildSelect(s->b, is, tsr__component_of(s, v, i), made, "");
    }
    tsr__set_component(s, inst, 0, made);
}

static void insert_element(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0), x = LLVMGetOperand(inst, 1), index = LLVMGetOperand(inst, 2);
    int count = tsr__component_count(LLVMTypeOf(v));
    LLVMValueRef new = tsr__component_of(s, x, 0);
    for (int i = 0; i < count; i++) {
        LLVMValueRef old = tsr__component_of(s, v, i), made = old;
        if (LLVMIsAConstantInt(index)) {
            if (LLVMConstIntGetZExtValue(index) == (uint64_t)i)
                made = new;
        } else {
            LLVMValueRef at = tsr__splat(s, LLVMConstInt(LLVMTypeOf(index), (uint64_t)i, false));
            made = LLVMBuildSelect(s->b, LLVMBuildICmp(s->b, LLVMIntEQ, tsr__component_of(s, index, 0), at, ""), new, old, "");
        }
        tsr__set_component(s, inst, i, made);
    }
}

static void shuffle_vector(struct tsr__widener *s, LLVMValueRef inst)
{
    for (unsigned i = 0; i < LLVMGetNumMaskElements(inst); i++) {
        unsigned operand, element;
        LLVMValueRef made = tsr__shuffle_source(inst, i, &operand, &element)
                                ? tsr__component_of(s, LLVMGetOperand(inst, operand), (int)element)
                                : LLVMGetPoison(vector_type(s, inst, (int)i));
        tsr__set_component(s, inst, (int)i, made);
    }
}

/* Number of the first scalar of the member that the indices of an insertvalue or extractvalue name. */
static int first_part(LLVMTypeRef type, LLVMValueRef inst)
{
    int component = 0;
    for (unsigned i = 0; i < LLVMGetNumIndices(inst); i++) {
        unsigned index = LLVMGetIndices(inst)[i];
        if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
            type = LLVMGetElementType(type);
            component += (int)index * tsr__component_count(type);
            continue;
        }
        for (unsigned k = 0; k < index; k++)
            component += tsr__component_count(LLVMStructGetTypeAtIndex(type, k));
        type = LLVMStructGetTypeAtIndex(type, index);
    }
    return component;
}

static void extract_value(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    int first = first_part(LLVMTypeOf(v), inst);
    for (int i = 0; i < tsr__component_count(LLVMTypeOf(inst)); i++)
        tsr__set_component(s, inst, i, tsr__component_of(s, v, first + i));
}

static void insert_value(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0), x = LLVMGetOperand(inst, 1);
    int first = first_part(LLVMTypeOf(v), inst), count = tsr__component_count(LLVMTypeOf(x));
    for (int i = 0; i < tsr__component_count(LLVMTypeOf(inst)); i++)
        tsr__set_component(s, inst, i, i >= first && i < first + count ? tsr__component_of(s, x, i - first) : tsr__component_of(s, v, i));
}

bool tsr__widen_arith(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    bool known = LLVMIsABinaryOperator(inst) || LLVMIsACastInst(inst);
    switch (op) {
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMFNeg:
    case LLVMFreeze:
    case LLVMSelect:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue:
        known = true;
        break;
    default:
        break;
    }
    if (!known)
        return false;
    if (!tsr__is_varying(tsr__shape_of(&s->shapes, inst)) && operands_have_wholes(s, inst)) {
        clone_whole(s, inst);
        return true;
    }
    switch (op) {
    case LLVMBitCast:
        widen_bitcast(s, inst);
        return true;
    case LLVMExtractElement:
        extract_element(s, inst);
        return true;
    case LLVMInsertElement:
        insert_element(s, inst);
        return true;
    case LLVMShuffleVector:
        shuffle_vector(s, inst);
        return true;
    case LLVMExtractValue:
        extract_value(s, inst);
        return true;
    case LLVMInsertValue:
        insert_value(s, inst);
        return true;
    default:
        for (int i = 0; i < tsr__component_count(LLVMTypeOf(inst)); i++)
            tsr__set_component(s, inst, i, by_part(s, inst, i));
        if (!tsr__is_varying(tsr__shape_of(&s->shapes, inst))) /* the lanes' bits are masked away */
            tsr__set_scalar(s, inst, LLVMBuildExtractElement(s->b, tsr__component_of(s, inst, 0), tsr__i32(s->l, 0), ""));
        return true;
    }
}
