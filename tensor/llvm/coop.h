/* SPDX-License-Identifier: Apache-2.0
 * Cooperative matrices as values. Work-item l of a sub-group of S has the rows l, l + S, … of a matrix, whatever its use: row l + r S and
 * column j are component r * columns + j. So a column in memory is read by neighbouring work-items, and products take a row of A in each
 * work-item with elements of B that one of them has. */
#ifndef TESSERA_TENSOR_LLVM_COOP_H
#define TESSERA_TENSOR_LLVM_COOP_H

#include "tensor/llvm/index.h"

struct matrix {
    const struct tsr__t_type *type;
    uint32_t lanes, blocks, cols, parts; /* blocks of rows; parts of a component */
};

static inline struct matrix matrix_of(struct tsr__te *e, const struct tsr__t_type *type)
{
    uint32_t lanes = e->func->info.sub_group_size;
    return (struct matrix){type, lanes, (uint32_t)((type->rows + lanes - 1) / lanes), (uint32_t)type->cols, tsr__te_parts(type->number)};
}

static inline uint32_t parts_of(const struct matrix *m)
{
    return m->blocks * m->cols * m->parts;
}

static inline struct tsr__te_number component(struct tsr__te *e, const struct tsr__t_value *value, const struct matrix *m, uint32_t r,
                                              uint32_t j)
{
    return tsr__te_number_at(e->values[value->index].part, m->parts, r * m->cols + j);
}

static inline void set_component(const struct matrix *m, LLVMValueRef *parts, uint32_t r, uint32_t j, struct tsr__te_number number)
{
    tsr__te_put_number(parts, m->parts, r * m->cols + j, number);
}

/* 0 <= index < size. */
static inline LLVMValueRef inside(struct tsr__te *e, LLVMValueRef index, LLVMValueRef size)
{
    return LLVMBuildICmp(e->builder, LLVMIntULT, index, size, "");
}

/* Whether the work-item has row r of its rows; NULL: all have. */
static inline LLVMValueRef has_row(struct tsr__te *e, const struct matrix *m, LLVMValueRef own, uint32_t r)
{
    bool all = (int64_t)(r + 1) * m->lanes <= m->type->rows;
    return all ? NULL : inside(e, plus(e, own, r * m->lanes), tsr__te_i64(e, m->type->rows));
}

/* Numbers without an imaginary part, which lie in a row in local memory. */
struct row {
    LLVMValueRef first;
    LLVMTypeRef type;
    uint32_t bytes; /* of one */
};

static inline LLVMValueRef address_in(struct tsr__te *e, const struct row *row, LLVMValueRef at)
{
    return LLVMBuildInBoundsGEP2(e->builder, row->type, row->first, &at, 1, "");
}

static inline void put_in(struct tsr__te *e, const struct row *row, LLVMValueRef at, LLVMValueRef part)
{
    LLVMSetAlignment(LLVMBuildStore(e->builder, part, address_in(e, row, at)), row->bytes);
}

static inline LLVMValueRef get_from(struct tsr__te *e, const struct row *row, LLVMValueRef at)
{
    LLVMValueRef part = LLVMBuildLoad2(e->builder, row->type, address_in(e, row, at), "");
    LLVMSetAlignment(part, row->bytes);
    return part;
}

/* Whether the matrix is as memory has it: then the vector engine makes the operands of matrix functions from whole vectors. Of a transposed
 * B it does so as well, but that takes longer to compile, and no less to run. */
static inline bool tsr__te_is_loaded(const struct tsr__t_value *value, bool is_b)
{
    return value->by && value->by->op == TSR__T_COOP_LOAD && !value->by->checked && !(is_b && value->by->transpose[0]);
}

/* ---- coop_local.c ---- */
/* The sub-group's own bytes of local memory; NULL: there are none. What was there has been read. */
LLVMValueRef tsr__te_sub_group_room(struct tsr__te *e, uint64_t bytes);
void tsr__te_wait_for_sub_group(struct tsr__te *e);
/* Loads a matrix whose rows are columns of memory, all of whose elements are there. False: not by way of local memory. */
bool tsr__te_load_turned(struct tsr__te *e, const struct matrix *m, const struct tsr__te_memref *memory, const LLVMValueRef at[2],
                         LLVMValueRef *parts);

/* Whether a load is of an A whose rows a matrix function takes as they lie in memory, beside a B that does: the vector engine makes a
 * product of tiles of these. */
bool tsr__te_is_row_of_function(const struct tsr__te *e, const struct tsr__t_inst *load);

/* Refuses what would be too much code. */
void tsr__te_limit_coop(struct tsr__te *e, const struct tsr__t_inst *inst, uint64_t count);

#endif
