/* SPDX-License-Identifier: Apache-2.0
 * Products of cooperative matrices. */
#include "tensor/llvm/coop.h"

/* Element (k, j) of B in all work-items, as a number of type `sum`. */
static struct tsr__te_number broadcast(struct tsr__te *e, const struct tsr__t_value *value, const struct matrix *m, uint32_t k, uint32_t j,
                                       enum tsr__t_number sum)
{
    enum tsr__t_number number = m->type->number;
    struct tsr__te_number own = component(e, value, m, k / m->lanes, j);
    return tsr__te_convert(e, tsr__te_broadcast(e, number, own, tsr__te_i32(e, k % m->lanes)), number, sum);
}

/* Whether there is a matrix function whose operands A and B fill. Not for bytes, of which a work-item would need two rows of B. */
static bool has_function(struct tsr__te *e, const struct matrix *a, const struct matrix *b, const struct matrix *c, const struct matrix *d)
{
    enum tsr__t_number number = a->type->number;
    return tsr__te_has_mad(e, number, b->type->number, c->type->number) && number != TSR__T_I8 && d->type->number == c->type->number &&
           a->cols % tsr__te_mad_depth(number) == 0 && a->type->rows % a->lanes == 0;
}

static void multiply_by_function(struct tsr__te *e, const struct tsr__t_inst *inst, const struct matrix *a, const struct matrix *b,
                                 const struct matrix *d, LLVMValueRef *parts)
{
    uint32_t depth = tsr__te_mad_depth(a->type->number);
    tsr__te_limit_coop(e, inst, (uint64_t)d->blocks * (a->cols / depth) * d->cols);
    LLVMValueRef *sums = tsr__te_room(e, d->cols), *own = tsr__te_room(e, d->cols), row[32];
    for (uint32_t r = 0; r < d->blocks; r++) {
        for (uint32_t j = 0; j < d->cols; j++)
            sums[j] = component(e, inst->operands[2], d, r, j).re;
        for (uint32_t k = 0; k < a->cols; k += depth) {
            for (uint32_t i = 0; i < depth; i++)
                row[i] = component(e, inst->operands[0], a, r, k + i).re;
            for (uint32_t j = 0; j < d->cols; j++) {
                LLVMValueRef number = component(e, inst->operands[1], b, k / b->lanes, j).re;
                own[j] = tsr__te_mad_part(e, &number, 1);
            }
            tsr__te_mad(e, a->type->number, own, tsr__te_mad_row(e, row, depth), sums, d->cols);
        }
        for (uint32_t j = 0; j < d->cols; j++)
            set_component(d, parts, r, j, (struct tsr__te_number){sums[j], NULL});
    }
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
    if (has_function(e, &a, &b, &c, &d))
        multiply_by_function(e, inst, &a, &b, &d, parts);
    else
        multiply_plain(e, inst, &a, &b, &c, &d, parts);
    tsr__te_set(e, inst->results[0], parts, d.blocks * d.cols * d.parts);
}
