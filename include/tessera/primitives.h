/* SPDX-License-Identifier: Apache-2.0
 * The primitives on which the built-in library stands, in OpenCL C. Every engine replaces calls of them (lanes/ir/engine_calls.def names
 * them); none of them reaches the linker. Included by builtins/ only. */
#ifndef TESSERA_PRIMITIVES_H
#define TESSERA_PRIMITIVES_H

#include "tessera/abi.h"

/* Queries of one dimension; dim is 0, 1 or 2 (callers check). No side effects. */
ulong __tsr_global_size(uint dim) __attribute__((const));
ulong __tsr_global_offset(uint dim) __attribute__((const));
ulong __tsr_num_groups(uint dim) __attribute__((const));
ulong __tsr_group_id(uint dim) __attribute__((const));
ulong __tsr_local_size(uint dim) __attribute__((const));
ulong __tsr_enqueued_local_size(uint dim) __attribute__((const));
ulong __tsr_local_id(uint dim) __attribute__((const));
/* group_id * enqueued_local_size + local_id + global_offset, in one piece: a kernel that asks for this alone does not see its groups. */
ulong __tsr_global_id(uint dim) __attribute__((const));
uint __tsr_work_dim(void) __attribute__((const));
uint __tsr_linear_id(void) __attribute__((const)); /* local linear id */
uint __tsr_lane(void) __attribute__((const));      /* sub-group local id */
uint __tsr_sub_group_id(void) __attribute__((const));
uint __tsr_sub_group_size(void) __attribute__((const));     /* of the work-item's own sub-group */
uint __tsr_max_sub_group_size(void) __attribute__((const)); /* S */
uint __tsr_num_sub_groups(void) __attribute__((const));
uint __tsr_enqueued_num_sub_groups(void) __attribute__((const));

/* Device-side enqueue: `request` is a struct tsr_enqueue (tessera/enqueue.h), which also gets the answer. */
void __tsr_enqueue(private void *request);
ulong __tsr_default_queue(void) __attribute__((const));

/* A product of matrices in tile registers: matrix_product of tessera/tiles.h. The tensor language's alone. */
void __tsr_matrix_product(const void *a, const void *b, void *c, long a_stride, long b_stride, long c_stride, long rows, long columns,
                          long depth, uint how);

/* The address space that a generic pointer points into: an enum tsr_space. Local memory is the group's, private memory the work-item's own
 * stack; all else is global. */
uint __tsr_address_space(const void *pointer) __attribute__((const));

/* Barrier of a scope; fence_flags: CLK_* of the work_group_barrier or sub_group_barrier call. */
void __tsr_barrier(uint scope, uint fence_flags) __attribute__((convergent));

/* Shares `size` bytes (≤ 256) at `value` with the scope: see struct tsr_rt in tessera/item.h for the slots that come back. */
const void *__tsr_exchange(uint scope, uint mode, const void *value, uint size, ulong *mask) __attribute__((convergent));

#endif
