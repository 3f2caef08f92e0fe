// SPDX-License-Identifier: Apache-2.0
// kernel: same_block
// global: 16
// local: 16
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: cl_intel_subgroup_2d_block_io
// buffer: short 1024 = 16256
// buffer: short 1024 = 16256
// buffer: float 513 = 0
// expect: 2 = (i<512)*48

/* Rounds that all multiply the same block of A: it is read ahead of the loop, where no tile of the device's loop can take it. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void same_block(global short *a, global const uint *b, global float *c)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 16;
    float8 sum[2][2] = {};
    for (size_t block = 0; block < 3; block++)
        for (size_t k = 0; k < 16; k += 16) {
            short8 x[2];
            int8 y[2];
            for (int i = 0; i < 2; i++)
                intel_sub_group_2d_block_read_16b_8r16x1c(a, 64, 32, 64, (int2)(k, row + i * 8), (private ushort *)&x[i]);
            for (int j = 0; j < 2; j++)
                for (int r = 0; r < 8; r++)
                    ((private uint *)&y[j])[r] = intel_sub_group_block_read(b + (r + k / 2) * 32 + j * 16);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    sum[i][j] = intel_sub_group_bf16_bf16_matrix_mad_k16(x[i], y[j], sum[i][j]);
        }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int r = 0; r < 8; r++)
                c[(row + i * 8 + r) * 32 + j * 16 + lane] = ((private float *)&sum[i][j])[r];
}
