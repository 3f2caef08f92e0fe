// SPDX-License-Identifier: Apache-2.0
// Transposition through tiles in local memory, padded against bank conflicts; eight rows of work-items per tile.
#define TILE 32
#define ROWS 8
kernel void transpose(global const float *in, global float *out, int width, int height)
{
    local float tile[TILE][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(0) * TILE + lx, y = get_group_id(1) * TILE + ly;
    for (int k = 0; k < TILE; k += ROWS)
        tile[ly + k][lx] = in[(y + k) * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + lx;
    y = get_group_id(0) * TILE + ly;
    for (int k = 0; k < TILE; k += ROWS)
        out[(y + k) * height + x] = tile[lx][ly + k];
}
