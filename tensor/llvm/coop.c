/* SPDX-License-Identifier: Apache-2.0
 * Cooperative matrices. Work-item l of a sub-group of S has the rows l, l + S, … of a matrix, whatever its use: row l + r S and column j
 * are component r * columns + j. So a column in memory is read by neighbouring work-items, and products take a row of A in each work-item
 * with elements of B that one of them has. */
#include "tensor/llvm/index.h"

enum { MOST_PRODUCTS = 1 << 16 };

struct matrix {
    const struct tsr__t_type *type;
    uint32_t lanes, blocks, cols, parts; /* blocks of rows; parts of a component */
};

static struct matrix matrix_of(struct tsr__te *e, const struct tsr__t_type *type)
{
    uint32_t lanes = e->func->info.sub_group_size;
    return (struct matrix){type, lanes, (uint32_t)((type->rows + lanes - 1) / lanes), (uint32_t)type->cols, tsr__te_parts(type->number)};
}

static struct tsr__te_number component(struct tsr__te *e, const struct tsr__t_value *value, const struct matrix *m, uint32_t r, uint32_t j)
{
    return tsr__te_number_at(e->values[value->index].part, m->parts, r * m->cols + j);
}

static void set_component(const struct matrix *m, LLVMValueRef *parts, uint32_t r, uint32_t j, struct tsr__te_number number)
{
    tsr__te_put_number(parts, m->parts, r * m->cols + j, number);
}

/* ---- memory ---- */

/* A matrix of memory: where element (i, j) of the value lies, and whether that is to be looked at. */
struct place {
    struct tsr__te_memref memory;
    LLVMValueRef at[2];
    bool transposed;
    uint32_t checked;
};

static struct place place_of(struct tsr__te *e, const struct tsr__t_inst *inst, uint32_t memory)
{
    return (struct place){tsr__te_get_memref(e, inst->operands[memory]),
                          {tsr__te_get_number(e, inst->operands[memory + 1]).re, tsr__te_get_number(e, inst->operands[memory + 2]).re},
                          inst->transpose[0],
                          inst->checked};
}

static LLVMValueRef and_if(struct tsr__te *e, LLVMValueRef a, LLVMValueRef b)
{
    return a && b ? LLVMBuildAnd(e->builder, a, b, "") : a ? a : b;
}

/* 0 <= index < size. */
static LLVMValueRef inside(struct tsr__te *e, LLVMValueRef index, LLVMValueRef size)
{
    return LLVMBuildICmp(e->builder, LLVMIntULT, index, size, "");
}

/* The index in memory of row i, column j; *good: whether the element counts, NULL if it does in any case. */
static void locate(struct tsr__te *e, const struct matrix *m, const struct place *p, uint32_t r, LLVMValueRef own, LLVMValueRef j,
                   LLVMValueRef index[2], LLVMValueRef *good)
{
    LLVMValueRef i = r ? plus(e, own, r * m->lanes) : own;
    uint32_t rows = p->transposed ? 1 : 0; /* the mode of memory that rows go along */
    index[rows] = add(e, p->at[rows], i);
    index[1 - rows] = add(e, p->at[1 - rows], j);
    *good = (int64_t)(r + 1) * m->lanes > m->type->rows ? inside(e, i, tsr__te_i64(e, m->type->rows)) : NULL;
    if (p->checked & TSR__T_ROWS_CHECKED)
        *good = and_if(e, *good, inside(e, index[rows], p->memory.shape[rows]));
    if (p->checked & TSR__T_COLS_CHECKED)
        *good = and_if(e, *good, inside(e, index[1 - rows], p->memory.shape[1 - rows]));
}

static void limit(struct tsr__te *e, const struct tsr__t_inst *inst, uint64_t count)
{
    if (count > MOST_PRODUCTS)
        tsr__te_refuse(e, inst, "Cooperative matrices of this shape are too large: they take %llu instructions, of %d at most",
                       (unsigned long long)count, MOST_PRODUCTS);
}

/* An atomic load, or an update with a number, and what was there before; 0 where the element does not count. */
static struct tsr__te_number access_or_zero(struct tsr__te *e, const struct tsr__t_inst *inst, const struct place *p, LLVMValueRef *index,
                                            LLVMValueRef good, const struct tsr__te_number *number)
{
    struct tsr__te_guard guard = tsr__te_guard(e, good);
    LLVMValueRef address = tsr__te_address(e, &p->memory, index);
    struct tsr__te_number before =
        number ? tsr__te_update_memory(e, &p->memory, address, *number, inst->atomic) : tsr__te_load_atomic(e, &p->memory, address);
    LLVMValueRef parts[] = {before.re, before.im};
    tsr__te_end_guard(e, &guard, parts, tsr__te_parts(p->memory.type->number));
    return (struct tsr__te_number){parts[0], parts[1]};
}

