// SPDX-License-Identifier: Apache-2.0
// kernel: selected_logic
// global: 64
// local: 64
// buffer: float 64 = i%3
// buffer: int 64 = i*37
// buffer: int 64 = 0
// expect: 2 = ((i*37+128)&255)-128

/* Bits of two numbers put together by a constant, for some work-items only. */
kernel void selected_logic(global const float *f, global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int y = in[i], x = (char)y;
    out[i] = f[i] + f[i] < 1 ? x : (x & -2) | (y & 1);
}
