/* SPDX-License-Identifier: Apache-2.0
 * Loop fission (distribution) against register pressure.
 *
 * A loop with more accumulators than the CPU has registers becomes several loops, one after the other, each with as many accumulators as
 * fit. An accumulator that the code generator spills costs a store and a load in each round, and the next round waits for both.
 *
 * What the loops have in common is computed in each of them. So it must be cheap, and its loads must be of local, private or constant
 * memory. Only loops of one block without side effects are split. Each sum keeps the order of its additions. */
#include "lanes/ir/ir.h"
#include "lanes/ir/costs.h"

#include <string.h>

#include "lanes/ir/mad_op.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"
#include "lanes/prepare/block_loop.h"

enum {
    MOST = 64, /* accumulators, and shared values, of a loop that is looked at: bits of a word */
};

/* An accumulator, or several that are made of each other. */
struct chain {
    uint64_t phis;    /* bits, by number */
    uint64_t shared;  /* values that it takes from what does not depend on accumulators */
    unsigned carried; /* registers */
};

struct fission {
    struct tsr__compilation *l;
    struct tsr_arena arena;
    LLVMBasicBlockRef loop, before, after;
    struct tsr__map depends; /* instruction of the loop → the accumulators that it is made of */
    LLVMValueRef phis[MOST];
    struct chain chains[MOST];
    unsigned phi_count, chain_count;
    /* What several chains take from the loop or from before it, and the registers of each. */
    LLVMValueRef shared[MOST];
    unsigned shared_registers[MOST], shared_count;
    unsigned room, carried;
    uint8_t group[MOST]; /* of a chain, 1 … */
    unsigned group_count;
};

/* ---- what a loop is made of ---- */

static bool is_in_loop(const struct fission *f, LLVMValueRef v)
{
    return tsr__is_in_block(v, f->loop);
}

/* One number for all lanes: the same register serves each part of the packet. */
static bool is_splat(LLVMValueRef v)
{
    return tsr__picks_every(v, 0, 0) && LLVMIsAInsertElementInst(LLVMGetOperand(v, 0));
}

static unsigned registers_of_value(const struct fission *f, LLVMValueRef v)
{
    return is_splat(v) ? 1 : (unsigned)tsr__vector_registers(f->l, LLVMTypeOf(v));
}

static bool is_masked_load(LLVMValueRef inst)
{
    return tsr__calls(inst, "llvm.masked.load.");
}

static bool is_load(LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst) || is_masked_load(inst);
}

/* It may be made once more, or later: behind what was the whole loop, say. */
static bool may_be_recomputed(LLVMValueRef inst)
{
    return tsr__is_plain_load(inst) || is_masked_load(inst) || LLVMIsAPHINode(inst) || tsr__is_pure(inst);
}

/* What is read in each of the loops must not have to come from far away each time. */
static bool is_near(LLVMValueRef load)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return space == TSR__LOCAL_SPACE || space == TSR__CONSTANT_SPACE || LLVMIsAAllocaInst(pointer);
}

/* The block is a loop by itself, with one way in and one way on. */
static bool find_loop(struct fission *f, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block), first = LLVMGetFirstInstruction(block);
    if (LLVMGetInstructionOpcode(end) != LLVMBr || LLVMGetNumSuccessors(end) != 2 || !LLVMIsAPHINode(first) ||
        LLVMCountIncoming(first) != 2)
        return false;
    bool back = LLVMGetSuccessor(end, 0) == block;
    f->loop = block;
    f->after = LLVMGetSuccessor(end, back);
    if (LLVMGetSuccessor(end, !back) != block || f->after == block)
        return false;
    f->before = LLVMGetIncomingBlock(first, LLVMGetIncomingBlock(first, 0) == block);
    return true;
}

/* ---- chains ---- */

static LLVMValueRef next_round(const struct fission *f, LLVMValueRef phi)
{
    return LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) != f->loop);
}