TSR_TE_FUNCTION(coop_load)
{
    struct matrix m = matrix_of(e, inst->results[0]->type);
    struct place p = place_of(e, inst, 0);
    limit(e, inst, (uint64_t)m.blocks * m.cols);
    LLVMValueRef *parts = tsr__te_room(e, m.blocks * m.cols * m.parts), own = tsr__te_lane(e), index[2], good;
    for (uint32_t r = 0; r < m.blocks; r++) {
        for (uint32_t j = 0; j < m.cols; j++) {
            locate(e, &m, &p, r, own, tsr__te_i64(e, j), index, &good);
            set_component(&m, parts, r, j,
                          inst->atomic == TSR__T_PLAIN ? tsr__te_load_or_zero(e, &p.memory, index, good)
                                                       : access_or_zero(e, inst, &p, index, good, NULL));
        }
    }
    tsr__te_set(e, inst->results[0], parts, m.blocks * m.cols * m.parts);
}

TSR_TE_FUNCTION(coop_store)
{
    struct matrix m = matrix_of(e, inst->operands[0]->type);
    struct place p = place_of(e, inst, 1);
    LLVMValueRef own = tsr__te_lane(e), index[2], good;
    limit(e, inst, (uint64_t)m.blocks * m.cols);
    for (uint32_t r = 0; r < m.blocks; r++) {
        for (uint32_t j = 0; j < m.cols; j++) {
            locate(e, &m, &p, r, own, tsr__te_i64(e, j), index, &good);
            LLVMBasicBlockRef end = tsr__te_if(e, good);
            tsr__te_store_number(e, &p.memory, tsr__te_address(e, &p.memory, index), component(e, inst->operands[0], &m, r, j),
                                 inst->atomic);
            tsr__te_end_if(e, end);
        }
    }
    tsr__te_order_behind(e, inst);
}

