/* SPDX-License-Identifier: Apache-2.0
 * Interleaved access groups: strided loads and stores of neighbouring fields that are made together. (interleave.c) */
#ifndef TESSERA_LANES_WIDEN_MEMORY_INTERLEAVE_H
#define TESSERA_LANES_WIDEN_MEMORY_INTERLEAVE_H

#include "lanes/widen/memory/access.h"

struct tsr__interleave_member {
    struct tsr__access access;
    int64_t at;      /* in bytes: from the first one found, later from the start of the record */
    unsigned member; /* the record's scalar with which it begins */
};

struct tsr__interleave_group {
    struct tsr__interleave_group *next; /* of stores that wait for their last field */
    struct tsr__access all;
    unsigned count;
    struct tsr__interleave_member fields[TSR__MAX_STRIDE]; /* in the order of the program */
    LLVMValueRef insts[TSR__MAX_STRIDE];
    bool made;
};

/* The record that a load or store belongs to, or NULL: it goes alone. */
struct tsr__interleave_group *tsr__interleave_group_of(struct tsr__widener *s, const struct tsr__access *a);
/* At any of its loads: makes all of them at the first. */
void tsr__interleave_group_load(struct tsr__widener *s, struct tsr__interleave_group *r);
/* At each of its stores: makes all of them at the last. */
void tsr__interleave_group_store(struct tsr__widener *s, struct tsr__interleave_group *r, LLVMValueRef inst);

#endif
