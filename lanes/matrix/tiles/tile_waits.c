/* SPDX-License-Identifier: Apache-2.0
 * Loops over K that may end after their packet, since it only stores their results: what else the packet does to memory behind the loop.
 *
 * A packet may come to the loop again, where it goes through the tiles of C in a loop. Then the device keeps the order of what the packet
 * stores (TSR_TILE_IN_ORDER). It cannot see what the packet stores in place of the loop where this makes no round; so that must be done for
 * all tiles of the packet or for none. */
#include <string.h>

#include "lanes/ir/mad_op.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/tiles/tile_loops.h"

static LLVMValueRef find_end(LLVMBasicBlockRef block)
{
    return tsr__packet_mark_in(block, TSR__PACKET_ENDS | TSR__PACKET_RETURNS);
}

static bool is_harmless(struct tsr__compilation *l, LLVMValueRef inst)
{
    LLVMValueRef callee = LLVMIsACallInst(inst) ? tsr__callee(inst) : NULL;
    return (callee && tsr__is_hint(callee)) || tsr__is_fixed_load(l, inst);
}

struct path {
    struct tsr__compilation *l;
    LLVMBasicBlockRef loop;
    const struct tsr__pending_tile_store *stores;
    struct tsr__map seen; /* block → 1 */
};

/* From the start of the block up to the end of the packet, the loop excepted. */
static bool only_stores_follow(struct path *p, LLVMBasicBlockRef block)
{
    if (tsr__map_get(&p->seen, block))
        return true;
    tsr__map_set(&p->seen, block, 1);
    if (block == p->loop)
        return true;
    const LLVMValueRef packet_end = find_end(block), end = LLVMGetBasicBlockTerminator(block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && i != packet_end; i = LLVMGetNextInstruction(i))
        if (tsr__accesses_memory(i) && !tsr__tile_store_has(p->stores, i) && !is_harmless(p->l, i))
            return false;
    for (unsigned i = 0; !packet_end && i < LLVMGetNumSuccessors(end); i++)
        if (!only_stores_follow(p, LLVMGetSuccessor(end, i)))
            return false;
    return true;
}

/* ---- again ---- */

void tsr__find_ways_to(LLVMBasicBlockRef to, LLVMBasicBlockRef past, struct tsr__map *found)
{
    tsr__map_set(found, to, 1);
    for (bool any = true; any;) {
        any = false;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(to)); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
            for (unsigned i = 0; b != past && !tsr__packet_mark_in(b, TSR__PACKET_STOPS) && i < LLVMGetNumSuccessors(end); i++)
                if (!tsr__map_get(found, b) && tsr__map_get(found, LLVMGetSuccessor(end, i))) {
                    tsr__map_set(found, b, 1);
                    any = true;
                }
        }
    }
}

/* Does a packet decide once whether it goes to the stores by the loop or past it? */
static bool decides_once(const struct path *p)
{
    struct tsr__map to_loop = {.arena = &p->l->scratch}, to_stores = {.arena = &p->l->scratch};
    LLVMBasicBlockRef stores = tsr__tile_store_block(p->stores);
    tsr__find_ways_to(p->loop, stores, &to_loop);
    tsr__find_ways_to(stores, p->loop, &to_stores);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(stores)); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
            if (b == p->loop || !tsr__map_get(&p->seen, b) || !tsr__map_get(&to_loop, b) || tsr__map_get(&to_loop, to) ||
                !tsr__map_get(&to_stores, to))
                continue;
            LLVMValueRef by = LLVMIsABranchInst(end) ? LLVMGetCondition(end) : end;
            if (LLVMIsAInstruction(by) && tsr__map_get(&p->seen, LLVMGetInstructionParent(by)))
                return false;
        }
    }
    return true;
}

/* Is the value used for nothing but products of the loop? */
static bool is_only_multiplied(struct tsr__map *seen, LLVMBasicBlockRef loop, LLVMValueRef v)
{
    if (tsr__map_get(seen, v))
        return true;
    tsr__map_set(seen, v, 1);
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        struct tsr__mad mad;
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMGetInstructionParent(user) != loop || LLVMIsAPHINode(user) || LLVMIsATerminatorInst(user))
            return false;
        const bool unpacks = LLVMIsACallInst(user) && tsr__callee(user) && tsr__is_marker(tsr__callee(user)); /* numbers of 4 bits */
        if (!tsr__mad_read(user, &mad) && ((tsr__accesses_memory(user) && !unpacks) || !is_only_multiplied(seen, loop, user)))
            return false;
    }
    return true;
}

/* What a loop that waits reads must be A and B, at which the device looks. */
static bool reads_operands_alone(struct tsr__compilation *l, LLVMBasicBlockRef loop)
{
    struct tsr__map seen = {.arena = &l->scratch};
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop); i; i = LLVMGetNextInstruction(i)) {
        struct tsr__mad mad;
        if (tsr__accesses_memory(i) && !is_harmless(l, i) && !tsr__mad_read(i, &mad) && !is_only_multiplied(&seen, loop, i))
            return false;
    }
    return true;
}

bool tsr__tile_loop_can_wait(struct tsr__compilation *l, LLVMBasicBlockRef loop, const struct tsr__pending_tile_store *stores, bool all,
                             bool *again)
{
    struct path p = {l, loop, stores, {.arena = &l->scratch}};
    LLVMValueRef end = LLVMGetBasicBlockTerminator(loop);
    *again = false;
    if (!tsr__tile_store_is_global(stores))
        return false;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
        if (LLVMGetSuccessor(end, i) != loop && !only_stores_follow(&p, LLVMGetSuccessor(end, i)))
            return false;
    *again = tsr__map_get(&p.seen, loop);
    return !*again || (all && decides_once(&p) && reads_operands_alone(l, loop));
}
