/* SPDX-License-Identifier: Apache-2.0
 * Division of integers in packets. */
#ifndef TESSERA_LANES_WIDEN_WIDEN_DIV_H
#define TESSERA_LANES_WIDEN_WIDEN_DIV_H

#include "lanes/widen/widener.h"

/* The vector x / y or x % y by way of floating point, for a division or remainder `inst` of integers; NULL: it would be no faster, or not
 * exact. */
LLVMValueRef tsr__build_division(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef x, LLVMValueRef y);
/* The same of numbers of 64 bits, with a test whether all are below 2^32. */
LLVMValueRef tsr__build_wide_division(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef x, LLVMValueRef y);

#endif
