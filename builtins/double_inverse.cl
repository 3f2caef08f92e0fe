/* SPDX-License-Identifier: Apache-2.0
 * Inverse trigonometric functions of a double (scalar.h says how). Pi comes in two parts. */
#include "wide.h"

/* The unit of an angle. In units of pi, its quarters are exact. */
struct unit {
    double pi_high, pi_low, per_radian;
};
#define RADIANS ((struct unit){0x1.921fb54442d18p1, 0x1.1a62633145c07p-53, 1})
#define PIS ((struct unit){1, 0, 0x1.45f306dc9c883p-2})

/* ---- atan ---- */

/* |z| ≤ tan(pi/8). */
INLINE double atan_near(double z)
{
    double s = z * z;
    double p = POLY(s, -0x1.5555555555318p-2, 0x1.9999999949718p-3, -0x1.249249057c04ap-3, 0x1.c71c65cf3cd8dp-4, -0x1.745bc327ed2d4p-4,
                    0x1.3afc34eb2d45fp-4, -0x1.10052b073fec9p-4, 0x1.d254d1f0dff6ep-5, -0x1.6517becb2916fp-5, 0x1.5c4f7d03ba68p-6);
    return FMA(p * s, z, z);
}

/* atan(low / high), for 0 ≤ low ≤ high; from tan(pi/8) on as pi/4 and what is left. */
INLINE double atan_ratio(double low, double high, struct unit u)
{
    bool middle = low > 0x1.a827999fcef32p-2 * high;
    double r = atan_near((middle ? low - high : low) / (middle ? low + high : high)) * u.per_radian;
    return middle ? u.pi_high / 4 + (r + u.pi_low / 4) : r;
}

INLINE double atan_of(double x, struct unit u)
{
    double a = ABS(x), r = atan_ratio(a > 1 ? 1 : a, a > 1 ? a : 1, u);
    return SIGN_OF(a > 1 ? u.pi_high / 2 - (r - u.pi_low / 2) : r, x);
}

double PURE atan(double x)
{
    return atan_of(x, RADIANS);
}

double PURE atanpi(double x)
{
    return atan_of(x, PIS);
}

INLINE double atan2_of(double y, double x, struct unit u)
{
    double a = ABS(x), b = ABS(y), low = a < b ? a : b, high = a < b ? b : a;
    bool same = low == high;                                                  /* perhaps zeros or infinities */
    double scale = high > 0x1p1000 ? 0x1p-30 : high < 0x1p-900 ? 0x1p100 : 1; /* sums do not overflow, products are no denormals */
    low = same ? (high == 0 ? 0 : 1) : low * scale;
    double r = atan_ratio(low, same ? 1 : high * scale, u);
    r = a < b ? u.pi_high / 2 - (r - u.pi_low / 2) : r;
    r = as_long(x) < 0 ? u.pi_high - (r - u.pi_low) : r;
    return x == x && y == y ? SIGN_OF(r, y) : (double)NAN;
}

double PURE atan2(double y, double x)
{
    return atan2_of(y, x, RADIANS);
}

double PURE atan2pi(double y, double x)
{
    return atan2_of(y, x, PIS);
}

/* ---- asin and acos ---- */

/* asin(z) for 0 ≤ z ≤ 1/2, where s = z². */
INLINE double asin_near(double z, double s)
{
    double p = POLY(s, 0x1.5555555555577p-3, 0x1.333333332e103p-4, 0x1.6db6db7214124p-5, 0x1.f1c71a946e5aap-6, 0x1.6e8bdeecd15bfp-6,
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

INLINE double asin_of(double x, struct unit u)
{
    bool near_one;
    double r = asin_part(x, &near_one) * u.per_radian;
    return SIGN_OF(near_one ? u.pi_high / 2 - (2 * r - u.pi_low / 2) : r, x);
}

double PURE asin(double x)
{
    return asin_of(x, RADIANS);
}

double PURE asinpi(double x)
{
    return asin_of(x, PIS);
}

INLINE double acos_of(double x, struct unit u)
{
    bool near_one;
    double r = asin_part(x, &near_one) * u.per_radian, twice = 2 * r;
    double outer = x < 0 ? u.pi_high - (twice - u.pi_low) : twice;
    return near_one ? outer : u.pi_high / 2 - (SIGN_OF(r, x) - u.pi_low / 2);
}

double PURE acos(double x)
{
    return acos_of(x, RADIANS);
}

double PURE acospi(double x)
{
    return acos_of(x, PIS);
}
