/* SPDX-License-Identifier: Apache-2.0
 * What work-groups cost: little kernels with many of them, and barriers. bench_groups [-c] [TEXT]: only rows with this text; -c measures
 * CPU time of all threads, not the time that passes. */
#include <math.h>
#include <unistd.h>

#include "bench.h"

static const char *const source =
    "kernel void empty(global const float *a, global float *c, local float *t) {}\n"
    "kernel void ids(global const float *a, global float *c, local float *t)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] + get_local_id(0); }\n"
    "kernel void ids2(global const float *a, global float *c, local float *t)\n"
    "{ size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0); c[i] = a[i] + get_local_id(0) * get_local_id(1); }\n"
    "kernel void add(global const float *a, global float *c, local float *t) { size_t i = get_global_id(0); c[i] = a[i] + c[i]; }\n"
    "kernel void reduce(global const float *a, global float *c, local float *t)\n"
    "{ size_t i = get_global_id(0), l = get_local_id(0); t[l] = a[i];\n"
    "  for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) { barrier(CLK_LOCAL_MEM_FENCE); if (l < s) t[l] += t[l + s]; }\n"
    "  if (l == 0) c[get_group_id(0)] = t[0]; }\n"
    "kernel void scan(global const float *a, global float *c, local float *t)\n"
    "{ size_t i = get_global_id(0), l = get_local_id(0); t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (size_t s = 1; s < get_local_size(0); s *= 2) { float v = l >= s ? t[l - s] : 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    t[l] += v; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  c[i] = t[l]; }\n"
    "kernel void transpose(global const float *a, global float *c, local float *t)\n"
    "{ size_t x = get_local_id(0), y = get_local_id(1), gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;\n"
    "  t[y * 17 + x] = a[(gy + y) * 1024 + gx + x]; barrier(CLK_LOCAL_MEM_FENCE); c[(gx + y) * 1024 + gy + x] = t[x * 17 + y]; }\n"
    "kernel void matmul(global const float *a, global float *c, local float *t)\n"
    "{ size_t x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1), n = get_global_size(0); float s = "
    "0;\n"
    "  for (size_t k = 0; k < n; k += 16) { t[y * 16 + x] = a[gy * n + k + x]; t[256 + y * 16 + x] = a[(k + y) * n + gx];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); for (int j = 0; j < 16; j++) s += t[y * 16 + j] * t[256 + j * 16 + x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); } c[gy * n + gx] = s; }\n"
    "kernel void barriers(global const float *a, global float *c, local float *t)\n"
    "{ size_t l = get_local_id(0); for (int i = 0; i < 1000; i++) { t[l] = i; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  c[get_global_id(0)] = t[l]; }\n"
    "kernel void turn(global const float *a, global float *c, local float *t)\n"
    "{ size_t l = get_local_id(0); t[l] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  c[get_global_id(0)] = t[get_local_size(0) - 1 - l]; }\n"
    "#ifdef __opencl_c_work_group_collective_functions\n"
    "kernel void sum(global const float *a, global float *c, local float *t)\n"
    "{ float s = work_group_reduce_add(a[get_global_id(0)]); if (get_local_id(0) == 0) c[get_group_id(0)] = s; }\n"
    "kernel void sums(global const float *a, global float *c, local float *t)\n"
    "{ c[get_global_id(0)] = work_group_scan_inclusive_add(a[get_global_id(0)]); }\n"
    "#endif\n";

