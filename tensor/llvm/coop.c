/* SPDX-License-Identifier: Apache-2.0
 * Cooperative matrices in memory, and arithmetic on each of their components. */
#include "tensor/llvm/coop.h"

#include <string.h>

enum {
    MOST_PRODUCTS = 1 << 16,
    FEW_ATOMICS = 4,     /* components of atomic instructions that are code of their own: each is code for each work-item */
    FEW_CHECKED = 4,     /* components that are looked at one by one, whether or not all are inside */
    FEW_COMPONENTS = 32, /* matrices of up to these have code for each component, whatever the region */
    FEW_STEPS = 8,       /* regions of up to these are code for each component, whatever the matrix */
    MOST_TOGETHER = 4,   /* parts that a round of a loop through them has, as each may take long */
};

void tsr__te_limit_coop(struct tsr__te *e, const struct tsr__t_inst *inst, uint64_t count)
{
    if (count > MOST_PRODUCTS)
        tsr__te_refuse(e, inst, "Cooperative matrices of this shape are too large: they take %llu instructions, of %d at most",
                       (unsigned long long)count, MOST_PRODUCTS);
}

/* ---- one component after the other ---- */

/* A component and where it is: the row of the work-item, which may be none of the matrix where `good` does not hold (NULL: it is one). */
struct spot {
    LLVMValueRef row, col, good;
};
typedef void each_component(struct tsr__te *e, const void *context, const struct spot *at, struct tsr__te_number *number);

static LLVMValueRef staged(struct tsr__te *e, LLVMTypeRef type, LLVMValueRef memory, LLVMValueRef at)
{
    return LLVMBuildInBoundsGEP2(e->builder, type, memory, &at, 1, "");
}

static void each_in_loop(struct tsr__te *e, const struct matrix *m, LLVMValueRef *parts, each_component *each, const void *context)
{
    uint32_t count = parts_of(m), together = MOST_TOGETHER;
    while (m->cols % together || together * m->parts > MOST_TOGETHER)
        together--;
    LLVMTypeRef type = LLVMTypeOf(parts[0]);
    LLVMValueRef memory = tsr__te_slot(e, LLVMArrayType2(type, count)), zero = tsr__te_i64(e, 0), own = tsr__te_lane(e);
    struct tsr__te_loop rows, cols;
    for (uint32_t i = 0; i < count; i++)
        LLVMBuildStore(e->builder, parts[i], staged(e, type, memory, tsr__te_i64(e, i)));
    tsr__te_sure_loop(e, &rows, zero, tsr__te_i64(e, m->blocks), tsr__te_i64(e, 1));
    tsr__te_sure_loop(e, &cols, zero, tsr__te_i64(e, m->cols), tsr__te_i64(e, 1));
    struct spot at = {.row = add(e, own, times(e, rows.index, m->lanes)), .col = cols.index};
    if (m->type->rows % m->lanes)
        at.good = inside(e, at.row, tsr__te_i64(e, m->type->rows));
    LLVMValueRef first = times(e, add(e, times(e, rows.index, m->cols), cols.index), m->parts), address[2], number[2] = {NULL, NULL};
    for (uint32_t p = 0; p < m->parts; p++) {
        address[p] = staged(e, type, memory, plus(e, first, p));
        number[p] = LLVMBuildLoad2(e->builder, type, address[p], "");
    }
    struct tsr__te_number changed = {number[0], number[1]};
    each(e, context, &at, &changed);
    LLVMBuildStore(e->builder, changed.re, address[0]);
    if (changed.im)
        LLVMBuildStore(e->builder, changed.im, address[1]);
    tsr__te_end_loop(e, &cols, NULL);
    tsr__te_unroll_late(e, &cols, together);
    tsr__te_end_rolled_loop(e, &rows, NULL);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = LLVMBuildLoad2(e->builder, type, staged(e, type, memory, tsr__te_i64(e, i)), "");
}

