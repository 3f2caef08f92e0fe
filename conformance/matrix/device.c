/* SPDX-License-Identifier: Apache-2.0
 * The small part of the OpenCL API that the tests of the matrix functions need. */
#include "conformance/matrix/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int more = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *at = realloc(text->at, text->size + (size_t)more + 1);
    if (!at)
        abort();
    va_start(args, format);
    vsnprintf(at + text->size, (size_t)more + 1, format, args);
    va_end(args);
    text->at = at;
    text->size += (size_t)more;
}

bool device_has(const struct device *d, const char *extension)
{
    size_t length = strlen(extension);

    for (const char *p = d->extensions; (p = strstr(p, extension)) != NULL; p += length)
        if ((p == d->extensions || p[-1] == ' ') && (p[length] == ' ' || p[length] == 0))
            return true;
    return false;
}

bool device_has_size(const struct device *d, size_t sub_group)
{
    enum { CL_DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108 };
    size_t sizes[8], bytes = 0;
    bool found = false;

    if (clGetDeviceInfo(d->id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof(sizes), sizes, &bytes) != CL_SUCCESS)
        return false;
    for (size_t i = 0; i < bytes / sizeof(sizes[0]); i++)
        found |= sizes[i] == sub_group;
    return found;
}

bool device_is_gpu(const struct device *d)
{
    cl_device_type type = 0;

    clGetDeviceInfo(d->id, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
    return type & CL_DEVICE_TYPE_GPU;
}

static bool try_device(struct device *d, cl_device_id id)
{
    size_t size;

    if (clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS)
        return false;
    d->id = id;
    d->extensions = calloc(size + 1, 1);
    if (d->extensions && clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, size, d->extensions, NULL) == CL_SUCCESS &&
        (device_has(d, "cl_intel_subgroup_matrix_multiply_accumulate") ||
         (device_is_gpu(d) && device_has(d, "cl_tessera_madw")))) /* without units the functions are our library's */
        return true;
    free(d->extensions);
    return false;
}

void device_open(struct device *d)
{
    cl_platform_id platforms[16];
    cl_device_id ids[16];
    cl_uint platform_count = 0, id_count = 0;
    cl_int status;

    clGetPlatformIDs(16, platforms, &platform_count);
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, ids, &id_count) != CL_SUCCESS)
            continue;
        for (cl_uint i = 0; i < id_count && i < 16; i++) {
            if (!try_device(d, ids[i]))
                continue;
            d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &status);
            d->queue = status == CL_SUCCESS ? clCreateCommandQueueWithProperties(d->context, d->id, NULL, &status) : NULL;
            if (status == CL_SUCCESS)
                return;
            fprintf(stderr, "no context or no queue: %d\n", status);
            exit(1);
        }
    }
    fprintf(stderr, "no device with the matrix functions among %u platforms\n", platform_count);
    exit(1);
}

void device_close(struct device *d)
{
    clReleaseCommandQueue(d->queue);
    clReleaseContext(d->context);
    free(d->extensions);
}

cl_program device_build(struct device *d, const char *source, const char *options)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(d->context, 1, &source, NULL, &status);

    d->log[0] = 0;
    if (status != CL_SUCCESS)
        return NULL;
    status = clBuildProgram(program, 1, &d->id, options, NULL, NULL);
    clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, sizeof(d->log), d->log, NULL);
    if (status == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

cl_program device_build_text(struct device *d, struct text *source)
{
    cl_program program = device_build(d, source->at, "-cl-std=CL3.0");
    free(source->at);
    if (!program)
        fprintf(stderr, "%s\n", d->log);
    return program;
}

cl_int device_run(struct device *d, cl_program program, const char *name, size_t global, size_t local, const struct device_arg *args,
                  unsigned count)
{
    cl_mem memory[DEVICE_MAX_ARGS] = {0};
    cl_event done = NULL;
    cl_int status, end = CL_COMPLETE;
    cl_kernel kernel = clCreateKernel(program, name, &status);

    for (unsigned i = 0; status == CL_SUCCESS && i < count; i++) {
        cl_mem_flags flags = CL_MEM_READ_WRITE | (args[i].in ? CL_MEM_COPY_HOST_PTR : 0);
        memory[i] = clCreateBuffer(d->context, flags, args[i].size, args[i].in ? (char *)(size_t)args[i].in : NULL, &status);
        if (status == CL_SUCCESS)
            status = clSetKernelArg(kernel, i, sizeof(cl_mem), &memory[i]);
    }
    if (status == CL_SUCCESS)
        status = clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &global, &local, 0, NULL, &done);
    if (status == CL_SUCCESS)
        status = clFinish(d->queue);
    if (status == CL_SUCCESS)
        status = clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(end), &end, NULL);
    if (status == CL_SUCCESS)
        status = end;
    for (unsigned i = 0; status == CL_SUCCESS && i < count; i++)
        if (args[i].out)
            status = clEnqueueReadBuffer(d->queue, memory[i], CL_TRUE, 0, args[i].size, args[i].out, 0, NULL, NULL);
    if (done)
        clReleaseEvent(done);
    for (unsigned i = 0; i < count; i++)
        if (memory[i])
            clReleaseMemObject(memory[i]);
    if (kernel)
        clReleaseKernel(kernel);
    return status;
}
