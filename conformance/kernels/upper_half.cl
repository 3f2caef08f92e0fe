// SPDX-License-Identifier: Apache-2.0
// kernel: upper_half
// global: 40
// buffer: int 40 = 0
// buffer: char 160 = i%128
// buffer: char 80 = 0
// expect: 0 = (4*i+2)%128

/* The upper half of a vector of three has a second component that is undefined; the first is not. */
kernel void upper_half(global int *out, global const char3 *in, global char2 *halves)
{
    size_t i = get_global_id(0);
    halves[i] = in[i].hi;
    out[i] = ((volatile global char *)halves)[2 * i];
}
