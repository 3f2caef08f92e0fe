/* SPDX-License-Identifier: Apache-2.0
 * Constants and specialisation constants (SPIR-V specification 3.52.7). */
#include "clc/spirv/matrix.h"

#include <string.h>

static void keep(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef value)
{
    struct tsr__id *id = &r->ids[in->result];
    id->type = (struct tsr__type *)tsr__spirv_result_type(r, in);
    id->value = value;
}

/* The value that the program set for the specialisation constant; false: none. */
static bool specialised(struct tsr__reader *r, const struct tsr__inst *in, uint64_t *bits)
{
    const struct tsr__decoration *d = tsr__spirv_decoration(r, in->result, TSR__DecorationSpecId, -1);
    for (uint32_t i = 0; d && d->count && i < r->input->constant_count; i++) {
        const struct tsr_spirv_constant *c = &r->input->constants[i];
        if (c->id != d->operand[0])
            continue;
        *bits = 0;
        memcpy(bits, c->data, c->size < sizeof *bits ? c->size : sizeof *bits);
        return true;
    }
    return false;
}

static void make_truth(struct tsr__reader *r, const struct tsr__inst *in, bool value)
{
    uint64_t bits;
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind != TSR__BOOL)
        tsr__spirv_fail(r, in, "its type has to be OpTypeBool");
    bool special = in->op->number == TSR__OpSpecConstantTrue || in->op->number == TSR__OpSpecConstantFalse;
    if (special && specialised(r, in, &bits))
        value = (bits & 0xff) != 0;
    keep(r, in, LLVMConstInt(type->llvm, value, false));
}

static void make_number(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind != TSR__INT && type->kind != TSR__FLOAT)
        tsr__spirv_fail(r, in, "its type has to be a number");
    unsigned width = (unsigned)LLVMSizeOfTypeInBits(r->layout, type->llvm);
    if (in->count != (width > 32 ? 2 : 1))
        tsr__spirv_fail(r, in, "a number of %u bits does not stand in %u words", width, in->count);
    uint64_t bits = in->operand[0] | (width > 32 ? (uint64_t)in->operand[1] << 32 : 0);
    if (in->op->number == TSR__OpSpecConstant)
        specialised(r, in, &bits);
    width = type->is_int4 ? 4 : width;
    if (width < 64)
        bits &= (1ull << width) - 1; /* narrow numbers may come with their sign in the upper bits */
    keep(r, in,
         type->kind == TSR__INT || type->is_bfloat16 ? LLVMConstInt(type->llvm, bits, false) : LLVMConstFPFromBits(type->llvm, &bits));
}

static void make_composite(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind == TSR__MATRIX) {
        keep(r, in, tsr__matrix_construct(r, in));
        return;
    }
    if (type->kind != TSR__VECTOR && type->kind != TSR__ARRAY && type->kind != TSR__STRUCT)
        tsr__spirv_fail(r, in, "its type has to be a vector, an array or a struct");
    if (in->count != type->count)
        tsr__spirv_fail(r, in, "it has %u constituents, its type %u", in->count, type->count);
    LLVMValueRef *parts = tsr_arena_alloc(&r->arena, (in->count + 1) * sizeof *parts);
    for (uint32_t i = 0; i < in->count; i++) {
        const struct tsr__type *part = type->kind == TSR__STRUCT ? type->members[i] : type->element;
        parts[i] = tsr__spirv_value(r, in, i);
        if (!LLVMIsConstant(parts[i]) || LLVMTypeOf(parts[i]) != part->llvm)
            tsr__spirv_fail(r, in, "constituent %u is no constant of the type that it has to have", i + 1);
    }
    keep(r, in,
         tsr__is_int4(type)          ? tsr__int4_constant(type, parts)
         : type->kind == TSR__VECTOR ? LLVMConstVector(parts, in->count)
         : type->kind == TSR__ARRAY  ? LLVMConstArray2(type->element->llvm, parts, in->count)
                                     : LLVMConstNamedStruct(type->llvm, parts, in->count));
}

