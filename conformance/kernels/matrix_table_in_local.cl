// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 64 16
// local: 32 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 12288 = i/96%3+1
// buffer: uchar 3072 = i/48%16*17
// edge-buffer: char 16 = i*3-20
// buffer: int 8200 = 9
// expect: 3 = (i<8192)*96*(i/64%3+1)*(i%16*3-20)+(i>=8192)*9

/* B are numbers of 4 bits, which stand for those of a table; the first work-items copy it to local memory. */
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(32, 1, 1)))
kernel void product(global const char *a, global const uchar *b, global const char *table, global int *restrict c)
{
    local char of[16];
    const int item = get_local_id(0), lane = item % 16, column = get_global_id(0), columns = get_global_size(0), row = get_group_id(1) * 8, depth = columns * 3 / 2;
    if (item < 16)
        of[item] = table[item];
    barrier(CLK_LOCAL_MEM_FENCE);
    int8 sum = 0;
    for (int k = 0; k < depth; k += 32) {
        short8 x;
        int8 y;
        for (int i = 0; i < 8; i++) {
            x[i] = ((global const short *)(a + (row + i) * depth + k))[lane];
            uchar2 w = vload2(0, b + (column * depth + k) / 2 + 2 * i);
            y[i] = as_int((char4)(of[w.x & 15], of[w.x >> 4], of[w.y & 15], of[w.y >> 4]));
        }
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
    }
    for (int i = 0; i < 8; i++)
        c[(row + i) * columns + column] = sum[i];
}
