// SPDX-License-Identifier: Apache-2.0
// C = A B for bytes as in dot8, with the builtin of cl_khr_integer_dot_product.
kernel void product(global const uint *a, global const uint *b, global int *c, int n, int k4)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int i = 0; i < k4; i++)
        sum += dot_4x8packed_ss_int(a[y * k4 + i], b[i * n + x]);
    c[y * n + x] = sum;
}
