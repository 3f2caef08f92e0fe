/* SPDX-License-Identifier: Apache-2.0
 * Work-group collective functions (OpenCL C 6.15.16). Values meet in two steps, within each sub-group and then among the sub-groups, so that
 * the work of an item grows with the number of sub-groups and not with that of work-items. */
#include "collective.h"

#define BROADCAST(T)                                                                                                                       \
    INLINE T from_item_##T(T x, size_t item)                                                                                               \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        size_t last = __tsr_local_size(0) * __tsr_local_size(1) * __tsr_local_size(2) - 1;                                                 \
        return SHARED(T, WORK_GROUP, ALL, x, &mask)[item < last ? item : last];                                                            \
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

/* sub_total: of the lanes below `lanes`, and of all lanes; total: of the first `sub_groups` sub-groups. */
#define COLLECTIVE(T, OP)                                                                                                                  \
    INLINE T sub_total_##OP##_##T(T x, uint lanes, T *all)                                                                                 \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        const T *slot = SHARED(T, SUB_GROUP, ALL, x, &mask);                                                                               \
        T r = NEUTRAL_##OP(T), total = NEUTRAL_##OP(T);                                                                                    \
        for (uint i = 0, n = __tsr_sub_group_size(); i < n; i++) {                                                                         \
            total = (T)OP_##OP(total, slot[i]);                                                                                            \
            if (i < lanes)                                                                                                                 \
                r = total;                                                                                                                 \
        }                                                                                                                                  \
        *all = total;                                                                                                                      \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    INLINE T total_##OP##_##T(T total, uint sub_groups)                                                                                    \
    {                                                                                                                                      \
        ulong mask;                                                                                                                        \
        uint size = __tsr_max_sub_group_size();                                                                                            \
        const T *slot = SHARED(T, WORK_GROUP, ALL, total, &mask);                                                                          \
        T r = NEUTRAL_##OP(T);                                                                                                             \
        for (uint i = 0; i < sub_groups; i++)                                                                                              \
            r = (T)OP_##OP(r, slot[i * size]);                                                                                             \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    T CONVERGENT work_group_reduce_##OP(T x)                                                                                               \
    {                                                                                                                                      \
        T all;                                                                                                                             \
        sub_total_##OP##_##T(x, 0, &all);                                                                                                  \
        return total_##OP##_##T(all, __tsr_num_sub_groups());                                                                              \
    }                                                                                                                                      \
    T CONVERGENT work_group_scan_inclusive_##OP(T x)                                                                                       \
    {                                                                                                                                      \
        T all, own = sub_total_##OP##_##T(x, __tsr_lane() + 1, &all);                                                                      \
        T before = total_##OP##_##T(all, __tsr_sub_group_id());                                                                            \
        return (T)OP_##OP(before, own);                                                                                                    \
    }                                                                                                                                      \
    T CONVERGENT work_group_scan_exclusive_##OP(T x)                                                                                       \
    {                                                                                                                                      \
        T all, own = sub_total_##OP##_##T(x, __tsr_lane(), &all);                                                                          \
        T before = total_##OP##_##T(all, __tsr_sub_group_id());                                                                            \
        return (T)OP_##OP(before, own);                                                                                                    \
    }
#define COLLECTIVES(T) BROADCAST(T) COLLECTIVE(T, add) COLLECTIVE(T, min) COLLECTIVE(T, max)
EACH_WIDE_INT(COLLECTIVES)
EACH_FLOAT(COLLECTIVES)

/* cl_khr_work_group_uniform_arithmetic */
#define BITWISE(T) COLLECTIVE(T, and) COLLECTIVE(T, or) COLLECTIVE(T, xor)
EACH_WIDE_INT(COLLECTIVE, mul)
EACH_FLOAT(COLLECTIVE, mul)
EACH_WIDE_INT(BITWISE)
COLLECTIVE(int, logical_and)
COLLECTIVE(int, logical_or)
COLLECTIVE(int, logical_xor)

int CONVERGENT work_group_all(int predicate)
{
    return work_group_reduce_logical_and(predicate);
}

int CONVERGENT work_group_any(int predicate)
{
    return work_group_reduce_logical_or(predicate);
}
