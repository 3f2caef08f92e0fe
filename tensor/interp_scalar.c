/* SPDX-License-Identifier: Apache-2.0
 * The interpreter's instructions on numbers and matrices, element by element, and those of sub-groups. */
#include "tensor/interp.h"

#include <math.h>

static bool takes_part(const struct tsr__ti *t, const struct tsr__t_type *type, uint32_t i)
{
    return type->kind == TSR__T_COOP || t->active[i];
}

TSR_TI_FUNCTION(arith)
{
    const struct tsr__t_type *type = inst->results[0]->type;
    const struct tsr__ti_number *a = tsr__ti_value(t, inst->operands[0])->number, *b = tsr__ti_value(t, inst->operands[1])->number;
    enum tsr__t_number number = type->kind == TSR__T_BOOL ? TSR__T_I8 : type->number;
    for (uint32_t i = 0; i < tsr__ti_count(t, type); i++)
        if (takes_part(t, type, i))
            tsr__ti_value(t, inst->results[0])->number[i] = tsr__ti_arith(inst->op, number, a[i], b[i]);
}

TSR_TI_FUNCTION(unary)
{
    const struct tsr__t_type *type = inst->operands[0]->type;
    const struct tsr__ti_number *a = tsr__ti_value(t, inst->operands[0])->number;
    for (uint32_t i = 0; i < tsr__ti_count(t, type); i++) {
        if (!takes_part(t, type, i))
            continue;
        struct tsr__ti_number made = tsr__ti_unary(inst->op, type->number, a[i]);
        if (type->kind == TSR__T_BOOL)
            made.i &= 1;
        tsr__ti_value(t, inst->results[0])->number[i] = made;
    }
}

TSR_TI_FUNCTION(compare)
{
    const struct tsr__t_type *type = inst->operands[0]->type;
    const struct tsr__ti_number *a = tsr__ti_value(t, inst->operands[0])->number, *b = tsr__ti_value(t, inst->operands[1])->number;
    for (uint32_t i = 0; i < t->items; i++)
        if (t->active[i])
            tsr__ti_value(t, inst->results[0])->number[i].i = tsr__ti_compare(inst->op, type->number, a[i], b[i]);
}

TSR_TI_FUNCTION(cast)
{
    const struct tsr__t_type *from = inst->operands[0]->type, *to = inst->results[0]->type;
    const struct tsr__ti_number *a = tsr__ti_value(t, inst->operands[0])->number;
    for (uint32_t i = 0; i < tsr__ti_count(t, to); i++)
        if (takes_part(t, to, i))
            tsr__ti_value(t, inst->results[0])->number[i] = tsr__ti_convert(a[i], from->number, to->number);
}

TSR_TI_FUNCTION(math)
{
    const struct tsr__ti_number *a = tsr__ti_value(t, inst->operands[0])->number;
    for (uint32_t i = 0; i < t->items; i++)
        if (t->active[i])
            tsr__ti_value(t, inst->results[0])->number[i] = tsr__ti_math(inst->op, inst->operands[0]->type->number, a[i]);
}

TSR_TI_FUNCTION(constant)
{
    const struct tsr__t_type *type = inst->results[0]->type;
    struct tsr__ti_number number = {.i = inst->integer, .re = inst->floating[0], .im = inst->floating[1]};
    if (!inst->constant_is_integer && !inst->constant_is_bool)
        number = tsr__ti_round(type->number, number);
    for (uint32_t i = 0; i < tsr__ti_count(t, type); i++)
        if (takes_part(t, type, i))
            tsr__ti_value(t, inst->results[0])->number[i] = number;
}

static int64_t builtin_of(const struct tsr__ti *t, const struct tsr__t_inst *inst, uint32_t item)
{
    uint32_t across = t->func->info.work_group_size[0] / t->lanes, sub_group = item / t->lanes;
    unsigned c = inst->component ? (unsigned)(inst->component - 'x') : 0;
    switch (inst->op) {
    case TSR__T_GROUP_ID:
        return (int64_t)(inst->component ? t->group[c] : t->group[0] + t->groups[0] * (t->group[1] + t->groups[1] * t->group[2]));
    case TSR__T_GROUP_SIZE:
        return (int64_t)(inst->component ? t->groups[c] : t->groups[0] * t->groups[1] * t->groups[2]);
    case TSR__T_NUM_SUBGROUPS:
        return inst->component == 'x' ? across : inst->component == 'y' ? t->func->info.work_group_size[1] : t->items / t->lanes;
    case TSR__T_SUBGROUP_SIZE:
        return t->lanes;
    case TSR__T_SUBGROUP_LOCAL_ID:
        return item % t->lanes;
    default:
        return inst->component == 'x' ? sub_group % across : inst->component == 'y' ? sub_group / across : sub_group;
    }
}

