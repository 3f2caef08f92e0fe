/* SPDX-License-Identifier: Apache-2.0
 * Sets of blocks as sorted lists whose ends are shared.
 *
 * A list never changes once it is made, so that a block and its successors may have the same one. Where control flow parts at a thousand
 * blocks one after the other, each of them has few pending blocks of its own: an array of flags for each block would have the square of
 * that. */
#ifndef TESSERA_LANES_IR_BLOCK_LIST_H
#define TESSERA_LANES_IR_BLOCK_LIST_H

#include "tessera/base.h"

struct tsr__block_list {
    int block;
    const struct tsr__block_list *next; /* larger numbers; NULL: no more */
};

/* The list with the block in it. New elements live in the arena. */
const struct tsr__block_list *tsr__block_list_with(struct tsr_arena *arena, const struct tsr__block_list *list, int block);
/* What is in either list. Nothing is made where one list is the end of the other. */
const struct tsr__block_list *tsr__block_list_union(struct tsr_arena *arena, const struct tsr__block_list *a,
                                                    const struct tsr__block_list *b);

#endif
