/* SPDX-License-Identifier: Apache-2.0
 * What a load of local memory would have read. */
#ifndef TESSERA_LANES_PREPARE_STAGED_VALUES_H
#define TESSERA_LANES_PREPARE_STAGED_VALUES_H

#include "lanes/prepare/staged_copies.h"

enum { TSR__MOST_AHEAD = 3 /* rounds by which a copy may be ahead of the load */ };

struct tsr__built_form {
    struct tsr__built_form *next;
    struct tsr__form form; /* whose constant is -1 where the value is a query */
    LLVMValueRef value;
};

/* A load of local memory, and the copy that filled it. */
struct tsr__reading {
    struct tsr__unstage *u;
    const struct tsr__copy *copy;
    const struct tsr__place *load;
    struct tsr__form at; /* bytes from where the copy's places begin */
    /* Digits that lie in both memories as one number would, of which the lowest stands for all: those that go on with the one below. `run`:
     * the lowest of all counts the elements of vectors. */
    bool merged[TSR__PLACE_DIGITS + 1], run, merges;
    bool parts_fit; /* the value that is computed is part of a sum of all that one digit stands for, which does not wrap */
    int loop;       /* the innermost one around a barrier between the two, in which all work-items of a group make the same rounds */
    struct tsr__map uniform;
    /* Of a copy that an earlier round has made for this one (staged_ahead.c): the rounds, or NULL; by how many it is ahead; the copies for
     * the first ones, to which no round is earlier; of which of these values are, or TSR__NONE; the address in it, told by its copy; which
     * flags of the source's operations hold in all of them, too. */
    struct tsr__rounds *rounds;
    unsigned ahead;
    bool others_follow; /* the copy is read in a round behind the one that makes it, not behind the loop */
    const struct tsr__copy *first[TSR__MOST_AHEAD];
    int first_round;
    LLVMValueRef first_address;
    struct tsr__map flags;          /* these, and in how many of the first rounds they have been looked at (note_flags) */
    struct tsr__map made;           /* values of the store → what is built of them, of a copy that is computed */
    struct tsr__built_form **built; /* forms that have code, so that equal ones are one value; NULL: each gets its own */
};

/* Whether an address can be had of what the store that wrote the loaded bytes had loaded, or the value that it had computed. */
bool tsr__can_read_original(struct tsr__reading *r);
/* The address, if it can; u->b builds it. */
LLVMValueRef tsr__original_address(struct tsr__reading *r);
/* Makes the load one of what was copied. */
void tsr__read_original(struct tsr__reading *r);

#endif
