/* SPDX-License-Identifier: Apache-2.0
 * A program in SPIR-V: asks the device whether it takes it, sets a specialisation constant, builds the module and runs its kernel.
 * il [FILE.spv]: another module with a kernel of the same name and arguments. */
#include "../common/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 16, MOST_BYTES = 1 << 20, FACTOR = 0 /* the number of the specialisation constant */ };

static size_t read_module(const char *path, unsigned char *words)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("%s cannot be read", path);
    size_t size = fread(words, 1, MOST_BYTES, file);
    fclose(file);
    return size;
}

static void build(const struct host *host, cl_program program)
{
    static char log[4096];
    cl_int status = clBuildProgram(program, 1, &host->device, NULL, NULL, NULL);
    if (status == CL_SUCCESS)
        return;
    clGetProgramBuildInfo(program, host->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fail("clBuildProgram: error %d\n%s", status, log);
}

int main(int argc, char **argv)
{
    static const char *const extensions[] = {"cl_khr_il_program", NULL};
    static unsigned char words[MOST_BYTES];
    static float x[N], y[N], result[N];
    const float factor = 3;
    char versions[256];
    struct host host;
    cl_int status;
    size_t n = N;

    host_open(&host, extensions);
    CHECK(clGetDeviceInfo(host.device, CL_DEVICE_IL_VERSION, sizeof versions, versions, NULL));
    printf("il: the device takes %s\n", versions);
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(N - i) / 2;
    }

    size_t size = read_module(argc > 1 ? argv[1] : IL_MODULE, words);
    cl_program program = clCreateProgramWithIL(host.context, words, size, &status);
    CHECK(status);
    CHECK(clSetProgramSpecializationConstant(program, FACTOR, sizeof factor, &factor));
    build(&host, program);
    cl_kernel kernel = clCreateKernel(program, "saxpy", &status);
    CHECK(status);
    cl_mem x_buffer = host_buffer(&host, sizeof x, x), y_buffer = host_buffer(&host, sizeof y, y);
    CHECK(clSetKernelArg(kernel, 0, sizeof x_buffer, &x_buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof y_buffer, &y_buffer));
    CHECK(clEnqueueNDRangeKernel(host.queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    host_read(&host, y_buffer, sizeof result, result);

    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += result[i] != factor * x[i] + y[i];
    printf("il: %d sums, %d wrong\n", N, wrong);
    CHECK(clReleaseMemObject(x_buffer));
    CHECK(clReleaseMemObject(y_buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    host_close(&host);
    return wrong != 0;
}
