// SPDX-License-Identifier: Apache-2.0
// C = A B with one element per work-item.
kernel void sgemm(global const float *a, global const float *b, global float *c, int m, int n, int k)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[y * k + i] * b[i * n + x];
    c[y * n + x] = sum;
}
