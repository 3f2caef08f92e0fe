/* SPDX-License-Identifier: Apache-2.0
 * Common functions (OpenCL C 6.15.4). */
#include "library.h"

#define COMMON(N, T)                                                                                                                       \
    T##N PURE clamp(T##N x, T##N lo, T##N hi)                                                                                              \
    {                                                                                                                                      \
        T##N y = x < lo ? lo : x;                                                                                                          \
        return hi < y ? hi : y;                                              \
    }                                                                                                                                      \
    T##N PURE degrees(T##N x)                                                                                                              \
    {                                                                                                                                      \
        return x * (T)57.29577951308232087680;                                                                                             \
    }                                                                                                                                      \
    T##N PURE radians(T##N x)                                                                                                              \
    {                                                                                                                                      \
        return x * (T)0.01745329251994329577;                                                                                              \
    }                                                                                                                                      \
    T##N PURE max(T##N x, T##N y)                                                                                                          \
    {                                                                                                                                      \
        return x < y ? y : x;                                                                                                              \
    }                                                                                                                                      \
    T##N PURE min(T##N x, T##N y)                                                                                                          \
    {                                                                                                                                      \
        return y < x ? y : x;                                                                                                              \
    }                                                                                                                                      \
    T##N PURE mix(T##N x, T##N y, T##N a)                                                                                                  \
    {                                                                                                                                      \
        return x + (y - x) * a;                                                                                                            \
    }                                                                                                                                      \
    T##N PURE step(T##N edge, T##N x)                                                                                                      \
    {                                                                                                                                      \
        return x < edge ? (T##N)(T)0 : (T##N)(T)1;                                                                                         \
    }                                                                                                                                      \
    T##N PURE smoothstep(T##N lo, T##N hi, T##N x)                                                                                         \
    {                                                                                                                                      \
        T##N t = clamp((x - lo) / (hi - lo), (T##N)(T)0, (T##N)(T)1);                                                                      \
        return t * t * ((T)3 - (T)2 * t);                                                                                                  \
    }                                                                                                                                      \
    T##N PURE sign(T##N x)                                                                                                                 \
    {                                                                                                                                      \
        T##N one = __builtin_elementwise_copysign((T##N)(T)1, x);                                                                          \
        return x != x ? (T##N)(T)0 : x == (T##N)(T)0 ? x : one;                                                                            \
    }

#define WITH_SCALAR(N, T)                                                                                                                  \
    T##N PURE clamp(T##N x, T lo, T hi)                                                                                                    \
    {                                                                                                                                      \
        return clamp(x, (T##N)lo, (T##N)hi);                                                                                               \
    }                                                                                                                                      \
    T##N PURE max(T##N x, T y)                                                                                                             \
    {                                                                                                                                      \
        return max(x, (T##N)y);                                                                                                            \
    }                                                                                                                                      \
    T##N PURE min(T##N x, T y)                                                                                                             \
    {                                                                                                                                      \
        return min(x, (T##N)y);                                                                                                            \
    }                                                                                                                                      \
    T##N PURE mix(T##N x, T##N y, T a)                                                                                                     \
    {                                                                                                                                      \
        return mix(x, y, (T##N)a);                                                                                                         \
    }                                                                                                                                      \
    T##N PURE step(T edge, T##N x)                                                                                                         \
    {                                                                                                                                      \
        return step((T##N)edge, x);                                                                                                        \
    }                                                                                                                                      \
    T##N PURE smoothstep(T lo, T hi, T##N x)                                                                                               \
    {                                                                                                                                      \
        return smoothstep((T##N)lo, (T##N)hi, x);                                                                                          \
    }

#define ALL(T) EACH_WIDTH(COMMON, T) EACH_VECTOR(WITH_SCALAR, T)
ALL(float)
ALL(double)
ALL(half)
