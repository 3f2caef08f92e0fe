/* SPDX-License-Identifier: Apache-2.0
 * Gamma functions of a double (scalar.h says how). */
#include "wide.h"

double PURE log(double x);
double PURE sinpi(double x);

/* log2(gamma(y)) for 8 ≤ y ≤ 200 by Stirling's series, in two parts. y_low is what y lacks. */
INLINE double log2_gamma(double y, double y_low, double *low)
{
    double log_low, log_y = log2_parts(y, &log_low), by = y - 0.5, w = 1 / y, s = w * w;
    double a = by * log_y, a_low = FMA(by, log_low, FMA(by, log_y, -a));
    double b = y * 0x1.71547652b82fep0, b_low = FMA(y, 0x1.777d0ffda0d24p-56, FMA(y, 0x1.71547652b82fep0, -b));
    double series = w * POLY(s, 0x1.ec709dc3a03fdp-4, -0x1.06a276462f22p-8, 0x1.2c27626b6d41p-10, -0x1.c23aa4c21046dp-11, 0x1.3e3599b992cd6p-10,
                             -0x1.64b6abda0bdc9p-9, 0x1.d7949e230a7c6p-8);
    double r = a - b;
    *low = (a - r - b) + (a_low - b_low) + FMA(y_low, FMA(w, -0x1.71547652b82fep-1, log_y), series + 0x1.536439a4c6efcp0);
    return r;
}

/* Below 8 the argument goes up by 8, and the result is divided by the eight numbers from a to a + 7, which are here g·a: in pairs, these are
 * a² + 7a and some more. Left of zero gamma(-a) = -pi/(a·sin(pi·a)·gamma(a)). */
#define MINUS_PI -0x1.921fb54442d18p-19 /* and 2^-20, so that no quotient overflows before the result does */
double PURE tgamma(double x)
{
    double a = ABS(x), pair = FMA(a, a, 7 * a), g = (a + 7) * (pair + 6) * ((pair + 10) * (pair + 12));
    bool small = a < 8;
    double up = a + 8, y_low = a - (up - 8), bounded = a > 200 ? 200 : a;
    double low, p = log2_gamma(small ? up : bounded, small ? y_low : 0, &low);
    double sine = sinpi(a), left = (small ? 1 : a) * (sine == 0 ? (double)NAN : sine), right = small ? x * g : 1;
    double q = (x < 0 ? (small ? MINUS_PI * g : MINUS_PI) : 1) / (x < 0 ? left : right);
    return times_exp2(q, x < 0 ? 20 - p : p, x < 0 ? -low : low);
}

/* log(gamma(a)) for a ≥ 0. From 8 on by Stirling's series; below by the polynomial around 2, and the logarithm of the numbers in between. */
INLINE double log_gamma_right(double a)
{
    bool far = a >= 8;
    double whole = __builtin_elementwise_rint(a), d = a - whole, product = whole < 1 ? a * (a + 1) : whole < 2 ? a : 1;
    _Pragma("unroll") for (int j = 2; j < 8; j++) product = whole > j ? product * (j + d) : product;
    double l = log(far ? a : product), w = 1 / a, s = w * w;
    double near = d * POLY(d, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60f94p-2, -0x1.13e001a5572b1p-4, 0x1.51322ac7e6204p-6,
                           -0x1.e404fc22b70bdp-8, 0x1.7add6e954f8aep-9, -0x1.38ac5b8ddfe03p-10, 0x1.0b36b92471ea2p-11,
                           -0x1.d3fda113ee825p-13, 0x1.a123b03856bbp-14, -0x1.78d1b3cdcaa4dp-15, 0x1.58860c5069c84p-16,
                           -0x1.3dd652d8a3076p-17, 0x1.1da3c7e0a8b12p-18, -0x1.03b3c43d0be0cp-19, 0x1.461f6aa297d65p-20,
                           -0x1.4d217f1a1fb61p-21);
    near += whole < 2 ? -l : l;
    double series = w * POLY(s, 0x1.5555555555555p-4, -0x1.6c16c16c10eedp-9, 0x1.a01a0160686f4p-11, -0x1.3813342ea80d6p-11,
                             0x1.b921c1e53cec1p-11, -0x1.ee828f2006aedp-10, 0x1.46dfedab82f2fp-8);
    return far ? FMA(a - 0.5, l - 1, series + 0x1.acfe390c97d69p-2) : near;
}

double PURE lgamma(double x)
{
    double a = ABS(x), r = log_gamma_right(a);
    if (x < -0x1p-60) {
        double sine = sinpi(a), mirrored = log(0x1.921fb54442d18p1 / ABS(a * sine)) - r;
        r = ABS(sine) > 0 ? mirrored : (double)INFINITY; /* at whole numbers and infinity */
    }
    return r;
}

/* Between the negative whole numbers the signs take turns. */
double OVER lgamma_r(double x, private int *sign)
{
    double whole = __builtin_elementwise_trunc(ABS(x));
    *sign = as_long(x) < 0 && whole == 2 * __builtin_elementwise_trunc(whole * 0.5) ? -1 : 1;
    return lgamma(x);
}

float PURE lgamma(float x)
{
    return (float)lgamma((double)x);
}

float OVER lgamma_r(float x, private int *sign)
{
    return (float)lgamma_r((double)x, sign);
}
