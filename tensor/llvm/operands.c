/* SPDX-License-Identifier: Apache-2.0
 * What the instructions of linear algebra have in common: their operands, and how elements of the result are updated. */
#include "tensor/llvm/index.h"

static bool is_constant(const struct tsr__t_value *value, double number)
{
    double own;
    return tsr__t_constant_number(value, &own) && own == number;
}

struct tsr__te_blas tsr__te_begin_blas(struct tsr__te *e, const struct tsr__t_inst *inst)
{
    uint32_t last = inst->operand_count - 1;
    const struct tsr__t_value *alpha = inst->operands[0], *beta = inst->operands[last - 1];
    struct tsr__te_blas o = {
        .alpha = tsr__te_get_number(e, alpha),
        .beta = tsr__te_get_number(e, beta),
        .alpha_type = alpha->type->number,
        .beta_type = beta->type->number,
        .alpha_one = is_constant(alpha, 1),
        .beta_zero = is_constant(beta, 0),
        .beta_one = is_constant(beta, 1),
        .a = tsr__te_get_memref(e, inst->operands[1]),
        .has_b = last == 4,
        .c = tsr__te_get_memref(e, inst->operands[last]),
    };
    enum tsr__t_number c = o.c.type->number;
    o.sum = tsr__t_numbers[c].class == TSR__T_INTEGER ? c : tsr__t_sum_type(c);
    if (o.has_b)
        o.b = tsr__te_get_memref(e, inst->operands[2]);
    if (inst->atomic != TSR__T_PLAIN)
        o.atomic = o.beta_zero ? TSR__T_ATOMIC : TSR__T_ATOMIC_ADD;
    uint32_t read = tsr__te_space(o.a.type) | (o.has_b ? tsr__te_space(o.b.type) : 0) | (o.beta_zero ? 0 : tsr__te_space(o.c.type));
    tsr__te_touch(e, (struct tsr__te_touched){read, tsr__te_space(o.c.type)});
    return o;
}

bool tsr__te_updates_lanes(const struct tsr__te_blas *o)
{
    bool narrow = tsr__t_numbers[o->c.type->number].bytes < 4; /* CPUs gather and scatter words */
    return o->atomic != TSR__T_PLAIN || (narrow && tsr__te_known(o->c.stride[0]) != 1);
}

/* What is stored: alpha * product + beta * C. */
static struct tsr__te_number updated(struct tsr__te *e, const struct tsr__te_blas *o, LLVMValueRef address, struct tsr__te_number product,
                                     enum tsr__t_number sum)
{
    enum tsr__t_number c = o->c.type->number;
    if (!o->alpha_one)
        product = tsr__te_arith(e, TSR__T_MUL, sum, tsr__te_convert(e, o->alpha, o->alpha_type, sum), product);
    if (!o->beta_zero && o->atomic == TSR__T_PLAIN) {
        struct tsr__te_number old = tsr__te_convert(e, tsr__te_load_number(e, &o->c, address), c, sum);
        if (o->adds)
            old.re = LLVMBuildSelect(e->builder, o->adds, old.re, LLVMConstNull(LLVMTypeOf(old.re)), "");
        if (!o->beta_one)
            old = tsr__te_arith(e, TSR__T_MUL, sum, tsr__te_convert(e, o->beta, o->beta_type, sum), old);
        product = tsr__te_arith(e, TSR__T_ADD, sum, product, old);
    }
    return tsr__te_convert(e, product, sum, c);
}

void tsr__te_update(struct tsr__te *e, const struct tsr__te_blas *o, LLVMValueRef address, struct tsr__te_number product,
                    enum tsr__t_number sum)
{
    tsr__te_store_number(e, &o->c, address, updated(e, o, address, product, sum), o->atomic);
}

bool tsr__te_update_apart(struct tsr__te *e, const struct tsr__te_blas *o, const struct tsr__te_target *targets, LLVMValueRef *products,
                          uint32_t count, enum tsr__t_number sum)
{
    uint32_t parts = tsr__te_parts(sum);
    if (!e->unit.blocks || o->beta_zero || o->atomic != TSR__T_PLAIN)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct tsr__te_guard guard = tsr__te_guard(e, targets[i].good);
        tsr__te_put_number(products, parts, i, updated(e, o, targets[i].address, tsr__te_number_at(products, parts, i), sum));
        tsr__te_end_guard(e, &guard, products + i * parts, parts);
    }
    LLVMBuildFence(e->builder, LLVMAtomicOrderingAcquireRelease, true, ""); /* LLVM is to leave that order */
    return true;
}

void tsr__te_finish_update(struct tsr__te *e, const struct tsr__te_blas *o, const struct tsr__te_target *target,
                           struct tsr__te_number product, enum tsr__t_number sum, bool apart)
{
    LLVMBasicBlockRef end = tsr__te_if(e, target->good);
    product = apart ? product : updated(e, o, target->address, product, sum);
    tsr__te_store_number(e, &o->c, target->address, product, o->atomic);
    tsr__te_end_if(e, end);
}

