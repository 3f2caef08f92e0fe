/* SPDX-License-Identifier: Apache-2.0
 * Loops with matrix functions that load operands a round ahead load them in the round that multiplies them.
 *
 * On a GPU a kernel hides the time of loads behind products by hand: it loads the first operands before the loop, and in each round those
 * of the next one. Here the processor and the device do that, and a product whose operands come from another round is none that the
 * device could run for the whole loop. So the phi of a load before the loop and of one in it becomes a load at the start of the round,
 * where the address is the one of the round before (rounds.h). Nothing else is loaded than was, in the same order.
 *
 * The last operands may be multiplied behind the loop, by a copy of the round's products. Then the loop gets a round more, and the copy
 * goes. */
#include "lanes/prepare/rounds.h"

#include "lanes/analysis/packet_support.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"
#include "lanes/prepare/loop_motion.h"

enum { MAX_PHIS = 128, MAX_ELEMENTS = 64, MAX_OPERANDS = 16 };

struct unpipeline {
    struct tsr__rounds r;
    LLVMValueRef *code; /* of the function */
    size_t code_count;
    struct {
        LLVMValueRef phi, now;
    } phis[MAX_PHIS]; /* what is loaded ahead, and the value at the start of the round */
    unsigned count;
    struct tsr__map moved; /* the loads of these in the loop → 1 */
    struct tsr__map twins; /* value behind the loop → the value of an additional round */
};

/* ---- loads ---- */

static bool is_in_loop(const struct unpipeline *u, LLVMValueRef v)
{
    return tsr__is_in_loop(u->r.cfg, v, u->r.loop);
}

static bool may_write(LLVMValueRef inst, LLVMValueRef pointer)
{
    const enum tsr__engine_call call = tsr__call_of(inst);
    if (call != TSR__CALL_NONE && call != TSR__CALL_BLOCK2D_WRITE && tsr__call_info(call)->how != TSR__HOW_RT)
        return false;
    return !tsr__is_product(inst) && tsr__spaces_written(inst) & tsr__space_bit(pointer);
}

/* May memory that was loaded before the loop change until a round loads it: in the loop, or on the way there? */
static bool may_change(const struct unpipeline *u, LLVMValueRef first, LLVMValueRef pointer)
{
    const struct tsr__cfg *cfg = u->r.cfg;
    const int header = tsr__cfg_number(cfg, u->r.header), load = tsr__cfg_number(cfg, LLVMGetInstructionParent(first));
    bool behind = false; /* `first`, in its block */
    if (load == TSR__NONE || cfg->blocks[load].loop != cfg->loops[u->r.loop].parent)
        return true;
    for (size_t i = 0; i < u->code_count; i++) {
        const int block = tsr__cfg_number(cfg, LLVMGetInstructionParent(u->code[i]));
        const bool between = tsr__in_loop(cfg, block, u->r.loop) || (block > load && block < header) || (block == load && behind);
        behind = behind || u->code[i] == first;
        if (block != TSR__NONE && between && may_write(u->code[i], pointer))
            return true;
    }
    return false;
}

static LLVMValueRef made_now(struct unpipeline *u, LLVMValueRef first, LLVMValueRef next);

/* A load, or a read of a 2D block: by the addresses, coordinates and sizes of the round before. */
static LLVMValueRef loaded_now(struct unpipeline *u, LLVMValueRef first, LLVMValueRef next)
{
    LLVMValueRef now[MAX_OPERANDS];
    const int count = LLVMGetNumOperands(next);
    if (LLVMTypeOf(first) != LLVMTypeOf(next) || LLVMGetNumOperands(first) != count || count > MAX_OPERANDS ||
        may_change(u, first, LLVMGetOperand(next, 0)))
        return NULL;
    for (int i = 0; i < count; i++) {
        const struct tsr__earlier at = tsr__round_before(&u->r, LLVMGetOperand(next, (unsigned)i));
        if (!at.now || at.first != LLVMGetOperand(first, (unsigned)i))
            return NULL;
        now[i] = at.now;
    }
    LLVMValueRef made = tsr__clone_on(&u->r, next, now);
    if (LLVMIsALoadInst(next))
        LLVMSetAlignment(made, LLVMGetAlignment(first) < LLVMGetAlignment(next) ? LLVMGetAlignment(first) : LLVMGetAlignment(next));
    tsr__map_set(&u->moved, next, 1);
    return made;
}

