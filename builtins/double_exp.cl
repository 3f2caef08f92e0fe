/* SPDX-License-Identifier: Apache-2.0
 * Exponentials, logarithms, powers and inverse hyperbolic functions of a double, in the manner of float_exp.cl. */
#include "wide.h"

double PURE exp(double x)
{
    double r, t = split_exp_wide(between(x, -750, 720), &r);
    return scaled_wide(1 + exp_tail_wide(r), as_ulong(t));
}

double PURE exp2(double x)
{
    x = between(x, -1100, 1100);
    double t = x + ROUNDER, r = x - (t - ROUNDER);
    double p = POLY11(r, 1.0, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5a6p-3, 0x1.c6b08d704a12cp-5, 0x1.3b2ab6fb9fda6p-7, 0x1.5d87fe789e96fp-10,
                      0x1.4309130f6cbdbp-13, 0x1.ffcbfc6685f06p-17, 0x1.62bfc6596be12p-20, 0x1.b52522bc15f8fp-24, 0x1.e61d43321746dp-28,
                      0x1.e973179a994acp-32);
    return scaled_wide(p, as_ulong(t));
}

double PURE exp10(double x)
{
    x = between(x, -330, 310);
    double t = FMA(x, 0x1.a934f0979a371p1, ROUNDER), k = t - ROUNDER;
    double r = FMA(k, 0x1.9dc1da994fd21p-59, FMA(k, -0x1.34413509f79ffp-2, x));
    return scaled_wide(1 + exp_tail_wide(r * 0x1.26bb1bbb55516p1), as_ulong(t));
}

double PURE expm1(double x)
{
    bool large = x > 709; /* 2^1024 is no double */
    double r, t = split_exp_wide(between(x, -50, 710), &r);
    double s = as_double(((as_ulong(t) - (large ? 1 : 0)) << 52) + 0x3ff0000000000000);
    double e = FMA(s, exp_tail_wide(r), s - (large ? 0.5 : 1.0));
    return SIGN_OF(large ? e + e : e, x);
}

double PURE tanh(double x)
{
    double a = ABS(x), r, t = split_exp_wide(2 * (a > 20 ? 20 : a), &r), s = as_double((as_ulong(t) << 52) + 0x3ff0000000000000);
    double e = FMA(s, exp_tail_wide(r), s - 1);
    return SIGN_OF(e / (e + 2), x);
}

/* ---- logarithms ----------------------------------------------------------------------------------------------------------------------- */

#define SPLIT 0x3fe5555555555555 /* 2/3: see LOG_SPLIT */

/* x = (1 + f)·2^e, for finite x > 0. */
INLINE double split_log_wide(double x, double *e)
{
    bool small = x < DBL_MIN;
    ulong i = as_ulong(small ? x * 0x1p54 : x) - SPLIT;
    *e = (double)((long)i >> 52) - (small ? 54.0 : 0.0);
    return as_double((i & 0xfffffffffffff) + SPLIT) - 1;
}

/* log(1 + f) = f + the answer, for -1/3 ≤ f ≤ 1/3. */
INLINE double log_tail_wide(double f)
{
    double high = POLY9(f, -0x1.555c07ed89744p-4, 0x1.3b1cf1b74cec7p-4, -0x1.2413ccb42e825p-4, 0x1.1072f399a4cfbp-4, -0x1.05c5282379c12p-4,
                        0x1.ef31ed3441b66p-5, -0x1.76ad2dca7ef52p-5, 0x1.5861254d2c51fp-5, -0x1.61423c234901dp-4, 0x1.5a1a1849b01efp-4);
    double p = POLY9(f, 0x1.5555555555543p-2, -0x1.0000000000963p-2, 0x1.999999999e702p-3, -0x1.555555540cb21p-3, 0x1.2492492167f19p-3,
                     -0x1.00000085a7825p-3, 0x1.c71c73bd7eceep-4, -0x1.99996206bb441p-4, 0x1.745cbfe34d4c7p-4, high);
    return f * f * FMA(f, p, -0.5);
}

/* log(1 + f) + e·ln(2). */
INLINE double log_sum_wide(double f, double e)
{
    return FMA(e, 0x1.62e42fefa39efp-1, f + FMA(e, 0x1.abc9e3b39803fp-56, log_tail_wide(f)));
}

/* A logarithm's value r, unless x is zero, negative, infinite or no number. */
INLINE double log_result_wide(double x, double r)
{
    double odd = x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
    return as_ulong(x) - 1 < 0x7fefffffffffffff ? r : odd;
}

double PURE log(double x)
{
    double e, f = split_log_wide(x, &e);
    return log_result_wide(x, log_sum_wide(f, e));
}

/* (f + tail)·SCALE, whose two parts are given, and `whole` and `low`. */
INLINE double log_in_base(double f, double scale, double scale_low, double whole, double low)
{
    double h = f * scale, rest = FMA(f, scale, -h);
    return whole + (h + (FMA(log_tail_wide(f), scale, FMA(f, scale_low, rest)) + low));
}

double PURE log2(double x)
{
    double e, f = split_log_wide(x, &e);
    return log_result_wide(x, log_in_base(f, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56, e, 0));
}

double PURE log10(double x)
{
    double e, f = split_log_wide(x, &e), whole = e * 0x1.34413509f79ffp-2, low = FMA(e, 0x1.34413509f79ffp-2, -whole);
    low = FMA(e, -0x1.9dc1da994fd21p-59, low);
    return log_result_wide(x, log_in_base(f, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, whole, low));
}

/* ---- powers: the logarithm in two parts ---------------------------------------------------------------------------------------------- */

