/* SPDX-License-Identifier: Apache-2.0
 * The calls by which the device runs loops over K as a whole. */
#include <stddef.h>

#include "lanes/ir/calls.h"
#include "lanes/matrix/tiles/tile_loops.h"

/* How many rounds the loop has made, at its end. */
static LLVMValueRef count_rounds(struct tsr__tiles *t, LLVMBasicBlockRef loop, const struct tsr__fragment *phi)
{
    LLVMPositionBuilderBefore(t->b, LLVMGetFirstInstruction(loop));
    LLVMValueRef number = LLVMBuildPhi(t->b, LLVMInt64TypeInContext(t->l->context), "");
    LLVMPositionBuilderBefore(t->b, LLVMGetBasicBlockTerminator(loop));
    LLVMValueRef made = LLVMBuildAdd(t->b, number, tsr__i64(t->l, 1), "");
    for (unsigned e = 0; e < phi->in_count; e++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi->v[0], e);
        LLVMValueRef v = from == loop ? made : tsr__i64(t->l, 0);
        LLVMAddIncoming(number, &v, &from, 1);
    }
    return made;
}

/* What is the same for all packets of a call of the function is stored once. */
static void store_field(struct tsr__tiles *t, LLVMValueRef block, size_t offset, LLVMValueRef v)
{
    LLVMBuilderRef b = LLVMIsConstant(v) || tsr__map_get(&t->buffers, v) ? t->entry : t->b;
    LLVMBuildStore(b, v, tsr__at_offset(t->l, b, block, offset));
}

/* Where the operand was in the first round; in the last one it was at its address. */
static LLVMValueRef first_address(struct tsr__tiles *t, const struct tsr__moving *m, LLVMValueRef step, LLVMValueRef rounds)
{
    LLVMValueRef last = LLVMBuildAddrSpaceCast(t->b, m->address, tsr__ptr(t->l), "");
    LLVMValueRef back = LLVMBuildMul(t->b, step, LLVMBuildSub(t->b, tsr__i64(t->l, 1), rounds, ""), "");
    return tsr__plus_bytes(t->l, t->b, last, back);
}

static LLVMValueRef reserve_stack(struct tsr__tiles *t, uint64_t bytes)
{
    LLVMValueRef made = LLVMBuildAlloca(t->entry, LLVMArrayType2(LLVMInt8TypeInContext(t->l->context), bytes), "");
    LLVMSetAlignment(made, TSR_TILE_ROW_BYTES);
    return made;
}

/* The number in the first round. */
static LLVMValueRef first_number(struct tsr__tiles *t, const struct tsr__polynomial *at, const struct tsr__polynomial *step,
                                 LLVMValueRef rounds)
{
    LLVMValueRef back = LLVMBuildSub(t->b, tsr__i64(t->l, 1), rounds, "");
    back = LLVMBuildMul(t->b, tsr__polynomial_build(t->l, t->b, step), back, "");
    return LLVMBuildAdd(t->b, tsr__polynomial_build(t->l, t->b, at), back, "");
}

static void store_matrix(struct tsr__tiles *t, LLVMValueRef loop, size_t offset, const struct tsr__moving *m, LLVMValueRef rounds)
{
    if (!m->place)
        return;
    store_field(t, loop, offset + offsetof(struct tsr_tile_matrix, x), first_number(t, &m->x, &m->step_x, rounds));
    store_field(t, loop, offset + offsetof(struct tsr_tile_matrix, y), first_number(t, &m->y, &m->step_y, rounds));
    store_field(t, loop, offset + offsetof(struct tsr_tile_matrix, width), LLVMGetOperand(m->place, TSR__PLACE_WIDTH));
    store_field(t, loop, offset + offsetof(struct tsr_tile_matrix, height), LLVMGetOperand(m->place, TSR__PLACE_HEIGHT));
}

