// SPDX-License-Identifier: Apache-2.0
// kernel: tall_block
// global: 16
// local: 16
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: cl_intel_subgroup_2d_block_io
// buffer: uchar 53248 = 1
// buffer: uchar 106496 = 2
// buffer: int 1025 = 3
// expect: 2 = (i<1024)*3328+3

/* Four blocks of A's rows by one read, which the compiler takes apart and moves into the round before. */
kernel void tall_block(global uchar *a, global uchar *b, global int *c)
{
    const size_t lane = get_sub_group_local_id(), row = get_global_id(1) * 32, column = get_group_id(0) * 32;
    int8 sum[4][2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            for (int r = 0; r < 8; r++)
                ((private int *)&sum[i][j])[r] = c[(row + i * 8 + r) * 32 + column + j * 16 + lane];
    const size_t last = 52;
    for (size_t k = 0; k < last; k += 1) {
        ushort8 x[4];
        uint8 y[2];
        intel_sub_group_2d_block_read_8b_32r32x1c(a, 1664, 32, 1664, (int2)(k * 32, row), (private ushort *)&x[0]);
        for (int j = 0; j < 2; j++)
            intel_sub_group_2d_block_read_transform_8b_32r16x1c(b, 64, 1664, 64, (int2)(column + j * 16, k * 32), (private uint *)&y[j]);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 2; j++)
                sum[i][j] = intel_sub_group_u8_u8_matrix_mad_k32(x[i], y[j], sum[i][j]);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            intel_sub_group_2d_block_write_32b_8r16x1c(c, 128, 32, 128, (int2)(column + j * 16, row + i * 8), (private uint *)&sum[i][j]);
}
