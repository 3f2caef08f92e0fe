/* SPDX-License-Identifier: Apache-2.0
 * Places in local memory, and in the code of a kernel that copies to it. */
#ifndef TESSERA_LANES_PREPARE_STAGED_PLACES_H
#define TESSERA_LANES_PREPARE_STAGED_PLACES_H

#include "lanes/analysis/id_digits.h"
#include "lanes/analysis/round_cycle.h"
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

/* What a load or store of local memory accesses: bytes from the beginning of an array, or of all local memory. */
struct tsr__place {
    LLVMValueRef access; /* load or store */
    LLVMValueRef root;   /* NULL: the work-group's local memory */
    struct tsr__form at;
    int64_t turn[TSR__CYCLE_ROUNDS]; /* bytes to add in each round of loop `turn_loop`, which uses buffers in turn */
    int turn_loop;                   /* TSR__NONE: there is none, and nothing to add */
    int64_t size;
};

/* The number of the instruction's block. */
static inline int tsr__block_of(const struct tsr__unstage *u, LLVMValueRef inst)
{
    return tsr__cfg_number(&u->cfg, LLVMGetInstructionParent(inst));
}

/* The pointer, or vector of them, that this one is an offset from, whatever address spaces it is cast to, and whether it is the same in all
 * of a sub-group or not; and the address space of that. */
LLVMValueRef tsr__object_of(LLVMValueRef pointer);
unsigned tsr__space_of(LLVMValueRef pointer);
/* The place of a load or store of local memory. False: unknown. */
bool tsr__find_place(const struct tsr__unstage *u, LLVMValueRef access, struct tsr__place *place);
/* An integer that instruction `at` uses as a sum of ids, counters, and which buffer's turn it is. False: it depends on other numbers, too.
 */
bool tsr__sum_of_place(const struct tsr__unstage *u, LLVMValueRef at, LLVMValueRef v, struct tsr__form *form);
/* Is it a load of global memory? */
bool tsr__is_source(LLVMValueRef v);
/* Do the two places have bytes in common, in any round of each? */
bool tsr__overlap(const struct tsr__place *a, const struct tsr__place *b);
/* The same in rounds in which the places lie at turn[i] and turn[k]. */
bool tsr__overlap_in_turn(const struct tsr__place *a, int i, const struct tsr__place *b, int k);
/* Is it a phi by which a loop exchanges its buffers in each round? */
bool tsr__is_buffer_in_turn(const struct tsr__unstage *u, LLVMValueRef phi);
/* The head of the outermost loop around `block` inside of loop `within`: once it is left for code outside of these loops, all rounds have
 * run the block. There is at least one round, by all work-items (`by_all`) or by those that the loops count. TSR__NONE: that is not known.
 */
int tsr__head_of_rounds(const struct tsr__unstage *u, int block, int within, bool by_all);
/* The innermost loop around both blocks, or TSR__NONE. */
int tsr__common_loop(const struct tsr__unstage *u, int a, int b);
/* Is there a way from the end of block `from` to block `to` that passes neither block `avoid` nor block `header` (may be TSR__NONE)? */
bool tsr__leads(const struct tsr__unstage *u, int from, int to, int avoid, int header);
/* Do all ways to instruction `b` pass instruction `a`? */
bool tsr__comes_after(const struct tsr__unstage *u, LLVMValueRef a, LLVMValueRef b);

#endif
