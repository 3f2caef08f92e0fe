/* SPDX-License-Identifier: Apache-2.0
 * How far apart the lanes of a vector of addresses are, where that is known. */
#ifndef TESSERA_LANES_AFTER_LANE_OFFSETS_H
#define TESSERA_LANES_AFTER_LANE_OFFSETS_H

#include "lanes/ir/ir.h"

/* The row of a lane begins at lane / in_row * in_row. `at`: by how much each lane's number exceeds that of the first lane of its row. */
struct tsr__lane_offsets {
    unsigned lanes, in_row;
    bool in_some_lanes; /* asked: whether it need be so in those lanes only that access memory, of which a row's first may be none */
    int64_t at[TSR__MAX_ELEMENTS];
};

/* Fills `at`, for rows of `in_row` lanes. False: they are not all known. */
bool tsr__find_lane_offsets(LLVMValueRef pointers, struct tsr__lane_offsets *o);
/* The addresses of a gather or scatter. `mask`: of the lanes that are not sent nowhere (tsr__is_nowhere) instead, or NULL: all count. */
LLVMValueRef tsr__addresses_behind(LLVMValueRef pointers, LLVMValueRef *mask);

#endif
