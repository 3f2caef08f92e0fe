/* SPDX-License-Identifier: Apache-2.0
 * Instructions that do the same with each element of a matrix: arithmetic, conversions, choice. */
#include "clc/spirv/matrix.h"

static bool works_on_elements(uint32_t opcode)
{
    static const uint16_t opcodes[] = {
        TSR__OpSNegate,
        TSR__OpFNegate,
        TSR__OpIAdd,
        TSR__OpFAdd,
        TSR__OpISub,
        TSR__OpFSub,
        TSR__OpIMul,
        TSR__OpFMul,
        TSR__OpUDiv,
        TSR__OpSDiv,
        TSR__OpFDiv,
        TSR__OpSelect,
        TSR__OpConvertFToU,
        TSR__OpConvertFToS,
        TSR__OpConvertSToF,
        TSR__OpConvertUToF,
        TSR__OpUConvert,
        TSR__OpSConvert,
        TSR__OpFConvert,
        TSR__OpBitcast,
        TSR__OpConvertFToBF16INTEL,
        TSR__OpConvertBF16ToFINTEL,
        TSR__OpRoundFToTF32INTEL,
    };
    return tsr__is_one_of(opcode, opcodes, TSR_ARRAY_LEN(opcodes));
}

/* The type of `count` slots of the matrix. */
static struct tsr__type *vector_type(struct tsr__reader *r, const struct tsr__matrix *m, uint32_t count)
{
    struct tsr__type *type = tsr_arena_alloc(&r->arena, sizeof *type);
    *type = *m->component;
    if (count > 1)
        *type = (struct tsr__type){
            .kind = TSR__VECTOR, .llvm = LLVMVectorType(m->component->llvm, count), .element = m->component, .count = count};
    return type;
}

/* What the instruction takes: matrices in the slots of the result. */
struct operands {
    const struct tsr__matrix *matrix[TSR__SPARE_IDS]; /* NULL: the operand is none */
    LLVMValueRef value[TSR__SPARE_IDS];
};

/* Matrices of one shape and use have their elements in the same slots, but for A if the width of components differs. */
static struct operands take_operands(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__matrix *result)
{
    struct operands o = {0};
    for (uint32_t i = 0; i < in->count; i++) {
        if (tsr__spirv_type_of(r, in, i)->kind != TSR__MATRIX)
            continue;
        const struct tsr__matrix *m = tsr__matrix_operand(r, in, i);
        if (m->rows != result->rows || m->columns != result->columns || m->use != result->use)
            tsr__spirv_fail(r, in, "its matrices have to be of the same shape and use");
        o.matrix[i] = tsr__matrix_of(r, result, m->component);
        o.value[i] = tsr__matrix_move(r, m, o.matrix[i], tsr__spirv_value(r, in, i));
    }
    return o;
}

/* One vector of the result: the instruction itself, on ids of vectors behind those of the module. */
static LLVMValueRef make_vector(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__matrix *m, const struct operands *o,
                                uint32_t v)
{
    uint32_t operands[TSR__SPARE_IDS - 1], spare = r->bound, bound = r->bound;
    struct tsr__inst one = *in;
    one.operand = operands;
    one.type = spare++;
    r->ids[one.type] = (struct tsr__id){.type = vector_type(r, m, m->vector)};
    for (uint32_t i = 0; i < in->count; i++) {
        operands[i] = in->operand[i];
        if (!o->matrix[i])
            continue;
        LLVMValueRef part = tsr__matrix_get(r, o->matrix[i], o->value[i], v * m->vector, m->vector);
        r->ids[spare] = (struct tsr__id){.inst = in, .type = vector_type(r, o->matrix[i], m->vector), .value = part};
        operands[i] = spare++;
    }
    r->bound = spare; /* while these ids are there */
    LLVMValueRef value = tsr__spirv_emit_value(r, &one);
    r->bound = bound;
    return value;
}

bool tsr__matrix_elementwise(struct tsr__reader *r, const struct tsr__inst *in)
{
    if (!in->type || tsr__spirv_result_type(r, in)->kind != TSR__MATRIX || !works_on_elements(in->op->number) ||
        in->count >= TSR__SPARE_IDS)
        return false;
    const struct tsr__matrix *m = tsr__matrix_result(r, in);
    struct operands o = take_operands(r, in, m);
    LLVMValueRef value = LLVMGetPoison(m->llvm);
    for (uint32_t v = 0; v < m->vector_count; v++)
        value = LLVMBuildInsertValue(r->builder, value, make_vector(r, in, m, &o, v), v, "");
    r->ids[in->result].type = (struct tsr__type *)tsr__spirv_result_type(r, in);
    r->ids[in->result].value = value;
    return true;
}
