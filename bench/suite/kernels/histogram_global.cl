// SPDX-License-Identifier: Apache-2.0
// Counts of numbers in bins of equal width, straight in global memory.
kernel void histogram(global const float *in, global uint *bins, int count)
{
    int bin = (int)(in[get_global_id(0)] * count);
    atomic_inc(&bins[clamp(bin, 0, count - 1)]);
}
