/* SPDX-License-Identifier: Apache-2.0
 * A second opinion on the matrix functions. It knows what their names say and the index formulas of docs/matrix.md, works on whole
 * matrices with exact numbers, and shares no code with the library: elements are chosen first, then packed for the lanes. */
#ifndef MATRIX_ORACLE_H
#define MATRIX_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORACLE_MAX_M = 8, ORACLE_MAX_K = 64, ORACLE_MAX_COLUMNS = 16, ORACLE_ARGUMENT = 32 };

/* A function as its prototype shows it. A "team" is what makes one product: a sub-group, or a pair of them for the split functions. */
struct oracle_function {
    const char *name;
    char a[16], b[16], c[16]; /* types of the arguments */
    bool split;
    unsigned n, m, k;
    unsigned team;                                     /* lanes, and columns of D */
    unsigned bits;                                     /* of an element of A and B */
    bool number;                                       /* elements have a fraction */
    bool a_signed, b_signed;                           /* integers */
    unsigned a_size, c_size;                           /* bytes of the arguments; b always has 32 */
    unsigned c_exponent_bits, c_fraction_bits, c_bits; /* format of C; integers have no fraction */
    unsigned exponent_bits, fraction_bits;             /* format of A and B */
};

/* What A, B and C are filled with. */
enum oracle_data {
    ORACLE_RANDOM,  /* any bit pattern of integers; numbers of moderate size */
    ORACLE_CORNERS, /* extremes, zeros, denormals; C near the ends of its range */
    ORACLE_SPECIAL, /* numbers: any bit pattern, so infinities and NaNs too; integers: the largest products */
    ORACLE_ONE_HOT, /* a single one in A at (row, k) = (seed mod M, seed / M mod K) */
    ORACLE_DATA_KINDS
};

struct oracle_case {
    const struct oracle_function *f;
    uint32_t a[ORACLE_MAX_M][ORACLE_MAX_K], b[ORACLE_MAX_K][ORACLE_MAX_COLUMNS], c[ORACLE_MAX_M][ORACLE_MAX_COLUMNS]; /* bits */
};

/* Every overload of the table. */
extern const struct oracle_function *const oracle_functions;
size_t oracle_function_count(void);

void oracle_fill(struct oracle_case *t, const struct oracle_function *f, enum oracle_data data, uint32_t seed);
/* The arguments of one lane of the team: a_size, 32 and c_size bytes. */
void oracle_pack(const struct oracle_case *t, unsigned lane, void *a, void *b, void *c);
/* Products of bfloat16 are as VDPBF16PS makes them: the second one of a pair is added first, and denormals count as zero. */
extern bool oracle_bf16_pairs;
/* Compares the result of one lane with D, where lanes from `present` on do not exist. Says on standard error what differs. */
bool oracle_check(const struct oracle_case *t, unsigned present, unsigned lane, const void *d);

uint32_t oracle_random(uint32_t *state);

#endif
