/* SPDX-License-Identifier: Apache-2.0
 * Linear algebra but for products of matrices: each work-item computes elements of the result. */
#include "tensor/llvm/index.h"

enum { MOST_ROWS = 16, MOST_COLUMNS = 8 };

/* ---- loops over the result
 * --------------------------------------------------------------------------------------------------------------- */

/* One element of the result, at these indices. */
typedef void element(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMValueRef *index);

/* For each element from this row on, a multiple of the work-group's: the first mode over the work-items in blocks, the second, if any, over
 * the second mode of the work-group. */
static void for_elements_from(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMValueRef first,
                              element *one)
{
    uint32_t order = o->c.type->order;
    const uint32_t *sizes = e->func->info.work_group_size;
    LLVMValueRef zero = tsr__te_i64(e, 0), index[2] = {zero, zero};
    struct tsr__te_loop columns, rows;
    LLVMBasicBlockRef end;
    if (order == 0) {
        end = tsr__te_if(e, e->first_item);
        one(e, inst, o, index);
        tsr__te_end_if(e, end);
        return;
    }
    LLVMBasicBlockRef one_row = NULL;
    if (order == 2) {
        tsr__te_loop(e, &columns, e->item[1], o->c.shape[1], tsr__te_i64(e, sizes[1]), NULL, 0);
        index[1] = columns.index;
    } else if (sizes[1] > 1) {
        one_row = tsr__te_if(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->item[1], zero, ""));
    }
    tsr__te_loop(e, &rows, first, o->c.shape[0], tsr__te_i64(e, sizes[0]), NULL, 0);
    index[0] = add(e, rows.index, e->item[0]);
    int64_t known = tsr__te_known(o->c.shape[0]);
    bool whole = known >= 0 && known % sizes[0] == 0;
    end = tsr__te_if(e, whole ? NULL : less(e, index[0], o->c.shape[0]));
    one(e, inst, o, index);
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &rows, NULL);
    if (order == 2)
        tsr__te_end_loop(e, &columns, NULL);
    tsr__te_end_if(e, one_row);
}

static void for_elements(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, element *one)
{
    for_elements_from(e, inst, o, tsr__te_i64(e, 0), one);
}

static void axpby_element(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMValueRef *index)
{
    enum tsr__t_number c = o->c.type->number;
    LLVMValueRef swapped[] = {index[1], index[0]};
    bool transposed = inst->transpose[0] && o->c.type->order == 2;
    tsr__te_update(e, o, tsr__te_address(e, &o->c, index), tsr__te_load_as(e, &o->a, transposed ? swapped : index, NULL, c), c);
}

TSR_TE_FUNCTION(axpby)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    if (!inst->transpose[0] || o.c.type->order != 2 || !tsr__te_blas_transposed(e, &o))
        for_elements(e, inst, &o, axpby_element);
}

static void ger_element(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMValueRef *index)
{
    (void)inst;
    enum tsr__t_number c = o->c.type->number;
    struct tsr__te_number product =
        tsr__te_arith(e, TSR__T_MUL, c, tsr__te_load_as(e, &o->a, index, NULL, c), tsr__te_load_as(e, &o->b, index + 1, NULL, c));
    tsr__te_update(e, o, tsr__te_address(e, &o->c, index), product, c);
}

TSR_TE_FUNCTION(ger)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    for_elements(e, inst, &o, ger_element);
}

static void hadamard_element(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMValueRef *index)
{
    (void)inst;
    enum tsr__t_number c = o->c.type->number;
    struct tsr__te_number product =
        tsr__te_arith(e, TSR__T_MUL, c, tsr__te_load_as(e, &o->a, index, NULL, c), tsr__te_load_as(e, &o->b, index, NULL, c));
    tsr__te_update(e, o, tsr__te_address(e, &o->c, index), product, c);
}

TSR_TE_FUNCTION(hadamard)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    for_elements(e, inst, &o, hadamard_element);
}

/* ---- sums along a mode
 * ------------------------------------------------------------------------------------------------------------------- */

