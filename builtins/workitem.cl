/* SPDX-License-Identifier: Apache-2.0
 * Work-item functions (OpenCL C 6.15.1, 6.15.19). A dimension past 2 answers what the specification says for one that is not in use. */
#include "library.h"

#define QUERY(name, primitive, otherwise)                                                                                                  \
    size_t PURE name(uint dim)                                                                                                             \
    {                                                                                                                                      \
        return dim < 3 ? primitive(dim) : otherwise;                                                                                       \
    }

QUERY(get_global_size, __tsr_global_size, 1)
QUERY(get_global_offset, __tsr_global_offset, 0)
QUERY(get_num_groups, __tsr_num_groups, 1)
QUERY(get_group_id, __tsr_group_id, 0)
QUERY(get_local_size, __tsr_local_size, 1)
QUERY(get_enqueued_local_size, __tsr_enqueued_local_size, 1)
QUERY(get_local_id, __tsr_local_id, 0)
QUERY(get_global_id, __tsr_global_id, 0)

uint PURE get_work_dim(void)
{
    return __tsr_work_dim();
}

size_t PURE get_global_linear_id(void)
{
    size_t x = __tsr_global_id(0) - __tsr_global_offset(0);
    size_t y = __tsr_global_id(1) - __tsr_global_offset(1);
    size_t z = __tsr_global_id(2) - __tsr_global_offset(2);
    return (z * __tsr_global_size(1) + y) * __tsr_global_size(0) + x;
}

size_t PURE get_local_linear_id(void)
{
    return __tsr_linear_id();
}

uint PURE get_sub_group_size(void)
{
    return __tsr_sub_group_size();
}

uint PURE get_max_sub_group_size(void)
{
    return __tsr_max_sub_group_size();
}

uint PURE get_num_sub_groups(void)
{
    return __tsr_num_sub_groups();
}

uint PURE get_enqueued_num_sub_groups(void)
{
    return __tsr_enqueued_num_sub_groups();
}

uint PURE get_sub_group_id(void)
{
    return __tsr_sub_group_id();
}

uint PURE get_sub_group_local_id(void)
{
    return __tsr_lane();
}

/* ---- cl_khr_kernel_clock ---- */

/* One counter of the CPU for all scopes. Each read is one of its own: a clock is no value of memory. */

#define CLOCK(scope)                                                                                                                       \
    ulong OVER clock_read_##scope(void)                                                                                                    \
    {                                                                                                                                      \
        return (ulong)__builtin_readcyclecounter();                                                                                               \
    }                                                                                                                                      \
    uint2 OVER clock_read_hilo_##scope(void)                                                                                               \
    {                                                                                                                                      \
        return as_uint2((ulong)__builtin_readcyclecounter());                                                                                     \
    }
CLOCK(device)
CLOCK(work_group)
CLOCK(sub_group)
