/* SPDX-License-Identifier: Apache-2.0
 * Pieces of math functions in packets: one or two instructions where the CPU has them (lanes/ir/math_op.def). */
#ifndef TESSERA_LANES_WIDEN_WIDEN_MATH_H
#define TESSERA_LANES_WIDEN_WIDEN_MATH_H

#include "lanes/widen/widener.h"

/* A call of a piece whose value differs from lane to lane. False: the packet is too narrow for the instruction. */
bool tsr__widen_math(struct tsr__widener *s, LLVMValueRef inst, const struct tsr__math_op *op);

#endif
