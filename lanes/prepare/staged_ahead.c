/* SPDX-License-Identifier: Apache-2.0
 * Local memory that is filled a round ahead: double buffers, and buffers that each round fills anew once it has read them.
 *
 * Before the loop the kernel copies what round 0 reads; in each round, unless there is no next one, it copies what that reads, into the
 * other one of two buffers or behind the last load. What a load finds was copied by the round before: its address is the one of that copy,
 * by the values that the loop had then (rounds.h). In round 0 that has to be the address of the copy before the loop, which the polynomials
 * of both tell. */
#include "lanes/prepare/staged_ahead.h"

#include "lanes/analysis/polynomial.h"
#include "lanes/ir/match.h"

static struct tsr__rounds *rounds_of(struct tsr__unstage *u, int loop)
{
    if (!u->rounds)
        u->rounds = tsr_arena_alloc(u->arena, (size_t)u->cfg.loop_count * sizeof *u->rounds);
    struct tsr__rounds *r = &u->rounds[loop];
    return r->header || tsr__rounds_of(u->code.l, &u->cfg, loop, u->arena, r) ? r : NULL;
}

/* ---- when it is copied --------------------------------------------------------------------------------------------------------------- */

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

/* Does each round run the block, `always` or at least if another round follows? */
static bool is_run_in_each_round(const struct tsr__unstage *u, const struct tsr__rounds *r, int block, bool always)
{
    const int latch = tsr__cfg_number(&u->cfg, r->latch);
    while (!tsr__dominates(&u->cfg, block, latch)) {
        int before = u->cfg.blocks[block].idom;
        if (before == TSR__NONE || !tsr__in_loop(&u->cfg, before, r->loop) || !leads_to(u, before, block))
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
            if (always || !LLVMIsABranchInst(branch) ||
                !tsr__is_taken_if_another_follows(r, LLVMGetCondition(branch), LLVMGetSuccessor(branch, 0) == u->cfg.blocks[block].ref))
                return false;
        } else if (u->cfg.blocks[before].succ_count != 1)
            return false;
        block = before;
    }
    return true;
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

/* The loop in whose rounds one copy is made for the next one, behind the other copy, or TSR__NONE. */
static int loop_of_copies(const struct tsr__unstage *u, const struct tsr__copy *first, const struct tsr__copy *next,
                          const struct tsr__place *load)
{
    int loop = load->turn_loop != TSR__NONE ? load->turn_loop : u->cfg.blocks[tsr__block_of(u, next->to.access)].loop;
    const int before = tsr__block_of(u, first->to.access);
    while (load->turn_loop == TSR__NONE && loop != TSR__NONE && u->cfg.loops[loop].parent != TSR__NONE &&
           !tsr__in_loop(&u->cfg, before, u->cfg.loops[loop].parent))
        loop = u->cfg.loops[loop].parent;
    const bool apart = loop != TSR__NONE && tsr__in_loop(&u->cfg, tsr__block_of(u, next->to.access), loop) &&
                       !tsr__in_loop(&u->cfg, before, loop) && tsr__in_loop(&u->cfg, before, u->cfg.loops[loop].parent);
    return apart ? loop : TSR__NONE;
}

/* Do both copies and the load follow each other as they have to, and lie in the places that this needs? */
static bool are_ahead(const struct tsr__unstage *u, const struct tsr__rounds *r, const struct tsr__copy *first,
                      const struct tsr__copy *next, const struct tsr__place *load)
{
    const int parent = u->cfg.loops[r->loop].parent, header = tsr__cfg_number(&u->cfg, r->header);
    const int first_head = tsr__head_of_copy(u, first, parent), next_head = tsr__head_of_copy(u, next, r->loop);
    const int at = tsr__block_of(u, load->access);
    const bool behind_loop = !tsr__in_loop(&u->cfg, at, r->loop);
    const bool in_turn = load->turn[0] != load->turn[1];
    /* Behind the loop what is read is that of the last whole round, if its head is left before it copies. */
    if (first_head == TSR__NONE || next_head == TSR__NONE || !tsr__dominates(&u->cfg, first_head, tsr__cfg_number(&u->cfg, r->before)) ||
        !tsr__dominates(&u->cfg, header, at) || (behind_loop && (r->exiting != r->header || next_head == header)) ||
        first->to.turn_loop != TSR__NONE || (next->to.turn_loop != TSR__NONE && next->to.turn_loop != r->loop) ||
        !is_run_in_each_round(u, r, next_head, behind_loop) ||
        (next->from.block != TSR__NONE && !is_run_in_each_round(u, r, next->from.block, behind_loop)) ||
        (first->from.block != TSR__NONE && !tsr__dominates(&u->cfg, first->from.block, first_head)))
        return false;
    for (int i = 0; i < 2; i++)
        if (load->turn[i] != next->to.turn[1 - i] || (in_turn && tsr__overlap_in_turn(load, i, &next->to, i)))
            return false;
    return first->to.at.constant == next->to.at.constant + load->turn[0] && load->at.constant + load->turn[0] >= first->to.at.constant &&
           (in_turn || behind_loop || is_behind(u, r, next_head, next->to.access, load->access));
}

