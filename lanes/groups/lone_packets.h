/* SPDX-License-Identifier: Apache-2.0
 * Work-groups that are one packet. */
#ifndef TESSERA_LANES_GROUPS_LONE_PACKETS_H
#define TESSERA_LANES_GROUPS_LONE_PACKETS_H

#include "lanes/prepare/packet_kernel.h"

/* Lets the function for partial packets, which has barrier regions by now, call `lone_partial` for packets that are work-groups. */
void tsr__lone_packets_join(struct tsr__compilation *l, const struct tsr__packet_kernel *k);

#endif
