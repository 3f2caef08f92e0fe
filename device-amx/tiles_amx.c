/* SPDX-License-Identifier: Apache-2.0
 * Products in AMX's tile registers, for loops that the device runs. The registers have 16 rows of 64 bytes each, as the launch of a kernel
 * with TSR_KERNEL_AMX_TILES and without halves configures them; generated code keeps nothing in them where it calls. */
#include <immintrin.h>

#include "device-amx/tiles.h"

#define AMX __attribute__((target("amx-tile,amx-int8,amx-bf16,amx-fp16")))
#define INLINE __attribute__((always_inline)) static inline

enum { LINE = TSR_TILE_ROW_BYTES };

/* Two tiles under each other of A, in one piece, by two beside each other of B, with rows at `b_stride`, in each of `steps` steps. */
#define BLOCKS(name, multiply)                                                                                                             \
    AMX static void name##_block(const char *a, const char *b, int64_t b_stride, int64_t steps, const struct tsr__tile_rows to[2][2])      \
    {                                                                                                                                      \
        _tile_zero(0);                                                                                                                     \
        _tile_zero(1);                                                                                                                     \
        _tile_zero(2);                                                                                                                     \
        _tile_zero(3);                                                                                                                     \
        for (int64_t step = 0; step < steps; step++, a += 2 * TSR_TILE_BYTES, b += TSR_TILE_ROWS * b_stride) {                             \
            _tile_loadd(6, b, b_stride);                                                                                                   \
            _tile_loadd(4, a, LINE);                                                                                                       \
            multiply(0, 4, 6);                                                                                                             \
            _tile_loadd(7, b + LINE, b_stride);                                                                                            \
            multiply(1, 4, 7);                                                                                                             \
            _tile_loadd(5, a + TSR_TILE_BYTES, LINE);                                                                                      \
            multiply(2, 5, 6);                                                                                                             \
            multiply(3, 5, 7);                                                                                                             \
        }                                                                                                                                  \
        _tile_stored(0, to[0][0].at, to[0][0].stride);                                                                                     \
        _tile_stored(1, to[0][1].at, to[0][1].stride);                                                                                     \
        _tile_stored(2, to[1][0].at, to[1][0].stride);                                                                                     \
        _tile_stored(3, to[1][1].at, to[1][1].stride);                                                                                     \
    }                                                                                                                                      \
    AMX static void name##_one(void *c, const void *a, const void *b)                                                                      \
    {                                                                                                                                      \
        _tile_loadd(0, c, LINE);                                                                                                           \
        _tile_loadd(4, a, LINE);                                                                                                           \
        _tile_loadd(6, b, LINE);                                                                                                           \
        multiply(0, 4, 6);                                                                                                                 \
        _tile_stored(0, c, LINE);                                                                                                          \
    }
BLOCKS(s8s8, _tile_dpbssd)
BLOCKS(s8u8, _tile_dpbsud)
BLOCKS(u8s8, _tile_dpbusd)
BLOCKS(u8u8, _tile_dpbuud)
BLOCKS(bf16, _tile_dpbf16ps)
BLOCKS(f16, _tile_dpfp16ps)

static const struct {
    void (*block)(const char *a, const char *b, int64_t b_stride, int64_t steps, const struct tsr__tile_rows to[2][2]);
    void (*one)(void *c, const void *a, const void *b);
} of_product[] = {
    [TSR_TILE_S8S8] = {s8s8_block, s8s8_one}, [TSR_TILE_S8U8] = {s8u8_block, s8u8_one}, [TSR_TILE_U8S8] = {u8s8_block, u8s8_one},
    [TSR_TILE_U8U8] = {u8u8_block, u8u8_one}, [TSR_TILE_BF16] = {bf16_block, bf16_one}, [TSR_TILE_F16] = {f16_block, f16_one},
};

void tsr__tile_block_amx(const char *a, const char *b, int64_t b_stride, int64_t steps, const struct tsr__tile_rows to[2][2],
                         enum tsr_tile_product product)
{
    of_product[product].block(a, b, b_stride, steps, to);
}

void tsr__tile_multiply_amx(void *accumulator, const void *a, const void *b, enum tsr_tile_product product)
{
    of_product[product].one(accumulator, a, b);
}
