/* SPDX-License-Identifier: Apache-2.0
 * Math functions (OpenCL C 6.15.2). The scalar forms of the harder ones, which math.def lists, are in float_*.cl and double_*.cl; the rest
 * is here. Those of half compute in float. */
#include "half.h"
#include "pieces.h"

/* Vector and half forms of the functions of math.def. */
#define F1(f)                                                                                                                              \
    float PURE f(float x);                                                                                                                 \
    double PURE f(double x);                                                                                                               \
    UNARY(f)
#define F2(f)                                                                                                                              \
    float PURE f(float x, float y);                                                                                                        \
    double PURE f(double x, double y);                                                                                                     \
    BINARY(f)
#define F_INT(f)                                                                                                                           \
    float PURE f(float x, int n);                                                                                                          \
    double PURE f(double x, int n);                                                                                                        \
    WITH_INT(f)
#define UNARY(f)                                                                                                                           \
    half PURE f(half x)                                                                                                                    \
    {                                                                                                                                      \
        return (half)f((float)x);                                                                                                          \
    }                                                                                                                                      \
    EACH_VECTOR(SPLIT1, float, f, float)                                                                                                   \
    EACH_VECTOR(SPLIT1, double, f, double)                                                                                                 \
    EACH_VECTOR(SPLIT1, half, f, half)
#define BINARY(f)                                                                                                                          \
    half PURE f(half x, half y)                                                                                                            \
    {                                                                                                                                      \
        return (half)f((float)x, (float)y);                                                                                                \
    }                                                                                                                                      \
    EACH_VECTOR(SPLIT2, float, f, float, float)                                                                                            \
    EACH_VECTOR(SPLIT2, double, f, double, double)                                                                                         \
    EACH_VECTOR(SPLIT2, half, f, half, half)
#define WITH_INT(f)                                                                                                                        \
    half PURE f(half x, int n)                                                                                                             \
    {                                                                                                                                      \
        return (half)f((float)x, n);                                                                                                       \
    }                                                                                                                                      \
    EACH_VECTOR(SPLIT2, float, f, float, int)                                                                                              \
    EACH_VECTOR(SPLIT2, double, f, double, int)                                                                                            \
    EACH_VECTOR(SPLIT2, half, f, half, int)
#include "math.def"

