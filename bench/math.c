/* SPDX-License-Identifier: Apache-2.0
 * What a math function costs: nanoseconds per value in the best of many rounds, in a kernel that adds up many calls, and the build of that
 * kernel. bench_math [-d] [-b] [-r] [NAME...]: -d the double forms, -b also the build times (ms), -r with -cl-fast-relaxed-math; names
 * choose functions. */
#include <math.h>
#include <unistd.h>

#include "bench.h"

enum { ITEMS = 16384, CALLS = 16, ROUNDS = 40 };

static const struct function {
    const char *name, *call; /* of x; y is 1.7, c another variable */
    double low, high;        /* x runs through this range */
    int floats_only;
} functions[] = {
    {"acos", "acos(x)", -1, 1, 0},
    {"acosh", "acosh(x)", 1, 50, 0},
    {"asin", "asin(x)", -1, 1, 0},
    {"asinh", "asinh(x)", -20, 20, 0},
    {"atan", "atan(x)", -10, 10, 0},
    {"atan2", "atan2(x, y)", -10, 10, 0},
    {"atanh", "atanh(x)", -0.9, 0.9, 0},
    {"cbrt", "cbrt(x)", -100, 100, 0},
    {"cos", "cos(x)", -20, 20, 0},
    {"cosh", "cosh(x)", -20, 20, 0},
    {"divide", "y / x", 0.5, 20, 0},
    {"erf", "erf(x)", -3, 3, 0},
    {"erfc", "erfc(x)", -3, 3, 0},
    {"exp", "exp(x)", -20, 20, 0},
    {"exp10", "exp10(x)", -10, 10, 0},
    {"exp2", "exp2(x)", -20, 20, 0},
    {"expm1", "expm1(x)", -5, 5, 0},
    {"fmod", "fmod(x, y)", 0, 50, 0},
    {"hypot", "hypot(x, y)", -10, 10, 0},
    {"ldexp", "ldexp(x, (int)x)", -20, 20, 0},
    {"lgamma", "lgamma(x)", 0.5, 20, 0},
    {"log", "log(x)", 0.1, 100, 0},
    {"log10", "log10(x)", 0.1, 100, 0},
    {"log1p", "log1p(x)", -0.5, 10, 0},
    {"log2", "log2(x)", 0.1, 100, 0},
    {"pow", "pow(x, y)", 0.1, 20, 0},
    {"pown", "pown(x, (int)y)", 0.1, 20, 0},
    {"powr", "powr(x, y)", 0.1, 20, 0},
    {"remainder", "remainder(x, y)", 0, 50, 0},
    {"rint", "rint(x)", -20, 20, 0},
    {"rsqrt", "rsqrt(x)", 0.1, 100, 0},
    {"sin", "sin(x)", -20, 20, 0},
    {"sincos", "sincos(x, &c) + c", -20, 20, 0},
    {"sinh", "sinh(x)", -20, 20, 0},
    {"sinpi", "sinpi(x)", -20, 20, 0},
    {"sqrt", "sqrt(x)", 0.1, 100, 0},
    {"tan", "tan(x)", -20, 20, 0},
    {"tanh", "tanh(x)", -5, 5, 0},
    {"tgamma", "tgamma(x)", 0.5, 20, 0},
    {"to_int", "convert_int_sat_rte(x)", -1e10, 1e10, 0},
    {"to_long", "convert_long_sat_rtn(x)", -1e19, 1e19, 0},
    {"to_uchar", "convert_uchar_sat_rte(x)", -100, 400, 0},
    {"to_uint", "convert_uint_sat_rtp(x)", -1e10, 1e10, 0},
    {"half_sin", "half_sin(x)", -20, 20, 1},
    {"native_divide", "native_divide(y, x)", 0.5, 20, 1},
    {"native_exp", "native_exp(x)", -20, 20, 1},
    {"native_exp2", "native_exp2(x)", -20, 20, 1},
    {"native_log", "native_log(x)", 0.1, 100, 1},
    {"native_log2", "native_log2(x)", 0.1, 100, 1},
    {"native_powr", "native_powr(x, y)", 0.1, 20, 1},
    {"native_recip", "native_recip(x)", 0.1, 100, 1},
    {"native_rsqrt", "native_rsqrt(x)", 0.1, 100, 1},
    {"native_sin", "native_sin(x)", -3, 3, 1},
    {"native_sqrt", "native_sqrt(x)", 0.1, 100, 1},
    {"native_tan", "native_tan(x)", -1.5, 1.5, 1},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* A driver ready to run; its buffers. */
struct stage {
    cl_context context;
    cl_command_queue queue;
    cl_mem in, out;
    size_t size; /* of a number */
};

static void open_stage(struct stage *s, const struct bench_driver *driver, size_t size)
{
    cl_int err;
    s->size = size;
    s->context = clCreateContext(NULL, 1, &driver->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    s->queue = clCreateCommandQueueWithProperties(s->context, driver->device, NULL, &err);
    BENCH_CHECK(err);
    s->in = clCreateBuffer(s->context, CL_MEM_READ_WRITE, ITEMS * size, NULL, &err);
    BENCH_CHECK(err);
    s->out = clCreateBuffer(s->context, CL_MEM_READ_WRITE, ITEMS * size, NULL, &err);
    BENCH_CHECK(err);
}

static void close_stage(struct stage *s)
{
    clReleaseMemObject(s->in);
    clReleaseMemObject(s->out);
    clReleaseCommandQueue(s->queue);
    clReleaseContext(s->context);
}

struct loaded {
    cl_program program;
    cl_kernel kernel;
    double build_ms;
};

/* The number of calls is an argument, so that no driver unrolls all of them. */
static struct loaded load(const struct stage *s, const struct bench_driver *driver, const struct function *f, const char *options)
{
    static int number;
    char text[1024];
    const char *source = text, *type = s->size == 8 ? "double" : "float";
    snprintf(text, sizeof text,
             "kernel void k(global const %s *in, global %s *out, int calls, %s step, %s y) {\n"
             "  size_t i = get_global_id(0); %s x = in[i], s = 0, c;\n"
             "  for (int k = 0; k < calls; k++) { s += %s; x += step; }\n"
             "  out[i] = s;\n}\n// %d %d\n",
             type, type, type, type, type, f->call, (int)getpid(), number++);
    struct loaded made;
    cl_int err;
    double start = bench_now_us();
    made.program = clCreateProgramWithSource(s->context, 1, &source, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(made.program, 1, &driver->device, options, NULL, NULL));
    made.build_ms = (bench_now_us() - start) / 1000;
    made.kernel = clCreateKernel(made.program, "k", &err);
    BENCH_CHECK(err);
    cl_int calls = CALLS;
    double step = (f->high - f->low) / CALLS, y = 1.7;
    float step_float = (float)step, y_float = (float)y;
    BENCH_CHECK(clSetKernelArg(made.kernel, 0, sizeof(cl_mem), &s->in));
    BENCH_CHECK(clSetKernelArg(made.kernel, 1, sizeof(cl_mem), &s->out));
    BENCH_CHECK(clSetKernelArg(made.kernel, 2, sizeof calls, &calls));
    BENCH_CHECK(clSetKernelArg(made.kernel, 3, s->size, s->size == 8 ? (void *)&step : &step_float));
    BENCH_CHECK(clSetKernelArg(made.kernel, 4, s->size, s->size == 8 ? (void *)&y : &y_float));
    return made;
}

static void fill(const struct stage *s, const struct function *f)
{
    static double doubles[ITEMS];
    static float floats[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        doubles[i] = f->low + (f->high - f->low) / CALLS * ((double)((unsigned)i * 2654435761u) / 4294967296.0);
        floats[i] = (float)doubles[i];
    }
    const void *data = s->size == 8 ? (const void *)doubles : floats;
    BENCH_CHECK(clEnqueueWriteBuffer(s->queue, s->in, CL_TRUE, 0, ITEMS * s->size, data, 0, NULL, NULL));
}

static double run_us(const struct stage *s, const struct loaded *l)
{
    size_t global = ITEMS, local = 256;
    double start = bench_now_us();
    BENCH_CHECK(clEnqueueNDRangeKernel(s->queue, l->kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    BENCH_CHECK(clFinish(s->queue));
    return bench_now_us() - start;
}

/* The drivers take turns, so that what else the machine does hits all of them. */
static void measure(const struct stage *stages, const struct bench_driver *drivers, int count, const struct function *f,
                    const char *options, double *ns, double *build_ms)
{
    struct loaded loaded[BENCH_DRIVERS];
    double best[BENCH_DRIVERS];
    for (int d = 0; d < count; d++) {
        loaded[d] = load(&stages[d], &drivers[d], f, options);
        build_ms[d] = loaded[d].build_ms;
        fill(&stages[d], f);
        best[d] = run_us(&stages[d], &loaded[d]);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int d = 0; d < count; d++)
            best[d] = fmin(best[d], run_us(&stages[d], &loaded[d]));
    for (int d = 0; d < count; d++) {
        ns[d] = best[d] * 1000 / (ITEMS * CALLS);
        clReleaseKernel(loaded[d].kernel);
        clReleaseProgram(loaded[d].program);
    }
}

int main(int argc, char **argv)
{
    struct bench_driver drivers[BENCH_DRIVERS];
    struct stage stages[BENCH_DRIVERS];
    size_t size = 4;
    const char *options = "";
    int builds = 0, names = 1, count = bench_drivers(drivers);
    for (; names < argc && argv[names][0] == '-'; names++) {
        if (!strcmp(argv[names], "-d"))
            size = 8;
        else if (!strcmp(argv[names], "-b"))
            builds = 1;
        else if (!strcmp(argv[names], "-r"))
            options = "-cl-fast-relaxed-math";
    }
    for (int d = 0; d < count; d++)
        open_stage(&stages[d], &drivers[d], size);
    printf("%-20s", size == 8 ? "ns per double" : "ns per float");
    for (int d = 0; d < count; d++)
        printf("  %-26.26s", drivers[d].name);
    printf("\n");
    for (int i = 0; i < FUNCTIONS; i++) {
        const struct function *f = &functions[i];
        int wanted = names == argc && !(f->floats_only && size == 8);
        for (int k = names; k < argc; k++)
            wanted = wanted || !strcmp(argv[k], f->name);
        if (!wanted)
            continue;
        double ns[BENCH_DRIVERS], build_ms[BENCH_DRIVERS];
        measure(stages, drivers, count, f, options, ns, build_ms);
        printf("%-20s", f->name);
        for (int d = 0; d < count; d++) {
            printf("  %8.3f  x %-8.2f", ns[d], ns[d] / ns[0]);
            if (builds)
                printf("%5.0fms", build_ms[d]);
        }
        printf("\n");
        fflush(stdout);
    }
    for (int d = 0; d < count; d++)
        close_stage(&stages[d]);
    return 0;
}
