/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic and bit instructions (SPIR-V specification 3.52.13 and 3.52.14). */
#include "clc/spirv/reader.h"

#include <string.h>

/* An operand of the result's type, which has to be of integers or of floats. */
static LLVMValueRef like_result(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, bool floats)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    if (LLVMTypeOf(value) != type || !(floats ? tsr__is_float(type) : tsr__is_int(type)))
        tsr__spirv_fail(r, in, "operand %u has to be of the type of the result, %s", operand + 1, floats ? "floats" : "integers");
    return value;
}

/* An operand that is an integer or a vector of integers. */
static LLVMValueRef int_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (!tsr__is_int(LLVMTypeOf(value)))
        tsr__spirv_fail(r, in, "operand %u has to be an integer or a vector of integers", operand + 1);
    return value;
}

static LLVMValueRef call_like_result(struct tsr__reader *r, const struct tsr__inst *in, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    struct tsr__arg args[] = {{.value = a}, {.value = b}};
    return tsr__spirv_call(r, name, tsr__spirv_result_type(r, in)->llvm, args, b ? 2 : 1, TSR__PURE);
}

LLVMValueRef tsr__emit_int_negate(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    return LLVMBuildNeg(r->builder, like_result(r, in, 0, false), "");
}

LLVMValueRef tsr__emit_float_negate(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    return LLVMBuildFNeg(r->builder, like_result(r, in, 0, true), "");
}

LLVMValueRef tsr__emit_not(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    return LLVMBuildNot(r->builder, like_result(r, in, 0, false), "");
}

LLVMValueRef tsr__emit_int_binary(struct tsr__reader *r, const struct tsr__inst *in, int opcode)
{
    return LLVMBuildBinOp(r->builder, (LLVMOpcode)opcode, like_result(r, in, 0, false), like_result(r, in, 1, false), "");
}

/* The remainder has the sign of the divisor: that of the division, plus the divisor where the signs differ and it is not zero. */
LLVMValueRef tsr__emit_int_modulo(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef a = like_result(r, in, 0, false), b = like_result(r, in, 1, false), zero = LLVMConstNull(LLVMTypeOf(a));
    LLVMValueRef rest = LLVMBuildSRem(r->builder, a, b, "");
    LLVMValueRef differ = LLVMBuildICmp(r->builder, LLVMIntSLT, LLVMBuildXor(r->builder, rest, b, ""), zero, "");
    LLVMValueRef there = LLVMBuildICmp(r->builder, LLVMIntNE, rest, zero, "");
    LLVMValueRef add = LLVMBuildSelect(r->builder, LLVMBuildAnd(r->builder, differ, there, ""), b, zero, "");
    return LLVMBuildAdd(r->builder, rest, add, "");
}

/* As OpenCL C has it, only the lower bits of the distance count. */
LLVMValueRef tsr__emit_shift(struct tsr__reader *r, const struct tsr__inst *in, int opcode)
{
    LLVMValueRef base = like_result(r, in, 0, false), distance = int_operand(r, in, 1);
    LLVMTypeRef type = LLVMTypeOf(base);
    if (tsr__is_vector(type) != tsr__is_vector(LLVMTypeOf(distance)) ||
        (tsr__is_vector(type) && LLVMGetVectorSize(type) != LLVMGetVectorSize(LLVMTypeOf(distance))))
        tsr__spirv_fail(r, in, "base and distance have different numbers of elements");
    distance = LLVMBuildIntCast2(r->builder, distance, type, false, "");
    LLVMValueRef most = LLVMConstInt(tsr__scalar(type), LLVMGetIntTypeWidth(tsr__scalar(type)) - 1, false);
    distance = LLVMBuildAnd(r->builder, distance, tsr__spirv_splat(r, type, most), "");
    return LLVMBuildBinOp(r->builder, (LLVMOpcode)opcode, base, distance, "");
}

LLVMValueRef tsr__emit_float_binary(struct tsr__reader *r, const struct tsr__inst *in, int opcode)
{
    return LLVMBuildBinOp(r->builder, (LLVMOpcode)opcode, like_result(r, in, 0, true), like_result(r, in, 1, true), "");
}

LLVMValueRef tsr__emit_float_remainder(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    return call_like_result(r, in, "fmod", like_result(r, in, 0, true), like_result(r, in, 1, true));
}

