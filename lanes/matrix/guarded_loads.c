/* SPDX-License-Identifier: Apache-2.0
 * Loops over K that load behind branches: `row < m ? a[…] : padding`, where all work-items of a packet decide alike.
 *
 * A loop for the device is one basic block. So such loads are done in any case, from zeros where the program does not load, and a select
 * takes the number that it has then. What divides behind a branch, perhaps as the divisor is not zero there, divides by one then. The
 * operand is a computed one (tile_slices.c). In functions with another loop over K that has no branches, as for rounds in which all checks
 * of ranges hold (range_checks.c), that loop does most of the work, and the others stay; with tile registers not those that work-groups run
 * in place of that loop, as such at edges do. So do loops in others, as over the window of a convolution, with few products: the device
 * takes time for each part of a loop over K. With tile registers, which multiply all parts at once if packets have the same ones, those
 * with few products stay only where packets differ. */
#include "lanes/ir/calls.h"
#include "lanes/ir/cfg.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"
#include "lanes/matrix/matrix.h"

enum {
    MOST_CODE = 512,   /* instructions behind a branch */
    MOST_BYTES = 256,  /* of a load */
    LEAST_OF_PART = 4, /* products in a round of a loop that comes in parts */
};

struct guards {
    struct tsr__compilation *l;
    struct tsr__cfg cfg;
    LLVMBuilderRef b;
};

/* ---- what may be done in any case ---- */

static bool is_masked_load(LLVMValueRef v)
{
    return tsr__calls(v, "llvm.masked.load.");
}

static bool is_gather(LLVMValueRef v)
{
    return tsr__calls(v, "llvm.masked.gather.");
}

static bool can_read_zeros(struct guards *g, LLVMValueRef load)
{
    if (is_gather(load)) /* no lane reads then */
        return true;
    if (!tsr__is_plain_load(load) && !is_masked_load(load))
        return false;
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(load, 0)));
    return (space == TSR__GLOBAL_SPACE || space == TSR__CONSTANT_SPACE) &&
           LLVMStoreSizeOfType(LLVMGetModuleDataLayout(g->l->module), LLVMTypeOf(load)) <= MOST_BYTES;
}

/* Is the block entered from one place, and does it only compute and load before it goes to `join`? */
static bool is_arm(struct guards *g, LLVMBasicBlockRef block, LLVMBasicBlockRef join)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    LLVMUseRef way = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    unsigned count = 0;
    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 1 || LLVMGetSuccessor(end, 0) != join || LLVMGetNextUse(way))
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != end; i = LLVMGetNextInstruction(i))
        if (++count > MOST_CODE || !(tsr__is_pure(i) || can_read_zeros(g, i)))
            return false;
    return true;
}

/* Where zeros are, as a pointer of this type. */
static LLVMValueRef zeros(struct guards *g, LLVMTypeRef pointer)
{
    LLVMValueRef global = LLVMGetNamedGlobal(g->l->module, TSR__ZEROS);
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(g->l->context), MOST_BYTES);
    if (!global) {
        global = LLVMAddGlobalInAddressSpace(g->l->module, type, TSR__ZEROS, TSR__GLOBAL_SPACE);
        LLVMSetInitializer(global, LLVMConstNull(type));
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMInternalLinkage);
        LLVMSetAlignment(global, 64);
    }
    return LLVMTypeOf(global) == pointer ? global : LLVMConstAddrSpaceCast(global, pointer);
}

/* The operand stays where `condition` is `way`, and is another one elsewhere. */
static void guard_operand(struct guards *g, LLVMValueRef inst, unsigned operand, LLVMValueRef condition, bool way, LLVMValueRef other)
{
    LLVMValueRef own = LLVMGetOperand(inst, operand);
    LLVMSetOperand(inst, operand, LLVMBuildSelect(g->b, condition, way ? own : other, way ? other : own, ""));
}

/* Moves what is behind the branch to its end, where `condition` has to be `way` for the loads. */
static void move_arm(struct guards *g, LLVMBasicBlockRef block, LLVMValueRef branch, LLVMValueRef condition, bool way)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i != LLVMGetBasicBlockTerminator(block); i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(g->b, branch);
        if (!tsr__is_pure(i) && !is_gather(i))
            guard_operand(g, i, 0, condition, way, zeros(g, LLVMTypeOf(LLVMGetOperand(i, 0))));
        if (is_masked_load(i) || is_gather(i))
            guard_operand(g, i, 1, condition, way, LLVMConstNull(LLVMTypeOf(LLVMGetOperand(i, 1))));
        if (tsr__may_trap(i))
            guard_operand(g, i, 1, condition, way, tsr__splat_number(LLVMTypeOf(i), 1));
        LLVMInsertIntoBuilder(g->b, i);
    }
}

