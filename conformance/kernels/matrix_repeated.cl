// SPDX-License-Identifier: Apache-2.0
// kernel: matrix_repeated
// global: 64 5
// local: 16 1
// needs: 16
// options: -cl-std=CL3.0 -D BEGIN=0
// options: -cl-std=CL3.0 -D BEGIN=begin[r]
// options: -cl-std=CL3.0 -D BEGIN=0 -D IF=(turn&1)
// options: -cl-std=CL3.0 -D BEGIN=0 -D IF=(turn==7)
// buffer: int 2560 = 0
// buffer: short 3200 = i*40503%65536-32768
// buffer: int 4096 = i*40503*257%4294967296-2147483648
// buffer: int 4 = 3 5 64 0
// expect: 0 = 1

/* Products in a loop of their own, whose sums begin again in each round of the loop around it, or in some rounds, or go on. */
#ifndef IF
#define IF 1
#endif
enum { N = 64, K = 320, STEP = 32 };

kernel __attribute__((intel_reqd_sub_group_size(16))) void matrix_repeated(global int *ok, global const short *a, global const int *b, global const int *n)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16;
    const int turns = n[0], steps = n[1];
    int begin[8], expected[8];
    int8 sum = 0;
    for (int r = 0; r < 8; r++)
        begin[r] = (row + r) * 3 - column - lane;
    for (int turn = 0; turn < turns; turn++) {
        if (IF)
            for (int r = 0; r < 8; r++)
                ((private int *)&sum)[r] = BEGIN;
        for (int k = 0; k < steps; k++) {
            short8 x;
            int8 y;
            for (int r = 0; r < 8; r++)
                ((private short *)&x)[r] = a[(row + r) * (K / 4) + k * (STEP / 2) + lane];
            for (int r = 0; r < 8; r++)
                ((private int *)&y)[r] = b[(r + k * 8) * N + column + lane];
            sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
        }
    }

    for (int r = 0; r < 8; r++)
        expected[r] = 0;
    for (int turn = 0; turn < turns; turn++)
        for (int r = 0; r < 8; r++) {
            expected[r] = (IF) ? BEGIN : expected[r];
            for (int k = 0; k < steps * STEP; k++) {
                global const char *left = (global const char *)(a + (row + r) * (K / 4)), *right = (global const char *)(b + k / 4 * N + column + lane);
                expected[r] += left[k] * right[k % 4];
            }
        }
    for (int r = 0; r < 8; r++)
        ok[(row + r) * N + column + lane] = ((private int *)&sum)[r] == expected[r];
}
