/* SPDX-License-Identifier: Apache-2.0
 * What the scalar math functions of double share, beside scalar.h. */
#ifndef TESSERA_BUILTINS_WIDE_H
#define TESSERA_BUILTINS_WIDE_H

#include "scalar.h"

/* x + ROUNDER is x rounded to a whole number, which stands in the low bits. |x| < 2^51. */
#undef ROUNDER
#define ROUNDER 0x1.8p52

/* A NaN stays one. */
INLINE double between(double x, double low, double high)
{
    x = x > high ? high : x;
    return x < low ? low : x;
}

#define ONE 0x3ff0000000000000 /* the bits of 1.0 */

/* p·2^k for -2000 < k < 2000, rounded once: k is in the low bits of `rounder`. */
INLINE double scaled_wide(double p, ulong rounder)
{
    ulong all = rounder << 52, part = rounder << 51 & 0xfff0000000000000;
    return p * as_double(part + ONE) * as_double(all - part + ONE);
}

/* exp(r) - 1 for |r| ≤ ln(2)/2. */
INLINE double exp_tail_wide(double r)
{
    double q = POLY(r, 0x1.000000000000ap-1, 0x1.55555555554fep-3, 0x1.55555555506bfp-5, 0x1.1111111126b36p-7, 0x1.6c16c18475fabp-10,
                     0x1.a01a012fed2f7p-13, 0x1.a019996298ecdp-16, 0x1.71df18f7a1dd8p-19, 0x1.28adf8e81298cp-22, 0x1.ad92d1e47a0d8p-26);
    return FMA(q, r * r, r);
}

/* x = k·ln(2) + r; the answer is k + ROUNDER. */
INLINE double split_exp_wide(double x, double *r)
{
    double t = FMA(x, 0x1.71547652b82fep0, ROUNDER), k = t - ROUNDER;
    *r = FMA(k, -0x1.abc9e3b39803fp-56, FMA(k, -0x1.62e42fefa39efp-1, x));
    return t;
}

/* 2^r for |r| ≤ 1/2. The largest terms come last, so that powers that are whole numbers come out exactly. */
INLINE double exp2_near_wide(double r)
{
    double p = POLY(r, 0x1.ebfbdff82c5a6p-3, 0x1.c6b08d704a12cp-5, 0x1.3b2ab6fb9fda6p-7, 0x1.5d87fe789e96fp-10, 0x1.4309130f6cbdbp-13,
                    0x1.ffcbfc6685f06p-17, 0x1.62bfc6596be12p-20, 0x1.b52522bc15f8fp-24, 0x1.e61d43321746dp-28, 0x1.e973179a994acp-32);
    return FMA(FMA(p, r, 0x1.62e42fefa39efp-1), r, 1.0);
}

/* The exponent in these bits as a number; `up` is added to it. */
INLINE double exponent_of(ulong bits, double up)
{
    return as_double(bits >> 52 | 0x4330000000000000) - (0x1p52 + 1023 - up);
}

/* log2(x) of a finite x > 0; *low has the bits from the eleventh on. With s = f/(f + 2) it is s times a polynomial of s², whose first two
 * terms and s itself come in two parts. Of zero, infinity, the negative and no number it is -inf, inf and no number. */
INLINE double log2_parts(double x, double *low)
{
    double e, f = split_log_d(x, &e), d = f + 2, inverse = 1 / d, s = f * inverse;
    double s_low = FMA(-s, f - (d - 2), FMA(-s, d, f)) * inverse;
    double z = s * s, z_low = FMA(s + s, s_low, FMA(s, s, -z));
    double q = POLY(z, 0x1.2776c50ef9bfep-1, 0x1.a61762a7ae694p-2, 0x1.484b13d6c5a82p-2, 0x1.0c9a855a5b307p-2, 0x1.c68ec49e9384fp-3,
                    0x1.8a118baebe0a9p-3, 0x1.583ddbf773036p-3, 0x1.68c67fd70342p-3);
    double first = 0x1.71547652b82fep1, third = 0x1.ec709dc3a03fdp-1;
    double t = z * third, t_low = FMA(z, 0x1.d27f05548af0cp-55, FMA(z_low, third, FMA(z, third, -t)));
    double a = first + t, a_low = (first - a) + t + FMA(z * z, q, t_low + 0x1.777d0ffda0d24p-55);
    double h = s * a, h_low = FMA(s_low, a, FMA(s, a_low, FMA(s, a, -h)));
    double r = e + h;
    *low = (e - r) + h + h_low;
    return r;
}

/* q·2^(p + low), rounded once, for |p| < 1100 and |low| < 1: the whole number is that of both parts. */
INLINE double exp2_parts_near(double q, double p, double low)
{
    double t = p + low + ROUNDER;
    return __tsr_scale_d(q * exp2_near_wide(p - (t - ROUNDER) + low), t);
}

/* q·2^(p + low), rounded once. A low part of an infinite p may be anything. */
INLINE double times_exp2(double q, double p, double low)
{
    low = ABS(p) < 1100 ? low : 0;
    p = between(p, -1100, 1100);
    double sum = p + low;
    return exp2_parts_near(q, sum, p - sum + low);
}

#endif
