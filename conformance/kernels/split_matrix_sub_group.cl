// SPDX-License-Identifier: Apache-2.0
// kernel: beside
// global: 64
// local: 16
// needs: cl_intel_subgroup_split_matrix_multiply_accumulate
// options: -cl-std=CL3.0
// buffer: int 64 = 0
// expect: 0 = 15

/* The functions of sub-groups beside a matrix function that joins two of them. */
__attribute__((intel_reqd_sub_group_size(8))) kernel void beside(global int *ok)
{
    int l = (int)get_sub_group_local_id(), odd = (int)get_sub_group_id();
    int2 d = intel_sub_group_i8_i8_split_matrix_mad_k32(0x01010101 * (1 + odd), (int8)0x01010101, (int2)(l, 2 * l));
    int good = all(d == (int2)(32 + l, 64 + 2 * l));
    good |= (sub_group_reduce_add(d.x) == 8 * 32 + 28) << 1;
    good |= (sub_group_scan_inclusive_max(d.y) == d.y && sub_group_all(d.x >= 32)) << 2;
    good |= (intel_sub_group_shuffle(d.x, 5u) == 37 && sub_group_broadcast(d.y, 3) == 70) << 3;
    ok[get_global_id(0)] = good;
}
