/* SPDX-License-Identifier: Apache-2.0
 * What the build of a file of twenty kernels costs, cold: kernels of the suite after each other.
 *
 * As in build.c each sample of a first build is a process of its own. Caches are off: sources that differ in a number would not do, since a
 * driver may know the code of single kernels again.
 */
#include <unistd.h>

#include "bench.h"

static const char *const rows[] = {"first build of a process",
                                   "  and all kernels created",
                                   "  and launched once",
                                   "next build",
                                   "  and all kernels created",
                                   "  and launched once",
                                   NULL};
static const char *const files[] = {
    "triad",  "nbody",   "mandelbrot", "black_scholes", "reduce", "transpose", "stencil2d", "histogram_local", "spmv",
    "sha256", "bitonic", "convert",    "median",        "fft",    "tree",      "gemv",      "axpy_dot"};

enum { PROCESSES = 3, BUILDS = 3, KERNELS = 20, MOST_SOURCE = 1 << 17, TIMES = 3, BYTES = 1 << 16 };

static void read_files(char *text)
{
    /* What bench_suite defines for kernels that may be built with vectors in place of numbers. */
    strcpy(text, "#define WIDTH 1\n#define LANES 0\ntypedef float real; typedef uint word; typedef int whole;\n");
    size_t length = strlen(text);
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

/* Pointers get the buffer or some local memory, numbers are 1. */
static void set_arguments(cl_kernel kernel, cl_mem zeros)
{
    cl_uint count;
    BENCH_CHECK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL));
    for (cl_uint i = 0; i < count; i++) {
        cl_kernel_arg_address_qualifier where;
        char type[40];
        cl_int whole = 1;
        cl_float fraction = 1;
        BENCH_CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(where), &where, NULL));
        BENCH_CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(type), type, NULL));
        if (where == CL_KERNEL_ARG_ADDRESS_LOCAL)
            BENCH_CHECK(clSetKernelArg(kernel, i, 1 << 12, NULL));
        else if (where != CL_KERNEL_ARG_ADDRESS_PRIVATE)
            BENCH_CHECK(clSetKernelArg(kernel, i, sizeof(cl_mem), &zeros));
        else
            BENCH_CHECK(clSetKernelArg(kernel, i, 4, strcmp(type, "float") ? (void *)&whole : (void *)&fraction));
    }
}

static void launch(const struct bench_driver *driver, cl_command_queue queue, cl_kernel kernel, cl_mem zeros)
{
    size_t size[3];
    cl_int zero = 0; /* what the kernel before wrote could be an index here */
    BENCH_CHECK(clEnqueueFillBuffer(queue, zeros, &zero, sizeof(zero), 0, BYTES, 0, NULL, NULL));
    BENCH_CHECK(clGetKernelWorkGroupInfo(kernel, driver->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(size), size, NULL));
    for (int i = 0; i < 3; i++)
        size[i] = size[i] ? size[i] : 1;
    BENCH_CHECK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, size, size, 0, NULL, NULL));
}

/* Three times since the start. */
static void build_once(cl_command_queue queue, const struct bench_driver *driver, char *text, long salt, cl_mem zeros, double *us)
{
    cl_int err;
    cl_uint count = 0;
    cl_context context;
    size_t length = strlen(text);
    BENCH_CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, NULL));
    snprintf(text + length, 100, "constant int salt = %ld;\n", salt);
    double start = bench_now_us();
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(program, 1, &driver->device, "-cl-kernel-arg-info", NULL, NULL));
    us[0] = bench_now_us() - start;
    cl_kernel kernels[KERNELS];
    BENCH_CHECK(clCreateKernelsInProgram(program, KERNELS, kernels, &count));
    us[1] = bench_now_us() - start;
    if (count != KERNELS)
        exit(1);
    for (cl_uint i = 0; i < count; i++) {
        set_arguments(kernels[i], zeros);
        launch(driver, queue, kernels[i], zeros);
    }
    BENCH_CHECK(clFinish(queue));
    us[2] = bench_now_us() - start;
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
    double times[1 + BUILDS][TIMES];
    if (number >= bench_drivers(drivers))
        return 1;
    read_files(text);
    cl_context context = clCreateContext(NULL, 1, &drivers[number].device, NULL, NULL, &err);
    BENCH_CHECK(err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, drivers[number].device, NULL, &err);
    BENCH_CHECK(err);
    cl_mem zeros = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    BENCH_CHECK(err);
    for (int i = 0; i <= BUILDS; i++)
        build_once(queue, &drivers[number], text, salt + i, zeros, times[i]);
    for (int k = 0; k < TIMES; k++)
        printf("%f ", times[0][k]);
    for (int k = 0; k < TIMES; k++) {
        double later[BUILDS];
        for (int i = 0; i < BUILDS; i++)
            later[i] = times[1 + i][k];
        printf("%f ", bench_median(later, BUILDS));
    }
    BENCH_CHECK(clReleaseMemObject(zeros));
    BENCH_CHECK(clReleaseCommandQueue(queue));
    BENCH_CHECK(clReleaseContext(context));
    return 0;
}

/* Drivers in turn, a process each. */
static void measure(const char *self, int count, double (*us)[BENCH_ROWS])
{
    double samples[BENCH_DRIVERS][2 * TIMES][PROCESSES];
    long salt = (long)getpid() * 1000;
    for (int i = 0; i < PROCESSES; i++)
        for (int number = 0; number < count; number++, salt += BUILDS + 1) {
            char command[600];
            snprintf(command, sizeof(command), "%s %d %ld", self, number, salt);
            FILE *pipe = popen(command, "r");
            int read = 0;
            for (int row = 0; pipe && row < 2 * TIMES; row++)
                read += fscanf(pipe, "%lf", &samples[number][row][i]);
            if (read != 2 * TIMES || pclose(pipe)) {
                fprintf(stderr, "%s failed\n", command);
                exit(1);
            }
        }
    for (int number = 0; number < count; number++)
        for (int row = 0; row < 2 * TIMES; row++)
            us[number][row] = bench_median(samples[number][row], PROCESSES);
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return child(atoi(argv[1]), atol(argv[2]));
    char self[500] = "";
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        return 1;
    setenv("TESSERA_CACHE", "0", 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    unsetenv("cl_cache_dir"); /* Intel's */
    struct bench_driver drivers[BENCH_DRIVERS];
    double us[BENCH_DRIVERS][BENCH_ROWS] = {{0}};
    int count = bench_drivers(drivers);
    measure(self, count, us);
    bench_print(drivers, count, rows, us);
    return 0;
}
