/* SPDX-License-Identifier: Apache-2.0
 * Comparisons, truth values and selection (SPIR-V specification 3.52.15), and what a program promises of values. */
#include "clc/spirv/reader.h"

static LLVMTypeRef truth_like(struct tsr__reader *r, LLVMTypeRef type)
{
    return tsr__with_scalar(type, LLVMInt1TypeInContext(r->context));
}

/* Two operands of one type, of integers or of floats. */
static void operands(struct tsr__reader *r, const struct tsr__inst *in, bool floats, LLVMValueRef value[2])
{
    for (uint32_t i = 0; i < 2; i++)
        value[i] = tsr__spirv_value(r, in, i);
    LLVMTypeRef type = LLVMTypeOf(value[0]);
    if (type != LLVMTypeOf(value[1]) || !(floats ? tsr__is_float(type) : tsr__is_int(type)))
        tsr__spirv_fail(r, in, "its operands have to be of one type, of %s", floats ? "floats" : "integers");
}

static LLVMValueRef float_operand(struct tsr__reader *r, const struct tsr__inst *in)
{
    LLVMValueRef value = tsr__spirv_value(r, in, 0);
    if (!tsr__is_float(LLVMTypeOf(value)))
        tsr__spirv_fail(r, in, "its operand has to be a float or a vector of floats");
    return value;
}

static LLVMValueRef truth_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (LLVMTypeOf(value) != truth_like(r, LLVMTypeOf(value)))
        tsr__spirv_fail(r, in, "operand %u has to be a truth value or a vector of them", operand + 1);
    return value;
}

LLVMValueRef tsr__emit_int_compare(struct tsr__reader *r, const struct tsr__inst *in, int predicate)
{
    LLVMValueRef v[2];
    operands(r, in, false, v);
    return LLVMBuildICmp(r->builder, (LLVMIntPredicate)predicate, v[0], v[1], "");
}

LLVMValueRef tsr__emit_pointer_compare(struct tsr__reader *r, const struct tsr__inst *in, int predicate)
{
    LLVMValueRef a = tsr__spirv_value(r, in, 0), b = tsr__spirv_value(r, in, 1);
    if (LLVMTypeOf(a) != LLVMTypeOf(b) || LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMPointerTypeKind)
        tsr__spirv_fail(r, in, "its operands have to be pointers of one type");
    return LLVMBuildICmp(r->builder, (LLVMIntPredicate)predicate, a, b, "");
}

LLVMValueRef tsr__emit_float_compare(struct tsr__reader *r, const struct tsr__inst *in, int predicate)
{
    LLVMValueRef v[2];
    operands(r, in, true, v);
    return LLVMBuildFCmp(r->builder, (LLVMRealPredicate)predicate, v[0], v[1], "");
}

/* The bits without the sign, compared with those of infinity and of the smallest normal number. */
LLVMValueRef tsr__emit_float_class(struct tsr__reader *r, const struct tsr__inst *in, int class)
{
    LLVMValueRef x = float_operand(r, in);
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned width = (unsigned)LLVMSizeOfTypeInBits(r->layout, tsr__scalar(type)), mantissa = width == 16 ? 10 : width == 32 ? 23 : 52;
    LLVMTypeRef scalar = LLVMIntTypeInContext(r->context, width), bits_type = tsr__with_scalar(type, scalar);
    uint64_t all = width == 64 ? UINT64_MAX : (1ull << width) - 1, sign = 1ull << (width - 1),
             infinity = (all & ~sign) >> mantissa << mantissa;
    LLVMValueRef bits = LLVMBuildBitCast(r->builder, x, bits_type, "");
    bits = LLVMBuildAnd(r->builder, bits, tsr__spirv_splat(r, bits_type, LLVMConstInt(scalar, all & ~sign, false)), "");
    LLVMValueRef limit = tsr__spirv_splat(r, bits_type, LLVMConstInt(scalar, infinity, false));
    LLVMValueRef least = tsr__spirv_splat(r, bits_type, LLVMConstInt(scalar, 1ull << mantissa, false));
    switch (class) {
    case TSR__CLASS_NAN:
        return LLVMBuildICmp(r->builder, LLVMIntUGT, bits, limit, "");
    case TSR__CLASS_INFINITE:
        return LLVMBuildICmp(r->builder, LLVMIntEQ, bits, limit, "");
    case TSR__CLASS_FINITE:
        return LLVMBuildICmp(r->builder, LLVMIntULT, bits, limit, "");
    default:
        return LLVMBuildAnd(r->builder, LLVMBuildICmp(r->builder, LLVMIntULT, bits, limit, ""),
                            LLVMBuildICmp(r->builder, LLVMIntUGE, bits, least, ""), "");
    }
}

