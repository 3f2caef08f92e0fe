/* SPDX-License-Identifier: Apache-2.0
 * Numbers that alternate between two values from round to round of a loop, as the index of a double buffer does: `k & 1`, `buf ^= 1`. */
#ifndef TESSERA_LANES_ANALYSIS_ALTERNATION_H
#define TESSERA_LANES_ANALYSIS_ALTERNATION_H

#include "lanes/ir/cfg.h"

struct tsr__alternation {
    int loop;          /* TSR__NONE: the number is a constant */
    int64_t values[2]; /* in even and odd rounds, the first of which is round 0; their signs extended */
    /* Behind the loop the number is that of the last round that has begun; or, if `of_next`, of the one that would have followed, which is
     * round 0 if there was none. */
    bool of_next;
};

/* Of an integer of at most 64 bits. False: it is no such number. */
bool tsr__find_alternation(const struct tsr__cfg *cfg, LLVMValueRef v, struct tsr__alternation *a);

#endif
