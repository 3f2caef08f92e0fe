/* SPDX-License-Identifier: Apache-2.0
 * Transposition by way of local memory. The elements of a column lie side by side in memory, and a lane wants a column. All lanes read a
 * piece of one column as a vector, and of the next, and write them to a square in local memory, of which each lane then reads a column:
 * that is an interleaved load, which the vector engine makes of whole vectors and shuffles. Without the square it would be a gather. */
#include "tensor/llvm/index.h"

uint32_t tsr__te_square_side(const struct tsr__te *e)
{
    uint32_t lanes = e->func->info.work_group_size[0];
    return e->one_sub_group && lanes <= TSR__TE_MOST_SIDE ? lanes : 0;
}

static LLVMValueRef in_square(struct tsr__te *e, const struct tsr__te_transposition *t, LLVMValueRef at)
{
    return LLVMBuildInBoundsGEP2(e->builder, t->type, t->local, &at, 1, "");
}

/* Puts the lane's element of column `col` into the square. */
static void put(struct tsr__te *e, const struct tsr__te_transposition *t, LLVMValueRef element, uint32_t col)
{
    LLVMValueRef at = in_square(e, t, plus(e, e->item[0], col * tsr__te_square_side(e)));
    LLVMSetAlignment(LLVMBuildStore(e->builder, element, at), t->bytes);
}

void tsr__te_transpose(struct tsr__te *e, const struct tsr__te_transposition *t, LLVMValueRef col, LLVMValueRef row, LLVMValueRef *elements)
{
    uint32_t side = tsr__te_square_side(e);
    LLVMValueRef lane = e->item[0];
    LLVMValueRef own = times(e, lane, side);
    LLVMValueRef at = add(e, row, lane);
    tsr__te_scratch_barrier(e); /* behind the square before */
    struct tsr__te_guard guard = tsr__te_guard(e, t->rows ? less(e, at, t->rows) : NULL);
    for (uint32_t i = 0; i < side; i++) {
        elements[i] = t->load(e, t->context, t->last ? minimum(e, plus(e, col, i), t->last) : plus(e, col, i), at);
        if (!t->rows)
            put(e, t, elements[i], i);
    }
    tsr__te_end_guard(e, &guard, elements, side);
    for (uint32_t i = 0; t->rows && i < side; i++)
        put(e, t, elements[i], i);
    tsr__te_scratch_barrier(e);
    for (uint32_t i = 0; i < side; i++) {
        elements[i] = LLVMBuildLoad2(e->builder, t->type, in_square(e, t, plus(e, own, i)), "");
        LLVMSetAlignment(elements[i], t->bytes);
    }
}

void tsr__te_transpose_all(struct tsr__te *e, struct tsr__te_transposition t, uint32_t cols, uint32_t rows, tsr__te_store_transposed *store)
{
    uint32_t side = tsr__te_square_side(e);
    struct tsr__te_loop outer, inner;
    LLVMValueRef elements[TSR__TE_MOST_SIDE];
    t.rows = rows < side ? tsr__te_i64(e, rows) : NULL;
    t.last = cols % side ? tsr__te_i64(e, cols - 1) : NULL;
    tsr__te_sure_loop(e, &outer, tsr__te_i64(e, 0), tsr__te_i64(e, cols), tsr__te_i64(e, side));
    tsr__te_sure_loop(e, &inner, tsr__te_i64(e, 0), tsr__te_i64(e, rows), tsr__te_i64(e, side));
    /* The last square of a column overlaps the one before. */
    LLVMValueRef row = rows > side && rows % side ? minimum(e, inner.index, tsr__te_i64(e, rows - side)) : inner.index;
    for (uint32_t i = 0; t.prefetch && i < side; i++)
        t.prefetch(e, t.context, plus(e, outer.index, side + i), row);
    tsr__te_transpose(e, &t, outer.index, row, elements);
    for (uint32_t i = 0; i < side && i < rows; i++)
        store(e, t.context, add(e, outer.index, e->item[0]), plus(e, row, i), elements[i]);
    tsr__te_end_rolled_loop(e, &inner, NULL);
    tsr__te_end_rolled_loop(e, &outer, NULL);
}
