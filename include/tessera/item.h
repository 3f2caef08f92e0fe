/* SPDX-License-Identifier: Apache-2.0
 * What a running work-item sees: the ABI between generated code (lanes/), the built-in library (builtins/) and the device (device-amx/).
 *
 * The reference engine compiles each kernel to one entry that runs ONE work-item:
 *
 *     void <entry symbol>(struct tsr_item *item);
 *
 * The vector engine's entry has the same form and runs a packet, or many: what the item must hold depends on the form of the launch (enum
 * tsr_form of tessera/program.h, drawn in docs/engine.md).
 *
 * The built-in library never touches these structs. It calls the primitives of tessera/primitives.h, which the engine replaces:
 * here by loads from the item and calls through `rt`. */
#ifndef TESSERA_ITEM_H
#define TESSERA_ITEM_H

#include <stdint.h>

#include "tessera/abi.h"
#include "tessera/tiles.h"

struct tsr_item;
struct tsr_enqueue;

/* A constant in the code, if the program has sites where work-items meet: one line of text for each, in the order of their numbers,
 * which start at 1. */
#define TSR_SITES_SYMBOL "tsr.sites"

/* Calls from generated code into the engine. All are made on the work-item's own stack. */
struct tsr_rt {
    /* Returns when every work-item of the scope has arrived at a barrier of that scope with the same site. */
    void (*barrier)(struct tsr_item *item, uint32_t scope, uint32_t fence_flags);
    /* Rendezvous that shares `size` bytes (at most 256) of every participant. Answers the base of an array of slots of `size` bytes:
     * slot index = lane for a sub-group, local linear id for a work-group, lane + S * (sub-group id & 1) for a pair of sub-groups of
     * size S. Slots of work-items that take no part are zero. *mask gets a bit per participating slot (first 64 slots).
     * The array stays valid until this work-item's next-but-one exchange of the same scope. */
    const void *(*exchange)(struct tsr_item *item, uint32_t scope, uint32_t mode, const void *value, uint32_t size, uint64_t *mask);
    /* A packet reaches a function that all work-items of its scope must reach: `here` has the lanes that reach it, `all` those of the
     * packet. If `here` lacks some, the launch fails; the call returns in any case. */
    void (*divergent_barrier)(struct tsr_item *item, uint64_t here, uint64_t all);
    /* The packets of a work-group whose kernel is split at barriers stopped at different barriers. Each packet's context begins with the
     * number of the call site where it waits, or 0 if it has returned. The caller returns afterwards. */
    void (*barrier_mismatch)(struct tsr_item *item, uint64_t context_bytes);
    /* printf of one work-item. `args`: the values packed by lanes/lower/lower_printf.c, see tessera/printf.h. */
    void (*print)(struct tsr_item *item, const char *format, const unsigned char *args);
    /* The address space that a generic pointer points into, enum tsr_space. */
    uint32_t (*address_space)(struct tsr_item *item, const void *pointer);
    /* Device-side enqueue of one work-item: tessera/enqueue.h. */
    void (*enqueue)(struct tsr_item *item, struct tsr_enqueue *request);
    /* Tiles, where no matrix unit is used but for tile_pack, tile_loop and matrix_product: tessera/tiles.h says what these promise. */
    void (*tile_move)(struct tsr_item *item, void *to, int64_t to_stride, const void *from, int64_t from_stride);
    void (*tile_operand)(struct tsr_item *item, void *operand, const void *from, int64_t stride, uint32_t how);
    void (*tile_multiply)(struct tsr_item *item, void *accumulator, const void *a, const void *b, uint32_t how);
    uint32_t (*tile_loop)(struct tsr_item *item, const struct tsr_tile_loop *loop);
    uint32_t (*tile_first)(struct tsr_item *item);
    const void *(*tile_pack)(struct tsr_item *item, void *to, const void *from, int64_t stride, uint32_t how);
    void (*matrix_product)(struct tsr_item *item, const void *a, const void *b, void *c, int64_t a_stride, int64_t b_stride,
                           int64_t c_stride, int64_t rows, int64_t columns, int64_t depth, uint32_t how);
};

/* An index of 32 bits that wraps has been further than that. */
#define TSR_SMALL_MEMORY (UINT64_C(1) << 31)

