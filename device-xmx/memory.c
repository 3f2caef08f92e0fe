/* SPDX-License-Identifier: Apache-2.0
 * Memory of the device: allocations, and copies and fills that have ended when they return. Each runs on a command list of its own with an
 * event, which are kept for the next one. */
#include <string.h>

#include "device-xmx/memory.h"
#include "device-xmx/queues.h"
#include "tessera/abi.h"

enum { STAGE = 64 << 10 /* bytes of a pattern that the driver cannot fill with, written as often as they hold it */ };

/* ---- allocations ---- */

enum tsr_status tsr__xmx_memory_allocate(const struct tsr_device *base, uint64_t size, uint64_t *address)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    enum tsr_status status;
    ze_context_handle_t context = tsr__xmx_context(device, &status);
    if (!context)
        return status;
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *memory = NULL;
    status =
        tsr__xmx_judge(device, tsr__ze.MemAllocDevice(context, &desc, size, TSR_MAX_ALIGN, device->handle, &memory), "zeMemAllocDevice");
    *address = status == TSR_OK ? (uint64_t)(uintptr_t)memory : 0;
    return status;
}

static ze_result_t allocate_usm(const struct tsr__xmx_device *device, ze_context_handle_t context, const struct tsr_usm_request *request,
                                void **pointer)
{
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                            .flags = request->begins_on_device ? ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT : 0};
    ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
                                        .flags = (request->begins_on_host ? ZE_HOST_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT : 0) |
                                                 (request->write_combined ? ZE_HOST_MEM_ALLOC_FLAG_BIAS_WRITE_COMBINED : 0)};
    switch (request->kind) {
    case TSR_USM_HOST:
        return tsr__ze.MemAllocHost(context, &on_host, request->size, TSR_MAX_ALIGN, pointer);
    case TSR_USM_DEVICE:
        return tsr__ze.MemAllocDevice(context, &on_device, request->size, TSR_MAX_ALIGN, device->handle, pointer);
    default:
        return tsr__ze.MemAllocShared(context, &on_device, &on_host, request->size, TSR_MAX_ALIGN,
                                      request->any_device ? NULL : device->handle, pointer);
    }
}

enum tsr_status tsr__xmx_usm_allocate(const struct tsr_device *base, const struct tsr_usm_request *request, void **pointer)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    enum tsr_status status;
    ze_context_handle_t context = tsr__xmx_context(device, &status);
    return context ? tsr__xmx_judge(device, allocate_usm(device, context, request, pointer), "zeMemAlloc") : status;
}

void tsr__xmx_memory_free(const struct tsr_device *base, uint64_t address)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    enum tsr_status status;
    ze_context_handle_t context = tsr__xmx_context(device, &status);
    if (context)
        tsr__xmx_judge(device, tsr__ze.MemFree(context, (void *)(uintptr_t)address), "zeMemFree");
}

/* ---- movers ---- */

struct tsr__xmx_mover *tsr__xmx_mover_take(struct tsr__xmx_device *device, enum tsr__xmx_moved moved, enum tsr_status *status)
{
    *status = atomic_load(&device->lost) ? TSR_IO : TSR_NO_MEMORY;
    if (*status == TSR_IO)
        return NULL;
    pthread_mutex_lock(&device->lock);
    struct tsr__xmx_mover *mover = device->movers[moved];
    if (mover)
        device->movers[moved] = mover->next;
    pthread_mutex_unlock(&device->lock);
    if (mover)
        return mover;
    mover = tsr_calloc(1, sizeof *mover);
    if (!mover)
        return NULL;
    mover->moved = moved;
    mover->event = tsr__xmx_event_take(device, status);
    uint32_t group = moved == TSR__XMX_IMAGES ? device->compute_group : device->copy_group;
    mover->list = mover->event ? tsr__xmx_list_new(device, group, status) : NULL;
    if (mover->list)
        return mover;
    if (mover->event)
        tsr__xmx_event_give(device, mover->event);
    tsr_free(mover);
    return NULL;
}

