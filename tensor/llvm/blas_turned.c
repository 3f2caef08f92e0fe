/* SPDX-License-Identifier: Apache-2.0
 * Linear algebra that goes along the columns of a matrix, and has lanes for the columns: sums of a transposed matrix, its products with
 * vectors, and copies of it. Squares of it are turned, so that lanes do not gather what lies side by side in memory. */
#include "tensor/llvm/index.h"

enum { MOST_COPIED = 8192 };

struct turned {
    const struct tsr__te_blas *o;
    enum tsr__t_number c, from, part; /* of the result; parts of numbers of A, and of the result */
    uint32_t parts, side;
    LLVMValueRef lines, length, last; /* columns of A, numbers of one, the last column */
    LLVMValueRef line;                /* the lane's, one that there is */
};

static LLVMValueRef load_part(struct tsr__te *e, const void *context, LLVMValueRef line, LLVMValueRef at)
{
    const struct turned *t = context;
    LLVMValueRef index[] = {tsr__te_i64(e, 0), line}, first = tsr__te_address(e, &t->o->a, index);
    LLVMValueRef part = LLVMBuildLoad2(e->builder, tsr__te_type(e, t->from),
                                       LLVMBuildInBoundsGEP2(e->builder, tsr__te_type(e, t->from), first, &at, 1, ""), "");
    LLVMSetAlignment(part, tsr__t_numbers[t->from].bytes);
    return tsr__te_convert(e, (struct tsr__te_number){part, NULL}, t->from, t->part).re;
}

/* False: there is no such code. */
static bool plan(struct tsr__te *e, const struct tsr__te_blas *o, struct turned *t, struct tsr__te_turn *turn)
{
    enum tsr__t_number a = o->a.type->number;
    *t = (struct turned){.o = o, .c = o->c.type->number, .from = tsr__t_numbers[a].component, .side = tsr__te_turn_side(e)};
    t->part = tsr__t_numbers[t->c].component;
    t->parts = tsr__te_parts(a);
    t->length = o->a.shape[0];
    t->lines = o->a.shape[1];
    uint32_t bytes = tsr__t_numbers[t->part].bytes;
    if (!e->unit.blocks || !t->side || t->parts != tsr__te_parts(t->c) || tsr__te_known(o->a.stride[0]) != 1 ||
        is_known_below(t->length, t->side / t->parts) || is_known_below(t->lines, t->side / 2))
        return false;
    if (o->has_b && t->parts == 1 && bytes < 8) /* the vector engine turns such loops itself */
        return false;
    bool copies = o->c.type->order == 2 && t->parts == 1 && bytes == 8;
    if (copies && tsr__te_known(t->length) * tsr__te_known(t->lines) > MOST_COPIED) /* columns in turn suit the memory better */
        return false;
    *turn = (struct tsr__te_turn){.type = tsr__te_type(e, t->part), .bytes = bytes, .load = load_part, .context = t};
    turn->square = tsr__te_scratch(e, t->side * t->side * bytes);
    t->last = minus(e, t->lines, tsr__te_i64(e, 1));
    return turn->square;
}

/* Numbers of a line that fill squares. */
static LLVMValueRef whole_squares(struct tsr__te *e, const struct turned *t)
{
    return round_down(e, t->length, t->side / t->parts);
}

/* The square from number `at` of the lines from `line` on. */
static void turn_square(struct tsr__te *e, const struct turned *t, const struct tsr__te_turn *turn, LLVMValueRef line, LLVMValueRef at,
                        struct tsr__te_number *numbers)
{
    LLVMValueRef parts[TSR__TE_MOST_SIDE];
    tsr__te_turn(e, turn, line, times(e, at, t->parts), parts);
    for (uint32_t i = 0; i < t->side / t->parts; i++)
        numbers[i] = (struct tsr__te_number){parts[i * t->parts], t->parts > 1 ? parts[i * t->parts + 1] : NULL};
}

static struct tsr__te_number load_as(struct tsr__te *e, const struct tsr__te_memref *m, LLVMValueRef *index, enum tsr__t_number number)
{
    return tsr__te_convert(e, tsr__te_load_number(e, m, tsr__te_address(e, m, index)), m->type->number, number);
}

/* The number of the lane's line is in the sum, or its product with that of a vector. */
static struct tsr__te_number accumulate(struct tsr__te *e, const struct turned *t, struct tsr__te_number own, LLVMValueRef at,
                                        struct tsr__te_number sum)
{
    return t->o->has_b ? tsr__te_fma(e, t->c, own, load_as(e, &t->o->b, &at, t->c), sum) : tsr__te_arith(e, TSR__T_ADD, t->c, sum, own);
}

static struct tsr__te_number carried(const struct tsr__te_loop *loop)
{
    return (struct tsr__te_number){loop->carried[0], loop->count > 1 ? loop->carried[1] : NULL};
}

