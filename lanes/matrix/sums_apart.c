/* SPDX-License-Identifier: Apache-2.0
 * Loops over K whose sums begin again in each round, as with numbers that have a scale for each block of K:
 *
 *     for (k …) { s = mad(a[k], b[k], 0);  sum += scale[k] * s; }
 *
 * No accumulator of a product goes round in such a loop, so it is no loop over K that the device runs. It is made three times here. The
 * first one only multiplies, with accumulators that go round, and is marked: the device runs it with those of other work-groups, but keeps
 * the sums of each round apart, and tells where they are. The second one reads these sums in place of the products. The third one is as the
 * program has it, for packets whose products the device did not make; and if the pass `tiles` finds that the device cannot run the first
 * one, it is the only one that stays. */
#include <string.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/matrix.h"

enum { MOST_CHAINS = 64, MOST_PRODUCTS = 256 };

#define MARK "tsr.sums.apart"

/* Products of a round that begin with zero and add to each other. */
struct chain {
    LLVMValueRef first, last; /* calls */
    unsigned length, set, place;
};

struct sums {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    LLVMBasicBlockRef loop, before, behind;
    struct chain chains[MOST_CHAINS];
    unsigned count;       /* of chains */
    unsigned sets, width; /* chains that have operands in common are a set: steps of K, with as many sums each */
    LLVMBasicBlockRef multiplies, chooses, reads;
    struct tsr__map of_multiplies, of_reads; /* the loop's instructions → those of the copies */
    LLVMValueRef at[MOST_CHAINS], far, row;  /* where the device has left the sums of a chain; from round to round, and from row to row */
};

unsigned tsr__sums_apart(LLVMBasicBlockRef loop)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(loop);
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(end));
    LLVMValueRef mark = LLVMGetMetadata(end, LLVMGetMDKindIDInContext(c, MARK, strlen(MARK))), length;
    if (!mark)
        return 0;
    LLVMGetMDNodeOperands(mark, &length);
    return (unsigned)LLVMConstIntGetZExtValue(length);
}

/* ---- which loops ---- */

/* The value of row `i` of a product's result; NULL: none, or several. */
static LLVMValueRef row_of_result(LLVMValueRef call, unsigned i)
{
    LLVMValueRef found = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAExtractValueInst(user) || (*LLVMGetIndices(user) == i && found))
            return NULL;
        found = *LLVMGetIndices(user) == i ? user : found;
    }
    return found;
}

/* Has the product rows that are all used in the block alone, and by nothing but `next` if that is not NULL? */
static bool stays_in(LLVMBasicBlockRef block, const struct tsr__mad *mad, LLVMValueRef next)
{
    for (unsigned i = 0; i < mad->f->m; i++) {
        LLVMValueRef row = row_of_result(mad->call, i);
        for (LLVMUseRef use = row ? LLVMGetFirstUse(row) : NULL; use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!tsr__is_in_block(user, block) || LLVMIsAPHINode(user) || (next && user != next))
                return false;
        }
        if (!row)
            return false;
    }
    return true;
}

static bool begins_with_zero(const struct tsr__mad *mad)
{
    for (unsigned i = 0; i < mad->f->m; i++)
        if (!LLVMIsNull(tsr__mad_c(mad, i)))
            return false;
    return true;
}

static bool continues(const struct tsr__mad *mad, LLVMValueRef last)
{
    for (unsigned i = 0; i < mad->f->m; i++)
        if (tsr__mad_c(mad, i) != row_of_result(last, i))
            return false;
    return true;
}

/* Adds a product to the chain that it continues, or begins one with it. */
static bool add_product(struct sums *x, const struct tsr__mad *mad)
{
    struct tsr__mad before;
    for (unsigned i = 0; i < x->count; i++) {
        struct chain *c = &x->chains[i];
        if (!tsr__mad_read(c->last, &before) || before.f != mad->f || !continues(mad, c->last))
            continue;
        c->last = mad->call;
        c->length++;
        return stays_in(x->loop, &before, mad->call);
    }
    if (x->count == MOST_CHAINS || !begins_with_zero(mad))
        return false;
    x->chains[x->count++] = (struct chain){.first = mad->call, .last = mad->call, .length = 1};
    return true;
}

static bool share_an_operand(LLVMValueRef x, LLVMValueRef y)
{
    struct tsr__mad a, b;
    return tsr__mad_read(x, &a) && tsr__mad_read(y, &b) && a.f == b.f &&
           (tsr__mads_share(&a, &b, 0, a.a_count) || tsr__mads_share(&a, &b, a.a_count, TSR__WORDS));
}

