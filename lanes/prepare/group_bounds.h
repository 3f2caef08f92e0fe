/* SPDX-License-Identifier: Apache-2.0
 * Bounds of what the work-items of a work-group compute: whether comparisons with a bound that is the same for all of them hold for all of
 * them, in all rounds of a loop up to one. */
#ifndef TESSERA_LANES_PREPARE_GROUP_BOUNDS_H
#define TESSERA_LANES_PREPARE_GROUP_BOUNDS_H

#include "lanes/prepare/rounds.h"

/* A comparison that a check of ranges is made of. */
struct tsr__check {
    LLVMValueRef comparison;
    bool holds_if; /* what it gives where the check holds */
};

enum { TSR__MAX_CHECKS = 1024, TSR__MAX_COUNTERS = 32 };

struct tsr__checks {
    struct tsr__check at[TSR__MAX_CHECKS];
    unsigned count;
};

/* A phi of a loop that grows by a constant, up to a bound that ends the loop. */
struct tsr__counter {
    LLVMValueRef phi, begin, next; /* what it begins with, and what it becomes */
    uint64_t step;
    LLVMValueRef first; /* `begin`, as a number of 64 bits */
    LLVMValueRef at;    /* … in the round up to which is asked; NULL: not known */
};

/* One place of a kernel, where code computes whether checks hold. */
struct tsr__group_bounds {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    unsigned sub_group_size;
    bool meets;                 /* work-items of the kernel meet those of other packets */
    const struct tsr__cfg *cfg; /* values of `loop` are computed anew; NULL: all are, at the beginning of the kernel */
    int loop;
    struct tsr__map copies; /* value → what was computed anew */
    struct tsr__counter counters[TSR__MAX_COUNTERS];
    unsigned counter_count;
    LLVMValueRef sound; /* a condition under which the numbers are right */
};

/* For code of the kernel at the place of the builder. */
struct tsr__group_bounds tsr__group_bounds_in(struct tsr__compilation *l, const struct tsr_kernel_info *info, LLVMBuilderRef b,
                                              struct tsr_arena *arena);
/* Is the value the same for all work-items of a work-group and in all rounds, and can it be computed at the place? */
bool tsr__is_same(const struct tsr__group_bounds *g, LLVMValueRef v);
/* Is it the distance of a signed number to such a value? */
bool tsr__is_rest(const struct tsr__group_bounds *g, LLVMValueRef v);
/* Such a value, at the place. */
LLVMValueRef tsr__same_there(struct tsr__group_bounds *g, LLVMValueRef v);
/* Is the packet full? Code for others is made without what is run only where it is, and so is code for launches in which indices may wrap
 * (widen/packet_functions.c). True where packets of the kernel meet, as all of a work-group have to go the same way. */
LLVMValueRef tsr__in_full_packet(struct tsr__group_bounds *g);
/* From here on `sound` is about what follows. */
void tsr__begin_sound(struct tsr__group_bounds *g);
/* Finds the counter that ends the loop and, as `end`, the comparison that lets the loop go on. The counter may begin with any number. An
 * unsigned one is taken not to wrap; `sound` excludes bounds so large that it could. */
bool tsr__find_counter(const struct tsr__group_bounds *g, const struct tsr__rounds *r, struct tsr__counter *c, struct tsr__inequality *end);
/* A phi that is below a bound, and not below zero, where its loop is not left at its beginning: what it is there at most. Its `step` is 0,
 * and `at` is not known. NULL: it is none. */
LLVMValueRef tsr__find_limited(struct tsr__group_bounds *g, const struct tsr__rounds *r, struct tsr__counter *c,
                               struct tsr__inequality *end);
/* Its value in the last round that ends so, at most, as a number of 64 bits. Until then `first` and `at` are zero. NULL: not known, as it
 * begins with what may be negative. */
LLVMValueRef tsr__last_of_counter(struct tsr__group_bounds *g, struct tsr__counter *c, const struct tsr__inequality *end);
/* Adds the comparisons that make the condition `way`. False: there are others than such that all have to hold. */
bool tsr__add_checks(struct tsr__checks *checks, LLVMValueRef condition, bool way);
/* Does the check hold for all work-items, in all rounds up to those where the counters are `at`? NULL: not known. */
LLVMValueRef tsr__check_holds(struct tsr__group_bounds *g, const struct tsr__check *check);

#endif
