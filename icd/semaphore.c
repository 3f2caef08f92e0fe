/* SPDX-License-Identifier: Apache-2.0
 * Binary semaphores (cl_khr_semaphore). Each signal command is paired with one wait command when the second of the two is enqueued. A user
 * event, the *gate*, connects them: the end of the signal command completes the gate, and the wait command depends on it. The two may be
 * enqueued in either order. Once a wait is enqueued, the semaphore can be signaled again, whether or not the commands have run. */
#include <stdlib.h>
#include <string.h>

#include "icd/mem.h"

struct _cl_semaphore_khr {
    struct tsr_object base;
    struct _cl_context *context;  /* held */
    struct _cl_device_id *device; /* the only one that may use it, held; NULL: all of the context */
    cl_semaphore_properties_khr *properties;
    size_t property_count; /* words with the final zero */
    /* Under the lock: */
    cl_event signaled; /* gate of a signal that no wait has taken; NULL: there is none */
    cl_event *awaited; /* gates of waits whose signal is still to come, the oldest first, from `awaited_begin` on */
    size_t awaited_begin, awaited_count, awaited_room;
};

/* ---- life ---- */

static void semaphore_destroy(struct tsr_object *object)
{
    struct _cl_semaphore_khr *semaphore = (struct _cl_semaphore_khr *)object;
    if (semaphore->signaled)
        clReleaseEvent(semaphore->signaled);
    for (size_t i = 0; i < semaphore->awaited_count; i++) { /* nobody can signal it any more */
        cl_event gate = semaphore->awaited[semaphore->awaited_begin + i];
        clSetUserEventStatus(gate, CL_INVALID_SEMAPHORE_KHR);
        clReleaseEvent(gate);
    }
    tsr_free(semaphore->awaited);
    tsr_free(semaphore->properties);
    if (semaphore->device)
        tsr__drop(semaphore->device);
    tsr__drop(semaphore->context);
    object->tag = 0;
    tsr_free(semaphore);
}

/* What the list of properties says. */
struct wanted {
    bool has_type, has_devices;
    struct _cl_device_id *device;
    size_t words; /* of the list, without the final zero */
};

/* A device, and CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR behind it. */
static cl_int read_device(struct _cl_context *context, const cl_semaphore_properties_khr *list, struct wanted *wanted)
{
    cl_device_id device = (cl_device_id)(uintptr_t)list[wanted->words];
    RETURN_IF(context, !device || list[wanted->words + 1] != CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR, CL_INVALID_DEVICE,
              "the list of devices must have exactly one");
    RETURN_IF(context, !tsr__context_has(context, device), CL_INVALID_DEVICE, "the device is not of the context");
    wanted->device = device;
    wanted->words += 2;
    return CL_SUCCESS;
}

static cl_int read_properties(struct _cl_context *context, const cl_semaphore_properties_khr *list, struct wanted *wanted)
{
    *wanted = (struct wanted){0};
    RETURN_IF(context, !list, CL_INVALID_VALUE, "no properties: CL_SEMAPHORE_TYPE_KHR is required");
    while (list[wanted->words]) {
        cl_semaphore_properties_khr name = list[wanted->words++];
        bool is_type = name == CL_SEMAPHORE_TYPE_KHR;
        RETURN_IF(context, !is_type && name != CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, CL_INVALID_PROPERTY,
                  "no semaphore has the property 0x%llx", (unsigned long long)name);
        RETURN_IF(context, is_type ? wanted->has_type : wanted->has_devices, CL_INVALID_PROPERTY, "property 0x%llx is given twice",
                  (unsigned long long)name);
        *(is_type ? &wanted->has_type : &wanted->has_devices) = true;
        cl_int err = is_type ? CL_SUCCESS : read_device(context, list, wanted);
        if (err != CL_SUCCESS)
            return err;
        RETURN_IF(context, is_type && list[wanted->words] != CL_SEMAPHORE_TYPE_BINARY_KHR, CL_INVALID_PROPERTY,
                  "no device has semaphores of type %llu", (unsigned long long)list[wanted->words]);
        wanted->words += is_type;
    }
    RETURN_IF(context, !wanted->has_type, CL_INVALID_VALUE, "CL_SEMAPHORE_TYPE_KHR is required");
    RETURN_IF(context, context->device_count > 1 && !wanted->device, CL_INVALID_PROPERTY,
              "the context has %u devices, so CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR is required", context->device_count);
    return CL_SUCCESS;
}

