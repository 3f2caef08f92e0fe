/* SPDX-License-Identifier: Apache-2.0
 * Packets that run twice, so that the device runs their loop over K together with those of other work-groups, whatever they do with its
 * results: up to the loop first, and from the beginning to the end once it has the results (device-amx/tiles_twice.c).
 *
 * The code *in front* is what a packet can run before it comes to the loop, the loop's outer loops included. It must do nothing that others
 * see. All ways out of it lead *behind*, to code that may do anything. The first time a packet goes from there straight to its end: behind
 * the loop as the device's answer says, elsewhere as a question says, unless nothing happens there anyway.
 *
 * In a function with barrier regions that is the end of the region to which the way leads. It goes through the regions behind in the same
 * manner, since LLVM may know which region follows which. A loop behind a barrier does not run twice: what it reads may have been stored in
 * front of the barrier, which the first time does not happen. */
#include <string.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/tiles/tile_slices.h"
#include "lanes/matrix/tiles/tiles.h"

struct tsr__twice {
    struct tsr__tiles *t;
    LLVMBasicBlockRef loop;
    LLVMValueRef answer;
    bool from_zero;                   /* accumulators are zero when a packet comes to the loop first */
    bool same_parts;                  /* each packet comes to it as often, with as many rounds each time */
    struct tsr__map in_front, behind; /* blocks → 1 */
};

void tsr__tile_twice_prepare(struct tsr__compilation *l, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = tsr__packet_mark_in(b, TSR__PACKET_STOPS);
        if (end && end != LLVMGetFirstInstruction(b))
            tsr__split_block(l, b, end);
    }
}

/* ---- what the code does ---- */

static bool has_effect(LLVMValueRef inst)
{
    struct tsr__mad mad;
    return !tsr__mad_read(inst, &mad) && tsr__may_write(inst);
}

static bool is_end(LLVMBasicBlockRef block)
{
    return tsr__packet_mark_in(block, TSR__PACKET_STOPS);
}

static bool has_effects(struct tsr__map *seen, LLVMBasicBlockRef block)
{
    if (is_end(block) || tsr__map_get(seen, block))
        return false;
    tsr__map_set(seen, block, 1);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (has_effect(i))
            return true;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
        if (has_effects(seen, LLVMGetSuccessor(last, i)))
            return true;
    return false;
}

/* ---- in front and behind ---- */

static void find_in_front(struct tsr__twice *x)
{
    x->in_front = (struct tsr__map){.arena = &x->t->l->scratch};
    tsr__find_ways_to(x->loop, NULL, &x->in_front);
}

enum { NO_END, ONE_END, SEVERAL_ENDS };

/* To which ends of the packet, or of its region, does the way lead? `end`: NULL; and if there is one, that. */
static int find_ends(struct tsr__map *seen, LLVMBasicBlockRef block, LLVMBasicBlockRef *end)
{
    if (tsr__map_get(seen, block))
        return NO_END;
    tsr__map_set(seen, block, 1);
    if (is_end(block)) {
        const bool first = !*end;
        *end = block;
        return first ? ONE_END : SEVERAL_ENDS;
    }
    int found = NO_END;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
        const int more = find_ends(seen, LLVMGetSuccessor(last, i), end);
        found = more > found ? more : found;
    }
    return found;
}

static int ends_of(const struct tsr__twice *x, LLVMBasicBlockRef block, LLVMBasicBlockRef *end)
{
    struct tsr__map seen = {.arena = &x->t->l->scratch};
    *end = NULL;
    return find_ends(&seen, block, end);
}

/* Does the way from a block in front lead to code behind that the packet must not run the first time? Code that comes to no end of a packet
 * is for partial packets, which never run twice. */
static bool leaves(const struct tsr__twice *x, LLVMBasicBlockRef to)
{
    struct tsr__map seen = {.arena = &x->t->l->scratch};
    LLVMBasicBlockRef end;
    return !tsr__map_get(&x->in_front, to) && has_effects(&seen, to) && ends_of(x, to, &end);
}

/* Adds the block, and what follows up to the end of the packet, or of its region. */
static void add_behind(struct tsr__twice *x, LLVMBasicBlockRef block)
{
    if (is_end(block) || tsr__map_get(&x->behind, block))
        return;
    tsr__map_set(&x->behind, block, 1);
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
        add_behind(x, LLVMGetSuccessor(last, i));
}

/* False: somewhere behind there are several ends to which a packet could go straight. */
static bool find_behind(struct tsr__twice *x)
{
    x->behind = (struct tsr__map){.arena = &x->t->l->scratch};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(x->t->webs.function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; tsr__map_get(&x->in_front, b) && i < LLVMGetNumSuccessors(last); i++)
            if ((b == x->loop && !tsr__map_get(&x->in_front, LLVMGetSuccessor(last, i))) || leaves(x, LLVMGetSuccessor(last, i))) {
                LLVMBasicBlockRef to = LLVMGetSuccessor(last, i), end;
                if (ends_of(x, to, &end) != ONE_END || LLVMIsAPHINode(LLVMGetFirstInstruction(end)))
                    return false;
                add_behind(x, to);
            }
    }
    return true;
}

