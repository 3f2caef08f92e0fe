/* SPDX-License-Identifier: Apache-2.0
 * Rotations of cl_khr_subgroup_rotate over shuffles, for drivers that may not know them: tessera_il_<name>. The compiler puts them in the
 * place of calls (clc/service/il_units.c). */
#include "library.h"

#define CONVERGENT __attribute__((overloadable, convergent))

/* The driver's. */
uint PURE get_sub_group_local_id(void);
uint PURE get_max_sub_group_size(void);

#define ROTATE(T)                                                                                                                          \
    T CONVERGENT sub_group_shuffle(T value, uint lane);                                                                                    \
    T CONVERGENT tessera_il_sub_group_rotate(T value, int delta)                                                                           \
    {                                                                                                                                      \
        return sub_group_shuffle(value, (get_sub_group_local_id() + (uint)delta) % get_max_sub_group_size());                              \
    }                                                                                                                                      \
    T CONVERGENT tessera_il_sub_group_clustered_rotate(T value, int delta, uint cluster)                                                   \
    {                                                                                                                                      \
        uint lane = get_sub_group_local_id(), first = lane - lane % cluster;                                                               \
        return sub_group_shuffle(value, first + (lane + (uint)delta) % cluster);                                                           \
    }
ROTATE(char)
ROTATE(uchar)
ROTATE(short)
ROTATE(ushort)
ROTATE(int)
ROTATE(uint)
ROTATE(long)
ROTATE(ulong)
ROTATE(half)
ROTATE(float)
ROTATE(double)
