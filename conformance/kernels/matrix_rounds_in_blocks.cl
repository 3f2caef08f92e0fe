// SPDX-License-Identifier: Apache-2.0
// kernel: rounds_in_blocks
// global: 16
// local: 16
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: cl_intel_subgroup_2d_block_io
// buffer: short 1024 = 16256
// buffer: short 1024 = 16256
// buffer: float 80 = 0
// buffer: uint 17 = 0
// buffer: int 2 = 64-i*48
// expect: 2 = (i<64)*64
// expect: 3 = (i<16)*65

/* A loop over K in blocks of rounds, of which the last one is short. One row of the sum is used as floats, and all are stored as integers:
 * between the loops the rows are phis of different types. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void rounds_in_blocks(global const ushort *a, global const int *b, global float *c,
                                                                            global uint *numbers, global const int *sizes)
{
    const int lane = get_sub_group_local_id(), row = get_group_id(1) * 4, column = get_global_id(0) / 16 * 16, last = 4;
    const int deep = sizes[0], n = sizes[1];
    float4 sum = 0;
    for (int block = 0; block < last; block += 3)
        for (int k = block; k < min(block + 3, last); k++) {
            short4 x;
            int8 y;
            for (int r = 0; r < 4; r++)
                ((private ushort *)&x)[r] = intel_sub_group_block_read_us(a + (row + r) * deep + k * 16);
            for (int r = 0; r < 8; r++)
                ((private int *)&y)[r] = b[(r + k * 8) * n + column + lane];
            sum = intel_sub_group_bf16_bf16_matrix_mad_k16(x, y, sum);
        }
    const uint number = 1 ^ (uint)convert_int_sat(((private float *)&sum)[1]);
    intel_sub_group_2d_block_write_32b_4r16x1c(c, 64, 4, n * 4, (int2)(column, row), (private uint *)&sum);
    numbers[15 - get_global_linear_id()] = number;
}
