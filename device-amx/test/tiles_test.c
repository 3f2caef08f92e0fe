/* SPDX-License-Identifier: Apache-2.0
 * Products of tiles: the plain-C model against AMX itself where there is one, and AVX-512's way against plain C in the strict order
 * and VDPBF16PS against its model. */
#include <immintrin.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tiles_test.h"

enum { ROUNDS = 200 };

static void fill(unsigned char *t, bool tame)
{
    for (int i = 0; i < TILE; i++)
        t[i] = any_byte(tame, i % 2);
}

static void fill_accumulator(unsigned char *t, enum tsr_tile_product product)
{
    for (int i = 0; i < TILE / 4; i++) {
        float f = (float)(int)(number() % 2000) - 1000;
        uint32_t word = number() * 2654435761u;
        if (product >= TSR_TILE_BF16)
            memcpy(&word, &f, 4);
        memcpy(t + 4 * i, &word, 4);
    }
}

__attribute__((target("amx-tile,amx-int8,amx-bf16,amx-fp16"), noinline)) static void by_amx(unsigned char *d, const unsigned char *a,
                                                                                            const unsigned char *b, uint32_t how)
{
    bool half = how & TSR_TILE_HALF_K;
    struct {
        uint8_t palette, start, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape = {1, 0, {0}, {64, half ? 32 : 64, 64}, {16, 16, half ? 8 : 16}};
    _tile_loadconfig(&shape);
    _tile_loadd(0, d, TSR_TILE_ROW_BYTES);
    _tile_loadd(1, a, TSR_TILE_ROW_BYTES);
    _tile_loadd(2, b, TSR_TILE_ROW_BYTES);
    switch ((enum tsr_tile_product)(how & TSR_TILE_PRODUCT)) {
    case TSR_TILE_S8S8:
        _tile_dpbssd(0, 1, 2);
        break;
    case TSR_TILE_S8U8:
        _tile_dpbsud(0, 1, 2);
        break;
    case TSR_TILE_U8S8:
        _tile_dpbusd(0, 1, 2);
        break;
    case TSR_TILE_U8U8:
        _tile_dpbuud(0, 1, 2);
        break;
    case TSR_TILE_F16:
        _tile_dpfp16ps(0, 1, 2);
        break;
    default:
        _tile_dpbf16ps(0, 1, 2);
    }
    _tile_stored(0, d, TSR_TILE_ROW_BYTES);
    _tile_release();
}

/* A NaN is a NaN. */
static void assert_same(const unsigned char *x, const unsigned char *y, bool numbers)
{
    for (int i = 0; i < TILE; i += 4) {
        float f, g;
        memcpy(&f, x + i, 4);
        memcpy(&g, y + i, 4);
        if (!numbers || !isnan(f) || !isnan(g))
            assert_memory_equal(x + i, y + i, 4);
    }
}

static void model_is_amx(void **unused)
{
    (void)unused;
    if (!tsr_cpu_has(tsr_cpu(), TSR_CPU_AMX_INT8) || !tsr_cpu_has(tsr_cpu(), TSR_CPU_AMX_BF16) || !tsr_cpu_request_amx())
        skip();
    enum tsr_tile_product last = tsr_cpu_has(tsr_cpu(), TSR_CPU_AMX_FP16) ? TSR_TILE_F16 : TSR_TILE_BF16;
    for (int round = 0; round < ROUNDS; round++)
        for (enum tsr_tile_product product = TSR_TILE_S8S8; product <= last; product++) {
            tile a, b, d, e;
            uint32_t how = product | (round % 4 / 2 ? TSR_TILE_HALF_K : 0);
            fill(a, round % 2);
            fill(b, round % 2);
            fill_accumulator(d, product);
            memcpy(e, d, TILE);
            by_amx(d, a, b, how);
            tsr__tile_multiply_model(e, a, b, how);
            assert_same(d, e, product >= TSR_TILE_BF16);
        }
}

/* Every finite half, the denormal ones too, with any accumulator that is a sum of such products: the model keeps the bound of products in
 * any order. Denormal accumulators count as zero. */
static void halves_keep_the_bound(void **unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        tile a, b, d, e;
        for (int i = 0; i < TILE; i += 2) {
            uint16_t x = (uint16_t)number(), y = (uint16_t)number();
            x = (x & 0x7c00) == 0x7c00 ? 0x0001 : x;
            y = (y & 0x7c00) == 0x7c00 ? 0x83ff : round % 2 ? y & 0x83ff : y;
            memcpy(a + i, &x, 2);
            memcpy(b + i, &y, 2);
        }
        fill_accumulator(d, TSR_TILE_F16);
        memset(d, 0x00, 64);
        memset(d, 0x7f, 2); /* a denormal number */
        memcpy(e, d, TILE);
        tsr__tile_multiply_model(d, a, b, TSR_TILE_F16);
        for (int r = 0; r < TSR_TILE_ROWS; r++)
            for (int n = 0; n < TSR__TILE_WORDS; n++) {
                float c, got;
                memcpy(&c, e + r * TSR_TILE_ROW_BYTES + 4 * n, 4);
                memcpy(&got, d + r * TSR_TILE_ROW_BYTES + 4 * n, 4);
                double exact = (double)c, magnitude = fabs(exact);
                for (int k = 0; k < 2 * TSR__TILE_WORDS; k++) {
                    double product = (double)widened(a + r * TSR_TILE_ROW_BYTES + 2 * k, TSR_TILE_F16) *
                                     (double)widened(b + k / 2 * TSR_TILE_ROW_BYTES + 4 * n + k % 2 * 2, TSR_TILE_F16);
                    exact += product;
                    magnitude += fabs(product);
                }
                assert_true(fabs((double)got - exact) <= 32 * 0x1p-23 * magnitude);
            }
    }
    tile a = {0}, b = {0}, d = {0};
    a[0] = 1; /* 2^-24 */
    b[1] = 0x3c;
    d[64] = 1;
    tsr__tile_multiply_model(d, a, b, TSR_TILE_F16);
    float first, second;
    memcpy(&first, d, 4);
    memcpy(&second, d + 64, 4);
    assert_true(first == 0x1p-24f);
    assert_true(second == 0);
}

