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
    LLVMValueRef kernel;  /* calls one of the packet functions */
    LLVMValueRef item;    /* the code of a work-item */
    LLVMValueRef whole;   /* the packet function for full packets: a declaration until the pass "widen_full"; NULL: groups are lanes */
    LLVMValueRef partial; /* the same for other packets: a declaration until the pass "widen_partial"; NULL: all packets are full */
    LLVMValueRef
        wrapping;      /* the same for full packets of launches in which an index may wrap (versioning.c); NULL: `whole` is right for all */
    LLVMValueRef lone; /* the same for full packets that are work-groups (lone_packets.c); NULL: `whole` runs these, too */
    LLVMValueRef lone_partial;    /* the same for partial packets that are work-groups of one row; NULL: `partial` runs these, too */
    struct tsr__packet packet;    /* of a full packet */
    struct tsr__group_size group; /* the size of work-groups, if the code is made for one */
    bool lacks_lanes;             /* some packet of such a group is not full */
};

/* False: the kernel does not run in packets. */
bool tsr__packet_kernel_find(struct tsr__compilation *l, struct tsr_kernel_info *info, struct tsr__packet_kernel *found);
/* The function for full packets, and that for others; NULL: there is none. Also once the item functions are gone. */
LLVMValueRef tsr__whole_function(struct tsr__compilation *l, const struct tsr_kernel_info *info);
LLVMValueRef tsr__partial_function(struct tsr__compilation *l, const struct tsr_kernel_info *info);
/* A function for packets of the kernel, without a body, which is called <kernel>.<suffix>. */
LLVMValueRef tsr__declare_packet_function(struct tsr__compilation *l, LLVMValueRef kernel, const char *suffix);
/* Drops `restrict` from the parameters: it is a promise about one work-item, and where a packet needs no barriers its lanes may read
 * through one pointer what others have written through another. */
void tsr__forget_restrict(LLVMValueRef packet_function);
/* A new block of `from`, the kernel or one of its packet functions, that calls `packet_function` and returns. */
LLVMBasicBlockRef tsr__packet_call_block(struct tsr__compilation *l, LLVMValueRef from, LLVMValueRef packet_function);
/* Adds to `out` the shapes of all values of the item functions in full packets, as text, for tests and tessera-opt. */
bool tsr__packet_shapes(struct tsr__compilation *l, struct tsr_buf *out);

#endif
