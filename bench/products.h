/* SPDX-License-Identifier: Apache-2.0
 * What the benchmarks of matrix products in the tensor language share: types, numbers, kernels on Tessera, and the same product in oneDNN
 * 2.x, whose library is looked for when the program runs. Matrices are by columns. */
#ifndef TESSERA_BENCH_PRODUCTS_H
#define TESSERA_BENCH_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"

static const struct type {
    const char *in, *out; /* of A and B; of C */
    int in_bytes, out_bytes;
    bool is_int;
} types[] = {{"f32", "f32", 4, 4, false}, {"f64", "f64", 8, 8, false}, {"bf16", "f32", 2, 4, false}, {"i8", "i32", 1, 4, true}};

/* ---- numbers: small integers, so that sums are exact in each type ---- */

enum { OTHER = 12345 /* B's numbers begin so far behind A's */ };

static int value(size_t i)
{
    return (int)(i * 2654435761u >> 20 & 7) - 3;
}

/* Element `i` of A or B. */
static void put(const struct type *type, void *memory, size_t i, int own)
{
    float single = (float)own;
    double wide = own;
    int8_t byte = (int8_t)own;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    const void *number = type->is_int          ? (const void *)&byte
                         : type->in_bytes == 8 ? (const void *)&wide
                         : type->in_bytes == 2 ? (const void *)&half
                                               : &single;
    memcpy((char *)memory + i * (size_t)type->in_bytes, number, (size_t)type->in_bytes);
}

/* Element `i` of C. */
static double number(const struct type *type, const void *memory, size_t i)
{
    if (type->is_int)
        return ((const int32_t *)memory)[i];
    return type->out_bytes == 8 ? ((const double *)memory)[i] : (double)((const float *)memory)[i];
}

/* ---- Tessera ---- */

static struct {
    cl_context context;
    cl_command_queue queue;
    cl_device_id device;
} host;

static bool open_host(void)
{
    struct bench_driver drivers[BENCH_DRIVERS];
    if (!bench_drivers(drivers) || strcmp(drivers[0].name, "Tessera") != 0)
        return false;
    host.device = drivers[0].device;
    host.context = clCreateContext(NULL, 1, &host.device, NULL, NULL, NULL);
    host.queue = clCreateCommandQueueWithProperties(host.context, host.device, NULL, NULL);
    return host.queue != NULL;
}

struct kernel {
    cl_program program;
    cl_kernel kernel;
    cl_mem memory[3];
    size_t global[3], local[3];
    double build_us;
};

/* The kernel `mm` of a program, launched with one work-group until `global` says more. Without it the benchmark ends. */
static struct kernel build_kernel(const char *text)
{
    struct kernel k = {0};
    double began = bench_now_us();
    cl_int error;
    k.program = clCreateProgramWithSource(host.context, 1, &text, NULL, NULL);
    cl_int built = clBuildProgram(k.program, 1, &host.device, "", NULL, NULL);
    k.kernel = clCreateKernel(k.program, "mm", &error);
    k.build_us = bench_now_us() - began;
    if (built || error) {
        char log[2048] = "";
        clGetProgramBuildInfo(k.program, host.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "the kernel was not built: error %d\n%s%s", built ? built : error, text, log);
        exit(1);
    }
    clGetKernelWorkGroupInfo(k.kernel, host.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof k.local, k.local, NULL);
    memcpy(k.global, k.local, sizeof k.global);
    return k;
}

static void run_kernel(const struct kernel *k)
{
    if (clEnqueueNDRangeKernel(host.queue, k->kernel, 3, NULL, k->global, k->local, 0, NULL, NULL) || clFinish(host.queue))
        exit(fprintf(stderr, "a launch failed\n"));
}

static void free_kernel(struct kernel *k)
{
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(k->memory[i]);
    clReleaseKernel(k->kernel);
    clReleaseProgram(k->program);
}

/* ---- oneDNN ---- */

