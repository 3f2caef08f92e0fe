/* SPDX-License-Identifier: Apache-2.0
 * Slots: the stack slots of a packet function without SSA values between blocks, and which of them cross barriers. */
#ifndef TESSERA_LANES_GROUPS_BARRIER_LIVENESS_H
#define TESSERA_LANES_GROUPS_BARRIER_LIVENESS_H

#include "lanes/ir/ir.h"

struct tsr__slot {
    LLVMValueRef alloca;
    LLVMTypeRef type;
    bool plain;      /* loaded and stored as a whole only: a register between barriers */
    bool shared;     /* all packets that wait have the same value in it (group_slots.c) */
    uint64_t offset; /* in the packet's context; 0: it is never there */
    /* Of a shared one that crosses barriers: slots of the group, with its value as packets set out, and as the last of them leaves it. */
    LLVMValueRef now, later;
};

/* A barrier: `before` ends where it stands, `behind` goes on and has no other way in. */
struct tsr__barrier_point {
    LLVMBasicBlockRef before, behind;
};

/* A loop with stops in it; `entry` is the only way in. */
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
    size_t count, words;       /* of a set of slots */
    struct tsr__map number;    /* alloca → number + 1 */
    struct tsr__map block_of;  /* block → number + 1 */
    struct tsr__map stop_at;   /* block that ends at a stop → its number + 1 */
    LLVMBasicBlockRef *blocks; /* as they were when the slots were looked at */
    size_t block_count;
    unsigned *preds;    /* per block: ways in */
    uint64_t **written; /* per block: by it */
    uint64_t **saves;   /* per block: what goes to the context at its end */
    uint64_t **used;    /* per block: read or saved before it writes them */
    uint64_t **needed;  /* per block: must be in their slots when it starts, on the way to the next stop */
    uint64_t *kept;     /* saved anywhere */
    bool *parted;       /* per block: not all packets need come there equally often */
};

/* Looks at the slots of `function`, all in its first block; the arguments in `slots` are function, arena and stops. Slots of which one is a
 * copy of the other, and which are not needed both, become one. */
void tsr__barrier_liveness_find(struct tsr__barrier_liveness *slots, LLVMBasicBlockRef first);
/* Finds the shared slots and the blocks where packets are parted. (group_slots.c) */
void tsr__find_shared_slots(struct tsr__barrier_liveness *slots);
/* Gives every slot that crosses a barrier and is not shared a place in the context, from byte `begin` on; the answer is its end. */
uint64_t tsr__barrier_spill_layout(struct tsr__barrier_liveness *slots, LLVMTargetDataRef layout, uint64_t begin);

static inline bool tsr__slot_set_has(const uint64_t *set, size_t slot)
{
    return set[slot / 64] >> (slot % 64) & 1;
}

#endif
