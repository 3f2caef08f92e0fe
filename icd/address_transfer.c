/* SPDX-License-Identifier: Apache-2.0
 * Commands over addresses of SVM and USM, in contexts with a device that has memory of its own. The host reaches all memory but that of
 * such a device; what leads there is moved by that device, whatever queue the command is on. */
#include <string.h>

#include "icd/mem.h"

/* The device whose functions move the memory: the owner of the destination, or of the source, or else the queue's device if it has memory
 * of its own. NULL: the host moves it. */
static const struct _cl_device_id *mover_of(const struct _cl_command_queue *queue, const struct _cl_device_id *to_owner,
                                            const struct _cl_device_id *from_owner)
{
    if (to_owner || from_owner)
        return to_owner ? to_owner : from_owner;
    return queue->device->caps->own_memory ? queue->device : NULL;
}

/* Whether a device's driver made the memory; others need not know it. */
static bool is_made(struct _cl_context *context, const void *pointer)
{
    struct tsr__allocation found;
    return tsr__allocation_find(context, pointer, TSR__SVM | TSR__USM, &found) && found.maker;
}

/* ---- copies ---- */

struct address_copy {
    const struct _cl_device_id *mover, *other; /* the context holds both; other: has the source, in its own memory, and is not the mover */
    unsigned char *to;
    const unsigned char *from;
    size_t size;
};

/* Between the memories of two devices: neither need reach the other's. */
static enum tsr_status copy_by_host(const struct address_copy *c)
{
    enum { STAGE = 1 << 20 };
    size_t room = c->size < STAGE ? c->size : STAGE;
    unsigned char *stage = tsr_malloc(room);
    enum tsr_status status = stage ? TSR_OK : TSR_NO_MEMORY;
    for (size_t at = 0; at < c->size && status == TSR_OK; at += room) {
        size_t bytes = c->size - at < room ? c->size - at : room;
        status = c->other->ops->memory_read(c->other->impl, stage, (uint64_t)(uintptr_t)(c->from + at), bytes);
        if (status == TSR_OK)
            status = c->mover->ops->memory_write(c->mover->impl, (uint64_t)(uintptr_t)(c->to + at), stage, bytes);
    }
    tsr_free(stage);
    return status;
}

static cl_int copy(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    const struct address_copy *c = (const struct address_copy *)(void *)command->payload;
    if (c->other)
        return tsr__code_of_transfer(copy_by_host(c));
    return tsr__code_of_transfer(
        c->mover->ops->memory_copy(c->mover->impl, (uint64_t)(uintptr_t)c->to, (uint64_t)(uintptr_t)c->from, c->size));
}

struct _cl_event *tsr__address_copy_command(struct _cl_command_queue *queue, cl_command_type type, void *to, const void *from, size_t size)
{
    struct _cl_context *context = queue->context;
    const struct _cl_device_id *to_owner = tsr__memory_owner(context, to), *from_owner = tsr__memory_owner(context, from);
    const struct _cl_device_id *mover = mover_of(queue, to_owner, from_owner);
    if (!mover || (!is_made(context, to) && !is_made(context, from)))
        return tsr__copy_command(queue, type, NULL, to, NULL, from, size);
    struct _cl_event *command = tsr__command_new(queue, type, sizeof(struct address_copy));
    if (!command)
        return NULL;
    struct address_copy *c = (struct address_copy *)(void *)command->payload;
    *c = (struct address_copy){.mover = mover, .to = to, .from = from, .size = size};
    if (from_owner && from_owner != mover)
        c->other = from_owner;
    command->execute = copy;
    command->task.units = size != 0;
    return command;
}

/* ---- fills ---- */

struct address_fill {
    const struct _cl_device_id *mover; /* NULL: the host */
    unsigned char *to;
    size_t size, pattern_size;
    unsigned char pattern[TSR__MOST_PATTERN];
};

static cl_int fill(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    const struct address_fill *f = (const struct address_fill *)(void *)command->payload;
    if (f->mover)
        return tsr__code_of_transfer(
            f->mover->ops->memory_fill(f->mover->impl, (uint64_t)(uintptr_t)f->to, f->size, f->pattern, f->pattern_size));
    for (size_t at = 0; at < f->size; at += f->pattern_size)
        memcpy(f->to + at, f->pattern, f->pattern_size);
    return CL_SUCCESS;
}

struct _cl_event *tsr__address_fill_command(struct _cl_command_queue *queue, cl_command_type type, void *to, size_t size,
                                            const void *pattern, size_t pattern_size)
{
    const struct _cl_device_id *mover = mover_of(queue, tsr__memory_owner(queue->context, to), NULL);
    if (!mover)
        return tsr__fill_command(queue, type, NULL, to, size, pattern, pattern_size);
    struct _cl_event *command = tsr__command_new(queue, type, sizeof(struct address_fill));
    if (!command)
        return NULL;
    struct address_fill *f = (struct address_fill *)(void *)command->payload;
    *f = (struct address_fill){.mover = is_made(queue->context, to) ? mover : NULL, .to = to, .size = size, .pattern_size = pattern_size};
    memcpy(f->pattern, pattern, pattern_size);
    command->execute = fill;
    command->task.units = size != 0;
    return command;
}

/* ---- hints ---- */

struct prefetch {
    cl_uint count;
    struct {
        const void *pointer;
        size_t size;
    } list[];
};

static cl_int prefetch(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    (void)worker, (void)begin, (void)end;
    const struct prefetch *p = (const struct prefetch *)(void *)command->payload;
    const struct _cl_device_id *device = command->queue->device;
    enum tsr_status status = TSR_OK;
    for (cl_uint i = 0; i < p->count && status == TSR_OK; i++)
        if (is_made(command->context, p->list[i].pointer)) /* it may have been freed: a hint does not use it */
            status = device->ops->usm_prefetch(device->impl, p->list[i].pointer, p->list[i].size);
    return tsr__code_of_transfer(status);
}

struct _cl_event *tsr__prefetch_command(struct _cl_command_queue *queue, cl_command_type type, cl_mem_migration_flags flags, cl_uint count,
                                        const void **pointers, const size_t *sizes)
{
    if (!queue->device->ops->usm_prefetch || flags & CL_MIGRATE_MEM_OBJECT_HOST)
        return tsr__empty_command(queue, type, NULL);
    struct prefetch *p;
    struct _cl_event *command = tsr__command_new(queue, type, sizeof *p + count * sizeof p->list[0]);
    if (!command)
        return NULL;
    p = (struct prefetch *)(void *)command->payload;
    for (cl_uint i = 0; i < count; i++) {
        struct tsr__allocation found;
        if (!tsr__allocation_find(queue->context, pointers[i], TSR__SVM | TSR__USM, &found) || !found.maker ||
            found.made_as != TSR_USM_SHARED)
            continue;
        size_t left = tsr__allocation_left(&found, pointers[i]), size = sizes ? sizes[i] : 0;
        p->list[p->count].pointer = pointers[i];
        p->list[p->count++].size = size && size < left ? size : left;
    }
    command->execute = prefetch;
    command->task.units = p->count != 0;
    return command;
}
