/* SPDX-License-Identifier: Apache-2.0
 * All accesses of a function to the local memory of its work-group, where each is at places that are known. */
#ifndef TESSERA_LANES_AFTER_LOCAL_PLACES_H
#define TESSERA_LANES_AFTER_LOCAL_PLACES_H

#include "lanes/ir/lane_scalars.h"

/* Of a lane that accesses nothing. */
#define TSR__NO_PLACE INT64_MIN

struct tsr__local_access {
    LLVMValueRef inst; /* a load, a store, or a masked one */
    LLVMValueRef mask; /* of its lanes, where that is no constant; else NULL */
    bool load;
    LLVMTypeRef element;
    unsigned lanes; /* elements of its vector; 0: it is of a scalar */
    int64_t bytes;  /* of an element */
    size_t object;  /* 0: variables; others: an argument each */
    int64_t from, to;
    int64_t *at; /* by lane: the first byte, counted from where the object begins, or TSR__NO_PLACE */
};

struct tsr__local_accesses {
    struct tsr__local_access *access;
    size_t count;
};

/* False: there are none, or local memory may be accessed elsewhere. */
bool tsr__find_local_accesses(struct tsr__lane_scalars *c, LLVMValueRef function, struct tsr__local_accesses *found);

#endif
