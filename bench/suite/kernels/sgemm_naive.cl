// SPDX-License-Identifier: Apache-2.0
// C = A B with one element per work-item, or one vector of a row.
kernel void sgemm(global const float *a, global const real *b, global real *c, int m, int n, int k)
{
    int x = get_global_id(0), y = get_global_id(1);
    real sum = 0;
    n /= WIDTH;
    for (int i = 0; i < k; i++)
        sum += a[y * k + i] * b[i * n + x];
    c[y * n + x] = sum;
}
