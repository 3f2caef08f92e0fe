/* SPDX-License-Identifier: Apache-2.0
 * Plans code that runs several work-items side by side: what becomes of each branch at which they may part. */
#ifndef TESSERA_LANES_GROUPS_INTERLEAVE_PLAN_H
#define TESSERA_LANES_GROUPS_INTERLEAVE_PLAN_H

#include "lanes/analysis/shape.h"

/* What becomes of work-items that part at a branch. */
enum tsr__parting {
    TSR__PART_NEVER,  /* all go one way */
    TSR__PART_APART,  /* each goes on alone, one after the other, to where they meet again */
    TSR__PART_RESTART /* nothing has been written yet: the first work-item starts again, alone */
};

struct tsr__interleave_plan {
    unsigned count; /* work-items */
    unsigned along; /* the dimension in which they follow each other: 0, x, or 1, y */
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    enum tsr__parting *parting; /* by block, for its terminator */
    int *cold;                  /* by block: the successor (0, 1) that few work-items go to, each of them alone; or TSR__NONE */
    bool *together;             /* by block: work-items may come to it together */
    bool **apart;               /* by block with PART_APART: the blocks that its work-items may run alone; else NULL */
    struct tsr__map shared;     /* instruction → 1: one copy serves all work-items that come to it together */
    uint64_t size;              /* instructions of the code to be made */
};

/* Decides what becomes of each branch of a function of one work-item. False: work-items cannot run side by side. */
bool tsr__interleave_plan(struct tsr__compilation *l, struct tsr__interleave_plan *plan, LLVMValueRef function, unsigned count);
/* Whether the loops where a work-item spends its time read much less of memory for each work-item than by the other plan. */
bool tsr__interleave_reads_less(struct tsr__compilation *l, const struct tsr__interleave_plan *plan,
                                const struct tsr__interleave_plan *other);
/* How many work-items side by side are estimated to be fastest; 1: do not interleave. */
unsigned tsr__interleave_count(struct tsr__compilation *l, const struct tsr__interleave_plan *plan);

#endif