/* A half in units of 2^-24, which all finite ones are multiples of. */
static int64_t units_of(uint16_t half)
{
    int64_t fraction = half & 1023, exponent = half >> 10 & 31, units = exponent ? (fraction | 1024) << (exponent - 1) : fraction;
    return half >> 15 ? -units : units;
}

/* To 24 bits, to nearest even. */
static __int128 rounded(__int128 x)
{
    __int128 size = x < 0 ? -x : x;
    int drop = 0;
    while (size >> drop >> 24)
        drop++;
    __int128 unit = (__int128)1 << drop, rest = size & (unit - 1), down = size - rest;
    bool up = drop && (rest > unit / 2 || (rest == unit / 2 && down >> drop & 1));
    size = down + (up ? unit : 0);
    return x < 0 ? -size : size;
}

/* Of its own: the model's is what is tested. */
static float without_denormals(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* One element by TDPFP16PS, as Intel documents it: even and odd products are summed apart with one rounding for each, which none of
 * these sums can leave the range of normal floats by; then the two, and at last C. Denormal halves count, denormal floats do not. */
static float by_tdpfp16ps(float c, const unsigned char *row, const unsigned char *column)
{
    __int128 sum[2] = {0, 0}; /* in units of 2^-48 */
    double special = 0;       /* what infinities and NaNs make of them */
    for (int k = 0; k < 2 * TSR__TILE_WORDS; k++) {
        const unsigned char *in_column = column + k / 2 * TSR_TILE_ROW_BYTES + k % 2 * 2;
        uint16_t x, y;
        memcpy(&x, row + 2 * k, 2);
        memcpy(&y, in_column, 2);
        if ((x & 0x7c00) == 0x7c00 || (y & 0x7c00) == 0x7c00)
            special += (double)widened(row + 2 * k, TSR_TILE_F16) * (double)widened(in_column, TSR_TILE_F16);
        else
            sum[k % 2] = rounded(sum[k % 2] + (__int128)units_of(x) * units_of(y));
    }
    float both = special == 0 ? (float)((double)rounded(sum[0] + sum[1]) * 0x1p-48) : (float)special;
    return without_denormals(without_denormals(c) + both);
}

/* Halves and accumulators of all kinds, bit by bit. */
static void halves_as_documented(void **unused)
{
    static const uint16_t halves[] = {0, 0x8000, 1, 0x83ff, 0x0400, 0x3c00, 0xbc01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01};
    static const uint32_t floats[] = {0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00001};
    enum { FINITE = 9, COUNT = sizeof(halves) / sizeof(halves[0]), FLOATS = sizeof(floats) / sizeof(floats[0]) };
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        tile a, b, d, e;
        /* Any bits; halves that are not too large, so that roundings count; special ones, finite or, seldom, not. */
        for (int i = 0; i < TILE; i += 2)
            for (int of_b = 0; of_b < 2; of_b++) {
                uint16_t x = (uint16_t)number();
                if (round % 3 == 1)
                    x &= 0xbfff;
                if (round % 3 == 2)
                    x = halves[number() % (number() % 64 ? FINITE : COUNT)];
                memcpy((of_b ? b : a) + i, &x, 2);
            }
        fill_accumulator(d, TSR_TILE_F16);
        for (int i = 0; i < TILE; i += 4)
            if (round & 1)
                memcpy(d + i, &floats[number() % FLOATS], 4);
        for (int i = 0; i < TILE; i += 4) {
            float c;
            memcpy(&c, d + i, 4);
            c = by_tdpfp16ps(c, a + i / TSR_TILE_ROW_BYTES * TSR_TILE_ROW_BYTES, b + i % TSR_TILE_ROW_BYTES);
            memcpy(e + i, &c, 4);
        }
        tsr__tile_multiply_model(d, a, b, TSR_TILE_F16);
        assert_same(d, e, true);
    }
}