TSR_API cl_semaphore_khr CL_API_CALL clCreateSemaphoreWithPropertiesKHR(cl_context context, const cl_semaphore_properties_khr *sema_props,
                                                                        cl_int *errcode_ret)
{
    struct _cl_semaphore_khr *semaphore = NULL;
    struct wanted wanted;
    cl_int err = CL_SUCCESS;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "the context is not valid");
    err = read_properties(context, sema_props, &wanted);
    if (err != CL_SUCCESS)
        goto fail;
    semaphore = tsr_calloc(1, sizeof *semaphore);
    FAIL_IF(context, !semaphore, CL_OUT_OF_HOST_MEMORY, "no memory for a semaphore");
    tsr__object_init(&semaphore->base, TSR_TAG_SEMAPHORE, semaphore_destroy);
    tsr__hold(context);
    semaphore->context = context;
    if (wanted.device)
        tsr__hold(wanted.device);
    semaphore->device = wanted.device;
    FAIL_IF(context, !tsr__keep_properties(sema_props, wanted.words + 1, &semaphore->properties, &semaphore->property_count),
            CL_OUT_OF_HOST_MEMORY, "no memory for the properties");
fail:
    return tsr__created(semaphore, err, errcode_ret);
}

TSR_API cl_int CL_API_CALL clRetainSemaphoreKHR(cl_semaphore_khr sema_object)
{
    return tsr__api_retain(sema_object, TSR_TAG_SEMAPHORE, CL_INVALID_SEMAPHORE_KHR);
}

TSR_API cl_int CL_API_CALL clReleaseSemaphoreKHR(cl_semaphore_khr sema_object)
{
    return tsr__api_release(sema_object, TSR_TAG_SEMAPHORE, CL_INVALID_SEMAPHORE_KHR);
}

/* ---- gates ---- */

/* The gate that a new signal sets: that of the oldest wait without one, or a new one, which the next wait takes. The caller gets a
 * reference. A signal of a semaphore that is signaled already has none: *gate is NULL. False: out of memory. */
static bool gate_of_signal(struct _cl_semaphore_khr *semaphore, cl_event *gate)
{
    bool good = true;
    *gate = NULL;
    tsr_table_lock(&tsr__semaphore_locks, semaphore);
    if (semaphore->awaited_count) {
        *gate = semaphore->awaited[semaphore->awaited_begin++];
        if (!--semaphore->awaited_count)
            semaphore->awaited_begin = 0;
    } else if (!semaphore->signaled) {
        *gate = tsr__user_event_new(semaphore->context);
        good = *gate;
        if (good)
            clRetainEvent(*gate);
        semaphore->signaled = *gate;
    }
    tsr_table_unlock(&tsr__semaphore_locks, semaphore);
    return good;
}

/* Room for one more gate. The lock is held. */
static bool has_room(struct _cl_semaphore_khr *semaphore)
{
    if (semaphore->awaited_begin + semaphore->awaited_count < semaphore->awaited_room)
        return true;
    if (semaphore->awaited_begin > semaphore->awaited_count) {
        memcpy(semaphore->awaited, semaphore->awaited + semaphore->awaited_begin, semaphore->awaited_count * sizeof *semaphore->awaited);
        semaphore->awaited_begin = 0;
        return true;
    }
    size_t room = semaphore->awaited_room ? 2 * semaphore->awaited_room : 4;
    cl_event *grown = tsr_realloc(semaphore->awaited, room * sizeof *grown);
    if (grown) {
        semaphore->awaited = grown;
        semaphore->awaited_room = room;
    }
    return grown;
}

/* The gate that a new wait is ordered after, with a reference: that of the signal before it, or a new one for the next signal. NULL: out of
 * memory. */
static cl_event gate_of_wait(struct _cl_semaphore_khr *semaphore)
{
    tsr_table_lock(&tsr__semaphore_locks, semaphore);
    cl_event gate = semaphore->signaled;
    semaphore->signaled = NULL;
    if (!gate && has_room(semaphore)) {
        gate = tsr__user_event_new(semaphore->context);
        if (gate) {
            clRetainEvent(gate);
            semaphore->awaited[semaphore->awaited_begin + semaphore->awaited_count++] = gate;
        }
    }
    tsr_table_unlock(&tsr__semaphore_locks, semaphore);
    return gate;
}

static void release_gates(const cl_event *gates, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        if (gates[i])
            clReleaseEvent(gates[i]);
}

static int compare(const void *a, const void *b)
{
    uintptr_t first = (uintptr_t)*(const cl_semaphore_khr *)a, second = (uintptr_t)*(const cl_semaphore_khr *)b;
    return (first > second) - (first < second);
}

