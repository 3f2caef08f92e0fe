/* SPDX-License-Identifier: Apache-2.0
 * Loads of local memory that an earlier round of the loop has filled. */
#ifndef TESSERA_LANES_PREPARE_STAGED_AHEAD_H
#define TESSERA_LANES_PREPARE_STAGED_AHEAD_H

#include "lanes/prepare/staged_values.h"

/* Reads `load` as one of what an earlier round has copied: by one of these copies, of which the others are for the first rounds. Builds
 * code that compares the copies. False: it is none. */
bool tsr__find_reading_ahead(struct tsr__unstage *u, const struct tsr__copy *const *copies, unsigned count, LLVMValueRef const *barriers,
                             size_t barrier_count, const struct tsr__place *load, struct tsr__reading *r);
/* The same for a copy that is made in the load's own round, of what the round before has loaded. */
bool tsr__find_loaded_ahead(struct tsr__unstage *u, const struct tsr__copy *copy, const struct tsr__place *load, struct tsr__reading *r);

#endif
