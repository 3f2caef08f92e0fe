// SPDX-License-Identifier: Apache-2.0
// kernel: unexpected
// global: 64 8
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// buffer: char 8192 = i / 128 % 5 + 1
// buffer: char 8192 = i / 4 % 64 % 3 + 1
// buffer: int 32 = (i % 4 > 0) * (i / 4 > 0) * ((i % 4 + i / 4) % 4)
// buffer: int 4096 = -1
// expect: 3 = ((i % 64 / 16 > 0) * (i / 512 > 0) * ((i % 64 / 16 + i / 512) % 4) == 1) * -1 + ((i % 64 / 16 > 0) * (i / 512 > 0) * ((i % 64 / 16 + i / 512) % 4) == 0) * ((i / 64 % 5 + 1) * (i % 64 % 3 + 1) * 256 + 1) + ((i % 64 / 16 > 0) * (i / 512 > 0) * ((i % 64 / 16 + i / 512) % 4) == 2) * ((i / 64 % 8 % 5 + 1) * (i % 64 % 3 + 1) * 256 + 1) + ((i % 64 / 16 > 0) * (i / 512 > 0) * ((i % 64 / 16 + i / 512) % 4) == 3) * ((i / 64 % 5 + 1) * (i % 64 % 3 + 1) * 128 + 1)

/* Work-groups of the first row and of the first column multiply their rows of A by their columns of B. Others, as a table in memory says, make
 * no product, take the first rows of A, or have half of K: what the first ones do tells nothing of them. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void unexpected(global const short *restrict a, global const int *restrict b, global const int *restrict table, global int *restrict c)
{
    const int lane = get_sub_group_local_id(), x = get_group_id(0), y = get_group_id(1);
    const int kind = table[y * 4 + x];
    if (kind == 1)
        return;
    const int row = kind == 2 ? 0 : y * 8, steps = kind == 3 ? 2 : 4;
    int8 sum = 0;
    for (int k = 0; k < steps; k++) {
        short8 rows;
        int8 columns;
        for (int r = 0; r < 8; r++) {
            rows[r] = a[(row + r) * 64 + k * 16 + lane];
            columns[r] = b[(k * 8 + r) * 64 + x * 16 + lane];
        }
        sum = intel_sub_group_i8_i8_matrix_mad_k32(rows, columns, sum);
    }
    for (int r = 0; r < 8; r++)
        c[(y * 8 + r) * 64 + x * 16 + lane] = sum[r] * 2 + 1;
}