bool tsr__te_begin_together(struct tsr__te *e, const struct tsr__te_blas *o, LLVMValueRef columns, uint32_t most,
                            struct tsr__te_together *all)
{
    int64_t known = tsr__te_known(columns);
    *all = (struct tsr__te_together){.o = o, .end = columns, .count = TSR__TE_COLUMNS_TOGETHER};
    if (is_known_below(columns, all->count))
        all->count = known ? (uint32_t)known : 1;
    else if (known > 0 && known % all->count && most > all->count) { /* as often as the most make it, and as many each time */
        int64_t times = (known + most - 1) / most;
        all->count = (uint32_t)((known + times - 1) / times);
    }
    if (known < 0 || known % all->count)
        all->last = minus(e, columns, tsr__te_i64(e, 1));
    return e->unit.blocks && !o->beta_zero && o->atomic == TSR__T_PLAIN;
}

LLVMValueRef tsr__te_one_together(struct tsr__te *e, const struct tsr__te_together *all, LLVMValueRef first, uint32_t i)
{
    return all->last && i ? minimum(e, plus(e, first, i), all->last) : plus(e, first, i);
}

void tsr__te_put_together(struct tsr__te *e, struct tsr__te_together *all, uint32_t i, LLVMValueRef *index, struct tsr__te_number product)
{
    all->targets[i].address = tsr__te_address(e, &all->o->c, index);
    tsr__te_put_number(all->products, tsr__te_parts(all->o->sum), i, product);
}

void tsr__te_update_together(struct tsr__te *e, struct tsr__te_together *all, LLVMValueRef first)
{
    enum tsr__t_number sum = all->o->sum;
    bool apart = tsr__te_update_apart(e, all->o, all->targets, all->products, all->count, sum);
    for (uint32_t i = 0; i < all->count; i++) {
        LLVMBasicBlockRef end = tsr__te_if(e, all->last && i ? less(e, plus(e, first, i), all->end) : NULL);
        tsr__te_finish_update(e, all->o, &all->targets[i], tsr__te_number_at(all->products, tsr__te_parts(sum), i), sum, apart);
        tsr__te_end_if(e, end);
    }
}

struct tsr__te_number tsr__te_accumulate(struct tsr__te *e, const struct tsr__te_blas *o, struct tsr__te_number a, LLVMValueRef k,
                                         struct tsr__te_number sum)
{
    return o->has_b ? tsr__te_fma(e, o->sum, a, tsr__te_load_as(e, &o->b, &k, NULL, o->sum), sum)
                    : tsr__te_arith(e, TSR__T_ADD, o->sum, sum, a);
}

uint32_t tsr__te_registers(const struct tsr__te *e, uint32_t bytes)
{
    return (bytes + e->unit.register_bytes - 1) / e->unit.register_bytes;
}

uint32_t tsr__te_columns(const struct tsr__te *e, uint32_t registers)
{
    uint32_t all = e->unit.registers + e->unit.registers / 3; /* with those that are left for A and B */
    uint32_t most = e->unit.registers / registers;
    while (most > 1 && most * registers + registers + 1 > all)
        most--;
    return most < 1 ? 1 : most > TSR__TE_MOST_COLUMNS ? TSR__TE_MOST_COLUMNS : most;
}

uint32_t tsr__te_together(const struct tsr__te *e, enum tsr__t_number number)
{
    uint32_t part = (uint32_t)tsr__t_numbers[tsr__t_numbers[number].component].bytes;
    uint32_t count = e->unit.registers * 2 / 3 / (tsr__te_registers(e, e->func->info.sub_group_size * part) * tsr__te_parts(number));
    return count < 1 ? 1 : count > TSR__TE_MOST_TOGETHER ? TSR__TE_MOST_TOGETHER : count;
}

uint32_t tsr__te_rows_together(const struct tsr__te *e, const struct tsr__te_blas *o)
{
    uint32_t count = tsr__te_together(e, o->sum);
    int64_t most = tsr__te_known(o->c.shape[0]) / e->func->info.work_group_size[0]; /* 0 as well if it is not known */
    return most > 0 && most < count ? (uint32_t)most : count;
}

/* A piece that is all of a column comes by itself, as the next one lies behind it. */
void tsr__te_prefetch_piece(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef first, LLVMValueRef col, uint32_t count)
{
    enum { COLUMNS_AHEAD = 4 };
    const uint32_t *sizes = e->func->info.work_group_size;
    uint32_t rows = count * sizes[0] * sizes[1];
    if (count > 1 && e->unit.blocks && tsr__te_known(memref->stride[0]) == 1 && !is_known_below(memref->shape[0], 2 * rows))
        tsr__te_prefetch_rows(e, memref, first, plus(e, col, COLUMNS_AHEAD), rows);
}
