/* SPDX-License-Identifier: Apache-2.0
 * Checks of the instructions of linear algebra. */
#include "tensor/check.h"

#include <stdio.h>

/* The operands of such an instruction: alpha, one or two factors, beta, the result. */
struct blas {
    const struct tsr__t_value *alpha, *a, *b, *beta, *c; /* b is NULL where there is one factor */
};

static struct blas operands_of(const struct tsr__t_inst *inst)
{
    struct tsr__t_value *const *o = inst->operands;
    if (inst->operand_count == 4)
        return (struct blas){o[0], o[1], NULL, o[2], o[3]};
    return (struct blas){o[0], o[1], o[2], o[3], o[4]};
}

static bool check_kinds(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct blas *o)
{
    const struct tsr__t_value *scalars[] = {o->alpha, o->beta}, *memrefs[] = {o->a, o->b, o->c};
    for (int i = 0; i < 2; i++)
        if (scalars[i]->type->kind != TSR__T_NUMBER)
            return tsr__t_fault(p, inst, scalars[i], NULL, "Expected scalar type");
    for (int i = 0; i < 3; i++)
        if (memrefs[i] && memrefs[i]->type->kind != TSR__T_MEMREF)
            return tsr__t_fault(p, inst, memrefs[i], NULL, "Expected memref type");
    return true;
}

static bool check_promotion(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct blas *o)
{
    static const char forbidden[] = "Scalar type promotion is forbidden";
    enum tsr__t_number product = o->a->type->number, c = o->c->type->number;
    if (o->b && !tsr__t_promote(product, o->b->type->number, &product))
        return tsr__t_fault(p, inst, o->a, o->b, forbidden);
    if (!tsr__t_promotable(o->alpha->type->number, product))
        return tsr__t_fault(p, inst, o->alpha, o->a, forbidden);
    if (!tsr__t_promotable(product, c))
        return tsr__t_fault(p, inst, o->a, o->c, forbidden);
    if (!tsr__t_promotable(o->beta->type->number, c))
        return tsr__t_fault(p, inst, o->beta, o->c, forbidden);
    return true;
}

static bool check_atomic(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct blas *o)
{
    double beta;
    if (inst->atomic == TSR__T_PLAIN)
        return true;
    if (!tsr__t_constant_number(o->beta, &beta) || (beta != 0 && beta != 1))
        return tsr__t_fault(p, inst, o->beta, NULL, "beta must be constant and 0 or 1 for atomic linear algebra operations");
    return tsr__t_check_atomic(p, inst, o->c);
}

static bool check_common(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, struct blas *o)
{
    *o = operands_of(inst);
    return check_kinds(p, inst, o) && check_promotion(p, inst, o);
}

static bool check_order(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_value *value, uint32_t least,
                        uint32_t most, const char *text)
{
    uint32_t order = value->type->order;
    return (order >= least && order <= most) || tsr__t_fault(p, inst, value, NULL, text);
}

static void print_shape(const struct tsr__t_value *value, char *text, size_t size)
{
    size_t at = 0;
    for (uint32_t i = 0; i < value->type->order && at < size; i++) {
        int64_t mode = value->type->shape[i];
        if (mode == TSR__T_DYNAMIC)
            at += (size_t)snprintf(text + at, size - at, "%s?", i ? "x" : "");
        else
            at += (size_t)snprintf(text + at, size - at, "%s%lld", i ? "x" : "", (long long)mode);
    }
    if (!value->type->order)
        snprintf(text, size, "scalar");
}

static bool bad_shapes(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct blas *o)
{
    char a[80], b[80], c[80];
    struct tsr_tensor_diagnostic *d;
    print_shape(o->a, a, sizeof a);
    print_shape(o->c, c, sizeof c);
    if (o->b) {
        print_shape(o->b, b, sizeof b);
        d = tsr__t_error(p, inst->at, "Incompatible tensor shapes (Got A=%s, B=%s, C=%s)", a, b, c);
    } else {
        d = tsr__t_error(p, inst->at, "Incompatible tensor shapes (Got A=%s, B=%s)", a, c);
    }
    tsr__t_note_value(p, d, o->a);
    tsr__t_note_value(p, d, o->b);
    tsr__t_note_value(p, d, o->c);
    return false;
}

/* Size of a mode of a matrix, or of its transpose. */
static int64_t mode_of(const struct tsr__t_value *value, bool transposed, uint32_t mode)
{
    return value->type->shape[transposed && value->type->order == 2 ? 1 - mode : mode];
}

