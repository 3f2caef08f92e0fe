/* SPDX-License-Identifier: Apache-2.0
 * What each math function of OpenCL C costs on one CPU, to which the process is bound: nanoseconds per value in the best of many rounds,
 * in which the drivers take turns. The kernel adds up many calls. The last lines are geometric means, and which functions are slow.
 * bench_math [-d] [-c] [-b] [-r] [-o OPTION] [NAME...]: -d the double forms, -c the time on the CPU, -b also the times of builds (ms), -r
 * with -cl-fast-relaxed-math, -o another option of the build; names choose functions. */
#include <math.h>
#include <sched.h>
#include <unistd.h>

#include "bench.h"

enum { ITEMS = 16384, CALLS = 64, ROUNDS = 30 };

static const struct function {
    const char *name, *call; /* of x; y and z are about 1.7, c and n other variables */
    double low, high;        /* x runs through this range */
    int floats_only;
} functions[] = {
    {"acos", "acos(x)", -1, 1, 0},
    {"acosh", "acosh(x)", 1, 50, 0},
    {"acospi", "acospi(x)", -1, 1, 0},
    {"asin", "asin(x)", -1, 1, 0},
    {"asinh", "asinh(x)", -20, 20, 0},
    {"asinpi", "asinpi(x)", -1, 1, 0},
    {"atan", "atan(x)", -10, 10, 0},
    {"atan2", "atan2(x, y)", -10, 10, 0},
    {"atan2pi", "atan2pi(x, y)", -10, 10, 0},
    {"atanh", "atanh(x)", -0.9, 0.9, 0},
    {"atanpi", "atanpi(x)", -10, 10, 0},
    {"cbrt", "cbrt(x)", -100, 100, 0},
    {"ceil", "ceil(x)", -20, 20, 0},
    {"copysign", "copysign(y, x)", -20, 20, 0},
    {"cos", "cos(x)", -20, 20, 0},
    {"cosh", "cosh(x)", -20, 20, 0},
    {"cospi", "cospi(x)", -20, 20, 0},
    {"divide", "y / x", 0.5, 20, 0},
    {"erf", "erf(x)", -3, 3, 0},
    {"erfc", "erfc(x)", -3, 3, 0},
    {"exp", "exp(x)", -20, 20, 0},
    {"exp10", "exp10(x)", -10, 10, 0},
    {"exp2", "exp2(x)", -20, 20, 0},
    {"expm1", "expm1(x)", -5, 5, 0},
    {"fabs", "fabs(x)", -20, 20, 0},
    {"fdim", "fdim(x, y)", -5, 5, 0},
    {"floor", "floor(x)", -20, 20, 0},
    {"fma", "fma(x, y, z)", -20, 20, 0},
    {"fmax", "fmax(x, y)", -5, 5, 0},
    {"fmin", "fmin(x, y)", -5, 5, 0},
    {"fmod", "fmod(x, y)", 0, 50, 0},
    {"fract", "fract(x, &c) + c", -20, 20, 0},
    {"frexp", "frexp(x, &n) + n", -20, 20, 0},
    {"hypot", "hypot(x, y)", -10, 10, 0},
    {"ilogb", "ilogb(x)", 0.1, 100, 0},
    {"ldexp", "ldexp(x, (int)x)", -20, 20, 0},
    {"lgamma", "lgamma(x)", 0.5, 20, 0},
    {"lgamma_r", "lgamma_r(x, &n) + n", -20, 20, 0},
    {"log", "log(x)", 0.1, 100, 0},
    {"log10", "log10(x)", 0.1, 100, 0},
    {"log1p", "log1p(x)", -0.5, 10, 0},
    {"log2", "log2(x)", 0.1, 100, 0},
    {"logb", "logb(x)", 0.1, 100, 0},
    {"mad", "mad(x, y, z)", -20, 20, 0},
    {"maxmag", "maxmag(x, y)", -5, 5, 0},
    {"minmag", "minmag(x, y)", -5, 5, 0},
    {"modf", "modf(x, &c) + c", -20, 20, 0},
    {"nan", "nan(BITS(x))", -20, 20, 0},
    {"nextafter", "nextafter(x, y)", -5, 5, 0},
    {"pow", "pow(x, y)", 0.1, 20, 0},
    {"pown", "pown(x, (int)x)", 0.1, 20, 0},
    {"pown_3", "pown(x, 3)", -20, 20, 0},
    {"powr", "powr(x, y)", 0.1, 20, 0},
    {"remainder", "remainder(x, y)", 0, 50, 0},
    {"remquo", "remquo(x, y, &n) + n", 0, 50, 0},
    {"rint", "rint(x)", -20, 20, 0},
    {"rootn", "rootn(x, 2 + (int)x)", 0.1, 20, 0},
    {"rootn_3", "rootn(x, 3)", 0.1, 20, 0},
    {"round", "round(x)", -20, 20, 0},
    {"rsqrt", "rsqrt(x)", 0.1, 100, 0},
    {"sin", "sin(x)", -20, 20, 0},
    {"sincos", "sincos(x, &c) + c", -20, 20, 0},
    {"sinh", "sinh(x)", -20, 20, 0},
    {"sinpi", "sinpi(x)", -20, 20, 0},
    {"sqrt", "sqrt(x)", 0.1, 100, 0},
    {"tan", "tan(x)", -20, 20, 0},
    {"tanh", "tanh(x)", -5, 5, 0},
    {"tanpi", "tanpi(x)", -20, 20, 0},
    {"tgamma", "tgamma(x)", 0.5, 20, 0},
    {"trunc", "trunc(x)", -20, 20, 0},
    {"to_int", "convert_int_sat_rte(x)", -1e10, 1e10, 0},
    {"to_long", "convert_long_sat_rtn(x)", -1e19, 1e19, 0},
    {"to_uchar", "convert_uchar_sat_rte(x)", -100, 400, 0},
    {"to_uint", "convert_uint_sat_rtp(x)", -1e10, 1e10, 0},
    {"half_cos", "half_cos(x)", -20, 20, 1},
    {"half_divide", "half_divide(y, x)", 0.5, 20, 1},
    {"half_exp", "half_exp(x)", -20, 20, 1},
    {"half_exp10", "half_exp10(x)", -10, 10, 1},
    {"half_exp2", "half_exp2(x)", -20, 20, 1},
    {"half_log", "half_log(x)", 0.1, 100, 1},
    {"half_log10", "half_log10(x)", 0.1, 100, 1},
    {"half_log2", "half_log2(x)", 0.1, 100, 1},
    {"half_powr", "half_powr(x, y)", 0.1, 20, 1},
    {"half_recip", "half_recip(x)", 0.1, 100, 1},
    {"half_rsqrt", "half_rsqrt(x)", 0.1, 100, 1},
    {"half_sin", "half_sin(x)", -20, 20, 1},
    {"half_sqrt", "half_sqrt(x)", 0.1, 100, 1},
    {"half_tan", "half_tan(x)", -20, 20, 1},
    {"native_cos", "native_cos(x)", -20, 20, 1},
    {"native_divide", "native_divide(y, x)", 0.5, 20, 1},
    {"native_exp", "native_exp(x)", -20, 20, 1},
    {"native_exp10", "native_exp10(x)", -10, 10, 1},
    {"native_exp2", "native_exp2(x)", -20, 20, 1},
    {"native_log", "native_log(x)", 0.1, 100, 1},
    {"native_log10", "native_log10(x)", 0.1, 100, 1},
    {"native_log2", "native_log2(x)", 0.1, 100, 1},
    {"native_powr", "native_powr(x, y)", 0.1, 20, 1},
    {"native_recip", "native_recip(x)", 0.1, 100, 1},
    {"native_rsqrt", "native_rsqrt(x)", 0.1, 100, 1},
    {"native_sin", "native_sin(x)", -20, 20, 1},
    {"native_sqrt", "native_sqrt(x)", 0.1, 100, 1},
    {"native_tan", "native_tan(x)", -20, 20, 1},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static clockid_t clock_of_runs = CLOCK_MONOTONIC;

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
             "#define BITS %s\n"
             "kernel void k(global const %s *in, global %s *out, int calls, %s step, %s low) {\n"
             "  size_t i = get_global_id(0); %s x = in[i], s = 0, y = low + (%s)get_local_id(0) / 1024, z = y + low, c; int n;\n"
             "  for (int k = 0; k < calls; k++) { s += %s; x += step; y += (%s)0.001f; z -= y; }\n"
             "  out[i] = s;\n}\n// %d %d\n",
             s->size == 8 ? "as_ulong" : "as_uint", type, type, type, type, type, type, f->call, type, (int)getpid(), number++);
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
    double start = bench_clock_us(clock_of_runs);
    BENCH_CHECK(clEnqueueNDRangeKernel(s->queue, l->kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    BENCH_CHECK(clFinish(s->queue));
    return bench_clock_us(clock_of_runs) - start;
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

/* Times of one driver over Tessera's, of all functions that were measured. */
struct tally {
    double log_sum;
    int count;
    char slow[1024]; /* functions in which Tessera takes more than 1.25 times as long */
};

static void add_to(struct tally *t, const char *name, double ratio)
{
    t->log_sum += log(ratio);
    t->count++;
    size_t used = strlen(t->slow);
    if (ratio < 0.8)
        snprintf(t->slow + used, sizeof t->slow - used, " %s", name);
}

static void print_tallies(const struct tally *tallies, const struct bench_driver *drivers, int count)
{
    for (int d = 1; d < count; d++)
        if (tallies[d].count)
            printf("%s over Tessera: geometric mean %.2f of %d; below 0.8:%s\n", drivers[d].name,
                   exp(tallies[d].log_sum / tallies[d].count), tallies[d].count, *tallies[d].slow ? tallies[d].slow : " none");
}

struct command {
    size_t size; /* of a number */
    const char *options;
    int builds, name_count;
    char **names;
};

static struct command parse_command(int argc, char **argv)
{
    struct command command = {.size = 4, .options = ""};
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (!strcmp(argv[at], "-d"))
            command.size = 8;
        else if (!strcmp(argv[at], "-c"))
            clock_of_runs = CLOCK_PROCESS_CPUTIME_ID;
        else if (!strcmp(argv[at], "-b"))
            command.builds = 1;
        else if (!strcmp(argv[at], "-r"))
            command.options = "-cl-fast-relaxed-math";
        else if (!strcmp(argv[at], "-o") && at + 1 < argc)
            command.options = argv[++at];
    }
    command.names = argv + at;
    command.name_count = argc - at;
    return command;
}

static int wanted(const struct command *command, const struct function *f)
{
    if (f->floats_only && command->size == 8)
        return 0;
    for (int k = 0; k < command->name_count; k++)
        if (!strcmp(command->names[k], f->name))
            return 1;
    return !command->name_count;
}

static void bind_to_one_cpu(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    if (sched_setaffinity(0, sizeof set, &set))
        perror("sched_setaffinity");
}

int main(int argc, char **argv)
{
    struct command command = parse_command(argc, argv);
    bind_to_one_cpu();
    struct bench_driver drivers[BENCH_DRIVERS];
    struct stage stages[BENCH_DRIVERS];
    struct tally tallies[BENCH_DRIVERS] = {0};
    int count = bench_drivers(drivers);
    for (int d = 0; d < count; d++)
        open_stage(&stages[d], &drivers[d], command.size);
    printf("%-20s", command.size == 8 ? "ns per double" : "ns per float");
    for (int d = 0; d < count; d++)
        printf("  %-26.26s", drivers[d].name);
    printf("\n");
    for (const struct function *f = functions; f < functions + FUNCTIONS; f++) {
        if (!wanted(&command, f))
            continue;
        double ns[BENCH_DRIVERS], build_ms[BENCH_DRIVERS];
        measure(stages, drivers, count, f, command.options, ns, build_ms);
        printf("%-20s", f->name);
        for (int d = 0; d < count; d++) {
            printf("  %8.3f  x %-8.2f", ns[d], ns[d] / ns[0]);
            if (command.builds)
                printf("%5.0fms", build_ms[d]);
            add_to(&tallies[d], f->name, ns[d] / ns[0]);
        }
        printf("\n");
        fflush(stdout);
    }
    print_tallies(tallies, drivers, count);
    for (int d = 0; d < count; d++)
        close_stage(&stages[d]);
    return 0;
}
