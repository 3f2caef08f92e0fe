/* SPDX-License-Identifier: Apache-2.0
 * Work-groups that compute something together: sums, histograms. */
#include "suite.h"

void suite_case_reduce(struct suite_case *c)
{
    size_t size = suite_local(c, 256), each = 8, groups = (c->quick ? 16 : 2048) * 256 / size, n = size * each * groups;
    size_t rest = groups / size ? groups / size : 1;
    float *in = suite_random_floats(n, 0, 1), *expected = suite_alloc(4);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)in[i];
    expected[0] = (float)sum;
    int input = suite_input(c, in, n * 4), part = suite_output(c, groups * 4), out = suite_output(c, 4);
    suite_launch(c, "reduce", 1, SUITE_SIZE(size * groups), SUITE_SIZE(size), "bbil", input, part, (int)each, size * 4);
    if (c->local) { /* the rest wants large groups */
        float *parts = suite_alloc(groups * 4);
        for (size_t i = 0; i < n; i++)
            parts[i / (size * each)] += in[i];
        suite_expect_floats(c, part, parts, groups, 1e-5f, 0);
        return;
    }
    size_t last = groups / rest;
    suite_launch(c, "reduce", 1, SUITE_SIZE(last), SUITE_SIZE(last), "bbil", part, out, (int)rest, last * 4);
    suite_expect_floats(c, out, expected, 1, 1e-5f, 0);
}

void suite_case_scan(struct suite_case *c)
{
    size_t size = suite_local(c, 256), groups = (c->quick ? 16 : 1024) * 256 / size, n = 2 * size * groups;
    int32_t *in = suite_alloc(n * 4), *expected = suite_alloc(n * 4), sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (c->local && i % (2 * size) == 0)
            sum = 0; /* the first launch alone: the rest wants large groups */
        in[i] = (int32_t)(suite_random() % 1000);
        expected[i] = sum += in[i];
    }
    int input = suite_input(c, in, n * 4), out = suite_output(c, n * 4), sums = suite_output(c, groups * 4);
    suite_launch(c, "scan_blocks", 1, SUITE_SIZE(size * groups), SUITE_SIZE(size), "bbbl", input, out, sums, size * 8);
    suite_expect_bytes(c, out, expected, n * 4, 0);
    if (c->local)
        return;
    suite_launch(c, "scan_sums", 1, SUITE_SIZE(groups / 2), SUITE_SIZE(groups / 2), "bl", sums, groups * 4);
    suite_launch(c, "scan_add", 1, SUITE_SIZE(size * groups), SUITE_SIZE(size), "bb", out, sums);
}

void suite_case_histogram_local(struct suite_case *c)
{
    size_t size = suite_local(c, 256), each = 64, n = 256 * each * (c->quick ? 2 : 256);
    uint8_t *in = suite_alloc(n);
    uint32_t *expected = suite_alloc(256 * 4);
    for (size_t i = 0; i < n; i++) {
        in[i] = (uint8_t)((suite_random() % 256 + suite_random() % 256) / 2);
        expected[in[i]]++;
    }
    int input = suite_input(c, in, n), bins = suite_inout(c, NULL, 256 * 4);
    suite_launch(c, "histogram", 1, SUITE_SIZE(n / each), SUITE_SIZE(size), "bbi", input, bins, (int)each);
    suite_expect_bytes(c, bins, expected, 256 * 4, 0);
}

void suite_case_histogram_global(struct suite_case *c)
{
    size_t n = c->quick ? 4096 : 1 << 20;
    float *in = suite_random_floats(n, 0, 1);
    uint32_t *expected = suite_alloc(1024 * 4);
    for (size_t i = 0; i < n; i++)
        expected[(int)(in[i] * 1024)]++;
    int input = suite_input(c, in, n * 4), bins = suite_inout(c, NULL, 1024 * 4);
    suite_launch(c, "histogram", 1, SUITE_SIZE(n), SUITE_SIZE(256), "bbi", input, bins, 1024);
    suite_expect_bytes(c, bins, expected, 1024 * 4, 0);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void suite_case_bitonic(struct suite_case *c)
{
    size_t n = c->quick ? 4096 : 1 << 18;
    uint32_t *in = suite_alloc(n * 4), *expected = suite_alloc(n * 4);
    for (size_t i = 0; i < n; i++)
        in[i] = expected[i] = suite_random();
    qsort(expected, n, 4, compare);
    int data = suite_inout(c, in, n * 4);
    suite_launch(c, "sort_blocks", 1, SUITE_SIZE(n / 2), SUITE_SIZE(256), "b", data);
    for (size_t size = 1024; size <= n; size *= 2) {
        for (size_t distance = size / 2; distance >= 512; distance /= 2)
            suite_launch(c, "merge_far", 1, SUITE_SIZE(n / 2), SUITE_SIZE(256), "bii", data, (int)size, (int)distance);
        suite_launch(c, "merge_near", 1, SUITE_SIZE(n / 2), SUITE_SIZE(256), "bi", data, (int)size);
    }
    suite_expect_bytes(c, data, expected, n * 4, 0);
}

void suite_case_subgroup_scan(struct suite_case *c)
{
    size_t n = c->quick ? 1024 : 1 << 20;
    int32_t *in = suite_alloc(n * 4), *expected = suite_alloc(n * 4), sum = 0;
    for (size_t i = 0; i < n; i++) {
        in[i] = (int32_t)(suite_random() % 1000);
        expected[i] = sum = in[i] + (i % 256 ? sum : 0);
    }
    int input = suite_input(c, in, n * 4), out = suite_output(c, n * 4);
    c->options = "-cl-std=CL3.0";
    c->extension = "cl_intel_subgroups";
    suite_launch(c, "scan", 1, SUITE_SIZE(n), SUITE_SIZE(256), "bb", input, out);
    suite_expect_bytes(c, out, expected, n * 4, 0);
}

void suite_case_subgroup_shuffle(struct suite_case *c)
{
    size_t n = c->quick ? 1024 : 1 << 20;
    float *a = suite_random_floats(n, -1, 1), *b = suite_random_floats(n, -1, 1), *expected = suite_alloc(n / 256 * 4);
    for (size_t i = 0; i < n; i++)
        expected[i / 256] += a[i] * b[i];
    int out = suite_output(c, n / 256 * 4);
    c->options = "-cl-std=CL3.0";
    c->extension = "cl_intel_subgroups";
    suite_launch(c, "inner", 1, SUITE_SIZE(n), SUITE_SIZE(256), "bbb", suite_input(c, a, n * 4), suite_input(c, b, n * 4), out);
    suite_expect_floats(c, out, expected, n / 256, 1e-5f, 0);
}
