/* SPDX-License-Identifier: Apache-2.0
 * What the parts of the matrix benchmark share: the problem, what to compare with, and the limits of the machine. */
#ifndef TESSERA_BENCH_GEMM_H
#define TESSERA_BENCH_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kernels of our own have the first two, styles all. */
enum gemm_type { GEMM_INT8, GEMM_BF16, GEMM_PLAIN_TYPES, GEMM_F16 = GEMM_PLAIN_TYPES, GEMM_TF32, GEMM_INT4, GEMM_TYPES };
/* What a core can do at most, in Gop/s. */
struct gemm_peaks {
    double tiles[GEMM_TYPES];   /* AMX; 0 where there is none, or it is not measured */
    double pairs, multiply_add; /* VDPBF16PS, fused multiply-adds of floats */
    double vectors[GEMM_TYPES]; /* VNNI; the better one of those two; multiply-adds; 0: not measured */
};
void gemm_peaks(struct gemm_peaks *peaks);

/* Of C = A·B, where A is rows x depth and B is depth x columns. */
struct gemm_size {
    int rows, columns, depth;
};
/* C = A·B. (problem.c) */
struct gemm_problem {
    enum gemm_type type;
    int count; /* products */
    struct gemm_size size;
    struct gemm_size room; /* the same with zeros behind, so that whole blocks of kernels lie in memory: rows of A, B and C are so long. K
                            * is in elements of memory, of which int4 has one for two numbers that follow each other along K */
    bool tiled;            /* the kernels take A and B tile after tile */
    void *a, *b, *packed, *packed_a, *c, *expected;
};
struct gemm_problem gemm_make_problem(enum gemm_type type, int products, struct gemm_size size);
void gemm_free_problem(struct gemm_problem *problem);
const char *gemm_type_name(enum gemm_type type);
int gemm_element_bytes(enum gemm_type type);        /* of memory */
int gemm_depth(const struct gemm_problem *problem); /* K in these elements */
bool gemm_is_square(const struct gemm_problem *problem);
/* Of products, without what is added by zeros. */
double gemm_operations(const struct gemm_problem *problem);
/* B to `packed`: for each panel of `width` columns, words of K's elements, row after row. */
void gemm_pack(struct gemm_problem *problem, int width);
/* A to `packed_a`: tiles of 16 rows of 64 bytes, those of the same rows beside each other. */
void gemm_pack_rows(struct gemm_problem *problem);
/* B column after column, into `packed`. */
void gemm_transpose(struct gemm_problem *problem);
enum { GEMM_TILE = 16, GEMM_TILE_BYTES = 64 };
/* Whether some elements of C are what they must be. */
bool gemm_is_right(const struct gemm_problem *problem);

/* Microseconds; with -c of CPU time shared by the threads. (run.c) */
double gemm_now_us(void);

/* oneDNN, with B packed as it likes best, if this program was built where its headers are and runs where the library is, and it has such
 * a product for this CPU; else NULL.
 * C goes to `c`, with the room that the problem has. (dnnl.c) */
struct gemm_library;
struct gemm_library *gemm_library_make(const struct gemm_problem *problem, void *c);
void gemm_library_run(struct gemm_library *library);
void gemm_library_free(struct gemm_library *library);

/* Tessera and the other OpenCL drivers, with a kernel of cooperative matrices (coop.ll.in). Each runs in a process of its own, since its
 * compiler may end it. (peer.c) */
enum { GEMM_PEERS = 7 };
/* Their number. Before the first use of OpenCL. `verbose`: what they say when they build goes to stderr. */
int gemm_peers_start(bool verbose);
const char *gemm_peer_name(int peer);
/* Builds the kernel, and says if its results are wrong. It makes single products of square matrices only, which lie as the problem says. */
void gemm_peers_prepare(const struct gemm_problem *problem);
/* Microseconds of the fastest of its forms, each run once; INFINITY if the driver does not take the kernel. */
double gemm_peer_run(int peer);
void gemm_peers_stop(void);

#endif