static uint64_t depends_on(const struct fission *f, LLVMValueRef v)
{
    return is_in_loop(f, v) ? tsr__map_get(&f->depends, v) : 0;
}

/* False: the loop is not one to be split. */
static bool find_depends(struct fission *f)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->loop); i; i = LLVMGetNextInstruction(i)) {
        uint64_t from = 0;
        if (LLVMIsATerminatorInst(i))
            break;
        if (!may_be_recomputed(i))
            return false;
        if (!LLVMIsAPHINode(i)) {
            for (int k = 0; k < LLVMGetNumOperands(i); k++)
                from |= depends_on(f, LLVMGetOperand(i, (unsigned)k));
        } else if (tsr__is_vector(i)) {
            if (f->phi_count == MOST)
                return false;
            from = UINT64_C(1) << f->phi_count;
            f->phis[f->phi_count++] = i;
        }
        tsr__map_set(&f->depends, i, from);
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->loop); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        if (!tsr__is_vector(i) && depends_on(f, next_round(f, i)))
            return false;
    return !depends_on(f, LLVMGetCondition(LLVMGetBasicBlockTerminator(f->loop)));
}

/* Makes one chain of all that these accumulators are in. */
static void join_chains(struct fission *f, uint64_t phis)
{
    struct chain *first = NULL;
    unsigned kept = 0;
    for (unsigned c = 0; c < f->chain_count; c++) {
        const struct chain chain = f->chains[c];
        if (first && chain.phis & phis) {
            first->phis |= chain.phis;
            first->carried += chain.carried;
            continue;
        }
        f->chains[kept] = chain;
        first = chain.phis & phis ? &f->chains[kept] : first;
        kept++;
    }
    f->chain_count = kept;
}

static bool is_used_behind(const struct fission *f, LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (LLVMGetInstructionParent(LLVMGetUser(use)) != f->loop)
            return true;
    return false;
}

/* Accumulators that are made of each other go together, and those of which something is made that is used behind the loop. */
static void find_chains(struct fission *f)
{
    for (unsigned p = 0; p < f->phi_count; p++)
        f->chains[f->chain_count++] = (struct chain){.phis = UINT64_C(1) << p, .carried = registers_of_value(f, f->phis[p])};
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->loop); i; i = LLVMGetNextInstruction(i)) {
        uint64_t phis = LLVMIsAPHINode(i) ? depends_on(f, i) | depends_on(f, next_round(f, i)) : depends_on(f, i);
        if (phis & (phis - 1) && (LLVMIsAPHINode(i) || is_used_behind(f, i)))
            join_chains(f, phis);
    }
    for (unsigned c = 0; c < f->chain_count; c++)
        f->carried += f->chains[c].carried;
}

/* ---- what chains share ---- */

/* Instructions to make a value of the loop again; false: one should not. What is done for one lane runs beside the rest. */
static bool add_recompute_cost(struct fission *f, struct tsr__map *seen, LLVMValueRef v, unsigned *cost)
{
    if (!is_in_loop(f, v) || LLVMIsAPHINode(v) || tsr__map_get(seen, v))
        return true;
    tsr__map_set(seen, v, 1);
    if (is_load(v) && !is_near(v))
        return false;
    if (is_load(v) || (tsr__is_vector(v) && !is_splat(v) && !LLVMIsAInsertElementInst(v) && LLVMGetInstructionOpcode(v) != LLVMFreeze))
        *cost += registers_of_value(f, v);
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!add_recompute_cost(f, seen, LLVMGetOperand(v, (unsigned)k), cost))
            return false;
    return true;
}

static unsigned chain_of(const struct fission *f, uint64_t phis)
{
    unsigned c = 0;
    while (!(f->chains[c].phis & phis))
        c++;
    return c;
}

