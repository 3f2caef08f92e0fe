/* SPDX-License-Identifier: Apache-2.0
 * Indices of local memory as sums of parts of ids. */
#ifndef TESSERA_LANES_PREPARE_STAGED_INDICES_H
#define TESSERA_LANES_PREPARE_STAGED_INDICES_H

#include "lanes/prepare/staged_places.h"

/* Takes quotients and rests of sums apart, and marks sums that do not wrap. */
void tsr__split_indices(const struct tsr__unstage *u, LLVMValueRef kernel);

#endif
