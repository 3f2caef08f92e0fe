// SPDX-License-Identifier: Apache-2.0
// kernel: k
// global: 64
// local: 32
// needs: 16
// buffer: int 64 = 0
// buffer: int 512 = i
// expect: 0 = 976 + 640 * (((i + 1) % 32) / 16)

/* A local array of two dimensions beside a function whose result differs from sub-group to sub-group. */
kernel __attribute__((intel_reqd_sub_group_size(16))) void k(global int *out, global const int *in)
{
    local int tile[8][32];
    uint l = get_local_id(0);
    for (int i = 0; i < 8; i++)
        tile[i][l & 31] = sub_group_broadcast(in[i * 32 + l * 5], 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += tile[i][(l + 1) & 31];
    out[get_global_id(0)] = sum;
}