/* ---- branches ---- */

/* The phis of `join` get from `from` what they got from both arms. An arm that is `join` itself has no block. */
static void join_values(struct guards *g, LLVMBasicBlockRef join, LLVMBasicBlockRef from, LLVMValueRef branch, LLVMValueRef condition,
                        const LLVMBasicBlockRef *arms)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(join), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(g->b, branch);
        LLVMValueRef value[2], joined;
        for (int way = 0; way < 2; way++)
            value[way] = tsr__incoming_from(phi, arms[way] ? arms[way] : from);
        joined = value[0] == value[1] ? value[0] : LLVMBuildSelect(g->b, condition, value[0], value[1], "");
        LLVMPositionBuilderBefore(g->b, phi);
        LLVMValueRef made = LLVMBuildPhi(g->b, LLVMTypeOf(phi), "");
        LLVMAddIncoming(made, &joined, &from, 1);
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            LLVMBasicBlockRef other = LLVMGetIncomingBlock(phi, i);
            LLVMValueRef v = LLVMGetIncomingValue(phi, i);
            if (other != from && other != arms[0] && other != arms[1])
                LLVMAddIncoming(made, &v, &other, 1);
        }
        LLVMReplaceAllUsesWith(phi, made);
        LLVMInstructionEraseFromParent(phi);
    }
}

/* Does what both ways of the block's branch lead to in any case, if it may be. */
static bool convert(struct guards *g, LLVMBasicBlockRef block)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
    if (!branch || !LLVMIsABranchInst(branch) || LLVMGetNumSuccessors(branch) != 2)
        return false;
    LLVMBasicBlockRef to[2] = {LLVMGetSuccessor(branch, 0), LLVMGetSuccessor(branch, 1)}, join, arms[2] = {NULL};
    if (to[0] == to[1])
        return false;
    if (is_arm(g, to[0], to[1])) {
        join = to[1];
        arms[0] = to[0];
    } else if (is_arm(g, to[1], to[0])) {
        join = to[0];
        arms[1] = to[1];
    } else {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(to[0]);
        join = LLVMGetNumSuccessors(end) == 1 ? LLVMGetSuccessor(end, 0) : NULL;
        if (!join || !is_arm(g, to[0], join) || !is_arm(g, to[1], join))
            return false;
        arms[0] = to[0];
        arms[1] = to[1];
    }
    LLVMValueRef condition = LLVMGetCondition(branch);
    for (int way = 0; way < 2; way++)
        if (arms[way])
            move_arm(g, arms[way], branch, condition, !way);
    join_values(g, join, block, branch, condition, arms);
    LLVMPositionBuilderBefore(g->b, branch);
    LLVMBuildBr(g->b, join);
    LLVMInstructionEraseFromParent(branch);
    for (int way = 0; way < 2; way++)
        if (arms[way])
            LLVMDeleteBasicBlock(arms[way]);
    return true;
}

/* ---- what no lane takes ---- */

/* The number that fills the vector; NULL: that is not known. */
static LLVMValueRef number_of_splat(LLVMValueRef v)
{
    if (!LLVMIsAShuffleVectorInst(v))
        return NULL;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(v); i++)
        if (LLVMGetMaskValue(v, i))
            return NULL;
    for (v = LLVMGetOperand(v, 0); LLVMIsAInsertElementInst(v); v = LLVMGetOperand(v, 0))
        if (LLVMIsAConstantInt(LLVMGetOperand(v, 2)) && LLVMIsNull(LLVMGetOperand(v, 2)))
            return LLVMGetOperand(v, 1);
    return NULL;
}

