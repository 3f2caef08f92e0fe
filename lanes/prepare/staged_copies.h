/* SPDX-License-Identifier: Apache-2.0
 * Local memory as a copy of global memory: stores that copy, and what a load of local memory would have found in global memory. */
#ifndef TESSERA_LANES_PREPARE_STAGED_COPIES_H
#define TESSERA_LANES_PREPARE_STAGED_COPIES_H

#include "lanes/analysis/id_digits.h"

enum { TSR__PLACE_DIGITS = 6 };

struct tsr__unstage {
    struct tsr__item_code code;
    LLVMTargetDataRef layout;
    struct tsr__cfg cfg;
    int body; /* only code behind this block is looked at: all of a work-group goes there, or none; TSR__NONE: all is */
    struct tsr_arena *arena;
    LLVMBuilderRef b; /* NULL: nothing is built yet */
};

/* Bytes from the beginning of a part of local memory. */
struct tsr__place {
    LLVMValueRef access; /* load or store */
    LLVMValueRef root;   /* NULL: the work-group's local memory */
    struct tsr__form at;
    int64_t size;
};

/* A store of what has just been loaded from global memory. */
struct tsr__copy {
    struct tsr__place to;
    LLVMValueRef from;                              /* the load */
    struct tsr__id_digit digits[TSR__PLACE_DIGITS]; /* of the place, the lowest first */
    unsigned digit_count;
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
/* Makes the load one of what was copied. */
void tsr__read_original(struct tsr__reading *r);

#endif
