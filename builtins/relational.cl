/* SPDX-License-Identifier: Apache-2.0
 * Relational functions (OpenCL C 6.15.6): scalar forms answer 0 or 1, vector forms 0 or -1 in each element. Also shuffles (6.15.16). */
#include "library.h"

/* R: result type of this width; ONE: how a comparison becomes a result; I: integer of T's size. */
#define COMPARE(N, T, R, I, LARGEST, SMALLEST)                                                                                             \
    R##N PURE isequal(T##N x, T##N y)                                                                                                      \
    {                                                                                                                                      \
        return x == y;                                                                                                                     \
    }                                                                                                                                      \
    R##N PURE isnotequal(T##N x, T##N y)                                                                                                   \
    {                                                                                                                                      \
        return x != y;                                                                                                                     \
    }                                                                                                                                      \
    R##N PURE isgreater(T##N x, T##N y)                                                                                                    \
    {                                                                                                                                      \
        return x > y;                                                                                                                      \
    }                                                                                                                                      \
    R##N PURE isgreaterequal(T##N x, T##N y)                                                                                               \
    {                                                                                                                                      \
        return x >= y;                                                                                                                     \
    }                                                                                                                                      \
    R##N PURE isless(T##N x, T##N y)                                                                                                       \
    {                                                                                                                                      \
        return x < y;                                                                                                                      \
    }                                                                                                                                      \
    R##N PURE islessequal(T##N x, T##N y)                                                                                                  \
    {                                                                                                                                      \
        return x <= y;                                                                                                                     \
    }                                                                                                                                      \
    R##N PURE islessgreater(T##N x, T##N y)                                                                                                \
    {                                                                                                                                      \
        return (x < y) | (x > y);                                                                                                          \
    }                                                                                                                                      \
    R##N PURE isordered(T##N x, T##N y)                                                                                                    \
    {                                                                                                                                      \
        return (x == x) & (y == y);                                                                                                        \
    }                                                                                                                                      \
    R##N PURE isunordered(T##N x, T##N y)                                                                                                  \
    {                                                                                                                                      \
        return (x != x) | (y != y);                                                                                                        \
    }                                                                                                                                      \
    R##N PURE isnan(T##N x)                                                                                                                \
    {                                                                                                                                      \
        return x != x;                                                                                                                     \
    }                                                                                                                                      \
    R##N PURE isinf(T##N x)                                                                                                                \
    {                                                                                                                                      \
        return __builtin_elementwise_abs(x) > (T##N)(T)LARGEST;                                                                            \
    }                                                                                                                                      \
    R##N PURE isfinite(T##N x)                                                                                                             \
    {                                                                                                                                      \
        return __builtin_elementwise_abs(x) <= (T##N)(T)LARGEST;                                                                           \
    }                                                                                                                                      \
    R##N PURE isnormal(T##N x)                                                                                                             \
    {                                                                                                                                      \
        T##N a = __builtin_elementwise_abs(x);                                                                                             \
        return (a <= (T##N)(T)LARGEST) & (a >= (T##N)(T)SMALLEST);                                                                         \
    }                                                                                                                                      \
    R##N PURE signbit(T##N x)                                                                                                              \
    {                                                                                                                                      \
        return AS(I, N, x) < (I##N)(I)0;                                                                                                   \
    }

COMPARE(, float, int, int, FLT_MAX, FLT_MIN)
EACH_VECTOR(COMPARE, float, int, int, FLT_MAX, FLT_MIN)
COMPARE(, double, int, long, DBL_MAX, DBL_MIN)
EACH_VECTOR(COMPARE, double, long, long, DBL_MAX, DBL_MIN)
COMPARE(, half, int, short, 65504.0f, 0x1p-14f)
EACH_VECTOR(COMPARE, half, short, short, 65504.0f, 0x1p-14f)

/* bitselect and select. I, U: integers of T's size. A vector's condition is the sign bit of each element, a scalar's is "not zero". */
#define BITSELECT(N, T, U)                                                                                                                 \
    T##N PURE bitselect(T##N a, T##N b, T##N c)                                                                                            \
    {                                                                                                                                      \
        U##N x = AS(U, N, a), y = AS(U, N, b), m = AS(U, N, c);                                                                            \
        U##N r = (U##N)((x & ~m) | (y & m));                                                                                               \
        return AS(T, N, r);                                                                                                                \
    }
#define SELECT_SCALAR(T, I)                                                                                                                \
    T PURE select(T a, T b, I c)                                                                                                           \
    {                                                                                                                                      \
        return c ? b : a;                                                                                                                  \
    }
#define SELECT_VECTOR(N, T, C, I)                                                                                                          \
    T##N PURE select(T##N a, T##N b, C##N c)                                                                                               \
    {                                                                                                                                      \
        return AS(I, N, c) < (I##N)(I)0 ? b : a;                                                                                           \
    }
#define SELECT(T, I, U)                                                                                                                    \
    EACH_WIDTH(BITSELECT, T, U)                                                                                                            \
    SELECT_SCALAR(T, I)                                                                                                                    \
    SELECT_SCALAR(T, U)                                                                                                                    \
    EACH_VECTOR(SELECT_VECTOR, T, I, I)                                                                                                    \
    EACH_VECTOR(SELECT_VECTOR, T, U, I)
SELECT(char, char, uchar)
SELECT(uchar, char, uchar)
SELECT(short, short, ushort)
SELECT(ushort, short, ushort)
SELECT(int, int, uint)
SELECT(uint, int, uint)
SELECT(long, long, ulong)
SELECT(ulong, long, ulong)
SELECT(float, int, uint)
SELECT(double, long, ulong)
SELECT(half, short, ushort)

#define ANY_ALL_VECTOR(N, I)                                                                                                               \
    int PURE any(I##N x)                                                                                                                   \
    {                                                                                                                                      \
        return __builtin_reduce_or(x) < 0;                                                                                                 \
    }                                                                                                                                      \
    int PURE all(I##N x)                                                                                                                   \
    {                                                                                                                                      \
        return __builtin_reduce_and(x) < 0;                                                                                                \
    }
#define ANY_ALL(I)                                                                                                                         \
    int PURE any(I x)                                                                                                                      \
    {                                                                                                                                      \
        return x < 0;                                                                                                                      \
    }                                                                                                                                      \
    int PURE all(I x)                                                                                                                      \
    {                                                                                                                                      \
        return x < 0;                                                                                                                      \
    }                                                                                                                                      \
    EACH_VECTOR(ANY_ALL_VECTOR, I)
ANY_ALL(char)
ANY_ALL(short)
ANY_ALL(int)
ANY_ALL(long)

/* shuffle, shuffle2: the low bits of each mask element choose. N: elements of the result, M: of each source. */
#define SHUFFLE(N, M, T, U)                                                                                                                \
    T##N PURE shuffle(T##M x, U##N mask)                                                                                                   \
    {                                                                                                                                      \
        T##N r;                                                                                                                            \
        _Pragma("unroll") for (int i = 0; i < N; i++) r[i] = x[mask[i] & (M - 1)];                                                         \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    T##N PURE shuffle2(T##M x, T##M y, U##N mask)                                                                                          \
    {                                                                                                                                      \
        T##N a = shuffle(x, mask), b = shuffle(y, mask);                                                                                   \
        return (mask & (U)M) != (U)0 ? b : a;                                                                                              \
    }
#define SHUFFLE_FROM(M, T, U) SHUFFLE(2, M, T, U) SHUFFLE(4, M, T, U) SHUFFLE(8, M, T, U) SHUFFLE(16, M, T, U)
#define SHUFFLES(T, U) SHUFFLE_FROM(2, T, U) SHUFFLE_FROM(4, T, U) SHUFFLE_FROM(8, T, U) SHUFFLE_FROM(16, T, U)
SHUFFLES(char, uchar)
SHUFFLES(uchar, uchar)
SHUFFLES(short, ushort)
SHUFFLES(ushort, ushort)
SHUFFLES(int, uint)
SHUFFLES(uint, uint)
SHUFFLES(long, ulong)
SHUFFLES(ulong, ulong)
SHUFFLES(float, uint)
SHUFFLES(double, ulong)
SHUFFLES(half, ushort)
