/* SPDX-License-Identifier: Apache-2.0
 * Several work-items in one: what becomes of branches at which they may part. */
#ifndef TESSERA_LANES_GROUPS_INTERLEAVE_PLAN_H
#define TESSERA_LANES_GROUPS_INTERLEAVE_PLAN_H

#include "lanes/analysis/shape.h"

/* What becomes of work-items that part at a branch. */
enum tsr__parting {
    TSR__PART_NEVER,  /* all go one way */
    TSR__PART_APART,  /* one after the other goes on alone, to where they meet again */
    TSR__PART_RESTART /* nothing has been written yet: the first one starts again, alone */
};

struct tsr__interleave_plan {
    unsigned count; /* work-items */
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    enum tsr__parting *parting; /* by block, for its terminator */
    int *cold;                  /* by block: the way (0, 1) that hardly any work-item goes, and none goes together with others; TSR__NONE */
    bool *together;             /* by block: work-items may come to it together */
    bool **apart;               /* by block with PART_APART: the blocks that work-items may run alone then; else NULL */
    struct tsr__map shared;     /* instruction → 1: work-items that come to it together need it once */
    uint64_t size;              /* instructions of the work-item's code that is made: together, and alone once for each of them */
};

/* Decides what becomes of each branch of a function of one work-item. False: work-items cannot run side by side. */
bool tsr__interleave_plan(struct tsr__compilation *l, struct tsr__interleave_plan *plan, LLVMValueRef function, unsigned count);
/* How many work-items side by side are fastest; 1: none are. */
unsigned tsr__interleave_count(struct tsr__compilation *l, const struct tsr__interleave_plan *plan);

#endif
