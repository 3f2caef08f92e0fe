/* SPDX-License-Identifier: Apache-2.0
 * Simulations: bodies, grids. */
#include <math.h>

#include "suite.h"

void suite_case_nbody(struct suite_case *c)
{
    size_t few = c->quick ? 256 : 4096, n = few * suite_times_root(c, 1);
    float *position = suite_random_floats(4 * n, 0.1f, 1), *velocity = suite_random_floats(4 * n, -1, 1), *expected = suite_alloc(few * 16);
    for (size_t i = 0; i < few; i++) {
        double force[3] = {0};
        for (size_t j = 0; j < n; j++) {
            float d[3], square = 0.01f;
            for (int k = 0; k < 3; k++) {
                d[k] = position[4 * j + k] - position[4 * i + k];
                square += d[k] * d[k];
            }
            float inverse = 1 / sqrtf(square), strength = position[4 * j + 3] * inverse * inverse * inverse;
            for (int k = 0; k < 3; k++)
                force[k] += (double)(d[k] * strength);
        }
        for (int k = 0; k < 4; k++)
            expected[4 * i + k] = velocity[4 * i + k] + (k < 3 ? (float)force[k] * 0.001f : 0);
    }
    int in = suite_input(c, position, n * 16), inout = suite_inout(c, velocity, n * 16);
    suite_launch(c, "nbody", 1, SUITE_SIZE(n), SUITE_SIZE(128), "bbiffl", in, inout, (int)n, 0.001, 0.01, suite_local(c, 128) * 16);
    suite_expect_floats(c, inout, expected, 4 * few, 1e-4f, 0);
}

void suite_case_stencil2d(struct suite_case *c)
{
    size_t width = c->quick ? 64 : 1024, height = c->quick ? 48 : 1024, bytes = width * height * 4;
    ptrdiff_t pitch = (ptrdiff_t)width;
    int steps = c->quick ? 2 : 4;
    float *first = suite_random_floats(width * height, 0, 1), *now = suite_alloc(bytes), *next = suite_alloc(bytes);
    for (size_t i = 0; i < width * height; i++)
        now[i] = first[i];
    int buffer[2] = {suite_inout(c, first, bytes), suite_output(c, bytes)};
    for (int step = 0; step < steps; step++) {
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) {
                const float *p = &now[y * width + x];
                bool border = !x || !y || x == width - 1 || y == height - 1;
                next[y * width + x] = border ? *p
                                             : 0.25f * *p + 0.125f * (p[-pitch] + p[-1] + p[1] + p[pitch]) +
                                                   0.0625f * (p[-pitch - 1] + p[-pitch + 1] + p[pitch - 1] + p[pitch + 1]);
            }
        float *swap = now;
        now = next;
        next = swap;
        suite_launch(c, "stencil", 2, SUITE_SIZE(width, height), SUITE_SIZE(32, 8), "bbii", buffer[step % 2], buffer[1 - step % 2],
                     (int)width, (int)height);
    }
    suite_expect_floats(c, buffer[steps % 2], now, width * height, 1e-5f, 0);
}

void suite_case_stencil3d(struct suite_case *c)
{
    size_t nx = c->quick ? 32 : 192, ny = c->quick ? 24 : 160, nz = c->quick ? 10 : 128, count = nx * ny * nz;
    float *in = suite_random_floats(count, 0, 1), *expected = suite_alloc(count * 4);
    for (size_t z = 0; z < nz; z++)
        for (size_t y = 0; y < ny; y++)
            for (size_t x = 0; x < nx; x++) {
                size_t at = (z * ny + y) * nx + x, plane = nx * ny;
                bool border = !x || !y || !z || x == nx - 1 || y == ny - 1 || z == nz - 1;
                expected[at] =
                    border ? in[at]
                           : 0.4f * in[at] + 0.1f * (in[at - plane] + in[at + plane] + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx]);
            }
    int input = suite_input(c, in, count * 4), out = suite_output(c, count * 4);
    suite_launch(c, "stencil", 2, SUITE_SIZE(nx, ny), SUITE_SIZE(32, 8), "bbiiiff", input, out, (int)nx, (int)ny, (int)nz, 0.4, 0.1);
    suite_expect_floats(c, out, expected, count, 1e-5f, 0);
}

