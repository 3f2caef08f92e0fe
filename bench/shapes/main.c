/* SPDX-License-Identifier: Apache-2.0
 * Launches as programs of others make them, most of them short: shapes.def.
 *
 *   bench_shapes [-c] [-p] [-n LAUNCHES] [TEXT]
 *     -c  CPU time of all threads, not the time that passes    -p  what events say of the launches, the least of each round
 *     -n  launches in an in-order queue for each wait (default 1)    TEXT  only rows with this text */
#include <stdbool.h>
#include <unistd.h>

#include "../bench.h"

static const struct shape {
    const char *kernel;
    size_t global[2], local[2];
    cl_int n, m;
    const char *integers;
} shapes[] = {
#define SHAPE(kernel, gx, gy, lx, ly, n, m, integers) {#kernel, {gx, gy}, {lx, ly}, n, m, integers},
#include "shapes.def"
#undef SHAPE
};

enum { SHAPES = sizeof(shapes) / sizeof(*shapes), BUFFERS = 3, COUNT = 4 << 20, LOCAL_BYTES = 16384, ROUNDS = 41, MAX_LAUNCHES = 1000 };
static const double warm_up_us = 1500000; /* of a row: code that a driver makes for its launches is there then */

struct driver {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffers[BUFFERS];
    cl_program program;
};

struct settings {
    clockid_t clock;
    bool events;
    int launches;
};

static char *read_kernels(void)
{
    FILE *file = fopen(SHAPES_KERNELS, "rb");
    char *text = calloc(1, 1 << 16);
    if (!file || !text || fread(text, 1, (1 << 16) - 1, file) == 0) {
        fprintf(stderr, "bench: cannot read %s\n", SHAPES_KERNELS);
        exit(1);
    }
    fclose(file);
    return text;
}

static void set_up(struct driver *driver, const struct bench_driver *with, const char *text)
{
    cl_int err;
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    driver->device = with->device;
    driver->context = clCreateContext(NULL, 1, &with->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    driver->queue = clCreateCommandQueueWithProperties(driver->context, with->device, profiling, &err);
    BENCH_CHECK(err);
    for (int i = 0; i < BUFFERS; i++) {
        driver->buffers[i] = clCreateBuffer(driver->context, CL_MEM_READ_WRITE, COUNT * sizeof(float), NULL, &err);
        BENCH_CHECK(err);
    }
    driver->program = clCreateProgramWithSource(driver->context, 1, &text, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(driver->program, 1, &driver->device, "-cl-std=CL1.2", NULL, NULL));
}

static void fill(const struct driver *driver, const struct shape *shape)
{
    union {
        float f;
        cl_uint u;
    } *data = malloc(COUNT * sizeof(*data));
    unsigned random = 12345;
    for (int i = 0; i < BUFFERS; i++) {
        bool integers = strchr(shape->integers, "abc"[i]) != NULL;
        for (size_t k = 0; k < COUNT; k++) {
            random = random * 1664525 + 1013904223;
            if (integers)
                data[k].u = random >> 22;
            else
                data[k].f = (float)(random >> 8) / (1 << 24) + 0.5f;
        }
        BENCH_CHECK(clEnqueueWriteBuffer(driver->queue, driver->buffers[i], CL_TRUE, 0, COUNT * sizeof(*data), data, 0, NULL, NULL));
    }
    free(data);
}

static cl_kernel make_kernel(const struct driver *driver, const struct shape *shape)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(driver->program, shape->kernel, &err);
    BENCH_CHECK(err);
    for (cl_uint i = 0; i < BUFFERS; i++)
        BENCH_CHECK(clSetKernelArg(kernel, i, sizeof(cl_mem), &driver->buffers[i]));
    BENCH_CHECK(clSetKernelArg(kernel, BUFFERS, sizeof(cl_int), &shape->n));
    BENCH_CHECK(clSetKernelArg(kernel, BUFFERS + 1, sizeof(cl_int), &shape->m));
    cl_uint args;
    BENCH_CHECK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(args), &args, NULL));
    if (args > BUFFERS + 2)
        BENCH_CHECK(clSetKernelArg(kernel, BUFFERS + 2, LOCAL_BYTES, NULL));
    return kernel;
}

static double event_us(cl_event event)
{
    cl_ulong start, end;
    BENCH_CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
    BENCH_CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
    return (double)(end - start) / 1e3;
}

/* Microseconds of one launch of a round. */
static double run_round(const struct driver *driver, cl_kernel kernel, const struct shape *shape, const struct settings *settings)
{
    static cl_event events[MAX_LAUNCHES];
    double start = bench_clock_us(settings->clock);
    for (int i = 0; i < settings->launches; i++)
        BENCH_CHECK(clEnqueueNDRangeKernel(driver->queue, kernel, 2, NULL, shape->global, shape->local[0] ? shape->local : NULL, 0, NULL,
                                           settings->events ? &events[i] : NULL));
    BENCH_CHECK(clFinish(driver->queue));
    double us = (bench_clock_us(settings->clock) - start) / settings->launches;
    for (int i = 0; settings->events && i < settings->launches; i++) {
        double event = event_us(events[i]);
        us = i == 0 || event < us ? event : us;
        clReleaseEvent(events[i]);
    }
    return us;
}

static void measure(const struct driver *drivers, int count, const struct shape *shape, const struct settings *settings, double *us)
{
    cl_kernel kernels[BENCH_DRIVERS];
    double times[BENCH_DRIVERS][ROUNDS];
    for (int i = 0; i < count; i++) {
        fill(&drivers[i], shape);
        kernels[i] = make_kernel(&drivers[i], shape);
        for (double end = bench_now_us() + warm_up_us; bench_now_us() < end;)
            run_round(&drivers[i], kernels[i], shape, settings);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++)
            times[i][round] = run_round(&drivers[i], kernels[i], shape, settings);
    for (int i = 0; i < count; i++) {
        us[i] = bench_median(times[i], ROUNDS);
        clReleaseKernel(kernels[i]);
    }
}

int main(int argc, char **argv)
{
    struct settings settings = {.clock = CLOCK_MONOTONIC, .launches = 1};
    for (int option; (option = getopt(argc, argv, "cpn:")) != -1;) {
        settings.clock = option == 'c' ? CLOCK_PROCESS_CPUTIME_ID : settings.clock;
        settings.events = settings.events || option == 'p';
        settings.launches = option == 'n' ? atoi(optarg) : settings.launches;
    }
    if (settings.launches < 1 || settings.launches > MAX_LAUNCHES) {
        fprintf(stderr, "bench_shapes: 1 to %d launches\n", MAX_LAUNCHES);
        return 2;
    }
    const char *text = optind < argc ? argv[optind] : "";
    struct bench_driver found[BENCH_DRIVERS];
    struct driver drivers[BENCH_DRIVERS];
    int count = bench_drivers(found);
    char *kernels = read_kernels();
    for (int i = 0; i < count; i++)
        set_up(&drivers[i], &found[i], kernels);
    free(kernels);
    bench_print_head(found, count);
    for (int i = 0; i < SHAPES; i++) {
        const struct shape *shape = &shapes[i];
        char row[80];
        double us[BENCH_DRIVERS];
        snprintf(row, sizeof(row), "%s %zux%zu/%zux%zu %d", shape->kernel, shape->global[0], shape->global[1], shape->local[0],
                 shape->local[1], shape->m);
        if (!strstr(row, text))
            continue;
        measure(drivers, count, shape, &settings, us);
        bench_print_row(row, count, us);
        fflush(stdout);
    }
    return 0;
}