/* Is no value of the code behind used elsewhere? The way to the packet's end does not come by it. */
static bool is_closed(const struct tsr__twice *x)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(x->t->webs.function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = tsr__map_get(&x->behind, b) ? LLVMGetFirstInstruction(b) : NULL; i; i = LLVMGetNextInstruction(i))
            for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
                if (!tsr__map_get(&x->behind, LLVMGetInstructionParent(LLVMGetUser(use))))
                    return false;
    return true;
}

/* Why the code in front is not one that may run twice, or NULL. */
static const char *cannot_repeat(const struct tsr__twice *x)
{
    struct tsr__mad mad;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(x->t->webs.function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = tsr__map_get(&x->in_front, b) ? LLVMGetFirstInstruction(b) : NULL; i; i = LLVMGetNextInstruction(i)) {
            if (i == tsr__packet_mark_in(b, TSR__PACKET_RESUMES)) /* which others store in front of it must be there */
                return "it comes behind a barrier";
            if (has_effect(i))
                return "the kernel stores, or calls what may, before the loop ends";
            if (b != x->loop && tsr__mad_read(i, &mad))
                return "there are more products before its end";
        }
    return NULL;
}

static bool is_looked_at_in_front(const struct tsr__twice *x, const struct tsr__live_range *life)
{
    for (size_t i = 0; i < life->unpacking_count; i++)
        if (tsr__map_get(&x->in_front, x->t->registers.places.at[life->unpackings[i].place].ref))
            return true;
    return false;
}

/* Is all that flows to the accumulator in front zero? */
static bool begins_with_zero(const struct tsr__twice *x, struct tsr__live_range *life)
{
    const struct tsr__web *web = life->block->webs[0][0];
    tsr__tiles_select(x->t, life);
    for (unsigned i = 0; i < web->fragment_count; i++) {
        const struct tsr__fragment *f = web->fragments[i];
        for (unsigned e = 0; e < f->in_count && tsr__map_get(&x->in_front, f->block); e++)
            if (!f->in[e]->web && !tsr__tile_starts_zero(x->t, f, e))
                return false;
    }
    return true;
}

/* Adds the blocks from which a packet may come to the loop again, once it has been there. */
static void add_round(const struct tsr__twice *x, struct tsr__map *round, LLVMBasicBlockRef block)
{
    if (!tsr__map_get(&x->in_front, block) || tsr__map_get(round, block))
        return;
    tsr__map_set(round, block, 1);
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
        add_round(x, round, LLVMGetSuccessor(last, i));
}

/* Do accumulators come to the loop again as they left it? `round`: the blocks on the ways. Sums that begin again there, with zeros or with
 * other values, would be added to those of before. */
static bool keeps_sums(const struct tsr__map *round, const struct tsr__live_range *life)
{
    const struct tsr__web *web = life->block->webs[0][0];
    for (unsigned i = 0; i < web->fragment_count; i++) {
        const struct tsr__fragment *f = web->fragments[i];
        for (unsigned e = 0; e < f->in_count && tsr__map_get(round, f->block); e++)
            if (!f->in[e]->web && tsr__map_get(round, LLVMGetIncomingBlock(f->v[0], e)))
                return false;
    }
    return true;
}

/* Do only numbers and arguments of the kernel decide how often a packet comes to the loop, and how many rounds it makes each time? */
static bool has_same_parts(const struct tsr__twice *x, const struct tsr__map *round)
{
    struct tsr__map seen = {.arena = &x->t->l->scratch};
    bool same = true;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(x->t->webs.function); b && same; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
        if (tsr__map_get(round, b) && LLVMGetNumSuccessors(last) > 1)
            same = LLVMIsABranchInst(last) && tsr__is_of_launch(x->t->l, round, &seen, LLVMGetCondition(last));
    }
    return same;
}

struct tsr__twice *tsr__tile_runs_twice(struct tsr__tiles *t, LLVMBasicBlockRef loop, struct tsr__live_range *const *lives, unsigned count,
                                        const char **why)
{
    struct tsr__twice *x = tsr_arena_alloc(&t->l->scratch, sizeof *x);
    *x = (struct tsr__twice){.t = t, .loop = loop};
    find_in_front(x);
    struct tsr__map round = {.arena = &t->l->scratch};
    add_round(x, &round, loop);
    *why = cannot_repeat(x);
    for (unsigned i = 0; i < count && !*why; i++)
        if (is_looked_at_in_front(x, lives[i]))
            *why = "its accumulators are used before the loop around it ends";
        else if (!keeps_sums(&round, lives[i]))
            *why = "its accumulators begin again in the loop around it";
    if (!*why && !find_behind(x))
        *why = "packets wait for each other, or end in several places";
    if (!*why && !is_closed(x))
        *why = "the compiler has moved code of one packet to another";
    x->from_zero = true;
    for (unsigned i = 0; i < count && !*why; i++)
        x->from_zero = x->from_zero && begins_with_zero(x, lives[i]);
    x->same_parts = !*why && has_same_parts(x, &round);
    return *why ? NULL : x;
}

