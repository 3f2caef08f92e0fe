/* SPDX-License-Identifier: Apache-2.0
 * Local memory that is filled ahead: several buffers in turn, and buffers that each round fills anew once it has read them.
 *
 * Before the loop the kernel copies what the first rounds read, one of two buffers or two of three; each round, unless too few others
 * follow, copies what a later one reads, into a buffer that is free or behind the last load. What a load finds was copied some rounds
 * before: its address is the one of that copy, by the values that the loop had then (rounds.h). In the first rounds that has to be the
 * address of the copies before the loop, which the polynomials of both tell. */
#include "lanes/prepare/staged_ahead.h"

#include "lanes/analysis/polynomial.h"
#include "lanes/ir/match.h"

enum { DEPTH = 8 /* of an address: extensions and places in arrays */ };

/* A load of what a copy in a loop has stored `rounds` rounds before, or in the first rounds other copies before the loop. */
struct ahead {
    const struct tsr__copy *next, *first[TSR__MOST_AHEAD];
    unsigned rounds;
    const struct tsr__place *load;
};

static struct tsr__rounds *rounds_of(struct tsr__unstage *u, int loop)
{
    if (!u->rounds)
        u->rounds = tsr_arena_alloc(u->arena, (size_t)u->cfg.loop_count * sizeof *u->rounds);
    struct tsr__rounds *r = &u->rounds[loop];
    return r->header || tsr__rounds_of(u->code.l, &u->cfg, loop, u->arena, r) ? r : NULL;
}

/* ---- when it is copied ---- */

static bool leads_to(const struct tsr__unstage *u, int block, int to)
{
    for (int i = 0; i < u->cfg.blocks[block].succ_count; i++)
        if (u->cfg.blocks[block].succ[i] == to)
            return true;
    return false;
}

static unsigned exits_of(const struct tsr__unstage *u, int loop)
{
    unsigned exits = 0;
    for (int b = u->cfg.loops[loop].begin; b < u->cfg.loops[loop].end; b++)
        for (int i = 0; i < u->cfg.blocks[b].succ_count; i++)
            exits += !tsr__in_loop(&u->cfg, u->cfg.blocks[b].succ[i], loop);
    return exits;
}

/* What a branch in front of a block has to tell. */
typedef bool branches_so(const struct tsr__rounds *r, unsigned round, LLVMValueRef condition, bool way);

/* Does each way to the other block, in a round of the loop around both, lead past this one? `so`: does the branch go this way? */
static bool is_run_before(const struct tsr__unstage *u, const struct tsr__rounds *r, int loop, int block, int other, branches_so *so,
                          unsigned round)
{
    while (!tsr__dominates(&u->cfg, block, other)) {
        int before = u->cfg.blocks[block].idom;
        if (before == TSR__NONE || !tsr__in_loop(&u->cfg, before, loop) || !leads_to(u, before, block))
            return false;
        int inner = u->cfg.blocks[before].loop;
        if (!tsr__in_loop(&u->cfg, block, inner)) { /* the end of a loop in this one, which is run if that is entered */
            while (!tsr__in_loop(&u->cfg, block, u->cfg.loops[inner].parent))
                inner = u->cfg.loops[inner].parent;
            if (exits_of(u, inner) != 1)
                return false;
            before = u->cfg.loops[inner].header;
        } else if (u->cfg.blocks[before].succ_count == 2) {
            LLVMValueRef branch = u->cfg.blocks[before].terminator;
            if (!LLVMIsABranchInst(branch) ||
                !so(r, round, LLVMGetCondition(branch), LLVMGetSuccessor(branch, 0) == u->cfg.blocks[block].ref))
                return false;
        } else if (u->cfg.blocks[before].succ_count != 1)
            return false;
        block = before;
    }
    return true;
}

static bool never(const struct tsr__rounds *r, unsigned round, LLVMValueRef condition, bool way)
{
    (void)r, (void)round, (void)condition, (void)way;
    return false;
}

/* Does each round that at least `follow` others follow run the block? */
static bool is_run_in_each_round(const struct tsr__unstage *u, const struct tsr__rounds *r, int block, unsigned follow)
{
    return is_run_before(u, r, r->loop, block, tsr__cfg_number(&u->cfg, r->latch), follow ? tsr__is_taken_if_follow : never, follow);
}

/* Do all work-items wait once in each round? */
static bool waits_in_each_round(const struct tsr__unstage *u, const struct tsr__rounds *r, LLVMValueRef const *barriers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int block = tsr__block_of(u, barriers[i]);
        if (u->cfg.blocks[block].loop == r->loop && tsr__dominates(&u->cfg, block, tsr__cfg_number(&u->cfg, r->latch)))
            return true;
    }
    return false;
}

/* In a round, does nothing lead from the copy to the load? `head`: the copy's outermost block. */
static bool is_behind(const struct tsr__unstage *u, const struct tsr__rounds *r, int head, LLVMValueRef store, LLVMValueRef load)
{
    const int at = tsr__block_of(u, load);
    int inner = u->cfg.blocks[at].loop;
    while (inner != r->loop && inner != TSR__NONE && !tsr__in_loop(&u->cfg, head, inner))
        inner = u->cfg.loops[inner].parent;
    if (inner != r->loop)
        return false;
    while (load && load != store)
        load = at == head ? LLVMGetNextInstruction(load) : NULL;
    return at == head ? load == store : at < head;
}

