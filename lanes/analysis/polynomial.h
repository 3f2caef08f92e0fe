/* SPDX-License-Identifier: Apache-2.0
 * Symbolic addresses as polynomials: sums of products of values with constant factors. They give the distance of two addresses, as a
 * constant or as code that computes it. */
#ifndef TESSERA_LANES_ANALYSIS_POLYNOMIAL_H
#define TESSERA_LANES_ANALYSIS_POLYNOMIAL_H

#include "lanes/analysis/index_parts.h"

/* Three factors are a row's number times the length of a row, where the number is a group's times the local size and more. */
enum { TSR__POLYNOMIAL_TERMS = 20, TSR__MAX_FACTORS = 3 };

struct tsr__factor {
    LLVMValueRef value;
    enum tsr__extension extension;
    unsigned width;   /* of the value only so many of the lower bits count; 0: all */
    uint32_t cleared; /* bits of it, once extended, that count as zero */
    unsigned shift;   /* then it counts divided by 2^shift, which leaves no rest */
};

/* constant + Σ coefficient · Π factors, modulo 2^64. */
struct tsr__polynomial {
    bool valid; /* false: too long */
    int64_t constant;
    unsigned count;
    struct {
        int64_t coefficient;
        struct tsr__factor factors[TSR__MAX_FACTORS]; /* in the order of the code; NULL: none */
    } terms[TSR__POLYNOMIAL_TERMS];
};

struct tsr__polynomial tsr__polynomial_constant(int64_t constant);
/* Of a pointer or an integer of 64 bits. */
struct tsr__polynomial tsr__polynomial_of(struct tsr__compilation *l, LLVMValueRef value);
struct tsr__polynomial tsr__polynomial_minus(const struct tsr__polynomial *a, const struct tsr__polynomial *b);
/* a == b · factor? */
bool tsr__polynomial_is_multiple(const struct tsr__polynomial *a, const struct tsr__polynomial *b, int64_t factor);
/* a == quotient · b + rest, with constants for both, if there are such; a rest of a constant b is at least 0 and less than b. */
bool tsr__polynomial_divide(const struct tsr__polynomial *a, const struct tsr__polynomial *b, int64_t *quotient, int64_t *rest);
/* Is a value of this block in it? */
bool tsr__polynomial_varies(const struct tsr__polynomial *a, LLVMBasicBlockRef block);
/* What is added to it from round to round of a loop of one block; false: nothing that stays the same. */
bool tsr__polynomial_step(struct tsr__compilation *l, const struct tsr__polynomial *a, LLVMBasicBlockRef loop,
                          struct tsr__polynomial *step);
/* Code for it, an i64, where all its factors are known. */
LLVMValueRef tsr__polynomial_build(struct tsr__compilation *l, LLVMBuilderRef b, const struct tsr__polynomial *linear);

#endif
