// SPDX-License-Identifier: Apache-2.0
// kernel: loop_in_loop
// global: 8
// local: 8
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// buffer: int 1024 = 16843009
// buffer: int 1024 = 16843009
// buffer: int 257 = 5
// expect: 2 = (i<256)*64+5

/* A work-item adds to C once, whichever of the kernel's two functions for full packets runs: only one of them can run up to the loop first. */
__attribute__((intel_reqd_sub_group_size(8))) kernel void loop_in_loop(global const char *a, global const char *b, global int *c)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 32, column = get_global_id(0) / 8 * 8;
    const int pitch = get_global_size(0), last = 2 * 32;
    int8 sum[4][1];
    for (int i = 0; i < 4; i++)
        for (int r = 0; r < 8; r++)
            ((private int *)&sum[i][0])[r] = c[(row + i * 8 + r) * pitch + column + lane];
    for (int block = 0; block < last; block += 32)
        for (int k = block; k < min(block + 32, last); k += 32) {
            int8 x[4], y[1];
            for (int i = 0; i < 4; i++)
                for (int r = 0; r < 8; r++)
                    ((private int *)&x[i])[r] = ((global const int *)a)[(row + i * 8 + r) * 32 + k / 4 + lane];
            for (int r = 0; r < 8; r++)
                ((private int *)&y[0])[r] = ((global const int *)b)[(r + k / 4) * pitch + lane];
            for (int i = 0; i < 4; i++)
                sum[i][0] = intel_sub_group_i8_i8_matrix_mad_k32(x[i], y[0], sum[i][0]);
        }
    for (int i = 0; i < 4; i++)
        for (int r = 0; r < 8; r++)
            c[(row + i * 8 + r) * pitch + column + lane] = ((private int *)&sum[i][0])[r];
}
