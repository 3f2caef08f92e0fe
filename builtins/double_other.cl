/* SPDX-License-Identifier: Apache-2.0
 * Roots, error functions and remainders of a double (scalar.h says how). */
#include "wide.h"

double PURE rsqrt(double x)
{
    return __tsr_rsqrt_d(x);
}

/* As in float_other.cl; the guess is made from the upper half of the bits. */
INLINE double cbrt_normal(double a)
{
    uint guess = (uint)FMA((double)(uint)(as_ulong(a) >> 32), -1.0 / 3, (double)0x553eee50);
    double y = as_double((ulong)guess << 32), h;
    h = FMA(-a * y, y * y, 1.0);
    y = FMA(FMA(h, 2.0 / 9, 1.0 / 3) * h, y, y);
    h = FMA(-a * y, y * y, 1.0);
    y = FMA(FMA(h, 2.0 / 9, 1.0 / 3) * h, y, y);
    double square = y * y, r = a * square;
    return FMA(FMA(-r * r, r, a) * square, 1.0 / 3, r);
}

double PURE cbrt(double x)
{
    double a = ABS(x), r = cbrt_normal(a);
    if (!(a >= DBL_MIN && a < (double)INFINITY))
        r = a > 0 && a < DBL_MIN ? cbrt_normal(a * 0x1p54) * 0x1p-18 : a;
    return SIGN_OF(r, x);
}

INLINE double hypot_apart(double a, double b)
{
    bool huge = a > 1 || b > 1;
    double down = huge ? 0x1p-600 : 0x1p600, up = huge ? 0x1p600 : 0x1p-600, p = a * down, q = b * down;
    double r = __builtin_elementwise_sqrt(FMA(p, p, q * q)) * up;
    r = a == (double)INFINITY ? a : r;
    return b == (double)INFINITY ? b : r;
}

double PURE hypot(double x, double y)
{
    double s = FMA(x, x, y * y), r = __tsr_root_d(s);
    if (!(s > 0x1p-800 && s < 0x1p1000))
        r = hypot_apart(ABS(x), ABS(y));
    return r;
}

/* ---- error functions ------------------------------------------------------------------------------------------------------------------ */

/* 1 - exp(-p(|x|)). */
double PURE erf(double x)
{
    double a = ABS(x);
    a = a > 5.93 ? 5.93 : a;
    double p = a * POLY(a, 0x1.20dd750429b6dp0, 0x1.45f306dc9c992p-1, 0x1.a4f4e2a193aaap-4, -0x1.396685884ffcp-6, -0x1.b6b6d56e2746p-13,
                        0x1.bca6c2ed9c7p-10, -0x1.3568294989b5p-11, 0x1.b3746eee14421p-16, 0x1.0da7117c4555fp-14, -0x1.ebf8fbb1104fp-16,
                        0x1.774f1a3c45029p-19, 0x1.de63bcdc48ddep-19, -0x1.461467482d0e8p-19, 0x1.ca3b57811e344p-21,
                        -0x1.75aa200221e15p-23, 0x1.1e6b3b49222d5p-27, 0x1.0bc49b5020af7p-27, -0x1.b1b33c8a77811p-29,
                        0x1.76abfae3a0a1bp-31, -0x1.a42cb3025a81p-34, 0x1.3302b4e041527p-37, -0x1.0bd0bcd881a02p-41,
                        0x1.a95c3a275a0b6p-47);
    double r, t = split_exp_wide(-p, &r), s = as_double((as_ulong(t) << 52) + ONE);
    return SIGN_OF(FMA(-s, exp_tail_wide(r), 1 - s), x);
}

