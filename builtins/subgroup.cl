/* SPDX-License-Identifier: Apache-2.0
 * Sub-group functions (OpenCL C 6.15.19) and the cl_khr_subgroup_* extensions. Functions that all work-items must call exchange in mode
 * ALL, so that illegal divergence is reported; the others exchange among those that meet at the call. */
#include "collective.h"

int CONVERGENT sub_group_all(int predicate)
{
    ulong mask;
    const int *slot = SHARED(int, SUB_GROUP, ALL, predicate, &mask);
    int r = 1;
    for (uint i = 0, n = __tsr_sub_group_size(); i < n; i++)
        r &= slot[i] != 0;
    return r;
}

int CONVERGENT sub_group_any(int predicate)
{
    ulong mask;
    const int *slot = SHARED(int, SUB_GROUP, ALL, predicate, &mask);
    int r = 0;
    for (uint i = 0, n = __tsr_sub_group_size(); i < n; i++)
        r |= slot[i] != 0;
    return r;
}

EACH_SCALAR(SUB_GROUP_ARITHMETIC, sub_group_)

#define BROADCAST(N, T)                                                                                                                    \
    T##N CONVERGENT sub_group_broadcast(T##N x, uint lane)                                                                                 \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T##N, SUB_GROUP, ALL, x, &mask)[LANE(lane)];                                                                         \
    }                                                                                                                                      \
    T##N CONVERGENT sub_group_non_uniform_broadcast(T##N x, uint lane)                                                                     \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T##N, SUB_GROUP, ACTIVE, x, &mask)[LANE(lane)];                                                                      \
    }
#define BROADCASTS(T) EACH_WIDTH(BROADCAST, T)
EACH_SCALAR(BROADCASTS)

INLINE uint lowest(ulong mask)
{
    return (uint)__builtin_elementwise_ctzg(mask, 0UL);
}

INLINE uint highest(ulong mask)
{
    return 63 - (uint)__builtin_elementwise_clzg(mask, 63UL);
}

#define MOVE(T)                                                                                                                            \
    T CONVERGENT sub_group_broadcast_first(T x)                                                                                            \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        const T *slot = SHARED(T, SUB_GROUP, ACTIVE, x, &mask);                                                                            \
        return slot[lowest(mask)];                                                                                                         \
    }                                                                                                                                      \
    T CONVERGENT sub_group_shuffle(T x, uint index)                                                                                        \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T, SUB_GROUP, ACTIVE, x, &mask)[LANE(index)];                                                                        \
    }                                                                                                                                      \
    T CONVERGENT sub_group_shuffle_xor(T x, uint bits)                                                                                     \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T, SUB_GROUP, ACTIVE, x, &mask)[LANE(__tsr_lane() ^ bits)];                                                          \
    }                                                                                                                                      \
    T CONVERGENT sub_group_shuffle_up(T x, uint delta)                                                                                     \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T, SUB_GROUP, ACTIVE, x, &mask)[LANE(__tsr_lane() - delta)];                                                         \
    }                                                                                                                                      \
    T CONVERGENT sub_group_shuffle_down(T x, uint delta)                                                                                   \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T, SUB_GROUP, ACTIVE, x, &mask)[LANE(__tsr_lane() + delta)];                                                         \
    }                                                                                                                                      \
    T CONVERGENT sub_group_rotate(T x, int delta)                                                                                          \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        return SHARED(T, SUB_GROUP, ACTIVE, x, &mask)[LANE(__tsr_lane() + (uint)delta)];                                                   \
    }                                                                                                                                      \
    T CONVERGENT sub_group_clustered_rotate(T x, int delta, uint cluster)                                                                  \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        uint lane = __tsr_lane(), inside = cluster - 1;                                                                                    \
        return SHARED(T, SUB_GROUP, ACTIVE, x, &mask)[LANE((lane & ~inside) | ((lane + (uint)delta) & inside))];                           \
    }                                                                                                                                      \
    int CONVERGENT sub_group_non_uniform_all_equal(T x)                                                                                    \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        const T *slot = SHARED(T, SUB_GROUP, ACTIVE, x, &mask);                                                                            \
        T first = slot[lowest(mask)];                                                                                                      \
        int r = 1;                                                                                                                         \
        for (; mask; mask &= mask - 1)                                                                                                     \
            r &= slot[lowest(mask)] == first;                                                                                              \
        return r;                                                                                                                          \
    }
