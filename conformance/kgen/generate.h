/* SPDX-License-Identifier: Apache-2.0
 * Random OpenCL C kernels whose results the language defines exactly, from a seed. */
#ifndef TESSERA_CONFORMANCE_KGEN_GENERATE_H
#define TESSERA_CONFORMANCE_KGEN_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KGEN_IN_WORDS = 1024,   /* of a buffer that kernels read */
    KGEN_ACC_WORDS = 96,    /* of the buffer that they change atomically: 64 of 32 bits, 16 of 64 bits; behind them, words of work-items */
    KGEN_LOCAL_WORDS = 256, /* of the local argument */
    KGEN_CONSTANT_WORDS = 64
};

/* A growing text. */
struct kgen_text {
    char *at;
    size_t length, room;
};

/* What the elements of a matrix are: any bits, or small whole numbers of a type. */
enum kgen_filling { KGEN_BITS, KGEN_BF16, KGEN_HALF, KGEN_FLOAT };

/* One kernel: `kernel void k<seed>(global const uint *in, global uint *out, global uint *acc, local uint *la, uint n0, … n3)`. One with
 * matrix functions has further arguments: `global uchar *ma, global uchar *mb, global uchar *mc, int qa, int qb, int qc`. The last ones
 * are `global const T *in2` and `constant uint *ic`, if it has them. */
struct kgen_kernel {
    uint64_t seed;
    unsigned dim;
    size_t global[3], local[3], offset[3];
    uint32_t n[4];
    size_t out_bytes, acc_bytes;
    bool has_second, has_constants; /* the arguments in2 and ic */
    unsigned nodes;                 /* statements and expressions that can be dropped */
    bool has_matrices, c_in_a;      /* A, B and C, which it changes; C may lie in A's memory */
    size_t matrix_bytes[3];
    int32_t pitch[3];
    enum kgen_filling filling[3];
};

/* Appends the kernel's text. `dropped` (may be NULL) has a flag per node: such a statement is left out, such an expression becomes 1.
 * `matrices`: it has loops of matrix functions. */
struct kgen_kernel kgen_generate(uint64_t seed, bool matrices, const bool *dropped, struct kgen_text *text);

/* The next of a sequence of random numbers (splitmix64). */
uint64_t kgen_random(uint64_t *state);

#endif
