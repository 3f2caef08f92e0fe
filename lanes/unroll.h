/* SPDX-License-Identifier: Apache-2.0
 * Loops that are unrolled before vectorisation. */
#ifndef TESSERA_LANES_UNROLL_H
#define TESSERA_LANES_UNROLL_H

#include "cfg.h"

/* Marks, for LLVM, the loops of a canonical function without which its private arrays would be registers. False: it has no loops at all. */
bool tsr__mark_unrolling(struct tsr__lanes *l, LLVMValueRef function);

#endif
