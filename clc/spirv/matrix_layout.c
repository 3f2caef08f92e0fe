/* SPDX-License-Identifier: Apache-2.0
 * Matrix types: which elements of a matrix each work-item of the sub-group has.
 *
 * An element e of a work-item is its slot e; those that a work-item has are its first ones, so that its length says which. To that end
 * blocks at the end of a matrix, which may have elements for some work-items only, stand last. */
#include "clc/spirv/matrix.h"

#include <assert.h>

enum { MOST_SIDE = 1024, MOST_ELEMENTS = 4096, ROWS_AT_MOST = 8, BLOCK_BYTES = 32, LONGEST_VECTOR = 16 };

/* ---- blocks ---- */

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The rows of the next block: a power of two that the matrix functions take. */
static uint32_t block_rows(uint32_t left)
{
    uint32_t rows = ROWS_AT_MOST;
    while (rows > left)
        rows /= 2;
    return rows;
}

static void add_block(struct tsr__matrix *m, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns, uint32_t slots)
{
    m->blocks[m->block_count++] = (struct tsr__matrix_block){row, column, rows, columns, m->slots, slots};
    m->slots += slots;
}

static void make_accumulator(struct tsr__matrix *m)
{
    for (uint32_t column = 0; column < m->columns; column += m->lanes)
        for (uint32_t row = 0, rows; row < m->rows; row += rows) {
            rows = block_rows(m->rows - row);
            add_block(m, row, column, rows, least(m->lanes, m->columns - column), rows);
        }
}

static void make_b(struct tsr__matrix *m)
{
    for (uint32_t column = 0; column < m->columns; column += m->lanes)
        for (uint32_t row = 0; row < m->rows; row += m->deep) {
            uint32_t rows = least(m->deep, m->rows - row);
            add_block(m, row, column, rows, least(m->lanes, m->columns - column), rows);
        }
}

/* Whether in blocks of rows the elements of each work-item are its first slots. Slots that not all work-items have are at the end of a
 * row that ends inside of a block, and in blocks with fewer rows than lie side by side. */
static bool has_whole_rows(const struct tsr__matrix *m)
{
    uint32_t odd = m->rows % m->rows_at_once;
    bool one_odd_block = odd == 0 || (m->columns <= m->deep && (odd & (odd - 1)) == 0);
    return m->columns % m->deep % m->run == 0 && one_odd_block && (m->columns % m->deep == 0 || m->rows_at_once == 1);
}

static void make_a(struct tsr__matrix *m)
{
    m->run = m->deep > m->lanes ? m->deep / m->lanes : 1;
    m->rows_at_once = m->lanes > m->deep ? m->lanes / m->deep : 1;
    if (!has_whole_rows(m)) {
        m->order = TSR__LINEAR;
        add_block(m, 0, 0, m->rows, m->columns, ceil_div(m->rows * m->columns, m->lanes));
        return;
    }
    m->order = TSR__ROWS;
    for (uint32_t column = 0; column < m->columns; column += m->deep)
        for (uint32_t row = 0, rows; row < m->rows; row += rows) {
            rows = block_rows(m->rows - row);
            add_block(m, row, column, rows, least(m->deep, m->columns - column), ceil_div(rows, m->rows_at_once) * m->run);
        }
}

static void make_array(struct tsr__matrix *m)
{
    m->vector = LONGEST_VECTOR;
    for (uint32_t i = 0; i < m->block_count; i++)
        while (m->blocks[i].slots % m->vector)
            m->vector /= 2;
    m->vector_count = m->slots / m->vector;
    m->vector_llvm = m->vector > 1 ? LLVMVectorType(m->component->llvm, m->vector) : m->component->llvm;
    m->llvm = LLVMArrayType2(m->vector_llvm, m->vector_count);
}

/* ---- positions ---- */

static const struct tsr__matrix_block *block_of_slot(const struct tsr__matrix *m, uint32_t slot)
{
    const struct tsr__matrix_block *b = m->blocks;
    while (slot >= b->slot + b->slots)
        b++;
    return b;
}

void tsr__matrix_find(const struct tsr__matrix *m, uint32_t row, uint32_t column, uint32_t *lane, uint32_t *slot)
{
    const struct tsr__matrix_block *b = m->blocks;
    assert(row < m->rows && column < m->columns);
    while (row < b->row || row >= b->row + b->rows || column < b->column || column >= b->column + b->columns)
        b++;
    row -= b->row;
    column -= b->column;
    switch (m->order) {
    case TSR__COLUMNS:
        *lane = column;
        *slot = b->slot + row;
        break;
    case TSR__ROWS:
        *lane = row % m->rows_at_once * m->deep + column / m->run;
        *slot = b->slot + row / m->rows_at_once * m->run + column % m->run;
        break;
    case TSR__LINEAR:
        *lane = (row * m->columns + column) % m->lanes;
        *slot = (row * m->columns + column) / m->lanes;
        break;
    }
}

