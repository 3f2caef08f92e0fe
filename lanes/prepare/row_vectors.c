/* SPDX-License-Identifier: Apache-2.0
 * Loads and stores of four elements at once in loops in which each lane goes along a row of its own, `for (k …) s += a[id * n + k] * …`.
 *
 * A gather of every lane's next element takes a load for each lane, and instructions that put the elements into a register. Four rounds of
 * the loop in one take as many loads, of vectors, and a transposition in registers. So such a loop gets a version in front of it, whose
 * round is four rounds:
 *
 *     before:  if the next four rounds will be run, go to rows, else to loop
 *     rows:    four copies of the loop's block; the wide loads stand in the first, the wide stores in the last; again if four more will be
 *              run, else to rest
 *     rest:    if another round is to be run, go to loop, else to behind
 *     loop:    as it was
 *
 * What ends the loop is computed ahead: it depends on nothing but counters. The order of operations stays, so results are the same. Where
 * they would not be if arguments shared memory, or if an index wrapped, the launch says whether `rows` may run. */
#include <llvm-c/DebugInfo.h>

#include "lanes/analysis/row_walks.h"
#include "lanes/prepare/apart.h"
#include "lanes/prepare/block_loop.h"
#include "lanes/prepare/unroll.h"
#include "tessera/lanes.h"

#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"

enum {
    ROUNDS = TSR__ROW_ROUNDS,
    MOST_WIDE = 8,  /* loads and stores of a loop */
    MOST_CODE = 48, /* instructions of a loop */
    MOST_AHEAD = 12 /* … that are computed ahead */
};

struct rows {
    struct tsr__compilation *l;
    const struct tsr__packet_kernel *k;
    struct tsr__block_loop loop;
    LLVMValueRef accesses[MOST_WIDE]; /* in the order in which they stand */
    LLVMValueRef wide[MOST_WIDE];     /* what is loaded and stored in all rounds */
    unsigned count;
    uint32_t small, alone; /* arguments whose memory has to be small, or theirs alone */
    struct tsr__map ahead; /* the instructions that the loop's end depends on → 1 */
    LLVMBuilderRef b;
    struct tsr_arena *arena;
};

/* ---- which loops ---- */

/* Of a vector in which elements lie as in memory. */
static bool is_element(LLVMTypeRef type)
{
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return true;
    case LLVMIntegerTypeKind:
        return bits == 8 || bits == 16 || bits == 32 || bits == 64;
    default:
        return false;
    }
}

static bool is_row(struct rows *r, const struct tsr__shapes *shapes, LLVMValueRef access)
{
    struct tsr__row_walk walk;
    LLVMTypeRef type = tsr__accessed_type(access);
    if (!is_element(type) || !tsr__walks_row(r->l, shapes, r->loop.block, access, &walk) || (!walk.exact && walk.within < 0) ||
        walk.step != (int64_t)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(r->l->module), type))
        return false;
    r->small |= walk.exact ? 0 : UINT32_C(1) << walk.within;
    return true;
}

/* A store stands behind the loads of three more rounds, and may be of the number that the same round has loaded before. */
static bool may_store_late(struct rows *r, LLVMValueRef store)
{
    struct tsr__apart apart = {.l = r->l, .k = r->k, .may_ask = true, .in_all_rounds = true};
    bool behind = false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(r->loop.block); i; i = LLVMGetNextInstruction(i)) {
        behind = behind || i == store;
        if (i == store || (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)))
            continue;
        bool its_own = LLVMIsALoadInst(i) && !behind && tsr__are_same(&apart, i, store);
        if (!its_own && !tsr__are_apart(&apart, i, store))
            return false;
    }
    r->alone |= apart.assumed;
    return true;
}

static bool is_counting(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMAnd:
    case LLVMOr:
        return true;
    default:
        return false;
    }
}

/* Notes what the value depends on in the loop; false: more than counters. */
static bool look_ahead(struct rows *r, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != r->loop.block || tsr__map_get(&r->ahead, v))
        return true;
    if (r->ahead.count == MOST_AHEAD)
        return false;
    tsr__map_set(&r->ahead, v, 1);
    if (LLVMIsAPHINode(v))
        return look_ahead(r, tsr__incoming_from(v, r->loop.block));
    if (!is_counting(v))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!look_ahead(r, LLVMGetOperand(v, (unsigned)i)))
            return false;
    return true;
}

