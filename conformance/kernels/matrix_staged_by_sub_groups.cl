// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 64 16
// local: 64 1
// local: 32 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 32768 = (i/128+i%128*5)%4+1
// buffer: char 8192 = i%64%5+1
// buffer: int 16400 = 5
// expect: 2 = (i<16384)*320*(i%64%5+1)+(i>=16384)*5

/* Each sub-group copies every so many-th row, as many as there are sub-groups, and all work-items copy bytes that are read as words. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void product(global const char *a, global const char *b, global int *c)
{
    local char of_a[16][32], of_b[32][64];
    const int item = get_local_id(0), lane = get_sub_group_local_id(), wide = get_local_size(0), beside = get_sub_group_id() * 16,
              first = get_group_id(0) * wide, row = get_group_id(1) * 16, columns = get_global_size(0), depth = columns * 2;
    int8 sum[2] = {0, 0};
    for (int k = 0; k < depth; k += 32) {
        for (int r = get_sub_group_id(); r < 16; r += get_num_sub_groups()) {
            of_a[r][lane] = a[(row + r) * depth + k + lane];
            of_a[r][lane + 16] = a[(row + r) * depth + k + lane + 16];
        }
        for (int i = item; i < 32 * 64; i += wide)
            of_b[i / 64][i % 64] = b[(k + i / 64) * columns + i % 64];
        barrier(CLK_LOCAL_MEM_FENCE);
        int8 y;
        for (int i = 0; i < 8; i++)
            y[i] = as_int((char4)(of_b[4 * i][first + beside + lane], of_b[4 * i + 1][first + beside + lane],
                                  of_b[4 * i + 2][first + beside + lane], of_b[4 * i + 3][first + beside + lane]));
        for (int h = 0; h < 2; h++) {
            short8 x;
            for (int i = 0; i < 8; i++)
                x[i] = *(local const short *)&of_a[8 * h + i][2 * lane];
            sum[h] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[h]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 8; i++)
            c[(row + 8 * h + i) * columns + first + beside + lane] = sum[h][i];
}
