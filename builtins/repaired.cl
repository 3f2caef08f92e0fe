/* SPDX-License-Identifier: Apache-2.0
 * Scalar math functions of double of which libclc's form (here __tsr_clc_…) fails for some arguments: each with what it gets wrong. */
#include "library.h"

#define RAW(f) double PURE __tsr_clc_##f(double);

double PURE exp(double x);
double PURE expm1(double x);
double PURE pow(double x, double y);

/* Read past their table for NaNs and huge arguments. Half of the exponent at a time, so that the product overflows where the result does. */
double PURE cosh(double x)
{
    double a = __builtin_elementwise_abs(x), e = expm1(a), h = exp(a * 0.5);
    return a < 22 ? 1 + e * e / (2 * (1 + e)) : 0.5 * h * h;
}

double PURE sinh(double x)
{
    double a = __builtin_elementwise_abs(x), e = expm1(a), h = exp(a * 0.5);
    return __builtin_elementwise_copysign(a < 22 ? 0.5 * (e + e / (e + 1)) : 0.5 * h * h, x);
}

/* Signs of zeros and infinities. */
RAW(cospi)
RAW(sinpi)
RAW(tanpi)
double PURE sinpi(double x)
{
    double r = __tsr_clc_sinpi(x);
    return r == 0 ? __builtin_elementwise_copysign(r, x) : r;
}

double PURE cospi(double x)
{
    double r = __tsr_clc_cospi(x);
    return r == 0 ? 0 : r;
}

double PURE tanpi(double x)
{
    double a = __builtin_elementwise_abs(x), whole = __builtin_elementwise_trunc(a);
    bool odd = whole != 2 * __builtin_elementwise_trunc(whole * 0.5);
    double r = __tsr_clc_tanpi(a), zero = odd ? -0.0 : 0.0, pole = odd ? -(double)INFINITY : (double)INFINITY;
    r = a - whole == 0 ? zero : a - whole == 0.5 ? pole : r;
    return as_long(x) < 0 ? -r : r;
}

/* lgamma lacks the pole at minus infinity, and in float the logarithm near zero. tgamma is the exponential of lgamma, which loses as many
 * bits as lgamma has before the point. */
RAW(lgamma)
RAW(tgamma)
double OVER __tsr_clc_lgamma_r(double x, private int *sign);
double PURE lgamma(double x)
{
    return x == -(double)INFINITY ? (double)INFINITY : __tsr_clc_lgamma(x);
}

float PURE lgamma(float x)
{
    return (float)lgamma((double)x);
}

double OVER lgamma_r(double x, private int *sign)
{
    double r = __tsr_clc_lgamma_r(x, sign);
    return x == -(double)INFINITY ? (double)INFINITY : r;
}

float OVER lgamma_r(float x, private int *sign)
{
    return (float)lgamma_r((double)x, sign);
}

/* gamma(y) for y > 0 is the result times power squared: powers go in halves so that none overflows. Below 20 the recurrence leads to [1, 2),
 * and its steps are exact; from 20 on Stirling's series does. */
INLINE double gamma_parts(double y, double *power)
{
    *power = 1;
    if (y < 1)
        return __tsr_clc_tgamma(1 + y) / y;
    if (y < 20) {
        double product = 1;
        for (; y >= 2; product *= y)
            y -= 1;
        return product * __tsr_clc_tgamma(y);
    }
    double w = 1 / (y * y);
    double series = (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w * (1.0 / 1188))))) / y;
    *power = pow(y, 0.5 * y - 0.25);
    return 2.50662827463100050242 * exp(-y) * exp(series);
}

double PURE tgamma(double x)
{
    double whole = __builtin_elementwise_floor(x), power;
    if (__builtin_elementwise_abs(x) < 0x1p-60)
        return 1 / x;
    if (x > 0) {
        double r = gamma_parts(x, &power);
        return x > 172 ? (double)INFINITY : r * power * power;
    }
    if (x == whole || x != x)
        return (double)NAN;
    if (x < -185)
        return whole != 2 * __builtin_elementwise_floor(whole * 0.5) ? -0.0 : 0.0;
    double r = gamma_parts(-x, &power);
    return -3.14159265358979323846 / (x * sinpi(x) * r) / power / power;
}