/* Chains that have operands in common, by way of others too, are a set. False: the sets are not alike. */
static bool find_sets(struct sums *x)
{
    unsigned size[MOST_CHAINS] = {0};
    for (unsigned i = 0; i < x->count; i++) {
        x->chains[i].set = i;
        for (unsigned k = 0; k < i; k++) {
            const unsigned from = x->chains[i].set, to = x->chains[k].set;
            if (from == to || !share_an_operand(x->chains[i].first, x->chains[k].first))
                continue;
            for (unsigned n = 0; n <= i; n++)
                x->chains[n].set = x->chains[n].set == (from > to ? from : to) ? (from > to ? to : from) : x->chains[n].set;
        }
    }
    for (unsigned i = 0, number[MOST_CHAINS]; i < x->count; i++) { /* a set has the number of its first chain */
        struct chain *c = &x->chains[i];
        if (c->set == i)
            number[i] = x->sets++;
        c->set = number[c->set];
        c->place = size[c->set]++;
    }
    x->width = x->count / x->sets;
    for (unsigned i = 0; i < x->count; i++)
        if (size[x->chains[i].set] != x->width || x->chains[i].length != x->chains[0].length)
            return false;
    return true;
}

static bool find_chains(struct sums *x, enum tsr__tile_unit unit)
{
    unsigned products = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->loop); i; i = LLVMGetNextInstruction(i)) {
        struct tsr__mad mad;
        if (!tsr__mad_read(i, &mad)) {
            if (tsr__may_write(i))
                return false;
            continue;
        }
        if (++products > MOST_PRODUCTS || !tsr__tile_product(x->l, unit, mad.f) || tsr__nibbles_of(tsr__mad_b(&mad, 0), NULL) ||
            !add_product(x, &mad))
            return false;
    }
    for (unsigned i = 0; i < x->count; i++) {
        struct tsr__mad last;
        if (!tsr__mad_read(x->chains[i].last, &last) || !stays_in(x->loop, &last, NULL))
            return false;
    }
    return x->count && find_sets(x);
}

static bool is_candidate(struct sums *x, enum tsr__tile_unit unit)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(x->loop);
    if (!tsr__exit_of_loop(x->loop) || !LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
        return false;
    x->before = LLVMGetIncomingBlock(phi, LLVMGetIncomingBlock(phi, 0) == x->loop);
    return LLVMIsABranchInst(LLVMGetBasicBlockTerminator(x->before)) && find_chains(x, unit);
}

/* ---- blocks around the loop ---- */

static unsigned way_to(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(from), 0) != to;
}

/* Its users elsewhere get a phi behind the loop. */
static void give_behind(struct sums *x, LLVMValueRef v)
{
    LLVMValueRef phi = NULL;
    size_t count = 0, all = tsr__use_count(v);
    LLVMValueRef *users = tsr_arena_alloc(&x->l->scratch, (all + 1) * sizeof *users);
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (!tsr__is_in_block(LLVMGetUser(use), x->loop))
            users[count++] = LLVMGetUser(use);
    for (size_t i = 0; i < count; i++) {
        if (!phi) {
            LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(x->behind));
            phi = LLVMBuildPhi(x->b, LLVMTypeOf(v), "");
            LLVMAddIncoming(phi, &v, &x->loop, 1);
        }
        for (int k = 0; users[i] != phi && k < LLVMGetNumOperands(users[i]); k++)
            if (LLVMGetOperand(users[i], (unsigned)k) == v)
                LLVMSetOperand(users[i], (unsigned)k, phi);
    }
}

static void make_blocks(struct sums *x)
{
    if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(x->before)) > 1)
        x->before = tsr__split_edge(x->l, x->before, way_to(x->before, x->loop));
    x->behind = tsr__split_edge(x->l, x->loop, way_to(x->loop, tsr__exit_of_loop(x->loop)));
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->loop); i; i = LLVMGetNextInstruction(i))
        give_behind(x, i);
    tsr__copy_blocks(x->l, &x->loop, 1, NULL, x->loop, "", &x->of_multiplies);
    tsr__copy_blocks(x->l, &x->loop, 1, NULL, x->behind, "", &x->of_reads);
    x->multiplies = tsr__copy_of_block(&x->of_multiplies, x->loop);
    x->reads = tsr__copy_of_block(&x->of_reads, x->loop);
    x->chooses = LLVMInsertBasicBlockInContext(x->l->context, x->loop, "");
}

/* The copies' phis begin with what those of the loop begin with; and so do the loop's, which is entered from where it is chosen as well. */
static void connect_phis(struct sums *x)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(x->loop); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef v = tsr__incoming_from(phi, x->before);
        LLVMAddIncoming(tsr__copy_of(&x->of_multiplies, phi), &v, &x->before, 1);
        LLVMAddIncoming(tsr__copy_of(&x->of_reads, phi), &v, &x->chooses, 1);
        LLVMAddIncoming(phi, &v, &x->chooses, 1);
    }
    for (LLVMValueRef phi = LLVMGetFirstInstruction(x->behind); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef v = tsr__copy_of(&x->of_reads, tsr__incoming_from(phi, x->loop));
        LLVMAddIncoming(phi, &v, &x->reads, 1);
    }
}

