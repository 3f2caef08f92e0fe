// SPDX-License-Identifier: Apache-2.0
// Inner products of rows of 256: butterflies of shuffles in the sub-group, local memory between sub-groups.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#ifdef cl_khr_subgroup_shuffle
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#define SHUFFLE_XOR sub_group_shuffle_xor
#else
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define SHUFFLE_XOR intel_sub_group_shuffle_xor
#endif
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void inner(global const float *a, global const float *b, global float *out)
{
    local float sums[256];
    int i = get_global_id(0);
    float value = a[i] * b[i];
    for (uint step = get_sub_group_size() / 2; step > 0; step /= 2)
        value += SHUFFLE_XOR(value, step);
    if (get_sub_group_local_id() == 0)
        sums[get_sub_group_id()] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        for (uint j = 1; j < get_num_sub_groups(); j++)
            value += sums[j];
        out[get_group_id(0)] = value;
    }
}
