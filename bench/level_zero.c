/* SPDX-License-Identifier: Apache-2.0
 * What the search for GPUs costs where Level Zero's loader is and no GPU: the first list of platforms and devices with that loader, and
 * without one, beside a program that opens the loader and calls zeInit itself. Each is measured in fresh processes, in turn. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

enum { RUNS = 51, GPU_ONLY = 1 /* ZE_INIT_FLAG_GPU_ONLY */ };

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void ask_the_loader(void)
{
    void *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned) = NULL;
    if (library)
        *(void **)&init = dlsym(library, "zeInit");
    if (init)
        init(GPU_ONLY);
}

static void ask_the_driver(void)
{
    cl_platform_id platform;
    cl_uint count;
    if (!clGetPlatformIDs(1, &platform, NULL))
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
}

static const struct way {
    const char *name, *loader; /* TESSERA_LEVEL_ZERO; NULL: no driver is asked */
    void (*ask)(void);
} ways[] = {
    {"dlopen of the loader and zeInit", NULL, ask_the_loader},
    {"platforms and devices, with that loader", "libze_loader.so.1", ask_the_driver},
    {"platforms and devices, without one", "/nowhere/libze_loader.so.1", ask_the_driver},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Microseconds, in a process of its own. */
static double measure(const struct way *way)
{
    int ends[2];
    double us = -1;
    if (pipe(ends))
        return us;
    pid_t child = fork();
    if (child == 0) {
        if (way->loader)
            setenv("TESSERA_LEVEL_ZERO", way->loader, 1);
        double begin = now_us();
        way->ask();
        us = now_us() - begin;
        _exit(write(ends[1], &us, sizeof us) != sizeof us);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &us, sizeof us) != sizeof us)
        us = -1;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return us;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static double times[WAYS][RUNS];
    for (int run = 0; run < RUNS; run++)
        for (int w = 0; w < WAYS; w++)
            times[w][run] = measure(&ways[w]);
    for (int w = 0; w < WAYS; w++) {
        qsort(times[w], RUNS, sizeof times[w][0], compare);
        printf("%-40s least %8.1f us, median %8.1f us\n", ways[w].name, times[w][0], times[w][RUNS / 2]);
    }
    printf("%-40s least %8.1f us, median %8.1f us\n", "above the loader's own", times[1][0] - times[0][0] - times[2][0],
           times[1][RUNS / 2] - times[0][RUNS / 2] - times[2][RUNS / 2]);
    return 0;
}
