/* SPDX-License-Identifier: Apache-2.0
 * Sums of the columns of A (sum.t), their dot products with a vector (gemv.t), and the sum of a vector: lanes have rows, which lie side by
 * side in memory, and add up at the end. The order of addition is that of the lanes. */
#include "tensor/llvm/index.h"

#include <string.h>

enum {
    MOST_COLUMNS = 8, /* a power of two, and no more than the smallest sub-group has work-items */
    WORD_BYTES = 4,
};

/* Sums that are in registers together: of so many columns, or of so many blocks of a vector that follow each other. */
struct columns {
    const struct tsr__te_blas *o;
    struct tsr__te_memref a; /* that of complex numbers without factors has their parts in its rows */
    enum tsr__t_number sum;  /* type of the sums */
    enum tsr__te_dot dot;    /* a lane takes words of the narrow numbers of A */
    uint32_t lanes, in_word; /* numbers of a word */
    uint32_t count, parts;   /* of columns; of a number */
    bool vector;
    bool in_turn;       /* lanes have real parts and imaginary ones in turn */
    bool exact;         /* all bits of products of bytes count */
    LLVMValueRef first; /* column */
    LLVMValueRef last;  /* column, which is read in the place of those behind it; NULL: there are none */
    LLVMValueRef sums[2 * MOST_COLUMNS];
    LLVMValueRef excess; /* by which exact sums are too large */
};

static uint32_t power_of_two_below(uint32_t number)
{
    uint32_t power = 1;
    while (power * 2 <= number)
        power *= 2;
    return power;
}

/* Complex numbers that are added up as they are: lanes have their parts, as these lie side by side. */
static void take_parts(struct tsr__te *e, struct columns *s)
{
    struct tsr__t_type *type = tsr_arena_alloc(e->arena, sizeof *type);
    LLVMValueRef *sizes = tsr__te_room(e, 4);
    *type = *s->a.type;
    type->number = tsr__t_numbers[type->number].component;
    for (uint32_t i = 0; i < type->order; i++) {
        sizes[i] = times(e, s->a.shape[i], i ? 1 : 2);
        sizes[2 + i] = times(e, s->a.stride[i], i ? 2 : 1);
    }
    s->a = (struct tsr__te_memref){type, s->a.pointer, sizes, sizes + 2};
    s->sum = type->number;
    s->in_turn = true;
}

/* Words of narrow integers are summed up by dot products, without B with ones. The sums are in i32, of which C takes the low bits; products
 * of bytes, of which B's are taken as unsigned ones, are right in the lowest eight. Where more count, bytes of A are made unsigned, which
 * makes all sums too large by the same. */
static void plan(struct tsr__te *e, const struct tsr__te_blas *o, struct columns *s)
{
    enum tsr__t_number a = o->a.type->number, c = o->c.type->number;
    uint32_t bytes = tsr__t_numbers[a].bytes, lanes = e->func->info.sub_group_size;
    *s = (struct columns){.o = o, .a = o->a, .sum = o->sum, .lanes = lanes, .in_word = 1, .vector = o->a.type->order == 1};
    bool side_by_side = tsr__te_known(o->a.stride[0]) == 1 && (!o->has_b || tsr__te_known(o->b.stride[0]) == 1);
    bool same = !o->has_b || o->b.type->number == a;
    if (side_by_side && same && tsr__t_numbers[c].class == TSR__T_INTEGER && tsr__t_numbers[c].bytes <= WORD_BYTES &&
        !is_known_below(o->a.shape[0], lanes * WORD_BYTES / bytes))
        s->dot = tsr__te_dot_of(e, a, a, TSR__T_I32);
    if (s->dot) {
        s->sum = TSR__T_I32;
        s->in_word = WORD_BYTES / bytes;
        s->exact = o->has_b && a == TSR__T_I8 && c != a;
    }
    if (side_by_side && !o->has_b && a == o->sum && tsr__te_is_complex(a))
        take_parts(e, s);
    s->parts = tsr__te_parts(s->sum);
    uint32_t most = tsr__te_together(e, s->sum), columns = lanes < 2 * MOST_COLUMNS && s->in_turn ? lanes / 2 : MOST_COLUMNS;
    s->count = power_of_two_below(most < columns ? most : columns);
}

/* The indices of an element of column `i` in a row. */
static void find_element(struct tsr__te *e, const struct columns *s, uint32_t i, LLVMValueRef row, LLVMValueRef *at)
{
    at[0] = s->vector ? plus(e, row, i * s->lanes * s->in_word) : row;
    at[1] = s->vector ? NULL : s->last && i ? minimum(e, plus(e, s->first, i), s->last) : plus(e, s->first, i);
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
        LLVMValueRef a = tsr__te_load_word(e, tsr__te_address(e, &s->a, at), align);
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
        struct tsr__te_number a = tsr__te_load_as(e, &s->a, at, inside, s->sum), sum = tsr__te_number_at(sums, s->parts, i);
        sum = o->has_b ? tsr__te_fma(e, s->sum, a, b, sum) : tsr__te_arith(e, TSR__T_ADD, s->sum, sum, a);
        tsr__te_put_number(sums, s->parts, i, sum);
    }
}

