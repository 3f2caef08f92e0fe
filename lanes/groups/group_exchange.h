/* SPDX-License-Identifier: Apache-2.0
 * Exchanges among the packets of a work-group, which run one after the other up to a barrier. (group_exchange.c) */
#ifndef TESSERA_LANES_GROUPS_GROUP_EXCHANGE_H
#define TESSERA_LANES_GROUPS_GROUP_EXCHANGE_H

#include "lanes/ir/ir.h"

/* Can a call of the primitive become such an exchange? And makes it one. */
bool tsr__is_lowerable_exchange(LLVMValueRef call);
void tsr__lower_group_exchange(struct tsr__compilation *l, LLVMValueRef call);

#endif