/* The gates of waits for these semaphores, each once: one signal is enough for a semaphore that stands twice in the list, which is sorted
 * here. The number of gates; false in `good`: out of memory. */
static cl_uint gates_of_waits(cl_semaphore_khr *semaphores, cl_uint count, cl_event *gates, bool *good)
{
    cl_uint found = 0;
    qsort(semaphores, count, sizeof *semaphores, compare);
    for (cl_uint i = 0; *good && i < count; i++)
        if (!i || semaphores[i] != semaphores[i - 1]) {
            gates[found] = gate_of_wait(semaphores[i]);
            *good = gates[found];
            found += *good;
        }
    return found;
}

/* ---- commands ---- */

static cl_int check_semaphores(struct _cl_command_queue *queue, cl_uint count, const cl_semaphore_khr *semaphores)
{
    struct _cl_context *context = queue->context;
    RETURN_IF(context, !count || !semaphores, CL_INVALID_VALUE, "%u semaphores at %p", count, (const void *)semaphores);
    for (cl_uint i = 0; i < count; i++)
        RETURN_IF(context, !tsr__valid(semaphores[i], TSR_TAG_SEMAPHORE), CL_INVALID_SEMAPHORE_KHR, "entry %u is no semaphore: %p", i,
                  (void *)semaphores[i]);
    for (cl_uint i = 0; i < count; i++)
        RETURN_IF(context, semaphores[i]->context != context, CL_INVALID_CONTEXT, "semaphore %u and the queue are of two contexts", i);
    for (cl_uint i = 0; i < count; i++)
        RETURN_IF(context, semaphores[i]->device && semaphores[i]->device != queue->device, CL_INVALID_COMMAND_QUEUE,
                  "semaphore %u was created for another device than the queue's", i);
    return CL_SUCCESS;
}

static cl_int check(const char *function, cl_command_queue queue, cl_uint count, const cl_semaphore_khr *semaphores, cl_uint wait_count,
                    const cl_event *wait_list)
{
    cl_int err = tsr__check_queue(function, queue);
    if (err == CL_SUCCESS)
        err = check_semaphores(queue, count, semaphores);
    if (err == CL_SUCCESS)
        err = tsr__check_wait_list(queue->context, wait_count, wait_list);
    for (cl_uint i = 0; i < wait_count && err == CL_SUCCESS; i++)
        RETURN_IF(queue->context, atomic_load(&wait_list[i]->status) < 0, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                  "event %u of the wait list has ended with an error", i);
    return err;
}

struct signal_payload {
    cl_uint count;
    cl_event gates[];
};

/* Opens the gates, or tells those who wait that the signal has failed. */
static void signal_cleanup(struct _cl_event *command)
{
    struct signal_payload *payload = (struct signal_payload *)(void *)command->payload;
    for (cl_uint i = 0; i < payload->count; i++)
        if (payload->gates[i])
            clSetUserEventStatus(payload->gates[i], command->result < 0 ? command->result : CL_COMPLETE);
    release_gates(payload->gates, payload->count);
}

