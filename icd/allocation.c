/* SPDX-License-Identifier: Apache-2.0
 * The context's list of memory that the application knows by its pointer: allocations of SVM (icd/svm.c) and USM (icd/usm.c). It is
 * ordinary memory of the process, unless a device with memory of its own has to reach it: then that device's driver makes it. */
#include <string.h>

#include "icd/mem.h"

/* Index of the first allocation that begins behind the pointer. Under the context's lock. */
static size_t upper_bound(const struct _cl_context *context, const void *pointer)
{
    size_t low = 0, high = context->allocation_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)context->allocations[middle].base <= (uintptr_t)pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool add(struct _cl_context *context, const struct tsr__allocation *allocation)
{
    bool added = true;
    pthread_mutex_lock(&context->lock);
    if (context->allocation_count == context->allocation_room) {
        size_t room = context->allocation_room ? 2 * context->allocation_room : 16;
        struct tsr__allocation *larger = tsr_realloc(context->allocations, room * sizeof *larger);
        added = larger;
        if (larger) {
            context->allocations = larger;
            context->allocation_room = room;
        }
    }
    if (added) {
        size_t at = upper_bound(context, allocation->base);
        struct tsr__allocation *place = context->allocations + at;
        memmove(place + 1, place, (context->allocation_count - at) * sizeof *place);
        *place = *allocation;
        context->allocation_count++;
    }
    pthread_mutex_unlock(&context->lock);
    return added;
}

static enum tsr_usm usm_of(const struct _cl_device_id *maker, const struct tsr__allocation *wanted)
{
    switch (wanted->kind) {
    case TSR__USM_HOST:
        return TSR_USM_HOST;
    case TSR__USM_DEVICE:
        return TSR_USM_DEVICE;
    case TSR__USM_SHARED:
        return TSR_USM_SHARED;
    default: /* SVM: host and kernels use fine allocations at the same time */
        return wanted->fine && maker->caps->usm[TSR_USM_HOST] & TSR_USM_CONCURRENT ? TSR_USM_HOST : TSR_USM_SHARED;
    }
}

static void *make_by_device(struct tsr__allocation *wanted, bool any_device)
{
    const struct _cl_device_id *maker = wanted->maker;
    wanted->made_as = usm_of(maker, wanted);
    struct tsr_usm_request request = {
        .kind = wanted->made_as,
        .size = wanted->size,
        .any_device = any_device,
        .write_combined = wanted->flags & CL_MEM_ALLOC_WRITE_COMBINED_INTEL,
        .begins_on_device = wanted->flags & CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL,
        .begins_on_host = wanted->flags & CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL,
    };
    void *memory;
    return maker->ops->usm_allocate(maker->impl, &request, &memory) == TSR_OK ? memory : NULL;
}

static void release(const struct tsr__allocation *allocation)
{
    const struct _cl_device_id *maker = allocation->maker;
    tsr_free(allocation->properties);
    if (maker)
        maker->ops->memory_free(maker->impl, (uint64_t)(uintptr_t)allocation->base);
    else
        tsr__mem_free(allocation->base);
}

void *tsr__allocate(struct _cl_context *context, struct tsr__allocation wanted)
{
    /* Memory that belongs to a device of the host's memory is for that one; all else must be reached by every device of the context. */
    const struct _cl_device_id *device = wanted.device;
    bool own = device && device->caps->own_memory;
    wanted.maker = own ? device : wanted.kind == TSR__USM_DEVICE ? NULL : context->usm_device;
    wanted.base = wanted.maker ? make_by_device(&wanted, !own) : tsr__mem_allocate(wanted.size);
    if (wanted.base && !add(context, &wanted)) {
        wanted.properties = NULL; /* the caller's still */
        release(&wanted);
        return NULL;
    }
    return wanted.base;
}

const struct _cl_device_id *tsr__memory_owner(struct _cl_context *context, const void *pointer)
{
    struct tsr__allocation found;
    return context->usm_device && tsr__allocation_find(context, pointer, TSR__USM_DEVICE, &found) ? found.maker : NULL;
}

unsigned tsr__memory_kinds(struct _cl_context *context, const void *const *pointers, size_t count)
{
    unsigned kinds = 0;
    struct tsr__allocation found;
    for (size_t i = 0; i < count && context->usm_device; i++)
        if (tsr__allocation_find(context, pointers[i], TSR__SVM | TSR__USM, &found) && found.maker)
            kinds |= 1u << found.made_as;
    return kinds;
}

bool tsr__allocation_find(struct _cl_context *context, const void *pointer, unsigned kinds, struct tsr__allocation *found)
{
    pthread_mutex_lock(&context->lock);
    size_t behind = upper_bound(context, pointer);
    *found = behind ? context->allocations[behind - 1] : (struct tsr__allocation){0};
    pthread_mutex_unlock(&context->lock);
    return found->kind & kinds && (uintptr_t)pointer - (uintptr_t)found->base < found->size;
}

bool tsr__allocation_free(struct _cl_context *context, void *base, unsigned kinds)
{
    pthread_mutex_lock(&context->lock);
    size_t behind = upper_bound(context, base);
    struct tsr__allocation *last = behind ? context->allocations + behind - 1 : NULL;
    bool found = last && last->base == base && last->kind & kinds;
    struct tsr__allocation freed = {0};
    if (found) {
        freed = *last;
        memmove(last, last + 1, (context->allocation_count - behind) * sizeof *last);
        context->allocation_count--;
    }
    pthread_mutex_unlock(&context->lock);
    if (found)
        release(&freed);
    return found;
}

void tsr__allocations_free_all(struct _cl_context *context)
{
    for (size_t i = 0; i < context->allocation_count; i++)
        release(&context->allocations[i]);
    tsr_free(context->allocations);
}
