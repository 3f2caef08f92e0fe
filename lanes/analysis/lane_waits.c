/* SPDX-License-Identifier: Apache-2.0
 * Loops in which a work-item waits for what another one writes behind the loop, as at a lock:
 *
 *     while (atomic_xchg(lock, 1))
 *         ;
 *     *sum += x;
 *     atomic_xchg(lock, 0);
 *
 * In a packet the lane that has the lock waits behind the loop until the others have left it, too, and they wait for the lock. Work-items
 * that run one after the other have no such wait. Not meant are loops in which each round does something else, as in one that exchanges
 * what the round before has found: one lane or another gets on in each round. Nor are loops that only one lane of a packet comes to. */
#include "lanes/analysis/lane_waits.h"

#include "lanes/analysis/shape.h"
#include "lanes/analysis/write_only.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

struct waits {
    const struct tsr__cfg *cfg;
    const struct tsr__shapes *shapes;
    struct tsr_arena *arena;
    int loop;
    struct tsr__map seen;  /* values or blocks that the walk has come to */
    struct tsr__map asked; /* values on which the end of a round depends */
};

/* Does it leave memory as it was, or as the round before has left it? */
static bool is_look(LLVMValueRef inst)
{
    if (!LLVMIsAAtomicRMWInst(inst))
        return tsr__is_atomic(inst);
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(inst);
    bool counts =
        op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub || op == LLVMAtomicRMWBinOpFAdd || op == LLVMAtomicRMWBinOpFSub;
    return !counts || LLVMIsNull(LLVMGetOperand(inst, 1));
}

/* Is the value another one in each round, or may it be? Memory that is read is, the numbers of loops are. */
static bool changes(struct waits *w, LLVMValueRef v)
{
    if (!tsr__is_in_loop(w->cfg, v, w->loop) || !tsr__map_add(&w->seen, v))
        return false;
    if (LLVMIsAPHINode(v) || tsr__is_atomic(v) || LLVMIsALoadInst(v))
        return true;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (changes(w, LLVMGetOperand(v, (unsigned)i)))
            return true;
    return false;
}

/* A look at memory, the same in each round, on which the value depends; NULL: there is none. */
static LLVMValueRef find_look(struct waits *w, LLVMValueRef v)
{
    if (!tsr__is_in_loop(w->cfg, v, w->loop) || LLVMIsAPHINode(v) || !tsr__map_add(&w->asked, v))
        return NULL;
    LLVMValueRef look = is_look(v) ? v : NULL;
    w->seen = (struct tsr__map){.arena = w->arena};
    for (int i = 0; i < LLVMGetNumOperands(v); i++) {
        LLVMValueRef operand = LLVMGetOperand(v, (unsigned)i);
        if (tsr__is_atomic(v) && changes(w, operand))
            return NULL;
        if (!tsr__is_atomic(v) && (look = find_look(w, operand)) != NULL)
            return look;
    }
    return look;
}

/* Does a lane that has gone to the block write there, or before the next barrier, what others look at? */
static bool writes_behind(struct waits *w, int block, LLVMValueRef look)
{
    if (tsr__in_loop(w->cfg, block, w->loop) || !tsr__map_add(&w->seen, &w->cfg->blocks[block]))
        return false;
    int looked_at = tsr__parameter_of(tsr__place_of(look));
    for (LLVMValueRef i = LLVMGetFirstInstruction(w->cfg->blocks[block].ref); i; i = LLVMGetNextInstruction(i)) {
        if (tsr__call_of(i) == TSR__CALL_BARRIER)
            return false;
        if (LLVMIsALoadInst(i) || (!tsr__is_atomic(i) && !LLVMIsAStoreInst(i)))
            continue;
        int written = tsr__parameter_of(tsr__place_of(i));
        if (written == looked_at || (tsr__is_atomic(i) && (written < 0 || looked_at < 0)))
            return true;
    }
    for (int k = 0; k < w->cfg->blocks[block].succ_count; k++)
        if (writes_behind(w, w->cfg->blocks[block].succ[k], look))
            return true;
    return false;
}

