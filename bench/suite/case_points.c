/* SPDX-License-Identifier: Apache-2.0
 * Kernels whose work-items know nothing of each other. */
#include <math.h>

#include "suite.h"

void suite_case_mandelbrot(struct suite_case *c)
{
    size_t root = suite_times_root(c, 3), width = (c->quick ? 64 : 512) * root, height = (c->quick ? 48 : 512) * root, rows = height / root;
    int most = c->quick ? 50 : 256;
    float step = 3.0f / (float)width;
    float *expected = suite_alloc(width * rows * 4);
    for (size_t py = 0; py < rows; py++)
        for (size_t px = 0; px < width; px++) {
            float cx = -2.2f + (float)px * step, cy = -1.5f + (float)py * step, x = 0, y = 0;
            int n = 0;
            for (; n < most && x * x + y * y < 4.0f; n++) {
                float t = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = t;
            }
            expected[py * width + px] = (float)n;
        }
    int out = suite_output(c, width * height * 4);
    suite_launch(c, "mandelbrot", 2, SUITE_SIZE(width, height), SUITE_SIZE(16, 16), "bfffi", out, -2.2, -1.5, (double)step, most);
    suite_expect_floats(c, out, expected, width * rows, 0, 0.02f); /* rounding decides near the edge */
}

static float normal(float d)
{
    double k = 1 / (1 + 0.2316419 * fabs((double)d));
    double tail = 0.39894228 * exp(-0.5 * (double)d * (double)d) *
                  (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
    return (float)(d > 0 ? 1 - tail : tail);
}

void suite_case_black_scholes(struct suite_case *c)
{
    size_t n = c->quick ? 1024 : 1 << 19, all = n * suite_times(c, 2);
    float *price = suite_random_floats(all, 5, 30), *strike = suite_random_floats(all, 1, 100),
          *years = suite_random_floats(all, 0.25f, 10);
    float *call = suite_alloc(n * 4), *put = suite_alloc(n * 4), rate = 0.02f, volatility = 0.3f;
    for (size_t i = 0; i < n; i++) {
        float root = sqrtf(years[i]);
        float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
        float n1 = normal(d1), n2 = normal(d1 - volatility * root), later = strike[i] * expf(-rate * years[i]);
        call[i] = price[i] * n1 - later * n2;
        put[i] = later * (1 - n2) - price[i] * (1 - n1);
    }
    int calls = suite_output(c, all * 4), puts = suite_output(c, all * 4);
    suite_launch(c, "black_scholes", 1, SUITE_SIZE(all), SUITE_SIZE(128), "bbbbbff", calls, puts, suite_input(c, price, all * 4),
                 suite_input(c, strike, all * 4), suite_input(c, years, all * 4), (double)rate, (double)volatility);
    suite_expect_floats(c, calls, call, n, 1e-5f, 0);
    suite_expect_floats(c, puts, put, n, 1e-5f, 0);
}

struct node {
    uint32_t key;
    int32_t left, right;
};

void suite_case_tree(struct suite_case *c)
{
    size_t nodes = c->quick ? 200 : 1 << 16, n = c->quick ? 512 : 1 << 16;
    struct node *tree = suite_alloc(nodes * sizeof(*tree));
    uint32_t *asked = suite_alloc(n * 4), *expected = suite_alloc(n * 4);
    for (size_t i = 0; i < nodes; i++) {
        tree[i] = (struct node){suite_random(), -1, -1};
        for (size_t at = 0; i;) {
            int32_t *next = tree[i].key > tree[at].key ? &tree[at].right : &tree[at].left;
            if (*next < 0) {
                *next = (int32_t)i;
                break;
            }
            at = (size_t)*next;
        }
    }
    for (size_t i = 0; i < n; i++) {
        asked[i] = i % 4 ? suite_random() : tree[suite_random() % nodes].key;
        for (int at = 0; at >= 0; at = asked[i] > tree[at].key ? tree[at].right : tree[at].left)
            if (tree[at].key <= asked[i] && tree[at].key > expected[i])
                expected[i] = tree[at].key;
    }
    int out = suite_output(c, n * 4);
    suite_launch(c, "walk", 1, SUITE_SIZE(n), SUITE_SIZE(128), "bbb", suite_input(c, tree, nodes * sizeof(*tree)),
                 suite_input(c, asked, n * 4), out);
    suite_expect_bytes(c, out, expected, n * 4, 0);
}