/* The elements that insertions put into a vector. False: not all are known. */
static bool elements_of(LLVMValueRef v, LLVMValueRef *elements, unsigned count)
{
    unsigned known = 0;
    int64_t at;
    for (unsigned i = 0; i < count; i++)
        elements[i] = NULL;
    for (; LLVMIsAInsertElementInst(v) && tsr__constant_int(LLVMGetOperand(v, 2), &at) && at >= 0 && at < count; v = LLVMGetOperand(v, 0))
        if (!elements[at]) {
            elements[at] = LLVMGetOperand(v, 1);
            known++;
        }
    return known == count;
}

/* The vector of which these are the elements in order, or NULL. */
static LLVMValueRef vector_of(LLVMValueRef const *elements, unsigned count)
{
    LLVMValueRef vector = LLVMIsAExtractElementInst(elements[0]) ? LLVMGetOperand(elements[0], 0) : NULL;
    bool whole = vector && LLVMGetVectorSize(LLVMTypeOf(vector)) == count;
    for (unsigned i = 0; whole && i < count; i++)
        whole = LLVMIsAExtractElementInst(elements[i]) && LLVMGetOperand(elements[i], 0) == vector &&
                tsr__is_constant(LLVMGetOperand(elements[i], 1), i);
    return whole ? vector : NULL;
}

static LLVMValueRef vector_now(struct unpipeline *u, LLVMValueRef first, LLVMValueRef next)
{
    LLVMValueRef was[MAX_ELEMENTS], will[MAX_ELEMENTS], made = LLVMGetPoison(LLVMTypeOf(next));
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(next));
    if (count > MAX_ELEMENTS || !elements_of(next, will, count))
        return NULL;
    LLVMValueRef whole = vector_of(will, count);
    if (whole)
        return made_now(u, first, whole);
    if (!elements_of(first, was, count))
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef element = made_now(u, was[i], will[i]);
        if (!element)
            return NULL;
        made = LLVMBuildInsertElement(u->r.b, made, element, tsr__i32(u->r.l, i), "");
    }
    return made;
}

static bool is_operation(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAShuffleVectorInst(v) || LLVMIsAExtractElementInst(v);
}

/* The same operation on numbers that have been loaded: bytes and words that are put together, say. */
static LLVMValueRef operation_now(struct unpipeline *u, LLVMValueRef first, LLVMValueRef next)
{
    LLVMValueRef now[MAX_OPERANDS];
    if (!is_operation(first) || LLVMGetInstructionOpcode(first) != LLVMGetInstructionOpcode(next) || LLVMTypeOf(first) != LLVMTypeOf(next))
        return NULL;
    if (LLVMIsAShuffleVectorInst(next)) {
        if (LLVMGetNumMaskElements(first) != LLVMGetNumMaskElements(next))
            return NULL;
        for (unsigned i = 0; i < LLVMGetNumMaskElements(next); i++)
            if (tsr__shuffle_number(first, i) != tsr__shuffle_number(next, i))
                return NULL;
    }
    for (int i = 0; i < LLVMGetNumOperands(next); i++)
        if ((now[i] = made_now(u, LLVMGetOperand(first, (unsigned)i), LLVMGetOperand(next, (unsigned)i))) == NULL)
            return NULL;
    LLVMValueRef made = tsr__clone_on(&u->r, next, now);
    tsr__common_flags(made, first);
    return made;
}