/* Is it the number and the lane's own, which does not wrap? */
static bool counts_lanes_from(LLVMValueRef v, LLVMValueRef number, bool is_signed)
{
    if (!tsr__is_sum(v) || number_of_splat(LLVMGetOperand(v, 0)) != number || !LLVMIsAConstantDataVector(LLVMGetOperand(v, 1)) ||
        (LLVMGetInstructionOpcode(v) == LLVMAdd && !(is_signed ? LLVMGetNSW(v) : LLVMGetNUW(v))))
        return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(v)); i++)
        if (LLVMConstIntGetSExtValue(LLVMGetAggregateElement(LLVMGetOperand(v, 1), i)) < 0)
            return false;
    return true;
}

/* Where the condition does not hold, has the mask no lane? It compares lane 0 as the mask compares all. */
static bool holds_if_any(LLVMValueRef mask, LLVMValueRef condition)
{
    if (!LLVMIsAICmpInst(mask) || !LLVMIsAICmpInst(condition) || LLVMGetICmpPredicate(mask) != LLVMGetICmpPredicate(condition))
        return false;
    const LLVMIntPredicate how = LLVMGetICmpPredicate(mask);
    return (how == LLVMIntSLT || how == LLVMIntULT) && number_of_splat(LLVMGetOperand(mask, 1)) == LLVMGetOperand(condition, 1) &&
           counts_lanes_from(LLVMGetOperand(mask, 0), LLVMGetOperand(condition, 0), how == LLVMIntSLT);
}

/* A number that lanes of a mask would take where there are none, as what a variable held a round before, is not taken. */
static void drop_untaken(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef other = LLVMIsASelectInst(i) ? LLVMGetOperand(i, 2) : i;
        if (other != i && LLVMIsASelectInst(other) && holds_if_any(LLVMGetOperand(other, 0), LLVMGetOperand(i, 0)))
            LLVMSetOperand(i, 2, LLVMGetOperand(other, 2));
    }
}

/* ---- loops ---- */

/* Does the accumulator of a product go round in a loop around this one as well? */
static bool goes_on(LLVMValueRef accumulator, LLVMBasicBlockRef header)
{
    if (!LLVMIsAPHINode(accumulator) || LLVMGetInstructionParent(accumulator) != header)
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(accumulator); i++)
        if (LLVMIsAPHINode(LLVMGetIncomingValue(accumulator, i)))
            return true;
    return false;
}

/* Counts the products of a loop with no other loop inside. In parts: an accumulator goes round in the loop around it as well. */
static unsigned count_products(const struct guards *g, int loop, LLVMValueRef *in_parts)
{
    const struct tsr__loop *of = &g->cfg.loops[loop];
    struct tsr__mad mad;
    unsigned count = 0;
    *in_parts = NULL;
    for (int i = loop + 1; i < g->cfg.loop_count; i++)
        if (g->cfg.loops[i].parent == loop)
            return 0;
    for (int b = of->begin; b < of->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (tsr__mad_read(i, &mad)) {
                count++;
                *in_parts = goes_on(tsr__mad_c(&mad, 0), g->cfg.blocks[of->header].ref) ? tsr__mad_c(&mad, 0) : *in_parts;
            }
    return count;
}

/* The phi that an accumulator comes from at the start of the loop, in the header of the loop around it; NULL: it does not. */
static LLVMValueRef phi_around(const struct guards *g, LLVMValueRef phi, int loop)
{
    const int outer = g->cfg.loops[loop].parent;
    for (unsigned i = 0; outer != TSR__NONE && i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == g->cfg.blocks[g->cfg.loops[outer].header].ref)
            return v;
    }
    return NULL;
}

/* Do only numbers and arguments of the kernel decide how often packets come to the loop, in the loops around it through which its
 * accumulator goes? */
static bool has_same_parts(const struct guards *g, int loop, LLVMValueRef accumulator)
{
    const struct tsr__cfg *cfg = &g->cfg;
    struct tsr__map round = {.arena = &g->l->scratch}, seen = {.arena = &g->l->scratch};
    int outer = loop;
    for (LLVMValueRef phi = accumulator; (phi = phi_around(g, phi, outer));)
        outer = cfg->loops[outer].parent;
    for (int b = cfg->loops[outer].begin; b < cfg->loops[outer].end; b++)
        tsr__map_set(&round, cfg->blocks[b].ref, 1);
    for (int b = cfg->loops[outer].begin; b < cfg->loops[outer].end; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].ref);
        if (LLVMGetNumSuccessors(end) > 1 && !tsr__in_loop(cfg, b, loop) &&
            !(LLVMIsABranchInst(end) && tsr__is_of_launch(g->l, &round, &seen, LLVMGetCondition(end))))
            return false;
    }
    return true;
}