/* Goes through the components of a matrix and changes them. `rolled`: by a loop, for which they are in memory meanwhile. */
static void go_through(struct tsr__te *e, const struct matrix *m, LLVMValueRef *parts, bool rolled, each_component *each,
                       const void *context)
{
    if (rolled) {
        each_in_loop(e, m, parts, each, context);
        return;
    }
    LLVMValueRef own = tsr__te_lane(e);
    for (uint32_t r = 0; r < m->blocks; r++) {
        for (uint32_t j = 0; j < m->cols; j++) {
            struct spot at = {plus(e, own, r * m->lanes), tsr__te_i64(e, j), has_row(e, m, own, r)};
            struct tsr__te_number number = tsr__te_number_at(parts, m->parts, r * m->cols + j);
            each(e, context, &at, &number);
            set_component(m, parts, r, j, number);
        }
    }
}

static LLVMValueRef *copy_of(struct tsr__te *e, const struct tsr__t_value *value)
{
    const struct tsr__te_value *own = &e->values[value->index];
    LLVMValueRef *parts = tsr__te_room(e, own->count);
    memcpy(parts, own->part, own->count * sizeof *parts);
    return parts;
}

/* ---- memory ---- */

/* A matrix of memory: where element (0, 0) of the value lies, and whether elements are to be looked at. */
struct place {
    const struct tsr__t_inst *inst;
    struct tsr__te_memref memory;
    LLVMValueRef at[2];
    bool transposed;
    uint32_t checked;
};

static struct place place_of(struct tsr__te *e, const struct tsr__t_inst *inst, uint32_t memory)
{
    return (struct place){inst,
                          tsr__te_get_memref(e, inst->operands[memory]),
                          {tsr__te_get_number(e, inst->operands[memory + 1]).re, tsr__te_get_number(e, inst->operands[memory + 2]).re},
                          inst->transpose[0],
                          inst->checked};
}

static LLVMValueRef and_if(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return a && b ? LLVMBuildAnd(e->builder, a, b, "") : a ? a : b;
}

/* The index in memory of an element; returns whether it counts, NULL if it does in any case. */
static LLVMValueRef locate(struct tsr__te *e, const struct place *p, const struct spot *at, LLVMValueRef index[2])
{
    LLVMValueRef good = at->good;
    uint32_t rows = p->transposed ? 1 : 0; /* the mode of memory that rows go along */
    index[rows] = add(e, p->at[rows], at->row);
    index[1 - rows] = add(e, p->at[1 - rows], at->col);
    if (p->checked & TSR__T_ROWS_CHECKED)
        good = and_if(e, good, inside(e, index[rows], p->memory.shape[rows]));
    if (p->checked & TSR__T_COLS_CHECKED)
        good = and_if(e, good, inside(e, index[1 - rows], p->memory.shape[1 - rows]));
    return good;
}

static void load_component(struct tsr__te *e, const void *context, const struct spot *at, struct tsr__te_number *number)
{
    const struct place *p = context;
    LLVMValueRef index[2], good = locate(e, p, at, index);
    *number = tsr__te_load_or_zero(e, &p->memory, index, good);
}

static void store_component(struct tsr__te *e, const void *context, const struct spot *at, struct tsr__te_number *number)
{
    const struct place *p = context;
    LLVMValueRef index[2], good = locate(e, p, at, index);
    LLVMBasicBlockRef end = tsr__te_if(e, good);
    tsr__te_store_number(e, &p->memory, tsr__te_address(e, &p->memory, index), *number, p->inst->atomic);
    tsr__te_end_if(e, end);
}

/* An atomic load, or an update, and what was there before; 0 where the element does not count. */
static void access_component(struct tsr__te *e, const void *context, const struct spot *at, struct tsr__te_number *number)
{
    const struct place *p = context;
    bool loads = p->inst->op == TSR__T_COOP_LOAD_ATOMIC;
    LLVMValueRef index[2], good = locate(e, p, at, index);
    struct tsr__te_guard guard = tsr__te_guard(e, good);
    LLVMValueRef address = tsr__te_address(e, &p->memory, index);
    struct tsr__te_number before =
        loads ? tsr__te_load_atomic(e, &p->memory, address) : tsr__te_update_memory(e, &p->memory, address, *number, p->inst->atomic);
    LLVMValueRef parts[] = {before.re, before.im};
    tsr__te_end_guard(e, &guard, parts, tsr__te_parts(p->memory.type->number));
    *number = (struct tsr__te_number){parts[0], parts[1]};
}

