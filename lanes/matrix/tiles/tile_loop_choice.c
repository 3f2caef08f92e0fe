/* SPDX-License-Identifier: Apache-2.0
 * Which loops over K the device runs with those of other work-groups: those that may end after their packet, and those for which packets
 * run twice. */
#include <string.h>

#include "lanes/ir/match.h"
#include "lanes/matrix/tiles/tile_loops.h"

/* Does the function only let the launch fail? */
static bool ends_launch(LLVMValueRef callee)
{
    return !strcmp(tsr__name(callee), TSR__RT_PREFIX "barrier_mismatch") || !strcmp(tsr__name(callee), TSR__RT_PREFIX "divergent_barrier");
}

/* Is there nothing in the function, and in those that it calls, by which work-groups could wait for each other, or that must happen in its
 * place? */
static bool runs_alone(LLVMValueRef function)
{
    for (LLVMValueRef i = tsr__first(function); i; i = tsr__next(i)) {
        struct tsr__mad mad;
        LLVMValueRef callee = LLVMIsACallInst(i) ? tsr__callee(i) : NULL;
        if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetVolatile(i))
            return false;
        if (LLVMIsAFenceInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
            return false;
        if (!LLVMIsACallInst(i) || tsr__mad_read(i, &mad))
            continue;
        if (!callee || (LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) && !tsr__is_marker(callee) && !ends_launch(callee) &&
                        !tsr__starts_with(tsr__name(callee), TSR__RT_PREFIX "tile_")))
            return false;
        const bool elsewhere = tsr__has_text_attr(callee, TSR__ELSEWHERE); /* that does what this function does */
        if (!LLVMIsDeclaration(callee) && !elsewhere && !runs_alone(callee))
            return false;
    }
    return true;
}

uint32_t tsr__registers_of_loop(const struct tsr__k_loop *x)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < x->rows * x->columns; i++)
        all |= UINT32_C(1) << x->lives[i]->accumulator;
    return all;
}

/* The device's code has AMX's registers for itself: are none in use behind the loop but `own` ones? */
static bool leaves_registers_alone(const struct tsr__tiles *t, LLVMBasicBlockRef loop, uint32_t own)
{
    uint32_t taken = t->registers.places.at[tsr__map_number(&t->registers.places.number, tsr__exit_of_loop(loop))].taken;
    return t->unit != TSR__TILES_AMX || (!(taken & ~own) && t->shapes == TSR_TILE_SHAPES_WHOLE);
}

const char *tsr__tile_loop_runs_apart(const struct tsr__tiles *t, const struct tsr__k_loop *x, uint32_t own_registers)
{
    const struct tsr__loop_part *part = &x->parts[0];
    const struct tsr__moving *a = &part->a.first, *b = &part->b.first;
    if ((!x->slice_a && !tsr__is_global_memory(a->address)) || (!x->slice_b && !tsr__is_global_memory(b->address)))
        return "A or B is not in global memory";
    if (tsr__rows_of_block(part->life->block) < TSR_TILE_ROWS && x->rows > 1)
        return "its rows are not those of one tile";
    if (tsr__is_narrow(part) && x->rows * x->columns > 1)
        return "it has 8 columns in more than one tile";
    if (tsr__is_narrow(part) && b->by_columns && part->nibbles)
        return "its 8 columns of B are of numbers of 4 bits";
    if (tsr__is_narrow(part) && x->slice_b)
        return "it computes 8 columns of B";
    if (t->unit == TSR__TILES_VECTORS && x->slice_b && tsr__slice_begins_in_memory(x->slice_b))
        return "each row of work-groups has a B of its own, whose steps begin where a number in memory says";
    bool in_panels = b->stride.valid && !b->stride.count; /* of a width that the program knows: it has packed B for tiles */
    if (t->unit == TSR__TILES_AMX && tsr__rows_of_block(part->life->block) == TSR_TILE_ROWS && !x->slice_a && !x->slice_b &&
        !tsr__is_unpacked(b) && !part->nibbles && in_panels)
        return "whole tiles of A and B come straight from memory";
    return leaves_registers_alone(t, x->loop, own_registers) ? NULL : "other accumulators wait in tile registers";
}

static const char *const runs_once = "in launches where indices may wrap, or in those where none does, packets cannot run twice";

/* Are multiply-adds of the packet's own, with all accumulators in registers, as fast as those of other work-groups, and so faster than two
 * passes? Each number of B fills a register of multiply-adds, so that loading it takes little of their time. */
static bool is_as_fast_alone(const struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    const struct tsr__loop_part *part = &x->parts[0];
    return t->unit == TSR__TILES_VECTORS && tsr__has(t->l, TSR_CPU_AVX512F) && part->product->number == TSR_TILE_F16 && !x->apart &&
           x->rows * x->columns == 1 && part->life->is_part && !tsr__is_narrow(part) && !x->slice_a && !x->slice_b &&
           !tsr__is_unpacked(&part->b.first);
}

