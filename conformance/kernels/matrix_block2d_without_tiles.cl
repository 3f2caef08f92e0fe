// SPDX-License-Identifier: Apache-2.0
// kernel: without_tiles
// global: 16
// local: 16
// needs: cl_intel_subgroup_matrix_multiply_accumulate,cl_intel_subgroup_2d_block_io
// buffer: int 1024 = 286331153
// buffer: int 8192 = 286331153
// buffer: int 160 = 1
// expect: 2 = (i<16)*320+(i>=64)*(i<80)*320+(i>=16)*(i<64)+(i>=80)

/* The device runs no loop of this kernel, since steps of K follow each other in no way that it knows; so the kernel is compiled again without
 * tiles, and loops over 2D blocks must not be made twice. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void without_tiles(global uchar *a, global uchar *b, global int *c)
{
    const int lane = get_sub_group_local_id(), row = get_global_id(1) * 2, column = get_global_id(0);
    int part[2] = {0, 0};
    for (int k = 0; k < 5; k++) {
        ushort x[2];
        uint8 y;
        for (int r = 0; r < 2; r++)
            x[r] = *((global const ushort *)a + (row + r) * 16 + k * 94 + lane);
        intel_sub_group_2d_block_read_transpose_32b_16r8x1c(b, 224, 48, 352, (int2)(k * 8, column - lane), (private uint *)&y);
        for (int r = 0; r < 2; r++)
            part[r] = intel_sub_group_u4_u4_matrix_mad_k64(x[r], y, part[r]);
    }
    for (int r = 0; r < 2; r++)
        intel_sub_group_2d_block_write_32b_1r16x1c(c, 256, 2, 256, (int2)(column - lane, row + r), (private uint *)&part[r]);
    for (int block = 0; block < 4; block += 3)
        for (int k = block; k < min(block + 3, 4); k++) {
            ushort x[2];
            uint8 y;
            for (int r = 0; r < 2; r++)
                x[r] = *((global const ushort *)a + (row + r) * 16 + k * 94 + lane);
            intel_sub_group_2d_block_read_transpose_32b_16r8x1c(b, 224, 64, 352, (int2)(k * 8, column - lane), (private uint *)&y);
            for (int r = 0; r < 2; r++)
                part[r] = intel_sub_group_u8_u8_matrix_mad_k32(x[r], y, part[r]);
        }
    if (row == 77) /* nowhere */
        c[128 + lane] = part[0];
}
