/* SPDX-License-Identifier: Apache-2.0
 * Checks of instructions with regions, of attributes, and of heads of functions; and the one of any instruction. */
#include "tensor/check.h"

#include <string.h>

static bool is_carried_type(const struct tsr__t_type *type)
{
    return type->kind == TSR__T_BOOL || type->kind == TSR__T_NUMBER || type->kind == TSR__T_COOP;
}

static bool check_returned_types(struct tsr_tensor_program *p, const struct tsr__t_inst *inst)
{
    for (uint32_t i = 0; i < inst->returned_count; i++)
        if (!is_carried_type(inst->returned[i]))
            return tsr__t_fault(p, inst, NULL, NULL, "Expected coopmatrix type, scalar type, or boolean type");
    return true;
}

TSR_CHECK_FUNCTION(for)
{
    const struct tsr__t_type *type = inst->variables[0]->type;
    uint32_t bounds = 2 + inst->has_step, carried = inst->operand_count - bounds;
    if (!tsr__t_is_number(type, TSR__T_INTEGER))
        return tsr__t_fault(p, inst, NULL, NULL, "Expected integer type");
    for (uint32_t i = 0; i < bounds; i++)
        if (!tsr__t_same_type(inst->operands[i]->type, type))
            return tsr__t_fault(p, inst, inst->operands[i], NULL, "Scalar type mismatch");
    if (!check_returned_types(p, inst))
        return false;
    for (uint32_t i = 0; i < carried; i++)
        if (!tsr__t_same_type(inst->operands[bounds + i]->type, inst->returned[i]))
            return tsr__t_fault(p, inst, inst->operands[bounds + i], NULL, "Type of initializer does not match return type");
    const struct tsr__t_attr *unroll = tsr__t_attr(inst->attributes, "unroll");
    if (unroll && unroll->kind != TSR__T_ATTR_BOOL && unroll->kind != TSR__T_ATTR_INT)
        return tsr__t_fault(p, inst, NULL, NULL, "Expected boolean or integer attribute");
    return true;
}

TSR_CHECK_FUNCTION(foreach)
{
    if (inst->variable_count > TSR__T_MOST_VARIABLES)
        return tsr__t_fault(p, inst, NULL, NULL, "A foreach loop has 64 variables at most");
    for (uint32_t i = 0; i < inst->variable_count; i++)
        if (!tsr__t_is_number(inst->variables[i]->type, TSR__T_INTEGER))
            return tsr__t_fault(p, inst, NULL, NULL, "Expected integer type");
    for (uint32_t i = 0; i < inst->operand_count; i++)
        if (!tsr__t_same_type(inst->operands[i]->type, inst->variables[i % inst->variable_count]->type))
            return tsr__t_fault(p, inst, inst->operands[i], NULL, "Scalar type mismatch");
    return true;
}

TSR_CHECK_FUNCTION(foreach_tile)
{
    uint32_t count = inst->slice_count;
    if (count > TSR__T_MOST_VARIABLES)
        return tsr__t_fault(p, inst, NULL, NULL, "A foreach loop has 64 variables at most");
    for (uint32_t i = 0; i < count; i++) {
        if (inst->shape[i].number < 1)
            return tsr__t_fault(p, inst, NULL, NULL, "Sizes of tiles must be positive");
        if (!tsr__t_is_number(inst->operands[i]->type, TSR__T_INTEGER))
            return tsr__t_fault(p, inst, inst->operands[i], NULL, "Expected integer type");
        if (!tsr__t_same_type(inst->operands[i]->type, inst->operands[count + i]->type))
            return tsr__t_fault(p, inst, inst->operands[i], inst->operands[count + i], "Scalar type mismatch");
        unsigned bits = 8 * tsr__t_numbers[inst->operands[i]->type->number].bytes;
        if (inst->shape[i].number > INT32_MAX || inst->shape[i].number >> (bits - 1))
            return tsr__t_fault(p, inst, NULL, NULL, "The size of a tile is out of the range of its type");
    }
    return true;
}

TSR_CHECK_FUNCTION(if)
{
    if (inst->operands[0]->type->kind != TSR__T_BOOL)
        return tsr__t_fault(p, inst, inst->operands[0], NULL, "Expected boolean type");
    return check_returned_types(p, inst);
}

TSR_CHECK_FUNCTION(parallel)
{
    (void)p;
    (void)inst;
    return true;
}

/* Its operands are compared with the types that the region returns, see tsr__t_check_returns. */
TSR_CHECK_FUNCTION(yield)
{
    (void)p;
    (void)inst;
    return true;
}

/* ---- yields ---- */

