/* SPDX-License-Identifier: Apache-2.0
 * Shapes: how a value differs between the lanes of a packet, and where control flow does.
 *
 * A value is uniform (the same in every active lane), affine (lane i has the value of lane 0 plus i times a constant) or varying. In a
 * packet of two sub-groups (sub_group_pairs.c) much that varies is uniform or affine in each of the two, which memory accesses make use of.
 * A branch on a varying condition is divergent: lanes part there and meet again at joins. A loop that lanes leave in different iterations
 * is divergent. */
#ifndef TESSERA_LANES_ANALYSIS_SHAPE_H
#define TESSERA_LANES_ANALYSIS_SHAPE_H

#include "lanes/ir/cfg.h"

enum tsr__shape_kind { TSR__SHAPE_NONE, TSR__SHAPE_AFFINE, TSR__SHAPE_VARYING }; /* NONE: not reached yet */

struct tsr__shape {
    uint8_t kind;
    /* AFFINE: the rule holds for the values read as signed (nsw) or unsigned (nuw) numbers without wrapping, so an extension keeps it. */
    bool nsw, nuw;
    uint8_t align;         /* AFFINE: lane 0's value is a multiple of 2^align; for pointers, of bytes */
    int64_t stride;        /* AFFINE: 0 = uniform; in bytes for pointers */
    uint64_t varying_bits; /* VARYING: bits in which lanes may differ, as of an id divided by less than the width; 0: any */
    /* VARYING in a packet of two sub-groups: in each of them it is as AFFINE would be, with the stride and the promises above. The first
     * lanes of the two are a known distance apart, for which the same can be said, or not. */
    bool halves, distance_known, distance_nsw, distance_nuw;
    uint8_t distance_align; /* of lane 0 */
    int64_t apart;
};

/* What the entry promises about the packet. */
struct tsr__packet {
    unsigned width;      /* lanes, a power of two */
    unsigned sub_group;  /* of which a sub-group has so many: all or half */
    bool whole_rows;     /* every packet lies in one row, and lane 0's global id in x is a multiple of the width */
    bool mixed;          /* with whole_rows: of the range, that is, not of a work-group; else local ids are multiples, too */
    bool same_sizes;     /* all work-groups have as many work-items */
    uint64_t required_x; /* … of which so many in x; 0: not known */
    bool is_group;       /* the packet is a work-group */
    unsigned present;    /* the first lanes, so many, are there, and no others; 0: not known */
    bool in_group;       /* with whole_rows: of a work-group, and the local id is such a multiple, but not the global one */
};

struct tsr__shapes {
    const struct tsr__cfg *cfg;
    struct tsr__packet packet;
    struct tsr__map index;     /* value → number + 1 */
    struct tsr__shape *values; /* of instructions and arguments, by number */
    bool *divergent_branch;    /* per block: its terminator parts the lanes */
    bool *divergent_join;      /* per block: its phis meet lanes from different predecessors */
    bool *divergent_loop;      /* per loop: lanes leave it in different iterations */
    bool *partial;             /* per block: may run with only some of the lanes that entered the function */
};

void tsr__shapes_find(struct tsr__shapes *shapes, const struct tsr__cfg *cfg, struct tsr__packet packet, struct tsr_arena *arena);
/* The same anew, as if lanes left the loop in different iterations. */
void tsr__shapes_part_loop(struct tsr__shapes *shapes, int loop, struct tsr_arena *arena);
/* Shape of any operand; constants and globals are uniform. */
struct tsr__shape tsr__shape_of(const struct tsr__shapes *shapes, LLVMValueRef value);
static inline bool tsr__is_uniform(struct tsr__shape s)
{
    return s.kind == TSR__SHAPE_AFFINE && s.stride == 0;
}
static inline bool tsr__is_varying(struct tsr__shape s)
{
    return s.kind == TSR__SHAPE_VARYING;
}
/* The lanes part at the end of the block: sets the flags above for all that follows. False if they were known to. (divergence.c) */
bool tsr__mark_divergent(struct tsr__shapes *shapes, int block, struct tsr_arena *arena);
/* Shape as seen outside of loops that the value leaves at different times. */
bool tsr__leaves_divergent_loop(const struct tsr__shapes *shapes, int defined_in, int used_in);
/* Whether a sum is get_group_id(0) * get_local_size(0) + get_local_id(0), which goes on from one work-group to the next. (global_id.c) */
bool tsr__is_global_id_sum(const struct tsr__packet *packet, LLVMValueRef sum);
/* One line per value and block: what tests read. */
void tsr__shapes_print(const struct tsr__shapes *shapes, struct tsr_buf *out);

#endif
