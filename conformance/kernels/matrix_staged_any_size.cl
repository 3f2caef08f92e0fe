// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 64 16
// local: 64 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 32768 = (i/128+i%128*5)%4+1
// buffer: char 8192 = i%64%5+1
// buffer: int 16400 = 5
// local-buffer: 1024
// local-buffer: 4096
// expect: 2 = (i<16384)*320*(i%64%5+1)+(i>=16384)*5

/* No local size is required, and bytes may change with any store. Vectors are copied to two buffers that take turns, by numbers without a
 * sign that count elements in steps of all work-items' vectors. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void product(global const char *a, global const char *b, global int *c, local char *of_a, local char *of_b)
{
    const uint item = get_local_linear_id(), lane = get_sub_group_local_id(), beside = get_sub_group_id() * 16, row = get_group_id(1) * 16,
               columns = get_global_size(0), depth = columns * 2;
    int8 sum[2] = {0, 0};
    uint turn = 0;
    for (uint i = item * 8; i < 16 * 32; i += get_local_size(0) * 8)
        vstore8(vload8(0, a + (row + i / 32) * depth + i % 32), 0, of_a + i);
    for (uint i = item * 4; i < 32 * 64; i += get_local_size(0) * 4)
        vstore4(vload4(0, b + i / 64 * columns + i % 64), 0, of_b + i);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < depth; k += 32) {
        if (k + 32 < depth) {
            for (uint i = item * 8; i < 16 * 32; i += get_local_size(0) * 8)
                vstore8(vload8(0, a + (row + i / 32) * depth + (k + 32) + i % 32), 0, of_a + (turn ^ 1) * 512 + i);
            for (uint i = item * 4; i < 32 * 64; i += get_local_size(0) * 4)
                vstore4(vload4(0, b + (k + 32 + i / 64) * columns + i % 64), 0, of_b + (turn ^ 1) * 2048 + i);
        }
        int8 y;
        for (uint i = 0; i < 8; i++) {
            local const char *p = of_b + turn * 2048 + i * 4 * 64 + beside + lane;
            y[i] = as_int((char4)(p[0], p[64], p[128], p[192]));
        }
        for (uint h = 0; h < 2; h++) {
            short8 x;
            for (uint i = 0; i < 8; i++)
                x[i] = ((local const short *)(of_a + turn * 512 + (8 * h + i) * 32))[lane];
            sum[h] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[h]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        turn ^= 1;
    }
    for (uint h = 0; h < 2; h++)
        for (uint i = 0; i < 8; i++)
            c[(row + 8 * h + i) * columns + beside + lane] = sum[h][i];
}
