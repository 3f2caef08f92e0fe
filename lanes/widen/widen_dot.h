/* SPDX-License-Identifier: Apache-2.0
 * Integer dot products of four bytes in packets: one instruction where the CPU has it. */
#ifndef TESSERA_LANES_WIDEN_WIDEN_DOT_H
#define TESSERA_LANES_WIDEN_WIDEN_DOT_H

#include "lanes/widen/widener.h"

/* A call of one. */
void tsr__widen_dot(struct tsr__widener *s, LLVMValueRef inst);

/* In the function of a work-item: makes calls of sums of products that are written out. False, with a reason: LLVM refuses. (dot_idiom.c)
 */

#endif
