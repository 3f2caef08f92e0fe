// SPDX-License-Identifier: Apache-2.0
// kernel: masked
// global: 16
// local: 16
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// buffer: ushort 3072 = 16256
// buffer: ushort 3072 = 16256
// buffer: ushort 768 = 16256 + i % 2 * 128
// buffer: float 768 = 0
// expect: 3 = (i / 16 % 16 + 1) * 64 * (i % 2 + 1)

/* As causal attention does: the sums of four products, of which each row keeps the first ones, are A of another product in the same round.
 * A and B hold 1 as bfloat16, and the second B holds 1 and 2. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void masked(global const ushort *a, global const ushort *b, global const ushort *v, global float *c)
{
    const int lane = get_sub_group_local_id(), rows = 48 * get_num_groups(0);
    for (int t = 0; t < rows; t += 16) {
        float8 sum[2] = {};
        for (int k = 0; k < 64; k += 16) {
            const int8 y = as_int8(vload16(0, b + (t + lane) * 64 + k));
            for (int h = 0; h < 2; h++) {
                short8 x;
                for (int r = 0; r < 8; r++)
                    x[r] = a[(t + h * 8 + r) * 64 + k + lane];
                sum[h] = intel_sub_group_bf16_bf16_matrix_mad_k16(x, y, sum[h]);
            }
        }
        int8 values;
        for (int w = 0; w < 8; w++)
            values[w] = v[(t + 2 * w) * 16 + lane] | v[(t + 2 * w + 1) * 16 + lane] << 16;
        for (int h = 0; h < 2; h++) {
            short8 x;
            for (int r = 0; r < 8; r++)
                x[r] = lane <= h * 8 + r ? as_short(intel_convert_bfloat16_as_ushort(sum[h][r])) : (short)0;
            const float8 result = intel_sub_group_bf16_bf16_matrix_mad_k16(x, values, (float8)0);
            for (int r = 0; r < 8; r++)
                c[(t + h * 8 + r) * 16 + lane] = result[r];
        }
    }
}