static LLVMValueRef number(struct tsr__reader *r, uint64_t value)
{
    return LLVMConstInt(LLVMInt64TypeInContext(r->context), value, false);
}

void tsr__matrix_linear(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef slot, LLVMValueRef lane, LLVMValueRef *row,
                        LLVMValueRef *column)
{
    LLVMValueRef index = LLVMBuildAdd(r->builder, LLVMBuildMul(r->builder, slot, number(r, m->lanes), ""), lane, "");
    *row = LLVMBuildUDiv(r->builder, index, number(r, m->columns), "");
    *column = LLVMBuildURem(r->builder, index, number(r, m->columns), "");
}

LLVMValueRef tsr__matrix_in_block(struct tsr__reader *r, const struct tsr__matrix *m, const struct tsr__matrix_block *b, LLVMValueRef lane)
{
    uint32_t lanes = m->order == TSR__COLUMNS ? b->columns
                     : m->order == TSR__ROWS  ? ceil_div(b->columns, m->run) * least(b->rows, m->rows_at_once)
                                              : least(m->lanes, b->rows * b->columns);
    return lanes < m->lanes ? LLVMBuildICmp(r->builder, LLVMIntULT, lane, number(r, lanes), "") : NULL;
}

void tsr__matrix_position(struct tsr__reader *r, const struct tsr__matrix *m, uint32_t slot, LLVMValueRef lane, LLVMValueRef *row,
                          LLVMValueRef *column, LLVMValueRef *there)
{
    const struct tsr__matrix_block *b = block_of_slot(m, slot);
    uint32_t in_block = slot - b->slot;
    *there = tsr__matrix_in_block(r, m, b, lane);
    switch (m->order) {
    case TSR__COLUMNS:
        *row = number(r, b->row + in_block);
        *column = LLVMBuildAdd(r->builder, number(r, b->column), lane, "");
        break;
    case TSR__ROWS: {
        LLVMValueRef deep = number(r, m->deep), first = number(r, b->row + in_block / m->run * m->rows_at_once);
        LLVMValueRef in_row = m->rows_at_once > 1 ? LLVMBuildURem(r->builder, lane, deep, "") : lane;
        *row = m->rows_at_once > 1 ? LLVMBuildAdd(r->builder, first, LLVMBuildUDiv(r->builder, lane, deep, ""), "") : first;
        *column =
            LLVMBuildAdd(r->builder, number(r, b->column + in_block % m->run), LLVMBuildMul(r->builder, in_row, number(r, m->run), ""), "");
        break;
    }
    case TSR__LINEAR: {
        tsr__matrix_linear(r, m, number(r, slot), lane, row, column);
        if ((slot + 1) * m->lanes > m->rows * m->columns)
            *there = LLVMBuildICmp(r->builder, LLVMIntULT, *row, number(r, m->rows), "");
        break;
    }
    }
}

/* ---- types ---- */

static void check(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__matrix *m)
{
    if (!m->rows || !m->columns || m->rows > MOST_SIDE || m->columns > MOST_SIDE || m->rows * m->columns > MOST_ELEMENTS)
        tsr__spirv_fail(r, in, "a matrix of %u rows and %u columns: it must have at least one of each, and at most %d elements", m->rows,
                        m->columns, MOST_ELEMENTS);
    if (m->use > TSR__MATRIX_ACCUMULATOR)
        tsr__spirv_fail(r, in, "use %u of a matrix: it is A, 0, B, 1, or accumulator, 2", m->use);
    enum { WORK_ITEM = 4 };
    if (m->scope >= WORK_ITEM)
        tsr__spirv_fail(r, in, "a matrix cannot have scope %u: it is of the work-group, 2, or of the sub-group, 3", m->scope);
    bool fits = m->meaning == TSR__MEANS_ITSELF || (m->meaning == TSR__MEANS_TF32 && m->component->kind == TSR__FLOAT && m->bits == 32) ||
                (m->meaning == TSR__MEANS_BFLOAT16 && m->component->kind == TSR__INT && m->bits == 16) ||
                ((m->meaning == TSR__MEANS_INT2 || m->meaning == TSR__MEANS_INT4) && m->component->kind == TSR__INT);
    if (!fits)
        tsr__spirv_fail(r, in, "interpretation %u does not fit the type of the components", m->meaning);
}

