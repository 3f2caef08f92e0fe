/* SPDX-License-Identifier: Apache-2.0
 * Loops over packets between barriers. */
#ifndef TESSERA_LANES_AFTER_UNSWITCH_ROUNDS_H
#define TESSERA_LANES_AFTER_UNSWITCH_ROUNDS_H

#include "lanes/ir/ir.h"

/* Marks the branch to the next packet of a round, for the pass `unswitch_rounds`. */
void tsr__mark_rounds(struct tsr__compilation *l, LLVMValueRef branch);

/* Whether the block ends in such a branch. */
bool tsr__ends_in_rounds(struct tsr__compilation *l, LLVMBasicBlockRef block);

#endif
