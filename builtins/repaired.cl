/* SPDX-License-Identifier: Apache-2.0
 * Scalar math functions of which libclc's form (here __tsr_clc_…) fails for some arguments: each with what it gets wrong. Those of float that
 * flush denormal numbers to zero are computed in double, which also saves the rounding of intermediate steps. */
#include "library.h"

#define RAW(f)                                                                                                                             \
    float PURE __tsr_clc_##f(float);                                                                                                       \
    double PURE __tsr_clc_##f(double);
#define RAW2(f)                                                                                                                            \
    float PURE __tsr_clc_##f(float, float);                                                                                                \
    double PURE __tsr_clc_##f(double, double);

/* Loses the sign of zero in double. */
#define KEEP_ZERO(T, f)                                                                                                                    \
    T PURE f(T x)                                                                                                                          \
    {                                                                                                                                      \
        return x == 0 ? x : __tsr_clc_##f(x);                                                                                              \
    }
#define ODD(f) RAW(f) KEEP_ZERO(float, f) KEEP_ZERO(double, f)
ODD(asin)
ODD(asinpi)
ODD(atan)
ODD(atanpi)
ODD(erf)
ODD(expm1)
ODD(sin)
ODD(tan)

/* Flush denormal results in float. */
#define IN_DOUBLE(f)                                                                                                                       \
    RAW(f)                                                                                                                                 \
    double PURE f(double x)                                                                                                                \
    {                                                                                                                                      \
        return __tsr_clc_##f(x);                                                                                                           \
    }                                                                                                                                      \
    float PURE f(float x)                                                                                                                  \
    {                                                                                                                                      \
        return (float)f((double)x);                                                                                                        \
    }
IN_DOUBLE(erfc)
IN_DOUBLE(exp)
IN_DOUBLE(exp2)

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

float PURE cosh(float x)
{
    return (float)cosh((double)x);
}

float PURE sinh(float x)
{
    return (float)sinh((double)x);
}

/* Signs of zeros and infinities. */
RAW(cospi)
RAW(sinpi)
RAW(tanpi)
#define TURNS(T)                                                                                                                           \
    T PURE sinpi(T x)                                                                                                                      \
    {                                                                                                                                      \
        T r = __tsr_clc_sinpi(x);                                                                                                          \
        return r == 0 ? __builtin_elementwise_copysign(r, x) : r;                                                                          \
    }                                                                                                                                      \
    T PURE cospi(T x)                                                                                                                      \
    {                                                                                                                                      \
        T r = __tsr_clc_cospi(x);                                                                                                          \
        return r == 0 ? (T)0 : r;                                                                                                          \
    }                                                                                                                                      \
    T PURE tanpi(T x)                                                                                                                      \
    {                                                                                                                                      \
        T a = __builtin_elementwise_abs(x), whole = __builtin_elementwise_trunc(a);                                                        \
        bool odd = whole != 2 * __builtin_elementwise_trunc(whole * (T)0.5);                                                               \
        T r = __tsr_clc_tanpi(a), zero = odd ? -(T)0 : (T)0, pole = odd ? -(T)INFINITY : (T)INFINITY;                                      \
        r = a - whole == 0 ? zero : a - whole == (T)0.5 ? pole : r;                                                                        \
        return __builtin_astype(x, SIGNED_##T) < 0 ? -r : r;                                                                               \
    }
#define SIGNED_float int
#define SIGNED_double long
TURNS(float)
TURNS(double)

/* Take a huge exponent for an odd one, and overflow in its product with the logarithm: it is even, and the result is 0, 1 or infinite. */
RAW2(pow)
RAW2(powr)
#define POWERS(T, EVEN, HUGE)                                                                                                              \
    INLINE T extreme_##T(T x, T y)                                                                                                         \
    {                                                                                                                                      \
        T a = __builtin_elementwise_abs(x);                                                                                                \
        return a == 1 ? (T)1 : (a > 1) == (y > 0) ? (T)INFINITY : (T)0;                                                                    \
    }                                                                                                                                      \
    T PURE pow(T x, T y)                                                                                                                   \
    {                                                                                                                                      \
        T b = __builtin_elementwise_abs(y), r = __tsr_clc_pow(x, y);                                                                       \
        r = x > 0 || b >= EVEN ? __builtin_elementwise_abs(r) : r;                                                                         \
        return b >= HUGE && x == x ? extreme_##T(x, y) : r;                                                                                \
    }                                                                                                                                      \
    T PURE powr(T x, T y)                                                                                                                  \
    {                                                                                                                                      \
        T b = __builtin_elementwise_abs(y), r = __builtin_elementwise_abs(__tsr_clc_powr(x, y));                                           \
        return b >= HUGE && b < (T)INFINITY && x >= 0 ? extreme_##T(x, y) : r;                                                             \
    }
POWERS(float, 0x1p24f, 0x1p40f)
POWERS(double, 0x1p53, 0x1p70)

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

float PURE tgamma(float x)
{
    return (float)tgamma((double)x);
}

float OVER __tsr_clc_sincos(float x, private float *cosine);
double OVER __tsr_clc_sincos(double x, private double *cosine);
#define SINCOS(T)                                                                                                                          \
    T OVER sincos(T x, private T *cosine)                                                                                                  \
    {                                                                                                                                      \
        T r = __tsr_clc_sincos(x, cosine);                                                                                                 \
        return x == 0 ? x : r;                                                                                                             \
    }
SINCOS(float)
SINCOS(double)

/* Flush denormal operands in float. These are exact, so the result in double is that in float. */
RAW2(fmod)
RAW2(remainder)
#define EXACT(f)                                                                                                                           \
    double PURE f(double x, double y)                                                                                                      \
    {                                                                                                                                      \
        return __tsr_clc_##f(x, y);                                                                                                        \
    }                                                                                                                                      \
    float PURE f(float x, float y)                                                                                                         \
    {                                                                                                                                      \
        return (float)f((double)x, (double)y);                                                                                             \
    }
EXACT(fmod)
EXACT(remainder)

double OVER __tsr_clc_remquo(double x, double y, private int *quotient);
double OVER remquo(double x, double y, private int *quotient)
{
    return __tsr_clc_remquo(x, y, quotient);
}

float OVER remquo(float x, float y, private int *quotient)
{
    return (float)remquo((double)x, (double)y, quotient);
}

double PURE __tsr_clc_rootn(double x, int n);
double PURE rootn(double x, int n)
{
    return __tsr_clc_rootn(x, n);
}

float PURE rootn(float x, int n)
{
    return (float)rootn((double)x, n);
}
