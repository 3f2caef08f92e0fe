/* SPDX-License-Identifier: Apache-2.0
 * Several work-items in one: decides what becomes of branches at which they may part. In most code they go on one after the other, each
 * alone, up to the branch's post-dominator, where they meet. Where they have written nothing so far and hardly ever part, as in what a
 * search does with what it has found, the first one starts again alone, which needs no further code. */
#include "lanes/groups/interleave_plan.h"

#include <string.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/layout.h"
#include "lanes/prepare/staged_copies.h"

struct planner {
    struct tsr__compilation *l;
    struct tsr__interleave_plan *plan;
    bool *region; /* by block, of one branch */
    int *stack;
};

static bool is_atomic(LLVMValueRef inst)
{
    return LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst);
}

/* A store to the work-item's own memory counts as none: it starts again with memory of its own. */
static bool writes(LLVMValueRef inst)
{
    if (LLVMIsAStoreInst(inst))
        return !LLVMIsAAllocaInst(tsr__object_of(LLVMGetOperand(inst, 1)));
    return tsr__call_of(inst) != TSR__CALL_SITE && tsr__has_effect(inst);
}

static bool block_has(const struct tsr__block *block, bool (*is)(LLVMValueRef))
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i))
        if (is(i))
            return true;
    return false;
}

static uint64_t size_of(const struct tsr__block *block)
{
    uint64_t size = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i))
        size++;
    return size;
}

/* Marks what can be reached from the block before `end`, itself included. */
static void mark_region(struct planner *p, int from, int end)
{
    const struct tsr__cfg *cfg = &p->plan->cfg;
    int depth = 0;
    if (from == end || p->region[from])
        return;
    p->region[from] = true;
    for (p->stack[depth++] = from; depth;) {
        const struct tsr__block *block = &cfg->blocks[p->stack[--depth]];
        for (int s = 0; s < block->succ_count; s++) {
            int to = block->succ[s];
            if (to == end || p->region[to])
                continue;
            p->region[to] = true;
            p->stack[depth++] = to;
        }
    }
}

static void forget_region(struct planner *p)
{
    for (int b = 0; b < p->plan->cfg.block_count; b++)
        p->region[b] = false;
}

static void mark_branch_region(struct planner *p, int branch)
{
    const struct tsr__block *block = &p->plan->cfg.blocks[branch];
    forget_region(p);
    for (int s = 0; s < block->succ_count; s++)
        mark_region(p, block->succ[s], block->ipdom);
}

static int way_to(const struct planner *p, int branch, unsigned way)
{
    return tsr__cfg_number(&p->plan->cfg, LLVMGetSuccessor(p->plan->cfg.blocks[branch].terminator, way));
}

/* Which way hardly any work-item goes: one with atomic operations, by which those who find something tell it. */
static int find_cold(struct planner *p, int branch)
{
    const struct tsr__cfg *cfg = &p->plan->cfg;
    bool atomic[2];
    for (unsigned way = 0; way < 2; way++) {
        forget_region(p);
        mark_region(p, way_to(p, branch, way), cfg->blocks[branch].ipdom);
        atomic[way] = false;
        for (int b = 0; b < cfg->block_count; b++)
            atomic[way] = atomic[way] || (p->region[b] && block_has(&cfg->blocks[b], is_atomic));
        if (p->region[branch]) /* the loop goes on */
            return TSR__NONE;
    }
    return atomic[0] == atomic[1] ? TSR__NONE : atomic[0] ? 0 : 1;
}

/* Blocks to which work-items may come together. */
static void find_together(struct planner *p)
{
    struct tsr__interleave_plan *plan = p->plan;
    for (int b = 0; b < plan->cfg.block_count; b++)
        plan->together[b] = b <= 1;
    for (bool more = true; more;) {
        more = false;
        for (int b = 0; b < plan->cfg.block_count; b++) {
            const struct tsr__block *block = &plan->cfg.blocks[b];
            for (int s = 0; plan->together[b] && s < block->succ_count; s++) {
                int cold = plan->cold[b] == TSR__NONE ? TSR__NONE : way_to(p, b, (unsigned)plan->cold[b]);
                if (plan->together[block->succ[s]] || block->succ[s] == cold)
                    continue;
                plan->together[block->succ[s]] = more = true;
            }
            if (plan->together[b] && plan->parting[b] == TSR__PART_APART && block->ipdom != TSR__NONE && !plan->together[block->ipdom])
                plan->together[block->ipdom] = more = true;
        }
    }
}

