/* SPDX-License-Identifier: Apache-2.0
 * What moving bytes costs: read, write, copy and fill of three sizes, at addresses that are multiples of a page and at others. */
#include "bench.h"

enum { KINDS = 4, SIZES = 3, LARGE = 64 << 20, PAGE = 4096, ASIDE = 16, MOST_ROUNDS = 2000 };

/* Kind by kind, size by size, aligned and then not. */
static const char *const rows[KINDS * SIZES * 2 + 1] = {
    "read 4 KiB, blocking",   "read 4 KiB, unaligned",   "read 1 MiB, blocking",   "read 1 MiB, unaligned",  "read 64 MiB, blocking",
    "read 64 MiB, unaligned", "write 4 KiB, blocking",   "write 4 KiB, unaligned", "write 1 MiB, blocking",  "write 1 MiB, unaligned",
    "write 64 MiB, blocking", "write 64 MiB, unaligned", "copy 4 KiB + finish",    "copy 4 KiB, unaligned",  "copy 1 MiB + finish",
    "copy 1 MiB, unaligned",  "copy 64 MiB + finish",    "copy 64 MiB, unaligned", "fill 4 KiB + finish",    "fill 4 KiB, unaligned",
    "fill 1 MiB + finish",    "fill 1 MiB, unaligned",   "fill 64 MiB + finish",   "fill 64 MiB, unaligned",
};
static const struct {
    size_t bytes;
    int rounds;
} sizes[SIZES] = {{4096, MOST_ROUNDS}, {1 << 20, 300}, {LARGE, 15}};

static cl_command_queue queue;
static cl_mem buffers[2];
static unsigned char *host;

static void transfer(int kind, size_t size, size_t aside)
{
    static const unsigned char pattern[ASIDE] = {1, 2, 3};
    switch (kind) {
    case 0:
        BENCH_CHECK(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, size, host + aside, 0, NULL, NULL));
        return;
    case 1:
        BENCH_CHECK(clEnqueueWriteBuffer(queue, buffers[0], CL_TRUE, aside, size, host, 0, NULL, NULL));
        return;
    case 2:
        BENCH_CHECK(clEnqueueCopyBuffer(queue, buffers[0], buffers[1], 0, aside, size, 0, NULL, NULL));
        break;
    default:
        BENCH_CHECK(clEnqueueFillBuffer(queue, buffers[0], pattern, sizeof pattern, aside, size, 0, NULL, NULL));
        break;
    }
    BENCH_CHECK(clFinish(queue));
}

static void measure(const struct bench_driver *driver, double *us)
{
    cl_int err;
    unsigned char zero = 0;
    cl_context context = clCreateContext(NULL, 1, &driver->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    queue = clCreateCommandQueueWithProperties(context, driver->device, NULL, &err);
    BENCH_CHECK(err);
    for (int i = 0; i < 2; i++) { /* memory that was never written would be read from one page of zeros */
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, LARGE + ASIDE, NULL, &err);
        BENCH_CHECK(err);
        BENCH_CHECK(clEnqueueFillBuffer(queue, buffers[i], &zero, 1, 0, LARGE + ASIDE, 0, NULL, NULL));
    }
    for (int row = 0; rows[row]; row++) {
        static double times[MOST_ROUNDS];
        size_t size = sizes[row / 2 % SIZES].bytes, aside = row % 2 ? ASIDE : 0;
        int rounds = sizes[row / 2 % SIZES].rounds;
        for (int i = -rounds / 10 - 1; i < rounds; i++) {
            double start = bench_now_us();
            transfer(row / 2 / SIZES, size, aside);
            if (i >= 0)
                times[i] = bench_now_us() - start;
        }
        us[row] = bench_median(times, rounds);
    }
    for (int i = 0; i < 2; i++)
        BENCH_CHECK(clReleaseMemObject(buffers[i]));
    BENCH_CHECK(clReleaseCommandQueue(queue));
    BENCH_CHECK(clReleaseContext(context));
}

int main(void)
{
    struct bench_driver drivers[BENCH_DRIVERS];
    static double us[BENCH_DRIVERS][BENCH_ROWS];
    host = aligned_alloc(PAGE, LARGE + PAGE);
    if (!host)
        return 1;
    memset(host, 1, LARGE + PAGE);
    int count = bench_drivers(drivers);
    for (int i = 0; i < count; i++)
        measure(&drivers[i], us[i]);
    bench_print(drivers, count, rows, us);
    free(host);
    return 0;
}
