/* SPDX-License-Identifier: Apache-2.0
 * Sine, cosine and tangent of a double, in the manner of float_trig.cl. */
#include "wide.h"

#define FAR 0x1p20

/* 1/(2·pi) after 64 bits before the point. */
static constant ulong inverse[] = {0,
                                   0x28be60db9391054a,
                                   0x7f09d5f47d4d3770,
                                   0x36d8a5664f10e410,
                                   0x7f9458eaf7aef158,
                                   0x6dc91b8e909374b8,
                                   0x01924bba82746487,
                                   0x3f877ac72c4a69cf,
                                   0xba208d7d4baed121,
                                   0x3a671c09ad17df90,
                                   0x4e64758e60d4ce7d,
                                   0x272117e2ef7e4a0e,
                                   0xc7fe25fff7816603,
                                   0xfbcbc462d6829b47,
                                   0xdb4d9fb3c9f2c26d,
                                   0xd3d18fd9a797fa8b,
                                   0x5d49eeb1faf97c5e,
                                   0xcf41ce7de294a4ba,
                                   0x9afed7ec47e35742,
                                   0x1580cc11bf1edaea};

ulong PURE mul_hi(ulong x, ulong y);

/* x/(2·pi) as a fraction of 2^128, for a finite |x| > 2^11: how far around the circle it points. */
INLINE ulong turns(double x, ulong *low)
{
    ulong i = as_ulong(x), m = (i & 0xfffffffffffff) | 0x10000000000000;
    uint at = (uint)(i >> 52 & 2047) - 1075 + 64, by = at & 63; /* first bit that matters: those before it count whole turns */
    constant ulong *w = inverse + (at >> 6);
    ulong first = w[0] << by | w[1] >> 1 >> (63 - by), second = w[1] << by | w[2] >> 1 >> (63 - by),
          third = w[2] << by | w[3] >> 1 >> (63 - by);
    ulong more = mul_hi(m, third), l = m * second + more, h = m * first + mul_hi(m, second) + (l < more ? 1 : 0);
    bool negative = as_long(x) < 0; /* all but the last bit of the negative */
    *low = negative ? ~l : l;
    return negative ? ~h : h;
}

/* The signed fraction (high, low) of 2^128, times pi and `unit`, a power of two. Of an infinite x it is no number. */
INLINE double angle(double x, ulong high, ulong low, double unit)
{
    bool negative = (long)high < 0;
    high = negative ? ~high : high;
    low = negative ? ~low : low;
    double most = (double)high, rest = (double)(long)(high - (ulong)most) + (double)low * 0x1p-64;
    double pi = 0x1.921fb54442d18p1 * unit, more = 0x1.1a62633145c07p-53 * unit, r = FMA(most, pi, FMA(most, more, rest * pi));
    r = negative ? -r : r;
    return ABS(x) < (double)INFINITY ? r : (double)NAN;
}

/* r in radians and the whole number k with x = k·pi/2^(bits - 1) + r, for an x beyond FAR that is so far `ahead` on the circle. */
COLD ulong2 far_angle(double x, ulong ahead, uint bits)
{
    ulong low, high = turns(x, &low) + ahead;
    double r = angle(x, high << bits | low >> (64 - bits), low << bits, 0x1p-63 / (1 << bits));
    return (ulong2)(as_ulong(r), (high + (1UL << (63 - bits))) >> (64 - bits));
}

/* sin(r) for |r| ≤ pi/2, with its sign changed if the lowest bit of `odd` is set. */
INLINE double sin_half_wide(double r, ulong odd)
{
    double s = r * r,
           p = POLY(s, -0x1.5555555555555p-3, 0x1.11111111110ddp-7, -0x1.a01a01a017079p-13, 0x1.71de3a5408f19p-19, -0x1.ae6455c163047p-26,
                    0x1.6124249cf952fp-33, -0x1.ae685a4db84a8p-41, 0x1.906e40ced1bfep-49, -0x1.84dcbce5f2883p-58);
    return as_double(as_ulong(between(FMA(p * s, r, r), -1, 1)) ^ odd << 63);
}

/* x less k·pi. */
INLINE double less_pi(double x, double k)
{
    return FMA(k, 0x1.f1976b7ed8fbcp-109, FMA(k, -0x1.1a62633145c07p-53, FMA(k, -0x1.921fb54442d18p1, x)));
}

double PURE sin(double x)
{
    double t = FMA(x, 0x1.45f306dc9c883p-2, ROUNDER), r = less_pi(x, t - ROUNDER);
    ulong odd = as_ulong(t);
    if (ABS(x) > FAR) {
        ulong2 far = far_angle(x, 0, 1);
        r = as_double(far.x);
        odd = far.y;
    }
    double y = sin_half_wide(r, odd);
    return x == 0 ? x : y;
}

double PURE cos(double x)
{
    double t = FMA(x, 0x1.45f306dc9c883p-2, 0.5) + ROUNDER, r = less_pi(x, t - ROUNDER - 0.5);
    ulong odd = as_ulong(t);
    if (ABS(x) > FAR) {
        ulong2 far = far_angle(x, 1UL << 62, 1);
        r = as_double(far.x);
        odd = far.y;
    }
    return sin_half_wide(r, odd);
}

