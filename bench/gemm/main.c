/* SPDX-License-Identifier: Apache-2.0
 * C = A·B on square matrices by OpenCL kernels with matrix functions, in turn with oneDNN and other drivers.
 *
 * bench_gemm [-t threads] [-r rounds] [-s size,…] [-b products] [-k "int8 SG16 32x32"] [-l] [-p rounds] [-c] [-i [-v]]
 *
 * -b: so many products of small matrices at once, beside oneDNN's batched one. -k: only what has this in its name. -l: the kernels take A
 * and B tile after tile. -p: they fetch both so many rounds ahead. -c: by CPU time.
 * -i: beside the same product by SPIR-V with cooperative matrices, in Tessera ("coop. mat.") and every other OpenCL driver that takes them;
 * of its kernel's forms the fastest counts, and a dash is for a driver that refuses it (Intel's does without AMX). -v: what these drivers
 * say about it. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <unistd.h>

#include "../bench.h"
#include "gemm.h"

/* How a kernel divides the work: sub-group size, blocks of 8 rows and of SG columns for each sub-group. */
static const struct shape {
    int sub_group, rows, columns;
} shapes[] = {{16, 4, 2}, {8, 4, 4}, {16, 2, 2}, {16, 4, 1}, {8, 4, 2}, {16, 2, 1}, {8, 2, 2}};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]), GROUP_X = 4, GROUP_Y = 4 };

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
};

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

/* Bytes of K in a round: the matrices may be smaller than a tile. */
static int batch_step(const struct gemm_problem *p)
{
    return p->size * gemm_element_bytes(p->type) % 64 ? 32 : 64;
}

static cl_kernel build(const struct device *d, const struct shape *s, const struct gemm_problem *p, int ahead)
{
    char options[200];
    char *source = read_text(GEMM_KERNELS);
    cl_int status;
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DSG=%d -DROWS=%d -DCOLUMNS=%d -DAHEAD=%d%s%s", s->sub_group, s->rows, s->columns,
             ahead, p->type == GEMM_BF16 ? " -DBF16" : "", p->tiled ? " -DTILED" : "");
    if (p->count > 1)
        snprintf(options + strlen(options), sizeof(options) - strlen(options), " -DBATCH=%d -DSTEP=%d", p->size, batch_step(p));
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

struct run {
    cl_kernel kernel;
    cl_mem memory[3];
    size_t global[3], local[3];
};

static struct run prepare(const struct device *d, const struct shape *s, struct gemm_problem *p, int ahead)
{
    size_t bytes = (size_t)p->count * (size_t)p->size * (size_t)p->size;
    cl_int k_bytes = p->size * gemm_element_bytes(p->type), n = p->size, status;
    struct run run = {.kernel = build(d, s, p, ahead)};
    void *host[3] = {p->tiled ? p->packed_a : p->a, p->packed, p->c};
    gemm_pack(p, p->tiled ? GEMM_TILE : s->columns * s->sub_group);
    if (p->tiled)
        gemm_pack_rows(p);
    for (cl_uint i = 0; i < 3; i++) {
        size_t size = bytes * (i == 2 ? 4 : (size_t)gemm_element_bytes(p->type));
        run.memory[i] = clCreateBuffer(d->context, CL_MEM_USE_HOST_PTR, size, host[i], &status);
        BENCH_CHECK(status);
        BENCH_CHECK(clSetKernelArg(run.kernel, i, sizeof(cl_mem), &run.memory[i]));
    }
    BENCH_CHECK(clSetKernelArg(run.kernel, 3, sizeof(k_bytes), &k_bytes));
    BENCH_CHECK(clSetKernelArg(run.kernel, 4, sizeof(n), &n));
    run.global[0] = (size_t)(p->size / s->columns);
    run.global[1] = (size_t)(p->size / (8 * s->rows));
    run.global[2] = (size_t)p->count;
    run.local[0] = p->count > 1 ? run.global[0] : (size_t)(s->sub_group * GROUP_X);
    run.local[1] = p->count > 1 ? run.global[1] : GROUP_Y;
    run.local[2] = 1;
    return run;
}

