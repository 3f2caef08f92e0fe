// SPDX-License-Identifier: Apache-2.0
// Bilinear resize of RGBA pixels that lie in a buffer.
kernel void resize(global const uchar4 *in, int width, int height, global uchar4 *out, float sx, float sy)
{
    int x = get_global_id(0), y = get_global_id(1);
    float u = fmax((x + 0.5f) * sx - 0.5f, 0.0f), v = fmax((y + 0.5f) * sy - 0.5f, 0.0f);
    int x0 = min((int)u, width - 1), y0 = min((int)v, height - 1), x1 = min(x0 + 1, width - 1), y1 = min(y0 + 1, height - 1);
    float fx = u - x0, fy = v - y0;
    float4 top = mix(convert_float4(in[y0 * width + x0]), convert_float4(in[y0 * width + x1]), fx);
    float4 bottom = mix(convert_float4(in[y1 * width + x0]), convert_float4(in[y1 * width + x1]), fx);
    out[y * get_global_size(0) + x] = convert_uchar4_sat_rte(mix(top, bottom, fy));
}
