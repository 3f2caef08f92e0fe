/* SPDX-License-Identifier: Apache-2.0
 * bench_batched [-t THREADS] [-r ROUNDS] [-c 1] [-k TYPE] [-x nn|tn|nt|tt] [-o 1]: batches of products of small matrices, C = A B by
 * columns, in the tensor language on Tessera and in oneDNN 2.x, whose library is looked for when the program runs: by its batched product
 * and, for f32, by a call for each product, where -x has nothing transposed; and for f32 and f64 by LIBXSMM's code for the size, by calls
 * in one thread. Medians of rounds in turn, with -c by processor time. What is wrong gets no time. Beside them what no code can be faster
 * than: of f32 and f64 as many multiply-adds as a product has, in registers, and of all types reading A and B and writing C, which is what
 * the caches and the memory allow. */
#include "products.h"

#include <math.h>

enum { MOST_ROUNDS = 99, OPERATIONS = 1 << 23, MOST_BATCH = 1 << 17 };

static const int sizes[][3] = {{4, 4, 4}, {8, 8, 8}, {16, 16, 16}, {32, 32, 32}, {64, 64, 64}, {56, 9, 56}, {56, 9, 9}}; /* M, N, K */

struct problem {
    const struct type *type;
    int m, n, k, count;
    bool a_transposed, b_transposed, open; /* sizes are arguments */
    void *a, *b, *c;
};

/* ---- problems ---- */

static struct problem make_problem(const struct type *type, const int *size, const char *transposed)
{
    struct problem p = {.type = type,
                        .m = size[0],
                        .n = size[1],
                        .k = size[2],
                        .a_transposed = transposed[0] == 't',
                        .b_transposed = transposed[1] == 't',
                        .open = transposed[2] == 'o'};
    p.count = OPERATIONS / (p.m * p.n * p.k);
    p.count = p.count > MOST_BATCH ? MOST_BATCH : p.count;
    size_t a = (size_t)p.count * (size_t)(p.m * p.k), b = (size_t)p.count * (size_t)(p.k * p.n), c = (size_t)p.count * (size_t)(p.m * p.n);
    p.a = aligned_alloc(4096, (a * (size_t)type->in_bytes + 4095) / 4096 * 4096);
    p.b = aligned_alloc(4096, (b * (size_t)type->in_bytes + 4095) / 4096 * 4096);
    p.c = aligned_alloc(4096, (c * (size_t)type->out_bytes + 4095) / 4096 * 4096);
    if (!p.a || !p.b || !p.c)
        abort();
    for (size_t i = 0; i < a; i++)
        put(type, p.a, i, value(i));
    for (size_t i = 0; i < b; i++)
        put(type, p.b, i, value(i + OTHER));
    memset(p.c, 0xff, c * (size_t)type->out_bytes);
    return p;
}

/* The first product and the last; C is spoilt for the next one to be looked at. */
static bool is_right(const struct problem *p)
{
    bool right = true;
    for (int which = 0; which < 2; which++) {
        size_t matrix = which ? (size_t)p->count - 1 : 0;
        for (int j = 0; j < p->n; j++)
            for (int i = 0; i < p->m; i++) {
                int sum = 0;
                for (int k = 0; k < p->k; k++)
                    sum += value(matrix * (size_t)(p->m * p->k) + (size_t)(p->a_transposed ? k + i * p->k : i + k * p->m)) *
                           value(matrix * (size_t)(p->k * p->n) + (size_t)(p->b_transposed ? j + k * p->n : k + j * p->k) + OTHER);
                right &= number(p->type, p->c, matrix * (size_t)(p->m * p->n) + (size_t)(i + j * p->m)) == sum;
            }
    }
    memset(p->c, 0xff, (size_t)p->count * (size_t)(p->m * p->n) * (size_t)p->type->out_bytes);
    return right;
}

/* ---- Tessera ---- */