static void vectors_are_strict(void **unused)
{
    (void)unused;
    if (!runs_in_vectors(TSR_TILE_F16))
        skip();
    for (int round = 0; round < ROUNDS; round++)
        for (enum tsr_tile_product product = TSR_TILE_S8S8; product <= TSR_TILE_TF32; product++) {
            tile a, b, d, e;
            if (product == TSR_TILE_BF16_PAIRS)
                continue;
            operand x, y;
            fill(a, round % 2);
            fill(b, round % 2);
            fill_accumulator(d, product);
            memcpy(e, d, TILE);
            tsr__tile_operand(NULL, x, a, TSR_TILE_ROW_BYTES, product);
            tsr__tile_operand(NULL, y, b, TSR_TILE_ROW_BYTES, product | TSR_TILE_IS_B);
            tsr__tile_multiply(NULL, d, x, y, product);
            if (product >= TSR_TILE_BF16)
                strictly(e, a, b, TSR__TILE_WORDS, product);
            else
                tsr__tile_multiply_model(e, a, b, product);
            assert_same(d, e, product >= TSR_TILE_BF16);
        }
}

/* Numbers whose products lie about the smallest normal one, as the accumulators do. */
static void fill_small(unsigned char *a, unsigned char *b, unsigned char *d)
{
    for (int i = 0; i < TILE; i += 2) {
        uint16_t x = (uint16_t)((number() & 0x807f) | (20 + number() % 30) << 7),
                 y = (uint16_t)((number() & 0x807f) | (80 + number() % 3) << 7);
        memcpy(a + i, &x, 2);
        memcpy(b + i, &y, 2);
    }
    for (int i = 0; i < TILE; i += 4) {
        uint32_t z = (number() & 1) << 31 | (number() % 3) << 23 | (number() % 4 ? 0 : number() % 3);
        memcpy(d + i, &z, 4);
    }
}

/* VDPBF16PS, on CPUs too where it is slow and not used. */
static void pairs_are_the_model(void **unused)
{
    enum { TAME, ANY, SMALL, KINDS };
    (void)unused;
    if (!runs_in_vectors(TSR_TILE_BF16_PAIRS))
        skip();
    for (int round = 0; round < KINDS * ROUNDS; round++) {
        tile a, b, d, e;
        operand x, y;
        fill(a, round % KINDS == TAME);
        fill(b, round % KINDS == TAME);
        fill_accumulator(d, TSR_TILE_BF16);
        if (round % KINDS == SMALL)
            fill_small(a, b, d);
        memcpy(e, d, TILE);
        tsr__tile_operand(NULL, x, a, TSR_TILE_ROW_BYTES, TSR_TILE_BF16_PAIRS);
        tsr__tile_operand(NULL, y, b, TSR_TILE_ROW_BYTES, TSR_TILE_BF16_PAIRS | TSR_TILE_IS_B);
        tsr__tile_multiply(NULL, d, x, y, TSR_TILE_BF16_PAIRS);
        tsr__tile_multiply_model(e, a, b, TSR_TILE_BF16_PAIRS);
        assert_same(d, e, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(model_is_amx), cmocka_unit_test(halves_keep_the_bound),
                                       cmocka_unit_test(halves_as_documented), cmocka_unit_test(vectors_are_strict),
                                       cmocka_unit_test(pairs_are_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