/* Adds the rows from `from` up to the last multiple of what is taken at a time, words or numbers, to the first `count` sums, and returns
 * where that is. */
static LLVMValueRef add_rows(struct tsr__te *e, struct columns *s, LLVMValueRef from, uint32_t count, bool words)
{
    struct tsr__te_loop rows;
    LLVMValueRef sums[2 * MOST_COLUMNS + 1];
    uint32_t parts = count * s->parts, all = parts + s->exact, in_word = words ? s->in_word : 1,
             step = s->lanes * in_word * (s->vector ? count : 1);
    LLVMValueRef to = round_down(e, s->a.shape[0], step);
    if (tsr__te_known(to) >= 0 && tsr__te_known(to) == tsr__te_known(from))
        return to;
    memcpy(sums, s->sums, parts * sizeof *sums);
    sums[parts] = s->excess;
    tsr__te_loop(e, &rows, from, to, tsr__te_i64(e, step), sums, all);
    memcpy(sums, rows.carried, all * sizeof *sums);
    LLVMValueRef row = add(e, rows.index, times(e, e->item[0], in_word));
    if (s->dot && words)
        add_words(e, s, row, count, sums);
    else
        add_numbers(e, s, row, NULL, count, sums);
    tsr__te_end_rolled_loop(e, &rows, sums);
    memcpy(s->sums, rows.carried, parts * sizeof *sums);
    s->excess = s->exact ? rows.carried[parts] : NULL;
    return to;
}

/* The rows from `from` on, of which the last lanes have none. */
static void add_last_rows(struct tsr__te *e, struct columns *s, LLVMValueRef from, uint32_t count)
{
    LLVMValueRef rows = s->a.shape[0], row = add(e, from, e->item[0]);
    if (tsr__te_known(rows) < 0 || tsr__te_known(rows) != tsr__te_known(from))
        add_numbers(e, s, row, less(e, row, rows), count, s->sums);
}

/* Of two numbers of each lane the second one where the bit of its number is set. */
static struct tsr__te_number choose_by_bit(struct tsr__te *e, LLVMValueRef bit, struct tsr__te_number first, struct tsr__te_number second)
{
    return (struct tsr__te_number){choose(e, bit, second.re, first.re), first.im ? choose(e, bit, second.im, first.im) : NULL};
}

/* The two vectors of sums become one: a lane adds up what it has of one of them and what lane ^ `bits` has of it. NULL: there is one. */
static struct tsr__te_number add_halves(struct tsr__te *e, const struct columns *s, uint32_t bits, struct tsr__te_number first,
                                        const struct tsr__te_number *second)
{
    LLVMValueRef own = LLVMBuildAnd(e->builder, e->item[0], tsr__te_i64(e, bits), "");
    LLVMValueRef bit = LLVMBuildICmp(e->builder, LLVMIntNE, own, tsr__te_i64(e, 0), "");
    struct tsr__te_number keep = second ? choose_by_bit(e, bit, first, *second) : first;
    struct tsr__te_number give = second ? choose_by_bit(e, bit, *second, first) : first;
    LLVMValueRef lane = LLVMBuildTrunc(e->builder, e->item[0], LLVMInt32TypeInContext(e->context), "");
    LLVMValueRef other = LLVMBuildXor(e->builder, lane, tsr__te_i32(e, bits), "");
    return tsr__te_arith(e, TSR__T_ADD, s->sum, keep, tsr__te_shuffle(e, s->sum, give, other));
}

/* The complex number of which lanes 2 l and 2 l + 1 have the parts, for lane l. */
static struct tsr__te_number put_parts_together(struct tsr__te *e, const struct columns *s, struct tsr__te_number parts)
{
    LLVMValueRef lane = LLVMBuildTrunc(e->builder, e->item[0], LLVMInt32TypeInContext(e->context), "");
    LLVMValueRef real = LLVMBuildAnd(e->builder, LLVMBuildAdd(e->builder, lane, lane, ""), tsr__te_i32(e, s->lanes - 1), "");
    LLVMValueRef imaginary = LLVMBuildOr(e->builder, real, tsr__te_i32(e, 1), "");
    return (struct tsr__te_number){tsr__te_shuffle(e, s->sum, parts, real).re, tsr__te_shuffle(e, s->sum, parts, imaginary).re};
}

/* The sums of the lanes, in the type that the instruction is computed in, of `count` columns, a power of two: lane l gets that of column
 * l modulo count. In each step two vectors of sums become one. */
