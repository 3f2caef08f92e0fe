// SPDX-License-Identifier: Apache-2.0
// y = A x, a work-group per row.
kernel void gemv(global const float *a, global const float *x, global float *y, int n, local float *part)
{
    int l = get_local_id(0), size = get_local_size(0), row = get_group_id(0);
    float sum = 0;
    for (int i = l; i < n; i += size)
        sum = mad(a[row * n + i], x[i], sum);
    part[l] = sum;
    for (int step = size / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            part[l] += part[l + step];
    }
    if (l == 0)
        y[row] = part[0];
}
