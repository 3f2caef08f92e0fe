// SPDX-License-Identifier: Apache-2.0
// C += A B of integers, whose work-groups have a part of K each.
kernel void splitk(global const int *a, global const int *b, global int *c, int n, int k, int part)
{
    int x = get_global_id(0), y = get_global_id(1), first = get_global_id(2) * part;
    if (x >= n)
        return;
    int sum = 0;
    for (int i = first; i < first + part; i++)
        sum += a[y * k + i] * b[i * n + x];
    atomic_add(&c[y * n + x], sum);
}
