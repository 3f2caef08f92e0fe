/* SPDX-License-Identifier: Apache-2.0
 * Loops with matrix functions that check ranges run most of their rounds without checks.
 *
 * A kernel for matrices of any size loads what is inside of them, and zeros else: `row + r < m && k + lane < n ? a[…] : 0`. Such loads are
 * none of a tile. But in most rounds of most work-groups all checks hold. So the loop is split, as inductive range check elimination
 * does: rounds in which every check of each work-item of the group holds run in a copy without checks, and what is left, the last round or
 * all of them, in the loop as it was.
 *
 * If a check fails in the last round (group_bounds.c), the one before it is tried. All work-items of a group come to the same result, so
 * they meet in matrix functions and at barriers as before.
 *
 * With tile registers the last round costs as much as many others. There loops whose operands the device can compute with their checks,
 * where it packs them (guarded_loads.c), stay whole: those that do nothing but load, multiply and count. */
#include "lanes/prepare/group_bounds.h"

#include "lanes/analysis/packet_support.h"
#include "lanes/ir/blocks.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "tessera/matrix.h"

/* A branch or select in the loop that goes one way where all is inside, or a minimum that is its first operand there. */
struct choice {
    LLVMValueRef inst;
    bool way; /* its condition there */
};

struct range_checks {
    struct tsr__rounds r;
    struct tsr__group_bounds g; /* before the loop */
    struct tsr__counter *counter;
    LLVMValueRef full; /* is the packet? */
    struct tsr__checks checks;
    struct choice choices[TSR__MAX_CHECKS];
    unsigned choice_count;
    struct tsr__map copies;
};

static LLVMTypeRef i64(const struct range_checks *x)
{
    return LLVMInt64TypeInContext(x->r.l->context);
}

static LLVMValueRef both(struct range_checks *x, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(x->g.b, a, b, "");
}

/* Of all checks, in the round where the counter is this. NULL: one is not known. */
static LLVMValueRef all_hold(struct range_checks *x, LLVMValueRef at)
{
    LLVMValueRef all = LLVMConstInt(LLVMInt1TypeInContext(x->r.l->context), 1, false);
    tsr__begin_sound(&x->g);
    x->counter->at = at;
    for (unsigned i = 0; i < x->checks.count; i++) {
        LLVMValueRef one = tsr__check_holds(&x->g, &x->checks.at[i]);
        if (!one)
            return NULL;
        all = both(x, all, LLVMBuildFreeze(x->g.b, one, "")); /* which the loop might not have computed */
    }
    return both(x, all, LLVMBuildFreeze(x->g.b, x->g.sound, ""));
}

/* ---- the checks of a loop ---- */

/* A branch around a block, or blocks, that nothing else leads to: the way into it is the one where all is inside. */
static bool add_branch(struct range_checks *x, const struct tsr__block *block)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    const int inside = block->succ[0] == block->ipdom ? block->succ[1] : block->succ[0];
    if (block->succ[0] != block->ipdom && block->succ[1] != block->ipdom)
        return false;
    const bool way = LLVMGetSuccessor(block->terminator, 0) == cfg->blocks[inside].ref;
    if (x->choice_count == TSR__MAX_CHECKS || !tsr__add_checks(&x->checks, LLVMGetCondition(block->terminator), way))
        return false;
    x->choices[x->choice_count++] = (struct choice){block->terminator, way};
    return true;
}

/* Takes the choice if its checks are known to be ones of ranges. Else it stays in the loop. */
static void add_if_known(struct range_checks *x, LLVMValueRef inst, LLVMValueRef condition, bool way)
{
    const unsigned checks = x->checks.count;
    bool known = tsr__add_checks(&x->checks, condition, way);
    tsr__begin_sound(&x->g);
    for (unsigned i = checks; known && i < x->checks.count; i++)
        known = tsr__check_holds(&x->g, &x->checks.at[i]); /* whose code goes unused */
    if (known)
        x->choices[x->choice_count++] = (struct choice){inst, way};
    else
        x->checks.count = checks;
}

/* A zero instead of a number, but for the index of a next round where there is none: the loop goes on without it (unpipeline.c). */
static void add_select(struct range_checks *x, LLVMValueRef select)
{
    const bool way = LLVMIsNull(LLVMGetOperand(select, 2));
    LLVMTypeRef condition = LLVMTypeOf(LLVMGetOperand(select, 0));
    if (LLVMGetTypeKind(condition) == LLVMIntegerTypeKind && LLVMTypeOf(select) != condition && x->choice_count < TSR__MAX_CHECKS &&
        (way || LLVMIsNull(LLVMGetOperand(select, 1))) && !tsr__holds_where_it_goes_on(&x->r, LLVMGetOperand(select, 0)))
        add_if_known(x, select, LLVMGetOperand(select, 0), way);
}

