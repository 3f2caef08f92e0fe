/* SPDX-License-Identifier: Apache-2.0
 * What the collective functions share: the exchange of values and the operations with their neutral elements. */
#ifndef TESSERA_BUILTINS_COLLECTIVE_H
#define TESSERA_BUILTINS_COLLECTIVE_H

#include "library.h"

#define CONVERGENT __attribute__((overloadable, convergent))

/* Pointer to the values that x, a variable of type T, has in every work-item of the scope. */
#define SHARED(T, SCOPE, MODE, x, mask) ((const T *)__tsr_exchange(TSR_SCOPE_##SCOPE, TSR_EXCHANGE_##MODE, &(x), sizeof(T), mask))
/* Lanes are numbered below S, a power of two: an index from outside cannot leave the array of slots. */
#define LANE(index) ((uint)(index) & (__tsr_max_sub_group_size() - 1))

#define OP_add(a, b) ((a) + (b))
#define OP_mul(a, b) ((a) * (b))
#define OP_min(a, b) ((b) < (a) ? (b) : (a))
#define OP_max(a, b) ((a) < (b) ? (b) : (a))
#define OP_and(a, b) ((a) & (b))
#define OP_or(a, b) ((a) | (b))
#define OP_xor(a, b) ((a) ^ (b))
#define OP_logical_and(a, b) ((a) && (b))
#define OP_logical_or(a, b) ((a) || (b))
#define OP_logical_xor(a, b) (!(a) != !(b))

#define NEUTRAL_add(T) ((T)0)
#define NEUTRAL_mul(T) ((T)1)
#define NEUTRAL_min(T) HIGHEST_##T
#define NEUTRAL_max(T) LOWEST_##T
#define NEUTRAL_and(T) ((T)~(T)0)
#define NEUTRAL_or(T) ((T)0)
#define NEUTRAL_xor(T) ((T)0)
#define NEUTRAL_logical_and(T) 1
#define NEUTRAL_logical_or(T) 0
#define NEUTRAL_logical_xor(T) 0

#define LOWEST_char CHAR_MIN
#define LOWEST_uchar 0
#define LOWEST_short SHRT_MIN
#define LOWEST_ushort 0
#define LOWEST_int INT_MIN
#define LOWEST_uint 0
#define LOWEST_long LONG_MIN
#define LOWEST_ulong 0
#define LOWEST_float (-INFINITY)
#define LOWEST_double ((double)-INFINITY)
#define LOWEST_half ((half)-INFINITY)
#define HIGHEST_char CHAR_MAX
#define HIGHEST_uchar UCHAR_MAX
#define HIGHEST_short SHRT_MAX
#define HIGHEST_ushort USHRT_MAX
#define HIGHEST_int INT_MAX
#define HIGHEST_uint UINT_MAX
#define HIGHEST_long LONG_MAX
#define HIGHEST_ulong ULONG_MAX
#define HIGHEST_float INFINITY
#define HIGHEST_double ((double)INFINITY)
#define HIGHEST_half ((half)INFINITY)

/* M(T, ...) for the scalar types. */
#define EACH_WIDE_INT(M, ...) M(int, ##__VA_ARGS__) M(uint, ##__VA_ARGS__) M(long, ##__VA_ARGS__) M(ulong, ##__VA_ARGS__)
#define EACH_NARROW_INT(M, ...) M(char, ##__VA_ARGS__) M(uchar, ##__VA_ARGS__) M(short, ##__VA_ARGS__) M(ushort, ##__VA_ARGS__)
#define EACH_FLOAT(M, ...) M(half, ##__VA_ARGS__) M(float, ##__VA_ARGS__) M(double, ##__VA_ARGS__)
#define EACH_INT(M, ...) EACH_NARROW_INT(M, ##__VA_ARGS__) EACH_WIDE_INT(M, ##__VA_ARGS__)
#define EACH_SCALAR(M, ...) EACH_INT(M, ##__VA_ARGS__) EACH_FLOAT(M, ##__VA_ARGS__)

/* Values of a sub-group: functions that every work-item of it calls. F: prefix of the name. */
#define SUB_GROUP_REDUCE(T, F, OP)                                                                                                         \
    T CONVERGENT F##reduce_##OP(T x)                                                                                                       \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        const T *slot = SHARED(T, SUB_GROUP, ALL, x, &mask);                                                                               \
        T r = slot[0];                                                                                                                     \
        for (uint i = 1, n = __tsr_sub_group_size(); i < n; i++)                                                                           \
            r = (T)OP_##OP(r, slot[i]);                                                                                                    \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    T CONVERGENT F##scan_inclusive_##OP(T x)                                                                                               \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        const T *slot = SHARED(T, SUB_GROUP, ALL, x, &mask);                                                                               \
        T r = slot[0];                                                                                                                     \
        for (uint i = 1, n = __tsr_lane(); i <= n; i++)                                                                                    \
            r = (T)OP_##OP(r, slot[i]);                                                                                                    \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    T CONVERGENT F##scan_exclusive_##OP(T x)                                                                                               \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        const T *slot = SHARED(T, SUB_GROUP, ALL, x, &mask);                                                                               \
        T r = NEUTRAL_##OP(T);                                                                                                             \
        for (uint i = 0, n = __tsr_lane(); i < n; i++)                                                                                     \
            r = (T)OP_##OP(r, slot[i]);                                                                                                    \
        return r;                                                                                                                          \
    }
#define SUB_GROUP_ARITHMETIC(T, F) SUB_GROUP_REDUCE(T, F, add) SUB_GROUP_REDUCE(T, F, min) SUB_GROUP_REDUCE(T, F, max)

#endif
