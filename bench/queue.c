/* SPDX-License-Identifier: Apache-2.0
 * What commands cost without kernels: markers, events, small and large transfers, in-order and out-of-order. */
#include "bench.h"

static const char *const rows[] = {
    "marker: enqueue + finish",
    "marker: enqueue, queue of 1000",
    "marker: 1000 to their end, each",
    "write 64 B: out-of-order chain, each",
    "marker with event: make, wait, free",
    "write 64 B: enqueue, queue of 20000",
    "write 64 B: 20000 to their end, each",
    "read 64 B, blocking",
    "map + unmap 4 KiB, blocking",
    "copy 64 MiB",
    "fill 64 MiB with 16 B",
    NULL,
};

/* Markers in a queue so long take PoCL minutes: 1000 of them will do. */
enum { ROUNDS = 2000, LONG_QUEUE = 20000, SHORT_QUEUE = 1000, LONG_ROUNDS = 9, LARGE = 64 << 20, LARGE_ROUNDS = 15 };

static cl_command_queue queue;
static cl_mem small_buffer, large[2];
static unsigned char data[64];
static cl_event last; /* of chained_write */

static void marker(void)
{
    BENCH_CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
}

static void marker_and_finish(void)
{
    marker();
    BENCH_CHECK(clFinish(queue));
}

static void marker_with_event(void)
{
    cl_event event;
    BENCH_CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    BENCH_CHECK(clWaitForEvents(1, &event));
    BENCH_CHECK(clReleaseEvent(event));
}

static void chained_write(void)
{
    cl_event event;
    BENCH_CHECK(clEnqueueWriteBuffer(queue, small_buffer, CL_FALSE, 0, sizeof data, data, last ? 1 : 0, last ? &last : NULL, &event));
    if (last)
        BENCH_CHECK(clReleaseEvent(last));
    last = event;
}

static void write_small(void)
{
    BENCH_CHECK(clEnqueueWriteBuffer(queue, small_buffer, CL_FALSE, 0, sizeof data, data, 0, NULL, NULL));
}

static void read_small(void)
{
    BENCH_CHECK(clEnqueueReadBuffer(queue, small_buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
}

static void map_small(void)
{
    cl_int err;
    void *pointer = clEnqueueMapBuffer(queue, small_buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 4096, 0, NULL, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clEnqueueUnmapMemObject(queue, small_buffer, pointer, 0, NULL, NULL));
    BENCH_CHECK(clFinish(queue));
}

static void copy_large(void)
{
    BENCH_CHECK(clEnqueueCopyBuffer(queue, large[0], large[1], 0, 0, LARGE, 0, NULL, NULL));
    BENCH_CHECK(clFinish(queue));
}

static void fill_large(void)
{
    BENCH_CHECK(clEnqueueFillBuffer(queue, large[0], data, 16, 0, LARGE, 0, NULL, NULL));
    BENCH_CHECK(clFinish(queue));
}

static double median_of(void (*action)(void), int rounds)
{
    static double times[ROUNDS];
    for (int i = -rounds / 10 - 1; i < rounds; i++) {
        double start = bench_now_us();
        action();
        if (i >= 0)
            times[i] = bench_now_us() - start;
    }
    return bench_median(times, rounds);
}

static void long_queue(void (*action)(void), int length, double *enqueue, double *whole)
{
    double enqueues[LONG_ROUNDS], wholes[LONG_ROUNDS];
    for (int round = 0; round < LONG_ROUNDS; round++) {
        double start = bench_now_us();
        for (int i = 0; i < length; i++)
            action();
        enqueues[round] = (bench_now_us() - start) / length;
        BENCH_CHECK(clFinish(queue));
        wholes[round] = (bench_now_us() - start) / length;
    }
    if (enqueue)
        *enqueue = bench_median(enqueues, LONG_ROUNDS);
    *whole = bench_median(wholes, LONG_ROUNDS);
}

static cl_mem make_buffer(cl_context context, size_t size)
{
    cl_int err;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &err);
    BENCH_CHECK(err);
    return buffer;
}

static void measure(const struct bench_driver *driver, double *us)
{
    cl_int err;
    cl_context context = clCreateContext(NULL, 1, &driver->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    const cl_queue_properties loosely[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue in_order = clCreateCommandQueueWithProperties(context, driver->device, NULL, &err);
    BENCH_CHECK(err);
    cl_command_queue out_of_order = clCreateCommandQueueWithProperties(context, driver->device, loosely, &err);
    BENCH_CHECK(err);
    small_buffer = make_buffer(context, 4096);
    large[0] = make_buffer(context, LARGE);
    large[1] = make_buffer(context, LARGE);

    queue = in_order;
    us[0] = median_of(marker_and_finish, ROUNDS);
    long_queue(marker, SHORT_QUEUE, &us[1], &us[2]);
    queue = out_of_order;
    long_queue(chained_write, SHORT_QUEUE, NULL, &us[3]);
    BENCH_CHECK(clReleaseEvent(last));
    last = NULL;
    queue = in_order;
    us[4] = median_of(marker_with_event, ROUNDS);
    long_queue(write_small, LONG_QUEUE, &us[5], &us[6]);
    us[7] = median_of(read_small, ROUNDS);
    us[8] = median_of(map_small, ROUNDS);
    us[10] = median_of(fill_large, LARGE_ROUNDS); /* first: memory that was never written is copied from one zero page */
    us[9] = median_of(copy_large, LARGE_ROUNDS);

    BENCH_CHECK(clReleaseMemObject(small_buffer));
    for (int i = 0; i < 2; i++)
        BENCH_CHECK(clReleaseMemObject(large[i]));
    BENCH_CHECK(clReleaseCommandQueue(in_order));
    BENCH_CHECK(clReleaseCommandQueue(out_of_order));
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
