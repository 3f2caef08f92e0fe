// SPDX-License-Identifier: Apache-2.0
// kernel: roundings
// global: 1
// needs: cl_khr_fp64
// buffer: ushort 16 = 0
// buffer: int 4 = 0
// expect: 0 = 0x3c00 0x3c00 0x3c01 0x3c00 0xbc00 0xbc01 0x7bff 0x7c00 0xfc00 0xfbff 0x0001 0x0000 0x3c02 0x7e00 0x3c00 0x8001
// expect: 1 = 1

/* Stores of half in each rounding mode, ties, overflow and the smallest number; loads give back what was stored. */
kernel void roundings(global ushort *r, global int *ok)
{
    global half *h = (global half *)r;
    float above = 1 + 0x1p-11f, over = 65519.0f, tiny = 0x1p-25f;
    vstore_half_rte(above, 0, h);
    vstore_half_rtz(1 + 0x1p-10f - 0x1p-20f, 1, h);
    vstore_half_rtp(above, 2, h);
    vstore_half_rtn(above, 3, h);
    vstore_half_rtp(-above, 4, h);
    vstore_half_rtn(-above, 5, h);
    vstore_half(over, 6, h);
    vstore_half_rtp(65505.0f, 7, h);
    vstore_half_rte(-65520.0f, 8, h);
    vstore_half_rtz(-1e30f, 9, h);
    vstore_half_rtp(tiny, 10, h);
    vstore_half(tiny, 11, h);
    vstore_half(1 + 0x1.8p-10f, 12, h);
    vstore_half(NAN, 13, h);
    vstore_half_rte(1 + 0x1p-11, 14, h);
    vstore_half_rtn(-0x1p-1000, 15, h);
    r[13] &= 0xfe00;
    r[13] &= 0x7fff;
    float4 a = vload_half4(0, h);
    ok[0] = a.x == 1 && a.z == 1 + 0x1p-10f;
    ok[1] = vload_half(7, h) == INFINITY;
    ok[2] = all(vloada_half3(1, h) == (float3)(-1, -1 - 0x1p-10f, 65504));
    ok[3] = vload_half(10, h) == 0x1p-24f;
}

// kernel: one_element
// global: 1
// needs: cl_khr_fp64
// buffer: ushort 8 = 0x3c00 0x7bff 0 0 0 0 0 0
// buffer: float 2 = 0
// expect: 0 = 0x3c00 0x7bff 0x7bff 0x3c01 0xbc01 0x7c00 0xfbff 0
// expect: 1 = 1 65504

/* The aligned functions are there for one element, too. */
kernel void one_element(global ushort *r, global float *f)
{
    global half *h = (global half *)r;
    f[0] = vloada_half(0, h);
    f[1] = vloada_half(1, (const global half *)h);
    vstorea_half(f[1], 2, h);
    vstorea_half_rtp(1 + 0x1p-11f, 3, h);
    vstorea_half_rtn(-1 - 0x1p-11, 4, h);
    vstorea_half_rte(65520.0, 5, h);
    vstorea_half_rtz(-1e30f, 6, h);
}
