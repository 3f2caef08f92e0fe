/* SPDX-License-Identifier: Apache-2.0
 * Instructions with regions. */
#include "tensor/llvm/emit.h"

#include <string.h>

/* ---- what regions touch ---- */

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
        case TSR__T_FORM_UPDATE:
        case TSR__T_FORM_COOP_UPDATE:
            t->read |= tsr__te_space(type);
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

struct tsr__te_touched tsr__te_touched_by_inst(const struct tsr__t_inst *inst)
{
    struct tsr__te_touched touched = {0};
    add_touched(inst, &touched);
    for (int i = 0; i < 2; i++)
        if (inst->regions[i])
            touched = tsr__te_both(touched, tsr__te_touched_by(inst->regions[i]));
    return touched;
}

/* ---- values that go from region to region ---- */

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

/* ---- loops ---- */

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

/* The number that known ones are added to and taken away from; adds these up. */
static LLVMValueRef base_of(LLVMValueRef number, uint64_t *more)
{
    while (LLVMIsAInstruction(number)) {
        LLVMOpcode op = LLVMGetInstructionOpcode(number);
        LLVMValueRef known = LLVMIsABinaryOperator(number) ? LLVMGetOperand(number, 1) : NULL;
        if (!known || !LLVMIsAConstantInt(known) || (op != LLVMAdd && op != LLVMSub))
            break;
        *more += op == LLVMAdd ? LLVMConstIntGetZExtValue(known) : 0 - LLVMConstIntGetZExtValue(known);
        number = LLVMGetOperand(number, 0);
    }
    return number;
}

/* Bounds of type index that differ by a known number, as those of a window around an element do: the loop counts from 0, so it is the same
 * for all work-items, and LLVM sees how many rounds it has. Returns where the bounds begin then; otherwise NULL. */
static LLVMValueRef count_from_zero(struct tsr__te *e, const struct tsr__t_inst *inst, LLVMValueRef *from, LLVMValueRef *to)
{
    uint64_t first = 0, last = 0;
    LLVMValueRef begin = *from;
    if (inst->variables[0]->type->number != TSR__T_INDEX || LLVMIsAConstant(begin) || base_of(begin, &first) != base_of(*to, &last))
        return NULL;
    *from = tsr__te_i64(e, 0);
    *to = tsr__te_i64(e, (int64_t)(last - first));
    return begin;
}

/* Whether the last number of a loop and its step may add up to more than their type has. */
static bool may_pass_end(LLVMValueRef to, LLVMValueRef step)
{
    uint32_t bits = LLVMGetIntTypeWidth(LLVMTypeOf(to));
    bool known = LLVMIsAConstantInt(step);
    if (known && LLVMConstIntGetSExtValue(step) == 1)
        return false;
    int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    return !known || !LLVMIsAConstantInt(to) || LLVMConstIntGetSExtValue(to) > most - LLVMConstIntGetSExtValue(step) + 1;
}

/* Counts in twice as many bits where the number behind the last round may be beyond the type, which would begin from its other end; in 64
 * bits that number has no more than the largest, if the bound is known to be so large. Returns the type of the variable. */
static LLVMTypeRef widen(struct tsr__te *e, LLVMValueRef *from, LLVMValueRef *to, LLVMValueRef *step, bool *saturating)
{
    LLVMTypeRef type = LLVMTypeOf(*to);
    uint32_t bits = LLVMGetIntTypeWidth(type);
    bool widens = may_pass_end(*to, *step);
    *saturating = widens && bits == 64 && LLVMIsAConstantInt(*to);
    if (!widens || bits == 64)
        return type;
    LLVMTypeRef wide = LLVMIntTypeInContext(e->context, bits < 32 ? 32 : 64);
    LLVMValueRef *numbers[] = {from, to, step};
    for (int i = 0; i < 3; i++)
        *numbers[i] = LLVMBuildIntCast2(e->builder, *numbers[i], wide, true, "");
    return type;
}

TSR_TE_FUNCTION(for)
{
    if (tsr__te_emit_steps(e, inst))
        return;
    uint32_t bounds = 2 + inst->has_step, carried = inst->variable_count - 1, count;
    LLVMValueRef from = tsr__te_get_number(e, inst->operands[0]).re, to = tsr__te_get_number(e, inst->operands[1]).re;
    LLVMValueRef step = inst->has_step ? tsr__te_get_number(e, inst->operands[2]).re : LLVMConstInt(LLVMTypeOf(from), 1, false);
    LLVMValueRef *first = gather(e, inst->operands + bounds, carried, &count), begin = count_from_zero(e, inst, &from, &to);
    struct tsr__te_touched before = e->touched;
    struct tsr__te_loop loop;
    bool saturating;
    LLVMTypeRef type = widen(e, &from, &to, &step, &saturating);
    e->touched = tsr__te_both(before, tsr__te_touched_by(inst->regions[0])); /* what an earlier round left */
    tsr__te_loop(e, &loop, from, to, step, first, count);
    loop.saturating = saturating;
    LLVMValueRef index = LLVMBuildIntCast2(e->builder, loop.index, type, true, "");
    index = begin ? LLVMBuildAdd(e->builder, begin, index, "") : index;
    tsr__te_set(e, inst->variables[0], &index, 1);
    scatter(e, inst->variables + 1, inst->operands + bounds, carried, loop.carried);
    e->region(e, inst->regions[0]);
    LLVMValueRef *next = carried ? gather(e, inst->regions[0]->last->operands, carried, &count) : NULL;
    tsr__te_end_loop(e, &loop, next);
    note_unroll(e, inst, &loop);
    scatter(e, inst->results, inst->variables + 1, carried, loop.carried);
    e->touched = tsr__te_both(before, tsr__te_both(e->touched, tsr__te_touched_by(inst->regions[0])));
}

