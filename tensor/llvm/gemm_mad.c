/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices of bytes and of 16-bit numbers with a fraction by the matrix functions, where all sizes are known and fill the
 * blocks: 16 rows by 16 columns or 32, and as much of K as a call takes. So every work-item makes every step. */
#include "tensor/llvm/index.h"

enum { COLUMNS = 16, MOST_COLUMNS = 32, MOST_DEPTH = 32 };

struct product {
    const struct tsr__te_blas *o;
    bool ta, tb;
    enum tsr__t_number number, sum;
    LLVMValueRef row, lane;
    uint32_t step; /* of k */
};

/* One step of k, from `k` on. */
static void step(struct tsr__te *e, const struct product *p, LLVMValueRef k, LLVMValueRef col, LLVMValueRef *sums, uint32_t cols)
{
    LLVMValueRef numbers[MOST_DEPTH], parts[MOST_COLUMNS];
    uint32_t own = p->step / TSR__TE_MAD_LANES;
    for (uint32_t i = 0; i < p->step; i++)
        numbers[i] = tsr__te_load_element(e, &p->o->a, p->ta, p->row, plus(e, k, i), NULL, p->number).re;
    LLVMValueRef row = tsr__te_mad_row(e, numbers, p->step);
    LLVMValueRef first = add(e, k, times(e, p->lane, own));
    for (uint32_t c = 0; c < cols; c++) {
        for (uint32_t i = 0; i < own; i++)
            numbers[i] = tsr__te_load_element(e, &p->o->b, p->tb, plus(e, first, i), plus(e, col, c), NULL, p->number).re;
        parts[c] = tsr__te_mad_part(e, numbers, own);
    }
    tsr__te_mad(e, p->number, parts, row, sums, cols);
}

/* Columns `col` … of the work-item's row. */
static void columns(struct tsr__te *e, const struct product *p, LLVMValueRef col, uint32_t cols)
{
    LLVMValueRef sums[MOST_COLUMNS], depth = p->o->a.shape[p->ta ? 0 : 1];
    struct tsr__te_loop loop;
    for (uint32_t c = 0; c < cols; c++)
        sums[c] = LLVMConstNull(tsr__te_type(e, p->sum));
    tsr__te_loop(e, &loop, tsr__te_i64(e, 0), depth, tsr__te_i64(e, p->step), sums, cols);
    for (uint32_t c = 0; c < cols; c++)
        sums[c] = loop.carried[c];
    step(e, p, loop.index, col, sums, cols);
    tsr__te_end_loop(e, &loop, sums);
    for (uint32_t c = 0; c < cols; c++) {
        LLVMValueRef index[] = {p->row, plus(e, col, c)};
        tsr__te_update(e, p->o, tsr__te_address(e, &p->o->c, index), (struct tsr__te_number){loop.carried[c], NULL}, p->sum);
    }
}

static bool fills(LLVMValueRef size, uint32_t block)
{
    int64_t known = tsr__te_known(size);
    return known > 0 && known % block == 0;
}

bool tsr__te_fits_mad(const struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o)
{
    enum tsr__t_number number = o->a.type->number;
    bool wanted = number == TSR__T_I8 || (number == TSR__T_F16 ? e->unit.mad_of_f16 : e->unit.mad_first);
    return wanted && tsr__te_has_mad(e, number, o->b.type->number, tsr__t_sum_type(o->c.type->number)) &&
           fills(o->c.shape[0], e->func->info.work_group_size[0]) && fills(o->c.shape[1], COLUMNS) &&
           fills(o->a.shape[inst->transpose[0] ? 0 : 1], tsr__te_mad_depth(number));
}

bool tsr__te_gemm_by_mad(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o)
{
    struct product p = {.o = o, .ta = inst->transpose[0], .tb = inst->transpose[1], .number = o->a.type->number};
    const uint32_t *sizes = e->func->info.work_group_size;
    if (!tsr__te_fits_mad(e, inst, o))
        return false;
    p.sum = tsr__t_sum_type(o->c.type->number);
    p.step = tsr__te_mad_depth(p.number);
    uint32_t cols = fills(o->c.shape[1], MOST_COLUMNS) ? MOST_COLUMNS : COLUMNS;
    LLVMValueRef first = times(e, e->item[1], cols);
    struct tsr__te_loop rows, blocks;
    p.lane = tsr__te_lane(e);
    tsr__te_loop(e, &rows, tsr__te_i64(e, 0), o->c.shape[0], tsr__te_i64(e, sizes[0]), NULL, 0);
    p.row = add(e, rows.index, e->item[0]);
    tsr__te_loop(e, &blocks, first, o->c.shape[1], tsr__te_i64(e, (int64_t)cols * sizes[1]), NULL, 0);
    columns(e, &p, blocks.index, cols);
    tsr__te_end_loop(e, &blocks, NULL);
    tsr__te_end_loop(e, &rows, NULL);
    return true;
}
