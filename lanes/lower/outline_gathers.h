/* SPDX-License-Identifier: Apache-2.0
 * Accesses that the code generator takes apart. */
#ifndef TESSERA_LANES_LOWER_OUTLINE_GATHERS_H
#define TESSERA_LANES_LOWER_OUTLINE_GATHERS_H

#include "lanes/ir/ir.h"

/* Lanes of a masked access that the code generator takes apart, or 0. */
unsigned tsr__emulated_lanes(const struct tsr__compilation *l, LLVMValueRef inst);
/* Makes calls of the function's gathers and scatters that are taken apart. */
void tsr__outline_gathers(struct tsr__compilation *l, LLVMValueRef function);

#endif
