/* SPDX-License-Identifier: Apache-2.0
 * What work-groups cost: little kernels with many of them, and barriers. bench_groups [-c] [-s] [TEXT]: only rows with this text; -c
 * measures CPU time of all threads, not the time that passes; -s has loops of barriers in groups of many sizes instead. */
#include <math.h>
#include <stdbool.h>
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

/* Built for each local size, whose kernels do not know it unless they are to. */
static const char *const sized_source =
    "#define ITEMS (X * Y * Z)\n"
    "#define BEGIN(name) GROUP kernel void name(global const float *a, global float *c, local float *unused)\\\n"
    "{ uint x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);\\\n"
    "  uint lx = get_local_size(0), ly = get_local_size(1), n = lx * ly * get_local_size(2), l = (z * ly + y) * lx + x;\\\n"
    "  size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0), i = group * n + l;\n"
    "BEGIN(barriers) local float t[ITEMS];\n"
    "  for (int k = 0; k < 1000; k++) { t[l] = k; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  c[i] = t[l]; }\n"
    "BEGIN(ring) local float t[ITEMS]; float v = a[i];\n"
    "  for (int k = 0; k < 100; k++) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    v = 0.5f * (v + t[(l + 1) % n]); barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  c[i] = v; }\n"
    "BEGIN(tree) local float t[ITEMS];\n"
    "  for (int k = 0; k < 20; k++) { t[l] = a[i] + k;\n"
    "    for (uint s = n; s > 1;) { uint h = (s + 1) / 2; barrier(CLK_LOCAL_MEM_FENCE); if (l + h < s) t[l] += t[l + h]; s = h; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  if (l == 0) c[group] = t[0]; }\n"
    "BEGIN(stencil) local float t[Z][Y][X]; float v = a[i];\n"
    "  uint left = x > 0 ? x - 1 : 0, right = min(x + 1, lx - 1), up = y > 0 ? y - 1 : 0, down = min(y + 1, ly - 1);\n"
    "  for (int k = 0; k < 100; k++) { t[z][y][x] = v; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    v = 0.2f * (v + t[z][y][left] + t[z][y][right] + t[z][up][x] + t[z][down][x]); barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  c[i] = v; }\n"
    "#if X == Y && Z == 1\n"
    "BEGIN(product) local float p[Y][X], q[Y][X]; float s = 0; uint gx = get_global_id(0), gy = get_global_id(1), w = 16 * X;\n"
    "  for (uint k = 0; k < w; k += X) { p[y][x] = a[gy * w + k + x]; q[y][x] = a[(k + y) * w + gx]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint j = 0; j < X; j++) s += p[y][j] * q[j][x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  c[gy * w + gx] = s; }\n"
    "#endif\n";

static const char *const sized_kernels[] = {"barriers", "ring", "tree", "stencil", "product"};
static const size_t local_sizes[][3] = {
    {15, 1, 1}, {16, 1, 1}, {17, 1, 1}, {24, 1, 1}, {31, 1, 1},  {33, 1, 1},  {48, 1, 1}, {100, 1, 1}, {250, 1, 1}, {4, 4, 1},
    {8, 2, 1},  {2, 8, 1},  {5, 5, 1},  {8, 8, 1},  {10, 10, 1}, {16, 16, 1}, {32, 8, 1}, {3, 3, 3},   {4, 4, 4},   {8, 8, 4},
};

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

enum {
    CASES = sizeof(cases) / sizeof(*cases),
    KERNELS = sizeof(sized_kernels) / sizeof(*sized_kernels),
    SIZES = sizeof(local_sizes) / sizeof(*local_sizes),
    ROUNDS = 51,
    WARM_UP_US = 1500000,
    BYTES = 4 << 20,
};

struct row {
    char text[48];
    const char *kernel;
    size_t global[3], local[3];
    bool sized, required; /* built for its local size, which the kernel requires */
};

struct driver {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffers[2];
    cl_program program; /* of the rows that are not sized */
};

static cl_program build(const struct driver *driver, const char *text, const char *options)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(driver->context, 1, &text, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(program, 1, &driver->device, options, NULL, NULL));
    return program;
}

