// SPDX-License-Identifier: Apache-2.0
// kernel: k
// global: 64 12
// local: 64 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 24576 = 99
// buffer: char 16384 = i / 4 % 64 % 5 - 2
// buffer: int 6144 = 0
// expect: 2 = (i / 64 % 7 - 3) * (i % 64 % 5 - 2) * 256

/* A work-group writes its rows of A, in a part of its own, and multiplies them behind a barrier. */
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(64, 1, 1)))
kernel void k(global short *a, global const int *restrict b, global int *restrict c)
{
    local int part[8][64];
    const int lane = get_sub_group_local_id(), number = get_sub_group_id(), row = get_group_id(1) * 8, column = number * 16;
    int8 sum = 0;
    for (int r = 0; r < 8; r++)
        for (int i = get_local_id(0); i < 128; i += 64)
            a[(row + r) * 128 + i] = ((row + r) % 7 - 3) * 0x0101 + ((row + r) % 7 - 3 < 0 ? 0x0100 : 0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int s = 0; s < 8; s++) {
        short8 x;
        int8 y;
        for (int r = 0; r < 8; r++)
            x[r] = a[(row + r) * 128 + s * 16 + lane];
        for (int w = 0; w < 8; w++)
            y[w] = b[(s * 8 + w) * 64 + column + lane];
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
    }
    for (int r = 0; r < 8; r++)
        part[r][63 - get_local_id(0)] = sum[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < 8; r++)
        c[(row + r) * 64 + column + lane] = part[r][63 - get_local_id(0)];
}
