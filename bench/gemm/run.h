/* SPDX-License-Identifier: Apache-2.0
 * Kernels of the matrix benchmark, and how they are timed. */
#ifndef TESSERA_BENCH_GEMM_RUN_H
#define TESSERA_BENCH_GEMM_RUN_H

#include <CL/cl.h>

#include "gemm.h"

struct gemm_device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
};

struct gemm_run {
    cl_kernel kernel;
    cl_mem memory[3];
    size_t global[3], local[3];
};

/* The kernel "gemm" of a file. Ends the program, with the log, if it does not build. (run.c) */
cl_kernel gemm_build(const struct gemm_device *d, const char *path, const char *options);
/* Makes buffers of A, B and the problem's C, and gives them to the kernel as its first arguments. */
void gemm_run_bind(const struct gemm_device *d, struct gemm_run *run, const struct gemm_problem *p, void *a, void *b);
/* Times it in turn with oneDNN and the peers, prints a line, and releases the run. False: it computes something wrong. `peak`: Gop/s of
 * all threads at most, 0: unknown. */
bool gemm_measure(const struct gemm_device *d, struct gemm_run *run, const char *name, const struct gemm_problem *p, int rounds,
                  double peak, int peers);
/* From now on gemm_now_us() is CPU time, shared by so many threads. */
void gemm_time_by_cpu(int threads);

/* Kernels in the styles of others (styles.c): those with `only` in their names. False: one computes something wrong. */
bool gemm_styles(const struct gemm_device *d, struct gemm_problem *p, const char *only, int rounds, double peak);

#endif
