/* SPDX-License-Identifier: Apache-2.0
 * The first matrix function: D = A·B + C with int8, 8 rows, 8 columns, K = 32, by one sub-group of 8 work-items.
 *
 * Lane l of the sub-group holds, in component r of a, the four elements A[r][4l] to A[r][4l + 3]; in component i of b, the four elements
 * B[4i][l] to B[4i + 3][l]; and in component r of c and of the result, C[r][l] and D[r][l]. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 8, N = 8, K = 32 };

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        cl_int check_status = (call);                                                                                                      \
        if (check_status != CL_SUCCESS) {                                                                                                  \
            fprintf(stderr, "%s: error %d\n", #call, check_status);                                                                        \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

/* A block read gives lane l, in component i, word i * 8 + l: a row of A is 8 words of 4 elements, and B comes with 4 rows packed in a word.
 */
static const char *const source = "__attribute__((intel_reqd_sub_group_size(8)))\n"
                                  "kernel void mad(global const uint *A, global const uint *B, global const uint *C, global uint *D)\n"
                                  "{\n"
                                  "    int8 a = as_int8(intel_sub_group_block_read8(A));\n"
                                  "    int8 b = as_int8(intel_sub_group_block_read8(B));\n"
                                  "    int8 c = as_int8(intel_sub_group_block_read8(C));\n"
                                  "    int8 d = intel_sub_group_i8_i8_matrix_mad_k32(a, b, c);\n"
                                  "    intel_sub_group_block_write8(D, as_uint8(d));\n"
                                  "}\n";

int main(void)
{
    static signed char a[M][K], b[K][N], packed[K / 4][N][4];
    static int c[M][N], d[M][N];
    size_t size = N;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;

    for (int k = 0; k < K; k++) {
        for (int m = 0; m < M; m++)
            a[m][k] = (signed char)(m * 17 - k * 5);
        for (int n = 0; n < N; n++)
            packed[k / 4][n][k % 4] = b[k][n] = (signed char)(k * 9 + n * 31);
    }
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++)
            c[m][n] = 100 * m - n;

    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    CHECK(status);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)(size_t)&source, NULL, &status);
    CHECK(status);
    if (clBuildProgram(program, 1, &device, NULL, NULL, NULL) != CL_SUCCESS) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s\n", log);
        return 1;
    }
    cl_kernel kernel = clCreateKernel(program, "mad", &status);
    CHECK(status);
    const struct {
        size_t size;
        void *data;
    } in[] = {{sizeof(a), a}, {sizeof(packed), packed}, {sizeof(c), c}, {sizeof(d), d}};
    cl_mem memory[4];
    for (cl_uint i = 0; i < 4; i++) {
        memory[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, in[i].size, in[i].data, &status);
        CHECK(status);
        CHECK(clSetKernelArg(kernel, i, sizeof(memory[i]), &memory[i]));
    }
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, memory[3], CL_TRUE, 0, sizeof(d), d, 0, NULL, NULL));

    int wrong = 0;
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            int sum = c[m][n];
            for (int k = 0; k < K; k++)
                sum += a[m][k] * b[k][n];
            wrong += sum != d[m][n];
        }
    }
    printf("mad: %d elements of D, %d wrong\n", M * N, wrong);

    for (int i = 0; i < 4; i++)
        clReleaseMemObject(memory[i]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong != 0;
}
