// SPDX-License-Identifier: Apache-2.0
// kernel: squares
// global: 64 16
// local: 16 2
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 12288 = i%96/32+1
// buffer: char 6144 = i/96%5-2
// buffer: int 8200 = 0
// expect: 2 = (i<8192)*14*(32*(i%64%5-2))*(32*(i%64%5-2))

/* Each 32 bytes of K are a sum of their own, whose square counts: the sums of the rounds have to stay apart. B is read column by column. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void squares(global const char *a, global const char *b, global int *c)
{
    const int lane = get_sub_group_local_id(), column = get_group_id(0) * 16 + lane, row = get_global_id(1) * 8, depth = get_global_size(0) + 32;
    int8 squares = 0;
    for (int k = 0; k < depth; k += 32) {
        short8 x;
        for (int i = 0; i < 8; i++)
            x[i] = ((global const short *)(a + (row + i) * depth + k))[lane];
        int8 sum = intel_sub_group_i8_i8_matrix_mad_k32(x, vload8(0, (global const int *)(b + column * depth + k)), (int8)0);
        squares += sum * sum;
    }
    for (int i = 0; i < 8; i++)
        c[(row + i) * 64 + column] = squares[i];
}
