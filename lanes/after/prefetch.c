/* SPDX-License-Identifier: Apache-2.0
 * Prefetch insertion: loads of later rounds of a loop.
 *
 * Tiles: a kernel loads a tile into local memory, waits at a barrier, and computes. On a GPU other work-groups compute meanwhile; here
 * nothing else runs, and no hardware prefetcher follows the strides of the tile's rows. So behind the barrier stands a prefetch for each
 * of these loads: the same address with the loop's counters one step further.
 *
 * Lists: a list for each work-item (neighbours, columns of a sparse matrix) lies transposed, so that work-items read theirs side by
 * side. Each round of the loop reads one row further on and then gathers. The gathers fill the CPU's out-of-order window, so that the
 * next row's load starts too late. Such loads get a prefetch some rounds ahead. */
#include "lanes/after/prefetch.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/costs.h"

#include <string.h>

#include "lanes/ir/cfg.h"
#include "lanes/ir/calls.h"

enum {
    MAX_DEPTH = 16, /* instructions from an address back to what it is made of */
    LINE = TSR_CACHE_LINE,
};

struct ahead {
    struct tsr__compilation *l;
    struct tsr_arena *arena;
    LLVMBuilderRef b;
    struct tsr__cfg cfg;
    int loop;
    int place;         /* block in which the builder stands: that of the barrier, or of the load */
    LLVMValueRef more; /* there: whether there is a next round; NULL: nobody knows */
};

static bool is_in_loop(const struct ahead *a, LLVMValueRef v)
{
    return tsr__is_in_loop(&a->cfg, v, a->loop);
}

/* What a counter of the loop is increased by in each round, or NULL. */
static LLVMValueRef step_of(const struct ahead *a, LLVMValueRef phi)
{
    if (tsr__cfg_number(&a->cfg, LLVMGetInstructionParent(phi)) != a->cfg.loops[a->loop].header)
        return NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        int from = tsr__cfg_number(&a->cfg, LLVMGetIncomingBlock(phi, i));
        if (from == TSR__NONE || !tsr__in_loop(&a->cfg, from, a->loop))
            continue;
        if (from != a->cfg.loops[a->loop].latch || !LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd)
            return NULL;
        for (unsigned k = 0; k < 2; k++)
            if (LLVMGetOperand(next, k) == phi && !is_in_loop(a, LLVMGetOperand(next, 1 - k)))
                return LLVMGetOperand(next, 1 - k);
    }
    return NULL;
}

static bool is_there(const struct ahead *a, LLVMValueRef v)
{
    return !is_in_loop(a, v) || tsr__dominates(&a->cfg, tsr__cfg_number(&a->cfg, LLVMGetInstructionParent(v)), a->place);
}

static LLVMValueRef round_delta(struct ahead *a, LLVMValueRef v, int depth);

/* The change of an address, in bytes. */
static LLVMValueRef round_delta_of_address(struct ahead *a, LLVMValueRef gep, int depth)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(a->l->context);
    LLVMValueRef sum = round_delta(a, LLVMGetOperand(gep, 0), depth - 1);
    struct tsr__gep_index index;
    for (struct tsr__gep_walk walk = tsr__gep_walk(LLVMGetModuleDataLayout(a->l->module), gep); sum && tsr__gep_next(&walk, &index);) {
        LLVMValueRef by = round_delta(a, index.value, depth - 1);
        if (!by || index.is_field)
            return NULL;
        by = LLVMBuildIntCast2(a->b, by, i64, true, "");
        sum = LLVMBuildAdd(a->b, sum, LLVMBuildMul(a->b, by, tsr__i64(a->l, (uint64_t)index.bytes), ""), "");
    }
    return sum;
}

/* By how much a value is larger in the next round. NULL: who knows. No address is so wrong that a prefetch does harm, so that bits are
 * taken not to carry where they could. */
static LLVMValueRef round_delta(struct ahead *a, LLVMValueRef v, int depth)
{
    LLVMTypeRef type = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind ? LLVMInt64TypeInContext(a->l->context) : LLVMTypeOf(v);
    if (!is_in_loop(a, v))
        return LLVMConstNull(type);
    if (!depth)
        return NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMPHI)
        return step_of(a, v);
    if (op == LLVMGetElementPtr)
        return round_delta_of_address(a, v, depth);
    if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v))
        return NULL;
    LLVMValueRef y = LLVMIsABinaryOperator(v) ? LLVMGetOperand(v, 1) : NULL;
    LLVMValueRef x = LLVMGetOperand(v, 0), dx = round_delta(a, x, depth - 1), dy = y ? round_delta(a, y, depth - 1) : dx;
    if (!dx || !dy)
        return NULL;
    if (LLVMIsNull(dx) && LLVMIsNull(dy))
        return LLVMConstNull(type);
    switch (op) {
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
        return LLVMBuildIntCast2(a->b, dx, type, true, "");
    case LLVMAdd:
    case LLVMOr:
        return LLVMBuildAdd(a->b, dx, dy, "");
    case LLVMSub:
        return LLVMBuildSub(a->b, dx, dy, "");
    case LLVMShl:
        return LLVMIsAConstantInt(y) ? LLVMBuildShl(a->b, dx, y, "") : NULL;
    case LLVMMul:
        if (LLVMIsNull(dy) && is_there(a, y))
            return LLVMBuildMul(a->b, dx, y, "");
        return LLVMIsNull(dx) && is_there(a, x) ? LLVMBuildMul(a->b, dy, x, "") : NULL;
    default:
        return NULL;
    }
}

