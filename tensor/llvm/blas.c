/* SPDX-License-Identifier: Apache-2.0
 * Linear algebra but for products of matrices: each work-item computes elements of the result. */
#include "tensor/llvm/index.h"

/* ---- loops over the result ---- */

/* Elements of the result. */
struct elements {
    const struct tsr__t_inst *inst;
    const struct tsr__te_blas *o;
    void (*one)(struct tsr__te *e, const struct elements *all, LLVMValueRef *index); /* makes the element with these indices */
    LLVMValueRef column;
    struct tsr__te_number factor; /* of ger: that of B for the column */
};

static void element_of_row(struct tsr__te *e, const void *context, LLVMValueRef row)
{
    const struct elements *all = context;
    LLVMValueRef index[] = {row, all->column};
    all->one(e, all, index);
}

/* The rows from `from` to `to` of each column: the first mode lies over the work-items in blocks, the second, if any, over the second mode
 * of the work-group. */
static void for_rows(struct tsr__te *e, struct elements *all, enum tsr__te_blocks blocks, LLVMValueRef from, LLVMValueRef to)
{
    const struct tsr__te_blas *o = all->o;
    bool is_matrix = o->c.type->order == 2;
    const uint32_t *sizes = e->func->info.work_group_size;
    struct tsr__te_loop columns;
    LLVMBasicBlockRef one_row = NULL;
    all->column = tsr__te_i64(e, 0);
    if (is_matrix) {
        tsr__te_loop(e, &columns, e->item[1], o->c.shape[1], tsr__te_i64(e, sizes[1]), NULL, 0);
        all->column = columns.index;
        if (all->inst->op == TSR__T_GER)
            all->factor = tsr__te_load_as(e, &o->b, &all->column, NULL, o->sum);
    } else if (sizes[1] > 1) {
        one_row = tsr__te_if(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->item[1], all->column, ""));
    }
    struct tsr__te_spread rows = {.item = e->item[0], .width = sizes[0], .body = element_of_row, .context = all};
    tsr__te_spread(e, &rows, blocks, from, to);
    if (is_matrix)
        tsr__te_end_loop(e, &columns, NULL);
    tsr__te_end_if(e, one_row);
}

/* Elements from this row on, a multiple of the work-group's. `apart`: rows that fill blocks and others have their own code. */
static void for_elements_from(struct tsr__te *e, struct elements *all, LLVMValueRef first, bool apart)
{
    uint32_t width = e->func->info.work_group_size[0];
    LLVMBasicBlockRef end;
    if (all->o->c.type->order == 0) {
        all->column = tsr__te_i64(e, 0);
        end = tsr__te_if(e, e->first_item);
        element_of_row(e, all, all->column);
        tsr__te_end_if(e, end);
        return;
    }
    LLVMValueRef rows = all->o->c.shape[0];
    enum tsr__te_blocks blocks = tsr__te_blocks_of(first, rows, width);
    if (blocks == TSR__TE_MASKED && apart && e->unit.blocks) {
        LLVMValueRef whole = tsr__te_whole(e, first, rows, width);
        for_rows(e, all, TSR__TE_WHOLE, first, whole);
        end = tsr__te_if(e, less(e, whole, rows));
        for_rows(e, all, TSR__TE_LAST, whole, rows);
        tsr__te_end_if(e, end);
    } else {
        for_rows(e, all, blocks, first, rows);
    }
}

typedef void element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index);

static element gemv_element;

static void for_elements(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, element *one)
{
    struct elements all = {.inst = inst, .o = o, .one = one};
    for_elements_from(e, &all, tsr__te_i64(e, 0), one != gemv_element);
}

/* Whether it is a matrix of known sizes whose columns have no gaps. */
static bool has_no_gaps(const struct tsr__te_memref *m)
{
    int64_t rows = m->type->order == 2 ? tsr__te_known(m->shape[0]) : -1;
    return rows > 0 && tsr__te_known(m->shape[1]) > 0 && tsr__te_known(m->stride[0]) == 1 && tsr__te_known(m->stride[1]) == rows;
}

static void make_one_column(struct tsr__te *e, struct tsr__te_memref *m)
{
    LLVMValueRef *shape = tsr__te_room(e, 2);
    shape[0] = mul(e, m->shape[0], m->shape[1]);
    shape[1] = tsr__te_i64(e, 1);
    m->shape = shape;
}

/* Where elements of C come from those in the same places, what fills no vector is left over once, not in each column. */
static void fuse_columns(struct tsr__te *e, struct tsr__te_blas *o)
{
    if (e->func->info.work_group_size[1] > 1 || !has_no_gaps(&o->a) || (o->has_b && !has_no_gaps(&o->b)) || !has_no_gaps(&o->c))
        return;
    make_one_column(e, &o->a);
    make_one_column(e, &o->c);
    if (o->has_b)
        make_one_column(e, &o->b);
}

static void update(struct tsr__te *e, const struct tsr__te_blas *o, LLVMValueRef *index, struct tsr__te_number product)
{
    tsr__te_update(e, o, tsr__te_address(e, &o->c, index), product, o->sum);
}

static void axpby_element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index)
{
    const struct tsr__te_blas *o = all->o;
    LLVMValueRef swapped[] = {index[1], index[0]};
    bool transposed = all->inst->transpose[0] && o->c.type->order == 2;
    update(e, o, index, tsr__te_load_as(e, &o->a, transposed ? swapped : index, NULL, o->sum));
}

