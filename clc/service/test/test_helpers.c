/* SPDX-License-Identifier: Apache-2.0
 * The functions for CPUs that lack an instruction, against libm and the compiler's own conversions. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The file itself, under other names. */
#define trunc helper_trunc
#define floor helper_floor
#define ceil helper_ceil
#define round helper_round
#define rint helper_rint
#define nearbyint helper_nearbyint
#define roundeven helper_roundeven
#define truncf helper_truncf
#define floorf helper_floorf
#define ceilf helper_ceilf
#define roundf helper_roundf
#define rintf helper_rintf
#define nearbyintf helper_nearbyintf
#define roundevenf helper_roundevenf
#define fma helper_fma
#define fmaf helper_fmaf
#define fmod helper_fmod
#define fmodf helper_fmodf
#define __truncdfhf2 helper_truncdfhf2
#define __truncsfhf2 helper_truncsfhf2
#define __extendhfsf2 helper_extendhfsf2
#include "clc/service/helpers/helpers.c"
#undef trunc
#undef floor
#undef ceil
#undef round
#undef rint
#undef fma
#undef fmaf
#undef fmod
#undef fmodf

enum { ROUNDS = 300000 };

static uint64_t next(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static const double corners[] = {0.0,
                                 -0.0,
                                 0.5,
                                 -0.5,
                                 1.5,
                                 2.5,
                                 -2.5,
                                 0x1p52,
                                 0x1p53 - 1,
                                 0x1.fffffffffffffp51,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 0x1p-1074,
                                 0x1p-1022,
                                 0x1.fffffffffffffp1023,
                                 0x1p-126,
                                 0x1p-149,
                                 0x1.fffffep127,
                                 65504.0,
                                 65519.999,
                                 65520.0,
                                 0x1p-24,
                                 0x1p-25,
                                 0x1.8p-25,
                                 0x1p-14,
                                 3.0,
                                 10.0,
                                 -7.25};
enum { CORNERS = sizeof corners / sizeof corners[0] };

/* Corner cases, any bits, and numbers of like size, where sums cancel. */
static double pick(void)
{
    uint64_t r = next();
    if (r % 4 == 0)
        return corners[r / 4 % CORNERS];
    if (r % 4 == 1)
        return of_bits(next());
    uint64_t e = 1023 - 30 + r / 8 % 60;
    return of_bits((next() & ~(0x7ffull << 52)) | e << 52);
}

static void same(double got, double expected, const char *what, double x, double y, double z)
{
    if (isnan(got) && isnan(expected))
        return;
    if (bits_of(got) != bits_of(expected))
        fail_msg("%s(%a, %a, %a) = %a, not %a", what, x, y, z, got, expected);
}

static void rounding(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        double x = pick();
        same(helper_trunc(x), trunc(x), "trunc", x, 0, 0);
        same(helper_floor(x), floor(x), "floor", x, 0, 0);
        same(helper_ceil(x), ceil(x), "ceil", x, 0, 0);
        same(helper_round(x), round(x), "round", x, 0, 0);
        same(helper_rint(x), rint(x), "rint", x, 0, 0);
    }
}

static void multiply_add(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        double x = pick(), y = pick(), z = i % 3 ? pick() : -(x * y) * (1 + (double)(next() % 5) * 0x1p-52);
        same(helper_fma(x, y, z), fma(x, y, z), "fma", x, y, z);
        float xf = (float)x, yf = (float)y, zf = (float)z;
        same(helper_fmaf(xf, yf, zf), fmaf(xf, yf, zf), "fmaf", xf, yf, zf);
    }
}

static void remainder_of_division(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS / 10; i++) {
        double x = pick(), y = pick();
        same(helper_fmod(x, y), fmod(x, y), "fmod", x, y, 0);
        same(helper_fmodf((float)x, (float)y), fmodf((float)x, (float)y), "fmodf", (float)x, (float)y, 0);
    }
}

static void halves(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 65536; h++) {
        uint16_t in = (uint16_t)h, back;
        _Float16 x, y;
        memcpy(&x, &in, 2);
        float wide_value = helper_extendhfsf2(x);
        same(wide_value, (float)x, "extend", h, 0, 0);
        y = helper_truncsfhf2(wide_value);
        memcpy(&back, &y, 2);
        if (wide_value == wide_value && back != in)
            fail_msg("half %x comes back as %x", in, back);
    }
    for (int i = 0; i < ROUNDS; i++) {
        double x = pick();
        same((double)helper_truncdfhf2(x), (double)(_Float16)x, "trunc from double", x, 0, 0);
        same((double)helper_truncsfhf2((float)x), (double)(_Float16)(float)x, "trunc from float", (float)x, 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounding), cmocka_unit_test(multiply_add), cmocka_unit_test(remainder_of_division),
                                       cmocka_unit_test(halves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
