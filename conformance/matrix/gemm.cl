/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in loops, the way programs write them; every macro below is one more way. D = A·B + C by sub-groups, each for
 * ROWS·M rows and COLUMNS·SG columns. A: K_BYTES in a row. B: words of K's elements, N in a row. With split functions a pair of sub-groups
 * shares its rows of A, of which each reads A_ROWS = M / 2. */
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define c_part CAT(element, M_SUFFIX)
#define a_part CAT(a_scalar, A_SUFFIX)
#if A_ROWS == 1
#define A_SUFFIX
#define A_ROW(v, r) v
#else
#define A_SUFFIX A_ROWS
#define A_ROW(v, r) (v)[r]
#endif
#if M == 1
#define M_SUFFIX
#define ROW(v, r) v
#else
#define M_SUFFIX M
#define ROW(v, r) (v)[r]
#endif
#ifndef FIRST
#define FIRST 0
#endif
#ifndef index /* the type of indices */
#define index int
#endif
#ifndef WRAPS /* with indices that are a uint: n times this wraps around to 0 */
#define WRAPS 0
#endif
#ifndef LANE
#define LANE get_sub_group_local_id()
#endif
#ifdef STAGED /* A comes by way of local memory, with barriers in the loop */
#define READ_A(p) ((const local a_scalar *)(p))[lane]
#elif defined PLAIN /* without block reads */
#define A_PITCH (k_bytes / (index)sizeof(a_scalar))
#define READ_A_AT(row, byte) ((global const a_scalar *)a)[(row) * A_PITCH + (byte) / (index)sizeof(a_scalar) + lane]
#define READ_B_AT(row, column) CAT(as_, b_scalar)(b[(row) * n + column + lane])
#elif defined BLOCKS /* of two dimensions: SG = 16, and ROWS · M = 16, CHAIN = 2 but for SMALL blocks; so many rows of D are none to the functions */
#define READ_A_AT(row, byte) CAT(as_, a_scalar)(in_a[part][i * M + r])
#define READ_B_AT(row, column) CAT(as_, b_scalar)(in_b[j][part * 8 + r])
#elif SG == 16
#define READ_A(p) CAT(as_, a_scalar)(intel_sub_group_block_read_us((global const ushort *)(p)))
#else
#define READ_A(p) CAT(as_, a_scalar)(intel_sub_group_block_read((global const uint *)(p)))
#endif
#ifndef READ_A_AT
#define READ_A_AT(row, byte) READ_A(a + (row) * k_bytes + (byte))
#define READ_B_AT(row, column) CAT(as_, b_scalar)(intel_sub_group_block_read(b + (row) * n + (column)))
#endif

__attribute__((intel_reqd_sub_group_size(SG)))
kernel void gemm(global const uchar *a, global const uint *b, global const element *c, global element *d, index k_bytes, index n)
{
    index panel = get_group_id(0) * get_num_sub_groups() + get_sub_group_id(), row = get_group_id(1) * ROWS * M;
    index column = panel * COLUMNS * SG, lane = LANE;
    index first = A_ROWS < M ? get_sub_group_id() % 2 * A_ROWS : 0; /* of the rows that this sub-group reads */
    c_part sum[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < M; r++)
#ifdef FROM_ZERO
                ROW(sum[i][j], r) = 0;
#else
                ROW(sum[i][j], r) = c[(row + i * M + r) * n + column + j * SG + lane];
#endif
#ifdef STAGED
    local uchar stage[ROWS * M][32 * CHAIN];
#endif
    for (index k = FIRST; k < k_bytes; k += 32 * CHAIN) {
#ifdef SKIP /* a condition in the loop, the same for all */
        if (b[k / 4 * n] == SKIP)
            continue;
#endif
#ifdef BLOCKS
        ushort in_a[CHAIN][ROWS * M];
        uint in_b[COLUMNS][CHAIN * 8];
#ifdef SMALL
        for (int part = 0; part < CHAIN; part++) {
            for (int i = 0; i < ROWS; i++)
                intel_sub_group_2d_block_read_16b_8r16x1c((global void *)a, k_bytes, row + ROWS * M, k_bytes,
                                                          (int2)(k / 2 + part * 16, row + i * M), in_a[part] + i * M);
            for (int j = 0; j < COLUMNS; j++)
                intel_sub_group_2d_block_read_32b_8r16x1c((global void *)b, n * 4, k_bytes / 4, n * 4,
                                                          (int2)(column + j * SG, k / 4 + part * 8), in_b[j] + part * 8);
        }
#else
        intel_sub_group_2d_block_read_16b_16r16x2c((global void *)a, k_bytes, row + ROWS * M, k_bytes, (int2)(k / 2, row), in_a[0]);
        for (int j = 0; j < COLUMNS; j++)
            intel_sub_group_2d_block_read_32b_16r16x1c((global void *)b, n * 4, k_bytes / 4, n * 4, (int2)(column + j * SG, k / 4), in_b[j]);
#endif
#endif
        index start = k + n * WRAPS;
#ifdef STAGED
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = get_local_id(0); i < ROWS * M * 32 * CHAIN; i += get_local_size(0))
            stage[i / (32 * CHAIN)][i % (32 * CHAIN)] = a[(row + i / (32 * CHAIN)) * k_bytes + start + i % (32 * CHAIN)];
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
        for (int part = 0; part < CHAIN; part++) {
            index at = start + part * 32;
            a_part x[ROWS];
            CAT(b_scalar, 8) y[COLUMNS];
            for (int i = 0; i < ROWS; i++)
                for (int r = 0; r < A_ROWS; r++)
#ifdef STAGED
                    A_ROW(x[i], r) = READ_A(stage[i * M + first + r] + part * 32);
#else
                    A_ROW(x[i], r) = READ_A_AT(row + i * M + first + r, at);
#endif
            for (int j = 0; j < COLUMNS; j++)
                for (int r = 0; r < 8; r++)
                    y[j][r] = READ_B_AT(at / 4 + r, column + j * SG);
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] = MAD(x[i], y[j], sum[i][j]);
        }
#ifdef SCALE /* accumulators change between operations */
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                sum[i][j] *= (c_part)SCALE;
#endif
    }
#ifdef BLOCKS
    int height = (int)get_num_groups(1) * ROWS * M - BLOCKS;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            uint8 out = CAT(as_uint, M_SUFFIX)(sum[i][j]);
            intel_sub_group_2d_block_write_32b_8r16x1c(d, n * 4, height, n * 4, (int2)(column + j * SG, row + i * M), (private uint *)&out);
        }
#endif
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < M; r++)
#ifdef BLOCKS
                if (BLOCKS && row + i * M + r >= height)
#endif
#ifdef PACKED /* what the sub-group makes lies in one piece, its rows PACKED apart, which no compiler can know */
                d[row * n + column * ROWS * M + (i * M + r) * (PACKED + (n >> 24)) + j * SG + lane] = ROW(sum[i][j], r);
#else
                d[(row + i * M + r) * n + column + j * SG + lane] = ROW(sum[i][j], r);
#endif
}