enum { SHORT_BODY = 48 /* instructions */ };

static void count_inst(const struct tsr__t_inst *inst, void *count)
{
    *(uint32_t *)count += !inst->hidden;
}

/* How many accesses to memory go through a variable side by side. */
struct accesses {
    const struct tsr__t_value *variable;
    uint32_t count;
};

/* Whether it is the variable, or the sum or difference of that and something. */
static bool follows(const struct tsr__t_value *value, const struct tsr__t_value *variable, uint32_t depth)
{
    enum { MOST_DEPTH = 4 };
    const struct tsr__t_inst *by = value->by;
    if (value == variable || !by || depth == MOST_DEPTH || (by->op != TSR__T_ADD && by->op != TSR__T_SUB && by->op != TSR__T_CAST))
        return value == variable;
    return follows(by->operands[0], variable, depth + 1) || (by->operand_count > 1 && follows(by->operands[1], variable, depth + 1));
}

static void count_access(const struct tsr__t_inst *inst, void *data)
{
    struct accesses *accesses = data;
    bool store = tsr__t_ops[inst->op].form == TSR__T_FORM_STORE;
    if (!store && tsr__t_ops[inst->op].form != TSR__T_FORM_LOAD)
        return;
    const struct tsr__t_type *type = inst->operands[store]->type;
    if (type->kind == TSR__T_MEMREF && type->order && type->stride[0] == 1 && follows(inst->operands[1 + store], accesses->variable, 0))
        accesses->count += store ? 3 : 2; /* vectors of addresses cost more where they are written to */
}

/* The mode that lies over the work-items of a row: the first one, if accesses to memory do not go through another one side by side. */
static uint32_t lane_mode(const struct tsr__t_inst *inst)
{
    uint32_t best = 0, most = 0;
    for (uint32_t i = 0; i < inst->variable_count; i++) {
        struct accesses accesses = {.variable = inst->variables[i]};
        tsr__t_visit(inst->regions[0], count_access, &accesses);
        if (accesses.count > most) {
            best = i;
            most = accesses.count;
        }
    }
    return best;
}

/* A mode of foreach: its body is that of the modes before it, and, in the first one, the region. */
struct foreach_mode {
    const struct tsr__t_inst *inst;
    uint32_t lanes;       /* mode that lies over the work-items of a row; it counts as the first one */
    uint32_t place, mode; /* among the modes in this order; in the text */
    uint32_t width;
    LLVMValueRef from, to, item; /* i64: the type of the variable may end within the last block */
    enum tsr__te_blocks blocks;
};

/* The first mode lies over the work-items of a row, the second over rows of the work-group. */
static struct foreach_mode find_mode(struct tsr__te *e, const struct tsr__t_inst *inst, uint32_t lanes, uint32_t place)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    struct foreach_mode own = {.inst = inst, .lanes = lanes, .place = place, .width = place < 2 ? sizes[place] : 1};
    own.mode = place == 0 ? lanes : place <= lanes ? place - 1 : place;
    own.from = LLVMBuildIntCast2(e->builder, tsr__te_get_number(e, inst->operands[own.mode]).re, i64, true, "");
    own.to = LLVMBuildIntCast2(e->builder, tsr__te_get_number(e, inst->operands[inst->variable_count + own.mode]).re, i64, true, "");
    own.item = place < 2 ? e->item[place] : tsr__te_i64(e, 0);
    if (inst->variable_count == 1 && sizes[1] > 1) {
        LLVMValueRef row = LLVMBuildMul(e->builder, e->item[1], tsr__te_i64(e, sizes[0]), "");
        own.item = LLVMBuildAdd(e->builder, own.item, row, "");
        own.width *= sizes[1];
    }
    own.blocks = own.width == 1 ? TSR__TE_WHOLE : TSR__TE_MASKED;
    return own;
}

static void foreach_body(struct tsr__te *e, const void *context, LLVMValueRef index);

