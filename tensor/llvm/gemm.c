/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices. The rows of C lie over the work-items, so that a column of A is a vector and an element of B is the same for all
 * work-items. A work-item keeps a few rows and columns of C in registers through all of K. */
#include "tensor/llvm/index.h"

#include <string.h>

enum {
    MOST_ROWS = 4,
    ENOUGH = 8,         /* vectors of sums that hide the latency of a multiply-add */
    MOST_PRODUCTS = 32, /* of vectors, to which the loops over a known K are unrolled, all loops of a product together */
    FEW = 4, /* columns of a block if code had better be little: sums that hide a part of the latency, and few columns left over */
    FEW_ROWS = 4,
    FEW_COLUMNS = 16, /* of a product that prefetches: with more of them, waiting for A is a small part of its time */
};

/* A block of C: `rows` rows of a work-item, each a work-group's width from the one before, and `cols` columns. */
struct block {
    LLVMValueRef first, row, col; /* the first row of lane 0, and of the work-item; the first column */
    uint32_t rows, cols;
    LLVMValueRef end;      /* of the rows, where not all lanes have the last row of several; otherwise NULL */
    bool masked;           /* not all lanes have the last row */
    bool fetched;          /* a block before this one has prefetched the next A */
    uint32_t lanes;        /* how many have rows, rounded up to a power of two */
    LLVMValueRef cols_end; /* of the columns, where there may be fewer: the last column is read in the place of others; otherwise NULL */
    uint32_t share;        /* 1 / share of MOST_PRODUCTS is for this block */
};

struct gemm {
    struct tsr__te_blas o;
    bool ta, tb;
    bool fetches; /* prefetches what follows A and C */
    bool small; /* of open sizes, for large ones of which there is other code, or whose updates are much code: this had better be little */
    enum tsr__t_number sum;
    uint32_t width; /* work-items along the rows */
};

static bool has_few(const struct gemm *g)
{
    return g->small || tsr__te_updates_lanes(&g->o);
}

static LLVMValueRef row_of(struct tsr__te *e, const struct gemm *g, const struct block *b, uint32_t r)
{
    return plus(e, b->row, r * g->width);
}

static LLVMValueRef col_of(struct tsr__te *e, const struct block *b, uint32_t c)
{
    return plus(e, b->col, c);
}

static LLVMValueRef has_column(struct tsr__te *e, const struct block *b, uint32_t c)
{
    return b->cols_end && c ? less(e, col_of(e, b, c), b->cols_end) : NULL;
}

static LLVMValueRef column_there_is(struct tsr__te *e, const struct block *b, uint32_t c)
{
    LLVMValueRef own = col_of(e, b, c), has = has_column(e, b, c);
    return has ? choose(e, has, own, minus(e, b->cols_end, tsr__te_i64(e, 1))) : own;
}

/* Whether the lane has the row; NULL: all have. */
static LLVMValueRef has_row(struct tsr__te *e, const struct block *b, uint32_t r, LLVMValueRef row)
{
    return b->end && r + 1 == b->rows ? less(e, row, b->end) : NULL;
}

/* Registers of a block's vectors of rows. */
static uint32_t registers_of(struct tsr__te *e, const struct gemm *g, uint32_t rows, uint32_t lanes)
{
    return rows * tsr__te_registers(e, lanes * tsr__t_numbers[g->sum].bytes);
}

/* CPUs do not find out by themselves where the columns of a tall A or C lie. */
static bool fetches_ahead(const struct gemm *g)
{
    int64_t rows = tsr__te_known(g->o.c.shape[0]), cols = tsr__te_known(g->o.c.shape[1]);
    return rows >= 0 && cols >= 0 && cols <= FEW_COLUMNS && rows > 2 * cols && tsr__te_known(g->o.a.shape[1]) >= 0 && !g->ta;
}

/* Prefetches, from column `col`, the same rows of the matrix that follows in memory, which the next work-group may have; of a matrix that
 * leaves no room for another in the first level, the rows below. */
static void fetch_ahead(struct tsr__te *e, const struct gemm *g, const struct tsr__te_memref *m, const struct block *b, LLVMValueRef col)
{
    uint32_t rows = b->rows * g->width;
    int64_t bytes = tsr__te_known(m->shape[0]) * tsr__te_known(m->shape[1]) * tsr__t_numbers[m->type->number].bytes;
    if (bytes > TSR__TE_FIRST_LEVEL)
        tsr__te_prefetch_rows(e, m, plus(e, b->first, rows), col, rows);
    else
        tsr__te_prefetch_rows(e, m, b->first, add(e, col, m->shape[1]), rows);
}

