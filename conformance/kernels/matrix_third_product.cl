// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 48 5
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 15360 = i/192%3+1
// buffer: int 4608 = (i%96%7+1)*16843009
// buffer: int 768 = 16843009
// buffer: int 768 = (i%96%5+1)*16843009
// buffer: int 7688 = 4
// expect: 4 = (i<7680)*(i/96%3+1)*(192*(i%96%7+1)+32*(i%96%5+1))+(i>=7680)*4

/* A third B in the loop, of 16 columns, whose sums are A of a product behind the loop, which adds to the other sums, one half after the other. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void product(global const char *a, global const int *b, global const int *third, global const int *last, global int *c)
{
    const int lane = get_sub_group_local_id(), column = get_group_id(0) * 32 + lane, row = get_group_id(1) * 16, columns = get_global_size(0) * 2, depth = columns * 2;
    int8 sum[2][2] = {{0, 0}, {0, 0}}, more[2] = {0, 0};
    for (int k = 0; k < depth; k += 32) {
        short8 x[2];
        int8 y[2], z;
        for (int h = 0; h < 2; h++)
            for (int i = 0; i < 8; i++)
                x[h][i] = ((global const short *)(a + (row + 8 * h + i) * depth + k))[lane];
        for (int i = 0; i < 8; i++) {
            y[0][i] = b[(k / 4 + i) * columns + column];
            y[1][i] = b[(k / 4 + i) * columns + column + 16];
            z[i] = third[(k / 4 + i) * 16 + lane];
        }
        for (int h = 0; h < 2; h++) {
            sum[h][0] = intel_sub_group_i8_i8_matrix_mad_k32(x[h], y[0], sum[h][0]);
            sum[h][1] = intel_sub_group_i8_i8_matrix_mad_k32(x[h], y[1], sum[h][1]);
            more[h] = intel_sub_group_i8_i8_matrix_mad_k32(x[h], z, more[h]);
        }
    }
    int8 y[2];
    for (int i = 0; i < 8; i++) {
        y[0][i] = last[i * columns + column];
        y[1][i] = last[i * columns + column + 16];
    }
    for (int h = 0; h < 2; h++) {
        const short8 x = convert_short8(more[h] / depth) * (short)257;
        for (int j = 0; j < 2; j++) {
            sum[h][j] = intel_sub_group_i8_i8_matrix_mad_k32(x, y[j], sum[h][j]);
            for (int i = 0; i < 8; i++)
                c[(row + 8 * h + i) * columns + column + 16 * j] = sum[h][j][i];
        }
    }
}
