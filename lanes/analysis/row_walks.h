/* SPDX-License-Identifier: Apache-2.0
 * Loops in which each lane goes along a row of its own. */
#ifndef TESSERA_LANES_ANALYSIS_ROW_WALKS_H
#define TESSERA_LANES_ANALYSIS_ROW_WALKS_H

#include "lanes/analysis/shape.h"

struct tsr__row_walk {
    int64_t step; /* by which each lane's address grows in a round, in bytes */
    bool exact;   /* … always; else an index on the way may wrap */
    int within;   /* … but not in memory of less than TSR_SMALL_MEMORY bytes, which this parameter points to; -1: it may in any */
};

/* Does each lane go along a row of its own, in the rounds of a loop of one block, and stay in a cache line for some of them? */
bool tsr__walks_row(struct tsr__compilation *l, const struct tsr__shapes *shapes, LLVMBasicBlockRef loop, LLVMValueRef access,
                    struct tsr__row_walk *walk);
bool tsr__has_row_walks(struct tsr__compilation *l, const struct tsr__shapes *shapes);

#endif
