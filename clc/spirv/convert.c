/* SPDX-License-Identifier: Apache-2.0
 * Conversions (SPIR-V specification 3.52.11). Those that saturate or name a rounding mode are convert_ functions of OpenCL C. */
#include "clc/spirv/reader.h"

#include <stdio.h>

enum { FROM_SIGNED = 1, TO_SIGNED = 2, FROM_FLOAT = 4, TO_FLOAT = 8, SATURATES = 16 };

static const struct conversion {
    uint32_t opcode;
    unsigned flags;
    LLVMOpcode plain; /* of numbers with different widths in both directions: an integer cast */
} conversions[] = {
    {TSR__OpConvertFToU, FROM_FLOAT, LLVMFPToUI},
    {TSR__OpConvertFToS, FROM_FLOAT | TO_SIGNED, LLVMFPToSI},
    {TSR__OpConvertSToF, FROM_SIGNED | TO_FLOAT, LLVMSIToFP},
    {TSR__OpConvertUToF, TO_FLOAT, LLVMUIToFP},
    {TSR__OpUConvert, 0, LLVMZExt},
    {TSR__OpSConvert, FROM_SIGNED | TO_SIGNED, LLVMSExt},
    {TSR__OpFConvert, FROM_FLOAT | TO_FLOAT, LLVMFPExt},
    {TSR__OpSatConvertSToU, FROM_SIGNED | SATURATES, LLVMZExt},
    {TSR__OpSatConvertUToS, TO_SIGNED | SATURATES, LLVMZExt},
};

static const struct conversion *find(int opcode)
{
    const struct conversion *c = conversions;
    while (c->opcode != (uint32_t)opcode)
        c++;
    return c;
}

static const char *type_name(struct tsr__reader *r, LLVMTypeRef type, bool is_signed, char text[24])
{
    static const char *const ints[] = {"char", "short", "int", "long"}, *const floats[] = {"half", "float", "double"};
    LLVMTypeRef scalar = tsr__scalar(type);
    int log = __builtin_ctz((unsigned)LLVMSizeOfTypeInBits(r->layout, scalar));
    bool is_int = tsr__is_int(type);
    int length = snprintf(text, 24, "%s%s", is_int && !is_signed ? "u" : "", is_int ? ints[log - 3] : floats[log - 4]);
    if (tsr__is_vector(type))
        snprintf(text + length, 24 - (size_t)length, "%u", LLVMGetVectorSize(type));
    return text;
}

/* convert_<type>[_sat][_rt.] */
static LLVMValueRef call_convert(struct tsr__reader *r, LLVMValueRef from, LLVMTypeRef to, unsigned flags, int rounding)
{
    static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn", ""};
    char type[24], name[64];
    snprintf(name, sizeof name, "convert_%s%s%s", type_name(r, to, flags & TO_SIGNED, type),
             flags & SATURATES && !(flags & TO_FLOAT) ? "_sat" : "", modes[rounding]);
    struct tsr__arg arg = {.value = from, .sign = flags & FROM_SIGNED ? TSR__SIGNED : TSR__UNSIGNED};
    return tsr__spirv_call(r, name, to, &arg, 1, TSR__PURE);
}

static LLVMValueRef plain(struct tsr__reader *r, const struct conversion *c, LLVMValueRef from, LLVMTypeRef to)
{
    if (c->flags & FROM_FLOAT && c->flags & TO_FLOAT)
        return LLVMBuildFPCast(r->builder, from, to, "");
    if (!(c->flags & (FROM_FLOAT | TO_FLOAT)))
        return LLVMBuildIntCast2(r->builder, from, to, (c->flags & FROM_SIGNED) != 0, "");
    return LLVMBuildCast(r->builder, c->plain, from, to, "");
}

