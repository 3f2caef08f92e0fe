/* SPDX-License-Identifier: Apache-2.0
 * Operands that a loop over K computes, as functions of their own. */
#ifndef TESSERA_LANES_MATRIX_TILE_SLICES_H
#define TESSERA_LANES_MATRIX_TILE_SLICES_H

#include "lanes/matrix/tiles/tiles.h"

/* The code of a loop of one block that computes an operand. It writes nothing. */
struct tsr__slice;

/* The slice for A, or B, of `tiles` tiles with `depth` products in a round each: sources[i] has those of tile i. NULL: some of it cannot be
 * computed elsewhere. Changes no code. */
struct tsr__slice *tsr__slice_find(const struct tsr__webs *w, LLVMBasicBlockRef loop, const struct tsr__source *const *sources,
                                   unsigned tiles, unsigned depth);
/* If this argument of the kernel is alone in its memory: does the slice read nothing that is written through it? */
bool tsr__slice_is_apart(const struct tsr__slice *s, int argument);
/* Does a counter of the slice begin with a number from memory? */
bool tsr__slice_begins_in_memory(const struct tsr__slice *s);
/* The argument of the kernel through which an address points, or -1. */
int tsr__argument_of_address(struct tsr__compilation *l, LLVMValueRef address);
/* Notes that the kernel whose code the function is asks whether this argument is alone in its memory. */
void tsr__ask_alone(struct tsr__compilation *l, LLVMValueRef function, int argument);
/* The slice as a function, a tsr_tile_code (tessera/tiles.h). */
LLVMValueRef tsr__slice_function(struct tsr__slice *s);
/* Bytes of the values from outside of the loop that the function needs. */
uint64_t tsr__slice_bytes(const struct tsr__slice *s);
/* Stores these values, in front of the loop. */
void tsr__slice_store_values(const struct tsr__slice *s, LLVMBuilderRef b, LLVMValueRef to);

#endif
