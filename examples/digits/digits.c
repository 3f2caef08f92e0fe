/* SPDX-License-Identifier: Apache-2.0
 * Classifies scikit-learn's 1,797 handwritten digits with two networks whose layers are matrix kernels: int8 on split matrix functions,
 * and bfloat16. An ordinary OpenCL program. usage: digits layers.cl weights.bin digits.csv */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "network.h"

enum { RUNS = 20, EXTENSIONS = 16384 };

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s failed: %d\n", what, status);
    exit(1);
}

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The first device that has the matrix functions. */
static cl_device_id find_device(void)
{
    static const char *const needed[] = {"cl_intel_subgroup_split_matrix_multiply_accumulate",
                                         "cl_intel_subgroup_matrix_multiply_accumulate", "cl_intel_required_subgroup_size"};
    cl_platform_id platforms[16];
    cl_device_id devices[16];
    cl_uint platform_count = 0, device_count;
    char text[EXTENSIONS];

    clGetPlatformIDs(16, platforms, &platform_count);
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &device_count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < device_count && d < 16; d++) {
            bool all = clGetDeviceInfo(devices[d], CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL) == CL_SUCCESS;
            for (size_t i = 0; all && i < sizeof(needed) / sizeof(needed[0]); i++)
                all = strstr(text, needed[i]) != NULL;
            if (!all)
                continue;
            check(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof(text), text, NULL), "clGetDeviceInfo");
            printf("device: %s\n", text);
            return devices[d];
        }
    }
    fprintf(stderr, "no OpenCL device with the matrix functions was found among %u platforms; does the loader see tessera.icd?\n",
            platform_count);
    exit(1);
}

struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

static cl_mem buffer(const struct opencl *cl, size_t size, const void *data)
{
    cl_int status;
    cl_mem_flags flags = data ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE;
    cl_mem mem = clCreateBuffer(cl->context, flags, size, (void *)(uintptr_t)data, &status);
    check(status, "clCreateBuffer");
    return mem;
}