/* The function of OpenCL C for as many numbers. */
static LLVMValueRef convert_bfloat16(struct tsr__reader *r, LLVMValueRef from, bool to_float)
{
    char name[48], count[4] = "";
    LLVMTypeRef type = LLVMTypeOf(from);
    if (tsr__is_vector(type))
        snprintf(count, sizeof count, "%u", LLVMGetVectorSize(type));
    if (to_float)
        snprintf(name, sizeof name, "intel_convert_as_bfloat16%s_float%s", count, count);
    else
        snprintf(name, sizeof name, "intel_convert_bfloat16%s_as_ushort%s", count, count);
    LLVMTypeRef to = to_float ? LLVMFloatTypeInContext(r->context) : LLVMInt16TypeInContext(r->context);
    struct tsr__arg arg = {.value = from, .sign = TSR__UNSIGNED};
    return tsr__spirv_call(r, name, tsr__with_scalar(type, to), &arg, 1, TSR__PURE);
}

LLVMValueRef tsr__spirv_bfloat16_to_float(struct tsr__reader *r, LLVMValueRef value)
{
    return convert_bfloat16(r, value, true);
}

LLVMValueRef tsr__spirv_float_to_bfloat16(struct tsr__reader *r, LLVMValueRef value)
{
    return convert_bfloat16(r, value, false);
}

static LLVMValueRef convert(struct tsr__reader *r, const struct tsr__inst *in, int opcode, LLVMValueRef from, LLVMTypeRef to)
{
    const struct conversion *c = find(opcode);
    LLVMTypeRef type = LLVMTypeOf(from);
    if (!(c->flags & FROM_FLOAT ? tsr__is_float(type) : tsr__is_int(type)) ||
        !(c->flags & TO_FLOAT ? tsr__is_float(to) : tsr__is_int(to)) || tsr__with_scalar(type, tsr__scalar(to)) != to)
        tsr__spirv_fail(r, in, "it cannot convert between these types");
    unsigned flags = c->flags;
    if (tsr__spirv_decoration(r, in->result, TSR__DecorationSaturatedConversion, -1))
        flags |= SATURATES;
    const struct tsr__decoration *d = tsr__spirv_decoration(r, in->result, TSR__DecorationFPRoundingMode, -1);
    int rounding = d && d->count && d->operand[0] < TSR__RoundDefault ? (int)d->operand[0] : TSR__RoundDefault;
    bool truth = tsr__scalar(type) == LLVMInt1TypeInContext(r->context) || tsr__scalar(to) == LLVMInt1TypeInContext(r->context);
    if (truth || (rounding == TSR__RoundDefault && !(flags & SATURATES && !(flags & TO_FLOAT))))
        return plain(r, c, from, to);
    return call_convert(r, from, to, flags, rounding);
}

/* By way of bytes. */
static LLVMValueRef convert_int4(struct tsr__reader *r, const struct tsr__inst *in, int opcode)
{
    LLVMValueRef value = tsr__spirv_value(r, in, 0);
    const struct tsr__type *from = tsr__spirv_type_of(r, in, 0), *to = tsr__spirv_result_type(r, in);
    unsigned flags = find(opcode)->flags;
    bool saturates = flags & SATURATES || tsr__spirv_decoration(r, in->result, TSR__DecorationSaturatedConversion, -1);
    if (tsr__is_int4(from))
        value = tsr__int4_extend(r, tsr__int4_unpack(r, from, value), flags & FROM_SIGNED);
    if (!tsr__is_int4(to))
        return tsr__is_bfloat16(to) ? tsr__spirv_float_to_bfloat16(
                                          r, convert(r, in, opcode, value, tsr__with_scalar(to->llvm, LLVMFloatTypeInContext(r->context))))
                                    : convert(r, in, opcode, value, to->llvm);
    if (tsr__is_bfloat16(from))
        value = tsr__spirv_bfloat16_to_float(r, value);
    LLVMTypeRef bytes = tsr__int4_bytes(r, to);
    if (LLVMTypeOf(value) != bytes || saturates)
        value = convert(r, in, opcode, value, bytes);
    return tsr__int4_pack(r, to, saturates ? tsr__int4_clamp(r, value, flags & TO_SIGNED) : value);
}

