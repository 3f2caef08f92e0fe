/* SPDX-License-Identifier: Apache-2.0
 * axpby with a transposed A. Lanes have columns of A. Squares of A are transposed through local memory, as lanes would gather otherwise. */
#include "tensor/llvm/index.h"

enum {
    MOST_COPIED = 8192, /* elements of A */
    AVX512_BYTES = 64,
    MOST_UNROLLED = 40, /* columns of few elements: the end of each loop would not be foreseen */
    LEAST_ROWS = 7,     /* that fill no square, and are transposed by one; gathers take longer */
};

struct transposed {
    const struct tsr__te_blas *o;
    enum tsr__t_number a, part; /* type of the elements of A, and of their parts */
    uint32_t parts, side;       /* parts of an element; parts of a column in a square, and columns */
    LLVMValueRef rows, cols;    /* of A */
    LLVMValueRef turned;        /* local memory for a transposed square, where rows that fill none are not gathered; otherwise NULL */
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
    /* Squares of wide numbers take twice the registers, and gathers have fewer of them; bytes need instructions for masks of them. */
    bool turns = t->parts == 1 && bytes <= 4 && (bytes > 1 || e->unit.register_bytes == AVX512_BYTES);
    t->square.local = tsr__te_scratch(e, t->side * t->side * bytes * (1 + turns));
    LLVMValueRef behind = tsr__te_i64(e, t->side * t->side);
    if (t->square.local && turns)
        t->turned = LLVMBuildInBoundsGEP2(e->builder, t->square.type, t->square.local, &behind, 1, "");
    return t->square.local;
}

/* Rows of a square. */
static uint32_t square_rows(const struct transposed *t)
{
    return t->side / t->parts;
}

/* Element (row, col) of A becomes (col, row) of C. */
static void update(struct tsr__te *e, const struct transposed *t, LLVMValueRef row, LLVMValueRef col, struct tsr__te_number element)
{
    element = tsr__te_convert(e, element, t->a, t->o->sum);
    tsr__te_update(e, t->o, tsr__te_element_address(e, &t->o->c, true, row, col), element, t->o->sum);
}

/* The square whose first element is (row, first). `whole`: all its columns are there. */
static void copy_square(struct tsr__te *e, struct transposed *t, LLVMValueRef row, LLVMValueRef first, bool whole)
{
    LLVMValueRef parts[TSR__TE_MOST_SIDE], col = add(e, first, e->item[0]);
    t->square.last = whole ? NULL : minus(e, t->cols, tsr__te_i64(e, 1));
    t->square.rows = NULL;
    tsr__te_transpose(e, &t->square, first, times(e, row, t->parts), parts);
    LLVMBasicBlockRef end = tsr__te_if(e, whole ? NULL : less(e, col, t->cols));
    for (uint32_t i = 0; i < square_rows(t); i++)
        update(e, t, plus(e, row, i), col, tsr__te_number_at(parts, t->parts, i));
    tsr__te_end_if(e, end);
}

/* Where the lane's column has this row in the transposed square. */
static LLVMValueRef in_turned(struct tsr__te *e, const struct transposed *t, LLVMValueRef row)
{
    LLVMValueRef at = add(e, times(e, row, t->side), e->item[0]);
    return LLVMBuildInBoundsGEP2(e->builder, t->square.type, t->turned, &at, 1, "");
}

/* The square whose first element is (row, first), of which some rows or columns are not there. By way of local memory a loop over the rows
 * is all the code. A few columns of C are read before one is written. */
static void copy_part(struct tsr__te *e, struct transposed *t, LLVMValueRef row, LLVMValueRef first)
{
    LLVMValueRef elements[TSR__TE_MOST_SIDE], index[] = {add(e, first, e->item[0]), NULL};
    struct tsr__te_together together;
    struct tsr__te_loop rows;
    t->square.last = minus(e, t->cols, tsr__te_i64(e, 1));
    t->square.rows = t->rows;
    tsr__te_transpose(e, &t->square, first, row, elements);
    for (uint32_t i = 0; i < t->side; i++)
        LLVMSetAlignment(LLVMBuildStore(e->builder, elements[i], in_turned(e, t, tsr__te_i64(e, i))), t->square.bytes);
    tsr__te_begin_together(e, t->o, t->rows, TSR__TE_COLUMNS_TOGETHER, &together);
    LLVMBasicBlockRef end = tsr__te_if(e, less(e, index[0], t->cols));
    tsr__te_sure_loop(e, &rows, row, minimum(e, t->rows, plus(e, row, t->side)), tsr__te_i64(e, together.count));
    for (uint32_t i = 0; i < together.count; i++) {
        index[1] = tsr__te_one_together(e, &together, rows.index, i);
        struct tsr__te_number element = {LLVMBuildLoad2(e->builder, t->square.type, in_turned(e, t, minus(e, index[1], row)), ""), NULL};
        LLVMSetAlignment(element.re, t->square.bytes);
        tsr__te_put_together(e, &together, i, index, tsr__te_convert(e, element, t->a, t->o->sum));
    }
    tsr__te_update_together(e, &together, rows.index);
    tsr__te_end_rolled_loop(e, &rows, NULL);
    tsr__te_end_if(e, end);
}

/* Rows that are too few for squares: lanes gather them. */
static void gather_rows(struct tsr__te *e, const struct transposed *t, LLVMValueRef from)
{
    struct tsr__te_loop rest, cols;
    tsr__te_loop(e, &rest, from, t->rows, tsr__te_i64(e, 1), NULL, 0);
    tsr__te_loop(e, &cols, tsr__te_i64(e, 0), t->cols, tsr__te_i64(e, t->side), NULL, 0);
    LLVMValueRef index[] = {rest.index, add(e, cols.index, e->item[0])};
    LLVMBasicBlockRef end = tsr__te_if(e, less(e, index[1], t->cols));
    update(e, t, index[0], index[1], tsr__te_load_as(e, &t->o->a, index, NULL, t->a));
    tsr__te_end_if(e, end);
    tsr__te_end_rolled_loop(e, &cols, NULL);
    tsr__te_end_rolled_loop(e, &rest, NULL);
}