static bool find_rows(struct rows *r, const struct tsr__shapes *shapes, int loop)
{
    unsigned size = 0;
    if (shapes->divergent_loop[loop] || !tsr__block_loop_find(shapes->cfg, loop, &r->loop) || !r->loop.behind ||
        tsr__has_loop_hint(r->l, LLVMGetBasicBlockTerminator(r->loop.block), TSR_ALONG_ROW) ||
        tsr__has_loop_hint(r->l, LLVMGetBasicBlockTerminator(r->loop.block), TSR_ROW_REST))
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(r->loop.block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef callee = tsr__callee(i);
        bool stores = LLVMIsAStoreInst(i), access = stores || LLVMIsALoadInst(i);
        bool row = access && r->count < MOST_WIDE && is_row(r, shapes, i);
        if (++size > MOST_CODE || (access && !tsr__is_plain_access(i)) /* which no load may pass */ ||
            (stores ? !row || !may_store_late(r, i) : tsr__spaces_written(i) != 0) ||
            (LLVMIsACallInst(i) && !(callee && LLVMGetIntrinsicID(callee))))
            return false;
        if (row)
            r->accesses[r->count++] = i;
    }
    return r->count && look_ahead(r, LLVMGetCondition(LLVMGetBasicBlockTerminator(r->loop.block)));
}

/* ---- the version ---- */

/* Whether a round of the loop follows, by its condition. */
static LLVMValueRef goes_on(const struct rows *r, LLVMValueRef condition)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(r->loop.block);
    return LLVMGetSuccessor(end, 0) == r->loop.block ? condition : LLVMBuildNot(r->b, condition, "");
}

/* Begins the round behind that of `copies`: what the loop's phis are in it. */
static struct tsr__map next_round(const struct rows *r, const struct tsr__map *copies)
{
    struct tsr__map next = {.arena = r->arena};
    for (LLVMValueRef i = LLVMGetFirstInstruction(r->loop.block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        tsr__map_set(&next, i, (uintptr_t)tsr__copy_of(copies, tsr__incoming_from(i, r->loop.block)));
    return next;
}

/* Whether the loop goes on behind each of the next rounds but the last of four. `copies`: what its phis are in the first of them. A round
 * is looked at only if the ones before it will be run, as its numbers may be poison otherwise. */
static LLVMValueRef will_run(const struct rows *r, struct tsr__map copies)
{
    LLVMValueRef all[ROUNDS - 1], condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(r->loop.block));
    for (unsigned round = 0; round < ROUNDS - 1; round++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(r->loop.block); i; i = LLVMGetNextInstruction(i))
            if (!LLVMIsAPHINode(i) && tsr__map_get(&r->ahead, i))
                tsr__copy_inst(r->b, &copies, i);
        all[round] = goes_on(r, tsr__copy_of(&copies, condition));
        copies = next_round(r, &copies);
    }
    LLVMValueRef never = LLVMConstNull(LLVMTypeOf(condition)), made = all[ROUNDS - 2];
    for (unsigned round = ROUNDS - 2; round-- > 0;)
        made = LLVMBuildSelect(r->b, all[round], made, never, "");
    return made;
}

/* The access of a round as a part of one of all rounds. `first`: copies of the first. */
static void access_row(struct rows *r, unsigned row, const struct tsr__map *first, struct tsr__map *copies, unsigned round)
{
    unsigned tbaa = LLVMGetMDKindIDInContext(r->l->context, "tbaa", 4);
    LLVMValueRef access = r->accesses[row], number = tsr__i32(r->l, round), made = NULL;
    LLVMValueRef pointer = tsr__copy_of(first, tsr__accessed_pointer(access));
    LLVMTypeRef type = LLVMVectorType(tsr__accessed_type(access), ROUNDS);
    if (LLVMIsAStoreInst(access)) {
        LLVMValueRef so_far = round ? r->wide[row] : LLVMGetPoison(type);
        r->wide[row] = LLVMBuildInsertElement(r->b, so_far, tsr__copy_of(copies, LLVMGetOperand(access, 0)), number, "");
        if (round == ROUNDS - 1)
            made = LLVMBuildStore(r->b, r->wide[row], pointer);
    } else {
        if (!round)
            made = r->wide[row] = LLVMBuildLoad2(r->b, type, pointer, "");
        tsr__map_set(copies, access, (uintptr_t)LLVMBuildExtractElement(r->b, r->wide[row], number, ""));
    }
    if (!made)
        return;
    LLVMSetAlignment(made, LLVMGetAlignment(access));
    LLVMSetMetadata(made, tbaa, LLVMGetMetadata(access, tbaa));
    LLVMInstructionSetDebugLoc(made, LLVMInstructionGetDebugLoc(access));
}

