/* SPDX-License-Identifier: Apache-2.0
 * Command queues: creation, flush, finish, queries. */
#include "icd/device_queue.h"
#include "tessera/enqueue.h"

enum {
    QUEUE_HOST = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
    QUEUE_DEVICE = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT,
};

/* What the queues of the host may have on the device. */
static cl_command_queue_properties host_flags(const struct _cl_device_id *device)
{
    bool local = device->caps->extensions.has[TSR_HAS_cl_intel_exec_by_local_thread];
    return QUEUE_HOST | (local ? CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL : 0);
}

static void queue_destroy(struct tsr_object *object)
{
    struct _cl_command_queue *queue = (struct _cl_command_queue *)object;
    pthread_mutex_lock(&queue->context->lock);
    tsr__link_leave(&queue->link);
    pthread_mutex_unlock(&queue->context->lock);
    tsr__queue_discard(queue);
    tsr_fork_mutex_remove(&queue->fork_waits);
    pthread_mutex_destroy(&queue->lock);
    tsr__drop(queue->device);
    tsr__drop(queue->context);
    tsr_free(queue->properties);
    tsr_free(queue);
}

struct _cl_command_queue *tsr__queue_new(struct _cl_context *context, struct _cl_device_id *device, cl_command_queue_properties flags)
{
    struct tsr_pool *pool = device->ops->pool(device->impl);
    struct _cl_command_queue *queue = pool ? tsr_calloc(1, sizeof *queue) : NULL;
    if (!queue)
        return NULL;
    tsr__object_init(&queue->base, TSR_TAG_QUEUE, queue_destroy);
    pthread_mutex_init(&queue->lock, NULL);
    queue->fork_waits.mutex = &queue->lock;
    queue->fork_waits.in_child = tsr__queue_forget;
    tsr_fork_mutex_add(&queue->fork_waits);
    tsr__hold(context);
    tsr__hold(device);
    queue->context = context;
    queue->device = device;
    queue->pool = pool;
    queue->flags = flags;
    pthread_mutex_lock(&context->lock);
    tsr__link_enter(&context->queues, &queue->link);
    pthread_mutex_unlock(&context->lock);
    return queue;
}

enum property { FLAGS, SIZE, PRIORITY, THROTTLE, PROPERTIES };

/* PROPERTIES: no queue has it. */
static enum property property_of(cl_queue_properties name)
{
    static const cl_queue_properties names[PROPERTIES] = {CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR};
    unsigned i = 0;
    while (i < PROPERTIES && names[i] != name)
        i++;
    return i;
}

/* cl_khr_priority_hints, cl_khr_throttle_hints: one of three levels. Nothing follows from them: docs/queues.md. */
static bool hint_valid(enum property property, cl_queue_properties value)
{
    switch (property) {
    case PRIORITY:
        return value == CL_QUEUE_PRIORITY_HIGH_KHR || value == CL_QUEUE_PRIORITY_MED_KHR || value == CL_QUEUE_PRIORITY_LOW_KHR;
    case THROTTLE:
        return value == CL_QUEUE_THROTTLE_HIGH_KHR || value == CL_QUEUE_THROTTLE_MED_KHR || value == CL_QUEUE_THROTTLE_LOW_KHR;
    default:
        return true;
    }
}

/* "There can only be one default device queue …; if a default device queue has been created, each subsequent call … returns it." */
static cl_command_queue create_on_device(struct _cl_context *context, struct _cl_device_id *device, cl_command_queue_properties flags,
                                         cl_uint size, const cl_queue_properties *properties, size_t words, cl_int *errcode_ret)
{
    cl_int err = CL_SUCCESS;
    struct tsr__device_queue *queue = flags & CL_QUEUE_ON_DEVICE_DEFAULT ? tsr__default_queue(context, device) : NULL;
    if (queue) {
        err = tsr__api_retain(queue, TSR_TAG_DEVICE_QUEUE, CL_INVALID_COMMAND_QUEUE);
        tsr__drop(queue);
        return tsr__created(queue, err, errcode_ret);
    }
    queue = tsr__device_queue_new(context, device, flags, size);
    FAIL_IF(context, !queue, CL_OUT_OF_HOST_MEMORY, "no memory for an on-device queue");
    FAIL_IF(context, !tsr__keep_properties(properties, words, &queue->properties, &queue->property_count), CL_OUT_OF_HOST_MEMORY,
            "no memory for the properties");
fail:
    return tsr__created(queue, err, errcode_ret);
}

