/* SPDX-License-Identifier: Apache-2.0
 * B as a matrix by rows, whose words the kernel makes of single elements: each way that programs do it, against plain C. Where the loop is
 * one for blocks of tiles, the report has to say so. Words in another order than that of rows are no such matrix, and give what they say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"

enum { ROWS = 32, COLUMNS = 32, DEPTH = 20 * 64 /* bytes of K */, PAD = 3 /* elements between rows of B */ };

static struct device device;

/* A word of B at p, where rows are n elements apart. */
static const struct way {
    const char *name, *element, *word;
    bool bytes, is_b_signed, reversed;
} ways[] = {
    {"vector of four", "char", "as_int((char4)(p[0], p[n], p[2 * n], p[3 * n]))", true, true, false},
    {"shifted bytes", "uchar", "p[0] | p[n] << 8 | p[2 * n] << 16 | p[3 * n] << 24", true, false, false},
    {"sums of bytes", "uchar", "(uint)p[0] + ((uint)p[n] << 8) + ((uint)p[2 * n] << 16) + ((uint)p[3 * n] << 24)", true, false, false},
    {"signed last byte", "char", "(uchar)p[0] | (uchar)p[n] << 8 | (uchar)p[2 * n] << 16 | p[3 * n] << 24", true, true, false},
    {"pairs of pairs", "uchar", "upsample((ushort)(p[2 * n] | p[3 * n] << 8), (ushort)(p[0] | p[n] << 8))", true, false, false},
    {"bytes from the last", "uchar", "p[3 * n] | p[2 * n] << 8 | p[n] << 16 | p[0] << 24", true, false, true},
    {"vector of two", "ushort", "as_int((ushort2)(p[0], p[n]))", false, false, false},
    {"shifted shorts", "ushort", "(uint)p[0] | (uint)p[n] << 16", false, false, false},
    {"upsampled", "ushort", "upsample(p[n], p[0])", false, false, false},
    {"signed shorts", "short", "(p[0] & 0xffff) | p[n] << 16", false, false, false},
    {"shorts from the last", "ushort", "upsample(p[0], p[n])", false, false, true},
};

static cl_program build(const struct way *way, bool writes)
{
    struct text text = {0};
    const char *function = !way->bytes        ? "intel_sub_group_bf16_bf16_matrix_mad_k16"
                           : way->is_b_signed ? "intel_sub_group_i8_i8_matrix_mad_k32"
                                              : "intel_sub_group_i8_u8_matrix_mad_k32";
    const char *sum = way->bytes ? "int" : "float", *words = way->bytes && !way->is_b_signed ? "as_uint8" : "as_int8";
    text_add(
        &text,
        "typedef %s element;\n"
        "enum { IN_WORD = %d, DEEP = 8 * IN_WORD };\n"
        "__attribute__((intel_reqd_sub_group_size(16)))\n"
        "kernel void k(global const short *a, global const element *b, global %s *c, global const long *sizes, global long *progress)\n"
        "{\n"
        "    const long lane = get_sub_group_local_id(), n = sizes[0], depth = sizes[1];\n"
        "    %s8 sum[4][2] = {};\n"
        "    for (long k = 0; k < depth; k += DEEP) {\n"
        "        int8 y[2];\n"
        "        for (int j = 0; j < 2; j++)\n"
        "            for (int i = 0; i < 8; i++) {\n"
        "                global const element *p = b + (k + IN_WORD * i) * n + 16 * j + lane;\n"
        "                y[j][i] = %s;\n"
        "            }\n"
        "        for (int i = 0; i < 4; i++) {\n"
        "            short8 x;\n"
        "            for (int r = 0; r < 8; r++)\n"
        "                x[r] = a[(8 * i + r) * sizes[2] + k / DEEP * 16 + lane];\n"
        "            for (int j = 0; j < 2; j++)\n"
        "                sum[i][j] = %s(x, %s(y[j]), sum[i][j]);\n"
        "        }\n"
        "%s"
        "    }\n"
        "    for (int i = 0; i < 4; i++)\n"
        "        for (int j = 0; j < 2; j++)\n"
        "            for (int r = 0; r < 8; r++)\n"
        "                c[(8 * i + r) * 32 + 16 * j + lane] = sum[i][j][r];\n"
        "}\n",
        way->element, way->bytes ? 4 : 2, sum, sum, way->word, function, words, writes ? "        *progress = k;\n" : "");
    return device_build_text(&device, &text);
}

