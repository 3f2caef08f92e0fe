/* SPDX-License-Identifier: Apache-2.0
 * Loops that copy to local memory, in the form in which counters that begin with ids are found (id_digits.h). */
#ifndef TESSERA_LANES_PREPARE_STAGED_LOOPS_H
#define TESSERA_LANES_PREPARE_STAGED_LOOPS_H

#include "lanes/prepare/staged_places.h"

/* A comparison of a number with a positive constant, by which a branch goes to one block if the number is below it. */
struct tsr__below {
    LLVMValueRef number;
    int64_t bound;
    LLVMBasicBlockRef otherwise; /* where the branch goes if it is not */
    bool is_signed;
};
bool tsr__asks_below(LLVMValueRef branch, LLVMBasicBlockRef to, struct tsr__below *below);
/* Counters of loops whose values are multiples of a power of two, from ids on, become multiples of counters of these. */
void tsr__count_multiples(const struct tsr__unstage *u);
/* Gives loops of one block that store to local memory, and blocks that only work-items with small ids run to do so, a header that compares
 * the counter, or the id, with the bound. True: the control flow is another one now. */
bool tsr__make_copy_loops(const struct tsr__unstage *u, LLVMValueRef kernel);

#endif
