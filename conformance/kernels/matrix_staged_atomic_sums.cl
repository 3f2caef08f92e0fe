// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 128 2 3
// local: 64 1 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: char 22528 = i/352%3+1
// buffer: int 2816 = (i%32%5+1)*16843009
// buffer: int 2056 = 7
// expect: 2 = 7+(i<2048)*352*(i/32%3+1)*(i%32%5+1)

/* K is shared out among work-groups, the last of which gets less, and what each of them has copied and multiplied is added to C by atomic
 * operations. Each counts its steps up to the last one. */
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(64, 1, 1)))
kernel void product(global const char *a, global const int *restrict b, global int *restrict c)
{
    local short pa[32][16];
    local int pb[8][16];
    const uint item = get_local_id(0), lane = get_sub_group_local_id(), group = get_sub_group_id(), column = get_group_id(0) * 16,
               row = get_group_id(1) * 32, columns = get_global_size(0) / 4, steps = columns * 11 / 32, each = (steps + 2) / get_num_groups(2),
               first = get_group_id(2) * each, last = min(first + each, steps) - 1;
    int8 sum = 0;
    for (uint s = first; s <= last; s++) {
        for (uint i = item; i < 32 * 16; i += 64)
            pa[i / 16][i % 16] = ((global const short *)a)[(row + i / 16) * steps * 16 + s * 16 + i % 16];
        for (uint i = item; i < 8 * 16; i += 64)
            pb[i / 16][i % 16] = b[(s * 8 + i / 16) * columns + column + i % 16];
        barrier(CLK_LOCAL_MEM_FENCE);
        short8 x;
        int8 y;
        for (int i = 0; i < 8; i++) {
            x[i] = pa[8 * group + i][lane];
            y[i] = pb[i][lane];
        }
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 8; i++)
        atomic_add(&c[(row + 8 * group + i) * columns + column + lane], sum[i]);
}
