/* SPDX-License-Identifier: Apache-2.0
 * Exponentials, logarithms, powers and inverse hyperbolic functions of a double, in the manner of float_exp.cl. */
#include "wide.h"

double PURE exp(double x)
{
    double r, t = split_exp_wide(between(x, -750, 720), &r);
    return __tsr_scale_d(1 + exp_tail_wide(r), t);
}

double PURE exp2(double x)
{
    x = between(x, -1100, 1100);
    double t = x + ROUNDER, r = x - (t - ROUNDER);
    return __tsr_scale_d(exp2_near_wide(r), t);
}

double PURE exp10(double x)
{
    x = between(x, -330, 310);
    double t = FMA(x, 0x1.a934f0979a371p1, ROUNDER), k = t - ROUNDER;
    double r = FMA(k, 0x1.9dc1da994fd21p-59, FMA(k, -0x1.34413509f79ffp-2, x));
    return __tsr_scale_d(1 + exp_tail_wide(r * 0x1.26bb1bbb55516p1), t);
}

double PURE expm1(double x)
{
    bool large = x > 709; /* 2^1024 is no double */
    double r, t = split_exp_wide(between(x, -50, 710), &r);
    double s = as_double(((as_ulong(t) - (large ? 1 : 0)) << 52) + ONE);
    double e = FMA(s, exp_tail_wide(r), s - (large ? 0.5 : 1.0));
    return SIGN_OF(large ? e + e : e, x);
}

double PURE tanh(double x)
{
    double a = ABS(x), r, t = split_exp_wide(2 * (a > 20 ? 20 : a), &r), s = as_double((as_ulong(t) << 52) + ONE);
    double e = FMA(s, exp_tail_wide(r), s - 1);
    return SIGN_OF(e / (e + 2), x);
}

double PURE cosh(double x)
{
    double a = ABS(x), r, t = split_exp_wide(a > 720 ? 720 : a, &r), h = __tsr_scale_d(1 + exp_tail_wide(r), t - 1);
    return h + 0.25 / h;
}

/* Half of the exponent at a time, so that the product overflows where the result does. */
double PURE sinh(double x)
{
    double a = ABS(x), e = expm1(a), h = exp(a * 0.5);
    return SIGN_OF(a < 22 ? 0.5 * (e + e / (e + 1)) : 0.5 * h * h, x);
}

/* ---- logarithms ---- */

/* log(1 + f) = f + the answer, for -1/4 ≤ f ≤ 1/2. */
INLINE double log_tail_wide(double f)
{
    double p = POLY(f, 0x1.5555555555848p-2, -0x1.fffffffffe5e7p-3, 0x1.9999999916a26p-3, -0x1.55555555e97dcp-3, 0x1.24924960d47a6p-3,
                    -0x1.00000038967fp-3, 0x1.c71c583c4a245p-4, -0x1.99995889f4759p-4, 0x1.745fc0807b101p-4, -0x1.55608f4724afbp-4,
                    0x1.3af6d51393f48p-4, -0x1.23b294e72c927p-4, 0x1.10aa7f14014cfp-4, -0x1.0742f1c3503bbp-4, 0x1.028d8c9c8c56fp-4,
                    -0x1.bf5ce99c3eb04p-5, 0x1.0b32f89466539p-5, -0x1.30453a31601abp-7);
    return f * f * FMA(f, p, -0.5);
}

/* log(1 + f) + e·ln(2). Of an infinite e, which has the sign of both parts of ln(2), it is e. */
INLINE double log_sum_wide(double f, double e)
{
    return FMA(e, 0x1.62e42fefa39efp-1, f + FMA(e, 0x1.abc9e3b39803fp-56, log_tail_wide(f)));
}

double PURE log(double x)
{
    double e, f = split_log_d(x, &e);
    return log_sum_wide(f, e);
}

/* (f + tail)·SCALE, whose two parts are given, and `whole` and `low`. */
INLINE double log_in_base(double f, double scale, double scale_low, double whole, double low)
{
    double h = f * scale, rest = FMA(f, scale, -h);
    return whole + (h + (FMA(log_tail_wide(f), scale, FMA(f, scale_low, rest)) + low));
}

double PURE log2(double x)
{
    double e, f = split_log_d(x, &e);
    return log_in_base(f, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56, e, 0);
}

/* The first part of log10(2) has 42 bits, so that its product with the exponent is exact. */
double PURE log10(double x)
{
    double e, f = split_log_d(x, &e);
    return log_in_base(f, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, e * 0x1.34413509f78p-2, e * 0x1.fef311f12b358p-46);
}