LLVMValueRef tsr__emit_sign_bit(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef x = float_operand(r, in);
    LLVMTypeRef scalar = LLVMIntTypeInContext(r->context, (unsigned)LLVMSizeOfTypeInBits(r->layout, tsr__scalar(LLVMTypeOf(x))));
    LLVMTypeRef type = tsr__with_scalar(LLVMTypeOf(x), scalar);
    return LLVMBuildICmp(r->builder, LLVMIntSLT, LLVMBuildBitCast(r->builder, x, type, ""), LLVMConstNull(type), "");
}

LLVMValueRef tsr__emit_logical(struct tsr__reader *r, const struct tsr__inst *in, int opcode)
{
    LLVMValueRef a = truth_operand(r, in, 0), b = truth_operand(r, in, 1);
    if (LLVMTypeOf(a) != LLVMTypeOf(b))
        tsr__spirv_fail(r, in, "its operands are of different types");
    switch (opcode) {
    case TSR__OpLogicalOr:
        return LLVMBuildOr(r->builder, a, b, "");
    case TSR__OpLogicalAnd:
        return LLVMBuildAnd(r->builder, a, b, "");
    case TSR__OpLogicalEqual:
        return LLVMBuildICmp(r->builder, LLVMIntEQ, a, b, "");
    default:
        return LLVMBuildICmp(r->builder, LLVMIntNE, a, b, "");
    }
}

LLVMValueRef tsr__emit_logical_not(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    return LLVMBuildNot(r->builder, truth_operand(r, in, 0), "");
}

/* LLVM's writer of SPIR-V also gives it vectors of integers, as OpenCL C has them: of each the sign counts. */
LLVMValueRef tsr__emit_any_all(struct tsr__reader *r, const struct tsr__inst *in, int opcode)
{
    LLVMValueRef vector = tsr__spirv_value(r, in, 0);
    if (tsr__is_int(LLVMTypeOf(vector)) && LLVMTypeOf(vector) != truth_like(r, LLVMTypeOf(vector)))
        vector = LLVMBuildICmp(r->builder, LLVMIntSLT, vector, LLVMConstNull(LLVMTypeOf(vector)), "");
    if (!tsr__is_vector(LLVMTypeOf(vector)) || !tsr__is_int(LLVMTypeOf(vector)))
        tsr__spirv_fail(r, in, "it takes a vector of truth values");
    return tsr__spirv_call_intrinsic(r, opcode == TSR__OpAny ? "llvm.vector.reduce.or" : "llvm.vector.reduce.and", LLVMTypeOf(vector),
                                     &vector, 1);
}

LLVMValueRef tsr__emit_select(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef condition = truth_operand(r, in, 0), a = tsr__spirv_value(r, in, 1), b = tsr__spirv_value(r, in, 2);
    LLVMTypeRef type = LLVMTypeOf(a);
    if (type != LLVMTypeOf(b))
        tsr__spirv_fail(r, in, "it selects between two values of one type");
    const struct tsr__type *own = tsr__spirv_result_type(r, in);
    bool unpacks = tsr__is_int4(own) && own->kind == TSR__VECTOR && tsr__is_vector(LLVMTypeOf(condition)) && type == own->llvm;
    if (unpacks) {
        a = tsr__int4_unpack(r, own, a);
        b = tsr__int4_unpack(r, own, b);
        type = LLVMTypeOf(a);
    }
    if (tsr__is_vector(LLVMTypeOf(condition)) &&
        (!tsr__is_vector(type) || LLVMGetVectorSize(type) != LLVMGetVectorSize(LLVMTypeOf(condition))))
        tsr__spirv_fail(r, in, "the condition has another number of elements than the values");
    LLVMValueRef chosen = LLVMBuildSelect(r->builder, condition, a, b, "");
    return unpacks ? tsr__int4_pack(r, own, chosen) : chosen;
}

LLVMValueRef tsr__emit_expect(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef pair[] = {tsr__spirv_value(r, in, 0), tsr__spirv_value(r, in, 1)};
    LLVMTypeRef type = LLVMTypeOf(pair[0]);
    if (type != LLVMTypeOf(pair[1]) || !tsr__is_int(type))
        tsr__spirv_fail(r, in, "its operands have to be integers or truth values of one type");
    return tsr__is_vector(type) ? pair[0] : tsr__spirv_call_intrinsic(r, "llvm.expect", type, pair, 2);
}

LLVMValueRef tsr__emit_assume(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef condition = truth_operand(r, in, 0);
    if (tsr__is_vector(LLVMTypeOf(condition)))
        tsr__spirv_fail(r, in, "it takes one truth value");
    tsr__spirv_call_intrinsic(r, "llvm.assume", NULL, &condition, 1);
    return NULL;
}
