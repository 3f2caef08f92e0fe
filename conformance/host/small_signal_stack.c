/* SPDX-License-Identifier: Apache-2.0
 * A host with a signal stack that is too small for AMX's state: the operating system refuses tiles to it. Programs from source do without
 * them; a binary whose code has tiles is refused with a message. Skipped where nobody gets tiles. */
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

enum { GET_PERMISSIONS = 0x1022, TILE_DATA = 18, SKIPPED = 77, STEPS = 5, LANES = 16, ROWS = 16, SMALL_STACK = 4096 };

static const char source[] = "__attribute__((intel_reqd_sub_group_size(16)))\n"
                             "kernel void product(global const short *a, global const int8 *b, global int *d, int steps)\n"
                             "{\n"
                             "    int lane = get_sub_group_local_id();\n"
                             "    int8 upper = 0, lower = 0;\n"
                             "    for (int k = 0; k < steps; k++) {\n"
                             "        short8 x, y;\n"
                             "        for (int r = 0; r < 8; r++)\n"
                             "            x[r] = a[(k * 16 + r) * 16 + lane], y[r] = a[(k * 16 + 8 + r) * 16 + lane];\n"
                             "        upper = intel_sub_group_i8_i8_matrix_mad_k32(x, b[k * 16 + lane], upper);\n"
                             "        lower = intel_sub_group_i8_i8_matrix_mad_k32(y, b[k * 16 + lane], lower);\n"
                             "    }\n"
                             "    for (int r = 0; r < 8; r++)\n"
                             "        d[r * 16 + lane] = upper[r], d[(8 + r) * 16 + lane] = lower[r];\n"
                             "}\n";

static signed char a[STEPS][ROWS][2 * LANES], b[STEPS][LANES][8][4];

static void fill(void)
{
    signed char *as = (signed char *)a, *bs = (signed char *)b;
    for (size_t i = 0; i < sizeof a; i++)
        as[i] = (signed char)(i * 37 % 251), bs[i] = (signed char)(i * 91 % 239);
}

static void check(const cl_int (*d)[LANES])
{
    for (int r = 0; r < ROWS; r++)
        for (int lane = 0; lane < LANES; lane++) {
            cl_int sum = 0;
            for (int k = 0; k < STEPS; k++)
                for (int i = 0; i < 32; i++)
                    sum += a[k][r][i] * b[k][lane][i / 4][i % 4];
            REQUIRE(d[r][lane] == sum, "row %d, column %d: %d, expected %d", r, lane, d[r][lane], sum);
        }
}

static void run(const struct session *s, cl_kernel kernel)
{
    cl_int d[ROWS][LANES] = {0}, steps = STEPS, err;
    size_t size = LANES;
    cl_mem buffers[3] = {clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, sizeof a, a, &err),
                         clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, sizeof b, b, &err),
                         clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, sizeof d, d, &err)};
    for (cl_uint i = 0; i < 3; i++)
        clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
    clSetKernelArg(kernel, 3, sizeof steps, &steps);
    err = clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueNDRangeKernel: %d", err);
    err = clEnqueueReadBuffer(s->queue, buffers[2], CL_TRUE, 0, sizeof d, d, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueReadBuffer: %d", err);
    check((const cl_int(*)[LANES])d);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
}

static bool has_tiles(void)
{
    unsigned long granted = 0;
    return syscall(SYS_arch_prctl, GET_PERMISSIONS, &granted) == 0 && granted >> TILE_DATA & 1;
}

/* In a process of its own, which may have tiles: runs the kernel and writes the program's binary. */
static void write_binary(int to)
{
    struct session s = open_session();
    cl_program program = build(&s, source, "");
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "product", &err);
    REQUIRE(kernel, "clCreateKernel: %d", err);
    if (!has_tiles())
        _exit(SKIPPED);
    run(&s, kernel);
    size_t size = 0;
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    unsigned char *binary = malloc(size);
    REQUIRE(binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS, "no binary");
    for (size_t done = 0; done < size;) {
        ssize_t got = write(to, binary + done, size - done);
        REQUIRE(got > 0, "write");
        done += (size_t)got;
    }
    _exit(0);
}

static size_t read_binary(int from, unsigned char *binary, size_t most)
{
    size_t size = 0;
    for (ssize_t got; (got = read(from, binary + size, most - size)) > 0;)
        size += (size_t)got;
    return size;
}

int main(void)
{
    static unsigned char binary[1 << 20];
    static char small[SMALL_STACK];
    int ends[2], status;
    fill();
    REQUIRE(pipe(ends) == 0, "pipe");
    pid_t child = fork();
    if (child == 0)
        write_binary(ends[1]);
    close(ends[1]);
    size_t size = read_binary(ends[0], binary, sizeof binary);
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status), "the child died");
    if (WEXITSTATUS(status))
        return WEXITSTATUS(status);

    REQUIRE(sigaltstack(&(stack_t){.ss_sp = small, .ss_size = sizeof small}, NULL) == 0, "sigaltstack");
    struct session s = open_session();
    cl_int err, loaded;
    cl_program program = build(&s, source, "");
    cl_kernel kernel = clCreateKernel(program, "product", &err);
    REQUIRE(kernel, "clCreateKernel from source: %d", err);
    run(&s, kernel);
    REQUIRE(!has_tiles(), "tiles were granted in spite of the small stack");
    clReleaseKernel(kernel);
    clReleaseProgram(program);

    const unsigned char *bytes = binary;
    program = clCreateProgramWithBinary(s.context, 1, &s.device, &size, &bytes, &loaded, &err);
    REQUIRE(program && loaded == CL_SUCCESS, "clCreateProgramWithBinary: %d, %d", err, loaded);
    err = clBuildProgram(program, 1, &s.device, "", NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clBuildProgram: %d", err);
    kernel = clCreateKernel(program, "product", &err);
    REQUIRE(!kernel && err == CL_OUT_OF_RESOURCES, "clCreateKernel from a binary with tiles: %d", err);
    clReleaseProgram(program);
    close_session(&s);
    puts("without tiles from source, refused from a binary");
    return 0;
}
