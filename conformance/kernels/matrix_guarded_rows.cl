// SPDX-License-Identifier: Apache-2.0
// kernel: guarded_rows
// global: 32 8
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: short 2048 = (i/32%50) | (i/32%50) << 8
// buffer: uint 512 = 0x01010101
// buffer: int 2048 = -1
// buffer: int 64 = (i*37)%64 + i%3*(2-i%3)*100000000
// buffer: int 8 = (i+1)%7
// expect: 2 = (i/32%3*(2-i/32%3)*3 + (1-i/32%3*(2-i/32%3))*(i/32*37%64%50))*64*(((i/256+1)%7+6)/7)

/* C = A·B of bytes. Rows of A are those that numbers in memory say; where there is none, which nothing may be read of, the row is threes.
 * Each row of work-groups has a B if a number in memory is not zero, and else zeros. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void guarded_rows(global const short *a, global const uint *b, global int *c,
                                                                        global const int *rows, global const int *whether)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 8, column = get_group_id(0) * 16, steps = get_num_groups(0);
    const bool some = whether[get_group_id(1)] != 0;
    int from[8];
    for (int r = 0; r < 8; r++)
        from[r] = rows[row + r];
    int8 sum = 0;
    for (int k = 0; k < steps; k++) {
        short8 x;
        int8 y;
        for (int r = 0; r < 8; r++)
            x[r] = from[r] < 64 ? a[from[r] * 32 + k * 16 + lane] : (short)0x0303;
        for (int w = 0; w < 8; w++)
            y[w] = some ? b[(k * 8 + w) * 32 + column + lane] : 0;
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
    }
    for (int r = 0; r < 8; r++)
        c[(row + r) * 32 + column + lane] = sum[r];
}