static void gemv_element(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMValueRef *index)
{
    enum tsr__t_number c = o->c.type->number;
    LLVMValueRef at[2];
    struct tsr__te_loop k;
    uint32_t along = inst->transpose[0] ? 0 : 1;
    struct tsr__te_number sum = tsr__te_number_loop(e, &k, tsr__te_i64(e, 0), o->a.shape[along], tsr__te_i64(e, 1), tsr__te_zero(e, c));
    at[along] = k.index;
    at[1 - along] = index[0];
    sum = tsr__te_accumulate(e, o, tsr__te_load_as(e, &o->a, at, NULL, c), k.index, sum);
    sum = tsr__te_end_number_loop(e, &k, sum);
    tsr__te_update(e, o, tsr__te_address(e, &o->c, index), sum, c);
}

/* Blocks of rows whose sums are in registers together, so that what is read of a column lies side by side: a column each from rows that
 * fill one register would be a part of a page each. */
struct rows {
    const struct tsr__te_blas *o;
    uint32_t count, parts; /* of numbers for each work-item; of a number */
    LLVMValueRef first;    /* row of the work-item */
};

static uint32_t rows_together(struct tsr__te *e, const struct tsr__te_blas *o)
{
    uint32_t number = (uint32_t)tsr__t_numbers[tsr__t_numbers[o->c.type->number].component].bytes;
    uint32_t registers = tsr__te_registers(e, e->func->info.sub_group_size * number) * tsr__te_parts(o->c.type->number);
    uint32_t count = e->unit.registers * 2 / 3 / registers;
    int64_t most = tsr__te_known(o->c.shape[0]) / e->func->info.work_group_size[0]; /* 0 as well if it is not known */
    count = count > MOST_ROWS ? MOST_ROWS : count;
    return most > 0 && most < count ? (uint32_t)most : count;
}

static LLVMValueRef row_of(struct tsr__te *e, const struct rows *rows, uint32_t i)
{
    return plus(e, rows->first, i * e->func->info.work_group_size[0]);
}

static void sum_rows(struct tsr__te *e, const struct rows *rows)
{
    enum tsr__t_number c = rows->o->c.type->number;
    LLVMValueRef sums[2 * MOST_ROWS], zero = LLVMConstNull(tsr__te_type(e, c));
    struct tsr__te_loop k;
    for (uint32_t i = 0; i < rows->count * rows->parts; i++)
        sums[i] = zero;
    tsr__te_loop(e, &k, tsr__te_i64(e, 0), rows->o->a.shape[1], tsr__te_i64(e, 1), sums, rows->count * rows->parts);
    for (uint32_t i = 0; i < rows->count; i++) {
        LLVMValueRef at[] = {row_of(e, rows, i), k.index};
        struct tsr__te_number sum = tsr__te_carried(&k, rows->parts, i);
        tsr__te_put_number(sums, rows->parts, i,
                           tsr__te_accumulate(e, rows->o, tsr__te_load_as(e, &rows->o->a, at, NULL, c), k.index, sum));
    }
    tsr__te_end_rolled_loop(e, &k, sums);
    for (uint32_t i = 0; i < rows->count; i++) {
        LLVMValueRef row = row_of(e, rows, i);
        tsr__te_update(e, rows->o, tsr__te_address(e, &rows->o->c, &row), tsr__te_carried(&k, rows->parts, i), c);
    }
}

/* Sums of rows, or their products with a vector: blocks of rows, then what is left of them. */
static void all_rows(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    struct rows rows = {.o = o, .count = rows_together(e, o), .parts = tsr__te_parts(o->c.type->number)};
    uint32_t block = rows.count * sizes[0];
    struct tsr__te_loop blocks;
    if (!e->unit.blocks || sizes[1] > 1 || rows.count < 2 || is_known_below(o->c.shape[0], block)) {
        for_elements(e, inst, o, gemv_element);
        return;
    }
    LLVMValueRef whole = round_down(e, o->c.shape[0], block);
    tsr__te_loop(e, &blocks, tsr__te_i64(e, 0), whole, tsr__te_i64(e, block), NULL, 0);
    rows.first = add(e, blocks.index, e->item[0]);
    sum_rows(e, &rows);
    tsr__te_end_rolled_loop(e, &blocks, NULL);
    for_elements_from(e, inst, o, whole, gemv_element);
}

/* Columns of integers, whose order of addition does not matter: lanes have rows, which lie side by side, and add up at the end. */
struct columns {
    const struct tsr__te_blas *o;
    uint32_t count;
    LLVMValueRef first; /* of so many columns */
    struct tsr__te_number sums[MOST_COLUMNS];
};

