/* SPDX-License-Identifier: Apache-2.0
 * Lanes that go through a divergent loop one by one: all of them, or the last. */
#ifndef TESSERA_LANES_WIDEN_SERIAL_LOOP_H
#define TESSERA_LANES_WIDEN_SERIAL_LOOP_H

#include "lanes/widen/widener.h"

/* Fills s->serial: how many lanes, when no more are in the loop, had better leave the vectors. `masked`: for partial packets.
 * (serial_cost.c)
 */
void tsr__choose_serial_loops(struct tsr__widener *s, bool masked);
/* The loop around the block that has no code for the packet, as each lane goes through it by itself from the first round on, or TSR__NONE.
 * (serial_cost.c) */
int tsr__serial_loop_around(const struct tsr__widener *s, int block);
/* The lanes' way, from where the builder stands, at the loop's begin or at the end of a round, to `end`: `bits` is the mask of those that
 * want a round. (serial_loop.c) */
void tsr__build_serial_loop(struct tsr__widener *s, int loop, LLVMValueRef bits, LLVMBasicBlockRef end);

#endif
