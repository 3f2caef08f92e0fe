/* SPDX-License-Identifier: Apache-2.0
 * Tiles of numbers at random, for the tests of their products. */
#ifndef TSR_DEVICE_AMX_TEST_TILES_TEST_H
#define TSR_DEVICE_AMX_TEST_TILES_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "device-amx/tiles.h"

enum { TILE = TSR__TILE_ROWS * TSR__TILE_BYTES };
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

#endif