static bool are_rolled(const struct tsr__t_inst *inst, const struct matrix *m)
{
    return inst->atomic != TSR__T_PLAIN && m->blocks * m->cols > FEW_ATOMICS;
}

/* 0 <= first and first + size <= limit. */
static LLVMValueRef fits(struct tsr__te *e, LLVMValueRef first, int64_t size, LLVMValueRef limit)
{
    LLVMValueRef begin = LLVMBuildICmp(e->builder, LLVMIntSGE, first, tsr__te_i64(e, 0), "");
    return both(e, begin, at_most(e, LLVMBuildAdd(e->builder, first, tsr__te_i64(e, size), ""), limit));
}

/* Whether all elements of a matrix that are looked at are in memory: the same for all work-items. NULL: none is looked at, or they are few
 * or atomic, so that it is not worth code of its own. */
static LLVMValueRef all_inside(struct tsr__te *e, const struct place *p, const struct matrix *m)
{
    uint32_t rows = p->transposed ? 1 : 0;
    LLVMValueRef all = NULL;
    if (p->inst->atomic != TSR__T_PLAIN || m->blocks * m->cols <= FEW_CHECKED)
        return NULL;
    if (p->checked & TSR__T_ROWS_CHECKED)
        all = fits(e, p->at[rows], m->type->rows, p->memory.shape[rows]);
    if (p->checked & TSR__T_COLS_CHECKED)
        all = and_if(e, all, fits(e, p->at[1 - rows], m->type->cols, p->memory.shape[1 - rows]));
    if (!all)
        return NULL;
    struct tsr__te_number first = {LLVMBuildZExt(e->builder, all, LLVMInt32TypeInContext(e->context), ""), NULL};
    first = tsr__te_broadcast(e, TSR__T_I32, first, tsr__te_i32(e, 0));
    return LLVMBuildICmp(e->builder, LLVMIntNE, first.re, tsr__te_i32(e, 0), "");
}

/* Elements that are not looked at. */
static void access_all(struct tsr__te *e, const struct matrix *m, LLVMValueRef *parts, each_component *each, const struct place *p)
{
    bool turned = each == load_component && p->transposed && !tsr__te_is_row_of_function(e, p->inst) &&
                  tsr__te_load_turned(e, m, &p->memory, p->at, parts);
    if (!turned)
        go_through(e, m, parts, are_rolled(p->inst, m), each, p);
}

/* Loads or stores; where all elements are inside, without looking. */
static void access_memory(struct tsr__te *e, const struct matrix *m, const struct place *p, LLVMValueRef *parts, each_component *each)
{
    LLVMValueRef inside_all = all_inside(e, p, m), *unchecked = tsr__te_room(e, parts_of(m));
    if (!inside_all && !p->checked) {
        access_all(e, m, parts, each, p);
        return;
    }
    if (!inside_all) {
        go_through(e, m, parts, are_rolled(p->inst, m), each, p);
        return;
    }
    struct place free = *p;
    free.checked = 0;
    memcpy(unchecked, parts, parts_of(m) * sizeof *parts);
    LLVMBasicBlockRef from[2], end = tsr__te_if(e, inside_all);
    access_all(e, m, unchecked, each, &free);
    from[0] = LLVMGetInsertBlock(e->builder);
    end = tsr__te_else(e, end);
    go_through(e, m, parts, true, each, p);
    from[1] = LLVMGetInsertBlock(e->builder);
    tsr__te_end_if(e, end);
    for (uint32_t i = 0; i < parts_of(m); i++) {
        LLVMValueRef values[] = {unchecked[i], parts[i]};
        parts[i] = LLVMBuildPhi(e->builder, LLVMTypeOf(values[0]), "");
        LLVMAddIncoming(parts[i], values, from, 2);
    }
}