/* log(x) for finite x > 0; *low has some ten bits more. Up to f⁴ the series runs in two parts, and the rest is too small to need that. */
INLINE double log_parts(double x, double *low)
{
    double e, f = split_log_wide(x, &e);
    double f2 = f * f, f2_low = FMA(f, f, -f2), f3 = f2 * f, f3_low = FMA(f2_low, f, FMA(f2, f, -f3));
    double f4 = f2 * f2, f4_low = FMA(2 * f2, f2_low, FMA(f2, f2, -f4));
    double g = POLY9(f, 0x1.3b1386385ddbap-4, -0x1.24970baccd375p-4, 0x1.1116597bc11dap-4, -0x1.ff40080b9ef2cp-5, 0x1.e115c9a0ed71dp-5,
                     -0x1.d05e2d9cd7dc1p-5, 0x1.b8af1e37e553ap-5, -0x1.55ec5497b6bb5p-5, 0x1.4238e0222d45p-5,
                     FMA(f, 0x1.3200aedfa1af2p-4, -0x1.3c83860420d67p-4));
    g = POLY9(f, 0x1p-55, 0x1.9999999999994p-3, -0x1.5555555555e68p-3, 0x1.24924924936d1p-3, -0x1.fffffffea17c2p-4,
              0x1.c71c71c511024p-4, -0x1.99999a3935353p-4, 0x1.745d18136690cp-4, -0x1.555530d4328cdp-4, g);
    double whole = e * 0x1.62e42fefa4p-1, s = whole + f, with = s - whole, s_low = (whole - (s - with)) + (f - with);
    double t = FMA(f2, -0.5, s), t_low = FMA(f2, -0.5, s - t);
    double third = f3 * 0x1.5555555555555p-2, third_low = FMA(f3, 0x1.5555555555555p-2, -third);
    third_low = FMA(f3_low, 0x1.5555555555555p-2, FMA(f3, 0x1.5555555555555p-56, third_low));
    double u = t + third, u_low = third - (u - t);
    double v = FMA(f4, -0.25, u), v_low = FMA(f4, -0.25, u - v);
    double rest = FMA(f4_low, -0.25, FMA(e, -0x1.8432a1b0e2634p-43, FMA(f2_low, -0.5, third_low)));
    rest = FMA(f4, g, rest + ((s_low + t_low) + (u_low + v_low)));
    double r = v + rest;
    *low = rest - (r - v);
    return r;
}

/* a^y for a ≥ 0. */
INLINE double power(double a, double y)
{
    double low, log_a = log_parts(a, &low);
    bool finite = a > 0 && a < (double)INFINITY;
    log_a = finite ? log_a : a == 0 ? -(double)INFINITY : a;
    double p = y * log_a, p_low = FMA(y, finite ? low : 0, FMA(y, log_a, -p));
    p_low = ABS(p) < 1000 ? p_low : 0;
    double r, t = split_exp_wide(between(p, -1000, 1000), &r);
    return scaled_wide(1 + exp_tail_wide(r + p_low), as_ulong(t));
}

INLINE double with_sign_bit(double r, double x, bool take)
{
    return as_double(as_ulong(r) | (take ? as_ulong(x) & 0x8000000000000000 : 0));
}

double PURE pow(double x, double y)
{
    double a = ABS(x), whole = __builtin_elementwise_trunc(y), middle = whole * 0.5, r = power(a, y);
    r = a == 1 && y == y ? 1 : r; /* an infinite y */
    bool is_whole = whole == y, odd = is_whole && __builtin_elementwise_trunc(middle) != middle;
    r = with_sign_bit(r, x, odd);
    r = x < 0 && x > -(double)INFINITY && !is_whole ? (double)NAN : r;
    return x == 1 || y == 0 ? 1 : r;
}

double PURE powr(double x, double y)
{
    double r = power(ABS(x), y);
    return x < 0 ? (double)NAN : r;
}

double PURE pown(double x, int n)
{
    double r = with_sign_bit(power(ABS(x), n), x, n & 1);
    return n == 0 ? 1 : r;
}

/* ---- log(1 + x) and inverse hyperbolic functions ------------------------------------------------------------------------------------- */

/* A huge x goes down by 2^64 first, so that no scale becomes denormal. */
INLINE double log1p_wide(double x)
{
    bool huge = x > 0x1p900;
    double y = huge ? x * 0x1p-64 : x;
    ulong i = as_ulong(1 + y) - SPLIT;
    long e = (long)i >> 52;
    double scale = as_double(0x3ff0000000000000 - ((ulong)e << 52)), f = FMA(y, scale, scale - 1);
    double r = log_sum_wide(f, (double)e + (huge ? 64.0 : 0.0));
    r = x > -1 && x < (double)INFINITY ? r : x == -1 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
    return SIGN_OF(r, x);
}

double PURE log1p(double x)
{
    return log1p_wide(x);
}

double PURE asinh(double x)
{
    double a = ABS(x), square = a * a;
    bool huge = a > 0x1p500;
    double r = log1p_wide(huge ? a : a + square / (1 + __builtin_elementwise_sqrt(square + 1)));
    return SIGN_OF(huge ? r + 0x1.62e42fefa39efp-1 : r, x);
}

double PURE acosh(double x)
{
    double a = x - 1;
    bool huge = x > 0x1p500;
    double r = log1p_wide(huge ? x : a + __builtin_elementwise_sqrt(a * (a + 2)));
    return x < 1 ? (double)NAN : huge ? r + 0x1.62e42fefa39efp-1 : r;
}

double PURE atanh(double x)
{
    double a = ABS(x), r = 0.5 * log1p_wide(2 * a / (1 - a));
    return a > 1 ? (double)NAN : SIGN_OF(r, x);
}
