// SPDX-License-Identifier: Apache-2.0
// kernel: block_writes
// global: 32 8
// local: 16 8
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: cl_intel_subgroup_local_block_io
// needs: 16
// buffer: ushort 6144 = (i/96%5+1)*257
// buffer: uint 6144 = ((i/128*7+i%128)%9+1)*16843009
// buffer: int 8256 = 5
// expect: 2 = (i<8192)*(i/128%5+1)*4*(228+i%128%9+(i%128+7)%9+(i%128+5)%9)+(i>=8192)*5

/* Each sub-group stages two rows of B, of 64 words, by block reads and block writes of four words, which all sub-groups read by block reads in
 * loops. */
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(16, 8, 1)))
kernel void block_writes(global const ushort *restrict a, global const uint *restrict b, global int *restrict c)
{
    local uint rows[16 * 64];
    const int lane = get_sub_group_local_id(), group = get_sub_group_id(), column = get_group_id(0) * 64, row = group * 8,
              depth = get_num_groups(0) * 96;
    int8 sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < depth; k += 64) {
        for (int i = 0; i < 2; i++)
            intel_sub_group_block_write4(rows + (group * 2 + i) * 64,
                                         intel_sub_group_block_read4(b + (k / 4 + group * 2 + i) * 128 + column));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int h = 0; h < 2; h++) {
            short8 x;
            for (int r = 0; r < 8; r++)
                x[r] = intel_sub_group_block_read_us(a + (row + r) * (depth / 2) + k / 2 + h * 16);
            for (int j = 0; j < 4; j++) {
                int8 y;
                for (int r = 0; r < 8; r++)
                    y[r] = intel_sub_group_block_read(rows + (h * 8 + r) * 64 + 16 * j);
                sum[j] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < 4; j++)
        for (int r = 0; r < 8; r++)
            c[(row + r) * 128 + column + 16 * j + lane] = sum[j][r];
}
