/* SPDX-License-Identifier: Apache-2.0
 * Prefetch insertion: loads of later rounds of a loop. (prefetch.c) */
#ifndef TESSERA_LANES_AFTER_PREFETCH_H
#define TESSERA_LANES_AFTER_PREFETCH_H

#include "lanes/ir/ir.h"

/* Adds prefetches to a packet function that will be cut at its barriers: of the next round. */
void tsr__prefetch_next_round(struct tsr__compilation *l, LLVMValueRef packet);

#endif
