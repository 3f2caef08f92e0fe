/* SPDX-License-Identifier: Apache-2.0
 * Exchanges among the packets of a work-group, which run one after the other up to a barrier. (group_exchange.c) */
#ifndef TESSERA_LANES_GROUPS_GROUP_EXCHANGE_H
#define TESSERA_LANES_GROUPS_GROUP_EXCHANGE_H

#include "lanes/ir/ir.h"

/* The flags of a barrier that is the middle of an exchange. */
enum { TSR__EXCHANGE_FENCE = 1 << 30 };

/* Where a packet puts so many bytes (a constant i32) for the others; those of the packet before lie right before that. */
LLVMValueRef tsr__exchange_own_slot(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef size);
/* Waits for all of them; then, where what the first packet has put down is. */
LLVMValueRef tsr__exchange_all_slots(struct tsr__compilation *l, LLVMBuilderRef b);

/* Makes that of a call of the primitive, if it can be. */
bool tsr__is_lowerable_exchange(LLVMValueRef call);
void tsr__lower_group_exchange(struct tsr__compilation *l, LLVMValueRef call);

#endif
