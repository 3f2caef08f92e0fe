/* SPDX-License-Identifier: Apache-2.0
 * Products of tiles in plain C, bit by bit as AMX and VDPBF16PS give them: for tests on machines without these. */
#include <math.h>
#include <string.h>

#include "device-amx/tiles.h"

void tsr__tile_move(struct tsr_item *item, void *to, int64_t to_stride, const void *from, int64_t from_stride)
{
    (void)item;
    for (int64_t r = 0; r < TSR_TILE_ROWS; r++)
        memmove((char *)to + r * to_stride, (const char *)from + r * from_stride, TSR_TILE_ROW_BYTES);
}

static int32_t byte_at(const unsigned char *p, bool is_signed)
{
    return is_signed ? (int32_t)(signed char)*p : (int32_t)*p;
}

static void integers(int32_t *d, const unsigned char *a, const unsigned char *b, int rows, int words, bool a_signed, bool b_signed)
{
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < TSR__TILE_WORDS; n++)
            for (int k = 0; k < 4 * words; k++) {
                int32_t x = byte_at(a + r * TSR_TILE_ROW_BYTES + k, a_signed);
                int32_t y = byte_at(b + k / 4 * TSR_TILE_ROW_BYTES + n * 4 + k % 4, b_signed);
                d[r * TSR__TILE_WORDS + n] = (int32_t)((uint32_t)d[r * TSR__TILE_WORDS + n] + (uint32_t)(x * y));
            }
}

static float flushed(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static float from_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return flushed(x);
}

static float from_f16(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float x = exponent == 31 ? (fraction ? NAN : INFINITY)
              : exponent     ? ldexpf((float)(fraction | 1024), exponent - 25)
                             : ldexpf((float)fraction, -24);
    return bits >> 15 ? -x : x;
}

/* Even and odd elements of K are summed apart, then together, and added to C at last. */
static void numbers(float *d, const uint16_t *a, const uint16_t *b, int rows, int words, float (*wide)(uint16_t))
{
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < TSR__TILE_WORDS; n++) {
            float sum[2] = {0, 0}, *to = &d[r * TSR__TILE_WORDS + n];
            for (int k = 0; k < 2 * words; k++) {
                float x = wide(a[r * 2 * TSR__TILE_WORDS + k]), y = wide(b[(k / 2 * TSR__TILE_WORDS + n) * 2 + k % 2]);
                sum[k % 2] = flushed(fmaf(x, y, sum[k % 2]));
            }
            *to = flushed(flushed(*to) + flushed(sum[0] + sum[1]));
        }
}

/* c + x · y with one rounding; zero if that is less than the smallest normal number, rounded as if there were smaller exponents. */
static float added(float c, float x, float y)
{
    double exact = (double)x * (double)y + (double)c; /* where it decides */
    float sum = fmaf(x, y, c);
    return fabs(exact) < 0x1p-126 - 0x1p-151 ? copysignf(0, sum) : sum;
}

/* One rounding for each product, the odd one of a pair first; denormals count as zero wherever they come up. */
static void pairs(float *d, const uint16_t *a, const uint16_t *b, int rows, int words)
{
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < TSR__TILE_WORDS; n++) {
            float sum = flushed(d[r * TSR__TILE_WORDS + n]);
            for (int i = 0; i < 2 * words; i++) {
                int k = i ^ 1;
                sum = added(sum, from_bf16(a[r * 2 * TSR__TILE_WORDS + k]), from_bf16(b[(k / 2 * TSR__TILE_WORDS + n) * 2 + k % 2]));
            }
            d[r * TSR__TILE_WORDS + n] = sum;
        }
}

void tsr__tile_multiply_model(void *accumulator, const void *a, const void *b, uint32_t how)
{
    enum tsr_tile_product product = how & TSR_TILE_PRODUCT;
    int rows = how & TSR_TILE_EIGHT_ROWS ? TSR_TILE_ROWS / 2 : TSR_TILE_ROWS,
        words = how & TSR_TILE_HALF_K ? TSR__TILE_WORDS / 2 : TSR__TILE_WORDS;
    if (product == TSR_TILE_BF16_PAIRS)
        pairs(accumulator, a, b, rows, words);
    else if (product == TSR_TILE_BF16 || product == TSR_TILE_F16)
        numbers(accumulator, a, b, rows, words, product == TSR_TILE_BF16 ? from_bf16 : from_f16);
    else
        integers(accumulator, a, b, rows, words, tsr__a_is_signed(product), tsr__b_is_signed(product));
}

void tsr__tile_operand(struct tsr_item *item, void *operand, const void *from, int64_t stride, uint32_t how)
{
    (void)item;
    if (!(how & TSR_TILE_IN_MODEL)) {
        tsr__tile_operand_vectors(operand, from, stride, how);
        return;
    }
    bool is_b = how & TSR_TILE_IS_B, half = how & TSR_TILE_HALF_K, few = is_b ? half : how & TSR_TILE_EIGHT_ROWS;
    size_t bytes = half && !is_b ? TSR_TILE_ROW_BYTES / 2 : TSR_TILE_ROW_BYTES;
    for (int64_t r = 0, rows = few ? TSR_TILE_ROWS / 2 : TSR_TILE_ROWS; r < rows; r++)
        memmove((char *)operand + r * TSR_TILE_ROW_BYTES, (const char *)from + r * stride, bytes);
}

void tsr__tile_multiply(struct tsr_item *item, void *accumulator, const void *a, const void *b, uint32_t how)
{
    (void)item;
    if (how & TSR_TILE_IN_MODEL)
        tsr__tile_multiply_model(accumulator, a, b, how);
    else
        tsr__tile_multiply_vectors(accumulator, a, b, how & TSR_TILE_PRODUCT);
}
