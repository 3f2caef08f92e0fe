/* SPDX-License-Identifier: Apache-2.0
 * Loops that add up a product in steps of K, as programs for GPUs do: for %k = …, 64 { C += A[:, %k:64] B[%k:64, :] }. They are one product
 * of all of K, whose sums stay in registers or are added to C once for each block that fits the caches. */
#include "tensor/llvm/emit.h"

enum { OPERANDS = TSR__TE_GEMM_OPERANDS };

/* A or B: the view that the round's part of K is, and which mode K is. */
struct factor {
    const struct tsr__t_value *view;
    uint32_t slice, mode; /* in the subview, and in its result */
};

struct steps {
    const struct tsr__t_inst *loop, *product;
    struct factor factors[2];
    int64_t step;
};

struct search {
    const struct tsr__t_value *value;
    uint32_t count;
};

static void count_use(const struct tsr__t_value *value, void *data)
{
    struct search *s = data;
    s->count += value == s->value;
}

static uint32_t uses_of(const struct tsr__t_inst *inst, const struct tsr__t_value *value)
{
    struct search s = {value, 0};
    tsr__t_each_use(inst, count_use, &s);
    return s.count;
}

/* Whether the operand is a view of this step's part of K, and of nothing else that the loop's variable moves. */
static bool find_factor(const struct steps *s, uint32_t operand, bool transposed, struct factor *f)
{
    const struct tsr__t_value *k = s->loop->variables[0], *view = s->product->operands[operand];
    const struct tsr__t_inst *by = view->by;
    uint32_t mode = 0, wanted = (operand == 1) != transposed ? 1 : 0;
    f->view = view;
    if (!by || by->op != TSR__T_SUBVIEW || uses_of(by, k) != 1)
        return false;
    for (f->slice = 0; f->slice < by->slice_count; f->slice++) {
        const struct tsr__t_slice *slice = &by->slices[f->slice];
        if (slice->offset.value == k) {
            f->mode = mode;
            return mode == wanted && !slice->whole && !slice->size.value && slice->size.number == s->step;
        }
        mode += !tsr__t_is_dropped(slice);
    }
    return false;
}

/* What a memref is a part of: a parameter of the function or memory of its own. NULL: not known. */
static const struct tsr__t_value *root_of(const struct tsr__te *e, const struct tsr__t_value *value)
{
    while (value->by && (value->by->op == TSR__T_SUBVIEW || value->by->op == TSR__T_EXPAND || value->by->op == TSR__T_FUSE ||
                         value->by->op == TSR__T_LOAD))
        value = value->by->operands[0];
    bool is_known = value->by && value->by->op == TSR__T_ALLOCA;
    for (uint32_t p = 0; p < e->func->param_count; p++)
        is_known |= value == &e->func->params[p].value;
    return is_known ? value : NULL;
}

/* The body: one product, and what gives it its operands, which is the same in each round but for the factors. */
static bool find_product(struct steps *s)
{
    const struct tsr__t_value *k = s->loop->variables[0];
    for (const struct tsr__t_inst *i = s->loop->regions[0]->first; i; i = i->next) {
        if (i->op == TSR__T_GEMM) {
            if (s->product)
                return false;
            s->product = i;
        } else if (i->op != TSR__T_SUBVIEW && i->op != TSR__T_CONSTANT && i->op != TSR__T_SIZE && i->op != TSR__T_YIELD) {
            return false;
        }
    }
    if (!s->product || s->product->atomic != TSR__T_PLAIN)
        return false;
    for (uint32_t f = 0; f < 2; f++)
        if (!find_factor(s, 1 + f, s->product->transpose[f], &s->factors[f]))
            return false;
    for (const struct tsr__t_inst *i = s->loop->regions[0]->first; i; i = i->next)
        if (i != s->factors[0].view->by && i != s->factors[1].view->by && uses_of(i, k))
            return false;
    return true;
}

/* C is added to, without a rounding in between that one product would not have, and is no part of what is multiplied. */
static bool adds_up(const struct tsr__te *e, const struct tsr__t_inst *product)
{
    double beta = 0;
    const struct tsr__t_value *c = product->operands[OPERANDS - 1], *root = root_of(e, c);
    enum tsr__t_number sum = tsr__t_sum_type(c->type->number);
    if (!tsr__t_constant_number(product->operands[OPERANDS - 2], &beta) || beta != 1 || sum != c->type->number || !root)
        return false;
    for (uint32_t f = 1; f < 3; f++) {
        const struct tsr__t_value *own = root_of(e, product->operands[f]);
        if (!own || own == root)
            return false;
    }
    return true;
}

