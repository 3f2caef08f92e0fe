/* SPDX-License-Identifier: Apache-2.0
 * Simulations: bodies, grids. */
#include <math.h>

#include "suite.h"

void suite_case_nbody(struct suite_case *c)
{
    size_t n = c->quick ? 256 : 4096;
    float *position = suite_random_floats(4 * n, 0.1f, 1), *velocity = suite_random_floats(4 * n, -1, 1), *expected = suite_alloc(n * 16);
    for (size_t i = 0; i < n; i++) {
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
    suite_launch(c, "nbody", 1, SUITE_SIZE(n), SUITE_SIZE(128), "bbiffl", in, inout, (int)n, 0.001, 0.01, (size_t)128 * 16);
    suite_expect_floats(c, inout, expected, 4 * n, 1e-4f, 0);
}

void suite_case_stencil2d(struct suite_case *c)
{
    size_t width = c->quick ? 64 : 1024, height = c->quick ? 48 : 1024, bytes = width * height * 4;
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
                                             : 0.25f * *p + 0.125f * (p[-width] + p[-1] + p[1] + p[width]) +
                                                   0.0625f * (p[-width - 1] + p[-width + 1] + p[width - 1] + p[width + 1]);
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