/* clCreateCommandQueueWithProperties: OpenCL 3.0, 5.1. */
TSR_API cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                        const cl_queue_properties *properties, cl_int *errcode_ret)
{
    struct _cl_command_queue *queue = NULL;
    cl_int err = CL_SUCCESS;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    FAIL_IF(context, !tsr__valid(device, TSR_TAG_DEVICE) || !tsr__context_has(context, device), CL_INVALID_DEVICE,
            "not a device of the context: %p", (void *)device);
    cl_command_queue_properties flags = 0;
    cl_queue_properties size = 0;
    size_t words = 0;
    bool has[PROPERTIES] = {false};
    for (; properties && properties[words]; words += 2) {
        cl_queue_properties name = properties[words], value = properties[words + 1];
        enum property property = property_of(name);
        FAIL_IF(context, property == PROPERTIES, CL_INVALID_VALUE, "no queue has the property 0x%llx", (unsigned long long)name);
        FAIL_IF(context, has[property], CL_INVALID_VALUE, "property 0x%llx is given twice", (unsigned long long)name);
        FAIL_IF(context, !hint_valid(property, value), CL_INVALID_VALUE, "0x%llx is no value of the hint 0x%llx", (unsigned long long)value,
                (unsigned long long)name);
        has[property] = true;
        if (property == FLAGS)
            flags = value;
        if (property == SIZE)
            size = value;
    }
    FAIL_IF(context, flags & ~(host_flags(device) | QUEUE_DEVICE), CL_INVALID_VALUE, "unknown bits in 0x%llx", (unsigned long long)flags);
    FAIL_IF(context, flags & CL_QUEUE_ON_DEVICE && flags & CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL, CL_INVALID_VALUE,
            "no thread enqueues in a queue with CL_QUEUE_ON_DEVICE, so none can run its commands: leave out "
            "CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL");
    FAIL_IF(context, flags & CL_QUEUE_ON_DEVICE && !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), CL_INVALID_VALUE,
            "CL_QUEUE_ON_DEVICE needs CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
    FAIL_IF(context, flags & CL_QUEUE_ON_DEVICE_DEFAULT && !(flags & CL_QUEUE_ON_DEVICE), CL_INVALID_VALUE,
            "CL_QUEUE_ON_DEVICE_DEFAULT needs CL_QUEUE_ON_DEVICE");
    FAIL_IF(context, has[SIZE] && !(flags & CL_QUEUE_ON_DEVICE), CL_INVALID_VALUE, "CL_QUEUE_SIZE needs CL_QUEUE_ON_DEVICE");
    FAIL_IF(context, flags & QUEUE_DEVICE && !device->caps->device_queues, CL_INVALID_QUEUE_PROPERTIES,
            "the device has no on-device queues (CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES is 0)");
    FAIL_IF(context, flags & CL_QUEUE_ON_DEVICE && (has[PRIORITY] || has[THROTTLE]), CL_INVALID_QUEUE_PROPERTIES,
            "hints of priority and throttle are for queues of the host, not for one with CL_QUEUE_ON_DEVICE");
    FAIL_IF(context, size > TSR_ENQUEUE_MOST_BYTES, CL_INVALID_QUEUE_PROPERTIES,
            "CL_QUEUE_SIZE is %llu, and CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE %u", (unsigned long long)size, TSR_ENQUEUE_MOST_BYTES);
    if (flags & QUEUE_DEVICE)
        return create_on_device(context, device, flags, has[SIZE] ? (cl_uint)size : TSR_ENQUEUE_PREFERRED_BYTES, properties, words + 1,
                                errcode_ret);

    queue = tsr__queue_new(context, device, flags);
    FAIL_IF(context, !queue, CL_OUT_OF_HOST_MEMORY, "no memory for a queue");
    FAIL_IF(context, !tsr__keep_properties(properties, words + 1, &queue->properties, &queue->property_count), CL_OUT_OF_HOST_MEMORY,
            "no memory for the properties");
fail:
    return tsr__created(queue, err, errcode_ret);
}

/* clCreateCommandQueue: OpenCL 1.2, 5.1; deprecated. */
TSR_API cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties flags,
                                                          cl_int *errcode_ret)
{
    struct _cl_command_queue *queue = NULL;
    cl_int err = CL_SUCCESS;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    FAIL_IF(context, !tsr__valid(device, TSR_TAG_DEVICE) || !tsr__context_has(context, device), CL_INVALID_DEVICE,
            "not a device of the context: %p", (void *)device);
    FAIL_IF(context, flags & ~host_flags(device), CL_INVALID_VALUE, "unknown bits in 0x%llx", (unsigned long long)flags);
    queue = tsr__queue_new(context, device, flags);
    FAIL_IF(context, !queue, CL_OUT_OF_HOST_MEMORY, "no memory for a queue");
fail:
    return tsr__created(queue, err, errcode_ret);
}