/* ---- code ---- */

/* Is the loop in loops of its packet? Then its last round is not known where the device is called. */
static bool goes_on(const struct tsr__twice *x)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(x->loop);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
        if (!tsr__map_get(&x->in_front, LLVMGetSuccessor(last, i)))
            return false;
    return true;
}

unsigned tsr__tile_twice_bits(const struct tsr__twice *x)
{
    return TSR_TILE_TWICE |
           (goes_on(x) ? TSR_TILE_GOES_ON | (x->from_zero ? TSR_TILE_FROM_ZERO : 0u) | (x->same_parts ? TSR_TILE_SAME_PARTS : 0u) : 0u);
}

LLVMValueRef tsr__tile_twice_called(struct tsr__twice *x, LLVMValueRef answer)
{
    return x->answer = x->answer ? x->answer : answer;
}

/* From the block, which leads to one other, straight to the end to which that leads. */
static void leave_if(struct tsr__twice const *x, LLVMBasicBlockRef block, LLVMValueRef first_time)
{
    LLVMBuilderRef b = x->t->b;
    LLVMBasicBlockRef end;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    ends_of(x, block, &end);
    LLVMPositionBuilderBefore(b, last);
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, first_time, ""), LLVMGetSuccessor(last, 0), end);
    LLVMInstructionEraseFromParent(last);
}

/* Does the way lead to another loop for which packets run twice? It has questions of its own then. */
static bool leads_to_other(const struct tsr__twice *x, struct tsr__map *seen, LLVMBasicBlockRef block)
{
    if (is_end(block) || tsr__map_get(seen, block))
        return false;
    tsr__map_set(seen, block, 1);
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
        if (leads_to_other(x, seen, LLVMGetSuccessor(last, i)))
            return true;
    return tsr__map_get(&x->t->twice, block);
}

static void ask(const struct tsr__twice *x, LLVMBasicBlockRef from, unsigned way)
{
    LLVMBasicBlockRef made = tsr__split_edge(x->t->l, from, way);
    LLVMValueRef args[1];
    LLVMPositionBuilderBefore(x->t->b, LLVMGetBasicBlockTerminator(made));
    leave_if(x, made, tsr__tile_call(x->t, LLVMInt32TypeInContext(x->t->l->context), TSR__RT_PREFIX "tile_first", args, 1));
}

void tsr__tile_twice_make(const struct tsr__twice *found)
{
    struct tsr__twice x = *found;
    bool part = goes_on(found);
    find_in_front(&x);
    tsr__set_fn_text(x.t->l, x.t->webs.function, TSR__TWICE, "");
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(x.t->webs.function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; tsr__map_get(&x.in_front, b) && (b != x.loop || part) && i < LLVMGetNumSuccessors(last); i++) {
            struct tsr__map seen = {.arena = &x.t->l->scratch};
            if (leaves(&x, LLVMGetSuccessor(last, i)) && !leads_to_other(&x, &seen, LLVMGetSuccessor(last, i)))
                ask(&x, b, i);
        }
    }
    if (!part)
        leave_if(&x, tsr__split_block(x.t->l, LLVMGetInstructionParent(x.answer), LLVMGetNextInstruction(x.answer)), x.answer);
}

void tsr__tile_skip_first(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMBasicBlockRef all = LLVMGetEntryBasicBlock(function), skip = LLVMAppendBasicBlockInContext(l->context, function, "skip");
    LLVMValueRef begin = LLVMGetFirstInstruction(all), args[1];
    struct tsr__tiles t = {.l = l, .b = LLVMCreateBuilderInContext(l->context), .webs.function = function};
    while (LLVMIsAAllocaInst(begin))
        begin = LLVMGetNextInstruction(begin);
    LLVMPositionBuilderAtEnd(t.b, skip);
    LLVMBuildRetVoid(t.b);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(tsr__split_block(l, all, begin));
    LLVMPositionBuilderBefore(t.b, end);
    LLVMValueRef first_time = tsr__tile_call(&t, LLVMInt32TypeInContext(l->context), TSR__RT_PREFIX "tile_first", args, 1);
    LLVMBuildCondBr(t.b, LLVMBuildIsNull(t.b, first_time, ""), all, skip);
    LLVMInstructionEraseFromParent(end);
    LLVMDisposeBuilder(t.b);
}