/* Has the CPU gathers of such numbers that take no longer than loads of several of each lane, which are much more code? */
static bool gathers_quickly(const struct tsr__te *e, const struct tsr__te_memref *m)
{
    enum { WHOLE_REGISTER = 64, LEAST_BYTES = 4 };
    return e->unit.register_bytes >= WHOLE_REGISTER && !e->unit.half_registers && tsr__t_numbers[m->type->number].bytes >= LEAST_BYTES;
}

/* Several steps of a known K become one round, as the instructions of the loop itself cost time where two threads share a core. */
static void unroll(struct tsr__te *e, const struct gemm *g, const struct block *b, const struct tsr__te_loop *k)
{
    int64_t depth = tsr__te_known(g->o.a.shape[g->ta ? 0 : 1]);
    uint32_t products = b->cols * registers_of(e, g, b->rows, b->lanes), steps = MOST_PRODUCTS / b->share / products;
    while (steps > 1 && depth % steps)
        steps--;
    if (g->small && g->ta && gathers_quickly(e, &g->o.a))
        tsr__te_few_rounds(e, k);
    else if (e->unit.blocks && depth > 0 && steps > 1)
        tsr__te_unroll_late(e, k, steps);
    else if (products >= ENOUGH || g->small) /* more code would not be faster */
        tsr__te_hint(e, k, "llvm.loop.unroll.disable", 0);
}

static struct tsr__te_target *targets_of(struct tsr__te *e, const struct gemm *g, const struct block *b)
{
    struct tsr__te_target *targets = tsr_arena_alloc(e->arena, b->rows * b->cols * sizeof *targets);
    for (uint32_t i = 0; i < b->rows * b->cols; i++) {
        LLVMValueRef index[] = {row_of(e, g, b, i % b->rows), col_of(e, b, i / b->rows)};
        targets[i] = (struct tsr__te_target){tsr__te_address(e, &g->o.c, index), has_row(e, b, i % b->rows, index[0])};
    }
    return targets;
}

static void multiply(struct tsr__te *e, const struct gemm *g, const struct block *b)
{
    uint32_t parts = tsr__te_parts(g->sum), count = b->rows * b->cols * parts;
    LLVMValueRef *values = tsr__te_room(e, count), depth = g->o.a.shape[g->ta ? 0 : 1];
    struct tsr__te_number a[MOST_ROWS];
    struct tsr__te_loop k;
    for (uint32_t i = 0; i < count; i++)
        values[i] = LLVMConstNull(tsr__te_type(e, g->sum));
    tsr__te_loop(e, &k, tsr__te_i64(e, 0), depth, tsr__te_i64(e, 1), values, count);
    if (g->fetches && !b->fetched)
        fetch_ahead(e, g, &g->o.a, b, k.index);
    for (uint32_t r = 0; r < b->rows; r++) {
        LLVMValueRef row = row_of(e, g, b, r);
        a[r] = tsr__te_load_element(e, &g->o.a, g->ta, row, k.index, has_row(e, b, r, row), g->sum);
    }
    for (uint32_t c = 0; c < b->cols; c++) {
        struct tsr__te_number own = tsr__te_load_element(e, &g->o.b, g->tb, k.index, column_there_is(e, b, c), NULL, g->sum);
        for (uint32_t r = 0; r < b->rows; r++) {
            uint32_t i = c * b->rows + r;
            tsr__te_put_number(values, parts, i, tsr__te_fma(e, g->sum, a[r], own, tsr__te_carried(&k, parts, i)));
        }
    }
    tsr__te_end_loop(e, &k, values);
    unroll(e, g, b, &k);
    struct tsr__te_target *targets = targets_of(e, g, b);
    bool apart = b->masked && !b->cols_end && tsr__te_update_apart(e, &g->o, targets, k.carried, b->rows * b->cols, g->sum);
    for (uint32_t c = 0; c < b->cols; c++) {
        LLVMBasicBlockRef column = tsr__te_if(e, has_column(e, b, c));
        for (uint32_t i = c * b->rows; i < (c + 1) * b->rows; i++)
            tsr__te_finish_update(e, &g->o, &targets[i], tsr__te_carried(&k, parts, i), g->sum, apart);
        tsr__te_end_if(e, column);
        if (g->fetches)
            fetch_ahead(e, g, &g->o.c, b, col_of(e, b, c));
    }
}

/* Blocks from column `from` on, as many as begin before `to`. */
static void some_columns(struct tsr__te *e, const struct gemm *g, struct block b, LLVMValueRef from, LLVMValueRef to, LLVMValueRef step)
{
    struct tsr__te_loop loop;
    tsr__te_loop_or_once(e, &loop, from, to, step);
    b.col = loop.index;
    multiply(e, g, &b);
    tsr__te_end_loop(e, &loop, NULL);
}

