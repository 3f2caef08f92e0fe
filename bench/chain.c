/* SPDX-License-Identifier: Apache-2.0
 * Chains of short launches that depend on each other, on 1, 2, 4 … CPUs: what a launch of 10, 50 and 200 us of one CPU's work takes, and a
 * bitonic sort of 256 Ki keys, which is 171 launches.
 *
 *   bench_chain [-t MOST_CPUS] [-r SWEEPS] [-d DRIVER]
 *     -t  most CPUs to run on (default: all)    -r  times that all CPU counts are gone through (default 3)
 *     -d  only drivers whose name contains this
 *
 * Each number of CPUs is a process of its own that is bound to so many; the drivers take turns in it. A table shows medians over all
 * sweeps. */
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum {
    COUNTS = 12,
    SWEEPS = 15,
    ROUNDS = 9, /* of each chain in each process */
    LAUNCHES = 200,
    ITEMS = 16384, /* of a launch, in groups of 64 */
    KEYS = 1 << 18,
    WORKS = 4, /* the last one is the sort */
    SORT = WORKS - 1,
    TRIES = 6, /* to find the rounds that take as long as they should, and of each number of rounds */
};

static const char *const source =
    "kernel void work(global float *x, int rounds)\n"
    "{ size_t i = get_global_id(0); float v = x[i]; for (int k = 0; k < rounds; k++) v = fma(v, 0.5f, 1.0f); x[i] = v; }\n"
    "kernel void merge(global uint *data, int size, int distance)\n"
    "{ int i = get_global_id(0), at = 2 * i - (i & (distance - 1)); bool up = (at & size) == 0;\n"
    "  uint a = data[at], b = data[at + distance];\n"
    "  if ((a > b) == up) { data[at] = b; data[at + distance] = a; } }\n";

static const int work_us[WORKS] = {10, 50, 200, 0};
static const char *const work_names[WORKS] = {"10 us of work", "50 us of work", "200 us of work", "sort of 256 Ki keys"};

/* What the processes share. */
static struct shared {
    char names[BENCH_DRIVERS][40];
    int drivers;
    cl_int rounds[BENCH_DRIVERS][WORKS]; /* of the loop in `work`, so that a launch has so much work for one CPU; 0: not known */
    double us[COUNTS][BENCH_DRIVERS][WORKS][SWEEPS];
} *shared;

struct chain {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel work, merge;
    cl_mem numbers, keys;
};

static struct chain set_up(const struct bench_driver *driver)
{
    cl_int err;
    struct chain c;
    c.context = clCreateContext(NULL, 1, &driver->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    c.queue = clCreateCommandQueueWithProperties(c.context, driver->device, NULL, &err);
    BENCH_CHECK(err);
    c.program = clCreateProgramWithSource(c.context, 1, (const char **)&source, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(c.program, 1, &driver->device, NULL, NULL, NULL));
    c.work = clCreateKernel(c.program, "work", &err);
    BENCH_CHECK(err);
    c.merge = clCreateKernel(c.program, "merge", &err);
    BENCH_CHECK(err);
    c.numbers = clCreateBuffer(c.context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_float), NULL, &err);
    BENCH_CHECK(err);
    c.keys = clCreateBuffer(c.context, CL_MEM_READ_WRITE, KEYS * sizeof(cl_uint), NULL, &err);
    BENCH_CHECK(err);
    cl_float zero = 0;
    BENCH_CHECK(clEnqueueFillBuffer(c.queue, c.numbers, &zero, sizeof(zero), 0, ITEMS * sizeof(zero), 0, NULL, NULL));
    BENCH_CHECK(clSetKernelArg(c.work, 0, sizeof(cl_mem), &c.numbers));
    BENCH_CHECK(clSetKernelArg(c.merge, 0, sizeof(cl_mem), &c.keys));
    BENCH_CHECK(clFinish(c.queue));
    return c;
}

static void tear_down(struct chain *c)
{
    BENCH_CHECK(clReleaseMemObject(c->numbers));
    BENCH_CHECK(clReleaseMemObject(c->keys));
    BENCH_CHECK(clReleaseKernel(c->work));
    BENCH_CHECK(clReleaseKernel(c->merge));
    BENCH_CHECK(clReleaseProgram(c->program));
    BENCH_CHECK(clReleaseCommandQueue(c->queue));
    BENCH_CHECK(clReleaseContext(c->context));
}

/* Microseconds of a launch in a chain of them. */
static double run_work(struct chain *c, cl_int rounds, int launches)
{
    size_t global = ITEMS, local = 64;
    BENCH_CHECK(clSetKernelArg(c->work, 1, sizeof(rounds), &rounds));
    double start = bench_now_us();
    for (int i = 0; i < launches; i++)
        BENCH_CHECK(clEnqueueNDRangeKernel(c->queue, c->work, 1, NULL, &global, &local, 0, NULL, NULL));
    BENCH_CHECK(clFinish(c->queue));
    return (bench_now_us() - start) / launches;
}

static double run_sort(struct chain *c, cl_uint *keys)
{
    size_t global = KEYS / 2, local = 256;
    for (cl_uint i = 0, x = 1; i < KEYS; i++, x = x * 1664525 + 1013904223)
        keys[i] = x;
    BENCH_CHECK(clEnqueueWriteBuffer(c->queue, c->keys, CL_TRUE, 0, KEYS * sizeof(*keys), keys, 0, NULL, NULL));
    int launches = 0;
    double start = bench_now_us();
    for (cl_int size = 2; size <= KEYS; size *= 2)
        for (cl_int distance = size / 2; distance; distance /= 2, launches++) {
            BENCH_CHECK(clSetKernelArg(c->merge, 1, sizeof(size), &size));
            BENCH_CHECK(clSetKernelArg(c->merge, 2, sizeof(distance), &distance));
            BENCH_CHECK(clEnqueueNDRangeKernel(c->queue, c->merge, 1, NULL, &global, &local, 0, NULL, NULL));
        }
    BENCH_CHECK(clFinish(c->queue));
    double us = (bench_now_us() - start) / launches;
    BENCH_CHECK(clEnqueueReadBuffer(c->queue, c->keys, CL_TRUE, 0, KEYS * sizeof(*keys), keys, 0, NULL, NULL));
    for (int i = 1; i < KEYS; i++)
        if (keys[i - 1] > keys[i]) {
            fprintf(stderr, "bench_chain: the keys are not sorted\n");
            exit(1);
        }
    return us;
}

