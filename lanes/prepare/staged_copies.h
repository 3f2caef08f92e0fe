/* SPDX-License-Identifier: Apache-2.0
 * Local memory as a copy of global memory: stores that copy, and what a load of local memory would have found in global memory. */
#ifndef TESSERA_LANES_PREPARE_STAGED_COPIES_H
#define TESSERA_LANES_PREPARE_STAGED_COPIES_H

#include "lanes/analysis/id_digits.h"
#include "lanes/prepare/rounds.h"

enum { TSR__PLACE_DIGITS = 6 };

struct tsr__unstage {
    struct tsr__item_code code;
    LLVMTargetDataRef layout;
    struct tsr__cfg cfg;
    int body; /* only code behind this block is looked at: all of a work-group goes there, or none; TSR__NONE: all is */
    struct tsr_arena *arena;
    LLVMBuilderRef b;           /* NULL: nothing is built yet */
    struct tsr__rounds *rounds; /* of each loop that has been asked for */
};

/* Bytes from the beginning of a part of local memory. */
struct tsr__place {
    LLVMValueRef access; /* load or store */
    LLVMValueRef root;   /* NULL: the work-group's local memory */
    struct tsr__form at;
    int64_t turn[2]; /* bytes to add in even and in odd rounds of this loop, which uses two buffers in turn; TSR__NONE: both are 0 */
    int turn_loop;
    int64_t size;
};

/* A store of what has just been loaded from global memory. */
struct tsr__copy {
    struct tsr__place to;
    LLVMValueRef from;       /* the load */
    LLVMValueRef first_from; /* where rounds of a loop store what the round before has loaded: the load before the loop; or NULL */
    struct tsr__id_digit digits[TSR__PLACE_DIGITS]; /* of the place, the lowest first */
    unsigned digit_count;
};

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
    int loop; /* the innermost one around a barrier between the two, in which all work-items of a group make the same rounds */
    struct tsr__map uniform;
    /* Of a copy that the round before has made for this one (staged_ahead.c): the rounds, or NULL; the copy for round 0; whether values are
     * those of round 0; the address in it, told by that copy; which flags of the source's operations hold there, too. */
    struct tsr__rounds *rounds;
    const struct tsr__copy *first;
    bool in_first;
    LLVMValueRef first_address;
    struct tsr__map flags;
    struct tsr__built_form **built; /* forms that have code, so that equal ones are one value; NULL: each gets its own */
};

/* The pointer of which the other one is a place, in whatever address space, and that space. */
LLVMValueRef tsr__object_of(LLVMValueRef pointer);
unsigned tsr__space_of(LLVMValueRef pointer);
/* Of a load or store of local memory. False: it cannot be told. */
bool tsr__find_place(const struct tsr__unstage *u, LLVMValueRef access, struct tsr__place *place);
/* Of a store to this place. False: it is no such. */
bool tsr__find_copy(const struct tsr__unstage *u, const struct tsr__place *to, struct tsr__copy *c);
/* The one copy that wrote what is loaded, and how to tell what it had loaded; false: there is none, or several, or no barrier of the
 * work-group behind it. */
bool tsr__find_reading(struct tsr__unstage *u, const struct tsr__copy *copies, size_t copy_count, LLVMValueRef const *barriers,
                       size_t barrier_count, const struct tsr__place *load, struct tsr__reading *r);
/* The same of a copy that the round before has made, if `next` is that and `first` the one for round 0. Builds code to compare the two. */
bool tsr__find_reading_ahead(struct tsr__unstage *u, const struct tsr__copy *first, const struct tsr__copy *next,
                             LLVMValueRef const *barriers, size_t barrier_count, const struct tsr__place *load, struct tsr__reading *r);
/* For readings of copies that the round before has made: what a counter, or the next value of a phi, was then, or NULL; and the operation
 * of the source on operands of then. */
LLVMValueRef tsr__phi_ahead(struct tsr__reading *r, LLVMValueRef v);
LLVMValueRef tsr__operation_ahead(struct tsr__reading *r, LLVMValueRef v, LLVMValueRef const *operands);
/* The same of a copy that stores what the round before has loaded. */
bool tsr__find_loaded_ahead(struct tsr__unstage *u, const struct tsr__copy *copy, const struct tsr__place *load, struct tsr__reading *r);
/* Whether an address can be had of what the store that wrote the loaded bytes had loaded. */
bool tsr__can_read_original(struct tsr__reading *r);
/* The address, if it can; u->b builds it. */
LLVMValueRef tsr__original_address(struct tsr__reading *r);
/* Do the two places have bytes in common, in rounds in which they lie at turn[i] and turn[k]? */
bool tsr__overlap_in_turn(const struct tsr__place *a, int i, const struct tsr__place *b, int k);
/* The block which, once it is left for code outside of the copy's own loops, has seen all of the copy made: the copy's, or the head of the
 * outermost of its loops in this one. TSR__NONE: not all rounds copy. */
int tsr__head_of_copy(const struct tsr__unstage *u, const struct tsr__copy *c, int within);
/* Is the instruction a phi of the two buffers of a loop, which it exchanges in each round? */
bool tsr__is_buffer_in_turn(const struct tsr__unstage *u, LLVMValueRef phi);
/* Makes the load one of what was copied. */
void tsr__read_original(struct tsr__reading *r);

#endif
