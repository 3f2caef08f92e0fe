/* SPDX-License-Identifier: Apache-2.0
 * Loops with more accumulators than the CPU has registers. */
#ifndef TESSERA_LANES_AFTER_LOOP_FISSION_H
#define TESSERA_LANES_AFTER_LOOP_FISSION_H

#include "lanes/ir/ir.h"

/* Splits those of a packet function. Answers whether there were any: then there is code that nobody uses. */
bool tsr__fission_loops(struct tsr__compilation *l, LLVMValueRef function);

#endif
