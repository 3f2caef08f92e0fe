/* SPDX-License-Identifier: Apache-2.0
 * Pieces of the math functions for which some CPUs have instructions: pieces.cl, lanes/ir/math_op.def. The values are the same on all CPUs, but
 * for the estimates and the last bits of rsqrt and root.
 *   scale         p·2^(t - ROUNDER), rounded once, for a p near 1 and |t - ROUNDER| < 250 (2000 of double)
 *   ldexp         x·2^n, rounded once
 *   significand   x = significand·2^exponent for finite x > 0, from 3/4 up to 3/2. Of zero and infinity the exponent is -inf and +inf, and the
 *   exponent      significand some number near 1; of less than zero and of no number the exponent is no number.
 *   normal_significand, normal_exponent  the same of normal x > 0; of others whatever comes
 *   apart         not zero for all other x; zero if the CPU's instructions have them right, too
 *   power         logb(x)
 *   odd           the sign bit if the whole number x is odd, else 0
 *   rsqrt         1/sqrt(x), of any x, to 1 unit in the last place
 *   root          sqrt(x) to 1 unit in the last place, of zero and of a finite x ≥ FLT_MIN or DBL_MIN
 *   rough_rsqrt   1/sqrt(x) with 11 bits or more; where x is apart, a denormal may count as zero
 *   rough_recip   1/x with 14 bits or more */
#ifndef TESSERA_BUILTINS_PIECES_H
#define TESSERA_BUILTINS_PIECES_H

#define PIECE __attribute__((const))
#define PIECES(T, U, S)                                                                                                                       \
    T PIECE __tsr_scale_##S(T p, T t);                                                                                                     \
    T PIECE __tsr_ldexp_##S(T x, int n);                                                                                                   \
    T PIECE __tsr_significand_##S(T x);                                                                                                    \
    T PIECE __tsr_exponent_##S(T x);                                                                                                       \
    T PIECE __tsr_normal_significand_##S(T x);                                                                                             \
    T PIECE __tsr_normal_exponent_##S(T x);                                                                                                \
    int PIECE __tsr_apart_##S(T x);                                                                                                        \
    T PIECE __tsr_power_##S(T x);                                                                                                          \
    U PIECE __tsr_odd_##S(T x);                                                                                                            \
    T PIECE __tsr_rsqrt_##S(T x);                                                                                                          \
    T PIECE __tsr_root_##S(T x);
PIECES(float, uint, f)
PIECES(double, ulong, d)
float PIECE __tsr_rough_rsqrt_f(float x);
float PIECE __tsr_rough_recip_f(float x);

#endif
