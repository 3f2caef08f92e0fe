/* SPDX-License-Identifier: Apache-2.0
 * B that is packed for packets which do not run together, as that of attention, against plain C: the same for many work-groups, more of it
 * than any device keeps, changed between two launches, and changed by the kernel itself, since two arguments are one buffer. All numbers
 * are small multiples of powers of two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"

enum { ROWS = 8, DEEP = 32, WIDE = 16, TILE = DEEP * WIDE, ONE = 0x3f80, TOGGLED = 0x0080 /* one or a half */ };

static const char source[] = "__attribute__((intel_reqd_sub_group_size(16)))\n"
                             "kernel void f(global const ushort *a, global const ushort *b, global ushort *changed, global float *c, int "
                             "rounds, int tiles, int step, int changes)\n"
                             "{\n"
                             "    const int lane = get_sub_group_local_id(), group = get_group_id(0);\n"
                             "    short8 x[2];\n"
                             "    for (int i = 0; i < 8; i++)\n"
                             "        for (int h = 0; h < 2; h++)\n"
                             "            x[h][i] = a[(group * 8 + i) * 32 + h * 16 + lane];\n"
                             "    float8 all = 0;\n"
                             "    for (int r = 0; r < rounds; r++) {\n"
                             "        int8 y[2][2];\n"
                             "        for (int t = 0; t < 2; t++) {\n"
                             "            global const ushort *at = b + (r * step + t * (tiles / 2)) % tiles * 512 + lane;\n"
                             "            for (int i = 0; i < 16; i++)\n"
                             "                y[t][i / 8][i % 8] = as_int((ushort2)(at[2 * i * 16], at[(2 * i + 1) * 16]));\n"
                             "        }\n"
                             "        all *= 0.5f;\n"
                             "        for (int t = 0; t < 2; t++)\n"
                             "            for (int h = 0; h < 2; h++)\n"
                             "                all = intel_sub_group_bf16_bf16_matrix_mad_k16(x[h], y[t][h], all);\n"
                             "        if (changes)\n"
                             "            for (int i = 0; i < 32; i++)\n"
                             "                changed[i * 16 + lane] ^= 0x0080;\n"
                             "    }\n"
                             "    for (int i = 0; i < 8; i++)\n"
                             "        c[(group * 8 + i) * 16 + lane] = all[i];\n"
                             "}\n";

static struct device device;
static cl_kernel kernel;

static cl_mem buffer_of(size_t size)
{
    cl_mem made = clCreateBuffer(device.context, CL_MEM_READ_WRITE, size, NULL, NULL);
    assert_non_null(made);
    return made;
}

static void write_all(cl_mem buffer, const void *from, size_t size)
{
    assert_int_equal(clEnqueueWriteBuffer(device.queue, buffer, CL_TRUE, 0, size, from, 0, NULL, NULL), CL_SUCCESS);
}