/* The loop in whose rounds one copy is made for a later one, behind the other copies, or TSR__NONE. */
static int loop_of_copies(const struct tsr__unstage *u, const struct ahead *a)
{
    int loop = a->load->turn_loop != TSR__NONE ? a->load->turn_loop : u->cfg.blocks[tsr__block_of(u, a->next->to.access)].loop;
    const int before = tsr__block_of(u, a->first[0]->to.access);
    while (a->load->turn_loop == TSR__NONE && loop != TSR__NONE && u->cfg.loops[loop].parent != TSR__NONE &&
           !tsr__in_loop(&u->cfg, before, u->cfg.loops[loop].parent))
        loop = u->cfg.loops[loop].parent;
    const bool apart = loop != TSR__NONE && tsr__in_loop(&u->cfg, tsr__block_of(u, a->next->to.access), loop) &&
                       !tsr__in_loop(&u->cfg, before, loop) && tsr__in_loop(&u->cfg, before, u->cfg.loops[loop].parent);
    return apart ? loop : TSR__NONE;
}

/* ---- which buffer ---- */

/* How many rounds later the load reads the buffer that the copy fills; 0: that is not known. */
static unsigned rounds_ahead(const struct tsr__place *load, const struct tsr__place *copy)
{
    for (unsigned rounds = 1; rounds <= TSR__MOST_AHEAD; rounds++) {
        bool same = true;
        for (unsigned i = 0; i < TSR__CYCLE_ROUNDS; i++)
            same = same && load->turn[(i + rounds) % TSR__CYCLE_ROUNDS] == copy->turn[i];
        if (same)
            return rounds;
    }
    return 0;
}

/* Until it is read, does no later round copy to where this one does? */
static bool is_kept(const struct tsr__place *load, const struct tsr__place *copy, unsigned rounds)
{
    for (unsigned i = 0; i < TSR__CYCLE_ROUNDS; i++)
        for (unsigned later = 1; later <= rounds; later++)
            if (tsr__overlap_in_turn(load, (int)((i + rounds) % TSR__CYCLE_ROUNDS), copy, (int)((i + later) % TSR__CYCLE_ROUNDS)))
                return false;
    return true;
}

/* The one copy before the loop that fills what the load reads in each of the first rounds; there are no other copies but these. */
static bool find_first(struct ahead *a, const struct tsr__copy *const *copies, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool fills = copies[i] == a->next;
        for (unsigned round = 0; round < a->rounds && copies[i] != a->next; round++) {
            if (!tsr__overlap_in_turn(a->load, (int)round, &copies[i]->to, 0))
                continue;
            if (a->first[round] || copies[i]->to.turn_loop != TSR__NONE ||
                a->load->at.constant + a->load->turn[round] < copies[i]->to.at.constant)
                return false;
            a->first[round] = copies[i];
            fills = true;
        }
        if (!fills)
            return false;
    }
    bool all = true;
    for (unsigned round = 0; round < a->rounds; round++)
        all = all && a->first[round];
    return all;
}

/* Do all copies and the load follow each other as they have to, and lie in the places that this needs? */
static bool are_ahead(const struct tsr__unstage *u, const struct tsr__rounds *r, const struct ahead *a)
{
    const struct tsr__copy *next = a->next;
    const struct tsr__place *load = a->load;
    const int parent = u->cfg.loops[r->loop].parent, header = tsr__cfg_number(&u->cfg, r->header);
    const int next_head = tsr__head_of_copy(u, next, r->loop), at = tsr__block_of(u, load->access);
    const bool behind_loop = !tsr__in_loop(&u->cfg, at, r->loop), in_turn = tsr__period_of_rounds(load->turn) > 1;
    const unsigned follow = behind_loop ? 0 : a->rounds;
    /* Behind the loop what is read is that of the last whole round, if its head is left before it copies. */
    if (next_head == TSR__NONE || !tsr__dominates(&u->cfg, header, at) ||
        (behind_loop && (a->rounds > 1 || r->exiting != r->header || next_head == header)) ||
        (next->to.turn_loop != TSR__NONE && next->to.turn_loop != r->loop) || !is_run_in_each_round(u, r, next_head, follow) ||
        (next->from.block != TSR__NONE && !is_run_in_each_round(u, r, next->from.block, follow)) ||
        (in_turn && !is_kept(load, &next->to, a->rounds)) || load->at.constant < next->to.at.constant)
        return false;
    for (unsigned i = 0; i < a->rounds; i++) {
        const int head = tsr__head_of_copy(u, a->first[i], parent), from = a->first[i]->from.block;
        if (head == TSR__NONE || !is_run_before(u, r, parent, head, tsr__cfg_number(&u->cfg, r->before), tsr__is_taken_if_reached, i) ||
            (from != TSR__NONE && !tsr__dominates(&u->cfg, from, head)))
            return false;
    }
    return in_turn || behind_loop || is_behind(u, r, next_head, next->to.access, load->access);
}