TSR_TE_FUNCTION(coop_load)
{
    struct matrix m = matrix_of(e, inst->results[0]->type);
    struct place p = place_of(e, inst, 0);
    LLVMValueRef *parts = tsr__te_room(e, parts_of(&m));
    tsr__te_limit_coop(e, inst, (uint64_t)m.blocks * m.cols);
    for (uint32_t i = 0; i < parts_of(&m); i++)
        parts[i] = LLVMGetUndef(tsr__te_type(e, m.type->number));
    access_memory(e, &m, &p, parts, inst->atomic == TSR__T_PLAIN ? load_component : access_component);
    tsr__te_set(e, inst->results[0], parts, parts_of(&m));
}

TSR_TE_FUNCTION(coop_store)
{
    struct matrix m = matrix_of(e, inst->operands[0]->type);
    struct place p = place_of(e, inst, 1);
    tsr__te_limit_coop(e, inst, (uint64_t)m.blocks * m.cols);
    access_memory(e, &m, &p, copy_of(e, inst->operands[0]), store_component);
    tsr__te_order_behind(e, inst);
}

TSR_TE_FUNCTION(coop_update)
{
    struct matrix m = matrix_of(e, inst->operands[0]->type);
    struct place p = place_of(e, inst, 1);
    LLVMValueRef *parts = copy_of(e, inst->operands[0]);
    tsr__te_limit_coop(e, inst, (uint64_t)m.blocks * m.cols);
    go_through(e, &m, parts, are_rolled(inst, &m), access_component, &p);
    tsr__te_set(e, inst->results[0], parts, parts_of(&m));
}

/* The whole sub-group goes through the lines of each column. */
TSR_TE_FUNCTION(coop_prefetch)
{
    enum { LINE_BYTES = 64, LEVELS = 3 };
    struct tsr__te_memref memory = tsr__te_get_memref(e, inst->operands[0]);
    uint32_t in_line = LINE_BYTES / tsr__t_numbers[memory.type->number].bytes;
    LLVMValueRef zero = tsr__te_i64(e, 0);
    struct tsr__te_loop cols, rows;
    if (inst->mode[0] >= LEVELS || memory.type->local)
        return;
    tsr__te_sure_loop(e, &cols, zero, tsr__te_i64(e, inst->shape[1].number), tsr__te_i64(e, 1));
    tsr__te_sure_loop(e, &rows, zero, tsr__te_i64(e, inst->shape[0].number), tsr__te_i64(e, in_line));
    tsr__te_prefetch(e, &memory, add(e, tsr__te_get_number(e, inst->operands[1]).re, rows.index),
                     add(e, tsr__te_get_number(e, inst->operands[2]).re, cols.index));
    tsr__te_end_rolled_loop(e, &rows, NULL);
    tsr__te_end_rolled_loop(e, &cols, NULL);
}

/* ---- arithmetic ---- */

TSR_TE_FUNCTION(coop_construct)
{
    struct matrix m = matrix_of(e, inst->results[0]->type);
    struct tsr__te_number number = tsr__te_get_number(e, inst->operands[0]);
    tsr__te_limit_coop(e, inst, (uint64_t)m.blocks * m.cols);
    LLVMValueRef *parts = tsr__te_room(e, m.blocks * m.cols * m.parts);
    for (uint32_t r = 0; r < m.blocks; r++)
        for (uint32_t j = 0; j < m.cols; j++)
            set_component(&m, parts, r, j, number);
    tsr__te_set(e, inst->results[0], parts, m.blocks * m.cols * m.parts);
}

TSR_TE_FUNCTION(coop_scale)
{
    struct matrix m = matrix_of(e, inst->operands[1]->type);
    struct tsr__te_number scale = tsr__te_get_number(e, inst->operands[0]);
    LLVMValueRef *parts = tsr__te_room(e, m.blocks * m.cols * m.parts);
    for (uint32_t r = 0; r < m.blocks; r++)
        for (uint32_t j = 0; j < m.cols; j++)
            set_component(&m, parts, r, j, tsr__te_arith(e, TSR__T_MUL, m.type->number, scale, component(e, inst->operands[1], &m, r, j)));
    tsr__te_set(e, inst->results[0], parts, m.blocks * m.cols * m.parts);
}

