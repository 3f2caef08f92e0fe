/* SPDX-License-Identifier: Apache-2.0
 * How the functions of block2d.def arrange the elements of a block over a sub-group, for C and for OpenCL C. */
#ifndef TESSERA_BLOCK2D_H
#define TESSERA_BLOCK2D_H

/* Every function works on sub-groups of this size. */
#define TSR_BLOCK2D_LANES 16

/* A value of a work-item is made of 1, 2 or 4 elements, the first in the lowest bits. Of each block the work-item l gets */
enum tsr_block2d_layout {
    TSR_BLOCK2D_PLAIN,     /* the values of the rows one after the other, where value i·16 + l is its i-th */
    TSR_BLOCK2D_TRANSFORM, /* column l: as many neighbours in it as 32 bits hold are a value */
    TSR_BLOCK2D_TRANSPOSE, /* its rows (row l, or rows 2l and 2l + 1 of 32) column by column */
};

#endif
