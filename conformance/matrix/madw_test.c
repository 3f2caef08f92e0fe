/* SPDX-License-Identifier: Apache-2.0
 * MADW (cl_tessera_madw) and the conversions to tf32: the shared arithmetic natively, then every function through the public API. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"
#include "conformance/matrix/oracle.h"
#include "tessera/matrix_math.h"

enum { ITEMS = 24, MAX_WIDTH = 16, LANES = ITEMS * MAX_WIDTH };

static const struct row {
    const char *u, *p, *s[3];
    bool is_signed[3];
} rows[] = {
#define TSR_MADW(u, p, s0, s1, s2, signed0, signed1, signed2) {#u, #p, {#s0, #s1, #s2}, {signed0, signed1, signed2}},
#include "tessera/madw.def"
#undef TSR_MADW
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const uint32_t corners[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x10000, 0xffff};
enum { CORNERS = sizeof(corners) / sizeof(corners[0]) };

static struct device device;

/* src0·src1 + src2 in unbounded integers, then modulo 2^64. */
static uint64_t exact(const struct row *row, const uint32_t src[3], bool zero_extend)
{
    __int128 v[3];
    for (int i = 0; i < 3; i++)
        v[i] = row->is_signed[i] && !(zero_extend && i == 2) ? (__int128)(int32_t)src[i] : (__int128)src[i];
    return (uint64_t)(v[0] * v[1] + v[2]);
}

static void arithmetic(void **state)
{
    (void)state;
    for (const struct row *row = rows; row < rows + 8; row++) /* the scalars: each combination of signs once */
        for (int i = 0; i < CORNERS * CORNERS * CORNERS; i++) {
            const uint32_t src[3] = {corners[i % CORNERS], corners[i / CORNERS % CORNERS], corners[i / CORNERS / CORNERS]};
            uint64_t got = tsr_madw(src[0], row->is_signed[0], src[1], row->is_signed[1], src[2], row->is_signed[2]);
            assert_int_equal(got, exact(row, src, false));
            /* Against sign extension, a negative src2 that is extended with zeros counts 2^32 more. */
            uint64_t more = row->is_signed[2] && (int32_t)src[2] < 0 ? 1ull << 32 : 0;
            assert_int_equal(exact(row, src, true), got + more);
        }
}

/* One kernel for each row of the table, which stores the results of its six functions. */
static char *madw_source(void)
{
    struct text source = {0};

    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        text_add(&source,
                 "kernel void k%zu(global const %s *x, global const %s *y, global const %s *z, global const %s *p, global const %s *old,"
                 " global %s *out)\n{\n    size_t i = get_global_id(0), n = get_global_size(0);\n",
                 i, r->s[0], r->s[1], r->s[2], r->p, r->u, r->u);
        static const char *const names[] = {"lo", "hi", "hi_zext"};
        for (int f = 0; f < 3; f++)
            text_add(&source,
                     "    out[%d * n + i] = tessera_madw_%s(x[i], y[i], z[i]);\n"
                     "    out[%d * n + i] = tessera_madw_%s_masked(old[i], p[i], x[i], y[i], z[i]);\n",
                     2 * f, names[f], 2 * f + 1, names[f]);
        text_add(&source, "}\n");
    }
    return source.at;
}

static void madw_on_device(void **state)
{
    (void)state;
    char *source = madw_source();
    cl_program program = device_build(&device, source, "");
    static uint32_t src[3][LANES], predicate[LANES], old[LANES], out[6 * LANES];

    free(source);
    if (!program)
        fprintf(stderr, "%s\n", device.log);
    assert_non_null(program);
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        const char *digits = r->u + strcspn(r->u, "0123456789");
        size_t width = *digits ? (size_t)atoi(digits) : 1, lanes = ITEMS * width, size = lanes * 4;
        uint32_t seed = (uint32_t)i;
        char kernel[16];

        for (size_t l = 0; l < lanes; l++) {
            for (int s = 0; s < 3; s++)
                src[s][l] = oracle_random(&seed) % 3 ? corners[oracle_random(&seed) % CORNERS] : oracle_random(&seed);
            predicate[l] = corners[oracle_random(&seed) % CORNERS];
            old[l] = oracle_random(&seed);
        }
        const struct device_arg args[] = {{size, src[0], NULL},    {size, src[1], NULL}, {size, src[2], NULL},
                                          {size, predicate, NULL}, {size, old, NULL},    {6 * size, NULL, out}};
        snprintf(kernel, sizeof(kernel), "k%zu", i);
        assert_int_equal(device_run(&device, program, kernel, ITEMS, 8, args, 6), CL_SUCCESS);
        for (size_t l = 0; l < lanes; l++) {
            const uint32_t s[3] = {src[0][l], src[1][l], src[2][l]};
            uint64_t w = exact(r, s, false), z = exact(r, s, true);
            const uint32_t want[3] = {(uint32_t)w, (uint32_t)(w >> 32), (uint32_t)(z >> 32)};
            bool active = width == 1 ? predicate[l] != 0 : predicate[l] >> 31;
            for (size_t f = 0; f < 3; f++) {
                assert_int_equal(out[2 * f * lanes + l], want[f]);
                assert_int_equal(out[(2 * f + 1) * lanes + l], active ? want[f] : old[l]);
            }
        }
    }
    clReleaseProgram(program);
}

