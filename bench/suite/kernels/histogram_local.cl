// SPDX-License-Identifier: Apache-2.0
// Counts of bytes: a histogram per group in local memory, added to the global one.
kernel void histogram(global const uchar *in, global uint *bins, int each)
{
    local uint mine[256];
    int l = get_local_id(0), size = get_local_size(0);
    for (int i = l; i < 256; i += size)
        mine[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = get_group_id(0) * size * each + l;
    for (int k = 0; k < each; k++, at += size)
        atomic_inc(&mine[in[at]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 256; i += size)
        atomic_add(&bins[i], mine[i]);
}
