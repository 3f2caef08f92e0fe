/* SPDX-License-Identifier: Apache-2.0
 * Instructions on numbers, component by component where they are given matrices; built-in values; sub-groups. */
#include "tensor/llvm/emit.h"

#include <stdio.h>

enum { MOST_COMPONENTS = 1 << 17 };

/* Calls `one` for each number of the operands: of a matrix for each component. */
static void each(struct tsr__te *e, const struct tsr__t_inst *inst,
                 struct tsr__te_number (*one)(struct tsr__te *e, const struct tsr__t_inst *inst, struct tsr__te_number a,
                                              struct tsr__te_number b))
{
    const struct tsr__t_value *result = inst->results[0];
    const struct tsr__te_value *a = &e->values[inst->operands[0]->index];
    const struct tsr__te_value *b = inst->operand_count > 1 ? &e->values[inst->operands[1]->index] : NULL;
    uint32_t from = tsr__te_parts(inst->operands[0]->type->number), to = tsr__te_parts(result->type->number), count = a->count / from;
    if (inst->operands[0]->type->kind == TSR__T_BOOL)
        from = to = 1, count = 1;
    LLVMValueRef *made = tsr__te_room(e, count * to);
    for (uint32_t i = 0; i < count; i++) {
        struct tsr__te_number x = tsr__te_number_at(a->part, from, i), y = {0};
        if (b)
            y = tsr__te_number_at(b->part, from, i);
        tsr__te_put_number(made, to, i, one(e, inst, x, y));
    }
    tsr__te_set(e, result, made, count * to);
}

static struct tsr__te_number arith_one(struct tsr__te *e, const struct tsr__t_inst *inst, struct tsr__te_number a, struct tsr__te_number b)
{
    const struct tsr__t_type *type = inst->results[0]->type;
    return tsr__te_arith(e, inst->op, type->kind == TSR__T_BOOL ? TSR__T_I8 : type->number, a, b);
}

TSR_TE_FUNCTION(arith)
{
    each(e, inst, arith_one);
}

static struct tsr__te_number unary_one(struct tsr__te *e, const struct tsr__t_inst *inst, struct tsr__te_number a, struct tsr__te_number b)
{
    (void)b;
    return tsr__te_unary(e, inst->op, inst->operands[0]->type->number, a);
}

TSR_TE_FUNCTION(unary)
{
    each(e, inst, unary_one);
}

TSR_TE_FUNCTION(compare)
{
    LLVMValueRef truth = tsr__te_compare(e, inst->op, inst->operands[0]->type->number, tsr__te_get_number(e, inst->operands[0]),
                                         tsr__te_get_number(e, inst->operands[1]));
    tsr__te_set(e, inst->results[0], &truth, 1);
}

static struct tsr__te_number cast_one(struct tsr__te *e, const struct tsr__t_inst *inst, struct tsr__te_number a, struct tsr__te_number b)
{
    (void)b;
    return tsr__te_convert(e, a, inst->operands[0]->type->number, inst->results[0]->type->number);
}

TSR_TE_FUNCTION(cast)
{
    each(e, inst, cast_one);
}

static struct tsr__te_number math_one(struct tsr__te *e, const struct tsr__t_inst *inst, struct tsr__te_number a, struct tsr__te_number b)
{
    (void)b;
    return tsr__te_math(e, inst->op, inst->operands[0]->type->number, a);
}

TSR_TE_FUNCTION(math)
{
    each(e, inst, math_one);
}

static LLVMValueRef constant_part(struct tsr__te *e, const struct tsr__t_inst *inst, enum tsr__t_number number, double value)
{
    LLVMTypeRef type = tsr__te_type(e, number);
    if (inst->constant_is_integer)
        return LLVMConstInt(type, (uint64_t)inst->integer, true);
    if (tsr__t_numbers[number].component != TSR__T_BF16)
        return LLVMConstReal(type, value);
    struct tsr__te_number wide = {LLVMConstReal(LLVMDoubleTypeInContext(e->context), value), NULL};
    return tsr__te_convert(e, wide, TSR__T_F64, TSR__T_BF16).re;
}

TSR_TE_FUNCTION(constant)
{
    const struct tsr__t_value *result = inst->results[0];
    if (inst->constant_is_bool) {
        LLVMValueRef truth = LLVMConstInt(LLVMInt1TypeInContext(e->context), (uint64_t)inst->integer, false);
        tsr__te_set(e, result, &truth, 1);
        return;
    }
    enum tsr__t_number number = result->type->number;
    uint32_t parts = tsr__te_parts(number), count = parts;
    if (result->type->kind == TSR__T_COOP) {
        int64_t lanes = e->func->info.sub_group_size;
        count *= (uint32_t)((result->type->rows + lanes - 1) / lanes * result->type->cols);
    }
    if (count > MOST_COMPONENTS)
        tsr__te_refuse(e, inst, "Cooperative matrices of this shape are too large");
    LLVMValueRef *made = tsr__te_room(e, count);
    for (uint32_t i = 0; i < count; i++)
        made[i] = i < parts ? constant_part(e, inst, number, inst->floating[i]) : made[i % parts];
    tsr__te_set(e, result, made, count);
}

/* ---- built-in values ---- */

static LLVMValueRef group_value(struct tsr__te *e, const char *name, uint32_t dimension)
{
    LLVMValueRef argument = tsr__te_i32(e, dimension);
    return tsr__te_call(e, name, "j", LLVMInt64TypeInContext(e->context), &argument, 1);
}

