/* SPDX-License-Identifier: Apache-2.0
 * Products of narrow numbers on CPUs with a unit that multiplies tiles: the device makes a product of matrices of any sizes as a whole
 * (matrix_product of tessera/tiles.h). It takes matrices by rows, so it is asked for C' = B' A'. */
#include "tensor/llvm/index.h"

#include "tessera/base.h"
#include "tessera/tiles.h"

enum {
    LEAST_PRODUCTS = 1 << 14, /* for fewer, calls take longer than what they save */
    LEAST_BEYOND = 1 << 16,   /* … where there are dot products of words, or matrix functions for the sizes */
    LEAST_WIDE = 1 << 15,     /* … of elements of two bytes, if C is whole squares of tiles */
    LEAST_OPEN = 1 << 11,     /* … where sizes are arguments, so that numbers are widened one by one */
    WORD_BYTES = 4,           /* of a sum */
    MOST_ROWS = 512,          /* of C that is made aside: fewer, if there is less local memory */
    COLUMNS = 64,
};

struct tiles {
    const struct tsr__te_blas *o;
    bool ta, tb, may_wait;
    enum tsr__t_number number;
    LLVMValueRef m, n, k;
};

/* ---- which products ---- */

static bool has_tiles(const struct tsr__te *e, const struct tsr__te_blas *o, enum tsr__t_number sum)
{
    return o->atomic == TSR__T_PLAIN && tsr__te_has_tiles(e, o->a.type->number, o->b.type->number, sum) &&
           tsr__te_known(o->a.stride[0]) == 1 && tsr__te_known(o->b.stride[0]) == 1;
}

/* ---- the call ---- */

static LLVMValueRef generic(struct tsr__te *e, LLVMValueRef pointer)
{
    enum { GENERIC = 4 };
    return LLVMBuildAddrSpaceCast(e->builder, pointer, LLVMPointerTypeInContext(e->context, GENERIC), "");
}

static LLVMValueRef first_element(struct tsr__te *e, const struct tsr__te_memref *m, bool transposed, LLVMValueRef i, LLVMValueRef j)
{
    return generic(e, tsr__te_element_address(e, m, transposed, i, j));
}

static LLVMValueRef pitch(struct tsr__te *e, const struct tsr__te_memref *m)
{
    return times(e, m->stride[1], tsr__t_numbers[m->type->number].bytes);
}

/* Rows and columns of C from these on go to `to`, whose columns lie `stride` bytes apart. */
static void multiply(struct tsr__te *e, const struct tiles *t, LLVMValueRef row, LLVMValueRef rows, LLVMValueRef col, LLVMValueRef cols,
                     LLVMValueRef to, LLVMValueRef stride, bool adds)
{
    uint32_t how = e->unit.tiles |
                   (t->number == TSR__T_I8    ? TSR_TILE_S8S8
                    : t->number == TSR__T_F16 ? TSR_TILE_F16
                                              : TSR_TILE_BF16) |
                   (t->tb ? TSR_TILE_A_COLUMNS : 0) | (t->ta ? TSR_TILE_B_COLUMNS : 0) | (adds ? TSR_TILE_ADDS : 0) |
                   (t->may_wait ? TSR_TILE_MAY_WAIT : 0);
    LLVMValueRef zero = tsr__te_i64(e, 0);
    LLVMValueRef args[] = {first_element(e, &t->o->b, t->tb, zero, col),
                           first_element(e, &t->o->a, t->ta, row, zero),
                           generic(e, to),
                           pitch(e, &t->o->b),
                           pitch(e, &t->o->a),
                           stride,
                           cols,
                           rows,
                           t->k,
                           tsr__te_i32(e, how)};
    LLVMBasicBlockRef end = tsr__te_if(e, e->first_item);
    tsr__te_device_call(e, "__tsr_matrix_product", args, TSR_ARRAY_LEN(args));
    tsr__te_end_if(e, end);
}

/* ---- C that is made aside ---- */

struct aside {
    const struct tiles *t;
    LLVMValueRef sums, row, first, col, rows; /* in local memory; of C, its first row and column there, and the column; rows of a column */
};

static void update_row(struct tsr__te *e, const void *context, LLVMValueRef index)
{
    const struct aside *x = context;
    LLVMValueRef at[] = {add(e, x->row, index), add(e, x->first, x->col)};
    LLVMValueRef place = add(e, mul(e, x->col, x->rows), index);
    LLVMTypeRef type = tsr__te_type(e, tsr__t_sum_type(x->t->o->c.type->number));
    LLVMValueRef sum = LLVMBuildLoad2(e->builder, type, LLVMBuildInBoundsGEP2(e->builder, type, x->sums, &place, 1, ""), "");
    LLVMSetAlignment(sum, WORD_BYTES);
    tsr__te_update(e, x->t->o, tsr__te_address(e, &x->t->o->c, at), (struct tsr__te_number){sum, NULL},
                   tsr__t_sum_type(x->t->o->c.type->number));
}

