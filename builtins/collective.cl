/* SPDX-License-Identifier: Apache-2.0
 * The collectives, defined by exchanges. */
#include "collective.h"

/* Pointer to the values of x in the work-items of the sub-group; zero for lanes that take no part. */
#define SHARED(T, mode, x, mask) ((const T *)__tsr_exchange(TSR_SCOPE_SUB_GROUP, mode, &(x), sizeof(T), mask))

#define SHUFFLE(N, T)                                                                                                                      \
    T##N MEETS __tsr_shuffle_##T##N(uint mode, T##N x, uint lane)                                                                          \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T##N, mode, x, &mask)[lane & (__tsr_max_sub_group_size() - 1)];                                                      \
    }
#define SHUFFLES(T) EACH_WIDTH(SHUFFLE, T)
EACH_SCALAR(SHUFFLES)

uint MEETS_APART __tsr_ballot(uint mode, int predicate)
{
    ulong mask;
    const int *slot = SHARED(int, mode, predicate, &mask);
    uint r = 0;
    for (uint i = 0, n = __tsr_max_sub_group_size(); i < n; i++)
        r |= (uint)(slot[i] != 0) << i;
    return r;
}

/* The value of a lane that takes no part: x + -0.0 is x even if x is -0.0. */
#define ABSENT_add(T) ((T)-0.0f)
#define ABSENT_mul NEUTRAL_mul
#define ABSENT_min NEUTRAL_min
#define ABSENT_max NEUTRAL_max
#define ABSENT_and NEUTRAL_and
#define ABSENT_or NEUTRAL_or
#define ABSENT_xor NEUTRAL_xor

/* Reduction: the upper half is folded onto the lower half until one value is left. Scan: each value is combined with the one at distance
 * `d` before it, and `d` doubles. */
#define FOLD(T, OP)                                                                                                                        \
    INLINE uint fill_##OP##_##T(uint mode, T x, T *v)                                                                                      \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        const T *slot = SHARED(T, mode, x, &mask);                                                                                         \
        uint n = __tsr_max_sub_group_size();                                                                                               \
        for (uint i = 0; i < n; i++)                                                                                                       \
            v[i] = mask >> i & 1 ? slot[i] : ABSENT_##OP(T);                                                                               \
        return n;                                                                                                                          \
    }                                                                                                                                      \
    T MEETS_APART __tsr_reduce_##OP##_##T(uint mode, T x, uint cluster)                                                                    \
    {                                                                                                                                      \
        T v[2 * SUB_GROUP];                                                                                                                \
        uint n = fill_##OP##_##T(mode, x, v), count = cluster < n ? cluster : n, first = __tsr_lane() & ~(count - 1);                      \
        for (uint d = count / 2; d; d /= 2) {                                                                                              \
            for (uint i = first; i < first + d; i++)                                                                                       \
                v[i] = (T)OP_##OP(v[i], v[i + d]);                                                                                         \
        }                                                                                                                                  \
        return v[first];                                                                                                                   \
    }                                                                                                                                      \
    INLINE void scan_##OP##_##T(uint mode, T x, T *v)                                                                                      \
    {                                                                                                                                      \
        uint n = fill_##OP##_##T(mode, x, v);                                                                                              \
        for (uint d = 1; d < n; d *= 2) {                                                                                                  \
            for (uint i = n; i-- > 0;) {                                                                                                   \
                T before = i >= d ? v[i - d] : ABSENT_##OP(T);                                                                             \
                v[i] = (T)OP_##OP(before, v[i]);                                                                                           \
            }                                                                                                                              \
        }                                                                                                                                  \
    }                                                                                                                                      \
    T MEETS_APART __tsr_scan_inclusive_##OP##_##T(uint mode, T x)                                                                          \
    {                                                                                                                                      \
        T v[SUB_GROUP];                                                                                                                    \
        scan_##OP##_##T(mode, x, v);                                                                                                       \
        return v[__tsr_lane()];                                                                                                            \
    }                                                                                                                                      \
    T MEETS_APART __tsr_scan_exclusive_##OP##_##T(uint mode, T x)                                                                          \
    {                                                                                                                                      \
        T v[SUB_GROUP], first = NEUTRAL_##OP(T);                                                                                           \
        scan_##OP##_##T(mode, x, v);                                                                                                       \
        uint lane = __tsr_lane();                                                                                                          \
        T before = lane ? v[lane - 1] : ABSENT_##OP(T);                                                                                    \
        return (T)OP_##OP(first, before);                                                                                                  \
    }
EACH_OPERATION(FOLD)

const global void *MEETS __tsr_same_global(const global void *p)
{
    return p;
}

const local void *MEETS __tsr_same_local(const local void *p)
{
    return p;
}

const void *MEETS __tsr_exchange_uniform(const void *value, uint size)
{
    ulong mask;
    return __tsr_exchange(TSR_SCOPE_WORK_GROUP, TSR_EXCHANGE_ALL, value, size, &mask);
}

uint __tsr_uniform_stride(void)
{
    return __tsr_max_sub_group_size();
}

#define TOTAL(T, OP)                                                                                                                       \
    T MEETS_APART __tsr_total_##OP##_##T(uint sub_groups, T own)                                                                           \
    {                                                                                                                                      \
        uint step = __tsr_uniform_stride();                                                                                                \
        const T *slot = __tsr_exchange_uniform(&own, sizeof(T));                                                                           \
        T r = NEUTRAL_##OP(T);                                                                                                             \
        for (uint i = 0; i < sub_groups; i++)                                                                                              \
            r = (T)OP_##OP(r, slot[i * step]);                                                                                             \
        return r;                                                                                                                          \
    }
EACH_OPERATION(TOTAL)
