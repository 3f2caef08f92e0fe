/* SPDX-License-Identifier: Apache-2.0
 * Division of integers in packets. */
#ifndef TESSERA_LANES_WIDEN_WIDEN_DIV_H
#define TESSERA_LANES_WIDEN_WIDEN_DIV_H

#include "lanes/widen/widener.h"

/* The vector x / y or x % y by way of floating point, for LLVMSDiv, LLVMUDiv, LLVMSRem or LLVMURem; NULL: it would be no faster, or not
 * exact. */
LLVMValueRef tsr__build_division(struct tsr__widener *s, LLVMOpcode op, LLVMValueRef x, LLVMValueRef y);

#endif
