/* SPDX-License-Identifier: Apache-2.0
 * On-device queues: where kernels enqueue kernels. The host makes them, gives them to kernels, and can enqueue nothing in them, so they are
 * objects of their own kind: every function that enqueues answers CL_INVALID_COMMAND_QUEUE. */
#include "icd/device_queue.h"

#include "tessera/enqueue.h"

static void device_queue_destroy(struct tsr_object *object)
{
    struct tsr__device_queue *queue = (struct tsr__device_queue *)object;
    pthread_mutex_lock(&queue->context->lock);
    tsr__link_leave(&queue->link);
    pthread_mutex_unlock(&queue->context->lock);
    object->tag = 0;
    queue->device->ops->device_queue_free(queue->impl);
    tsr__drop(queue->device);
    tsr__drop(queue->context);
    tsr_free(queue->properties);
    tsr__unwatch(queue);
}

/* The default queue of the device. The context's lock is held. */
static struct tsr__device_queue *find_default(const struct _cl_context *context, const struct _cl_device_id *device)
{
    for (struct tsr__link *link = context->device_queues; link; link = link->next) {
        struct tsr__device_queue *queue = TSR_CONTAINER_OF(link, struct tsr__device_queue, link);
        if (queue->device == device && queue->is_default)
            return queue;
    }
    return NULL;
}

struct tsr__device_queue *tsr__default_queue(struct _cl_context *context, const struct _cl_device_id *device)
{
    pthread_mutex_lock(&context->lock);
    struct tsr__device_queue *queue = find_default(context, device);
    if (queue && !tsr__hold_alive(queue))
        queue = NULL;
    pthread_mutex_unlock(&context->lock);
    return queue;
}

struct tsr__device_queue *tsr__device_queue_new(struct _cl_context *context, struct _cl_device_id *device,
                                                cl_command_queue_properties flags, cl_uint size)
{
    struct tsr__device_queue *queue = tsr_calloc(1, sizeof *queue);
    if (queue)
        queue->impl = device->ops->device_queue_make(device->impl, size, flags & CL_QUEUE_PROFILING_ENABLE);
    if (!queue || !queue->impl) {
        tsr_free(queue);
        return NULL;
    }
    tsr__object_init(&queue->base, TSR_TAG_DEVICE_QUEUE, device_queue_destroy);
    tsr__hold(context);
    tsr__hold(device);
    queue->context = context;
    queue->device = device;
    queue->flags = flags;
    queue->size = size;
    pthread_mutex_lock(&context->lock);
    queue->is_default = flags & CL_QUEUE_ON_DEVICE_DEFAULT && !find_default(context, device);
    tsr__link_enter(&context->device_queues, &queue->link);
    pthread_mutex_unlock(&context->lock);
    return queue;
}

struct tsr__device_queue *tsr__device_queue_of(cl_command_queue handle)
{
    return tsr__valid(handle, TSR_TAG_DEVICE_QUEUE) ? (struct tsr__device_queue *)(void *)handle : NULL;
}

/* The default queue as a query answers it. */
cl_command_queue tsr__default_queue_handle(struct _cl_context *context, const struct _cl_device_id *device)
{
    pthread_mutex_lock(&context->lock);
    struct tsr__device_queue *queue = find_default(context, device);
    pthread_mutex_unlock(&context->lock);
    return (cl_command_queue)(void *)queue;
}

cl_int tsr__device_queue_info(const struct tsr__device_queue *queue, cl_command_queue_info name, struct tsr_info_out out)
{
    switch (name) {
    case CL_QUEUE_CONTEXT:
        return tsr__info_value(out, cl_context, queue->context);
    case CL_QUEUE_DEVICE:
        return tsr__info_value(out, cl_device_id, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return tsr__info_value(out, cl_uint, (cl_uint)atomic_load(&queue->base.api));
    case CL_QUEUE_PROPERTIES:
        return tsr__info_value(out, cl_command_queue_properties, queue->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return tsr__info_bytes(out, queue->properties, queue->property_count * sizeof *queue->properties);
    case CL_QUEUE_SIZE:
        return tsr__info_value(out, cl_uint, queue->size);
    case CL_QUEUE_DEVICE_DEFAULT:
        return tsr__info_value(out, cl_command_queue, tsr__default_queue_handle(queue->context, queue->device));
    default:
        return tsr__error(queue->context, CL_INVALID_VALUE, "clGetCommandQueueInfo", "param_name", "no queue has the property 0x%x", name);
    }
}

/* clSetDefaultDeviceCommandQueue: OpenCL 3.0, 5.1. */
TSR_API cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue command_queue)
{
    RETURN_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    RETURN_IF(context, !tsr__valid(device, TSR_TAG_DEVICE) || !tsr__context_has(context, device), CL_INVALID_DEVICE,
              "not a device of the context: %p", (void *)device);
    RETURN_IF(context, !device->caps->device_queues, CL_INVALID_OPERATION,
              "the device has no on-device queues (CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES is 0)");
    struct tsr__device_queue *queue = tsr__device_queue_of(command_queue);
    RETURN_IF(context, !queue || queue->context != context || queue->device != device, CL_INVALID_COMMAND_QUEUE,
              "%p is no on-device queue of this context and device", (void *)command_queue);
    pthread_mutex_lock(&context->lock);
    struct tsr__device_queue *before = find_default(context, device);
    if (before)
        before->is_default = false;
    queue->is_default = true;
    pthread_mutex_unlock(&context->lock);
    return CL_SUCCESS;
}
