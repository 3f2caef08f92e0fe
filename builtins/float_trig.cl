/* SPDX-License-Identifier: Apache-2.0
 * Trigonometric functions of a float and their inverses (scalar.h says how). Below FAR an argument is reduced by a multiple of pi or pi/2 in
 * three parts; beyond, x/(2·pi) comes in fixed point from enough bits of 1/(2·pi). */
#include "scalar.h"

#define FAR 0x1p16f

/* x/(2·pi) as a fraction of 2^64: how far around the circle a large x points. */
INLINE ulong turns(float x)
{
    static constant uint inverse[] = {0,          0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770,
                                      0x36d8a566, 0x4f10e410, 0x7f9458ea, 0xf7aef158, 0x6dc91b8e};
    uint i = as_uint(x), at = (i >> 23 & 255) - 150 + 32; /* first bit that matters: those before it count whole turns */
    ulong m = (i & 0x7fffff) | 0x800000;
    constant uint *w = inverse + (at >> 5);
    uint by = at & 31;
    ulong high = ((ulong)w[0] << 32 | w[1]) << by >> 32, middle = ((ulong)w[1] << 32 | w[2]) << by >> 32;
    ulong low = ((ulong)w[2] << 32 | w[3]) << by >> 32;
    ulong all = (m * high << 32) + m * middle + (m * low >> 32);
    return i >> 31 ? -all : all;
}

/* x less k·pi. */
INLINE float less_pi(float x, float k)
{
    return FMA(k, 0x1.ee59dap-49f, FMA(k, 0x1.777a5cp-24f, FMA(k, -0x1.921fb6p1f, x)));
}

/* r in radians and the whole number k with x = k·pi/2^(bits - 1) + r, for a finite x beyond FAR that is so far `ahead` on the circle. */
COLD uint2 far_angle(float x, ulong ahead, uint bits)
{
    ulong turn = turns(x) + ahead;
    float r = (float)((double)(long)(turn << bits) * (0x1.921fb54442d18p-62 / (1 << bits)));
    return (uint2)(as_uint(r), (uint)((turn + (1UL << (63 - bits))) >> (64 - bits)));
}

float PURE sin(float x)
{
    float t = FMA(x, 0x1.45f306p-2f, ROUNDER), r = less_pi(x, t - ROUNDER);
    uint odd = as_uint(t);
    if (ABS(x) > FAR) {
        uint2 far = far_angle(x, 0, 1);
        r = as_float(far.x);
        odd = far.y;
    }
    float y = sin_half(r, odd);
    return x == 0 ? x : ABS(x) < INFINITY ? y : NAN;
}

float PURE cos(float x)
{
    float t = FMA(x, 0x1.45f306p-2f, 0.5f) + ROUNDER, r = less_pi(x, t - ROUNDER - 0.5f);
    uint odd = as_uint(t);
    if (ABS(x) > FAR) {
        uint2 far = far_angle(x, 1UL << 62, 1);
        r = as_float(far.x);
        odd = far.y;
    }
    float y = sin_half(r, odd);
    return ABS(x) < INFINITY ? y : NAN;
}

/* x = k·pi/2 + r; the answer has k in its two low bits. */
INLINE uint quadrant(float x, float *r)
{
    float t = FMA(x, 0x1.45f306p-1f, ROUNDER), k = t - ROUNDER;
    *r = FMA(k, 0x1.ee59dap-50f, FMA(k, 0x1.777a5cp-25f, FMA(k, -0x1.921fb6p0f, x)));
    uint q = as_uint(t);
    if (ABS(x) > FAR) {
        uint2 far = far_angle(x, 0, 2);
        *r = as_float(far.x);
        q = far.y;
    }
    return q;
}

float OVER sincos(float x, private float *cosine)
{
    float r;
    uint q = quadrant(x, &r);
    float s = sin_quarter(r), c = cos_quarter(r);
    float sine = as_float(as_uint(q & 1 ? c : s) ^ (q & 2) << 30);
    float other = as_float(as_uint(q & 1 ? s : c) ^ ((q + 1) & 2) << 30);
    bool finite = ABS(x) < INFINITY;
    *cosine = finite ? other : NAN;
    return x == 0 ? x : finite ? sine : NAN;
}

float PURE tan(float x)
{
    float r;
    uint q = quadrant(x, &r);
    float s = sin_quarter(r), c = cos_quarter(r);
    float y = (q & 1 ? -c : s) / (q & 1 ? s : c);
    return x == 0 ? x : ABS(x) < INFINITY ? y : NAN;
}

/* ---- of a multiple of pi: the reduction is exact ---- */

/* sin(pi·r) for |r| ≤ 1/2. */
INLINE float sinpi_half(float r)
{
    float s = r * r;
    return r * POLY4(s, 0x1.921fb6p1f, -0x1.4abbd8p2f, 0x1.466b26p1f, -0x1.328004p-1f, 0x1.407998p-4f);
}

