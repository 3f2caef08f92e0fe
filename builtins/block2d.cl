/* SPDX-License-Identifier: Apache-2.0
 * cl_intel_subgroup_2d_block_io and cl_intel_subgroup_buffer_prefetch (docs/matrix.md). */
#include "block2d.h"

#define TSR_BLOCK2D_READ(name, layout, bits, rows, columns, blocks, T, n)                                                                  \
    void CONVERGENT name(global void *base, int width, int height, int pitch, int2 at, private T *out)                                     \
    {                                                                                                                                      \
        VALUES_##n(T) v =                                                                                                                  \
            __tsr_block2d_read_##T##n(IN_REGION, at.x, at.y, TSR_BLOCK2D_##layout, bits, rows, columns, blocks);                           \
        const T *from = (const T *)&v;                                                                                                     \
        _Pragma("unroll") for (uint i = 0; i < n; i++) out[i] = from[i];                                                                   \
    }
#include "tessera/block2d.def"

#define TSR_BLOCK2D_WRITE(name, bits, rows, columns, T, n)                                                                                 \
    void CONVERGENT name(global void *base, int width, int height, int pitch, int2 at, private T *values)                                  \
    {                                                                                                                                      \
        VALUES_##n(T) v;                                                                                                                   \
        T *to = (T *)&v;                                                                                                                   \
        _Pragma("unroll") for (uint i = 0; i < n; i++) to[i] = values[i];                                                                  \
        __tsr_block2d_write_##T##n(IN_REGION, at.x, at.y, bits, __tsr_sub_group_size(), v);                                                \
    }
#include "tessera/block2d.def"

#define TSR_BLOCK2D_PREFETCH(name, bits, rows, columns, blocks)                                                                            \
    void CONVERGENT name(global void *base, int width, int height, int pitch, int2 at)                                                     \
    {                                                                                                                                      \
        __tsr_block2d_prefetch(IN_REGION, at.x * (bits / 8), at.y, rows, columns * blocks * bits / 8);                                                       \
    }
#include "tessera/block2d.def"

/* A block of one row that begins at p. */
#define PREFETCH(N, T, suffix)                                                                                                             \
    void CONVERGENT intel_sub_group_block_prefetch##suffix##N(const global T *p)                                                           \
    {                                                                                                                                      \
        int bytes = (int)(__tsr_max_sub_group_size() * sizeof(T##N));                                                                      \
        __tsr_block2d_prefetch(p, bytes, 1, bytes, 0, 0, 1, (uint)bytes);                                                               \
    }
#define PREFETCHES(T, suffix) PREFETCH(, T, suffix) PREFETCH(2, T, suffix) PREFETCH(4, T, suffix) PREFETCH(8, T, suffix)
PREFETCHES(uchar, _uc)
PREFETCH(16, uchar, _uc)
PREFETCHES(ushort, _us)
PREFETCH(16, ushort, _us)
PREFETCHES(uint, _ui)
PREFETCHES(ulong, _ul)
