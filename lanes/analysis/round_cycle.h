/* SPDX-License-Identifier: Apache-2.0
 * Numbers that repeat after some rounds of a loop, as the index of a buffer does: `k & 1`, `buf ^= 1`, `stage = (stage + 1) % 3`. */
#ifndef TESSERA_LANES_ANALYSIS_ROUND_CYCLE_H
#define TESSERA_LANES_ANALYSIS_ROUND_CYCLE_H

#include "lanes/ir/cfg.h"

enum { TSR__CYCLE_ROUNDS = 12 }; /* after which all of them have the same values again: those of 2, 3, 4, 6 and 12 rounds */

struct tsr__round_cycle {
    int loop;                          /* TSR__NONE: the number is a constant */
    int64_t values[TSR__CYCLE_ROUNDS]; /* in round 0 and those behind it; their signs extended */
    /* Which value the number has behind the loop: that of the last round that has begun, or, if `of_next`, of the round that would have
     * followed (round 0 if none has begun). */
    bool of_next;
};

/* After how many rounds these values repeat; 1: they are all the same. */
unsigned tsr__period_of_rounds(const int64_t values[TSR__CYCLE_ROUNDS]);
/* The cycle of an integer of at most 64 bits. False: it has none. */
bool tsr__find_round_cycle(const struct tsr__cfg *cfg, LLVMValueRef v, struct tsr__round_cycle *c);

#endif