enum tsr_status tsr__xmx_mover_end(struct tsr__xmx_device *device, struct tsr__xmx_mover *mover, ze_result_t result, const char *what)
{
    enum tsr_status status = tsr__xmx_judge(device, result, what);
    if (status == TSR_OK)
        status = tsr__xmx_event_wait(device, mover->event);
    if (status == TSR_OK)
        status = tsr__xmx_judge(device, tsr__ze.EventHostReset(mover->event->handle), "zeEventHostReset");
    if (status == TSR_IO) { /* the list may still write to memory of the command: it is not used again, and not freed */
        tsr_free(mover);
        return status;
    }
    pthread_mutex_lock(&device->lock);
    mover->next = device->movers[mover->moved];
    device->movers[mover->moved] = mover;
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* The hint signals nothing, so a barrier behind it does. */
enum tsr_status tsr__xmx_usm_prefetch(const struct tsr_device *base, const void *pointer, uint64_t size)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    enum tsr_status status;
    struct tsr__xmx_mover *mover = tsr__xmx_mover_take(device, TSR__XMX_BYTES, &status);
    if (!mover)
        return status;
    ze_result_t result = tsr__ze.CommandListAppendMemoryPrefetch(mover->list, pointer, size);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
        result = ZE_RESULT_SUCCESS;
    if (!result)
        result = tsr__ze.CommandListAppendBarrier(mover->list, mover->event->handle, 0, NULL);
    return tsr__xmx_mover_end(device, mover, result, "zeCommandListAppendMemoryPrefetch");
}

static enum tsr_status move(const struct tsr_device *base, void *to, const void *from, uint64_t size)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    enum tsr_status status;
    struct tsr__xmx_mover *mover = tsr__xmx_mover_take(device, TSR__XMX_BYTES, &status);
    if (!mover)
        return status;
    ze_result_t result = tsr__ze.CommandListAppendMemoryCopy(mover->list, to, from, size, mover->event->handle, 0, NULL);
    return tsr__xmx_mover_end(device, mover, result, "zeCommandListAppendMemoryCopy");
}

enum tsr_status tsr__xmx_memory_write(const struct tsr_device *device, uint64_t to, const void *from, uint64_t size)
{
    return move(device, (void *)(uintptr_t)to, from, size);
}

enum tsr_status tsr__xmx_memory_read(const struct tsr_device *device, void *to, uint64_t from, uint64_t size)
{
    return move(device, to, (const void *)(uintptr_t)from, size);
}

enum tsr_status tsr__xmx_memory_copy(const struct tsr_device *device, uint64_t to, uint64_t from, uint64_t size)
{
    return move(device, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
}

/* ---- fills ---- */

/* Writes the beginning from the host, and copies what is there behind itself until it is all. */
static enum tsr_status fill_by_copies(const struct tsr_device *device, uint64_t to, uint64_t size, const void *pattern,
                                      uint64_t pattern_size)
{
    uint64_t done = size < STAGE ? size : STAGE; /* both are multiples of the pattern */
    unsigned char *stage = tsr_malloc(done);
    if (!stage)
        return TSR_NO_MEMORY;
    for (uint64_t at = 0; at < done; at += pattern_size)
        memcpy(stage + at, pattern, pattern_size);
    enum tsr_status status = tsr__xmx_memory_write(device, to, stage, done);
    tsr_free(stage);
    while (done < size && status == TSR_OK) {
        uint64_t more = size - done < done ? size - done : done;
        status = tsr__xmx_memory_copy(device, to + done, to, more);
        done += more;
    }
    return status;
}

enum tsr_status tsr__xmx_memory_fill(const struct tsr_device *base, uint64_t to, uint64_t size, const void *pattern, uint64_t pattern_size)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    if (pattern_size > device->copy_fill)
        return fill_by_copies(base, to, size, pattern, pattern_size);
    enum tsr_status status;
    struct tsr__xmx_mover *mover = tsr__xmx_mover_take(device, TSR__XMX_BYTES, &status);
    if (!mover)
        return status;
    ze_result_t result =
        tsr__ze.CommandListAppendMemoryFill(mover->list, (void *)(uintptr_t)to, pattern, pattern_size, size, mover->event->handle, 0, NULL);
    return tsr__xmx_mover_end(device, mover, result, "zeCommandListAppendMemoryFill");
}
