/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices. The rows of C lie over the work-items, so that a column of A is a vector and an element of B is one number for all
 * of them; a work-item keeps a few rows and columns of C in registers through all of K. */
#include "tensor/llvm/emit.h"

enum { MOST_ROWS = 4, ENOUGH = 8, FEW_COLUMNS = 16, LEAST_FETCHED = 8 << 10, LINE_BYTES = 64 };

/* A block of C: `rows` rows of a work-item, each a work-group's width from the one before, and `cols` columns. */
struct block {
    LLVMValueRef first, row, col; /* first: that of lane 0 */
    uint32_t rows, cols;
};

struct gemm {
    struct tsr__te_blas o;
    bool ta, tb;
    enum tsr__t_number sum;
    uint32_t width; /* work-items along the rows */
};

static LLVMValueRef row_of(struct tsr__te *e, const struct gemm *g, const struct block *b, uint32_t r)
{
    return r ? LLVMBuildNSWAdd(e->builder, b->row, tsr__te_i64(e, (int64_t)r * g->width), "") : b->row;
}

static LLVMValueRef col_of(struct tsr__te *e, const struct block *b, uint32_t c)
{
    return c ? LLVMBuildNSWAdd(e->builder, b->col, tsr__te_i64(e, c), "") : b->col;
}

static struct tsr__te_number load(struct tsr__te *e, const struct gemm *g, const struct tsr__te_memref *m, bool turned, LLVMValueRef i,
                                  LLVMValueRef j)
{
    LLVMValueRef index[] = {turned ? j : i, turned ? i : j};
    struct tsr__te_number number = tsr__te_load_number(e, m, tsr__te_address(e, m, index));
    return tsr__te_convert(e, number, m->type->number, g->sum);
}

static struct tsr__te_number carried(const struct tsr__te_loop *loop, uint32_t parts, uint32_t i)
{
    return (struct tsr__te_number){loop->carried[i * parts], parts > 1 ? loop->carried[i * parts + 1] : NULL};
}

/* Registers of a row's vector. */
static uint32_t row_registers(struct tsr__te *e, const struct gemm *g)
{
    uint32_t bytes = e->func->info.sub_group_size * tsr__t_numbers[g->sum].bytes;
    return (bytes + e->unit.register_bytes - 1) / e->unit.register_bytes;
}

/* Whether the rows of A below are to be fetched: CPUs do not find out by themselves where these lie, unless A is small. With many columns
 * those that are read first are few of all. */
static bool fetches_ahead(const struct gemm *g)
{
    const struct tsr__te_memref *a = &g->o.a;
    int64_t cols = tsr__te_known(g->o.c.shape[1]), rows = tsr__te_known(a->shape[0]), depth = tsr__te_known(a->shape[1]);
    bool known = cols >= 0 && rows >= 0 && depth >= 0;
    return known && !g->ta && !a->type->local && cols <= FEW_COLUMNS &&
           rows * depth >= LEAST_FETCHED / tsr__t_numbers[a->type->number].bytes;
}

static void fetch_ahead(struct tsr__te *e, const struct gemm *g, const struct block *b, LLVMValueRef k)
{
    uint32_t step = b->rows * g->width, in_line = LINE_BYTES / tsr__t_numbers[g->o.a.type->number].bytes;
    for (uint32_t row = 0; row < step; row += in_line) {
        LLVMValueRef index[] = {LLVMBuildNSWAdd(e->builder, b->first, tsr__te_i64(e, step + row), ""), k};
        tsr__te_fetch(e, &g->o.a, index);
    }
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
    if (fetches_ahead(g))
        fetch_ahead(e, g, b, k.index);
    for (uint32_t r = 0; r < b->rows; r++)
        a[r] = load(e, g, &g->o.a, g->ta, row_of(e, g, b, r), k.index);
    for (uint32_t c = 0; c < b->cols; c++) {
        struct tsr__te_number own = load(e, g, &g->o.b, g->tb, k.index, col_of(e, b, c));
        for (uint32_t r = 0; r < b->rows; r++) {
            uint32_t i = c * b->rows + r;
            struct tsr__te_number sum = tsr__te_fma(e, g->sum, a[r], own, carried(&k, parts, i));
            values[i * parts] = sum.re;
            if (parts > 1)
                values[i * parts + 1] = sum.im;
        }
    }
    tsr__te_end_loop(e, &k, values);
    if (count * row_registers(e, g) >= ENOUGH) /* there are products that do not wait for each other: more code would not be faster */
        tsr__te_hint(e, &k, "llvm.loop.unroll.disable", 0);
    for (uint32_t c = 0; c < b->cols; c++) {
        for (uint32_t r = 0; r < b->rows; r++) {
            LLVMValueRef index[] = {row_of(e, g, b, r), col_of(e, b, c)};
            tsr__te_update(e, &g->o, tsr__te_address(e, &g->o.c, index), carried(&k, parts, c * b->rows + r), g->sum);
        }
    }
}

/* Blocks of as many columns as a step takes, from the work-item's own in the second mode on. Where the sizes allow it the rest is one
 * smaller block, otherwise single columns. */
