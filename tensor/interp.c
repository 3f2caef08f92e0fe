/* SPDX-License-Identifier: Apache-2.0
 * The interpreter: control flow, work-groups, arguments. */
#include "tensor/interp.h"

#include <string.h>

_Noreturn void tsr__ti_fail(struct tsr__ti *t, const char *why)
{
    t->why = why;
    longjmp(t->out, 1);
}

void *tsr__ti_alloc(struct tsr__ti *t, size_t size)
{
    void *memory = tsr_arena_alloc(t->arena, size + 1);
    if (!memory)
        tsr__ti_fail(t, NULL);
    return memory;
}

/* ---- regions ---- */

enum { MOST_ITEMS = 1024 };

/* The work-items that take part, to come back to after a branch. */
struct mask {
    bool on[MOST_ITEMS];
};

static struct mask save_active(const struct tsr__ti *t)
{
    struct mask mask;
    memcpy(mask.on, t->active, t->items);
    return mask;
}

static void restore_active(struct tsr__ti *t, const struct mask *mask)
{
    memcpy(t->active, mask->on, t->items);
}

static bool any_active(const struct tsr__ti *t)
{
    return memchr(t->active, true, t->items) != NULL;
}

/* For work-items that take part: the value gets the numbers, or the matrices, that it is to have next. */
static void copy_value(struct tsr__ti *t, const struct tsr__t_value *to)
{
    const struct tsr__ti_number *a = tsr__ti_value(t, to)->next;
    struct tsr__ti_number *b = tsr__ti_value(t, to)->number;
    uint32_t size = to->type->kind == TSR__T_COOP ? (uint32_t)(to->type->rows * to->type->cols) : 1;
    uint32_t width = to->type->kind == TSR__T_COOP ? t->lanes : 1;
    for (uint32_t i = 0; i < t->items; i += width)
        if (t->active[i])
            memcpy(b + i / width * size, a + i / width * size, size * sizeof *b);
}

/* Several at once, as one may be the source of another. */
static void copy_values(struct tsr__ti *t, struct tsr__t_value *const *to, struct tsr__t_value *const *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t size = tsr__ti_count(t, from[i]->type) * sizeof(struct tsr__ti_number);
        memcpy(tsr__ti_value(t, to[i])->next, tsr__ti_value(t, from[i])->number, size);
    }
    for (uint32_t i = 0; i < count; i++)
        copy_value(t, to[i]);
}

TSR_TI_FUNCTION(yield)
{
    (void)t;
    (void)inst;
}

TSR_TI_FUNCTION(if)
{
    const struct tsr__ti_number *condition = tsr__ti_value(t, inst->operands[0])->number;
    struct mask saved = save_active(t);
    for (int r = 0; r < 2 && inst->regions[r]; r++) {
        for (uint32_t i = 0; i < t->items; i++)
            t->active[i] = saved.on[i] && (condition[i].i != 0) == (r == 0);
        if (!any_active(t))
            continue;
        t->region(t, inst->regions[r]);
        if (inst->result_count)
            copy_values(t, inst->results, inst->regions[r]->last->operands, inst->result_count);
    }
    restore_active(t, &saved);
}

TSR_TI_FUNCTION(for)
{
    uint32_t bounds = 2 + inst->has_step, carried = inst->variable_count - 1;
    struct tsr__ti_number *index = tsr__ti_value(t, inst->variables[0])->number;
    const struct tsr__ti_number *to = tsr__ti_value(t, inst->operands[1])->number;
    struct mask saved = save_active(t);
    copy_values(t, inst->variables, inst->operands, 1);
    copy_values(t, inst->variables + 1, inst->operands + bounds, carried);
    for (;;) {
        for (uint32_t i = 0; i < t->items; i++)
            t->active[i] = t->active[i] && index[i].i < to[i].i;
        if (!any_active(t))
            break;
        t->region(t, inst->regions[0]);
        if (carried)
            copy_values(t, inst->variables + 1, inst->regions[0]->last->operands, carried);
        for (uint32_t i = 0; i < t->items; i++) {
            struct tsr__ti_number step = {.i = 1};
            if (inst->has_step)
                step = tsr__ti_value(t, inst->operands[2])->number[i];
            if (t->active[i] && step.i <= 0)
                tsr__ti_fail(t, "the step of a loop is not positive");
            t->active[i] = t->active[i] && (uint64_t)to[i].i - (uint64_t)index[i].i > (uint64_t)step.i; /* the sum may be beyond the type */
            if (t->active[i])
                index[i].i += step.i;
        }
    }
    restore_active(t, &saved);
    copy_values(t, inst->results, inst->variables + 1, carried);
}

