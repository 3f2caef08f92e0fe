/* SPDX-License-Identifier: Apache-2.0
 * What the benchmarks share: every platform that the loader shows, medians, and a table of drivers side by side with ratios.
 *
 * A benchmark fills one column per driver. Times are microseconds; a ratio above 1 says that the driver takes so many times as long as
 * Tessera. */
#ifndef TESSERA_BENCH_H
#define TESSERA_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CL/tessera_cl.h"

#define BENCH_UNUSED __attribute__((unused))
enum { BENCH_DRIVERS = 8, BENCH_ROWS = 24 };

#define BENCH_CHECK(call)                                                                                                                  \
    do {                                                                                                                                   \
        cl_int code_ = (call);                                                                                                             \
        if (code_ != CL_SUCCESS) {                                                                                                         \
            fprintf(stderr, "%s:%d: %s answers %d\n", __FILE__, __LINE__, #call, code_);                                                   \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

struct bench_driver {
    char name[40];
    cl_platform_id platform;
    cl_device_id device;
};

static BENCH_UNUSED double bench_clock_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static BENCH_UNUSED double bench_now_us(void)
{
    return bench_clock_us(CLOCK_MONOTONIC);
}

static BENCH_UNUSED int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static BENCH_UNUSED double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), bench_compare);
    return values[count / 2];
}

/* CPU devices of all platforms, Tessera's first. */
static BENCH_UNUSED int bench_drivers(struct bench_driver *drivers)
{
    cl_platform_id platforms[BENCH_DRIVERS];
    cl_uint count = 0;
    int found = 0;
    BENCH_CHECK(clGetPlatformIDs(BENCH_DRIVERS, platforms, &count));
    for (cl_uint i = 0; i < count && i < BENCH_DRIVERS; i++) {
        struct bench_driver driver = {.platform = platforms[i]};
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &driver.device, NULL) != CL_SUCCESS)
            continue;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(driver.name), driver.name, NULL);
        if (found && strstr(driver.name, "Tessera")) {
            drivers[found++] = drivers[0];
            drivers[0] = driver;
        } else {
            drivers[found++] = driver;
        }
    }
    return found;
}

static BENCH_UNUSED void bench_print_head(const struct bench_driver *drivers, int count)
{
    printf("%-34s", "microseconds, median");
    for (int i = 0; i < count; i++)
        printf("  %-26.26s", drivers[i].name);
    printf("\n");
}

/* `us`: for each driver. */
static BENCH_UNUSED void bench_print_row(const char *row, int count, const double *us)
{
    printf("%-34s", row);
    for (int i = 0; i < count; i++)
        printf("  %10.2f  x %-11.2f", us[i], us[i] / us[0]);
    printf("\n");
}

static BENCH_UNUSED void bench_print(const struct bench_driver *drivers, int count, const char *const *rows, double (*us)[BENCH_ROWS])
{
    bench_print_head(drivers, count);
    for (int row = 0; rows[row]; row++) {
        double times[BENCH_DRIVERS];
        for (int i = 0; i < count; i++)
            times[i] = us[i][row];
        bench_print_row(rows[row], count, times);
    }
}

#endif