/* ---- where from ---------------------------------------------------------------------------------------------------------------------- */

/* Is the address of round 0, told by the copy for the next round, the one of the copy before the loop? */
static bool begins_alike(struct tsr__unstage *u, struct tsr__reading *first, struct tsr__reading *next)
{
    u->b = tsr__builder_before(u->code.l, next->load->access);
    next->first_address = tsr__original_address(first);
    next->in_first = true;
    LLVMValueRef address = tsr__original_address(next);
    next->in_first = false;
    const struct tsr__polynomial a = tsr__polynomial_of(u->code.l, next->first_address), b = tsr__polynomial_of(u->code.l, address);
    LLVMDisposeBuilder(u->b);
    u->b = NULL;
    return a.valid && b.valid && tsr__polynomial_is_multiple(&a, &b, 1);
}

/* Both readings, of the loop's rounds. */
static bool find_both(struct tsr__unstage *u, const struct tsr__copy *first, const struct tsr__copy *next, const struct tsr__place *load,
                      struct tsr__rounds *rounds, struct tsr__reading *r)
{
    *r = (struct tsr__reading){.u = u,
                               .copy = next,
                               .first = first,
                               .load = load,
                               .at = load->at,
                               .loop = rounds->loop,
                               .rounds = rounds,
                               .another_follows = tsr__in_loop(&u->cfg, tsr__block_of(u, load->access), rounds->loop)};
    r->uniform.arena = r->flags.arena = u->arena;
    r->built = tsr_arena_alloc(u->arena, sizeof *r->built);
    struct tsr__reading begin = {.u = u, .copy = first, .load = load, .at = load->at, .loop = u->cfg.loops[rounds->loop].parent};
    begin.uniform.arena = u->arena;
    begin.built = r->built;
    r->at.constant += load->turn[0] - first->to.at.constant - first->to.turn[0]; /* as in round 0, and so in each */
    begin.at.constant = r->at.constant;
    return tsr__can_read_original(&begin) && tsr__can_read_original(r) && begins_alike(u, &begin, r);
}

bool tsr__find_reading_ahead(struct tsr__unstage *u, const struct tsr__copy *first, const struct tsr__copy *next,
                             LLVMValueRef const *barriers, size_t barrier_count, const struct tsr__place *load, struct tsr__reading *r)
{
    const int loop = loop_of_copies(u, first, next, load);
    struct tsr__rounds *rounds = loop == TSR__NONE ? NULL : rounds_of(u, loop);
    return rounds && waits_in_each_round(u, rounds, barriers, barrier_count) && are_ahead(u, rounds, first, next, load) &&
           find_both(u, first, next, load, rounds, r);
}

bool tsr__find_loaded_ahead(struct tsr__unstage *u, const struct tsr__copy *copy, const struct tsr__place *load, struct tsr__reading *r)
{
    const int loop = copy->ahead, at = tsr__block_of(u, load->access);
    struct tsr__rounds *rounds = rounds_of(u, loop);
    struct tsr__copy *first = tsr_arena_alloc(u->arena, sizeof *first);
    *first = *copy;
    first->from = copy->first_from;
    return rounds && tsr__in_loop(&u->cfg, tsr__block_of(u, copy->to.access), loop) && tsr__in_loop(&u->cfg, at, loop) &&
           is_run_in_each_round(u, rounds, copy->from.block, false) &&
           tsr__dominates(&u->cfg, copy->first_from.block, tsr__cfg_number(&u->cfg, rounds->before)) &&
           find_both(u, first, copy, load, rounds, r);
}
