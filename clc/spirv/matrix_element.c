/* SPDX-License-Identifier: Apache-2.0
 * Elements of matrices: construction, length, coordinates, single elements, phi instructions. */
#include "clc/spirv/matrix.h"

/* ---- construction ---- */

LLVMValueRef tsr__matrix_construct(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__matrix *m = tsr__matrix_result(r, in);
    LLVMValueRef scalar = tsr__spirv_value(r, in, 0);
    const struct tsr__type *own = tsr__spirv_type_of(r, in, 0);
    bool sized = own->kind == TSR__POINTER && own->element && own->element->llvm && LLVMTypeIsSized(own->element->llvm);
    /* SYCL's writers put a pointer to a variable, where the element is a struct around a number. */
    if (r->body.inst && sized && own->storage == TSR__StorageFunction &&
        LLVMABISizeOfType(r->layout, own->element->llvm) == LLVMABISizeOfType(r->layout, m->component->llvm))
        scalar = LLVMBuildLoad2(r->builder, m->component->llvm, scalar, "");
    if (in->count != 1 || LLVMTypeOf(scalar) != m->component->llvm)
        tsr__spirv_fail(r, in, "a matrix is made of one constituent, which has the type of its components");
    return tsr__matrix_fill(r, m, scalar);
}

/* Operands: where the matrix begins in memory, how many rows and columns memory has; elements outside are zero. */
LLVMValueRef tsr__emit_matrix_construct_checked(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__matrix *m = tsr__matrix_result(r, in);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMValueRef value = tsr__spirv_value(r, in, 4), args[5];
    LLVMTypeRef types[] = {i64, i64, i64, i64, m->component->llvm};
    if (LLVMTypeOf(value) != m->component->llvm)
        tsr__spirv_fail(r, in, "the value has to have the type of the components");
    for (uint32_t i = 0; i < 4; i++)
        args[i] = tsr__matrix_integer(r, in, i);
    args[4] = value;
    struct tsr__helper h;
    if (tsr__helper_begin(r, &h, tsr_arena_format(&r->arena, "%s.construct_checked", m->name), m->llvm, types, 5)) {
        LLVMValueRef x = LLVMGetParam(h.function, 0), y = LLVMGetParam(h.function, 1), lane = tsr__matrix_lane(r);
        LLVMValueRef made = LLVMGetPoison(m->llvm), zero = LLVMConstNull(m->component->llvm);
        for (uint32_t slot = 0; slot < m->slots; slot++) {
            LLVMValueRef row, column, there;
            tsr__matrix_position(r, m, slot, lane, &row, &column, &there);
            row = LLVMBuildAdd(r->builder, row, x, "");
            column = LLVMBuildAdd(r->builder, column, y, "");
            LLVMValueRef inside = LLVMBuildAnd(r->builder, LLVMBuildICmp(r->builder, LLVMIntULT, row, LLVMGetParam(h.function, 2), ""),
                                               LLVMBuildICmp(r->builder, LLVMIntULT, column, LLVMGetParam(h.function, 3), ""), "");
            LLVMValueRef one = LLVMBuildSelect(r->builder, inside, LLVMGetParam(h.function, 4), zero, "");
            made = tsr__matrix_put(r, m, made, slot, one);
        }
        tsr__helper_end(r, &h, made);
    }
    return tsr__helper_call(r, &h, args, 5);
}

/* ---- length and coordinates ---- */

LLVMValueRef tsr__matrix_length(struct tsr__reader *r, const struct tsr__matrix *m)
{
    LLVMValueRef lane = tsr__matrix_lane(r), row, column, there;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMValueRef count = LLVMConstNull(i64);
    for (uint32_t slot = 0; slot < m->slots; slot++) {
        tsr__matrix_position(r, m, slot, lane, &row, &column, &there);
        LLVMValueRef one = there ? LLVMBuildZExt(r->builder, there, i64, "") : LLVMConstInt(i64, 1, false);
        count = LLVMBuildAdd(r->builder, count, one, "");
    }
    return count;
}