/* As many columns as fill the registers, or fewer that divide the known number, if there are still enough sums. */
static uint32_t best_columns(uint32_t most, uint32_t registers, uint32_t known)
{
    for (uint32_t fewer = most; fewer * registers >= ENOUGH && fewer * 2 > most; fewer--)
        if (known % fewer == 0)
            return fewer;
    return most;
}

/* A known number of columns: as few blocks as there can be, of one size, or of two that differ by one column. */
static void known_columns(struct tsr__te *e, const struct gemm *g, struct block b, uint32_t known, uint32_t most)
{
    uint32_t blocks = (known + most - 1) / most, fewer = blocks ? known / blocks : 0, larger = known - fewer * blocks;
    uint32_t end = larger * (fewer + 1);
    b.share *= larger && end < known ? 2 : 1;
    b.cols = fewer + 1;
    if (larger)
        some_columns(e, g, b, tsr__te_i64(e, 0), tsr__te_i64(e, end), tsr__te_i64(e, b.cols));
    b.fetched = larger;
    b.cols = fewer;
    if (end < known)
        some_columns(e, g, b, tsr__te_i64(e, end), tsr__te_i64(e, known), tsr__te_i64(e, b.cols));
}

/* Blocks of columns, and single columns for the rest; work-items of the second mode of the work-group take them in turn. */
static void all_columns(struct tsr__te *e, const struct gemm *g, struct block b)
{
    uint32_t down = e->func->info.work_group_size[1];
    uint32_t registers = registers_of(e, g, b.rows, b.lanes), most = has_few(g) ? FEW : tsr__te_columns(e, registers);
    LLVMValueRef cols = g->o.c.shape[1], own = e->item[1];
    int64_t known = tsr__te_known(cols);
    if (known >= 0 && known <= INT32_MAX && down == 1) {
        known_columns(e, g, b, (uint32_t)known, best_columns(most, registers, (uint32_t)known));
        return;
    }
    b.cols = most;
    if (g->small) { /* no single columns, for less code */
        b.cols_end = cols;
        some_columns(e, g, b, times(e, own, most), cols, tsr__te_i64(e, (int64_t)most * down));
        return;
    }
    LLVMValueRef whole = round_down(e, cols, most);
    some_columns(e, g, b, times(e, own, most), whole, tsr__te_i64(e, (int64_t)most * down));
    b.cols = 1;
    if (known < 0 || known % most)
        some_columns(e, g, b, add(e, whole, own), cols, tsr__te_i64(e, down));
}

/* Rows of a work-item in a block, of `vectors` that it has in all (-1: not known). */
static uint32_t most_rows(struct tsr__te *e, const struct gemm *g, int64_t vectors)
{
    uint32_t most = e->unit.registers / 6 / registers_of(e, g, 1, g->width); /* the others are for more columns */
    if (has_few(g))
        return 1;
    for (uint32_t rows = most ? most : 1; rows > 1; rows--)
        if (vectors < 0 || vectors % rows == 0)
            return vectors < 0 && rows > 2 ? 2 : rows;
    return vectors > 2 && most >= 2 ? 2 : 1;
}

/* Rows `from` … `to`, one of `parts` such ranges, in blocks. Not `whole`: not all lanes have the last row of a block. */
static void rows_from(struct tsr__te *e, const struct gemm *g, LLVMValueRef from, LLVMValueRef to, uint32_t rows, bool whole,
                      uint32_t parts)
{
    struct tsr__te_loop loop;
    LLVMValueRef step = tsr__te_i64(e, (int64_t)rows * g->width);
    int64_t first = tsr__te_known(from), last = tsr__te_known(to);
    tsr__te_loop_or_once(e, &loop, from, to, step);
    struct block b = {.first = loop.index, .rows = rows, .masked = !whole, .lanes = g->width, .share = parts};
    b.row = add(e, b.first, e->item[0]);
    while (!whole && first >= 0 && b.lanes > 1 && last - first <= b.lanes / 2)
        b.lanes /= 2;
    bool single = !whole && rows == 1;
    b.end = whole || single ? NULL : to;
    LLVMBasicBlockRef end = tsr__te_if(e, single ? less(e, b.row, to) : NULL);
    all_columns(e, g, b);
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &loop, NULL);
}

