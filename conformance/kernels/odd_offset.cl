// SPDX-License-Identifier: Apache-2.0
// kernel: odd
// global: 256
// offset: 3
// local: 64
// local: 1
// buffer: uint 256 = i*9
// buffer: uint 256 = 0
// expect: 1 = (i<32)*(i*9)+(i>31)*(i&12)

/* Counted from the offset, which is no multiple of the sub-group's size, a packet's first work-item is none either. */
kernel void odd(global const uint *in, global uint *out)
{
    int i = get_global_id(0) - get_global_offset(0);
    if (i < 32)
        out[i] = in[i];
    else
        out[i] = i & 12;
}
