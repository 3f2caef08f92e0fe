// SPDX-License-Identifier: Apache-2.0
// kernel: absent
// global: 48
// local: 16
// buffer: int 48 = 0
// buffer: uint 2 = 3 5
// buffer: int 64 = i*7
// expect: 0 = (i%16>=3)*(i%16-3)*7 + (i%16>=5)*(i%16-5)*700 + (i%2)*(i%16+2)*70000

/* Addresses that rise from work-item to work-item, where those that would be the first have left: what is known of the others (no
 * carry, not negative, no common bits) does not hold for them. */
__attribute__((intel_reqd_sub_group_size(16)))
kernel void absent(global int *out, global const uint *n, global const int *in)
{
    uint l = (uint)get_local_id(0), a = l + 1;
    int k = (int)l - (int)n[1], sum = 0;
    if (l >= n[0])
        sum += in[l - n[0]];
    if (k >= 0)
        sum += in[(uint)k] * 100;
    if ((a & 1) == 0)
        sum += in[a | 1] * 10000;
    out[get_global_id(0)] = sum;
}
