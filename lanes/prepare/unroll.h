/* SPDX-License-Identifier: Apache-2.0
 * Unroll hints for LLVM: marks that several passes put on loops. */
#ifndef TESSERA_LANES_PREPARE_UNROLL_H
#define TESSERA_LANES_PREPARE_UNROLL_H

#include "lanes/ir/cfg.h"

/* Gives the loop that the branch closes a hint for LLVM, with a number unless that is 0. The program's own hint comes first. */
void tsr__set_loop_hint(struct tsr__compilation *l, LLVMValueRef branch, const char *hint, unsigned number);
/* Whether the loop that the branch closes has a hint whose name begins so. */
bool tsr__has_loop_hint(struct tsr__compilation *l, LLVMValueRef branch, const char *hint);
/* The number of that hint; 0: there is none. */
unsigned tsr__loop_hint_number(struct tsr__compilation *l, LLVMValueRef branch, const char *hint);
/* Marks the loops of a packet function in which matrix operations add to their accumulators once a round, so that two rounds become one:
 * together they fill a tile; not those that begin with a block of the set `except`, unless that is NULL. (mad_unroll.c) */
void tsr__mark_mad_unroll(struct tsr__compilation *l, LLVMValueRef function, const struct tsr__map *except);

#endif
