/* SPDX-License-Identifier: Apache-2.0
 * Values of a loop as they were in the round before, and what holds in rounds that others follow. */
#ifndef TESSERA_LANES_PREPARE_ROUNDS_H
#define TESSERA_LANES_PREPARE_ROUNDS_H

#include "lanes/ir/cfg.h"

/* A loop that is entered from one block, and left by one branch, in each round. */
struct tsr__rounds {
    struct tsr__compilation *l;
    const struct tsr__cfg *cfg;
    int loop;
    struct tsr_arena *arena;
    LLVMBasicBlockRef before, header, exiting, latch, behind;
    LLVMValueRef goes_on;                /* the condition of the branch that leaves it */
    bool goes_on_if;                     /* its value where the loop goes on */
    LLVMBuilderRef b;                    /* builds at the start of a round */
    struct tsr__map known, before_known; /* values of this round, and of the one before → struct tsr__earlier * */
};

/* What a value was in the round before: `now`, computed at the start of this round. In the first round, which has none before it, `now` is
 * `first`, a value from before the loop; so `now` may take the place of a phi of `first` and the value. */
struct tsr__earlier {
    LLVMValueRef now, first; /* NULL: it cannot be had */
};

/* False: the loop has several entries or exits. The caller disposes of the builder. */
bool tsr__rounds_of(struct tsr__compilation *l, const struct tsr__cfg *cfg, int loop, struct tsr_arena *arena, struct tsr__rounds *r);
/* Calls `change` once for each such loop of the kernel. It returns whether it has changed code; it may change blocks, too, and nothing in
 * the loop's arena outlives the call. Returns whether any call has changed code. */
typedef bool tsr__change_loop(void *context, struct tsr__rounds *r);
bool tsr__change_loops(struct tsr__compilation *l, LLVMValueRef kernel, tsr__change_loop *change, void *context);
/* The same for all kernels with matrix functions, again and again until a call changes nothing. */
void tsr__change_product_loops(struct tsr__compilation *l, tsr__change_loop *change);
/* The value in the round before, of an integer, pointer or condition that does not depend on memory. May leave unused code. */
struct tsr__earlier tsr__round_before(struct tsr__rounds *r, LLVMValueRef v);
/* a + distance < b, signed or unsigned, where the sum does not wrap. An operand that is NULL is 0. */
struct tsr__inequality {
    LLVMValueRef a, b;
    int64_t distance;
    bool is_signed;
};
/* The comparison as an inequality. False: it is none, as one for equality is. */
bool tsr__inequality_of(LLVMValueRef comparison, struct tsr__inequality *q);
/* By how much a phi of the loop grows in each round; 0: not by a constant, or it may wrap. */
int64_t tsr__counter_step(const struct tsr__rounds *r, LLVMValueRef phi, bool is_signed);
/* 1: the loop goes on where the condition holds, and nowhere else; -1: where it does not; 0: neither is known. */
int tsr__holds_where_it_goes_on(const struct tsr__rounds *r, LLVMValueRef condition);
/* In rounds that at least `rounds` others follow: does the branch always go the way on which its condition is `way`? */
bool tsr__is_taken_if_follow(const struct tsr__rounds *r, unsigned rounds, LLVMValueRef condition, bool way);
/* If the loop reaches round so and so: does the branch before it go the way on which its condition is `way`? */
bool tsr__is_taken_if_reached(const struct tsr__rounds *r, unsigned round, LLVMValueRef condition, bool way);
/* The value of `v` in these rounds: one of its operands, where `v` is a select or a minimum that is decided by then; or `v`. */
LLVMValueRef tsr__if_follow(const struct tsr__rounds *r, unsigned rounds, LLVMValueRef v);
/* Does the instruction compute a value from its operands alone, whatever they are? */
bool tsr__is_computed(LLVMValueRef v);
/* The value of `v` where another round follows: one of its operands, where `v` is a phi, select or minimum that is decided then; or `v`. */
LLVMValueRef tsr__where_it_goes_on(const struct tsr__rounds *r, LLVMValueRef v);
/* The operand that is the result of the operation on these operands, as of x + 0 or x * 1, whatever its flags are; or NULL. */
LLVMValueRef tsr__simplified(LLVMValueRef inst, LLVMValueRef const *operands);
/* An instruction like this one on these operands that `accepts` takes, or NULL. */
LLVMValueRef tsr__instruction_like(const struct tsr__rounds *r, LLVMValueRef inst, LLVMValueRef const *operands,
                                   bool (*accepts)(const struct tsr__rounds *r, LLVMValueRef found));
/* The same operation on other operands, at the start of a round. */
LLVMValueRef tsr__clone_on(struct tsr__rounds *r, LLVMValueRef inst, LLVMValueRef const *operands);
/* Which flags hold for a binary operation on these constants, or a zext of one. */
enum { TSR__SIGNED_FITS = 1, TSR__UNSIGNED_FITS = 2, TSR__LEAVES_NO_REST = 4, TSR__BITS_ARE_APART = 8, TSR__NOT_NEGATIVE = 16 };
unsigned tsr__flags_of_constants(LLVMOpcode op, LLVMTypeRef type, LLVMValueRef const *operands);
/* Drops the flags of `made` that `other` lacks. */
void tsr__common_flags(LLVMValueRef made, LLVMValueRef other);

#endif
