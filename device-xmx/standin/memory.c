/* SPDX-License-Identifier: Apache-2.0
 * Memory of the host, of devices, and shared. Each allocation has pages of its own, between closed ones, so what runs over an end faults.
 * Those of a device are closed, too, unless a command that uses them runs: a program that touches device memory on the host faults as it
 * does with a GPU, and so does a kernel that uses memory which it neither has as an argument nor has said that it uses. */
#include <string.h>
#include <sys/mman.h>

#include "device-xmx/standin/standin.h"

enum {
    PAGE = 4096,
    NEW_BYTE = 0xcb,    /* what new memory holds */
    MOST_NEW = 1 << 16, /* bytes of it */
    BEHIND_BYTE = 0xfd, /* what stands between the end of an allocation and that of its page */
    MOST_ALIGNMENT = 1 << 21,
};

static struct {
    struct tsr__allocation **list; /* by address */
    size_t count, room;
    uint64_t bytes;
} memory;

/* Index of the first allocation that begins behind the pointer. */
static size_t behind(const void *pointer)
{
    size_t low = 0, high = memory.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (memory.list[middle]->begin > (const unsigned char *)pointer)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct tsr__allocation *tsr__standin_allocation_at(const void *pointer)
{
    size_t at = behind(pointer);
    struct tsr__allocation *before = at ? memory.list[at - 1] : NULL;
    return before && !before->dies && (const unsigned char *)pointer <= before->begin + before->size ? before : NULL;
}

bool tsr__standin_reaches(const struct tsr__device *device, const struct tsr__allocation *allocation)
{
    return allocation->type != ZE_MEMORY_TYPE_DEVICE || allocation->device == device;
}

/* ---- pages ---- */

static bool is_closed(const struct tsr__allocation *allocation)
{
    return allocation->type == ZE_MEMORY_TYPE_DEVICE && tsr__standin_settings()->closed_memory;
}

static size_t pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

static void protect(const struct tsr__allocation *allocation, int access)
{
    if (is_closed(allocation))
        mprotect(allocation->begin, pages(allocation->size), access);
}

void tsr__standin_open(struct tsr__allocation *allocation)
{
    if (!allocation->users++)
        protect(allocation, PROT_READ | PROT_WRITE);
}

void tsr__standin_close(struct tsr__allocation *allocation)
{
    if (!--allocation->users)
        protect(allocation, PROT_NONE);
}

/* Maps it, and fills it and what is behind it. False: out of memory. */
static bool map(struct tsr__allocation *allocation, size_t alignment)
{
    size_t bytes = pages(allocation->size);
    allocation->map_size = bytes + alignment + PAGE;
    allocation->map = mmap(NULL, allocation->map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (allocation->map == MAP_FAILED)
        return false;
    uintptr_t begin = ((uintptr_t)allocation->map + PAGE + alignment - 1) / alignment * alignment;
    if (begin + bytes + PAGE > (uintptr_t)allocation->map + allocation->map_size)
        begin -= alignment;
    allocation->begin = (void *)begin;
    if (mprotect(allocation->begin, bytes, PROT_READ | PROT_WRITE)) {
        munmap(allocation->map, allocation->map_size);
        return false;
    }
    memset(allocation->begin, NEW_BYTE, allocation->size < MOST_NEW ? allocation->size : MOST_NEW);
    memset(allocation->begin + allocation->size, BEHIND_BYTE, bytes - allocation->size);
    protect(allocation, PROT_NONE);
    return true;
}

/* ---- life ---- */

static bool enlist(struct tsr__allocation *allocation)
{
    if (memory.count == memory.room) {
        size_t room = memory.room ? memory.room * 2 : 64;
        struct tsr__allocation **list = tsr_realloc(memory.list, room * sizeof(struct tsr__allocation *));
        if (!list)
            return false;
        memory.list = list;
        memory.room = room;
    }
    size_t at = behind(allocation->begin);
    memmove(memory.list + at + 1, memory.list + at, (memory.count - at) * sizeof memory.list[0]);
    memory.list[at] = allocation;
    memory.count++;
    return true;
}

void tsr__standin_let_go(struct tsr__allocation *allocation)
{
    if (!allocation->dies || allocation->base.pending || allocation->users)
        return;
    protect(allocation, PROT_READ | PROT_WRITE);
    for (size_t i = allocation->size; i < pages(allocation->size); i++)
        if (allocation->begin[i] != BEHIND_BYTE) {
            tsr__standin_misuse("zeMemFree", ZE_RESULT_ERROR_UNKNOWN, "something wrote behind the end of the %zu bytes at %p, to byte %zu",
                                allocation->size, (void *)allocation->begin, i);
            break;
        }
    size_t at = behind(allocation->begin) - 1;
    memory.count--;
    memmove(memory.list + at, memory.list + at + 1, (memory.count - at) * sizeof memory.list[0]);
    memory.bytes -= allocation->size;
    if (allocation->device)
        allocation->device->memory_used -= allocation->size;
    munmap(allocation->map, allocation->map_size);
    tsr__standin_remove(allocation);
    tsr_free(allocation);
}

void tsr__standin_close_all(void)
{
    for (size_t i = memory.count; i-- > 0;) {
        struct tsr__allocation *allocation = memory.list[i];
        if (allocation->users) {
            allocation->users = 1;
            tsr__standin_close(allocation);
            tsr__standin_let_go(allocation);
        }
    }
}

static ze_result_t no_memory(ze_memory_type_t type)
{
    return type == ZE_MEMORY_TYPE_HOST ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* The lock is held. */
static bool fits(const struct tsr__allocation *allocation)
{
    const struct tsr__settings *settings = tsr__standin_settings();
    if (settings->faulty[TSR__FAULT_memory] && allocation->size + memory.bytes > settings->fault[TSR__FAULT_memory])
        return false;
    if (!allocation->device)
        return allocation->size + memory.bytes <= tsr_memory_limit();
    return allocation->size + allocation->device->memory_used <= tsr__standin_memory_size(allocation->device);
}

static ze_result_t check_size(const struct tsr__device *device, const void *chain, size_t size, size_t alignment)
{
    REFUSE_IF(!size, ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "0 bytes");
    REFUSE_IF(alignment & (alignment - 1) || alignment > MOST_ALIGNMENT, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "alignment %zu", alignment);
    if (!device)
        return ZE_RESULT_SUCCESS;
    const ze_relaxed_allocation_limits_exp_desc_t *relaxed =
        tsr__standin_chained(chain, ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC);
    bool large = relaxed && relaxed->flags & ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE &&
                 tsr__standin_has_extension(ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME);
    REFUSE_IF(!large && size > device->persona->most_allocation, ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
              "%zu bytes are more than maxMemAllocSize, and the limit was not lifted", size);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t allocate(struct tsr__context *context, ze_memory_type_t type, struct tsr__device *device, size_t size, size_t alignment,
                            void **pointer)
{
    struct tsr__allocation *allocation = tsr_calloc(1, sizeof *allocation);
    REFUSE_IF(!allocation, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for an allocation");
    allocation->type = type;
    allocation->device = device;
    allocation->size = size;
    pthread_mutex_lock(&tsr__standin_lock);
    bool good = fits(allocation) && map(allocation, alignment < PAGE ? PAGE : alignment);
    bool added = good && tsr__standin_add(allocation, TSR__KIND_ALLOCATION, context);
    if (good && !(added && enlist(allocation))) {
        if (added)
            tsr__standin_remove(allocation);
        munmap(allocation->map, allocation->map_size);
        good = false;
    }
    if (good) {
        memory.bytes += size;
        if (device)
            device->memory_used += size;
        *pointer = allocation->begin;
    }
    pthread_mutex_unlock(&tsr__standin_lock);
    if (!good)
        tsr_free(allocation);
    REFUSE_IF(!good, no_memory(type), "no memory for %zu bytes", size);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeMemAllocDevice(ze_context_handle_t hContext, const ze_device_mem_alloc_desc_t *device_desc, size_t size,
                                        size_t alignment, ze_device_handle_t hDevice, void **pptr)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(device_desc, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
    NEED_POINTER(pptr);
    MISUSE_IF(!tsr__standin_context_has(context, device), ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not of the context");
    MISUSE_IF(device_desc->ordinal, ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device has no memory %u", device_desc->ordinal);
    CHECK_LOST(device);
    ze_result_t result = check_size(device, device_desc->pNext, size, alignment);
    return result ? result : allocate(context, ZE_MEMORY_TYPE_DEVICE, device, size, alignment, pptr);
}

ze_result_t ZE_APICALL zeMemAllocShared(ze_context_handle_t hContext, const ze_device_mem_alloc_desc_t *device_desc,
                                        const ze_host_mem_alloc_desc_t *host_desc, size_t size, size_t alignment,
                                        ze_device_handle_t hDevice, void **pptr)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    CHECK_TYPE(device_desc, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
    CHECK_TYPE(host_desc, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
    NEED_POINTER(pptr);
    struct tsr__device *device = NULL;
    if (hDevice) {
        FIND(DEVICE, tsr__device, found, hDevice);
        MISUSE_IF(!tsr__standin_context_has(context, found), ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not of the context");
        CHECK_LOST(found);
        device = found;
    }
    ze_result_t result = check_size(device, device_desc->pNext, size, alignment);
    return result ? result : allocate(context, ZE_MEMORY_TYPE_SHARED, device, size, alignment, pptr);
}

ze_result_t ZE_APICALL zeMemAllocHost(ze_context_handle_t hContext, const ze_host_mem_alloc_desc_t *host_desc, size_t size,
                                      size_t alignment, void **pptr)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    CHECK_TYPE(host_desc, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
    NEED_POINTER(pptr);
    ze_result_t result = check_size(NULL, host_desc->pNext, size, alignment);
    return result ? result : allocate(context, ZE_MEMORY_TYPE_HOST, NULL, size, alignment, pptr);
}

enum { FREE_AT_ONCE = 0 };

static ze_result_t free_by(const char *function, ze_context_handle_t hContext, void *pointer,
                           ze_driver_memory_free_policy_ext_flags_t policy)
{
    struct tsr__context *context = tsr__standin_find(TSR__KIND_CONTEXT, hContext, function);
    if (!context)
        return hContext ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_NULL_POINTER, "the pointer is NULL");
    ze_result_t result = ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&tsr__standin_lock);
    struct tsr__allocation *allocation = tsr__standin_allocation_at(pointer);
    if (allocation && (allocation->begin != pointer || allocation->base.owner != &context->base))
        allocation = NULL;
    if (allocation && policy == ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE)
        result = tsr__standin_wait(&allocation->base.pending, allocation->device, UINT64_MAX);
    bool busy = allocation && allocation->base.pending && policy == FREE_AT_ONCE;
    if (allocation && !busy) {
        allocation->dies = true;
        tsr__standin_let_go(allocation);
    }
    pthread_mutex_unlock(&tsr__standin_lock);
    if (!allocation)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "no allocation of the context begins at %p", pointer);
    if (busy)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "commands that have not ended use the memory at %p",
                                   pointer);
    return result;
}

ze_result_t tsr__standin_free(const char *function, ze_context_handle_t context, void *pointer)
{
    return free_by(function, context, pointer, FREE_AT_ONCE);
}

ze_result_t ZE_APICALL zeMemFree(ze_context_handle_t hContext, void *ptr)
{
    return free_by(__func__, hContext, ptr, FREE_AT_ONCE);
}

ze_result_t ZE_APICALL zeMemFreeExt(ze_context_handle_t hContext, const ze_memory_free_ext_desc_t *pMemFreeDesc, void *ptr)
{
    CHECK_TYPE(pMemFreeDesc, ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC);
    return free_by(__func__, hContext, ptr, pMemFreeDesc->freePolicy);
}

/* ---- queries ---- */

/* A copy of the allocation with the byte, or one of the type UNKNOWN. */
static struct tsr__allocation look_up(const struct tsr__context *context, const void *pointer)
{
    struct tsr__allocation answer = {.type = ZE_MEMORY_TYPE_UNKNOWN};
    pthread_mutex_lock(&tsr__standin_lock);
    const struct tsr__allocation *allocation = tsr__standin_allocation_at(pointer);
    if (allocation && allocation->base.owner == &context->base && (const unsigned char *)pointer < allocation->begin + allocation->size)
        answer = *allocation;
    pthread_mutex_unlock(&tsr__standin_lock);
    return answer;
}

ze_result_t ZE_APICALL zeMemGetAllocProperties(ze_context_handle_t hContext, const void *ptr,
                                               ze_memory_allocation_properties_t *pMemAllocProperties, ze_device_handle_t *phDevice)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    NEED_POINTER(ptr);
    CHECK_TYPE(pMemAllocProperties, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
    struct tsr__allocation found = look_up(context, ptr);
    pMemAllocProperties->type = found.type;
    pMemAllocProperties->id = found.base.handle;
    pMemAllocProperties->pageSize = found.type == ZE_MEMORY_TYPE_UNKNOWN ? 0 : PAGE;
    if (phDevice)
        *phDevice = found.device ? HANDLE(ze_device_handle_t, found.device) : NULL;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeMemGetAddressRange(ze_context_handle_t hContext, const void *ptr, void **pBase, size_t *pSize)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    NEED_POINTER(ptr);
    struct tsr__allocation found = look_up(context, ptr);
    REFUSE_IF(found.type == ZE_MEMORY_TYPE_UNKNOWN, ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is in no allocation of the context", ptr);
    if (pBase)
        *pBase = found.begin;
    if (pSize)
        *pSize = found.size;
    return ZE_RESULT_SUCCESS;
}

static ze_kernel_indirect_access_flags_t access_of(ze_memory_type_t type)
{
    return type == ZE_MEMORY_TYPE_HOST     ? ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST
           : type == ZE_MEMORY_TYPE_DEVICE ? ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE
                                           : ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
}

void tsr__standin_each_indirect(const struct tsr__device *device, const struct tsr__context *context,
                                ze_kernel_indirect_access_flags_t flags, void (*call)(struct tsr__allocation *allocation, void *data),
                                void *data)
{
    for (size_t i = 0; i < memory.count; i++) {
        struct tsr__allocation *allocation = memory.list[i];
        if (!allocation->dies && allocation->base.owner == &context->base && tsr__standin_reaches(device, allocation) &&
            (allocation->resident || flags & access_of(allocation->type)))
            call(allocation, data);
    }
}
