/* SPDX-License-Identifier: Apache-2.0
 * 2D blocks between the vectoriser and the pass `lower_block2d`.
 *
 * The vectoriser leaves each call of __tsr_block2d_<action> (builtins/block2d.h) as one operation of the packet, a call of
 *
 *     { <lanes x T>, … } tsr.block2d_<action>(the same arguments, where those that are no numbers are <lanes x T>, …)
 *
 * with a vector for each value of a work-item. */
#ifndef TESSERA_LANES_MATRIX_LOWER_BLOCK2D_H
#define TESSERA_LANES_MATRIX_LOWER_BLOCK2D_H

#include "lanes/ir/ir.h"

/* Builds the operation that stands for the function called `name`. `args`: what is the same for all lanes, then the vectors that it takes.
 * `result`: the vectors that it gives. */
LLVMValueRef tsr__block2d_build(struct tsr__compilation *l, LLVMBuilderRef b, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                                unsigned count);

#endif
