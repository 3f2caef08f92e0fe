// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 64 16
// local: 16 1
// local: 64 2
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 32768 = (i/128)%4+1
// buffer: int 2048 = (i%64%5+1)*16843009
// buffer: int 16400 = 5
// expect: 2 = (i<16384)*(128*((i%256)%4+1)*(i/256%5+1)*3+i%256)+(i>=16384)*5

/* Each work-item stores sixteen numbers of its column of C, which lie side by side. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void product(global const char *a, global const int *b, global int *c)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 16, column = get_global_id(0) / 16 * 16 + lane,
              columns = get_global_size(0), rows = 16 * get_global_size(1), depth = columns * 2;
    int8 sum[2] = {0, 0};
    for (int k = 0; k < depth; k += 32) {
        int8 y;
        for (int i = 0; i < 8; i++)
            y[i] = b[(k / 4 + i) * columns + column];
        for (int h = 0; h < 2; h++) {
            short8 x;
            for (int i = 0; i < 8; i++)
                x[i] = ((global const short *)(a + (row + 8 * h + i) * depth + k))[lane];
            sum[h] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[h]);
        }
    }
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 8; i++)
            c[column * rows + row + 8 * h + i] = sum[h][i] * 3 + row + 8 * h + i;
}
