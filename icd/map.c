/* SPDX-License-Identifier: Apache-2.0
 * Mapping buffers. The pointer is the buffer's own memory; the list of mappings says which regions the application has. */
#include "icd/mem.h"

/* ---- the list, under the root buffer's lock ------------------------------------------------------------------------------------------ */

static void list_add(struct tsr__mapping *mapping)
{
    struct _cl_mem *root = tsr__mem_root(mapping->owner);
    mapping->next = root->mappings;
    root->mappings = mapping;
    mapping->owner->map_count++;
    mapping->unmapped = false;
}

/* Takes the mapping out of the list. While its command has not ended, the command owns it. */
static void list_remove(struct tsr__mapping **link)
{
    struct tsr__mapping *mapping = *link;
    *link = mapping->next;
    mapping->owner->map_count--;
    mapping->unmapped = true;
}

static struct tsr__mapping **list_find(struct _cl_mem *root, const struct tsr__mapping *mapping)
{
    struct tsr__mapping **link = &root->mappings;
    while (*link != mapping)
        link = &(*link)->next;
    return link;
}

/* True if a region that is mapped for writing overlaps this one. */
static bool overlaps_written(const struct _cl_mem *root, const unsigned char *pointer, size_t size)
{
    for (const struct tsr__mapping *m = root->mappings; m; m = m->next)
        if (m->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) && pointer < m->pointer + m->size && m->pointer < pointer + size)
            return true;
    return false;
}

/* ---- map ----------------------------------------------------------------------------------------------------------------------------- */

struct map_payload {
    struct _cl_mem *mem; /* held */
    struct tsr__mapping *mapping;
};

/* A mapping whose command failed leaves the list: it needs no unmapping. */
static void map_cleanup(struct _cl_event *command)
{
    struct map_payload *payload = (struct map_payload *)command->payload;
    struct tsr__mapping *mapping = payload->mapping;
    struct _cl_mem *root = tsr__mem_root(payload->mem);
    pthread_mutex_lock(&root->lock);
    mapping->enqueued = false;
    if (!mapping->unmapped && command->result < 0)
        list_remove(list_find(root, mapping));
    bool gone = mapping->unmapped;
    pthread_mutex_unlock(&root->lock);
    if (gone)
        tsr_free(mapping);
    tsr__drop(payload->mem);
}

static struct _cl_event *map_command(struct _cl_command_queue *queue, struct _cl_mem *mem, struct tsr__mapping *mapping)
{
    struct _cl_event *command = tsr__command_new(queue, CL_COMMAND_MAP_BUFFER, sizeof(struct map_payload));
    if (!command)
        return NULL;
    tsr__hold(mem);
    *(struct map_payload *)command->payload = (struct map_payload){.mem = mem, .mapping = mapping};
    command->cleanup = map_cleanup;
    command->task.units = 0;
    /* The application may write until it unmaps the region, and no device may use it meanwhile. */
    unsigned access = mapping->flags & CL_MAP_WRITE_INVALIDATE_REGION ? TSR__WRITES
                      : mapping->flags & CL_MAP_WRITE                 ? TSR__READS | TSR__WRITES
                                                                      : TSR__READS;
    if (tsr__command_uses(command, mem, (size_t)(mapping->pointer - mem->data), mapping->size, access | TSR__ON_HOST))
        return command;
    command->cleanup = NULL; /* the caller still owns the mapping */
    tsr__command_abandon(command);
    tsr__drop(mem);
    return NULL;
}

/* clEnqueueMapBuffer: OpenCL 3.0, 5.2.4. The region counts as mapped from the call on. */
TSR_API void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                                             size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event,
                                             cl_int *errcode_ret)
{
    struct tsr__mapping *mapping = NULL;
    unsigned char *pointer = NULL;
    cl_int err;
    if ((err = tsr__check_queue(__func__, queue)) || (err = tsr__check_buffer(__func__, queue, buffer)) ||
        (err = tsr__check_range(__func__, buffer, offset, size)))
        goto fail;
    struct _cl_context *context = queue->context;
    FAIL_IF(context, size == 0, CL_INVALID_VALUE, "a region of 0 bytes");
    FAIL_IF(context, !tsr__map_flags_valid(flags), CL_INVALID_VALUE, "map_flags 0x%llx: unknown, or some that exclude each other",
            (unsigned long long)flags);
    bool writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    if ((err = tsr__check_wait_list(context, wait_count, wait_list)) ||
        (err = tsr__check_host_access(__func__, buffer, flags & CL_MAP_READ, writes)))
        goto fail;

    pointer = buffer->data + offset;
    mapping = tsr_calloc(1, sizeof *mapping);
    FAIL_IF(context, !mapping, CL_OUT_OF_HOST_MEMORY, "no memory for a mapping");
    *mapping = (struct tsr__mapping){.owner = buffer, .pointer = pointer, .size = size, .flags = flags, .enqueued = true};
    struct _cl_mem *root = tsr__mem_root(buffer);
    pthread_mutex_lock(&root->lock);
    bool clash = writes && overlaps_written(root, pointer, size);
    if (!clash)
        list_add(mapping);
    pthread_mutex_unlock(&root->lock);
    if (clash)
        tsr_free(mapping);
    FAIL_IF(context, clash, CL_INVALID_OPERATION,
            "a part of the region is mapped for writing already; unmap it first, or map without CL_MAP_WRITE");
    struct _cl_event *command = map_command(queue, buffer, mapping);
    if (!command) {
        pthread_mutex_lock(&root->lock);
        list_remove(list_find(root, mapping));
        pthread_mutex_unlock(&root->lock);
        tsr_free(mapping);
    }
    err = tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, blocking);
fail:
    if (errcode_ret)
        *errcode_ret = err;
    return err == CL_SUCCESS ? pointer : NULL;
}

/* ---- unmap --------------------------------------------------------------------------------------------------------------------------- */

/* clEnqueueUnmapMemObject: OpenCL 3.0, 5.5.2. Of several mappings with this pointer the last one is unmapped. */
TSR_API cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *pointer, cl_uint wait_count,
                                                   const cl_event *wait_list, cl_event *event)
{
    cl_int err;
    if ((err = tsr__check_queue(__func__, queue)) || (err = tsr__check_buffer(__func__, queue, mem)) ||
        (err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    struct _cl_event *command = tsr__empty_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, mem);
    struct _cl_mem *root = tsr__mem_root(mem);
    struct tsr__mapping *mapping = NULL, *own = NULL;
    pthread_mutex_lock(&root->lock);
    for (struct tsr__mapping **link = &root->mappings; *link; link = &(*link)->next)
        if ((*link)->owner == mem && (*link)->pointer == pointer) {
            mapping = *link;
            if (command)
                list_remove(link);
            own = command && !mapping->enqueued ? mapping : NULL;
            break;
        }
    pthread_mutex_unlock(&root->lock);
    tsr_free(own);
    if (!mapping) {
        if (command)
            tsr__command_abandon(command);
        return tsr__error(queue->context, CL_INVALID_VALUE, __func__, "mapped_ptr", "%p is not mapped from this object", pointer);
    }
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}
