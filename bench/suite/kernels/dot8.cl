// SPDX-License-Identifier: Apache-2.0
// C = A B for bytes, four of k together in a char4; one element per work-item, multiplied in plain C.
kernel void product(global const char4 *a, global const char4 *b, global int *c, int n, int k4)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int i = 0; i < k4; i++) {
        char4 p = a[y * k4 + i], q = b[i * n + x];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    c[y * n + x] = sum;
}