/* `inside` NULL: each lane has a row. */
static void add_row(struct tsr__te *e, struct columns *columns, LLVMValueRef row, LLVMValueRef inside)
{
    const struct tsr__te_blas *o = columns->o;
    enum tsr__t_number c = o->c.type->number;
    struct tsr__te_number b = o->has_b ? tsr__te_load_as(e, &o->b, &row, inside, c) : (struct tsr__te_number){0};
    for (uint32_t i = 0; i < columns->count; i++) {
        LLVMValueRef at[] = {row, plus(e, columns->first, i)};
        struct tsr__te_number a = tsr__te_load_as(e, &o->a, at, inside, c);
        columns->sums[i] = o->has_b ? tsr__te_fma(e, c, a, b, columns->sums[i]) : tsr__te_arith(e, TSR__T_ADD, c, columns->sums[i], a);
    }
}

static void sum_columns(struct tsr__te *e, struct columns *columns)
{
    const struct tsr__te_blas *o = columns->o;
    enum tsr__t_number c = o->c.type->number;
    uint32_t lanes = e->func->info.sub_group_size;
    LLVMValueRef whole = round_down(e, o->a.shape[0], lanes), sums[MOST_COLUMNS];
    struct tsr__te_loop rows;
    for (uint32_t i = 0; i < columns->count; i++)
        sums[i] = tsr__te_zero(e, c).re;
    tsr__te_loop(e, &rows, tsr__te_i64(e, 0), whole, tsr__te_i64(e, lanes), sums, columns->count);
    for (uint32_t i = 0; i < columns->count; i++)
        columns->sums[i] = tsr__te_carried(&rows, 1, i);
    add_row(e, columns, add(e, rows.index, e->item[0]), NULL);
    for (uint32_t i = 0; i < columns->count; i++)
        sums[i] = columns->sums[i].re;
    tsr__te_end_rolled_loop(e, &rows, sums);
    for (uint32_t i = 0; i < columns->count; i++)
        columns->sums[i] = tsr__te_carried(&rows, 1, i);
    int64_t known = tsr__te_known(o->a.shape[0]);
    LLVMValueRef last = add(e, whole, e->item[0]);
    if (known < 0 || known % lanes)
        add_row(e, columns, last, less(e, last, o->a.shape[0]));
    for (uint32_t i = 0; i < columns->count; i++)
        columns->sums[i] = tsr__te_sub_group(e, "sub_group_reduce_add", c, columns->sums[i]);
    LLVMBasicBlockRef end = tsr__te_if(e, e->first_item);
    for (uint32_t i = 0; i < columns->count; i++) {
        LLVMValueRef col = plus(e, columns->first, i);
        tsr__te_update(e, o, tsr__te_address(e, &o->c, &col), columns->sums[i], c);
    }
    tsr__te_end_if(e, end);
}

/* The columns from `from` to `to`, so many at a time. */
static void sum_columns_between(struct tsr__te *e, const struct tsr__te_blas *o, LLVMValueRef from, LLVMValueRef to, uint32_t count)
{
    struct columns columns = {.o = o, .count = count};
    struct tsr__te_loop loop;
    tsr__te_loop(e, &loop, from, to, tsr__te_i64(e, count), NULL, 0);
    columns.first = loop.index;
    sum_columns(e, &columns);
    tsr__te_end_rolled_loop(e, &loop, NULL);
}

/* False: there is no such code. */
static bool integer_columns(struct tsr__te *e, const struct tsr__te_blas *o)
{
    uint32_t lanes = e->func->info.sub_group_size;
    if (tsr__t_numbers[o->c.type->number].class != TSR__T_INTEGER || !e->unit.blocks || !e->one_sub_group ||
        tsr__te_known(o->a.stride[0]) != 1 || is_known_below(o->a.shape[0], 2 * lanes))
        return false;
    LLVMValueRef whole = round_down(e, o->a.shape[1], MOST_COLUMNS);
    sum_columns_between(e, o, tsr__te_i64(e, 0), whole, MOST_COLUMNS);
    sum_columns_between(e, o, whole, o->a.shape[1], 1);
    return true;
}

