/* SPDX-License-Identifier: Apache-2.0
 * Which kernels run in wider packets than asked. */
#ifndef TESSERA_LANES_ANALYSIS_WIDTH_CHOICE_H
#define TESSERA_LANES_ANALYSIS_WIDTH_CHOICE_H

#include "lanes/ir/ir.h"

/* Nobody would notice: the kernel asks for no particular sub-group size, and sees neither sub-groups nor work-groups. */
bool tsr__may_use_wide_packets(struct tsr__compilation *l, uint32_t number);
/* Of simplified code: all that is read, written and computed of it has 8 or 16 bits. */
bool tsr__has_small_data(struct tsr__compilation *l, LLVMValueRef kernel);
/* Of code in its last form: a packet of one register would wait for its own results most of the time, and two registers for each number
 * are there. */
bool tsr__is_latency_bound(struct tsr__compilation *l, LLVMValueRef kernel);

#endif
