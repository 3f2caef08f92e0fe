/* SPDX-License-Identifier: Apache-2.0
 * Transposition by way of local memory. Numbers that follow each other lie along a line of a matrix, and code wants a line in each lane.
 * Lanes read a piece of each line, side by side, and write it to a square, of which each lane then reads a line: that is an interleaved
 * load, which the vector engine makes of whole vectors and shuffles. Reading the lines in their place would be gathers. */
#include "tensor/llvm/emit.h"

#include "tessera/abi.h"

#include <string.h>

static LLVMValueRef plus(struct tsr__te *e, LLVMValueRef a, uint32_t b)
{
    return b ? LLVMBuildNSWAdd(e->builder, a, tsr__te_i64(e, b), "") : a;
}

static LLVMValueRef at_most(struct tsr__te *e, LLVMValueRef a, LLVMValueRef most)
{
    return LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, a, most, ""), a, most, "");
}

uint32_t tsr__te_turn_side(const struct tsr__te *e)
{
    uint32_t lanes = e->func->info.work_group_size[0];
    return e->one_sub_group && lanes <= TSR__TE_MOST_SIDE ? lanes : 0;
}

void tsr__te_turn(struct tsr__te *e, const struct tsr__te_turn *t, LLVMValueRef line, LLVMValueRef first)
{
    uint32_t side = tsr__te_turn_side(e);
    LLVMValueRef lane = e->item[0], numbers[TSR__TE_MOST_SIDE];
    LLVMValueRef own = LLVMBuildNSWMul(e->builder, lane, tsr__te_i64(e, side), "");
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL); /* behind the square before */
    for (uint32_t i = 0; i < side; i++) {
        LLVMValueRef from = t->last ? at_most(e, plus(e, line, i), t->last) : plus(e, line, i), to = plus(e, lane, i * side);
        LLVMValueRef at = LLVMBuildNSWAdd(e->builder, first, lane, "");
        struct tsr__te_guard guard = tsr__te_guard(e, t->length ? LLVMBuildICmp(e->builder, LLVMIntSLT, at, t->length, "") : NULL);
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
    int64_t length = t->length ? tsr__te_known(t->length) : side;
    for (uint32_t i = 0; i < length; i++)
        t->store(e, t->context, LLVMBuildNSWAdd(e->builder, line, lane, ""), plus(e, first, i), numbers[i]);
}

void tsr__te_turn_all(struct tsr__te *e, struct tsr__te_turn t, uint32_t lines, uint32_t length)
{
    uint32_t side = tsr__te_turn_side(e);
    struct tsr__te_loop outer, inner;
    t.length = length < side ? tsr__te_i64(e, length) : NULL;
    t.last = lines % side ? tsr__te_i64(e, lines - 1) : NULL;
    tsr__te_sure_loop(e, &outer, tsr__te_i64(e, 0), tsr__te_i64(e, lines), tsr__te_i64(e, side));
    tsr__te_sure_loop(e, &inner, tsr__te_i64(e, 0), tsr__te_i64(e, length), tsr__te_i64(e, side));
    /* The last square of a line overlaps the one before. */
    tsr__te_turn(e, &t, outer.index, length > side && length % side ? at_most(e, inner.index, tsr__te_i64(e, length - side)) : inner.index);
    tsr__te_end_loop(e, &inner, NULL);
    tsr__te_hint(e, &inner, "llvm.loop.unroll.disable", 0);
    tsr__te_end_loop(e, &outer, NULL);
    tsr__te_hint(e, &outer, "llvm.loop.unroll.disable", 0);
}

/* ---- A of a product
 * ----------------------------------------------------------------------------------------------------------------------------- */

enum { LEAST_COLUMNS = 4 };

struct copy {
    const struct tsr__te_memref *from, *to;
    enum tsr__t_number number; /* of a part, in `from` */
    enum tsr__t_number made;   /* … in `to` */
};

/* The address of part `at` of a line, of which column `line` of the memref consists. */
static LLVMValueRef part_of_line(struct tsr__te *e, const struct tsr__te_memref *m, enum tsr__t_number part, LLVMValueRef line,
                                 LLVMValueRef at)
{
    LLVMValueRef index[] = {tsr__te_i64(e, 0), line}, begin = tsr__te_address(e, m, index);
    return LLVMBuildInBoundsGEP2(e->builder, tsr__te_type(e, part), begin, &at, 1, "");
}

