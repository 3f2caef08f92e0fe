/* SPDX-License-Identifier: Apache-2.0
 * Local memory as a copy of global memory: places in it, and the stores that copy. */
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

/* The number of the instruction's block. */
static inline int tsr__block_of(const struct tsr__unstage *u, LLVMValueRef inst)
{
    return tsr__cfg_number(&u->cfg, LLVMGetInstructionParent(inst));
}

/* The pointer of which the other one is a place, in whatever address space, and that space. */
LLVMValueRef tsr__object_of(LLVMValueRef pointer);
unsigned tsr__space_of(LLVMValueRef pointer);
/* Of a load or store of local memory. False: it cannot be told. */
bool tsr__find_place(const struct tsr__unstage *u, LLVMValueRef access, struct tsr__place *place);
/* Of a store to this place. False: it is no such. */
bool tsr__find_copy(const struct tsr__unstage *u, const struct tsr__place *to, struct tsr__copy *c);
/* Where the copy comes from, in the address space of its object. */
LLVMValueRef tsr__source_of(const struct tsr__copy *c);
bool tsr__same_base(const struct tsr__id_base *a, const struct tsr__id_base *b);
/* Do the two places have bytes in common, in any round of each? */
bool tsr__overlap(const struct tsr__place *a, const struct tsr__place *b);
/* … in rounds in which they lie at turn[i] and turn[k]? */
bool tsr__overlap_in_turn(const struct tsr__place *a, int i, const struct tsr__place *b, int k);
/* Is the instruction a phi of the two buffers of a loop, which it exchanges in each round? */
bool tsr__is_buffer_in_turn(const struct tsr__unstage *u, LLVMValueRef phi);
/* The block which, once it is left for code outside of the copy's own loops, has seen all of the copy made: the copy's, or the head of the
 * outermost of its loops in this one. TSR__NONE: not all rounds copy. */
int tsr__head_of_copy(const struct tsr__unstage *u, const struct tsr__copy *c, int within);
/* Do all that come to `b` come from `a`? */
bool tsr__comes_after(const struct tsr__unstage *u, LLVMValueRef a, LLVMValueRef b);

#endif