/* To nearest with 11 significant bits, ties to even, by arithmetic on the value. */
static float rounded(float x)
{
    int exponent;
    if (x == 0 || !isfinite(x))
        return x;
    frexp((double)x, &exponent);
    int unit = (exponent - 1 > -126 ? exponent - 1 : -126) - 10;
    return (float)ldexp(nearbyint(ldexp((double)x, -unit)), unit);
}

static void tf32_on_device(void **state)
{
    (void)state;
    static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
    enum { COUNT = 48 * 16 };
    static float in[COUNT], out[COUNT];
    uint32_t seed = 3;
    struct text source = {0};

    for (int i = 0; i < COUNT; i++) {
        uint32_t bits = oracle_random(&seed);
        if (i % 3 == 0)
            bits = (bits & 0xffffe000) | 0x1000; /* ties */
        if (i % 16 == 5)
            bits |= 0x7f800000; /* infinities and NaNs */
        if (i % 16 == 6)
            bits &= 0x807fffff; /* denormals */
        if (i < 4)
            bits = (const uint32_t[]){0x7f800000, 0xff800000, 0x7f800001, 0x7f7fffff}[i];
        memcpy(&in[i], &bits, 4);
    }
    for (int i = 0; i < 6; i++) {
        unsigned w = widths[i];
        char suffix[12] = "";
        if (w > 1)
            snprintf(suffix, sizeof(suffix), "%u", w);
        text_add(&source,
                 "kernel void k%u(global const float *in, global float *out)\n"
                 "{\n    size_t i = get_global_id(0);\n",
                 w);
        if (w == 1)
            text_add(&source, "    out[i] = intel_convert_tfloat32_as_float(in[i]);\n}\n");
        else
            text_add(&source, "    vstore%s(intel_convert_tfloat32%s_as_float%s(vload%s(i, in)), i, out);\n}\n", suffix, suffix, suffix,
                     suffix);
    }
    cl_program program = device_build(&device, source.at, "");
    free(source.at);
    if (!program)
        fprintf(stderr, "%s\n", device.log);
    assert_non_null(program);
    for (int i = 0; i < 6; i++) {
        char kernel[16];
        const struct device_arg args[] = {{sizeof(in), in, NULL}, {sizeof(out), NULL, out}};
        memset(out, 0xee, sizeof(out));
        snprintf(kernel, sizeof(kernel), "k%u", widths[i]);
        assert_int_equal(device_run(&device, program, kernel, COUNT / widths[i], 16, args, 2), CL_SUCCESS);
        for (int j = 0; j < COUNT; j++) {
            uint32_t got, want;
            float r = rounded(in[j]);
            memcpy(&got, &out[j], 4);
            memcpy(&want, &r, 4);
            assert_int_equal(got & 0x1fff, 0);
            if (isnan(in[j]))
                assert_true(isnan(out[j]));
            else
                assert_int_equal(got, want);
        }
    }
    clReleaseProgram(program);
}

static int open_device(void **state)
{
    (void)state;
    device_open(&device);
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    device_close(&device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic)};
    const struct CMUnitTest device_tests[] = {cmocka_unit_test(madw_on_device), cmocka_unit_test(tf32_on_device)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + cmocka_run_group_tests(device_tests, open_device, close_device);
}
