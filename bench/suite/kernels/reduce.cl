// SPDX-License-Identifier: Apache-2.0
// A sum: each work-item adds some elements, the group adds them in a tree in local memory, a second launch adds the groups' sums.
kernel void reduce(global const float *in, global float *out, int each, local float *part)
{
    int l = get_local_id(0), size = get_local_size(0);
    int at = get_group_id(0) * size * each + l;
    float sum = 0;
    for (int k = 0; k < each; k++, at += size)
        sum += in[at];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = size / 2; half_size > 0; half_size >>= 1) {
        if (l < half_size)
            part[l] += part[l + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}