/* Blocks of 16 x 16 are for small products. */
static bool fits(const struct shape *s, const struct gemm_problem *p)
{
    int height = 8 * s->rows, width = s->columns * s->sub_group;
    if (p->count == 1)
        return height * width > 256 && p->size % (GROUP_Y * height) == 0 && p->size % (GROUP_X * width) == 0;
    return p->size % height == 0 && p->size % width == 0 && p->size * gemm_element_bytes(p->type) >= 32;
}

/* CPU time is less disturbed by other programs on the machine. */
static int cpu_time_of; /* threads; 0: time on the wall */

double gemm_now_us(void)
{
    struct timespec now;
    if (!cpu_time_of)
        return bench_now_us();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return ((double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3) / cpu_time_of;
}

static double once(const struct device *d, const struct run *run)
{
    double start = gemm_now_us();
    BENCH_CHECK(clEnqueueNDRangeKernel(d->queue, run->kernel, 3, NULL, run->global, run->local, 0, NULL, NULL));
    BENCH_CHECK(clFinish(d->queue));
    return gemm_now_us() - start;
}

static void release(struct run *run)
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

/* "int8 SG16 32x32", as it is printed and chosen. */
static const char *name_of(enum gemm_type type, const struct shape *s)
{
    static char name[40];
    snprintf(name, sizeof(name), "%s SG%d %dx%d", type == GEMM_BF16 ? "bf16" : "int8", s->sub_group, 8 * s->rows,
             s->columns * s->sub_group);
    return name;
}

/* A column; time is INFINITY where there is none. */
static void print_other(double operations, double ours, double theirs)
{
    if (theirs < INFINITY)
        printf("  %9.0f  %6.2f", operations / theirs / 1e3, theirs / ours);
    else
        printf("  %9s  %6s", "-", "-");
}

static bool measure(const struct device *d, const struct shape *s, struct gemm_problem *p, int ahead, int rounds, double peak, int peers)
{
    double ours = INFINITY, theirs = INFINITY, peer[GEMM_PEERS]; /* the best of all rounds: others may use the machine, too */
    struct run run = prepare(d, s, p, ahead);
    struct gemm_library *library = gemm_library_make(p->type, p->count, p->size, p->a, p->b, p->expected);
    once(d, &run);
    if (library)
        once_library(library);
    bool right = gemm_is_right(p);
    for (int j = 0; j < peers; j++)
        peer[j] = gemm_peer_run(j);
    for (int i = 0; i < rounds; i++) {
        ours = fmin(ours, once(d, &run));
        if (library)
            theirs = fmin(theirs, once_library(library));
        for (int j = 0; j < peers; j++)
            peer[j] = fmin(peer[j], gemm_peer_run(j));
    }
    double operations = 2.0 * p->count * p->size * p->size * p->size, mine = operations / ours / 1e3;
    printf("%-5s %5d  SG%-2d %3dx%-3d  %9.0f", p->type == GEMM_BF16 ? "bf16" : "int8", p->size, s->sub_group, 8 * s->rows,
           s->columns * s->sub_group, mine);
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
    release(&run);
    return right;
}

/* The libraries read their variables when they are loaded, so the program starts once more with them. A thread of OpenMP that waits must
 * not take the CPU from others. */
static void set_environment(char **argv, int threads)
{
    char count[12];
    const char *old = getenv("OMP_NUM_THREADS");
    snprintf(count, sizeof(count), "%d", threads);
    if (old && !strcmp(old, count))
        return;
    setenv("OMP_NUM_THREADS", count, 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    setenv("TESSERA_THREADS", count, 1);
    execv("/proc/self/exe", argv);
    perror("cannot start again");
    exit(1);
}

/* The first so many of the CPUs that this process has, for its threads and for the processes that it starts: CPUs may differ in speed. */
static void keep_to(int threads)
{
    cpu_set_t has, keeps;
    sched_getaffinity(0, sizeof(has), &has);
    CPU_ZERO(&keeps);
    for (int i = 0; i < CPU_SETSIZE && threads > 0; i++)
        if (CPU_ISSET(i, &has)) {
            CPU_SET(i, &keeps);
            threads--;
        }
    sched_setaffinity(0, sizeof(keeps), &keeps);
}

int main(int argc, char **argv)
{
    int threads = 1, rounds = 25, ahead = 0, products = 1, sizes[8] = {1024, 2048}, size_count = 2, peers = 0;
    struct bench_driver drivers[BENCH_DRIVERS];
    struct gemm_peaks peaks;
    struct device d;
    cl_int status;
    bool right = true, cpu_time = false, others = false, verbose = false, tiled = false;
    const char *only = "";

    for (int option; (option = getopt(argc, argv, "t:r:s:ck:b:ivlp:")) >= 0;) {
        if (option == 't') {
            threads = atoi(optarg);
        } else if (option == 'r') {
            rounds = atoi(optarg);
        } else if (option == 'b') {
            products = atoi(optarg);
        } else if (option == 'c') {
            cpu_time = true;
        } else if (option == 'i') {
            others = true;
        } else if (option == 'v') {
            verbose = true;
        } else if (option == 'l') {
            tiled = true;
        } else if (option == 'p') {
            ahead = atoi(optarg);
        } else if (option == 'k') {
            only = optarg;
        } else if (option == 's') {
            size_count = 0;
            for (char *at = optarg; *at && size_count < 8; at += *at == ',')
                sizes[size_count++] = (int)strtol(at, &at, 10);
        } else {
            return 2;
        }
    }
    if (threads < 1 || rounds < 1 || products < 1 || ahead < 0 || (tiled && products > 1))
        return 2;
    set_environment(argv, threads);
    cpu_time_of = cpu_time ? threads : 0;
    keep_to(threads);
    if (others)
        peers = gemm_peers_start(verbose);
    if (!bench_drivers(drivers) || !strstr(drivers[0].name, "Tessera")) {
        fprintf(stderr, "the loader shows no Tessera\n");
        return 1;
    }
    d.id = drivers[0].device;
    d.context = clCreateContext(NULL, 1, &d.id, NULL, NULL, &status);
    BENCH_CHECK(status);
    d.queue = clCreateCommandQueueWithProperties(d.context, d.id, NULL, &status);
    BENCH_CHECK(status);
    gemm_peaks(&peaks);
    const char *level = getenv("TESSERA_CPU");
    bool tiles = peaks.tiles[0] > 0 && (!level || !strcmp(level, "native"));
    printf("a core's limits, Gop/s: tiles %.0f int8, %.0f bf16; VNNI %.0f, BF16 %.0f, FMA %.0f; shares are of %s, %d thread%s\n",
           peaks.tiles[GEMM_INT8], peaks.tiles[GEMM_BF16], peaks.vectors[GEMM_INT8], peaks.pairs, peaks.multiply_add,
           tiles ? "tiles" : "vectors", threads, threads == 1 ? "" : "s");
    printf("type   size  kernel          Tessera    share     oneDNN   ratio");
    for (int i = 0; i < peers; i++)
        printf("  %9.9s   ratio", gemm_peer_name(i));
    printf("\n");
    for (enum gemm_type type = GEMM_INT8; type < GEMM_TYPES; type++)
        for (int i = 0; i < size_count; i++) {
            struct gemm_problem p = gemm_make_problem(type, products, sizes[i]);
            p.tiled = tiled;
            gemm_peers_prepare(&p);
            for (int s = 0; s < SHAPES; s++)
                if (strstr(name_of(type, &shapes[s]), only) && fits(&shapes[s], &p))
                    right &= measure(&d, &shapes[s], &p, ahead, rounds, threads * (tiles ? peaks.tiles : peaks.vectors)[type], peers);
            gemm_free_problem(&p);
        }
    gemm_peers_stop();
    clReleaseCommandQueue(d.queue);
    clReleaseContext(d.context);
    return !right;
}
