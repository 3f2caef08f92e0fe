/* SPDX-License-Identifier: Apache-2.0
 * Images in kernels: samples of each kind, and filters by images beside the same by buffers; 1024 x 1024 results. Each driver runs with as
 * many threads as it takes. With -c the times are those of the process's threads on the CPU, which others on the machine disturb less. */
#include <stdbool.h>

#include "bench.h"

enum { SIDE = 1024, VOLUME = 64, ROUNDS = 15 };

static const char source[] =
    "#define LINEAR (CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR)\n"
    "#define NEAREST (CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST)\n"
    "#define PIXELS (CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST)\n"
    "#define AT int x = get_global_id(0), y = get_global_id(1); const int n = get_global_size(0)\n"
    "kernel void bilinear(read_only image2d_t m, global float4 *o)\n"
    "{ AT; const sampler_t s = LINEAR; o[y * n + x] = read_imagef(m, s, (float2)((x + 0.5f) * 0.37f / n, (y + 0.5f) * 0.61f / n)); }\n"
    "kernel void nearest(read_only image2d_t m, global float4 *o)\n"
    "{ AT; const sampler_t s = NEAREST; o[y * n + x] = read_imagef(m, s, (float2)((x + 0.5f) * 0.37f / n, (y + 0.5f) * 0.61f / n)); }\n"
    "kernel void volume(read_only image3d_t m, global float4 *o)\n"
    "{ AT; const sampler_t s = LINEAR; o[y * n + x] = read_imagef(m, s, (float4)((x + 0.5f) * 0.37f, (y + 0.5f) * 0.61f, (x + y) * 0.3f, "
    "0) / n); }\n"
    "kernel void blur_image(read_only image2d_t m, write_only image2d_t o)\n"
    "{ AT; const sampler_t s = PIXELS; float4 t = 0;\n"
    "  for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) t += read_imagef(m, s, (int2)(x + i, y + j));\n"
    "  write_imagef(o, (int2)(x, y), t / 25); }\n"
    "float4 pixel(global const uchar4 *m, int x, int y, int n)\n"
    "{ return convert_float4(m[clamp(y, 0, n - 1) * n + clamp(x, 0, n - 1)]) / 255; }\n"
    "kernel void blur_buffer(global const uchar4 *m, global uchar4 *o)\n"
    "{ AT; float4 t = 0;\n"
    "  for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) t += pixel(m, x + i, y + j, n);\n"
    "  o[y * n + x] = convert_uchar4_sat_rte(t / 25 * 255); }\n"
    "kernel void resize_image(read_only image2d_t m, write_only image2d_t o)\n"
    "{ AT; const sampler_t s = LINEAR; write_imagef(o, (int2)(x, y), read_imagef(m, s, (float2)(x + 0.5f, y + 0.5f) * 0.5f / n)); }\n"
    "kernel void resize_buffer(global const uchar4 *m, global uchar4 *o)\n"
    "{ AT; float u = (x + 0.5f) * 0.5f - 0.5f, v = (y + 0.5f) * 0.5f - 0.5f, a = u - floor(u), b = v - floor(v);\n"
    "  int i = (int)floor(u), j = (int)floor(v);\n"
    "  float4 t = (1 - a) * (1 - b) * pixel(m, i, j, n) + a * (1 - b) * pixel(m, i + 1, j, n) +\n"
    "             (1 - a) * b * pixel(m, i, j + 1, n) + a * b * pixel(m, i + 1, j + 1, n);\n"
    "  o[y * n + x] = convert_uchar4_sat_rte(t * 255); }\n";

