/* SPDX-License-Identifier: Apache-2.0
 * Work-group collective functions (OpenCL C 6.15.16). Values are combined in two steps, within each sub-group and then among the
 * sub-groups, so the work of an item grows with the number of sub-groups and not of work-items. */
#include "collective.h"

#define BROADCAST(T)                                                                                                                       \
    INLINE T from_item_##T(T x, size_t wanted)                                                                                             \
    {                                                                                                                                      \
        size_t last = __tsr_local_size(0) * __tsr_local_size(1) * __tsr_local_size(2) - 1;                                                 \
        uint item = (uint)(wanted < last ? wanted : last), size = __tsr_max_sub_group_size();                                              \
        T candidate = __tsr_shuffle_##T(TSR_EXCHANGE_ALL, x, item % size);                                                                 \
        const T *slot = __tsr_exchange_uniform(&candidate, sizeof(T));                                                                     \
        return slot[item / size * __tsr_uniform_stride()];                                                                                 \
    }                                                                                                                                      \
    T CONVERGENT work_group_broadcast(T a, size_t x)                                                                                       \
    {                                                                                                                                      \
        return from_item_##T(a, x);                                                                                                        \
    }                                                                                                                                      \
    T CONVERGENT work_group_broadcast(T a, size_t x, size_t y)                                                                             \
    {                                                                                                                                      \
        return from_item_##T(a, y * __tsr_local_size(0) + x);                                                                              \
    }                                                                                                                                      \
    T CONVERGENT work_group_broadcast(T a, size_t x, size_t y, size_t z)                                                                   \
    {                                                                                                                                      \
        return from_item_##T(a, (z * __tsr_local_size(1) + y) * __tsr_local_size(0) + x);                                                  \
    }
EACH_WIDE_INT(BROADCAST)
EACH_FLOAT(BROADCAST)

/* before: combination of the sub-groups before this one; the last lane of each has its sub-group's in `sum`. */
#define COLLECTIVE(T, OP)                                                                                                                  \
    INLINE T before_##OP##_##T(T sum)                                                                                                      \
    {                                                                                                                                      \
        return __tsr_total_##OP##_##T(__tsr_sub_group_id(), __tsr_shuffle_##T(TSR_EXCHANGE_ALL, sum, __tsr_sub_group_size() - 1));         \
    }                                                                                                                                      \
    T CONVERGENT work_group_reduce_##OP(T x)                                                                                               \
    {                                                                                                                                      \
        return __tsr_total_##OP##_##T(__tsr_num_sub_groups(), __tsr_reduce_##OP##_##T(TSR_EXCHANGE_ALL, x, SUB_GROUP));                    \
    }                                                                                                                                      \
    T CONVERGENT work_group_scan_inclusive_##OP(T x)                                                                                       \
    {                                                                                                                                      \
        T own = __tsr_scan_inclusive_##OP##_##T(TSR_EXCHANGE_ALL, x), before = before_##OP##_##T(own);                                     \
        return (T)OP_##OP(before, own);                                                                                                    \
    }                                                                                                                                      \
    T CONVERGENT work_group_scan_exclusive_##OP(T x)                                                                                       \
    {                                                                                                                                      \
        T own = __tsr_scan_exclusive_##OP##_##T(TSR_EXCHANGE_ALL, x), sum = (T)OP_##OP(own, x), before = before_##OP##_##T(sum);           \
        return (T)OP_##OP(before, own);                                                                                                    \
    }
EACH_WIDE_INT(COLLECTIVE, add)
EACH_WIDE_INT(COLLECTIVE, min)
EACH_WIDE_INT(COLLECTIVE, max)
EACH_FLOAT(COLLECTIVE, add)
EACH_FLOAT(COLLECTIVE, min)
EACH_FLOAT(COLLECTIVE, max)

/* cl_khr_work_group_uniform_arithmetic */
EACH_WIDE_INT(COLLECTIVE, mul)
EACH_FLOAT(COLLECTIVE, mul)
EACH_WIDE_INT(COLLECTIVE, and)
EACH_WIDE_INT(COLLECTIVE, or)
EACH_WIDE_INT(COLLECTIVE, xor)

#define LOGICAL(OP)                                                                                                                        \
    INLINE int truth_before_##OP(int x)                                                                                                    \
    {                                                                                                                                      \
        return __tsr_total_##OP##_int(__tsr_sub_group_id(), truth_##OP(TSR_EXCHANGE_ALL, x, ~0u));                                         \
    }                                                                                                                                      \
    int CONVERGENT work_group_reduce_logical_##OP(int x)                                                                                   \
    {                                                                                                                                      \
        return __tsr_total_##OP##_int(__tsr_num_sub_groups(), truth_##OP(TSR_EXCHANGE_ALL, x, ~0u)) & 1;                                   \
    }                                                                                                                                      \
    int CONVERGENT work_group_scan_inclusive_logical_##OP(int x)                                                                           \
    {                                                                                                                                      \
        int own = truth_##OP(TSR_EXCHANGE_ALL, x, lanes_up_to_own());                                                                      \
        return OP_##OP(own, truth_before_##OP(x)) & 1;                                                                                     \
    }                                                                                                                                      \
    int CONVERGENT work_group_scan_exclusive_logical_##OP(int x)                                                                           \
    {                                                                                                                                      \
        int own = truth_##OP(TSR_EXCHANGE_ALL, x, lanes_below());                                                                          \
        return OP_##OP(own, truth_before_##OP(x)) & 1;                                                                                     \
    }
LOGICAL(and)
LOGICAL(or)
LOGICAL(xor)

int CONVERGENT work_group_all(int predicate)
{
    return work_group_reduce_logical_and(predicate);
}

int CONVERGENT work_group_any(int predicate)
{
    return work_group_reduce_logical_or(predicate);
}
