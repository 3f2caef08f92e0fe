/* SPDX-License-Identifier: Apache-2.0
 * Primitives (tessera/primitives.h) for GPUs, over functions of their drivers: tessera_il_<name>. The compiler puts them in the place of
 * __tsr_<name> (clc/service/il_own.c). Those that are not here, no function of clc/service/il_own.def may reach. */
#include "library.h"

#define CONVERGENT __attribute__((overloadable, convergent))

/* The driver's. */
size_t PURE get_local_linear_id(void);
size_t PURE get_local_size(uint dim);
void CONVERGENT barrier(cl_mem_fence_flags flags);

uint tessera_il_linear_id(void)
{
    return (uint)get_local_linear_id();
}

ulong tessera_il_local_size(uint dim)
{
    return get_local_size(dim);
}

/* Of a work-group. */
__attribute__((convergent)) void tessera_il_barrier(uint scope, uint fence_flags)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
