// SPDX-License-Identifier: Apache-2.0
// A nine-point average; the border stays as it is.
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
