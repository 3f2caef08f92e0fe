// SPDX-License-Identifier: Apache-2.0
// Inclusive sums within work-groups: the sub-group's scan, then the sums of sub-groups through local memory.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan(global const int *in, global int *out)
{
    local int sums[256];
    int i = get_global_id(0), value = sub_group_scan_inclusive_add(in[i]);
    if (get_sub_group_local_id() == get_sub_group_size() - 1)
        sums[get_sub_group_id()] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = 0;
    for (uint j = get_sub_group_local_id(); j < get_sub_group_id(); j += get_sub_group_size())
        before += sums[j];
    out[i] = value + sub_group_reduce_add(before);
}
