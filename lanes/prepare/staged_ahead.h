/* SPDX-License-Identifier: Apache-2.0
 * Loads of local memory that is filled a round ahead. */
#ifndef TESSERA_LANES_PREPARE_STAGED_AHEAD_H
#define TESSERA_LANES_PREPARE_STAGED_AHEAD_H

#include "lanes/prepare/staged_values.h"

/* Of a load of what an earlier round has copied, if one of these is that copy and the others are those for the first rounds. Builds code to
 * compare them. */
bool tsr__find_reading_ahead(struct tsr__unstage *u, const struct tsr__copy *const *copies, unsigned count, LLVMValueRef const *barriers,
                             size_t barrier_count, const struct tsr__place *load, struct tsr__reading *r);
/* Of a load of a copy, made in the same round, of what the round before has loaded. */
bool tsr__find_loaded_ahead(struct tsr__unstage *u, const struct tsr__copy *copy, const struct tsr__place *load, struct tsr__reading *r);

#endif