static const char *name_of(struct tsr__reader *r, const struct tsr__matrix *m)
{
    static const char *const uses[] = {"a", "b", "c"};
    char *component = LLVMPrintTypeToString(m->component->llvm);
    const char *name = tsr_arena_format(&r->arena, "%s%ux%u.%s", uses[m->use], m->rows, m->columns, m->int4 ? "i4" : component);
    LLVMDisposeMessage(component);
    return name;
}

static void make_matrix(struct tsr__reader *r, const struct tsr__inst *in, struct tsr__matrix *m)
{
    if (m->component->kind != TSR__INT && m->component->kind != TSR__FLOAT)
        tsr__spirv_fail(r, in, "the components of a matrix have to be numbers");
    m->bits = (unsigned)LLVMSizeOfTypeInBits(r->layout, m->component->llvm);
    m->int4 = m->component->is_int4;
    check(r, in, m);
    if (!r->matrix_lanes)
        tsr__matrix_find_sizes(r, in);
    m->lanes = r->matrix_lanes;
    m->deep = BLOCK_BYTES * 8 / m->bits;
    /* A block has at least one element of each side. */
    m->blocks = tsr_arena_alloc(&r->arena, (size_t)m->rows * m->columns * sizeof *m->blocks);
    if (m->use == TSR__MATRIX_A)
        make_a(m);
    else if (m->use == TSR__MATRIX_B)
        make_b(m);
    else
        make_accumulator(m);
    make_array(m);
    m->name = name_of(r, m);
}

const struct tsr__matrix *tsr__matrix_of(struct tsr__reader *r, const struct tsr__matrix *m, const struct tsr__type *component)
{
    struct tsr__matrix *other = tsr_arena_alloc(&r->arena, sizeof *other);
    *other = *m;
    other->component = component;
    other->bits = (unsigned)LLVMSizeOfTypeInBits(r->layout, component->llvm);
    other->meaning = TSR__MEANS_ITSELF;
    other->int4 = component->is_int4;
    make_array(other);
    if (component->llvm != m->component->llvm || other->int4 != m->int4)
        other->name = tsr_arena_format(&r->arena, "%s.in.%s", name_of(r, other), m->name);
    return other;
}

/* The operand of a matrix type: an id of a constant. */
static uint32_t constant(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, const char *what)
{
    uint64_t value = tsr__spirv_constant(r, in, operand, what);
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

bool tsr__matrix_make_type(struct tsr__reader *r, const struct tsr__inst *in)
{
    /* The operands of a revision, -1: it has none. The draft's layout (operand 3) is that of each load. */
    static const struct {
        uint32_t opcode;
        int rows, columns, scope, use, meaning;
    } revisions[] = {
        {TSR__OpTypeCooperativeMatrixKHR, 2, 3, 1, 4, -1},
        {TSR__OpTypeJointMatrixINTEL, 1, 2, 3, 4, 5},
        {TSR__OpTypeJointMatrixDraftINTEL, 1, 2, 4, 5, -1},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(revisions); i++) {
        if (revisions[i].opcode != in->op->number)
            continue;
        struct tsr__matrix *m = tsr_arena_alloc(&r->arena, sizeof *m);
        m->component = tsr__spirv_type(r, in, 0);
        m->rows = constant(r, in, (uint32_t)revisions[i].rows, "the number of rows");
        m->columns = constant(r, in, (uint32_t)revisions[i].columns, "the number of columns");
        m->scope = constant(r, in, (uint32_t)revisions[i].scope, "the scope");
        if ((uint32_t)revisions[i].use < in->count)
            m->use = constant(r, in, (uint32_t)revisions[i].use, "the use");
        else
            m->use = TSR__MATRIX_ACCUMULATOR;
        if (revisions[i].meaning >= 0 && (uint32_t)revisions[i].meaning < in->count)
            m->meaning = constant(r, in, (uint32_t)revisions[i].meaning, "the interpretation");
        make_matrix(r, in, m);
        struct tsr__type *type = tsr_arena_alloc(&r->arena, sizeof *type);
        *type = (struct tsr__type){.kind = TSR__MATRIX, .llvm = m->llvm, .element = m->component, .matrix = m};
        r->ids[in->result].type = type;
        return true;
    }
    return false;
}

const struct tsr__matrix *tsr__matrix_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    const struct tsr__type *type = tsr__spirv_type_of(r, in, operand);
    if (type->kind != TSR__MATRIX)
        tsr__spirv_fail(r, in, "operand %u has to be a matrix", operand + 1);
    return type->matrix;
}

const struct tsr__matrix *tsr__matrix_result(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    if (type->kind != TSR__MATRIX)
        tsr__spirv_fail(r, in, "its result has to be a matrix");
    return type->matrix;
}
