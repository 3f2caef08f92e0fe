/* SPDX-License-Identifier: Apache-2.0
 * Loops over packets, of kernels without barriers (packet_loop.c, mixed_loop.c, interleave.c) and between barriers (barrier_regions.c). */
#ifndef TESSERA_LANES_GROUPS_PACKET_LOOP_H
#define TESSERA_LANES_GROUPS_PACKET_LOOP_H

#include "lanes/ir/calls.h"

/* ---- loops: also used by barrier_regions.c ---- */

struct tsr__packet_loop {
    struct tsr__compilation *l;
    LLVMValueRef f; /* the packet function */
    LLVMBuilderRef b;
    unsigned width;
    LLVMValueRef local[3], global[3], group[3], linear; /* ids of the packet's first lane */
    LLVMValueRef lane;                                  /* interleaved work-items: the number among those that run side by side */
    LLVMValueRef at, items;     /* mixed: where the packet begins among the work-items of its row, and their number */
    LLVMValueRef ids[3], lanes; /* partial packet: where its local ids are stored, how many lanes it has */
};

/* How many lanes a packet has, an i32, if `left` work-items are left. */
LLVMValueRef tsr__packet_lanes(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef left, unsigned width);

/* Splits the packet function behind its stack slots. Returns the block that begins with the rest; the builder stands at the end of the
 * first. */
LLVMBasicBlockRef tsr__packet_loop_begin(struct tsr__packet_loop *r);

struct tsr__counted_loop {
    LLVMBasicBlockRef head;
    LLVMValueRef phi;
};

LLVMValueRef tsr__packet_loop_query(struct tsr__packet_loop *r, enum tsr__engine_call call, int dim);
/* Begins a loop behind the builder's block, with a counter from `first`; the builder stands in its head. */
struct tsr__counted_loop tsr__counted_loop_open(struct tsr__packet_loop *r, const char *name, LLVMValueRef first);
/* Ends the round: adds `step` to the counter, and goes back while the sum is less than `end`. The builder stands behind the loop. Returns
 * the branch. */
LLVMValueRef tsr__counted_loop_close(struct tsr__packet_loop *r, struct tsr__counted_loop loop, LLVMValueRef step, LLVMValueRef end);
/* Replaces stack slots that are written once by the value. LLVM would look at all of the function for each of them. */
void tsr__packet_loop_promote_slots(struct tsr__compilation *l, LLVMValueRef f);
/* Stores poison to all slots but arrays and structures, at the start of a packet. Otherwise mem2reg would carry values of the packet before
 * around the loop. */
void tsr__packet_loop_reset_slots(struct tsr__packet_loop *r, LLVMBasicBlockRef start);
/* The value that the loops have for a call of a primitive, such as an id; NULL: it is no such call, or the work-item's structure has it. */
LLVMValueRef tsr__packet_loop_known(struct tsr__packet_loop *r, LLVMValueRef call);

/* Adapts an instruction of the packet function to the loops: returns go to `end`, where a round ends, and primitives become known values.
 */
void tsr__packet_loop_rewrite(struct tsr__packet_loop *r, LLVMValueRef inst, LLVMBasicBlockRef end);

#endif
