/* SPDX-License-Identifier: Apache-2.0
 * Packs the operands of a product of known sizes as a whole: copies in local memory, as numbers of the type of the sum. A transposed A is
 * packed by columns, as lanes would gather it for each block of columns of C; a B of another type than the sum, as its numbers would be
 * converted one by one for each block of rows. */
#include "tensor/llvm/index.h"

#include "tessera/abi.h"

#include <string.h>

struct copy {
    const struct tsr__te_memref *from, *to;
    enum tsr__t_number part, made; /* types of the parts of elements in `from` and in `to` */
    uint32_t parts;                /* of an element */
};

static enum tsr__t_number part_of(enum tsr__t_number number)
{
    return tsr__t_numbers[number].component;
}

static LLVMValueRef part_address(struct tsr__te *e, enum tsr__t_number part, LLVMValueRef first, LLVMValueRef at)
{
    return LLVMBuildInBoundsGEP2(e->builder, tsr__te_type(e, part), first, &at, 1, "");
}

static LLVMValueRef load_part(struct tsr__te *e, const void *context, LLVMValueRef col, LLVMValueRef part)
{
    const struct copy *c = context;
    return tsr__te_load_part(e, c->from, col, part, c->made);
}

/* CPUs do not find out by themselves where the columns of the next squares are. Behind the last column, the next matrix of a batch may be.
 */
static void prefetch_part(struct tsr__te *e, const void *context, LLVMValueRef col, LLVMValueRef part)
{
    const struct copy *c = context;
    tsr__te_prefetch(e, c->from, divided(e, part, c->parts), col);
}

static void store_part(struct tsr__te *e, const struct copy *c, LLVMValueRef row, LLVMValueRef col, LLVMValueRef at, LLVMValueRef part)
{
    LLVMValueRef index[] = {row, col}, first = tsr__te_address(e, c->to, index);
    LLVMSetAlignment(LLVMBuildStore(e->builder, part, part_address(e, c->made, first, at)), tsr__t_numbers[c->made].bytes);
}

/* Part `at` of column `line` of A: both parts of a complex number stay side by side in the copy. */
static void store_transposed(struct tsr__te *e, const void *context, LLVMValueRef line, LLVMValueRef at, LLVMValueRef part)
{
    const struct copy *c = context;
    LLVMValueRef parts = tsr__te_i64(e, c->parts);
    store_part(e, c, line, LLVMBuildUDiv(e->builder, at, parts, ""), LLVMBuildURem(e->builder, at, parts, ""), part);
}

/* ---- B ---- */

/* `count` parts, of which lanes have those that follow each other. */
static void copy_column(struct tsr__te *e, const struct copy *c, LLVMValueRef col, uint32_t count)
{
    uint32_t lanes = e->func->info.work_group_size[0], whole = count / lanes * lanes;
    struct tsr__te_loop loop;
    for (int rest = 0; rest < 2; rest++) {
        if (rest ? whole == count : !whole)
            continue;
        tsr__te_sure_loop(e, &loop, tsr__te_i64(e, rest ? whole : 0), tsr__te_i64(e, rest ? count : whole), tsr__te_i64(e, lanes));
        LLVMValueRef at = add(e, loop.index, e->item[0]);
        LLVMBasicBlockRef end = tsr__te_if(e, rest ? less(e, at, tsr__te_i64(e, count)) : NULL);
        store_part(e, c, tsr__te_i64(e, 0), col, at, load_part(e, c, col, at));
        tsr__te_end_if(e, end);
        tsr__te_end_rolled_loop(e, &loop, NULL);
    }
}

/* Columns without gaps between them are copied as if they were one. */
static void copy_all(struct tsr__te *e, const struct copy *c, uint32_t rows, uint32_t cols)
{
    struct tsr__te_loop loop;
    if (tsr__te_known(c->from->stride[1]) == rows) {
        copy_column(e, c, tsr__te_i64(e, 0), rows * cols * c->parts);
        return;
    }
    tsr__te_sure_loop(e, &loop, tsr__te_i64(e, 0), tsr__te_i64(e, cols), tsr__te_i64(e, 1));
    copy_column(e, c, loop.index, rows * c->parts);
    tsr__te_end_loop(e, &loop, NULL);
}

