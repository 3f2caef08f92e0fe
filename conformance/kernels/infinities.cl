// SPDX-License-Identifier: Apache-2.0
// kernel: infinities
// global: 64
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -cl-finite-math-only
// options: -cl-std=CL3.0 -cl-fast-relaxed-math
// buffer: int 64 = 0
// buffer: float 256 = 1 -3 2 5
// buffer: int 64 = 0 1 2 3
// expect: 0 = 1

/* Programs that promise finite numbers and name infinity all the same: what has not been hit is infinitely far. */
static float nearest(global const float *x, int n)
{
    float best = INFINITY;
    for (int i = 0; i < n; i++)
        if (x[i] > 0 && x[i] < best)
            best = x[i];
    return best;
}

kernel void infinities(global int *ok, global float *x, global const int *count)
{
    const int i = get_global_id(0), n = count[i];
    if (n == 1)
        x[4 * i] = -INFINITY;
    const float best = nearest(x + 4 * i + 1, n), far = x[4 * i] * n - (n == 1 ? best : 0);
    const bool hit = n >= 2;
    ok[i] = (best < INFINITY) == hit && (best == INFINITY) == !hit && !!isinf(best) == !hit && !!isfinite(best) == hit &&
            (fmin(best, 10.0f) == (hit ? 2 : 10)) && (n != 1 || far == -INFINITY) && !!isnan(best - best) == !hit;
}
