/* SPDX-License-Identifier: Apache-2.0
 * The numbers of costs.def, which says what they count and where they come from. */
#ifndef TESSERA_LANES_IR_COSTS_H
#define TESSERA_LANES_IR_COSTS_H

enum {
#define TSR_COST(NAME, value, unit, basis) TSR__##NAME = (value),
#include "lanes/ir/costs.def"
#undef TSR_COST
};

#endif