/* As many iterations at a time as there are work-items: how they are divided is open, so a good program cannot tell. */
TSR_TI_FUNCTION(foreach)
{
    uint32_t count = inst->variable_count;
    int64_t from[TSR__T_MOST_VARIABLES], to[TSR__T_MOST_VARIABLES], at[TSR__T_MOST_VARIABLES];
    bool empty = false;
    struct mask saved = save_active(t);
    for (uint32_t i = 0; i < count; i++) {
        at[i] = from[i] = tsr__ti_value(t, inst->operands[i])->number[0].i;
        to[i] = tsr__ti_value(t, inst->operands[count + i])->number[0].i;
        empty |= from[i] >= to[i];
    }
    t->spmd = true;
    memset(t->active, false, t->items);
    for (uint32_t item = 0, i = 0; !empty && i < count;) {
        t->active[item] = true;
        for (i = 0; i < count; i++)
            tsr__ti_value(t, inst->variables[i])->number[item].i = at[i];
        for (i = 0; i < count && ++at[i] == to[i]; i++)
            at[i] = from[i];
        if (++item < t->items && i < count)
            continue;
        t->region(t, inst->regions[0]);
        memset(t->active, false, t->items);
        item = 0;
    }
    t->spmd = false;
    restore_active(t, &saved);
}

/* Tiles one after the other, each by one sub-group in turn. */
TSR_TI_FUNCTION(foreach_tile)
{
    uint32_t count = inst->slice_count, group = 0, i = 0;
    int64_t from[TSR__T_MOST_VARIABLES], to[TSR__T_MOST_VARIABLES], at[TSR__T_MOST_VARIABLES];
    bool empty = false;
    struct mask saved = save_active(t);
    for (i = 0; i < count; i++) {
        at[i] = from[i] = tsr__ti_value(t, inst->operands[i])->number[0].i;
        to[i] = tsr__ti_value(t, inst->operands[count + i])->number[0].i;
        empty |= from[i] >= to[i];
    }
    t->spmd = true;
    for (i = 0; !empty && i < count; group = (group + 1) % (t->items / t->lanes)) {
        memset(t->active, false, t->items);
        memset(t->active + group * t->lanes, true, t->lanes);
        for (uint32_t item = group * t->lanes; item < (group + 1) * t->lanes; item++)
            for (i = 0; i < count; i++) {
                int64_t left = to[i] - at[i], most = inst->shape[i].number;
                tsr__ti_value(t, inst->variables[i])->number[item].i = at[i];
                tsr__ti_value(t, inst->variables[count + i])->number[item].i = left < most ? left : most;
            }
        t->region(t, inst->regions[0]);
        for (i = 0; i < count && (at[i] += inst->shape[i].number) >= to[i]; i++)
            at[i] = from[i];
    }
    t->spmd = false;
    restore_active(t, &saved);
}

/* Each work-item in turn has the components of its rows, so that what the region does is done once for each. */
TSR_TI_FUNCTION(coop_apply)
{
    const struct tsr__t_type *type = inst->results[0]->type;
    const struct tsr__ti_value *from = tsr__ti_value(t, inst->operands[0]);
    struct tsr__ti_value *made = tsr__ti_value(t, inst->results[0]);
    struct mask saved = save_active(t);
    for (int64_t first = 0; first < type->rows * type->cols; first += t->lanes) {
        for (uint32_t item = 0; item < t->items; item++) {
            int64_t component = first + item % t->lanes;
            t->active[item] = saved.on[item] && component < type->rows * type->cols;
            if (!t->active[item])
                continue;
            tsr__ti_value(t, inst->variables[0])->number[item].i = component % type->rows;
            tsr__ti_value(t, inst->variables[1])->number[item].i = component / type->rows;
            tsr__ti_value(t, inst->variables[2])->number[item] =
                from->number[item / t->lanes * (size_t)(type->rows * type->cols) + (size_t)component];
        }
        if (any_active(t))
            t->region(t, inst->regions[0]);
        const struct tsr__ti_number *yielded = tsr__ti_value(t, inst->regions[0]->last->operands[0])->number;
        for (uint32_t item = 0; item < t->items; item++)
            if (t->active[item])
                made->number[item / t->lanes * (size_t)(type->rows * type->cols) + (size_t)(first + item % t->lanes)] = yielded[item];
    }
    restore_active(t, &saved);
}

TSR_TI_FUNCTION(parallel)
{
    t->spmd = true;
    t->region(t, inst->regions[0]);
    t->spmd = false;
}

static void (*const runners[])(struct tsr__ti *t, const struct tsr__t_inst *inst) = {
#define TSR_OP(name, text, later, form, transposes, operands, region, group) [TSR__T_##name] = tsr__ti_run_##group,
#include "tensor/ops.def"
#undef TSR_OP
};

static void run_region(struct tsr__ti *t, const struct tsr__t_region *region)
{
    for (const struct tsr__t_inst *i = region->first; i; i = i->next)
        runners[i->op](t, i);
}

/* ---- functions ---- */

