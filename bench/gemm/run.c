/* SPDX-License-Identifier: Apache-2.0
 * A kernel with its matrices: building it, and timing it in turn with oneDNN and other drivers. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <math.h>

#include "../bench.h"
#include "run.h"

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    if (!file || !text || !fread(text, 1, (1 << 16) - 1, file)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

cl_kernel gemm_build(const struct gemm_device *d, const char *path, const char *options)
{
    char *source = read_text(path);
    cl_int status;
    cl_program program = clCreateProgramWithSource(d->context, 1, (const char **)&source, NULL, &status);
    BENCH_CHECK(status);
    if (clBuildProgram(program, 1, &d->id, options, NULL, NULL) != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s\n", log);
        exit(1);
    }
    cl_kernel kernel = clCreateKernel(program, "gemm", &status);
    BENCH_CHECK(status);
    clReleaseProgram(program);
    free(source);
    return kernel;
}

void gemm_run_bind(const struct gemm_device *d, struct gemm_run *run, const struct gemm_problem *p, void *a, void *b)
{
    const size_t element = (size_t)gemm_element_bytes(p->type), rows = (size_t)p->room.rows, columns = (size_t)p->room.columns,
                 depth = (size_t)p->room.depth, sizes[3] = {rows * depth * element, depth * columns * element, rows * columns * 4};
    void *host[3] = {a, b, p->c};
    cl_int status;
    for (cl_uint i = 0; i < 3; i++) {
        size_t size = (size_t)p->count * sizes[i];
        run->memory[i] = clCreateBuffer(d->context, CL_MEM_USE_HOST_PTR, size, host[i], &status);
        BENCH_CHECK(status);
        BENCH_CHECK(clSetKernelArg(run->kernel, i, sizeof(cl_mem), &run->memory[i]));
    }
}

/* CPU time is less disturbed by other programs on the machine. */
static int cpu_time_of; /* threads; 0: time on the wall */

void gemm_time_by_cpu(int threads)
{
    cpu_time_of = threads;
}

double gemm_now_us(void)
{
    struct timespec now;
    if (!cpu_time_of)
        return bench_now_us();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return ((double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3) / cpu_time_of;
}

static double once(const struct gemm_device *d, const struct gemm_run *run)
{
    double start = gemm_now_us();
    BENCH_CHECK(clEnqueueNDRangeKernel(d->queue, run->kernel, 3, NULL, run->global, run->local, 0, NULL, NULL));
    BENCH_CHECK(clFinish(d->queue));
    return gemm_now_us() - start;
}

static void release(struct gemm_run *run)
{
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(run->memory[i]);
    clReleaseKernel(run->kernel);
}

static double once_library(struct gemm_library *library)
{
    double start = gemm_now_us();
    gemm_library_run(library);
    return gemm_now_us() - start;
}

/* A column; time is INFINITY where there is none. */
static void print_other(double operations, double ours, double theirs)
{
    if (theirs < INFINITY)
        printf("  %9.0f  %6.2f", operations / theirs / 1e3, theirs / ours);
    else
        printf("  %9s  %6s", "-", "-");
}

bool gemm_measure(const struct gemm_device *d, struct gemm_run *run, const char *name, const struct gemm_problem *p, int rounds,
                  double peak, int peers)
{
    double ours = INFINITY, theirs = INFINITY, peer[GEMM_PEERS]; /* the best of all rounds: others may use the machine, too */
    struct gemm_library *library = gemm_library_make(p, p->expected);
    once(d, run);
    if (library)
        once_library(library);
    bool right = gemm_is_right(p);
    for (int j = 0; j < peers; j++)
        peer[j] = gemm_peer_run(j);
    for (int i = 0; i < rounds; i++) {
        ours = fmin(ours, once(d, run));
        if (library)
            theirs = fmin(theirs, once_library(library));
        for (int j = 0; j < peers; j++)
            peer[j] = fmin(peer[j], gemm_peer_run(j));
    }
    double operations = gemm_operations(p), mine = operations / ours / 1e3;
    char size[40];
    snprintf(size, sizeof(size), gemm_is_square(p) ? "%d" : "%dx%dx%d", p->size.rows, p->size.columns, p->size.depth);
    printf("%-5s %5s  %-16s  %9.0f", gemm_type_name(p->type), size, name, mine);
    if (peak > 0)
        printf("  %5.0f %%", 100 * mine / peak);
    else
        printf("  %7s", "-");
    print_other(operations, ours, theirs);
    for (int j = 0; j < peers; j++)
        print_other(operations, ours, peer[j]);
    printf("%s\n", right ? "" : "  WRONG");
    fflush(stdout);
    if (library)
        gemm_library_free(library);
    release(run);
    return right;
}
