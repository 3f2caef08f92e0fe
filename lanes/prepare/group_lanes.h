/* SPDX-License-Identifier: Apache-2.0
 * Local memory of several work-groups that run as one. */
#ifndef TESSERA_LANES_PREPARE_GROUP_LANES_H
#define TESSERA_LANES_PREPARE_GROUP_LANES_H

#include "lanes/ir/ir.h"

/* All addresses in local memory lie `offset` bytes, computed where the builder stands, behind those in that of the first group. */
void tsr__move_local_memory(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef item, LLVMValueRef offset);

#endif
