// SPDX-License-Identifier: Apache-2.0
// kernel: many_accumulators
// global: 32 2
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// buffer: char 7680 = i/160%5
// buffer: int 9472 = (i/74%3==2)*16843009-(i/74%3==0)
// buffer: int 6144 = 7
// expect: 2 = (i%128%3==2)*(i/128%5)*128

/* More accumulators than AMX has registers: those that are left to vectors leave their registers to operands. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void many_accumulators(global const char *a, global const int *b, global int *c)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(0) / 16 * 24, column = get_global_id(1) * 64;
    const int pitch = get_global_size(0) * 5, columns = get_global_size(1) * 64;
    int8 sums[3][4] = {};
    uint left = min((uint)get_global_size(0) / 8, 5u);
    int k = 0;
    if (left)
        do {
            short8 x[3];
            int8 y[4];
            for (int i = 0; i < 3; i++)
                for (int r = 0; r < 8; r++)
                    x[i][r] = *(global const short *)(a + (row + i * 8 + r) * pitch + k * 32 + 2 * lane);
            for (int j = 0; j < 4; j++)
                y[j] = vload8(0, b + (column + j * 16 + lane) * 74 + k * 8);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] = intel_sub_group_i8_i8_matrix_mad_k32(x[i], y[j], sums[i][j]);
            k++;
        } while (--left);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int r = 0; r < 8; r++)
                c[(row + i * 8 + r) * columns + column + j * 16 + lane] = max(sums[i][j][r], 0);
}
