// SPDX-License-Identifier: Apache-2.0
// kernel: matrix_block2d_from_c
// global: 48 2
// local: 16 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: cl_intel_subgroup_2d_block_io
// buffer: uchar 1536 = 0
// buffer: ushort 1024 = 16256
// buffer: ushort 4096 = 16256
// buffer: ulong 96 = 0
// expect: 3 = 32

/* One row of A for each function, and rows of C as the sums' first numbers: each is loaded in one of two ways, as ids say at run time, so each
 * has a phi in a block of its own. */
enum { ROWS = 3, STEP = 16 };

kernel void matrix_block2d_from_c(global uchar *mc, global uchar *ma, global uchar *mb, global ulong *out)
{
    const int qa = get_global_size(0) + 16, qb = 128, qc = get_global_size(0);
    const uint lane = get_sub_group_local_id(), row = (get_group_id(1) * get_enqueued_local_size(1) + get_local_id(1)) * ROWS,
               column = get_global_id(0) / 16 * 16;
    global uchar *const bb = mb + get_global_id(2) * 5376, *const cb = mc + get_global_id(2) * 500;
    const uint cr = qc;
    float part[ROWS];
    for (int i = 0; i < ROWS; i++)
        part[i] = ((global float *)cb)[(row + i) * cr + column + lane];
    uint k = 0, left = 2;
    if (left)
        do {
            short x[ROWS];
            int8 y;
            for (int i = 0; i < ROWS; i++)
                intel_sub_group_2d_block_read_16b_1r16x1c(ma, 64, 6, qa, (int2)(k * STEP, row + i), (private ushort *)&x[i]);
            intel_sub_group_2d_block_read_transform_16b_16r16x1c(bb, 96, 32, qb, (int2)(column, k * STEP), (private uint *)&y);
            for (int i = 0; i < ROWS; i++)
                part[i] = intel_sub_group_bf16_bf16_matrix_mad_k16(x[i], y, part[i]);
            k++;
        } while (--left);
    for (int i = 0; i < ROWS; i++)
        ((global float *)cb)[(row + i) * cr + column + lane] = part[i];
    out[get_global_linear_id()] = (ulong)(part[0] + 0 * part[1]);
}
