/* SPDX-License-Identifier: Apache-2.0
 * What the sub-group and work-group functions stand on: a few collectives, and the operations with their neutral elements.
 *
 * collective.cl defines the collectives by exchanges, which is what they mean and how the reference engine runs them. The vector engine does
 * not look inside: lanes/widen/widen_collectives.c has instructions for them. `mode` is that of an exchange; a sub-group has at most 32 lanes. */
#ifndef TESSERA_BUILTINS_COLLECTIVE_H
#define TESSERA_BUILTINS_COLLECTIVE_H

#include "library.h"

#define MEETS __attribute__((convergent))
#define MEETS_APART __attribute__((convergent, noinline)) /* long: one copy in a program is enough */
#define CONVERGENT __attribute__((overloadable, convergent))

#define OP_add(a, b) ((a) + (b))
#define OP_mul(a, b) ((a) * (b))
/* Of a number and a NaN the number is taken. */
#define OP_min(a, b) ((a) != (a) || (b) < (a) ? (b) : (a))
#define OP_max(a, b) ((a) != (a) || (a) < (b) ? (b) : (a))
#define OP_and(a, b) ((a) & (b))
#define OP_or(a, b) ((a) | (b))
#define OP_xor(a, b) ((a) ^ (b))

#define NEUTRAL_add(T) ((T)0)
#define NEUTRAL_mul(T) ((T)1)
#define NEUTRAL_min(T) HIGHEST_##T
#define NEUTRAL_max(T) LOWEST_##T
#define NEUTRAL_and(T) ((T)~(T)0)
#define NEUTRAL_or(T) ((T)0)
#define NEUTRAL_xor(T) ((T)0)

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

/* M(T, OP) for each operation on a type. */
#define EACH_OPERATION(M) EACH_SCALAR(M, add) EACH_SCALAR(M, mul) EACH_SCALAR(M, min) EACH_SCALAR(M, max) EACH_BITWISE(M)
#define EACH_BITWISE(M) EACH_INT(M, and) EACH_INT(M, or) EACH_INT(M, xor)

/* The value of a lane; the number of the lane is taken modulo S. The value of a lane that takes no part is undefined. */
#define SHUFFLE(N, T) T##N MEETS __tsr_shuffle_##T##N(uint mode, T##N x, uint lane);
#define SHUFFLES(T) EACH_WIDTH(SHUFFLE, T)
EACH_SCALAR(SHUFFLES)
#undef SHUFFLES
#undef SHUFFLE

/* A bit for each lane that takes part and has a predicate that is not zero. */
uint MEETS_APART __tsr_ballot(uint mode, int predicate);

/* Over the lanes that take part: those of the lane's cluster (a power of two; SUB_GROUP: all), up to the lane, below the lane. The order is
 * that of a tree, see collective.cl, so that every engine gets the same sum of floats. */
#define SUB_GROUP 32u
#define FOLD(T, OP)                                                                                                                        \
    T MEETS_APART __tsr_reduce_##OP##_##T(uint mode, T x, uint cluster);                                                                   \
    T MEETS_APART __tsr_scan_inclusive_##OP##_##T(uint mode, T x);                                                                         \
    T MEETS_APART __tsr_scan_exclusive_##OP##_##T(uint mode, T x);
EACH_OPERATION(FOLD)
#undef FOLD

/* The pointer itself: the program promises that it is the same in every work-item of the sub-group. */
const global void *MEETS __tsr_same_global(const global void *p);
const local void *MEETS __tsr_same_local(const local void *p);

/* An exchange among the work-group of what is the same in every work-item of a sub-group: slot i * __tsr_uniform_stride() is sub-group i's. */
const void *MEETS __tsr_exchange_uniform(const void *value, uint size);
uint __tsr_uniform_stride(void) __attribute__((const));

/* What the first `sub_groups` sub-groups of the work-group bring, one after the other; each work-item of a sub-group has the same `own`. */
#define TOTAL(T, OP) T MEETS_APART __tsr_total_##OP##_##T(uint sub_groups, T own);
EACH_OPERATION(TOTAL)
#undef TOTAL

/* ---- ballots and truth ---- */

INLINE uint lowest(uint lanes)
{
    return (uint)__builtin_elementwise_ctzg(lanes, 0u);
}

INLINE uint lanes_below(void)
{
    return (1u << __tsr_lane()) - 1;
}

INLINE uint lanes_up_to_own(void)
{
    return (2u << __tsr_lane()) - 1;
}

/* Predicates of `lanes`: a value counts as true when it is not zero, even if it is the only one. */
INLINE int truth_and(uint mode, int x, uint lanes)
{
    return !(__tsr_ballot(mode, !x) & lanes);
}

INLINE int truth_or(uint mode, int x, uint lanes)
{
    return (__tsr_ballot(mode, x) & lanes) != 0;
}

INLINE int truth_xor(uint mode, int x, uint lanes)
{
    return (int)__builtin_elementwise_popcount(__tsr_ballot(mode, x) & lanes) & 1;
}

#endif
