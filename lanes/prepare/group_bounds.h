/* SPDX-License-Identifier: Apache-2.0
 * Bounds of what the work-items of a work-group compute: whether comparisons with a bound that is the same for all of them hold for all of
 * them, in all rounds of a loop up to one. */
#ifndef TESSERA_LANES_PREPARE_GROUP_BOUNDS_H
#define TESSERA_LANES_PREPARE_GROUP_BOUNDS_H

#include "lanes/prepare/rounds.h"

/* One of the comparisons that a check of ranges consists of. */
struct tsr__check {
    LLVMValueRef comparison;
    bool holds_if; /* its result where the check holds */
};

enum { TSR__MAX_CHECKS = 1024, TSR__MAX_COUNTERS = 32 };

struct tsr__checks {
    struct tsr__check at[TSR__MAX_CHECKS];
    unsigned count;
};

/* A phi of a loop that grows by a constant, up to a bound that ends the loop. */
struct tsr__counter {
    LLVMValueRef phi, begin, next; /* its values in the first round, and in the round behind this one */
    uint64_t step;
    LLVMValueRef first; /* `begin`, as a number of 64 bits */
    LLVMValueRef at;    /* the value in the last round that a question is about, likewise; NULL: not known */
};

/* One place of a kernel, where code computes whether checks hold. */
struct tsr__group_bounds {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    unsigned sub_group_size;
    bool meets;                 /* work-items of the kernel wait for those of other packets, at barriers */
    const struct tsr__cfg *cfg; /* values of `loop` are computed anew; NULL: all are, at the beginning of the kernel */
    int loop;
    struct tsr__map copies; /* value → what was computed anew */
    struct tsr__counter counters[TSR__MAX_COUNTERS];
    unsigned counter_count;
    LLVMValueRef sound; /* a condition, an i1 computed at the place: the bounds computed since tsr__begin_sound are right */
};

/* Bounds that are computed where the builder stands in the kernel. */
struct tsr__group_bounds tsr__group_bounds_in(struct tsr__compilation *l, const struct tsr_kernel_info *info, LLVMBuilderRef b,
                                              struct tsr_arena *arena);
/* Is the value the same for all work-items of a work-group and in all rounds, and can it be computed at the place? */
bool tsr__is_same(const struct tsr__group_bounds *g, LLVMValueRef v);
/* Is it a signed number minus a value that is the same for all? */
bool tsr__is_rest(const struct tsr__group_bounds *g, LLVMValueRef v);
/* Code for a value that is the same for all, at the place. */
LLVMValueRef tsr__same_there(struct tsr__group_bounds *g, LLVMValueRef v);
/* A condition: is the packet full? Code for partial packets, and for launches in which indices may wrap, leaves out what only full packets
 * run (widen/packet_functions.c). In kernels with barriers it is true: all packets of a work-group have to go the same way. */
LLVMValueRef tsr__in_full_packet(struct tsr__group_bounds *g);
/* Sets `sound` to true: it becomes the condition for the bounds that follow. */
void tsr__begin_sound(struct tsr__group_bounds *g);
/* Finds the counter that ends the loop and, as `end`, the comparison that lets the loop go on. The counter may begin with any number. An
 * unsigned one is taken not to wrap; `sound` excludes bounds so large that it could. */
bool tsr__find_counter(const struct tsr__group_bounds *g, const struct tsr__rounds *r, struct tsr__counter *c, struct tsr__inequality *end);
/* Finds a phi that is at least zero and less than a bound in each round that goes on past the loop's beginning, and returns the most that
 * it can be there. Its `step` is 0 and its `at` NULL. NULL: the loop has none. */
LLVMValueRef tsr__find_limited(struct tsr__group_bounds *g, const struct tsr__rounds *r, struct tsr__counter *c,
                               struct tsr__inequality *end);
/* The most that the counter can be in the last round for which `end` holds, an i64. Until then its `first` and `at` count as zero. NULL:
 * not known, since it may begin with a negative number. */
LLVMValueRef tsr__last_of_counter(struct tsr__group_bounds *g, struct tsr__counter *c, const struct tsr__inequality *end);
/* Adds the comparisons that all have to hold for the condition to be `way`. False: it depends on others as well. */
bool tsr__add_checks(struct tsr__checks *checks, LLVMValueRef condition, bool way);
/* A condition: does the check hold for all work-items of the group, in all rounds up to those in which the counters are `at`? NULL: not
 * known. */
LLVMValueRef tsr__check_holds(struct tsr__group_bounds *g, const struct tsr__check *check);

#endif