static const struct {
    const char *text, *kernel;
    size_t global[2], local[2];
} cases[] = {
    {"empty 1 Mi, groups of 64", "empty", {1 << 20, 1}, {64, 1}},
    {"add 1 Mi, groups of 64", "add", {1 << 20, 1}, {64, 1}},
    {"add 1 Mi, groups of 1", "add", {1 << 20, 1}, {1, 1}},
    {"local ids 1 Mi, groups of 64", "ids", {1 << 20, 1}, {64, 1}},
    {"local ids 1000000, groups of 100", "ids", {1000000, 1}, {100, 1}},
    {"local ids 1048573, groups of 1", "ids", {1048573, 1}, {1, 1}},
    {"local ids 17 x 3, 850 x 999", "ids2", {850, 999}, {17, 3}},
    {"local ids 5 x 5, 1000 x 1000", "ids2", {1000, 1000}, {5, 5}},
    {"reduce 1 Mi, groups of 64", "reduce", {1 << 20, 1}, {64, 1}},
    {"reduce 1 Mi, groups of 1024", "reduce", {1 << 20, 1}, {1024, 1}},
    {"scan 1 Mi, groups of 256", "scan", {1 << 20, 1}, {256, 1}},
    {"transpose 1024 x 1024, 16 x 16", "transpose", {1024, 1024}, {16, 16}},
    {"matrix product 256 cubed, 16 x 16", "matmul", {256, 256}, {16, 16}},
    {"a barrier, 1000000 in groups of 100", "turn", {1000000, 1}, {100, 1}},
    {"work_group_reduce 1 Mi, groups of 256", "sum", {1 << 20, 1}, {256, 1}},
    {"work_group_scan 1 Mi, groups of 256", "sums", {1 << 20, 1}, {256, 1}},
    {"1000 barriers, 16 groups of 256", "barriers", {4096, 1}, {256, 1}},
    {"1000 barriers, 256 groups of 16", "barriers", {4096, 1}, {16, 1}},
    {"1000 barriers, 256 groups of 15", "barriers", {3840, 1}, {15, 1}},
};

enum { CASES = sizeof(cases) / sizeof(*cases), ROUNDS = 51, BYTES = 4 << 20 };

struct driver {
    cl_command_queue queue;
    cl_kernel kernels[CASES];
};

static void set_up(struct driver *driver, const struct bench_driver *with)
{
    cl_int err;
    float zero = 0;
    cl_context context = clCreateContext(NULL, 1, &with->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    driver->queue = clCreateCommandQueueWithProperties(context, with->device, NULL, &err);
    BENCH_CHECK(err);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(program, 1, &with->device, "-cl-std=CL3.0", NULL, NULL));
    cl_mem buffers[2];
    for (int i = 0; i < 2; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
        BENCH_CHECK(err);
        BENCH_CHECK(clEnqueueFillBuffer(driver->queue, buffers[i], &zero, sizeof(zero), 0, BYTES, 0, NULL, NULL));
    }
    for (int i = 0; i < CASES; i++) {
        driver->kernels[i] = clCreateKernel(program, cases[i].kernel, &err);
        if (err == CL_INVALID_KERNEL_NAME) /* the driver lacks what it needs */
            continue;
        BENCH_CHECK(err);
        for (cl_uint k = 0; k < 2; k++)
            BENCH_CHECK(clSetKernelArg(driver->kernels[i], k, sizeof(cl_mem), &buffers[k]));
        BENCH_CHECK(clSetKernelArg(driver->kernels[i], 2, 8192, NULL));
    }
    BENCH_CHECK(clFinish(driver->queue));
}

/* Times of one launch of a row, with each driver in turn: the machine's mood is the same for all. */
static void measure(const struct driver *all, int count, int row, clockid_t clock, double times[BENCH_DRIVERS][ROUNDS])
{
    for (int round = -3; round < ROUNDS; round++)
        for (int i = 0; i < count; i++) {
            if (!all[i].kernels[row])
                continue;
            double start = bench_clock_us(clock);
            BENCH_CHECK(
                clEnqueueNDRangeKernel(all[i].queue, all[i].kernels[row], 2, NULL, cases[row].global, cases[row].local, 0, NULL, NULL));
            BENCH_CHECK(clFinish(all[i].queue));
            if (round >= 0)
                times[i][round] = bench_clock_us(clock) - start;
        }
}

int main(int argc, char **argv)
{
    struct bench_driver drivers[BENCH_DRIVERS];
    struct driver all[BENCH_DRIVERS];
    double us[BENCH_DRIVERS][BENCH_ROWS] = {{0}}, times[BENCH_DRIVERS][ROUNDS];
    const char *rows[CASES + 1] = {0};
    clockid_t clock = getopt(argc, argv, "c") == 'c' ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    const char *text = optind < argc ? argv[optind] : "";
    int count = bench_drivers(drivers), shown = 0;
    for (int i = 0; i < count; i++)
        set_up(&all[i], &drivers[i]);
    for (int row = 0; row < CASES; row++) {
        if (!strstr(cases[row].text, text))
            continue;
        measure(all, count, row, clock, times);
        for (int i = 0; i < count; i++)
            us[i][shown] = all[i].kernels[row] ? bench_median(times[i], ROUNDS) : NAN;
        rows[shown++] = cases[row].text;
    }
    bench_print(drivers, count, rows, us);
    return 0;
}
