/* SPDX-License-Identifier: Apache-2.0
 * Adds two vectors: the smallest whole OpenCL program. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        cl_int check_status = (call);                                                                                                      \
        if (check_status != CL_SUCCESS) {                                                                                                  \
            fprintf(stderr, "%s: error %d\n", #call, check_status);                                                                        \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

static const char *const source = "kernel void vadd(global const float *a, global const float *b, global float *c)\n"
                                  "{\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    c[i] = a[i] + b[i];\n"
                                  "}\n";

int main(void)
{
    enum { N = 1 << 20 };
    static float a[N], b[N], c[N];
    size_t n = N;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;

    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(N - i) / 2;
    }
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    CHECK(status);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)(size_t)&source, NULL, &status);
    CHECK(status);
    CHECK(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "vadd", &status);
    CHECK(status);
    cl_mem in_a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(a), a, &status);
    CHECK(status);
    cl_mem in_b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(b), b, &status);
    CHECK(status);
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof(c), NULL, &status);
    CHECK(status);

    CHECK(clSetKernelArg(kernel, 0, sizeof(in_a), &in_a));
    CHECK(clSetKernelArg(kernel, 1, sizeof(in_b), &in_b));
    CHECK(clSetKernelArg(kernel, 2, sizeof(out), &out));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(c), c, 0, NULL, NULL));

    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += c[i] != a[i] + b[i];
    printf("vadd: %d sums, %d wrong\n", N, wrong);

    clReleaseMemObject(in_a);
    clReleaseMemObject(in_b);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong != 0;
}
