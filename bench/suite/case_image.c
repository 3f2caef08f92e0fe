/* SPDX-License-Identifier: Apache-2.0
 * Images of bytes in buffers. Where rounding decides, one pixel in a hundred may differ. */
#include <math.h>

#include "suite.h"

static uint8_t *random_bytes(size_t count)
{
    uint8_t *bytes = suite_alloc(count);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)suite_random();
    return bytes;
}

static uint8_t to_byte(float value)
{
    return (uint8_t)fminf(fmaxf(rintf(value), 0), 255);
}

static size_t clamped(int at, size_t size)
{
    return at < 0 ? 0 : at >= (int)size ? size - 1 : (size_t)at;
}

void suite_case_convert(struct suite_case *c)
{
    size_t n = c->quick ? 2048 : 1 << 21;
    uint8_t *in = random_bytes(4 * n), *expected = suite_alloc(4 * n);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = in + 4 * i;
        float y = 0.299f * p[0] + 0.587f * p[1] + 0.114f * p[2];
        expected[4 * i] = to_byte(y);
        expected[4 * i + 1] = to_byte(0.564f * (p[2] - y) + 128);
        expected[4 * i + 2] = to_byte(0.713f * (p[0] - y) + 128);
        expected[4 * i + 3] = p[3];
    }
    int input = suite_input(c, in, 4 * n), out = suite_output(c, 4 * n);
    suite_launch(c, "convert", 1, SUITE_SIZE(n), SUITE_SIZE(256), "bb", input, out);
    suite_expect_bytes(c, out, expected, 4 * n, 0.01f);
}

void suite_case_morphology(struct suite_case *c)
{
    size_t width = c->quick ? 80 : 2048, height = c->quick ? 24 : 2048;
    uint8_t *in = random_bytes(width * height), *expected = suite_alloc(width * height);
    for (size_t y = 1; y + 1 < height; y++)
        for (size_t x = 1; x + 1 < width; x++) {
            uint8_t high = 0, low = 255;
            for (int k = 0; k < 9; k++) {
                uint8_t v = in[(y - 1 + k / 3) * width + x - 1 + k % 3];
                high = v > high ? v : high;
                low = v < low ? v : low;
            }
            expected[y * width + x] = high - low;
        }
    int input = suite_input(c, in, width * height), out = suite_output(c, width * height);
    suite_launch(c, "morphology", 2, SUITE_SIZE(width, height), SUITE_SIZE(16, 8), "bbii", input, out, (int)width, (int)height);
    suite_expect_bytes(c, out, expected, width * height, 0);
}

static int compare(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

void suite_case_median(struct suite_case *c)
{
    size_t width = c->quick ? 32 : 384, rows = c->quick ? 24 : 256, height = rows * suite_times(c, 10);
    uint8_t *in = random_bytes(width * height), *expected = suite_alloc(width * rows), window[25];
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < width; x++) {
            for (int k = 0; k < 25; k++)
                window[k] = in[clamped((int)y + k / 5 - 2, height) * width + clamped((int)x + k % 5 - 2, width)];
            qsort(window, 25, 1, compare);
            expected[y * width + x] = window[12];
        }
    int input = suite_input(c, in, width * height), out = suite_output(c, width * height);
    suite_launch(c, "median", 2, SUITE_SIZE(width, height), SUITE_SIZE(32, 8), "bbii", input, out, (int)width, (int)height);
    suite_expect_bytes(c, out, expected, width * rows, 0);
}

void suite_case_blur(struct suite_case *c)
{
    static const float weights[5] = {0.202362f, 0.179044f, 0.124009f, 0.067234f, 0.028532f};
    size_t width = c->quick ? 64 : 1024, rows = c->quick ? 32 : 512, height = rows * suite_times(c, 2), count = 4 * width * height;
    size_t read = rows < height ? rows + 4 : rows; /* rows that those which are compared depend on */
    uint8_t *in = random_bytes(count), *expected = suite_alloc(4 * width * rows);
    float *between = suite_alloc(4 * width * read * 4);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < 4 * width * (pass ? rows : read); i++) {
            size_t x = i / 4 % width, y = i / 4 / width, channel = i % 4;
            float sum = 0;
            for (int k = -4; k <= 4; k++) {
                if (pass)
                    sum += weights[abs(k)] * between[4 * (clamped((int)y + k, height) * width + x) + channel];
                else
                    sum += weights[abs(k)] * in[4 * (y * width + clamped((int)x + k, width)) + channel];
            }
            if (pass)
                expected[i] = to_byte(sum);
            else
                between[i] = sum;
        }
    int input = suite_input(c, in, count), middle = suite_output(c, count * 4), out = suite_output(c, count);
    suite_launch(c, "rows", 2, SUITE_SIZE(width, height), SUITE_SIZE(32, 8), "bbi", input, middle, (int)width);
    suite_launch(c, "columns", 2, SUITE_SIZE(width, height), SUITE_SIZE(32, 8), "bbii", middle, out, (int)width, (int)height);
    suite_expect_bytes(c, out, expected, 4 * width * rows, 0.01f);
}

static float mixed(float a, float b, float t)
{
    return a + (b - a) * t;
}

void suite_case_resize(struct suite_case *c)
{
    size_t width = c->quick ? 40 : 800, times = suite_times(c, 4), height = (c->quick ? 30 : 600) * times;
    size_t to_width = c->quick ? 64 : 1280, rows = c->quick ? 48 : 960, to_height = rows * times;
    uint8_t *in = random_bytes(4 * width * height), *expected = suite_alloc(4 * to_width * rows);
    float sx = (float)width / (float)to_width, sy = (float)height / (float)to_height;
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < to_width; x++) {
            float u = fmaxf(((float)x + 0.5f) * sx - 0.5f, 0), v = fmaxf(((float)y + 0.5f) * sy - 0.5f, 0);
            size_t x0 = clamped((int)u, width), y0 = clamped((int)v, height), x1 = clamped((int)x0 + 1, width);
            size_t y1 = clamped((int)y0 + 1, height);
            for (size_t k = 0; k < 4; k++) {
                float top = mixed(in[4 * (y0 * width + x0) + k], in[4 * (y0 * width + x1) + k], u - (float)x0);
                float bottom = mixed(in[4 * (y1 * width + x0) + k], in[4 * (y1 * width + x1) + k], u - (float)x0);
                expected[4 * (y * to_width + x) + k] = to_byte(mixed(top, bottom, v - (float)y0));
            }
        }
    int input = suite_input(c, in, 4 * width * height), out = suite_output(c, 4 * to_width * to_height);
    suite_launch(c, "resize", 2, SUITE_SIZE(to_width, to_height), SUITE_SIZE(32, 8), "biibff", input, (int)width, (int)height, out,
                 (double)sx, (double)sy);
    suite_expect_bytes(c, out, expected, 4 * to_width * rows, 0.01f);
}