/* Atoms near the points of a lattice, and for each the others within a distance that is somewhat larger than the cut-off. */
void suite_case_lennard_jones(struct suite_case *c)
{
    enum { MOST = 160 };
    int side = c->quick ? 8 : 32, depth = side * (int)suite_times(c, 1);
    size_t n = (size_t)(side * side * depth);
    float *position = suite_random_floats(4 * n, -0.1f, 0.1f), *expected = suite_alloc(n * 16), cutoff = 2.2f * 2.2f;
    int32_t *count = suite_alloc(n * 4), *neighbour = suite_alloc(MOST * n * 4);
    for (size_t i = 0; i < n; i++) {
        position[4 * i] += (float)((int)i % side);
        position[4 * i + 1] += (float)((int)i / side % side);
        position[4 * i + 2] += (float)((int)i / side / side);
    }
    for (size_t i = 0; i < n; i++) {
        int x = (int)i % side, y = (int)i / side % side, z = (int)i / side / side;
        double sum[4] = {0};
        for (int at = 0; at < 7 * 7 * 7; at++) {
            int ox = x + at % 7 - 3, oy = y + at / 7 % 7 - 3, oz = z + at / 49 - 3, j = (oz * side + oy) * side + ox;
            if (ox < 0 || oy < 0 || oz < 0 || ox >= side || oy >= side || oz >= depth || j == (int)i)
                continue;
            float d[3], square = 0;
            for (int k = 0; k < 3; k++) {
                d[k] = position[4 * i + (size_t)k] - position[4 * j + k];
                square += d[k] * d[k];
            }
            if (square < 2.5f * 2.5f && count[i] < MOST)
                neighbour[(size_t)count[i]++ * n + i] = j;
            if (square < cutoff) {
                double inverse = 1 / (double)square, sixth = inverse * inverse * inverse;
                for (int k = 0; k < 3; k++)
                    sum[k] += (double)d[k] * 24 * inverse * sixth * (2 * sixth - 1);
                sum[3] += 4 * sixth * (sixth - 1);
            }
        }
        for (int k = 0; k < 4; k++)
            expected[4 * i + (size_t)k] = (float)sum[k];
    }
    int out = suite_output(c, n * 16);
    suite_launch(c, "forces", 1, SUITE_SIZE(n), SUITE_SIZE(128), "bbbbifff", suite_input(c, position, n * 16), out,
                 suite_input(c, count, n * 4), suite_input(c, neighbour, MOST * n * 4), (int)n, (double)cutoff, 1.0, 1.0);
    suite_expect_floats(c, out, expected, 4 * n, 1e-4f, 1e-4f); /* rounding decides who is just within the cut-off */
}

static void transform(const float *in, float *out, size_t n, size_t step)
{
    if (n == 1) {
        out[0] = in[0];
        out[1] = in[1];
        return;
    }
    transform(in, out, n / 2, 2 * step);
    transform(in + 2 * step, out + n, n / 2, 2 * step);
    for (size_t k = 0; k < n / 2; k++) {
        double angle = -6.283185307179586 * (double)k / (double)n, re = cos(angle), im = sin(angle);
        float *a = out + 2 * k, *b = out + n + 2 * k;
        double x = re * (double)b[0] - im * (double)b[1], y = re * (double)b[1] + im * (double)b[0];
        b[0] = (float)((double)a[0] - x);
        b[1] = (float)((double)a[1] - y);
        a[0] = (float)((double)a[0] + x);
        a[1] = (float)((double)a[1] + y);
    }
}

void suite_case_fft(struct suite_case *c)
{
    size_t batch = c->quick ? 3 : 512, floats = batch * 2048, times = suite_times(c, 2);
    float *in = suite_random_floats(floats * times, -1, 1), *expected = suite_alloc(floats * 4);
    for (size_t i = 0; i < batch; i++)
        transform(in + i * 2048, expected + i * 2048, 1024, 1);
    int input = suite_input(c, in, floats * times * 4), out = suite_output(c, floats * times * 4);
    suite_launch(c, "fft", 1, SUITE_SIZE(batch * times * 256), SUITE_SIZE(256), "bb", input, out);
    suite_expect_floats(c, out, expected, floats, 1e-4f, 0);
}
