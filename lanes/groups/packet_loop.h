/* SPDX-License-Identifier: Apache-2.0
 * What a kernel sees of its work-groups, and the loops over packets where nobody meets. */
#ifndef TESSERA_LANES_GROUPS_PACKET_LOOP_H
#define TESSERA_LANES_GROUPS_PACKET_LOOP_H

#include "lanes/ir/ir.h"

/* What the work-items know: their global ids only, so that they do the same whatever their work-groups are; the ids in groups and of
 * groups, too; local memory and barriers; or sub-groups. */
enum tsr__sees { TSR__SEES_RANGE, TSR__SEES_NUMBERS, TSR__SEES_GROUPS, TSR__SEES_SUB_GROUPS };
enum tsr__sees tsr__sees_groups(struct tsr__lanes *l, LLVMValueRef item);
/* Packets wait for each other. */
bool tsr__packet_meets(struct tsr__lanes *l, LLVMValueRef packet);

/* ---- loops: also used by barrier_regions.c ----------------------------------------------------------------------------------------------
 */

struct tsr__rows {
    struct tsr__lanes *l;
    LLVMValueRef f; /* the packet function */
    LLVMBuilderRef b;
    unsigned width;
    LLVMValueRef local[3], global[3], group[3], linear; /* ids of the packet's first lane */
    LLVMValueRef at, items;                             /* mixed: its place in the row's work-items that are there, and their number */
    LLVMValueRef ids[3], lanes;                         /* of a packet that is not whole: where its local ids are, how many it has */
};

/* Parts the entry from the rest of the packet function, and answers where that begins; the builder stands at the entry's end. */
LLVMBasicBlockRef tsr__rows_part(struct tsr__rows *r);

struct tsr__rows_loop {
    LLVMBasicBlockRef head;
    LLVMValueRef phi;
};

/* Name of a primitive that an instruction calls, without its prefix, or NULL. */
const char *tsr__primitive_name(LLVMValueRef inst);
LLVMValueRef tsr__rows_query(struct tsr__rows *r, const char *name, int dim);
/* A loop's head behind the builder's block, with a counter from `first`; the builder goes on there. */
struct tsr__rows_loop tsr__rows_open(struct tsr__rows *r, const char *name, LLVMValueRef first);
/* The end of a round: adds `step`, goes back while the sum is less than `end`, and leaves the builder behind the loop. */
void tsr__rows_close(struct tsr__rows *r, struct tsr__rows_loop loop, LLVMValueRef step, LLVMValueRef end);
/* What the last packet left in the homes of values means nothing to this one: without this, mem2reg would carry it around. */
void tsr__rows_forget(struct tsr__rows *r, LLVMBasicBlockRef start);
/* What stands for a primitive in the loops; NULL: the item knows. */
LLVMValueRef tsr__rows_known(struct tsr__rows *r, LLVMValueRef call, const char *name);

/* An instruction of the packet function that stands in the loops now, whose rounds end at `end`. */
void tsr__rows_rewrite(struct tsr__rows *r, LLVMValueRef inst, LLVMBasicBlockRef end);

/* Puts loops over packets, rows, planes and work-groups around a packet function of which every lane is there. */
void tsr__loop_rows(struct tsr__lanes *l, LLVMValueRef packet, unsigned width);

/* Loops over the packets of a box of work-items around a packet function of mixed lanes (mixed_loop.c). */
void tsr__loop_mixed(struct tsr__lanes *l, LLVMValueRef packet, unsigned width);

/* The same for packets that meet at barriers and in exchanges of the work-group (barrier_regions.c): whole ones, sub-groups in linear
 * order, or parts of rows. False: not this one. *context_bytes: memory for each packet, no less than it was. */
enum tsr__packets { TSR__PACKETS_WHOLE, TSR__PACKETS_DENSE, TSR__PACKETS_OF_ROWS };
bool tsr__cut_regions(struct tsr__lanes *l, LLVMValueRef packet, unsigned width, enum tsr__packets packets, uint64_t *context_bytes);

#endif