/* Bfloat16 is a float on both sides of a conversion. */
LLVMValueRef tsr__emit_convert(struct tsr__reader *r, const struct tsr__inst *in, int opcode)
{
    LLVMValueRef value = tsr__spirv_value(r, in, 0);
    const struct tsr__type *result = tsr__spirv_result_type(r, in);
    if (tsr__is_int4(result) || tsr__is_int4(tsr__spirv_type_of(r, in, 0)))
        return convert_int4(r, in, opcode);
    LLVMTypeRef to = result->llvm, f = LLVMFloatTypeInContext(r->context);
    bool float_to_float = opcode == TSR__OpFConvert;
    if (tsr__is_bfloat16(tsr__spirv_type_of(r, in, 0))) {
        value = tsr__spirv_bfloat16_to_float(r, value);
        if (float_to_float && LLVMTypeOf(value) == to)
            return value;
    }
    if (!tsr__is_bfloat16(result))
        return convert(r, in, opcode, value, to);
    const struct tsr__decoration *d = tsr__spirv_decoration(r, in->result, TSR__DecorationFPRoundingMode, -1);
    if (d && d->count && d->operand[0] != TSR__RoundRTE)
        tsr__spirv_fail(r, in, "conversions to bfloat16 round to nearest even");
    LLVMTypeRef floats = tsr__with_scalar(to, f);
    if (!float_to_float || LLVMTypeOf(value) != floats)
        value = convert(r, in, opcode, value, floats);
    return tsr__spirv_float_to_bfloat16(r, value);
}

LLVMValueRef tsr__emit_quantize(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef x = tsr__spirv_value(r, in, 0);
    LLVMTypeRef type = LLVMTypeOf(x);
    if (tsr__scalar(type) != LLVMFloatTypeInContext(r->context))
        tsr__spirv_fail(r, in, "it takes floats of 32 bits");
    LLVMValueRef narrow = LLVMBuildFPTrunc(r->builder, x, tsr__with_scalar(type, LLVMHalfTypeInContext(r->context)), "");
    return LLVMBuildFPExt(r->builder, narrow, type, "");
}

/* An integer of 4 bits in a byte, or a vector of them in the course of an instruction on matrices. */
static bool in_bytes(const struct tsr__type *type)
{
    return type->is_int4 || (tsr__is_int4(type) && tsr__is_vector(type->llvm));
}

LLVMValueRef tsr__emit_bitcast(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef from = tsr__spirv_value(r, in, 0);
    LLVMTypeRef to = tsr__spirv_result_type(r, in)->llvm, type = LLVMTypeOf(from);
    bool from_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind, to_pointer = LLVMGetTypeKind(to) == LLVMPointerTypeKind;
    if (in_bytes(tsr__spirv_result_type(r, in)) != in_bytes(tsr__spirv_type_of(r, in, 0)))
        tsr__spirv_fail(r, in, "its types have different sizes");
    if (type == to)
        return from;
    if (from_pointer && to_pointer)
        tsr__spirv_fail(r, in, "it cannot change the storage class of a pointer");
    LLVMTypeRef address = LLVMIntPtrTypeInContext(r->context, r->layout), bits = to_pointer ? address : to;
    if (from_pointer)
        from = LLVMBuildPtrToInt(r->builder, from, type = address, "");
    bool numbers = (tsr__is_int(type) || tsr__is_float(type)) && (tsr__is_int(bits) || tsr__is_float(bits));
    if (!numbers || LLVMSizeOfTypeInBits(r->layout, type) != LLVMSizeOfTypeInBits(r->layout, bits))
        tsr__spirv_fail(r, in, "its types have different sizes, or have no bits that could be taken as others");
    LLVMValueRef value = LLVMBuildBitCast(r->builder, from, bits, "");
    return to_pointer ? LLVMBuildIntToPtr(r->builder, value, to, "") : value;
}

static LLVMValueRef pointer_operand(struct tsr__reader *r, const struct tsr__inst *in)
{
    LLVMValueRef pointer = tsr__spirv_value(r, in, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind)
        tsr__spirv_fail(r, in, "its operand has to be a pointer");
    return pointer;
}

LLVMValueRef tsr__emit_pointer_to_int(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMTypeRef to = tsr__spirv_result_type(r, in)->llvm;
    if (LLVMGetTypeKind(to) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "its result has to be an integer");
    return LLVMBuildPtrToInt(r->builder, pointer_operand(r, in), to, "");
}

