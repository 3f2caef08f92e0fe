// SPDX-License-Identifier: Apache-2.0
// kernel: columns
// global: 4 4 32
// offset: 3 5 7
// local: 1 1 16
// local: 1 1 32
// local: 1 4 1
// local: 1 1 8
// local: 2 1 8
// local: 4 4 2
// buffer: uint 512 = 0
// expect: 0 = 1

/* Work-groups that are columns in y or z, and others: ids, sub-groups and local memory are the same whichever dimension lanes follow. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void columns(global uint *out)
{
    local uint seen[64];
    const uint x = get_local_size(0), y = get_local_size(1), n = x * y * get_local_size(2), i = get_local_linear_id();
    const uint lane = get_sub_group_local_id(), other = (i + 5) % n;
    uint good = i == (get_local_id(2) * y + get_local_id(1)) * x + get_local_id(0);
    for (uint d = 0; d < 3; d++)
        good &= get_global_id(d) == get_group_id(d) * get_local_size(d) + get_local_id(d) + get_global_offset(d) && get_global_offset(d) == 3 + 2 * d;
    good &= get_num_groups(0) * x == 4 && get_num_groups(1) * y == 4 && get_global_size(0) == 4 && get_global_size(2) == 32;
    good &= lane == i % 16 && get_sub_group_id() == i / 16 && get_num_sub_groups() == (n + 15) / 16;
    good &= sub_group_broadcast(i, 3) == i / 16 * 16 + 3;
    good &= intel_sub_group_shuffle(i, lane ^ 1) == (i ^ 1);
    good &= sub_group_scan_inclusive_add(1u) == lane + 1;
    seen[i] = get_global_linear_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint first = get_group_id(0) * x + (get_group_id(1) * y + get_group_id(2) * get_local_size(2) * 4) * 4;
    good &= seen[other] == first + other % x + (other / x % y + other / x / y * 4) * 4;
    out[get_global_linear_id()] = good;
}
