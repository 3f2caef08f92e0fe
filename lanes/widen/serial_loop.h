/* SPDX-License-Identifier: Apache-2.0
 * Serialised lanes: all lanes of a divergent loop, or the last ones, run it one after the other. */
#ifndef TESSERA_LANES_WIDEN_SERIAL_LOOP_H
#define TESSERA_LANES_WIDEN_SERIAL_LOOP_H

#include "lanes/widen/widener.h"

/* Fills s->serial: at how many remaining lanes each loop is serialised. `masked`: for partial packets. (serial_cost.c) */
void tsr__choose_serial_loops(struct tsr__widener *s, bool masked);
/* Does LLVM's vectoriser see the loop once it is serialised? (serial_cost.c) */
bool tsr__goes_along_row(const struct tsr__widener *s, const struct tsr__loop *loop);
/* The loop around the block that is serialised from the first round on, so that the packet has no code for it; or TSR__NONE.
 * (serial_cost.c) */
int tsr__serial_loop_around(const struct tsr__widener *s, int block);
/* Makes the serialised loop where the builder stands (before the loop, or at the end of a round), and goes to `end` behind it. `bits` is
 * the mask of the lanes that want another round. (serial_loop.c) */
void tsr__build_serial_loop(struct tsr__widener *s, int loop, LLVMValueRef bits, LLVMBasicBlockRef end);

#endif