/* The chain takes `v` from outside of all chains. */
static bool chain_takes(struct fission *f, struct tsr__map *numbers, unsigned chain, LLVMValueRef v)
{
    if (!tsr__is_vector(v) || LLVMIsAConstant(v) || depends_on(f, v))
        return true;
    unsigned number = (unsigned)tsr__map_get(numbers, v);
    if (!number) {
        if (f->shared_count == MOST)
            return false;
        f->shared[f->shared_count] = v;
        f->shared_registers[f->shared_count] = registers_of_value(f, v);
        tsr__map_set(numbers, v, number = ++f->shared_count);
    }
    f->chains[chain].shared |= UINT64_C(1) << (number - 1);
    return true;
}

/* … of which only what several chains take is kept. */
static void drop_single(struct fission *f)
{
    uint64_t once = 0, twice = 0;
    for (unsigned c = 0; c < f->chain_count; c++) {
        twice |= once & f->chains[c].shared;
        once |= f->chains[c].shared;
    }
    for (unsigned c = 0; c < f->chain_count; c++)
        f->chains[c].shared &= twice;
}

static bool find_shared(struct fission *f)
{
    struct tsr__map numbers = {.arena = &f->arena};
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->loop); i; i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i) && depends_on(f, i))
            for (int k = 0; k < LLVMGetNumOperands(i); k++)
                if (!chain_takes(f, &numbers, chain_of(f, depends_on(f, i)), LLVMGetOperand(i, (unsigned)k)))
                    return false;
    drop_single(f);
    return true;
}

static unsigned registers_of(const struct fission *f, uint64_t shared)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < f->shared_count; i++)
        sum += shared >> i & 1 ? f->shared_registers[i] : 0;
    return sum;
}

/* ---- groups ---- */

/* The chain that brings the fewest new values to a group that has these, if it still fits; or none. */
static unsigned best_chain(const struct fission *f, uint64_t shared, unsigned carried, unsigned most)
{
    unsigned best = f->chain_count, least = UINT32_MAX;
    for (unsigned c = 0; c < f->chain_count; c++) {
        const struct chain *chain = &f->chains[c];
        unsigned more = registers_of(f, chain->shared & ~shared);
        if (f->group[c] || (carried && carried + chain->carried > most) || more >= least ||
            (carried && carried + chain->carried + registers_of(f, shared | chain->shared) > f->room))
            continue;
        best = c;
        least = more;
    }
    return best;
}

/* Fills one group after the other, with at most `most` registers of accumulators in each. */
static void make_groups(struct fission *f, unsigned most)
{
    memset(f->group, 0, sizeof f->group);
    f->group_count = 0;
    for (unsigned left = f->chain_count; left; f->group_count++) {
        uint64_t shared = 0;
        unsigned carried = 0;
        for (unsigned c; (c = best_chain(f, shared, carried, most)) < f->chain_count; left--) {
            f->group[c] = (uint8_t)(f->group_count + 1);
            shared |= f->chains[c].shared;
            carried += f->chains[c].carried;
        }
    }
}

/* Groups of about the same size: a loop with few accumulators would wait for each of them. */
static void find_groups(struct fission *f)
{
    make_groups(f, f->room);
    unsigned count = f->group_count;
    make_groups(f, (f->carried + count - 1) / count);
    if (f->group_count > count)
        make_groups(f, f->room);
}

/* Whether what is made again costs less than what the registers do not hold. */
static bool is_worth_it(struct fission *f)
{
    unsigned cost = 0;
    uint64_t all = 0;
    for (unsigned g = 1; g <= f->group_count; g++) {
        uint64_t shared = 0;
        for (unsigned c = 0; c < f->chain_count; c++)
            shared |= f->group[c] == g ? f->chains[c].shared : 0;
        struct tsr__map seen = {.arena = &f->arena};
        for (unsigned i = 0; i < f->shared_count; i++)
            if (shared & all & UINT64_C(1) << i && !add_recompute_cost(f, &seen, f->shared[i], &cost))
                return false;
        all |= shared;
    }
    return cost <= (f->carried + registers_of(f, all) - f->room) * TSR__FISSION_SPILL;
}