/* ---- powers: the logarithm in two parts ---- */

/* The branch holds what is rare: results that are too large or too small for a number, and what comes of infinities and NaN. */
INLINE double exp2_parts(double p, double low)
{
    double r = exp2_parts_near(1, p, low);
    if (!(ABS(p) < 1100))
        r = p > 0 ? (double)INFINITY : p < 0 ? 0 : p;
    return r;
}

INLINE double power(double a, double y)
{
    double low, log_a = log2_parts(a, &low), p = y * log_a;
    return exp2_parts(p, FMA(y, low, FMA(y, log_a, -p)));
}

/* pow(x, y) where x is not above zero, or p = y·log2(|x|) is not within 1100. r is a power of |x|, if it is a number. */
INLINE double odd_power(double x, double y, double p, double r)
{
    double a = ABS(x), whole = __builtin_elementwise_trunc(y), middle = y * 0.5;
    bool is_odd = whole == y && __builtin_elementwise_trunc(middle) != middle;
    r = ABS(p) < 1100 ? r : p > 0 ? (double)INFINITY : 0;
    r = x < 0 && whole != y && a < (double)INFINITY ? (double)NAN : r;
    r = is_odd ? SIGN_OF(r, x) : r;
    r = a == 1 && ABS(y) == (double)INFINITY ? 1 : r;
    r = x != x || y != y ? (double)NAN : r;
    return y == 0 || x == 1 ? 1 : r;
}

double PURE pow(double x, double y)
{
    double low, log_a = log2_parts(ABS(x), &low), p = y * log_a, r = exp2_parts_near(1, p, FMA(y, low, FMA(y, log_a, -p)));
    if (!(x > 0 && ABS(p) < 1100))
        r = odd_power(x, y, p, r);
    return r;
}

double PURE powr(double x, double y)
{
    return power(x, y); /* 0^0, 1^inf and inf^0 are no numbers, as are the products of their logarithms */
}

/* The sign bit of an odd n. */
INLINE ulong odd_sign(int n)
{
    return (ulong)(uint)n << 63;
}

double PURE rootn(double x, int n)
{
    double low, log_a = log2_parts(as_double(as_ulong(x) & ~odd_sign(n)), &low), whole = (double)n;
    double y = whole == 0 ? (double)NAN : 1 / whole, y_low = FMA(-y, whole, 1.0) * y, p = y * log_a;
    double r = exp2_parts(p, FMA(y_low, log_a, FMA(y, low, FMA(y, log_a, -p))));
    return as_double(as_ulong(r) | (as_ulong(x) & odd_sign(n)));
}

SMALL_POWERS(double)

double PURE pown(double x, int n)
{
    if ((uint)n + 8 <= 16)
        return product(x, n);
    return as_double(as_ulong(power(ABS(x), n)) | (as_ulong(x) & odd_sign(n)));
}

/* ---- log(1 + x) and inverse hyperbolic functions ---- */

/* As in scalar.h. */
INLINE double log1p_finite_wide(double x)
{
    ulong i = as_ulong(1 + x) + (ONE - 0x3fe8000000000000);
    double scale = as_double(2 * ONE + 0x20000000000000 - (i & 0xfff0000000000000));
    return log_sum_wide(0.25 * FMA(x, scale, scale - 4), exponent_of(i, 0));
}

INLINE double log1p_positive_wide(double a)
{
    double r = log1p_finite_wide(a);
    return a < (double)INFINITY ? r : a;
}

double PURE log1p(double x)
{
    double r = log1p_finite_wide(x);
    if (!(x > -1 && x < (double)INFINITY))
        r = x == -1 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
    return SIGN_OF(r, x);
}

double PURE asinh(double x)
{
    double a = ABS(x), square = a * a;
    bool huge = a > 0x1p500;
    double r = log1p_positive_wide(huge ? a : a + square / (1 + __tsr_root_d(huge ? 1 : square + 1)));
    return SIGN_OF(huge ? r + 0x1.62e42fefa39efp-1 : r, x);
}

double PURE acosh(double x)
{
    double a = x - 1;
    bool huge = x > 0x1p500;
    double r = log1p_positive_wide(huge ? x : a + __tsr_root_d(huge ? 1 : a * (a + 2)));
    r = huge ? r + 0x1.62e42fefa39efp-1 : r;
    return x < 1 ? (double)NAN : r;
}

double PURE atanh(double x)
{
    double a = ABS(x), r = 0.5 * log1p_finite_wide(2 * a / (1 - a)), one = a == 1 ? (double)INFINITY : (double)NAN;
    return SIGN_OF(a < 1 ? r : one, x);
}
