// SPDX-License-Identifier: Apache-2.0
// Steps until a point leaves the disk, at most `most`.
kernel void mandelbrot(global float *out, float x0, float y0, float step, int most)
{
    int px = get_global_id(0), py = get_global_id(1), n = 0;
    float cx = x0 + px * step, cy = y0 + py * step, x = 0, y = 0;
    while (n < most && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    out[py * get_global_size(0) + px] = n;
}