#if __has_include(<dnnl.h>)
#define DNNL_FUNCTIONS(F)                                                                                                                  \
    F(engine_create)                                                                                                                       \
    F(stream_create)                                                                                                                       \
    F(stream_wait)                                                                                                                         \
    F(memory_create)                                                                                                                       \
    F(memory_destroy)                                                                                                                      \
    F(memory_desc_init_by_tag)                                                                                                             \
    F(primitive_create)                                                                                                                    \
    F(primitive_execute)                                                                                                                   \
    F(primitive_destroy)                                                                                                                   \
    F(primitive_desc_create)                                                                                                               \
    F(primitive_desc_destroy)                                                                                                              \
    F(matmul_desc_init)                                                                                                                    \
    F(sgemm)

#include "dnnl_library.h"

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static bool open_library(void)
{
    return find_library() && !lib.engine_create(&engine, dnnl_cpu, 0) && !lib.stream_create(&stream, engine, dnnl_stream_default_flags);
}

struct product {
    dnnl_primitive_t product;
    dnnl_memory_t memory[3];
};

/* The product of two matrices, or of `batch` pairs of them; 0: one pair without a dimension for others. False: oneDNN has none. By rows, as
 * oneDNN has matrices, everything is transposed: C' = B' A'. */
static bool make_product(const struct type *type, int batch, int m, int n, int k, void *a, void *b, void *c, struct product *made)
{
    bool bytes = type->is_int, half = type->in_bytes == 2;
    dnnl_data_type_t in = bytes ? dnnl_s8 : half ? dnnl_bf16 : dnnl_f32, out = bytes ? dnnl_s32 : dnnl_f32;
    dnnl_dims_t of_a = {batch, k, m}, of_b = {batch, n, k}, of_c = {batch, n, m};
    dnnl_format_tag_t tag = batch ? dnnl_abc : dnnl_ab;
    dnnl_memory_desc_t da, db, dc;
    dnnl_matmul_desc_t matmul;
    dnnl_primitive_desc_t desc;
    const int first = !batch, dimensions = 3 - first;
    *made = (struct product){0};
    if (type->in_bytes == 8 || !stream || lib.memory_desc_init_by_tag(&da, dimensions, of_a + first, in, tag) ||
        lib.memory_desc_init_by_tag(&db, dimensions, of_b + first, in, tag) ||
        lib.memory_desc_init_by_tag(&dc, dimensions, of_c + first, out, tag) || lib.matmul_desc_init(&matmul, &db, &da, NULL, &dc) ||
        lib.primitive_desc_create(&desc, &matmul, NULL, engine, NULL))
        return false;
    bool good = !lib.primitive_create(&made->product, desc) && !lib.memory_create(&made->memory[0], &db, engine, b) &&
                !lib.memory_create(&made->memory[1], &da, engine, a) && !lib.memory_create(&made->memory[2], &dc, engine, c);
    lib.primitive_desc_destroy(desc);
    return good;
}

static void run_product(const struct product *p)
{
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, p->memory[0]}, {DNNL_ARG_WEIGHTS, p->memory[1]}, {DNNL_ARG_DST, p->memory[2]}};
    lib.primitive_execute(p->product, stream, 3, args);
    lib.stream_wait(stream);
}

static void free_product(struct product *p)
{
    for (int i = 0; i < 3; i++)
        lib.memory_destroy(p->memory[i]);
    lib.primitive_destroy(p->product);
}
#else
struct product {
    int none;
};
static bool open_library(void)
{
    return false;
}
static bool make_product(const struct type *type, int batch, int m, int n, int k, void *a, void *b, void *c, struct product *made)
{
    return (void)type, (void)batch, (void)m, (void)n, (void)k, (void)a, (void)b, (void)c, (void)made, false;
}
static void run_product(const struct product *p)
{
    (void)p;
}
static void free_product(struct product *p)
{
    (void)p;
}
#endif

#endif