static struct kernel make_kernel(const struct problem *p)
{
    static const char form[] = "func @mm(%%A: memref<%sx%dx%dx?>, %%B: memref<%sx%dx%dx?>, %%C: memref<%sx%dx%dx?>) {\n"
                               "  %%g = builtin.group_id : index\n"
                               "  %%a = subview %%A[:,:,%%g] : memref<%sx%dx%d>\n"
                               "  %%b = subview %%B[:,:,%%g] : memref<%sx%dx%d>\n"
                               "  %%c = subview %%C[:,:,%%g] : memref<%sx%dx%d>\n"
                               "  %%one = constant %s : %s\n"
                               "  %%zero = constant %s : %s\n"
                               "  gemm.%c.%c %%one, %%a, %%b, %%zero, %%c\n}\n";
    static const char open[] =
        "func @mm(%%A: memref<%sx?x?x?>, %%B: memref<%sx?x?x?>, %%C: memref<%sx?x?x?>, %%M: index, %%N: index, %%K: index) {\n"
        "  %%g = builtin.group_id : index\n"
        "  %%a = subview %%A[0:%%%c,0:%%%c,%%g] : memref<%sx?x?>\n"
        "  %%b = subview %%B[0:%%%c,0:%%%c,%%g] : memref<%sx?x?>\n"
        "  %%c = subview %%C[0:%%M,0:%%N,%%g] : memref<%sx?x?>\n"
        "  %%one = constant %s : %s\n"
        "  %%zero = constant %s : %s\n"
        "  gemm.%c.%c %%one, %%a, %%b, %%zero, %%c\n}\n";
    char text[2048];
    const char *in = p->type->in, *out = p->type->out;
    int a[] = {p->a_transposed ? p->k : p->m, p->a_transposed ? p->m : p->k},
        b[] = {p->b_transposed ? p->n : p->k, p->b_transposed ? p->k : p->n}, c[] = {p->m, p->n};
    bool ta = p->a_transposed, tb = p->b_transposed;
    const char *one = p->type->is_int ? "1" : "1.0", *zero = p->type->is_int ? "0" : "0.0";
    if (p->open)
        snprintf(text, sizeof text, open, in, in, out, ta ? 'K' : 'M', ta ? 'M' : 'K', in, tb ? 'N' : 'K', tb ? 'K' : 'N', in, out, one, in,
                 zero, out, ta ? 't' : 'n', tb ? 't' : 'n');
    else
        snprintf(text, sizeof text, form, in, a[0], a[1], in, b[0], b[1], out, p->m, p->n, in, a[0], a[1], in, b[0], b[1], out, p->m, p->n,
                 one, in, zero, out, ta ? 't' : 'n', tb ? 't' : 'n');
    struct kernel k = build_kernel(text);
    const struct {
        void *data;
        size_t size;
    } parts[] = {{p->a, (size_t)(p->m * p->k * p->type->in_bytes)},
                 {p->b, (size_t)(p->k * p->n * p->type->in_bytes)},
                 {p->c, (size_t)(p->m * p->n * p->type->out_bytes)}};
    for (cl_uint i = 0; i < 3; i++) {
        cl_long count = p->count;
        k.memory[i] = clCreateBuffer(host.context, CL_MEM_USE_HOST_PTR, parts[i].size * (size_t)p->count, parts[i].data, NULL);
        const int *own = i == 0 ? a : i == 1 ? b : c;
        cl_long own_sizes[] = {own[0], own[1], count, own[0], (cl_long)own[0] * own[1]}; /* and distances */
        clSetKernelArg(k.kernel, p->open ? 6 * i : 2 * i, sizeof(cl_mem), &k.memory[i]);
        for (cl_uint n = 0; p->open && n < 5; n++)
            clSetKernelArg(k.kernel, 6 * i + 1 + n, sizeof(cl_long), &own_sizes[n]);
        if (!p->open)
            clSetKernelArg(k.kernel, 2 * i + 1, sizeof count, &count);
    }
    cl_long all[] = {p->m, p->n, p->k};
    for (cl_uint i = 0; p->open && i < 3; i++)
        clSetKernelArg(k.kernel, 18 + i, sizeof(cl_long), &all[i]);
    k.global[2] = (size_t)p->count;
    return k;
}

/* ---- oneDNN, one product after the other ---- */

#if __has_include(<dnnl.h>)
static bool has_calls(const struct problem *p)
{
    return stream && !strcmp(p->type->in, "f32");
}

static void run_calls(const struct problem *p)
{
    for (size_t i = 0; i < (size_t)p->count; i++)
        lib.sgemm('N', 'N', p->n, p->m, p->k, 1, (float *)p->b + i * (size_t)(p->n * p->k), p->k, (float *)p->a + i * (size_t)(p->k * p->m),
                  p->m, 0, (float *)p->c + i * (size_t)(p->n * p->m), p->m);
}
#else
static bool has_calls(const struct problem *p)
{
    return (void)p, false;
}

static void run_calls(const struct problem *p)
{
    (void)p;
}
#endif

/* ---- LIBXSMM ---- */

struct code {
    void (*f32)(const float *a, const float *b, float *c, ...);
    void (*f64)(const double *a, const double *b, double *c, ...);
};

#ifdef HAS_LIBXSMM
#include <libxsmm.h>

