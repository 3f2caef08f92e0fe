/* SPDX-License-Identifier: Apache-2.0
 * What a load of local memory reads, found where the copy that filled it has it from. */
#ifndef TESSERA_LANES_PREPARE_STAGED_VALUES_H
#define TESSERA_LANES_PREPARE_STAGED_VALUES_H

#include "lanes/prepare/staged_copies.h"

enum { TSR__MOST_AHEAD = 3 /* rounds by which a copy may be ahead of the load */ };

struct tsr__built_form {
    struct tsr__built_form *next;
    struct tsr__form form; /* its constant is -1 where the value is a query */
    LLVMValueRef value;
};

/* A load of local memory, and the copy that filled it. */
struct tsr__reading {
    struct tsr__unstage *u;
    const struct tsr__copy *copy;
    const struct tsr__place *load;
    struct tsr__form at; /* bytes from where the copy's places begin */
    /* merged[i]: digit i continues digit i - 1 in both memories, as higher bits of one number; the lowest digit stands for all of it.
     * `from_first`: its value is that of the first of the stores that go on where the one before ends, and the load lies behind it. */
    bool merged[TSR__PLACE_DIGITS + 1], from_first, merges;
    bool parts_fit; /* the computed value is part of a sum, of all that one digit stands for, that does not wrap */
    int loop;       /* the innermost loop around a barrier between copy and load; all work-items of a group make the same rounds of it */
    struct tsr__map uniform;
    /* Where an earlier round has made the copy (staged_ahead.c): */
    struct tsr__rounds *rounds;                     /* of that loop; NULL: no earlier round has */
    unsigned ahead;                                 /* by how many rounds the copy is ahead */
    bool others_follow;                             /* it is read in a round behind the one that makes it, not behind the loop */
    const struct tsr__copy *first[TSR__MOST_AHEAD]; /* the copies for the first rounds, to which no round is earlier */
    int first_round;                                /* values are computed for this one of the first rounds; or TSR__NONE */
    LLVMValueRef first_address;                     /* the source's address in that round, as its copy has it */
    struct tsr__map flags;                          /* operations of the source → flags that hold in the first rounds, too (note_flags) */
    struct tsr__map made;                           /* values of the store → what is built of them, of a copy that is computed */
    struct tsr__built_form **built;                 /* forms that have code, so that equal ones are one value; NULL: each gets its own */
};

/* Can the address that the loaded bytes were copied from be computed where the load stands, or the value that was computed from there? */
bool tsr__can_read_original(struct tsr__reading *r);
/* Code for that address, by u->b. */
LLVMValueRef tsr__original_address(struct tsr__reading *r);
/* Replaces the load by one from that address, or by the value. */
void tsr__read_original(struct tsr__reading *r);

#endif