/* What a phi of both values is, computed at the start of the round; or NULL. */
static LLVMValueRef made_now(struct unpipeline *u, LLVMValueRef first, LLVMValueRef next)
{
    next = tsr__where_it_goes_on(&u->r, next);
    if (!is_in_loop(u, next))
        return first == next ? next : NULL;
    if (tsr__is_plain_load(first) && tsr__is_plain_load(next))
        return loaded_now(u, first, next);
    if (tsr__call_of(first) == TSR__CALL_BLOCK2D_READ && tsr__call_of(next) == TSR__CALL_BLOCK2D_READ)
        return loaded_now(u, first, next);
    if (LLVMIsAInsertElementInst(next))
        return vector_now(u, first, next);
    return is_operation(next) ? operation_now(u, first, next) : NULL;
}

static bool is_ahead(const struct unpipeline *u, LLVMValueRef v)
{
    for (unsigned i = 0; i < u->count; i++)
        if (u->phis[i].phi == v)
            return true;
    return false;
}

static void find_phis(struct unpipeline *u)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(u->r.header); LLVMIsAPHINode(phi) && u->count < MAX_PHIS;
         phi = LLVMGetNextInstruction(phi)) {
        const size_t moved = u->moved.count;
        LLVMValueRef first = tsr__incoming_from(phi, u->r.before), next = tsr__incoming_from(phi, u->r.latch);
        LLVMValueRef now = LLVMIsAInstruction(first) && LLVMIsAInstruction(next) ? made_now(u, first, next) : NULL;
        if (now && u->moved.count > moved) {
            u->phis[u->count].phi = phi;
            u->phis[u->count++].now = now;
        }
    }
}

/* Does the value matter otherwise than as one of the phis' next ones? Of what it is part of nothing is computed but vectors and numbers. */
static bool matters(const struct unpipeline *u, LLVMValueRef v, struct tsr__map *seen)
{
    if (tsr__map_get(seen, v))
        return false;
    tsr__map_set(seen, v, 1);
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (is_ahead(u, user) || tsr__map_get(&u->twins, user))
            continue;
        if ((!is_operation(user) && !LLVMIsAPHINode(user) && !LLVMIsAInsertElementInst(user)) || matters(u, user, seen))
            return true;
    }
    return false;
}

static bool loads_matter(struct unpipeline *u)
{
    struct tsr__map seen = {.arena = u->r.arena};
    for (size_t i = 0; i < u->code_count; i++)
        if (tsr__map_get(&u->moved, u->code[i]) && matters(u, u->code[i], &seen))
            return true;
    return false;
}

static void load_in_their_rounds(struct unpipeline *u)
{
    for (unsigned i = 0; i < u->count; i++) {
        LLVMReplaceAllUsesWith(u->phis[i].phi, u->phis[i].now);
        LLVMInstructionEraseFromParent(u->phis[i].phi);
    }
}

/* ---- the last products ---- */

static bool is_in_round(const struct tsr__rounds *r, LLVMValueRef found)
{
    const int block = tsr__cfg_number(r->cfg, LLVMGetInstructionParent(found));
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(found)) == r->cfg->function && block != TSR__NONE &&
           tsr__dominates(r->cfg, block, tsr__cfg_number(r->cfg, r->latch));
}

/* The value of an additional round that is what `v` is behind the loop; NULL: none is. */
static LLVMValueRef twin_of(const struct unpipeline *u, LLVMValueRef v)
{
    LLVMValueRef twin = (LLVMValueRef)tsr__map_get(&u->twins, v);
    return twin ? twin : is_in_loop(u, v) || tsr__is_in_block(v, u->r.behind) ? NULL : v;
}

/* Each phi behind the loop, or each value of it that is used there, has to be the next one of a phi of the loop, which it is in the
 * additional round. */
