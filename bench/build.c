/* SPDX-License-Identifier: Apache-2.0
 * What a build costs: the first of a process, later ones, and one that the disk cache knows.
 *
 * Every sample of a first build is a process of its own: this program starts itself with the number of the driver and the kind of build,
 * and the child prints one time. Caches live in a scratch folder, so that "cold" is cold for every driver. */
#include <unistd.h>

#include "bench.h"

static const char *const rows[] = {"first build of a process", "next build", "disk cache hit, first of process", "disk cache hit, next",
                                   NULL};

enum { PROCESSES = 11, BUILDS = 21, MOST_SOURCE = 300 };

static double build_once(cl_context context, const struct bench_driver *driver, const char *text)
{
    cl_int err;
    double start = bench_now_us();
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(program, 1, &driver->device, NULL, NULL, NULL));
    double took = bench_now_us() - start;
    BENCH_CHECK(clReleaseProgram(program));
    return took;
}

/* The child: prints the time of the first build and the median of later ones. `salt` makes the sources new, or old on purpose. */
static int child(int number, long salt)
{
    struct bench_driver drivers[BENCH_DRIVERS];
    int count = bench_drivers(drivers);
    if (number >= count)
        return 1;
    cl_int err;
    double later[BUILDS], first = 0;
    cl_context context = clCreateContext(NULL, 1, &drivers[number].device, NULL, NULL, &err);
    BENCH_CHECK(err);
    for (int i = -1; i < BUILDS; i++) {
        char text[MOST_SOURCE];
        snprintf(text, sizeof(text),
                 "__kernel void vadd(__global const float *a, __global const float *b, __global float *c)\n"
                 "{ size_t i = get_global_id(0); c[i] = a[i] + b[i] + %ld.0f + %d.0f; }\n",
                 salt, i);
        *(i < 0 ? &first : &later[i]) = build_once(context, &drivers[number], text);
    }
    printf("%f %f\n", first, bench_median(later, BUILDS));
    BENCH_CHECK(clReleaseContext(context));
    return 0;
}

static void ask_child(const char *self, int number, long salt, double *first, double *later)
{
    char command[600];
    snprintf(command, sizeof(command), "%s %d %ld", self, number, salt);
    FILE *pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%lf %lf", first, later) != 2 || pclose(pipe)) {
        fprintf(stderr, "%s failed\n", command);
        exit(1);
    }
}

static void measure(const char *self, int number, double *us)
{
    double first[PROCESSES], later[PROCESSES];
    long salt = (long)getpid() * 1000;
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < PROCESSES; i++)
            ask_child(self, number, salt + (kind ? 0 : i), &first[i], &later[i]);
        us[2 * kind] = bench_median(first, PROCESSES);
        us[2 * kind + 1] = bench_median(later, PROCESSES);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return child(atoi(argv[1]), atol(argv[2]));
    char scratch[] = "/tmp/tessera-bench-XXXXXX", command[100], self[500] = "";
    if (!mkdtemp(scratch) || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        return 1;
    setenv("TESSERA_CACHE_DIR", scratch, 1);
    setenv("POCL_CACHE_DIR", scratch, 1);
    setenv("XDG_CACHE_HOME", scratch, 1);
    setenv("cl_cache_dir", scratch, 1); /* Intel's */
    struct bench_driver drivers[BENCH_DRIVERS];
    double us[BENCH_DRIVERS][BENCH_ROWS] = {{0}};
    int count = bench_drivers(drivers);
    for (int i = 0; i < count; i++)
        measure(self, i, us[i]);
    bench_print(drivers, count, rows, us);
    snprintf(command, sizeof(command), "rm -rf %s", scratch);
    return system(command);
}
