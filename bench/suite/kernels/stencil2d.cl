// SPDX-License-Identifier: Apache-2.0
// A nine-point average; the border stays as it is.
#if WIDTH == 1
kernel void stencil(global const float *restrict in, global float *restrict out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[at] = in[at];
        return;
    }
    float corners = in[at - width - 1] + in[at - width + 1] + in[at + width - 1] + in[at + width + 1];
    float sides = in[at - width] + in[at - 1] + in[at + 1] + in[at + width];
    out[at] = 0.25f * in[at] + 0.125f * sides + 0.0625f * corners;
}
#else
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define AT(p) CAT(vload, WIDTH)(0, p)
kernel void stencil(global const float *restrict in, global float *restrict out, int width, int height)
{
    int x = get_global_id(0) * WIDTH, y = get_global_id(1);
    global const float *p = in + y * width + x;
    real r = AT(p);
    if (y > 0 && y < height - 1) {
        whole column = x + LANES;
        real corners = AT(p - width - 1) + AT(p - width + 1) + AT(p + width - 1) + AT(p + width + 1);
        real sides = AT(p - width) + AT(p - 1) + AT(p + 1) + AT(p + width);
        r = select(0.25f * r + 0.125f * sides + 0.0625f * corners, r, column == 0 || column == width - 1);
    }
    CAT(vstore, WIDTH)(r, 0, out + y * width + x);
}
#endif