/* Is the value only looked at where the loop ends? */
static bool is_of_last_round(const struct range_checks *x, LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use) && LLVMIsASelectInst(LLVMGetUser(use)) &&
           tsr__where_it_goes_on(&x->r, LLVMGetUser(use)) != LLVMGetUser(use);
}

/* A limit: the number where it is no more. That of an index of the next round, where there is none, unpipeline.c does without. */
static void add_minimum(struct range_checks *x, LLVMValueRef call)
{
    const char *name = tsr__name(tsr__callee(call));
    const bool is_signed = tsr__starts_with(name, "llvm.smin");
    if ((!is_signed && !tsr__starts_with(name, "llvm.umin")) || x->choice_count == TSR__MAX_CHECKS ||
        LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind || !tsr__is_same(&x->g, LLVMGetOperand(call, 1)) ||
        tsr__where_it_goes_on(&x->r, call) != call || is_of_last_round(x, call))
        return;
    LLVMBuilderRef b = tsr__builder_before(x->r.l, call);
    LLVMValueRef less = LLVMBuildICmp(b, is_signed ? LLVMIntSLE : LLVMIntULE, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), "");
    LLVMDisposeBuilder(b);
    add_if_known(x, call, less, true);
}

/* True: the loop multiplies, and chooses only by checks of ranges, of which there are some, and whether it goes on. */
static bool find_checks(struct range_checks *x)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    const struct tsr__loop *loop = &cfg->loops[x->r.loop];
    bool products = false;
    for (int k = loop->begin; k < loop->end; k++) {
        const struct tsr__block *block = &cfg->blocks[k];
        if (block->loop != x->r.loop || !LLVMIsABranchInst(block->terminator))
            return false;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block->ref); i; i = LLVMGetNextInstruction(i)) {
            products = products || tsr__is_product(i);
            if (LLVMIsASelectInst(i))
                add_select(x, i);
            else if (tsr__callee(i))
                add_minimum(x, i);
        }
        if (block->succ_count == 2 && block->ref != x->r.latch &&
            !tsr__holds_where_it_goes_on(&x->r, LLVMGetCondition(block->terminator)) && !add_branch(x, block))
            return false;
    }
    return products && x->choice_count;
}

/* ---- loops that stay whole ---- */

/* Does nothing in the loop keep its loads from being done elsewhere? */
static bool only_loads(const struct range_checks *x)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    for (int k = cfg->loops[x->r.loop].begin; k < cfg->loops[x->r.loop].end; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].ref); i; i = LLVMGetNextInstruction(i)) {
            const enum tsr__engine_call call = tsr__call_of(i);
            const bool harmless = tsr__is_product(i) || tsr__is_pure(i) || call == TSR__CALL_SITE ||
                                  (call != TSR__CALL_NONE && tsr__call_info(call)->how != TSR__HOW_RT);
            if (LLVMIsAStoreInst(i) || LLVMIsAFenceInst(i) || (LLVMIsALoadInst(i) && !tsr__is_plain_load(i)) ||
                (LLVMIsACallInst(i) && !harmless))
                return false;
        }
    return true;
}

static bool is_accumulator(LLVMValueRef phi)
{
    for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use))
        if (tsr__is_product(LLVMGetUser(use)) && LLVMGetOperand(LLVMGetUser(use), 2) == phi)
            return true;
    return false;
}

/* Do rounds hand on sums and counters alone? The number of sums; 0: no. */
static unsigned count_sums(const struct range_checks *x)
{
    unsigned sums = 0;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(x->r.header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef next = tsr__incoming_from(phi, x->r.latch);
        const bool sum = is_accumulator(phi);
        sums += sum;
        if (!sum && !LLVMIsUndef(tsr__incoming_from(phi, x->r.before)) && !tsr__is_sum(next) && !LLVMIsAGetElementPtrInst(next))
            return 0;
    }
    return sums;
}

/* Bytes and bfloat16. */
static bool is_for_tile_registers(LLVMValueRef product)
{
    const enum tsr_element a = tsr_matrix_find(tsr__name(tsr__callee(product)))->ea;
    return a == TSR_ELEMENT_S8 || a == TSR_ELEMENT_U8 || a == TSR_ELEMENT_BF16;
}