static LLVMValueRef load_part(struct tsr__te *e, const void *context, LLVMValueRef line, LLVMValueRef at)
{
    const struct copy *c = context;
    LLVMValueRef made = LLVMBuildLoad2(e->builder, tsr__te_type(e, c->number), part_of_line(e, c->from, c->number, line, at), "");
    LLVMSetAlignment(made, tsr__t_numbers[c->number].bytes);
    return tsr__te_convert(e, (struct tsr__te_number){made, NULL}, c->number, c->made).re;
}

/* Parts of complex numbers stay side by side. */
static void store_part(struct tsr__te *e, const void *context, LLVMValueRef line, LLVMValueRef at, LLVMValueRef value)
{
    const struct copy *c = context;
    LLVMValueRef two = tsr__te_i64(e, 2), part = NULL;
    if (tsr__te_is_complex(c->to->type->number)) {
        part = LLVMBuildURem(e->builder, at, two, "");
        at = LLVMBuildUDiv(e->builder, at, two, "");
    }
    LLVMValueRef index[] = {line, at}, address = tsr__te_address(e, c->to, index);
    if (part)
        address = LLVMBuildInBoundsGEP2(e->builder, tsr__te_type(e, c->made), address, &part, 1, "");
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, address), tsr__t_numbers[c->made].bytes);
}

static struct tsr__te_memref local_matrix(struct tsr__te *e, enum tsr__t_number number, LLVMValueRef pointer, uint32_t rows, uint32_t cols,
                                          uint32_t distance)
{
    struct tsr__t_type *type = tsr_arena_alloc(e->arena, sizeof *type);
    int64_t *sizes = tsr_arena_alloc(e->arena, 4 * sizeof *sizes);
    LLVMValueRef *values = tsr__te_room(e, 4);
    memcpy(sizes, (int64_t[]){rows, cols, 1, distance}, 4 * sizeof *sizes);
    for (uint32_t i = 0; i < 4; i++)
        values[i] = tsr__te_i64(e, sizes[i]);
    *type = (struct tsr__t_type){
        .kind = TSR__T_MEMREF, .number = number, .order = 2, .shape = sizes, .stride = sizes + 2, .local = true, .has_space = true};
    return (struct tsr__te_memref){type, pointer, values, values + 2};
}

bool tsr__te_turned(struct tsr__te *e, const struct tsr__te_memref *m, enum tsr__t_number sum, int64_t cols, struct tsr__te_memref *made)
{
    bool complex = tsr__te_is_complex(m->type->number);
    enum tsr__t_number part = tsr__t_numbers[m->type->number].component, part_made = tsr__t_numbers[sum].component;
    uint32_t side = tsr__te_turn_side(e), parts = complex ? 2 : 1, bytes = tsr__t_numbers[part_made].bytes;
    int64_t depth = tsr__te_known(m->shape[0]), rows = tsr__te_known(m->shape[1]);
    if (!side || cols < LEAST_COLUMNS || rows < side / 2 || rows > INT16_MAX || depth * parts < side || depth > INT16_MAX ||
        tsr__te_known(m->stride[0]) != 1 || !e->unit.blocks)
        return false;
    uint32_t distance = ((uint32_t)rows + side - 1) / side * side, count = side * side + distance * (uint32_t)depth * parts;
    LLVMValueRef square = count <= TSR_CPU_LOCAL_MEMORY / bytes ? tsr__te_scratch(e, count * bytes) : NULL;
    if (!square)
        return false;
    LLVMTypeRef type = tsr__te_type(e, part_made);
    LLVMValueRef behind = tsr__te_i64(e, side * side), pointer = LLVMBuildInBoundsGEP2(e->builder, type, square, &behind, 1, "");
    struct tsr__te_touched before = e->touched;
    *made = local_matrix(e, complex ? sum : part_made, pointer, (uint32_t)rows, (uint32_t)depth, distance);
    struct copy copy = {m, made, part, part_made};
    struct tsr__te_turn turn = {.square = square, .type = type, .bytes = bytes, .load = load_part, .store = store_part, .context = &copy};
    tsr__te_turn_all(e, turn, (uint32_t)rows, (uint32_t)depth * parts);
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL);
    e->touched = before;
    return true;
}
