// SPDX-License-Identifier: Apache-2.0
// kernel: shorts
// global: 45 3
// local: 45 3
// local: 9 3
// local: 1 1
// buffer: short 135 = i*11-900
// buffer: short 135 = 0
// expect: 1 = i*11-900+(i%45)%7*3+i/45

/* Nothing but numbers of 16 bits, in rows that are no multiples of any packet. */
kernel void shorts(global const short *in, global short *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), i = y * 45 + x;
    short v = in[i];
    for (size_t k = 0; k < x % 7; k++)
        v += 3;
    out[i] = v + (short)y;
}
