/* SPDX-License-Identifier: Apache-2.0
 * 2D blocks, a work-item at a time. */
#include "block2d.h"

/* ---- one element ------------------------------------------------------------------------------------------------------------------- */

/* Address of the element, or NULL outside of the matrix. */
INLINE const global uchar *place(REGION, long row, long column, uint size)
{
    bool inside = row >= 0 && row < height && column >= 0 && (column + 1) * size <= width;
    return inside ? (const global uchar *)base + row * pitch + column * size : 0;
}

INLINE uint element(REGION, long row, long column, uint size)
{
    const global uchar *p = place(IN_REGION, row, column, size);
    uint bits = 0;
    for (uint i = 0; p && i < size; i++)
        bits |= (uint)p[i] << 8 * i;
    return bits;
}

INLINE void set_element(REGION, long row, long column, uint size, uint bits)
{
    global uchar *p = (global uchar *)place(IN_REGION, row, column, size);
    for (uint i = 0; p && i < size; i++)
        p[i] = (uchar)(bits >> 8 * i);
}

/* ---- blocks ----------------------------------------------------------------------------------------------------------------------- */

/* Row and column, within the block, of element p in the i-th value of lane l. */
INLINE int2 position(uint layout, uint rows, uint columns, uint each, uint i, uint l, uint p)
{
    uint at = (i * TSR_BLOCK2D_LANES + l) * each, deep = rows / TSR_BLOCK2D_LANES;
    switch (layout) {
    case TSR_BLOCK2D_TRANSFORM:
        return (int2)((int)(i * each + p), (int)l);
    case TSR_BLOCK2D_TRANSPOSE:
        return (int2)((int)(l * deep + i % deep), (int)(i / deep));
    default:
        return (int2)((int)(at / columns), (int)(at % columns + p));
    }
}

#define READ(T, n)                                                                                                                         \
    READ_VALUES(T, n)                                                                                                                      \
    {                                                                                                                                      \
        VALUES_##n(T) r;                                                                                                                   \
        T *v = (T *)&r;                                                                                                                    \
        uint lane = __tsr_lane(), each = sizeof(T) * 8 / bits, block = n / blocks;                                                         \
        for (uint i = 0; i < n; i++) {                                                                                                     \
            uint made = 0;                                                                                                                 \
            for (uint p = 0; p < each; p++) {                                                                                              \
                int2 at = position(layout, rows, columns, each, i % block, lane, p);                                                       \
                long column = (long)x + i / block * columns + at.y;                                                                        \
                made |= at.x < (int)rows ? element(IN_REGION, (long)y + at.x, column, bits / 8) << bits * p : 0;                           \
            }                                                                                                                              \
            v[i] = (T)made;                                                                                                                \
        }                                                                                                                                  \
        return r;                                                                                                                          \
    }
EACH_READ(READ)

#define WRITE(T, n)                                                                                                                        \
    WRITE_VALUES(T, n)                                                                                                                     \
    {                                                                                                                                      \
        const T *v = (const T *)&values;                                                                                                   \
        uint each = sizeof(T) * 8 / bits;                                                                                                  \
        long column = x + (long)__tsr_lane() * each;                                                                                       \
        for (uint i = 0; i < n; i++)                                                                                                       \
            for (uint p = 0; p < each; p++)                                                                                                \
                set_element(IN_REGION, (long)y + i, column + p, bits / 8, (uint)v[i] >> bits * p);                                         \
    }
EACH_WRITE(WRITE)

void MEETS_APART __tsr_block2d_prefetch(REGION, int x, int y, uint rows, uint bytes)
{
    if (y >= 0 && y < height && x >= 0 && x < width)
        __builtin_prefetch((const void *)((const global uchar *)base + (long)y * pitch + x));
}