LLVMValueRef tsr__emit_int_to_pointer(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef value = tsr__spirv_value(r, in, 0);
    LLVMTypeRef to = tsr__spirv_result_type(r, in)->llvm;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind || LLVMGetTypeKind(to) != LLVMPointerTypeKind)
        tsr__spirv_fail(r, in, "it makes a pointer of an integer");
    return LLVMBuildIntToPtr(r->builder, value, to, "");
}

LLVMValueRef tsr__emit_cast_space(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef pointer = pointer_operand(r, in);
    LLVMTypeRef to = tsr__spirv_result_type(r, in)->llvm;
    if (LLVMGetTypeKind(to) != LLVMPointerTypeKind)
        tsr__spirv_fail(r, in, "its result has to be a pointer");
    return LLVMTypeOf(pointer) == to ? pointer : LLVMBuildAddrSpaceCast(r->builder, pointer, to, "");
}

/* Null where the pointer does not point into that storage class. */
LLVMValueRef tsr__emit_cast_space_checked(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef pointer = pointer_operand(r, in);
    uint32_t storage = tsr__spirv_word(r, in, 1);
    const char *name = storage == TSR__StorageCrossWorkgroup ? "__to_global"
                       : storage == TSR__StorageWorkgroup    ? "__to_local"
                       : storage == TSR__StorageFunction     ? "__to_private"
                                                             : NULL;
    LLVMTypeRef to = tsr__spirv_result_type(r, in)->llvm;
    if (!name || LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 4 || LLVMGetTypeKind(to) != LLVMPointerTypeKind ||
        LLVMGetPointerAddressSpace(to) != tsr__spirv_address_space(r, in, storage))
        tsr__spirv_fail(r, in, "it makes a pointer to CrossWorkgroup, Workgroup or Function memory of a generic one");
    return tsr__spirv_call_plain(r, name, to, &pointer, 1, TSR__PURE);
}

LLVMValueRef tsr__emit_memory_semantics(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    struct tsr__arg arg = {.value = pointer_operand(r, in)};
    LLVMValueRef fence = tsr__spirv_call(r, "get_fence", tsr__i32(r), &arg, 1, TSR__PURE);
    LLVMValueRef local = LLVMBuildICmp(r->builder, LLVMIntEQ, fence, tsr__u32(r, 1), ""); /* CLK_LOCAL_MEM_FENCE */
    return LLVMBuildSelect(r->builder, local, tsr__u32(r, TSR__SemanticsWorkgroupMemory), tsr__u32(r, TSR__SemanticsCrossWorkgroupMemory),
                           "");
}

/* SPV_INTEL_bfloat16_conversion: they are integers of 16 bits, also for the module. */
LLVMValueRef tsr__emit_bfloat16(struct tsr__reader *r, const struct tsr__inst *in, int to_float)
{
    LLVMValueRef from = tsr__spirv_value(r, in, 0);
    LLVMTypeRef to = tsr__spirv_result_type(r, in)->llvm, type = LLVMTypeOf(from);
    LLVMTypeRef f = LLVMFloatTypeInContext(r->context), s = LLVMInt16TypeInContext(r->context);
    if (tsr__scalar(type) != (to_float ? s : f) || tsr__with_scalar(type, to_float ? f : s) != to)
        tsr__spirv_fail(r, in, "it converts between floats of 32 bits and as many integers of 16");
    return convert_bfloat16(r, from, to_float);
}

LLVMValueRef tsr__emit_round_tf32(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    char name[48], count[4] = "";
    LLVMValueRef from = tsr__spirv_value(r, in, 0);
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    if (LLVMTypeOf(from) != type || tsr__scalar(type) != LLVMFloatTypeInContext(r->context))
        tsr__spirv_fail(r, in, "it rounds floats of 32 bits");
    if (tsr__is_vector(type))
        snprintf(count, sizeof count, "%u", LLVMGetVectorSize(type));
    snprintf(name, sizeof name, "intel_convert_tfloat32%s_as_float%s", count, count);
    struct tsr__arg arg = {.value = from};
    return tsr__spirv_call(r, name, type, &arg, 1, TSR__PURE);
}