TSR_TI_FUNCTION(builtin)
{
    for (uint32_t i = 0; i < t->items; i++)
        if (t->active[i])
            tsr__ti_value(t, inst->results[0])->number[i].i = builtin_of(t, inst, i);
}

/* ---- sub-groups ---- */

TSR_TI_FUNCTION(broadcast)
{
    struct tsr__ti_number *result = tsr__ti_value(t, inst->results[0])->number;
    const struct tsr__ti_number *a = tsr__ti_value(t, inst->operands[0])->number, *lane = tsr__ti_value(t, inst->operands[1])->number;
    for (uint32_t i = 0; i < t->items; i++) {
        if (!t->active[i])
            continue;
        if (lane[i].i < 0 || lane[i].i >= t->lanes)
            tsr__ti_fail(t, "a broadcast from a work-item that the sub-group does not have");
        result[i] = a[i / t->lanes * t->lanes + (uint32_t)lane[i].i];
    }
}

static struct tsr__ti_number identity(enum tsr__t_op op, enum tsr__t_number type)
{
    bool is_int = tsr__t_numbers[type].class == TSR__T_INTEGER;
    int64_t most = is_int ? (int64_t)(UINT64_MAX >> (65 - 8 * tsr__t_numbers[type].bytes)) : 0;
    switch ((op - TSR__T_SUBGROUP_ADD_EXCLUSIVE) / 3) {
    case 0:
        return (struct tsr__ti_number){0};
    case 1:
        return (struct tsr__ti_number){.i = -most - 1, .re = -INFINITY};
    default:
        return (struct tsr__ti_number){.i = most, .re = INFINITY};
    }
}

TSR_TI_FUNCTION(subgroup)
{
    enum tsr__t_number type = inst->operands[0]->type->number, wide = type == TSR__T_BF16 ? TSR__T_F32 : type;
    static const enum tsr__t_op ops[] = {TSR__T_ADD, TSR__T_MAX, TSR__T_MIN};
    unsigned which = inst->op - TSR__T_SUBGROUP_ADD_EXCLUSIVE, kind = which % 3;
    const struct tsr__ti_number *a = tsr__ti_value(t, inst->operands[0])->number;
    struct tsr__ti_number *result = tsr__ti_value(t, inst->results[0])->number;
    for (uint32_t first = 0; first < t->items; first += t->lanes) {
        struct tsr__ti_number all = identity(inst->op, type);
        for (uint32_t i = first; i < first + t->lanes; i++) {
            if (!t->active[i])
                continue;
            struct tsr__ti_number before = all, own = a[i];
            all = tsr__ti_arith(ops[which / 3], wide, all, own);
            result[i] = tsr__ti_round(type, kind == 0 ? before : all);
        }
        for (uint32_t i = first; i < first + t->lanes && kind == 2; i++)
            if (t->active[i])
                result[i] = tsr__ti_round(type, all);
    }
}

/* ---- cooperative matrices ---- */

/* Calls `one` for each element of each sub-group that takes part: element (i, j), whose place in memory is `index`. */
static void each_element(struct tsr__ti *t, const struct tsr__t_inst *inst, const struct tsr__t_value *matrix, uint32_t memory,
                         void (*one)(struct tsr__ti *t, const struct tsr__t_inst *inst, const struct tsr__ti_memref *m,
                                     const int64_t *index, struct tsr__ti_number *element))
{
    const struct tsr__t_type *type = matrix->type;
    for (uint32_t group = 0; group < t->items / t->lanes; group++) {
        uint32_t item = group * t->lanes;
        if (!t->active[item])
            continue;
        struct tsr__ti_memref m = tsr__ti_memref(t, inst->operands[memory], item);
        int64_t at[2];
        for (uint32_t k = 0; k < 2; k++)
            at[k] = tsr__ti_value(t, inst->operands[memory + 1 + k])->number[item].i;
        struct tsr__ti_number *element = tsr__ti_value(t, matrix)->number + (size_t)group * (size_t)(type->rows * type->cols);
        for (int64_t j = 0; j < type->cols; j++)
            for (int64_t i = 0; i < type->rows; i++, element++) {
                int64_t index[2] = {at[0] + (inst->transpose[0] ? j : i), at[1] + (inst->transpose[0] ? i : j)};
                one(t, inst, &m, index, element);
            }
    }
}

