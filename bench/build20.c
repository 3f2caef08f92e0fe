/* SPDX-License-Identifier: Apache-2.0
 * What the build of a file of twenty kernels costs, cold: kernels of the suite after each other.
 *
 * As in build.c each sample of a first build is a process of its own, and caches lie in a scratch folder. The sources differ in a number.
 */
#include <unistd.h>

#include "bench.h"

static const char *const rows[] = {"first build of a process", "  and all kernels created", "next build", "  and all kernels created",
                                   NULL};
static const char *const files[] = {
    "triad",  "nbody",   "mandelbrot", "black_scholes", "reduce", "transpose", "stencil2d", "histogram_local", "spmv",
    "sha256", "bitonic", "convert",    "median",        "fft",    "tree",      "gemv",      "axpy_dot"};

enum { PROCESSES = 5, BUILDS = 3, KERNELS = 20, MOST_SOURCE = 1 << 17 };

static void read_files(char *text)
{
    size_t length = 0;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        char path[500];
        snprintf(path, sizeof(path), SUITE_KERNELS "/%s.cl", files[i]);
        FILE *file = fopen(path, "r");
        if (!file) {
            fprintf(stderr, "bench_build20: cannot read %s\n", path);
            exit(1);
        }
        length += fread(text + length, 1, MOST_SOURCE - length - 100, file);
        fclose(file);
    }
    text[length] = 0;
}

static void build_once(cl_context context, const struct bench_driver *driver, char *text, long salt, double *built, double *created)
{
    cl_int err;
    cl_uint count = 0;
    size_t length = strlen(text);
    snprintf(text + length, 100, "constant int salt = %ld;\n", salt);
    double start = bench_now_us();
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(program, 1, &driver->device, NULL, NULL, NULL));
    *built = bench_now_us() - start;
    cl_kernel kernels[KERNELS];
    BENCH_CHECK(clCreateKernelsInProgram(program, KERNELS, kernels, &count));
    *created = bench_now_us() - start;
    if (count != KERNELS)
        exit(1);
    text[length] = 0;
    for (cl_uint i = 0; i < count; i++)
        BENCH_CHECK(clReleaseKernel(kernels[i]));
    BENCH_CHECK(clReleaseProgram(program));
}

/* The child: prints what the first build took, and the medians of later ones. */
static int child(int number, long salt)
{
    static char text[MOST_SOURCE];
    struct bench_driver drivers[BENCH_DRIVERS];
    cl_int err;
    double first[2], later[2][BUILDS];
    if (number >= bench_drivers(drivers))
        return 1;
    read_files(text);
    cl_context context = clCreateContext(NULL, 1, &drivers[number].device, NULL, NULL, &err);
    BENCH_CHECK(err);
    build_once(context, &drivers[number], text, salt, &first[0], &first[1]);
    for (int i = 0; i < BUILDS; i++)
        build_once(context, &drivers[number], text, salt + 1 + i, &later[0][i], &later[1][i]);
    printf("%f %f %f %f\n", first[0], first[1], bench_median(later[0], BUILDS), bench_median(later[1], BUILDS));
    BENCH_CHECK(clReleaseContext(context));
    return 0;
}

/* Drivers in turn, a process each. */
static void measure(const char *self, int count, double (*us)[BENCH_ROWS])
{
    double samples[BENCH_DRIVERS][4][PROCESSES];
    long salt = (long)getpid() * 1000;
    for (int i = 0; i < PROCESSES; i++)
        for (int number = 0; number < count; number++, salt += BUILDS + 1) {
            char command[600];
            double *s[4];
            for (int row = 0; row < 4; row++)
                s[row] = &samples[number][row][i];
            snprintf(command, sizeof(command), "%s %d %ld", self, number, salt);
            FILE *pipe = popen(command, "r");
            if (!pipe || fscanf(pipe, "%lf %lf %lf %lf", s[0], s[1], s[2], s[3]) != 4 || pclose(pipe)) {
                fprintf(stderr, "%s failed\n", command);
                exit(1);
            }
        }
    for (int number = 0; number < count; number++)
        for (int row = 0; row < 4; row++)
            us[number][row] = bench_median(samples[number][row], PROCESSES);
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return child(atoi(argv[1]), atol(argv[2]));
    char scratch[] = "/tmp/tessera-bench-XXXXXX", command[100], self[500] = "";
    if (!mkdtemp(scratch) || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        return 1;
    setenv("TESSERA_ENGINE", "lanes", 0);
    setenv("TESSERA_CACHE_DIR", scratch, 1);
    setenv("POCL_CACHE_DIR", scratch, 1);
    setenv("XDG_CACHE_HOME", scratch, 1);
    setenv("cl_cache_dir", scratch, 1); /* Intel's */
    struct bench_driver drivers[BENCH_DRIVERS];
    double us[BENCH_DRIVERS][BENCH_ROWS] = {{0}};
    int count = bench_drivers(drivers);
    measure(self, count, us);
    bench_print(drivers, count, rows, us);
    snprintf(command, sizeof(command), "rm -rf %s", scratch);
    return system(command);
}
