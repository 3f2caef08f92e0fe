/* SPDX-License-Identifier: Apache-2.0
 * C = A·B with Intel's matrix functions, as one writes it for a GPU: each sub-group makes ROWS·8 rows and COLUMNS·SG columns of C.
 *
 * A lies row after row. B is packed: for each panel of COLUMNS·SG columns, the 32-bit words of K's elements (four bytes or two bfloat16)
 * row after row. With TILED both lie tile after tile of 16 rows of 64 bytes: A's beside each other, B's panels 16 columns wide. SG is the
 * size of the sub-group; BF16 chooses the type; AHEAD is how many rounds before they are used A and B are fetched (0: not at all). */
#ifndef STEP
#define STEP 64 /* bytes of K in one round */
#endif
#define WORDS (STEP / 4)
#define WIDTH (COLUMNS * SG)

#if SG == 16
typedef short8 a_part;
#define READ_ROW(p) as_short(intel_sub_group_block_read_us((global const ushort *)(p)))
#define FETCH_LINE(p) intel_sub_group_block_prefetch_ui((global const uint *)(p))
#else
typedef int8 a_part;
#define READ_ROW(p) as_int(intel_sub_group_block_read((global const uint *)(p)))
#define FETCH_LINE(p) intel_sub_group_block_prefetch_ui2((global const uint *)(p))
#endif

/* Row r, byte k of A's rows from `a` on; word row w of a panel of B, column j * SG. */
#ifdef TILED
#define A_AT(r, k) (a + ((r) / 16 * (k_bytes / 64) + (k) / 64) * 1024 + (r) % 16 * 64 + (k) % 64)
#define B_AT(w, j) (b + (j) * SG / 16 * (size_t)(k_bytes * 4) + (w) * 16 + (j) * SG % 16)
#else
#define A_AT(r, k) (a + (r) * k_bytes + (k))
#define B_AT(w, j) (b + (w) * WIDTH + (j) * SG)
#endif

#ifdef BF16
typedef float8 c_part;
typedef float element;
#define MAD(a, b, c) intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, c)
#else
typedef int8 c_part;
typedef int element;
#define MAD(a, b, c) intel_sub_group_i8_i8_matrix_mad_k32(a, b, c)
#endif

/* `k_bytes`: of a row of A; `n`: columns of C. A work-group's sub-groups lie in x and y beside each other. */
__attribute__((intel_reqd_sub_group_size(SG)))
kernel void gemm(global const char *a, global const uint *b, global element *c, int k_bytes, int n)
{
    int panel = get_global_id(0) / SG, row = get_global_id(1) * ROWS * 8;
    c_part sum[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum[i][j] = 0;
#ifdef BATCH /* many products of N x N; BATCH is N */
    a += get_global_id(2) * BATCH * k_bytes;
    b += get_global_id(2) * BATCH * (k_bytes / 4);
    c += get_global_id(2) * BATCH * BATCH;
#endif
    a += (size_t)row * k_bytes;
    b += (size_t)panel * (k_bytes / 4) * WIDTH;
    for (int k = 0; k < k_bytes; k += STEP) {
#if AHEAD
        for (int r = 0; r < ROWS * 8; r++)
            FETCH_LINE(A_AT(r, k + AHEAD * STEP));
        for (int j = 0; j < COLUMNS; j += 16 / SG)
            for (int r = 0; r < WORDS; r++)
                FETCH_LINE(B_AT(k / 4 + AHEAD * WORDS + r, j));
#endif
#pragma unroll
        for (int half_step = 0; half_step < STEP / 32; half_step++) {
            a_part x[ROWS];
            int8 y[COLUMNS];
            for (int i = 0; i < ROWS; i++)
                for (int r = 0; r < 8; r++)
                    x[i][r] = READ_ROW(A_AT(i * 8 + r, k + half_step * 32));
            for (int j = 0; j < COLUMNS; j++)
                for (int r = 0; r < 8; r++)
                    y[j][r] = as_int(intel_sub_group_block_read(B_AT(k / 4 + half_step * 8 + r, j)));
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] = MAD(x[i], y[j], sum[i][j]);
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int r = 0; r < 8; r++)
                intel_sub_group_block_write((global uint *)c + (size_t)(row + i * 8 + r) * n + panel * WIDTH + j * SG, as_uint(sum[i][j][r]));
}