/* Whether the flags of the instruction leave the element out. */
static bool is_outside(const struct tsr__t_inst *inst, const struct tsr__ti_memref *m, const int64_t *index)
{
    uint32_t rows = inst->transpose[0] ? 1 : 0, cols = 1 - rows;
    return (inst->checked & TSR__T_ROWS_CHECKED && (index[rows] < 0 || index[rows] >= m->shape[rows])) ||
           (inst->checked & TSR__T_COLS_CHECKED && (index[cols] < 0 || index[cols] >= m->shape[cols]));
}

static void load_element(struct tsr__ti *t, const struct tsr__t_inst *inst, const struct tsr__ti_memref *m, const int64_t *index,
                         struct tsr__ti_number *element)
{
    *element = (struct tsr__ti_number){0};
    if (!is_outside(inst, m, index))
        *element = tsr__ti_read(m->type->number, tsr__ti_address(t, m, index));
}

TSR_TI_FUNCTION(coop_load)
{
    each_element(t, inst, inst->results[0], 0, load_element);
}

static void store_element(struct tsr__ti *t, const struct tsr__t_inst *inst, const struct tsr__ti_memref *m, const int64_t *index,
                          struct tsr__ti_number *element)
{
    if (!is_outside(inst, m, index))
        tsr__ti_store(m, tsr__ti_address(t, m, index), *element, inst->atomic);
}

TSR_TI_FUNCTION(coop_store)
{
    each_element(t, inst, inst->operands[0], 1, store_element);
}

/* The results are the first numbers of the value to come, as the elements are those of the operand. */
static void update_element(struct tsr__ti *t, const struct tsr__t_inst *inst, const struct tsr__ti_memref *m, const int64_t *index,
                           struct tsr__ti_number *element)
{
    struct tsr__ti_number *before = tsr__ti_value(t, inst->results[0])->number + (element - tsr__ti_value(t, inst->operands[0])->number);
    *before = (struct tsr__ti_number){0};
    if (!is_outside(inst, m, index))
        *before = tsr__ti_store(m, tsr__ti_address(t, m, index), *element, inst->atomic);
}

TSR_TI_FUNCTION(coop_update)
{
    each_element(t, inst, inst->operands[0], 1, update_element);
}

/* The element of the matrix that is the work-item's component; NULL: there is none. */
static struct tsr__ti_number *component_of(struct tsr__ti *t, const struct tsr__t_inst *inst, const struct tsr__t_value *matrix,
                                           uint32_t item)
{
    const struct tsr__t_type *type = matrix->type;
    uint32_t row, col;
    if (!tsr__t_component(type, t->lanes, item % t->lanes, (uint32_t)inst->mode[0], &row, &col))
        return NULL;
    return tsr__ti_value(t, matrix)->number + item / t->lanes * (size_t)(type->rows * type->cols) + col * (size_t)type->rows + row;
}

TSR_TI_FUNCTION(coop_extract)
{
    for (uint32_t item = 0; item < t->items; item++) {
        const struct tsr__ti_number *from = component_of(t, inst, inst->operands[0], item);
        if (t->active[item])
            tsr__ti_value(t, inst->results[0])->number[item] = from ? *from : (struct tsr__ti_number){0};
    }
}

TSR_TI_FUNCTION(coop_insert)
{
    const struct tsr__t_value *made = inst->results[0];
    const struct tsr__ti_number *before = tsr__ti_value(t, inst->operands[1])->number;
    for (uint32_t i = 0; i < tsr__ti_count(t, made->type); i++)
        tsr__ti_value(t, made)->number[i] = before[i];
    for (uint32_t item = 0; item < t->items; item++) {
        struct tsr__ti_number *to = component_of(t, inst, made, item);
        if (to && t->active[item])
            *to = tsr__ti_value(t, inst->operands[0])->number[item];
    }
}

