/* SPDX-License-Identifier: Apache-2.0
 * On-device queues. Private to icd/. */
#ifndef TESSERA_ICD_DEVICE_QUEUE_H
#define TESSERA_ICD_DEVICE_QUEUE_H

#include "icd/icd.h"

/* Behind a cl_command_queue; told from a host queue by its tag. Watched, as it can be a kernel's argument. */
struct tsr__device_queue {
    struct tsr_object base;
    struct _cl_context *context;  /* held */
    struct _cl_device_id *device; /* held */
    struct tsr_device_queue *impl;
    cl_command_queue_properties flags;
    cl_uint size;
    cl_queue_properties *properties; /* as given, zero-terminated; NULL if none */
    size_t property_count;
    struct tsr__link link; /* in the context's list, under its lock, as the next */
    bool is_default;       /* the queue that get_default_queue gives on its device */
};

/* A queue; CL_QUEUE_ON_DEVICE_DEFAULT makes it the default one if there is none yet. NULL: out of memory. */
struct tsr__device_queue *tsr__device_queue_new(struct _cl_context *context, struct _cl_device_id *device,
                                                cl_command_queue_properties flags, cl_uint size);
/* NULL: the handle is no on-device queue. */
struct tsr__device_queue *tsr__device_queue_of(cl_command_queue handle);
/* The default queue of a device, held; NULL: none. */
struct tsr__device_queue *tsr__default_queue(struct _cl_context *context, const struct _cl_device_id *device);
/* The same for a query, not held. */
cl_command_queue tsr__default_queue_handle(struct _cl_context *context, const struct _cl_device_id *device);
/* clGetCommandQueueInfo. */
cl_int tsr__device_queue_info(const struct tsr__device_queue *queue, cl_command_queue_info name, struct tsr_info_out out);

#endif
