/* SPDX-License-Identifier: Apache-2.0
 * What the search for GPUs costs where Level Zero's loader is and no GPU: the first list of platforms and devices with that loader, and
 * without one, beside a program that opens the loader and calls zeInit itself. Each is measured in fresh processes, in turn. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { RUNS = 51, GPU_ONLY = 1 /* ZE_INIT_FLAG_GPU_ONLY */ };

static bool ask_the_loader(void)
{
    void *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned) = NULL;
    if (library)
        *(void **)&init = dlsym(library, "zeInit");
    return init && (init(GPU_ONLY), true); /* without a GPU it fails */
}

static bool ask_the_driver(void)
{
    cl_platform_id platform;
    cl_uint count;
    return !clGetPlatformIDs(1, &platform, NULL) && !clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
}

static const struct way {
    const char *name, *loader; /* TESSERA_LEVEL_ZERO; NULL: no driver is asked */
    bool (*ask)(void);
} ways[] = {
    {"dlopen of the loader and zeInit", NULL, ask_the_loader},
    {"platforms and devices, with that loader", "libze_loader.so.1", ask_the_driver},
    {"platforms and devices, without one", "/nowhere/libze_loader.so.1", ask_the_driver},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Microseconds, in a process of its own; -1: it failed. */
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
        double begin = bench_now_us();
        bool good = way->ask();
        us = bench_now_us() - begin;
        _exit(!good || write(ends[1], &us, sizeof us) != sizeof us);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &us, sizeof us) != sizeof us)
        us = -1;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return us;
}

int main(void)
{
    static double times[WAYS][RUNS];
    double medians[WAYS];
    for (int run = 0; run < RUNS; run++)
        for (int w = 0; w < WAYS; w++)
            if ((times[w][run] = measure(&ways[w])) < 0) {
                fprintf(stderr, "%s: failed; are libze_loader.so.1 and the driver there?\n", ways[w].name);
                return 1;
            }
    for (int w = 0; w < WAYS; w++) {
        medians[w] = bench_median(times[w], RUNS); /* sorts them */
        printf("%-40s least %8.1f us, median %8.1f us\n", ways[w].name, times[w][0], medians[w]);
    }
    printf("%-40s least %8.1f us, median %8.1f us\n", "above the loader's own", times[1][0] - times[0][0] - times[2][0],
           medians[1] - medians[0] - medians[2]);
    return 0;
}
