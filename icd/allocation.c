/* SPDX-License-Identifier: Apache-2.0
 * The context's list of memory that the application knows by its pointer: allocations of SVM (icd/svm.c) and USM (icd/usm.c). It is
 * ordinary memory of the process, unless a device with memory of its own has to reach it: then that device's driver makes it. */
#include <string.h>

#include "icd/mem.h"

/* The list is cut into blocks, so that programs with a million allocations do not move a million entries for each. */
enum { BLOCK_ENTRIES = 128 };
struct tsr__allocation_block {
    size_t count; /* at least 1 */
    struct tsr__allocation list[BLOCK_ENTRIES];
};

/* The functions of the list run under the context's lock. */

/* How many blocks begin at the pointer or before it. */
static size_t blocks_up_to(const struct _cl_context *context, const void *pointer)
{
    size_t low = 0, high = context->allocation_block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)context->allocations[middle]->list[0].base <= (uintptr_t)pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many allocations of the block begin at the pointer or before it. */
static size_t entries_up_to(const struct tsr__allocation_block *block, const void *pointer)
{
    size_t low = 0, high = block->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)block->list[middle].base <= (uintptr_t)pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A new empty block at this place among the blocks; the caller puts an entry in. NULL: out of memory. */
static struct tsr__allocation_block *add_block(struct _cl_context *context, size_t at)
{
    if (context->allocation_block_count == context->allocation_block_room) {
        size_t room = context->allocation_block_room ? 2 * context->allocation_block_room : 16;
        struct tsr__allocation_block **larger = tsr_realloc(context->allocations, room * sizeof(*larger));
        if (!larger)
            return NULL;
        context->allocations = larger;
        context->allocation_block_room = room;
    }
    struct tsr__allocation_block *block = tsr_malloc(sizeof *block);
    if (!block)
        return NULL;
    block->count = 0;
    struct tsr__allocation_block **place = context->allocations + at;
    memmove(place + 1, place, (context->allocation_block_count - at) * sizeof(*place));
    *place = block;
    context->allocation_block_count++;
    return block;
}

/* The block in which an allocation that begins at the pointer has its place, with room for it. NULL: out of memory. */
static struct tsr__allocation_block *block_with_room(struct _cl_context *context, const void *pointer)
{
    size_t before = blocks_up_to(context, pointer), at = before ? before - 1 : 0;
    if (!context->allocation_block_count)
        return add_block(context, 0);
    struct tsr__allocation_block *block = context->allocations[at];
    if (block->count < BLOCK_ENTRIES)
        return block;
    /* Memory is mostly allocated in the order of addresses: blocks behind which nothing comes stay full. */
    bool last = at + 1 == context->allocation_block_count && entries_up_to(block, pointer) == BLOCK_ENTRIES;
    struct tsr__allocation_block *next = add_block(context, at + 1);
    if (!next || last)
        return next;
    size_t kept = BLOCK_ENTRIES / 2;
    next->count = BLOCK_ENTRIES - kept;
    memcpy(next->list, block->list + kept, next->count * sizeof *next->list);
    block->count = kept;
    return (uintptr_t)next->list[0].base <= (uintptr_t)pointer ? next : block;
}

static bool add(struct _cl_context *context, const struct tsr__allocation *allocation)
{
    pthread_mutex_lock(&context->lock);
    struct tsr__allocation_block *block = block_with_room(context, allocation->base);
    if (block) {
        size_t at = entries_up_to(block, allocation->base);
        struct tsr__allocation *place = block->list + at;
        memmove(place + 1, place, (block->count - at) * sizeof *place);
        *place = *allocation;
        block->count++;
    }
    pthread_mutex_unlock(&context->lock);
    return block;
}

/* Takes an entry out of the list. */
static void take_out(struct _cl_context *context, size_t block_at, struct tsr__allocation *entry)
{
    struct tsr__allocation_block **place = context->allocations + block_at, *block = *place;
    memmove(entry, entry + 1, (size_t)(block->list + block->count - (entry + 1)) * sizeof *entry);
    if (--block->count)
        return;
    tsr_free(block);
    context->allocation_block_count--;
    memmove(place, place + 1, (context->allocation_block_count - block_at) * sizeof(*place));
}

/* The last allocation that begins at the pointer or before it, and the index of its block. NULL: there is none. */
static struct tsr__allocation *last_up_to(const struct _cl_context *context, const void *pointer, size_t *block_at)
{
    size_t blocks = blocks_up_to(context, pointer);
    if (!blocks)
        return NULL;
    *block_at = blocks - 1;
    struct tsr__allocation_block *block = context->allocations[*block_at];
    return &block->list[entries_up_to(block, pointer) - 1];
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
    size_t block_at;
    const struct tsr__allocation *last = last_up_to(context, pointer, &block_at);
    *found = last ? *last : (struct tsr__allocation){0};
    pthread_mutex_unlock(&context->lock);
    return found->kind & kinds && (uintptr_t)pointer - (uintptr_t)found->base < found->size;
}

bool tsr__allocation_free(struct _cl_context *context, void *base, unsigned kinds)
{
    pthread_mutex_lock(&context->lock);
    size_t block_at;
    struct tsr__allocation *last = last_up_to(context, base, &block_at);
    bool found = last && last->base == base && last->kind & kinds;
    struct tsr__allocation freed = {0};
    if (found) {
        freed = *last;
        take_out(context, block_at, last);
    }
    pthread_mutex_unlock(&context->lock);
    if (found)
        release(&freed);
    return found;
}

void tsr__allocations_free_all(struct _cl_context *context)
{
    for (size_t b = 0; b < context->allocation_block_count; b++) {
        struct tsr__allocation_block *block = context->allocations[b];
        for (size_t i = 0; i < block->count; i++)
            release(&block->list[i]);
        tsr_free(block);
    }
    tsr_free(context->allocations);
}