/* The remainder has the sign of the divisor: that of fmod, plus the divisor where the signs differ and it is not zero. */
LLVMValueRef tsr__emit_float_modulo(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef a = like_result(r, in, 0, true), b = like_result(r, in, 1, true), zero = LLVMConstNull(LLVMTypeOf(a));
    LLVMValueRef rest = call_like_result(r, in, "fmod", a, b);
    LLVMValueRef below = LLVMBuildFCmp(r->builder, LLVMRealOLT, rest, zero, "");
    LLVMValueRef divisor_below = LLVMBuildFCmp(r->builder, LLVMRealOLT, b, zero, "");
    LLVMValueRef there = LLVMBuildFCmp(r->builder, LLVMRealUNE, rest, zero, "");
    LLVMValueRef differ = LLVMBuildAnd(r->builder, LLVMBuildXor(r->builder, below, divisor_below, ""), there, "");
    LLVMValueRef moved = LLVMBuildFAdd(r->builder, rest, b, "");
    return LLVMBuildSelect(r->builder, differ, moved, call_like_result(r, in, "copysign", rest, b), "");
}

LLVMValueRef tsr__emit_fma(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    struct tsr__arg args[3];
    for (uint32_t i = 0; i < 3; i++)
        args[i] = (struct tsr__arg){.value = like_result(r, in, i, true)};
    return tsr__spirv_call(r, "fma", tsr__spirv_result_type(r, in)->llvm, args, 3, TSR__PURE);
}

LLVMValueRef tsr__emit_vector_times_scalar(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef vector = like_result(r, in, 0, true), scalar = tsr__spirv_value(r, in, 1);
    LLVMTypeRef type = LLVMTypeOf(vector);
    if (!tsr__is_vector(type) || LLVMTypeOf(scalar) != LLVMGetElementType(type))
        tsr__spirv_fail(r, in, "it takes a vector of floats and one float of the same type");
    LLVMValueRef all = LLVMGetUndef(type);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
        all = LLVMBuildInsertElement(r->builder, all, scalar, tsr__u32(r, i), "");
    return LLVMBuildFMul(r->builder, vector, all, "");
}

LLVMValueRef tsr__emit_dot(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef a = tsr__spirv_value(r, in, 0), b = tsr__spirv_value(r, in, 1);
    bool bfloat16 = tsr__is_bfloat16(tsr__spirv_type_of(r, in, 0)) && tsr__is_bfloat16(tsr__spirv_type_of(r, in, 1));
    if (bfloat16 != tsr__is_bfloat16(tsr__spirv_result_type(r, in)))
        tsr__spirv_fail(r, in, "its operands do not fit the type of its result");
    if (bfloat16) { /* summed up as floats, rounded once */
        a = tsr__spirv_bfloat16_to_float(r, a);
        b = tsr__spirv_bfloat16_to_float(r, b);
    }
    LLVMTypeRef type = LLVMTypeOf(a);
    if (type != LLVMTypeOf(b) || !tsr__is_vector(type) || !tsr__is_float(type))
        tsr__spirv_fail(r, in, "it takes two vectors of floats of one type");
    unsigned count = LLVMGetVectorSize(type);
    if (count <= 4 && !bfloat16)
        return call_like_result(r, in, "dot", a, b);
    LLVMValueRef sum = NULL;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef product = LLVMBuildFMul(r->builder, LLVMBuildExtractElement(r->builder, a, tsr__u32(r, i), ""),
                                             LLVMBuildExtractElement(r->builder, b, tsr__u32(r, i), ""), "");
        sum = sum ? LLVMBuildFAdd(r->builder, sum, product, "") : product;
    }
    return bfloat16 ? tsr__spirv_float_to_bfloat16(r, sum) : sum;
}

/* ---- integer dot products ---- */

/* One operand as a vector of four bytes, if it is a packed word. */
static LLVMValueRef unpacked(struct tsr__reader *r, LLVMValueRef value)
{
    if (tsr__is_vector(LLVMTypeOf(value)))
        return value;
    return LLVMBuildBitCast(r->builder, value, LLVMVectorType(LLVMInt8TypeInContext(r->context), 4), "");
}