TSR_API cl_int CL_API_CALL clEnqueueSignalSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                                        const cl_semaphore_khr *sema_objects,
                                                        const cl_semaphore_payload_khr *sema_payload_list, cl_uint num_events_in_wait_list,
                                                        const cl_event *event_wait_list, cl_event *event)
{
    (void)sema_payload_list; /* binary semaphores have no payload to give */
    cl_int err = check(__func__, command_queue, num_sema_objects, sema_objects, num_events_in_wait_list, event_wait_list);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_event *command = tsr__command_new(command_queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR,
                                                 sizeof(struct signal_payload) + num_sema_objects * sizeof(cl_event));
    bool good = command;
    if (command) {
        struct signal_payload *payload = (struct signal_payload *)(void *)command->payload;
        command->task.units = 0;
        command->cleanup = signal_cleanup;
        while (good && payload->count < num_sema_objects) {
            good = gate_of_signal(sema_objects[payload->count], &payload->gates[payload->count]);
            payload->count += good;
        }
        if (!good) {
            command->result = CL_OUT_OF_HOST_MEMORY;
            tsr__command_abandon(command);
        }
    }
    RETURN_IF(command_queue->context, !good, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    err = tsr__command_submit(command, num_events_in_wait_list, event_wait_list, event, false);
    tsr_pool_flush(command_queue->pool); /* whoever waits may do so on another queue */
    return err;
}

TSR_API cl_int CL_API_CALL clEnqueueWaitSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                                      const cl_semaphore_khr *sema_objects,
                                                      const cl_semaphore_payload_khr *sema_payload_list, cl_uint num_events_in_wait_list,
                                                      const cl_event *event_wait_list, cl_event *event)
{
    (void)sema_payload_list;
    cl_int err = check(__func__, command_queue, num_sema_objects, sema_objects, num_events_in_wait_list, event_wait_list);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_event *command = tsr__command_new(command_queue, CL_COMMAND_SEMAPHORE_WAIT_KHR, 0);
    cl_event *list = tsr_malloc(((size_t)num_events_in_wait_list + num_sema_objects) * sizeof *list);
    cl_semaphore_khr *semaphores = tsr_malloc(num_sema_objects * sizeof *semaphores);
    cl_uint count = 0;
    bool good = command && list && semaphores;
    if (good) {
        memcpy(semaphores, sema_objects, num_sema_objects * sizeof *semaphores);
        count = gates_of_waits(semaphores, num_sema_objects, list, &good);
    }
    tsr_free(semaphores);
    if (good) {
        if (num_events_in_wait_list)
            memcpy(list + count, event_wait_list, num_events_in_wait_list * sizeof *list);
        command->task.units = 0;
        err = tsr__command_submit(command, count + num_events_in_wait_list, list, event, false);
    } else if (command) {
        tsr__command_abandon(command);
    }
    release_gates(list, count);
    tsr_free(list);
    RETURN_IF(command_queue->context, !good, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    return err;
}

/* Of cl_khr_external_semaphore, which is not there: no semaphore can be created with a type of handle. Khronos' tests of cl_khr_semaphore
 * ask for the function all the same. */
TSR_API cl_int CL_API_CALL clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr sema_object, cl_device_id device,
                                                          cl_external_semaphore_handle_type_khr handle_type, size_t handle_size,
                                                          void *handle_ptr, size_t *handle_size_ret)
{
    (void)handle_size, (void)handle_ptr, (void)handle_size_ret;
    RETURN_IF(NULL, !tsr__valid(sema_object, TSR_TAG_SEMAPHORE), CL_INVALID_SEMAPHORE_KHR, "not a semaphore: %p", (void *)sema_object);
    struct _cl_context *context = sema_object->context;
    RETURN_IF(context, !tsr__context_has(context, device) || (sema_object->device && sema_object->device != device), CL_INVALID_DEVICE,
              "the semaphore was not created for the device");
    /* "CL_INVALID_VALUE if the requested external semaphore handle type was not specified when sema_object was created." */
    return tsr__error(context, CL_INVALID_VALUE, __func__, "handle_type", "the semaphore was created without handles of type 0x%x",
                      handle_type);
}

/* ---- queries ---- */

static cl_semaphore_payload_khr payload_of(struct _cl_semaphore_khr *semaphore)
{
    tsr_table_lock(&tsr__semaphore_locks, semaphore);
    bool signaled = semaphore->signaled && atomic_load(&semaphore->signaled->status) == CL_COMPLETE;
    tsr_table_unlock(&tsr__semaphore_locks, semaphore);
    return signaled;
}

TSR_API cl_int CL_API_CALL clGetSemaphoreInfoKHR(cl_semaphore_khr sema_object, cl_semaphore_info_khr param_name, size_t param_value_size,
                                                 void *param_value, size_t *param_value_size_ret)
{
    RETURN_IF(NULL, !tsr__valid(sema_object, TSR_TAG_SEMAPHORE), CL_INVALID_SEMAPHORE_KHR, "not a semaphore: %p", (void *)sema_object);
    struct _cl_context *context = sema_object->context;
    struct tsr_info_out out = {param_value_size, param_value, param_value_size_ret};
    switch (param_name) {
    case CL_SEMAPHORE_CONTEXT_KHR:
        return tsr__info_value(out, cl_context, context);
    case CL_SEMAPHORE_REFERENCE_COUNT_KHR:
        return tsr__info_value(out, cl_uint, (cl_uint)atomic_load(&sema_object->base.api));
    case CL_SEMAPHORE_PROPERTIES_KHR:
        return tsr__info_bytes(out, sema_object->properties, sema_object->property_count * sizeof *sema_object->properties);
    case CL_SEMAPHORE_TYPE_KHR:
        return tsr__info_value(out, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_SEMAPHORE_PAYLOAD_KHR:
        return tsr__info_value(out, cl_semaphore_payload_khr, payload_of(sema_object));
    case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
        return tsr__info_value(out, cl_device_id, sema_object->device ? sema_object->device : context->devices[0]);
    default:
        return tsr__error(context, CL_INVALID_VALUE, __func__, "param_name", "no semaphore has the property 0x%x", param_name);
    }
}
