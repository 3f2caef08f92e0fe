/* SPDX-License-Identifier: Apache-2.0
 * What a kernel sees of its work-groups, and the loops over packets where nobody meets. */
#ifndef TESSERA_LANES_GROUPS_PACKET_LOOP_H
#define TESSERA_LANES_GROUPS_PACKET_LOOP_H

#include "lanes/ir/calls.h"

/* ---- loops: also used by barrier_regions.c ----------------------------------------------------------------------------------------------
 */

struct tsr__packet_loop {
    struct tsr__compilation *l;
    LLVMValueRef f; /* the packet function */
    LLVMBuilderRef b;
    unsigned width;
    LLVMValueRef local[3], global[3], group[3], linear; /* ids of the packet's first lane */
    LLVMValueRef lane;                                  /* interleaved: its number among those at a time */
    LLVMValueRef at, items;                             /* mixed: its place in the row's work-items that are there, and their number */
    LLVMValueRef ids[3], lanes;                         /* of a packet that is not whole: where its local ids are, how many it has */
};

/* How many lanes a packet has, an i32, if so many work-items are left. */
LLVMValueRef tsr__packet_lanes(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef left, unsigned width);

/* Parts the entry from the rest of the packet function, and answers where that begins; the builder stands at the entry's end. */
LLVMBasicBlockRef tsr__packet_loop_begin(struct tsr__packet_loop *r);

struct tsr__counted_loop {
    LLVMBasicBlockRef head;
    LLVMValueRef phi;
};

LLVMValueRef tsr__packet_loop_query(struct tsr__packet_loop *r, enum tsr__engine_call call, int dim);
/* A loop's head behind the builder's block, with a counter from `first`; the builder goes on there. */
struct tsr__counted_loop tsr__counted_loop_open(struct tsr__packet_loop *r, const char *name, LLVMValueRef first);
/* The end of a round: adds `step`, goes back while the sum is less than `end`, and leaves the builder behind the loop. Returns the branch.
 */
LLVMValueRef tsr__counted_loop_close(struct tsr__packet_loop *r, struct tsr__counted_loop loop, LLVMValueRef step, LLVMValueRef end);
/* Homes of values that are written once are the values. LLVM would look at all of the function for each of them. */
void tsr__packet_loop_drop_homes(struct tsr__compilation *l, LLVMValueRef f);
/* What the last packet left in the homes of values means nothing to this one: without this, mem2reg would carry it around. */
void tsr__packet_loop_reset_slots(struct tsr__packet_loop *r, LLVMBasicBlockRef start);
/* What stands for an instruction in the loops if it calls a primitive; NULL: it does not, or the item knows. */
LLVMValueRef tsr__packet_loop_known(struct tsr__packet_loop *r, LLVMValueRef call);

/* An instruction of the packet function that stands in the loops now, whose rounds end at `end`. */
void tsr__packet_loop_rewrite(struct tsr__packet_loop *r, LLVMValueRef inst, LLVMBasicBlockRef end);

#endif
