// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 64 3 7
// local: 64 1 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 18432 = i/192%5+1
// buffer: int 1536 = (i%32%7+1)*16843009
// buffer: int 21512 = 5
// expect: 2 = (i<21504)*(i/3072)*32*(i/32%96%5+1)*(i%32%7+1)+(i>=21504)*5

/* Three buffers take turns. The first two are filled behind comparisons with the number of steps, which is one of 0 to 6, and counted without
 * a sign. */
void copy(global const short *a, global const int *b, local short *pa, local int *pb, uint step, uint row, uint item)
{
    for (uint i = item; i < 32 * 16; i += 64)
        pa[i] = a[(row + i / 16) * 96 + step * 16 + i % 16];
    for (uint i = item; i < 8 * 32; i += 64)
        pb[i] = b[(step * 8 + i / 32) * 32 + i % 32];
}

__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(64, 1, 1)))
kernel void product(global const short *restrict a, global const int *restrict b, global int *restrict c)
{
    local short pa[3][32 * 16];
    local int pb[3][8 * 32];
    const uint item = get_local_id(0), lane = get_sub_group_local_id(), group = get_sub_group_id(), row = get_group_id(1) * 32,
               depth = get_group_id(2) * 32, steps = depth / 32;
    int8 sum[2] = {0, 0};
    if (0 < steps)
        copy(a, b, pa[0], pb[0], 0, row, item);
    if (1 < steps)
        copy(a, b, pa[1], pb[1], 1, row, item);
    for (uint s = 0; s < steps; s++) {
        if (s + 2 < steps)
            copy(a, b, pa[(s + 2) % 3], pb[(s + 2) % 3], s + 2, row, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        short8 x;
        for (int i = 0; i < 8; i++)
            x[i] = pa[s % 3][(8 * group + i) * 16 + lane];
        for (int j = 0; j < 2; j++) {
            int8 y;
            for (int i = 0; i < 8; i++)
                y[i] = pb[s % 3][i * 32 + 16 * j + lane];
            sum[j] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 8; i++)
            c[(get_group_id(2) * 96 + row + 8 * group + i) * 32 + 16 * j + lane] = sum[j][i];
}