static LLVMValueRef held_length(struct tsr__reader *r, const struct tsr__matrix *m)
{
    LLVMValueRef holds = tsr__matrix_holder(r, m), length = tsr__matrix_length(r, m);
    return holds ? LLVMBuildSelect(r->builder, holds, length, LLVMConstNull(LLVMTypeOf(length)), "") : length;
}

/* Of the matrix type, or of the type of the matrix, that the operand names: the older instruction has a value there, and so do some
 * producers of the newer one. */
LLVMValueRef tsr__emit_matrix_length(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__id *id = tsr__spirv_id(r, in, 0);
    bool is_type = id->type && id->inst && !id->inst->type;
    const struct tsr__matrix *m = is_type && id->type->kind == TSR__MATRIX ? id->type->matrix : tsr__matrix_operand(r, in, 0);
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "its result has to be an integer");
    struct tsr__helper h;
    const char *name = tsr_arena_format(&r->arena, "%s.length.scope%u", m->name, m->scope);
    if (tsr__helper_begin(r, &h, name, LLVMInt64TypeInContext(r->context), NULL, 0))
        tsr__helper_end(r, &h, held_length(r, m));
    return LLVMBuildIntCast2(r->builder, tsr__helper_call(r, &h, NULL, 0), type, false, "");
}

/* Rows or columns of the slots of the first work-item, as a table in constant memory. */
static LLVMValueRef position_table(struct tsr__reader *r, const struct tsr__matrix *m, bool columns)
{
    const char *name = tsr_arena_format(&r->arena, "%s%u.%s.%s", TSR_CLC_SPIRV_MATRIX, m->lanes, m->name, columns ? "columns" : "rows");
    LLVMValueRef table = LLVMGetNamedGlobal(r->module, name);
    if (table)
        return table;
    LLVMTypeRef i16 = LLVMInt16TypeInContext(r->context);
    LLVMValueRef *numbers = tsr_arena_alloc(&r->arena, m->slots * sizeof *numbers);
    for (uint32_t i = 0; i < m->block_count; i++) {
        const struct tsr__matrix_block *b = &m->blocks[i];
        for (uint32_t s = 0; s < b->slots; s++) {
            uint32_t in_row = m->order == TSR__ROWS ? s % m->run : 0, row = m->order == TSR__ROWS ? s / m->run * m->rows_at_once : s;
            numbers[b->slot + s] = LLVMConstInt(i16, columns ? b->column + in_row : b->row + row, false);
        }
    }
    return tsr__constant_table(r, name, i16, numbers, m->slots);
}

static LLVMValueRef look_up(struct tsr__reader *r, const struct tsr__matrix *m, bool columns, LLVMValueRef index)
{
    LLVMTypeRef i16 = LLVMInt16TypeInContext(r->context);
    LLVMValueRef at = LLVMBuildGEP2(r->builder, i16, position_table(r, m, columns), &index, 1, "");
    LLVMValueRef number = LLVMBuildLoad2(r->builder, i16, at, "");
    return LLVMBuildZExt(r->builder, number, LLVMInt64TypeInContext(r->context), "");
}

/* What the work-item adds to a table's row and column is the same in all slots, except in a linear matrix. */
void tsr__matrix_coordinates(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef index, LLVMValueRef *row,
                             LLVMValueRef *column)
{
    LLVMValueRef lane = tsr__matrix_lane(r), there, first_row, first_column;
    if (m->order == TSR__LINEAR) {
        tsr__matrix_linear(r, m, index, lane, row, column);
        return;
    }
    tsr__matrix_position(r, m, 0, lane, &first_row, &first_column, &there);
    *row = LLVMBuildAdd(r->builder, look_up(r, m, false, index), first_row, "");
    *column = LLVMBuildAdd(r->builder, look_up(r, m, true, index), first_column, "");
}

