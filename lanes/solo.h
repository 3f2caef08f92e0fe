/* SPDX-License-Identifier: Apache-2.0
 * The last lanes of a divergent loop, which go on one by one. */
#ifndef TESSERA_LANES_SOLO_H
#define TESSERA_LANES_SOLO_H

#include "simd.h"

/* How many lanes, when they are the last in the loop, had better leave the vectors. */
unsigned tsr__solo_lanes(const struct tsr__simd *s, int loop);
/* Their way, from where the builder stands, at the end of a round, to `end`: `bits` is the mask of the lanes that want another round. */
void tsr__build_solo(struct tsr__simd *s, int loop, LLVMValueRef bits, LLVMBasicBlockRef end);

#endif