static bool find_twin_phis(struct unpipeline *u)
{
    const struct tsr__block *behind = &u->r.cfg->blocks[tsr__cfg_number(u->r.cfg, u->r.behind)];
    const bool guarded = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(u->r.before)) == 2; /* before leads behind, too: goes_on_now */
    if (behind->pred_count != (guarded ? 2 : 1))
        return false;
    for (LLVMValueRef e = LLVMGetFirstInstruction(u->r.behind); LLVMIsAPHINode(e); e = LLVMGetNextInstruction(e)) {
        LLVMValueRef x = LLVMGetFirstInstruction(u->r.header), before = tsr__incoming_from(e, u->r.before);
        if (LLVMCountIncoming(e) != (before ? 2 : 1) || !tsr__incoming_from(e, u->r.latch))
            return false;
        while (LLVMIsAPHINode(x) && (tsr__incoming_from(x, u->r.latch) != tsr__incoming_from(e, u->r.latch) ||
                                     (before && tsr__incoming_from(x, u->r.before) != before)))
            x = LLVMGetNextInstruction(x);
        if (LLVMIsAPHINode(x))
            tsr__map_set(&u->twins, e, (uintptr_t)x);
        else if (LLVMGetFirstUse(e))
            return false;
    }
    for (size_t i = 0; i < u->code_count && !guarded; i++) {
        LLVMValueRef next = u->code[i];
        if (!is_in_loop(u, next))
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(next); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef x = LLVMGetFirstInstruction(u->r.header);
            if (is_in_loop(u, LLVMGetUser(use)))
                continue;
            while (LLVMIsAPHINode(x) && tsr__incoming_from(x, u->r.latch) != next)
                x = LLVMGetNextInstruction(x);
            if (!LLVMIsAPHINode(x))
                return false;
            tsr__map_set(&u->twins, next, (uintptr_t)x);
        }
    }
    return true;
}

/* True: among what follows the loop there are products of the additional round. */
static bool find_twin_products(struct unpipeline *u)
{
    bool any = false;
    for (LLVMValueRef i = tsr__after_phis(LLVMGetFirstInstruction(u->r.behind)); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef operands[MAX_OPERANDS], twin = NULL;
        const int count = LLVMGetNumOperands(i);
        bool known = count && count <= MAX_OPERANDS && (!LLVMIsACallInst(i) || tsr__is_product(i) || tsr__is_query(tsr__call_of(i)));
        if (tsr__has_effect(i) && !tsr__is_product(i) && tsr__call_of(i) != TSR__CALL_SITE)
            break;
        for (int k = 0; k < count && known; k++)
            known = (operands[k] = twin_of(u, LLVMGetOperand(i, (unsigned)k))) != NULL;
        if (known && !LLVMIsATerminatorInst(i))
            twin = tsr__instruction_like(&u->r, i, operands, is_in_round);
        if (twin)
            tsr__map_set(&u->twins, i, (uintptr_t)twin);
        any = any || (twin && tsr__is_product(twin));
    }
    return any;
}

/* May the additional round run all of the loop? Then what it reads, but for what goes, is read behind the loop, too. */
static bool reads_no_more(const struct unpipeline *u)
{
    for (size_t i = 0; i < u->code_count; i++) {
        LLVMValueRef inst = u->code[i];
        bool read_behind = false;
        const enum tsr__engine_call call = tsr__call_of(inst);
        if (!is_in_loop(u, inst) || tsr__map_get(&u->moved, inst) || tsr__is_product(inst) || tsr__is_query(call) ||
            call == TSR__CALL_SITE || call == TSR__CALL_SAME)
            continue;
        if (!LLVMIsALoadInst(inst) && !LLVMIsACallInst(inst) && !tsr__has_effect(inst))
            continue;
        for (LLVMValueRef e = LLVMGetFirstInstruction(u->r.behind); e && LLVMIsALoadInst(inst) && !tsr__has_effect(inst) && !read_behind;
             e = LLVMGetNextInstruction(e))
            read_behind = (LLVMValueRef)tsr__map_get(&u->twins, e) == inst;
        if (!read_behind)
            return false;
    }
    return true;
}