/* The blocks of the first mode, within all modes up to this place. */
static void foreach_modes(struct tsr__te *e, const struct foreach_mode *first, uint32_t place)
{
    const struct foreach_mode own = place ? find_mode(e, first->inst, first->lanes, place) : *first, *context[] = {first, &own};
    struct tsr__te_spread spread = {.item = own.item, .width = own.width, .body = foreach_body, .context = context};
    tsr__te_spread(e, &spread, own.blocks, own.from, own.to);
}

static void foreach_body(struct tsr__te *e, const void *context, LLVMValueRef index)
{
    const struct foreach_mode *const *modes = context, *own = modes[1];
    const struct tsr__t_inst *inst = own->inst;
    LLVMTypeRef type = LLVMTypeOf(tsr__te_get_number(e, inst->operands[own->mode]).re);
    index = LLVMBuildIntCast2(e->builder, index, type, true, "");
    tsr__te_set(e, inst->variables[own->mode], &index, 1);
    if (own->place)
        foreach_modes(e, modes[0], own->place - 1);
    else
        e->region(e, inst->regions[0]);
}

TSR_TE_FUNCTION(foreach)
{
    uint32_t last = inst->variable_count - 1, length = 0;
    tsr__te_touch(e, tsr__te_touched_by(inst->regions[0]));
    e->spmd = true;
    struct foreach_mode first = find_mode(e, inst, lane_mode(inst), 0);
    first.blocks = tsr__te_blocks_of(first.from, first.to, first.width);
    tsr__t_visit(inst->regions[0], count_inst, &length);
    if (first.blocks == TSR__TE_MASKED && e->unit.blocks && length <= SHORT_BODY) {
        struct foreach_mode whole = first;
        whole.blocks = TSR__TE_WHOLE;
        whole.to = tsr__te_whole(e, first.from, first.to, first.width);
        first.from = whole.to;
        first.blocks = TSR__TE_LAST;
        foreach_modes(e, &whole, last);
        LLVMBasicBlockRef end = tsr__te_if(e, LLVMBuildICmp(e->builder, LLVMIntSLT, first.from, first.to, ""));
        foreach_modes(e, &first, last);
        tsr__te_end_if(e, end);
    } else {
        foreach_modes(e, &first, last);
    }
    e->spmd = false;
}

/* ---- tiles ---- */

/* The tiles of a mode, within those of the modes after it: sub-groups of a row of the work-group take those of the first mode in turn, rows
 * those of the second. The last tile may have less than a tile's size. */
static void tiles_of_mode(struct tsr__te *e, const struct tsr__t_inst *inst, uint32_t mode)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    uint32_t count = inst->slice_count, across = sizes[0] / e->func->info.sub_group_size,
             width = mode == 0   ? across
                     : mode == 1 ? sizes[1]
                                 : 1;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context), type = LLVMTypeOf(tsr__te_get_number(e, inst->operands[mode]).re);
    LLVMValueRef from = LLVMBuildIntCast2(e->builder, tsr__te_get_number(e, inst->operands[mode]).re, i64, true, "");
    LLVMValueRef to = LLVMBuildIntCast2(e->builder, tsr__te_get_number(e, inst->operands[count + mode]).re, i64, true, "");
    LLVMValueRef tile = tsr__te_i64(e, inst->shape[mode].number), own = tsr__te_i64(e, 0);
    if (count == 1)
        width *= sizes[1];
    if (width > 1) {
        LLVMValueRef id = tsr__te_sub_group_id(e), row = tsr__te_i64(e, across);
        own = count == 1 ? id : mode ? LLVMBuildUDiv(e->builder, id, row, "") : LLVMBuildURem(e->builder, id, row, "");
    }
    struct tsr__te_loop loop;
    LLVMValueRef first = LLVMBuildAdd(e->builder, from, LLVMBuildMul(e->builder, own, tile, ""), "");
    tsr__te_loop(e, &loop, first, to, tsr__te_i64(e, inst->shape[mode].number * width), NULL, 0);
    LLVMValueRef left = LLVMBuildSub(e->builder, to, loop.index, "");
    LLVMValueRef size = LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, left, tile, ""), left, tile, "");
    LLVMValueRef values[] = {LLVMBuildIntCast2(e->builder, loop.index, type, true, ""),
                             LLVMBuildIntCast2(e->builder, size, type, true, "")};
    tsr__te_set(e, inst->variables[mode], &values[0], 1);
    tsr__te_set(e, inst->variables[count + mode], &values[1], 1);
    if (mode)
        tiles_of_mode(e, inst, mode - 1);
    else
        e->region(e, inst->regions[0]);
    tsr__te_end_loop(e, &loop, NULL);
}

TSR_TE_FUNCTION(foreach_tile)
{
    tsr__te_touch(e, tsr__te_touched_by(inst->regions[0]));
    e->spmd = true;
    tiles_of_mode(e, inst, inst->slice_count - 1);
    e->spmd = false;
}

TSR_TE_FUNCTION(parallel)
{
    tsr__te_touch(e, tsr__te_touched_by(inst->regions[0]));
    e->spmd = true;
    e->region(e, inst->regions[0]);
    e->spmd = false;
}

/* ---- if ---- */

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