static void build(struct opencl *cl, const char *path)
{
    cl_int status;
    long size;
    const char *source = text_load(path, &size);

    cl->program = clCreateProgramWithSource(cl->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    double start = milliseconds();
    status = clBuildProgram(cl->program, 1, &cl->device, "-cl-std=CL3.0", NULL, NULL);
    double end = milliseconds();
    if (status != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(cl->program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(status, "clBuildProgram");
    printf("build: %.1f ms\n", end - start);
    free((void *)(uintptr_t)source);
}

/* One network on the device: a kernel and its memory for each layer. */
struct run {
    int count;
    cl_kernel kernels[MAX_LAYERS];
    cl_mem memory[MAX_LAYERS + 1], weights[MAX_LAYERS],
        biases[MAX_LAYERS]; /* memory: what goes into each layer, and comes out of the last */
    size_t global[MAX_LAYERS][2], local[MAX_LAYERS][2];
};

static void prepare(struct run *run, const struct opencl *cl, const struct network *net, const struct digits *digits, bool int8)
{
    size_t unit = int8 ? 1 : 2, pixels = (size_t)digits->padded * PIXELS;
    uint16_t *input = must_alloc(pixels, 2);

    for (size_t i = 0; i < pixels; i++)
        if (int8)
            ((int8_t *)input)[i] = (int8_t)digits->pixels[i];
        else
            input[i] = bf16_of(digits->pixels[i] / 16.0f);
    run->count = net->count;
    run->memory[0] = buffer(cl, pixels * unit, input);
    free(input);
    for (int i = 0; i < net->count; i++) {
        const struct layer *l = &net->layers[i];
        size_t outputs = (size_t)l->outputs, bytes = (size_t)l->inputs * outputs * unit;
        bool last = i + 1 == net->count;
        const char *names[2][2] = {{"layer_bf16", "last_bf16"}, {"layer_int8", "last_int8"}};
        cl_int status;
        cl_uint arg = 0;

        int32_t *words = must_alloc(bytes, 1);
        (int8 ? layer_pack_int8 : layer_pack_bf16)(l, words);
        run->weights[i] = buffer(cl, bytes, words);
        free(words);
        run->biases[i] = buffer(cl, outputs * 4, int8 ? (const void *)l->int8_bias : l->bf16_bias);
        run->memory[i + 1] = buffer(cl, (size_t)digits->padded * outputs * (last ? 4 : unit), NULL);
        run->kernels[i] = clCreateKernel(cl->program, names[int8][last], &status);
        check(status, "clCreateKernel");
        status = clSetKernelArg(run->kernels[i], arg++, sizeof(cl_mem), &run->memory[i]);
        status |= clSetKernelArg(run->kernels[i], arg++, sizeof(cl_mem), &run->weights[i]);
        status |= clSetKernelArg(run->kernels[i], arg++, sizeof(cl_mem), &run->biases[i]);
        status |= clSetKernelArg(run->kernels[i], arg++, sizeof(int), &l->inputs);
        if (int8 && !last)
            status |= clSetKernelArg(run->kernels[i], arg++, sizeof(int), &l->multiplier);
        status |= clSetKernelArg(run->kernels[i], arg++, sizeof(cl_mem), &run->memory[i + 1]);
        check(status, "clSetKernelArg");
        run->local[i][0] = run->global[i][0] = outputs;
        run->local[i][1] = 1;
        run->global[i][1] = (size_t)digits->padded / 8;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All layers, several times; the median. */
static double execute(const struct run *run, const struct opencl *cl)
{
    double times[RUNS];

    for (int t = 0; t < RUNS; t++) {
        double start = milliseconds();
        for (int i = 0; i < run->count; i++)
            check(clEnqueueNDRangeKernel(cl->queue, run->kernels[i], 2, NULL, run->global[i], run->local[i], 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
        check(clFinish(cl->queue), "clFinish");
        times[t] = milliseconds() - start;
    }
    qsort(times, RUNS, sizeof(times[0]), by_value);
    return times[RUNS / 2];
}

static void finish(struct run *run)
{
    for (int i = 0; i < run->count; i++) {
        clReleaseKernel(run->kernels[i]);
        clReleaseMemObject(run->weights[i]);
        clReleaseMemObject(run->biases[i]);
    }
    for (int i = 0; i <= run->count; i++)
        clReleaseMemObject(run->memory[i]);
}

/* Runs a network and compares it with plain C. True if it is accurate and agrees. */
static bool classify(const struct opencl *cl, const struct network *net, const struct digits *digits, bool int8)
{
    size_t outputs = (size_t)net->layers[net->count - 1].outputs;
    int right = 0, right_held_out = 0, held_out = 0, same_class = 0, equal = 0;
    double worst = 0, largest = 0;
    struct run run;

    prepare(&run, cl, net, digits, int8);
    double time = execute(&run, cl);
    int32_t *sums = must_alloc((size_t)digits->padded * outputs, 4);
    double *plain = must_alloc(outputs, sizeof(double));
    int32_t *exact = must_alloc(outputs, 4);
    check(clEnqueueReadBuffer(cl->queue, run.memory[net->count], CL_TRUE, 0, (size_t)digits->padded * outputs * 4, sums, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int s = 0; s < digits->count; s++) {
        const uint8_t *pixels = digits->pixels + s * PIXELS;
        int best = 0, best_plain = 0, equal_sums = 0;
        double value[CLASSES];

        if (int8)
            network_plain_int8(net, pixels, exact);
        else
            network_plain_bf16(net, pixels, plain);
        for (int c = 0; c < CLASSES; c++) {
            float number;
            memcpy(&number, &sums[(size_t)s * outputs + (size_t)c], 4);
            value[c] = int8 ? sums[(size_t)s * outputs + (size_t)c] : (double)number;
            if (int8)
                plain[c] = exact[c];
            best = value[c] > value[best] ? c : best;
            best_plain = plain[c] > plain[best_plain] ? c : best_plain;
            equal_sums += value[c] == plain[c];
            worst = fmax(worst, fabs(value[c] - plain[c]));
            largest = fmax(largest, fabs(plain[c]));
        }
        bool hit = best == digits->labels[s], held = s % 4 == 3; /* train.py never saw these */
        right += hit;
        held_out += held;
        right_held_out += hit && held;
        same_class += best == best_plain;
        equal += equal_sums == CLASSES;
    }
    printf("%s: %.2f %% right of %d held-out digits, %.2f %% of all %d; %.2f ms a run\n", int8 ? "int8" : "bfloat16",
           100.0 * right_held_out / held_out, held_out, 100.0 * right / digits->count, digits->count, time);
    if (int8)
        printf("      agrees with plain C in every sum of %d of %d digits\n", equal, digits->count);
    else
        printf("      plain C in double gives the same class for %d of %d; sums differ by at most %.2g of the largest\n", same_class,
               digits->count, worst / largest);
    free(sums);
    free(plain);
    free(exact);
    finish(&run);
    bool agrees = int8 ? equal == digits->count : worst <= 0.01 * largest;
    return agrees && right_held_out >= 0.95 * held_out;
}

int main(int argc, char **argv)
{
    struct digits digits;
    struct network net;
    struct opencl cl;
    cl_int status;

    if (argc != 4) {
        fprintf(stderr, "usage: %s layers.cl weights.bin digits.csv\n", argv[0]);
        return 2;
    }
    network_load(&net, argv[2]);
    digits_load(&digits, argv[3]);
    cl.device = find_device();
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl.queue = clCreateCommandQueueWithProperties(cl.context, cl.device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    build(&cl, argv[1]);
    bool int8 = classify(&cl, &net, &digits, true), bf16 = classify(&cl, &net, &digits, false);
    clReleaseProgram(cl.program);
    clReleaseCommandQueue(cl.queue);
    clReleaseContext(cl.context);
    if (!int8 || !bf16)
        fprintf(stderr, "the %s network is not as accurate, or not as equal to plain C, as it must be\n", int8 ? "bfloat16" : "int8");
    return int8 && bf16 ? 0 : 1;
}
