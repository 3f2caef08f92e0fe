// SPDX-License-Identifier: Apache-2.0
// kernel: changed
// global: 48 6
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: cl_intel_subgroup_2d_block_io
// needs: 16
// buffer: uchar 3840 = (i/80<45)*(i%80<77)*2*(i/80%5)+((i/80>=45)+(i%80>=77)>0)*99
// buffer: uchar 4608 = (i/48<77)*(i%48<43)*2*(i%48%7)+((i/48>=77)+(i%48>=43)>0)*97
// buffer: int 1940 = 5
// expect: 2 = (i<1935)*(77*(2*(i/43%5)+1)*(2*(i%43%7)+1)+19)+(i>=1935)*5

/* A and B of bytes come from 2D blocks, and the loop flips the lowest bit of each. Elements outside of the matrices are zeros before that, and
 * ones behind it: nineteen of K, which is 77. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void changed(global uchar *a, global uchar *b, global int *c)
{
    const int row = get_group_id(1) * 8, column = get_group_id(0) * 16, depth = get_num_groups(0) * 32;
    int8 sum = 0;
    for (int k = 0; k < depth; k += 32) {
        ushort8 x;
        uint8 y;
        intel_sub_group_2d_block_read_8b_8r32x1c(a, 77, 45, 80, (int2)(k, row), (private ushort *)&x);
        intel_sub_group_2d_block_read_transform_8b_32r16x1c(b, 43, 77, 48, (int2)(column, k), (private uint *)&y);
        sum = intel_sub_group_u8_u8_matrix_mad_k32(x ^ (ushort)0x0101, y ^ 0x01010101, sum);
    }
    uint8 result = as_uint8(sum);
    intel_sub_group_2d_block_write_32b_8r16x1c(c, 172, 45, 172, (int2)(column, row), (private uint *)&result);
}
