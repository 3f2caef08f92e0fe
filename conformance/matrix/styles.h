/* SPDX-License-Identifier: Apache-2.0
 * Kernels of products in the styles of other people (styles_kernel.c). */
#ifndef TESSERA_CONFORMANCE_MATRIX_STYLES_H
#define TESSERA_CONFORMANCE_MATRIX_STYLES_H

#include "conformance/matrix/device.h"

enum type { INT8, UINT8, BF16, F16, TF32, INT4, UINT4, TYPES };

struct of_type {
    int element, numbers; /* bytes of an element in memory; numbers in it, which follow each other along K */
    bool has_fraction;    /* so sums are float */
    const char *function, *a, *a_of_8, *b, *element_type; /* types of parts of a row of A for 16 lanes and for 8, of words of B */
    const char *transform, *word;                         /* of B by rows: the 2D block read, and a word of elements */
};
extern const struct of_type of_types[TYPES];

enum end { STORES, ADDS_TO_C, CUTS_NEGATIVE, SCALES, READS_BACK, COUNTS };

struct style {
    int m, rows, columns; /* rows of a function; functions under and beside each other */
    enum type type;
    bool b_rows; /* B is a matrix of elements; else of words */
    const char *index;
    enum end end;
    bool clamps;                                           /* work-groups at the end move back into the range, and so overlap others */
    enum { NO_BLOCKS, A_BLOCKS, B_BLOCKS, BLOCKS } blocks; /* A, B or both by 2D block reads, of matrices that may end within a block */
    bool writes;                                           /* C by 2D block writes, to such a matrix */
    bool nested;                                           /* K in blocks, each with a loop of its own */
    bool backwards;                                        /* with nested: the last block comes first */
    bool eight;                                            /* sub-groups of 8 */
    bool b_columns;                                        /* B is a matrix of elements by columns, of which each lane reads its own */
    bool checks;   /* A and B are read, and C is stored, behind comparisons: as 2D blocks, they may end anywhere */
    bool limits;   /* with checks: rows of A and columns of B are limited to the last ones instead, and all of K is there */
    bool staged;   /* work-groups of 2 x 4 sub-groups copy a step of A and B, which is words, to local memory */
    bool any_size; /* … and do not require their size, but ask for it */
    bool halves;   /* the loop over K makes two sums, of its first and its second half */
    enum { IN_ITS_ROUND, A_ROUND_AHEAD, LAST_BEHIND } ahead; /* when A and B are read; the last products may be behind the loop */
    /* What a loop that reads ahead reads into: registers that are copied; one of two buffers, which the round's number says, or a number or
     * two pointers that change in each round; or, in local memory, the one buffer again behind the products; one of three, or of four,
     * which the round's number, two numbers or three pointers say, and which it fills up to three rounds ahead. Local memory is not COPIED
     * ahead: other sub-groups would read it yet. */
    enum { COPIED, BY_ROUND, TOGGLED, EXCHANGED, BY_BOOL, REFILLED, BY_THREE, BY_STAGE, TWO_AHEAD, ROTATED, THREE_AHEAD, BUFFERS } buffers;
    bool two_b;     /* the loop makes two sums, of one A and two B: adds twice that of the columns at the same place from the other end; not
                       with `limits` */
    bool row_sums;  /* … and of A and a B of ones, of which it takes away three times; not with LAST_BEHIND */
    bool apart;     /* each round's products begin with zero, and are added to the sums */
    bool registers; /* local memory is filled from private arrays, behind the products */
    bool to_last;   /* such a loop's last round copies the last step again, instead of none */
    /* The loop flips the signs of every second part of a row of A, and of every second word of a column of B, before it multiplies, or
     * copies to local memory. Not of TF32, with `blocks` or with `registers`. */
    enum { COMPUTES_NOTHING, COMPUTES_A, COMPUTES_B, COMPUTES_BOTH } computes;
    /* Work-groups are in one row, and their numbers stand for places in C: row after row, or in bands of two rows, column after column. */
    enum { IN_GRID, BY_ROWS, IN_BANDS, ORDERS } order;
};

/* The first few, and all (styles_table.c). */
extern const struct style styles[];
extern const size_t style_few, style_count;

enum { STAGED_BESIDE = 2, STAGED_UNDER = 4 }; /* sub-groups of a group with local memory */

static inline int lanes_of(const struct style *s)
{
    return s->eight ? 8 : 16;
}

static inline int a_bytes(const struct style *s)
{
    return s->eight || s->type == TF32 ? 4 : 2;
}

/* How many rounds ahead a loop with buffers reads. */
unsigned style_rounds_ahead(const struct style *s);
/* The program with the style's kernel, k; or NULL, and the build log is printed. */
cl_program style_build(struct device *device, const struct style *s);

#endif
