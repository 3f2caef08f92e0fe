/* SPDX-License-Identifier: Apache-2.0
 * Loads of the next round of a loop with barriers, asked of the caches while this one computes. */
#ifndef TESSERA_LANES_AHEAD_H
#define TESSERA_LANES_AHEAD_H

#include "lanes.h"

/* Adds prefetches to a packet function that will be cut at its barriers. */
void tsr__fetch_ahead(struct tsr__lanes *l, LLVMValueRef packet);

#endif
