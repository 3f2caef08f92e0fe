/* SPDX-License-Identifier: Apache-2.0
 * Linear algebra. */
#include <math.h>

#include "suite.h"

void suite_case_triad(struct suite_case *c)
{
    size_t n = c->quick ? 4096 : 1 << 22;
    float *b = suite_random_floats(n, -1, 1), *x = suite_random_floats(n, -1, 1), *expected = suite_alloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        expected[i] = b[i] + 3.0f * x[i];
    int out = suite_output(c, n * 4), in1 = suite_input(c, b, n * 4), in2 = suite_input(c, x, n * 4);
    suite_launch(c, "triad", 1, SUITE_SIZE(n), SUITE_SIZE(256), "bbbf", out, in1, in2, 3.0);
    suite_expect_floats(c, out, expected, n, 1e-6f, 0);
}

void suite_case_fma(struct suite_case *c)
{
    size_t n = c->quick ? 256 : 16384, all = n * suite_times(c, 2);
    int steps = c->quick ? 10 : 4000;
    float *expected = suite_alloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        for (int j = 0; j < 8; j++) {
            float x = (float)i + (float)j;
            for (int step = 0; step < steps && step < 200; step++) /* it has converged by then */
                x = x * 0.5f + 0.25f;
            expected[i] += x;
        }
    int out = suite_output(c, all * 4);
    suite_launch(c, "peak", 1, SUITE_SIZE(all), SUITE_SIZE(128), "bffi", out, 0.5, 0.25, steps);
    suite_expect_floats(c, out, expected, n, 1e-5f, 0);
    c->flops = 16.0 * (double)all * steps;
}

void suite_case_transpose(struct suite_case *c)
{
    size_t width = c->quick ? 64 : 2048, height = c->quick ? 96 : 2048, bytes = width * height * 4;
    float *in = suite_random_floats(width * height, -1, 1), *expected = suite_alloc(bytes);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            expected[x * height + y] = in[y * width + x];
    int input = suite_input(c, in, bytes), out = suite_output(c, bytes);
    suite_launch(c, "transpose", 2, SUITE_SIZE(width, height / 4), SUITE_SIZE(32, 8), "bbii", input, out, (int)width, (int)height);
    suite_expect_bytes(c, out, expected, bytes, 0);
}

static void sgemm(struct suite_case *c, size_t m, size_t n, size_t k, size_t each, size_t local)
{
    size_t rows = m * suite_times(c, 1);
    float *a = suite_random_floats(rows * k, -1, 1), *b = suite_random_floats(k * n, -1, 1), *expected = suite_alloc(m * n * 4);
    for (size_t y = 0; y < m; y++)
        for (size_t i = 0; i < k; i++)
            for (size_t x = 0; x < n; x++)
                expected[y * n + x] += a[y * k + i] * b[i * n + x];
    int in1 = suite_input(c, a, rows * k * 4), in2 = suite_input(c, b, k * n * 4), out = suite_output(c, rows * n * 4);
    suite_launch(c, "sgemm", 2, SUITE_SIZE(n / each, rows / each), SUITE_SIZE(local, local), "bbbiii", in1, in2, out, (int)rows, (int)n,
                 (int)k);
    suite_expect_floats(c, out, expected, m * n, 1e-4f, 0);
    c->flops = 2.0 * (double)rows * (double)n * (double)k;
}

void suite_case_sgemm_naive(struct suite_case *c)
{
    if (c->quick)
        sgemm(c, 48, 32, 40, 1, 16);
    else
        sgemm(c, 512, 512, 512, 1, 16);
}

void suite_case_sgemm_tiled(struct suite_case *c)
{
    if (c->quick)
        sgemm(c, 64, 128, 48, 4, 16);
    else
        sgemm(c, 768, 768, 768, 4, 16);
}