/* Whether the additional round follows where another one followed before, told at the start of a round: by the condition as it was in the
 * round before, if in the first round that is the condition under which the loop is entered. */
static LLVMValueRef goes_on_now(struct unpipeline *u)
{
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(u->r.before);
    const struct tsr__earlier c = tsr__round_before(&u->r, u->r.goes_on);
    if (!c.now || !LLVMIsABranchInst(enter))
        return NULL;
    if (!LLVMIsConditional(enter))
        return tsr__is_constant(c.first, u->r.goes_on_if) ? c.now : NULL;
    const unsigned way = LLVMGetSuccessor(enter, 0) == u->r.header ? 0 : 1;
    const bool same = c.first == LLVMGetCondition(enter) && (way == 0) == u->r.goes_on_if;
    return same && LLVMGetSuccessor(enter, 1 - way) == u->r.behind ? c.now : NULL;
}

static void add_round(struct unpipeline *u, LLVMValueRef goes_on)
{
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(u->r.before), next = NULL;
    for (size_t i = 0; i < u->code_count; i++) {
        LLVMValueRef v = u->code[i], twin = (LLVMValueRef)tsr__map_get(&u->twins, v);
        if (!twin)
            continue;
        if (!is_in_loop(u, v)) {
            LLVMReplaceAllUsesWith(v, twin);
            continue;
        }
        for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) /* a next value that is used behind the loop */
            if (!is_in_loop(u, LLVMGetUser(use)))
                for (int k = 0; k < LLVMGetNumOperands(LLVMGetUser(use)); k++)
                    if (LLVMGetOperand(LLVMGetUser(use), (unsigned)k) == v) {
                        LLVMSetOperand(LLVMGetUser(use), (unsigned)k, twin);
                        use = LLVMGetFirstUse(v);
                        break;
                    }
    }
    for (LLVMValueRef e = LLVMGetFirstInstruction(u->r.behind); e; e = next) {
        next = LLVMGetNextInstruction(e);
        const bool site = tsr__call_of(e) == TSR__CALL_SITE && next && tsr__map_get(&u->twins, next);
        if (LLVMIsAPHINode(e) || tsr__map_get(&u->twins, e) || site)
            LLVMInstructionEraseFromParent(e);
    }
    LLVMSetCondition(LLVMGetBasicBlockTerminator(u->r.latch), goes_on);
    if (LLVMIsConditional(enter)) {
        LLVMBuilderRef b = tsr__builder_before(u->r.l, enter);
        LLVMBuildBr(b, u->r.header);
        LLVMDisposeBuilder(b);
        LLVMInstructionEraseFromParent(enter);
    }
}

/* ---- loops ---- */

static bool is_innermost_product(const struct unpipeline *u)
{
    bool any = false;
    for (int i = 0; i < u->r.cfg->loop_count; i++)
        if (u->r.cfg->loops[i].parent == u->r.loop)
            return false;
    for (size_t i = 0; i < u->code_count; i++)
        any = any || (tsr__is_product(u->code[i]) && is_in_loop(u, u->code[i]));
    return any;
}

static bool unpipeline(void *context, struct tsr__rounds *r)
{
    struct unpipeline *u = tsr_arena_alloc(r->arena, sizeof *u);
    (void)context;
    *u = (struct unpipeline){.r = *r, .moved.arena = r->arena, .twins.arena = r->arena};
    u->code = tsr__instructions(r->l, r->cfg->function, &u->code_count);
    if (!is_innermost_product(u))
        return false;
    find_phis(u);
    LLVMValueRef goes_on =
        u->r.exiting == u->r.latch && find_twin_phis(u) && find_twin_products(u) && reads_no_more(u) ? goes_on_now(u) : NULL;
    if (!goes_on)
        u->twins = (struct tsr__map){.arena = u->r.arena};
    if ((!u->count && !goes_on) || loads_matter(u))
        return false;
    if (u->count)
        tsr__explain(u->r.l, u->phis[0].now, "loads ahead", "in their round", "the loop loads what it multiplies in the same round%s",
                     goes_on ? ", the last one, too" : "");
    else
        tsr__explain(u->r.l, LLVMGetBasicBlockTerminator(u->r.latch), "last products", "a round",
                     "the products behind the loop are one more round of it");
    if (goes_on)
        add_round(u, goes_on);
    load_in_their_rounds(u);
    return true;
}