/* Is it the way of those that start again and never come back? `apart`: blocks that work-items run alone, which go any way. */
static bool leaves(const struct planner *p, int block, int to, const bool *apart)
{
    const struct tsr__interleave_plan *plan = p->plan;
    return plan->parting[block] == TSR__PART_RESTART && plan->cold[block] != TSR__NONE && !apart[block] &&
           to == way_to(p, block, (unsigned)plan->cold[block]);
}

/* Whether something may have been written when work-items that began together come to the branch. */
static bool may_have_written(struct planner *p, int branch, const bool *apart, bool *reached)
{
    const struct tsr__cfg *cfg = &p->plan->cfg;
    forget_region(p);
    for (int b = 0; b < cfg->block_count; b++)
        reached[b] = b == 0;
    p->region[branch] = true; /* what leads to it */
    for (bool more = true; more;) {
        more = false;
        for (int b = 0; b < cfg->block_count; b++)
            for (int s = 0; s < cfg->blocks[b].succ_count; s++) {
                int to = cfg->blocks[b].succ[s];
                if (leaves(p, b, to, apart))
                    continue;
                if (reached[b] && !reached[to])
                    reached[to] = more = true;
                if (p->region[to] && !p->region[b])
                    p->region[b] = more = true;
            }
    }
    for (int b = 0; b < cfg->block_count; b++)
        if (p->region[b] && reached[b] && block_has(&cfg->blocks[b], writes))
            return true;
    return false;
}

/* A branch that stands before nearly all of the code, as where a work-item asks whether it has anything to do. */
static bool is_early(struct planner *p, int branch)
{
    const struct tsr__cfg *cfg = &p->plan->cfg;
    uint64_t before = 0, all = 0;
    for (int b = 0; b < cfg->block_count; b++) {
        uint64_t size = size_of(&cfg->blocks[b]);
        all += size;
        before += tsr__dominates(cfg, b, branch) ? size : 0;
    }
    mark_branch_region(p, branch);
    uint64_t behind = 0;
    for (int b = 0; b < cfg->block_count; b++)
        behind += p->region[b] ? size_of(&cfg->blocks[b]) : 0;
    return cfg->blocks[branch].loop == TSR__NONE && before * TSR__INTERLEAVE_EARLY <= all && behind * 2 >= all;
}

/* Those that want to start again may not if they have written something. */
static void forbid_restarts(struct planner *p)
{
    struct tsr__interleave_plan *plan = p->plan;
    size_t room = (size_t)plan->cfg.block_count * sizeof(bool);
    bool *apart = tsr_arena_alloc(&p->l->scratch, room), *reached = tsr_arena_alloc(&p->l->scratch, room);
    for (bool more = true; more;) {
        more = false;
        for (int branch = 0; branch < plan->cfg.block_count; branch++) {
            if (plan->parting[branch] != TSR__PART_APART || plan->apart[branch])
                continue;
            mark_branch_region(p, branch);
            plan->apart[branch] = tsr_arena_alloc(&p->l->scratch, room);
            memcpy(plan->apart[branch], p->region, room);
            for (int b = 0; b < plan->cfg.block_count; b++)
                apart[b] = apart[b] || p->region[b];
        }
        for (int b = 0; b < plan->cfg.block_count; b++)
            if (plan->parting[b] == TSR__PART_RESTART && may_have_written(p, b, apart, reached)) {
                plan->parting[b] = TSR__PART_APART;
                more = true;
            }
    }
}

static uint64_t size_of_plan(const struct tsr__interleave_plan *plan)
{
    uint64_t size = 0;
    for (int b = 0; b < plan->cfg.block_count; b++) {
        if (!plan->together[b])
            continue;
        size += size_of(&plan->cfg.blocks[b]);
        for (int r = 0; plan->apart[b] && r < plan->cfg.block_count; r++)
            size += plan->apart[b][r] ? size_of(&plan->cfg.blocks[r]) : 0;
    }
    return size;
}

/* ---- what is needed once ---- */

/* Whether the value is the same in all work-items that are together in a block. Those that have been apart since may have had other rounds.
 */
static bool is_shared_in(const struct tsr__interleave_plan *plan, LLVMValueRef v, int block)
{
    if (!LLVMIsAInstruction(v))
        return true;
    int at = tsr__cfg_number(&plan->cfg, LLVMGetInstructionParent(v));
    for (int b = 0; b < plan->cfg.block_count; b++)
        if (plan->apart[b] && plan->apart[b][at] && !plan->apart[b][block])
            return false;
    return tsr__map_get(&plan->shared, v);
}

