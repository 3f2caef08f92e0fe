/* SPDX-License-Identifier: Apache-2.0
 * Sub-group functions (OpenCL C 6.15.19) and the cl_khr_subgroup_* extensions. Functions that all work-items must call exchange in mode
 * ALL, so that illegal divergence is reported; the others exchange among those that meet at the call. */
#include "collective.h"

int CONVERGENT sub_group_all(int predicate)
{
    return truth_and(TSR_EXCHANGE_ALL, predicate, ~0u);
}

int CONVERGENT sub_group_any(int predicate)
{
    return truth_or(TSR_EXCHANGE_ALL, predicate, ~0u);
}

#define UNIFORM(T, OP)                                                                                                                     \
    T CONVERGENT sub_group_reduce_##OP(T x)                                                                                                \
    {                                                                                                                                      \
        return __tsr_reduce_##OP##_##T(TSR_EXCHANGE_ALL, x, SUB_GROUP);                                                                    \
    }                                                                                                                                      \
    T CONVERGENT sub_group_scan_inclusive_##OP(T x)                                                                                        \
    {                                                                                                                                      \
        return __tsr_scan_inclusive_##OP##_##T(TSR_EXCHANGE_ALL, x);                                                                       \
    }                                                                                                                                      \
    T CONVERGENT sub_group_scan_exclusive_##OP(T x)                                                                                        \
    {                                                                                                                                      \
        return __tsr_scan_exclusive_##OP##_##T(TSR_EXCHANGE_ALL, x);                                                                       \
    }
EACH_SCALAR(UNIFORM, add)
EACH_SCALAR(UNIFORM, min)
EACH_SCALAR(UNIFORM, max)

#define NON_UNIFORM(T, OP)                                                                                                                 \
    T CONVERGENT sub_group_non_uniform_reduce_##OP(T x)                                                                                    \
    {                                                                                                                                      \
        return __tsr_reduce_##OP##_##T(TSR_EXCHANGE_ACTIVE, x, SUB_GROUP);                                                                 \
    }                                                                                                                                      \
    T CONVERGENT sub_group_non_uniform_scan_inclusive_##OP(T x)                                                                            \
    {                                                                                                                                      \
        return __tsr_scan_inclusive_##OP##_##T(TSR_EXCHANGE_ACTIVE, x);                                                                    \
    }                                                                                                                                      \
    T CONVERGENT sub_group_non_uniform_scan_exclusive_##OP(T x)                                                                            \
    {                                                                                                                                      \
        return __tsr_scan_exclusive_##OP##_##T(TSR_EXCHANGE_ACTIVE, x);                                                                    \
    }                                                                                                                                      \
    T CONVERGENT sub_group_clustered_reduce_##OP(T x, uint cluster)                                                                        \
    {                                                                                                                                      \
        return __tsr_reduce_##OP##_##T(TSR_EXCHANGE_ACTIVE, x, cluster);                                                                   \
    }
EACH_OPERATION(NON_UNIFORM)

#define LOGICAL(OP)                                                                                                                        \
    int CONVERGENT sub_group_non_uniform_reduce_logical_##OP(int x)                                                                        \
    {                                                                                                                                      \
        return truth_##OP(TSR_EXCHANGE_ACTIVE, x, ~0u);                                                                                    \
    }                                                                                                                                      \
    int CONVERGENT sub_group_non_uniform_scan_inclusive_logical_##OP(int x)                                                                \
    {                                                                                                                                      \
        return truth_##OP(TSR_EXCHANGE_ACTIVE, x, lanes_up_to_own());                                                                      \
    }                                                                                                                                      \
    int CONVERGENT sub_group_non_uniform_scan_exclusive_logical_##OP(int x)                                                                \
    {                                                                                                                                      \
        return truth_##OP(TSR_EXCHANGE_ACTIVE, x, lanes_below());                                                                          \
    }                                                                                                                                      \
    int CONVERGENT sub_group_clustered_reduce_logical_##OP(int x, uint cluster)                                                            \
    {                                                                                                                                      \
        return truth_##OP(TSR_EXCHANGE_ACTIVE, x, ~0u >> ((32 - cluster) & 31) << (__tsr_lane() & ~(cluster - 1)));                          \
    }
LOGICAL(and)
LOGICAL(or)
LOGICAL(xor)

/* ---- values of other lanes ---- */

#define BROADCAST(N, T)                                                                                                                    \
    T##N CONVERGENT sub_group_broadcast(T##N x, uint lane)                                                                                 \
    {                                                                                                                                      \
        return __tsr_shuffle_##T##N(TSR_EXCHANGE_ALL, x, lane);                                                                            \
    }                                                                                                                                      \
    T##N CONVERGENT sub_group_non_uniform_broadcast(T##N x, uint lane)                                                                     \
    {                                                                                                                                      \
        return __tsr_shuffle_##T##N(TSR_EXCHANGE_ACTIVE, x, lane);                                                                         \
    }
#define BROADCASTS(T) EACH_WIDTH(BROADCAST, T)
EACH_SCALAR(BROADCASTS)

INLINE uint active_lanes(void)
{
    return __tsr_ballot(TSR_EXCHANGE_ACTIVE, 1);
}

