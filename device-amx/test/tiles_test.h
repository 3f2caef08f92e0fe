/* SPDX-License-Identifier: Apache-2.0
 * Tiles of numbers at random, for the tests of their products, and what these must be. */
#ifndef TSR_DEVICE_AMX_TEST_TILES_TEST_H
#define TSR_DEVICE_AMX_TEST_TILES_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "device-amx/tiles.h"
#include "tessera/base.h"
#include "tessera/matrix_math.h"

enum { TILE = TSR_TILE_ROWS * TSR_TILE_ROW_BYTES };
typedef unsigned char tile[TILE] __attribute__((aligned(64)));
typedef unsigned char operand[TSR_TILE_OPERAND_BYTES] __attribute__((aligned(64)));

static uint32_t state = 1;

static uint32_t number(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* A byte of any number, denormals and infinities too; `tame`: of 16-bit numbers around one, `upper` their upper half. */
static unsigned char any_byte(bool tame, bool upper)
{
    uint32_t r = number();
    return (unsigned char)(tame && upper ? (r & 0x80) | (0x3e + (r >> 8) % 3) : r);
}

/* Numbers in a word of 32 bits. */
static unsigned numbers_in_word(enum tsr_tile_product product)
{
    return product == TSR_TILE_TF32 ? 1 : 2;
}

static float widened(const unsigned char *p, enum tsr_tile_product product)
{
    uint16_t half;
    if (product == TSR_TILE_TF32) {
        unsigned word;
        memcpy(&word, p, 4);
        return tsr_tf32_operand(word);
    }
    memcpy(&half, p, 2);
    if (product == TSR_TILE_F16) {
        _Float16 x;
        memcpy(&x, &half, 2);
        return (float)x;
    }
    uint32_t word = (uint32_t)half << 16;
    float x;
    memcpy(&x, &word, 4);
    return x;
}

/* One rounding for each product, in the order of K, which has `words` words. */
static void strictly(unsigned char *d, const unsigned char *a, const unsigned char *b, unsigned words, enum tsr_tile_product product)
{
    for (int r = 0; r < TSR_TILE_ROWS; r++)
        for (int n = 0; n < TSR__TILE_WORDS; n++) {
            unsigned char *to = d + r * TSR_TILE_ROW_BYTES + 4 * n;
            float sum;
            memcpy(&sum, to, 4);
            for (unsigned k = 0, all = numbers_in_word(product), bytes = 4 / all; k < all * words; k++)
                sum = fmaf(widened(a + r * TSR_TILE_ROW_BYTES + bytes * k, product),
                           widened(b + k / all * TSR_TILE_ROW_BYTES + 4 * n + k % all * bytes, product), sum);
            memcpy(to, &sum, 4);
        }
}

/* Does the CPU have it without AMX? */
static bool runs_in_vectors(enum tsr_tile_product product)
{
    return tsr_cpu_has(tsr_cpu(), product == TSR_TILE_BF16_PAIRS ? TSR_CPU_AVX512BF16 : TSR_CPU_TILES_VECTORS);
}

#endif
