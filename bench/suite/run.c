/* SPDX-License-Identifier: Apache-2.0
 * One case with every driver: build, run once and compare with plain C, then rounds in which the drivers take turns. */
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

#include "../bench.h"
#include "suite.h"

struct suite_live {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel[SUITE_LAUNCHES];
    cl_mem buffer[SUITE_BUFFERS];
};

void *suite_alloc(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, bytes ? bytes : 1))
        abort();
    return memset(memory, 0, bytes);
}

uint32_t suite_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

float *suite_random_floats(size_t count, float low, float high)
{
    float *values = suite_alloc(count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * ((float)(suite_random() >> 8) / (1 << 24));
    return values;
}

static int add_buffer(struct suite_case *c, const void *data, size_t bytes, bool changes)
{
    if (c->buffers == SUITE_BUFFERS)
        abort();
    c->buffer[c->buffers] = (struct suite_buffer){.data = data ? data : suite_alloc(bytes), .bytes = bytes, .changes = changes};
    return c->buffers++;
}

int suite_input(struct suite_case *c, const void *data, size_t bytes)
{
    return add_buffer(c, data, bytes, false);
}
int suite_output(struct suite_case *c, size_t bytes)
{
    return add_buffer(c, NULL, bytes, false);
}
int suite_inout(struct suite_case *c, const void *data, size_t bytes)
{
    return add_buffer(c, data, bytes, true);
}

void suite_launch(struct suite_case *c, const char *kernel, int dims, const size_t *global, const size_t *local, const char *args, ...)
{
    if (c->launches == SUITE_LAUNCHES || strlen(args) > SUITE_ARGS)
        abort();
    struct suite_launch *launch = &c->launch[c->launches++];
    *launch = (struct suite_launch){.kernel = kernel, .dims = dims, .args = (int)strlen(args)};
    memcpy(launch->global, global, (size_t)dims * sizeof(*global));
    memcpy(launch->local, local, (size_t)dims * sizeof(*local));
    launch->global[0] /= c->width;
    while (c->width > 1 && launch->global[0] % launch->local[0])
        launch->local[0] /= 2;
    for (int d = 0; d < dims && c->local; d++)
        launch->local[d] = d ? 1 : c->local < launch->global[0] ? c->local : launch->global[0];
    va_list list;
    va_start(list, args);
    for (int i = 0; i < launch->args; i++) {
        struct suite_arg *arg = &launch->arg[i];
        *arg = (struct suite_arg){.buffer = -1, .size = 4};
        switch (args[i]) {
        case 'b':
            arg->buffer = va_arg(list, int);
            break;
        case 'i':
            arg->value.i = va_arg(list, int);
            break;
        case 'f':
            arg->value.f = (float)va_arg(list, double);
            break;
        case 'l':
            arg->local = true;
            arg->size = va_arg(list, size_t);
            break;
        default:
            abort();
        }
    }
    va_end(list);
}

static struct suite_expect *add_expect(struct suite_case *c)
{
    if (c->expects == SUITE_EXPECTS)
        abort();
    return &c->expect[c->expects++];
}

void suite_expect_floats(struct suite_case *c, int buffer, const float *values, size_t count, float tolerance, float share)
{
    *add_expect(c) = (struct suite_expect){.buffer = buffer, .count = count, .floats = values, .tolerance = tolerance, .share = share};
}

void suite_expect_bytes(struct suite_case *c, int buffer, const void *values, size_t bytes, float share)
{
    *add_expect(c) = (struct suite_expect){.buffer = buffer, .count = bytes, .bytes = values, .share = share};
}

size_t suite_local(const struct suite_case *c, size_t own)
{
    return c->local ? c->local : own;
}

size_t suite_times(const struct suite_case *c, size_t each)
{
    return c->threads ? each * (size_t)c->threads : 1;
}

size_t suite_times_root(const struct suite_case *c, size_t each)
{
    size_t root = 1;
    while (root * root < suite_times(c, each))
        root++;
    return root;
}

static char *read_source(const char *name)
{
    char path[500];
    snprintf(path, sizeof(path), SUITE_KERNELS "/%s.cl", name);
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "bench_suite: cannot read %s\n", path);
        exit(1);
    }
    size_t most = 1 << 16;
    char *text = suite_alloc(most);
    if (fread(text, 1, most, file) == most)
        abort();
    fclose(file);
    return text;
}

