/* SPDX-License-Identifier: Apache-2.0
 * What the parts of the matrix benchmark share: shapes, the library to compare with, and the limits of the machine. */
#ifndef TESSERA_BENCH_GEMM_H
#define TESSERA_BENCH_GEMM_H

#include <stdbool.h>
#include <stdint.h>

enum gemm_type { GEMM_INT8, GEMM_BF16, GEMM_TYPES };
/* What a core can do at most, in Gop/s. */
struct gemm_peaks {
    double tiles[GEMM_TYPES];   /* AMX; 0 where there is none */
    double pairs, multiply_add; /* VDPBF16PS, fused multiply-adds of floats */
    double vectors[GEMM_TYPES]; /* VNNI; the better one of those two */
};
void gemm_peaks(struct gemm_peaks *peaks);

/* oneDNN, with B packed as it likes best, if this program was built where its headers are and runs where the library is; else NULL.
 * `count` products of square matrices. (dnnl.c) */
struct gemm_library;
struct gemm_library *gemm_library_make(enum gemm_type type, int count, int size, const void *a, const void *b, void *c);
void gemm_library_run(struct gemm_library *library);
void gemm_library_free(struct gemm_library *library);

#endif
