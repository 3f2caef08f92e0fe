/* SPDX-License-Identifier: Apache-2.0
 * Moves loads before loops. (hoist_loads.c) */
#ifndef TESSERA_LANES_PREPARE_HOIST_LOADS_H
#define TESSERA_LANES_PREPARE_HOIST_LOADS_H

#include "lanes/ir/ir.h"

/* In the function of a work-item, with loops in simplified form. */
void tsr__hoist_loads(struct tsr__compilation *l, LLVMValueRef function);

#endif
