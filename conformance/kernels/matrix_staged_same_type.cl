// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 64 16
// local: 64 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 32768 = i/128%3+1
// buffer: int 2048 = (i%64%5+1)*16843009
// buffer: int 16400 = 5
// expect: 2 = (i<16384)*128*(i/64%3+1)*(i%64%5+1)+(i>=16384)*5

/* B is staged in local memory, and has the type of C: only the launch knows that a store to C does not change what was copied. A counter of
 * the loop over K in local memory goes in steps, and vectors are stored. */
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(64, 1, 1)))
kernel void product(global const char *a, global const int *b, global int *c)
{
    local int part[16][64];
    const int item = get_local_id(0), lane = item % 16, group = item / 16, columns = get_global_size(0), row = get_group_id(1) * 16, depth = columns * 2;
    int8 sum[2] = {0, 0};
    for (int k = 0; k < depth; k += 64) {
        for (int i = item; i < 16 * 64 / 8; i += 64)
            vstore8(vload8(0, b + (k / 4 + i / 8) * columns + i % 8 * 8), 0, &part[i / 8][i % 8 * 8]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int word = 0; word < 16; word += 8) {
            int8 y;
            for (int i = 0; i < 8; i++)
                y[i] = part[word + i][group * 16 + lane];
            for (int h = 0; h < 2; h++) {
                short8 x;
                for (int i = 0; i < 8; i++)
                    x[i] = ((global const short *)(a + (row + 8 * h + i) * depth + k + 4 * word))[lane];
                sum[h] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[h]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 8; i++)
            c[(row + 8 * h + i) * columns + group * 16 + lane] = sum[h][i];
}