static void all_columns(struct tsr__te *e, const struct gemm *g, struct block b, uint32_t most)
{
    uint32_t down = e->func->info.work_group_size[1];
    LLVMValueRef cols = g->o.c.shape[1];
    int64_t known = tsr__te_known(cols);
    struct tsr__te_loop loop;
    if (known >= 0 && known < most && down == 1)
        most = known ? (uint32_t)known : 1;
    LLVMValueRef wide = tsr__te_i64(e, most);
    LLVMValueRef whole = LLVMBuildNSWMul(e->builder, LLVMBuildSDiv(e->builder, cols, wide, ""), wide, "");
    LLVMValueRef first = LLVMBuildNSWMul(e->builder, e->item[1], wide, "");
    tsr__te_loop(e, &loop, first, whole, tsr__te_i64(e, (int64_t)most * down), NULL, 0);
    b.col = loop.index;
    b.cols = most;
    multiply(e, g, &b);
    tsr__te_end_loop(e, &loop, NULL);
    if (known >= 0 && known % most == 0)
        return;
    if (known >= 0 && down == 1) {
        b.col = whole;
        b.cols = (uint32_t)(known % most);
        multiply(e, g, &b);
        return;
    }
    tsr__te_loop(e, &loop, LLVMBuildNSWAdd(e->builder, whole, e->item[1], ""), cols, tsr__te_i64(e, down), NULL, 0);
    b.col = loop.index;
    b.cols = 1;
    multiply(e, g, &b);
    tsr__te_end_loop(e, &loop, NULL);
}

/* What a step of K takes for so many columns, by the sums in registers: few of them wait for each other. */
static uint32_t cost(uint32_t registers, uint32_t columns)
{
    enum { LOOP = 2 };
    uint32_t sums = registers * columns;
    return columns ? (sums < ENOUGH ? ENOUGH : sums) + LOOP : 0;
}

static int64_t cost_of_all(uint32_t registers, uint32_t columns, int64_t known)
{
    return known / columns * cost(registers, columns) + cost(registers, (uint32_t)(known % columns));
}

/* As many columns as fill the registers; fewer, if they divide all columns then, or if what is left over is better for it. */
static uint32_t most_columns(struct tsr__te *e, const struct gemm *g, uint32_t rows)
{
    uint32_t registers = row_registers(e, g) * rows;
    uint32_t most = tsr__te_columns(e, registers), best = most;
    int64_t known = tsr__te_known(g->o.c.shape[1]);
    for (uint32_t fewer = most; known > most && fewer * 2 > most; fewer--) {
        if (known % fewer == 0)
            return fewer;
        if (cost_of_all(registers, fewer, known) < cost_of_all(registers, best, known))
            best = fewer;
    }
    return best;
}

/* Rows of a work-item that it takes at a time, of `vectors` that there are (-1: not known). */
static uint32_t most_rows(struct tsr__te *e, const struct gemm *g, int64_t vectors)
{
    uint32_t most = e->unit.registers / 6 / row_registers(e, g); /* the rest of them for columns */
    for (uint32_t rows = most ? most : 1; rows > 1; rows--)
        if (vectors < 0 || vectors % rows == 0)
            return vectors < 0 && rows > 2 ? 2 : rows;
    return vectors > 2 && most >= 2 ? 2 : 1;
}

static void rows_from(struct tsr__te *e, const struct gemm *g, LLVMValueRef from, LLVMValueRef to, uint32_t rows, bool whole)
{
    struct tsr__te_loop loop;
    tsr__te_loop(e, &loop, from, to, tsr__te_i64(e, (int64_t)rows * g->width), NULL, 0);
    struct block b = {.first = loop.index, .row = LLVMBuildNSWAdd(e->builder, loop.index, e->item[0], ""), .rows = rows};
    LLVMBasicBlockRef end = tsr__te_if(e, whole ? NULL : LLVMBuildICmp(e->builder, LLVMIntSLT, b.row, to, ""));
    all_columns(e, g, b, most_columns(e, g, rows));
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &loop, NULL);
}

/* Sums in registers through all of K. `small`: large products come by another way, and this one had better be little code. */
static void all_rows(struct tsr__te *e, struct gemm *g, bool small)
{
    g->sum = tsr__t_sum_type(g->o.c.type->number);
    g->width = e->func->info.work_group_size[0];
    LLVMValueRef zero = tsr__te_i64(e, 0), rows = g->o.c.shape[0];
    int64_t known = tsr__te_known(rows);
    uint32_t most = most_rows(e, g, known < 0 ? -1 : known / g->width), step = g->width * most;
    if (known >= 0) {
        LLVMValueRef several = tsr__te_i64(e, known / step * step), one = tsr__te_i64(e, known / g->width * g->width);
        if (known >= step)
            rows_from(e, g, zero, several, most, true);
        if (tsr__te_known(one) > tsr__te_known(several))
            rows_from(e, g, several, one, 1, true);
        if (known > tsr__te_known(one))
            rows_from(e, g, one, rows, 1, false);
        return;
    }
    LLVMValueRef wide = tsr__te_i64(e, step);
    LLVMValueRef whole = small ? zero : LLVMBuildNSWMul(e->builder, LLVMBuildSDiv(e->builder, rows, wide, ""), wide, "");
    if (!small)
        rows_from(e, g, zero, whole, most, true);
    rows_from(e, g, whole, rows, 1, false);
}

TSR_TE_FUNCTION(gemm)
{
    struct gemm g = {.o = tsr__te_begin_blas(e, inst), .ta = inst->transpose[0], .tb = inst->transpose[1]};
    bool dots = tsr__te_has_dots(e, g.o.a.type->number, g.o.b.type->number, tsr__t_sum_type(g.o.c.type->number));
    bool mad = e->unit.mad_first || g.o.a.type->number != TSR__T_BF16; /* which is widened by a shift */
    LLVMBasicBlockRef end = NULL;
    if ((!dots && e->unit.mad_first && tsr__te_gemm_by_mad(e, inst, &g.o)) || tsr__te_gemm_by_blocks(e, inst, &g.o, &end))
        return;
    if (!(dots && tsr__te_gemm_by_dots(e, inst, &g.o)) && !(mad && tsr__te_gemm_by_mad(e, inst, &g.o)))
        all_rows(e, &g, end != NULL);
    tsr__te_end_if(e, end);
}
