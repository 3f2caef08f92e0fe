// SPDX-License-Identifier: Apache-2.0
// Steps until a point leaves the disk, at most `most`.
#if WIDTH == 1
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
#else
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define REAL CAT(convert_float, WIDTH)
kernel void mandelbrot(global real *out, float x0, float y0, float step, int most)
{
    int px = get_global_id(0), py = get_global_id(1);
    real cx = x0 + REAL(px * WIDTH + LANES) * step, cy = y0 + py * step, x = 0, y = 0;
    whole n = 0, inside = -1;
    for (int i = 0; i < most && any(inside); i++) {
        inside = inside & (x * x + y * y < 4.0f);
        real t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n -= inside;
    }
    out[py * get_global_size(0) + px] = REAL(n);
}
#endif
