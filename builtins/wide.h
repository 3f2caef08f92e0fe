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

/* p·2^k for -2000 < k < 2000, rounded once: k is in the low bits of `rounder`. */
INLINE double scaled_wide(double p, ulong rounder)
{
    ulong part = rounder >> 1, rest = rounder - part;
    return p * as_double((part << 52) + 0x3ff0000000000000) * as_double((rest << 52) + 0x3ff0000000000000);
}

/* exp(r) - 1 for |r| ≤ ln(2)/2. */
INLINE double exp_tail_wide(double r)
{
    double q = POLY9(r, 0x1.000000000000ap-1, 0x1.55555555554fep-3, 0x1.55555555506bfp-5, 0x1.1111111126b36p-7, 0x1.6c16c18475fabp-10,
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

#endif
