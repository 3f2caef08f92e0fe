/* SPDX-License-Identifier: Apache-2.0
 * Stores that copy global memory to local memory. */
#ifndef TESSERA_LANES_PREPARE_STAGED_COPIES_H
#define TESSERA_LANES_PREPARE_STAGED_COPIES_H

#include "lanes/prepare/staged_places.h"

/* A load of global memory, of what a store to local memory stores. */
struct tsr__original {
    LLVMValueRef load; /* NULL: there is none */
    int block;         /* all rounds of the load have run once this block is left for code outside of the load's own loops; TSR__NONE: the
                        * rounds of the store load */
    struct {
        LLVMValueRef its, of_store; /* counters of loops around the load and the store: equal for what is loaded and stored */
    } counters[TSR__PLACE_DIGITS];
    unsigned counter_count;
};

enum { TSR__COPY_SOURCES = 8 };

/* A store of what has been loaded from global memory, or computed from that. */
struct tsr__copy {
    struct tsr__place to;
    struct tsr__original from;
    LLVMValueRef sources[TSR__COPY_SOURCES];        /* all loads that the stored value is computed from; `from` has the first */
    unsigned source_count;                          /* 0: the value is stored as it has been loaded */
    int ahead;                                      /* the loop in which each round stores what the round before has loaded, or TSR__NONE */
    struct tsr__original first_from;                /* for the first round of that loop: the load before it */
    LLVMValueRef array;                             /* the private array through which the value goes, or NULL */
    struct tsr__id_digit digits[TSR__PLACE_DIGITS]; /* of the place, the lowest first */
    unsigned digit_count;
};

/* Reads the store to this place as a copy. False: it is none. */
bool tsr__find_copy(const struct tsr__unstage *u, const struct tsr__place *to, struct tsr__copy *c);
/* The address that is copied from, in the address space of its object; or the stored value, where it is computed. */
LLVMValueRef tsr__source_of(const struct tsr__copy *c);
/* Of a counter of the load's loops: the equal one of the store's. Any other value as it is. */
LLVMValueRef tsr__in_store(const struct tsr__copy *c, LLVMValueRef v);
bool tsr__same_base(const struct tsr__id_base *a, const struct tsr__id_base *b);
/* The block that, once it is left for code outside of the copy's own loops, has run all of the copy: the store's block, or the head of the
 * outermost of its loops in loop `within`. TSR__NONE: some rounds do not copy. */
int tsr__head_of_copy(const struct tsr__unstage *u, const struct tsr__copy *c, int within);

#endif
