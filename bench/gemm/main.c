/* SPDX-License-Identifier: Apache-2.0
 * C = A·B by OpenCL kernels with matrix functions, in turn with oneDNN and other drivers.
 *
 * bench_gemm [-t threads] [-r rounds] [-s size,…] [-b products] [-k "int8 SG16 32x32"] [-l] [-p rounds] [-c] [-i [-v]]
 * bench_gemm --styles [-t threads] [-r rounds] [-s size,…] [-k "bf16 8x16 rows"] [-c]
 *
 * size: of square matrices, or rows of C x columns x depth, as 1000x1500x700: then kernels that need whole blocks get matrices with zeros
 * behind. -t: on the first so many of the CPUs that it may use. -b: so many products of small matrices at once, beside oneDNN's batched
 * one. -k: only what has this in its name. -l: the kernels take A and B tile after tile. -p: they fetch both so many rounds ahead. -c: by
 * CPU time. -i: beside the same product by SPIR-V with cooperative matrices, in Tessera ("coop. mat.") and every other OpenCL driver that
 * takes them; of its kernel's forms the fastest counts, and a dash is for a driver that refuses it (Intel's does without AMX). -v: what
 * these drivers say about it.
 * --styles: kernels as people write them for GPUs (styles.cl), none of which is made for this driver, for int8, bf16, f16, tf32 (beside
 * oneDNN's product of floats) and int4. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <getopt.h>
#include <sched.h>
#include <unistd.h>

#include "../bench.h"
#include "run.h"

/* How a kernel divides the work: sub-group size, blocks of 8 rows and of SG columns for each sub-group. */
static const struct shape {
    int sub_group, rows, columns;
} shapes[] = {{16, 4, 2}, {8, 4, 4}, {16, 2, 2}, {16, 4, 1}, {8, 4, 2}, {16, 2, 1}, {8, 2, 2}};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]), GROUP_X = 4, GROUP_Y = 4 };

/* Bytes of K in a round: the matrices may be smaller than a tile. */
static int batch_step(const struct gemm_problem *p)
{
    return p->size.depth * gemm_element_bytes(p->type) % 64 ? 32 : 64;
}

static cl_kernel build(const struct gemm_device *d, const struct shape *s, const struct gemm_problem *p, int ahead)
{
    char options[200];
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DSG=%d -DROWS=%d -DCOLUMNS=%d -DAHEAD=%d%s%s", s->sub_group, s->rows, s->columns,
             ahead, p->type == GEMM_BF16 ? " -DBF16" : "", p->tiled ? " -DTILED" : "");
    if (p->count > 1)
        snprintf(options + strlen(options), sizeof(options) - strlen(options), " -DBATCH=%d -DSTEP=%d", p->size.columns, batch_step(p));
    return gemm_build(d, GEMM_KERNELS, options);
}

static struct gemm_run prepare(const struct gemm_device *d, const struct shape *s, struct gemm_problem *p, int ahead)
{
    cl_int k_bytes = p->size.depth * gemm_element_bytes(p->type), n = p->size.columns;
    struct gemm_run run = {.kernel = build(d, s, p, ahead)};
    gemm_pack(p, p->tiled ? GEMM_TILE : s->columns * s->sub_group);
    if (p->tiled)
        gemm_pack_rows(p);
    gemm_run_bind(d, &run, p, p->tiled ? p->packed_a : p->a, p->packed);
    BENCH_CHECK(clSetKernelArg(run.kernel, 3, sizeof(k_bytes), &k_bytes));
    BENCH_CHECK(clSetKernelArg(run.kernel, 4, sizeof(n), &n));
    run.global[0] = (size_t)(p->size.columns / s->columns);
    run.global[1] = (size_t)(p->size.rows / (8 * s->rows));
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
        return height * width > 256 && p->size.rows % (GROUP_Y * height) == 0 && p->size.columns % (GROUP_X * width) == 0 &&
               p->size.depth == p->room.depth;
    return p->size.rows % height == 0 && p->size.columns % width == 0 && p->size.depth * gemm_element_bytes(p->type) >= 32;
}

