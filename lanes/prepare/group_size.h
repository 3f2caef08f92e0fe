/* SPDX-License-Identifier: Apache-2.0
 * Kernels that are compiled for launches of work-groups of one size. */
#ifndef TESSERA_LANES_PREPARE_GROUP_SIZE_H
#define TESSERA_LANES_PREPARE_GROUP_SIZE_H

#include "lanes/ir/ir.h"

/* How packets divide a work-group whose size is known. */
enum tsr__group_packets {
    TSR__LINEAR_PACKETS, /* in linear order, from one row to the next; the last may lack lanes */
    TSR__ROW_PARTS,      /* rows are made of full packets */
    TSR__ROW_PACKETS,    /* a packet is a row, maybe with lanes that are not there */
};

/* `items` is 0 if it is not known. */
struct tsr__group_size {
    uint32_t size[3], items;
    enum tsr__group_packets packets;
};

struct tsr__group_size tsr__group_size_of(struct tsr__compilation *l, LLVMValueRef kernel);
/* If the compilation is for one size: sizes become constants, and ids what follows from a work-item's number in its group, or in its row.
 * False: not in this kernel, as it can tell sub-groups, or has rows that are no packets. Part of the pass "sub_group_size". */
bool tsr__promise_group_size(struct tsr__compilation *l, struct tsr_kernel_info *info, LLVMValueRef kernel);
/* The kernel requires groups of one work-item, and runs these one by one. */
void tsr__note_lone_groups(struct tsr__compilation *l, LLVMValueRef kernel);

#endif
