/* SPDX-License-Identifier: Apache-2.0
 * Products of cooperative matrices. Elements that all work-items of a sub-group need, or need in another order, go through local memory;
 * few are broadcast. */
#include "tensor/llvm/coop.h"

/* Rows of B that columns have in local memory: those of all work-items. */
static uint32_t height_of(const struct matrix *b)
{
    return b->blocks * b->lanes;
}

/* B by columns, each part of a number by itself, as numbers of type `sum`; `biased`: as bytes with 128 added to them. */
static void put_b(struct tsr__te *e, const struct row *row, const struct tsr__t_value *value, const struct matrix *b,
                  enum tsr__t_number sum, bool biased)
{
    enum { SIGN = 0x80 };
    uint32_t parts = tsr__te_parts(sum);
    LLVMValueRef own = tsr__te_lane(e);
    for (uint32_t j = 0; j < b->cols; j++) {
        for (uint32_t r = 0; r < b->blocks; r++) {
            struct tsr__te_number one = tsr__te_convert(e, component(e, value, b, r, j), b->type->number, sum);
            if (biased)
                one.re = LLVMBuildXor(e->builder, one.re, LLVMConstInt(LLVMTypeOf(one.re), SIGN, false), "");
            for (uint32_t p = 0; p < parts; p++)
                put_in(e, row, plus(e, own, (j * parts + p) * height_of(b) + r * b->lanes), p ? one.im : one.re);
        }
    }
}

/* ---- matrix functions ---- */

/* Whether there is a matrix function whose operands A and B fill. */
static bool has_function(struct tsr__te *e, const struct matrix *a, const struct matrix *b, const struct matrix *c, const struct matrix *d)
{
    enum tsr__t_number number = a->type->number;
    return tsr__te_has_mad(e, number, b->type->number, c->type->number) && d->type->number == c->type->number &&
           a->cols % tsr__te_mad_depth(number) == 0 && a->type->rows % a->lanes == 0;
}

/* Of bytes, a work-item needs two rows of B that follow each other, which go through local memory. False: there is none left. */
static bool put_bytes(struct tsr__te *e, const struct tsr__t_inst *inst, const struct matrix *b, struct row *pairs)
{
    struct row bytes = {tsr__te_sub_group_room(e, (uint64_t)b->cols * height_of(b)), LLVMInt8TypeInContext(e->context), 1};
    if (!bytes.first)
        return false;
    tsr__te_wait_for_sub_group(e);
    put_b(e, &bytes, inst->operands[1], b, TSR__T_I8, false);
    tsr__te_wait_for_sub_group(e);
    *pairs = (struct row){bytes.first, LLVMInt16TypeInContext(e->context), 2};
    return true;
}

/* What the work-item has of column j in the step from row k on. */
static LLVMValueRef part_of_column(struct tsr__te *e, const struct tsr__t_value *value, const struct matrix *b, const struct row *pairs,
                                   uint32_t k, uint32_t j)
{
    if (pairs->first)
        return get_from(e, pairs, plus(e, tsr__te_lane(e), (j * height_of(b) + k) / 2));
    LLVMValueRef number = component(e, value, b, k / b->lanes, j).re;
    return tsr__te_mad_part(e, &number, 1);
}

static bool multiply_by_function(struct tsr__te *e, const struct tsr__t_inst *inst, const struct matrix *a, const struct matrix *b,
                                 const struct matrix *d, LLVMValueRef *parts)
{
    enum tsr__t_number number = a->type->number;
    uint32_t depth = tsr__te_mad_depth(number);
    struct row pairs = {0};
    tsr__te_limit_coop(e, inst, (uint64_t)d->blocks * (a->cols / depth) * d->cols);
    if (number == TSR__T_I8 && !put_bytes(e, inst, b, &pairs))
        return false;
    LLVMValueRef *sums = tsr__te_room(e, d->cols), *own = tsr__te_room(e, d->cols), row[32];
    for (uint32_t r = 0; r < d->blocks; r++) {
        for (uint32_t j = 0; j < d->cols; j++)
            sums[j] = component(e, inst->operands[2], d, r, j).re;
        for (uint32_t k = 0; k < a->cols; k += depth) {
            for (uint32_t i = 0; i < depth; i++)
                row[i] = component(e, inst->operands[0], a, r, k + i).re;
            for (uint32_t j = 0; j < d->cols; j++)
                own[j] = part_of_column(e, inst->operands[1], b, &pairs, k, j);
            tsr__te_mad(e, number, own, tsr__te_mad_row(e, row, depth), sums, d->cols);
        }
        for (uint32_t j = 0; j < d->cols; j++)
            set_component(d, parts, r, j, (struct tsr__te_number){sums[j], NULL});
    }
    return true;
}