/* clRetainCommandQueue, clReleaseCommandQueue: OpenCL 3.0, 5.1. Releasing flushes; what is enqueued still runs. */
TSR_API cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue)
{
    return tsr__api_retain(queue, tsr__device_queue_of(queue) ? TSR_TAG_DEVICE_QUEUE : TSR_TAG_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

TSR_API cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
    if (tsr__device_queue_of(queue))
        return tsr__api_release(queue, TSR_TAG_DEVICE_QUEUE, CL_INVALID_COMMAND_QUEUE);
    struct tsr_pool *pool = tsr__valid(queue, TSR_TAG_QUEUE) ? queue->pool : NULL; /* pools are never destroyed */
    cl_int err = tsr__api_release(queue, TSR_TAG_QUEUE, CL_INVALID_COMMAND_QUEUE);
    if (err == CL_SUCCESS)
        tsr_pool_flush(pool);
    return err;
}

/* clFlush: OpenCL 3.0, 5.15. */
TSR_API cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    RETURN_IF(NULL, !tsr__valid(queue, TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "not a queue: %p", (void *)queue);
    tsr_pool_flush(queue->pool);
    return CL_SUCCESS;
}

/* Waits for what has been enqueued so far. */
static cl_int finish_queue(struct _cl_command_queue *queue)
{
    if (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        struct _cl_event *marker = tsr__command_new(queue, CL_COMMAND_MARKER, 0);
        RETURN_IF(queue->context, !marker, CL_OUT_OF_HOST_MEMORY, "no memory for a marker");
        marker->task.units = 0;
        return tsr__command_submit(marker, 0, NULL, NULL, true);
    }
    struct _cl_event *last = tsr__queue_fence(queue);
    cl_int status, err = CL_SUCCESS;
    if (last) {
        err = tsr__event_wait(last, &status);
        tsr__drop(last);
    }
    return err;
}

/* The queues of the context, held, in *list (tsr_malloc'd). NULL and a count that is not 0: out of memory. */
static size_t hold_queues(struct _cl_context *context, struct _cl_command_queue ***list)
{
    size_t count = 0, alive = 0;
    pthread_mutex_lock(&context->lock);
    for (struct tsr__link *link = context->queues; link; link = link->next)
        count++;
    *list = count ? tsr_malloc(count * sizeof **list) : NULL;
    for (struct tsr__link *link = context->queues; link && *list; link = link->next) {
        struct _cl_command_queue *queue = TSR_CONTAINER_OF(link, struct _cl_command_queue, link);
        if (tsr__hold_alive(queue)) /* a queue that dies has no commands */
            (*list)[alive++] = queue;
    }
    pthread_mutex_unlock(&context->lock);
    return *list ? alive : count;
}

cl_int tsr__context_finish(struct _cl_context *context)
{
    struct _cl_command_queue **queues;
    cl_int err = CL_SUCCESS;
    size_t count = hold_queues(context, &queues);
    RETURN_IF(context, count && !queues, CL_OUT_OF_HOST_MEMORY, "no memory to list %zu queues", count);
    for (size_t i = 0; i < count; i++) {
        if (err == CL_SUCCESS)
            err = finish_queue(queues[i]);
        tsr__drop(queues[i]);
    }
    tsr_free(queues);
    return err;
}

/* clFinish: OpenCL 3.0, 5.15. The calling thread helps. */
TSR_API cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    RETURN_IF(NULL, !tsr__valid(queue, TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "not a queue: %p", (void *)queue);
    return finish_queue(queue);
}

/* clGetCommandQueueInfo: OpenCL 3.0, 5.1. */
TSR_API cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size, void *value,
                                                 size_t *size_ret)
{
    struct tsr_info_out out = {size, value, size_ret};
    if (tsr__device_queue_of(queue))
        return tsr__device_queue_info(tsr__device_queue_of(queue), name, out);
    RETURN_IF(NULL, !tsr__valid(queue, TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "not a queue: %p", (void *)queue);
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
        return tsr__error(queue->context, CL_INVALID_COMMAND_QUEUE, __func__, "CL_QUEUE_SIZE", "only on-device queues have a size");
    case CL_QUEUE_DEVICE_DEFAULT:
        return tsr__info_value(out, cl_command_queue, tsr__default_queue_handle(queue->context, queue->device));
    default:
        return tsr__error(queue->context, CL_INVALID_VALUE, __func__, "param_name", "no queue has the property 0x%x", name);
    }
}

/* clSetCommandQueueProperty: OpenCL 1.0, 5.1. Devices of OpenCL 1.1 and later refuse it. */
TSR_API cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties, cl_bool enable,
                                                     cl_command_queue_properties *old)
{
    (void)properties, (void)enable, (void)old;
    RETURN_IF(NULL, !tsr__valid(queue, TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "not a queue: %p", (void *)queue);
    return tsr__error(queue->context, CL_INVALID_OPERATION, __func__, "OpenCL 1.1", "a queue's properties are fixed when it is created");
}
