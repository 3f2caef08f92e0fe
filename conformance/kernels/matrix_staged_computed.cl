// SPDX-License-Identifier: Apache-2.0
// kernel: staged_computed
// global: 128 2
// local: 128 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: ushort 4096 = 16256
// buffer: uint 64 = 0x77777777 + (i%16)*0x11111111*(i%16<4)
// buffer: float 2048 = 0
// buffer: float 16 = 1+i%4
// expect: 2 = 32*((i%16<4)*(i%16)-1)*(1+i%4)

/* C = A·B of bfloat16, whose B is made of numbers of 4 bits with a scale for each column, on its way to local memory. */
__attribute__((intel_reqd_sub_group_size(16), reqd_work_group_size(128, 1, 1))) kernel void
staged_computed(global const ushort *restrict a, global const uint *restrict b, global float *restrict c, global const float *restrict scale)
{
    local ushort in_b[16][16];
    const int lane = get_sub_group_local_id(), row = (get_group_id(1) * 8 + get_sub_group_id()) * 8;
    float8 sum = 0;
    for (int k = 0; k < 32; k += 16) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = get_local_id(0); i < 256; i += 128) {
            const int of_k = k + i / 16, column = i % 16, number = (int)(b[of_k / 8 * 16 + column] >> of_k % 8 * 4 & 15) - 8;
            in_b[i / 16][column] = intel_convert_bfloat16_as_ushort(number * scale[column]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        short8 x;
        int8 y;
        for (int r = 0; r < 8; r++)
            x[r] = a[(row + r) * 32 + k + lane];
        for (int w = 0; w < 8; w++)
            y[w] = in_b[2 * w][lane] | (uint)in_b[2 * w + 1][lane] << 16;
        sum = intel_sub_group_bf16_bf16_matrix_mad_k16(x, y, sum);
    }
    for (int r = 0; r < 8; r++)
        c[(row + r) * 16 + lane] = sum[r];
}