TSR_TE_FUNCTION(coop_update)
{
    struct matrix m = matrix_of(e, inst->operands[0]->type);
    struct place p = place_of(e, inst, 1);
    LLVMValueRef *parts = tsr__te_room(e, m.blocks * m.cols * m.parts), own = tsr__te_lane(e), index[2], good;
    limit(e, inst, (uint64_t)m.blocks * m.cols);
    for (uint32_t r = 0; r < m.blocks; r++) {
        for (uint32_t j = 0; j < m.cols; j++) {
            struct tsr__te_number number = component(e, inst->operands[0], &m, r, j);
            locate(e, &m, &p, r, own, tsr__te_i64(e, j), index, &good);
            set_component(&m, parts, r, j, access_or_zero(e, inst, &p, index, good, &number));
        }
    }
    tsr__te_set(e, inst->results[0], parts, m.blocks * m.cols * m.parts);
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
    limit(e, inst, (uint64_t)m.blocks * m.cols);
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

static void count_inst(const struct tsr__t_inst *inst, void *count)
{
    *(uint64_t *)count += !inst->hidden;
}

/* Whether the work-item has row r of its rows; NULL: all have. */
static LLVMValueRef has_row(struct tsr__te *e, const struct matrix *m, LLVMValueRef own, uint32_t r)
{
    bool all = (int64_t)(r + 1) * m->lanes <= m->type->rows;
    return all ? NULL : inside(e, plus(e, own, r * m->lanes), tsr__te_i64(e, m->type->rows));
}

/* The region once for each component. */
TSR_TE_FUNCTION(coop_apply)
{
    struct matrix m = matrix_of(e, inst->operands[0]->type);
    LLVMValueRef *parts = tsr__te_room(e, m.blocks * m.cols * m.parts), own = tsr__te_lane(e);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    uint64_t length = 0;
    tsr__t_visit(inst->regions[0], count_inst, &length);
    limit(e, inst, (uint64_t)m.blocks * m.cols * length);
    for (uint32_t r = 0; r < m.blocks; r++) {
        for (uint32_t j = 0; j < m.cols; j++) {
            struct tsr__te_guard guard = tsr__te_guard(e, has_row(e, &m, own, r));
            LLVMValueRef row = LLVMBuildTrunc(e->builder, plus(e, own, r * m.lanes), i32, ""), col = tsr__te_i32(e, j);
            tsr__te_set(e, inst->variables[0], &row, 1);
            tsr__te_set(e, inst->variables[1], &col, 1);
            tsr__te_set_number(e, inst->variables[2], component(e, inst->operands[0], &m, r, j));
            e->region(e, inst->regions[0]);
            struct tsr__te_number made = tsr__te_get_number(e, inst->regions[0]->last->operands[0]);
            LLVMValueRef both[] = {made.re, made.im};
            tsr__te_end_guard(e, &guard, both, m.parts);
            set_component(&m, parts, r, j, (struct tsr__te_number){both[0], both[1]});
        }
    }
    tsr__te_set(e, inst->results[0], parts, m.blocks * m.cols * m.parts);
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
    limit(e, inst, (uint64_t)from.blocks * from.cols);
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

/* Element (k, j) of B in all work-items, as a number of type `sum`. */
static struct tsr__te_number broadcast(struct tsr__te *e, const struct tsr__t_value *value, const struct matrix *m, uint32_t k, uint32_t j,
                                       enum tsr__t_number sum)
{
    enum tsr__t_number number = m->type->number;
    struct tsr__te_number own = component(e, value, m, k / m->lanes, j);
    return tsr__te_convert(e, tsr__te_broadcast(e, number, own, tsr__te_i32(e, k % m->lanes)), number, sum);
}

/* ---- products ---- */

/* Whether there is a matrix function whose operands A and B fill. Not for bytes, of which a work-item would need two rows of B. */
static bool has_function(struct tsr__te *e, const struct matrix *a, const struct matrix *b, const struct matrix *c, const struct matrix *d)
{
    enum tsr__t_number number = a->type->number;
    return tsr__te_has_mad(e, number, b->type->number, c->type->number) && number != TSR__T_I8 && d->type->number == c->type->number &&
           a->cols % tsr__te_mad_depth(number) == 0 && a->type->rows % a->lanes == 0;
}

static void multiply_by_function(struct tsr__te *e, const struct tsr__t_inst *inst, const struct matrix *a, const struct matrix *b,
                                 const struct matrix *d, LLVMValueRef *parts)
{
    uint32_t depth = tsr__te_mad_depth(a->type->number);
    limit(e, inst, (uint64_t)d->blocks * (a->cols / depth) * d->cols);
    LLVMValueRef *sums = tsr__te_room(e, d->cols), *own = tsr__te_room(e, d->cols), row[32];
    for (uint32_t r = 0; r < d->blocks; r++) {
        for (uint32_t j = 0; j < d->cols; j++)
            sums[j] = component(e, inst->operands[2], d, r, j).re;
        for (uint32_t k = 0; k < a->cols; k += depth) {
            for (uint32_t i = 0; i < depth; i++)
                row[i] = component(e, inst->operands[0], a, r, k + i).re;
            for (uint32_t j = 0; j < d->cols; j++) {
                LLVMValueRef number = component(e, inst->operands[1], b, k / b->lanes, j).re;
                own[j] = tsr__te_mad_part(e, &number, 1);
            }
            tsr__te_mad(e, a->type->number, own, tsr__te_mad_row(e, row, depth), sums, d->cols);
        }
        for (uint32_t j = 0; j < d->cols; j++)
            set_component(d, parts, r, j, (struct tsr__te_number){sums[j], NULL});
    }
}

static void multiply_plain(struct tsr__te *e, const struct tsr__t_inst *inst, const struct matrix *a, const struct matrix *b,
                           const struct matrix *c, const struct matrix *d, LLVMValueRef *parts)
{
    enum tsr__t_number sum = tsr__t_sum_type(c->type->number);
    limit(e, inst, (uint64_t)a->blocks * a->cols * d->cols);
    for (uint32_t j = 0; j < d->cols; j++) {
        struct tsr__te_number *sums = tsr_arena_alloc(e->arena, d->blocks * sizeof *sums);
        for (uint32_t r = 0; r < d->blocks; r++)
            sums[r] = tsr__te_convert(e, component(e, inst->operands[2], c, r, j), c->type->number, sum);
        for (uint32_t k = 0; k < a->cols; k++) {
            struct tsr__te_number own = broadcast(e, inst->operands[1], b, k, j, sum);
            for (uint32_t r = 0; r < d->blocks; r++)
                sums[r] =
                    tsr__te_fma(e, sum, tsr__te_convert(e, component(e, inst->operands[0], a, r, k), a->type->number, sum), own, sums[r]);
        }
        for (uint32_t r = 0; r < d->blocks; r++)
            set_component(d, parts, r, j, tsr__te_convert(e, sums[r], sum, d->type->number));
    }
}

TSR_TE_FUNCTION(coop_mul_add)
{
    struct matrix a = matrix_of(e, inst->operands[0]->type), b = matrix_of(e, inst->operands[1]->type);
    struct matrix c = matrix_of(e, inst->operands[2]->type), d = matrix_of(e, inst->results[0]->type);
    LLVMValueRef *parts = tsr__te_room(e, d.blocks * d.cols * d.parts);
    limit(e, inst, (uint64_t)d.blocks * d.cols);
    if (has_function(e, &a, &b, &c, &d))
        multiply_by_function(e, inst, &a, &b, &d, parts);
    else
        multiply_plain(e, inst, &a, &b, &c, &d, parts);
    tsr__te_set(e, inst->results[0], parts, d.blocks * d.cols * d.parts);
}