LLVMValueRef tsr__emit_matrix_coordinates(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__matrix *m = tsr__matrix_operand(r, in, 0);
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm, i64 = LLVMInt64TypeInContext(r->context), pair = LLVMVectorType(i64, 2);
    LLVMValueRef index = tsr__matrix_integer(r, in, 1);
    if (!tsr__is_vector(type) || !tsr__is_int(type) || LLVMGetVectorSize(type) != 2)
        tsr__spirv_fail(r, in, "it gives a vector of two integers");
    struct tsr__helper h;
    if (tsr__helper_begin(r, &h, tsr_arena_format(&r->arena, "%s.coordinates", m->name), pair, &i64, 1)) {
        LLVMValueRef row, column;
        tsr__matrix_coordinates(r, m, LLVMGetParam(h.function, 0), &row, &column);
        LLVMValueRef made = LLVMBuildInsertElement(r->builder, LLVMGetPoison(pair), row, tsr__u32(r, 0), "");
        tsr__helper_end(r, &h, LLVMBuildInsertElement(r->builder, made, column, tsr__u32(r, 1), ""));
    }
    return LLVMBuildIntCast2(r->builder, tsr__helper_call(r, &h, &index, 1), type, false, "");
}

/* ---- single elements ---- */

static LLVMValueRef spill(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef value)
{
    LLVMValueRef place = LLVMBuildAlloca(r->body.entry, m->llvm, "");
    LLVMBuildStore(r->builder, value, place);
    return place;
}

LLVMValueRef tsr__matrix_element(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef place, LLVMValueRef index)
{
    index = LLVMBuildIntCast2(r->builder, index, LLVMInt64TypeInContext(r->context), true, "");
    return LLVMBuildGEP2(r->builder, m->component->llvm, place, &index, 1, "");
}

/* Whether the index is a constant; *slot is that. */
static bool is_slot(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__matrix *m, LLVMValueRef index, uint32_t *slot)
{
    if (!LLVMIsAConstantInt(index))
        return false;
    if (LLVMConstIntGetZExtValue(index) >= m->slots)
        tsr__spirv_fail(r, in, "a work-item has %u elements of the matrix at most", m->slots);
    *slot = (uint32_t)LLVMConstIntGetZExtValue(index);
    return true;
}

LLVMValueRef tsr__matrix_extract(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__matrix *m, LLVMValueRef value,
                                 LLVMValueRef index)
{
    uint32_t slot;
    if (is_slot(r, in, m, index, &slot))
        return tsr__matrix_get(r, m, value, slot, 1);
    return LLVMBuildLoad2(r->builder, m->component->llvm, tsr__matrix_element(r, m, spill(r, m, value), index), "");
}

LLVMValueRef tsr__matrix_insert(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__matrix *m, LLVMValueRef value,
                                LLVMValueRef element, LLVMValueRef index)
{
    uint32_t slot;
    if (LLVMTypeOf(element) != m->component->llvm)
        tsr__spirv_fail(r, in, "the element is not of the type of the components");
    if (is_slot(r, in, m, index, &slot))
        return tsr__matrix_put(r, m, value, slot, element);
    LLVMValueRef place = spill(r, m, value);
    LLVMBuildStore(r->builder, element, tsr__matrix_element(r, m, place, index));
    return LLVMBuildLoad2(r->builder, m->llvm, place, "");
}

/* ---- phi instructions ---- */

LLVMValueRef tsr__matrix_phi(struct tsr__reader *r, const struct tsr__matrix *m)
{
    LLVMBasicBlockRef block = LLVMGetInsertBlock(r->builder);
    LLVMValueRef *phis = tsr_arena_alloc(&r->arena, m->vector_count * sizeof *phis), made = LLVMGetPoison(m->llvm);
    for (uint32_t v = 0; v < m->vector_count; v++)
        phis[v] = LLVMBuildPhi(r->builder, m->vector_llvm, "");
    LLVMPositionBuilderAtEnd(r->builder, block);
    for (uint32_t v = 0; v < m->vector_count; v++)
        made = LLVMBuildInsertValue(r->builder, made, phis[v], v, "");
    return made;
}

void tsr__matrix_add_incoming(struct tsr__reader *r, LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMPositionBuilderBefore(r->builder, LLVMGetBasicBlockTerminator(from));
    for (; LLVMIsAInsertValueInst(phi); phi = LLVMGetOperand(phi, 0)) {
        LLVMValueRef part = LLVMBuildExtractValue(r->builder, value, LLVMGetIndices(phi)[0], "");
        LLVMAddIncoming(LLVMGetOperand(phi, 1), &part, &from, 1);
    }
}
