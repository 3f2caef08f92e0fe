/* SPDX-License-Identifier: Apache-2.0
 * Commands that copy images: to each other, and to and from memory without gaps between rows. */
#include <string.h>

#include "device-xmx/standin/standin.h"

/* One end of a copy. */
struct box {
    unsigned char *at;
    uint64_t pitches[2];
};

struct copy {
    struct tsr__command base;
    struct box to, from;
    uint64_t row, rows, slices; /* bytes; of a slice; of the box */
};

static bool run_copy(struct tsr__command *command, struct tsr__device *device)
{
    const struct copy *copy = (const struct copy *)command;
    (void)device;
    for (uint64_t z = 0; z < copy->slices; z++)
        for (uint64_t y = 0; y < copy->rows; y++)
            memmove(copy->to.at + z * copy->to.pitches[1] + y * copy->to.pitches[0],
                    copy->from.at + z * copy->from.pitches[1] + y * copy->from.pitches[0], copy->row);
    return true;
}

/* The region, or all of the image. */
static ze_result_t read_region(const char *function, const struct tsr__list *list, const struct tsr__image *image,
                               const ze_image_region_t *given, ze_image_region_t *region)
{
    if (image->device != list->device || image->context != list->context)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "image and list are of two devices or contexts");
    const uint64_t *extent = image->extent;
    *region = given ? *given : (ze_image_region_t){0, 0, 0, (uint32_t)extent[0], (uint32_t)extent[1], (uint32_t)extent[2]};
    const uint32_t origin[3] = {region->originX, region->originY, region->originZ};
    const uint32_t size[3] = {region->width, region->height, region->depth};
    for (int d = 0; d < 3; d++)
        if (!size[d] || origin[d] > extent[d] || size[d] > extent[d] - origin[d])
            return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT,
                                       "direction %d: %u pixels from %u on, but the image has %llu", d, size[d], origin[d],
                                       (unsigned long long)extent[d]);
    return ZE_RESULT_SUCCESS;
}

static struct box box_of(const struct tsr__image *image, const ze_image_region_t *region)
{
    const uint64_t *pitches = image->pitches;
    return (struct box){image->pixels + region->originZ * pitches[1] + region->originY * pitches[0] +
                            (uint64_t)region->originX * image->desc.pixel_bytes,
                        {pitches[0], pitches[1]}};
}

static struct box packed(const void *memory, uint64_t row, const ze_image_region_t *region)
{
    return (struct box){(unsigned char *)memory, {row, row * region->height}};
}

static struct tsr__use use_of(const struct tsr__image *image)
{
    return (struct tsr__use){image->pixels, image->size, true};
}

static ze_result_t append(const char *function, struct tsr__list *list, const struct box *to, const struct box *from,
                          const ze_image_region_t *region, uint64_t row, const struct tsr__use uses[2], ze_event_handle_t signal,
                          uint32_t wait_count, const ze_event_handle_t *waits)
{
    ze_result_t result;
    struct copy *copy = tsr__standin_command_new(sizeof *copy, function, list->context, signal, wait_count, waits, 2, uses, &result);
    if (!copy)
        return result;
    copy->base.run = run_copy;
    copy->to = *to;
    copy->from = *from;
    copy->row = row;
    copy->rows = region->height;
    copy->slices = region->depth;
    return tsr__standin_append(list, &copy->base);
}

/* Between an image and memory. */
static ze_result_t move(const char *function, bool to_memory, ze_command_list_handle_t hCommandList, ze_image_handle_t hImage,
                        const void *memory, const ze_image_region_t *given, ze_event_handle_t signal, uint32_t wait_count,
                        const ze_event_handle_t *waits)
{
    struct tsr__list *list = tsr__standin_find(TSR__KIND_LIST, hCommandList, function);
    const struct tsr__image *image = list ? tsr__standin_find(TSR__KIND_IMAGE, hImage, function) : NULL;
    if (!image)
        return hCommandList && hImage ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!memory)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_NULL_POINTER, "the pointer is NULL");
    ze_image_region_t region;
    ze_result_t result = read_region(function, list, image, given, &region);
    if (result)
        return result;
    uint64_t row = (uint64_t)region.width * image->desc.pixel_bytes;
    const struct box there = packed(memory, row, &region), here = box_of(image, &region);
    const struct tsr__use uses[2] = {use_of(image), {memory, row * region.height * region.depth, false}};
    return append(function, list, to_memory ? &there : &here, to_memory ? &here : &there, &region, row, uses, signal, wait_count, waits);
}