/* Of the loop: an enum tsr_tile_product, and bits. */
static unsigned kind_of_loop(struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    const struct tsr__loop_part *part = &x->parts[0];
    const struct tsr__moving *a = &part->a.first, *b = &part->b.first;
    unsigned how = tsr__tile_product_bits(t, part->product) | (part->half ? TSR_TILE_HALF_K : 0u) |
                   (tsr__is_narrow(&x->parts[0]) ? TSR_TILE_HALF_N : 0u) | (part->nibbles ? TSR_TILE_NIBBLES : 0u);
    if (part->no_signs)
        how = (how & ~(unsigned)TSR_TILE_PRODUCT) | TSR_TILE_U8U8;
    if (x->slice_a)
        how |= TSR_TILE_A_COMPUTED;
    else
        how |= a->place ? TSR_TILE_A_EDGES : 0u;
    if (x->slice_b)
        how |= TSR_TILE_B_COMPUTED;
    else
        how |= (b->by_rows ? TSR_TILE_B_ROWS : 0u) | (b->by_columns ? TSR_TILE_B_COLUMNS : 0u) | (b->place ? TSR_TILE_B_EDGES : 0u);
    if (x->twice)
        how |= tsr__tile_twice_bits(x->twice);
    return how | (x->runs_now ? 0u : x->number << TSR_TILE_LOOP_SHIFT);
}

/* The same, where it may wait if the launch says that the argument is alone in its memory. */
static LLVMValueRef how_to_run(struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    const unsigned how = kind_of_loop(t, x), waits = how | TSR_TILE_MAY_WAIT | (x->again ? TSR_TILE_IN_ORDER : 0u);
    if (x->runs_now || x->twice)
        return tsr__i64(t->l, how);
    if (x->alone < 0)
        return tsr__i64(t->l, waits);
    tsr__ask_alone(t->l, t->webs.function, x->alone);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(t->l->context);
    LLVMValueRef group = tsr__load_fixed(t->l, t->b, tsr__ptr(t->l), tsr__item_of(t->webs.function), offsetof(struct tsr_item, group), 8);
    LLVMValueRef alone = tsr__load_fixed(t->l, t->b, i64, group, offsetof(struct tsr_group, alone), 8);
    LLVMValueRef bit = LLVMBuildAnd(t->b, alone, tsr__i64(t->l, UINT64_C(1) << x->alone), "");
    return LLVMBuildSelect(t->b, LLVMBuildIsNull(t->b, bit, ""), tsr__i64(t->l, how), tsr__i64(t->l, waits), "");
}

/* Where A or B is, and how far it is from row to row, from step to step, and from tile to tile. */
struct place {
    LLVMValueRef at, stride, step, next;
    LLVMValueRef code, bytes; /* that compute it, from values at `at` */
};

static struct place place_of(struct tsr__tiles *t, const struct tsr__part_operand *o, const struct tsr__polynomial *next,
                             struct tsr__slice *slice, LLVMValueRef rounds)
{
    LLVMValueRef none = tsr__i64(t->l, 0);
    if (slice) {
        const uint64_t bytes = tsr__slice_bytes(slice);
        struct place computed = {reserve_stack(t, bytes), none, none, none, tsr__slice_function(slice), tsr__i64(t->l, bytes)};
        tsr__slice_store_values(slice, t->b, computed.at);
        return computed;
    }
    return (struct place){first_address(t, &o->first, tsr__polynomial_build(t->l, t->b, &o->first.step), rounds),
                          tsr__polynomial_build(t->l, t->b, &o->first.stride),
                          tsr__polynomial_build(t->l, t->b, &o->inner),
                          tsr__polynomial_build(t->l, t->b, next),
                          LLVMConstNull(tsr__ptr(t->l)),
                          none};
}

