// SPDX-License-Identifier: Apache-2.0
// C += A B, whose work-groups have a part of K each.
kernel void splitk(global const float *a, global const float *b, global float *c, int n, int k, int part)
{
    int x = get_global_id(0), y = get_global_id(1), first = get_global_id(2) * part;
    if (x >= n)
        return;
    float sum = 0;
    for (int i = first; i < first + part; i++)
        sum += a[y * k + i] * b[i * n + x];
    atomic_fetch_add_explicit((volatile global atomic_float *)&c[y * n + x], sum, memory_order_relaxed, memory_scope_device);
}