/* ---- A and B ---- */

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

static struct copy copy_of(const struct tsr__te_memref *m, enum tsr__t_number sum)
{
    enum tsr__t_number number = m->type->number;
    return (struct copy){.from = m, .part = part_of(number), .made = part_of(sum), .parts = tsr__te_parts(number)};
}

/* Elements of a copy whose columns are filled up to a multiple of `side`; 0: no copy is made. */
static uint32_t elements_of(const struct tsr__te_memref *m, bool wanted, uint32_t side)
{
    int64_t rows = tsr__te_known(m->shape[0]), cols = tsr__te_known(m->shape[1]);
    if (!wanted || tsr__te_known(m->stride[0]) != 1 || rows < 1 || cols < 1 || rows > INT16_MAX || cols > INT16_MAX)
        return 0;
    return (uint32_t)rows * round_up((uint32_t)cols, side);
}

/* Whether A is packed by columns: it is transposed, and fills most of its squares. */
static bool is_packed(const struct tsr__te_blas *o, bool ta, uint32_t side)
{
    int64_t depth = tsr__te_known(o->a.shape[0]) * tsr__te_parts(o->a.type->number);
    return ta && side && tsr__te_known(o->c.shape[1]) > 0 && tsr__te_known(o->a.shape[1]) >= side / 2 && depth >= side;
}

static struct tsr__te_memref place_of(struct tsr__te *e, const struct copy *c, LLVMValueRef room, uint32_t at, bool transposed,
                                      uint32_t side)
{
    uint32_t rows = (uint32_t)tsr__te_known(c->from->shape[0]), cols = (uint32_t)tsr__te_known(c->from->shape[1]);
    enum tsr__t_number number = c->parts > 1 ? (c->made == TSR__T_F64 ? TSR__T_C64 : TSR__T_C32) : c->made;
    LLVMValueRef pointer = part_address(e, c->made, room, tsr__te_i64(e, at));
    return transposed ? local_matrix(e, number, pointer, cols, rows, round_up(cols, side))
                      : local_matrix(e, number, pointer, rows, cols, rows);
}

void tsr__te_pack_operands(struct tsr__te *e, struct tsr__te_blas *o, bool *ta, enum tsr__t_number sum)
{
    uint32_t side = tsr__te_square_side(e), bytes = tsr__t_numbers[part_of(sum)].bytes;
    struct copy a = copy_of(&o->a, sum), b = copy_of(&o->b, sum);
    if (!e->unit.blocks || !e->one_sub_group)
        return;
    uint32_t of_a = elements_of(&o->a, is_packed(o, *ta, side), side), of_b = elements_of(&o->b, b.part != b.made, 1);
    uint64_t behind_square = of_a ? side * side : 0, all = behind_square + (uint64_t)of_a * a.parts + (uint64_t)of_b * b.parts;
    LLVMValueRef room = all && all <= TSR_CPU_LOCAL_MEMORY / bytes ? tsr__te_scratch(e, (uint32_t)all * bytes) : NULL;
    if (!room)
        return;
    struct tsr__te_memref made_a, made_b;
    tsr__te_scratch_barrier(e); /* behind the product before */
    if (of_a) {
        made_a = place_of(e, &a, room, (uint32_t)behind_square, true, side);
        a.to = &made_a;
        struct tsr__te_transposition t = {.local = room, .type = tsr__te_type(e, a.made), .bytes = bytes, .context = &a};
        t.load = load_part;
        t.prefetch = prefetch_part;
        tsr__te_transpose_all(e, t, (uint32_t)tsr__te_known(o->a.shape[1]), (uint32_t)tsr__te_known(o->a.shape[0]) * a.parts,
                              store_transposed);
    }
    if (of_b) {
        made_b = place_of(e, &b, room, (uint32_t)behind_square + of_a * a.parts, false, 1);
        b.to = &made_b;
        copy_all(e, &b, (uint32_t)tsr__te_known(o->b.shape[0]), (uint32_t)tsr__te_known(o->b.shape[1]));
    }
    tsr__te_scratch_barrier(e);
    o->a = of_a ? made_a : o->a;
    o->b = of_b ? made_b : o->b;
    *ta = *ta && !of_a;
}
