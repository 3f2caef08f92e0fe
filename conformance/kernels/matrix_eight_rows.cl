// SPDX-License-Identifier: Apache-2.0
// kernel: eight_rows
// global: 32 11
// local: 16 1
// edge-buffer: char 16896 = i*5+i/64*3
// edge-buffer: char 45056 = i*7+i/32
// buffer: int 11264 = 0
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D COLUMNS=4
// options: -cl-std=CL3.0 -D COLUMNS=2 -D APART=2
// options: -cl-std=CL3.0 -D M=4
// options: -cl-std=CL3.0 -D M=1 -D COLUMNS=2 -D APART=3
// options: -cl-std=CL3.0 -D BY_ROWS
// options: -cl-std=CL3.0 -D BY_ROWS -D APART=4
// options: -cl-std=CL3.0 -D ROWS=2
// expect: 2 = 1

/* A loop over K behind a barrier, whose packets run neither later nor twice, so that its accumulators are in registers of the packet. K has
 * an odd number of steps; APART of them lie between two rounds. ROWS blocks of M rows under each other, COLUMNS beside each other. */
#ifndef M
#define M 8
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef COLUMNS
#define COLUMNS 1
#endif
#ifndef APART
#define APART 1
#endif
#define JOIN(x, y) x##y
#define VECTOR(type, n) JOIN(type, n)
#if M == 1
typedef short a_part;
typedef int sums;
#else
typedef VECTOR(short, M) a_part;
typedef VECTOR(int, M) sums;
#endif
enum { STEPS = 11, DEEP = 32 * STEPS };

__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(16, 1, 1)))
kernel void eight_rows(global const char *restrict a, global const char *restrict b, global int *restrict ok)
{
    local int factors[16];
    const int lane = get_sub_group_local_id(), row = get_group_id(1) * M * ROWS % 48, column = get_group_id(0) * 16 * COLUMNS % 128,
              n = 128;
    factors[lane] = lane + 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums sum[ROWS][COLUMNS] = {};
    for (int s = 0; s < STEPS; s += APART) {
        int8 y[COLUMNS];
        for (int j = 0; j < COLUMNS; j++)
            for (int w = 0; w < 8; w++)
#ifdef BY_ROWS
            {
                uint word = 0;
                for (int p = 0; p < 4; p++)
                    word |= (uint)(uchar)b[(s * 32 + w * 4 + p) * n + column + j * 16 + lane] << 8 * p;
                y[j][w] = (int)word;
            }
#else
                y[j][w] = ((global const int *)b)[(s * 8 + w) * n + column + j * 16 + lane];
#endif
        for (int i = 0; i < ROWS; i++) {
            a_part x;
            for (int r = 0; r < M; r++)
                ((private short *)&x)[r] = ((global const short *)a)[((row + i * M + r) * DEEP + s * 32) / 2 + lane];
            for (int j = 0; j < COLUMNS; j++)
                sum[i][j] = intel_sub_group_i8_i8_matrix_mad_k32(x, y[j], sum[i][j]);
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < M; r++) {
                int all = 0;
                for (int s = 0; s < STEPS; s += APART)
                    for (int k = s * 32; k < s * 32 + 32; k++)
#ifdef BY_ROWS
                        all += a[(row + i * M + r) * DEEP + k] * b[k * n + column + j * 16 + lane];
#else
                        all += a[(row + i * M + r) * DEEP + k] * b[(k / 4 * n + column + j * 16 + lane) * 4 + k % 4];
#endif
                const int place = ((get_group_id(1) * ROWS + i) * M + r) * (int)get_num_groups(0) * 16 * COLUMNS + get_group_id(0) * 16 * COLUMNS + j * 16 + lane;
                const int result = ((private int *)&sum[i][j])[r] * factors[lane];
                for (int once = place; once < 11264; once += 11 * M * ROWS * 2 * 16 * COLUMNS)
                    ok[once] = result == all * factors[lane];
            }
}
