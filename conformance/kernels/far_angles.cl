// SPDX-License-Identifier: Apache-2.0
// kernel: far_angles
// global: 4096
// needs: cl_khr_fp64
// buffer: float 4096 = (i%5)*(i+1)*123456
// buffer: float 4096 = (i%5)*(i+1)*123456
// buffer: int 10 = 0
// expect: 2 = 0 0 0 0 0 0 0 0 0 0

/* Sine, cosine and tangent of arguments of which some are so large that they are reduced by a function of its own: for all work-items
 * and for some, in loops that work-items leave in different rounds, and of numbers that all have alike. `again` has the same numbers as `in`. */
kernel void far_angles(global const float *in, global const float *again, global int *wrong)
{
    size_t i = get_global_id(0);
    float x = i % 7 == 3 ? as_float((uint)i * 1021u * 1021u) : in[i], y = i % 7 == 3 ? x : again[i], c, uniform = in[1003];
    double dx = x * (double)x, dy = (double)y * y, dc;
    float s = sin(x), more = cos(x), twice = sincos(x, &c);
    double ds = sin(dx), dmore = cos(dx), dtwice = sincos(dx, &dc);
    bool none = !isfinite(x);
    if (none ? !isnan(s) || !isnan(more) || !isnan(twice) || !isnan(c) : fabs(s * s + more * more - 1) > 1e-6f)
        atomic_inc(wrong + 0);
    if (!none && (fabs(s - twice) > 1e-6f || fabs(c - more) > 1e-6f || fabs(tan(x) * more - s) > 1e-6f))
        atomic_inc(wrong + 1);
    if (!none && (fabs(ds * ds + dmore * dmore - 1) > 1e-14 || fabs(ds - dtwice) > 1e-14 || fabs(dc - dmore) > 1e-14 ||
                  fabs(tan(dx) * dmore - ds) > 1e-13))
        atomic_inc(wrong + 2);
    if (i % 3 == 1 && as_uint(sin(y)) != as_uint(s))
        atomic_inc(wrong + 3);
    if (i % 11 < 2 && as_uint(cos(y)) != as_uint(more))
        atomic_inc(wrong + 4);
    if (i % 3 == 2 && as_ulong(sin(dy)) != as_ulong(ds))
        atomic_inc(wrong + 5);
    if (i % 13 == 0 && as_ulong(cos(dy)) != as_ulong(dmore))
        atomic_inc(wrong + 6);
    float sum = 0, at_once = 0;
    for (uint k = 0; k < (i & 15); k++)
        sum += sin(y * (float)(k & 3));
    for (uint k = 0; k < 15; k++)
        at_once += k < (i & 15) ? sin(x * (float)(k & 3)) : 0;
    if (!none && as_uint(sum) != as_uint(at_once) && sum == sum)
        atomic_inc(wrong + 7);
    float of_all = sin(uniform), own = i == 1003 ? s : of_all;
    if (i == 1003 && as_uint(own) != as_uint(of_all))
        atomic_inc(wrong + 8);
    volatile float large = 314159.28125f;
    volatile double larger = 3.141592653589793e15;
    if (fabs(sin(large) - 0.0158903519f) > 1e-8f || fabs(sin(larger) + 0.2362090532517409) > 1e-15)
        atomic_inc(wrong + 9);
}