/* C of another type, with other factors or with gaps between its rows, block by block by way of local memory. */
static void multiply_aside(struct tsr__te *e, const struct tiles *t, LLVMValueRef sums, uint32_t most)
{
    LLVMValueRef zero = tsr__te_i64(e, 0), high = tsr__te_i64(e, most);
    struct aside x = {.t = t, .sums = sums, .rows = high};
    struct tsr__te_loop rows, blocks, cols;
    tsr__te_loop(e, &blocks, zero, t->n, tsr__te_i64(e, COLUMNS), NULL, 0);
    x.first = blocks.index;
    LLVMValueRef some = minimum(e, minus(e, t->n, x.first), tsr__te_i64(e, COLUMNS));
    tsr__te_loop(e, &rows, zero, t->m, high, NULL, 0);
    x.row = rows.index;
    LLVMValueRef left = minimum(e, minus(e, t->m, x.row), high);
    tsr__te_scratch_barrier(e); /* the block before has been read */
    multiply(e, t, x.row, left, x.first, some, sums, tsr__te_i64(e, (int64_t)most * WORD_BYTES), false);
    tsr__te_scratch_barrier(e);
    tsr__te_sure_loop(e, &cols, zero, some, tsr__te_i64(e, 1));
    x.col = cols.index;
    struct tsr__te_spread spread = {.item = e->item[0], .width = e->func->info.work_group_size[0], .body = update_row, .context = &x};
    tsr__te_spread(e, &spread, TSR__TE_MASKED, zero, left);
    tsr__te_end_rolled_loop(e, &cols, NULL);
    tsr__te_end_rolled_loop(e, &rows, NULL);
    tsr__te_end_rolled_loop(e, &blocks, NULL);
}

/* ---- products ---- */

/* What sums are made in where they are not made in C: local memory, with room for so many rows. NULL: there is not enough. */
static LLVMValueRef take_memory(struct tsr__te *e, const struct tiles *t, uint32_t *rows)
{
    int64_t known = tsr__te_known(t->m);
    LLVMValueRef sums = NULL;
    *rows = known >= 0 && known < MOST_ROWS ? round_up((uint32_t)known, TSR_TILE_ROWS) : MOST_ROWS;
    while (!sums && *rows >= TSR_TILE_ROWS) {
        sums = tsr__te_scratch(e, *rows * COLUMNS * WORD_BYTES);
        *rows = sums ? *rows : *rows / 2;
    }
    return sums;
}

/* Whether a product is made so: a constant, if that is known. */
static LLVMValueRef is_worthwhile(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tiles *t)
{
    bool dots = tsr__te_dot_of(e, t->number, t->number, tsr__t_sum_type(t->o->c.type->number)) && tsr__te_known(t->k) >= 0;
    LLVMValueRef products = mul(e, mul(e, t->m, t->n), t->k);
    bool open = tsr__te_known(products) < 0 && !dots;
    const int64_t square = 2 * TSR_TILE_ROWS, m = tsr__te_known(t->m), n = tsr__te_known(t->n);
    bool squares = m > 0 && n > 0 && !(m % square) && !(n % square);
    int64_t beyond = squares && t->number != TSR__T_I8 ? LEAST_WIDE : LEAST_BEYOND;
    int64_t least = dots || tsr__te_fits_mad(e, inst, t->o) ? beyond : open ? LEAST_OPEN : LEAST_PRODUCTS;
    return LLVMBuildICmp(e->builder, LLVMIntSGE, products, tsr__te_i64(e, least), "");
}

bool tsr__te_gemm_by_tiles(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMBasicBlockRef *otherwise)
{
    struct tiles t = {.o = o, .ta = inst->transpose[0], .tb = inst->transpose[1], .number = o->a.type->number};
    LLVMValueRef zero = tsr__te_i64(e, 0), sums = NULL;
    enum tsr__t_number sum = tsr__t_sum_type(o->c.type->number);
    uint32_t rows;
    *otherwise = NULL;
    if (!has_tiles(e, o, sum))
        return false;
    t.m = o->c.shape[0];
    t.n = o->c.shape[1];
    t.k = o->a.shape[t.ta ? 0 : 1];
    bool direct = o->alpha_one && (o->beta_zero || o->beta_one) && sum == o->c.type->number && tsr__te_known(o->c.stride[0]) == 1;
    LLVMValueRef chosen = is_worthwhile(e, inst, &t);
    if (LLVMIsNull(chosen) || (!direct && !(sums = take_memory(e, &t, &rows))))
        return false;
    t.may_wait = direct && !o->a.type->local && !o->b.type->local && !o->c.type->local && e->at_end;
    bool always = LLVMIsAConstantInt(chosen);
    LLVMBasicBlockRef end = tsr__te_if(e, always ? NULL : chosen);
    if (direct)
        multiply(e, &t, zero, t.m, zero, t.n, o->c.pointer, pitch(e, &o->c), !o->beta_zero);
    else
        multiply_aside(e, &t, sums, rows);
    if (!always)
        *otherwise = tsr__te_else(e, end);
    return always;
}
