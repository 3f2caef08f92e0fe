/* SPDX-License-Identifier: Apache-2.0
 * Geometric functions (OpenCL C 6.15.5). Lengths of float and half vectors are formed in the next wider type, those of double vectors
 * and directions of float vectors after scaling by a power of two, so that squares neither overflow nor vanish. */
#include "library.h"

#define PRODUCT(T)                                                                                                                         \
    T##4 PURE cross(T##4 a, T##4 b)                                                                                                        \
    {                                                                                                                                      \
        return (T##4)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, (T)0);                                          \
    }                                                                                                                                      \
    T##3 PURE cross(T##3 a, T##3 b)                                                                                                        \
    {                                                                                                                                      \
        return (T##3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);                                                \
    }                                                                                                                                      \
    T PURE dot(T a, T b)                                                                                                                   \
    {                                                                                                                                      \
        return a * b;                                                                                                                      \
    }                                                                                                                                      \
    T PURE dot(T##2 a, T##2 b)                                                                                                             \
    {                                                                                                                                      \
        return a.x * b.x + a.y * b.y;                                                                                                      \
    }                                                                                                                                      \
    T PURE dot(T##3 a, T##3 b)                                                                                                             \
    {                                                                                                                                      \
        return a.x * b.x + a.y * b.y + a.z * b.z;                                                                                          \
    }                                                                                                                                      \
    T PURE dot(T##4 a, T##4 b)                                                                                                             \
    {                                                                                                                                      \
        return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;                                                                              \
    }
PRODUCT(float)
PRODUCT(double)
PRODUCT(half)

#define LARGEST_ELEMENT(a) __builtin_reduce_max(__builtin_elementwise_abs(a))
#define LARGEST_ELEMENT_1(a) __builtin_elementwise_abs(a)

/* An infinite element makes the length infinite, and the direction that of the infinite elements alone. */
#define BY_WIDER(N, T, W)                                                                                                                  \
    T PURE length(T##N a)                                                                                                                  \
    {                                                                                                                                      \
        W##N w = CV##N(W, a);                                                                                                              \
        return (T)__builtin_elementwise_sqrt(dot(w, w));                                                                                   \
    }
#define DIRECTION_BY_WIDER(N, T, W, LARGEST)                                                                                               \
    T##N PURE normalize(T##N a)                                                                                                            \
    {                                                                                                                                      \
        T##N infinite = __builtin_elementwise_abs(a) > (T##N)(T)LARGEST ? (T##N)(T)1 : (T##N)(T)0;                                         \
        W##N w = CV##N(W, a), v = CV##N(W, infinite);                                                                                      \
        w = dot(v, v) > 0 ? __builtin_elementwise_copysign(v, w) : w;                                                                      \
        W square = dot(w, w);                                                                                                              \
        w = w / __builtin_elementwise_sqrt(square);                                                                                        \
        return square == 0 ? a : CV##N(T, w);                                                                                              \
    }
/* With floats alone: a root, a quotient and as many squares of doubles take twice the time. The error is at most 3.5 ULP, of 2 + n that are
 * allowed. */
#define DIRECTION_OF_FLOATS(N)                                                                                                             \
    float##N PURE normalize(float##N a)                                                                                                    \
    {                                                                                                                                      \
        float##N infinite = __builtin_elementwise_abs(a) > (float##N)FLT_MAX ? (float##N)1.0f : (float##N)0.0f;                            \
        float m = LARGEST_ELEMENT(a);                                                                                                      \
        a = m > FLT_MAX ? __builtin_elementwise_copysign(infinite, a) : a;                                                                 \
        m = m > FLT_MAX ? 1.0f : m;                                                                                                        \
        bool large = m > 0x1p+60f;                                                                                                         \
        float##N w = a * (m < 0x1p-60f ? 0x1p+90f : 1.0f), v = w * (large ? 0x1p-70f : 1.0f);                                              \
        float square = dot(v, v), early = 1.0f / __builtin_elementwise_sqrt(square) * (large ? 0x1p-10f : 1.0f);                           \
        /* Scaling down comes last: small elements of a long vector would lose bits. */                                                    \
        w = w * early * (large ? 0x1p-60f : 1.0f);                                                                                         \
        return square == 0 ? a : w;                                                                                                        \
    }
#define BY_SCALE(N, LARGEST_OF)                                                                                                            \
    double PURE length(double##N a)                                                                                                        \
    {                                                                                                                                      \
        double m = LARGEST_OF(a);                                                                                                          \
        double up = m > 0x1p+500 ? 0x1p-600 : m < 0x1p-400 ? 0x1p+600 : 1.0;                                                               \
        double down = m > 0x1p+500 ? 0x1p+600 : m < 0x1p-400 ? 0x1p-600 : 1.0;                                                             \
        a *= up;                                                                                                                           \
        return __builtin_elementwise_sqrt(dot(a, a)) * down;                                                                               \
    }                                                                                                                                      \
    double##N PURE normalize(double##N a)                                                                                                  \
    {                                                                                                                                      \
        double##N infinite = __builtin_elementwise_abs(a) > (double##N)DBL_MAX ? (double##N)1.0 : (double##N)0.0;                          \
        a = dot(infinite, infinite) > 0 ? __builtin_elementwise_copysign(infinite, a) : a;                                                 \
        double m = LARGEST_OF(a);                                                                                                          \
        double up = m < 0x1p-400 ? 0x1p+600 : 1.0, down = m > 0x1p+500 ? 0x1p-600 : 1.0;                                                   \
        double##N w = a * up, v = w * down;                                                                                                \
        double square = dot(v, v);                                                                                                         \
        /* Scaling down comes last: small elements of a long vector would lose bits. */                                                    \
        w = w / __builtin_elementwise_sqrt(square) * down;                                                                                 \
        return square == 0 ? a : w;                                                                                                        \
    }
BY_WIDER(, float, double)
BY_WIDER(2, float, double)
BY_WIDER(3, float, double)
BY_WIDER(4, float, double)
DIRECTION_BY_WIDER(, float, double, FLT_MAX)
DIRECTION_OF_FLOATS(2)
DIRECTION_OF_FLOATS(3)
DIRECTION_OF_FLOATS(4)
BY_WIDER(, half, float)
DIRECTION_BY_WIDER(, half, float, 65504.0f)
BY_WIDER(2, half, float)
DIRECTION_BY_WIDER(2, half, float, 65504.0f)
BY_WIDER(3, half, float)
DIRECTION_BY_WIDER(3, half, float, 65504.0f)
BY_WIDER(4, half, float)
DIRECTION_BY_WIDER(4, half, float, 65504.0f)
BY_SCALE(, LARGEST_ELEMENT_1)
BY_SCALE(2, LARGEST_ELEMENT)
BY_SCALE(3, LARGEST_ELEMENT)
BY_SCALE(4, LARGEST_ELEMENT)

#define DISTANCE(N, T)                                                                                                                     \
    T PURE distance(T##N a, T##N b)                                                                                                        \
    {                                                                                                                                      \
        return length(a - b);                                                                                                              \
    }
#define FAST(N)                                                                                                                            \
    float PURE fast_length(float##N a)                                                                                                     \
    {                                                                                                                                      \
        return __builtin_elementwise_sqrt(dot(a, a));                                                                                      \
    }                                                                                                                                      \
    float PURE fast_distance(float##N a, float##N b)                                                                                       \
    {                                                                                                                                      \
        return fast_length(a - b);                                                                                                         \
    }                                                                                                                                      \
    float##N PURE fast_normalize(float##N a)                                                                                               \
    {                                                                                                                                      \
        float square = dot(a, a);                                                                                                          \
        float##N r = a / __builtin_elementwise_sqrt(square);                                                                               \
        return square == 0 ? a : r;                                                                                                        \
    }
#define EACH_GEOMETRIC(M, ...) M(, ##__VA_ARGS__) M(2, ##__VA_ARGS__) M(3, ##__VA_ARGS__) M(4, ##__VA_ARGS__)
EACH_GEOMETRIC(DISTANCE, float)
EACH_GEOMETRIC(DISTANCE, double)
EACH_GEOMETRIC(DISTANCE, half)
EACH_GEOMETRIC(FAST)