TSR_TE_FUNCTION(gemv)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    if (!inst->transpose[0])
        all_rows(e, inst, &o);
    else if (!integer_columns(e, &o) && !tsr__te_blas_transposed(e, &o))
        for_elements(e, inst, &o, gemv_element);
}

/* What work-items compute together, the first sub-group does alone: its work-items are side by side in the first mode. */
static LLVMBasicBlockRef if_first_sub_group(struct tsr__te *e)
{
    LLVMValueRef zero = tsr__te_i32(e, 0);
    if (e->one_sub_group)
        return NULL;
    LLVMValueRef id = tsr__te_call(e, "get_sub_group_id", "v", LLVMInt32TypeInContext(e->context), NULL, 0);
    return tsr__te_if(e, LLVMBuildICmp(e->builder, LLVMIntEQ, id, zero, ""));
}

/* A loop over blocks of the vector A, of an element for each lane, that carries a number on. */
static struct tsr__te_number begin_vector(struct tsr__te *e, const struct tsr__te_blas *o, struct tsr__te_loop *loop)
{
    LLVMValueRef lanes = tsr__te_i64(e, e->func->info.sub_group_size);
    return tsr__te_number_loop(e, loop, tsr__te_i64(e, 0), o->a.shape[0], lanes, tsr__te_zero(e, o->c.type->number));
}

/* The sum of a vector: each lane adds up what it comes to, and then the lanes do. */
static void sum_all(struct tsr__te *e, const struct tsr__te_blas *o)
{
    enum tsr__t_number c = o->c.type->number;
    LLVMValueRef none;
    LLVMBasicBlockRef group = if_first_sub_group(e), end;
    struct tsr__te_loop loop;
    struct tsr__te_number sum = begin_vector(e, o, &loop);
    LLVMValueRef index = add(e, loop.index, e->item[0]);
    LLVMValueRef inside = less(e, index, o->a.shape[0]);
    sum = tsr__te_arith(e, TSR__T_ADD, c, sum, tsr__te_load_as(e, &o->a, &index, inside, c));
    sum = tsr__te_sub_group(e, "sub_group_reduce_add", c, tsr__te_end_number_loop(e, &loop, sum));
    end = tsr__te_if(e, e->first_item);
    tsr__te_update(e, o, tsr__te_address(e, &o->c, &none), sum, c);
    tsr__te_end_if(e, end);
    tsr__te_end_if(e, group);
}

TSR_TE_FUNCTION(sum)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    if (o.c.type->order == 0)
        sum_all(e, &o);
    else if (!inst->transpose[0])
        all_rows(e, inst, &o);
    else if (!integer_columns(e, &o) && !tsr__te_blas_transposed(e, &o))
        for_elements(e, inst, &o, gemv_element);
}

/* ---- cumulative sums
 * --------------------------------------------------------------------------------------------------------------------- */

/* Of a vector: a scan of each block of a sub-group, on top of the sum of the blocks before. */
static void scan_vector(struct tsr__te *e, const struct tsr__te_blas *o)
{
    enum tsr__t_number c = o->c.type->number;
    LLVMBasicBlockRef group = if_first_sub_group(e), end;
    struct tsr__te_loop loop;
    struct tsr__te_number carry = begin_vector(e, o, &loop);
    LLVMValueRef index = add(e, loop.index, e->item[0]);
    LLVMValueRef inside = less(e, index, o->a.shape[0]);
    struct tsr__te_number own = tsr__te_load_as(e, &o->a, &index, inside, c);
    struct tsr__te_number scan = tsr__te_arith(e, TSR__T_ADD, c, carry, tsr__te_sub_group(e, "sub_group_scan_inclusive_add", c, own));
    struct tsr__te_number all = tsr__te_arith(e, TSR__T_ADD, c, carry, tsr__te_sub_group(e, "sub_group_reduce_add", c, own));
    end = tsr__te_if(e, inside);
    tsr__te_update(e, o, tsr__te_address(e, &o->c, &index), scan, c);
    tsr__te_end_if(e, end);
    tsr__te_end_number_loop(e, &loop, all);
    tsr__te_end_if(e, group);
}

/* The elements that follow each other in a mode, in so many lines of each work-item together: what they read of the lines lies side by
 * side. */
