/* SPDX-License-Identifier: Apache-2.0
 * The interpreter's linear algebra, by the formulas of the language's manual. It is done once for the work-group. */
#include "tensor/interp.h"

struct blas {
    struct tsr__ti_number alpha, beta;
    enum tsr__t_number alpha_type, beta_type, sum; /* sum: in which all is computed */
    bool beta_zero;
    struct tsr__ti_memref a, b, c;
    enum tsr__t_atomic atomic;
};

/* C is not read where beta is the constant 0: a program may begin with memory that it has not written. */
static struct blas begin(struct tsr__ti *t, const struct tsr__t_inst *inst)
{
    uint32_t last = inst->operand_count - 1;
    const struct tsr__t_value *alpha = inst->operands[0], *beta = inst->operands[last - 1];
    struct blas o = {
        .alpha = tsr__ti_value(t, alpha)->number[0],
        .beta = tsr__ti_value(t, beta)->number[0],
        .alpha_type = alpha->type->number,
        .beta_type = beta->type->number,
        .sum = tsr__t_sum_type(inst->operands[last]->type->number),
        .a = tsr__ti_memref(t, inst->operands[1], 0),
        .c = tsr__ti_memref(t, inst->operands[last], 0),
    };
    double number;
    o.beta_zero = tsr__t_constant_number(beta, &number) && number == 0;
    o.b = last == 4 ? tsr__ti_memref(t, inst->operands[2], 0) : o.a;
    if (inst->atomic != TSR__T_PLAIN)
        o.atomic = o.beta_zero ? TSR__T_ATOMIC : TSR__T_ATOMIC_ADD;
    return o;
}

static struct tsr__ti_number load(struct tsr__ti *t, const struct blas *o, const struct tsr__ti_memref *m, const int64_t *index)
{
    return tsr__ti_convert(tsr__ti_read(m->type->number, tsr__ti_address(t, m, index)), m->type->number, o->sum);
}

static void update(struct tsr__ti *t, const struct blas *o, const int64_t *index, struct tsr__ti_number product)
{
    void *address = tsr__ti_address(t, &o->c, index);
    enum tsr__t_number c = o->c.type->number, sum = o->sum;
    product = tsr__ti_arith(TSR__T_MUL, sum, tsr__ti_convert(o->alpha, o->alpha_type, sum), product);
    if (!o->beta_zero && o->atomic == TSR__T_PLAIN) {
        struct tsr__ti_number old = load(t, o, &o->c, index);
        old = tsr__ti_arith(TSR__T_MUL, sum, tsr__ti_convert(o->beta, o->beta_type, sum), old);
        product = tsr__ti_arith(TSR__T_ADD, sum, product, old);
    }
    tsr__ti_store(&o->c, address, tsr__ti_convert(product, sum, c), o->atomic);
}

/* Sizes of the first two modes, 1 where there is none. */
static int64_t mode(const struct tsr__ti_memref *m, uint32_t i)
{
    return m->type->order > i ? m->shape[i] : 1;
}

TSR_TI_FUNCTION(axpby)
{
    struct blas o = begin(t, inst);
    bool transposed = inst->transpose[0] && o.c.type->order == 2;
    for (int64_t j = 0; j < mode(&o.c, 1); j++)
        for (int64_t i = 0; i < mode(&o.c, 0); i++) {
            int64_t index[] = {i, j}, from[] = {transposed ? j : i, transposed ? i : j};
            update(t, &o, index, load(t, &o, &o.a, from));
        }
}

TSR_TI_FUNCTION(ger)
{
    struct blas o = begin(t, inst);
    for (int64_t j = 0; j < mode(&o.c, 1); j++)
        for (int64_t i = 0; i < mode(&o.c, 0); i++) {
            int64_t index[] = {i, j};
            update(t, &o, index, tsr__ti_arith(TSR__T_MUL, o.sum, load(t, &o, &o.a, &i), load(t, &o, &o.b, &j)));
        }
}

TSR_TI_FUNCTION(hadamard)
{
    struct blas o = begin(t, inst);
    for (int64_t j = 0; j < mode(&o.c, 1); j++)
        for (int64_t i = 0; i < mode(&o.c, 0); i++) {
            int64_t index[] = {i, j};
            update(t, &o, index, tsr__ti_arith(TSR__T_MUL, o.sum, load(t, &o, &o.a, index), load(t, &o, &o.b, index)));
        }
}

TSR_TI_FUNCTION(gemm)
{
    struct blas o = begin(t, inst);
    bool ta = inst->transpose[0], tb = inst->transpose[1];
    for (int64_t j = 0; j < mode(&o.c, 1); j++)
        for (int64_t i = 0; i < mode(&o.c, 0); i++) {
            struct tsr__ti_number all = {0};
            for (int64_t k = 0; k < mode(&o.a, ta ? 0 : 1); k++) {
                int64_t a[] = {ta ? k : i, ta ? i : k}, b[] = {tb ? j : k, tb ? k : j};
                all = tsr__ti_fma(o.sum, load(t, &o, &o.a, a), load(t, &o, &o.b, b), all);
            }
            int64_t index[] = {i, j};
            update(t, &o, index, all);
        }
}

TSR_TI_FUNCTION(gemv)
{
    struct blas o = begin(t, inst);
    bool transposed = inst->transpose[0];
    for (int64_t i = 0; i < mode(&o.c, 0); i++) {
        struct tsr__ti_number all = {0};
        for (int64_t k = 0; k < mode(&o.a, transposed ? 0 : 1); k++) {
            int64_t a[] = {transposed ? k : i, transposed ? i : k};
            all = tsr__ti_fma(o.sum, load(t, &o, &o.a, a), load(t, &o, &o.b, &k), all);
        }
        update(t, &o, &i, all);
    }
}

TSR_TI_FUNCTION(sum)
{
    struct blas o = begin(t, inst);
    bool transposed = inst->transpose[0] && o.a.type->order == 2;
    int64_t rows = o.a.type->order == 1 ? 1 : mode(&o.c, 0), along = o.a.type->order == 1 || transposed ? 0 : 1;
    for (int64_t i = 0; i < rows; i++) {
        struct tsr__ti_number all = {0};
        for (int64_t k = 0; k < o.a.shape[along]; k++) {
            int64_t a[] = {along ? i : k, along ? k : i};
            all = tsr__ti_arith(TSR__T_ADD, o.sum, all, load(t, &o, &o.a, a));
        }
        update(t, &o, &i, all);
    }
}

TSR_TI_FUNCTION(cumsum)
{
    struct blas o = begin(t, inst);
    uint32_t order = o.a.type->order, along = (uint32_t)inst->mode[0];
    int64_t index[64] = {0};
    if (order > TSR_ARRAY_LEN(index))
        tsr__ti_fail(t, "the interpreter takes memrefs of 64 modes at most");
    for (uint32_t i = 0; i < order; i++)
        if (!o.a.shape[i])
            return;
    for (uint32_t i;; index[i]++) {
        struct tsr__ti_number all = {0};
        for (index[along] = 0; index[along] < o.a.shape[along]; index[along]++) {
            all = tsr__ti_arith(TSR__T_ADD, o.sum, all, load(t, &o, &o.a, index));
            update(t, &o, index, all);
        }
        index[along] = 0;
        for (i = 0; i < order && (i == along || index[i] + 1 == o.a.shape[i]); i++) /* the next line */
            index[i] = 0;
        if (i == order)
            return;
    }
}
