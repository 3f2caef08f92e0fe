// SPDX-License-Identifier: Apache-2.0
// kernel: k
// global: 256 12
// local: 64 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 24576 = i / 256 % 7 - 3
// buffer: char 65536 = i / 4 % 256 % 5 - 2
// buffer: int 24576 = 0
// expect: 2 = (i / 256 % 7 - 3) * ((i % 256 ^ 63) % 5 - 2) * 256 * ((i % 256 ^ 63) / 16 % 4 != 2) + ((i % 256 ^ 63) / 16 % 4 == 2) * (i / 256 % 8 + 40)

/* The results of a loop over K go through local memory, row by row: so two barriers follow the loop in each round of another one, and one
 * sub-group of four makes no product. */
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(64, 1, 1)))
kernel void k(global const short *restrict a, global const int *restrict b, global int *restrict c)
{
    local int row_of_all[64];
    const int lane = get_sub_group_local_id(), number = get_sub_group_id(), item = get_local_id(0);
    const int row = get_group_id(1) * 8, column = get_group_id(0) * 64 + number * 16;
    int8 sum = 0;
    if (number != 2) {
        for (int s = 0; s < 8; s++) {
            short8 x;
            int8 y;
            for (int r = 0; r < 8; r++)
                x[r] = a[(row + r) * 128 + s * 16 + lane];
            for (int w = 0; w < 8; w++)
                y[w] = b[(s * 8 + w) * 256 + column + lane];
            sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
        }
    } else {
        sum = (int8)(40, 41, 42, 43, 44, 45, 46, 47);
    }
    for (int r = 0; r < 8; r++) {
        row_of_all[item] = ((int *)&sum)[r];
        barrier(CLK_LOCAL_MEM_FENCE);
        c[(row + r) * 256 + get_group_id(0) * 64 + item] = row_of_all[63 - item];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
