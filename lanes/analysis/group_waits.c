/* SPDX-License-Identifier: Apache-2.0
 * Loops in which a work-item waits for what another work-group writes, as at a barrier of all work-groups:
 *
 *     atomic_inc(count);
 *     while (atomic_or(count, 0) < get_num_groups(0))
 *         ;
 *
 * OpenCL promises such a kernel no progress, but it ends where each work-group has a thread of its own. A loop waits if its end depends on
 * a look at one place in global memory, which the loop itself does not change. Not meant are locks, queues of work and updates by compare
 * and exchange: there the loop ends, or the holder of the lock goes on, whatever other work-groups do. */
#include "lanes/ir/cfg.h"
#include "lanes/ir/match.h"

enum { DEPTH = 12 }; /* of addresses that are looked through */

struct waits {
    const struct tsr__cfg *cfg;
    struct tsr_arena *arena;
    int loop;
    struct tsr__map seen; /* values that the walk has come to */
    bool looks;           /* the end of the loop depends on a place in global memory that the loop only reads … */
    bool hears;           /* … or on local memory, where another work-item may have stored what it read there … */
    bool acts;            /* … or on an atomic operation that writes, or goes to another place in each round */
};

/* Does the atomic operation leave memory as it was? */
static bool only_reads(LLVMValueRef inst)
{
    if (LLVMIsAAtomicCmpXchgInst(inst))
        return LLVMGetOperand(inst, 1) == LLVMGetOperand(inst, 2);
    if (!LLVMIsAAtomicRMWInst(inst))
        return LLVMIsALoadInst(inst);
    LLVMValueRef with = LLVMGetOperand(inst, 1);
    switch (LLVMGetAtomicRMWBinOp(inst)) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
    case LLVMAtomicRMWBinOpOr:
    case LLVMAtomicRMWBinOpXor:
    case LLVMAtomicRMWBinOpUMax:
        return LLVMIsNull(with);
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpUMin:
        return LLVMIsAConstantInt(with) && LLVMConstIntGetSExtValue(with) == -1;
    default:
        return false;
    }
}

static bool is_shared_by_groups(LLVMValueRef access)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(tsr__place_of(access)));
    return space != TSR__LOCAL_SPACE && space != TSR__PRIVATE_SPACE;
}

/* The variable that a load reads, as front ends leave them; NULL: none. */
static LLVMValueRef variable_of(LLVMValueRef v)
{
    return tsr__is_plain_load(v) && LLVMIsAAllocaInst(LLVMGetOperand(v, 0)) ? LLVMGetOperand(v, 0) : NULL;
}

/* The next store of the loop to the variable, among its uses from this one on; NULL: none. */
static LLVMValueRef next_store(const struct waits *w, LLVMValueRef variable, LLVMUseRef *use)
{
    while (*use) {
        LLVMValueRef user = LLVMGetUser(*use);
        *use = LLVMGetNextUse(*use);
        if (LLVMIsAStoreInst(user) && tsr__place_of(user) == variable && tsr__is_in_loop(w->cfg, user, w->loop))
            return user;
    }
    return NULL;
}

/* A variable of the loop, such as an inlined function's parameter, is the same if what is stored to it is. */
static bool is_same_in_each_round(const struct waits *w, LLVMValueRef v, unsigned depth)
{
    if (!tsr__is_in_loop(w->cfg, v, w->loop))
        return true;
    LLVMValueRef variable = variable_of(v), store;
    if (!depth || (!variable && !LLVMIsAGetElementPtrInst(v) && !LLVMIsACastInst(v)))
        return false;
    if (variable) {
        for (LLVMUseRef use = LLVMGetFirstUse(variable); (store = next_store(w, variable, &use)) != NULL;)
            if (!is_same_in_each_round(w, LLVMGetOperand(store, 0), depth - 1))
                return false;
        return true;
    }
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!is_same_in_each_round(w, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return false;
    return true;
}

static bool is_look(const struct waits *w, LLVMValueRef inst)
{
    return tsr__is_atomic(inst) && only_reads(inst) && is_shared_by_groups(inst) && is_same_in_each_round(w, tsr__place_of(inst), DEPTH);
}

static void ask(struct waits *w, LLVMValueRef v)
{
    if (!tsr__is_in_loop(w->cfg, v, w->loop) || !tsr__map_add(&w->seen, v))
        return;
    if (tsr__is_atomic(v)) {
        if (is_look(w, v))
            w->looks = true;
        else if (is_shared_by_groups(v))
            w->acts = true;
        return;
    }
    LLVMValueRef variable = variable_of(v), store;
    if (variable) {
        for (LLVMUseRef use = LLVMGetFirstUse(variable); (store = next_store(w, variable, &use)) != NULL;)
            ask(w, LLVMGetOperand(store, 0));
        return;
    }
    if (LLVMIsALoadInst(v)) {
        w->hears |= LLVMGetPointerAddressSpace(LLVMTypeOf(tsr__place_of(v))) == TSR__LOCAL_SPACE;
        return;
    }
    for (int i = 0; i < LLVMGetNumOperands(v); i++) /* of a phi its incoming values */
        ask(w, LLVMGetOperand(v, (unsigned)i));
}

static bool has_look(const struct waits *w)
{
    const struct tsr__loop *loop = &w->cfg->loops[w->loop];
    for (int b = loop->begin; b < loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(w->cfg->blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (is_look(w, i))
                return true;
    return false;
}

static bool waits_in_loop(struct waits *w)
{
    const struct tsr__loop *loop = &w->cfg->loops[w->loop];
    if (!has_look(w))
        return false;
    for (int b = loop->begin; b < loop->end; b++) {
        const struct tsr__block *block = &w->cfg->blocks[b];
        if (!LLVMIsABranchInst(block->terminator) || block->succ_count != 2 ||
            (tsr__in_loop(w->cfg, block->succ[0], w->loop) && tsr__in_loop(w->cfg, block->succ[1], w->loop)))
            continue;
        w->seen = (struct tsr__map){.arena = w->arena};
        w->looks = w->hears = w->acts = false;
        ask(w, LLVMGetCondition(block->terminator));
        if ((w->looks || w->hears) && !w->acts)
            return true;
    }
    return false;
}

static bool has_atomics(LLVMValueRef function)
{
    for (LLVMValueRef i = LLVMIsDeclaration(function) ? NULL : tsr__first(function); i; i = tsr__next(i))
        if (tsr__is_atomic(i))
            return true;
    return false;
}

static bool waits_for_groups(LLVMValueRef function)
{
    if (!has_atomics(function))
        return false;
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    bool waits = false;
    if (tsr__cfg_make(&cfg, function, &arena)) {
        struct waits w = {.cfg = &cfg, .arena = &arena};
        for (w.loop = 0; w.loop < cfg.loop_count && !waits; w.loop++)
            waits = waits_in_loop(&w);
    }
    tsr_arena_free(&arena);
    return waits;
}

bool tsr__pass_group_waits(struct tsr__compilation *l)
{
    struct tsr__map waiting = tsr__functions_reaching(l, waits_for_groups);
    for (uint32_t k = 0; k < l->info->kernel_count; k++) {
        struct tsr_kernel_info *kernel = &l->info->kernels[k];
        LLVMValueRef f = kernel->entry ? tsr__entry(l, kernel) : tsr__kernel(l, kernel);
        if (f && tsr__map_get(&waiting, f))
            kernel->flags |= TSR_KERNEL_WAITS_FOR_GROUPS;
    }
    return true;
}
