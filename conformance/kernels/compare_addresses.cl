// SPDX-License-Identifier: Apache-2.0
// kernel: compare_addresses
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -cl-opt-disable
// global: 40
// local: 20
// buffer: int 40 = -1
// buffer: int 1 = 0
// expect: 0 = 5 + 3*(i%20 == 7) + i%20 + i%20*2

/* Addresses in local arrays, which lie in one piece of memory and so have a base in common; places behind it are read and written as well. */
kernel void compare_addresses(global int *out, global const int *n)
{
    local int first[80], second[40];
    int l = get_local_id(0);
    for (int i = 0; i < 4; i++)
        first[l * 4 + i] = l;
    for (int i = 0; i < 2; i++)
        second[l * 2 + i] = l;
    local int *p = second + l * 2 + n[0], *q = first + l * 4, *r = l == 7 ? p : q;
    int sum = p == q ? 100 : 5;
    sum += r == p ? 3 : 0;
    out[get_global_id(0)] = sum + p[1 - n[0]] + q[3] + r[1];
}
