// SPDX-License-Identifier: Apache-2.0
// kernel: matrix_sums_joined
// global: 64 5
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// options: -cl-std=CL3.0 -D SUMS=2 -D RESULT(s)=(s(0)+s(1))
// options: -cl-std=CL3.0 -D SUMS=3 -D RESULT(s)=(s(0)+s(1)+s(2))
// options: -cl-std=CL3.0 -D SUMS=4 -D RESULT(s)=((s(0)+s(1))+(s(2)+s(3)))
// options: -cl-std=CL3.0 -D SUMS=2 -D RESULT(s)=(s(0)-s(1))
// options: -cl-std=CL3.0 -D SUMS=2 -D RESULT(s)=(s(0)+s(1)+2*s(1))
// options: -cl-std=CL3.0 -D SUMS=2 -D RESULT(s)=(s(1)+s(0)) -D BEGIN(i)=((i)*(row+lane))
// options: -cl-std=CL3.0 -D SUMS=2 -D RESULT(s)=(s(1)+s(0)) -D BEGIN(i)=((1+(i))*(row+lane))
// options: -cl-std=CL3.0 -D SUMS=4 -D RESULT(s)=((s(0)+s(1))*(s(2)+s(3)))
// buffer: int 2560 = 0
// buffer: short 2560 = i*40503%65536-32768
// buffer: int 4096 = i*40503*257%4294967296-2147483648
// buffer: int 4 = 8 64 0 0
// expect: 0 = 1

/* Several accumulators, each for every other step of K, that are added behind the loop, or something else is made of them. */
#ifndef BEGIN
#define BEGIN(i) 0
#endif
enum { N = 64, K = 256, STEP = 32 };

kernel __attribute__((intel_reqd_sub_group_size(16))) void matrix_sums_joined(global int *ok, global const short *a, global const int *b, global const int *n)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16, steps = n[0];
    int8 sum[SUMS];
    for (int i = 0; i < SUMS; i++)
        sum[i] = BEGIN(i);
    for (int k = 0; k < steps / SUMS * SUMS; k += SUMS)
        for (int i = 0; i < SUMS; i++) {
            short8 x;
            int8 y;
            for (int r = 0; r < 8; r++)
                ((private short *)&x)[r] = a[(row + r) * (K / 2) % 2560 + (k + i) * (STEP / 2) % (K / 4) + lane];
            for (int r = 0; r < 8; r++)
                ((private int *)&y)[r] = b[(r + (k + i) * 8) * N + column + lane];
            sum[i] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[i]);
        }

    for (int r = 0; r < 8; r++) {
        int plain[SUMS];
        for (int i = 0; i < SUMS; i++) {
            plain[i] = BEGIN(i);
            for (int step = i; step < steps / SUMS * SUMS; step += SUMS)
                for (int k = 0; k < STEP; k++)
                    plain[i] += ((global const char *)(a + (row + r) * (K / 2) % 2560 + step * (STEP / 2) % (K / 4)))[k] *
                                ((global const char *)(b + (step * 8 + k / 4) * N + column + lane))[k % 4];
        }
#define BY_MATRICES(i) ((private int *)&sum[i])[r]
#define BY_NUMBERS(i) plain[i]
        ok[(row + r) * N + column + lane] = RESULT(BY_MATRICES) == RESULT(BY_NUMBERS);
    }
}
