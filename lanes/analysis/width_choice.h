/* SPDX-License-Identifier: Apache-2.0
 * Which kernels may run in packets of another width than the default. */
#ifndef TESSERA_LANES_ANALYSIS_WIDTH_CHOICE_H
#define TESSERA_LANES_ANALYSIS_WIDTH_CHOICE_H

#include "lanes/ir/ir.h"

/* May the kernel run in narrower packets, or in wider ones if it does not see its work-groups? It asks for no particular sub-group size,
 * and sees neither sub-groups nor local memory. */
bool tsr__may_choose_width(struct tsr__compilation *l, uint32_t number);

#endif
