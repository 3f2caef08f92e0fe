/* SPDX-License-Identifier: Apache-2.0
 * Packets of two sub-groups, for kernels with split matrix functions. (sub_group_pairs.c) */
#ifndef TESSERA_LANES_PREPARE_SUB_GROUP_PAIRS_H
#define TESSERA_LANES_PREPARE_SUB_GROUP_PAIRS_H

#include "lanes/ir/ir.h"

/* Function attribute of kernels that run in packets of two sub-groups, from the pass "split_kernels" on. */
#define TSR__IN_PAIRS "tsr-sub-group-pairs"

/* Does the kernel, into which everything is inlined, call a split matrix function for which the packet has an operation? */
bool tsr__uses_sub_group_pairs(struct tsr__compilation *l, LLVMValueRef kernel);
/* What the kernel asks about sub-groups of this size becomes arithmetic with its linear id, which holds whatever a packet is. */
void tsr__lower_pair_ids(struct tsr__compilation *l, LLVMValueRef kernel, uint32_t sub_group_size_of_kernel);

#endif