/* Are all products of the loop such, and do rounds hand on their sums? */
static bool multiplies_tiles(const struct range_checks *x)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    for (int k = cfg->loops[x->r.loop].begin; k < cfg->loops[x->r.loop].end; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].ref); i; i = LLVMGetNextInstruction(i))
            if (tsr__is_product(i) && !is_for_tile_registers(i))
                return false;
    return count_sums(x);
}

static bool stays_whole(const struct range_checks *x, const struct tsr_kernel_info *info)
{
    enum { LANES = 16 };
    const enum tsr__tile_unit unit = tsr__tile_unit(x->r.l);
    return (unit == TSR__TILES_AMX || unit == TSR__TILES_MODEL) && tsr__sub_group_size(x->r.l, info) == LANES &&
           x->r.cfg->loops[x->r.loop].parent == TSR__NONE && only_loads(x) && multiplies_tiles(x);
}

/* ---- the copy ---- */

static LLVMValueRef copied(const struct range_checks *x, LLVMValueRef v)
{
    return tsr__copy_of(&x->copies, v);
}

static LLVMBasicBlockRef copied_block(const struct range_checks *x, LLVMBasicBlockRef block)
{
    return tsr__copy_of_block(&x->copies, block);
}

/* Copies the loop's blocks, in front of it, with every choice made. The copy ends as the loop does. */
static void copy_loop(struct range_checks *x)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    const struct tsr__loop *loop = &cfg->loops[x->r.loop];
    const size_t count = (size_t)(loop->end - loop->begin);
    LLVMBasicBlockRef *blocks = tsr_arena_alloc(x->r.arena, count * sizeof *blocks);
    for (size_t k = 0; k < count; k++)
        blocks[k] = cfg->blocks[loop->begin + (int)k].ref;
    tsr__copy_blocks(x->r.l, blocks, count, x->r.header, x->r.header, "inside", &x->copies);
    for (unsigned i = 0; i < x->choice_count; i++) {
        LLVMValueRef way = LLVMConstInt(LLVMInt1TypeInContext(x->r.l->context), x->choices[i].way, false);
        if (LLVMIsASelectInst(x->choices[i].inst))
            LLVMSetOperand(copied(x, x->choices[i].inst), 0, way);
        else if (LLVMIsACallInst(x->choices[i].inst))
            LLVMReplaceAllUsesWith(copied(x, x->choices[i].inst), copied(x, LLVMGetOperand(x->choices[i].inst, 0)));
        else
            LLVMSetCondition(LLVMGetBasicBlockTerminator(copied_block(x, LLVMGetInstructionParent(x->choices[i].inst))), way);
    }
}

/* What the value is where the copy and the loop meet. */
static LLVMValueRef joined(struct range_checks *x, LLVMBasicBlockRef rest, LLVMValueRef first, LLVMValueRef again)
{
    LLVMBasicBlockRef from[2] = {x->r.before, copied_block(x, x->r.latch)};
    LLVMPositionBuilderBefore(x->g.b, LLVMGetFirstInstruction(rest));
    LLVMValueRef phi = LLVMBuildPhi(x->g.b, LLVMTypeOf(again), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){first, copied(x, again)}, from, 2);
    return phi;
}