/* Blocks of several rows of a work-item, of one row, and of the last row, which not all work-items have; or one block, if rows are few. */
static void known_rows(struct tsr__te *e, const struct gemm *g, int64_t rows)
{
    int64_t vectors = (rows + g->width - 1) / g->width;
    if (e->one_sub_group && vectors > 1 && rows % g->width && most_rows(e, g, vectors) == vectors) {
        rows_from(e, g, tsr__te_i64(e, 0), g->o.c.shape[0], (uint32_t)vectors, false, 1);
        return;
    }
    uint32_t most = most_rows(e, g, rows / g->width), step = g->width * most;
    int64_t several = rows / step * step, one = rows / g->width * g->width;
    uint32_t parts = (several > 0) + (one > several) + (rows > one);
    LLVMValueRef ends[] = {tsr__te_i64(e, 0), tsr__te_i64(e, several), tsr__te_i64(e, one), g->o.c.shape[0]};
    if (several > 0)
        rows_from(e, g, ends[0], ends[1], most, true, parts);
    if (one > several)
        rows_from(e, g, ends[1], ends[2], 1, true, parts);
    if (rows > one)
        rows_from(e, g, ends[2], ends[3], 1, false, parts);
}

/* Sums in registers through all of K. */
static void all_rows(struct tsr__te *e, struct gemm *g)
{
    g->sum = tsr__t_sum_type(g->o.c.type->number);
    g->width = e->func->info.work_group_size[0];
    tsr__te_pack_operands(e, &g->o, &g->ta, g->sum);
    g->fetches = fetches_ahead(g);
    LLVMValueRef zero = tsr__te_i64(e, 0), rows = g->o.c.shape[0];
    if (tsr__te_known(rows) >= 0) {
        known_rows(e, g, tsr__te_known(rows));
        return;
    }
    uint32_t most = most_rows(e, g, -1);
    LLVMValueRef whole = g->small ? zero : round_down(e, rows, g->width * most);
    if (!g->small)
        rows_from(e, g, zero, whole, most, true, 1);
    rows_from(e, g, whole, rows, 1, false, 1);
}

/* C has few rows, so most lanes would have none: this makes the product C' = B' A' of it. */
static void transpose_product(struct tsr__te *e, struct tsr__te_blas *o, struct tsr__t_inst *inst)
{
    enum tsr__t_number number = o->a.type->number;
    bool dots = number != TSR__T_I8 && tsr__te_dot_of(e, number, o->b.type->number, tsr__t_sum_type(o->c.type->number));
    uint32_t least_rows = tsr__t_numbers[o->b.type->number].bytes > 2 ? 2 : 1; /* one row takes as long as reading B */
    int64_t rows = tsr__te_known(o->c.shape[0]), cols = tsr__te_known(o->c.shape[1]);
    if (!e->unit.blocks || !e->one_sub_group || dots || rows < least_rows || rows > FEW_ROWS || cols < e->func->info.work_group_size[0])
        return;
    struct tsr__te_memref a = o->a, *c = &o->c;
    LLVMValueRef *sizes = tsr__te_room(e, 4);
    bool transposed[] = {!inst->transpose[1], !inst->transpose[0]};
    memcpy(inst->transpose, transposed, sizeof transposed);
    o->a = o->b;
    o->b = a;
    for (uint32_t i = 0; i < 2; i++) {
        sizes[i] = c->shape[1 - i];
        sizes[2 + i] = c->stride[1 - i];
    }
    c->shape = sizes;
    c->stride = sizes + 2;
}

TSR_TE_FUNCTION(gemm)
{
    struct tsr__t_inst own = *inst;
    struct gemm g = {.o = tsr__te_begin_blas(e, inst)};
    transpose_product(e, &g.o, &own);
    inst = &own;
    g.ta = own.transpose[0];
    g.tb = own.transpose[1];
    bool dots = tsr__te_dot_of(e, g.o.a.type->number, g.o.b.type->number, tsr__t_sum_type(g.o.c.type->number));
    bool first = g.o.a.type->number == TSR__T_F16 ? e->unit.mad_of_f16 : e->unit.mad_first;
    LLVMBasicBlockRef end = NULL;
    if (tsr__te_gemm_by_tiles(e, inst, &g.o, &end))
        return;
    if (!end && ((!dots && first && tsr__te_gemm_by_mad(e, inst, &g.o)) || tsr__te_gemm_by_blocks(e, inst, &g.o, &end)))
        return;
    if (!(dots && tsr__te_gemm_by_dots(e, inst, &g.o)) && !tsr__te_gemm_by_mad(e, inst, &g.o)) {
        g.small = (end || tsr__te_updates_lanes(&g.o)) && tsr__te_known(g.o.c.shape[0]) < 0;
        all_rows(e, &g);
    }
    tsr__te_end_if(e, end);
}