/* y with its sign changed if the whole number k is odd. */
INLINE float signed_by(float y, float k)
{
    return as_float(as_uint(y) ^ __tsr_odd_f(k));
}

/* x - x is no number if x is infinite. */
float PURE sinpi(float x)
{
    float k = __builtin_elementwise_rint(x), r = x - k, y = signed_by(sinpi_half(r), k);
    return r == 0 ? SIGN_OF(r, x) : y;
}

float PURE cospi(float x)
{
    float a = ABS(x), k = __builtin_elementwise_floor(a), r = 0.5f - (a - k), y = signed_by(sinpi_half(r), k);
    return r == 0 ? 0 : y;
}

/* As in double_trig.cl. */
float PURE tanpi(float x)
{
    float a = ABS(x), rest = FMA(__builtin_elementwise_trunc(a * 0.5f), -2.0f, a), t = FMA(rest, 2.0f, ROUNDER);
    float r = FMA(t - ROUNDER, -0.5f, rest), zero = as_float((as_uint(t) + 1) << 30 & 0x80000000);
    r = r == 0 ? zero : r;
    uint odd = as_uint(t) << 31;
    float z = r * r, s = r * POLY2(z, 0x1.921fb6p1f, -0x1.b9f8cap1f, 0x1.50ea72p-2f), c = POLY2(z, 1.0f, -0x1.18e4cp2f, 0x1.8e5314p0f);
    float top = (int)odd < 0 ? c : s, bottom = (int)odd < 0 ? s : c;
    return as_float(as_uint(top) ^ odd ^ (as_uint(x) & 0x80000000)) / bottom;
}

/* ---- inverse functions ---- */

/* atan(z) for 0 ≤ z ≤ 1. */
INLINE float atan_near(float z)
{
    float s = z * z;
    float p = POLY7(s, -0x1.5554dcp-2f, 0x1.9978eep-3f, -0x1.230abp-3f, 0x1.b4dfdcp-4f, -0x1.3553f4p-4f, 0x1.61f756p-5f, -0x1.0c23fep-6f,
                    0x1.7ec1c4p-9f);
    return FMA(p * s, z, z);
}

INLINE float atan_of(float x)
{
    float a = ABS(x), y = atan_near(a > 1 ? 1 / a : a);
    return SIGN_OF(a > 1 ? 0x1.921fb6p0f - y : y, x);
}

float PURE atan(float x)
{
    return atan_of(x);
}

float PURE atanpi(float x)
{
    return atan_of(x) * 0x1.45f306p-2f;
}

INLINE float atan2_of(float y, float x)
{
    float a = ABS(x), b = ABS(y), low = a < b ? a : b, high = a < b ? b : a;
    float z = low == high ? (high == 0 ? 0.0f : 1.0f) : low / high, r = atan_near(z);
    r = a < b ? 0x1.921fb6p0f - r : r;
    r = as_int(x) < 0 ? 0x1.921fb6p1f - r : r;
    return x == x && y == y ? SIGN_OF(r, y) : NAN;
}

float PURE atan2(float y, float x)
{
    return atan2_of(y, x);
}

float PURE atan2pi(float y, float x)
{
    return atan2_of(y, x) * 0x1.45f306p-2f;
}

/* asin(z) for 0 ≤ z ≤ 1/2, where s = z². */
INLINE float asin_near(float z, float s)
{
    return FMA(POLY4(s, 0x1.5555c8p-3f, 0x1.330206p-4f, 0x1.747b72p-5f, 0x1.8c415ap-6f, 0x1.5959aap-5f) * s, z, z);
}

/* asin(|x|); from 1/2 on by way of the half angle, whose arc is `near`. */
INLINE float asin_of(float x)
{
    float a = ABS(x);
    bool near_one = a > 0.5f;
    float s = near_one ? FMA(a, -0.5f, 0.5f) : a * a, z = near_one ? __builtin_elementwise_sqrt(s) : a;
    float r = asin_near(z, s);
    return SIGN_OF(near_one ? FMA(-2.0f, r, 0x1.921fb6p0f) : r, x);
}

float PURE asin(float x)
{
    return asin_of(x);
}

float PURE asinpi(float x)
{
    return asin_of(x) * 0x1.45f306p-2f;
}

INLINE float acos_of(float x)
{
    float a = ABS(x);
    bool near_one = a > 0.5f;
    float s = near_one ? FMA(a, -0.5f, 0.5f) : a * a, z = near_one ? __builtin_elementwise_sqrt(s) : a;
    float r = asin_near(z, s), twice = r + r;
    float outer = x < 0 ? 0x1.921fb6p1f - twice : twice;
    return near_one ? outer : 0x1.921fb6p0f - (SIGN_OF(r, x) - -0x1.777a5cp-25f);
}

float PURE acos(float x)
{
    return acos_of(x);
}

float PURE acospi(float x)
{
    return acos_of(x) * 0x1.45f306p-2f;
}
