// SPDX-License-Identifier: Apache-2.0
// kernel: guarded_division
// global: 16 8
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: short 2048 = (i%1024/16%50) | (i%1024/16%50) << 8
// buffer: uint 2048 = 0x01010101
// buffer: int 1024 = -1
// buffer: uint 64 = i%3*(2-i%3)
// buffer: uint 1 = 4
// expect: 2 = (i/16%3*(2-i/16%3)*(i/16%50) + (1-i/16%3*(2-i/16%3))*3)*128

/* C = A·B of bytes. Rows of A whose divisor is zero, by which nothing may be divided, are threes. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void guarded_division(global const short *a, global const uint *b, global int *c,
                                                                            global const uint *divisors, global const uint *number)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 8;
    const uint steps = *number;
    uint by[8];
    for (int r = 0; r < 8; r++)
        by[r] = divisors[row + r];
    int8 sum = 0;
    for (uint k = 0; k < steps; k++) {
        short8 x;
        for (int r = 0; r < 8; r++)
            x[r] = by[r] ? a[(row + r) * 16 + k / by[r] % 2 * 1024 + lane] : (short)0x0303;
        int8 y;
        for (int w = 0; w < 8; w++)
            y[w] = b[(k * 8 + w) * 16 + lane];
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
    }
    for (int r = 0; r < 8; r++)
        c[(row + r) * 16 + lane] = sum[r];
}
