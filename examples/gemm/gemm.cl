/* SPDX-License-Identifier: Apache-2.0
 * C = A·B four times: with plain loads, with block reads, with blocks of two dimensions, and with split matrix functions.
 *
 * A lies row after row. B is packed for the matrix functions: panels of 16 columns, one after the other; in a panel, row after row, 16 words
 * of 32 bits, of which each holds the elements of a column in that row and the next ones (four int8 or two bfloat16). So what a
 * sub-group wants next always lies right behind what it read last.
 *
 * Each sub-group (with split functions: each pair of them) makes a block of ROWS · 8 by COLUMNS · 16 of C and keeps it in registers
 * throughout. All loops over these are short and constant, so they are unrolled. K goes on by 64 bytes a round, which is
 * two steps of the matrix functions. */
enum { ROWS = 4, COLUMNS = 2, PANEL = 16, STEP = 32 /* bytes of K in one matrix function */ };

#ifdef BF16
typedef float element;
typedef float8 c_block;
#define MAD(form) intel_sub_group_bf16_bf16_##form##_k16
#else
typedef int element;
typedef int8 c_block;
#define MAD(form) intel_sub_group_i8_i8_##form##_k32
#endif

/* ---- plain: every work-item loads its own elements ---- */

/* Of A, the lanes of a sub-group of 16 hold a row of 32 bytes, two bytes each. Of B, each lane holds a column. `words`: 32-bit words in a
 * row of A, that is, rows of packed B. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void gemm_plain(global const short *restrict a, global const int *restrict b, global element *restrict c, int words, int n)
{
    int lane = get_sub_group_local_id(), row = get_global_id(1) * ROWS * 8, panel = get_global_id(0) / PANEL * COLUMNS;
    c_block sum[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum[i][j] = 0;

    for (int k = 0; k < words; k += 2 * STEP / 4) {
#pragma unroll
        for (int step = 0; step < 2; step++) {
            int at = k + step * STEP / 4;
            short8 x[ROWS];
            int8 y[COLUMNS];
            for (int i = 0; i < ROWS; i++)
                for (int r = 0; r < 8; r++)
                    x[i][r] = (a + (row + i * 8 + r) * words * 2 + at * 2)[lane];
            for (int j = 0; j < COLUMNS; j++)
                for (int r = 0; r < 8; r++)
                    y[j][r] = (b + ((panel + j) * words + at + r) * PANEL)[lane];
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] = MAD(matrix_mad)(x[i], y[j], sum[i][j]);
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < 8; r++)
                c[(row + i * 8 + r) * n + (panel + j) * PANEL + lane] = sum[i][j][r];
}

/* ---- blocks: the sub-group reads and writes together ---- */

__attribute__((intel_reqd_sub_group_size(16)))
kernel void gemm_blocks(global const ushort *restrict a, global const uint *restrict b, global uint *restrict c, int words, int n)
{
    int row = get_global_id(1) * ROWS * 8, panel = get_global_id(0) / PANEL * COLUMNS;
    c_block sum[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum[i][j] = 0;

    for (int k = 0; k < words; k += 2 * STEP / 4) {
#pragma unroll
        for (int step = 0; step < 2; step++) {
            int at = k + step * STEP / 4;
            short8 x[ROWS];
            int8 y[COLUMNS];
            for (int i = 0; i < ROWS; i++)
                for (int r = 0; r < 8; r++)
                    x[i][r] = as_short(intel_sub_group_block_read_us(a + (row + i * 8 + r) * words * 2 + at * 2));
            for (int j = 0; j < COLUMNS; j++) /* eight rows of 16 words at once */
                y[j] = as_int8(intel_sub_group_block_read8(b + ((panel + j) * words + at) * PANEL));
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] = MAD(matrix_mad)(x[i], y[j], sum[i][j]);
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < 8; r++)
                intel_sub_group_block_write(c + (row + i * 8 + r) * n + (panel + j) * PANEL, as_uint(sum[i][j][r]));
}

/* ---- blocks of two dimensions ---- */

/* One function reads all rows of A, 64 bytes of each: two blocks side by side, one for each step. Another one reads 16 rows of a panel of B.
 * What lies outside of a matrix would read as zero and not be written, so that the sizes need not be multiples of the blocks'. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void gemm_2d(global ushort *restrict a, global uint *restrict b, global uint *restrict c, int words, int n)
{
    int row = get_global_id(1) * ROWS * 8, panel = get_global_id(0) / PANEL * COLUMNS;
    c_block sum[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum[i][j] = 0;

    for (int k = 0; k < words; k += 2 * STEP / 4) {
        short8 x[2][ROWS];
        int8 y[COLUMNS][2];
        intel_sub_group_2d_block_read_16b_32r16x2c(a, words * 4, n, words * 4, (int2)(k * 2, row), (private ushort *)x);
        for (int j = 0; j < COLUMNS; j++)
            intel_sub_group_2d_block_read_32b_16r16x1c(b, PANEL * 4, n / PANEL * words, PANEL * 4, (int2)(0, (panel + j) * words + k),
                                                       (private uint *)y[j]);
        for (int step = 0; step < 2; step++)
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] = MAD(matrix_mad)(x[step][i], y[j][step], sum[i][j]);
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            intel_sub_group_2d_block_write_32b_8r16x1c(c, n * 4, n, n * 4, (int2)((panel + j) * PANEL, row + i * 8),
                                                       (private uint *)&sum[i][j]);
}

/* ---- split: two sub-groups of 8 share A ---- */

/* Each of a pair reads half of the rows of A, and its own eight columns of every panel. */
__attribute__((intel_reqd_sub_group_size(8)))
kernel void gemm_split(global const uint *restrict a, global const uint *restrict b, global uint *restrict c, int words, int n)
{
    int odd = get_sub_group_id() & 1, row = get_global_id(1) * ROWS * 8, panel = get_global_id(0) / PANEL * COLUMNS;
    c_block sum[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum[i][j] = 0;

    for (int k = 0; k < words; k += 2 * STEP / 4) {
#pragma unroll
        for (int step = 0; step < 2; step++) {
            int at = k + step * STEP / 4;
            int4 x[ROWS];
            int8 y[COLUMNS];
            for (int i = 0; i < ROWS; i++)
                for (int r = 0; r < 4; r++)
                    x[i][r] = as_int(intel_sub_group_block_read(a + (row + i * 8 + odd * 4 + r) * words + at));
            for (int j = 0; j < COLUMNS; j++)
                for (int r = 0; r < 8; r++)
                    y[j][r] = as_int(intel_sub_group_block_read(b + ((panel + j) * words + at + r) * PANEL + odd * 8));
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] = MAD(split_matrix_mad)(x[i], y[j], sum[i][j]);
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < 8; r++)
                intel_sub_group_block_write(c + (row + i * 8 + r) * n + (panel + j) * PANEL + odd * 8, as_uint(sum[i][j][r]));
}
