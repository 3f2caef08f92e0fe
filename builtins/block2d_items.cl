/* SPDX-License-Identifier: Apache-2.0
 * 2D blocks, a work-item at a time. */
#include "block2d_element.h"

#define READ(T, n)                                                                                                                         \
    READ_VALUES(T, n)                                                                                                                      \
    {                                                                                                                                      \
        VALUES_##n(T) r;                                                                                                                   \
        T *v = (T *)&r;                                                                                                                    \
        uint lane = __tsr_lane();                                                                                                          \
        for (uint i = 0; i < n; i++)                                                                                                       \
            v[i] = (T)value(IN_REGION, x, y, layout, bits, rows, columns, sizeof(T) * 8 / bits, i / (n / blocks), i % (n / blocks), lane);  \
        return r;                                                                                                                          \
    }
EACH_READ(READ)

#define WRITE(T, n)                                                                                                                        \
    WRITE_VALUES(T, n)                                                                                                                     \
    {                                                                                                                                      \
        const T *v = (const T *)&values;                                                                                                   \
        for (uint i = 0; i < n; i++)                                                                                                       \
            set_value(IN_REGION, x, (long)y + i, bits, sizeof(T) * 8 / bits, __tsr_lane(), v[i]);                                          \
    }
EACH_WRITE(WRITE)

void MEETS_APART __tsr_block2d_prefetch(REGION, int x, int y, uint rows, uint bytes)
{
    if (y >= 0 && y < height && x >= 0 && x < width)
        __builtin_prefetch((const void *)((const global uchar *)base + (long)y * pitch + x));
}