/* With a K that is not known products of narrow numbers are fast in blocks alone. */
static bool is_fast(const struct tsr__te *e, const struct tsr__t_inst *product)
{
    enum tsr__t_number a = product->operands[1]->type->number, b = product->operands[2]->type->number;
    const struct tsr__t_type *c = product->operands[OPERANDS - 1]->type;
    if ((a == c->number && b == c->number) || tsr__te_has_tiles(e, a, b, c->number))
        return true;
    return (tsr__te_has_pairs(e, a, b, c->number) || tsr__te_dot_of(e, a, b, c->number)) && c->shape[0] >= TSR__TE_LEAST_SIZE &&
           c->shape[1] >= TSR__TE_LEAST_SIZE;
}

/* Elements of K in all rounds: each has as many as a step, the last as well. */
static LLVMValueRef all_of_k(struct tsr__te *e, const struct steps *s, LLVMValueRef from, LLVMValueRef to)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef step = tsr__te_i64(e, s->step), one = tsr__te_i64(e, 1);
    from = LLVMBuildIntCast2(e->builder, from, i64, true, "");
    to = LLVMBuildIntCast2(e->builder, to, i64, true, "");
    LLVMValueRef whole = LLVMBuildUDiv(e->builder, LLVMBuildSub(e->builder, LLVMBuildSub(e->builder, to, from, ""), one, ""), step, "");
    return LLVMBuildMul(e->builder, LLVMBuildAdd(e->builder, whole, one, ""), step, "");
}

/* The first round's view, as long as all of K. */
static struct tsr__t_value *long_view(struct tsr__te *e, const struct steps *s, uint32_t which, LLVMValueRef depth)
{
    const struct factor *f = &s->factors[which];
    const struct tsr__te_value *first = &e->values[f->view->index];
    struct tsr__t_value *made = tsr_arena_alloc(e->arena, sizeof *made);
    struct tsr__t_type *type = tsr_arena_alloc(e->arena, sizeof *type);
    int64_t *shape = tsr_arena_alloc(e->arena, f->view->type->order * sizeof *shape);
    LLVMValueRef *part = tsr__te_room(e, first->count);
    *made = *f->view;
    *type = *f->view->type;
    for (uint32_t i = 0; i < type->order; i++)
        shape[i] = type->shape[i];
    for (uint32_t i = 0; i < first->count; i++)
        part[i] = first->part[i];
    shape[f->mode] = tsr__te_known(depth) >= 0 ? tsr__te_known(depth) : TSR__T_DYNAMIC;
    part[1 + f->mode] = depth;
    type->shape = shape;
    made->type = type;
    made->index = e->func->value_count + which;
    tsr__te_set(e, made, part, first->count);
    return made;
}

bool tsr__te_emit_steps(struct tsr__te *e, const struct tsr__t_inst *loop)
{
    struct steps s = {.loop = loop};
    LLVMValueRef from = tsr__te_get_number(e, loop->operands[0]).re, to = tsr__te_get_number(e, loop->operands[1]).re;
    s.step = loop->has_step ? tsr__te_known(tsr__te_get_number(e, loop->operands[2]).re) : 1;
    if (e->spmd || loop->variable_count != 1 || s.step < 1 || !find_product(&s) || !adds_up(e, s.product))
        return false;
    bool is_known = tsr__te_known(from) >= 0 && tsr__te_known(to) >= 0;
    if (is_known ? tsr__te_known(from) >= tsr__te_known(to) : !is_fast(e, s.product))
        return false;
    LLVMValueRef depth = all_of_k(e, &s, from, to);
    struct tsr__te_touched before = e->touched;
    LLVMBasicBlockRef end = tsr__te_if(e, LLVMBuildICmp(e->builder, LLVMIntSLT, from, to, "")); /* without a round C is not even read */
    tsr__te_set(e, loop->variables[0], &from, 1);
    for (const struct tsr__t_inst *i = loop->regions[0]->first; i; i = i->next)
        if (i != s.product)
            e->inst(e, i);
    struct tsr__t_inst all = *s.product;
    struct tsr__t_value *operands[OPERANDS];
    for (uint32_t i = 0; i < OPERANDS; i++)
        operands[i] = i == 1 || i == 2 ? long_view(e, &s, i - 1, depth) : s.product->operands[i];
    all.operands = operands;
    tsr__te_emit_gemm(e, &all);
    tsr__te_end_if(e, end);
    e->touched = tsr__te_both(before, e->touched);
    return true;
}