/* A row of squares. */
static void copy_row(struct tsr__te *e, struct transposed *t, LLVMValueRef row)
{
    LLVMValueRef last = round_down(e, t->cols, t->side);
    struct tsr__te_loop cols;
    tsr__te_loop(e, &cols, tsr__te_i64(e, 0), last, tsr__te_i64(e, t->side), NULL, 0);
    copy_square(e, t, row, cols.index, true);
    tsr__te_end_rolled_loop(e, &cols, NULL);
    if (tsr__te_divisor(t->cols) % t->side == 0)
        return;
    LLVMBasicBlockRef end = tsr__te_if(e, less(e, last, t->cols));
    copy_square(e, t, row, last, false);
    tsr__te_end_if(e, end);
}

/* A row of squares of which some may be parts: these have their own code, once for rows and columns, as LLVM takes long to compile the
 * shuffles of a square. */
static void copy_row_or_part(struct tsr__te *e, struct transposed *t, LLVMValueRef row, LLVMValueRef to)
{
    bool whole_rows = tsr__te_divisor(to) % t->side == 0, whole = whole_rows && tsr__te_divisor(t->cols) % t->side == 0;
    struct tsr__te_loop cols;
    tsr__te_loop(e, &cols, tsr__te_i64(e, 0), t->cols, tsr__te_i64(e, t->side), NULL, 0);
    LLVMValueRef all = at_most(e, plus(e, cols.index, t->side), t->cols);
    if (!whole_rows)
        all = both(e, all, at_most(e, plus(e, row, t->side), t->rows));
    LLVMBasicBlockRef end = tsr__te_if(e, whole ? NULL : all);
    copy_square(e, t, row, cols.index, true);
    if (!whole) {
        end = tsr__te_else(e, end);
        copy_part(e, t, row, cols.index);
    }
    tsr__te_end_if(e, end);
    tsr__te_end_rolled_loop(e, &cols, NULL);
}

/* Elements that one work-item copies sooner than squares are transposed, or gathered where they fill none. */
static int64_t few_elements(enum tsr__t_number a)
{
    enum { OF_64_BITS = 1100, OF_32_BITS = 400, OF_BYTES = 64 };
    uint32_t bytes = tsr__t_numbers[tsr__t_numbers[a].component].bytes;
    bool half = bytes == 2 && tsr__t_numbers[a].class == TSR__T_FLOATING; /* code for each lane converts several at a time */
    return bytes == 8 ? OF_64_BITS : bytes == 4 ? OF_32_BITS : half ? 0 : OF_BYTES;
}

static void copy_elements(struct tsr__te *e, const struct transposed *t)
{
    struct tsr__te_loop rows, cols;
    LLVMBasicBlockRef end = tsr__te_if(e, e->first_item);
    tsr__te_loop(e, &rows, tsr__te_i64(e, 0), t->rows, tsr__te_i64(e, 1), NULL, 0);
    tsr__te_loop(e, &cols, tsr__te_i64(e, 0), t->cols, tsr__te_i64(e, 1), NULL, 0);
    LLVMValueRef index[] = {rows.index, cols.index};
    update(e, t, index[0], index[1], tsr__te_load_as(e, &t->o->a, index, NULL, t->a));
    if (is_known_below(t->cols, MOST_UNROLLED + 1))
        tsr__te_end_loop(e, &cols, NULL);
    else
        tsr__te_end_rolled_loop(e, &cols, NULL);
    tsr__te_end_rolled_loop(e, &rows, NULL);
    tsr__te_end_if(e, end);
}

/* The outer loop is over rows of A, so that columns of C are written one after the other. */
static void copy_squares(struct tsr__te *e, struct transposed *t)
{
    LLVMValueRef whole = round_down(e, t->rows, square_rows(t)), to = whole;
    if (t->turned)
        to = choose(e, less(e, minus(e, t->rows, whole), tsr__te_i64(e, LEAST_ROWS)), whole, t->rows);
    struct tsr__te_loop rows;
    tsr__te_loop(e, &rows, tsr__te_i64(e, 0), to, tsr__te_i64(e, square_rows(t)), NULL, 0);
    if (t->turned)
        copy_row_or_part(e, t, rows.index, to);
    else
        copy_row(e, t, rows.index);
    tsr__te_end_rolled_loop(e, &rows, NULL);
    gather_rows(e, t, to);
}

bool tsr__te_axpby_transposed(struct tsr__te *e, const struct tsr__te_blas *o)
{
    struct transposed t;
    bool squares = plan(e, o, &t);
    int64_t rows = tsr__te_known(t.rows), cols = tsr__te_known(t.cols), few = few_elements(t.a);
    bool open = rows < 0 || cols < 0;
    if (e->unit.blocks && t.side && !open && rows <= few && cols <= few && rows * cols <= few) {
        copy_elements(e, &t);
        return true;
    }
    if (!squares)
        return false;
    LLVMBasicBlockRef end = tsr__te_if(e, open && few ? at_most(e, mul(e, t.rows, t.cols), tsr__te_i64(e, few)) : NULL);
    if (open && few) {
        copy_elements(e, &t);
        end = tsr__te_else(e, end);
    }
    copy_squares(e, &t);
    tsr__te_end_if(e, end);
    return true;
}
