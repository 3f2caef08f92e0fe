/* SPDX-License-Identifier: Apache-2.0
 * Roots, error and gamma functions and remainders of a float (scalar.h says how). */
#include "scalar.h"

float PURE rsqrt(float x)
{
    return __tsr_rsqrt_f(x);
}

/* y nears a^(-1/3), then a·y² is the root, and one step of Newton rounds it. */
INLINE float cbrt_normal(float a)
{
    float y = as_float((int)FMA((float)as_int(a), -1.0f / 3, (float)0x54a21d2a)), h;
    h = FMA(-a * y, y * y, 1.0f);
    y = FMA(FMA(h, 2.0f / 9, 1.0f / 3) * h, y, y);
    h = FMA(-a * y, y * y, 1.0f);
    y = FMA(FMA(h, 2.0f / 9, 1.0f / 3) * h, y, y);
    float square = y * y, r = a * square;
    return FMA(FMA(-r * r, r, a) * square, 1.0f / 3, r);
}

/* The branch holds what is rare: zero, denormals, infinities and NaN. */
float PURE cbrt(float x)
{
    float a = ABS(x), r = cbrt_normal(a);
    if (as_uint(a) - 0x800000 >= 0x7f000000)
        r = a > 0 && a < FLT_MIN ? cbrt_normal(a * 0x1p24f) * 0x1p-8f : a;
    return SIGN_OF(r, x);
}

/* Where squares are no numbers of full precision, in a scale where they are. */
INLINE float hypot_apart(float a, float b)
{
    bool huge = a > 1 || b > 1;
    float down = huge ? 0x1p-70f : 0x1p90f, up = huge ? 0x1p70f : 0x1p-90f, p = a * down, q = b * down;
    float r = __builtin_elementwise_sqrt(FMA(p, p, q * q)) * up;
    return a == INFINITY || b == INFINITY ? INFINITY : r;
}

float PURE hypot(float x, float y)
{
    float s = FMA(x, x, y * y), r = __tsr_root_f(s);
    if (!(s > 0x1p-80f && s < 0x1p120f))
        r = hypot_apart(ABS(x), ABS(y));
    return r;
}

/* Near zero x times a polynomial; beyond, 1 - exp(-p(x)). */
float PURE erf(float x)
{
    float a = ABS(x), s = x * x;
    float low = x * POLY6(s, 0x1.20dd74p0f, -0x1.8126d2p-2f, 0x1.ce1fcep-4f, -0x1.b7480ep-6f, 0x1.4f7c3cp-8f, -0x1.874dbp-11f,
                          0x1.03a052p-14f);
    float b = a > 4 ? 4 : a;
    float p = POLY7(b, 0x1.af3578p-12f, 0x1.208da8p0f, 0x1.46494ep-1f, 0x1.ad052ep-4f, -0x1.7d2bc6p-6f, 0x1.d87f28p-9f, -0x1.65b5aap-12f,
                    0x1.eca67cp-17f);
    return a < 1 ? low : SIGN_OF(-expm1_within(-p), x);
}

/* exp(-a²)·q(t)/(1 + 2a), where t = (a - 2)/(a + 2). What a² loses by rounding is made good. */
float PURE erfc(float x)
{
    float a = within(ABS(x), 0, 10.5f), s = a * a, lost = FMA(a, a, -s);
    float up = a + 2, down = FMA(a, 2.0f, 1.0f), inverse = 1 / (up * down), t = (a - 2) * down * inverse;
    float q = POLY9(t, 0x1.46e80ep0f, -0x1.7bf618p-4f, -0x1.5407fep-3f, 0x1.4ffc66p-3f, -0x1.bc133ap-5f, -0x1.082f98p-7f, 0x1.1b3408p-7f,
                    0x1.5a5b4p-10f, -0x1.44fe74p-10f, -0x1.ac60a6p-12f);
    q *= up * inverse;
    q = FMA(q, -lost, q);
    float r, k = split_exp(-s, &r), y = __tsr_scale_f(FMA(q, exp_tail(r), q), k);
    return x < 0 ? 2 - y : y;
}