static bool same_shape(const struct tsr__t_value *a, const struct tsr__t_value *b, bool transposed)
{
    bool same = a->type->order == b->type->order;
    for (uint32_t i = 0; same && i < a->type->order; i++)
        same = mode_of(a, transposed, i) == b->type->shape[i];
    return same;
}

TSR_CHECK_FUNCTION(axpby)
{
    struct blas o;
    if (!check_common(p, inst, &o) || !check_order(p, inst, o.c, 0, 2, "Expected memref of order 0, 1, or 2 (scalar, vector, or matrix)"))
        return false;
    return same_shape(o.a, o.c, inst->transpose[0]) ? check_atomic(p, inst, &o) : bad_shapes(p, inst, &o);
}

TSR_CHECK_FUNCTION(cumsum)
{
    struct blas o;
    if (!check_common(p, inst, &o) || !check_order(p, inst, o.a, 1, UINT32_MAX, "Expected memref of dimension greater or equal than 1"))
        return false;
    if (inst->mode[0] < 0 || inst->mode[0] >= o.a->type->order)
        return tsr__t_fault(p, inst, o.a, NULL, "Argument is out of bounds");
    return same_shape(o.a, o.c, false) ? check_atomic(p, inst, &o) : bad_shapes(p, inst, &o);
}

static const char vector[] = "Expected memref of order 1 (vector)", matrix[] = "Expected memref of order 2 (matrix)";

TSR_CHECK_FUNCTION(gemm)
{
    struct blas o;
    if (!check_common(p, inst, &o) || !check_order(p, inst, o.a, 2, 2, matrix) || !check_order(p, inst, o.b, 2, 2, matrix) ||
        !check_order(p, inst, o.c, 2, 2, matrix))
        return false;
    bool ta = inst->transpose[0], tb = inst->transpose[1];
    if (mode_of(o.a, ta, 1) != mode_of(o.b, tb, 0) || mode_of(o.a, ta, 0) != o.c->type->shape[0] ||
        mode_of(o.b, tb, 1) != o.c->type->shape[1])
        return bad_shapes(p, inst, &o);
    return check_atomic(p, inst, &o);
}

TSR_CHECK_FUNCTION(gemv)
{
    struct blas o;
    if (!check_common(p, inst, &o) || !check_order(p, inst, o.a, 2, 2, matrix) || !check_order(p, inst, o.b, 1, 1, vector) ||
        !check_order(p, inst, o.c, 1, 1, vector))
        return false;
    bool ta = inst->transpose[0];
    if (mode_of(o.a, ta, 1) != o.b->type->shape[0] || mode_of(o.a, ta, 0) != o.c->type->shape[0])
        return bad_shapes(p, inst, &o);
    return check_atomic(p, inst, &o);
}

TSR_CHECK_FUNCTION(ger)
{
    struct blas o;
    if (!check_common(p, inst, &o) || !check_order(p, inst, o.a, 1, 1, vector) || !check_order(p, inst, o.b, 1, 1, vector) ||
        !check_order(p, inst, o.c, 2, 2, matrix))
        return false;
    if (o.a->type->shape[0] != o.c->type->shape[0] || o.b->type->shape[0] != o.c->type->shape[1])
        return bad_shapes(p, inst, &o);
    return check_atomic(p, inst, &o);
}

TSR_CHECK_FUNCTION(hadamard)
{
    struct blas o;
    if (!check_common(p, inst, &o) || !check_order(p, inst, o.c, 1, 2, "Expected memref of order 1 or 2 (vector or matrix)"))
        return false;
    if (!same_shape(o.a, o.c, false) || !same_shape(o.b, o.c, false))
        return bad_shapes(p, inst, &o);
    return check_atomic(p, inst, &o);
}

TSR_CHECK_FUNCTION(sum)
{
    struct blas o;
    if (!check_common(p, inst, &o) || !check_order(p, inst, o.c, 0, 1, "Expected memref of order 0 or 1 (scalar or vector)"))
        return false;
    uint32_t order = o.c->type->order + 1;
    if (!check_order(p, inst, o.a, order, order, order == 1 ? vector : matrix))
        return false;
    if (order == 2 && mode_of(o.a, inst->transpose[0], 0) != o.c->type->shape[0])
        return bad_shapes(p, inst, &o);
    return check_atomic(p, inst, &o);
}
