/* SPDX-License-Identifier: Apache-2.0
 * Loops of one block, and versions of them. */
#ifndef TESSERA_LANES_PREPARE_BLOCK_LOOP_H
#define TESSERA_LANES_PREPARE_BLOCK_LOOP_H

#include "lanes/ir/blocks.h"
#include "lanes/prepare/loop_motion.h"

struct tsr__block_loop {
    struct tsr__loop_of of;
    LLVMBasicBlockRef block, before; /* `before` leads nowhere else */
    LLVMBasicBlockRef behind;        /* NULL: it can be reached in another way */
};

/* False: the loop has several blocks, or no block leads to it alone. */
bool tsr__block_loop_find(const struct tsr__cfg *cfg, int loop, struct tsr__block_loop *found);

/* Copies an instruction that is no phi to where the builder stands. `copies`: values of the loop that differ in the copy. */
LLVMValueRef tsr__copy_inst(LLVMBuilderRef b, struct tsr__map *copies, LLVMValueRef inst);
/* Makes a copy of the loop's block, in front of it, whose phis expect `before` and which leaves to `behind`. `copies` gets its values. The
 * branch of `before` is not changed. */
LLVMBasicBlockRef tsr__copy_loop(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr__block_loop *loop, const char *name,
                                 struct tsr__map *copies);
/* Once two blocks lead to `behind`, `from` with the loop's values and `other` with copies of them: makes phis of the two, and lets all uses
 * behind the loop read these. */
void tsr__join_behind(LLVMBuilderRef b, const struct tsr__block_loop *loop, LLVMBasicBlockRef from, LLVMBasicBlockRef other,
                      const struct tsr__map *copies);
/* Makes a copy of the loop that runs where `condition` does not hold. `before` and `behind` become blocks of this loop alone. */
void tsr__version_loop(struct tsr__compilation *l, LLVMBuilderRef b, struct tsr__block_loop *loop, LLVMValueRef condition,
                       struct tsr_arena *arena);

#endif
