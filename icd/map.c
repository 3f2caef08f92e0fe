/* SPDX-License-Identifier: Apache-2.0
 * Mapping buffers and images. The pointer is the object's own memory; the list of mappings says which regions the application has. */
#include "icd/mem.h"

/* ---- the list, under the root buffer's lock ---- */

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
static bool overlaps_written(const struct _cl_mem *root, const struct tsr__rect *rect)
{
    for (const struct tsr__mapping *m = root->mappings; m; m = m->next)
        if (m->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) && tsr__rects_overlap(&m->rect, rect))
            return true;
    return false;
}

/* ---- map ---- */

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
    tsr_table_lock(&tsr__mem_locks, root);
    mapping->enqueued = false;
    if (!mapping->unmapped && command->result < 0)
        list_remove(list_find(root, mapping));
    bool gone = mapping->unmapped;
    tsr_table_unlock(&tsr__mem_locks, root);
    if (gone)
        tsr_free(mapping);
    tsr__drop(payload->mem);
}

static struct _cl_event *map_command(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *mem,
                                     struct tsr__mapping *mapping)
{
    struct _cl_event *command = tsr__command_new(queue, type, sizeof(struct map_payload));
    if (!command)
        return NULL;
    tsr__hold(mem);
    *(struct map_payload *)command->payload = (struct map_payload){.mem = mem, .mapping = mapping};
    command->cleanup = map_cleanup;
    command->task.units = 0;
    /* The application may write until it unmaps the region, and no device may use it meanwhile. Between the rows of a box nothing changes.
     */
    size_t size = mapping->rect.end - mapping->rect.offset;
    bool gaps = size != mapping->rect.region[0] * mapping->rect.region[1] * mapping->rect.region[2];
    unsigned access = mapping->flags & CL_MAP_WRITE_INVALIDATE_REGION && !gaps           ? TSR__WRITES
                      : mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) ? TSR__READS | TSR__WRITES
                                                                                         : TSR__READS;
    if (tsr__command_uses(command, mem, (size_t)(mapping->pointer - mem->data), size, access | TSR__ON_HOST))
        return command;
    command->cleanup = NULL; /* the caller still owns the mapping */
    tsr__command_abandon(command);
    tsr__drop(mem);
    return NULL;
}

cl_int tsr__map(const char *function, cl_command_queue queue, cl_command_type type, cl_mem mem, unsigned char *pointer,
                const struct tsr__rect *rect, cl_bool blocking, cl_map_flags flags, cl_uint wait_count, const cl_event *wait_list,
                cl_event *event)
{
    struct tsr__mapping *mapping = tsr_calloc(1, sizeof *mapping);
    if (!mapping)
        return tsr__error(queue->context, CL_OUT_OF_HOST_MEMORY, function, "mapping", "no memory for a mapping");
    *mapping = (struct tsr__mapping){.owner = mem, .pointer = pointer, .rect = *rect, .flags = flags, .enqueued = true};
    struct _cl_mem *root = tsr__mem_root(mem);
    bool writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    tsr_table_lock(&tsr__mem_locks, root);
    bool clash = writes && overlaps_written(root, rect);
    if (!clash)
        list_add(mapping);
    tsr_table_unlock(&tsr__mem_locks, root);
    if (clash) {
        tsr_free(mapping);
        return tsr__error(queue->context, CL_INVALID_OPERATION, function, "map_flags",
                          "a part of the region is mapped for writing already; unmap it first, or map without CL_MAP_WRITE");
    }
    struct _cl_event *command = map_command(queue, type, mem, mapping);
    if (!command) {
        tsr_table_lock(&tsr__mem_locks, root);
        list_remove(list_find(root, mapping));
        tsr_table_unlock(&tsr__mem_locks, root);
        tsr_free(mapping);
    }
    return tsr__submit_or_report(function, queue, command, wait_count, wait_list, event, blocking);
}

/* clEnqueueMapBuffer: OpenCL 3.0, 5.2.4. The region counts as mapped from the call on. */
TSR_API void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                                             size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event,
                                             cl_int *errcode_ret)
{
    unsigned char *pointer = NULL;
    cl_int err;
    if ((err = tsr__check_queue(__func__, queue)) || (err = tsr__check_buffer(__func__, queue, buffer)) ||
        (err = tsr__check_range(__func__, buffer, offset, size)))
        goto fail;
    FAIL_IF(queue->context, size == 0, CL_INVALID_VALUE, "a region of 0 bytes");
    if ((err = tsr__check_wait_list(queue->context, wait_count, wait_list)) || (err = tsr__check_map_flags(__func__, buffer, flags)))
        goto fail;
    pointer = buffer->data + offset;
    size_t begin = (size_t)(pointer - tsr__mem_root(buffer)->data);
    struct tsr__rect rect = {.offset = begin, .row_pitch = size, .slice_pitch = size, .end = begin + size, .region = {size, 1, 1}};
    err = tsr__map(__func__, queue, CL_COMMAND_MAP_BUFFER, buffer, pointer, &rect, blocking, flags, wait_count, wait_list, event);
fail:
    if (errcode_ret)
        *errcode_ret = err;
    return err == CL_SUCCESS ? pointer : NULL;
}

/* ---- unmap ---- */

/* clEnqueueUnmapMemObject: OpenCL 3.0, 5.5.2. Of several mappings with this pointer the last one is unmapped. */
TSR_API cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *pointer, cl_uint wait_count,
                                                   const cl_event *wait_list, cl_event *event)
{
    cl_int err;
    if ((err = tsr__check_queue(__func__, queue)))
        return err;
    RETURN_IF(queue->context, !tsr__valid(mem, TSR_TAG_MEM), CL_INVALID_MEM_OBJECT, "not a memory object: %p", (void *)mem);
    RETURN_IF(queue->context, mem->context != queue->context, CL_INVALID_CONTEXT, "queue and memory object belong to different contexts");
    if ((err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    struct _cl_event *command = tsr__empty_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, mem);
    struct _cl_mem *root = tsr__mem_root(mem);
    struct tsr__mapping *mapping = NULL, *own = NULL;
    tsr_table_lock(&tsr__mem_locks, root);
    for (struct tsr__mapping **link = &root->mappings; *link; link = &(*link)->next)
        if ((*link)->owner == mem && (*link)->pointer == pointer) {
            mapping = *link;
            if (command)
                list_remove(link);
            own = command && !mapping->enqueued ? mapping : NULL;
            break;
        }
    tsr_table_unlock(&tsr__mem_locks, root);
    tsr_free(own);
    if (!mapping) {
        if (command)
            tsr__command_abandon(command);
        return tsr__error(queue->context, CL_INVALID_VALUE, __func__, "mapped_ptr", "%p is not mapped from this object", pointer);
    }
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}
