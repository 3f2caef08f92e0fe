// SPDX-License-Identifier: Apache-2.0
// A seed of fuzz_source: matrix functions and sub-groups.
__attribute__((intel_reqd_sub_group_size(16))) kernel void mad(global const short8 *a, global const int8 *b, global float8 *c)
{
    size_t i = get_global_id(0);
    c[i] = intel_sub_group_bf16_bf16_matrix_mad_k16(a[i], b[i], c[i]);
    c[i].s0 = sub_group_shuffle(c[i].s1, get_sub_group_local_id() ^ 1);
}

__attribute__((intel_reqd_sub_group_size(8))) kernel void split(global const int4 *a, global const int8 *b, global int8 *c)
{
    size_t i = get_global_id(0);
    int8 sum = 0;
    for (int k = 0; k < 4; k++)
        sum = intel_sub_group_i8_u8_split_matrix_mad_k32(a[i + k], as_uint8(b[i + k]), sum);
    c[i] = sum;
}

kernel void wide(global uint4 *a, global const int4 *b)
{
    size_t i = get_global_id(0);
    a[i] = tessera_madw_hi(a[i], b[i], a[i]) + sub_group_broadcast(a[i].x, 0);
}
