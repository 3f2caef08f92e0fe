// SPDX-License-Identifier: Apache-2.0
// RGBA to YCbCr with BT.601's weights, a pixel of four bytes per work-item.
kernel void convert(global const uchar4 *in, global uchar4 *out)
{
    int i = get_global_id(0);
    float4 p = convert_float4(in[i]);
    float y = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
    float4 q = (float4)(y, 0.564f * (p.z - y) + 128.0f, 0.713f * (p.x - y) + 128.0f, p.w);
    out[i] = convert_uchar4_sat_rte(q);
}
