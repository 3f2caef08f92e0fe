/* SPDX-License-Identifier: Apache-2.0
 * The halves of MADW's sums in packets. */
#ifndef TESSERA_LANES_WIDEN_WIDEN_MADW_H
#define TESSERA_LANES_WIDEN_WIDEN_MADW_H

#include "lanes/widen/widener.h"

/* The functions of the built-in library (builtins/matrix.cl) on which all forms stand: uint (uint a, uint b, uint c), and with the signs of
 * the three as a fourth argument. */
#define TSR__MADW_LOW "tessera_madw_low_word"
#define TSR__MADW_HIGH "tessera_madw_high_word"

/* Is it one of them? Then it is not inlined. */
bool tsr__is_madw(LLVMValueRef function);
/* A call of one. */
void tsr__widen_madw(struct tsr__widener *s, LLVMValueRef inst);

#endif
