/* SPDX-License-Identifier: Apache-2.0
 * Private arrays as a structure of arrays: element by element, with the lanes of an element side by side. */
#ifndef TESSERA_LANES_PREPARE_SOA_ARRAYS_H
#define TESSERA_LANES_PREPARE_SOA_ARRAYS_H

#include "lanes/ir/ir.h"

/* Puts the private arrays of a work-item function in lane order where that may be. They are stack variables of the packet then, one for all
 * lanes. */
void tsr__make_soa_arrays(struct tsr__compilation *l, LLVMValueRef function, unsigned width);

#endif