/* x = k·pi/2 + r; the answer has k in its two low bits. */
INLINE ulong quadrant(double x, double *r)
{
    double t = FMA(x, 0x1.45f306dc9c883p-1, ROUNDER), k = t - ROUNDER;
    *r = FMA(k, 0x1.f1976b7ed8fbcp-110, FMA(k, -0x1.1a62633145c07p-54, FMA(k, -0x1.921fb54442d18p0, x)));
    ulong q = as_ulong(t);
    if (ABS(x) > FAR) {
        ulong2 far = far_angle(x, 0, 2);
        *r = as_double(far.x);
        q = far.y;
    }
    return q;
}

/* sin(r) and cos(r) for |r| ≤ pi/4. */
INLINE double sin_quarter_wide(double r)
{
    double s = r * r, p = POLY(s, -0x1.5555555555548p-3, 0x1.111111110f75dp-7, -0x1.a01a019bf222ep-13, 0x1.71de355f05599p-19,
                               -0x1.ae5e5471f55p-26, 0x1.5d8e3511cda67p-33);
    return FMA(p * s, r, r);
}

INLINE double cos_quarter_wide(double r)
{
    double s = r * r;
    return POLY(s, 1.0, -0.5, 0x1.555555555554bp-5, -0x1.6c16c16c15016p-10, 0x1.a01a019c8f3eep-16, -0x1.27e4f7f19d4b2p-22,
                0x1.1ee9dbd0d86a6p-29, -0x1.8fa681e385241p-37);
}

double OVER sincos(double x, private double *cosine)
{
    double r;
    ulong q = quadrant(x, &r);
    double s = sin_quarter_wide(r), c = cos_quarter_wide(r);
    double sine = as_double(as_ulong(q & 1 ? c : s) ^ (q & 2) << 62);
    *cosine = as_double(as_ulong(q & 1 ? s : c) ^ ((q + 1) & 2) << 62);
    return x == 0 ? x : sine;
}

/* tan(k·pi/2 + r) for |r| ≤ pi/4, by a quotient of two polynomials of r²; the lowest bit of k is given. 1 is added at the end:
 * POLY would add it to the even powers, and round a sum of more than 1, of which less than 1 remains. */
INLINE double tan_quarter(double r, ulong k)
{
    ulong odd = k << 63;
    double z = r * r, s = r * FMA(z, POLY(z, -0x1.06b97cdec134ep-3, 0x1.6fc704cdf94b6p-9, -0x1.f637ff87dacc9p-18), 1.0);
    double c = FMA(z, POLY(z, -0x1.d8b213c4b5ec9p-2, 0x1.7e7b6c2a5153ap-6, -0x1.b525c04d00721p-13), 1.0);
    double top = (long)odd < 0 ? c : s, bottom = (long)odd < 0 ? s : c;
    return as_double(as_ulong(top) ^ odd) / bottom;
}

double PURE tan(double x)
{
    double r;
    ulong k = quadrant(x, &r);
    double y = tan_quarter(r, k);
    return x == 0 ? x : y;
}

/* ---- of a multiple of pi: the reduction is exact ---- */

/* sin(pi·r) for |r| ≤ 1/2, exact at both ends. */
INLINE double sinpi_half(double r)
{
    double s = r * r, p = POLY(s, -0x1.4abbce625be51p2, 0x1.466bc6775aa6ep1, -0x1.32d2cce627543p-1, 0x1.50783485190f7p-4,
                               -0x1.e3074ddd1ecf1p-8, 0x1.e8f35e9dba214p-12, -0x1.6f79771a11d23p-16, 0x1.9d1b8829434eep-21);
    return FMA(s, p, 0x1.921fb54442d18p1) * r;
}

/* y with its sign changed if the whole number k is odd. */
INLINE double signed_by(double y, double k)
{
    return as_double(as_ulong(y) ^ __tsr_odd_d(k));
}

/* x - x is no number if x is infinite. */
double PURE sinpi(double x)
{
    double k = __builtin_elementwise_rint(x), r = x - k, y = signed_by(sinpi_half(r), k), zero = SIGN_OF(r, x);
    return r == 0 ? zero : y;
}

double PURE cospi(double x)
{
    double a = ABS(x), k = __builtin_elementwise_floor(a), r = 0.5 - (a - k), y = signed_by(sinpi_half(r), k);
    return r == 0 ? 0 : y;
}

/* |x| = 2·n + k/2 + r. Where nothing is left, r has the sign with which 1/2 is a positive pole, 3/2 a negative one, and 1 a negative zero. */
double PURE tanpi(double x)
{
    double a = ABS(x), rest = FMA(__builtin_elementwise_trunc(a * 0.5), -2.0, a), t = FMA(rest, 2.0, ROUNDER);
    double r = FMA(t - ROUNDER, -0.5, rest), zero = as_double((as_ulong(t) + 1) << 62 & 0x8000000000000000);
    double y = tan_quarter((r == 0 ? zero : r) * 0x1.921fb54442d18p1, as_ulong(t));
    return as_double(as_ulong(y) ^ (as_ulong(x) & 0x8000000000000000));
}
