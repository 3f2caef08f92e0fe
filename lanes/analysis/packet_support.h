/* SPDX-License-Identifier: Apache-2.0
 * Whether a kernel can run in packets at all, and multiplies tiles there. */
#ifndef TESSERA_LANES_ANALYSIS_PACKET_SUPPORT_H
#define TESSERA_LANES_ANALYSIS_PACKET_SUPPORT_H

#include "lanes/ir/ir.h"

/* Not with matrix functions that the packet has no operation for, nor with barriers and exchanges of pairs of sub-groups. Totals need
 * regions, which other exchanges may stand in the way of. */
bool tsr__can_run_as_packet(struct tsr__compilation *l, LLVMValueRef body);
/* Does the instruction call a matrix function? */
bool tsr__is_product(LLVMValueRef inst);
/* Has it matrix functions, on a CPU or a model with tiles? */
bool tsr__multiplies_tiles(struct tsr__compilation *l, LLVMValueRef body);

#endif
