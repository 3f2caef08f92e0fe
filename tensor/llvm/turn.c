/* SPDX-License-Identifier: Apache-2.0
 * Transposition by way of local memory. Numbers that follow each other lie along a line of a matrix, and code wants a line in each lane.
 * Lanes read a piece of each line, side by side, and write it to a square, of which each lane then reads a line: that is an interleaved
 * load, which the vector engine makes of whole vectors and shuffles. Reading the lines in their place would be gathers. */
#include "tensor/llvm/index.h"

uint32_t tsr__te_turn_side(const struct tsr__te *e)
{
    uint32_t lanes = e->func->info.work_group_size[0];
    return e->one_sub_group && lanes <= TSR__TE_MOST_SIDE ? lanes : 0;
}

void tsr__te_turn(struct tsr__te *e, const struct tsr__te_turn *t, LLVMValueRef line, LLVMValueRef first, LLVMValueRef *numbers)
{
    uint32_t side = tsr__te_turn_side(e);
    LLVMValueRef lane = e->item[0];
    LLVMValueRef own = times(e, lane, side);
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL); /* behind the square before */
    for (uint32_t i = 0; i < side; i++) {
        LLVMValueRef from = t->last ? minimum(e, plus(e, line, i), t->last) : plus(e, line, i), to = plus(e, lane, i * side);
        LLVMValueRef at = add(e, first, lane);
        struct tsr__te_guard guard = tsr__te_guard(e, t->length ? less(e, at, t->length) : NULL);
        LLVMValueRef number = t->load(e, t->context, from, at);
        tsr__te_end_guard(e, &guard, &number, 1);
        LLVMValueRef store = LLVMBuildStore(e->builder, number, LLVMBuildInBoundsGEP2(e->builder, t->type, t->square, &to, 1, ""));
        LLVMSetAlignment(store, t->bytes);
    }
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL);
    for (uint32_t i = 0; i < side; i++) {
        LLVMValueRef from = plus(e, own, i);
        numbers[i] = LLVMBuildLoad2(e->builder, t->type, LLVMBuildInBoundsGEP2(e->builder, t->type, t->square, &from, 1, ""), "");
        LLVMSetAlignment(numbers[i], t->bytes);
    }
}

void tsr__te_turn_all(struct tsr__te *e, struct tsr__te_turn t, uint32_t lines, uint32_t length, tsr__te_store_turned *store)
{
    uint32_t side = tsr__te_turn_side(e);
    struct tsr__te_loop outer, inner;
    LLVMValueRef numbers[TSR__TE_MOST_SIDE];
    t.length = length < side ? tsr__te_i64(e, length) : NULL;
    t.last = lines % side ? tsr__te_i64(e, lines - 1) : NULL;
    tsr__te_sure_loop(e, &outer, tsr__te_i64(e, 0), tsr__te_i64(e, lines), tsr__te_i64(e, side));
    tsr__te_sure_loop(e, &inner, tsr__te_i64(e, 0), tsr__te_i64(e, length), tsr__te_i64(e, side));
    /* The last square of a line overlaps the one before. */
    LLVMValueRef first = length > side && length % side ? minimum(e, inner.index, tsr__te_i64(e, length - side)) : inner.index;
    for (uint32_t i = 0; t.fetch && i < side; i++)
        t.fetch(e, t.context, plus(e, outer.index, side + i), first);
    tsr__te_turn(e, &t, outer.index, first, numbers);
    for (uint32_t i = 0; i < side && i < length; i++)
        store(e, t.context, add(e, outer.index, e->item[0]), plus(e, first, i), numbers[i]);
    tsr__te_end_rolled_loop(e, &inner, NULL);
    tsr__te_end_rolled_loop(e, &outer, NULL);
}