/* Small whole numbers, so that sums of bfloat16 are exact in any order. */
static int number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int)(*seed >> 24) % 15 - 7;
}

static uint16_t bfloat16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* Puts the number into an array of bytes, or of bfloat16. */
static void put(void *array, size_t at, int value, bool bytes)
{
    if (bytes)
        ((int8_t *)array)[at] = (int8_t)value;
    else
        ((uint16_t *)array)[at] = bfloat16((float)value);
}

/* What the words are of, as the way has them, counts; so in a reversed one element k stands where another one should. */
static int element_of(const struct way *way, int (*b)[COLUMNS], unsigned k, unsigned column)
{
    const unsigned in_word = way->bytes ? 4 : 2;
    return b[way->reversed ? k / in_word * in_word + in_word - 1 - k % in_word : k][column];
}

static void check_result(const struct way *way, int (*a)[DEPTH], int (*b)[COLUMNS], uint32_t (*out)[COLUMNS], unsigned depth)
{
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned c = 0; c < COLUMNS; c++) {
            int sum = 0;
            for (unsigned k = 0; k < depth; k++)
                sum += a[r][k] * element_of(way, b, k, c);
            float f = (float)sum;
            uint32_t expected;
            memcpy(&expected, way->bytes ? (void *)&sum : (void *)&f, sizeof expected);
            if (out[r][c] != expected)
                fail_msg("%s: row %u, column %u", way->name, r, c);
        }
}

static void check(const struct way *way, bool writes)
{
    const unsigned depth = way->bytes ? DEPTH : DEPTH / 2, n = COLUMNS + PAD;
    const size_t element = way->bytes ? 1 : 2;
    static int a[ROWS][DEPTH], b[DEPTH][COLUMNS];
    static unsigned char in_a[sizeof a], in_b[DEPTH * (COLUMNS + PAD)];
    static uint32_t out[ROWS][COLUMNS];
    const cl_long sizes[] = {n, depth, DEPTH / 2};
    unsigned seed = 7;
    for (unsigned i = 0; i < ROWS * depth; i++)
        put(in_a, i, a[i / depth][i % depth] = number(&seed), way->bytes);
    for (unsigned i = 0; i < COLUMNS * depth; i++) {
        unsigned k = i / COLUMNS, c = i % COLUMNS;
        int value = number(&seed);
        put(in_b, k * n + c, value, way->bytes);
        b[k][c] = way->bytes && !way->is_b_signed ? value & 255 : value;
    }
    cl_long progress = 0;
    cl_program program = build(way, writes);
    assert_non_null(program);
    if (strstr(device.log, "\"topic\":\"matrix\"")) {                  /* of a report with blocks of tiles */
        bool half_tiles = strstr(device.log, "\"verdict\":\"model\""); /* of 32 bytes of K, unless the device runs all rounds */
        assert_int_equal(strstr(device.log, "B from rows in memory") != NULL, !way->reversed && (!writes || half_tiles));
        assert_int_equal(strstr(device.log, "B computed by the loop's code") != NULL, way->reversed && !writes);
        assert_int_equal(strstr(device.log, "all rounds of the loop at once") != NULL, !writes);
    }
    const struct device_arg args[] = {{ROWS * depth * element, in_a, NULL},
                                      {((depth - 1) * n + COLUMNS) * element, in_b, NULL},
                                      {sizeof out, NULL, out},
                                      {sizeof sizes, sizes, NULL},
                                      {sizeof progress, &progress, &progress}};
    assert_int_equal(device_run(&device, program, "k", 16, 16, args, 5), CL_SUCCESS);
    assert_int_equal(progress, writes ? depth - (way->bytes ? 32 : 16) : 0);
    check_result(way, a, b, out, depth);
    clReleaseProgram(program);
}

static void words_of_elements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        for (int writes = 0; writes < 2; writes++)
            check(&ways[i], writes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_of_elements)};
    device_open(&device);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&device);
    return failures;
}