TSR_TI_FUNCTION(coop_prefetch)
{
    (void)t;
    (void)inst;
}

/* Row or column of the result by row or column. */
TSR_TI_FUNCTION(coop_reduce)
{
    static const enum tsr__t_op ops[] = {TSR__T_ADD, TSR__T_MAX, TSR__T_MIN};
    const struct tsr__t_type *from = inst->operands[0]->type, *to = inst->results[0]->type;
    enum tsr__t_number wide = from->number == TSR__T_BF16 ? TSR__T_F32 : from->number;
    int64_t count = inst->mode[0] ? from->rows : from->cols;
    for (uint32_t group = 0; group < t->items / t->lanes; group++) {
        const struct tsr__ti_number *a = tsr__ti_value(t, inst->operands[0])->number + (size_t)group * (size_t)(from->rows * from->cols);
        struct tsr__ti_number *made = tsr__ti_value(t, inst->results[0])->number + (size_t)group * (size_t)(to->rows * to->cols);
        for (int64_t i = 0; i < to->rows * to->cols; i++) {
            const struct tsr__ti_number *first = a + (inst->mode[0] ? i * from->rows : i);
            struct tsr__ti_number all = first[0];
            for (int64_t k = 1; k < count; k++)
                all = tsr__ti_arith(ops[inst->op - TSR__T_COOP_REDUCE_ADD], wide, all, first[inst->mode[0] ? k : k * from->rows]);
            made[i] = tsr__ti_round(from->number, all);
        }
    }
}

TSR_TI_FUNCTION(coop_construct)
{
    const struct tsr__t_type *type = inst->results[0]->type;
    uint32_t size = (uint32_t)(type->rows * type->cols);
    const struct tsr__ti_number *number = tsr__ti_value(t, inst->operands[0])->number;
    for (uint32_t i = 0; i < tsr__ti_count(t, type); i++)
        tsr__ti_value(t, inst->results[0])->number[i] = number[i / size * t->lanes];
}

TSR_TI_FUNCTION(coop_scale)
{
    const struct tsr__t_type *type = inst->results[0]->type;
    uint32_t size = (uint32_t)(type->rows * type->cols);
    const struct tsr__ti_number *s = tsr__ti_value(t, inst->operands[0])->number, *m = tsr__ti_value(t, inst->operands[1])->number;
    for (uint32_t i = 0; i < tsr__ti_count(t, type); i++)
        tsr__ti_value(t, inst->results[0])->number[i] = tsr__ti_arith(TSR__T_MUL, type->number, s[i / size * t->lanes], m[i]);
}

TSR_TI_FUNCTION(coop_mul_add)
{
    const struct tsr__t_type *a = inst->operands[0]->type, *b = inst->operands[1]->type, *c = inst->operands[2]->type;
    const struct tsr__t_type *d = inst->results[0]->type;
    enum tsr__t_number sum = tsr__t_sum_type(c->number);
    for (uint32_t group = 0; group < t->items / t->lanes; group++) {
        const struct tsr__ti_number *va = tsr__ti_value(t, inst->operands[0])->number + (size_t)group * (size_t)(a->rows * a->cols);
        const struct tsr__ti_number *vb = tsr__ti_value(t, inst->operands[1])->number + (size_t)group * (size_t)(b->rows * b->cols);
        const struct tsr__ti_number *vc = tsr__ti_value(t, inst->operands[2])->number + (size_t)group * (size_t)(c->rows * c->cols);
        struct tsr__ti_number *vd = tsr__ti_value(t, inst->results[0])->number + (size_t)group * (size_t)(d->rows * d->cols);
        for (int64_t j = 0; j < d->cols; j++)
            for (int64_t i = 0; i < d->rows; i++) {
                struct tsr__ti_number all = tsr__ti_convert(vc[i + j * c->rows], c->number, sum);
                for (int64_t k = 0; k < a->cols; k++)
                    all = tsr__ti_fma(sum, tsr__ti_convert(va[i + k * a->rows], a->number, sum),
                                      tsr__ti_convert(vb[k + j * b->rows], b->number, sum), all);
                vd[i + j * d->rows] = tsr__ti_convert(all, sum, d->number);
            }
    }
}