/* ---- sums in registers ---- */

/* A and B in local memory: A by steps of K, of each the rows of all work-items; B by columns. A step is one of K, whose numbers have the
 * type of the sum, or a word of several for dot products. */
struct product {
    const struct tsr__t_inst *inst;
    const struct matrix *a, *b, *c, *d;
    enum tsr__t_number sum;
    enum tsr__te_dot dot;
    struct row of_a, of_b;
    uint32_t parts, in_word; /* of a number; numbers of a step */
};

/* Where the part of row r in step k of A is, in work-item 0. */
static uint32_t place_in_a(const struct product *p, uint32_t k, uint32_t r, uint32_t part)
{
    return ((k * p->a->blocks + r) * p->parts + part) * p->a->lanes;
}

static void put_a(struct tsr__te *e, const struct product *p)
{
    enum { MOST_IN_WORD = 4 };
    const struct tsr__t_value *value = p->inst->operands[0];
    LLVMValueRef own = tsr__te_lane(e), bits[MOST_IN_WORD];
    for (uint32_t k = 0; k < p->a->cols / p->in_word; k++) {
        for (uint32_t r = 0; r < p->a->blocks; r++) {
            struct tsr__te_number one = {NULL, NULL};
            for (uint32_t i = 0; p->dot && i < p->in_word; i++)
                bits[i] = component(e, value, p->a, r, k * p->in_word + i).re;
            if (p->dot)
                one.re = tsr__te_word(e, bits, p->in_word);
            else
                one = tsr__te_convert(e, component(e, value, p->a, r, k), p->a->type->number, p->sum);
            for (uint32_t i = 0; i < p->parts; i++)
                put_in(e, &p->of_a, plus(e, own, place_in_a(p, k, r, i)), i ? one.im : one.re);
        }
    }
}

static LLVMValueRef part_of_b(struct tsr__te *e, const struct product *p, uint32_t col, uint32_t part, LLVMValueRef step)
{
    struct row words = {p->of_b.first, LLVMInt32TypeInContext(e->context), 4};
    return get_from(e, p->dot ? &words : &p->of_b, plus(e, step, (col * p->parts + part) * height_of(p->b) / p->in_word));
}

/* Registers that the sums of a column take. */
static uint32_t registers_of(const struct tsr__te *e, const struct product *p)
{
    return p->d->blocks * tsr__te_registers(e, p->a->lanes * tsr__t_numbers[p->sum].bytes);
}

