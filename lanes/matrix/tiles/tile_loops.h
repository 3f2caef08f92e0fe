/* SPDX-License-Identifier: Apache-2.0
 * Loops over K that the device runs as a whole: what tile_loops.c has found of one, and tile_loop_calls.c makes a call of. */
#ifndef TESSERA_LANES_MATRIX_TILE_LOOPS_H
#define TESSERA_LANES_MATRIX_TILE_LOOPS_H

#include "lanes/matrix/tiles/tile_slices.h"

/* Where an operand of one product is in memory. */
struct tsr__moving {
    LLVMValueRef address;
    bool by_rows, by_columns; /* B as rows of elements, or columns of words; else rows of tiles */
    struct tsr__polynomial at, stride, step /* from round to round */;
    LLVMValueRef place;                                 /* in a matrix with edges, or NULL */
    struct tsr__polynomial pitch, x, y, step_x, step_y; /* where the first vector is in this matrix: x in bytes, y in rows */
};

/* A or B of all products of a round that go into one accumulator. */
struct tsr__part_operand {
    struct tsr__source *sources;
    bool moves; /* they are in memory, at distances that stay the same: */
    struct tsr__moving first;
    struct tsr__polynomial inner; /* from product to product */
};

/* What one accumulator gets in a round: `depth` products. */
struct tsr__loop_part {
    struct tsr__live_range *life;
    const struct tsr__fragment *phi;
    struct tsr__part_operand a, b;
    const struct tsr__tile_product *product; /* of all of them; the accumulator may have others in other loops */
    unsigned depth;
    bool zero;     /* the accumulator is zero before the loop */
    bool half;     /* the products have 32 bytes of K each */
    bool nibbles;  /* the bytes of `half` hold two numbers of 4 bits */
    bool no_signs; /* none of these numbers has a sign */
};

/* A loop, or the part of it that one call of the device runs: accumulators in rows and columns. */
struct tsr__k_loop {
    struct tsr__k_loop *next;
    LLVMBasicBlockRef loop;
    struct tsr__loop_part parts[TSR_TILE_LOOP_MAX];   /* row after row */
    struct tsr__live_range *lives[TSR_TILE_LOOP_MAX]; /* of these */
    struct tsr__slice *slice_a, *slice_b;             /* the code that computes the operand; NULL: it lies in memory (`moves`) */
    struct tsr__pending_tile_store *leaving;          /* the store of all accumulators behind the loop, or NULL */
    const char *runs_now;                             /* why its packet cannot end before the loop has run; NULL: it may */
    struct tsr__twice *twice;                         /* if the packet may end: how it runs twice; NULL: only stores follow */
    int alone; /* the argument that C is stored through, which must be alone in its memory as slices read others; -1: none */
    unsigned rows, columns;
    struct tsr__polynomial a_next, b_next;
    bool zero;
    bool again;      /* its packet may come to it once more */
    unsigned apart;  /* so many steps are a sum of their own (sums_apart.c); 0: all of them are one */
    unsigned number; /* of several calls for one basic block */
};

/* Has the tile the columns of one sub-group of 8 only? */
static inline bool tsr__is_narrow(const struct tsr__loop_part *part)
{
    return tsr__row_of_block(part->life->block) < TSR_TILE_ROW_BYTES;
}

/* Does B lie in memory as elements, so that it has to be packed? */
static inline bool tsr__is_unpacked(const struct tsr__moving *m)
{
    return m->by_rows || m->by_columns;
}

/* The registers of the loop's accumulators: a bit each. */
uint32_t tsr__registers_of_loop(const struct tsr__k_loop *x);
/* Why the device cannot run the loop together with those of other work-groups, whatever the packet does behind it; or NULL. */
const char *tsr__tile_loop_runs_apart(const struct tsr__tiles *t, const struct tsr__k_loop *x, uint32_t own_registers);
/* Why the packet cannot end before the loop has run, or NULL. `all`: does this call run all products of the loop? */
const char *tsr__tile_loop_must_run_now(struct tsr__tiles *t, struct tsr__k_loop *x, bool all);

#endif
