// SPDX-License-Identifier: Apache-2.0
// kernel: wrapped
// global: 401
// options: -cl-std=CL3.0
// buffer: float 401 = i
// buffer: uint 3609 = 0
// expect: 1 = (i/401<3)*((i%401*997+56)%256) + (i/401==3)*((i%401*997+65336)%65536) + (i/401>3)*(i/401<8)*((i%401*997+56)%256) + (i/401==8)*((i%401*997+56)%256)

/* Numbers that are out of range wrap, whether a result is stored, extended, or compared with, and whether lanes are vectors of their own. */
kernel void wrapped(global const float *in, global uint *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    float x = in[i] * 997.0f - 200.0f;
    global uchar *bytes = (global uchar *)out;
    float4 v = x + (float4)(0, 0, 256, -256);
    uint4 u = convert_uint4(convert_uchar4(v));
    uchar stored = x;
    bytes[4 * (2 * n + i)] = stored;
    out[i] = (uchar)x;
    out[n + i] = (uint)(int)(char)x & 255;
    out[3 * n + i] = (ushort)x;
    for (int k = 0; k < 4; k++)
        out[(4 + k) * n + i] = u[k];
#ifdef cl_khr_fp64
    out[8 * n + i] = (uchar)(double)x;
#else
    out[8 * n + i] = stored;
#endif
}