ze_result_t ZE_APICALL zeCommandListAppendImageCopyToMemory(ze_command_list_handle_t hCommandList, void *dstptr,
                                                            ze_image_handle_t hSrcImage, const ze_image_region_t *pSrcRegion,
                                                            ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                            ze_event_handle_t *phWaitEvents)
{
    return move(__func__, true, hCommandList, hSrcImage, dstptr, pSrcRegion, hSignalEvent, numWaitEvents, phWaitEvents);
}

ze_result_t ZE_APICALL zeCommandListAppendImageCopyFromMemory(ze_command_list_handle_t hCommandList, ze_image_handle_t hDstImage,
                                                              const void *srcptr, const ze_image_region_t *pDstRegion,
                                                              ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                              ze_event_handle_t *phWaitEvents)
{
    return move(__func__, false, hCommandList, hDstImage, srcptr, pDstRegion, hSignalEvent, numWaitEvents, phWaitEvents);
}

/* Whether two regions of an image have a pixel in common. */
static bool overlap(const ze_image_region_t *a, const ze_image_region_t *b)
{
    return a->originX < b->originX + b->width && b->originX < a->originX + a->width && a->originY < b->originY + b->height &&
           b->originY < a->originY + a->height && a->originZ < b->originZ + b->depth && b->originZ < a->originZ + a->depth;
}

ze_result_t ZE_APICALL zeCommandListAppendImageCopyRegion(ze_command_list_handle_t hCommandList, ze_image_handle_t hDstImage,
                                                          ze_image_handle_t hSrcImage, const ze_image_region_t *pDstRegion,
                                                          const ze_image_region_t *pSrcRegion, ze_event_handle_t hSignalEvent,
                                                          uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    FIND(LIST, tsr__list, list, hCommandList);
    FIND(IMAGE, tsr__image, to, hDstImage);
    FIND(IMAGE, tsr__image, from, hSrcImage);
    ze_image_region_t target, source;
    ze_result_t result = read_region(__func__, list, to, pDstRegion, &target);
    if (!result)
        result = read_region(__func__, list, from, pSrcRegion, &source);
    if (result)
        return result;
    MISUSE_IF(target.width != source.width || target.height != source.height || target.depth != source.depth, ZE_RESULT_ERROR_INVALID_SIZE,
              "the two regions have different sizes");
    MISUSE_IF(to->type != from->type || to->desc.pixel_bytes != from->desc.pixel_bytes, ZE_RESULT_ERROR_INVALID_ARGUMENT,
              "the two images are of different types, or have pixels of different sizes");
    MISUSE_IF(to == from && overlap(&target, &source), ZE_RESULT_ERROR_OVERLAPPING_REGIONS, "the two regions overlap");
    const struct box to_box = box_of(to, &target), from_box = box_of(from, &source);
    const struct tsr__use uses[2] = {use_of(to), use_of(from)};
    return append(__func__, list, &to_box, &from_box, &target, (uint64_t)target.width * to->desc.pixel_bytes, uses, hSignalEvent,
                  numWaitEvents, phWaitEvents);
}

ze_result_t ZE_APICALL zeCommandListAppendImageCopy(ze_command_list_handle_t hCommandList, ze_image_handle_t hDstImage,
                                                    ze_image_handle_t hSrcImage, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                    ze_event_handle_t *phWaitEvents)
{
    return zeCommandListAppendImageCopyRegion(hCommandList, hDstImage, hSrcImage, NULL, NULL, hSignalEvent, numWaitEvents, phWaitEvents);
}
