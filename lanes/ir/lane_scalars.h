/* SPDX-License-Identifier: Apache-2.0
 * One lane of a vector of addresses or indices, computed by itself: from the same lane of what the vector is made of. */
#ifndef TESSERA_LANES_IR_LANE_SCALARS_H
#define TESSERA_LANES_IR_LANE_SCALARS_H

#include "lanes/ir/ir.h"

struct tsr__lane_scalars {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    struct tsr__map made; /* vector → its scalars so far, an array of LLVMValueRef with one of each lane */
};

void tsr__lane_scalars_begin(struct tsr__lane_scalars *c, struct tsr__compilation *l);
void tsr__lane_scalars_end(struct tsr__lane_scalars *c);
/* A scalar that is available wherever `v` is. Where its lanes hang together, it is taken out of the vector. */
LLVMValueRef tsr__lane_scalar(struct tsr__lane_scalars *c, LLVMValueRef v, unsigned lane);

#endif
