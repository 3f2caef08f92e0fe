/* SPDX-License-Identifier: Apache-2.0
 * Masked accesses of lanes, by gathers, scatters, masked loads and stores, and which lanes they are of. */
#ifndef TESSERA_LANES_AFTER_LANE_ACCESS_H
#define TESSERA_LANES_AFTER_LANE_ACCESS_H

#include "lanes/ir/ir.h"

struct tsr__lane_access {
    LLVMValueRef call, pointers; /* side by side: the pointer of lane 0; else a vector */
    LLVMValueRef mask;           /* of the lanes that access memory; NULL: a constant, which `active` says */
    bool active[TSR__MAX_ELEMENTS];
    bool load, side_by_side;
    LLVMTypeRef element;
    unsigned lanes;
    int64_t bytes; /* of an element */
};

/* Fills `a`. False: it is no such call, or its elements have no bytes of their own. */
bool tsr__read_lane_access(LLVMTargetDataRef layout, LLVMValueRef call, struct tsr__lane_access *a);

#endif