/* Whether there will be a next round, if the loop's end compares a counter with a bound. Memory behind an array has no translation that the
 * CPU could remember: a prefetch there searches the page tables each time. */
static LLVMValueRef goes_on(const struct ahead *a)
{
    int to = a->cfg.loops[a->loop].header, from = a->cfg.loops[a->loop].latch;
    while (from != TSR__NONE && a->cfg.blocks[from].succ_count == 1 && a->cfg.blocks[from].pred_count == 1) {
        to = from;
        from = a->cfg.blocks[from].pred[0];
    }
    LLVMValueRef end = from == TSR__NONE ? NULL : a->cfg.blocks[from].terminator;
    if (!end || LLVMGetInstructionOpcode(end) != LLVMBr || !LLVMIsConditional(end) || !LLVMIsAICmpInst(LLVMGetCondition(end)))
        return NULL;
    LLVMValueRef test = LLVMGetCondition(end), operands[2], counter = NULL;
    for (unsigned k = 0; k < 2; k++) {
        operands[k] = LLVMGetOperand(test, k);
        if (!is_in_loop(a, operands[k]))
            continue;
        if (counter)
            return NULL;
        counter = operands[k];
        if (LLVMGetInstructionOpcode(counter) == LLVMAdd)
            counter = LLVMGetOperand(counter, 0);
        LLVMValueRef step = LLVMIsAPHINode(counter) ? step_of(a, counter) : NULL;
        if (!step)
            return NULL;
        if (counter != operands[k]) {
            if (LLVMGetOperand(operands[k], 1) != step)
                return NULL;
            operands[k] = LLVMBuildAdd(a->b, counter, step, "");
        }
    }
    if (!counter)
        return NULL;
    LLVMValueRef made = LLVMBuildICmp(a->b, LLVMGetICmpPredicate(test), operands[0], operands[1], "");
    return LLVMGetSuccessor(end, 0) == a->cfg.blocks[to].ref ? made : LLVMBuildNot(a->b, made, "");
}

/* The address of a wide load from global memory, or NULL. */
static LLVMValueRef loaded_from(const struct ahead *a, LLVMValueRef inst)
{
    if (!tsr__calls(inst, "llvm.masked.load.") && !LLVMIsALoadInst(inst))
        return NULL;
    LLVMValueRef address = LLVMGetOperand(inst, 0);
    bool wide = LLVMABISizeOfType(LLVMGetModuleDataLayout(a->l->module), LLVMTypeOf(inst)) >= TSR__PREFETCH_BYTES;
    return wide && LLVMGetPointerAddressSpace(LLVMTypeOf(address)) == TSR__GLOBAL_SPACE ? address : NULL;
}

/* The barrier of the loop that every packet comes to first behind `inst`, or NULL. */
static LLVMValueRef next_barrier(const struct ahead *a, LLVMValueRef inst, int block)
{
    for (int b = block; b < a->cfg.loops[a->loop].end; b++) {
        if (a->cfg.blocks[b].loop != a->loop || !tsr__post_dominates(&a->cfg, b, block))
            continue;
        LLVMValueRef i = b == block ? inst : LLVMGetFirstInstruction(a->cfg.blocks[b].ref);
        for (; i; i = LLVMGetNextInstruction(i))
            if (tsr__call_of(i) == TSR__CALL_BARRIER)
                return i;
    }
    return NULL;
}

/* What the load would read at a distance of `by` bytes. */
static void emit_prefetch(struct ahead *a, LLVMValueRef load, LLVMValueRef address, LLVMValueRef by)
{
    uint64_t bytes = LLVMABISizeOfType(LLVMGetModuleDataLayout(a->l->module), LLVMTypeOf(load));
    LLVMValueRef next = tsr__plus_bytes(a->l, a->b, address, by);
    for (uint64_t at = 0; at < bytes; at += LINE)
        tsr__build_prefetch(a->l, a->b, tsr__plus_bytes(a->l, a->b, next, tsr__i64(a->l, at)));
}

