/* SPDX-License-Identifier: Apache-2.0
 * What the tests of icd/ share: cmocka with OpenCL codes, and the usual objects. The driver under test is the only one that the loader
 * sees (OCL_ICD_VENDORS). */
#ifndef TESSERA_ICD_CL_TEST_H
#define TESSERA_ICD_CL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "CL/tessera_cl.h"
#include "tessera/sanitizer.h"

#define CL_TEST_UNUSED __attribute__((unused))

/* 1 under a sanitizer that keeps freed memory for a while and does without a second copy of the C library's functions. */
#define CL_TEST_SANITIZED (TSR_ASAN || TSR_TSAN)

/* The call answers exactly this code. */
#define CHECK_CODE(call, code)                                                                                                             \
    do {                                                                                                                                   \
        cl_int code_ = (call);                                                                                                             \
        if (code_ != (code))                                                                                                               \
            fail_msg("%s\n    answers %d, expected %s (%d)", #call, code_, #code, (int)(code));                                            \
    } while (0)
#define CHECK(call) CHECK_CODE(call, CL_SUCCESS)
/* For clCreate*: `call` contains &err; `code` CL_SUCCESS expects an object, anything else NULL. */
#define CHECK_CREATE(object, call, code)                                                                                                   \
    do {                                                                                                                                   \
        cl_int err = 12345;                                                                                                                \
        (object) = (call);                                                                                                                 \
        if (err != (code) || ((object) != NULL) != ((code) == CL_SUCCESS))                                                                 \
            fail_msg("%s\n    answers %p and %d, expected %s (%d)", #call, (void *)(object), err, #code, (int)(code));                     \
    } while (0)
#define CHECK_THAT(condition)                                                                                                              \
    do {                                                                                                                                   \
        if (!(condition))                                                                                                                  \
            fail_msg("not true: %s", #condition);                                                                                          \
    } while (0)

static CL_TEST_UNUSED cl_platform_id test_platform(void)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(8, platforms, &count));
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char suffix[16] = "";
        if (!clGetPlatformInfo(platforms[i], CL_PLATFORM_ICD_SUFFIX_KHR, sizeof(suffix), suffix, NULL) && !strcmp(suffix, "TSR"))
            return platforms[i];
    }
    fail_msg("the loader shows no Tessera platform among %u; is OCL_ICD_VENDORS set?", count);
    return NULL;
}

/* Whether CL_DEVICE_EXTENSIONS has the name. */
static CL_TEST_UNUSED bool test_has_extension(cl_device_id device, const char *name)
{
    static char text[1 << 14];
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    return strstr(text, name) != NULL;
}

/* The test fails if the platform has no such function. */
static CL_TEST_UNUSED void *test_extension_function(const char *name)
{
    void *address = clGetExtensionFunctionAddressForPlatform(test_platform(), name);
    if (!address)
        fail_msg("no %s", name);
    return address;
}

struct test_function {
    void *slot; /* the pointer to the function */
    const char *name;
};
static CL_TEST_UNUSED void test_find_functions(const struct test_function *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(list[i].slot, &(void *){test_extension_function(list[i].name)}, sizeof(void *));
}

/* CL_TEST_DEVICE: the number of the device to test; default 0. */
static CL_TEST_UNUSED cl_device_id test_device(void)
{
    cl_device_id devices[8];
    cl_uint count = 0;
    const char *index = getenv("CL_TEST_DEVICE");
    CHECK(clGetDeviceIDs(test_platform(), CL_DEVICE_TYPE_ALL, 8, devices, &count));
    cl_uint number = index ? (cl_uint)atoi(index) : 0;
    if (number >= count || number >= 8)
        fail_msg("CL_TEST_DEVICE=%u, but there are %u devices", number, count);
    return devices[number];
}

static void CL_CALLBACK test_notify(const char *message, const void *private_info, size_t cb, void *user_data)
{
    (void)private_info, (void)cb, (void)user_data;
    if (getenv("CL_TEST_VERBOSE"))
        fprintf(stderr, "  [notify] %s\n", message);
}

static CL_TEST_UNUSED cl_context test_context(cl_device_id device)
{
    cl_context context;
    CHECK_CREATE(context, clCreateContext(NULL, 1, &device, test_notify, NULL, &err), CL_SUCCESS);
    return context;
}

/* properties: CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE or 0 */
static CL_TEST_UNUSED cl_command_queue test_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue queue;
    CHECK_CREATE(queue, clCreateCommandQueueWithProperties(context, device, list, &err), CL_SUCCESS);
    return queue;
}

/* Builds the source; on failure prints the log and fails the test. */
static CL_TEST_UNUSED cl_program test_build(cl_context context, cl_device_id device, const char *source, const char *options)
{
    cl_program program;
    CHECK_CREATE(program, clCreateProgramWithSource(context, 1, &source, NULL, &err), CL_SUCCESS);
    cl_int built = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (built != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fail_msg("clBuildProgram answers %d\n%s", built, log);
    }
    return program;
}

static CL_TEST_UNUSED cl_kernel test_kernel(cl_program program, const char *name)
{
    cl_kernel kernel;
    CHECK_CREATE(kernel, clCreateKernel(program, name, &err), CL_SUCCESS);
    return kernel;
}

static CL_TEST_UNUSED cl_mem test_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host)
{
    cl_mem buffer;
    CHECK_CREATE(buffer, clCreateBuffer(context, flags, size, host, &err), CL_SUCCESS);
    return buffer;
}

/* Whether kernels use the host's memory, so that all of it is up to date at all times. */
static CL_TEST_UNUSED bool test_unified(cl_device_id device)
{
    cl_bool unified = CL_FALSE;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL));
    return unified;
}

/* The host's side of a buffer gets up to date. */
static CL_TEST_UNUSED void test_update_host(cl_command_queue queue, cl_mem buffer)
{
    size_t size;
    cl_int err;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    void *pointer = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, NULL, NULL));
}

/* The usual start of a test: device, context, queue. */
struct test_world {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};
static CL_TEST_UNUSED struct test_world test_begin(cl_command_queue_properties properties)
{
    struct test_world w;
    w.device = test_device();
    w.context = test_context(w.device);
    w.queue = test_queue(w.context, w.device, properties);
    return w;
}
static CL_TEST_UNUSED void test_end(struct test_world *w)
{
    CHECK(clFinish(w->queue));
    CHECK(clReleaseCommandQueue(w->queue));
    CHECK(clReleaseContext(w->context));
}

/* How much memory this process occupies. */
static CL_TEST_UNUSED long test_resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK_THAT(file && fscanf(file, "%*d %ld", &pages) == 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Runs a kernel with one buffer of an int and gives the int. */
static CL_TEST_UNUSED int test_run(const struct test_world *w, cl_program program, const char *name)
{
    int value = -1;
    cl_kernel kernel = test_kernel(program, name);
    cl_mem buffer = test_buffer(w->context, CL_MEM_COPY_HOST_PTR, sizeof(value), &value);
    size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clEnqueueNDRangeKernel(w->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w->queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(buffer));
    return value;
}

#endif
