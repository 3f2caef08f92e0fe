// SPDX-License-Identifier: Apache-2.0
// kernel: narrow_blocks
// global: 56 17
// local: 8 1
// buffer: char 17408 = i*5+i/64*3
// buffer: char 7392 = i*7+i/32
// buffer: int 7616 = 0
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D SUMS_ALONE
// options: -cl-std=CL3.0 -D BY_COLUMNS
// expect: 2 = 1

/* Sub-groups of 8 whose columns of B are blocks of their own, as oneDNN lays out weights: two columns of a product do not lie beside each
 * other; BY_COLUMNS: each lane reads a column of its own. Eight rows under each other; an odd number of columns. */
#ifdef BY_COLUMNS
#define WORD(lane, w) ((lane) * (deep / 4) + (w))
#else
#define WORD(lane, w) ((w) * 8 + (lane))
#endif
__attribute__((intel_reqd_sub_group_size(8)))
kernel void narrow_blocks(global const char *restrict a, global const char *restrict b, global int *restrict ok)
{
    const int lane = get_sub_group_local_id(), block = get_group_id(0), row = get_group_id(1) * 8, columns = get_global_size(0),
              deep = 128 * (int)get_global_size(2);
    global const int *words = (global const int *)b + block * (deep / 4 * 8 + 8);
    int8 sum = 0;
    for (int k = 0; k < deep; k += 32) {
        int8 x, y;
        for (int r = 0; r < 8; r++)
            x[r] = ((global const int *)a)[((row + r) * deep + k) / 4 + lane];
        for (int w = 0; w < 8; w++)
            y[w] = words[WORD(lane, k / 4 + w)];
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
    }
#ifndef SUMS_ALONE
    sum = sum * 3 + block;
#endif
    for (int r = 0; r < 8; r++) {
        int all = 0;
        for (int k = 0; k < deep; k++)
            all += a[(row + r) * deep + k] * ((global const char *)words)[WORD(lane, k / 4) * 4 + k % 4];
#ifndef SUMS_ALONE
        all = all * 3 + block;
#endif
        ok[(row + r) * columns + block * 8 + lane] = sum[r] == all;
    }
}