/* Is the loop one that the device may multiply, but for branches? */
static bool is_worth_it(const struct guards *g, int loop, bool registers)
{
    LLVMValueRef in_parts;
    const unsigned products = count_products(g, loop, &in_parts);
    return products && (!in_parts || products >= LEAST_OF_PART || (registers && has_same_parts(g, loop, in_parts)));
}

static bool convert_loop(struct guards *g, int loop)
{
    const struct tsr__loop *of = &g->cfg.loops[loop];
    struct tsr__map gone = {.arena = &g->l->scratch};
    bool changed = false;
    for (bool again = true; again;) {
        again = false;
        for (int b = of->end; b-- > of->begin;) {
            LLVMBasicBlockRef block = g->cfg.blocks[b].ref;
            if (tsr__map_get(&gone, block))
                continue;
            LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
            LLVMBasicBlockRef to[2] = {NULL};
            for (unsigned i = 0; LLVMGetNumSuccessors(end) == 2 && i < 2; i++)
                to[i] = LLVMGetSuccessor(end, i);
            if (!convert(g, block))
                continue;
            LLVMBasicBlockRef join = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0);
            for (unsigned i = 0; i < 2; i++)
                if (to[i] != join)
                    tsr__map_set(&gone, to[i], 1);
            again = changed = true;
        }
    }
    for (int b = of->begin; b < of->end && changed; b++)
        if (!tsr__map_get(&gone, g->cfg.blocks[b].ref))
            drop_untaken(g->cfg.blocks[b].ref);
    return changed;
}

/* Does the code behind the loop lead to the other one, in a round of the innermost loop around both? */
static bool leads_to_loop(const struct guards *g, int loop, int other)
{
    const struct tsr__cfg *cfg = &g->cfg;
    int around = cfg->loops[loop].parent, count = 0;
    while (around != TSR__NONE && !tsr__in_loop(cfg, cfg->loops[other].header, around))
        around = cfg->loops[around].parent;
    const int avoid = around == TSR__NONE ? TSR__NONE : cfg->loops[around].header;
    bool *seen = tsr_arena_alloc(&g->l->scratch, (size_t)cfg->block_count * sizeof *seen);
    int *open = tsr_arena_alloc(&g->l->scratch, (size_t)cfg->block_count * sizeof *open);
    for (int at = cfg->loops[loop].header;; at = open[--count]) {
        for (int i = 0; i < cfg->blocks[at].succ_count; i++) {
            const int next = cfg->blocks[at].succ[i];
            if (next == cfg->loops[other].header && other != loop)
                return true;
            if (!seen[next] && next != avoid)
                open[count++] = next;
            seen[next] = true;
        }
        if (!count)
            return false;
    }
}

bool tsr__pass_guarded_loads(struct tsr__compilation *l, LLVMValueRef function)
{
    struct guards g = {.l = l};
    LLVMValueRef in_parts;
    bool changed = false;
    if (!tsr__has_mads(function) || !tsr__tile_unit_of(l, function) || !tsr__cfg_make(&g.cfg, function, &l->scratch))
        return true;
    const enum tsr__tile_unit unit = tsr__tile_unit_of(l, function);
    const bool registers = unit == TSR__TILES_AMX || unit == TSR__TILES_MODEL;
    bool *stays = tsr_arena_alloc(&l->scratch, (size_t)g.cfg.loop_count * sizeof *stays);
    for (int loop = 0; loop < g.cfg.loop_count; loop++)
        if (count_products(&g, loop, &in_parts) && g.cfg.loops[loop].end - g.cfg.loops[loop].begin == 1)
            for (int other = 0; other < g.cfg.loop_count; other++)
                stays[other] = stays[other] || !registers || leads_to_loop(&g, loop, other) || leads_to_loop(&g, other, loop);
    g.b = LLVMCreateBuilderInContext(l->context);
    for (int loop = 0; loop < g.cfg.loop_count; loop++)
        changed = (!stays[loop] && is_worth_it(&g, loop, registers) && convert_loop(&g, loop)) || changed;
    LLVMDisposeBuilder(g.b);
    return !changed || tsr__run_llvm_on(l, function, "simplifycfg");
}
