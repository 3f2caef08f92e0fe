// SPDX-License-Identifier: Apache-2.0
// kernel: k
// global: 512 12
// local: 64 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 49152 = i / 512 % 7 - 3
// buffer: char 65536 = (i / 4 % 128 % 5 - 2) * (1 + (i / 512 % 8 < 3))
// buffer: int 12288 = i * 3
// expect: 2 = (i / 128 % 7 - 3) * (i % 128 % 5 - 2) * 704 + i * 3

/* The four sub-groups of a work-group take the steps of K in turns, and add what they have got in local memory. C has values before. */
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(64, 1, 1)))
kernel void k(global const short *restrict a, global const int *restrict b, global int *restrict c)
{
    local int part[4][8][16];
    const int lane = get_sub_group_local_id(), number = get_sub_group_id(), row = get_group_id(1) * 8, column = get_group_id(0) * 16;
    int8 sum = 0;
    if (number == 0)
        for (int r = 0; r < 8; r++)
            sum[r] = c[(row + r) * 128 + column + lane];
    for (int s = number; s < 16; s += 4) {
        short8 x;
        int8 y;
        for (int r = 0; r < 8; r++)
            x[r] = a[(row + r) * 256 + s * 16 + lane];
        for (int w = 0; w < 8; w++)
            y[w] = b[(s * 8 + w) * 128 + column + lane];
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
    }
    for (int r = 0; r < 8; r++)
        part[number][r][lane] = sum[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 2 * number; r < 2 * number + 2; r++)
        c[(row + r) * 128 + column + lane] = part[0][r][lane] + part[1][r][lane] + part[2][r][lane] + part[3][r][lane];
}
