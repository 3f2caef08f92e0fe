/* SPDX-License-Identifier: Apache-2.0
 * The checks that many entry points share. */
#include "icd/mem.h"

cl_int tsr__check_wait_list(struct _cl_context *context, cl_uint count, const cl_event *list)
{
    /* "CL_INVALID_EVENT_WAIT_LIST if event_wait_list is NULL and num_events_in_wait_list > 0, or event_wait_list is not NULL and
     * num_events_in_wait_list is 0, or if event objects in event_wait_list are not valid events." */
    RETURN_IF(context, !list && count, CL_INVALID_EVENT_WAIT_LIST, "%u events are announced, but the list is NULL", count);
    RETURN_IF(context, list && !count, CL_INVALID_EVENT_WAIT_LIST, "a list without events must be NULL");
    for (cl_uint i = 0; i < count; i++)
        RETURN_IF(context, !tsr__valid(list[i], TSR_TAG_EVENT), CL_INVALID_EVENT_WAIT_LIST, "entry %u of the wait list is no event", i);
    /* "CL_INVALID_CONTEXT if the context associated with command_queue and events in event_wait_list are not the same." */
    for (cl_uint i = 0; i < count; i++)
        RETURN_IF(context, list[i]->context != context, CL_INVALID_CONTEXT, "event %u of the wait list is of another context", i);
    return CL_SUCCESS;
}

cl_int tsr__check_queue(const char *function, cl_command_queue queue)
{
    if (!tsr__valid(queue, TSR_TAG_QUEUE))
        return tsr__error(NULL, CL_INVALID_COMMAND_QUEUE, function, "command_queue", "not a queue: %p", (void *)queue);
    return CL_SUCCESS;
}

cl_int tsr__check_buffer(const char *function, cl_command_queue queue, cl_mem buffer)
{
    if (!tsr__valid(buffer, TSR_TAG_MEM) || buffer->type != CL_MEM_OBJECT_BUFFER)
        return tsr__error(queue->context, CL_INVALID_MEM_OBJECT, function, "buffer", "not a buffer: %p", (void *)buffer);
    if (buffer->context != queue->context)
        return tsr__error(queue->context, CL_INVALID_CONTEXT, function, "buffer", "queue and buffer belong to different contexts");
    return CL_SUCCESS;
}

cl_int tsr__check_range(const char *function, cl_mem buffer, size_t offset, size_t size)
{
    if (offset > buffer->size || size > buffer->size - offset)
        return tsr__error(buffer->context, CL_INVALID_VALUE, function, "offset, size", "%zu bytes from %zu on go past the buffer's %zu",
                          size, offset, buffer->size);
    return CL_SUCCESS;
}

cl_int tsr__check_host_access(const char *function, cl_mem mem, bool reads, bool writes)
{
    if (reads && mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))
        return tsr__error(mem->context, CL_INVALID_OPERATION, function, "mem",
                          "the host may not read this memory object, by the flags that it was created with");
    if (writes && mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS))
        return tsr__error(mem->context, CL_INVALID_OPERATION, function, "mem",
                          "the host may not write this memory object, by the flags that it was created with");
    return writes ? tsr__check_mutable(function, mem) : CL_SUCCESS;
}

cl_int tsr__check_mutable(const char *function, cl_mem mem)
{
    if (mem->flags & CL_MEM_IMMUTABLE_EXT)
        return tsr__error(mem->context, CL_INVALID_OPERATION, function, "mem", "the memory object is CL_MEM_IMMUTABLE_EXT");
    return CL_SUCCESS;
}

cl_int tsr__check_pattern(const char *function, struct _cl_context *context, const void *pattern, size_t pattern_size, uintptr_t start,
                          size_t size)
{
    if (!pattern)
        return tsr__error(context, CL_INVALID_VALUE, function, "pattern", "pattern is NULL");
    if (pattern_size == 0 || pattern_size > TSR__MOST_PATTERN || pattern_size & (pattern_size - 1))
        return tsr__error(context, CL_INVALID_VALUE, function, "pattern_size",
                          "a pattern of %zu bytes; powers of two up to %d are possible", pattern_size, TSR__MOST_PATTERN);
    if (start % pattern_size || size % pattern_size)
        return tsr__error(context, CL_INVALID_VALUE, function, "offset, size",
                          "start %zu and size %zu must be multiples of the pattern's %zu", (size_t)start, size, pattern_size);
    return CL_SUCCESS;
}

bool tsr__map_flags_valid(cl_map_flags flags)
{
    cl_map_flags all = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    return !(flags & ~all) && !(flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE));
}

cl_int tsr__check_map_flags(const char *function, cl_mem mem, cl_map_flags flags)
{
    if (!tsr__map_flags_valid(flags))
        return tsr__error(mem->context, CL_INVALID_VALUE, function, "map_flags",
                          "map_flags 0x%llx: unknown, or some that exclude each other", (unsigned long long)flags);
    return tsr__check_host_access(function, mem, flags & CL_MAP_READ, flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
}
