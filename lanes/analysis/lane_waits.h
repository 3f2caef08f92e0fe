/* SPDX-License-Identifier: Apache-2.0
 * Work-items that wait for other work-items of their packet. */
#ifndef TESSERA_LANES_ANALYSIS_LANE_WAITS_H
#define TESSERA_LANES_ANALYSIS_LANE_WAITS_H

#include "lanes/ir/ir.h"

/* Would the lanes of a packet so wide wait forever, as one holds a lock that the others wait for? */
bool tsr__lanes_wait_for_lanes(struct tsr__compilation *l, LLVMValueRef kernel, unsigned width);

#endif
