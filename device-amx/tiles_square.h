/* SPDX-License-Identifier: Apache-2.0
 * Two tiles by two of C, through all steps of K, in AMX's registers. These have 16 rows of 64 bytes each, as the launch of a kernel with
 * TSR_KERNEL_AMX_TILES and whole tiles configures them; generated code keeps nothing in them where it calls. */
#ifndef TESSERA_CPU_TILES_SQUARE_H
#define TESSERA_CPU_TILES_SQUARE_H

#include <immintrin.h>

#include "device-amx/tiles.h"

/* CPUs with AMX have all of this. */
#define AMX __attribute__((target("amx-tile,amx-int8,amx-bf16,amx-fp16,avx512f,avx512bw,avx512vl,avx512vbmi")))

/* X(name, instruction) */
#define TSR__TILE_PRODUCTS(X)                                                                                                              \
    X(s8s8, _tile_dpbssd)                                                                                                                  \
    X(s8u8, _tile_dpbsud)                                                                                                                  \
    X(u8s8, _tile_dpbusd)                                                                                                                  \
    X(u8u8, _tile_dpbuud)                                                                                                                  \
    X(bf16, _tile_dpbf16ps)                                                                                                                \
    X(f16, _tile_dpfp16ps)

AMX INLINE void zero_sums(void)
{
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}

/* B comes past the first cache, where A is to stay. */
#define SQUARE(name, multiply)                                                                                                             \
    AMX INLINE void name##_square_inline(const struct tsr__tile_square *x)                                                                 \
    {                                                                                                                                      \
        const char *a = x->a, *b = x->b;                                                                                                   \
        const int64_t a_stride = x->a_stride, b_stride = x->b_stride, b_step = TSR_TILE_ROWS * b_stride;                                   \
        const bool down = x->rows > 1, right = !x->one_column;                                                                             \
        if (x->zero) {                                                                                                                     \
            zero_sums();                                                                                                                   \
        } else {                                                                                                                           \
            _tile_loadd(0, x->from[0][0].at, x->from[0][0].stride);                                                                        \
            if (right)                                                                                                                     \
                _tile_loadd(1, x->from[0][1].at, x->from[0][1].stride);                                                                    \
            if (down)                                                                                                                      \
                _tile_loadd(2, x->from[1][0].at, x->from[1][0].stride);                                                                    \
            if (down && right)                                                                                                             \
                _tile_loadd(3, x->from[1][1].at, x->from[1][1].stride);                                                                    \
        }                                                                                                                                  \
        _tile_stream_loadd(6, b, b_stride);                                                                                                \
        for (int64_t left = x->steps; left; left--, a += x->a_step) {                                                                      \
            _tile_loadd(4, a, a_stride);                                                                                                   \
            if (right)                                                                                                                     \
                _tile_stream_loadd(7, b + TSR_TILE_ROW_BYTES, b_stride);                                                                   \
            multiply(0, 4, 6);                                                                                                             \
            if (down)                                                                                                                      \
                _tile_loadd(5, a + x->a_next, a_stride);                                                                                   \
            if (right)                                                                                                                     \
                multiply(1, 4, 7);                                                                                                         \
            if (down)                                                                                                                      \
                multiply(2, 5, 6);                                                                                                         \
            b += b_step;                                                                                                                   \
            if (left > 1)                                                                                                                  \
                _tile_stream_loadd(6, b, b_stride);                                                                                        \
            if (down && right)                                                                                                             \
                multiply(3, 5, 7);                                                                                                         \
        }                                                                                                                                  \
        _tile_stored(0, x->to[0][0].at, x->to[0][0].stride);                                                                               \
        if (right)                                                                                                                         \
            _tile_stored(1, x->to[0][1].at, x->to[0][1].stride);                                                                           \
        if (down)                                                                                                                          \
            _tile_stored(2, x->to[1][0].at, x->to[1][0].stride);                                                                           \
        if (down && right)                                                                                                                 \
            _tile_stored(3, x->to[1][1].at, x->to[1][1].stride);                                                                           \
    }
TSR__TILE_PRODUCTS(SQUARE)
#undef SQUARE

#endif
