/* SPDX-License-Identifier: Apache-2.0
 * axpby with a transposed A. Lanes have columns of A. Squares of A are transposed through local memory, as lanes would gather otherwise. */
#include "tensor/llvm/index.h"

enum { MOST_COPIED = 8192 }; /* elements of A */

struct transposed {
    const struct tsr__te_blas *o;
    enum tsr__t_number a, part;    /* type of the elements of A, and of their parts */
    uint32_t parts, side;          /* parts of an element; parts of a column in a square, and columns */
    LLVMValueRef rows, cols, last; /* of A: how many, and its last column */
    struct tsr__te_transposition square;
};

static LLVMValueRef load_part(struct tsr__te *e, const void *context, LLVMValueRef col, LLVMValueRef part)
{
    const struct transposed *t = context;
    return tsr__te_load_part(e, &t->o->a, col, part, t->part);
}

/* False: there is no such code. */
static bool plan(struct tsr__te *e, const struct tsr__te_blas *o, struct transposed *t)
{
    *t = (struct transposed){.o = o, .a = o->a.type->number, .side = tsr__te_square_side(e)};
    t->part = tsr__t_numbers[t->a].component;
    t->parts = tsr__te_parts(t->a);
    t->rows = o->a.shape[0];
    t->cols = o->a.shape[1];
    uint32_t bytes = tsr__t_numbers[t->part].bytes;
    if (!e->unit.blocks || !t->side || tsr__te_known(o->a.stride[0]) != 1 || is_known_below(t->rows, t->side / t->parts) ||
        is_known_below(t->cols, t->side / 2))
        return false;
    if (t->parts == 1 && bytes == 8 &&
        tsr__te_known(t->rows) * tsr__te_known(t->cols) > MOST_COPIED) /* one column after the other suits the memory better */
        return false;
    t->square = (struct tsr__te_transposition){.type = tsr__te_type(e, t->part), .bytes = bytes, .load = load_part, .context = t};
    t->square.local = tsr__te_scratch(e, t->side * t->side * bytes);
    t->last = minus(e, t->cols, tsr__te_i64(e, 1));
    return t->square.local;
}

/* Rows of a square. */
static uint32_t square_rows(const struct transposed *t)
{
    return t->side / t->parts;
}

/* The square whose first element is (row, col): a lane gets the elements of its column. */
static void load_square(struct tsr__te *e, const struct transposed *t, LLVMValueRef row, LLVMValueRef col, struct tsr__te_number *elements)
{
    LLVMValueRef parts[TSR__TE_MOST_SIDE];
    tsr__te_transpose(e, &t->square, col, times(e, row, t->parts), parts);
    for (uint32_t i = 0; i < square_rows(t); i++)
        elements[i] = tsr__te_number_at(parts, t->parts, i);
}

/* Whether the lane's column of those from `col` on is one of A; NULL: all are. */
static LLVMValueRef has_column(struct tsr__te *e, const struct transposed *t, LLVMValueRef col)
{
    return t->square.last ? less(e, col, t->cols) : NULL;
}

/* Element (row, col) of A becomes (col, row) of C. */
static void update(struct tsr__te *e, const struct transposed *t, LLVMValueRef row, LLVMValueRef col, struct tsr__te_number element)
{
    element = tsr__te_convert(e, element, t->a, t->o->sum);
    tsr__te_update(e, t->o, tsr__te_element_address(e, &t->o->c, true, row, col), element, t->o->sum);
}

static void copy_square(struct tsr__te *e, const struct transposed *t, LLVMValueRef row, LLVMValueRef first)
{
    struct tsr__te_number elements[TSR__TE_MOST_SIDE];
    LLVMValueRef col = add(e, first, e->item[0]);
    load_square(e, t, row, first, elements);
    LLVMBasicBlockRef end = tsr__te_if(e, has_column(e, t, col));
    for (uint32_t i = 0; i < square_rows(t); i++)
        update(e, t, plus(e, row, i), col, elements[i]);
    tsr__te_end_if(e, end);
}

/* Columns `from` … `to` of a row of squares. `whole`: they fill these. */
static void columns_between(struct tsr__te *e, struct transposed *t, LLVMValueRef row, LLVMValueRef from, LLVMValueRef to, bool whole)
{
    struct tsr__te_loop cols;
    tsr__te_loop(e, &cols, from, to, tsr__te_i64(e, t->side), NULL, 0);
    t->square.last = whole ? NULL : t->last;
    copy_square(e, t, row, cols.index);
    tsr__te_end_rolled_loop(e, &cols, NULL);
}

static void all_columns(struct tsr__te *e, struct transposed *t, LLVMValueRef row)
{
    int64_t known = tsr__te_known(t->cols);
    LLVMValueRef whole = round_down(e, t->cols, t->side);
    if (known < 0 || known >= t->side)
        columns_between(e, t, row, tsr__te_i64(e, 0), whole, true);
    if (known < 0 || known % t->side)
        columns_between(e, t, row, whole, t->cols, false);
}

/* The outer loop is over rows of A, so that columns of C are written one after the other. Rows that fill no square are gathered. */
static void copy_all(struct tsr__te *e, struct transposed *t)
{
    struct tsr__te_loop squares, rest, cols;
    LLVMValueRef whole = round_down(e, t->rows, square_rows(t));
    tsr__te_loop(e, &squares, tsr__te_i64(e, 0), whole, tsr__te_i64(e, square_rows(t)), NULL, 0);
    all_columns(e, t, squares.index);
    tsr__te_end_rolled_loop(e, &squares, NULL);
    tsr__te_loop(e, &rest, whole, t->rows, tsr__te_i64(e, 1), NULL, 0);
    tsr__te_loop(e, &cols, tsr__te_i64(e, 0), t->cols, tsr__te_i64(e, t->side), NULL, 0);
    LLVMValueRef index[] = {rest.index, add(e, cols.index, e->item[0])};
    LLVMBasicBlockRef end = tsr__te_if(e, less(e, index[1], t->cols));
    update(e, t, index[0], index[1], tsr__te_load_as(e, &t->o->a, index, NULL, t->a));
    tsr__te_end_if(e, end);
    tsr__te_end_rolled_loop(e, &cols, NULL);
    tsr__te_end_rolled_loop(e, &rest, NULL);
}

bool tsr__te_axpby_transposed(struct tsr__te *e, const struct tsr__te_blas *o)
{
    struct transposed t;
    if (!plan(e, o, &t))
        return false;
    copy_all(e, &t);
    return true;
}
