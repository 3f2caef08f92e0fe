/* SPDX-License-Identifier: Apache-2.0
 * Which values can be computed before a loop, and which memory instructions write. */
#ifndef TESSERA_LANES_PREPARE_LOOP_MOTION_H
#define TESSERA_LANES_PREPARE_LOOP_MOTION_H

#include "lanes/ir/cfg.h"

struct tsr__loop_of {
    const struct tsr__cfg *cfg;
    int loop;
};

/* Can the value be computed before the loop, by moving at most `depth` instructions of each chain that leads to it? */
bool tsr__can_hoist(const struct tsr__loop_of *l, LLVMValueRef v, int depth);
/* Moves these instructions to where the builder stands. */
void tsr__hoist(const struct tsr__loop_of *l, LLVMBuilderRef b, LLVMValueRef v);
/* The one block before the loop that leads nowhere else, or TSR__NONE. */
int tsr__preheader_of(const struct tsr__cfg *cfg, const struct tsr__loop *loop);

enum { TSR__ALL_SPACES = ~0u };

/* A bit for the memory that a pointer's address space names; a generic one may point anywhere. */
unsigned tsr__space_bit(LLVMValueRef pointer);
/* The memories that the instruction may write, or let others write. */
unsigned tsr__spaces_written(LLVMValueRef inst);

#endif