/* With bytes it is the function of OpenCL C, for which the engine has instructions; with other widths the sum is written out. */
static LLVMValueRef dot_of_bytes(struct tsr__reader *r, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum, int signs)
{
    enum tsr__sign left = signs == TSR__DOT_UU ? TSR__UNSIGNED : TSR__SIGNED, right = signs == TSR__DOT_SS ? TSR__SIGNED : TSR__UNSIGNED;
    struct tsr__arg args[] = {{.value = a, .sign = left}, {.value = b, .sign = right}, {.value = sum, .sign = left}};
    return tsr__spirv_call(r, sum ? "dot_acc_sat" : "dot", tsr__i32(r), args, sum ? 3 : 2, TSR__PURE);
}

LLVMValueRef tsr__emit_int_dot(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    int signs = argument & ~TSR__DOT_SATURATE;
    bool saturate = argument & TSR__DOT_SATURATE;
    LLVMTypeRef result = tsr__spirv_result_type(r, in)->llvm;
    LLVMValueRef a = unpacked(r, int_operand(r, in, 0)), b = unpacked(r, int_operand(r, in, 1));
    LLVMValueRef sum = saturate ? tsr__spirv_value(r, in, 2) : NULL;
    LLVMTypeRef type = LLVMTypeOf(a);
    if (type != LLVMTypeOf(b) || LLVMGetTypeKind(result) != LLVMIntegerTypeKind || (sum && LLVMTypeOf(sum) != result))
        tsr__spirv_fail(r, in, "it takes two vectors of one type, and a sum of the type of the result");
    if (LLVMGetVectorSize(type) == 4 && LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 8 && result == tsr__i32(r))
        return dot_of_bytes(r, a, b, sum, signs);
    LLVMValueRef total = LLVMConstNull(result);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef x = LLVMBuildExtractElement(r->builder, a, tsr__u32(r, i), ""),
                     y = LLVMBuildExtractElement(r->builder, b, tsr__u32(r, i), "");
        x = LLVMBuildIntCast2(r->builder, x, result, signs != TSR__DOT_UU, "");
        y = LLVMBuildIntCast2(r->builder, y, result, signs == TSR__DOT_SS, "");
        total = LLVMBuildAdd(r->builder, total, LLVMBuildMul(r->builder, x, y, ""), "");
    }
    if (!saturate)
        return total;
    LLVMValueRef pair[] = {total, sum};
    return tsr__spirv_call_intrinsic(r, signs == TSR__DOT_UU ? "llvm.uadd.sat" : "llvm.sadd.sat", result, pair, 2);
}

/* ---- results of two members ---- */

static LLVMValueRef pair(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef low, LLVMValueRef high)
{
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind != TSR__STRUCT || type->count != 2 || type->members[0]->llvm != LLVMTypeOf(low) || type->members[1] != type->members[0])
        tsr__spirv_fail(r, in, "its result has to be a struct of two members of the type of the operands");
    LLVMValueRef both = LLVMBuildInsertValue(r->builder, LLVMGetUndef(type->llvm), low, 0, "");
    return LLVMBuildInsertValue(r->builder, both, high, 1, "");
}

static void two_ints(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef value[2])
{
    for (uint32_t i = 0; i < 2; i++)
        value[i] = int_operand(r, in, i);
    if (LLVMTypeOf(value[0]) != LLVMTypeOf(value[1]))
        tsr__spirv_fail(r, in, "its operands are of different types");
}

LLVMValueRef tsr__emit_add_carry(struct tsr__reader *r, const struct tsr__inst *in, int opcode)
{
    LLVMValueRef v[2];
    two_ints(r, in, v);
    LLVMValueRef low = LLVMBuildBinOp(r->builder, (LLVMOpcode)opcode, v[0], v[1], "");
    LLVMValueRef carry =
        opcode == LLVMAdd ? LLVMBuildICmp(r->builder, LLVMIntULT, low, v[0], "") : LLVMBuildICmp(r->builder, LLVMIntULT, v[0], v[1], "");
    return pair(r, in, low, LLVMBuildZExt(r->builder, carry, LLVMTypeOf(low), ""));
}