/* What OpSpecConstantOp may do besides what emit.def says of the opcode (SPIR-V specification, OpSpecConstantOp, for kernels). */
static bool may_specialise(uint32_t opcode)
{
    static const uint16_t allowed[] = {
        TSR__OpSConvert,
        TSR__OpUConvert,
        TSR__OpFConvert,
        TSR__OpSNegate,
        TSR__OpNot,
        TSR__OpIAdd,
        TSR__OpISub,
        TSR__OpIMul,
        TSR__OpUDiv,
        TSR__OpSDiv,
        TSR__OpUMod,
        TSR__OpSRem,
        TSR__OpSMod,
        TSR__OpShiftRightLogical,
        TSR__OpShiftRightArithmetic,
        TSR__OpShiftLeftLogical,
        TSR__OpBitwiseOr,
        TSR__OpBitwiseXor,
        TSR__OpBitwiseAnd,
        TSR__OpVectorShuffle,
        TSR__OpCompositeExtract,
        TSR__OpCompositeInsert,
        TSR__OpLogicalOr,
        TSR__OpLogicalAnd,
        TSR__OpLogicalNot,
        TSR__OpLogicalEqual,
        TSR__OpLogicalNotEqual,
        TSR__OpSelect,
        TSR__OpIEqual,
        TSR__OpINotEqual,
        TSR__OpULessThan,
        TSR__OpSLessThan,
        TSR__OpUGreaterThan,
        TSR__OpSGreaterThan,
        TSR__OpULessThanEqual,
        TSR__OpSLessThanEqual,
        TSR__OpUGreaterThanEqual,
        TSR__OpSGreaterThanEqual,
        TSR__OpQuantizeToF16,
        TSR__OpConvertFToS,
        TSR__OpConvertSToF,
        TSR__OpConvertFToU,
        TSR__OpConvertUToF,
        TSR__OpConvertPtrToU,
        TSR__OpConvertUToPtr,
        TSR__OpGenericCastToPtr,
        TSR__OpPtrCastToGeneric,
        TSR__OpBitcast,
        TSR__OpFNegate,
        TSR__OpFAdd,
        TSR__OpFSub,
        TSR__OpFMul,
        TSR__OpFDiv,
        TSR__OpFRem,
        TSR__OpFMod,
        TSR__OpAccessChain,
        TSR__OpInBoundsAccessChain,
        TSR__OpPtrAccessChain,
        TSR__OpInBoundsPtrAccessChain,
    };
    return tsr__is_one_of(opcode, allowed, TSR_ARRAY_LEN(allowed));
}

/* The operation as an instruction of its own, in a function that is removed again: LLVM's builder folds what is constant. */
static void make_operation(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__op *op = tsr__spirv_op(in->operand[0]);
    if (!op || !may_specialise(in->operand[0]))
        tsr__spirv_fail(r, in, "opcode %u cannot make a constant", in->operand[0]);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(r->context), NULL, 0, false);
    LLVMValueRef scratch = LLVMAddFunction(r->module, "scratch", type);
    LLVMPositionBuilderAtEnd(r->builder, LLVMAppendBasicBlockInContext(r->context, scratch, ""));
    struct tsr__inst inner = *in;
    inner.op = op;
    inner.operand++;
    inner.count--;
    tsr__spirv_emit(r, &inner);
    LLVMClearInsertionPosition(r->builder);
    if (!LLVMIsConstant(r->ids[in->result].value))
        tsr__spirv_fail(r, in, "the result of Op%s is not constant", op->name);
    LLVMDeleteFunction(scratch);
}

bool tsr__spirv_make_constant(struct tsr__reader *r, const struct tsr__inst *in)
{
    switch (in->op->number) {
    case TSR__OpConstantTrue:
    case TSR__OpSpecConstantTrue:
        make_truth(r, in, true);
        return true;
    case TSR__OpConstantFalse:
    case TSR__OpSpecConstantFalse:
        make_truth(r, in, false);
        return true;
    case TSR__OpConstant:
    case TSR__OpSpecConstant:
        make_number(r, in);
        return true;
    case TSR__OpConstantComposite:
    case TSR__OpSpecConstantComposite:
        make_composite(r, in);
        return true;
    case TSR__OpConstantNull:
        if (in->count && tsr__spirv_result_type(r, in)->kind != TSR__MATRIX) /* LLVM's writer of SPIR-V gives operands to null matrices */
            tsr__spirv_fail(r, in, "it has operands");
        if (tsr__spirv_result_type(r, in)->kind == TSR__VOID || tsr__spirv_result_type(r, in)->kind == TSR__FUNCTION)
            tsr__spirv_fail(r, in, "its type has no values");
        keep(r, in, LLVMConstNull(tsr__spirv_result_type(r, in)->llvm));
        return true;
    case TSR__OpSpecConstantOp:
        make_operation(r, in);
        return true;
    case TSR__OpUndef:
        if (tsr__spirv_result_type(r, in)->kind == TSR__VOID || tsr__spirv_result_type(r, in)->kind == TSR__FUNCTION)
            tsr__spirv_fail(r, in, "its type has no values");
        keep(r, in, LLVMGetUndef(tsr__spirv_result_type(r, in)->llvm));
        return true;
    default:
        return tsr__image_make_constant(r, in);
    }
}
