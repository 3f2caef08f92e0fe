/* SPDX-License-Identifier: Apache-2.0
 * Questions of a kernel that have an answer for each dimension. (lane_dimension.c) */
#ifndef TESSERA_LANES_PREPARE_LANE_DIMENSION_H
#define TESSERA_LANES_PREPARE_LANE_DIMENSION_H

#include "lanes/ir/ir.h"

/* Is it such a question? Operand 0 is the dimension. */
bool tsr__asks_for_dimension(LLVMValueRef inst);
/* Exchanges x and `dimension` in the questions of the function. A second time, all is as it was. */
void tsr__exchange_dimensions(struct tsr__compilation *l, LLVMValueRef function, unsigned dimension);

#endif