/* Each work-group takes a part of k, and adds what comes of it to the result. */
static void splitk(struct suite_case *c, bool floats)
{
    size_t m = c->quick ? 24 : 512, n = c->quick ? 48 : 512, part = 32, k = c->quick ? 3 * part : 512, local = suite_local(c, 64);
    float *a = suite_random_floats(m * k, -9, 9), *b = suite_random_floats(k * n, -9, 9), *expected = suite_alloc(m * n * 4);
    int32_t *whole_a = suite_alloc(m * k * 4), *whole_b = suite_alloc(k * n * 4), *sums = suite_alloc(m * n * 4);
    for (size_t i = 0; i < m * k; i++)
        whole_a[i] = (int32_t)a[i];
    for (size_t i = 0; i < k * n; i++)
        whole_b[i] = (int32_t)b[i];
    for (size_t y = 0; y < m; y++)
        for (size_t i = 0; i < k; i++)
            for (size_t x = 0; x < n; x++) {
                expected[y * n + x] += a[y * k + i] * b[i * n + x];
                sums[y * n + x] += whole_a[y * k + i] * whole_b[i * n + x];
            }
    int in1 = suite_input(c, floats ? (const void *)a : whole_a, m * k * 4);
    int in2 = suite_input(c, floats ? (const void *)b : whole_b, k * n * 4), out = suite_inout(c, NULL, m * n * 4);
    suite_launch(c, "splitk", 3, SUITE_SIZE((n + local - 1) / local * local, m, k / part), SUITE_SIZE(local, 1, 1), "bbbiii", in1, in2, out,
                 (int)n, (int)k, (int)part);
    if (floats)
        suite_expect_floats(c, out, expected, m * n, 1e-4f, 0);
    else
        suite_expect_bytes(c, out, sums, m * n * 4, 0);
}

void suite_case_splitk_int(struct suite_case *c)
{
    splitk(c, false);
}

void suite_case_splitk_float(struct suite_case *c)
{
    splitk(c, true);
    c->options = "-cl-std=CL3.0";
    c->extension = "cl_ext_float_atomics";
}

void suite_case_spmv(struct suite_case *c)
{
    size_t rows = c->quick ? 1000 : 1 << 18, most = 0, at = 0;
    int32_t *start = suite_alloc((rows + 1) * 4);
    for (size_t row = 0; row < rows; row++) {
        most += 4 + suite_random() % 16 + (suite_random() % 64 == 0 ? 40 : 0);
        start[row + 1] = (int32_t)most;
    }
    int32_t *column = suite_alloc(most * 4);
    float *value = suite_random_floats(most, -1, 1), *x = suite_random_floats(rows, -1, 1), *expected = suite_alloc(rows * 4);
    for (size_t row = 0; row < rows; row++)
        for (; at < (size_t)start[row + 1]; at++) {
            /* near the diagonal mostly, as in a mesh */
            size_t far = suite_random() % 8 == 0 ? suite_random() % rows : (row + suite_random() % 64) % rows;
            column[at] = (int32_t)far;
            expected[row] += value[at] * x[far];
        }
    int out = suite_output(c, rows * 4);
    suite_launch(c, "spmv", 1, SUITE_SIZE((rows + 127) / 128 * 128), SUITE_SIZE(128), "bbbbbi", suite_input(c, start, (rows + 1) * 4),
                 suite_input(c, column, most * 4), suite_input(c, value, most * 4), suite_input(c, x, rows * 4), out, (int)rows);
    suite_expect_floats(c, out, expected, rows, 1e-5f, 0);
}

