/* SPDX-License-Identifier: Apache-2.0
 * Linear algebra that goes along the columns of a matrix, and has lanes for the columns: sums of a transposed matrix, its products with
 * vectors, and copies of it. Squares of it are turned, so that lanes do not gather what lies side by side in memory. */
#include "tensor/llvm/index.h"

enum { MOST_COPIED = 8192 };

struct turned {
    const struct tsr__te_blas *o;
    enum tsr__t_number c, part; /* types of numbers of C and of their parts */
    uint32_t parts, side;
    LLVMValueRef lines, length, last; /* columns of A, numbers of one, the last column */
    LLVMValueRef line;                /* the lane's, one that there is */
};

static LLVMValueRef load_part(struct tsr__te *e, const void *context, LLVMValueRef line, LLVMValueRef at)
{
    const struct turned *t = context;
    return tsr__te_load_part(e, &t->o->a, line, at, t->part);
}

/* False: there is no such code. */
static bool plan(struct tsr__te *e, const struct tsr__te_blas *o, struct turned *t, struct tsr__te_turn *turn)
{
    enum tsr__t_number a = o->a.type->number;
    *t = (struct turned){.o = o, .c = o->c.type->number, .side = tsr__te_turn_side(e)};
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

/* Sums of lines, in ascending order. */
static void sum_lines(struct tsr__te *e, const struct turned *t, const struct tsr__te_turn *turn, LLVMValueRef first_line)
{
    struct tsr__te_number numbers[TSR__TE_MOST_SIDE];
    LLVMValueRef whole = whole_squares(e, t), side = tsr__te_i64(e, t->side / t->parts);
    struct tsr__te_loop squares, rest;
    struct tsr__te_number sum = tsr__te_number_loop(e, &squares, tsr__te_i64(e, 0), whole, side, tsr__te_zero(e, t->c));
    turn_square(e, t, turn, first_line, squares.index, numbers);
    for (uint32_t i = 0; i < t->side / t->parts; i++)
        sum = tsr__te_accumulate(e, t->o, numbers[i], plus(e, squares.index, i), sum);
    sum = tsr__te_end_number_loop(e, &squares, sum);
    tsr__te_hint(e, &squares, "llvm.loop.unroll.disable", 0);
    sum = tsr__te_number_loop(e, &rest, whole, t->length, tsr__te_i64(e, 1), sum);
    LLVMValueRef at[] = {rest.index, t->line};
    sum = tsr__te_accumulate(e, t->o, tsr__te_load_as(e, &t->o->a, at, NULL, t->c), rest.index, sum);
    sum = tsr__te_end_number_loop(e, &rest, sum);
    tsr__te_hint(e, &rest, "llvm.loop.unroll.disable", 0);
    LLVMValueRef row = add(e, first_line, e->item[0]);
    LLVMBasicBlockRef end = tsr__te_if(e, turn->last ? less(e, row, t->lines) : NULL);
    tsr__te_update(e, t->o, tsr__te_address(e, &t->o->c, &row), sum, t->c);
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
    put(e, t, at[1], rest.index, tsr__te_load_as(e, &t->o->a, at, NULL, t->c));
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
