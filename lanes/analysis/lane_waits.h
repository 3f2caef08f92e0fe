/* SPDX-License-Identifier: Apache-2.0
 * Work-items that wait for other work-items of their packet. */
#ifndef TESSERA_LANES_ANALYSIS_LANE_WAITS_H
#define TESSERA_LANES_ANALYSIS_LANE_WAITS_H

#include "lanes/ir/cfg.h"
#include "lanes/ir/ir.h"

/* Would the lanes of a packet so wide wait forever, as one holds a lock that the others wait for? */
bool tsr__lanes_wait_for_lanes(struct tsr__compilation *l, LLVMValueRef kernel, unsigned width);
/* Does the way through the loop depend on atomic operations that look at the same memory in each round? */
bool tsr__loop_looks(const struct tsr__cfg *cfg, int loop, struct tsr_arena *arena);

#endif
