// SPDX-License-Identifier: Apache-2.0
// Inclusive sums: Blelloch's tree in local memory over blocks of two elements per work-item, then the sums of blocks.
void sweep(local int *x, int l, int n)
{
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1, offset <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            x[offset * (2 * l + 2) - 1] += x[offset * (2 * l + 1) - 1];
    }
    if (l == 0)
        x[n - 1] = 0;
    for (int d = 1; d < n; d <<= 1) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1, t = x[a];
            x[a] = x[b];
            x[b] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void scan_blocks(global const int *in, global int *out, global int *sums, local int *x)
{
    int l = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * 2 * size;
    int a = in[base + l], b = in[base + size + l];
    x[l] = a;
    x[size + l] = b;
    sweep(x, l, 2 * size);
    out[base + l] = x[l] + a;
    out[base + size + l] = x[size + l] + b;
    if (l == size - 1)
        sums[get_group_id(0)] = x[size + l] + b;
}

kernel void scan_sums(global int *sums, local int *x)
{
    int l = get_local_id(0), size = get_local_size(0);
    x[l] = sums[l];
    x[size + l] = sums[size + l];
    sweep(x, l, 2 * size);
    sums[l] = x[l];
    sums[size + l] = x[size + l];
}

kernel void scan_add(global int *out, global const int *sums)
{
    int l = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * 2 * size, sum = sums[get_group_id(0)];
    out[base + l] += sum;
    out[base + size + l] += sum;
}