/* ---- the loop that multiplies ---- */

static void need(struct tsr__map *needed, LLVMBasicBlockRef block, LLVMValueRef v)
{
    if (!tsr__is_in_block(v, block) || tsr__map_get(needed, v))
        return;
    tsr__map_set(needed, v, 1);
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        need(needed, block, LLVMGetOperand(v, (unsigned)k));
}

/* Drops what neither the products and the loop's end nor other blocks use. */
static void drop_the_rest(struct sums *x, LLVMBasicBlockRef block)
{
    struct tsr__map needed = {.arena = &x->l->scratch};
    struct tsr__mad mad;
    need(&needed, block, LLVMGetBasicBlockTerminator(block));
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        bool wanted = tsr__mad_read(i, &mad) || (LLVMIsAExtractValueInst(i) && tsr__mad_read(LLVMGetOperand(i, 0), &mad));
        for (LLVMUseRef use = LLVMGetFirstUse(i); use && !wanted; use = LLVMGetNextUse(use))
            wanted = !tsr__is_in_block(LLVMGetUser(use), block);
        if (wanted)
            need(&needed, block, i);
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (tsr__map_get(&needed, i))
            continue;
        LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
        LLVMInstructionEraseFromParent(i);
    }
}

static void set_rows(struct sums *x, LLVMValueRef call, const LLVMValueRef *rows)
{
    struct tsr__mad mad;
    if (tsr__mad_read(tsr__copy_of(&x->of_multiplies, call), &mad))
        for (unsigned i = 0; i < mad.f->m; i++)
            LLVMSetOperand(mad.call, mad.a_count + TSR__WORDS + i, rows[i]);
}

/* Accumulators go round: each set of products adds to the one before. */
static void let_go_round(struct sums *x)
{
    LLVMValueRef rows[MOST_CHAINS][TSR__MAX_M], phis[MOST_CHAINS][TSR__MAX_M];
    struct tsr__mad mad;
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(x->multiplies));
    for (unsigned i = 0; i < x->width && tsr__mad_read(x->chains[0].first, &mad); i++)
        for (unsigned r = 0; r < mad.f->m; r++)
            rows[i][r] = phis[i][r] = LLVMBuildPhi(x->b, LLVMTypeOf(tsr__mad_c(&mad, r)), "");
    for (unsigned s = 0; s < x->sets; s++)
        for (unsigned i = 0; i < x->count; i++) {
            const struct chain *c = &x->chains[i];
            if (c->set != s)
                continue;
            set_rows(x, c->first, rows[c->place]);
            for (unsigned r = 0; r < mad.f->m; r++)
                rows[c->place][r] = tsr__copy_of(&x->of_multiplies, row_of_result(c->last, r));
        }
    for (unsigned i = 0; i < x->width; i++)
        for (unsigned r = 0; r < mad.f->m; r++) {
            LLVMValueRef v[] = {LLVMConstNull(LLVMTypeOf(phis[i][r])), rows[i][r]};
            LLVMBasicBlockRef from[] = {x->before, x->multiplies};
            LLVMAddIncoming(phis[i][r], v, from, 2);
        }
}

/* Which loop runs is known once the pass `tiles` has looked at this one. */
static void enter(struct sums *x, unsigned number)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->l->context), type = LLVMFunctionType(LLVMInt1TypeInContext(x->l->context), &i32, 1, false);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(x->before), args[] = {tsr__i32(x->l, number)};
    LLVMPositionBuilderBefore(x->b, end);
    LLVMValueRef shares = LLVMBuildCall2(x->b, type, tsr__declare_pure(x->l, TSR__BLOCK2D_SHARES, type), args, 1, "");
    LLVMBuildCondBr(x->b, shares, x->multiplies, x->loop);
    LLVMInstructionEraseFromParent(end);
    LLVMValueRef latch = LLVMGetBasicBlockTerminator(x->multiplies), ops = tsr__i32(x->l, x->chains[0].length);
    LLVMSetSuccessor(latch, way_to(x->multiplies, x->behind), x->chooses);
    LLVMMetadataRef word = LLVMValueAsMetadata(ops), node = LLVMMDNodeInContext2(x->l->context, &word, 1);
    LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(x->l->context, MARK, strlen(MARK)), LLVMMetadataAsValue(x->l->context, node));
}

/* ---- the loop that reads sums ---- */

/* What the device leaves in an accumulator of such a loop, as tessera/tiles.h has it. */
static LLVMValueRef word_of_answer(struct sums *x, LLVMValueRef row, unsigned i)
{
    LLVMTypeRef words = LLVMVectorType(LLVMInt64TypeInContext(x->l->context), LLVMGetVectorSize(LLVMTypeOf(row)) / 2);
    return LLVMBuildExtractElement(x->b, LLVMBuildBitCast(x->b, row, words, ""), tsr__i32(x->l, i), "");
}

