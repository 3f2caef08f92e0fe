// SPDX-License-Identifier: Apache-2.0
// A step of conjugate gradients: y += s x, then the parts of y . y.
kernel void axpy(global float *y, global const float *x, float s)
{
    int i = get_global_id(0);
    y[i] = mad(s, x[i], y[i]);
}

kernel void dot_parts(global const float4 *a, global const float4 *b, global float *out, int each, local float *part)
{
    int l = get_local_id(0), size = get_local_size(0), at = get_group_id(0) * size * each + l;
    float sum = 0;
    for (int k = 0; k < each; k++, at += size)
        sum += dot(a[at], b[at]);
    part[l] = sum;
    for (int step = size / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            part[l] += part[l + step];
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}