/* before → copy, as long as the counter is less than `stop`; then the loop, or what is behind it if the copy has run all rounds. */
static void join_copy(struct range_checks *x, LLVMValueRef stop, LLVMValueRef all, bool is_signed)
{
    struct tsr__compilation *l = x->r.l;
    LLVMBasicBlockRef rest = LLVMInsertBasicBlockInContext(l->context, x->r.header, "rest"), copy = copied_block(x, x->r.header);
    const LLVMIntPredicate less = is_signed ? LLVMIntSLT : LLVMIntULT;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(x->r.before), first = tsr__incoming_from(x->counter->phi, x->r.before), next = NULL;
    struct tsr__map joins = {.arena = x->copies.arena}, begins = {.arena = x->copies.arena};
    LLVMPositionBuilderBefore(x->g.b, enter);
    LLVMValueRef runs = both(x, LLVMBuildICmp(x->g.b, less, first, stop, ""), x->full);
    LLVMBuildCondBr(x->g.b, runs, copy, rest);
    LLVMInstructionEraseFromParent(enter);
    LLVMValueRef latch = LLVMGetBasicBlockTerminator(copied_block(x, x->r.latch));
    LLVMPositionBuilderBefore(x->g.b, latch);
    LLVMBuildCondBr(x->g.b, LLVMBuildICmp(x->g.b, less, copied(x, x->counter->next), stop, ""), copy, rest);
    LLVMInstructionEraseFromParent(latch);
    LLVMPositionBuilderAtEnd(x->g.b, rest);
    LLVMBuildCondBr(x->g.b, all, x->r.behind, x->r.header);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(x->r.header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef again = tsr__incoming_from(phi, x->r.latch), begin = joined(x, rest, tsr__incoming_from(phi, x->r.before), again);
        tsr__map_set(&begins, phi, (uintptr_t)begin);
        tsr__map_set(&joins, again, (uintptr_t)begin);
    }
    for (LLVMValueRef phi = LLVMGetFirstInstruction(x->r.behind); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef v = tsr__incoming_from(phi, x->r.latch);
        LLVMValueRef known = (LLVMValueRef)tsr__map_get(&joins, v);
        if (known || tsr__is_in_loop(x->r.cfg, v, x->r.loop))
            v = known ? known : joined(x, rest, LLVMGetPoison(LLVMTypeOf(v)), v);
        LLVMAddIncoming(phi, &v, &rest, 1);
    }
    /* Only now, as the next value of a phi, and what is used behind the loop, may be another phi. */
    for (LLVMValueRef phi = LLVMGetFirstInstruction(x->r.header); LLVMIsAPHINode(phi); phi = next) {
        LLVMBuilderRef b = tsr__builder_before(l, phi);
        LLVMValueRef made = LLVMBuildPhi(b, LLVMTypeOf(phi), ""), begin = (LLVMValueRef)tsr__map_get(&begins, phi);
        LLVMDisposeBuilder(b);
        LLVMReplaceAllUsesWith(phi, made);
        LLVMAddIncoming(made, (LLVMValueRef[]){begin, tsr__incoming_from(phi, x->r.latch)}, (LLVMBasicBlockRef[]){rest, x->r.latch}, 2);
        next = LLVMGetNextInstruction(phi);
        LLVMInstructionEraseFromParent(phi);
    }
}

/* Do only products that move as well add to it, in the round or in the next one, or is it used behind the loop? */
static bool may_sink(const struct range_checks *x, const struct tsr__map *sinking, LLVMValueRef product)
{
    for (LLVMUseRef use = LLVMGetFirstUse(product); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const bool phi = LLVMIsAPHINode(user) && LLVMGetInstructionParent(user) == x->r.header,
                   later = tsr__is_product(user) && (LLVMGetInstructionParent(user) == x->r.latch || tsr__map_get(sinking, user));
        if (!phi && !later && tsr__is_in_loop(x->r.cfg, user, x->r.loop))
            return false;
    }
    return true;
}

/* The products that each round comes to and that may move to its end. */
static void find_sinking(const struct range_checks *x, struct tsr__map *sinking)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    const struct tsr__loop *loop = &cfg->loops[x->r.loop];
    for (int k = loop->end; k-- > loop->begin;)
        if (cfg->blocks[k].ref != x->r.latch && tsr__dominates(cfg, k, loop->latch))
            for (LLVMValueRef i = LLVMGetLastInstruction(cfg->blocks[k].ref); i; i = LLVMGetPreviousInstruction(i))
                if (tsr__is_product(i) && may_sink(x, sinking, i))
                    tsr__map_set(sinking, i, true);
}

/* The loop's products move to the end of its round, where checks do not part them: so those of several sums make a tile. */
static void sink_products(struct range_checks *x)
{
    const struct tsr__cfg *cfg = x->r.cfg;
    const struct tsr__loop *loop = &cfg->loops[x->r.loop];
    struct tsr__map sinking = {.arena = x->r.arena};
    find_sinking(x, &sinking);
    LLVMPositionBuilderBefore(x->g.b, tsr__after_phis(LLVMGetFirstInstruction(x->r.latch)));
    for (int k = loop->begin; k < loop->end; k++) {
        LLVMValueRef next = NULL;
        if (cfg->blocks[k].ref == x->r.latch)
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].ref), site = NULL; i; i = next) {
            next = LLVMGetNextInstruction(i);
            const bool sinks = tsr__map_get(&sinking, i);
            if (sinks && site) {
                LLVMInstructionRemoveFromParent(site);
                LLVMInsertIntoBuilder(x->g.b, site);
            }
            if (sinks) {
                LLVMInstructionRemoveFromParent(i);
                LLVMInsertIntoBuilder(x->g.b, i);
            }
            site = tsr__call_of(i) == TSR__CALL_SITE ? i : NULL;
        }
    }
}