static void make_value(struct tsr__ti *t, const struct tsr__t_value *value)
{
    const struct tsr__t_type *type = value->type;
    struct tsr__ti_value *own = tsr__ti_value(t, value);
    switch (type->kind) {
    case TSR__T_MEMREF:
        own->words = 1 + 2 * type->order;
        own->word = tsr__ti_alloc(t, (size_t)t->items * own->words * sizeof *own->word);
        return;
    case TSR__T_GROUP:
        own->words = 3 + 2 * type->memref->order;
        own->word = tsr__ti_alloc(t, own->words * sizeof *own->word);
        return;
    default:
        own->number = tsr__ti_alloc(t, tsr__ti_count(t, type) * sizeof *own->number);
        own->next = tsr__ti_alloc(t, tsr__ti_count(t, type) * sizeof *own->number);
        return;
    }
}

static void make_values(const struct tsr__t_inst *inst, void *data)
{
    for (uint32_t i = 0; i < inst->result_count; i++)
        make_value(data, inst->results[i]);
    for (uint32_t i = 0; i < inst->variable_count; i++)
        make_value(data, inst->variables[i]);
}

/* An int64, or the address that a pointer argument has. */
static int64_t word_of(const void *argument)
{
    int64_t word;
    memcpy(&word, argument, sizeof word);
    return word;
}

static void take_param(struct tsr__ti *t, const struct tsr__t_value *value, const void *const **next)
{
    const struct tsr__t_type *type = value->type, *memref = type->kind == TSR__T_GROUP ? type->memref : type;
    struct tsr__ti_value *own = tsr__ti_value(t, value);
    const void *first = *(*next)++;
    if (type->kind == TSR__T_BOOL || type->kind == TSR__T_NUMBER) {
        enum tsr__t_number number = type->kind == TSR__T_BOOL ? TSR__T_I8 : type->number;
        struct tsr__ti_number read = tsr__ti_read(number, first);
        if (type->kind == TSR__T_BOOL) /* any byte but 0 is true */
            read.i = read.i != 0;
        for (uint32_t i = 0; i < t->items; i++)
            own->number[i] = read;
        return;
    }
    own->word[0] = word_of(first);
    for (uint32_t i = 0; i < 2 * memref->order; i++) {
        int64_t size = i < memref->order ? memref->shape[i] : memref->stride[i - memref->order];
        bool open = size == TSR__T_DYNAMIC;
        own->word[1 + i] = open ? word_of(*(*next)++) : type->kind == TSR__T_GROUP ? 0 : size;
    }
    if (type->kind == TSR__T_GROUP) {
        own->word[own->words - 2] = type->size == TSR__T_DYNAMIC ? word_of(*(*next)++) : type->size;
        own->word[own->words - 1] = type->offset == TSR__T_DYNAMIC ? word_of(*(*next)++) : type->offset;
        return;
    }
    for (uint32_t i = 1; i < t->items; i++)
        memcpy(own->word + (size_t)i * own->words, own->word, own->words * sizeof *own->word);
}

static void run_function(struct tsr__ti *t, const void *const *arguments, const uint64_t groups[3])
{
    const struct tsr__t_func *func = t->func;
    t->lanes = func->info.sub_group_size;
    t->items = func->info.work_group_size[0] * func->info.work_group_size[1];
    if (t->items > MOST_ITEMS)
        tsr__ti_fail(t, "the interpreter takes work-groups of 1024 work-items at most");
    t->values = tsr__ti_alloc(t, func->value_count * sizeof *t->values);
    t->active = tsr__ti_alloc(t, t->items);
    t->region = run_region;
    memset(t->active, true, t->items);
    for (uint32_t i = 0; i < func->param_count; i++) {
        make_value(t, &func->params[i].value);
        take_param(t, &func->params[i].value, &arguments);
    }
    tsr__t_visit(func->body, make_values, t);
    for (int i = 0; i < 3; i++)
        t->groups[i] = groups[i];
    for (t->group[2] = 0; t->group[2] < groups[2]; t->group[2]++)
        for (t->group[1] = 0; t->group[1] < groups[1]; t->group[1]++)
            for (t->group[0] = 0; t->group[0] < groups[0]; t->group[0]++)
                run_region(t, func->body);
}

enum tsr_status tsr_tensor_interpret(const struct tsr_tensor_program *p, uint32_t function, const void *const *arguments,
                                     const uint64_t groups[3], const char **why)
{
    struct tsr_arena arena = {0};
    struct tsr__ti t = {.func = p->first, .arena = &arena};
    while (t.func && function--)
        t.func = t.func->next;
    *why = "the program has no such function";
    if (!t.func || p->diagnostics)
        return TSR_INVALID;
    int failed = setjmp(t.out);
    if (!failed)
        run_function(&t, arguments, groups);
    tsr_arena_free(&arena);
    *why = t.why;
    return !failed ? TSR_OK : t.why ? TSR_INVALID : TSR_NO_MEMORY;
}
