/* SPDX-License-Identifier: Apache-2.0
 * Commands that copy and fill memory. */
#include <string.h>

#include "device-xmx/standin/standin.h"

/* ---- copies ---- */

struct copy {
    struct tsr__command base;
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
};

static bool run_copy(struct tsr__command *command, struct tsr__device *device)
{
    struct copy *copy = (struct copy *)command;
    (void)device;
    memmove(copy->to, copy->from, copy->bytes);
    return true;
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryCopy(ze_command_list_handle_t hCommandList, void *dstptr, const void *srcptr, size_t size,
                                                     ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                     ze_event_handle_t *phWaitEvents)
{
    FIND(LIST, tsr__list, list, hCommandList);
    NEED_POINTER(dstptr);
    NEED_POINTER(srcptr);
    struct tsr__use uses[] = {{dstptr, size, false}, {srcptr, size, false}};
    ze_result_t result;
    struct copy *copy =
        tsr__standin_command_new(sizeof *copy, __func__, list->context, hSignalEvent, numWaitEvents, phWaitEvents, 2, uses, &result);
    if (!copy)
        return result;
    copy->base.run = run_copy;
    copy->to = dstptr;
    copy->from = srcptr;
    copy->bytes = size;
    return tsr__standin_append(list, &copy->base);
}

/* ---- boxes ---- */

struct copy_box {
    struct tsr__command base;
    unsigned char *to;
    const unsigned char *from;
    size_t row, rows, slices; /* bytes; of a slice; of the box */
    size_t to_pitch, to_slice_pitch, from_pitch, from_slice_pitch;
};

static bool run_copy_box(struct tsr__command *command, struct tsr__device *device)
{
    struct copy_box *copy = (struct copy_box *)command;
    (void)device;
    for (size_t z = 0; z < copy->slices; z++)
        for (size_t y = 0; y < copy->rows; y++)
            memmove(copy->to + z * copy->to_slice_pitch + y * copy->to_pitch,
                    copy->from + z * copy->from_slice_pitch + y * copy->from_pitch, copy->row);
    return true;
}

/* Bytes from a box's first to behind its last. */
static size_t extent(const ze_copy_region_t *box, size_t pitch, size_t slice_pitch)
{
    return (box->depth - 1) * slice_pitch + (box->height - 1) * pitch + box->width;
}

static size_t offset(const ze_copy_region_t *box, size_t pitch, size_t slice_pitch)
{
    return box->originZ * slice_pitch + box->originY * pitch + box->originX;
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryCopyRegion(ze_command_list_handle_t hCommandList, void *dstptr,
                                                           const ze_copy_region_t *dstRegion, uint32_t dstPitch, uint32_t dstSlicePitch,
                                                           const void *srcptr, const ze_copy_region_t *srcRegion, uint32_t srcPitch,
                                                           uint32_t srcSlicePitch, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                           ze_event_handle_t *phWaitEvents)
{
    FIND(LIST, tsr__list, list, hCommandList);
    NEED_POINTER(dstptr);
    NEED_POINTER(srcptr);
    NEED_POINTER(dstRegion);
    NEED_POINTER(srcRegion);
    /* Boxes of one slice have a depth of 0 or 1. */
    ze_copy_region_t to = *dstRegion, from = *srcRegion;
    to.depth += !to.depth;
    from.depth += !from.depth;
    MISUSE_IF(to.width != from.width || to.height != from.height || to.depth != from.depth, ZE_RESULT_ERROR_INVALID_SIZE,
              "the two boxes have different sizes");
    MISUSE_IF(!to.width || !to.height, ZE_RESULT_ERROR_INVALID_SIZE, "the box is empty");
    MISUSE_IF((to.height > 1 && (dstPitch < to.width || srcPitch < to.width)) ||
                  (to.depth > 1 &&
                   ((uint64_t)dstSlicePitch < (uint64_t)dstPitch * to.height || (uint64_t)srcSlicePitch < (uint64_t)srcPitch * to.height)),
              ZE_RESULT_ERROR_INVALID_SIZE, "rows or slices overlap");
    unsigned char *to_at = (unsigned char *)dstptr + offset(&to, dstPitch, dstSlicePitch);
    const unsigned char *from_at = (const unsigned char *)srcptr + offset(&from, srcPitch, srcSlicePitch);
    struct tsr__use uses[] = {{to_at, extent(&to, dstPitch, dstSlicePitch), false},
                              {from_at, extent(&from, srcPitch, srcSlicePitch), false}};
    ze_result_t result;
    struct copy_box *copy =
        tsr__standin_command_new(sizeof *copy, __func__, list->context, hSignalEvent, numWaitEvents, phWaitEvents, 2, uses, &result);
    if (!copy)
        return result;
    copy->base.run = run_copy_box;
    copy->to = to_at;
    copy->from = from_at;
    copy->row = to.width;
    copy->rows = to.height;
    copy->slices = to.depth;
    copy->to_pitch = dstPitch;
    copy->to_slice_pitch = dstSlicePitch;
    copy->from_pitch = srcPitch;
    copy->from_slice_pitch = srcSlicePitch;
    return tsr__standin_append(list, &copy->base);
}

/* ---- fills ---- */

struct fill {
    struct tsr__command base;
    unsigned char *to, *pattern;
    size_t pattern_size, bytes;
};

static bool run_fill(struct tsr__command *command, struct tsr__device *device)
{
    struct fill *fill = (struct fill *)command;
    (void)device;
    for (size_t at = 0; at < fill->bytes; at += fill->pattern_size) {
        size_t left = fill->bytes - at;
        memcpy(fill->to + at, fill->pattern, left < fill->pattern_size ? left : fill->pattern_size);
    }
    return true;
}

static void free_fill(struct tsr__command *command)
{
    tsr_free(((struct fill *)command)->pattern);
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryFill(ze_command_list_handle_t hCommandList, void *ptr, const void *pattern,
                                                     size_t pattern_size, size_t size, ze_event_handle_t hSignalEvent,
                                                     uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    FIND(LIST, tsr__list, list, hCommandList);
    NEED_POINTER(ptr);
    NEED_POINTER(pattern);
    MISUSE_IF(!pattern_size || pattern_size & (pattern_size - 1) ||
                  pattern_size > list->device->persona->groups[list->ordinal].fill_pattern,
              ZE_RESULT_ERROR_INVALID_SIZE, "a pattern of %zu bytes: a power of two, up to maxMemoryFillPatternSize", pattern_size);
    struct tsr__use use = {ptr, size, true};
    ze_result_t result;
    struct fill *fill =
        tsr__standin_command_new(sizeof *fill, __func__, list->context, hSignalEvent, numWaitEvents, phWaitEvents, 1, &use, &result);
    if (!fill)
        return result;
    fill->base.run = run_fill;
    fill->base.free = free_fill;
    fill->to = ptr;
    fill->pattern_size = pattern_size;
    fill->bytes = size;
    fill->pattern = tsr_malloc(pattern_size);
    if (!fill->pattern) {
        tsr__standin_command_drop(&fill->base);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    memcpy(fill->pattern, pattern, pattern_size);
    return tsr__standin_append(list, &fill->base);
}

/* ---- hints: checked, and of no effect ---- */

/* The memory is checked now, and may be freed before the command's turn comes: nothing touches it. */
static ze_result_t hint(const char *name, struct tsr__list *list, const void *pointer, size_t size)
{
    ze_result_t result;
    pthread_mutex_lock(&tsr__standin_lock);
    const struct tsr__allocation *allocation = tsr__standin_allocation_at(pointer);
    bool inside = allocation && allocation->base.owner == &list->context->base &&
                  size <= (size_t)(allocation->begin + allocation->size - (const unsigned char *)pointer);
    pthread_mutex_unlock(&tsr__standin_lock);
    if (!inside)
        return tsr__standin_misuse(name, ZE_RESULT_ERROR_INVALID_ARGUMENT, "the %zu bytes at %p are in no allocation", size, pointer);
    struct tsr__command *command = tsr__standin_command_new(sizeof *command, name, list->context, NULL, 0, NULL, 0, NULL, &result);
    return command ? tsr__standin_append(list, command) : result;
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryPrefetch(ze_command_list_handle_t hCommandList, const void *ptr, size_t size)
{
    FIND(LIST, tsr__list, list, hCommandList);
    NEED_POINTER(ptr);
    return hint(__func__, list, ptr, size);
}

ze_result_t ZE_APICALL zeCommandListAppendMemAdvise(ze_command_list_handle_t hCommandList, ze_device_handle_t hDevice, const void *ptr,
                                                    size_t size, ze_memory_advice_t advice)
{
    FIND(LIST, tsr__list, list, hCommandList);
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(ptr);
    MISUSE_IF(advice > ZE_MEMORY_ADVICE_BIAS_UNCACHED, ZE_RESULT_ERROR_INVALID_ENUMERATION, "advice %u", advice);
    (void)device;
    return hint(__func__, list, ptr, size);
}
