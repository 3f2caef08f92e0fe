/* SPDX-License-Identifier: Apache-2.0
 * Numbers that tell the work-items of a group, and the rounds of their loops, apart: ids, counters, and some bits of these. */
#ifndef TESSERA_LANES_ANALYSIS_ID_DIGITS_H
#define TESSERA_LANES_ANALYSIS_ID_DIGITS_H

#include "lanes/analysis/linear_form.h"
#include "lanes/ir/cfg.h"

/* The code of a work-item. */
struct tsr__item_code {
    struct tsr__compilation *l;
    struct tsr_kernel_info *info;
    const struct tsr__cfg *cfg;
};

/* An id, or the counter of a loop: over all work-items and rounds it takes each value below `count`. */
struct tsr__id_base {
    unsigned ids;
    LLVMValueRef counter; /* NULL: the id itself */
    int64_t count;
};

/* Some bits of one: (base >> shift) % count · scale. */
struct tsr__id_digit {
    struct tsr__id_base base;
    unsigned shift;
    int64_t count, scale;
    LLVMValueRef value; /* in the index of a store */
    int64_t bytes;      /* in the array, of each value */
};

/* The number without casts that leave ids and counters as they are. */
LLVMValueRef tsr__without_extension(LLVMValueRef v);
bool tsr__find_id_base(const struct tsr__item_code *code, LLVMValueRef v, struct tsr__id_base *base);
/* In the body of the loop of its counter, if it has one. */
bool tsr__find_id_digit(const struct tsr__item_code *code, LLVMValueRef v, struct tsr__id_digit *d);
/* A counter from a constant on, by constant steps, in the body of its loop, or its upper bits: the last of its values there. */
bool tsr__find_stepped(const struct tsr__item_code *code, LLVMValueRef v, LLVMValueRef *counter, int64_t *most);
/* A counter that ends the loop and of which each value is a multiple of 1 << bits, from a sum of ids on, up to a constant. What it reaches
 * is far less than its type holds. */
struct tsr__multiples {
    LLVMValueRef phi, step;
    LLVMBasicBlockRef before; /* the loop */
    struct tsr__form begin;
    int64_t bound;
    unsigned bits;
};
bool tsr__find_multiples(const struct tsr__item_code *code, int loop, struct tsr__multiples *m);
/* The innermost loop that the counter is the header's phi of. */
int tsr__loop_of_counter(const struct tsr__item_code *code, LLVMValueRef counter);
/* Do numbers that are made of these ids not depend on each other? */
bool tsr__ids_are_independent(unsigned ids, unsigned others);

#endif
