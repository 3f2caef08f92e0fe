// SPDX-License-Identifier: Apache-2.0
// The rate of multiply-adds: eight independent chains in each work-item.
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#if WIDTH == 1
#define START(x, n) x = first + n;
#else
#define START(x, n) x = CAT(convert_float, WIDTH)(first + n);
#endif

kernel void peak(global real *out, float a, float b, int steps)
{
    int i = get_global_id(0);
    whole first = i * WIDTH + LANES;
    real x0, x1, x2, x3, x4, x5, x6, x7, m = a, n = b;
    START(x0, 0) START(x1, 1) START(x2, 2) START(x3, 3) START(x4, 4) START(x5, 5) START(x6, 6) START(x7, 7)
    for (int step = 0; step < steps; step++) {
        x0 = fma(x0, m, n);
        x1 = fma(x1, m, n);
        x2 = fma(x2, m, n);
        x3 = fma(x3, m, n);
        x4 = fma(x4, m, n);
        x5 = fma(x5, m, n);
        x6 = fma(x6, m, n);
        x7 = fma(x7, m, n);
    }
    out[i] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
}