EACH_SCALAR(MOVE)

/* The active work-items of `lanes`, from the lowest. */
#define NON_UNIFORM(T, OP)                                                                                                                 \
    INLINE T fold_##OP##_##T(T x, ulong lanes)                                                                                             \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        const T *slot = SHARED(T, SUB_GROUP, ACTIVE, x, &mask);                                                                            \
        mask &= lanes;                                                                                                                     \
        if (!mask)                                                                                                                         \
            return NEUTRAL_##OP(T);                                                                                                        \
        T r = slot[lowest(mask)];                                                                                                          \
        for (mask &= mask - 1; mask; mask &= mask - 1)                                                                                     \
            r = (T)OP_##OP(r, slot[lowest(mask)]);                                                                                         \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    T CONVERGENT sub_group_non_uniform_reduce_##OP(T x)                                                                                    \
    {                                                                                                                                      \
        return fold_##OP##_##T(x, ~0UL);                                                                                                   \
    }                                                                                                                                      \
    T CONVERGENT sub_group_non_uniform_scan_inclusive_##OP(T x)                                                                            \
    {                                                                                                                                      \
        return fold_##OP##_##T(x, ~0UL >> (63 - __tsr_lane()));                                                                            \
    }                                                                                                                                      \
    T CONVERGENT sub_group_non_uniform_scan_exclusive_##OP(T x)                                                                            \
    {                                                                                                                                      \
        return fold_##OP##_##T(x, (1UL << __tsr_lane()) - 1);                                                                              \
    }                                                                                                                                      \
    T CONVERGENT sub_group_clustered_reduce_##OP(T x, uint cluster)                                                                        \
    {                                                                                                                                      \
        return fold_##OP##_##T(x, ~0UL >> (64 - (cluster < 64 ? cluster : 64)) << (__tsr_lane() & ~(cluster - 1)));                                    \
    }
#define ARITHMETIC(T) NON_UNIFORM(T, add) NON_UNIFORM(T, mul) NON_UNIFORM(T, min) NON_UNIFORM(T, max)
#define BITWISE(T) NON_UNIFORM(T, and) NON_UNIFORM(T, or) NON_UNIFORM(T, xor)
EACH_SCALAR(ARITHMETIC)
EACH_INT(BITWISE)
/* A predicate counts as true when it is not zero, even if it is the only one. */
#define LOGICAL(OP)                                                                                                                        \
    INLINE int truth_##OP(int x, ulong lanes)                                                                                              \
    {                                                                                                                                      \
        int truth = x != 0;                                                                                                                \
        ulong mask;                                                                                                                        \
        const int *slot = SHARED(int, SUB_GROUP, ACTIVE, truth, &mask);                                                                    \
        int r = NEUTRAL_##OP(int);                                                                                                         \
        for (mask &= lanes; mask; mask &= mask - 1)                                                                                        \
            r = OP_##OP(r, slot[lowest(mask)]);                                                                                            \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    int CONVERGENT sub_group_non_uniform_reduce_##OP(int x)                                                                                \
    {                                                                                                                                      \
        return truth_##OP(x, ~0UL);                                                                                                        \
    }                                                                                                                                      \
    int CONVERGENT sub_group_non_uniform_scan_inclusive_##OP(int x)                                                                        \
    {                                                                                                                                      \
        return truth_##OP(x, ~0UL >> (63 - __tsr_lane()));                                                                                 \
    }                                                                                                                                      \
    int CONVERGENT sub_group_non_uniform_scan_exclusive_##OP(int x)                                                                        \
    {                                                                                                                                      \
        return truth_##OP(x, (1UL << __tsr_lane()) - 1);                                                                                   \
    }                                                                                                                                      \
    int CONVERGENT sub_group_clustered_reduce_##OP(int x, uint cluster)                                                                    \
    {                                                                                                                                      \
        return truth_##OP(x, ~0UL >> (64 - (cluster < 64 ? cluster : 64)) << (__tsr_lane() & ~(cluster - 1)));                                         \
    }
LOGICAL(logical_and)
LOGICAL(logical_or)
LOGICAL(logical_xor)

INLINE ulong votes(int predicate, ulong *active)
{
    const int *slot = SHARED(int, SUB_GROUP, ACTIVE, predicate, active);
    ulong r = 0;
    for (ulong mask = *active; mask; mask &= mask - 1)
        r |= (ulong)(slot[lowest(mask)] != 0) << lowest(mask);
    return r;
}

int CONVERGENT sub_group_elect(void)
{
    ulong active;
    votes(1, &active);
    return lowest(active) == __tsr_lane();
}

int CONVERGENT sub_group_non_uniform_all(int predicate)
{
    ulong active;
    return votes(predicate, &active) == active;
}

int CONVERGENT sub_group_non_uniform_any(int predicate)
{
    ulong active;
    return votes(predicate, &active) != 0;
}

/* A ballot is a bit per lane in four words; sub-groups have at most 64 lanes. */
INLINE uint4 ballot_of(ulong bits)
{
    return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0);
}

