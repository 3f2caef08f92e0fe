/* SPDX-License-Identifier: Apache-2.0
 * Linear algebra but for products of matrices: each work-item computes elements of the result. */
#include "tensor/llvm/index.h"

/* ---- loops over the result ---- */

/* Elements of the result. */
struct elements {
    const struct tsr__t_inst *inst;
    const struct tsr__te_blas *o;
    struct tsr__te_number (*product)(struct tsr__te *e, const struct elements *all, LLVMValueRef *index); /* what these indices get */
    LLVMValueRef column;
    struct tsr__te_number factor; /* of ger: that of B for the column */
};

static void begin_column(struct tsr__te *e, struct elements *all, LLVMValueRef column)
{
    all->column = column;
    if (all->inst->op == TSR__T_GER)
        all->factor = tsr__te_load_as(e, &all->o->b, &all->column, NULL, all->o->sum);
}

static void update(struct tsr__te *e, const struct tsr__te_blas *o, LLVMValueRef *index, struct tsr__te_number product)
{
    tsr__te_update(e, o, tsr__te_address(e, &o->c, index), product, o->sum);
}

static void element_of_row(struct tsr__te *e, const void *context, LLVMValueRef row)
{
    const struct elements *all = context;
    LLVMValueRef index[] = {row, all->column};
    update(e, all->o, index, all->product(e, all, index));
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
        begin_column(e, all, columns.index);
    } else if (sizes[1] > 1) {
        one_row = tsr__te_if(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->item[1], all->column, ""));
    }
    struct tsr__te_spread rows = {.item = e->item[0], .width = sizes[0], .body = element_of_row, .context = all};
    tsr__te_spread(e, &rows, blocks, from, to);
    if (is_matrix)
        tsr__te_end_loop(e, &columns, NULL);
    tsr__te_end_if(e, one_row);
}

/* The last rows of each column of a matrix, which not all work-items have: a few columns are read before one of them is written. */
static void for_last_rows(struct tsr__te *e, struct elements *all, LLVMValueRef from, LLVMValueRef to)
{
    const struct tsr__te_blas *o = all->o;
    struct tsr__te_loop columns;
    struct tsr__te_together together;
    LLVMValueRef index[] = {add(e, from, e->item[0]), NULL};
    if (e->func->info.work_group_size[1] > 1 || !tsr__te_begin_together(e, o, o->c.shape[1], TSR__TE_MOST_COLUMNS_TOGETHER, &together)) {
        for_rows(e, all, TSR__TE_LAST, from, to);
        return;
    }
    tsr__te_loop_or_once(e, &columns, tsr__te_i64(e, 0), together.end, tsr__te_i64(e, together.count));
    LLVMBasicBlockRef end = tsr__te_if(e, less(e, index[0], to));
    for (uint32_t i = 0; i < together.count; i++) {
        index[1] = tsr__te_one_together(e, &together, columns.index, i);
        begin_column(e, all, index[1]);
        tsr__te_put_together(e, &together, i, index, all->product(e, all, index));
    }
    tsr__te_update_together(e, &together, columns.index);
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &columns, NULL);
}

/* Elements from this row on, a multiple of the work-group's. `apart`: rows that fill blocks and others have their own code. */
static void for_elements_from(struct tsr__te *e, struct elements *all, LLVMValueRef first, bool apart)
{
    uint32_t width = e->func->info.work_group_size[0], order = all->o->c.type->order;
    LLVMBasicBlockRef end;
    if (order == 0) {
        all->column = tsr__te_i64(e, 0);
        end = tsr__te_if(e, e->first_item);
        element_of_row(e, all, all->column);
        tsr__te_end_if(e, end);
        return;
    }
    LLVMValueRef rows = all->o->c.shape[0], whole = first;
    enum tsr__te_blocks blocks = tsr__te_blocks_of(first, rows, width);
    apart &= e->unit.blocks && blocks != TSR__TE_WHOLE;
    if (!apart) {
        for_rows(e, all, blocks, first, rows);
        return;
    }
    if (blocks == TSR__TE_MASKED) {
        whole = tsr__te_whole(e, first, rows, width);
        for_rows(e, all, TSR__TE_WHOLE, first, whole);
    }
    end = tsr__te_if(e, blocks == TSR__TE_MASKED ? less(e, whole, rows) : NULL);
    if (order == 2)
        for_last_rows(e, all, whole, rows);
    else
        for_rows(e, all, TSR__TE_LAST, whole, rows);
    tsr__te_end_if(e, end);
}

typedef struct tsr__te_number element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index);

static element gemv_element;

static void for_elements(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, element *product)
{
    struct elements all = {.inst = inst, .o = o, .product = product};
    for_elements_from(e, &all, tsr__te_i64(e, 0), product != gemv_element);
}

