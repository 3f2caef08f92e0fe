/* SPDX-License-Identifier: Apache-2.0
 * The functions of a kernel that runs in packets, while they are made. */
#ifndef TESSERA_LANES_PREPARE_PACKET_KERNEL_H
#define TESSERA_LANES_PREPARE_PACKET_KERNEL_H

#include "lanes/analysis/shape.h"
#include "lanes/prepare/group_size.h"

/* One such kernel, from the pass "split_kernels" to the pass "drop_items". Everything is found in the module by name and attribute, so a
 * pass also runs on the dump of the one before. */
struct tsr__packet_kernel {
    struct tsr_kernel_info *info;
    LLVMValueRef kernel;   /* calls one of the packet functions */
    LLVMValueRef item;     /* the code of a work-item */
    LLVMValueRef whole;    /* the packet function for full packets: a declaration until the pass "widen_full"; NULL: groups are lanes */
    LLVMValueRef partial;  /* … for other packets: a declaration until the pass "widen_partial"; NULL: all packets are full */
    LLVMValueRef wrapping; /* … for full packets of launches in which an index may wrap (versioning.c); NULL: `whole` is right for all */
    LLVMValueRef lone;     /* … for full packets that are work-groups (lone_packets.c); NULL: `whole` runs these, too */
    LLVMValueRef lone_partial;    /* … for others that are all of a work-group, a row; NULL: `partial` runs these, too */
    struct tsr__packet packet;    /* of a full packet */
    struct tsr__group_size group; /* if the code is made for one */
    bool lacks_lanes;             /* … of which some packet is not full */
};

/* False: the kernel does not run in packets. */
bool tsr__packet_kernel_find(struct tsr__compilation *l, struct tsr_kernel_info *info, struct tsr__packet_kernel *found);
/* The function for full packets, and that for others; NULL: there is none. Also once the item functions are gone. */
LLVMValueRef tsr__whole_function(struct tsr__compilation *l, const struct tsr_kernel_info *info);
LLVMValueRef tsr__partial_function(struct tsr__compilation *l, const struct tsr_kernel_info *info);
/* A function for packets of the kernel, without a body, which is called <kernel>.<suffix>. */
LLVMValueRef tsr__declare_packet_function(struct tsr__compilation *l, LLVMValueRef kernel, const char *suffix);
/* `restrict` is a promise about one work-item: where barriers are nothing, a packet reads what other lanes have written, maybe through
 * another pointer. */
void tsr__forget_restrict(LLVMValueRef packet_function);
/* A new block of the kernel, or of one of its packet functions, with a call of another of these. */
LLVMBasicBlockRef tsr__packet_call_block(struct tsr__compilation *l, LLVMValueRef from, LLVMValueRef packet_function);
/* What is known of the values of work-items in full packets, as text. */
bool tsr__packet_shapes(struct tsr__compilation *l, struct tsr_buf *out);

#endif