LLVMValueRef tsr__emit_mul_extended(struct tsr__reader *r, const struct tsr__inst *in, int sign)
{
    LLVMValueRef v[2];
    two_ints(r, in, v);
    struct tsr__arg args[] = {{.value = v[0], .sign = (enum tsr__sign)sign}, {.value = v[1], .sign = (enum tsr__sign)sign}};
    LLVMValueRef high = tsr__spirv_call(r, "mul_hi", LLVMTypeOf(v[0]), args, 2, TSR__PURE);
    return pair(r, in, LLVMBuildMul(r->builder, v[0], v[1], ""), high);
}

/* ---- bits ---- */

/* A scalar operand in each element of the result's type; at most `most`. */
static LLVMValueRef broadcast(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    LLVMValueRef value = int_operand(r, in, operand);
    if (tsr__is_vector(LLVMTypeOf(value)))
        tsr__spirv_fail(r, in, "operand %u has to be one integer", operand + 1);
    value = LLVMBuildIntCast2(r->builder, value, tsr__scalar(type), false, "");
    if (!tsr__is_vector(type))
        return value;
    LLVMValueRef all = LLVMGetUndef(type);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
        all = LLVMBuildInsertElement(r->builder, all, value, tsr__u32(r, i), "");
    return all;
}

/* Shifts in which a distance of the whole width gives 0, as a field of no bits has it. */
static LLVMValueRef shift_out(struct tsr__reader *r, LLVMOpcode opcode, LLVMValueRef value, LLVMValueRef distance)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef width = tsr__spirv_splat(r, type, LLVMConstInt(tsr__scalar(type), LLVMGetIntTypeWidth(tsr__scalar(type)), false));
    LLVMValueRef out = LLVMBuildICmp(r->builder, LLVMIntUGE, distance, width, "");
    LLVMValueRef safe = LLVMBuildSelect(r->builder, out, LLVMConstNull(type), distance, "");
    return LLVMBuildSelect(r->builder, out, LLVMConstNull(type), LLVMBuildBinOp(r->builder, opcode, value, safe, ""), "");
}

static LLVMValueRef width_minus(struct tsr__reader *r, LLVMValueRef count)
{
    LLVMTypeRef type = LLVMTypeOf(count);
    LLVMValueRef width = tsr__spirv_splat(r, type, LLVMConstInt(tsr__scalar(type), LLVMGetIntTypeWidth(tsr__scalar(type)), false));
    return LLVMBuildSub(r->builder, width, count, "");
}

LLVMValueRef tsr__emit_bit_field_insert(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef base = like_result(r, in, 0, false), field = like_result(r, in, 1, false);
    LLVMValueRef offset = broadcast(r, in, 2), count = broadcast(r, in, 3), ones = LLVMConstAllOnes(LLVMTypeOf(base));
    LLVMValueRef mask = shift_out(r, LLVMShl, shift_out(r, LLVMLShr, ones, width_minus(r, count)), offset);
    LLVMValueRef kept = LLVMBuildAnd(r->builder, base, LLVMBuildNot(r->builder, mask, ""), "");
    return LLVMBuildOr(r->builder, kept, LLVMBuildAnd(r->builder, shift_out(r, LLVMShl, field, offset), mask, ""), "");
}

LLVMValueRef tsr__emit_bit_field_extract(struct tsr__reader *r, const struct tsr__inst *in, int sign)
{
    LLVMValueRef base = like_result(r, in, 0, false), offset = broadcast(r, in, 1), count = broadcast(r, in, 2);
    LLVMValueRef left = shift_out(r, LLVMShl, base, width_minus(r, LLVMBuildAdd(r->builder, offset, count, "")));
    return shift_out(r, sign == TSR__SIGNED ? LLVMAShr : LLVMLShr, left, width_minus(r, count));
}

LLVMValueRef tsr__emit_bit_reverse(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef value = like_result(r, in, 0, false);
    return tsr__spirv_call_intrinsic(r, "llvm.bitreverse", LLVMTypeOf(value), &value, 1);
}

LLVMValueRef tsr__emit_bit_count(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef value = int_operand(r, in, 0);
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    LLVMValueRef count = tsr__spirv_call_intrinsic(r, "llvm.ctpop", LLVMTypeOf(value), &value, 1);
    if (!tsr__is_int(type) || tsr__with_scalar(type, tsr__scalar(LLVMTypeOf(value))) != LLVMTypeOf(value))
        tsr__spirv_fail(r, in, "its result has to have as many integers as its operand");
    return LLVMBuildIntCast2(r->builder, count, type, false, "");
}
