// SPDX-License-Identifier: Apache-2.0
// kernel: staged_wide
// global: 32 16
// local: 16 4
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// options: -cl-std=CL3.0 -DVECTORS
// options: -cl-std=CL3.0 -DLOADS
// options: -cl-std=CL3.0 -DWORDS
// options: -cl-std=CL3.0 -DBYTES
// buffer: char 16384 = (i%4==0)*(i/128%5+1)
// buffer: int 1024 = i%32%3
// buffer: float 4096 = 7
// expect: 2 = 32*(i/32%5+1)*(i%32%3)

/* Copies to local memory that are wider than the loads of it, as vectors, or narrower. */
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(16, 4, 1))) kernel void
staged_wide(global const short *restrict a, global const int *restrict b, global float *restrict c)
{
    local short of_a[32 * 16];
    local int of_b[8 * 16];
    const int lane = get_local_id(0), sub_group = get_local_id(1), item = sub_group * 16 + lane;
    const int row = get_group_id(1) * 32, column = get_group_id(0) * 16, columns = get_global_size(0), deep = get_global_size(1) * 4;
    int8 sum = 0;
    for (int k = 0; k < deep; k += 16) {
#if defined(VECTORS)
        *(local short8 *)&of_a[item / 2 * 16 + item % 2 * 8] = *(global const short8 *)&a[(row + item / 2) * deep + k + item % 2 * 8];
        *(local int2 *)&of_b[item / 8 * 16 + item % 8 * 2] = *(global const int2 *)&b[(k / 2 + item / 8) * columns + column + item % 8 * 2];
#elif defined(LOADS)
        vstore8(vload8(item % 2, a + (row + item / 2) * deep + k), item % 2, of_a + item / 2 * 16);
        vstore2(vload2(item % 8, b + (k / 2 + item / 8) * columns + column), item % 8, of_b + item / 8 * 16);
#elif defined(WORDS)
        for (int i = item; i < 256; i += 64)
            ((local int *)of_a)[i] = ((global const int *)a)[(row + i / 8) * (deep / 2) + k / 2 + i % 8];
        for (int i = item; i < 64; i += 64)
            ((local long *)of_b)[i] = ((global const long *)b)[(k / 2 + i / 8) * (columns / 2) + column / 2 + i % 8];
#else
        for (int i = item; i < 1024; i += 64)
            ((local char *)of_a)[i] = ((global const char *)a)[(row + i / 32) * (deep * 2) + k * 2 + i % 32];
        for (int i = item; i < 256; i += 64)
            ((local short *)of_b)[i] = ((global const short *)b)[(k / 2 + i / 32) * (columns * 2) + column * 2 + i % 32];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        short8 x;
        int8 y;
        for (int r = 0; r < 8; r++)
            x[r] = of_a[(sub_group * 8 + r) * 16 + lane];
        for (int r = 0; r < 8; r++)
            y[r] = of_b[r * 16 + lane];
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 8; r++)
        c[(row + sub_group * 8 + r) * columns + column + lane] = sum[r];
}