/* Instructions and branches by how much code they are. */
static void count_steps(const struct tsr__t_inst *inst, void *count)
{
    enum { OF_BRANCH = 8, OF_MATH = 4 };
    bool math = inst->op >= TSR__T_EXP && inst->op <= TSR__T_NATIVE_COS;
    uint32_t parts =
        inst->result_count && inst->results[0]->type->kind == TSR__T_NUMBER ? tsr__te_parts(inst->results[0]->type->number) : 1;
    *(uint64_t *)count += inst->hidden ? 0 : inst->regions[0] ? OF_BRANCH : math ? OF_MATH * parts * parts : 1;
}

/* The region for one component. */
static void apply(struct tsr__te *e, const void *context, const struct spot *at, struct tsr__te_number *number)
{
    const struct tsr__t_inst *inst = context;
    struct tsr__te_guard guard = tsr__te_guard(e, at->good);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef row = LLVMBuildTrunc(e->builder, at->row, i32, ""), col = LLVMBuildTrunc(e->builder, at->col, i32, "");
    tsr__te_set(e, inst->variables[0], &row, 1);
    tsr__te_set(e, inst->variables[1], &col, 1);
    tsr__te_set_number(e, inst->variables[2], *number);
    e->region(e, inst->regions[0]);
    struct tsr__te_number made = tsr__te_get_number(e, inst->regions[0]->last->operands[0]);
    LLVMValueRef both[] = {made.re, made.im};
    tsr__te_end_guard(e, &guard, both, made.im ? 2 : 1);
    *number = (struct tsr__te_number){both[0], both[1]};
}

TSR_TE_FUNCTION(coop_apply)
{
    struct matrix m = matrix_of(e, inst->operands[0]->type);
    LLVMValueRef *parts = copy_of(e, inst->operands[0]);
    uint64_t length = 0, count = (uint64_t)m.blocks * m.cols;
    tsr__t_visit(inst->regions[0], count_steps, &length);
    bool rolled = count > FEW_COMPONENTS && length > FEW_STEPS;
    tsr__te_limit_coop(e, inst, rolled ? count + length : count * length);
    go_through(e, &m, parts, rolled, apply, inst);
    tsr__te_set(e, inst->results[0], parts, parts_of(&m));
}

/* Components as release 0.4 lays them out. Of a matrix that takes all work-items, each has its own; of one with fewer rows, columns beyond
 * the first lie with other work-items, in whose rows they are. Rows that the matrix does not have are 0. */
TSR_TE_FUNCTION(coop_extract)
{
    struct matrix m = matrix_of(e, inst->operands[0]->type);
    uint32_t row, col, side = tsr__t_rows_side_by_side(m.type, m.lanes), at = (uint32_t)inst->mode[0];
    struct tsr__te_number zero = tsr__te_zero(e, m.type->number), made = zero;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef lane = tsr__te_lane(e), own = LLVMBuildTrunc(e->builder, lane, i32, "");
    for (uint32_t first = 0; first < m.lanes; first += side) {
        if (!tsr__t_component(m.type, m.lanes, first, at, &row, &col))
            continue;
        struct tsr__te_number one = component(e, inst->operands[0], &m, row / m.lanes, col);
        LLVMValueRef here = has_row(e, &m, lane, row / m.lanes);
        if (side < m.lanes) {
            LLVMValueRef from = LLVMBuildAnd(e->builder, own, tsr__te_i32(e, side - 1), "");
            here = LLVMBuildICmp(e->builder, LLVMIntEQ, LLVMBuildSub(e->builder, own, from, ""), tsr__te_i32(e, first), "");
            if (m.type->rows < side)
                here = LLVMBuildAnd(e->builder, here, inside(e, from, tsr__te_i32(e, (uint32_t)m.type->rows)), "");
            one = tsr__te_shuffle(e, m.type->number, one, from);
        }
        made.re = here ? choose(e, here, one.re, made.re) : one.re;
        made.im = here && one.im ? choose(e, here, one.im, made.im) : one.im;
    }
    tsr__te_set_number(e, inst->results[0], made);
}