/* Without a component: groups in one row, whatever the shape of the launch. */
static LLVMValueRef group_builtin(struct tsr__te *e, const struct tsr__t_inst *inst)
{
    bool is_id = inst->op == TSR__T_GROUP_ID;
    if (inst->component)
        return group_value(e, is_id ? "get_group_id" : "get_num_groups", (uint32_t)(inst->component - 'x'));
    LLVMValueRef made = group_value(e, is_id ? "get_group_id" : "get_num_groups", 2);
    for (uint32_t i = 2; i--;) {
        made = LLVMBuildMul(e->builder, made, group_value(e, "get_num_groups", i), "");
        if (is_id)
            made = LLVMBuildAdd(e->builder, made, group_value(e, "get_group_id", i), "");
    }
    return made;
}

/* The sub-groups of a work-group lie in rows along the first mode. */
TSR_TE_FUNCTION(builtin)
{
    uint32_t lanes = e->func->info.sub_group_size, across = e->func->info.work_group_size[0] / lanes;
    uint32_t down = e->func->info.work_group_size[1];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef made;
    switch (inst->op) {
    case TSR__T_GROUP_ID:
    case TSR__T_GROUP_SIZE:
        made = group_builtin(e, inst);
        break;
    case TSR__T_NUM_SUBGROUPS:
        made = tsr__te_i32(e, inst->component == 'x' ? across : inst->component == 'y' ? down : across * down);
        break;
    case TSR__T_SUBGROUP_SIZE:
        made = tsr__te_i32(e, lanes);
        break;
    case TSR__T_SUBGROUP_LOCAL_ID:
        made = tsr__te_call(e, "get_sub_group_local_id", "v", i32, NULL, 0);
        break;
    default:
        made = tsr__te_call(e, "get_sub_group_id", "v", i32, NULL, 0);
        if (inst->component == 'x')
            made = LLVMBuildURem(e->builder, made, tsr__te_i32(e, across), "");
        else if (inst->component == 'y')
            made = LLVMBuildUDiv(e->builder, made, tsr__te_i32(e, across), "");
        break;
    }
    tsr__te_set(e, inst->results[0], &made, 1);
}

/* ---- sub-groups ---- */

LLVMValueRef tsr__te_sub_group_id(struct tsr__te *e)
{
    if (e->one_sub_group)
        return tsr__te_i64(e, 0);
    LLVMValueRef id = tsr__te_call(e, "get_sub_group_id", "v", LLVMInt32TypeInContext(e->context), NULL, 0);
    return LLVMBuildZExt(e->builder, id, LLVMInt64TypeInContext(e->context), "");
}

/* A function of OpenCL C on one number of each work-item of a sub-group and a number of type uint. */
static struct tsr__te_number exchange(struct tsr__te *e, const char *name, enum tsr__t_number number, struct tsr__te_number a,
                                      LLVMValueRef which)
{
    LLVMValueRef *parts[] = {&a.re, &a.im};
    char codes[8];
    snprintf(codes, sizeof codes, "%sj", tsr__te_code(number));
    for (int i = 0; i < 2 && *parts[i]; i++) {
        LLVMValueRef args[] = {*parts[i], which};
        *parts[i] = tsr__te_call(e, name, codes, LLVMTypeOf(args[0]), args, 2);
    }
    return a;
}

struct tsr__te_number tsr__te_broadcast(struct tsr__te *e, enum tsr__t_number number, struct tsr__te_number a, LLVMValueRef lane)
{
    return exchange(e, "sub_group_broadcast", number, a, lane);
}

struct tsr__te_number tsr__te_shuffle(struct tsr__te *e, enum tsr__t_number number, struct tsr__te_number a, LLVMValueRef from)
{
    return exchange(e, "sub_group_shuffle", number, a, from);
}

TSR_TE_FUNCTION(broadcast)
{
    struct tsr__te_number a = tsr__te_get_number(e, inst->operands[0]);
    LLVMValueRef lane = tsr__te_get_number(e, inst->operands[1]).re;
    tsr__te_set_number(e, inst->results[0], tsr__te_broadcast(e, inst->operands[0]->type->number, a, lane));
}

struct tsr__te_number tsr__te_sub_group(struct tsr__te *e, const char *name, enum tsr__t_number number, struct tsr__te_number a)
{
    enum tsr__t_number wide = number == TSR__T_BF16 ? TSR__T_F32 : number;
    a = tsr__te_convert(e, a, number, wide);
    LLVMValueRef *parts[] = {&a.re, &a.im};
    for (int i = 0; i < 2 && *parts[i]; i++)
        *parts[i] = tsr__te_call(e, name, tsr__te_code(wide), LLVMTypeOf(*parts[i]), parts[i], 1);
    return tsr__te_convert(e, a, wide, number);
}

TSR_TE_FUNCTION(subgroup)
{
    static const char *const kinds[] = {"scan_exclusive", "scan_inclusive", "reduce"}, *const ops[] = {"add", "max", "min"};
    unsigned which = inst->op - TSR__T_SUBGROUP_ADD_EXCLUSIVE;
    const struct tsr__t_value *operand = inst->operands[0];
    char name[64];
    snprintf(name, sizeof name, "sub_group_%s_%s", kinds[which % 3], ops[which / 3]);
    struct tsr__te_number a = tsr__te_get_number(e, operand);
    tsr__te_set_number(e, inst->results[0], tsr__te_sub_group(e, name, operand->type->number, a));
}