static struct tsr__te_number add_lanes(struct tsr__te *e, struct columns *s, uint32_t count)
{
    struct tsr__te_number sums[MOST_COLUMNS];
    for (uint32_t i = 0; i < count; i++) {
        sums[i] = tsr__te_number_at(s->sums, s->parts, i);
        if (s->exact)
            sums[i].re = LLVMBuildSub(e->builder, sums[i].re, s->excess, "");
    }
    if (count == 1 && !s->in_turn)
        return tsr__te_convert(e, tsr__te_sub_group(e, "sub_group_reduce_add", s->sum, sums[0]), s->sum, s->o->sum);
    for (uint32_t bits = s->in_turn ? 2 : 1; bits < s->lanes; bits *= 2) {
        for (uint32_t i = 0; i < (count + 1) / 2; i++)
            sums[i] = add_halves(e, s, bits, sums[count > 1 ? 2 * i : 0], count > 1 ? &sums[2 * i + 1] : NULL);
        count = (count + 1) / 2;
    }
    return s->in_turn ? put_parts_together(e, s, sums[0]) : tsr__te_convert(e, sums[0], s->sum, s->o->sum);
}

static void sum_up(struct tsr__te *e, struct columns *s)
{
    LLVMValueRef from = tsr__te_i64(e, 0);
    uint32_t count = s->vector ? 1 : s->count;
    for (uint32_t i = 0; i < s->count; i++)
        tsr__te_put_number(s->sums, s->parts, i, tsr__te_zero(e, s->sum));
    s->excess = tsr__te_zero(e, s->sum).re;
    if (s->count > count)
        from = add_rows(e, s, from, s->count, true);
    from = add_rows(e, s, from, count, true);
    if (s->dot)
        from = add_rows(e, s, from, count, false);
    add_last_rows(e, s, from, count);
}

/* The columns from `from` to `to`, so many at a time. If they are known, there are some. `whole`: they are a multiple of that. */
static void sum_columns_between(struct tsr__te *e, struct columns *s, LLVMValueRef from, LLVMValueRef to, uint32_t count, bool whole)
{
    struct tsr__te_loop loop;
    LLVMBasicBlockRef any = tsr__te_if(e, tsr__te_known(to) < 0 ? less(e, from, to) : NULL);
    tsr__te_sure_loop(e, &loop, from, to, tsr__te_i64(e, count));
    s->first = loop.index;
    s->last = whole ? NULL : minus(e, to, tsr__te_i64(e, 1));
    s->count = count;
    sum_up(e, s);
    LLVMValueRef lane = e->item[0], col = add(e, s->first, lane), own = less(e, lane, tsr__te_i64(e, count));
    struct tsr__te_number sum = add_lanes(e, s, count);
    LLVMBasicBlockRef end = tsr__te_if(e, whole ? own : both(e, own, less(e, col, to)));
    tsr__te_update(e, s->o, tsr__te_address(e, &s->o->c, &col), sum, s->o->sum);
    tsr__te_end_if(e, end);
    tsr__te_end_rolled_loop(e, &loop, NULL);
    tsr__te_end_if(e, any);
}

bool tsr__te_blas_columns(struct tsr__te *e, const struct tsr__te_blas *o)
{
    struct columns s;
    if (!e->unit.blocks || !e->one_sub_group || tsr__te_known(o->a.stride[0]) != 1 ||
        is_known_below(o->a.shape[0], e->func->info.sub_group_size / tsr__te_parts(o->sum)))
        return false;
    plan(e, o, &s);
    LLVMValueRef cols = o->a.shape[1], whole = round_down(e, cols, s.count);
    int64_t known = tsr__te_known(cols);
    uint32_t rest = known < 0 ? s.count / 2 : (uint32_t)(known % s.count);
    if (known < 0 || known >= s.count)
        sum_columns_between(e, &s, tsr__te_i64(e, 0), whole, s.count, true);
    if (rest) {
        uint32_t together = power_of_two_below(2 * rest - 1);
        sum_columns_between(e, &s, whole, cols, together, known >= 0 && together == rest);
    }
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
    int64_t known = tsr__te_known(s.a.shape[0]), most = known / (s.lanes * s.in_word);
    if (known >= 0 && most < s.count)
        s.count = most < 1 ? 1 : (uint32_t)most;
    sum_up(e, &s);
    struct tsr__te_number sum = tsr__te_number_at(s.sums, s.parts, 0);
    for (uint32_t i = 1; i < s.count; i++)
        sum = tsr__te_arith(e, TSR__T_ADD, s.sum, sum, tsr__te_number_at(s.sums, s.parts, i));
    tsr__te_put_number(s.sums, s.parts, 0, sum);
    sum = add_lanes(e, &s, 1);
    LLVMBasicBlockRef end = tsr__te_if(e, e->first_item);
    tsr__te_update(e, o, tsr__te_address(e, &o->c, &none), sum, o->sum);
    tsr__te_end_if(e, end);
    tsr__te_end_if(e, group);
}