/* Bytes in fours along k, so that a work-item reads one word of each matrix for four products. */
static void dot8(struct suite_case *c, const char *options)
{
    size_t n = c->quick ? 32 : 512, k = c->quick ? 40 : 512, rows = n * suite_times(c, 2);
    int8_t *a = suite_alloc(rows * k), *b = suite_alloc(n * k);
    int32_t *expected = suite_alloc(n * n * 4);
    for (size_t i = 0; i < rows * k; i++)
        a[i] = (int8_t)suite_random();
    for (size_t i = 0; i < n * k; i++)
        b[i] = (int8_t)suite_random();
    for (size_t y = 0; y < n; y++)
        for (size_t i = 0; i < k; i++)
            for (size_t x = 0; x < n; x++)
                expected[y * n + x] += a[y * k + i] * b[(i / 4 * n + x) * 4 + i % 4];
    int in1 = suite_input(c, a, rows * k), in2 = suite_input(c, b, n * k), out = suite_output(c, rows * n * 4);
    c->options = options;
    suite_launch(c, "product", 2, SUITE_SIZE(n, rows), SUITE_SIZE(16, 16), "bbbii", in1, in2, out, (int)n, (int)(k / 4));
    suite_expect_bytes(c, out, expected, n * n * 4, 0);
}

void suite_case_dot8(struct suite_case *c)
{
    dot8(c, "-cl-std=CL1.2");
}
void suite_case_dot8_packed(struct suite_case *c)
{
    dot8(c, "-cl-std=CL3.0");
    c->extension = "cl_khr_integer_dot_product";
}

void suite_case_gemv(struct suite_case *c)
{
    size_t rows = c->quick ? 20 : 2048, n = c->quick ? 200 : 2048;
    float *a = suite_random_floats(rows * n, -1, 1), *x = suite_random_floats(n, -1, 1), *expected = suite_alloc(rows * 4);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < n; i++)
            expected[row] += a[row * n + i] * x[i];
    int out = suite_output(c, rows * 4);
    size_t size = suite_local(c, 128);
    suite_launch(c, "gemv", 1, SUITE_SIZE(rows * size), SUITE_SIZE(size), "bbbil", suite_input(c, a, rows * n * 4),
                 suite_input(c, x, n * 4), out, (int)n, size * 4);
    suite_expect_floats(c, out, expected, rows, 1e-5f, 0);
}

void suite_case_eliminate(struct suite_case *c)
{
    size_t n = c->quick ? 37 : 1024, pivot = 3, padded = (n + 15) / 16 * 16;
    float *a = suite_random_floats(n * n, -1, 1), *factors = suite_random_floats(n, -1, 1), *expected = suite_alloc(n * n * 4);
    for (size_t row = 0; row < n; row++)
        for (size_t i = 0; i < n; i++)
            expected[row * n + i] = a[row * n + i] - (row > pivot && i >= pivot ? factors[row] * a[pivot * n + i] : 0);
    int inout = suite_inout(c, a, n * n * 4);
    suite_launch(c, "eliminate", 2, SUITE_SIZE(padded, padded), SUITE_SIZE(16, 16), "bbii", inout, suite_input(c, factors, n * 4), (int)n,
                 (int)pivot);
    suite_expect_floats(c, inout, expected, n * n, 1e-6f, 0);
}

void suite_case_axpy_dot(struct suite_case *c)
{
    size_t size = suite_local(c, 128), each = 16, groups = (c->quick ? 4 : 256) * 128 / size, n = 4 * size * each * groups;
    float *x = suite_random_floats(n, -1, 1), *y = suite_random_floats(n, -1, 1), *later = suite_alloc(n * 4);
    float *part = suite_alloc(groups * 4);
    for (size_t i = 0; i < n; i++) {
        later[i] = y[i] + 0.5f * x[i];
        part[i / (n / groups)] += later[i] * later[i];
    }
    int in = suite_input(c, x, n * 4), inout = suite_inout(c, y, n * 4), out = suite_output(c, groups * 4);
    suite_launch(c, "axpy", 1, SUITE_SIZE(n), SUITE_SIZE(256), "bbf", inout, in, 0.5);
    suite_launch(c, "dot_parts", 1, SUITE_SIZE(size * groups), SUITE_SIZE(size), "bbbil", inout, inout, out, (int)each, size * 4);
    suite_expect_floats(c, inout, later, n, 1e-6f, 0);
    suite_expect_floats(c, out, part, groups, 1e-4f, 0);
}
