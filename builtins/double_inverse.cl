/* SPDX-License-Identifier: Apache-2.0
 * Inverse trigonometric functions of a double (scalar.h says how). Constants such as pi come in two parts. */
#include "scalar.h"

#define PI_HIGH 0x1.921fb54442d18p1
#define PI_LOW 0x1.1a62633145c07p-53
#define PER_PI 0x1.45f306dc9c883p-2

/* ---- atan ---------------------------------------------------------------------------------------------------------------------------- */

/* |z| ≤ tan(pi/8). */
INLINE double atan_near(double z)
{
    double s = z * z;
    double p = POLY10(s, -0x1.555555555553dp-2, 0x1.99999999957b4p-3, -0x1.24924922a9a94p-3, 0x1.c71c70e4cb6cap-4, -0x1.745cf8bbae480p-4,
                      0x1.3b11170688b4ap-4, -0x1.10eba246249c1p-4, 0x1.df0e1f18d2cbap-5, -0x1.9ccdbfcdda04ap-5, 0x1.37c998f604873p-5,
                      -0x1.25512578c507cp-6);
    return FMA(p * s, z, z);
}

/* atan(low / high), for 0 ≤ low ≤ high; from tan(pi/8) on as pi/4 and what is left. */
INLINE double atan_ratio(double low, double high)
{
    bool middle = low > 0x1.a827999fcef32p-2 * high;
    double r = atan_near((middle ? low - high : low) / (middle ? low + high : high));
    return middle ? PI_HIGH / 4 + (r + PI_LOW / 4) : r;
}

INLINE double atan_of(double x)
{
    double a = ABS(x), r = atan_ratio(a > 1 ? 1 : a, a > 1 ? a : 1);
    return SIGN_OF(a > 1 ? PI_HIGH / 2 - (r - PI_LOW / 2) : r, x);
}

double PURE atan(double x)
{
    return atan_of(x);
}

double PURE atanpi(double x)
{
    return atan_of(x) * PER_PI;
}

INLINE double atan2_of(double y, double x)
{
    double a = ABS(x), b = ABS(y), scale = a > 0x1p1000 || b > 0x1p1000 ? 0x1p-30 : 1; /* so that sums do not overflow */
    double low = (a < b ? a : b) * scale, high = (a < b ? b : a) * scale;
    bool same = low == high; /* perhaps zeros or infinities */
    double r = atan_ratio(same ? (high == 0 ? 0 : 1) : low, same ? 1 : high);
    r = a < b ? PI_HIGH / 2 - (r - PI_LOW / 2) : r;
    r = as_long(x) < 0 ? PI_HIGH - (r - PI_LOW) : r;
    return x == x && y == y ? SIGN_OF(r, y) : (double)NAN;
}

double PURE atan2(double y, double x)
{
    return atan2_of(y, x);
}

double PURE atan2pi(double y, double x)
{
    return atan2_of(y, x) * PER_PI;
}

/* ---- asin and acos ------------------------------------------------------------------------------------------------------------------ */

/* asin(z) for 0 ≤ z ≤ 1/2, where s = z². */
INLINE double asin_near(double z, double s)
{
    double p = POLY12(s, 0x1.5555555555577p-3, 0x1.333333332e103p-4, 0x1.6db6db7214124p-5, 0x1.f1c71a946e5aap-6, 0x1.6e8bdeecd15bfp-6,
                      0x1.1c49ef9553316p-6, 0x1.ca1f9e4384097p-7, 0x1.75850bffde732p-7, 0x1.613f15fb49211p-7, 0x1.e5d1e513fb007p-9,
                      0x1.63a695ec6b024p-6, -0x1.580afa5d652eep-6, 0x1.0b4ab9916fbb3p-5);
    return FMA(p * s, z, z);
}

/* Of |x|; from 1/2 on of the sine of half the angle to pi/2. */
INLINE double asin_part(double x, bool *near_one)
{
    double a = ABS(x);
    *near_one = a > 0.5;
    double s = *near_one ? FMA(a, -0.5, 0.5) : a * a, z = *near_one ? __builtin_elementwise_sqrt(s) : a;
    return asin_near(z, s);
}

INLINE double asin_of(double x)
{
    bool near_one;
    double r = asin_part(x, &near_one);
    return SIGN_OF(near_one ? PI_HIGH / 2 - (2 * r - PI_LOW / 2) : r, x);
}

double PURE asin(double x)
{
    return asin_of(x);
}

double PURE asinpi(double x)
{
    return asin_of(x) * PER_PI;
}

INLINE double acos_of(double x)
{
    bool near_one;
    double r = asin_part(x, &near_one), twice = 2 * r;
    double outer = x < 0 ? PI_HIGH - (twice - PI_LOW) : twice;
    return near_one ? outer : PI_HIGH / 2 - (SIGN_OF(r, x) - PI_LOW / 2);
}

double PURE acos(double x)
{
    return acos_of(x);
}

double PURE acospi(double x)
{
    return acos_of(x) * PER_PI;
}