/* Columns `first` and so on, which are sums in registers through all of K; sums of what bytes of A make too much are behind them. */
static void add_up(struct tsr__te *e, const struct product *p, uint32_t first, uint32_t cols, LLVMValueRef *parts)
{
    enum { MOST_PRODUCTS = 32 };
    bool of_bytes = p->dot == TSR__TE_DOT_BYTES, complex = p->parts > 1;
    uint32_t blocks = p->d->blocks, count = blocks * cols, all = count * p->parts + (of_bytes ? blocks : 0);
    uint32_t depth = p->a->cols / p->in_word, rounds = MOST_PRODUCTS / (cols * registers_of(e, p) * p->parts);
    LLVMValueRef *sums = tsr__te_room(e, all), own = tsr__te_lane(e);
    struct tsr__te_number *a = tsr_arena_alloc(e->arena, blocks * sizeof *a);
    struct tsr__te_loop loop;
    for (uint32_t i = 0; i < count; i++)
        tsr__te_put_number(
            sums, p->parts, i,
            tsr__te_convert(e, component(e, p->inst->operands[2], p->c, i % blocks, first + i / blocks), p->c->type->number, p->sum));
    for (uint32_t i = count * p->parts; i < all; i++)
        sums[i] = tsr__te_i32(e, 0);
    tsr__te_loop(e, &loop, tsr__te_i64(e, 0), tsr__te_i64(e, depth), tsr__te_i64(e, 1), sums, all);
    LLVMValueRef step = add(e, own, times(e, loop.index, place_in_a(p, 1, 0, 0)));
    for (uint32_t r = 0; r < blocks; r++) {
        a[r].re = get_from(e, &p->of_a, plus(e, step, place_in_a(p, 0, r, 0)));
        a[r].im = complex ? get_from(e, &p->of_a, plus(e, step, place_in_a(p, 0, r, 1))) : NULL;
        if (of_bytes)
            sums[count + r] = tsr__te_add_excess(e, a[r].re, loop.carried[count + r]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t col = first + i / blocks, r = i % blocks;
        struct tsr__te_number one = {part_of_b(e, p, col, 0, loop.index), complex ? part_of_b(e, p, col, 1, loop.index) : NULL};
        if (p->dot)
            sums[i] = tsr__te_dot_add(e, p->dot, a[r].re, one.re, loop.carried[i]);
        else
            tsr__te_put_number(sums, p->parts, i, tsr__te_fma(e, p->sum, a[r], one, tsr__te_carried(&loop, p->parts, i)));
    }
    tsr__te_end_loop(e, &loop, sums);
    while (rounds > 1 && depth % rounds)
        rounds--;
    if (rounds > 1)
        tsr__te_unroll_late(e, &loop, rounds);
    else
        tsr__te_hint(e, &loop, "llvm.loop.unroll.disable", 0);
    for (uint32_t i = 0; i < count; i++) {
        struct tsr__te_number made = tsr__te_carried(&loop, p->parts, i);
        if (of_bytes)
            made.re = LLVMBuildSub(e->builder, made.re, loop.carried[count + i % blocks], "");
        set_component(p->d, parts, i % blocks, first + i / blocks, tsr__te_convert(e, made, p->sum, p->d->type->number));
    }
}

static bool find_place(struct tsr__te *e, struct product *p)
{
    enum tsr__t_number own = p->dot ? p->a->type->number : p->sum;
    uint32_t bytes = tsr__t_numbers[own].bytes / p->parts, bytes_of_a = p->dot ? bytes * p->in_word : bytes;
    uint64_t all_of_a = (uint64_t)place_in_a(p, p->a->cols / p->in_word, 0, 0) * bytes_of_a;
    LLVMValueRef place = tsr__te_sub_group_room(e, all_of_a + (uint64_t)p->b->cols * p->parts * height_of(p->b) * bytes);
    if (!place)
        return false;
    p->of_a = (struct row){place, p->dot ? LLVMInt32TypeInContext(e->context) : tsr__te_type(e, own), bytes_of_a};
    LLVMValueRef behind = tsr__te_i64(e, (int64_t)all_of_a);
    place = LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->context), place, &behind, 1, "");
    p->of_b = (struct row){place, tsr__te_type(e, own), bytes};
    return true;
}

/* Where products are many. False: they are not, or there is no local memory left. */
static bool multiply_from_local(struct tsr__te *e, const struct tsr__t_inst *inst, const struct matrix *a, const struct matrix *b,
                                const struct matrix *c, const struct matrix *d, enum tsr__te_dot dot, LLVMValueRef *parts)
{
    enum { FEW_PRODUCTS = 64, FEW_STEPS = 4, WORD_BYTES = 4 };
    struct product p = {.inst = inst, .a = a, .b = b, .c = c, .d = d, .sum = tsr__t_sum_type(c->type->number), .dot = dot};
    p.in_word = dot ? WORD_BYTES / tsr__t_numbers[a->type->number].bytes : 1;
    p.parts = tsr__te_parts(p.sum);
    if ((uint64_t)a->blocks * a->cols * d->cols <= FEW_PRODUCTS || a->cols < FEW_STEPS || a->cols % p.in_word || !find_place(e, &p))
        return false;
    tsr__te_wait_for_sub_group(e);
    put_a(e, &p);
    put_b(e, &p.of_b, inst->operands[1], b, dot ? b->type->number : p.sum, dot == TSR__TE_DOT_BYTES);
    tsr__te_wait_for_sub_group(e);
    uint32_t registers = registers_of(e, &p), most = registers < e->unit.registers ? e->unit.registers / registers : 1;
    uint32_t turns = (d->cols + most - 1) / most, some = (d->cols + turns - 1) / turns;
    for (uint32_t j = 0; j < d->cols; j += some)
        add_up(e, &p, j, j + some < d->cols ? some : d->cols - j, parts);
    return true;
}