TSR_TE_FUNCTION(coop_insert)
{
    struct matrix m = matrix_of(e, inst->operands[1]->type);
    uint32_t row, col, side = tsr__t_rows_side_by_side(m.type, m.lanes), count = m.blocks * m.cols * m.parts, at = (uint32_t)inst->mode[0];
    struct tsr__te_number number = tsr__te_get_number(e, inst->operands[0]);
    LLVMValueRef *parts = tsr__te_room(e, count), own = LLVMBuildTrunc(e->builder, tsr__te_lane(e), LLVMInt32TypeInContext(e->context), "");
    for (uint32_t i = 0; i < count; i++)
        parts[i] = e->values[inst->operands[1]->index].part[i];
    for (uint32_t first = 0; first < m.lanes; first += side) {
        if (!tsr__t_component(m.type, m.lanes, first, at, &row, &col))
            continue;
        LLVMValueRef from =
            LLVMBuildAnd(e->builder, LLVMBuildAdd(e->builder, own, tsr__te_i32(e, first), ""), tsr__te_i32(e, m.lanes - 1), "");
        set_component(&m, parts, row / m.lanes, col, side < m.lanes ? tsr__te_shuffle(e, m.type->number, number, from) : number);
    }
    tsr__te_set(e, inst->results[0], parts, count);
}

/* Of a matrix with fewer rows than work-items: those that have none get what changes no sum, or the number of the first row. */
static struct tsr__te_number fill_rest(struct tsr__te *e, unsigned which, enum tsr__t_number number, LLVMValueRef has,
                                       struct tsr__te_number own)
{
    struct tsr__te_number rest = which ? tsr__te_broadcast(e, number, own, tsr__te_i32(e, 0)) : tsr__te_zero(e, number);
    own.re = choose(e, has, own.re, rest.re);
    own.im = own.im ? choose(e, has, own.im, rest.im) : NULL;
    return own;
}

/* Of rows in each work-item; of columns in each as well, and then by the sub-group, whose first work-item has the only row. bf16 is reduced
 * in f32. */
TSR_TE_FUNCTION(coop_reduce)
{
    static const enum tsr__t_op ops[] = {TSR__T_ADD, TSR__T_MAX, TSR__T_MIN};
    static const char *const functions[] = {"sub_group_reduce_add", "sub_group_reduce_max", "sub_group_reduce_min"};
    struct matrix from = matrix_of(e, inst->operands[0]->type), to = matrix_of(e, inst->results[0]->type);
    unsigned which = inst->op - TSR__T_COOP_REDUCE_ADD;
    bool down = inst->mode[0];
    enum tsr__t_number number = from.type->number, wide = number == TSR__T_BF16 ? TSR__T_F32 : number;
    LLVMValueRef *parts = tsr__te_room(e, to.blocks * to.cols * to.parts), own = tsr__te_lane(e);
    tsr__te_limit_coop(e, inst, (uint64_t)from.blocks * from.cols);
    for (uint32_t i = 0; i < (down ? from.cols : from.blocks); i++) {
        struct tsr__te_number all = {0};
        for (uint32_t k = 0; k < (down ? from.blocks : from.cols); k++) {
            uint32_t r = down ? k : i, j = down ? i : k;
            struct tsr__te_number one = tsr__te_convert(e, component(e, inst->operands[0], &from, r, j), number, wide);
            LLVMValueRef has = down ? has_row(e, &from, own, r) : NULL;
            struct tsr__te_number joined = k ? tsr__te_arith(e, ops[which], wide, all, one) : one;
            if (has && k) { /* the other work-items have rows above it alone */
                joined.re = choose(e, has, joined.re, all.re);
                joined.im = joined.im ? choose(e, has, joined.im, all.im) : NULL;
            }
            all = has && !k ? fill_rest(e, which, wide, has, joined) : joined;
        }
        if (down)
            all = tsr__te_sub_group(e, functions[which], wide, all);
        set_component(&to, parts, down ? 0 : i, down ? i : 0, tsr__te_convert(e, all, wide, number));
    }
    tsr__te_set(e, inst->results[0], parts, to.blocks * to.cols * to.parts);
}