/* One work-group being run. Read-only for generated code. */
struct tsr_group {
    uint64_t global_size[3], global_offset[3], num_groups[3], group_id[3];
    uint64_t local_size[3];          /* of this group: smaller at the edge of a non-uniform range */
    uint64_t enqueued_local_size[3]; /* of the full groups */
    uint32_t work_dim;
    uint32_t sub_group_size; /* S, of every sub-group but perhaps the last */
    uint32_t num_sub_groups, enqueued_num_sub_groups;
    unsigned char *local;      /* local memory of the group, aligned to TSR_MAX_ALIGN: static variables first, then the local arguments */
    const unsigned char *args; /* argument block, struct tsr_kernel_info gives the offsets */
    const struct tsr_rt *rt;
    uint64_t local_pitch;   /* with TSR_KERNEL_GROUP_LANES, or GROUP_SIZE and ONE_LANE: bytes from one group's local memory to that of the
                               next one that runs with it */
    uint64_t default_queue; /* what get_default_queue answers: a struct tsr_device_queue, 0: none */
    /* With TSR_KERNEL_PARTIAL_LATER: the function for packets that are not full; NULL: the launch has none. */
    const void *partial;
    uint64_t nontemporal; /* a bit for each argument that is to be written past the caches, where the code can */
    /* A bit for each argument whose memory is known to be that of no other argument; … to be less than TSR_SMALL_MEMORY bytes. */
    uint64_t alone, small;
};

/* Work-items by their global ids, in each dimension from one up to another. */
struct tsr_box {
    int64_t from[3], to[3];
};

/* Which fields a call of the entry reads, by the form of the launch:
 *
 *                                      RUNNERS, FIBERS         ROWS, BOXES             REGIONS
 *                                      item     packet         whole      other        whole    other
 *   group                              all forms
 *   local_id, linear_id, sub_group_id  its own  of lane 0      of lane 0 of the first packet, the rest follows
 *   lane                               its own  0              0                       0
 *   sub_group_size                     its own  its lanes      S          S, or lanes  S        S
 *   site                               written by generated code in all forms, where a report may name it
 *   whole_packet                       -        1 or 0         1          0            1        0
 *   packet_ids                         -        if 0 above     -          sub-groups   -        sub-groups
 *   columns                            -        -              yes        box          yes      -
 *   groups                             -        -              x, y, z    -            x        x
 *   rows, planes, head                 -        -              -          box          -        -
 *   contexts                           -        -              -          -            yes      yes
 *
 * "sub-groups", "lanes": of a kernel without TSR_KERNEL_IGNORES_SUB_GROUPS, whose call runs one sub-group. "box": of one with it. */
struct tsr_item {
    const struct tsr_group *group;
    uint64_t local_id[3];
    uint32_t linear_id;      /* local linear id */
    uint32_t sub_group_id;   /* linear_id / S */
    uint32_t lane;           /* linear_id % S */
    uint32_t sub_group_size; /* of the item's own sub-group */
    uint32_t site;           /* number of the last convergent call site of the user's program that was reached, stored by generated code */
    /* ---- packets (TSR_KERNEL_PACKETS); the fields above are those of lane 0 ---- */
    uint32_t whole_packet; /* every lane is there, all lie in one row that starts at a multiple of S, in local and, if the kernel reads
                              them, global ids */
    /* Local ids of every lane, by dimension. In regions, those of each further packet of the group lie three times TSR_MAX_LANES numbers
     * behind. */
    const uint32_t *packet_ids[3];
    /* ---- ROWS, BOXES, REGIONS ---- */
    /* The call runs the first `columns` work-items of every row, a multiple of S, in a box of work-groups from group->group_id on, `groups`
     * of them in each dimension, which have the same size. In regions groups[1] and groups[2] are 1. */
    uint64_t columns, groups[3];
    /* ---- ROWS and BOXES, where not whole ---- */
    /* The call runs a box of `columns` x `rows` x `planes` work-items, whichever groups they are in. The first one has a global id in x
     * that is a multiple of S; it and the rest of the first `head` columns are not there. Its ids stand here and in the group; those of the
     * group in x may lie before the first group. */
    uint64_t rows, planes, head;
    /* ---- REGIONS ---- */
    unsigned char *contexts; /* memory for every packet of a group, tsr_kernel_info.context_bytes each */
    /* ---- with TSR_KERNEL_BUSY_BOX ---- */
    /* NULL, or the call runs nothing. It cuts the box, whose ids are at most TSR_INT_IDS, to one that has all work-items of it which do
     * anything. Of the group it reads sizes and offset of the range, and the arguments. */
    struct tsr_box *busy;
};

#endif
