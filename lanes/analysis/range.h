/* SPDX-License-Identifier: Apache-2.0
 * Range analysis: between which numbers an index is. */
#ifndef TESSERA_LANES_ANALYSIS_RANGE_H
#define TESSERA_LANES_ANALYSIS_RANGE_H

#include "lanes/ir/ir.h"

struct tsr__range {
    int64_t least, most;
};

/* The range of an integer of the work-item's code, from constants and the local size that the kernel requires. False: none is known, or it
 * has negative numbers, or such as are near to wrapping.
 *
 * What only a launch knows, its arguments and its range, is no matter of this file: prepare/versioning.c makes code that computes bounds
 * from it. */
bool tsr__range_of(const struct tsr_kernel_info *kernel, LLVMValueRef v, struct tsr__range *range);

#endif
