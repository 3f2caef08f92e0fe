/* SPDX-License-Identifier: Apache-2.0
 * What kernels with matrix functions (docs/matrix.md) multiply, and where the matrices lie. Private to kgen/. */
#ifndef TESSERA_CONFORMANCE_KGEN_MATRIX_H
#define TESSERA_CONFORMANCE_KGEN_MATRIX_H

#include "gen.h"
#include "tessera/matrix_math.h"

enum {
    STEP_BYTES = 32,
    STEP_WORDS = 8,
    READ_AHEAD = 2,
    MOST_PRODUCTS = 10
}; /* of A and of a column of B; steps that are read and not multiplied */

/* An overload, from include/tessera/matrix.def. */
struct function {
    const char *name;
    enum tsr_matrix_form form;
    unsigned lanes, m, k;
    const char *a, *b, *c; /* types */
    enum tsr_element ea, eb, ec;
};

/* Bytes from one row to the next; of A and B from one step of K to the next; from one matrix in z to the next, 0: all are one. */
struct matrix {
    size_t row, step, batch, offset;
    unsigned unit;    /* bytes of what work-items read at a time, of which the others are multiples */
    bool is_argument; /* the kernel gets the distance of rows as an argument */
};

struct matrices {
    const struct function *f[2]; /* the same but for the signs and widths of integers */
    unsigned rows, columns;      /* functions under each other and beside each other */
    unsigned most_steps;         /* of a loop over K */
    const char *index;           /* type of indices */
    bool is_full; /* sub-groups are whole, and each has COLUMNS blocks beside each other; else each work-item has a column in COLUMNS blocks
                   */
    bool is_aligned;                     /* the work-items of a sub-group are neighbours in a row of the range */
    bool is_swapped;                     /* x has rows, and y has columns */
    bool is_joint;                       /* A and C lie side by side in one matrix */
    bool is_bare;                        /* the kernel does nothing else */
    bool is_written_out;                 /* without loops over rows and columns */
    bool calls;                          /* the function by way of another one */
    int products_left, products_in_step; /* that the kernel may still have: each makes much code; in a step of K */
    bool in_panels[2];                   /* a step of K of all rows of A, or of the columns of a sub-group of B, follows the one before */
    enum { B_WORDS, B_ELEMENTS, B_TRANSPOSED } b_kind;
    bool c_transposed;
    size_t height, width, panel; /* rows and columns of C; bytes of a panel of B */
    struct matrix a, b, c;
};

unsigned components(const char *type);        /* of a vector type, 1 of others */
unsigned b_in_word(const struct matrices *m); /* elements of B in a word; of 4-bit numbers pairs of them */
bool has_integers(const struct matrices *m);
unsigned shrink(struct gen *g, unsigned value, unsigned least); /* the value, or `least` if the reducer wants it so */

#endif
