/* SPDX-License-Identifier: Apache-2.0
 * C = A·B as people write it for GPUs, one sub-group a work-group: each makes ROWS·M rows and COLUMNS·16 columns of C. A lies row after row.
 * B is a matrix of 32-bit words of K's elements (four bytes or two bfloat16), row after row, or with B_ROWS one of elements.
 *
 * M: rows of one matrix function, 1, 2, 4 or 8. INDEX: the type of all indices. BLOCKS: A and B by 2D block reads, of M = 8. BF16 chooses the
 * type. n: elements in a row of B and C; deep: in a row of A, which is K. size: rows and columns of C, and K, as 2D blocks see them.
 *
 * LANES: 8 or 16. FROM_C: C = A·B + zero·C, so that the sums begin with numbers in memory. EPILOGUE: a scale, a bias and an activation between
 * loop and store. NESTED: K in blocks, each with a loop of its own. WRITES: C by 2D block writes. `scale` is 1 and `zero` 0, so that the results are
 * those of the plain form. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if M == 1
#define PART(type) type
#else
#define PART(type) JOIN(type, M)
#endif

#ifndef LANES
#define LANES 16
#endif

#ifdef BF16
#define IN_WORD 2
typedef float number;
typedef ushort element;
typedef PART(float) c_part;
#define MAD(a, b, c) intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, c)
#define WORD(p) as_int((ushort2)(p[0], p[n]))
#define READ_A intel_sub_group_2d_block_read_16b_8r16x1c
#define READ_B_ROWS intel_sub_group_2d_block_read_transform_16b_16r16x1c
#else
#define IN_WORD 4
typedef int number;
typedef char element;
typedef PART(int) c_part;
#define MAD(a, b, c) intel_sub_group_i8_i8_matrix_mad_k32(a, b, c)
#define WORD(p) as_int((char4)(p[0], p[n], p[2 * n], p[3 * n]))
#define READ_A intel_sub_group_2d_block_read_8b_8r32x1c
#define READ_B_ROWS intel_sub_group_2d_block_read_transform_8b_32r16x1c
#endif
#if LANES == 8
typedef int a_element;
typedef PART(int) a_part;
#else
typedef short a_element;
typedef PART(short) a_part;
#endif
enum { DEEP = 8 * IN_WORD /* elements of K in a round */, BYTES = 4 / IN_WORD, A_ELEMENTS = sizeof(a_element) / BYTES };

__attribute__((intel_reqd_sub_group_size(LANES)))
kernel void gemm(global const a_element *a, global const void *b, global number *c, INDEX n, INDEX deep, int3 size, float scale, int zero)
{
    const INDEX lane = get_sub_group_local_id(), row = get_global_id(1) * ROWS * M, column = get_group_id(0) * COLUMNS * LANES;
    const INDEX pitch = deep / A_ELEMENTS; /* of A */
    c_part sum[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < M; r++)
#ifdef FROM_C
                ((private number *)&sum[i][j])[r] = zero * c[(row + i * M + r) * n + column + j * LANES + lane];
#else
                ((private number *)&sum[i][j])[r] = 0;
#endif
#ifdef NESTED
    for (INDEX block = 0; block < deep; block += 256)
        for (INDEX k = block; k < min(block + 256, deep); k += DEEP) {
#else
    for (INDEX k = 0; k < deep; k += DEEP) {
#endif
        a_part x[ROWS];
        int8 y[COLUMNS];
#ifdef BLOCKS
        for (int i = 0; i < ROWS; i++)
            READ_A((global void *)a, size.z * BYTES, size.x, deep * BYTES, (int2)(k, row + i * M), (private ushort *)&x[i]);
        for (int j = 0; j < COLUMNS; j++)
#ifdef B_ROWS
            READ_B_ROWS((global void *)b, size.y * BYTES, size.z, n * BYTES, (int2)(column + j * LANES, k), (private uint *)&y[j]);
#else
            intel_sub_group_2d_block_read_32b_8r16x1c((global void *)b, size.y * 4, (size.z + IN_WORD - 1) / IN_WORD, n * 4, (int2)(column + j * LANES, k / IN_WORD),
                                                      (private uint *)&y[j]);
#endif
#else
        for (int i = 0; i < ROWS; i++)
            for (int r = 0; r < M; r++)
                ((private a_element *)&x[i])[r] = a[(row + i * M + r) * pitch + k / A_ELEMENTS + lane];
        for (int j = 0; j < COLUMNS; j++)
            for (int w = 0; w < 8; w++) {
#ifdef B_ROWS
                global const element *p = (global const element *)b + (k + w * IN_WORD) * n + column + j * LANES + lane;
                y[j][w] = WORD(p);
#else
                y[j][w] = ((global const int *)b)[(k / IN_WORD + w) * n + column + j * LANES + lane];
#endif
            }
#endif
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                sum[i][j] = MAD(x[i], y[j], sum[i][j]);
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
#ifdef WRITES
            intel_sub_group_2d_block_write_32b_8r16x1c(c, size.y * 4, size.x, n * 4, (int2)(column + j * LANES, row + i * M), (private uint *)&sum[i][j]);
#else
            for (int r = 0; r < M; r++) {
                number value = ((private number *)&sum[i][j])[r];
#ifdef EPILOGUE
                float x = (float)value * scale + (float)(zero * (lane + j));
                value = (number)fmax(x, x * (1 + zero));
#endif
                c[(row + i * M + r) * n + column + j * LANES + lane] = value;
            }
#endif
        }
}
