/* SPDX-License-Identifier: Apache-2.0
 * Explicit conversions (OpenCL C 6.4.3): every pair of types, every width, saturated or not, in every rounding mode. */
#ifndef TESSERA_BUILTINS_CONVERT_H
#define TESSERA_BUILTINS_CONVERT_H

#include "half.h"

/* M(suffix, ...) for the name without a mode and for each of the four modes. */
#define EACH_MODE(M, ...)                                                                                                                  \
    M(, ##__VA_ARGS__)                                                                                                                     \
    M(_rte, ##__VA_ARGS__)                                                                                                                 \
    M(_rtz, ##__VA_ARGS__)                                                                                                                 \
    M(_rtp, ##__VA_ARGS__)                                                                                                                 \
    M(_rtn, ##__VA_ARGS__)     

/* Integer to integer: the mode has nothing to round. Saturation clamps in the source type to what both types hold. */
#define INT_TO_INT(suffix, N, D, S, DMIN, DMAX, SMIN, SMAX)                                                                                \
    D##N PURE convert_##D##N##suffix(S##N x)                                                                                               \
    {                                                                                                                                      \
        return CV##N(D, x);                                                                                                                \
    }                                                                                                                                      \
    D##N PURE convert_##D##N##_sat##suffix(S##N x)                                                                                         \
    {                                                                                                                                      \
        const S lo = (long)DMIN > (long)SMIN ? (S)DMIN : (S)SMIN, hi = (ulong)DMAX < (ulong)SMAX ? (S)DMAX : (S)SMAX;                      \
        x = __builtin_elementwise_min(__builtin_elementwise_max(x, (S##N)lo), (S##N)hi);                                                   \
        return CV##N(D, x);                                                                                                                \
    }

/* Floating point to integer; the default mode is toward zero. W: the type to compute in. LIMIT is DMAX + 1, a power of two. */
#define ROUND_float(x) __builtin_elementwise_trunc(x)
#define ROUND_float_rte(x) __builtin_elementwise_rint(x)
#define ROUND_float_rtz(x) __builtin_elementwise_trunc(x)
#define ROUND_float_rtp(x) __builtin_elementwise_ceil(x)
#define ROUND_float_rtn(x) __builtin_elementwise_floor(x)
#define ROUND_double(x) __builtin_elementwise_trunc(x)
#define ROUND_double_rte(x) __builtin_elementwise_rint(x)
#define ROUND_double_rtz(x) __builtin_elementwise_trunc(x)
#define ROUND_double_rtp(x) __builtin_elementwise_ceil(x)
#define ROUND_double_rtn(x) __builtin_elementwise_floor(x)
#define ROUND_half(x) __builtin_elementwise_trunc(x)
/* As rint in math.cl; the sign of a zero does not matter here. */
#define ROUND_half_rte(x) ((x + 0x1.8p23f) - 0x1.8p23f)
#define ROUND_half_rtz(x) __builtin_elementwise_trunc(x)
#define ROUND_half_rtp(x) __builtin_elementwise_ceil(x)
#define ROUND_half_rtn(x) __builtin_elementwise_floor(x)
#define FLOAT_TO_INT(suffix, N, D, S, W)                                                                                                   \
    D##N PURE convert_##D##N##suffix(S##N x)                                                                                               \
    {                                                                                                                                      \
        W##N w = ROUND_##S##suffix(CV##N(W, x));                                                                                           \
        return CV##N(D, w);                                                                                                                \
    }
#define FLOAT_TO_INT_SAT(suffix, D, S, W, DMIN, DMAX, LIMIT)                                                                               \
    D PURE convert_##D##_sat##suffix(S x)                                                                                                  \
    {                                                                                                                                      \
        W w = ROUND_##S##suffix((W)x);                                                                                                     \
        if (sizeof(D) < 4) { /* its limits are numbers of W: two comparisons, and one for NaNs, which DMIN = 0 makes superfluous */        \
            W c = w > (W)DMIN ? w : (W)DMIN;                                                                                               \
            D r = (D)(int)(c < (W)DMAX ? c : (W)DMAX);                                                                                     \
            return DMIN == 0 || w == w ? r : 0;                                                                                            \
        }                                                                                                                                  \
        W positive = w > 0 ? w : 0; /* of a NaN, too */                                                                                    \
        if (DMIN == 0)                                                                                                                     \
            return positive >= (W)LIMIT ? DMAX : (D)positive;                                                                              \
        return w != w ? 0 : w >= (W)LIMIT ? DMAX : w <= (W)DMIN ? DMIN : (D)w;                                                             \
    }                                                                                                                                      \
    EACH_VECTOR(PER_ELEMENT, D, S, _sat##suffix)
#define PER_ELEMENT(N, D, S, suffix)                                                                                                       \
    D##N PURE convert_##D##N##suffix(S##N x)                                                                                               \
    {                                                                                                                                      \
        D##N r;                                                                                                                            \
        _Pragma("unroll") for (int i = 0; i < N; i++) r[i] = convert_##D##suffix(x[i]);                                                    \
        return r;                                                                                                                          \
    }

/* One conversion of each width that LLVM rounds as asked. */
#define DIRECT(N, D, S, suffix)                                                                                                            \
    D##N PURE convert_##D##N##suffix(S##N x)                                                                                               \
    {                                                                                                                                      \
        return CV##N(D, x);                                                                                                                \
    }
/* Converts by way of a type that holds every value of the source that differs in the destination. */
#define BY_WAY(N, D, S, W, suffix)                                                                                                         \
    D##N PURE convert_##D##N##suffix(S##N x)                                                                                               \
    {                                                                                                                                      \
        W##N w = CV##N(W, x);                                                                                                              \
        return CV##N(D, w);                                                                                                                \
    }
#define EXACT(D, S)                                                                                                                        \
    EACH_WIDTH(DIRECT, D, S, )                                                                                                             \
    EACH_WIDTH(DIRECT, D, S, _rte)                                                                                                         \
    EACH_WIDTH(DIRECT, D, S, _rtz)                                                                                                         \
    EACH_WIDTH(DIRECT, D, S, _rtp)                                                                                                         \
    EACH_WIDTH(DIRECT, D, S, _rtn)

/* The neighbour of r, which is the value nearest to x, in the direction of the rounding mode. above: r > x; below: r < x. */
#define DIRECTED(F, I)                                                                                                                     \
    INLINE F directed_##F(F r, bool above, bool below, enum rounding mode)                                                                 \
    {                                                                                                                                      \
        I bits = __builtin_astype(r, I);                                                                                                   \
        bool negative = bits < 0;                                                                                                          \
        bool up = below && (mode == RTP || (mode == RTZ && negative)), down = above && (mode == RTN || (mode == RTZ && !negative));        \
        return __builtin_astype((I)(bits + (up ? (negative ? -1 : 1) : down ? (negative ? 1 : -1) : 0)), F);                               \
    }
DIRECTED(float, int)
DIRECTED(double, long)

/* Scalars in a directed mode. LIMIT is one more than S's largest value. */
#define FROM_INT(F, S, LIMIT, suffix, MODE)                                                                                                \
    F PURE convert_##F##suffix(S x)                                                                                                        \
    {                                                                                                                                      \
        F r = (F)x;                                                                                                                        \
        if (r >= LIMIT)                                                                                                                    \
            return directed_##F(r, true, false, MODE);                                                                                     \
        S back = (S)r;                                                                                                                     \
        return directed_##F(r, back > x, back < x, MODE);                                                                                  \
    }                                                                                                                                      \
    EACH_VECTOR(PER_ELEMENT, F, S, suffix)
#define ROUNDED_FROM_INT(F, S, LIMIT)                                                                                                      \
    EACH_WIDTH(DIRECT, F, S, )                                                                                                             \
    EACH_WIDTH(DIRECT, F, S, _rte)                                                                                                         \
    FROM_INT(F, S, LIMIT, _rtz, RTZ)                                                                                                       \
    FROM_INT(F, S, LIMIT, _rtp, RTP)                                                                                                       \
    FROM_INT(F, S, LIMIT, _rtn, RTN)

#define FLOAT_FROM_DOUBLE(suffix, MODE)                                                                                                    \
    float PURE convert_float##suffix(double x)                                                                                             \
    {                                                                                                                                      \
        float r = (float)x;                                                                                                                \
        return directed_float(r, (double)r > x, (double)r < x, MODE);                                                                      \
    }                                                                                                                                      \
    EACH_VECTOR(PER_ELEMENT, float, double, suffix)

#define TO_HALF(S, W, suffix, MODE)                                                                                                           \
    half PURE convert_half##suffix(S x)                                                                                                    \
    {                                                                                                                                      \
        return half_from((W)x, MODE);                                                                                                 \
    }                                                                                                                                      \
    EACH_VECTOR(PER_ELEMENT, half, S, suffix)
#define HALF_DIRECTED(S, W)                                                                                                                   \
    TO_HALF(S, W, _rtz, RTZ)                                                                                                                  \
    TO_HALF(S, W, _rtp, RTP)                                                                                                                  \
    TO_HALF(S, W, _rtn, RTN)
/* An integer that float cannot hold is larger than the largest half anyway. */
#define HALF_FROM_INT(S, W)                                                                                                                   \
    EACH_WIDTH(BY_WAY, half, S, float, )                                                                                                   \
    EACH_WIDTH(BY_WAY, half, S, float, _rte)                                                                                               \
    HALF_DIRECTED(S, W)

#define INTS_FROM(D, DMIN, DMAX, S, SMIN, SMAX)                                                                                            \
    EACH_MODE(INT_TO_INT, , D, S, DMIN, DMAX, SMIN, SMAX)                                                                                  \
    EACH_MODE(INT_TO_INT, 2, D, S, DMIN, DMAX, SMIN, SMAX)                                                                                 \
    EACH_MODE(INT_TO_INT, 3, D, S, DMIN, DMAX, SMIN, SMAX)                                                                                 \
    EACH_MODE(INT_TO_INT, 4, D, S, DMIN, DMAX, SMIN, SMAX)                                                                                 \
    EACH_MODE(INT_TO_INT, 8, D, S, DMIN, DMAX, SMIN, SMAX)                                                                                 \
    EACH_MODE(INT_TO_INT, 16, D, S, DMIN, DMAX, SMIN, SMAX)
#define INT_FROM_FLOAT(D, DMIN, DMAX, LIMIT, S, W)                                                                                         \
    EACH_MODE(FLOAT_TO_INT, , D, S, W)                                                                                                     \
    EACH_MODE(FLOAT_TO_INT, 2, D, S, W)                                                                                                    \
    EACH_MODE(FLOAT_TO_INT, 3, D, S, W)                                                                                                    \
    EACH_MODE(FLOAT_TO_INT, 4, D, S, W)                                                                                                    \
    EACH_MODE(FLOAT_TO_INT, 8, D, S, W)                                                                                                    \
    EACH_MODE(FLOAT_TO_INT, 16, D, S, W)                                                                                                   \
    EACH_MODE(FLOAT_TO_INT_SAT, D, S, W, DMIN, DMAX, LIMIT)
#define TO_INT(D, DMIN, DMAX, LIMIT)                                                                                                       \
    INTS_FROM(D, DMIN, DMAX, char, SCHAR_MIN, SCHAR_MAX)                                                                                   \
    INTS_FROM(D, DMIN, DMAX, uchar, 0, UCHAR_MAX)                                                                                          \
    INTS_FROM(D, DMIN, DMAX, short, SHRT_MIN, SHRT_MAX)                                                                                    \
    INTS_FROM(D, DMIN, DMAX, ushort, 0, USHRT_MAX)                                                                                         \
    INTS_FROM(D, DMIN, DMAX, int, INT_MIN, INT_MAX)                                                                                        \
    INTS_FROM(D, DMIN, DMAX, uint, 0, UINT_MAX)                                                                                            \
    INTS_FROM(D, DMIN, DMAX, long, LONG_MIN, LONG_MAX)                                                                                     \
    INTS_FROM(D, DMIN, DMAX, ulong, 0, ULONG_MAX)                                                                                          \
    INT_FROM_FLOAT(D, DMIN, DMAX, LIMIT, float, float)                                                                                     \
    INT_FROM_FLOAT(D, DMIN, DMAX, LIMIT, double, double)                                                                                   \
    INT_FROM_FLOAT(D, DMIN, DMAX, LIMIT, half, float)

#endif
