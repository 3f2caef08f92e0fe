/* SPDX-License-Identifier: Apache-2.0
 * Moves loads before loops. (hoist.c) */
#ifndef TESSERA_LANES_HOIST_H
#define TESSERA_LANES_HOIST_H

#include "lanes.h"

/* In the function of a work-item, with loops in simplified form. */
void tsr__hoist_loads(struct tsr__lanes *l, LLVMValueRef function);

#endif
