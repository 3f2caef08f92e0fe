/* SPDX-License-Identifier: Apache-2.0
 * Inlines what is marked `alwaysinline`, in an order in which no body is copied more often than it has to be. */
#ifndef TESSERA_LANES_IR_INLINE_ORDER_H
#define TESSERA_LANES_IR_INLINE_ORDER_H

#include "lanes/ir/ir.h"

/* Runs a textual pipeline that begins with "always-inline". */
bool tsr__inline_marked(struct tsr__compilation *l, const char *pipeline);

#endif
