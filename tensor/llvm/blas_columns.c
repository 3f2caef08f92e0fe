/* SPDX-License-Identifier: Apache-2.0
 * Sums of the columns of A (sum.t), their dot products with a vector (gemv.t), and the sum of a vector: lanes have rows, which lie side by
 * side in memory, and add up at the end. The order of addition is that of the lanes. */
#include "tensor/llvm/index.h"

#include <string.h>

enum { MOST_COLUMNS = 8, WORD_BYTES = 4 };

/* Sums that are in registers together: of so many columns, or of so many blocks of a vector that follow each other. */
struct columns {
    const struct tsr__te_blas *o;
    enum tsr__t_number sum;  /* type of the sums */
    enum tsr__te_dot dot;    /* a lane takes words of the narrow numbers of A */
    uint32_t lanes, in_word; /* numbers of a word */
    uint32_t count, parts;   /* of columns; of a number */
    bool vector;
    bool exact;         /* all bits of products of bytes count */
    LLVMValueRef first; /* column */
    LLVMValueRef sums[2 * MOST_COLUMNS];
    LLVMValueRef excess; /* by which exact sums are too large */
};

/* Words of narrow integers are summed up by dot products, without B with ones. The sums are in i32, of which C takes the low bits; products
 * of bytes, of which B's are taken as unsigned ones, are right in the lowest eight. Where more count, bytes of A are made unsigned, which
 * makes all sums too large by the same. */
static void plan(struct tsr__te *e, const struct tsr__te_blas *o, struct columns *s)
{
    enum tsr__t_number a = o->a.type->number, c = o->c.type->number;
    uint32_t bytes = tsr__t_numbers[a].bytes;
    *s = (struct columns){.o = o, .sum = o->sum, .lanes = e->func->info.sub_group_size, .in_word = 1, .vector = o->a.type->order == 1};
    bool side_by_side = tsr__te_known(o->a.stride[0]) == 1 && (!o->has_b || tsr__te_known(o->b.stride[0]) == 1);
    bool same = !o->has_b || o->b.type->number == a;
    if (side_by_side && same && tsr__t_numbers[c].class == TSR__T_INTEGER && tsr__t_numbers[c].bytes <= WORD_BYTES &&
        !is_known_below(o->a.shape[0], s->lanes * WORD_BYTES / bytes))
        s->dot = tsr__te_dot_of(e, a, a, TSR__T_I32);
    if (s->dot) {
        s->sum = TSR__T_I32;
        s->in_word = WORD_BYTES / bytes;
        s->exact = o->has_b && a == TSR__T_I8 && c != a;
    }
    s->parts = tsr__te_parts(s->sum);
    s->count = tsr__te_together(e, s->sum);
    s->count = s->count > MOST_COLUMNS ? MOST_COLUMNS : s->count;
}

/* The indices of an element of column `i` in a row. */
static void find_element(struct tsr__te *e, const struct columns *s, uint32_t i, LLVMValueRef row, LLVMValueRef *at)
{
    at[0] = s->vector ? plus(e, row, i * s->lanes * s->in_word) : row;
    at[1] = s->vector ? NULL : plus(e, s->first, i);
}

/* Adds a word of the lane's own row to each of the first `count` sums. */
static void add_words(struct tsr__te *e, const struct columns *s, LLVMValueRef row, uint32_t count, LLVMValueRef *sums)
{
    const struct tsr__te_blas *o = s->o;
    uint32_t align = tsr__t_numbers[o->a.type->number].bytes;
    LLVMValueRef b = tsr__te_i32(e, s->in_word == 4 ? 0x01010101 : 0x00010001), at[2];
    if (o->has_b)
        b = tsr__te_load_word(e, tsr__te_address(e, &o->b, &row), align);
    for (uint32_t i = 0; i < count; i++) {
        find_element(e, s, i, row, at);
        LLVMValueRef a = tsr__te_load_word(e, tsr__te_address(e, &o->a, at), align);
        sums[i] =
            s->exact ? tsr__te_dot_add(e, s->dot, b, tsr__te_make_unsigned(e, a), sums[i]) : tsr__te_dot_add(e, s->dot, a, b, sums[i]);
    }
    if (s->exact)
        sums[count] = tsr__te_add_excess(e, b, sums[count]);
}

/* The same of a number. `inside` NULL: each lane has a row. */
static void add_numbers(struct tsr__te *e, const struct columns *s, LLVMValueRef row, LLVMValueRef inside, uint32_t count,
                        LLVMValueRef *sums)
{
    const struct tsr__te_blas *o = s->o;
    struct tsr__te_number b = o->has_b ? tsr__te_load_as(e, &o->b, &row, inside, s->sum) : (struct tsr__te_number){0};
    LLVMValueRef at[2];
    for (uint32_t i = 0; i < count; i++) {
        find_element(e, s, i, row, at);
        struct tsr__te_number a = tsr__te_load_as(e, &o->a, at, inside, s->sum), sum = tsr__te_number_at(sums, s->parts, i);
        sum = o->has_b ? tsr__te_fma(e, s->sum, a, b, sum) : tsr__te_arith(e, TSR__T_ADD, s->sum, sum, a);
        tsr__te_put_number(sums, s->parts, i, sum);
    }
}

/* How rows are added: words, numbers, or numbers of which the last lanes have none. */
enum taken { WORDS, NUMBERS, LAST };