static bool make_code(const struct problem *p, struct code *code)
{
    const int flags = LIBXSMM_GEMM_FLAG_BETA_0, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    *code = (struct code){NULL, NULL};
    if (!strcmp(p->type->in, "f32"))
        code->f32 = libxsmm_smmdispatch(p->m, p->n, p->k, NULL, NULL, NULL, NULL, NULL, &flags, &prefetch);
    else if (!strcmp(p->type->in, "f64"))
        code->f64 = libxsmm_dmmdispatch(p->m, p->n, p->k, NULL, NULL, NULL, NULL, NULL, &flags, &prefetch);
    return code->f32 || code->f64;
}
#else
static bool make_code(const struct problem *p, struct code *code)
{
    (void)p;
    *code = (struct code){NULL, NULL};
    return false;
}
#endif

static void run_code(const struct problem *p, const struct code *code)
{
    size_t a = (size_t)(p->m * p->k), b = (size_t)(p->k * p->n), c = (size_t)(p->m * p->n);
    for (size_t i = 0; i < (size_t)p->count; i++) {
        if (code->f32)
            code->f32((const float *)p->a + i * a, (const float *)p->b + i * b, (float *)p->c + i * c);
        else
            code->f64((const double *)p->a + i * a, (const double *)p->b + i * b, (double *)p->c + i * c);
    }
}

/* ---- products and memory alone ---- */

typedef void only_products(const struct problem *p);
typedef void only_memory(const struct problem *p);