/* A yield that is not the last instruction, or in a region that returns nothing and yields something. */
static void check_strays(struct tsr_tensor_program *p, const struct tsr__t_region *region, bool returns)
{
    for (const struct tsr__t_inst *i = region->first; i; i = i->next) {
        if (i->op != TSR__T_YIELD || (i == region->last && (returns || !i->operand_count)))
            continue;
        tsr__t_error(p, i->at, returns ? "Yield must be the last instruction of its region" : "Yield encountered in non-yielding region");
    }
}

void tsr__t_check_returns(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_region *region, bool is_else)
{
    uint32_t count = inst ? inst->returned_count : 0;
    if (!region) {
        if (count)
            tsr__t_fault(p, inst, NULL, NULL, "Else-branch must have yield instruction if then-branch has yield instruction");
        return;
    }
    check_strays(p, region, count != 0);
    if (!count)
        return;
    const struct tsr__t_inst *yield = region->last;
    if (!yield || yield->op != TSR__T_YIELD) {
        tsr__t_fault(p, inst, NULL, NULL,
                     is_else ? "Else-branch must have yield instruction if then-branch has yield instruction"
                             : "Last instruction of region that returns values must be \"yield\"");
        return;
    }
    if (yield->operand_count != count) {
        tsr__t_fault(p, yield, NULL, NULL, "Number of yielded values does not match number of values that the region returns");
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!tsr__t_same_type(yield->operands[i]->type, inst->returned[i])) {
            tsr__t_fault(p, yield, yield->operands[i], NULL, "Type of yielded value does not match type that the region returns");
            return;
        }
}

/* ---- attributes and functions ---- */

static bool check_list(struct tsr_tensor_program *p, struct tsr_tensor_range at, const struct tsr__t_attr *list, uint32_t most)
{
    if (!list)
        return true;
    if (list->kind != TSR__T_ATTR_ARRAY) {
        tsr__t_error(p, at, "Expected array attribute");
        return false;
    }
    if (list->count > most) {
        tsr__t_error(p, at, "Unexpected size in array attribute: %s has more entries than the memref has modes", list->name);
        return false;
    }
    for (const struct tsr__t_attr *a = list->first; a; a = a->next)
        if (a->kind != TSR__T_ATTR_INT) {
            tsr__t_error(p, at, "Expected integer attribute");
            return false;
        }
    return true;
}

void tsr__t_check_attributes(struct tsr_tensor_program *p, struct tsr_tensor_range at, const struct tsr__t_type *type,
                             const struct tsr__t_attr *attributes)
{
    const struct tsr__t_attr *alignment = tsr__t_attr(attributes, "alignment");
    if (type->kind != TSR__T_MEMREF && type->kind != TSR__T_GROUP)
        return;
    uint32_t order = type->kind == TSR__T_GROUP ? type->memref->order : type->order;
    if (alignment && alignment->kind != TSR__T_ATTR_INT)
        tsr__t_error(p, at, "Expected integer attribute");
    else if (alignment && (alignment->number <= 0 || alignment->number % tsr__t_numbers[type->number].bytes))
        tsr__t_error(p, at, "The alignment must be a multiple of the size of the element type");
    if (check_list(p, at, tsr__t_attr(attributes, "shape_gcd"), order))
        check_list(p, at, tsr__t_attr(attributes, "stride_gcd"), order);
}

static bool is_offered(const struct tsr_tensor_target *target, int64_t size)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(target->sub_group_sizes); i++)
        if (target->sub_group_sizes[i] && target->sub_group_sizes[i] == size)
            return true;
    return false;
}

/* The largest offered size that divides the first mode and is no larger than the default; 0: there is none. */
static uint32_t fitting_size(const struct tsr_tensor_target *target, int64_t mode)
{
    uint32_t found = 0;
    if (mode % target->default_sub_group_size == 0)
        return target->default_sub_group_size;
    for (size_t i = 0; i < TSR_ARRAY_LEN(target->sub_group_sizes); i++)
        if (target->sub_group_sizes[i] && mode % target->sub_group_sizes[i] == 0)
            found = target->sub_group_sizes[i];
    return found;
}

static bool check_work_group(struct tsr_tensor_program *p, struct tsr__t_func *func, const struct tsr__t_attr *size, int64_t modes[2])
{
    if (!size)
        return true;
    if (size->kind != TSR__T_ATTR_ARRAY) {
        tsr__t_error(p, func->head, "Expected array attribute");
        return false;
    }
    if (size->count != 2) {
        tsr__t_error(p, func->head, "Unexpected size in array attribute: work_group_size has two entries");
        return false;
    }
    for (const struct tsr__t_attr *a = size->first; a; a = a->next) {
        if (a->kind != TSR__T_ATTR_INT) {
            tsr__t_error(p, func->head, "Expected integer attribute");
            return false;
        }
        modes[a == size->first ? 0 : 1] = a->number;
    }
    return true;
}