/* A number that several calls ask for has one value. */
static void merge_queries(struct tsr__compilation *l, const struct tsr__cfg *cfg)
{
    size_t count, queries = 0;
    LLVMValueRef *code = tsr__instructions(l, cfg->function, &count);
    for (size_t i = 0; i < count; i++) {
        if (!tsr__is_query(tsr__call_of(code[i])))
            continue;
        LLVMValueRef query = code[i];
        for (size_t k = 0; k < queries && query; k++) {
            const int before = tsr__cfg_number(cfg, LLVMGetInstructionParent(code[k])),
                      block = tsr__cfg_number(cfg, LLVMGetInstructionParent(query));
            bool same = LLVMGetNumOperands(code[k]) == LLVMGetNumOperands(query) && before != TSR__NONE && block != TSR__NONE &&
                        tsr__dominates(cfg, before, block);
            for (int o = 0; same && o < LLVMGetNumOperands(query); o++)
                same = LLVMGetOperand(code[k], (unsigned)o) == LLVMGetOperand(query, (unsigned)o);
            if (same) {
                LLVMReplaceAllUsesWith(query, code[k]);
                LLVMInstructionEraseFromParent(query);
                query = NULL;
            }
        }
        if (query)
            code[queries++] = query;
    }
}

/* A vector all of whose elements are inserted is not made of the one that the chain of insertions begins with, which may be the vector of
 * the round before. */
static void drop_overwritten(struct tsr__compilation *l, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count), elements[MAX_ELEMENTS];
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef v = code[i], from = LLVMIsAInsertElementInst(v) ? LLVMGetOperand(v, 0) : NULL;
        const unsigned length = from ? LLVMGetVectorSize(LLVMTypeOf(v)) : 0;
        if (!from || length > MAX_ELEMENTS || !elements_of(v, elements, length))
            continue;
        for (; LLVMIsAInsertElementInst(from) && !LLVMGetNextUse(LLVMGetFirstUse(from)); from = LLVMGetOperand(v, 0))
            v = from;
        if (!LLVMIsAInsertElementInst(from))
            LLVMSetOperand(v, 0, LLVMGetPoison(LLVMTypeOf(v)));
    }
}

/* Reads of 2D blocks, and what they and block reads ask of other lanes, are calls that LLVM leaves alone. */
static void drop_unused_reads(struct tsr__compilation *l, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count);
    for (size_t i = count; i-- > 0;) {
        const enum tsr__engine_call call = tsr__call_of(code[i]);
        if ((call == TSR__CALL_BLOCK2D_READ || call == TSR__CALL_SAME) && !LLVMGetFirstUse(code[i]))
            LLVMInstructionEraseFromParent(code[i]);
    }
}

bool tsr__pass_unpipeline(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        struct tsr__cfg cfg;
        if (!tsr__multiplies_tiles(l, kernel) || !tsr__cfg_make(&cfg, kernel, &l->scratch) || !cfg.loop_count)
            continue;
        merge_queries(l, &cfg);
        drop_overwritten(l, kernel);
        if (!tsr__run_llvm_on(l, kernel, "lower-switch,jump-threading,simplifycfg,early-cse"))
            return false;
        if (!tsr__change_loops(l, kernel, unpipeline, NULL))
            continue;
        if (!tsr__run_llvm_on(l, kernel, "adce"))
            return false;
        drop_unused_reads(l, kernel);
        if (!tsr__run_llvm_on(l, kernel, "simplifycfg,adce"))
            return false;
    }
    return true;
}
