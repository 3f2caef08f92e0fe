// SPDX-License-Identifier: Apache-2.0
// kernel: matrix_transposed_blocks
// global: 64 4
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: cl_intel_subgroup_2d_block_io
// options: -cl-std=CL3.0 -D BEGIN=0
// options: -cl-std=CL3.0 -D BEGIN=bias[min(column+lane,size[1]-1)]
// options: -cl-std=CL3.0 -D BEGIN=(column+lane<size[1]?bias[column+lane]:0)
// options: -cl-std=CL3.0 -D BEGIN=0 -D PLAIN_A
// buffer: int 4096 = 0
// buffer: char 16384 = i*40503%251-125
// buffer: char 16384 = i*40503*257%247-123
// buffer: int 64 = i*1001-30000
// buffer: int 4 = 61 51 148 192
// expect: 0 = 1

/* B by columns, which 2D reads transpose: rows of columns beyond the last one and words beyond K's end are zero. Sums begin with a bias that is
 * loaded in one way or another, the same for all rows. */
enum { ROWS = 2, M = 8, STEP = 32, WIDTH = 64 };

kernel __attribute__((intel_reqd_sub_group_size(16))) void matrix_transposed_blocks(global int *ok, global char *a, global char *b, global const int *bias, global const int *size)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * ROWS * M, column = get_group_id(0) * 16;
    const int m = size[0], n = size[1], deep = size[2], pitch = size[3];
    int8 sum[ROWS];
    for (int i = 0; i < ROWS; i++)
        sum[i] = BEGIN;
    for (int k = 0; k < deep; k += STEP) {
        short8 x[ROWS];
        int8 y;
        for (int i = 0; i < ROWS; i++)
#ifdef PLAIN_A
            for (int r = 0; r < M; r++)
                ((private short *)&x[i])[r] = *(global const short *)(a + (row + i * M + r) * pitch + k + 2 * lane);
#else
            intel_sub_group_2d_block_read_8b_8r32x1c(a, deep, m, pitch, (int2)(k, row + i * M), (private ushort *)&x[i]);
#endif
        intel_sub_group_2d_block_read_transpose_32b_16r8x1c(b, deep, n, pitch, (int2)(k / 4, column), (private uint *)&y);
        for (int i = 0; i < ROWS; i++)
            sum[i] = intel_sub_group_i8_i8_matrix_mad_k32(x[i], y, sum[i]);
    }

    for (int i = 0; i < ROWS; i++)
        for (int r = 0; r < M; r++) {
            const int at = row + i * M + r;
            int expected = BEGIN;
#ifndef PLAIN_A
            if (at < m)
#endif
                for (int k = 0; k < deep && column + lane < n; k++)
                    expected += a[at * pitch + k] * b[(column + lane) * pitch + k];
            ok[at * WIDTH + column + lane] = ((private int *)&sum[i])[r] == expected;
        }
}
