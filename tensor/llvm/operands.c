/* SPDX-License-Identifier: Apache-2.0
 * What the instructions of linear algebra have in common: their operands, and how elements of the result are updated. */
#include "tensor/llvm/emit.h"

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
    if (o.has_b)
        o.b = tsr__te_get_memref(e, inst->operands[2]);
    if (inst->atomic != TSR__T_PLAIN)
        o.atomic = o.beta_zero ? TSR__T_ATOMIC : TSR__T_ATOMIC_ADD;
    uint32_t read = tsr__te_space(o.a.type) | (o.has_b ? tsr__te_space(o.b.type) : 0) | (o.beta_zero ? 0 : tsr__te_space(o.c.type));
    tsr__te_touch(e, (struct tsr__te_touched){read, tsr__te_space(o.c.type)});
    return o;
}

void tsr__te_update(struct tsr__te *e, const struct tsr__te_blas *o, LLVMValueRef address, struct tsr__te_number product,
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
    tsr__te_store_number(e, &o->c, address, tsr__te_convert(e, product, sum, c), o->atomic);
}

struct tsr__te_number tsr__te_accumulate(struct tsr__te *e, const struct tsr__te_blas *o, struct tsr__te_number a, LLVMValueRef k,
                                         struct tsr__te_number sum)
{
    enum tsr__t_number c = o->c.type->number;
    return o->has_b ? tsr__te_fma(e, c, a, tsr__te_load_as(e, &o->b, &k, NULL, c), sum) : tsr__te_arith(e, TSR__T_ADD, c, sum, a);
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