static void copy_round(struct rows *r, const struct tsr__map *first, struct tsr__map *copies, unsigned round)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(r->loop.block);
    unsigned row = 0;
    for (LLVMValueRef i = tsr__after_phis(LLVMGetFirstInstruction(r->loop.block)); i != end; i = LLVMGetNextInstruction(i))
        if (row < r->count && i == r->accesses[row])
            access_row(r, row++, first, copies, round);
        else
            tsr__copy_inst(r->b, copies, i);
}

/* The same phis, as the loop begins. */
static struct tsr__map begin_rows(const struct rows *r)
{
    struct tsr__map first = {.arena = r->arena};
    for (LLVMValueRef i = LLVMGetFirstInstruction(r->loop.block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = LLVMBuildPhi(r->b, LLVMTypeOf(i), ""), from = tsr__incoming_from(i, r->loop.before);
        LLVMBasicBlockRef before = r->loop.before;
        LLVMAddIncoming(phi, &from, &before, 1);
        tsr__map_set(&first, i, (uintptr_t)phi);
    }
    return first;
}

static void make_rows(struct rows *r)
{
    LLVMBasicBlockRef loop = r->loop.block, rows = LLVMInsertBasicBlockInContext(r->l->context, loop, "rows"),
                      rest = LLVMInsertBasicBlockInContext(r->l->context, loop, "rest");
    LLVMValueRef to_loop = LLVMGetBasicBlockTerminator(r->loop.before), condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(loop));
    struct tsr__map starts = {.arena = r->arena}, copies[ROUNDS];
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        tsr__map_set(&starts, i, (uintptr_t)tsr__incoming_from(i, r->loop.before));
    LLVMPositionBuilderBefore(r->b, to_loop);
    LLVMValueRef enter = will_run(r, starts);
    if (r->small)
        enter = LLVMBuildAnd(r->b, enter, tsr__ask_launch(r->l, r->k, r->b, TSR__CALL_SMALL_MEMORY, r->small), "");
    if (r->alone)
        enter = LLVMBuildAnd(r->b, enter, tsr__ask_launch(r->l, r->k, r->b, TSR__CALL_ALONE, r->alone), "");
    LLVMBuildCondBr(r->b, enter, rows, loop);
    LLVMInstructionEraseFromParent(to_loop);

    LLVMPositionBuilderAtEnd(r->b, rows);
    copies[0] = begin_rows(r);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round)
            copies[round] = next_round(r, &copies[round - 1]);
        copy_round(r, &copies[0], &copies[round], round);
    }
    struct tsr__map *last = &copies[ROUNDS - 1], next = next_round(r, last);
    LLVMValueRef more = goes_on(r, tsr__copy_of(last, condition));
    LLVMValueRef again = LLVMBuildSelect(r->b, more, will_run(r, next), LLVMConstNull(LLVMTypeOf(more)), "");
    LLVMBuildCondBr(r->b, again, rows, rest);
    LLVMPositionBuilderAtEnd(r->b, rest);
    LLVMBuildCondBr(r->b, more, loop, r->loop.behind);

    for (LLVMValueRef i = LLVMGetFirstInstruction(loop); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef v = tsr__copy_of(&next, i);
        LLVMAddIncoming((LLVMValueRef)tsr__map_get(&copies[0], i), &v, &rows, 1);
        LLVMAddIncoming(i, &v, &rest, 1);
    }
    tsr__join_behind(r->b, &r->loop, loop, rest, last);
    tsr__set_loop_hint(r->l, LLVMGetBasicBlockTerminator(loop), TSR_ROW_REST, 0);
}

bool tsr__pass_row_vectors(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    bool any = false;
    if (k->packet.width >= ROUNDS && tsr__cfg_make(&cfg, k->item, &arena) && cfg.loop_count) {
        LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
        tsr__shapes_find(&shapes, &cfg, k->packet, &arena);
        for (int i = 0; i < cfg.loop_count; i++) {
            struct rows r = {.l = l, .k = k, .ahead = {.arena = &arena}, .b = b, .arena = &arena};
            if (!find_rows(&r, &shapes, i))
                continue;
            for (unsigned n = 0; n < r.count; n++)
                tsr__explain(l, r.accesses[n], LLVMIsAStoreInst(r.accesses[n]) ? "store" : "load", "along row",
                             "each lane's next four elements at once, as it goes along a row of its own");
            make_rows(&r);
            any = true;
        }
        LLVMDisposeBuilder(b);
    }
    tsr_arena_free(&arena);
    return !any || tsr__run_llvm_on(l, k->item, "dce"); /* addresses that rounds do not need */
}
