// SPDX-License-Identifier: Apache-2.0
// C = A B as on a GPU: 64 x 64 elements per group in tiles of 16 in local memory, 4 x 4 elements per work-item in registers.
#define TILE 64
#define DEPTH 16
#define EACH 4
#define SIDE (TILE / EACH)
kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void sgemm(global const float *restrict a, global const float *restrict b, global float *restrict c, int m, int n, int k)
{
    local float as[DEPTH][TILE + 1], bs[DEPTH][TILE];
    int lx = get_local_id(0), ly = get_local_id(1), l = ly * SIDE + lx;
    int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
    float sum[EACH][EACH];
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            sum[i][j] = 0;
    for (int start = 0; start < k; start += DEPTH) {
        for (int e = l; e < TILE * DEPTH; e += SIDE * SIDE) {
            as[e % DEPTH][e / DEPTH] = a[(row + e / DEPTH) * k + start + e % DEPTH];
            bs[e / TILE][e % TILE] = b[(start + e / TILE) * n + column + e % TILE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < DEPTH; p++) {
            float x[EACH], y[EACH];
            for (int i = 0; i < EACH; i++)
                y[i] = as[p][ly * EACH + i];
            for (int j = 0; j < EACH; j++)
                x[j] = bs[p][lx + j * SIDE];
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sum[i][j] = mad(y[i], x[j], sum[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            c[(row + ly * EACH + i) * n + column + lx + j * SIDE] = sum[i][j];
}