/* Element (k, j) of B in all work-items, as a number of type `sum`. */
static struct tsr__te_number broadcast(struct tsr__te *e, const struct tsr__t_value *value, const struct matrix *m, uint32_t k, uint32_t j,
                                       enum tsr__t_number sum)
{
    enum tsr__t_number number = m->type->number;
    struct tsr__te_number own = component(e, value, m, k / m->lanes, j);
    return tsr__te_convert(e, tsr__te_broadcast(e, number, own, tsr__te_i32(e, k % m->lanes)), number, sum);
}
static void multiply_plain(struct tsr__te *e, const struct tsr__t_inst *inst, const struct matrix *a, const struct matrix *b,
                           const struct matrix *c, const struct matrix *d, LLVMValueRef *parts)
{
    enum tsr__t_number sum = tsr__t_sum_type(c->type->number);
    tsr__te_limit_coop(e, inst, (uint64_t)a->blocks * a->cols * d->cols);
    for (uint32_t j = 0; j < d->cols; j++) {
        struct tsr__te_number *sums = tsr_arena_alloc(e->arena, d->blocks * sizeof *sums);
        for (uint32_t r = 0; r < d->blocks; r++)
            sums[r] = tsr__te_convert(e, component(e, inst->operands[2], c, r, j), c->type->number, sum);
        for (uint32_t k = 0; k < a->cols; k++) {
            struct tsr__te_number own = broadcast(e, inst->operands[1], b, k, j, sum);
            for (uint32_t r = 0; r < d->blocks; r++)
                sums[r] =
                    tsr__te_fma(e, sum, tsr__te_convert(e, component(e, inst->operands[0], a, r, k), a->type->number, sum), own, sums[r]);
        }
        for (uint32_t r = 0; r < d->blocks; r++)
            set_component(d, parts, r, j, tsr__te_convert(e, sums[r], sum, d->type->number));
    }
}

TSR_TE_FUNCTION(coop_mul_add)
{
    struct matrix a = matrix_of(e, inst->operands[0]->type), b = matrix_of(e, inst->operands[1]->type);
    struct matrix c = matrix_of(e, inst->operands[2]->type), d = matrix_of(e, inst->results[0]->type);
    LLVMValueRef *parts = tsr__te_room(e, d.blocks * d.cols * d.parts);
    tsr__te_limit_coop(e, inst, (uint64_t)d.blocks * d.cols);
    enum tsr__te_dot dot = tsr__te_coop_dot_of(e, a.type->number, b.type->number, tsr__t_sum_type(c.type->number));
    bool function = has_function(e, &a, &b, &c, &d), made = false;
    bool direct = tsr__te_is_loaded(inst->operands[0], false) && tsr__te_is_loaded(inst->operands[1], true);
    /* Halves that the unit lacks are widened: from local memory that is less code. */
    if (a.type->number == TSR__T_F16 && !direct && e->unit.tiles && !e->unit.tiles_of_f16)
        function = false;
    if (dot && (!function || (!e->unit.tiles && (dot == TSR__TE_DOT_BYTES || !direct))))
        made = multiply_from_local(e, inst, &a, &b, &c, &d, dot, parts);
    if (!made && function)
        made = multiply_by_function(e, inst, &a, &b, &d, parts);
    if (!made && !multiply_from_local(e, inst, &a, &b, &c, &d, TSR__TE_NO_DOT, parts))
        multiply_plain(e, inst, &a, &b, &c, &d, parts);
    tsr__te_set(e, inst->results[0], parts, d.blocks * d.cols * d.parts);
}
