/* SPDX-License-Identifier: Apache-2.0
 * What a work-item gets and gives of a 2D block, element by element. */
#ifndef TESSERA_BUILTINS_BLOCK2D_ELEMENT_H
#define TESSERA_BUILTINS_BLOCK2D_ELEMENT_H

#include "block2d.h"

/* ---- one element ---- */

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

/* ---- blocks ---- */

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

/* Value i of block `block` in work-item `lane`, of `each` elements. */
INLINE uint value(REGION, int x, int y, uint layout, uint bits, uint rows, uint columns, uint each, uint block, uint i, uint lane)
{
    uint made = 0;
    for (uint p = 0; p < each; p++) {
        int2 at = position(layout, rows, columns, each, i, lane, p);
        long column = (long)x + block * columns + at.y;
        made |= at.x < (int)rows ? element(IN_REGION, (long)y + at.x, column, bits / 8) << bits * p : 0;
    }
    return made;
}

/* Writes the value of work-item `lane` in a row. */
INLINE void set_value(REGION, int x, long row, uint bits, uint each, uint lane, uint word)
{
    for (uint p = 0; p < each; p++)
        set_element(IN_REGION, row, x + (long)lane * each + p, bits / 8, word >> bits * p);
}

#endif
