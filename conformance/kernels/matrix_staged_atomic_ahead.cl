// SPDX-License-Identifier: Apache-2.0
// kernel: product
// global: 64 2
// local: 64 1
// needs: cl_intel_subgroup_matrix_multiply_accumulate
// needs: 16
// buffer: int 4096 = 16843009
// buffer: int 1024 = 16843009
// buffer: int 128 = 0
// buffer: int 1032 = 0
// expect: 2 = 64
// expect: 3 = (i<1024)*96

/* What was copied is changed by an atomic operation in front of the second product, which has to see the copy. */
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(64, 1, 1)))
kernel void product(global int *a, global const int *b, global int *seen, global int *c)
{
    local short pa[32][16];
    const uint item = get_local_id(0), lane = get_sub_group_local_id(), group = get_sub_group_id(), row = get_group_id(1) * 32;
    int8 sum = 0;
    for (uint s = 0; s < 3; s++) {
        for (uint i = item; i < 32 * 16; i += 64)
            pa[i / 16][i % 16] = ((global const short *)a)[(row + i / 16) * 48 + s * 16 + i % 16];
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(&seen[get_group_id(1) * 64 + item], (int)s * 21 + (s == 2));
        short8 x;
        int8 y;
        for (int i = 0; i < 8; i++) {
            x[i] = pa[8 * group + i][lane];
            y[i] = b[(s * 8 + i) * 16 + lane];
        }
        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 8; i++)
        c[(row + 8 * group + i) * 16 + lane] = sum[i];
}
