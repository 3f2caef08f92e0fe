/* SPDX-License-Identifier: Apache-2.0
 * Basic blocks that are copied, or cut in two. */
#ifndef TESSERA_LANES_IR_BLOCKS_H
#define TESSERA_LANES_IR_BLOCKS_H

#include "lanes/ir/ir.h"

/* Copies the blocks, in front of block `before`, or at the function's end if that is NULL, as blocks of this name. Ways from one of them to
 * another lead from copy to copy, and ways out of them lead where they did. The copy is entered from elsewhere only where `entry` is.
 * `copies`: blocks and their instructions → the copies. */
void tsr__copy_blocks(struct tsr__compilation *l, const LLVMBasicBlockRef *blocks, size_t count, LLVMBasicBlockRef entry,
                      LLVMBasicBlockRef before, const char *name, struct tsr__map *copies);
/* The copy of an instruction, or the value itself; and of a block, or NULL. */
static inline LLVMValueRef tsr__copy_of(const struct tsr__map *copies, LLVMValueRef v)
{
    LLVMValueRef copy = (LLVMValueRef)tsr__map_get(copies, v);
    return copy ? copy : v;
}
static inline LLVMBasicBlockRef tsr__copy_of_block(const struct tsr__map *copies, LLVMBasicBlockRef block)
{
    return (LLVMBasicBlockRef)tsr__map_get(copies, block);
}

/* The block behind a loop of one block that leaves at its end, or NULL. */
LLVMBasicBlockRef tsr__exit_of_loop(LLVMBasicBlockRef loop);
/* Puts a block of its own on the way by successor `way`, and answers it. */
LLVMBasicBlockRef tsr__split_edge(struct tsr__compilation *l, LLVMBasicBlockRef from, unsigned way);
/* What stands in front of `first`, which is no phi, goes to a new block in front, which is answered. */
LLVMBasicBlockRef tsr__split_block(struct tsr__compilation *l, LLVMBasicBlockRef block, LLVMValueRef first);

#endif
