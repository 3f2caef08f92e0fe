/* SPDX-License-Identifier: Apache-2.0
 * What a kernel sees of its work-groups, and the loops over packets where nobody meets. */
#ifndef TESSERA_LANES_ROWS_H
#define TESSERA_LANES_ROWS_H

#include "lanes.h"

/* False: the work-items know their global ids only, and do the same whatever their work-groups are. */
bool tsr__sees_groups(struct tsr__lanes *l, LLVMValueRef item);
/* Packets wait for each other. */
bool tsr__packet_meets(struct tsr__lanes *l, LLVMValueRef packet);
/* Puts loops over packets, rows, planes and work-groups around a packet function of which every lane is there. */
void tsr__loop_rows(struct tsr__lanes *l, LLVMValueRef packet, unsigned width);

#endif