TSR_TE_FUNCTION(axpby)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    bool transposed = inst->transpose[0] && o.c.type->order == 2;
    if (transposed && tsr__te_axpby_transposed(e, &o))
        return;
    if (!transposed)
        fuse_columns(e, &o);
    for_elements(e, inst, &o, axpby_element);
}

static void ger_element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index)
{
    const struct tsr__te_blas *o = all->o;
    update(e, o, index, tsr__te_arith(e, TSR__T_MUL, o->sum, tsr__te_load_as(e, &o->a, index, NULL, o->sum), all->factor));
}

TSR_TE_FUNCTION(ger)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    for_elements(e, inst, &o, ger_element);
}

static void hadamard_element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index)
{
    const struct tsr__te_blas *o = all->o;
    struct tsr__te_number a = tsr__te_load_as(e, &o->a, index, NULL, o->sum), b = tsr__te_load_as(e, &o->b, index, NULL, o->sum);
    update(e, o, index, tsr__te_arith(e, TSR__T_MUL, o->sum, a, b));
}

TSR_TE_FUNCTION(hadamard)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    fuse_columns(e, &o);
    for_elements(e, inst, &o, hadamard_element);
}

/* ---- sums along a mode ---- */

static void gemv_element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index)
{
    const struct tsr__te_blas *o = all->o;
    LLVMValueRef at[2];
    struct tsr__te_loop k;
    uint32_t along = all->inst->transpose[0] ? 0 : 1;
    struct tsr__te_number sum =
        tsr__te_number_loop(e, &k, tsr__te_i64(e, 0), o->a.shape[along], tsr__te_i64(e, 1), tsr__te_zero(e, o->sum));
    at[along] = k.index;
    at[1 - along] = index[0];
    sum = tsr__te_accumulate(e, o, tsr__te_load_as(e, &o->a, at, NULL, o->sum), k.index, sum);
    sum = tsr__te_end_number_loop(e, &k, sum);
    update(e, o, index, sum);
}

/* Blocks of rows whose sums are in registers together, so that what is read of a column lies side by side: a column each from rows that
 * fill one register would be a part of a page each. */
struct rows {
    const struct tsr__te_blas *o;
    uint32_t count, parts;     /* of numbers for each work-item; of a number */
    LLVMValueRef block, first; /* row of the work-group, and of the work-item */
};

static LLVMValueRef row_of(struct tsr__te *e, const struct rows *rows, uint32_t i)
{
    return plus(e, rows->first, i * e->func->info.work_group_size[0]);
}

static void sum_rows(struct tsr__te *e, const struct rows *rows)
{
    enum tsr__t_number c = rows->o->sum;
    LLVMValueRef sums[2 * TSR__TE_MOST_TOGETHER], zero = LLVMConstNull(tsr__te_type(e, c));
    struct tsr__te_loop k;
    for (uint32_t i = 0; i < rows->count * rows->parts; i++)
        sums[i] = zero;
    tsr__te_loop(e, &k, tsr__te_i64(e, 0), rows->o->a.shape[1], tsr__te_i64(e, 1), sums, rows->count * rows->parts);
    tsr__te_prefetch_piece(e, &rows->o->a, rows->block, k.index, rows->count);
    for (uint32_t i = 0; i < rows->count; i++) {
        LLVMValueRef at[] = {row_of(e, rows, i), k.index};
        struct tsr__te_number sum = tsr__te_carried(&k, rows->parts, i);
        tsr__te_put_number(sums, rows->parts, i,
                           tsr__te_accumulate(e, rows->o, tsr__te_load_as(e, &rows->o->a, at, NULL, c), k.index, sum));
    }
    tsr__te_end_rolled_loop(e, &k, sums);
    for (uint32_t i = 0; i < rows->count; i++) {
        LLVMValueRef row = row_of(e, rows, i);
        update(e, rows->o, &row, tsr__te_carried(&k, rows->parts, i));
    }
}

/* Sums of rows, or their products with a vector: blocks of rows, then what is left of them. */
static void all_rows(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    struct rows rows = {.o = o, .count = tsr__te_rows_together(e, o), .parts = tsr__te_parts(o->sum)};
    uint32_t block = rows.count * sizes[0];
    struct tsr__te_loop blocks;
    if (!e->unit.blocks || sizes[1] > 1 || rows.count < 2 || is_known_below(o->c.shape[0], block)) {
        for_elements(e, inst, o, gemv_element);
        return;
    }
    LLVMValueRef whole = round_down(e, o->c.shape[0], block);
    tsr__te_loop(e, &blocks, tsr__te_i64(e, 0), whole, tsr__te_i64(e, block), NULL, 0);
    rows.block = blocks.index;
    rows.first = add(e, blocks.index, e->item[0]);
    sum_rows(e, &rows);
    tsr__te_end_rolled_loop(e, &blocks, NULL);
    struct elements rest = {.inst = inst, .o = o, .one = gemv_element};
    for_elements_from(e, &rest, whole, false);
}

TSR_TE_FUNCTION(gemv)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    if (o.sum == TSR__T_I8) /* vectors of bytes are multiplied as numbers of 16 bits */
        o.sum = TSR__T_I16;
    if (!inst->transpose[0])
        all_rows(e, inst, &o);
    else if (!tsr__te_blas_columns(e, &o))
        for_elements(e, inst, &o, gemv_element);
}

TSR_TE_FUNCTION(sum)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    if (o.c.type->order == 0)
        tsr__te_sum_vector(e, &o);
    else if (!inst->transpose[0])
        all_rows(e, inst, &o);
    else if (!tsr__te_blas_columns(e, &o))
        for_elements(e, inst, &o, gemv_element);
}