/* With vectors of so many bytes: sums that do not wait for each other; and the data of each product in turn. */
#define LIMITS(name, features, bytes)                                                                                                      \
    typedef float f32_##name __attribute__((vector_size(bytes)));                                                                          \
    typedef double f64_##name __attribute__((vector_size(bytes)));                                                                         \
    typedef char part_##name __attribute__((vector_size(bytes), aligned(1)));                                                              \
    PRODUCTS_OF(features, f32_##name, products_f32_##name)                                                                                 \
    PRODUCTS_OF(features, f64_##name, products_f64_##name)                                                                                 \
    __attribute__((target(features))) static void memory_##name(const struct problem *p)                                                   \
    {                                                                                                                                      \
        const size_t in = (size_t)p->type->in_bytes, out = (size_t)p->type->out_bytes;                                                     \
        const size_t a = in * (size_t)(p->m * p->k), b = in * (size_t)(p->k * p->n), c = out * (size_t)(p->m * p->n);                      \
        part_##name all = {0};                                                                                                             \
        for (size_t i = 0; i < (size_t)p->count; i++) {                                                                                    \
            for (size_t at = i * a / bytes; at < (i + 1) * a / bytes; at++)                                                                \
                all |= ((const part_##name *)p->a)[at];                                                                                    \
            for (size_t at = i * b / bytes; at < (i + 1) * b / bytes; at++)                                                                \
                all |= ((const part_##name *)p->b)[at];                                                                                    \
            for (size_t at = i * c / bytes; at < (i + 1) * c / bytes; at++)                                                                \
                ((part_##name *)p->c)[at] = all;                                                                                           \
        }                                                                                                                                  \
    }
#define PRODUCTS_OF(features, vector, function)                                                                                            \
    __attribute__((target(features))) static void function(const struct problem *p)                                                        \
    {                                                                                                                                      \
        enum { SUMS = 12 };                                                                                                                \
        const size_t lanes = sizeof(vector) / (size_t)p->type->in_bytes, all = (size_t)p->count * (size_t)(p->m * p->n * p->k);            \
        vector sums[SUMS] = {{0}}, one = {1}, half = {0.5};                                                                                \
        __asm__ volatile("" : "+x"(one), "+x"(half));                                                                                      \
        for (size_t i = 0; i < all / lanes; i += SUMS) {                                                                                   \
            _Pragma("clang loop unroll(full)") for (int s = 0; s < SUMS; s++) sums[s] = __builtin_elementwise_fma(one, half, sums[s]);     \
        }                                                                                                                                  \
        for (int s = 0; s < SUMS; s++)                                                                                                     \
            __asm__ volatile("" ::"x"(sums[s]));                                                                                           \
    }
LIMITS(avx2, "avx2,fma", 32)
LIMITS(avx512, "avx512f,avx512bw,fma", 64)

/* NULL: there is no such code for this CPU or type. */
static only_products *products_for(const struct type *type)
{
    bool wide = __builtin_cpu_supports("avx512f"), has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (!has || type->is_int || type->in_bytes < 4)
        return NULL;
    if (type->in_bytes == 8)
        return wide ? products_f64_avx512 : products_f64_avx2;
    return wide ? products_f32_avx512 : products_f32_avx2;
}

static only_memory *memory_for_cpu(void)
{
    return !__builtin_cpu_supports("avx2") ? NULL : __builtin_cpu_supports("avx512bw") ? memory_avx512 : memory_avx2;
}

/* ---- measurements ---- */

enum { OWN, BATCHED, CALLS, XSMM, PRODUCTS, MEMORY, WAYS };

struct ways {
    struct problem problem;
    struct kernel kernel;
    struct product batch;
    struct code code;
    only_products *products;
    only_memory *memory;
};

static void run_way(const struct ways *w, int which)
{
    if (which == OWN)
        run_kernel(&w->kernel);
    else if (which == BATCHED)
        run_product(&w->batch);
    else if (which == CALLS)
        run_calls(&w->problem);
    else if (which == XSMM)
        run_code(&w->problem, &w->code);
    else
        (which == PRODUCTS ? w->products : w->memory)(&w->problem);
}

static clockid_t used_clock = CLOCK_MONOTONIC;

static void measure(const struct type *type, const int *size, const char *transposed, int rounds)
{
    static double times[WAYS][MOST_ROUNDS];
    struct ways w = {.problem = make_problem(type, size, transposed), .products = products_for(type), .memory = memory_for_cpu()};
    struct problem *p = &w.problem;
    w.kernel = make_kernel(p);
    bool plain = !p->a_transposed && !p->b_transposed;
    bool has_batch = plain && make_product(type, p->count, p->m, p->n, p->k, p->a, p->b, p->c, &w.batch);
    bool right[WAYS] = {true, has_batch, plain && has_calls(p), plain && make_code(p, &w.code), w.products, w.memory};
    for (int which = 0; which < PRODUCTS; which++) { /* once each, to see whether it is right, and for what it makes at first */
        if (!right[which])
            continue;
        run_way(&w, which);
        right[which] = is_right(p);
    }
    for (int r = 0; r < rounds; r++) {
        for (int which = 0; which < WAYS; which++) {
            double began = bench_clock_us(used_clock);
            if (right[which])
                run_way(&w, which);
            times[which][r] = bench_clock_us(used_clock) - began;
        }
    }
    double best = INFINITY, time[WAYS];
    for (int which = 0; which < WAYS; which++) {
        time[which] = right[which] ? bench_median(times[which], rounds) * 1e3 / p->count : NAN;
        if ((which == BATCHED || which == CALLS) && right[which] && time[which] < best)
            best = time[which];
    }
    double operations = 2.0 * p->m * p->n * p->k;
    printf(
        "%-5s %2dx%2dx%2d  %8.1f ns %7.1f Gop/s   oneDNN batched %8.1f ns, calls %8.1f ns   ratio %5.2f   LIBXSMM %8.1f ns   ratio %5.2f   "
        "products alone %8.1f ns, memory alone %8.1f ns   build %5.1f ms\n",
        type->in, p->m, p->n, p->k, time[OWN], operations / time[OWN], time[BATCHED], time[CALLS], best / time[OWN], time[XSMM],
        time[XSMM] / time[OWN], time[PRODUCTS], time[MEMORY], w.kernel.build_us / 1e3);
    fflush(stdout);
    if (has_batch)
        free_product(&w.batch);
    free_kernel(&w.kernel);
    free(p->a);
    free(p->b);
    free(p->c);
}

int main(int argc, char **argv)
{
    int rounds = 11;
    const char *only = "", *transposed = "nn";
    char shape[4] = "nn"; /* transposes, and o for open sizes */
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "-r")) {
            rounds = atoi(argv[i + 1]);
        } else if (!strcmp(argv[i], "-c")) {
            used_clock = atoi(argv[i + 1]) ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
        } else if (!strcmp(argv[i], "-k")) {
            only = argv[i + 1];
        } else if (!strcmp(argv[i], "-x")) {
            transposed = argv[i + 1];
        } else if (!strcmp(argv[i], "-o")) {
            shape[2] = atoi(argv[i + 1]) ? 'o' : '\0';
        } else if (!strcmp(argv[i], "-t")) {
            setenv("TESSERA_THREADS", argv[i + 1], 1);
            setenv("OMP_NUM_THREADS", argv[i + 1], 1);
        }
    }
    for (int i = 0; i < 2 && transposed[i]; i++)
        shape[i] = transposed[i];
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    if (!open_host()) {
        fprintf(stderr, "there is no CPU device of Tessera\n");
        return 1;
    }
    if (!open_library())
        printf("oneDNN 2.x is not there\n");
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if (!*only || !strcmp(only, types[t].in))
                measure(&types[t], sizes[s], shape, rounds);
    return 0;
}