static float number(uint16_t x)
{
    const uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint16_t some_number(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return (uint16_t)(ONE ^ (state >> 31 ? TOGGLED : 0));
}

/* The same in plain C. Each round adds to half of what the rounds before have left: 20 bits are enough for what is checked. */
static void multiply(float *c, const uint16_t *a, uint16_t *b, uint16_t *changed, int groups, int rounds, int tiles, int step)
{
    for (int row = 0; row < groups * ROWS; row++)
        for (int column = 0; column < WIDE; column++)
            c[row * WIDE + column] = 0;
    for (int r = 0; r < rounds; r++) {
        const uint16_t *at[] = {b + r * step % tiles * TILE, b + (r * step + tiles / 2) % tiles * TILE};
        for (int row = 0; row < groups * ROWS; row++)
            for (int column = 0; column < WIDE; column++) {
                float sum = c[row * WIDE + column] * 0.5f;
                for (int k = 0; k < 2 * DEEP; k++)
                    sum += number(a[row * DEEP + k % DEEP]) * number(at[k / DEEP][k % DEEP * WIDE + column]);
                c[row * WIDE + column] = sum;
            }
        for (int i = 0; changed && i < TILE; i++)
            changed[i] ^= TOGGLED;
    }
}

static void check(const char *name, int groups, int rounds, int tiles, int step, bool changes, int launches)
{
    const size_t a_size = (size_t)groups * ROWS * DEEP * sizeof(uint16_t), b_size = (size_t)tiles * TILE * sizeof(uint16_t),
                 c_size = (size_t)groups * ROWS * WIDE * sizeof(float);
    uint16_t *a = malloc(a_size), *b = malloc(b_size);
    float *c = malloc(c_size), *wanted = malloc(c_size);
    cl_mem mems[] = {buffer_of(a_size), buffer_of(b_size), buffer_of(c_size), buffer_of(TILE * sizeof(uint16_t))};
    const cl_mem args[] = {mems[0], mems[1], changes ? mems[1] : mems[3], mems[2]};
    const cl_int numbers[] = {rounds, tiles, step, changes};
    for (cl_uint i = 0; i < 4; i++)
        assert_int_equal(clSetKernelArg(kernel, i, sizeof args[i], &args[i]), CL_SUCCESS);
    for (cl_uint i = 0; i < 4; i++)
        assert_int_equal(clSetKernelArg(kernel, 4 + i, sizeof numbers[i], &numbers[i]), CL_SUCCESS);
    for (size_t i = 0; i < a_size / sizeof *a; i++)
        a[i] = some_number();
    write_all(mems[0], a, a_size);
    for (int launch = 0; launch < launches; launch++) {
        const size_t global = (size_t)groups * WIDE, local = WIDE;
        for (size_t i = 0; i < b_size / sizeof *b; i++)
            b[i] = some_number();
        write_all(mems[1], b, b_size);
        multiply(wanted, a, b, changes ? b : NULL, groups, rounds, tiles, step);
        assert_int_equal(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_SUCCESS);
        assert_int_equal(clEnqueueReadBuffer(device.queue, mems[2], CL_TRUE, 0, c_size, c, 0, NULL, NULL), CL_SUCCESS);
        for (int i = 0; i < groups * ROWS * WIDE; i++)
            if (c[i] < wanted[i] - 1e-3f || c[i] > wanted[i] + 1e-3f)
                fail_msg("%s, launch %d, number %d: %g, wanted %g", name, launch, i, (double)c[i], (double)wanted[i]);
    }
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        clReleaseMemObject(mems[i]);
    free(a);
    free(b);
    free(c);
    free(wanted);
}

static void by_many_groups(void **state)
{
    (void)state;
    check("few", 24, 40, 40, 1, false, 3);
    check("as many as there is room for", 6, 900, 900, 7, false, 2);
    check("one again and again", 5, 64, 1, 1, false, 2);
}

static void more_than_is_kept(void **state)
{
    (void)state;
    check("more", 5, 3000, 3000, 1, false, 2);
    check("most of them once", 2, 6000, 6000, 11, false, 1);
    /* Distances at which two tiles of a round may have one place. */
    for (int distance = 480; distance < 500; distance++)
        check("two in one place", 2, 200, 2 * distance, 1, false, 1);
    check("two far apart in one place", 2, 200, 2 * 1449, 1, false, 1);
}

static void changed_by_the_kernel(void **state)
{
    (void)state;
    check("changed", 1, 9, 1, 1, true, 2);
    check("the first of two is changed", 1, 12, 2, 1, true, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_many_groups), cmocka_unit_test(more_than_is_kept),
                                       cmocka_unit_test(changed_by_the_kernel)};
    device_open(&device);
    cl_program program = device_build(&device, source, "-cl-std=CL3.0");
    if (!program)
        fprintf(stderr, "%s\n", device.log);
    kernel = program ? clCreateKernel(program, "f", NULL) : NULL;
    int failures = kernel ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    device_close(&device);
    return failures;
}