/* How many rounds one CPU needs so long for. */
static cl_int rounds_for(struct chain *c, double us)
{
    double rounds = us;
    for (int i = 0; i < TRIES; i++) {
        double least = run_work(c, (cl_int)rounds, LAUNCHES / 10);
        for (int k = 0; k < TRIES; k++) {
            double now = run_work(c, (cl_int)rounds, LAUNCHES / 10);
            least = now < least ? now : least;
        }
        rounds = rounds * us / least;
        rounds = rounds < 1 ? 1 : rounds;
    }
    return (cl_int)(rounds + 0.5);
}

static void measure(int count, int sweep, const char *only)
{
    struct bench_driver drivers[BENCH_DRIVERS];
    struct chain chains[BENCH_DRIVERS];
    static double us[BENCH_DRIVERS][WORKS][ROUNDS];
    cl_uint *keys = malloc(KEYS * sizeof(*keys));
    int all = bench_drivers(drivers), n = 0;
    for (int i = 0; i < all; i++)
        if (!only || strstr(drivers[i].name, only)) {
            memcpy(shared->names[n], drivers[i].name, sizeof(shared->names[n]));
            chains[n++] = set_up(&drivers[i]);
        }
    shared->drivers = n;
    for (int i = 0; i < n; i++) {
        for (int w = 0; w < SORT; w++)
            if (!shared->rounds[i][w])
                shared->rounds[i][w] = rounds_for(&chains[i], work_us[w]);
        run_sort(&chains[i], keys);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < n; i++) {
            for (int w = 0; w < SORT; w++) {
                run_work(&chains[i], shared->rounds[i][w], LAUNCHES / 10); /* the cost of a launch is learned */
                us[i][w][round] = run_work(&chains[i], shared->rounds[i][w], LAUNCHES);
            }
            us[i][SORT][round] = run_sort(&chains[i], keys);
        }
    for (int i = 0; i < n; i++) {
        for (int w = 0; w < WORKS; w++)
            shared->us[count][i][w][sweep] = bench_median(us[i][w], ROUNDS);
        tear_down(&chains[i]);
    }
    free(keys);
}

static bool in_child(int count, int cpus, int sweep, const char *only)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        cpu_set_t all, some;
        if (sched_getaffinity(0, sizeof(all), &all))
            _exit(1);
        CPU_ZERO(&some);
        for (unsigned i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < cpus; i++)
            if (CPU_ISSET(i, &all))
                CPU_SET(i, &some);
        if (sched_setaffinity(0, sizeof(some), &some))
            _exit(1);
        measure(count, sweep, only);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* The least over all counts of CPUs of the time with the best smaller count over the time with this one. */
static double worst_step(double (*us)[COUNTS], int counts)
{
    double worst = 1e9, best = (*us)[0];
    for (int i = 1; i < counts; i++) {
        worst = best / (*us)[i] < worst ? best / (*us)[i] : worst;
        best = (*us)[i] < best ? (*us)[i] : best;
    }
    return worst;
}

static void print(const int *cpus, int counts, int sweeps)
{
    double us[BENCH_DRIVERS][WORKS][COUNTS];
    printf("%-46s", "microseconds of a launch, median; CPUs:");
    for (int i = 0; i < counts; i++)
        printf(" %8d", cpus[i]);
    printf("   against the best smaller count; ours at the largest\n");
    for (int w = 0; w < WORKS; w++)
        for (int d = 0; d < shared->drivers; d++) {
            printf("%-20s %-25.25s", work_names[w], shared->names[d]);
            for (int i = 0; i < counts; i++) {
                us[d][w][i] = bench_median(shared->us[i][d][w], sweeps);
                printf(" %8.2f", us[d][w][i]);
            }
            if (counts > 1)
                printf("   %5.2f", worst_step(&us[d][w], counts));
            printf(" %5.2f\n", us[d][w][counts - 1] / us[0][w][counts - 1]);
        }
}

int main(int argc, char **argv)
{
    int option, most = 0, sweeps = 3, cpus[COUNTS], counts = 0;
    const char *only = NULL;
    cpu_set_t mask;
    while ((option = getopt(argc, argv, "t:r:d:")) != -1)
        if (option == 't')
            most = atoi(optarg);
        else if (option == 'r')
            sweeps = atoi(optarg) < SWEEPS ? atoi(optarg) : SWEEPS;
        else if (option == 'd')
            only = optarg;
        else
            return 2;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || sched_getaffinity(0, sizeof(mask), &mask) || sweeps < 1)
        return 1;
    if (most < 1 || most > CPU_COUNT(&mask))
        most = CPU_COUNT(&mask);
    for (int n = 1; n < most && counts < COUNTS - 1; n *= 2)
        cpus[counts++] = n;
    cpus[counts++] = most;
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int i = 0; i < counts; i++)
            if (!in_child(i, cpus[i], sweep, only)) {
                fprintf(stderr, "bench_chain: no result on %d CPUs\n", cpus[i]);
                return 1;
            }
    print(cpus, counts, sweeps);
    return 0;
}