/* ---- the loops ---- */

/* The chain's values are those of the copy from now on, outside of the loop. */
static void use_copies(struct fission *f, unsigned group, struct tsr__map *copies)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->loop); i; i = LLVMGetNextInstruction(i)) {
        uint64_t phis = LLVMIsATerminatorInst(i) ? 0 : depends_on(f, i);
        if (!phis || f->group[chain_of(f, phis)] != group)
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(i), next; use; use = next) {
            LLVMValueRef user = LLVMGetUser(use);
            next = LLVMGetNextUse(use);
            if (LLVMGetInstructionParent(user) == f->loop)
                continue;
            for (int k = 0; k < LLVMGetNumOperands(user); k++)
                if (LLVMGetOperand(user, (unsigned)k) == i)
                    LLVMSetOperand(user, (unsigned)k, tsr__copy_of(copies, i));
            next = LLVMGetFirstUse(i); /* the list has changed */
        }
    }
}

/* A copy of the whole loop before it, of which LLVM drops what nobody uses. */
static void copy_loop_for_group(struct fission *f, unsigned group)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(f->l->context);
    struct tsr__map copies = {.arena = &f->arena};
    const struct tsr__block_loop loop = {.block = f->loop, .before = f->before, .behind = f->loop};
    LLVMBasicBlockRef made = tsr__copy_loop(f->l, b, &loop, "part", &copies);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(f->before);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(branch); k++)
        if (LLVMGetSuccessor(branch, k) == f->loop)
            LLVMSetSuccessor(branch, k, made);
    use_copies(f, group, &copies);
    LLVMDisposeBuilder(b);
    f->before = made;
}

/* The loop is the last one: what leads to it comes from the last copy. */
static void comes_from(struct fission *f, LLVMBasicBlockRef old)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(f->l->context);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(f->loop), next; LLVMIsAPHINode(phi); phi = next) {
        LLVMValueRef made, values[2];
        LLVMBasicBlockRef blocks[2];
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(b, phi);
        made = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
        for (unsigned k = 0; k < 2; k++) {
            values[k] = LLVMGetIncomingValue(phi, k) == phi ? made : LLVMGetIncomingValue(phi, k);
            blocks[k] = LLVMGetIncomingBlock(phi, k) == old ? f->before : f->loop;
        }
        LLVMAddIncoming(made, values, blocks, 2);
        LLVMReplaceAllUsesWith(phi, made);
        LLVMInstructionEraseFromParent(phi);
    }
    LLVMDisposeBuilder(b);
}

static bool split_loop(struct fission *f)
{
    if (!find_depends(f))
        return false;
    find_chains(f);
    if (f->chain_count < 2 || f->carried + TSR__FISSION_SPARE <= f->room || !find_shared(f))
        return false;
    uint64_t all = 0;
    for (unsigned c = 0; c < f->chain_count; c++)
        all |= f->chains[c].shared;
    if (f->carried + registers_of(f, all) <= f->room)
        return false;
    find_groups(f);
    if (f->group_count < 2 || !is_worth_it(f))
        return false;
    LLVMBasicBlockRef before = f->before;
    for (unsigned g = 1; g < f->group_count; g++)
        copy_loop_for_group(f, g);
    comes_from(f, before);
    return true;
}

bool tsr__pass_loop_fission(struct tsr__compilation *l, LLVMValueRef function)
{
    bool any = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        struct fission f = {.l = l, .room = tsr__has(l, TSR_CPU_AVX512F) ? 32 : 16};
        f.depends.arena = &f.arena;
        any |= find_loop(&f, block) && split_loop(&f);
        tsr_arena_free(&f.arena);
    }
    return !any || tsr__run_llvm_on(l, function, "adce"); /* what the loops do not use any more */
}
