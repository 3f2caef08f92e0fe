/* SPDX-License-Identifier: Apache-2.0
 * Numbers that the built-in library, generated code, the device and the host agree on: each stands here and nowhere else. For C and for
 * OpenCL C, so it includes nothing. */
#ifndef TESSERA_ABI_H
#define TESSERA_ABI_H

/* ---- memory, in bytes ---- */

/* Alignment of the largest OpenCL types, long16 and double16. Memory objects, argument blocks, local memory, each local argument, stacks of
 * work-items, what a packet keeps at a barrier, and what an exchange answers begin at multiples of it. */
#define TSR_MAX_ALIGN 128
/* Of x86-64. Accesses of a whole line are the widest that a register makes; what is stored past the caches must fill lines. */
#define TSR_CACHE_LINE 64
#define TSR_PAGE 4096
/* Before and behind a group's local memory, the worker's alone: packets without masked accesses read and write up to a packet's lanes
 * beside an element. */
#define TSR_LOCAL_MARGIN 512
/* Of a work-group on the CPU device: it stays in a second-level cache, beside what the group works on. */
#define TSR_CPU_LOCAL_MEMORY (256 << 10)

/* ---- work-groups ---- */

/* Work-items of a packet or sub-group: a power of two. */
#define TSR_MIN_LANES 8
#define TSR_MAX_LANES 32
/* … of a packet that is a work-group of known size. */
#define TSR_MAX_GROUP_LANES 64
/* Packets of one work-item that code may run side by side: ranges are cut in multiples of it. */
#define TSR_MOST_INTERLEAVED 4
/* Work-items of a group. What the device answers: a work-item of the reference engine is a fiber with a stack of its own, of which a group
 * needs all at once. */
#define TSR_MAX_WORK_GROUP 4096
/* What generated code relies on: no work-group has as many work-items. More than the device's limit, so that code stays valid if that
 * grows. */
#define TSR_WORK_GROUP_BOUND 65536

/* Global ids below this are the same number as an `int`: all are where a kernel is asked for its busy work-items (tessera/item.h), and in
 * launches of code for one size of work-groups. */
#define TSR_INT_IDS 2147483648

/* Scopes of barriers and exchanges. A pair is the two sub-groups 2j and 2j+1 of a work-group (split matrix functions). */
enum tsr_scope { TSR_SCOPE_SUB_GROUP = 1, TSR_SCOPE_WORK_GROUP = 2, TSR_SCOPE_PAIR = 3 };
/* Who takes part in an exchange: every work-item of the scope (anything else is illegal divergence and is reported), or those that meet at
 * the same call site (non-uniform sub-group functions). */
enum tsr_exchange_mode { TSR_EXCHANGE_ALL = 0, TSR_EXCHANGE_ACTIVE = 1 };
/* Address spaces, in the numbering of SPIR. Null is zero in each. */
enum tsr_space { TSR_SPACE_PRIVATE = 0, TSR_SPACE_GLOBAL = 1, TSR_SPACE_CONSTANT = 2, TSR_SPACE_LOCAL = 3 };

/* ---- tiles of matrices (tessera/tiles.h) ---- */

#define TSR_TILE_ROWS 16
#define TSR_TILE_ROW_BYTES 64
#define TSR_TILE_BYTES (TSR_TILE_ROWS * TSR_TILE_ROW_BYTES)
#define TSR_TILE_COUNT 8 /* registers of AMX */

#endif