/* One instruction, or a few, in any width. */
#define SIMPLE(N, T)                                                                                                                       \
    T##N PURE fabs(T##N x)                                                                                                                 \
    {                                                                                                                                      \
        return __builtin_elementwise_abs(x);                                                                                               \
    }                                                                                                                                      \
    T##N PURE ceil(T##N x)                                                                                                                 \
    {                                                                                                                                      \
        return __builtin_elementwise_ceil(x);                                                                                              \
    }                                                                                                                                      \
    T##N PURE floor(T##N x)                                                                                                                \
    {                                                                                                                                      \
        return __builtin_elementwise_floor(x);                                                                                             \
    }                                                                                                                                      \
    T##N PURE trunc(T##N x)                                                                                                                \
    {                                                                                                                                      \
        return __builtin_elementwise_trunc(x);                                                                                             \
    }                                                                                                                                      \
    T##N PURE round(T##N x)                                                                                                                \
    {                                                                                                                                      \
        return __builtin_elementwise_round(x);                                                                                             \
    }                                                                                                                                      \
    T##N PURE sqrt(T##N x)                                                                                                                 \
    {                                                                                                                                      \
        return __builtin_elementwise_sqrt(x);                                                                                              \
    }                                                                                                                                      \
    T##N PURE copysign(T##N x, T##N y)                                                                                                     \
    {                                                                                                                                      \
        return __builtin_elementwise_copysign(x, y);                                                                                       \
    }                                                                                                                                      \
    T##N PURE fmax(T##N x, T##N y)                                                                                                         \
    {                                                                                                                                      \
        return __builtin_elementwise_maxnum(x, y);                                                                                         \
    }                                                                                                                                      \
    T##N PURE fmin(T##N x, T##N y)                                                                                                         \
    {                                                                                                                                      \
        return __builtin_elementwise_minnum(x, y);                                                                                         \
    }                                                                                                                                      \
    T##N PURE maxmag(T##N x, T##N y)                                                                                                       \
    {                                                                                                                                      \
        T##N a = fabs(x), b = fabs(y);                                                                                                     \
        return a > b ? x : b > a ? y : fmax(x, y);                                                                                         \
    }                                                                                                                                      \
    T##N PURE minmag(T##N x, T##N y)                                                                                                       \
    {                                                                                                                                      \
        T##N a = fabs(x), b = fabs(y);                                                                                                     \
        return a < b ? x : b < a ? y : fmin(x, y);                                                                                         \
    }                                                                                                                                      \
    T##N PURE fdim(T##N x, T##N y)                                                                                                         \
    {                                                                                                                                      \
        return x <= y ? (T##N)(T)0 : x - y; /* a NaN fails the comparison and passes through the difference */                             \
    }
EACH_WIDTH(SIMPLE, float)
EACH_WIDTH(SIMPLE, double)
EACH_WIDTH(SIMPLE, half)

#define RINT(N, T)                                                                                                                         \
    T##N PURE rint(T##N x)                                                                                                                 \
    {                                                                                                                                      \
        return __builtin_elementwise_rint(x);                                                                                              \
    }
EACH_WIDTH(RINT, float)
EACH_WIDTH(RINT, double)

/* LLVM 22 makes a truncation of (int)rint(half) where the CPU has AVX512-FP16. Adding and taking away 2^23 rounds as well. */
#define RINT_HALF(N)                                                                                                                       \
    half##N PURE rint(half##N x)                                                                                                           \
    {                                                                                                                                      \
        float##N a = __builtin_elementwise_abs(CV##N(float, x));                                                                           \
        a = (a + 0x1p23f) - 0x1p23f;                                                                                                       \
        return __builtin_elementwise_copysign(CV##N(half, a), x);                                                                          \
    }
EACH_WIDTH(RINT_HALF)

#define WITH_SCALAR(N, T)                                                                                                                  \
    T##N PURE fmax(T##N x, T y)                                                                                                            \
    {                                                                                                                                      \
        return fmax(x, (T##N)y);                                                                                                           \
    }                                                                                                                                      \
    T##N PURE fmin(T##N x, T y)                                                                                                            \
    {                                                                                                                                      \
        return fmin(x, (T##N)y);                                                                                                           \
    }
EACH_VECTOR(WITH_SCALAR, float)
EACH_VECTOR(WITH_SCALAR, double)
EACH_VECTOR(WITH_SCALAR, half)

/* A true fused multiply-add. mad may round as it likes: fused is both the fastest and the most exact. */
#define FMA(N, T)                                                                                                                          \
    T##N PURE fma(T##N x, T##N y, T##N z)                                                                                                  \
    {                                                                                                                                      \
        return __builtin_elementwise_fma(x, y, z);                                                                                         \
    }                                                                                                                                      \
    T##N PURE mad(T##N x, T##N y, T##N z)                                                                                                  \
    {                                                                                                                                      \
        return __builtin_elementwise_fma(x, y, z);                                                                                         \
    }
EACH_WIDTH(FMA, float)
EACH_WIDTH(FMA, double)

/* The product is exact in float; its sum with z is rounded to odd, after which rounding to half gives what one rounding would. */
half PURE fma(half x, half y, half z)
{
    float p = (float)x * (float)y, c = (float)z, s = p + c;
    float t = s - p, error = (p - (s - t)) + (c - t);
    int bits = __builtin_astype(s, int);
    if (s - s == 0 && error != 0 && !(bits & 1)) /* not for infinities and NaNs */
        s = __builtin_astype(bits + ((error > 0) == (s > 0) ? 1 : -1), float);
    return (half)s;
}

half PURE mad(half x, half y, half z)
{
    return (half)__builtin_elementwise_fma((float)x, (float)y, (float)z);
}
EACH_VECTOR(SPLIT3, half, fma, half, half, half)
EACH_VECTOR(SPLIT3, half, mad, half, half, half)

float PURE rsqrt(float x);
double PURE rsqrt(double x);
EACH_VECTOR(SPLIT1, float, rsqrt, float)
EACH_VECTOR(SPLIT1, double, rsqrt, double)
#define RSQRT_HALF(N)                                                                                                                      \
    half##N PURE rsqrt(half##N x)                                                                                                          \
    {                                                                                                                                      \
        float##N w = 1.0f / sqrt(CV##N(float, x));                                                                                         \
        return CV##N(half, w);                                                                                                             \
    }
EACH_WIDTH(RSQRT_HALF)

/* Functions of the bits. FRACTION: bits of the stored mantissa; BIAS; UP: a power of two that makes denormals normal. */
#define BITS(T, I, U, FRACTION, BIAS, LARGEST)                                                                                             \
    T PURE nan(U payload)                                                                                                                  \
    {                                                                                                                                      \
        U exponent = (U)(2 * BIAS + 1) << FRACTION, quiet = (U)1 << (FRACTION - 1);                                                        \
        return __builtin_astype((U)(exponent | quiet | (payload & (quiet - 1))), T);                                                       \
    }                                                                                                                                      \
    T PURE nextafter(T x, T y)                                                                                                             \
    {                                                                                                                                      \
        I i = __builtin_astype(x, I), up = x < y ? -1 : 0, negative = i < 0 ? -1 : 0, away = up ^ negative;                                \
        T next = __builtin_astype((I)(i - (away + away + 1)), T), least = __builtin_astype((I)1, T), sum = x + y;                          \
        next = x == 0 ? __builtin_elementwise_copysign(least, y) : next;                                                                   \
        next = x == y ? y : next;                                                                                                          \
        return x != x || y != y ? sum : next;                                                                                              \
    }                                                                                                                                      \
    INLINE int exponent_of_##T(U magnitude)                                                                                                \
    {                                                                                                                                      \
        int e = (int)(magnitude >> FRACTION);                                                                                              \
        int top = (int)sizeof(U) * 8 - 1 - (int)__builtin_elementwise_clzg(magnitude, (U)0);                                               \
        return (e ? e : top + 1 - FRACTION) - BIAS;                                                                                        \
    }                                                                                                                                      \
    INLINE T frexp_##T(T x, int *exponent)                                                                                                 \
    {                                                                                                                                      \
        U u = __builtin_astype(x, U), m = __builtin_astype(__builtin_elementwise_abs(x), U);                                               \
        *exponent = 0;                                                                                                                     \
        if (m == 0 || m >= (U)(2 * BIAS + 1) << FRACTION)                                                                                  \
            return x;                                                                                                                      \
        int e = exponent_of_##T(m);                                                                                                        \
        *exponent = e + 1;                                                                                                                 \
        U fraction = (U)(e < 1 - BIAS ? m << (1 - BIAS - e) : m) & (U)(((U)1 << FRACTION) - 1);                                            \
        return __builtin_astype((U)((u ^ m) | (U)(BIAS - 1) << FRACTION | fraction), T);                                                   \
    }                                                                                                                                      \
    INLINE T modf_##T(T x, T *whole)                                                                                                       \
    {                                                                                                                                      \
        *whole = trunc(x);                                                                                                                 \
        return copysign(fabs(x) > (T)LARGEST ? (T)0 : x - *whole, x);                                                                      \
    }                                                                                                                                      \
    INLINE T fract_##T(T x, T *whole)                                                                                                      \
    {                                                                                                                                      \
        *whole = floor(x);                                                                                                                 \
        if (fabs(x) > (T)LARGEST)                                                                                                          \
            return copysign((T)0, x);                                                                                                      \
        T below_one = __builtin_astype((U)(((U)BIAS << FRACTION) - 1), T), r = x - *whole;                                                 \
        return r >= 1 ? below_one : x == 0 ? x : r;                                                                                        \
    }
BITS(float, int, uint, 23, 127, FLT_MAX)
BITS(double, long, ulong, 52, 1023, DBL_MAX)
BITS(half, short, ushort, 10, 15, 65504.0f)
#define LOGB(T, S, I, U, FRACTION, BIAS)                                                                                                   \
    T PURE logb(T x)                                                                                                                       \
    {                                                                                                                                      \
        return __tsr_power_##S(x);                                                                                                         \
    }                                                                                                                                      \
    int PURE ilogb(T x)                                                                                                                    \
    {                                                                                                                                      \
        T a = fabs(x);                                                                                                                     \
        U m = __builtin_astype(a, U);                                                                                                      \
        int n = (int)(m >> FRACTION) - BIAS;                                                                                               \
        if (RARE((I)(m + ((U)(2 * BIAS + 1) << FRACTION)) >= -((I)2 << FRACTION))) { /* as in __tsr_apart */                               \
            n = a > 0 && a < (T)INFINITY ? (int)__tsr_power_##S(a) : INT_MAX; /* FP_ILOGBNAN is that, too */                               \
            n = a == 0 ? FP_ILOGB0 : n;                                                                                                    \
        }                                                                                                                                  \
        return n;                                                                                                                          \
    }
LOGB(float, f, int, uint, 23, 127)
LOGB(double, d, long, ulong, 52, 1023)
half PURE logb(half x)
{
    return (half)logb((float)x);
}

int PURE ilogb(half x)
{
    return ilogb((float)x);
}

#define BITS_VECTORS(T, U)                                                                                                                 \
    EACH_VECTOR(SPLIT1, T, nan, U)                                                                                                         \
    EACH_VECTOR(SPLIT2, T, nextafter, T, T)                                                                                                \
    EACH_VECTOR(SPLIT1, int, ilogb, T)                                                                                                     \
    EACH_VECTOR(SPLIT1, T, logb, T)
BITS_VECTORS(float, uint)
BITS_VECTORS(double, ulong)
BITS_VECTORS(half, ushort)

INLINE int bounded(int n, int lo, int hi)
{
    return n < lo ? lo : n > hi ? hi : n;
}

float PURE ldexp(float x, int n)
{
    return __tsr_ldexp_f(x, n);
}

double PURE ldexp(double x, int n)
{
    return __tsr_ldexp_d(x, n);
}

half PURE ldexp(half x, int n)
{
    int exponent = bounded(n, -60, 60) + 127;
    return (half)((float)x * __builtin_astype(exponent << 23, float));
}

#define LDEXP_SCALAR(N, T)                                                                                                                 \
    T##N PURE ldexp(T##N x, int n)                                                                                                         \
    {                                                                                                                                      \
        return ldexp(x, (int##N)n);                                                                                                        \
    }
#define LDEXP(T) EACH_VECTOR(SPLIT2, T, ldexp, T, int) EACH_VECTOR(LDEXP_SCALAR, T)
LDEXP(float)
LDEXP(double)
LDEXP(half)

/* half_ forms that native.cl has no cheaper form of: it would be wrong for denormals, or be no cheaper. */
#define SAME(N, f)                                                                                                                         \
    float##N PURE half_##f(float##N x)                                                                                                     \
    {                                                                                                                                      \
        return f(x);                                                                                                                       \
    }
#define HALF(f) EACH_WIDTH(SAME, f)
HALF(sqrt)
float PURE half_recip(float x)
{
    return __tsr_rough_recip_f(x);
}

float PURE half_rsqrt(float x)
{
    float r = __tsr_rough_rsqrt_f(x);
    if (RARE(__tsr_apart_f(x)))
        r = x < FLT_MIN ? 0x1p12f * __tsr_rough_rsqrt_f(x * 0x1p24f) : r;
    return r;
}
EACH_VECTOR(SPLIT1, float, half_recip, float)
EACH_VECTOR(SPLIT1, float, half_rsqrt, float)
#define RELAXED_POWR(N) float##N PURE __tsr_relaxed_powr(float##N x, float##N y);
EACH_WIDTH(RELAXED_POWR)
#define HALF_OTHERS(N)                                                                                                                     \
    float##N PURE half_divide(float##N x, float##N y)                                                                                      \
    {                                                                                                                                      \
        return x / y;                                                                                                                      \
    }                                                                                                                                      \
    float##N PURE half_powr(float##N x, float##N y)                                                                                        \
    {                                                                                                                                      \
        return __tsr_relaxed_powr(x, y);                                                                                                   \
    }
EACH_WIDTH(HALF_OTHERS)

/* Functions with a second result, for a pointer in each address space. g(x, &second) or g(x, y, &second) is the scalar form. */
float OVER sincos(float x, private float *cosine);
double OVER sincos(double x, private double *cosine);
float OVER lgamma_r(float x, private int *sign);
double OVER lgamma_r(double x, private int *sign);
float OVER remquo(float x, float y, private int *quotient);
double OVER remquo(double x, double y, private int *quotient);

#define BOTH_AT(S, N, T, P, f, g)                                                                                                          \
    T##N OVER f(T##N x, S P##N *second)                                                                                                    \
    {                                                                                                                                      \
        T##N r;                                                                                                                            \
        P##N all;                                                                                                                          \
        _Pragma("unroll") for (int i = 0; i < N; i++)                                                                                      \
        {                                                                                                                                  \
            private P one;                                                                                                                 \
            r[i] = g(x[i], &one);                                                                                                          \
            all[i] = one;                                                                                                                  \
        }                                                                                                                                  \
        *second = all;                                                                                                                     \
        return r;                                                                                                                          \
    }
#define BOTH_SCALAR(S, T, P, f, g)                                                                                                         \
    T OVER f(T x, S P *second)                                                                                                             \
    {                                                                                                                                      \
        private P one;                                                                                                                     \
        T r = g(x, &one);                                                                                                                  \
        *second = one;                                                                                                                     \
        return r;                                                                                                                          \
    }
#define BOTH2_AT(S, N, T, P, f, g)                                                                                                         \
    T##N OVER f(T##N x, T##N y, S P##N *second)                                                                                            \
    {                                                                                                                                      \
        T##N r;                                                                                                                            \
        P##N all;                                                                                                                          \
        _Pragma("unroll") for (int i = 0; i < N; i++)                                                                                      \
        {                                                                                                                                  \
            private P one;                                                                                                                 \
            r[i] = g(x[i], y[i], &one);                                                                                                    \
            all[i] = one;                                                                                                                  \
        }                                                                                                                                  \
        *second = all;                                                                                                                     \
        return r;                                                                                                                          \
    }
#define BOTH2_SCALAR(S, T, P, f, g)                                                                                                        \
    T OVER f(T x, T y, S P *second)                                                                                                        \
    {                                                                                                                                      \
        private P one;                                                                                                                     \
        T r = g(x, y, &one);                                                                                                               \
        *second = one;                                                                                                                     \
        return r;                                                                                                                          \
    }
#define AT_VECTOR(S, AT, ...)                                                                                                              \
    AT(S, 2, __VA_ARGS__) AT(S, 3, __VA_ARGS__) AT(S, 4, __VA_ARGS__) AT(S, 8, __VA_ARGS__) AT(S, 16, __VA_ARGS__)
#define AT_EACH(AT, ...)                                                                                                                   \
    AT_VECTOR(global, AT, __VA_ARGS__)                                                                                                     \
    AT_VECTOR(local, AT, __VA_ARGS__)                                                                                                      \
    AT_VECTOR(private, AT, __VA_ARGS__)                                                                                                    \
    AT_VECTOR(__generic, AT, __VA_ARGS__)
#define SCALAR_EACH(M, ...) M(global, __VA_ARGS__) M(local, __VA_ARGS__) M(private, __VA_ARGS__) M(__generic, __VA_ARGS__)
/* The private scalar form is in float_*.cl and double_*.cl. */
#define SCALAR_OTHERS(M, ...) M(global, __VA_ARGS__) M(local, __VA_ARGS__) M(__generic, __VA_ARGS__)

INLINE half sincos_half(half x, half *cosine)
{
    private float c;
    float s = sincos((float)x, &c);
    *cosine = (half)c;
    return (half)s;
}

INLINE half lgamma_r_half(half x, int *sign)
{
    private int at;
    float r = lgamma_r((float)x, &at);
    *sign = at;
    return (half)r;
}

INLINE half remquo_half(half x, half y, int *quotient)
{
    private int q;
    float r = remquo((float)x, (float)y, &q);
    *quotient = q;
    return (half)r;
}

#define TWO_RESULTS(T, P, f, BOTH)                                                                                                         \
    SCALAR_EACH(BOTH##_SCALAR, T, P, f, f##_##T)                                                                                           \
    AT_EACH(BOTH##_AT, T, P, f, f##_##T)
#define TWO_RESULTS_OTHERS(T, P, f, BOTH)                                                                                                  \
    SCALAR_OTHERS(BOTH##_SCALAR, T, P, f, f)                                                                                               \
    AT_EACH(BOTH##_AT, T, P, f, f)
TWO_RESULTS(float, float, fract, BOTH)
TWO_RESULTS(double, double, fract, BOTH)
TWO_RESULTS(half, half, fract, BOTH)
TWO_RESULTS(float, float, modf, BOTH)
TWO_RESULTS(double, double, modf, BOTH)
TWO_RESULTS(half, half, modf, BOTH)
TWO_RESULTS(float, int, frexp, BOTH)
TWO_RESULTS(double, int, frexp, BOTH)
TWO_RESULTS(half, int, frexp, BOTH)
TWO_RESULTS_OTHERS(float, float, sincos, BOTH)
TWO_RESULTS_OTHERS(double, double, sincos, BOTH)
TWO_RESULTS(half, half, sincos, BOTH)
TWO_RESULTS_OTHERS(float, int, lgamma_r, BOTH)
TWO_RESULTS_OTHERS(double, int, lgamma_r, BOTH)
TWO_RESULTS(half, int, lgamma_r, BOTH)
TWO_RESULTS_OTHERS(float, int, remquo, BOTH2)
TWO_RESULTS_OTHERS(double, int, remquo, BOTH2)
TWO_RESULTS(half, int, remquo, BOTH2)
