/* SPDX-License-Identifier: Apache-2.0
 * Stores that copy global memory to local memory. */
#ifndef TESSERA_LANES_PREPARE_STAGED_COPIES_H
#define TESSERA_LANES_PREPARE_STAGED_COPIES_H

#include "lanes/prepare/staged_places.h"

/* A load of global memory, of what a store to local memory stores. */
struct tsr__original {
    LLVMValueRef load; /* NULL: there is none */
    int block;         /* which, once it is left for code outside of the load's own loops, has seen all of them loaded; TSR__NONE: the
                        * store's own rounds load */
    struct {
        LLVMValueRef its, of_store; /* counters of loops around the load and the store that have the same value for the same number */
    } counters[TSR__PLACE_DIGITS];
    unsigned counter_count;
};

enum { TSR__COPY_SOURCES = 8 };

/* A store of what has been loaded from global memory, or computed from that. */
struct tsr__copy {
    struct tsr__place to;
    struct tsr__original from;
    LLVMValueRef sources[TSR__COPY_SOURCES]; /* where it is computed: all loads, of which `from` has the first */
    unsigned source_count;                   /* 0: it is what has been loaded */
    struct tsr__original first_from;         /* where rounds of a loop store what the round before has loaded: the load before the loop */
    int ahead;                               /* that loop, or TSR__NONE */
    LLVMValueRef array;                      /* the private array by way of which it goes, or NULL */
    struct tsr__id_digit digits[TSR__PLACE_DIGITS]; /* of the place, the lowest first */
    unsigned digit_count;
};

/* Of a store to this place. False: it is no such. */
bool tsr__find_copy(const struct tsr__unstage *u, const struct tsr__place *to, struct tsr__copy *c);
/* Where the copy comes from, in the address space of its object; or, where it is computed, what is stored. */
LLVMValueRef tsr__source_of(const struct tsr__copy *c);
/* The counter of the store's loops for which the one of the load's stands; any other value is itself. */
LLVMValueRef tsr__in_store(const struct tsr__copy *c, LLVMValueRef v);
bool tsr__same_base(const struct tsr__id_base *a, const struct tsr__id_base *b);
/* The block which, once it is left for code outside of the copy's own loops, has seen all of the copy made: the copy's, or the head of the
 * outermost of its loops in this one. TSR__NONE: not all rounds copy. */
int tsr__head_of_copy(const struct tsr__unstage *u, const struct tsr__copy *c, int within);

#endif