static void prefetch_tiles_of_loop(struct ahead *a)
{
    int fetches = 0;
    for (int b = a->cfg.loops[a->loop].begin; b < a->cfg.loops[a->loop].end; b++) {
        if (a->cfg.blocks[b].loop != a->loop)
            continue;
        LLVMValueRef barrier = NULL, place = NULL;
        for (LLVMValueRef i = LLVMGetFirstInstruction(a->cfg.blocks[b].ref); i && fetches < TSR__PREFETCH_MAX;
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef address = loaded_from(a, i), next = address ? next_barrier(a, i, b) : NULL;
            if (!next)
                continue;
            if (next != barrier) {
                barrier = next;
                place = LLVMGetNextInstruction(next);
                a->place = tsr__cfg_number(&a->cfg, LLVMGetInstructionParent(next));
                LLVMPositionBuilderBefore(a->b, place);
                a->more = goes_on(a);
            }
            LLVMPositionBuilderBefore(a->b, place);
            LLVMValueRef by = is_there(a, address) ? round_delta(a, address, MAX_DEPTH) : NULL;
            if (!by || LLVMIsNull(by))
                continue;
            if (a->more)
                by = LLVMBuildSelect(a->b, a->more, by, LLVMConstNull(LLVMTypeOf(by)), "");
            emit_prefetch(a, i, address, by);
            fetches++;
        }
    }
}

/* Marks what an address is made of, back to loads. */
static void mark_sources(const struct ahead *a, struct tsr__map *sources, LLVMValueRef v, int depth)
{
    if (!depth || !is_in_loop(a, v) || tsr__map_get(sources, v))
        return;
    tsr__map_set(sources, v, 1);
    if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAGetElementPtrInst(v) && !LLVMIsAExtractElementInst(v) &&
        !LLVMIsAShuffleVectorInst(v) && !LLVMIsAInsertElementInst(v) && !LLVMIsAFreezeInst(v) && !LLVMIsAPHINode(v) &&
        !LLVMIsASelectInst(v))
        return;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        mark_sources(a, sources, LLVMGetOperand(v, (unsigned)k), depth - 1);
}

/* What the loop finds memory by. */
static struct tsr__map sources_of(const struct ahead *a)
{
    struct tsr__map sources = {.arena = a->arena};
    for (int b = a->cfg.loops[a->loop].begin; b < a->cfg.loops[a->loop].end; b++) {
        LLVMValueRef i = a->cfg.blocks[b].loop == a->loop ? LLVMGetFirstInstruction(a->cfg.blocks[b].ref) : NULL;
        for (; i; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) || tsr__calls(i, "llvm.masked.gather."))
                mark_sources(a, &sources, LLVMGetOperand(i, 0), MAX_DEPTH);
    }
    return sources;
}

static bool is_followed(LLVMValueRef by)
{
    int64_t bytes = LLVMIsAConstantInt(by) ? LLVMConstIntGetSExtValue(by) : INT64_MAX;
    return bytes >= -TSR__PREFETCHED_BY_CPU && bytes <= TSR__PREFETCHED_BY_CPU;
}

static void prefetch_lists_of_loop(struct ahead *a)
{
    const struct tsr__cfg *cfg = &a->cfg;
    struct tsr__map sources = sources_of(a);
    for (a->place = cfg->loops[a->loop].begin; a->place < cfg->loops[a->loop].end; a->place++) {
        LLVMValueRef next = cfg->blocks[a->place].loop == a->loop ? LLVMGetFirstInstruction(cfg->blocks[a->place].ref) : NULL;
        for (LLVMValueRef i; (i = next);) {
            next = LLVMGetNextInstruction(i);
            LLVMValueRef address = loaded_from(a, i);
            if (!address || !tsr__map_get(&sources, i))
                continue;
            LLVMPositionBuilderBefore(a->b, i);
            LLVMValueRef by = round_delta(a, address, MAX_DEPTH);
            if (by && !is_followed(by))
                emit_prefetch(a, i, address, LLVMBuildMul(a->b, by, LLVMConstInt(LLVMTypeOf(by), TSR__PREFETCH_LIST_ROUNDS, false), ""));
        }
    }
}

static void visit_loops(struct tsr__compilation *l, LLVMValueRef packet, void (*at_loop)(struct ahead *a))
{
    struct tsr_arena arena = {0};
    struct ahead a = {.l = l, .arena = &arena};
    if (tsr__cfg_make(&a.cfg, packet, &arena)) {
        a.b = LLVMCreateBuilderInContext(l->context);
        for (a.loop = 0; a.loop < a.cfg.loop_count; a.loop++)
            at_loop(&a);
        LLVMDisposeBuilder(a.b);
    }
    tsr_arena_free(&arena);
}

void tsr__prefetch_next_round(struct tsr__compilation *l, LLVMValueRef packet)
{
    visit_loops(l, packet, prefetch_tiles_of_loop);
}

bool tsr__pass_prefetch(struct tsr__compilation *l, LLVMValueRef function)
{
    visit_loops(l, function, prefetch_lists_of_loop);
    return true;
}