struct lines {
    const struct tsr__te_blas *o;
    uint32_t mode, count, parts; /* of lines; of a number */
    LLVMValueRef all;            /* lines that there are */
    LLVMValueRef *index[MOST_ROWS];
};

/* The indices of a line, but for the mode that it goes along. */
static void find_line(struct tsr__te *e, const struct lines *lines, LLVMValueRef line, LLVMValueRef *index)
{
    for (uint32_t i = 0; i < lines->o->a.type->order; i++) {
        if (i == lines->mode)
            continue;
        index[i] = LLVMBuildURem(e->builder, line, lines->o->a.shape[i], "");
        line = LLVMBuildUDiv(e->builder, line, lines->o->a.shape[i], "");
    }
}

static void scan_together(struct tsr__te *e, const struct lines *lines)
{
    const struct tsr__te_blas *o = lines->o;
    enum tsr__t_number c = o->c.type->number;
    LLVMValueRef sums[2 * MOST_ROWS], zero = tsr__te_zero(e, c).re;
    struct tsr__te_loop along;
    for (uint32_t i = 0; i < lines->count * lines->parts; i++)
        sums[i] = zero;
    tsr__te_loop(e, &along, tsr__te_i64(e, 0), o->a.shape[lines->mode], tsr__te_i64(e, 1), sums, lines->count * lines->parts);
    for (uint32_t i = 0; i < lines->count; i++) {
        struct tsr__te_number sum = tsr__te_carried(&along, lines->parts, i);
        lines->index[i][lines->mode] = along.index;
        sum = tsr__te_arith(e, TSR__T_ADD, c, sum, tsr__te_load_as(e, &o->a, lines->index[i], NULL, c));
        tsr__te_update(e, o, tsr__te_address(e, &o->c, lines->index[i]), sum, c);
        tsr__te_put_number(sums, lines->parts, i, sum);
    }
    tsr__te_end_loop(e, &along, sums);
}

/* The lines from `from` to `to`; one line of each work-item at a time may end within a block. */
static void scan_between(struct tsr__te *e, struct lines *lines, LLVMValueRef from, LLVMValueRef to)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    uint32_t items = sizes[0] * sizes[1];
    struct tsr__te_loop blocks;
    tsr__te_loop(e, &blocks, from, to, tsr__te_i64(e, (int64_t)items * lines->count), NULL, 0);
    LLVMValueRef first = add(e, blocks.index, add(e, e->item[0], times(e, e->item[1], sizes[0])));
    LLVMBasicBlockRef end = tsr__te_if(e, lines->count == 1 ? less(e, first, to) : NULL);
    for (uint32_t i = 0; i < lines->count; i++)
        find_line(e, lines, plus(e, first, i * items), lines->index[i]);
    scan_together(e, lines);
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &blocks, NULL);
}

/* Of tensors: a work-item takes the elements that follow each other in the mode, from the first to the last. Lines along the first mode do
 * not lie side by side. */
static void scan_lines(struct tsr__te *e, const struct tsr__te_blas *o, uint32_t mode)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    struct lines lines = {.o = o, .mode = mode, .parts = tsr__te_parts(o->c.type->number), .all = tsr__te_i64(e, 1)};
    for (uint32_t i = 0; i < o->a.type->order; i++)
        if (i != mode)
            lines.all = mul(e, lines.all, o->a.shape[i]);
    for (uint32_t i = 0; i < MOST_ROWS; i++)
        lines.index[i] = tsr__te_room(e, o->a.type->order);
    LLVMValueRef from = tsr__te_i64(e, 0);
    int64_t known = tsr__te_known(lines.all);
    lines.count = e->unit.blocks && mode ? rows_together(e, o) : 1;
    if (lines.count > 1 && (known < 0 || known >= (int64_t)lines.count * sizes[0] * sizes[1])) {
        LLVMValueRef whole = round_down(e, lines.all, lines.count * sizes[0] * sizes[1]);
        scan_between(e, &lines, from, whole);
        from = whole;
    }
    lines.count = 1;
    scan_between(e, &lines, from, lines.all);
}

TSR_TE_FUNCTION(cumsum)
{
    struct tsr__te_blas o = tsr__te_begin_blas(e, inst);
    if (o.a.type->order == 1)
        scan_vector(e, &o);
    else
        scan_lines(e, &o, (uint32_t)inst->mode[0]);
}
