// SPDX-License-Identifier: Apache-2.0
// kernel: other_signs
// global: 16
// local: 16
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// buffer: uchar 4096 = 255
// buffer: uchar 4096 = 254
// buffer: int 257 = 0
// expect: 2 = (i<256)*8290816

/* An accumulator that gets products of unsigned numbers in one loop, and of signed ones in the next: 128 times 255 * 254, and 128 times 2. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void other_signs(global const ushort *a, global const uchar *b, global int *c)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 16;
    int8 sum[2] = {};
    for (int k = 0; k < 4; k++) {
        ushort8 x[2];
        uint8 y;
        for (int r = 0; r < 8; r++) {
            global const uchar *p = b + (k * 32 + r * 4) * 16 + lane;
            y[r] = p[0] | (uint)p[16] << 8 | (uint)p[32] << 16 | (uint)p[48] << 24;
            x[0][r] = a[(row + r) * 64 + k * 16 + lane];
            x[1][r] = a[(row + r + 8) * 64 + k * 16 + lane];
        }
        for (int i = 0; i < 2; i++)
            sum[i] = intel_sub_group_u8_u8_matrix_mad_k32(x[i], y, sum[i]);
    }
    for (int k = 0; k < 4; k++) {
        short8 x[2];
        int8 y;
        for (int r = 0; r < 8; r++) {
            global const uchar *p = b + (k * 32 + r * 4) * 16 + lane;
            y[r] = p[0] | (uint)p[16] << 8 | (uint)p[32] << 16 | (uint)p[48] << 24;
            x[0][r] = a[(row + r) * 64 + k * 16 + lane];
            x[1][r] = a[(row + r + 8) * 64 + k * 16 + lane];
        }
        for (int i = 0; i < 2; i++)
            sum[i] = intel_sub_group_i8_i8_matrix_mad_k32(x[i], y, sum[i]);
    }
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < 8; r++)
            c[(row + i * 8 + r) * 16 + lane] = sum[i][r];
}
