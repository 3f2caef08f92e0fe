/* SPDX-License-Identifier: Apache-2.0
 * What a launch costs: enqueue and finish of an empty kernel, enqueue only with a long queue, and a small vector addition. */
#include "bench.h"

static const char *const source = "__kernel void empty(void) {}\n"
                                  "__kernel void one(__global int *a, __global int *b, int x) { a[0] = b[0] + x; }\n"
                                  "__kernel void vadd(__global const float *a, __global const float *b, __global float *c)\n"
                                  "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n";

static const char *const rows[] = {
    "empty: enqueue + finish",
    "3 arguments: enqueue + finish",
    "empty: enqueue, queue of 20000",
    "empty: 20000 to their end, each",
    "vadd 4 Ki: enqueue + finish",
    "vadd 1 Mi: enqueue + finish",
    "set 3 arguments",
    NULL,
};

enum { ROUNDS = 2000, LONG_QUEUE = 20000, LONG_ROUNDS = 9 };

static double median_of_launches(cl_command_queue queue, cl_kernel kernel, size_t global, int rounds)
{
    double *times = malloc(sizeof(*times) * (size_t)rounds);
    for (int i = -rounds / 10; i < rounds; i++) {
        double start = bench_now_us();
        BENCH_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        BENCH_CHECK(clFinish(queue));
        if (i >= 0)
            times[i] = bench_now_us() - start;
    }
    double median = bench_median(times, rounds);
    free(times);
    return median;
}

static void long_queue(cl_command_queue queue, cl_kernel kernel, double *enqueue, double *whole)
{
    double enqueues[LONG_ROUNDS], wholes[LONG_ROUNDS];
    size_t one = 1;
    for (int round = 0; round < LONG_ROUNDS; round++) {
        double start = bench_now_us();
        for (int i = 0; i < LONG_QUEUE; i++)
            BENCH_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
        enqueues[round] = (bench_now_us() - start) / LONG_QUEUE;
        BENCH_CHECK(clFinish(queue));
        wholes[round] = (bench_now_us() - start) / LONG_QUEUE;
    }
    *enqueue = bench_median(enqueues, LONG_ROUNDS);
    *whole = bench_median(wholes, LONG_ROUNDS);
}

static void measure(const struct bench_driver *driver, double *us)
{
    cl_int err;
    cl_context context = clCreateContext(NULL, 1, &driver->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, driver->device, NULL, &err);
    BENCH_CHECK(err);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(program, 1, &driver->device, NULL, NULL, NULL));
    cl_kernel empty = clCreateKernel(program, "empty", &err), one = clCreateKernel(program, "one", &err);
    cl_kernel vadd = clCreateKernel(program, "vadd", &err);
    BENCH_CHECK(err);
    size_t most = (1 << 20) * sizeof(float);
    cl_mem buffers[3];
    for (int i = 0; i < 3; i++) {
        float zero = 0;
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, most, NULL, &err);
        BENCH_CHECK(err);
        BENCH_CHECK(clEnqueueFillBuffer(queue, buffers[i], &zero, sizeof(zero), 0, most, 0, NULL, NULL));
        BENCH_CHECK(clSetKernelArg(vadd, (cl_uint)i, sizeof(cl_mem), &buffers[i]));
        cl_int x = 1;
        BENCH_CHECK(i < 2 ? clSetKernelArg(one, (cl_uint)i, sizeof(cl_mem), &buffers[i]) : clSetKernelArg(one, 2, sizeof(x), &x));
    }
    us[0] = median_of_launches(queue, empty, 1, ROUNDS);
    us[1] = median_of_launches(queue, one, 1, ROUNDS);
    long_queue(queue, empty, &us[2], &us[3]);
    us[4] = median_of_launches(queue, vadd, 4096, ROUNDS);
    us[5] = median_of_launches(queue, vadd, 1 << 20, ROUNDS / 20);
    double start = bench_now_us();
    for (cl_int i = 0; i < 100000; i++) {
        BENCH_CHECK(clSetKernelArg(one, 0, sizeof(cl_mem), &buffers[i & 1]));
        BENCH_CHECK(clSetKernelArg(one, 1, sizeof(cl_mem), &buffers[i & 1]));
        BENCH_CHECK(clSetKernelArg(one, 2, sizeof(i), &i));
    }
    us[6] = (bench_now_us() - start) / 100000;
    for (int i = 0; i < 3; i++)
        BENCH_CHECK(clReleaseMemObject(buffers[i]));
    BENCH_CHECK(clReleaseKernel(empty));
    BENCH_CHECK(clReleaseKernel(one));
    BENCH_CHECK(clReleaseKernel(vadd));
    BENCH_CHECK(clReleaseProgram(program));
    BENCH_CHECK(clReleaseCommandQueue(queue));
    BENCH_CHECK(clReleaseContext(context));
}

int main(void)
{
    struct bench_driver drivers[BENCH_DRIVERS];
    double us[BENCH_DRIVERS][BENCH_ROWS] = {{0}};
    int count = bench_drivers(drivers);
    for (int i = 0; i < count; i++)
        measure(&drivers[i], us[i]);
    bench_print(drivers, count, rows, us);
    return 0;
}
