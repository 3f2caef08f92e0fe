/* SPDX-License-Identifier: Apache-2.0
 * Products of the same kind that follow each other, whose sizes are arguments: one code for all, in a loop whose rounds choose the
 * operands. That code is long, and what LLVM takes for a function grows faster than its length. */
#include "tensor/llvm/emit.h"

enum { OPERANDS = 5 };

static bool is_open(const struct tsr__t_type *type)
{
    bool open = false;
    for (uint32_t i = 0; i < type->order; i++)
        open |= type->shape[i] == TSR__T_DYNAMIC;
    return open;
}

/* Code for a factor that is a constant is for that constant. */
static bool are_alike(const struct tsr__t_value *a, const struct tsr__t_value *b)
{
    double x = 0, y = 0;
    return tsr__t_same_type(a->type, b->type) && tsr__t_constant_number(a, &x) == tsr__t_constant_number(b, &y) && x == y;
}

static bool is_same_kind(const struct tsr__t_inst *a, const struct tsr__t_inst *b)
{
    bool same = b->op == TSR__T_GEMM && b->transpose[0] == a->transpose[0] && b->transpose[1] == a->transpose[1] && b->atomic == a->atomic;
    for (int i = 0; i < OPERANDS && same; i++)
        same = are_alike(a->operands[i], b->operands[i]);
    return same;
}

const struct tsr__t_inst *tsr__te_last_of_run(const struct tsr__t_inst *first)
{
    const struct tsr__t_inst *last = NULL;
    if (first->op != TSR__T_GEMM || !(is_open(first->operands[1]->type) || is_open(first->operands[OPERANDS - 1]->type)))
        return NULL;
    for (const struct tsr__t_inst *i = first->next; i && (i->op < TSR__T_LOAD || is_same_kind(first, i)); i = i->next)
        last = i->op == TSR__T_GEMM ? i : last;
    return last;
}

/* Part `part` of operand `operand` of the product whose number is `round`. */
static LLVMValueRef chosen(struct tsr__te *e, const struct tsr__t_inst *first, const struct tsr__t_inst *last, uint32_t operand,
                           uint32_t part, LLVMValueRef round)
{
    LLVMValueRef all = e->values[first->operands[operand]->index].part[part];
    uint32_t number = 0;
    for (const struct tsr__t_inst *i = first; i != last;) {
        i = i->next;
        if (i->op != TSR__T_GEMM)
            continue;
        LLVMValueRef own = e->values[i->operands[operand]->index].part[part];
        LLVMValueRef before = LLVMBuildICmp(e->builder, LLVMIntSLT, round, tsr__te_i64(e, ++number), "");
        all = all == own ? own : LLVMBuildSelect(e->builder, before, all, own, "");
    }
    return all;
}

/* Products in which values behind those of the function stand for the operands. */
static void emit_round(struct tsr__te *e, const struct tsr__t_inst *first, const struct tsr__t_inst *last, LLVMValueRef round)
{
    struct tsr__t_value values[OPERANDS], *operands[OPERANDS];
    struct tsr__t_inst any = *first;
    any.operands = operands;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        uint32_t count = e->values[first->operands[i]->index].count;
        LLVMValueRef *part = tsr__te_room(e, count);
        for (uint32_t p = 0; p < count; p++)
            part[p] = chosen(e, first, last, i, p, round);
        values[i] = *first->operands[i];
        values[i].index = e->func->value_count + i;
        operands[i] = &values[i];
        tsr__te_set(e, &values[i], part, count);
    }
    e->touched.read |= TSR__T_FENCE_LOCAL | TSR__T_FENCE_GLOBAL; /* by the round before, */
    e->touched.written |= tsr__te_space(first->operands[OPERANDS - 1]->type);
    tsr__te_emit_gemm(e, &any);
}

void tsr__te_emit_run(struct tsr__te *e, const struct tsr__t_inst *first, const struct tsr__t_inst *last)
{
    uint32_t count = 1;
    struct tsr__te_loop rounds;
    for (const struct tsr__t_inst *i = first; i != last; i = i->next)
        count += i->next->op == TSR__T_GEMM;
    tsr__te_loop(e, &rounds, tsr__te_i64(e, 0), tsr__te_i64(e, count), tsr__te_i64(e, 1), NULL, 0);
    emit_round(e, first, last, rounds.index);
    tsr__te_end_loop(e, &rounds, NULL);
    tsr__te_hint(e, &rounds, "llvm.loop.unroll.disable", 0);
}
