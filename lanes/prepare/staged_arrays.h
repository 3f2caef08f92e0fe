/* SPDX-License-Identifier: Apache-2.0
 * Copies to local memory by way of private arrays. */
#ifndef TESSERA_LANES_PREPARE_STAGED_ARRAYS_H
#define TESSERA_LANES_PREPARE_STAGED_ARRAYS_H

#include "lanes/prepare/staged_copies.h"

/* For a copy that stores `stored`, an element of a private array: finds what the array has been filled with. False: unknown. */
bool tsr__find_array_copy(const struct tsr__unstage *u, LLVMValueRef stored, struct tsr__copy *c);
/* Drops the stores to a private array that nothing reads any more. */
void tsr__drop_unread_array(const struct tsr__unstage *u, LLVMValueRef kernel, LLVMValueRef array);

#endif
