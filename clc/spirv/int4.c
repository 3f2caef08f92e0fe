/* SPDX-License-Identifier: Apache-2.0
 * Integers of 4 bits (SPV_INTEL_int4). One is a byte between 0 and 15 for LLVM. Vectors lie in memory as the extension says, the first
 * component in the low bits, so one is an integer of 4 bits for each component, or of 16 for three. */
#include "clc/spirv/reader.h"

enum { BITS = 4 };

LLVMTypeRef tsr__int4_vector(struct tsr__reader *r, uint32_t count)
{
    return LLVMIntTypeInContext(r->context, BITS * (count == 3 ? 4 : count));
}

LLVMTypeRef tsr__int4_bytes(struct tsr__reader *r, const struct tsr__type *type)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(r->context);
    return type->kind == TSR__VECTOR ? LLVMVectorType(byte, type->count) : byte;
}

/* A vector that is one integer; vectors of bytes come from matrices. */
static bool is_packed(const struct tsr__type *type)
{
    return tsr__is_int4_vector(type) && !tsr__is_vector(type->llvm);
}

/* An integer for `index`, as wide as the vector, that says by how many bits the component is moved. */
static LLVMValueRef shift_of(struct tsr__reader *r, LLVMValueRef vector, LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    index = LLVMBuildIntCast2(r->builder, index, type, false, "");
    return LLVMBuildMul(r->builder, index, LLVMConstInt(type, BITS, false), "");
}

LLVMValueRef tsr__int4_get(struct tsr__reader *r, LLVMValueRef vector, LLVMValueRef index)
{
    LLVMValueRef low = LLVMBuildLShr(r->builder, vector, shift_of(r, vector, index), "");
    low = LLVMBuildTrunc(r->builder, low, LLVMInt8TypeInContext(r->context), "");
    return LLVMBuildAnd(r->builder, low, LLVMConstInt(LLVMTypeOf(low), 15, false), "");
}

LLVMValueRef tsr__int4_put(struct tsr__reader *r, LLVMValueRef vector, LLVMValueRef number, LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    LLVMValueRef shift = shift_of(r, vector, index), part = LLVMBuildShl(r->builder, LLVMConstInt(type, 15, false), shift, "");
    number = LLVMBuildAnd(r->builder, number, LLVMConstInt(LLVMTypeOf(number), 15, false), "");
    number = LLVMBuildShl(r->builder, LLVMBuildZExt(r->builder, number, type, ""), shift, "");
    vector = LLVMBuildAnd(r->builder, vector, LLVMBuildNot(r->builder, part, ""), "");
    return LLVMBuildOr(r->builder, vector, number, "");
}

LLVMValueRef tsr__int4_unpack(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef value)
{
    if (!is_packed(type))
        return value;
    LLVMValueRef made = LLVMGetPoison(tsr__int4_bytes(r, type));
    for (uint32_t i = 0; i < type->count; i++)
        made = LLVMBuildInsertElement(r->builder, made, tsr__int4_get(r, value, tsr__u32(r, i)), tsr__u32(r, i), "");
    return made;
}

LLVMValueRef tsr__int4_pack(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef numbers)
{
    LLVMValueRef low = LLVMConstInt(LLVMInt8TypeInContext(r->context), 15, false);
    numbers = LLVMBuildAnd(r->builder, numbers, tsr__spirv_splat(r, LLVMTypeOf(numbers), low), "");
    if (!is_packed(type))
        return numbers;
    LLVMValueRef made = LLVMConstNull(type->llvm);
    for (uint32_t i = 0; i < type->count; i++)
        made = tsr__int4_put(r, made, LLVMBuildExtractElement(r->builder, numbers, tsr__u32(r, i), ""), tsr__u32(r, i));
    return made;
}

LLVMValueRef tsr__int4_extend(struct tsr__reader *r, LLVMValueRef numbers, bool is_signed)
{
    LLVMValueRef up = tsr__spirv_splat(r, LLVMTypeOf(numbers), LLVMConstInt(LLVMInt8TypeInContext(r->context), BITS, false));
    numbers = LLVMBuildShl(r->builder, numbers, up, "");
    return is_signed ? LLVMBuildAShr(r->builder, numbers, up, "") : LLVMBuildLShr(r->builder, numbers, up, "");
}

LLVMValueRef tsr__int4_clamp(struct tsr__reader *r, LLVMValueRef numbers, bool is_signed)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(r->context), type = LLVMTypeOf(numbers);
    LLVMValueRef most[] = {numbers, tsr__spirv_splat(r, type, LLVMConstInt(byte, is_signed ? 7 : 15, false))};
    numbers = tsr__spirv_call_intrinsic(r, is_signed ? "llvm.smin" : "llvm.umin", type, most, 2);
    LLVMValueRef least[] = {numbers, tsr__spirv_splat(r, type, LLVMConstInt(byte, 0xf8, false))};
    return is_signed ? tsr__spirv_call_intrinsic(r, "llvm.smax", type, least, 2) : numbers;
}

LLVMValueRef tsr__int4_constant(const struct tsr__type *type, const LLVMValueRef *parts)
{
    unsigned long long bits = 0;
    for (uint32_t i = 0; i < type->count; i++)
        bits |= LLVMIsAConstantInt(parts[i]) ? (LLVMConstIntGetZExtValue(parts[i]) & 15) << BITS * i : 0;
    return LLVMConstInt(type->llvm, bits, false);
}

bool tsr__int4_allows(uint32_t opcode)
{
    static const uint16_t allowed[] = {
        TSR__OpLoad,
        TSR__OpStore,
        TSR__OpCopyMemory,
        TSR__OpAccessChain,
        TSR__OpInBoundsAccessChain,
        TSR__OpPtrAccessChain,
        TSR__OpInBoundsPtrAccessChain,
        TSR__OpFunctionCall,
        TSR__OpConvertFToU,
        TSR__OpConvertFToS,
        TSR__OpConvertSToF,
        TSR__OpConvertUToF,
        TSR__OpUConvert,
        TSR__OpSConvert,
        TSR__OpSatConvertSToU,
        TSR__OpSatConvertUToS,
        TSR__OpBitcast,
        TSR__OpVectorExtractDynamic,
        TSR__OpVectorInsertDynamic,
        TSR__OpVectorShuffle,
        TSR__OpCompositeConstruct,
        TSR__OpCompositeExtract,
        TSR__OpCompositeInsert,
        TSR__OpCopyObject,
        TSR__OpCopyLogical,
        TSR__OpSelect,
        TSR__OpCooperativeMatrixLoadKHR,
        TSR__OpCooperativeMatrixStoreKHR,
        TSR__OpCooperativeMatrixMulAddKHR,
        TSR__OpCooperativeMatrixLengthKHR,
        TSR__OpCooperativeMatrixGetElementCoordINTEL,
        TSR__OpCooperativeMatrixApplyFunctionINTEL,
    };
    return tsr__is_one_of(opcode, allowed, TSR_ARRAY_LEN(allowed));
}
