/* SPDX-License-Identifier: Apache-2.0
 * The control-flow graph of a function as the widener needs it: blocks in compact order, dominators, post-dominators, loops.
 *
 * Compact order is a topological order of the forward edges in which the blocks of every loop stand together. It exists for reducible
 * graphs only; canonicalisation makes them so. */
#ifndef TESSERA_LANES_IR_CFG_H
#define TESSERA_LANES_IR_CFG_H

#include "lanes/ir/ir.h"

enum { TSR__NONE = -1 };

struct tsr__loop {
    int parent;     /* loop around it, or TSR__NONE */
    int depth;      /* 1 for an outermost loop */
    int header;     /* block */
    int begin, end; /* its blocks, inner loops included, are [begin, end) */
    int latch;      /* the one block with an edge to the header; TSR__NONE if there are several */
};

struct tsr__block {
    LLVMBasicBlockRef ref;
    LLVMValueRef terminator;
    int *succ, *pred; /* each edge once, in the terminator's order; pred in no order */
    int succ_count, pred_count;
    int loop;  /* innermost loop, or TSR__NONE */
    int idom;  /* immediate dominator; TSR__NONE for the entry */
    int ipdom; /* immediate post-dominator; TSR__NONE if it is the (virtual) exit */
};

struct tsr__cfg {
    LLVMValueRef function;
    int block_count, loop_count;
    struct tsr__block *blocks; /* in compact order; unreachable blocks are left out */
    struct tsr__loop *loops;   /* outer before inner */
    struct tsr__map index;     /* LLVMBasicBlockRef → number + 1 */
};

/* Everything lives in `arena`. False: the graph is irreducible. */
bool tsr__cfg_make(struct tsr__cfg *cfg, LLVMValueRef function, struct tsr_arena *arena);
int tsr__cfg_number(const struct tsr__cfg *cfg, LLVMBasicBlockRef block);
bool tsr__dominates(const struct tsr__cfg *cfg, int a, int b);      /* also if a == b */
bool tsr__post_dominates(const struct tsr__cfg *cfg, int a, int b); /* also if a == b */
/* True if `block` is in `loop` or in a loop inside it; every block is in TSR__NONE. */
bool tsr__in_loop(const struct tsr__cfg *cfg, int block, int loop);
/* Is the value an instruction of a block in the loop? */
bool tsr__is_in_loop(const struct tsr__cfg *cfg, LLVMValueRef v, int loop);
static inline bool tsr__back_edge(int from, int to)
{
    return to <= from;
}

#endif
