// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 16 1
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: cl_intel_subgroup_2d_block_io
// needs: 16
// buffer: uchar 1024 = 1
// buffer: uchar 2048 = i/128%5+1
// buffer: int 128 = 0
// expect: 2 = (i/16 < 5)*100*(i%16%5+1)+1

/* A is read as a 2D block that crosses the edges of its matrix, of 100 columns and 5 rows, and B column by column. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void product(global const char *a, global const char *b, global int *c)
{
    const int lane = get_sub_group_local_id(), column = get_group_id(0) * 16 + lane, row = get_group_id(1) * 8, depth = get_global_size(0) * 8;
    int8 sum = 0;
    for (int k = 0; k < depth; k += 32) {
        ushort8 x;
        intel_sub_group_2d_block_read_16b_8r16x1c((global void *)a, 100, 5, depth, (int2)(k / 2, row), (private ushort *)&x);
        sum = intel_sub_group_i8_i8_matrix_mad_k32(as_short8(x), vload8(0, (global const int *)(b + column * depth + k)), sum);
    }
    for (int i = 0; i < 8; i++)
        c[(row + i) * 16 + column] = sum[i] + 1;
}