static void set_up(struct driver *driver, const struct bench_driver *with)
{
    cl_int err;
    float zero = 0;
    driver->device = with->device;
    driver->context = clCreateContext(NULL, 1, &with->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    driver->queue = clCreateCommandQueueWithProperties(driver->context, with->device, NULL, &err);
    BENCH_CHECK(err);
    for (int i = 0; i < 2; i++) {
        driver->buffers[i] = clCreateBuffer(driver->context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
        BENCH_CHECK(err);
        BENCH_CHECK(clEnqueueFillBuffer(driver->queue, driver->buffers[i], &zero, sizeof(zero), 0, BYTES, 0, NULL, NULL));
    }
    BENCH_CHECK(clFinish(driver->queue));
    driver->program = build(driver, source, "-cl-std=CL3.0");
}

/* NULL: the driver lacks what the kernel needs. */
static cl_kernel make_kernel(const struct driver *driver, const struct row *row)
{
    cl_int err;
    cl_program program = driver->program;
    if (row->sized) {
        char options[160];
        snprintf(options, sizeof(options), "-cl-std=CL3.0 -DX=%zu -DY=%zu -DZ=%zu -DGROUP=%s", row->local[0], row->local[1], row->local[2],
                 row->required ? "__attribute__((reqd_work_group_size(X,Y,Z)))" : "");
        program = build(driver, sized_source, options);
    }
    cl_kernel kernel = clCreateKernel(program, row->kernel, &err);
    if (row->sized)
        clReleaseProgram(program);
    if (err == CL_INVALID_KERNEL_NAME)
        return NULL;
    BENCH_CHECK(err);
    for (cl_uint k = 0; k < 2; k++)
        BENCH_CHECK(clSetKernelArg(kernel, k, sizeof(cl_mem), &driver->buffers[k]));
    BENCH_CHECK(clSetKernelArg(kernel, 2, 8192, NULL));
    return kernel;
}

static double launch(const struct driver *driver, cl_kernel kernel, const struct row *row, clockid_t clock)
{
    double start = bench_clock_us(clock);
    BENCH_CHECK(clEnqueueNDRangeKernel(driver->queue, kernel, 3, NULL, row->global, row->local, 0, NULL, NULL));
    BENCH_CHECK(clFinish(driver->queue));
    return bench_clock_us(clock) - start;
}

/* Times of one launch of a row, with each driver in turn: the machine's mood is the same for all. What a driver compiles for launches of
 * this size, it has compiled before. False: no driver has the kernel. */
static bool measure(const struct driver *all, int count, const struct row *row, clockid_t clock, double times[BENCH_DRIVERS][ROUNDS])
{
    cl_kernel kernels[BENCH_DRIVERS];
    bool any = false;
    for (int i = 0; i < count; i++) {
        kernels[i] = make_kernel(&all[i], row);
        any = any || kernels[i];
    }
    double began = bench_now_us();
    for (int round = row->sized && any ? -100000 : -3; round < ROUNDS; round++) {
        if (round < 0 && row->sized && bench_now_us() - began > WARM_UP_US)
            round = 0;
        for (int i = 0; i < count; i++) {
            double us = kernels[i] ? launch(&all[i], kernels[i], row, clock) : NAN;
            if (round >= 0)
                times[i][round] = us;
        }
    }
    for (int i = 0; i < count; i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    return any;
}

static struct row row_of_case(int i)
{
    struct row row = {.kernel = cases[i].kernel, .global = {[2] = 1}, .local = {[2] = 1}};
    snprintf(row.text, sizeof(row.text), "%s", cases[i].text);
    for (int d = 0; d < 2; d++) {
        row.global[d] = cases[i].global[d];
        row.local[d] = cases[i].local[d];
    }
    return row;
}

static struct row sized_row(int i)
{
    const size_t *size = local_sizes[i / 2 % SIZES];
    struct row row = {.kernel = sized_kernels[i / 2 / SIZES], .sized = true, .required = i % 2};
    snprintf(row.text, sizeof(row.text), "%s %zu x %zu x %zu%s", row.kernel, size[0], size[1], size[2], row.required ? " required" : "");
    for (int d = 0; d < 3; d++) {
        row.local[d] = size[d];
        row.global[d] = d == 2 ? size[d] : size[d] * 16;
    }
    return row;
}

int main(int argc, char **argv)
{
    struct bench_driver drivers[BENCH_DRIVERS];
    struct driver all[BENCH_DRIVERS];
    double times[BENCH_DRIVERS][ROUNDS];
    clockid_t clock = CLOCK_MONOTONIC;
    bool sized = false;
    for (int option; (option = getopt(argc, argv, "cs")) != -1;) {
        sized = sized || option == 's';
        clock = option == 'c' ? CLOCK_PROCESS_CPUTIME_ID : clock;
    }
    const char *text = optind < argc ? argv[optind] : "";
    int count = bench_drivers(drivers);
    for (int i = 0; i < count; i++)
        set_up(&all[i], &drivers[i]);
    bench_print_head(drivers, count);
    for (int i = 0; i < (sized ? 2 * SIZES * KERNELS : CASES); i++) {
        struct row row = sized ? sized_row(i) : row_of_case(i);
        double us[BENCH_DRIVERS];
        if (!strstr(row.text, text) || !measure(all, count, &row, clock, times))
            continue;
        for (int k = 0; k < count; k++)
            us[k] = bench_median(times[k], ROUNDS);
        bench_print_row(row.text, count, us);
        fflush(stdout);
    }
    return 0;
}
