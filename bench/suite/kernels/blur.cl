// SPDX-License-Identifier: Apache-2.0
// Gaussian blur of RGBA pixels, nine weights, rows and then columns.
constant float weights[9] = {0.028532f, 0.067234f, 0.124009f, 0.179044f, 0.202362f, 0.179044f, 0.124009f, 0.067234f, 0.028532f};

kernel void rows(global const uchar4 *in, global float4 *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    for (int k = -4; k <= 4; k++)
        sum += weights[k + 4] * convert_float4(in[y * width + clamp(x + k, 0, width - 1)]);
    out[y * width + x] = sum;
}

kernel void columns(global const float4 *in, global uchar4 *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    for (int k = -4; k <= 4; k++)
        sum += weights[k + 4] * in[clamp(y + k, 0, height - 1) * width + x];
    out[y * width + x] = convert_uchar4_sat_rte(sum);
}
