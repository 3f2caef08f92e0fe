/* SPDX-License-Identifier: Apache-2.0
 * Device-side enqueue (OpenCL C 6.15.15): what a kernel asks of the device. The functions of builtins/enqueue.cl fill a struct tsr_enqueue,
 * device-amx/enqueue.c answers it. For C and for OpenCL C. docs/queues.md, "Device-side enqueue". */
#ifndef TESSERA_ENQUEUE_H
#define TESSERA_ENQUEUE_H

#ifdef __OPENCL_C_VERSION__
typedef int tsr_enqueue_i32;
typedef uint tsr_enqueue_u32;
typedef ulong tsr_enqueue_u64;
#define TSR_ENQUEUE_POINTER generic
#else
#include <stdint.h>
typedef int32_t tsr_enqueue_i32;
typedef uint32_t tsr_enqueue_u32;
typedef uint64_t tsr_enqueue_u64;
#define TSR_ENQUEUE_POINTER
#endif

/* A block of kernel code is known by its name: the compiler replaces the address of its kernel by this text (clc/service/blocks.c). */

/* As clang lays out ndrange_t. */
struct tsr_enqueue_range {
    tsr_enqueue_u32 dim;
    tsr_enqueue_u64 offset[3], items[3], group[3]; /* group: zeros if the device chooses */
};

enum tsr_enqueue_what {
    TSR_ENQUEUE_KERNEL,
    TSR_ENQUEUE_MARKER,
    TSR_ENQUEUE_RETAIN,
    TSR_ENQUEUE_RELEASE,
    TSR_ENQUEUE_USER_EVENT, /* `event` gets it */
    TSR_ENQUEUE_IS_VALID,
    TSR_ENQUEUE_SET_STATUS, /* to `value` */
    TSR_ENQUEUE_PROFILE,
    /* Queries of a block. */
    TSR_ENQUEUE_GROUP_SIZE,
    TSR_ENQUEUE_GROUP_MULTIPLE,
    TSR_ENQUEUE_SUB_GROUP_COUNT,
    TSR_ENQUEUE_SUB_GROUP_SIZE,
    TSR_ENQUEUE_MAX_SUB_GROUPS,
    TSR_ENQUEUE_SIZE_OF_SUB_GROUPS, /* of a work-group with `value` sub-groups; 0: there is none */
};

struct tsr_enqueue {
    tsr_enqueue_u32 what;
    tsr_enqueue_i32 result; /* out */
    tsr_enqueue_u64 queue;  /* a struct tsr_device_queue; 0: none */
    tsr_enqueue_u64 event;  /* of the functions on events */
    tsr_enqueue_u32 flags;  /* CLK_ENQUEUE_FLAGS_* */
    tsr_enqueue_u32 value;
    tsr_enqueue_u32 wait_count, size_count;
    tsr_enqueue_u32 literal_size, unused; /* bytes of the literal */
    const TSR_ENQUEUE_POINTER tsr_enqueue_u64 *wait_list;
    TSR_ENQUEUE_POINTER tsr_enqueue_u64 *event_out;   /* NULL: no event is wanted */
    const TSR_ENQUEUE_POINTER tsr_enqueue_u64 *sizes; /* bytes of each local argument */
    const TSR_ENQUEUE_POINTER char *block;
    const TSR_ENQUEUE_POINTER void *literal; /* what the block captures */
    const TSR_ENQUEUE_POINTER struct tsr_enqueue_range *range;
    TSR_ENQUEUE_POINTER tsr_enqueue_u64 *profile;
};

/* Numbers of OpenCL C. */
enum {
    TSR_ENQUEUE_SUCCESS = 0,
    TSR_ENQUEUE_OUT_OF_RESOURCES = -5,
    TSR_ENQUEUE_INVALID_ARG_SIZE = -51,
    TSR_ENQUEUE_INVALID_WAIT_LIST = -57,
    TSR_ENQUEUE_NO_EVENT = -100,
    TSR_ENQUEUE_FAILURE = -101,
    TSR_ENQUEUE_INVALID_QUEUE = -102,
    TSR_ENQUEUE_INVALID_RANGE = -160,
    TSR_ENQUEUE_QUEUE_FULL = -161,
};
enum { TSR_ENQUEUE_NO_WAIT = 0, TSR_ENQUEUE_WAIT_KERNEL = 1, TSR_ENQUEUE_WAIT_GROUP = 2 };

/* Limits of a device that has on-device queues. Bytes of a queue count its commands that are not complete. */
enum {
    TSR_ENQUEUE_QUEUES = 64,                 /* CL_DEVICE_MAX_ON_DEVICE_QUEUES: all of them fit into the arguments of a kernel */
    TSR_ENQUEUE_EVENTS = 65536,              /* CL_DEVICE_MAX_ON_DEVICE_EVENTS */
    TSR_ENQUEUE_PREFERRED_BYTES = 256 << 20, /* CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE */
    TSR_ENQUEUE_MOST_BYTES = 1 << 30,        /* CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE */
};

#endif