#define MOVE(T)                                                                                                                            \
    T CONVERGENT sub_group_broadcast_first(T x)                                                                                            \
    {                                                                                                                                      \
        return __tsr_shuffle_##T(TSR_EXCHANGE_ACTIVE, x, lowest(active_lanes()));                                                          \
    }                                                                                                                                      \
    T CONVERGENT sub_group_shuffle(T x, uint index)                                                                                        \
    {                                                                                                                                      \
        return __tsr_shuffle_##T(TSR_EXCHANGE_ACTIVE, x, index);                                                                           \
    }                                                                                                                                      \
    T CONVERGENT sub_group_shuffle_xor(T x, uint bits)                                                                                     \
    {                                                                                                                                      \
        return __tsr_shuffle_##T(TSR_EXCHANGE_ACTIVE, x, __tsr_lane() ^ bits);                                                             \
    }                                                                                                                                      \
    T CONVERGENT sub_group_shuffle_up(T x, uint delta)                                                                                     \
    {                                                                                                                                      \
        return __tsr_shuffle_##T(TSR_EXCHANGE_ACTIVE, x, __tsr_lane() - delta);                                                            \
    }                                                                                                                                      \
    T CONVERGENT sub_group_shuffle_down(T x, uint delta)                                                                                   \
    {                                                                                                                                      \
        return __tsr_shuffle_##T(TSR_EXCHANGE_ACTIVE, x, __tsr_lane() + delta);                                                            \
    }                                                                                                                                      \
    T CONVERGENT sub_group_rotate(T x, int delta)                                                                                          \
    {                                                                                                                                      \
        return __tsr_shuffle_##T(TSR_EXCHANGE_ACTIVE, x, __tsr_lane() + (uint)delta);                                                      \
    }                                                                                                                                      \
    T CONVERGENT sub_group_clustered_rotate(T x, int delta, uint cluster)                                                                  \
    {                                                                                                                                      \
        uint lane = __tsr_lane(), inside = cluster - 1;                                                                                    \
        return __tsr_shuffle_##T(TSR_EXCHANGE_ACTIVE, x, (lane & ~inside) | ((lane + (uint)delta) & inside));                              \
    }                                                                                                                                      \
    int CONVERGENT sub_group_non_uniform_all_equal(T x)                                                                                    \
    {                                                                                                                                      \
        return truth_and(TSR_EXCHANGE_ACTIVE, x == sub_group_broadcast_first(x), ~0u);                                                     \
    }
EACH_SCALAR(MOVE)

/* ---- votes and ballots ---- */

int CONVERGENT sub_group_elect(void)
{
    return lowest(active_lanes()) == __tsr_lane();
}

int CONVERGENT sub_group_non_uniform_all(int predicate)
{
    return truth_and(TSR_EXCHANGE_ACTIVE, predicate, ~0u);
}

int CONVERGENT sub_group_non_uniform_any(int predicate)
{
    return truth_or(TSR_EXCHANGE_ACTIVE, predicate, ~0u);
}

/* A ballot is a bit per lane in four words, of which the first is enough. */
INLINE uint4 ballot_of(uint lanes)
{
    return (uint4)(lanes, 0, 0, 0);
}

INLINE uint all_lanes(void)
{
    return ~0u >> (32 - __tsr_max_sub_group_size());
}

INLINE uint lanes_of(uint4 ballot)
{
    return ballot.x & all_lanes();
}

uint4 CONVERGENT sub_group_ballot(int predicate)
{
    return ballot_of(__tsr_ballot(TSR_EXCHANGE_ACTIVE, predicate));
}

int PURE sub_group_inverse_ballot(uint4 ballot)
{
    return ballot.x >> __tsr_lane() & 1;
}

int PURE sub_group_ballot_bit_extract(uint4 ballot, uint index)
{
    return ballot.x >> (index & (__tsr_max_sub_group_size() - 1)) & 1;
}

uint PURE sub_group_ballot_bit_count(uint4 ballot)
{
    return (uint)__builtin_elementwise_popcount(lanes_of(ballot));
}

uint PURE sub_group_ballot_inclusive_scan(uint4 ballot)
{
    return (uint)__builtin_elementwise_popcount(ballot.x & lanes_up_to_own());
}

uint PURE sub_group_ballot_exclusive_scan(uint4 ballot)
{
    return (uint)__builtin_elementwise_popcount(ballot.x & lanes_below());
}

uint PURE sub_group_ballot_find_lsb(uint4 ballot)
{
    return lowest(lanes_of(ballot));
}

uint PURE sub_group_ballot_find_msb(uint4 ballot)
{
    return 31 - (uint)__builtin_elementwise_clzg(lanes_of(ballot), 31u);
}

uint4 PURE get_sub_group_eq_mask(void)
{
    return ballot_of(1u << __tsr_lane());
}

uint4 PURE get_sub_group_ge_mask(void)
{
    return ballot_of(all_lanes() & ~lanes_below());
}

uint4 PURE get_sub_group_gt_mask(void)
{
    return ballot_of(all_lanes() & ~lanes_up_to_own());
}

uint4 PURE get_sub_group_le_mask(void)
{
    return ballot_of(lanes_up_to_own());
}

uint4 PURE get_sub_group_lt_mask(void)
{
    return ballot_of(lanes_below());
}