/* ---- gamma ---- */

double PURE exp(double x);
double PURE log(double x);
float PURE sinpi(float x);

/* Of x ≥ 1/2, in double: six steps up Stirling's series is good enough for a float. */
INLINE double gamma_right(double x)
{
    double y = x + 6, w = 1 / y, s = w * w, steps = x * (x + 1) * (x + 2) * ((x + 3) * (x + 4) * (x + 5));
    double series = w * POLY3(s, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11);
    return exp(FMA(y - 0.5, log(y), series - y + 0x1.d67f1c864beb5p-1)) / steps;
}

/* Left of 1/2 by reflection. */
float PURE tgamma(float x)
{
    bool left = x < 0.5f;
    double a = left ? 1 - (double)x : (double)x, g = gamma_right(a > 200 ? 200 : a);
    float whole = __builtin_elementwise_trunc(x), y = (float)(left ? 0x1.921fb54442d18p1 / ((double)sinpi(x) * g) : g);
    return x < 0 && x == whole ? NAN : y;
}

/* ---- remainders: exact ---- */

/* Of any two numbers; the quotient's low bits in *quotient. In doubles no step over- or underflows. */
INLINE float modulo_apart(float a, float b, uint *quotient)
{
    double r = a < INFINITY && b > 0 ? a : NAN, d = b;
    uint q = 0;
    while (r >= d) {
        int n;
        double k;
        r = less_multiple(r, d, 24, &k, &n);
        q = n > 7 ? 0 : q + ((uint)k << n);
    }
    *quotient = q;
    return (float)r;
}

/* a modulo b for a, b ≥ 0. Where the quotient is too large for a float, and with zero, infinity and NaN, the remainder is not less than b. */
INLINE float modulo(float a, float b, uint *quotient)
{
    float q = a / b, k = __builtin_elementwise_trunc(q < 0x1p24f ? q : 0x1p24f), r = FMA(-k, b, a), more = r + b;
    bool over = as_int(r) < 0; /* the division may have rounded up to a whole number */
    *quotient = (uint)(over ? k - 1 : k);
    r = over ? more : r;
    if (!(r < b))
        r = modulo_apart(a, b, quotient);
    return r;
}

float PURE fmod(float x, float y)
{
    uint quotient;
    return as_float(as_uint(modulo(ABS(x), ABS(y), &quotient)) | (as_uint(x) & 0x80000000));
}

INLINE float remainder_of(float x, float y, uint *quotient)
{
    float b = ABS(y), r = modulo(ABS(x), b, quotient), less = r - b;
    float middle = *quotient & 1 ? less : r, far = r > -less ? less : r, result = r == -less ? middle : far;
    *quotient += result < 0 ? 1 : 0;
    return as_float(as_uint(result) ^ (as_uint(x) & 0x80000000));
}

/* The quotient may have been rounded to a number half way between two whole ones, or away from it. */
float PURE remainder(float x, float y)
{
    float a = ABS(x), b = ABS(y), q = a / b, r = FMA(-__builtin_elementwise_rint(q), b, a), rest = b - ABS(r);
    uint quotient;
    r = ABS(r) > rest ? SIGN_OF(rest, -r) : r;
    if (!(q < 0x1p22f && b < INFINITY))
        return remainder_of(x, y, &quotient);
    return as_float(as_uint(r) ^ (as_uint(x) & 0x80000000));
}

float OVER remquo(float x, float y, private int *quotient)
{
    uint q;
    float r = remainder_of(x, y, &q);
    q &= 127;
    *quotient = r != r ? 0 : as_int(x) < 0 != as_int(y) < 0 ? -(int)q : (int)q;
    return r;
}
