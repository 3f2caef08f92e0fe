/* SPDX-License-Identifier: Apache-2.0
 * The code of a work-item, several times over in one: each instruction of one work-item stands beside the same one of the others, so that
 * their chains of operations overlap. */
#ifndef TESSERA_LANES_GROUPS_INTERLEAVED_CODE_H
#define TESSERA_LANES_GROUPS_INTERLEAVED_CODE_H

#include "lanes/groups/interleave_plan.h"
#include "lanes/groups/packet_loop.h"

struct tsr__interleaving {
    struct tsr__compilation *l;
    const struct tsr__interleave_plan *plan;
    LLVMBuilderRef b;
    LLVMBuilderRef allocas;            /* at the start of the function, for stack slots */
    const struct tsr__packet_loop *of; /* the ids of each work-item */
    LLVMBasicBlockRef alone, end;      /* code that runs the first work-item alone; where work-items go that have ended */
};

/* Appends the code to the function. Returns where it begins. */
LLVMBasicBlockRef tsr__interleaved_code(struct tsr__interleaving *i);

#endif
