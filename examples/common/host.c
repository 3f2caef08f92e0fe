/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

void check_status(const char *what, cl_int status)
{
    if (status != CL_SUCCESS)
        fail("%s: error %d", what, status);
}

void *must_alloc(size_t size)
{
    void *p = calloc(1, size);
    if (!p)
        fail("out of memory");
    return p;
}

/* ---- the device ---- */

static bool has_all(cl_device_id device, const char *const *extensions)
{
    size_t size;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
    char *all = must_alloc(size + 2);
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, all, NULL));
    bool has = true;
    for (; *extensions && has; extensions++) {
        size_t length = strlen(*extensions);
        const char *at = strstr(all, *extensions);
        while (at && at[length] != ' ' && at[length])
            at = strstr(at + 1, *extensions);
        has = at != NULL;
    }
    free(all);
    return has;
}

void host_open(struct host *host, const char *const *extensions)
{
    enum { MOST = 16 };
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint platform_count = 0, device_count;
    cl_int status;
    *host = (struct host){0};
    CHECK(clGetPlatformIDs(MOST, platforms, &platform_count));
    for (cl_uint p = 0; p < platform_count && p < MOST && !host->device; p++) {
        device_count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, devices, &device_count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < device_count && d < MOST && !host->device; d++)
            if (has_all(devices[d], extensions))
                host->device = devices[d];
    }
    if (!host->device)
        fail("no device has what this program needs (%s …)", extensions[0]);
    char name[256] = "";
    CHECK(clGetDeviceInfo(host->device, CL_DEVICE_NAME, sizeof(name), name, NULL));
    printf("device: %s\n", name);
    host->context = clCreateContext(NULL, 1, &host->device, NULL, NULL, &status);
    CHECK(status);
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    host->queue = clCreateCommandQueueWithProperties(host->context, host->device, profiling, &status);
    CHECK(status);
}

void host_close(struct host *host)
{
    clReleaseCommandQueue(host->queue);
    clReleaseContext(host->context);
}

/* ---- programs ---- */

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail("%s: cannot be read", path);
    long size = ftell(file);
    rewind(file);
    char *text = must_alloc((size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size)
        fail("%s: cannot be read", path);
    fclose(file);
    return text;
}

cl_program host_build(const struct host *host, const char *file, const char *options)
{
    char path[1024], *text;
    cl_int status;
    snprintf(path, sizeof(path), "%s/%s", EXAMPLES_FOLDER, file);
    text = text_of(path);
    cl_program program = clCreateProgramWithSource(host->context, 1, (const char *[]){text}, NULL, &status);
    CHECK(status);
    free(text);
    status = clBuildProgram(program, 1, &host->device, options, NULL, NULL);
    size_t size = 0;
    CHECK(clGetProgramBuildInfo(program, host->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    if (status != CL_SUCCESS) {
        char *log = must_alloc(size + 1);
        clGetProgramBuildInfo(program, host->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
        fail("%s with %s: error %d\n%s", file, options, status, log);
    }
    return program;
}

cl_mem host_buffer(const struct host *host, size_t size, const void *data)
{
    cl_int status;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(host->context, flags, size, (void *)(uintptr_t)data, &status);
    CHECK(status);
    return buffer;
}

void host_read(const struct host *host, cl_mem buffer, size_t size, void *data)
{
    CHECK(clEnqueueReadBuffer(host->queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL));
}

double host_run(const struct host *host, cl_program program, const char *kernel, const struct argument *arguments, cl_uint count,
                cl_uint dims, const size_t *global, const size_t *local, int rounds)
{
    cl_int status;
    cl_kernel k = clCreateKernel(program, kernel, &status);
    double best = 0;
    CHECK(status);
    for (cl_uint i = 0; i < count; i++)
        CHECK(clSetKernelArg(k, i, arguments[i].size, arguments[i].value));
    for (int i = 0; i < rounds; i++) {
        cl_ulong start, end;
        cl_event event;
        CHECK(clEnqueueNDRangeKernel(host->queue, k, dims, NULL, global, local, 0, NULL, &event));
        CHECK(clWaitForEvents(1, &event));
        CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
        CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
        clReleaseEvent(event);
        double seconds = (double)(end - start) * 1e-9;
        best = !i || seconds < best ? seconds : best;
    }
    clReleaseKernel(k);
    return best;
}

/* ---- numbers ---- */

int size_argument(int argc, char **argv, int otherwise, int step)
{
    static const char usage[] = "usage: %s [SIZE], a multiple of %d; without it %d. See examples/README.md.";
    char *end = "";
    long size = argc > 1 ? strtol(argv[1], &end, 10) : otherwise;
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        printf(usage, argv[0], step, otherwise);
        putchar('\n');
        exit(0);
    }
    if (argc > 2 || *end || size <= 0 || size > INT_MAX || size % step)
        fail(usage, argv[0], step, otherwise);
    return (int)size;
}

uint32_t random_bits(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

float random_float(void)
{
    return (float)random_bits() * 0x1p-23f - 1;
}

uint16_t bf16_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float float_of(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}