/* Whether the columns of a matrix have no gaps; NULL: they are taken to have some. */
static LLVMValueRef has_no_gaps(struct tsr__te *e, const struct tsr__te_memref *m)
{
    if (m->type->order != 2 || tsr__te_known(m->stride[0]) != 1)
        return NULL;
    return LLVMBuildICmp(e->builder, LLVMIntEQ, m->stride[1], m->shape[0], "");
}

/* Where elements of C come from those in the same places, and no columns have gaps, all are one: what fills no vector is left over once,
 * not in each. */
static void fuse_columns(struct tsr__te *e, struct tsr__te_blas *o)
{
    struct tsr__te_memref *all[] = {&o->a, &o->c, &o->b};
    if (o->c.type->order != 2 || e->func->info.work_group_size[1] > 1)
        return;
    LLVMValueRef fused = NULL, *shape = tsr__te_room(e, 2), rows = o->c.shape[0], cols = o->c.shape[1];
    if (tsr__te_known(cols) < 0 && tsr__te_known(rows) >= 0 && tsr__te_known(rows) % e->func->info.work_group_size[0] == 0)
        return;
    for (uint32_t i = 0; i < 2u + o->has_b; i++) {
        LLVMValueRef own = has_no_gaps(e, all[i]);
        if (!own)
            return;
        fused = fused ? both(e, fused, own) : own;
    }
    shape[0] = choose(e, fused, mul(e, rows, cols), rows);
    shape[1] = choose(e, fused, tsr__te_i64(e, 1), cols);
    for (uint32_t i = 0; i < 2u + o->has_b; i++)
        all[i]->shape = shape;
}

static struct tsr__te_number axpby_element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index)
{
    const struct tsr__te_blas *o = all->o;
    LLVMValueRef swapped[] = {index[1], index[0]};
    bool transposed = all->inst->transpose[0] && o->c.type->order == 2;
    return tsr__te_load_as(e, &o->a, transposed ? swapped : index, NULL, o->sum);
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

static struct tsr__te_number ger_element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index)
{
    const struct tsr__te_blas *o = all->o;
    return tsr__te_arith(e, TSR__T_MUL, o->sum, tsr__te_load_as(e, &o->a, index, NULL, o->sum), all->factor);
}

TSR_TE_FUNCTION(ger)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    for_elements(e, inst, &o, ger_element);
}

static struct tsr__te_number hadamard_element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index)
{
    const struct tsr__te_blas *o = all->o;
    struct tsr__te_number a = tsr__te_load_as(e, &o->a, index, NULL, o->sum), b = tsr__te_load_as(e, &o->b, index, NULL, o->sum);
    return tsr__te_arith(e, TSR__T_MUL, o->sum, a, b);
}

TSR_TE_FUNCTION(hadamard)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    fuse_columns(e, &o);
    for_elements(e, inst, &o, hadamard_element);
}

/* ---- sums along a mode ---- */

static struct tsr__te_number gemv_element(struct tsr__te *e, const struct elements *all, LLVMValueRef *index)
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
    return tsr__te_end_number_loop(e, &k, sum);
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
    struct elements rest = {.inst = inst, .o = o, .product = gemv_element};
    for_elements_from(e, &rest, whole, false);
}

enum { PAGE = 4096 };

/* A vector as a matrix of one column, whose type goes to `type`. */
static struct tsr__te_memref as_column(struct tsr__te *e, const struct tsr__te_memref *vector, struct tsr__t_type *type)
{
    struct tsr__te_memref column = {type, vector->pointer, tsr__te_room(e, 2), tsr__te_room(e, 2)};
    *type = *vector->type;
    type->order = 2;
    column.shape[0] = vector->shape[0];
    column.shape[1] = tsr__te_i64(e, 1);
    column.stride[0] = vector->stride[0];
    column.stride[1] = mul(e, vector->shape[0], vector->stride[0]);
    return column;
}

/* Bytes and numbers of 16 bits are a product with a matrix of one column, where there are dot products of words of these. They read A by
 * few rows, which does not pay where each column is on a page of its own. */
static bool gemv_by_dots(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o)
{
    struct tsr__te_blas product = *o;
    struct tsr__t_type b, c;
    const int64_t distance = tsr__te_known(o->a.stride[1]) * tsr__t_numbers[o->a.type->number].bytes;
    if (inst->transpose[0] || distance < 0 || distance >= PAGE || tsr__t_numbers[o->a.type->number].class != TSR__T_INTEGER ||
        !tsr__te_dot_of(e, o->a.type->number, o->b.type->number, tsr__t_sum_type(o->c.type->number)))
        return false;
    product.b = as_column(e, &o->b, &b);
    product.c = as_column(e, &o->c, &c);
    return tsr__te_gemm_by_dots(e, inst, &product);
}

TSR_TE_FUNCTION(gemv)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    if (gemv_by_dots(e, inst, &o))
        return;
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
