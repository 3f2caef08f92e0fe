/* SPDX-License-Identifier: Apache-2.0
 * The error of cheaper math functions against long double: native_ and half_ forms, and what programs get under -cl-fast-relaxed-math
 * (math_relaxed.def). math_relaxed [-v] */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

enum { COUNT = 1 << 14 };
enum form { X, XY, XN };
typedef long double real;

static real divide(real x, real y)
{
    return x / y;
}

static real recip(real x)
{
    return 1 / x;
}

static real rsqrt(real x)
{
    return 1 / sqrtl(x);
}

static real pow_rint(real x, real y)
{
    return powl(x, rintl(y));
}

static real pown(real x, int n)
{
    return powl(x, n);
}

static real rootn(real x, int n)
{
    return powl(x, 1 / (real)n);
}

static real sincos_of(real x, real y)
{
    return y < 0 ? sinl(x) : cosl(x);
}
#define sincos sincos_of

static const struct function {
    const char *name, *call;
    enum form form;
    void (*reference)(void);
    double low, high, ulp, error;
} functions[] = {
#define R(name, call, form, reference, low, high, ulp, error) {#name, call, form, (void (*)(void))reference, low, high, ulp, error},
#include "math_relaxed.def"
#undef R
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static real refer(const struct function *f, float x, float y, int n)
{
    switch (f->form) {
    case X:
        return ((real (*)(real))f->reference)(x);
    case XY:
        return ((real (*)(real, real))f->reference)(x, y);
    default:
        return ((real (*)(real, int))f->reference)(x, n);
    }
}

static uint32_t random_state = 1;

/* Between 0 and 1. */
static double random_fraction(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) / (double)(1 << 24);
}

/* Even over the range; over exponents where that spans many. */
static float argument(const struct function *f, size_t i)
{
    if (i < 2)
        return (float)(i ? f->high : f->low);
    bool wide = f->low > 0 && f->high / f->low > 1000, negative = f->high < 0 && f->low / f->high > 1000;
    double u = random_fraction();
    if (!wide && !negative)
        return (float)(f->low + u * (f->high - f->low));
    double low = log2(fabs(f->low)), high = log2(fabs(f->high)), a = exp2(low + u * (high - low));
    return (float)(negative ? -a : a);
}

static float x[COUNT], y[COUNT], out[COUNT];
static int n[COUNT];

static void fill(const struct function *f)
{
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = argument(f, i);
        y[i] = (float)(random_fraction() * 16 - 8);
        if (y[i] == 0)
            y[i] = 1;
        n[i] = (int)(random_fraction() * 18) - 9;
        if (n[i] == 0)
            n[i] = 3;
    }
}

/* Infinities, NaN and zeros; and for the exponentials, results that are denormal. */
static void fill_edges(const struct function *f)
{
    const float edges[] = {NAN, INFINITY, -INFINITY, 0, -0.0f};
    memcpy(x, edges, sizeof edges);
    for (size_t i = sizeof edges / sizeof *edges; i < COUNT / 2 && !strncmp(f->name, "half_exp", 8); i++)
        x[i] = (float)(f->low * (1 + 0.2 * random_fraction()));
}

/* Of results that a float can hold without loss. */
static bool is_normal(real r)
{
    return r == 0 || (fabsl(r) >= 0x1p-126L && fabsl(r) < 0x1p127L);
}

/* half_ functions where others are on their own: edges are C99's, and a denormal result may be 0. */
static bool check_edges(const struct function *f)
{
    for (size_t i = 0; i < COUNT; i++) {
        real want = refer(f, x[i], y[i], n[i]);
        bool right = isnan(want)   ? isnan(out[i])
                     : isinf(want) ? (real)out[i] == want
                                   : is_normal(want) || out[i] == 0 || fabsl(out[i] - want) <= f->ulp * 0x1p-149L;
        if (!right) {
            printf("FAIL %s at x = %a: %a, want %La\n", f->name, (double)x[i], (double)out[i], want);
            return false;
        }
    }
    return true;
}

static bool check(const struct function *f, bool verbose)
{
    real worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < COUNT; i++) {
        real want = refer(f, x[i], y[i], n[i]);
        if (!is_normal(want))
            continue;
        real ulp = ldexpl(1, (want == 0 ? -126 : ilogbl(want)) - 23), allowed = f->ulp * ulp > f->error ? f->ulp * ulp : f->error;
        real e = isnan(out[i]) ? INFINITY : fabsl(out[i] - want) / allowed;
        if (e > worst) {
            worst = e;
            at = i;
        }
    }
    if (worst > 1 || verbose)
        printf("%s %-16s %.4Lf of what is allowed at x = %a, y = %a, n = %d: %a, want %La\n", worst > 1 ? "FAIL" : "ok  ", f->name, worst,
               (double)x[at], (double)y[at], n[at], (double)out[at], refer(f, x[at], y[at], n[at]));
    return worst <= 1;
}

static void run(const struct session *s, cl_program program, const struct function *f)
{
    struct {
        size_t size;
        void *data;
    } arrays[] = {{sizeof x, x}, {sizeof y, y}, {sizeof n, n}, {sizeof out, out}};
    char name[32];
    snprintf(name, sizeof name, "t_%s", f->name);
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    REQUIRE(kernel, "clCreateKernel(%s): %d", f->name, err);
    cl_mem memory[4];
    for (cl_uint i = 0; i < 4; i++) {
        memory[i] = clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, arrays[i].size, arrays[i].data, &err);
        REQUIRE(memory[i] && clSetKernelArg(kernel, i, sizeof(cl_mem), &memory[i]) == CL_SUCCESS, "argument %u: %d", i, err);
    }
    size_t global = COUNT;
    REQUIRE(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS, "%s", f->name);
    REQUIRE(clEnqueueReadBuffer(s->queue, memory[3], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL) == CL_SUCCESS, "%s", f->name);
    for (int i = 0; i < 4; i++)
        clReleaseMemObject(memory[i]);
    clReleaseKernel(kernel);
}

int main(int argc, char **argv)
{
    static char source[FUNCTIONS * 512];
    char *end = source;
    bool good = true, verbose = argc > 1 && !strcmp(argv[1], "-v");
    for (size_t i = 0; i < FUNCTIONS; i++)
        end += sprintf(end,
                       "kernel void t_%s(global const float *xs, global const float *ys, global const int *ns, global float *out)\n"
                       "{\n    size_t i = get_global_id(0);\n    float x = xs[i], y = ys[i];\n    int n = ns[i];\n    out[i] = %s;\n}\n",
                       functions[i].name, functions[i].call);
    struct session s = open_session();
    cl_program program = build(&s, source, "-cl-fast-relaxed-math"), plain = build(&s, source, "");
    for (size_t i = 0; i < FUNCTIONS; i++) {
        fill(&functions[i]);
        run(&s, program, &functions[i]);
        good &= check(&functions[i], verbose);
        if (functions[i].form != X || strncmp(functions[i].name, "half_", 5))
            continue;
        fill_edges(&functions[i]);
        run(&s, plain, &functions[i]);
        good &= check_edges(&functions[i]);
    }
    clReleaseProgram(program);
    clReleaseProgram(plain);
    close_session(&s);
    printf("%d functions\n", (int)FUNCTIONS);
    return !good;
}