enum memory { BYTES, HALVES, FLOATS, CUBE, FLOAT_CUBE, TARGET, BUFFER, RESULTS, MEMORIES };
static const struct row {
    const char *name, *kernel;
    enum memory in, out;
} rows[] = {
    {"bilinear, RGBA of bytes", "bilinear", BYTES, RESULTS},     {"bilinear, RGBA of halves", "bilinear", HALVES, RESULTS},
    {"bilinear, RGBA of floats", "bilinear", FLOATS, RESULTS},   {"nearest, RGBA of bytes", "nearest", BYTES, RESULTS},
    {"nearest, RGBA of halves", "nearest", HALVES, RESULTS},     {"nearest, RGBA of floats", "nearest", FLOATS, RESULTS},
    {"linear 3D, RGBA of bytes", "volume", CUBE, RESULTS},       {"linear 3D, RGBA of floats", "volume", FLOAT_CUBE, RESULTS},
    {"blur 5 x 5, image", "blur_image", BYTES, TARGET},          {"blur 5 x 5, image of floats", "blur_image", FLOATS, TARGET},
    {"blur 5 x 5, buffer", "blur_buffer", BUFFER, RESULTS},      {"resize, image", "resize_image", BYTES, TARGET},
    {"resize, image of floats", "resize_image", FLOATS, TARGET}, {"resize, buffer", "resize_buffer", BUFFER, RESULTS},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool on_cpu; /* measure the time on the CPU */

static double now_us(void)
{
    struct timespec now;
    if (!on_cpu)
        return bench_now_us();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static cl_mem image(cl_context context, cl_channel_type type, size_t side, size_t depth, cl_mem_flags flags, void *pixels)
{
    cl_image_format format = {CL_RGBA, type};
    cl_image_desc desc = {.image_type = depth ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D,
                          .image_width = side,
                          .image_height = side,
                          .image_depth = depth};
    cl_int err;
    cl_mem made = clCreateImage(context, flags, &format, &desc, pixels, &err);
    BENCH_CHECK(err);
    return made;
}

static void measure(const struct bench_driver *driver, double *us)
{
    static cl_uchar bytes[4 * SIDE * SIDE];
    static cl_half halves[4 * SIDE * SIDE];
    static cl_float floats[4 * SIDE * SIDE];
    cl_int err;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (cl_uchar)(i * 2654435761u >> 13);
        halves[i] = (cl_half)(0x3000 + bytes[i]); /* 0.125 and more */
        floats[i] = bytes[i] / 255.0f;
    }
    cl_context context = clCreateContext(NULL, 1, &driver->device, NULL, NULL, &err);
    BENCH_CHECK(err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, driver->device, NULL, &err);
    BENCH_CHECK(err);
    const cl_mem_flags in = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem memory[MEMORIES] = {
        [BYTES] = image(context, CL_UNORM_INT8, SIDE, 0, in, bytes),
        [HALVES] = image(context, CL_HALF_FLOAT, SIDE, 0, in, halves),
        [FLOATS] = image(context, CL_FLOAT, SIDE, 0, in, floats),
        [CUBE] = image(context, CL_UNORM_INT8, VOLUME, VOLUME, in, bytes),
        [FLOAT_CUBE] = image(context, CL_FLOAT, VOLUME, VOLUME, in, floats),
        [TARGET] = image(context, CL_UNORM_INT8, SIDE, 0, CL_MEM_WRITE_ONLY, NULL),
        [BUFFER] = clCreateBuffer(context, in, sizeof bytes, bytes, &err),
        [RESULTS] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof floats, NULL, &err),
    };
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(program, 1, &driver->device, "", NULL, NULL));
    for (int row = 0; row < ROWS; row++) {
        double times[ROUNDS];
        size_t size[2] = {SIDE, SIDE};
        cl_kernel kernel = clCreateKernel(program, rows[row].kernel, &err);
        BENCH_CHECK(err);
        BENCH_CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &memory[rows[row].in]));
        BENCH_CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &memory[rows[row].out]));
        for (int i = -1; i < ROUNDS; i++) {
            double start = now_us();
            BENCH_CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
            BENCH_CHECK(clFinish(queue));
            if (i >= 0)
                times[i] = now_us() - start;
        }
        us[row] = bench_median(times, ROUNDS);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    for (int i = 0; i < MEMORIES; i++)
        clReleaseMemObject(memory[i]);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

int main(int argc, char **argv)
{
    on_cpu = argc > 1 && !strcmp(argv[1], "-c");
    struct bench_driver drivers[BENCH_DRIVERS];
    static double us[BENCH_DRIVERS][BENCH_ROWS];
    const char *names[ROWS + 1] = {0};
    int count = bench_drivers(drivers), with_images = 0;
    for (int i = 0; i < count; i++) {
        cl_bool has = CL_FALSE;
        BENCH_CHECK(clGetDeviceInfo(drivers[i].device, CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has, NULL));
        if (!has) {
            fprintf(stderr, "%s has no images\n", drivers[i].name);
            continue;
        }
        drivers[with_images] = drivers[i];
        measure(&drivers[i], us[with_images++]);
    }
    for (int row = 0; row < ROWS; row++)
        names[row] = rows[row].name;
    bench_print(drivers, with_images, names, us);
    return 0;
}