/* Adds the rows from `from` up to the last multiple of what is taken at a time to the first `count` sums, and returns where that is. */
static LLVMValueRef add_rows(struct tsr__te *e, struct columns *s, LLVMValueRef from, uint32_t count, enum taken taken)
{
    struct tsr__te_loop rows;
    LLVMValueRef sums[2 * MOST_COLUMNS + 1], to = s->o->a.shape[0];
    uint32_t parts = count * s->parts, all = parts + s->exact, in_word = taken == WORDS ? s->in_word : 1,
             step = s->lanes * in_word * (s->vector ? count : 1);
    if (taken != LAST)
        to = round_down(e, to, step);
    if (tsr__te_known(to) >= 0 && tsr__te_known(to) == tsr__te_known(from))
        return to;
    memcpy(sums, s->sums, parts * sizeof *sums);
    sums[parts] = s->excess;
    tsr__te_loop(e, &rows, from, to, tsr__te_i64(e, step), sums, all);
    memcpy(sums, rows.carried, all * sizeof *sums);
    LLVMValueRef row = add(e, rows.index, times(e, e->item[0], in_word));
    if (s->dot && taken == WORDS)
        add_words(e, s, row, count, sums);
    else
        add_numbers(e, s, row, taken == LAST ? less(e, row, to) : NULL, count, sums);
    tsr__te_end_rolled_loop(e, &rows, sums);
    memcpy(s->sums, rows.carried, parts * sizeof *sums);
    s->excess = s->exact ? rows.carried[parts] : NULL;
    return to;
}

/* The sums of the lanes, in the type that the instruction is computed in. */
static struct tsr__te_number add_lanes(struct tsr__te *e, const struct columns *s, uint32_t i)
{
    struct tsr__te_number sum = tsr__te_number_at(s->sums, s->parts, i);
    if (s->exact)
        sum.re = LLVMBuildSub(e->builder, sum.re, s->excess, "");
    sum = tsr__te_sub_group(e, "sub_group_reduce_add", s->sum, sum);
    return tsr__te_convert(e, sum, s->sum, s->o->sum);
}

static void sum_up(struct tsr__te *e, struct columns *s)
{
    LLVMValueRef from = tsr__te_i64(e, 0);
    uint32_t count = s->vector ? 1 : s->count;
    for (uint32_t i = 0; i < s->count; i++)
        tsr__te_put_number(s->sums, s->parts, i, tsr__te_zero(e, s->sum));
    s->excess = tsr__te_zero(e, s->sum).re;
    if (s->count > count)
        from = add_rows(e, s, from, s->count, WORDS);
    from = add_rows(e, s, from, count, WORDS);
    if (s->dot)
        from = add_rows(e, s, from, count, NUMBERS);
    add_rows(e, s, from, count, LAST);
}

/* The columns from `from` to `to`, so many at a time. */
static void sum_columns_between(struct tsr__te *e, struct columns *s, LLVMValueRef from, LLVMValueRef to, uint32_t count)
{
    struct tsr__te_number sums[MOST_COLUMNS];
    struct tsr__te_loop loop;
    tsr__te_loop(e, &loop, from, to, tsr__te_i64(e, count), NULL, 0);
    s->first = loop.index;
    s->count = count;
    sum_up(e, s);
    for (uint32_t i = 0; i < count; i++)
        sums[i] = add_lanes(e, s, i);
    LLVMBasicBlockRef end = tsr__te_if(e, e->first_item);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef col = plus(e, s->first, i);
        tsr__te_update(e, s->o, tsr__te_address(e, &s->o->c, &col), sums[i], s->o->sum);
    }
    tsr__te_end_if(e, end);
    tsr__te_end_rolled_loop(e, &loop, NULL);
}

bool tsr__te_blas_columns(struct tsr__te *e, const struct tsr__te_blas *o)
{
    struct columns s;
    if (!e->unit.blocks || !e->one_sub_group || tsr__te_known(o->a.stride[0]) != 1 ||
        is_known_below(o->a.shape[0], e->func->info.sub_group_size / tsr__te_parts(o->sum)))
        return false;
    plan(e, o, &s);
    int64_t cols = tsr__te_known(o->a.shape[1]);
    uint32_t count = s.count;
    LLVMValueRef whole = round_down(e, o->a.shape[1], count);
    sum_columns_between(e, &s, tsr__te_i64(e, 0), whole, count);
    if (cols < 0 || cols % count)
        sum_columns_between(e, &s, whole, o->a.shape[1], cols < 0 ? 1 : (uint32_t)(cols % count));
    return true;
}

/* What work-items compute together, the first sub-group does alone: its work-items are side by side in the first mode. */
void tsr__te_sum_vector(struct tsr__te *e, const struct tsr__te_blas *o)
{
    LLVMValueRef none;
    LLVMValueRef zero = tsr__te_i64(e, 0);
    LLVMBasicBlockRef group =
        tsr__te_if(e, e->one_sub_group ? NULL : LLVMBuildICmp(e->builder, LLVMIntEQ, tsr__te_sub_group_id(e), zero, ""));
    struct columns s;
    plan(e, o, &s);
    int64_t known = tsr__te_known(o->a.shape[0]), most = known / (s.lanes * s.in_word);
    if (known >= 0 && most < s.count)
        s.count = most < 1 ? 1 : (uint32_t)most;
    sum_up(e, &s);
    struct tsr__te_number sum = tsr__te_number_at(s.sums, s.parts, 0);
    for (uint32_t i = 1; i < s.count; i++)
        sum = tsr__te_arith(e, TSR__T_ADD, s.sum, sum, tsr__te_number_at(s.sums, s.parts, i));
    tsr__te_put_number(s.sums, s.parts, 0, sum);
    sum = add_lanes(e, &s, 0);
    LLVMBasicBlockRef end = tsr__te_if(e, e->first_item);
    tsr__te_update(e, o, tsr__te_address(e, &o->c, &none), sum, o->sum);
    tsr__te_end_if(e, end);
    tsr__te_end_if(e, group);
}