/* ---- where from ---- */

/* Are the values the same? Numbers that wrap are, if their sums are in each of these. */
static bool is_alike(struct tsr__compilation *l, LLVMValueRef a, LLVMValueRef b, int depth)
{
    const struct tsr__polynomial x = tsr__polynomial_of(l, a), y = tsr__polynomial_of(l, b);
    if (x.valid && y.valid && tsr__polynomial_is_multiple(&x, &y, 1))
        return true;
    if (!depth || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) || LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) ||
        LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    const bool gep = LLVMIsAGetElementPtrInst(a);
    if (gep ? LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b) : !LLVMIsAZExtInst(a) && !LLVMIsASExtInst(a))
        return false;
    bool alike = true;
    for (int i = 0; i < LLVMGetNumOperands(a) && alike; i++) {
        LLVMValueRef of_a = LLVMGetOperand(a, (unsigned)i), of_b = LLVMGetOperand(b, (unsigned)i);
        alike = LLVMTypeOf(of_a) == LLVMTypeOf(of_b) && is_alike(l, of_a, of_b, depth - 1);
    }
    return alike;
}

/* Is the address in one of the first rounds, told by the copy of an earlier round, the one of the copy before the loop? */
static bool begins_alike(struct tsr__unstage *u, struct tsr__reading *first, struct tsr__reading *next, int round)
{
    u->b = tsr__builder_before(u->code.l, next->load->access);
    next->first_address = tsr__original_address(first);
    next->first_round = round;
    LLVMValueRef address = tsr__original_address(next);
    next->first_round = TSR__NONE;
    LLVMDisposeBuilder(u->b);
    u->b = NULL;
    return is_alike(u->code.l, next->first_address, address, DEPTH);
}

/* The readings of the first rounds, and of the loop's rounds. */
static bool find_readings(struct tsr__unstage *u, const struct ahead *a, struct tsr__rounds *rounds, struct tsr__reading *r)
{
    const struct tsr__place *load = a->load;
    *r = (struct tsr__reading){.u = u,
                               .copy = a->next,
                               .load = load,
                               .at = load->at,
                               .loop = rounds->loop,
                               .rounds = rounds,
                               .ahead = a->rounds,
                               .first_round = TSR__NONE,
                               .others_follow = tsr__in_loop(&u->cfg, tsr__block_of(u, load->access), rounds->loop)};
    r->uniform.arena = r->flags.arena = u->arena;
    r->built = tsr_arena_alloc(u->arena, sizeof *r->built);
    r->at.constant -= a->next->to.at.constant; /* in each round the buffer is the same */
    if (!tsr__can_read_original(r))
        return false;
    for (unsigned i = 0; i < a->rounds; i++) {
        struct tsr__reading begin = {
            .u = u, .copy = a->first[i], .load = load, .at = load->at, .loop = u->cfg.loops[rounds->loop].parent, .first_round = TSR__NONE};
        begin.uniform.arena = u->arena;
        begin.built = r->built;
        begin.at.constant += load->turn[i] - a->first[i]->to.at.constant - a->first[i]->to.turn[i];
        r->first[i] = a->first[i];
        if (!tsr__can_read_original(&begin) || !begins_alike(u, &begin, r, (int)i))
            return false;
    }
    return true;
}

bool tsr__find_reading_ahead(struct tsr__unstage *u, const struct tsr__copy *const *copies, unsigned count, LLVMValueRef const *barriers,
                             size_t barrier_count, const struct tsr__place *load, struct tsr__reading *r)
{
    for (unsigned next = 0; next < count; next++) {
        struct ahead a = {.next = copies[next], .load = load, .rounds = rounds_ahead(load, &copies[next]->to)};
        const int loop = a.rounds && find_first(&a, copies, count) ? loop_of_copies(u, &a) : TSR__NONE;
        struct tsr__rounds *rounds = loop == TSR__NONE ? NULL : rounds_of(u, loop);
        if (rounds && waits_in_each_round(u, rounds, barriers, barrier_count) && are_ahead(u, rounds, &a) &&
            find_readings(u, &a, rounds, r))
            return true;
    }
    return false;
}

bool tsr__find_loaded_ahead(struct tsr__unstage *u, const struct tsr__copy *copy, const struct tsr__place *load, struct tsr__reading *r)
{
    const int loop = copy->ahead, at = tsr__block_of(u, load->access);
    struct tsr__rounds *rounds = rounds_of(u, loop);
    struct tsr__copy *first = tsr_arena_alloc(u->arena, sizeof *first);
    *first = *copy;
    first->from = copy->first_from;
    const struct ahead a = {.next = copy, .first = {first}, .rounds = 1, .load = load};
    return rounds && tsr__in_loop(&u->cfg, tsr__block_of(u, copy->to.access), loop) && tsr__in_loop(&u->cfg, at, loop) &&
           is_run_in_each_round(u, rounds, copy->from.block, 1) &&
           tsr__dominates(&u->cfg, copy->first_from.block, tsr__cfg_number(&u->cfg, rounds->before)) && find_readings(u, &a, rounds, r);
}
