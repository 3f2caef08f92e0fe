/* SPDX-License-Identifier: Apache-2.0
 * Instructions with regions. */
#include "tensor/llvm/emit.h"

#include <string.h>

/* ---- what regions touch
 * ------------------------------------------------------------------------------------------------------------------ */

/* Memory by what kind of operand an instruction has: of stores the second is written, of linear algebra the last. */
static void add_touched(const struct tsr__t_inst *inst, void *data)
{
    struct tsr__te_touched *t = data;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct tsr__t_type *type = inst->operands[i]->type;
        if (type->kind != TSR__T_MEMREF)
            continue;
        switch (tsr__t_ops[inst->op].form) {
        case TSR__T_FORM_LOAD:
        case TSR__T_FORM_COOP_LOAD:
            t->read |= tsr__te_space(type);
            break;
        case TSR__T_FORM_STORE:
        case TSR__T_FORM_COOP_STORE:
            t->written |= tsr__te_space(type);
            break;
        case TSR__T_FORM_BLAS:
        case TSR__T_FORM_CUMSUM:
            t->read |= tsr__te_space(type);
            if (i + 1 == inst->operand_count)
                t->written |= tsr__te_space(type);
            break;
        default:
            break;
        }
    }
}

struct tsr__te_touched tsr__te_touched_by(const struct tsr__t_region *region)
{
    struct tsr__te_touched touched = {0};
    tsr__t_visit(region, add_touched, &touched);
    return touched;
}

/* ---- values that go from region to region
 * ------------------------------------------------------------------------------------------------ */

/* All parts of these values, one behind the other. */
static LLVMValueRef *gather(struct tsr__te *e, struct tsr__t_value *const *values, uint32_t count, uint32_t *parts)
{
    *parts = 0;
    for (uint32_t i = 0; i < count; i++)
        *parts += e->values[values[i]->index].count;
    LLVMValueRef *all = tsr__te_room(e, *parts), *at = all;
    for (uint32_t i = 0; i < count; i++) {
        const struct tsr__te_value *own = &e->values[values[i]->index];
        memcpy(at, own->part, own->count * sizeof *at);
        at += own->count;
    }
    return all;
}

/* Gives values the parts that are like those of others. */
static void scatter(struct tsr__te *e, struct tsr__t_value *const *values, struct tsr__t_value *const *like, uint32_t count,
                    LLVMValueRef *parts)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = e->values[like[i]->index].count;
        tsr__te_set(e, values[i], parts, own);
        parts += own;
    }
}

TSR_TE_FUNCTION(yield)
{
    (void)e;
    (void)inst;
}

/* ---- loops
 * ------------------------------------------------------------------------------------------------------------------------------- */

/* The attribute unroll of a loop. */
static void note_unroll(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_loop *loop)
{
    enum { MOST_COUNT = 1024 };
    const struct tsr__t_attr *unroll = tsr__t_attr(inst->attributes, "unroll");
    if (!unroll)
        return;
    if (unroll->kind == TSR__T_ATTR_INT && unroll->number > 0 && unroll->number < MOST_COUNT)
        tsr__te_hint(e, loop, "llvm.loop.unroll.count", (uint32_t)unroll->number);
    else
        tsr__te_hint(e, loop, unroll->number ? "llvm.loop.unroll.enable" : "llvm.loop.unroll.disable", 0);
}

TSR_TE_FUNCTION(for)
{
    if (tsr__te_emit_steps(e, inst))
        return;
    uint32_t bounds = 2 + inst->has_step, carried = inst->variable_count - 1, count;
    LLVMValueRef from = tsr__te_get_number(e, inst->operands[0]).re, to = tsr__te_get_number(e, inst->operands[1]).re;
    LLVMValueRef step = inst->has_step ? tsr__te_get_number(e, inst->operands[2]).re : LLVMConstInt(LLVMTypeOf(from), 1, false);
    LLVMValueRef *first = gather(e, inst->operands + bounds, carried, &count);
    struct tsr__te_touched before = e->touched;
    struct tsr__te_loop loop;
    e->touched = tsr__te_both(before, tsr__te_touched_by(inst->regions[0])); /* what an earlier round left */
    tsr__te_loop(e, &loop, from, to, step, first, count);
    tsr__te_set(e, inst->variables[0], &loop.index, 1);
    scatter(e, inst->variables + 1, inst->operands + bounds, carried, loop.carried);
    e->region(e, inst->regions[0]);
    LLVMValueRef *next = carried ? gather(e, inst->regions[0]->last->operands, carried, &count) : NULL;
    tsr__te_end_loop(e, &loop, next);
    note_unroll(e, inst, &loop);
    scatter(e, inst->results, inst->variables + 1, carried, loop.carried);
    e->touched = tsr__te_both(before, tsr__te_both(e->touched, tsr__te_touched_by(inst->regions[0])));
}