/* Where work-items meet they come by different ways: what a phi gets on a way that leads to no use of it may be anything. */
static bool meet_at(const struct tsr__interleave_plan *plan, int block)
{
    for (int b = 0; b < plan->cfg.block_count; b++)
        if (plan->apart[b] && plan->cfg.blocks[b].ipdom == block)
            return true;
    return false;
}

static bool has_shared_operands(const struct tsr__interleave_plan *plan, LLVMValueRef inst, int block)
{
    if (!LLVMIsAPHINode(inst)) {
        for (int o = 0; o < LLVMGetNumOperands(inst); o++)
            if (!is_shared_in(plan, LLVMGetOperand(inst, (unsigned)o), block))
                return false;
        return true;
    }
    for (unsigned k = 0; k < LLVMCountIncoming(inst); k++) {
        int from = tsr__cfg_number(&plan->cfg, LLVMGetIncomingBlock(inst, k));
        if (from != TSR__NONE && !is_shared_in(plan, LLVMGetIncomingValue(inst, k), from))
            return false;
    }
    return !meet_at(plan, block);
}

static void find_shared(struct tsr__interleave_plan *plan, struct tsr_arena *arena)
{
    plan->shared = (struct tsr__map){.arena = arena};
    for (int b = 1; b < plan->cfg.block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(plan->cfg.blocks[b].ref); plan->together[b] && i; i = LLVMGetNextInstruction(i))
            if (tsr__is_uniform(tsr__shape_of(&plan->shapes, i)) && !tsr__has_effect(i) && !LLVMIsATerminatorInst(i))
                tsr__map_set(&plan->shared, i, 1);
    for (bool more = true; more;) {
        more = false;
        for (int b = 1; b < plan->cfg.block_count; b++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(plan->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
                if (tsr__map_get(&plan->shared, i) && !has_shared_operands(plan, i, b)) {
                    tsr__map_set(&plan->shared, i, 0);
                    more = true;
                }
    }
}

/* ---- the plan ---- */

/* Of what has no copy, and of what work-items must not do out of their order. */
static bool forbids(int block, LLVMValueRef inst)
{
    enum tsr__engine_call call = tsr__call_of(inst);
    if (LLVMIsATerminatorInst(inst))
        return !LLVMIsABranchInst(inst) && !LLVMIsAReturnInst(inst) && !LLVMIsAUnreachableInst(inst);
    if (LLVMIsAAllocaInst(inst))
        return block != 0 || tsr__is_soa_array(inst);
    return block == 0 || (call != TSR__CALL_NONE && call != TSR__CALL_SITE && !tsr__is_query(call));
}

bool tsr__interleave_plan(struct tsr__compilation *l, struct tsr__interleave_plan *plan, LLVMValueRef function, unsigned count)
{
    if (!tsr__cfg_make(&plan->cfg, function, &l->scratch))
        return false;
    size_t blocks = (size_t)plan->cfg.block_count;
    for (size_t b = 0; b < blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(plan->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (!(b == 0 && LLVMIsATerminatorInst(i)) && forbids((int)b, i))
                return false;
    plan->count = count;
    struct tsr__packet packet = {.width = count, .sub_group = count, .whole_rows = true, .mixed = true, .in_group = true};
    tsr__shapes_find(&plan->shapes, &plan->cfg, packet, &l->scratch);
    struct planner p = {l, plan, tsr_arena_alloc(&l->scratch, blocks * sizeof *p.region),
                        tsr_arena_alloc(&l->scratch, blocks * sizeof *p.stack)};
    plan->parting = tsr_arena_alloc(&l->scratch, blocks * sizeof *plan->parting);
    plan->cold = tsr_arena_alloc(&l->scratch, blocks * sizeof *plan->cold);
    plan->apart = tsr_arena_alloc(&l->scratch, blocks * sizeof *plan->apart);
    plan->together = tsr_arena_alloc(&l->scratch, blocks * sizeof *plan->together);
    for (int b = 0; b < plan->cfg.block_count; b++) {
        plan->cold[b] = TSR__NONE;
        if (!plan->shapes.divergent_branch[b])
            continue;
        bool early = is_early(&p, b);
        plan->cold[b] = early ? TSR__NONE : find_cold(&p, b);
        plan->parting[b] = early || plan->cold[b] != TSR__NONE ? TSR__PART_RESTART : TSR__PART_APART;
    }
    forbid_restarts(&p);
    find_together(&p);
    find_shared(plan, &l->scratch);
    plan->size = size_of_plan(plan);
    return true;
}
