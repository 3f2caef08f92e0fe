/* SPDX-License-Identifier: Apache-2.0
 * Roots and error functions of a double (scalar.h says how). */
#include "wide.h"

/* As in float_other.cl; the guess is made from the upper half of the bits. */
double PURE cbrt(double x)
{
    double a = ABS(x);
    bool small = a < DBL_MIN;
    double b = small ? a * 0x1p54 : a;
    uint guess = (uint)FMA((double)(uint)(as_ulong(b) >> 32), -1.0 / 3, (double)0x553eee50);
    double y = as_double((ulong)guess << 32), h;
    h = FMA(-b * y, y * y, 1.0);
    y = FMA(FMA(h, 2.0 / 9, 1.0 / 3) * h, y, y);
    h = FMA(-b * y, y * y, 1.0);
    y = FMA(FMA(h, 2.0 / 9, 1.0 / 3) * h, y, y);
    double square = y * y, r = b * square;
    r = FMA(FMA(-r * r, r, b) * square, 1.0 / 3, r);
    r = small ? r * 0x1p-18 : r;
    return a > 0 && a < (double)INFINITY ? SIGN_OF(r, x) : x;
}

/* |x| < 1. */
INLINE double erf_near(double x)
{
    double s = x * x;
    return x * POLY12(s, 0x1.20dd750429b6dp0, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b20p-4, -0x1.b82ce3128499cp-6, 0x1.565bcd0db02c7p-8,
                      -0x1.c02db3d8ecdbep-11, 0x1.f9a321a116d34p-14, -0x1.f4d1df38db4aep-17, 0x1.b9def1995c1e6p-20,
                      -0x1.5f1d36a3432d6p-23, 0x1.f7a4112daf135p-27, -0x1.386abe81bc097p-30, 0x1.0579a69d4bb26p-34);
}

/* erfc(a) = exp(-a²)·q(t)/(1 + 2a), where t = (a - 2)/(a + 2), for a ≥ 1. What a² loses by rounding is made good. */
INLINE double erfc_far(double a)
{
    a = between(a, 1, 27.3);
    double s = a * a, lost = FMA(a, a, -s), up = a + 2, down = FMA(a, 2.0, 1.0), inverse = 1 / (up * down), t = (a - 2) * down * inverse;
    double low = POLY9(t, 0x1.46e80e2277953p0, -0x1.7bf5ec170065fp-4, -0x1.5407bebf3262ep-3, 0x1.4ffa1e14e3f2dp-3, -0x1.bc2b9561659d9p-5,
                        -0x1.0742340c2587ep-7, 0x1.1dd2ec75a74bep-7, 0x1.4d46263bdf8b2p-10, -0x1.7de51a1f072e9p-10, -0x1.dc6be82ced4eap-12);
    double high = POLY9(t, 0x1.b0cddbaaf3089p-13, 0x1.3cf2ac41667b7p-13, -0x1.d2c8452552f09p-20, -0x1.33b975558e318p-15,
                         -0x1.8ea829d29f443p-17, 0x1.2a79a86320920p-19, 0x1.4ae01a18ff6d8p-19, 0x1.3bb455e7b19cap-17,
                         -0x1.1650e083e60a8p-17, 0x1.000398f712badp-19);
    double square = t * t, fourth = square * square, q = FMA(high, fourth * fourth * square, low) * (up * inverse);
    q = FMA(q, -lost, q);
    double r, k = split_exp_wide(-s, &r);
    return scaled_wide(FMA(q, exp_tail_wide(r), q), as_ulong(k));
}

double PURE erf(double x)
{
    double near = erf_near(x), far = SIGN_OF(1 - erfc_far(ABS(x)), x);
    return ABS(x) < 1 ? near : far;
}

double PURE erfc(double x)
{
    double near = 1 - erf_near(x), far = erfc_far(ABS(x));
    return ABS(x) < 1 ? near : x < 0 ? 2 - far : far;
}
