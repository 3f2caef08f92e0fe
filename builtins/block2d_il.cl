/* SPDX-License-Identifier: Apache-2.0
 * The functions on 2D blocks over plain loads and stores, for GPUs that lack them, and prefetches, which are hints, for drivers that may
 * not know them: tessera_il_<name>. The compiler puts them in the place of calls (clc/service/il_units.c). */
#include "block2d_element.h"

/* The driver's. */
uint __attribute__((overloadable, convergent)) get_sub_group_local_id(void);

#define TSR_BLOCK2D_READ(name, layout, bits, rows, columns, blocks, T, n) READ_AS(name, layout, bits, rows, columns, blocks, T, n)
#define READ_AS(name, layout, bits, rows, columns, blocks, T, n)                                                                           \
    void CONVERGENT tessera_il_##name(global void *base, int width, int height, int pitch, int2 at, private T *out)                        \
    {                                                                                                                                      \
        uint lane = get_sub_group_local_id();                                                                                              \
        _Pragma("nounroll") for (uint i = 0; i < n; i++) out[i] =                                                                          \
            (T)value(IN_REGION, at.x, at.y, TSR_BLOCK2D_##layout, bits, rows, columns, sizeof(T) * 8 / bits, i / (n / blocks),             \
                     i % (n / blocks), lane);                                                                                              \
    }
#define TSR_BLOCK2D_WRITE(name, bits, rows, columns, T, n) WRITE_AS(name, bits, T, n)
#define WRITE_AS(name, bits, T, n)                                                                                                         \
    void CONVERGENT tessera_il_##name(global void *base, int width, int height, int pitch, int2 at, private T *values)                     \
    {                                                                                                                                      \
        uint lane = get_sub_group_local_id();                                                                                              \
        _Pragma("nounroll") for (uint i = 0; i < n; i++)                                                                                   \
            set_value(IN_REGION, at.x, (long)at.y + i, bits, sizeof(T) * 8 / bits, lane, values[i]);                                       \
    }
#define TSR_BLOCK2D_PREFETCH(name, bits, rows, columns, blocks) PREFETCH_AS(name)
#define PREFETCH_AS(name)                                                                                                                  \
    void CONVERGENT tessera_il_##name(global void *base, int width, int height, int pitch, int2 at)                                        \
    {                                                                                                                                      \
    }
#include "tessera/block2d.def"

#define PREFETCH(N, T, suffix)                                                                                                             \
    void CONVERGENT tessera_il_intel_sub_group_block_prefetch##suffix##N(const global T *p)                                                \
    {                                                                                                                                      \
    }
#define PREFETCHES(T, suffix) PREFETCH(, T, suffix) PREFETCH(2, T, suffix) PREFETCH(4, T, suffix) PREFETCH(8, T, suffix)
PREFETCHES(uchar, _uc)
PREFETCH(16, uchar, _uc)
PREFETCHES(ushort, _us)
PREFETCH(16, ushort, _us)
PREFETCHES(uint, _ui)
PREFETCHES(ulong, _ul)
