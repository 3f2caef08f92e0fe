/* SPDX-License-Identifier: Apache-2.0
 * Packets of two sub-groups, for kernels with split matrix functions. (sub_group_pairs.c) */
#ifndef TESSERA_LANES_PREPARE_SUB_GROUP_PAIRS_H
#define TESSERA_LANES_PREPARE_SUB_GROUP_PAIRS_H

#include "lanes/widen/widener.h"

/* Does the kernel, into which everything is inlined, call a split matrix function for which the packet has an operation? */
bool tsr__uses_sub_group_pairs(struct tsr__compilation *l, LLVMValueRef kernel);
/* What the kernel asks about sub-groups of this size becomes arithmetic with its linear id, which holds whatever a packet is. */
void tsr__lower_pair_ids(struct tsr__compilation *l, LLVMValueRef kernel, uint32_t sub_group_size_of_kernel);

static inline bool tsr__is_pair(const struct tsr__widener *s)
{
    return s->sub_group < s->width;
}
/* After everything else: lanes of vectors of addresses are computed by themselves, so that one sees how they hang together. */
bool tsr__scalarise_addresses(struct tsr__compilation *l);
/* scalars[0] in all lanes of the first half, scalars[1] in those of the second. */
LLVMValueRef tsr__splat_halves(struct tsr__widener *s, const LLVMValueRef *scalars);
/* Two vectors of half a packet as one, and half of a packet's vector. */
LLVMValueRef tsr__join_halves(struct tsr__widener *s, LLVMValueRef first, LLVMValueRef second);
LLVMValueRef tsr__half_of(struct tsr__widener *s, LLVMValueRef x, unsigned half);

#endif
