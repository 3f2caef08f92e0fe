/* SPDX-License-Identifier: Apache-2.0
 * The context's list of memory that the application knows by its pointer: allocations of SVM (icd/svm.c) and USM (icd/usm.c). All of it
 * is ordinary memory of the process. */
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

void *tsr__allocate(struct _cl_context *context, struct tsr__allocation wanted)
{
    wanted.base = tsr__mem_allocate(wanted.size);
    if (wanted.base && !add(context, &wanted)) {
        tsr__mem_free(wanted.base);
        return NULL;
    }
    return wanted.base;
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
    if (found) {
        memmove(last, last + 1, (context->allocation_count - behind) * sizeof *last);
        context->allocation_count--;
    }
    pthread_mutex_unlock(&context->lock);
    if (found)
        tsr__mem_free(base);
    return found;
}

void tsr__allocations_free_all(struct _cl_context *context)
{
    for (size_t i = 0; i < context->allocation_count; i++)
        tsr__mem_free(context->allocations[i].base);
    tsr_free(context->allocations);
}
