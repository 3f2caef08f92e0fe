/* SPDX-License-Identifier: Apache-2.0
 * Command lists: regular ones, which are recorded and executed by queues, and immediate ones, which are a list and a queue in one. */
#include "device-xmx/ze_newer.h"
#include "device-xmx/standin/standin.h"

ze_result_t tsr__standin_check_queue(const char *function, const struct tsr__context *context, const struct tsr__device *device,
                                     const ze_command_queue_desc_t *desc)
{
    enum { IN_ORDER_SINCE = 6 };
    bool in_order = ZE_MINOR_VERSION(tsr__standin_settings()->api) >= IN_ORDER_SINCE;
    ze_command_queue_flags_t known = ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY | (in_order ? TSR_ZE_COMMAND_QUEUE_FLAG_IN_ORDER : 0);
    if (!desc)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_NULL_POINTER, "the description of the queue is NULL");
    if (desc->stype != ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "stype is 0x%x", (unsigned)desc->stype);
    if (desc->flags & ~known || desc->mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS || desc->priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ENUMERATION, "flags 0x%x, mode %u, priority %u", desc->flags,
                                   desc->mode, desc->priority);
    if (!tsr__standin_context_has(context, device))
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not of the context");
    if (desc->ordinal >= TSR_ARRAY_LEN(device->persona->groups) || desc->index >= device->persona->groups[desc->ordinal].queues)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device has no queue %u in a group %u", desc->index,
                                   desc->ordinal);
    if (atomic_load(&device->lost))
        return ZE_RESULT_ERROR_DEVICE_LOST;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t list_new(struct tsr__context *context, struct tsr__device *device, uint32_t ordinal, struct tsr__list **made)
{
    struct tsr__list *list = tsr_calloc(1, sizeof *list);
    if (!list || !tsr__standin_add(list, TSR__KIND_LIST, context)) {
        tsr_free(list);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    list->context = context;
    list->device = device;
    list->ordinal = ordinal;
    tsr_list_init(&list->commands);
    *made = list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice, const ze_command_list_desc_t *desc,
                                           ze_command_list_handle_t *phCommandList)
{
    enum { FLAG_IN_ORDER = 1 << 3 }; /* API 1.7 */
    const ze_command_list_flags_t known = ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING | ZE_COMMAND_LIST_FLAG_MAXIMIZE_THROUGHPUT |
                                          ZE_COMMAND_LIST_FLAG_EXPLICIT_ONLY | FLAG_IN_ORDER;
    FIND(CONTEXT, tsr__context, context, hContext);
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(desc, ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC);
    NEED_POINTER(phCommandList);
    MISUSE_IF(desc->flags & ~known, ZE_RESULT_ERROR_INVALID_ENUMERATION, "flags 0x%x", desc->flags);
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = desc->commandQueueGroupOrdinal};
    ze_result_t result = tsr__standin_check_queue(__func__, context, device, &queue);
    struct tsr__list *list = NULL;
    if (!result)
        result = list_new(context, device, desc->commandQueueGroupOrdinal, &list);
    if (!result)
        *phCommandList = HANDLE(ze_command_list_handle_t, list);
    return result;
}

ze_result_t ZE_APICALL zeCommandListCreateImmediate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                                    const ze_command_queue_desc_t *altdesc, ze_command_list_handle_t *phCommandList)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(phCommandList);
    ze_result_t result = tsr__standin_check_queue(__func__, context, device, altdesc);
    struct tsr__list *list = NULL;
    if (!result)
        result = list_new(context, device, altdesc->ordinal, &list);
    if (result)
        return result;
    list->immediate = true;
    list->synchronous = altdesc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    tsr__standin_stream_open(&list->stream, device, altdesc->flags & TSR_ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    *phCommandList = HANDLE(ze_command_list_handle_t, list);
    return ZE_RESULT_SUCCESS;
}

static void drop_commands(struct tsr__list *list)
{
    while (!tsr_list_empty(&list->commands)) {
        struct tsr__command *command = TSR_LIST_ITEM(list->commands.next, struct tsr__command, link);
        tsr_list_remove(&command->link);
        tsr__standin_command_drop(command);
    }
}

/* Whether commands of the list are on their way. */
static bool is_busy(const struct tsr__list *list)
{
    pthread_mutex_lock(&tsr__standin_lock);
    bool busy = list->base.pending;
    pthread_mutex_unlock(&tsr__standin_lock);
    return busy;
}

ze_result_t ZE_APICALL zeCommandListDestroy(ze_command_list_handle_t hCommandList)
{
    FIND(LIST, tsr__list, list, hCommandList);
    MISUSE_IF(is_busy(list), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "commands of the list have not ended");
    if (list->immediate)
        tsr__standin_stream_close(&list->stream);
    drop_commands(list);
    tsr__standin_remove(list);
    tsr_free(list);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListClose(ze_command_list_handle_t hCommandList)
{
    FIND(LIST, tsr__list, list, hCommandList);
    MISUSE_IF(list->immediate, ZE_RESULT_ERROR_INVALID_ARGUMENT, "an immediate list is never closed");
    list->closed = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListReset(ze_command_list_handle_t hCommandList)
{
    FIND(LIST, tsr__list, list, hCommandList);
    MISUSE_IF(list->immediate, ZE_RESULT_ERROR_INVALID_ARGUMENT, "an immediate list has nothing to reset");
    MISUSE_IF(is_busy(list), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "commands of the list have not ended");
    drop_commands(list);
    list->closed = false;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListHostSynchronize(ze_command_list_handle_t hCommandList, uint64_t timeout)
{
    FIND(LIST, tsr__list, list, hCommandList);
    MISUSE_IF(!list->immediate, ZE_RESULT_ERROR_INVALID_ARGUMENT, "only immediate lists run by themselves");
    pthread_mutex_lock(&tsr__standin_lock);
    ze_result_t result = tsr__standin_wait(&list->stream.count, list->device, timeout);
    pthread_mutex_unlock(&tsr__standin_lock);
    return result;
}

bool tsr__standin_computes(const struct tsr__list *list)
{
    return list->device->persona->groups[list->ordinal].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
}

ze_result_t tsr__standin_append(struct tsr__list *list, struct tsr__command *command)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (!list->immediate) {
        if (list->closed) {
            result = tsr__standin_misuse(command->name, ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is closed");
            tsr__standin_command_drop(command);
        } else {
            tsr_list_push(&list->commands, &command->link);
        }
        return result;
    }
    pthread_mutex_lock(&tsr__standin_lock);
    result = tsr__standin_submit(&list->stream, command, (struct tsr__tell){.list = list});
    if (!result && list->synchronous)
        result = tsr__standin_wait(&list->stream.count, list->device, UINT64_MAX);
    pthread_mutex_unlock(&tsr__standin_lock);
    tsr__standin_command_drop(command);
    return result;
}