/* Does the loop end after at most `rounds` rounds? Its counter begins with a constant and has constant steps. */
static bool ends_within(const struct tsr__tiles *t, LLVMBasicBlockRef loop, uint64_t rounds)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(loop), test = LLVMGetNumSuccessors(end) == 2 ? LLVMGetCondition(end) : NULL;
    if (!test || !LLVMIsAICmpInst(test) || !LLVMIsAConstantInt(LLVMGetOperand(test, 1)))
        return false;
    LLVMValueRef counted = LLVMGetOperand(test, 0), phi = LLVMIsABinaryOperator(counted) ? LLVMGetOperand(counted, 0) : counted;
    if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != loop || LLVMCountIncoming(phi) != 2)
        return false;
    LLVMValueRef start = LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == loop), next = tsr__incoming_from(phi, loop);
    if (!LLVMIsAConstantInt(start) || !LLVMIsABinaryOperator(next) || LLVMGetInstructionOpcode(next) != LLVMAdd ||
        LLVMGetOperand(next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)) || (counted != phi && counted != next))
        return false;
    const uint64_t step = LLVMConstIntGetZExtValue(LLVMGetOperand(next, 1));
    uint64_t number = LLVMConstIntGetZExtValue(start) + (counted == next ? step : 0);
    LLVMBuilderRef b = tsr__builder_before(t->l, end); /* builds nothing: comparisons of constants are constants */
    bool ends = false;
    for (uint64_t i = 0; i < rounds && !ends; i++, number += step) {
        LLVMValueRef now = LLVMConstInt(LLVMTypeOf(phi), number, false);
        ends = LLVMGetSuccessor(end, LLVMIsNull(LLVMBuildICmp(b, LLVMGetICmpPredicate(test), now, LLVMGetOperand(test, 1), ""))) != loop;
    }
    LLVMDisposeBuilder(b);
    return ends;
}

/* Is so little of K known to be there that calls of the device take longer than the products? Other loops around it may have more. */
static bool has_little_k(const struct tsr__tiles *t, const struct tsr__k_loop *x, bool twice)
{
    const struct tsr__loop_part *part = &x->parts[0];
    const uint64_t bytes = part->depth * (part->half ? TSR_TILE_ROW_BYTES / 2 : TSR_TILE_ROW_BYTES),
                   most = twice && x->rows * x->columns == 1 ? 2 * TSR_TILE_ROW_BYTES : TSR_TILE_ROW_BYTES;
    return t->unit == TSR__TILES_VECTORS && x->zero && !x->slice_a && !x->slice_b && !tsr__is_unpacked(&part->b.first) &&
           ends_within(t, x->loop, most / bytes);
}

/* Each sum that stays apart goes to memory and back, which takes as long as a third of 32 bytes of K. That is less than what packing saves
 * where B does not lie ready, or where a packet's registers do not hold its block and its own sums (docs/measurements.md). */
static bool may_keep_sums_apart(const struct tsr__tiles *t, const struct tsr__k_loop *x)
{
    const struct tsr__loop_part *part = &x->parts[0];
    const enum tsr_tile_product product = part->product->number;
    const bool ready = !x->slice_b && !tsr__is_unpacked(&part->b.first), same_signs = product == TSR_TILE_S8S8 || product == TSR_TILE_U8U8;
    const bool by_words = product < TSR_TILE_BF16 ? tsr__has(t->l, TSR_CPU_AVX512VNNI) : product == TSR_TILE_BF16_PAIRS;
    return by_words && (!ready || x->rows * x->columns > 1 || (same_signs && tsr__rows_of_block(part->life->block) == TSR_TILE_ROWS));
}

/* Do the slices read nothing that the packet stores? Notes which argument has to be alone in its memory for that. */
static bool slices_are_apart(struct tsr__tiles *t, struct tsr__k_loop *x)
{
    x->alone = x->slice_a || x->slice_b ? tsr__argument_of_address(t->l, tsr__tile_store_address(x->leaving)) : -1;
    return (!x->slice_a || tsr__slice_is_apart(x->slice_a, x->alone)) && (!x->slice_b || tsr__slice_is_apart(x->slice_b, x->alone));
}

const char *tsr__tile_loop_must_run_now(struct tsr__tiles *t, struct tsr__k_loop *x, bool all)
{
    const char *why = tsr__tile_loop_runs_apart(t, x, tsr__registers_of_loop(x));
    if (why)
        return why;
    if (has_little_k(t, x, false))
        return "it has no more than 64 bytes of K";
    why = "several blocks, whose rows are not those of one";
    if (x->zero && x->leaving && slices_are_apart(t, x) && tsr__tile_loop_can_wait(t->l, x->loop, x->leaving, all, &x->again) &&
        runs_alone(t->webs.function))
        return NULL;
    if (t->once)
        return runs_once;
    if (has_little_k(t, x, true))
        return "it has no more than 128 bytes of K, and work-groups would have to run twice";
    if (is_as_fast_alone(t, x))
        return "products of halves are as fast alone as in two passes";
    if (all)
        x->twice = tsr__tile_runs_twice(t, x->loop, x->lives, x->rows * x->columns, &why);
    if (x->twice && x->apart && tsr__tile_twice_bits(x->twice) & TSR_TILE_GOES_ON) {
        x->twice = NULL;
        why = "its sums begin again in each round, and it is in another loop";
    }
    if (x->twice && x->apart && !may_keep_sums_apart(t, x)) {
        x->twice = NULL;
        why = "its sums begin again in each round, and vectors of the packet make them as fast";
    }
    return x->twice ? NULL : why;
}
