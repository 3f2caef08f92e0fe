/* SPDX-License-Identifier: Apache-2.0
 * Shared by the passes on 2D blocks: operations, regions of memory, and the values that a read gives. */
#ifndef TESSERA_LANES_MATRIX_BLOCK2D_H
#define TESSERA_LANES_MATRIX_BLOCK2D_H

#include "lanes/ir/calls.h"
#include "lanes/matrix/matrix.h"
#include "tessera/block2d.h"

enum { TSR__BLOCK2D_ROW_BYTES = 64 };
enum { TSR__BLOCK2D_MAX_ROWS = 64 }; /* of a block that reads are joined to */

/* Operands of the operations: the same in all up to y. */
enum {
    TSR__BLOCK2D_BASE,
    TSR__BLOCK2D_WIDTH,
    TSR__BLOCK2D_HEIGHT,
    TSR__BLOCK2D_PITCH,
    TSR__BLOCK2D_X,
    TSR__BLOCK2D_Y,
    TSR__READ_LAYOUT,
    TSR__READ_BITS,
    TSR__READ_ROWS,
    TSR__READ_COLUMNS,
    TSR__READ_BLOCKS
};

/* Everything in bytes but rows and height, and in 64 bits. */
struct tsr__block2d_region {
    LLVMValueRef base, width, height, pitch, x, y;
    unsigned rows, bytes; /* of the block */
};

/* A block in memory, and its rows. */
struct tsr__block2d_area {
    struct tsr__block2d_area *in; /* the larger one that it became a part of, or NULL */
    LLVMValueRef call;            /* the first read of it */
    struct tsr__block2d_region region;
    LLVMValueRef first, pitch;
    LLVMValueRef at[TSR__BLOCK2D_MAX_ROWS]; /* the rows that were asked for */
};

/* A read whose loads are still to come: a part of an area. */
struct tsr__block2d_read {
    LLVMValueRef call;
    struct tsr__block2d_area *area;
    unsigned row, byte;
};

struct tsr__blocks2d {
    struct tsr__compilation *l;
    LLVMBuilderRef b, entry;
    bool whole_words; /* values of transformed blocks are words of extended elements, not shuffles */
    struct tsr__block2d_read *pending;
    size_t pending_count;
    struct tsr__map places; /* instruction → number in the function */
    struct tsr__map frozen; /* reads whose results LLVM's passes have frozen as a whole: each value that is loaded will be */
};

static inline LLVMValueRef tsr__block2d_i64(const struct tsr__blocks2d *o, int64_t n)
{
    return tsr__i64(o->l, (uint64_t)n);
}
/* Is it an operation of this action: "read", "write", "prefetch", or any? */
bool tsr__is_block2d_operation(LLVMValueRef inst, const char *action);
/* The operand, a constant. */
unsigned tsr__block2d_number(LLVMValueRef call, unsigned operand);
/* The block of an operation, of `columns` elements of `size` bytes. */
struct tsr__block2d_region tsr__block2d_region(struct tsr__blocks2d *o, LLVMValueRef call, unsigned rows, unsigned columns, unsigned size);
/* The block of a read. */
struct tsr__block2d_region tsr__block2d_region_of_read(struct tsr__blocks2d *o, LLVMValueRef call);
LLVMValueRef tsr__block2d_row(struct tsr__blocks2d *o, LLVMValueRef base, LLVMValueRef pitch, LLVMValueRef row, LLVMValueRef byte);
/* The values of a read, vectors of this type, from the rows of its area: code at the builder. */
void tsr__block2d_values(struct tsr__blocks2d *o, struct tsr__block2d_read *p, LLVMTypeRef type, unsigned count, LLVMValueRef *values);

/* Makes a second way through loops whose products take their operands from 2D blocks, for the device, which runs such a loop as a whole;
 * answers if there are such loops. (block2d_loops.c) */
bool tsr__block2d_loops(struct tsr__compilation *l, LLVMValueRef function);

#endif
