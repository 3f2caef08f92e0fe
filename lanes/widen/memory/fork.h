/* SPDX-License-Identifier: Apache-2.0
 * A run-time choice between two code paths in a packet function, which join afterwards. */
#ifndef TESSERA_LANES_WIDEN_MEMORY_FORK_H
#define TESSERA_LANES_WIDEN_MEMORY_FORK_H

#include "lanes/widen/widener.h"

struct tsr__fork {
    LLVMBasicBlockRef straight, other, after;
};

/* Two ways on: the builder stands at the first of them. Nothing that is noted for the block may be made before they meet. */
struct tsr__fork tsr__fork_on(struct tsr__widener *s, LLVMValueRef condition);

/* Ends one way; the builder goes to `next`. Answers where the way ended: an access may have blocks of its own. */
LLVMBasicBlockRef tsr__fork_way_ends(struct tsr__widener *s, const struct tsr__fork *f, LLVMBasicBlockRef next);

/* What came by one of two ways. */
LLVMValueRef tsr__fork_phi(struct tsr__widener *s, LLVMValueRef x, LLVMBasicBlockRef from_x, LLVMValueRef y, LLVMBasicBlockRef from_y);

#endif