/* The first mode lies over the work-items, the second over the second mode of the work-group. Each block of a mode has as many iterations
 * as there are work-items, so that all of them make the same rounds, and those beyond the end do nothing. The rounds are counted in i64:
 * the type of the variable may end within the last block. */
static void foreach_mode(struct tsr__te *e, const struct tsr__t_inst *inst, uint32_t mode)
{
    uint32_t count = inst->variable_count, width = 1;
    if (mode == UINT32_MAX) { /* inside all modes */
        e->region(e, inst->regions[0]);
        return;
    }
    LLVMValueRef from = tsr__te_get_number(e, inst->operands[mode]).re, to = tsr__te_get_number(e, inst->operands[count + mode]).re;
    LLVMTypeRef type = LLVMTypeOf(from), i64 = LLVMInt64TypeInContext(e->context);
    from = LLVMBuildIntCast2(e->builder, from, i64, true, "");
    to = LLVMBuildIntCast2(e->builder, to, i64, true, "");
    const uint32_t *sizes = e->func->info.work_group_size;
    LLVMValueRef item = NULL;
    if (mode == 0) {
        item = e->item[0];
        width = sizes[0];
        if (count == 1 && sizes[1] > 1) {
            item = LLVMBuildAdd(e->builder, item, LLVMBuildMul(e->builder, e->item[1], tsr__te_i64(e, sizes[0]), ""), "");
            width *= sizes[1];
        }
    } else if (mode == 1 && sizes[1] > 1) {
        item = e->item[1];
        width = sizes[1];
    }
    struct tsr__te_loop loop;
    tsr__te_loop(e, &loop, from, to, tsr__te_i64(e, width), NULL, 0);
    LLVMValueRef index = loop.index;
    LLVMBasicBlockRef end = NULL;
    if (item) {
        index = LLVMBuildAdd(e->builder, index, item, "");
        end = tsr__te_if(e, LLVMBuildICmp(e->builder, LLVMIntSLT, index, to, ""));
    }
    index = LLVMBuildIntCast2(e->builder, index, type, true, "");
    tsr__te_set(e, inst->variables[mode], &index, 1);
    foreach_mode(e, inst, mode ? mode - 1 : UINT32_MAX);
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &loop, NULL);
}

TSR_TE_FUNCTION(foreach)
{
    tsr__te_touch(e, tsr__te_touched_by(inst->regions[0]));
    e->spmd = true;
    foreach_mode(e, inst, inst->variable_count - 1);
    e->spmd = false;
}

TSR_TE_FUNCTION(parallel)
{
    tsr__te_touch(e, tsr__te_touched_by(inst->regions[0]));
    e->spmd = true;
    e->region(e, inst->regions[0]);
    e->spmd = false;
}

/* ---- if
 * ---------------------------------------------------------------------------------------------------------------------------------- */

TSR_TE_FUNCTION(if)
{
    LLVMBasicBlockRef blocks[2], ends[2], last = tsr__te_block(e);
    LLVMValueRef *parts[2] = {NULL, NULL};
    uint32_t count = 0;
    struct tsr__te_touched before = e->touched, after = before;
    for (int i = 0; i < 2; i++)
        blocks[i] = inst->regions[i] ? tsr__te_block(e) : last;
    LLVMBuildCondBr(e->builder, tsr__te_get_number(e, inst->operands[0]).re, blocks[0], blocks[1]);
    for (int i = 0; i < 2 && inst->regions[i]; i++) {
        LLVMPositionBuilderAtEnd(e->builder, blocks[i]);
        e->touched = before;
        e->region(e, inst->regions[i]);
        after = tsr__te_both(after, e->touched);
        if (inst->result_count)
            parts[i] = gather(e, inst->regions[i]->last->operands, inst->result_count, &count);
        ends[i] = LLVMGetInsertBlock(e->builder);
        LLVMBuildBr(e->builder, last);
        LLVMMoveBasicBlockAfter(last, ends[i]);
    }
    e->touched = after;
    LLVMPositionBuilderAtEnd(e->builder, last);
    LLVMValueRef *made = tsr__te_room(e, count);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef incoming[] = {parts[0][i], parts[1][i]};
        made[i] = LLVMBuildPhi(e->builder, LLVMTypeOf(incoming[0]), "");
        LLVMAddIncoming(made[i], incoming, ends, 2);
    }
    if (inst->result_count)
        scatter(e, inst->results, inst->regions[0]->last->operands, inst->result_count, made);
}