static void emit_loop_call(struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    const struct tsr__loop_part *part = &x->parts[0];
    const bool prepares = t->unit == TSR__TILES_MODEL, packs = !x->slice_b && (part->b.first.by_rows || part->b.first.by_columns);
    LLVMValueRef args[2], loop = args[1] = reserve_stack(t, sizeof(struct tsr_tile_loop)), rounds = count_rounds(t, x->loop, part->phi);
    LLVMBasicBlockRef after = tsr__exit_of_loop(x->loop);
    if (!x->runs_now)
        tsr__set_fn_text(t->l, t->webs.function, TSR__SHARES, "");
    LLVMPositionBuilderBefore(t->b, tsr__after_phis(LLVMGetFirstInstruction(after)));
    const struct place a = place_of(t, &part->a, &x->a_next, x->slice_a, rounds), b = place_of(t, &part->b, &x->b_next, x->slice_b, rounds);
#define PUT(field, value) store_field(t, loop, offsetof(struct tsr_tile_loop, field), value)
    PUT(a, a.at);
    PUT(b, b.at);
    PUT(a_stride, a.stride);
    PUT(b_stride, b.stride);
    PUT(a_step, a.step);
    PUT(b_step, b.step);
    PUT(a_next, a.next);
    PUT(b_next, b.next);
    PUT(a_code, a.code);
    PUT(b_code, b.code);
    PUT(a_bytes, a.bytes);
    PUT(b_bytes, b.bytes);
    PUT(steps, LLVMBuildMul(t->b, rounds, tsr__i64(t->l, part->depth), ""));
    PUT(apart, tsr__i64(t->l, x->apart));
    PUT(rows, tsr__i64(t->l, x->rows));
    PUT(columns, tsr__i64(t->l, x->columns));
    PUT(tile_rows, tsr__i64(t->l, tsr__rows_of_block(part->life->block)));
    PUT(how, how_to_run(t, x));
    PUT(packed, packs ? reserve_stack(t, TSR_TILE_PACKED_BYTES) : LLVMConstNull(tsr__ptr(t->l)));
    PUT(zero, tsr__i64(t->l, x->zero));
    if (!x->slice_a)
        store_matrix(t, loop, offsetof(struct tsr_tile_loop, a_matrix), &part->a.first, rounds);
    if (!x->slice_b)
        store_matrix(t, loop, offsetof(struct tsr_tile_loop, b_matrix), &part->b.first, rounds);
    PUT(operands, prepares ? reserve_stack(t, (uint64_t)(x->rows + x->columns) * TSR_TILE_OPERAND_BYTES) : LLVMConstNull(tsr__ptr(t->l)));
    for (unsigned i = 0; i < x->rows * x->columns; i++)
        PUT(c[i], tsr__tile_slot(t, x->lives[i]->accumulator));
    LLVMValueRef to_stride = tsr__i64(t->l, 0), past = to_stride, to = LLVMConstNull(tsr__ptr(t->l));
    if (x->leaving)
        to = tsr__tile_store_destination(x->leaving, after, &to_stride, &past);
    PUT(to, to);
    PUT(to_stride, to_stride);
    PUT(past, past);
#undef PUT
    LLVMValueRef done = tsr__tile_call(t, LLVMInt32TypeInContext(t->l->context), TSR__RT_PREFIX "tile_loop", args, 2);
    if (x->twice) /* each call uses AMX's registers for itself */
        LLVMPositionBuilderBefore(t->b, LLVMGetNextInstruction(tsr__tile_twice_called(x->twice, done)));
    for (unsigned i = 0; i < x->rows * x->columns && t->unit == TSR__TILES_AMX; i++) {
        int number = x->lives[i]->accumulator;
        if (number < TSR_TILE_COUNT)
            tsr__tile_fetch(t, number, tsr__tile_slot(t, number));
    }
    if (x->leaving)
        tsr__tile_store_done(x->leaving, after, done);
}

/* In front of all calls behind the loop. */
static void store_accumulators(struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    LLVMPositionBuilderBefore(t->b, tsr__after_phis(LLVMGetFirstInstruction(tsr__exit_of_loop(x->loop))));
    for (unsigned i = 0; i < x->rows * x->columns && t->unit == TSR__TILES_AMX && !x->zero; i++) {
        int number = x->lives[i]->accumulator;
        if (number < TSR_TILE_COUNT)
            tsr__tile_put(t, number, tsr__tile_slot(t, number));
    }
}

void tsr__tile_loops_make(struct tsr__tiles *t)
{
    /* A call is put in front of those that stand behind the same loop already, so that the last one is made first. */
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        emit_loop_call(t, x);
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        store_accumulators(t, x);
}

void tsr__tile_loops_leave(struct tsr__tiles *t)
{
    for (const struct tsr__k_loop *x = t->rounds; x; x = x->next)
        if (x->twice && !x->number)
            tsr__tile_twice_make(x->twice);
}