/* Is this edge the only way into the block, but for rounds of a loop that begins there? */
static bool is_way_into(const struct waits *w, int from, int block)
{
    for (int i = 0; i < w->cfg->blocks[block].pred_count; i++)
        if (w->cfg->blocks[block].pred[i] != from && !tsr__dominates(w->cfg, block, w->cfg->blocks[block].pred[i]))
            return false;
    return true;
}

/* Do lanes come to the block for one value alone of something in which they all differ, such as the local id? */
static bool is_for_one_lane(const struct waits *w, int block)
{
    for (int b = block, over = w->cfg->blocks[b].idom; over != TSR__NONE; b = over, over = w->cfg->blocks[b].idom) {
        const struct tsr__block *above = &w->cfg->blocks[over];
        LLVMValueRef is = LLVMIsABranchInst(above->terminator) && above->succ_count == 2 ? LLVMGetCondition(above->terminator) : NULL;
        if (!is || !LLVMIsAICmpInst(is) || !is_way_into(w, over, b))
            continue;
        struct tsr__shape x = tsr__shape_of(w->shapes, LLVMGetOperand(is, 0)), y = tsr__shape_of(w->shapes, LLVMGetOperand(is, 1));
        bool one = !tsr__is_varying(x) && !tsr__is_varying(y) && tsr__is_uniform(x) != tsr__is_uniform(y);
        LLVMIntPredicate side = LLVMGetICmpPredicate(is);
        if (one && ((side == LLVMIntEQ && above->succ[0] == b) || (side == LLVMIntNE && above->succ[1] == b)))
            return true;
    }
    return false;
}

static bool waits_in_loop(struct waits *w)
{
    const struct tsr__loop *loop = &w->cfg->loops[w->loop];
    if (!w->shapes->divergent_loop[w->loop] || is_for_one_lane(w, loop->header))
        return false;
    for (int b = loop->begin; b < loop->end; b++) {
        const struct tsr__block *block = &w->cfg->blocks[b];
        if (!LLVMIsABranchInst(block->terminator) || block->succ_count != 2)
            continue;
        w->asked = (struct tsr__map){.arena = w->arena};
        LLVMValueRef look = find_look(w, LLVMGetCondition(block->terminator));
        for (int k = 0; look && k < 2; k++) {
            w->seen = (struct tsr__map){.arena = w->arena};
            if (writes_behind(w, block->succ[k], look))
                return true;
        }
    }
    return false;
}

bool tsr__loop_looks(const struct tsr__cfg *cfg, int loop, struct tsr_arena *arena)
{
    struct waits w = {.cfg = cfg, .arena = arena, .loop = loop};
    for (int b = cfg->loops[loop].begin; b < cfg->loops[loop].end; b++) {
        const struct tsr__block *block = &cfg->blocks[b];
        w.asked = (struct tsr__map){.arena = arena};
        if (LLVMIsABranchInst(block->terminator) && block->succ_count == 2 && find_look(&w, LLVMGetCondition(block->terminator)))
            return true;
    }
    return false;
}

static bool has_atomics(struct tsr__compilation *l, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = 0; i < count; i++)
        if (is_look(code[i]))
            return true;
    return false;
}

bool tsr__lanes_wait_for_lanes(struct tsr__compilation *l, LLVMValueRef kernel, unsigned width)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    bool waits = false;
    if (has_atomics(l, kernel) && tsr__cfg_make(&cfg, kernel, &arena) && cfg.loop_count) {
        tsr__shapes_find(&shapes, &cfg, (struct tsr__packet){.width = width, .sub_group = width, .whole_rows = true}, &arena);
        struct waits w = {.cfg = &cfg, .shapes = &shapes, .arena = &arena};
        for (w.loop = 0; w.loop < cfg.loop_count && !waits; w.loop++)
            waits = waits_in_loop(&w);
    }
    tsr_arena_free(&arena);
    return waits;
}
