/* SPDX-License-Identifier: Apache-2.0
 * What the host-side programs share: an OpenCL session on the platform named by TESSERA_TEST_PLATFORM (default "Tessera"). */
#ifndef TESSERA_CONFORMANCE_HOST_H
#define TESSERA_CONFORMANCE_HOST_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition, ...)                                                                                                            \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                                \
            fprintf(stderr, __VA_ARGS__);                                                                                                  \
            fputc('\n', stderr);                                                                                                           \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

struct session {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

static inline cl_device_id find_device(cl_platform_id *platform)
{
    const char *wanted = getenv("TESSERA_TEST_PLATFORM");
    cl_platform_id all[16];
    cl_uint count = 0;
    cl_int err = clGetPlatformIDs(16, all, &count);
    REQUIRE(err == CL_SUCCESS, "no platform: %d", err);
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        cl_device_id device;
        if (strstr(name, wanted ? wanted : "Tessera") && clGetDeviceIDs(all[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) {
            *platform = all[i];
            return device;
        }
    }
    REQUIRE(0, "platform not found among %u", count);
    return NULL;
}

static inline struct session open_session(void)
{
    struct session s;
    cl_int err;
    s.device = find_device(&s.platform);
    s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &err);
    REQUIRE(s.context, "clCreateContext: %d", err);
    s.queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &err);
    REQUIRE(s.queue, "clCreateCommandQueueWithProperties: %d", err);
    return s;
}

static inline void close_session(struct session *s)
{
    clReleaseCommandQueue(s->queue);
    clReleaseContext(s->context);
}

static inline cl_program build(const struct session *s, const char *source, const char *options)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(s->context, 1, &source, NULL, &err);
    REQUIRE(program, "clCreateProgramWithSource: %d", err);
    err = clBuildProgram(program, 1, &s->device, options, NULL, NULL);
    if (err != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        REQUIRE(0, "clBuildProgram: %d\n%s", err, log);
    }
    return program;
}

/* Builds `kernel void k(global int *out)`-like code with the given body and runs it over `n` work-items on a buffer of n ints, in place. */
static inline void run_on_ints(const struct session *s, const char *body, cl_int *data, size_t n)
{
    char source[8192];
    snprintf(source, sizeof source, "kernel void k(global int *out) { size_t i = get_global_id(0); %s }", body);
    cl_program program = build(s, source, "");
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    REQUIRE(kernel, "clCreateKernel: %d", err);
    cl_mem buffer = clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, n * sizeof *data, data, &err);
    REQUIRE(buffer, "clCreateBuffer: %d", err);
    err = clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    REQUIRE(err == CL_SUCCESS, "clSetKernelArg: %d", err);
    err = clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueNDRangeKernel: %d", err);
    err = clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, n * sizeof *data, data, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueReadBuffer: %d", err);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

#endif