/* Sums of lines, in ascending order. */
static void sum_lines(struct tsr__te *e, const struct turned *t, const struct tsr__te_turn *turn, LLVMValueRef first_line)
{
    struct tsr__te_number sum = tsr__te_zero(e, t->c), numbers[TSR__TE_MOST_SIDE];
    LLVMValueRef first[] = {sum.re, sum.im}, next[2], whole = whole_squares(e, t);
    struct tsr__te_loop squares, rest;
    tsr__te_loop(e, &squares, tsr__te_i64(e, 0), whole, tsr__te_i64(e, t->side / t->parts), first, t->parts);
    turn_square(e, t, turn, first_line, squares.index, numbers);
    sum = carried(&squares);
    for (uint32_t i = 0; i < t->side / t->parts; i++)
        sum = accumulate(e, t, numbers[i], plus(e, squares.index, i), sum);
    next[0] = sum.re;
    next[1] = sum.im;
    tsr__te_end_rolled_loop(e, &squares, next);
    tsr__te_loop(e, &rest, whole, t->length, tsr__te_i64(e, 1), squares.carried, t->parts);
    LLVMValueRef at[] = {rest.index, t->line};
    sum = accumulate(e, t, load_as(e, &t->o->a, at, t->c), rest.index, carried(&rest));
    next[0] = sum.re;
    next[1] = sum.im;
    tsr__te_end_rolled_loop(e, &rest, next);
    LLVMValueRef row = add(e, first_line, e->item[0]);
    LLVMBasicBlockRef end = tsr__te_if(e, turn->last ? less(e, row, t->lines) : NULL);
    tsr__te_update(e, t->o, tsr__te_address(e, &t->o->c, &row), carried(&rest), t->c);
    tsr__te_end_if(e, end);
}

static void put(struct tsr__te *e, const struct turned *t, LLVMValueRef row, LLVMValueRef col, struct tsr__te_number number)
{
    LLVMValueRef index[] = {row, col};
    tsr__te_update(e, t->o, tsr__te_address(e, &t->o->c, index), number, t->c);
}

/* Numbers of lines from `at` on become columns of C. */
static void copy_square(struct tsr__te *e, const struct turned *t, const struct tsr__te_turn *turn, LLVMValueRef first_line,
                        LLVMValueRef at)
{
    struct tsr__te_number numbers[TSR__TE_MOST_SIDE];
    LLVMValueRef row = add(e, first_line, e->item[0]);
    turn_square(e, t, turn, first_line, at, numbers);
    LLVMBasicBlockRef end = tsr__te_if(e, turn->last ? less(e, row, t->lines) : NULL);
    for (uint32_t i = 0; i < t->side / t->parts; i++)
        put(e, t, row, plus(e, at, i), numbers[i]);
    tsr__te_end_if(e, end);
}

/* Lines in blocks of a square's, from `from` on, or `at` not NULL: a square of each. Not `whole`: there may be fewer in a block; the others
 * are the last one once more. */
static void lines_between(struct tsr__te *e, struct turned *t, struct tsr__te_turn *turn, LLVMValueRef at, LLVMValueRef from,
                          LLVMValueRef to, bool whole)
{
    struct tsr__te_loop lines;
    tsr__te_loop(e, &lines, from, to, tsr__te_i64(e, t->side), NULL, 0);
    t->line = add(e, lines.index, e->item[0]);
    t->line = whole ? t->line : minimum(e, t->line, t->last);
    turn->last = whole ? NULL : t->last;
    if (at)
        copy_square(e, t, turn, lines.index, at);
    else
        sum_lines(e, t, turn, lines.index);
    tsr__te_end_rolled_loop(e, &lines, NULL);
}

static void all_lines(struct tsr__te *e, struct turned *t, struct tsr__te_turn *turn, LLVMValueRef at)
{
    int64_t known = tsr__te_known(t->lines);
    LLVMValueRef whole = round_down(e, t->lines, t->side);
    if (known < 0 || known >= t->side)
        lines_between(e, t, turn, at, tsr__te_i64(e, 0), whole, true);
    if (known < 0 || known % t->side)
        lines_between(e, t, turn, at, whole, t->lines, false);
}

/* Lines become rows of C, whose columns are written one after the other, as far as squares do so. */
static void copy_lines(struct tsr__te *e, struct turned *t, struct tsr__te_turn *turn)
{
    struct tsr__te_loop squares, rest, lines;
    LLVMValueRef whole = whole_squares(e, t);
    tsr__te_loop(e, &squares, tsr__te_i64(e, 0), whole, tsr__te_i64(e, t->side / t->parts), NULL, 0);
    all_lines(e, t, turn, squares.index);
    tsr__te_end_rolled_loop(e, &squares, NULL);
    tsr__te_loop(e, &rest, whole, t->length, tsr__te_i64(e, 1), NULL, 0);
    tsr__te_loop(e, &lines, tsr__te_i64(e, 0), t->lines, tsr__te_i64(e, t->side), NULL, 0);
    LLVMValueRef at[] = {rest.index, add(e, lines.index, e->item[0])};
    LLVMBasicBlockRef end = tsr__te_if(e, less(e, at[1], t->lines));
    put(e, t, at[1], rest.index, load_as(e, &t->o->a, at, t->c));
    tsr__te_end_if(e, end);
    tsr__te_end_rolled_loop(e, &lines, NULL);
    tsr__te_end_rolled_loop(e, &rest, NULL);
}

bool tsr__te_turned_blas(struct tsr__te *e, const struct tsr__te_blas *o)
{
    struct turned t;
    struct tsr__te_turn turn;
    if (!plan(e, o, &t, &turn))
        return false;
    struct tsr__te_touched before = e->touched;
    if (o->c.type->order == 2)
        copy_lines(e, &t, &turn);
    else
        all_lines(e, &t, &turn, NULL);
    e->touched = before;
    return true;
}
