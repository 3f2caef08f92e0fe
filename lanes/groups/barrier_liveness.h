/* SPDX-License-Identifier: Apache-2.0
 * Slots: the stack slots of a packet function without SSA values between blocks, and which of them cross barriers. */
#ifndef TESSERA_LANES_GROUPS_BARRIER_LIVENESS_H
#define TESSERA_LANES_GROUPS_BARRIER_LIVENESS_H

#include "lanes/ir/ir.h"

struct tsr__slot {
    LLVMValueRef alloca;
    LLVMTypeRef type;
    bool plain;      /* only loaded and stored as a whole, so that it is a register between barriers */
    bool shared;     /* all packets that wait have the same value in it (group_slots.c) */
    uint64_t offset; /* in the packet's context; 0: it is never saved there */
    /* If it is shared and crosses barriers: slots of the group, with the value before the packets run, and behind the last of them. */
    LLVMValueRef now, later;
};

/* A barrier, at which the function is cut (a *stop*): block `before` ends there, and `behind` has no other predecessor. */
struct tsr__barrier_point {
    LLVMBasicBlockRef before, behind;
};

/* A loop with stops in it; `entry` is the only block from which it is entered. */
struct tsr__barrier_loop {
    LLVMBasicBlockRef entry, header;
};

struct tsr__barrier_liveness {
    LLVMValueRef function;
    struct tsr_arena *arena;
    const struct tsr__barrier_point *stops;
    unsigned stop_count, loop_count;
    struct tsr__barrier_loop *loops;
    struct tsr__slot *all;
    size_t count, words;       /* slots; words of a set of them, a bit for each */
    struct tsr__map number;    /* alloca → number + 1 */
    struct tsr__map block_of;  /* block → number + 1 */
    struct tsr__map stop_at;   /* block that ends at a stop → its number + 1 */
    LLVMBasicBlockRef *blocks; /* those of the function when the slots were analysed */
    size_t *order;             /* numbers of the blocks, but for loops each before its successors */
    size_t block_count;
    unsigned *preds;    /* per block: number of predecessors */
    uint64_t **written; /* per block: slots that it writes */
    uint64_t **saves;   /* per block: slots that it saves to the context at its end */
    uint64_t **used;    /* per block: slots that it reads or saves before it writes them */
    uint64_t **needed;  /* per block: slots that are live at its start, up to the next stop */
    uint64_t *kept;     /* slots that any block saves */
    bool *parted;       /* per block: packets may differ in how often they come there */
};

/* Analyses the slots of `function`, which are all in block `first`. The caller sets function, arena and stops. Merges slots of which one is
 * a copy of the other, if they are never live together. */
void tsr__barrier_liveness_find(struct tsr__barrier_liveness *slots, LLVMBasicBlockRef first);
/* Sets `shared` of the slots and `parted` of the blocks. (group_slots.c) */
void tsr__find_shared_slots(struct tsr__barrier_liveness *slots);
/* Gives every slot that crosses a barrier and is not shared a place in the context, from byte `begin` on. Returns the end of the context.
 */
uint64_t tsr__barrier_spill_layout(struct tsr__barrier_liveness *slots, LLVMTargetDataRef layout, uint64_t begin);

static inline bool tsr__slot_set_has(const uint64_t *set, size_t slot)
{
    return set[slot / 64] >> (slot % 64) & 1;
}

#endif