/* What a kernel that knows how to compute with vectors takes for numbers; LANES are 0, 1, 2 … */
static void write_types(char *words, size_t size, size_t width)
{
    int at = snprintf(words, size, "#define WIDTH %zu\n", width);
    if (width == 1) {
        snprintf(words + at, size - (size_t)at, "typedef float real; typedef uint word; typedef int whole;\n#define LANES 0\n");
        return;
    }
    at += snprintf(words + at, size - (size_t)at,
                   "typedef float%zu real; typedef uint%zu word; typedef int%zu whole;\n#define LANES (int%zu)(0", width, width, width,
                   width);
    for (size_t i = 1; i < width; i++)
        at += snprintf(words + at, size - (size_t)at, ", %zu", i);
    snprintf(words + at, size - (size_t)at, ")\n");
}

static bool prepare(struct suite_live *live, const struct bench_driver *driver, const struct suite_case *c, const char *source, char *note,
                    size_t note_size)
{
    cl_int err;
    live->context = clCreateContext(NULL, 1, &driver->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    live->queue = clCreateCommandQueueWithProperties(live->context, driver->device, NULL, &err);
    BENCH_CHECK(err);
    char words[300];
    write_types(words, sizeof(words), c->width);
    live->program = clCreateProgramWithSource(live->context, 2, (const char *[]){words, source}, NULL, &err);
    BENCH_CHECK(err);
    if (clBuildProgram(live->program, 1, &driver->device, c->options, NULL, NULL) != CL_SUCCESS) {
        char log[4000] = "";
        clGetProgramBuildInfo(live->program, driver->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
        snprintf(note, note_size, "%s does not build it: %.300s", driver->name, log);
        return false;
    }
    for (int i = 0; i < c->buffers; i++) {
        live->buffer[i] = clCreateBuffer(live->context, CL_MEM_READ_WRITE, c->buffer[i].bytes, NULL, &err);
        BENCH_CHECK(err);
        BENCH_CHECK(clEnqueueWriteBuffer(live->queue, live->buffer[i], CL_TRUE, 0, c->buffer[i].bytes, c->buffer[i].data, 0, NULL, NULL));
    }
    for (int i = 0; i < c->launches; i++) {
        const struct suite_launch *launch = &c->launch[i];
        live->kernel[i] = clCreateKernel(live->program, launch->kernel, &err);
        BENCH_CHECK(err);
        for (int j = 0; j < launch->args; j++) {
            const struct suite_arg *arg = &launch->arg[j];
            const void *value = arg->buffer >= 0 ? (const void *)&live->buffer[arg->buffer] : arg->local ? NULL : (const void *)&arg->value;
            BENCH_CHECK(clSetKernelArg(live->kernel[i], (cl_uint)j, arg->buffer >= 0 ? sizeof(cl_mem) : arg->size, value));
        }
    }
    return true;
}

static bool has_extension(const struct bench_driver *driver, const char *name)
{
    char list[8000] = "";
    BENCH_CHECK(clGetDeviceInfo(driver->device, CL_DEVICE_EXTENSIONS, sizeof(list), list, NULL));
    return strstr(list, name) != NULL;
}

static double now_us(const struct suite_settings *settings)
{
    struct timespec now;
    clock_gettime(settings->cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double run_once(struct suite_live *live, const struct suite_case *c, const struct suite_settings *settings)
{
    for (int i = 0; i < c->buffers; i++)
        if (c->buffer[i].changes)
            BENCH_CHECK(
                clEnqueueWriteBuffer(live->queue, live->buffer[i], CL_TRUE, 0, c->buffer[i].bytes, c->buffer[i].data, 0, NULL, NULL));
    BENCH_CHECK(clFinish(live->queue));
    double start = now_us(settings);
    for (int i = 0; i < c->launches; i++) {
        const struct suite_launch *launch = &c->launch[i];
        BENCH_CHECK(clEnqueueNDRangeKernel(live->queue, live->kernel[i], (cl_uint)launch->dims, NULL, launch->global, launch->local, 0,
                                           NULL, NULL));
    }
    BENCH_CHECK(clFinish(live->queue));
    return now_us(settings) - start;
}

static bool matches(struct suite_live *live, const struct suite_case *c, const char *driver, char *note, size_t note_size)
{
    for (int i = 0; i < c->expects; i++) {
        const struct suite_expect *expect = &c->expect[i];
        size_t bytes = expect->count * (expect->floats ? sizeof(float) : 1), wrong = 0, first = 0;
        unsigned char *got = suite_alloc(bytes);
        BENCH_CHECK(clEnqueueReadBuffer(live->queue, live->buffer[expect->buffer], CL_TRUE, 0, bytes, got, 0, NULL, NULL));
        float largest = 0;
        for (size_t j = 0; expect->floats && j < expect->count; j++)
            largest = fmaxf(largest, fabsf(expect->floats[j]));
        for (size_t j = 0; j < expect->count; j++) {
            bool right = expect->floats ? fabsf(((float *)(void *)got)[j] - expect->floats[j]) <= expect->tolerance * largest
                                        : got[j] == ((const unsigned char *)expect->bytes)[j];
            if (!right && !wrong++)
                first = j;
        }
        if ((double)wrong > (double)expect->share * (double)expect->count) {
            double is = expect->floats ? (double)((float *)(void *)got)[first] : got[first];
            double should = expect->floats ? (double)expect->floats[first] : ((const unsigned char *)expect->bytes)[first];
            snprintf(note, note_size, "%s: buffer %d: %zu of %zu %s differ; number %zu is %g and should be %g", driver, expect->buffer,
                     wrong, expect->count, expect->floats ? "floats" : "bytes", first, is, should);
            return false;
        }
        free(got);
    }
    return true;
}

/* The lowest CPU of the same core that is in the mask. */
static int first_of_core(int cpu, const cpu_set_t *mask)
{
    char path[100], list[200] = "";
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *file = fopen(path, "r");
    if (!file)
        return cpu;
    for (char *at = fgets(list, sizeof(list), file); at && *at;) {
        int from = (int)strtol(at, &at, 10), to = *at == '-' ? (int)strtol(at + 1, &at, 10) : from;
        for (int i = from; i <= to && i < cpu; i++)
            if (i >= 0 && CPU_ISSET((size_t)i, mask))
                cpu = i;
        if (*at++ != ',')
            break;
    }
    fclose(file);
    return cpu;
}

void suite_pin(int threads)
{
    cpu_set_t mask, kept;
    if (sched_getaffinity(0, sizeof(mask), &mask))
        return;
    CPU_ZERO(&kept);
    for (int others = 0; others < 2; others++)
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET((size_t)cpu, &mask) && (first_of_core(cpu, &mask) != cpu) == others && CPU_COUNT(&kept) < threads)
                CPU_SET((size_t)cpu, &kept);
    sched_setaffinity(0, sizeof(kept), &kept);
}

struct suite_case *suite_describe(const struct suite_entry *entry, const struct suite_settings *settings)
{
    struct suite_case *c = suite_alloc(sizeof(*c));
    c->options = "-cl-std=CL1.2";
    c->quick = settings->quick;
    c->threads = settings->scale;
    c->local = settings->local;
    c->width = settings->width;
    entry->describe(c);
    return c;
}

void suite_run(const struct suite_entry *entry, struct suite_case *c, const struct suite_settings *settings, struct suite_result *result)
{
    if (settings->threads) { /* the drivers start their threads later, under this mask */
        char number[12];
        snprintf(number, sizeof(number), "%d", settings->threads);
        setenv("TESSERA_THREADS", number, 1);
        setenv("POCL_MAX_PTHREAD_COUNT", number, 1);
        suite_pin(settings->threads);
    }
    result->flops = c->flops;
    const char *source = read_source(entry->name);
    struct bench_driver drivers[BENCH_DRIVERS];
    struct suite_live *live = suite_alloc(BENCH_DRIVERS * sizeof(*live));
    result->drivers = bench_drivers(drivers);
    for (int i = 0; i < result->drivers; i++) {
        memcpy(result->driver[i].name, drivers[i].name, sizeof(drivers[i].name));
        if (settings->only && !strstr(drivers[i].name, settings->only))
            result->driver[i].state = SUITE_EXCLUDED;
        if (result->driver[i].state != SUITE_UNTRIED)
            continue;
        result->current = i;
        if (c->extension && !has_extension(&drivers[i], c->extension)) {
            result->driver[i].state = SUITE_LACKING;
            continue;
        }
        alarm((unsigned)settings->seconds);
        double start = bench_now_us();
        if (!prepare(&live[i], &drivers[i], c, source, result->note, sizeof(result->note))) {
            result->driver[i].state = SUITE_UNBUILT;
            continue;
        }
        result->driver[i].build_us = bench_now_us() - start;
        run_once(&live[i], c, settings);
        bool right = matches(&live[i], c, drivers[i].name, result->note, sizeof(result->note));
        /* Once more: kernels that lie in caches, and outputs that hold the right values already, must not matter. */
        run_once(&live[i], c, settings);
        right = right && matches(&live[i], c, drivers[i].name, result->note, sizeof(result->note));
        result->driver[i].state = right ? SUITE_RIGHT : SUITE_WRONG;
    }
    for (int round = 0; round < settings->rounds; round++) {
        if (entry->rate)
            result->peak[round] = suite_peak();
        for (int i = 0; i < result->drivers; i++) {
            if (result->driver[i].state != SUITE_RIGHT)
                continue;
            result->current = i;
            alarm((unsigned)settings->seconds);
            run_once(&live[i], c, settings); /* caches and threads are this driver's afterwards */
            result->driver[i].us[round] = run_once(&live[i], c, settings);
        }
        result->rounds = round + 1;
    }
    alarm(0);
}