static void choose(struct sums *x)
{
    LLVMValueRef made = NULL;
    LLVMPositionBuilderAtEnd(x->b, x->chooses);
    for (unsigned i = 0; i < x->count; i++) {
        const struct chain *c = &x->chains[i];
        if (c->set + 1 != x->sets)
            continue;
        LLVMValueRef row = tsr__copy_of(&x->of_multiplies, row_of_result(c->last, 0)), at = word_of_answer(x, row, 0);
        LLVMValueRef there = LLVMBuildIsNotNull(x->b, at, "");
        made = made ? LLVMBuildAnd(x->b, made, there, "") : there;
        x->at[c->place] = LLVMBuildIntToPtr(x->b, at, tsr__ptr(x->l), "");
        x->far = x->far ? x->far : word_of_answer(x, row, 1);
        x->row = x->row ? x->row : word_of_answer(x, row, 2);
    }
    LLVMBuildCondBr(x->b, made, x->reads, x->loop);
}

static void read_sums(struct sums *x)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(x->l->context);
    LLVMValueRef zero = tsr__i64(x->l, 0), next;
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(x->reads));
    LLVMValueRef round = LLVMBuildPhi(x->b, i64, "");
    LLVMPositionBuilderBefore(x->b, tsr__after_phis(round));
    next = LLVMBuildAdd(x->b, round, LLVMBuildMul(x->b, x->far, tsr__i64(x->l, x->sets), ""), "");
    LLVMAddIncoming(round, &zero, &x->chooses, 1);
    LLVMAddIncoming(round, &next, &x->reads, 1);
    for (unsigned i = 0; i < x->count; i++) {
        const struct chain *c = &x->chains[i];
        struct tsr__mad mad;
        LLVMValueRef far = LLVMBuildAdd(x->b, round, LLVMBuildMul(x->b, x->far, tsr__i64(x->l, c->set), ""), "");
        LLVMValueRef at = tsr__plus_bytes(x->l, x->b, x->at[c->place], far);
        for (unsigned r = 0; tsr__mad_read(c->last, &mad) && r < mad.f->m; r++) {
            LLVMValueRef row = tsr__plus_bytes(x->l, x->b, at, LLVMBuildMul(x->b, x->row, tsr__i64(x->l, r), "")),
                         v = LLVMBuildLoad2(x->b, LLVMTypeOf(tsr__mad_c(&mad, r)), row, "");
            LLVMSetAlignment(v, 4 * mad.lanes);
            LLVMReplaceAllUsesWith(tsr__copy_of(&x->of_reads, row_of_result(c->last, r)), v);
        }
    }
    for (LLVMValueRef i = LLVMGetLastInstruction(x->reads), before; i; i = before) {
        struct tsr__mad mad;
        before = LLVMGetPreviousInstruction(i);
        if (!tsr__mad_read(i, &mad) && !(LLVMIsAExtractValueInst(i) && tsr__mad_read(LLVMGetOperand(i, 0), &mad)))
            continue;
        LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
        LLVMInstructionEraseFromParent(i);
    }
    drop_the_rest(x, x->reads);
}

static void make_loops(struct sums *x, unsigned number)
{
    make_blocks(x);
    connect_phis(x);
    let_go_round(x);
    enter(x, number);
    choose(x);
    read_sums(x);
    drop_the_rest(x, x->multiplies);
}

/* Packets that are not full run alone. In a function with 2D blocks the choice is made for these. In AMX's tiles each sum would be a
 * product of its own, which takes longer than the packet's vectors (docs/measurements.md). */
bool tsr__pass_sums_apart(struct tsr__compilation *l, LLVMValueRef function)
{
    const enum tsr__tile_unit unit = tsr__tile_unit_of(l, function);
    const char *suffix = strrchr(tsr__name(function), '.');
    unsigned made = 0;
    if (unit != TSR__TILES_VECTORS || (suffix && !strcmp(suffix, "." TSR__PARTIAL)) || tsr__call_in(function, TSR__BLOCK2D_SHARES))
        return true;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function), next; b; b = next) {
        next = LLVMGetNextBasicBlock(b);
        struct sums *x = tsr_arena_alloc(&l->scratch, sizeof *x);
        *x = (struct sums){.l = l, .loop = b, .of_multiplies.arena = &l->scratch, .of_reads.arena = &l->scratch};
        if (!is_candidate(x, unit))
            continue;
        x->b = LLVMCreateBuilderInContext(l->context);
        make_loops(x, ++made);
        LLVMDisposeBuilder(x->b);
    }
    return true;
}