/* "int8 SG16 32x32", as it is printed and chosen. */
static const char *name_of(enum gemm_type type, const struct shape *s)
{
    static char name[40];
    snprintf(name, sizeof(name), "%s SG%d %dx%d", gemm_type_name(type), s->sub_group, 8 * s->rows, s->columns * s->sub_group);
    return name;
}

static bool measure_shapes(const struct gemm_device *d, struct gemm_problem *p, const char *only, int ahead, int rounds, double peak,
                           int peers)
{
    bool right = true;
    for (int s = 0; s < SHAPES; s++) {
        const char *name = name_of(p->type, &shapes[s]);
        if (!strstr(name, only) || !fits(&shapes[s], p))
            continue;
        struct gemm_run run = prepare(d, &shapes[s], p, ahead);
        right &= gemm_measure(d, &run, name + strlen("int8 "), p, rounds, peak, peers);
    }
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

/* Of the text from *at on, which is then behind it. */
static struct gemm_size read_size(char **at)
{
    int of[3];
    for (int i = 0; i < 3; i++) {
        of[i] = i && **at != 'x' ? of[0] : (int)strtol(*at + (i > 0), at, 10);
        of[i] = of[i] < 1 ? 1 : of[i];
    }
    return (struct gemm_size){of[0], of[1], of[2]};
}

int main(int argc, char **argv)
{
    int threads = 1, rounds = 25, ahead = 0, products = 1, size_count = 2, peers = 0;
    struct gemm_size sizes[8] = {{1024, 1024, 1024}, {2048, 2048, 2048}};
    struct bench_driver drivers[BENCH_DRIVERS];
    struct gemm_peaks peaks;
    struct gemm_device d;
    cl_int status;
    bool right = true, cpu_time = false, others = false, verbose = false, tiled = false, styles = false;
    const char *only = "";

    static const struct option long_options[] = {{"styles", no_argument, NULL, 'y'}, {0}};

    for (int option; (option = getopt_long(argc, argv, "t:r:s:ck:b:ivlp:", long_options, NULL)) >= 0;) {
        if (option == 't') {
            threads = atoi(optarg);
        } else if (option == 'r') {
            rounds = atoi(optarg);
        } else if (option == 'b') {
            products = atoi(optarg);
        } else if (option == 'c') {
            cpu_time = true;
        } else if (option == 'y') {
            styles = true;
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
                sizes[size_count++] = read_size(&at);
        } else {
            return 2;
        }
    }
    if (threads < 1 || rounds < 1 || products < 1 || ahead < 0 || (tiled && products > 1) ||
        (styles && (others || tiled || ahead || products > 1)))
        return 2;
    set_environment(argv, threads);
    gemm_time_by_cpu(cpu_time ? threads : 0);
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
    printf("type   size  kernel              Tessera    share     oneDNN   ratio");
    for (int i = 0; i < peers; i++)
        printf("  %9.9s   ratio", gemm_peer_name(i));
    printf("\n");
    for (enum gemm_type type = GEMM_INT8; type < (styles ? GEMM_TYPES : GEMM_PLAIN_TYPES); type++)
        for (int i = 0; i < size_count; i++) {
            struct gemm_problem p = gemm_make_problem(type, products, sizes[i]);
            double peak = threads * (tiles ? peaks.tiles : peaks.vectors)[type];
            p.tiled = tiled;
            gemm_peers_prepare(&p);
            right &= styles ? gemm_styles(&d, &p, only, rounds, peak) : measure_shapes(&d, &p, only, ahead, rounds, peak, peers);
            gemm_free_problem(&p);
        }
    gemm_peers_stop();
    clReleaseCommandQueue(d.queue);
    clReleaseContext(d.context);
    return !right;
}
