/* SPDX-License-Identifier: Apache-2.0
 * The halves of MADW's sums in packets. */
#ifndef TESSERA_LANES_WIDEN_WIDEN_MADW_H
#define TESSERA_LANES_WIDEN_WIDEN_MADW_H

#include "lanes/widen/widener.h"

/* The functions of the built-in library (builtins/matrix.cl) on which all forms stand: uint (uint a, uint b, uint c), and with the signs of
 * the three as a fourth argument. */

/* A call of one. */
void tsr__widen_madw(struct tsr__widener *s, LLVMValueRef inst);

#endif