INLINE ulong bits_of(uint4 ballot)
{
    ulong lanes = ~0UL >> (64 - __tsr_max_sub_group_size());
    return ((ulong)ballot.x | (ulong)ballot.y << 32) & lanes;
}

INLINE ulong lanes_to(uint n)
{
    return n >= 64 ? ~0UL : (1UL << n) - 1;
}

uint4 CONVERGENT sub_group_ballot(int predicate)
{
    ulong active;
    return ballot_of(votes(predicate, &active));
}

int PURE sub_group_inverse_ballot(uint4 ballot)
{
    return bits_of(ballot) >> __tsr_lane() & 1;
}

int PURE sub_group_ballot_bit_extract(uint4 ballot, uint index)
{
    return bits_of(ballot) >> LANE(index) & 1;
}

uint PURE sub_group_ballot_bit_count(uint4 ballot)
{
    return (uint)__builtin_elementwise_popcount(bits_of(ballot));
}

uint PURE sub_group_ballot_inclusive_scan(uint4 ballot)
{
    return (uint)__builtin_elementwise_popcount(bits_of(ballot) & lanes_to(__tsr_lane() + 1));
}

uint PURE sub_group_ballot_exclusive_scan(uint4 ballot)
{
    return (uint)__builtin_elementwise_popcount(bits_of(ballot) & lanes_to(__tsr_lane()));
}

uint PURE sub_group_ballot_find_lsb(uint4 ballot)
{
    return lowest(bits_of(ballot));
}

uint PURE sub_group_ballot_find_msb(uint4 ballot)
{
    return highest(bits_of(ballot));
}

uint4 PURE get_sub_group_eq_mask(void)
{
    return ballot_of(1UL << __tsr_lane());
}

uint4 PURE get_sub_group_ge_mask(void)
{
    return ballot_of(lanes_to(__tsr_max_sub_group_size()) & ~lanes_to(__tsr_lane()));
}

uint4 PURE get_sub_group_gt_mask(void)
{
    return ballot_of(lanes_to(__tsr_max_sub_group_size()) & ~lanes_to(__tsr_lane() + 1));
}

uint4 PURE get_sub_group_le_mask(void)
{
    return ballot_of(lanes_to(__tsr_lane() + 1));
}

uint4 PURE get_sub_group_lt_mask(void)
{
    return ballot_of(lanes_to(__tsr_lane()));
}