void tsr__t_check_func(struct tsr_tensor_program *p, struct tsr__t_func *func)
{
    const struct tsr__t_attr *sub_group = tsr__t_attr(func->attributes, "subgroup_size");
    const struct tsr__t_attr *work_group = tsr__t_attr(func->attributes, "work_group_size");
    int64_t modes[2] = {0, 1}, lanes = p->target.default_sub_group_size;
    func->info.sub_group_size = func->info.work_group_size[0] = p->target.default_sub_group_size;
    func->info.work_group_size[1] = 1;
    if (sub_group && sub_group->kind != TSR__T_ATTR_INT) {
        tsr__t_error(p, func->head, "Expected integer attribute");
        return;
    }
    if (sub_group && !is_offered(&p->target, sub_group->number)) {
        tsr__t_error(p, func->head, "Unsupported subgroup size");
        return;
    }
    if (!check_work_group(p, func, work_group, modes))
        return;
    if (work_group && (modes[0] <= 0 || modes[1] <= 0)) {
        tsr__t_error(p, func->head, "Work group sizes must be positive");
        return;
    }
    if (sub_group)
        lanes = sub_group->number;
    else if (work_group)
        lanes = fitting_size(&p->target, modes[0]);
    if (!work_group)
        modes[0] = lanes;
    if (!lanes || modes[0] % lanes) {
        tsr__t_error(p, func->head, "First work-group size mode must be divisible by subgroup size");
        return;
    }
    if (modes[0] > p->target.max_work_group_size || modes[1] > p->target.max_work_group_size ||
        modes[0] * modes[1] > p->target.max_work_group_size) {
        tsr__t_error(p, func->head, "Work group size is larger than maximum work group size of device");
        return;
    }
    func->info.sub_group_size = (uint32_t)lanes;
    func->info.work_group_size[0] = (uint32_t)modes[0];
    func->info.work_group_size[1] = (uint32_t)modes[1];
}

/* What the products of a function would like: sub-groups of half the size, as a lane has eight bytes. */
struct wish {
    bool half, whole;
};

static void find_wish(const struct tsr__t_region *region, uint32_t lanes, struct wish *wish)
{
    for (const struct tsr__t_inst *i = region ? region->first : NULL; i; i = i->next) {
        if (tsr__t_ops[i->op].region == TSR__T_SPMD || i->op == TSR__T_PARALLEL || i->op == TSR__T_FOREACH_TILE ||
            i->op == TSR__T_SUBGROUP_SIZE)
            wish->whole = true; /* sees the size */
        if (i->op == TSR__T_GEMM) {
            const struct tsr__t_type *c = i->operands[4]->type;
            bool rest = c->shape[0] > 0 && c->shape[0] % lanes;
            wish->whole |= c->number != TSR__T_F64;
            wish->half |= rest && c->shape[0] % lanes <= lanes / 2;
        }
        find_wish(i->regions[0], lanes, wish);
        find_wish(i->regions[1], lanes, wish);
    }
}

void tsr__t_fit_work_group(struct tsr_tensor_program *p, struct tsr__t_func *func)
{
    struct wish wish = {0};
    uint32_t lanes = p->target.default_sub_group_size;
    if (p->diagnostics || tsr__t_attr(func->attributes, "subgroup_size") || tsr__t_attr(func->attributes, "work_group_size"))
        return;
    find_wish(func->body, lanes, &wish);
    if (wish.half && !wish.whole && is_offered(&p->target, lanes / 2))
        func->info.sub_group_size = func->info.work_group_size[0] = lanes / 2;
}

/* ---- any instruction ---- */

static bool (*const checks[])(struct tsr_tensor_program *p, const struct tsr__t_inst *inst) = {
#define TSR_OP(name, text, later, form, transposes, operands, region, group) [TSR__T_##name] = tsr__t_check_##group,
#include "tensor/ops.def"
#undef TSR_OP
};

static void check_hidden(struct tsr_tensor_program *p, const struct tsr__t_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++)
        if (!inst->operands[i]->name)
            tsr__t_check_constant(p, inst->operands[i]->by);
}

void tsr__t_check_inst(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, enum tsr__t_region_kind region)
{
    enum tsr__t_region_kind own = tsr__t_ops[inst->op].region;
    if (own == TSR__T_COLLECTIVE && region == TSR__T_SPMD)
        tsr__t_fault(p, inst, NULL, NULL, "Collective instruction must not be called from SPMD region");
    else if (own == TSR__T_SPMD && region == TSR__T_COLLECTIVE)
        tsr__t_fault(p, inst, NULL, NULL, "SPMD instruction must not be called from collective region");
    else if (checks[inst->op](p, inst))
        check_hidden(p, inst);
}