/* exp(-a²)·q(t)/(1 + 2a), where t = (a - 3)/(a + 3). What a² loses by rounding is made good. */
double PURE erfc(double x)
{
    double a = between(ABS(x), 0, 27.3), s = a * a, lost = FMA(a, a, -s);
    double up = a + 3, down = FMA(a, 2.0, 1.0), inverse = 1 / (up * down), t = (a - 3) * down * inverse;
    double q = POLY(t, 0x1.40c522d7e4988p0, -0x1.15c084bb9e835p-3, -0x1.85a15c58ab942p-5, 0x1.098366a5afc74p-3, -0x1.e88b803a2be6p-4,
                    0x1.17ca287907589p-4, -0x1.8574c4140c319p-6, 0x1.4b884c5f0570bp-9, 0x1.ef1be1c574c7dp-10, -0x1.98db162304bf8p-11,
                    -0x1.b913c22627ae8p-14, 0x1.0655da1e7cd91p-13, 0x1.4c56cabefec13p-18, -0x1.50d24f526a58bp-16, -0x1.8985cfff8017fp-21,
                    0x1.cbb8109c53d6dp-19, 0x1.76f65b045cd64p-22, -0x1.2c6b1def9d167p-21, -0x1.061fdc7f285bcp-23, 0x1.09f053aa87deep-24,
                    0x1.7a97952ced2ddp-26);
    q *= up * inverse;
    q = FMA(q, -lost, q);
    double r, k = split_exp_wide(-s, &r), y = __tsr_scale_d(FMA(q, exp_tail_wide(r), q), k);
    return x < 0 ? 2 - y : y;
}

/* ---- remainders: exact --------------------------------------------------------------------------------------------------------------- */

/* The seven low bits of a whole number. */
INLINE double low_bits(double k)
{
    return k - 128 * __builtin_elementwise_trunc(k * 0x1p-7);
}

/* r modulo d for r ≥ d, both finite, d normal; the low bits of the quotient in *quotient. */
INLINE double far_steps(double r, double d, double *quotient)
{
    while (r >= d) {
        int n;
        double k;
        r = less_multiple(r, d, 51, &k, &n);
        *quotient = n > 7 ? 0 : low_bits(*quotient + low_bits(k) * (double)(1 << n));
    }
    return r;
}

/* a modulo b for a ≥ b > 0 and finite. A tiny b is in the way of exact steps: they are made modulo b·2^100 first, then with both that much larger. */
INLINE double far_modulo(double a, double b, double *quotient)
{
    bool tiny = b < 0x1p-900;
    *quotient = 0;
    a = far_steps(a, tiny ? b * 0x1p100 : b, quotient);
    if (!tiny)
        return a;
    *quotient = 0;
    return far_steps(a * 0x1p100, b * 0x1p100, quotient) * 0x1p-100;
}

/* a modulo b for a, b ≥ 0. The loop runs once: it keeps what is rare out of the straight code. */
INLINE double modulo(double a, double b, double *quotient)
{
    double k = __builtin_elementwise_trunc(a / b), r = FMA(-k, b, a), far = r == r ? a : (double)NAN;
    r = k == 0 ? a : r; /* b may be infinite */
    bool over = r < 0;  /* the division may have rounded up to a whole number */
    *quotient = over ? k - 1 : k;
    r = over ? r + b : r;
    r = k < 0x1p52 ? r : far;
    while (r >= b)
        r = far_modulo(r, b, quotient);
    return r;
}

double PURE fmod(double x, double y)
{
    double quotient;
    return SIGN_OF(modulo(ABS(x), ABS(y), &quotient), x);
}

INLINE double remainder_of(double x, double y, double *quotient)
{
    double b = ABS(y), r = modulo(ABS(x), b, quotient), less = r - b;
    bool odd = *quotient - 2 * __builtin_elementwise_trunc(*quotient * 0.5) != 0;
    double middle = odd ? less : r, far = r > -less ? less : r;
    double result = r == -less ? middle : far;
    *quotient += result < 0 ? 1 : 0;
    return as_double(as_ulong(result) ^ (as_ulong(x) & 0x8000000000000000));
}

double PURE remainder(double x, double y)
{
    double a = ABS(x), b = ABS(y), q = a / b, r = FMA(-__builtin_elementwise_rint(q), b, a), rest = b - ABS(r), quotient;
    r = ABS(r) > rest ? SIGN_OF(rest, -r) : r;
    if (!(q < 0x1p51 && b < (double)INFINITY))
        return remainder_of(x, y, &quotient);
    return as_double(as_ulong(r) ^ (as_ulong(x) & 0x8000000000000000));
}

double OVER remquo(double x, double y, private int *quotient)
{
    double k, r = remainder_of(x, y, &k);
    int q = (int)low_bits(k);
    *quotient = r != r ? 0 : as_long(x) < 0 != as_long(y) < 0 ? -q : q;
    return r;
}
