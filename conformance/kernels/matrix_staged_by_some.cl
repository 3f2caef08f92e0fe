// SPDX-License-Identifier: Apache-2.0
// kernel: staged_by_some
// global: 32 16
// local: 16 4
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// options: -cl-std=CL3.0 -DSOME
// options: -cl-std=CL3.0 -DROUNDS
// options: -cl-std=CL3.0 -DROUNDS -DBOTH_FENCES
// options: -cl-std=CL3.0 -DASYNC
// buffer: char 16384 = (i%4==0)*(i/128%5+1)
// buffer: int 1024 = i%32%3
// buffer: int 4096 = 7
// expect: 2 = 32*(i/32%5+1)*(i%32%3)

/* Rows of two buffers in local memory, each shorter than the work-group has work-items: copied by asynchronous copies, by work-items with
 * small ids, or in rounds by all, of which there is one. */
#ifdef ASYNC
#define COPY(to, from, n) copied = async_work_group_copy(to, from, n, copied)
#define WAIT wait_group_events(1, &copied); barrier(CLK_LOCAL_MEM_FENCE)
#else
#ifdef SOME
#define COPY(to, from, n)                                                                                                                  \
    if (get_local_linear_id() < n)                                                                                                         \
    (to)[get_local_linear_id()] = (from)[get_local_linear_id()]
#else
#define COPY(to, from, n)                                                                                                                  \
    for (uint j = get_local_linear_id(); j < n; j += get_local_size(0) * get_local_size(1))                                                \
    (to)[j] = (from)[j]
#endif
#ifdef BOTH_FENCES
#define WAIT barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define WAIT barrier(CLK_LOCAL_MEM_FENCE)
#endif
#endif

__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(16, 4, 1))) kernel void
staged_by_some(global const short *a, global const int *b, global int *c)
{
    local short of_a[2][32 * 16];
    local int of_b[2][8 * 16];
    const int lane = get_local_id(0), sub_group = get_local_id(1), row = get_group_id(1) * 32, column = get_group_id(0) * 16;
    const int columns = get_global_size(0), deep = get_global_size(1) * 4;
    event_t copied = 0;
    for (int i = 0; i < 32; i++)
        COPY(&of_a[0][i * 16], a + (row + i) * deep, 16);
    for (int i = 0; i < 8; i++)
        COPY(&of_b[0][i * 16], b + i * columns + column, 16);
    int8 sum = 0;
    for (int k = 0, buffer = 0; k < deep; k += 16, buffer ^= 1) {
        WAIT;
        if (k + 16 < deep) {
            for (int i = 0; i < 32; i++)
                COPY(&of_a[buffer ^ 1][i * 16], a + (row + i) * deep + k + 16, 16);
            for (int i = 0; i < 8; i++)
                COPY(&of_b[buffer ^ 1][i * 16], b + ((k + 16) / 2 + i) * columns + column, 16);
        }
        short8 x;
        int8 y;
        for (int r = 0; r < 8; r++)
            x[r] = of_a[buffer][(sub_group * 8 + r) * 16 + lane];
        for (int r = 0; r < 8; r++)
            y[r] = of_b[buffer][r * 16 + lane];
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 8; r++)
        c[(row + sub_group * 8 + r) * columns + column + lane] = sum[r];
}
