// SPDX-License-Identifier: Apache-2.0
// kernel: second_loop
// global: 8
// local: 8
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// buffer: int 1024 = 16843009
// buffer: int 1024 = 16843009
// buffer: int 65 = 1
// expect: 2 = (i<64)*127+1

/* Accumulators begin with what others have stored; the compiler hands on the last row from register to register. */
__attribute__((intel_reqd_sub_group_size(8))) kernel void second_loop(global const int *a, global const int *b, global int *c)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_global_id(0) / 8 * 8;
    const int pitch = get_global_size(0), last = get_global_size(0) * 8;
    int8 sum = 0;
    for (int k = 0; k < last; k += 32) {
        int8 x, y;
        for (int r = 0; r < 8; r++)
            x[r] = a[(row + r) * 32 + k / 4 + lane];
        for (int r = 0; r < 8; r++)
            y[r] = b[(r + k / 4) * pitch + lane];
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
    }
    for (int r = 0; r < 8; r++)
        c[(row + r) * pitch + column + lane] = sum[r];
    for (int r = 0; r < 8; r++)
        sum[r] = c[(row + r) * pitch + column + lane];
    for (int k = 0; k < last; k += 32) {
        int8 x, y;
        for (int r = 0; r < 8; r++)
            x[r] = a[(row + r) * 32 + k / 4 + lane];
        for (int r = 0; r < 8; r++)
            y[r] = as_int(intel_sub_group_block_read((global const uint *)b + (r + k / 4) * pitch));
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
    }
    for (int r = 0; r < 8; r++)
        c[(row + r) * pitch + column + lane] = sum[r];
}