/* What `stop` is anyway, so that versioning knows a bound of unsigned indices: the bound of the loop, and a few steps. */
static LLVMValueRef at_most(struct range_checks *x, LLVMValueRef stop, const struct tsr__inequality *end)
{
    struct tsr__compilation *l = x->r.l;
    LLVMTypeRef type = LLVMTypeOf(stop);
    const uint64_t more = 2 * x->counter->step - (uint64_t)end->distance;
    LLVMValueRef most = LLVMBuildAdd(x->g.b, tsr__same_there(&x->g, end->b), LLVMConstInt(type, more, false), "");
    return tsr__build_intrinsic(l, x->g.b, "llvm.umin", &type, 1, (LLVMValueRef[]){most, stop}, 2);
}

/* Tries the last round and the one before it, and splits the loop behind the one in which all checks hold. False: one is not known. */
static bool split(struct range_checks *x, const struct tsr__inequality *end)
{
    struct tsr__compilation *l = x->r.l;
    LLVMTypeRef type = LLVMTypeOf(x->counter->phi);
    LLVMValueRef step = tsr__i64(l, x->counter->step);
    tsr__begin_sound(&x->g);
    LLVMValueRef last = tsr__last_of_counter(&x->g, x->counter, end), first = x->counter->first, sound = x->g.sound;
    LLVMValueRef before_last = LLVMBuildSub(x->g.b, last, step, ""), past = LLVMBuildAdd(x->g.b, last, step, "");
    if (type != i64(x)) /* where the counter ends must not wrap */
        sound = both(x, sound, LLVMBuildICmp(x->g.b, LLVMIntSLE, past, tsr__i64(l, end->is_signed ? INT32_MAX : UINT32_MAX), ""));
    LLVMValueRef all = all_hold(x, last), most = all ? all_hold(x, before_last) : NULL;
    if (!all || !most)
        return false;
    sound = both(x, sound, x->full = tsr__in_full_packet(&x->g));
    all = both(x, all, sound);
    most = both(x, most, sound);
    LLVMValueRef stop = LLVMBuildSelect(x->g.b, all, past, LLVMBuildSelect(x->g.b, most, last, first, ""), "");
    if (type != i64(x))
        stop = LLVMBuildTrunc(x->g.b, stop, type, "");
    if (!end->is_signed && end->b)
        stop = at_most(x, stop, end);
    copy_loop(x);
    join_copy(x, stop, all, end->is_signed);
    sink_products(x);
    return true;
}

static bool find_and_split(struct range_checks *x, const struct tsr_kernel_info *info)
{
    struct tsr__inequality end;
    x->counter = &x->g.counters[0];
    if (x->r.exiting != x->r.latch || LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(x->r.before)) != 1 ||
        !tsr__find_counter(&x->g, &x->r, x->counter, &end) || !tsr__is_same(&x->g, x->counter->begin))
        return false;
    x->g.counter_count = 1;
    if (!find_checks(x) || stays_whole(x, info))
        return false;
    LLVMValueRef at = x->r.goes_on;
    if (!split(x, &end)) {
        tsr__explain(x->r.l, at, "range checks", "stay",
                     "one of them compares what is not known to grow with the rounds and ids, or its bound is not the same for all");
        return false;
    }
    tsr__explain(x->r.l, at, "range checks", "left out", "in rounds in which all of them hold for all work-items of the group");
    return true;
}

/* `info`: of the kernel. */
static bool leave_out_checks(void *info, struct tsr__rounds *r)
{
    struct range_checks *x = tsr_arena_alloc(r->arena, sizeof *x);
    *x = (struct range_checks){.r = *r, .copies.arena = r->arena};
    x->g = tsr__group_bounds_in(r->l, info, tsr__builder_before(r->l, LLVMGetBasicBlockTerminator(r->before)), r->arena);
    x->g.cfg = r->cfg;
    x->g.loop = r->loop;
    const bool changed = find_and_split(x, info);
    LLVMDisposeBuilder(x->g.b);
    return changed;
}

bool tsr__pass_range_checks(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct tsr_kernel_info *info = &l->info->kernels[i];
        LLVMValueRef kernel = tsr__kernel(l, info);
        if (!tsr__multiplies_tiles(l, kernel))
            continue;
        if (!tsr__run_llvm_on(l, kernel, "lower-switch,loop-simplify,lcssa"))
            return false;
        if (tsr__change_loops(l, kernel, leave_out_checks, info) && !tsr__run_llvm_on(l, kernel, "simplifycfg,adce"))
            return false;
    }
    return true;
}
