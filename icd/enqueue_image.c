/* SPDX-License-Identifier: Apache-2.0
 * Reading, writing, copying, filling and mapping images: OpenCL 3.0, 5.3.3 – 5.3.6. An image is a box of bytes (icd/transfer.c) whose rows
 * and slices have pitches; the rows of a 1D array are its elements. */
#include "icd/image.h"

/* ---- checks ---- */

/* The checks that open every command on images: CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT, "CL_INVALID_OPERATION if the device associated
 * with command_queue does not support images", and that it has such images. */
static cl_int check_image(const char *function, cl_command_queue queue, cl_mem image)
{
    if (!tsr__valid(image, TSR_TAG_MEM) || !image->image)
        return tsr__error(queue->context, CL_INVALID_MEM_OBJECT, function, "image", "not an image: %p", (void *)image);
    if (image->context != queue->context)
        return tsr__error(queue->context, CL_INVALID_CONTEXT, function, "image", "queue and image belong to different contexts");
    return tsr__check_image_on(function, image, queue->device);
}

/* CL_INVALID_VALUE if origin and region are no part of the image. With mipmaps, the level follows the last coordinate of the origin. */
static cl_int read_part(const char *function, cl_mem mem, const size_t *origin, const size_t *region, struct tsr__part *part)
{
    struct _cl_context *context = mem->context;
    const struct tsr__image *image = mem->image;
    unsigned coordinates = tsr__image_coordinates(image->kind);
    if (!origin || !region)
        return tsr__error(context, CL_INVALID_VALUE, function, "origin, region", "the origin or the region is NULL");
    *part = (struct tsr__part){.region = {1, 1, 1}};
    bool mipmapped = image->mip_levels > 1;
    if (mipmapped && origin[coordinates] >= image->mip_levels)
        return tsr__error(context, CL_INVALID_VALUE, function, "origin", "level %zu of %u", origin[coordinates], image->mip_levels);
    if (mipmapped)
        part->level = (cl_uint)origin[coordinates];
    size_t extent[3];
    tsr__image_extent(image, part->level, extent);
    for (unsigned i = 0; i < 3; i++) {
        size_t begin = tsr__image_has_level(image, i) ? 0 : origin[i]; /* the level has been read */
        if (!region[i] || begin > extent[i] || region[i] > extent[i] - begin)
            return tsr__error(context, CL_INVALID_VALUE, function, "origin, region",
                              "direction %u: %zu pixels from %zu on are not in the %s, which has %zu", i, region[i], begin,
                              image->kind->name, extent[i]);
        part->origin[i] = begin;
        part->region[i] = region[i];
    }
    return CL_SUCCESS;
}

/* The bytes of the part; `bytes` gets width in bytes, rows, slices. */
static struct tsr__box box_of(cl_mem mem, const struct tsr__part *part, size_t bytes[3])
{
    const struct tsr__image *image = mem->image;
    size_t strides[2], pixel = image->desc.pixel_bytes;
    tsr__image_strides(image, part->level, strides);
    bytes[0] = part->region[0] * pixel;
    bytes[1] = part->region[1];
    bytes[2] = part->region[2];
    unsigned char *pixels = (unsigned char *)(uintptr_t)image->desc.level[part->level].pixels;
    return (struct tsr__box){mem, pixels + part->origin[2] * strides[1] + part->origin[1] * strides[0] + part->origin[0] * pixel,
                             strides[0], strides[1]};
}

/* The same, by its offsets in the memory that it lies in. */
static struct tsr__rect rect_of(const struct tsr__box *box, const size_t bytes[3])
{
    const struct _cl_mem *root = tsr__mem_root(box->mem);
    struct tsr__rect rect = {.offset = (size_t)(box->start - root->data),
                             .row_pitch = box->row_pitch,
                             .slice_pitch = box->slice_pitch,
                             .region = {bytes[0], bytes[1], bytes[2]}};
    rect.end = rect.offset + (bytes[2] - 1) * rect.slice_pitch + (bytes[1] - 1) * rect.row_pitch + bytes[0];
    return rect;
}

/* Pitches of the application's memory for the part: 0 stands for no gaps. */
static cl_int host_box(const char *function, cl_mem mem, const struct tsr__part *part, size_t row_pitch, size_t slice_pitch, void *pointer,
                       struct tsr__box *box)
{
    struct _cl_context *context = mem->context;
    const struct tsr__image_kind *kind = mem->image->kind;
    size_t row = part->region[0] * mem->image->desc.pixel_bytes, slice;
    bool has_slices = tsr__image_has_slices(kind);
    if (row_pitch && row_pitch < row)
        return tsr__error(context, CL_INVALID_VALUE, function, "row_pitch", "row pitch %zu, but a row has %zu bytes", row_pitch, row);
    if (slice_pitch && !has_slices)
        return tsr__error(context, CL_INVALID_VALUE, function, "slice_pitch", "slice pitch %zu, but a %s has no slices: it must be 0",
                          slice_pitch, kind->name);
    if (row_pitch)
        row = row_pitch;
    if (__builtin_mul_overflow(row, kind->dims == 1 ? 1 : part->region[1], &slice) || (slice_pitch && slice_pitch < slice))
        return tsr__error(context, CL_INVALID_VALUE, function, "slice_pitch", "slice pitch %zu, but a slice of %zu rows has %zu bytes",
                          slice_pitch, part->region[1], slice);
    if (slice_pitch)
        slice = slice_pitch;
    size_t slices = kind->dims == 1 ? part->region[1] : part->region[2], all;
    if (__builtin_mul_overflow(slice, slices, &all) || all > SIZE_MAX - (uintptr_t)pointer)
        return tsr__error(context, CL_INVALID_VALUE, function, "slice_pitch", "the part on the host is larger than the address space");
    *box = (struct tsr__box){NULL, pointer, kind->dims == 1 ? slice : row, slice};
    return CL_SUCCESS;
}

/* ---- host memory ---- */

static cl_int read_or_write(const char *function, bool reads, cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                            const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr, cl_uint wait_count,
                            const cl_event *wait_list, cl_event *event)
{
    cl_int err;
    struct tsr__part part;
    struct tsr__box host;
    if ((err = tsr__check_queue(function, queue)) || (err = check_image(function, queue, image)) ||
        (err = read_part(function, image, origin, region, &part)))
        return err;
    if (!ptr)
        return tsr__error(queue->context, CL_INVALID_VALUE, function, "ptr", "ptr is NULL");
    if ((err = host_box(function, image, &part, row_pitch, slice_pitch, ptr, &host)) ||
        (err = tsr__check_wait_list(queue->context, wait_count, wait_list)) ||
        (err = tsr__check_host_access(function, image, reads, !reads)))
        return err;
    size_t bytes[3];
    struct tsr__box device = box_of(image, &part, bytes);
    struct _cl_event *command = !tsr__moved_by_device(queue) ? reads ? tsr__box_command(queue, CL_COMMAND_READ_IMAGE, host, device, bytes)
                                                                     : tsr__box_command(queue, CL_COMMAND_WRITE_IMAGE, device, host, bytes)
                                : reads                      ? tsr__device_read_image(queue, CL_COMMAND_READ_IMAGE, image, &part, &host)
                                                             : tsr__device_write_image(queue, CL_COMMAND_WRITE_IMAGE, image, &part, &host);
    return tsr__submit_or_report(function, queue, command, wait_count, wait_list, event, blocking);
}

TSR_API cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                                              const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr, cl_uint wait_count,
                                              const cl_event *wait_list, cl_event *event)
{
    return read_or_write(__func__, true, queue, image, blocking, origin, region, row_pitch, slice_pitch, ptr, wait_count, wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                                               const size_t *region, size_t row_pitch, size_t slice_pitch, const void *ptr,
                                               cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    return read_or_write(__func__, false, queue, image, blocking, origin, region, row_pitch, slice_pitch, (void *)ptr, wait_count,
                         wait_list, event);
}

/* The pointer is the image's own memory. */
TSR_API void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                                            const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
                                            cl_uint wait_count, const cl_event *wait_list, cl_event *event, cl_int *errcode_ret)
{
    void *pointer = NULL;
    cl_int err;
    struct tsr__part part;
    if ((err = tsr__check_queue(__func__, queue)) || (err = check_image(__func__, queue, image)) ||
        (err = read_part(__func__, image, origin, region, &part)) || (err = tsr__check_map_flags(__func__, image, flags)))
        goto fail;
    const struct tsr__image_kind *kind = image->image->kind;
    bool has_slices = tsr__image_has_slices(kind);
    FAIL_IF(queue->context, !row_pitch, CL_INVALID_VALUE, "image_row_pitch is NULL");
    FAIL_IF(queue->context, has_slices && !slice_pitch, CL_INVALID_VALUE, "image_slice_pitch is NULL, and a %s has slices", kind->name);
    if ((err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        goto fail;
    size_t bytes[3];
    struct tsr__box box = box_of(image, &part, bytes);
    struct tsr__rect rect = rect_of(&box, bytes);
    err = tsr__map(__func__, queue, CL_COMMAND_MAP_IMAGE, image, box.start, &rect, blocking, flags, wait_count, wait_list, event);
    if (err == CL_SUCCESS) {
        const struct tsr_image_level *level = &image->image->desc.level[part.level];
        pointer = box.start;
        *row_pitch = level->row_pitch;
        if (slice_pitch)
            *slice_pitch = has_slices ? level->slice_pitch : 0;
    }
fail:
    if (errcode_ret)
        *errcode_ret = err;
    return pointer;
}

/* ---- from object to object ---- */

TSR_API cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
                                              const size_t *region, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err;
    struct tsr__part part;
    if ((err = tsr__check_queue(__func__, queue)) || (err = check_image(__func__, queue, image)))
        return err;
    RETURN_IF(queue->context, !color, CL_INVALID_VALUE, "fill_color is NULL");
    if ((err = read_part(__func__, image, origin, region, &part)) || (err = tsr__check_mutable(__func__, image)) ||
        (err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    size_t bytes[3];
    unsigned char pixel[TSR__MOST_PIXEL];
    tsr__image_pack(image->image->format, color, pixel);
    struct tsr__box box = box_of(image, &part, bytes);
    struct _cl_event *command = tsr__moved_by_device(queue) ? tsr__device_fill_image(queue, image, &part, pixel)
                                                            : tsr__fill_box_command(queue, CL_COMMAND_FILL_IMAGE, box, bytes, pixel,
                                                                                    image->image->desc.pixel_bytes);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}

TSR_API cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                                              const size_t *to_origin, const size_t *region, cl_uint wait_count, const cl_event *wait_list,
                                              cl_event *event)
{
    cl_int err;
    struct tsr__part source, target;
    if ((err = tsr__check_queue(__func__, queue)) || (err = check_image(__func__, queue, from)) || (err = check_image(__func__, queue, to)))
        return err;
    struct _cl_context *context = queue->context;
    RETURN_IF(context, from->image->format != to->image->format, CL_IMAGE_FORMAT_MISMATCH, "pixels of %s cannot become %s",
              from->image->format->name, to->image->format->name);
    if ((err = read_part(__func__, from, from_origin, region, &source)) || (err = read_part(__func__, to, to_origin, region, &target)) ||
        (err = tsr__check_mutable(__func__, to)) || (err = tsr__check_wait_list(context, wait_count, wait_list)))
        return err;
    size_t bytes[3];
    struct tsr__box from_box = box_of(from, &source, bytes), to_box = box_of(to, &target, bytes);
    if (tsr__mem_root(from) == tsr__mem_root(to)) {
        struct tsr__rect a = rect_of(&from_box, bytes), b = rect_of(&to_box, bytes);
        RETURN_IF(context, tsr__rects_overlap(&a, &b), CL_MEM_COPY_OVERLAP, "source and destination overlap in the same memory");
    }
    struct _cl_event *command = tsr__moved_by_device(queue) ? tsr__device_copy_image(queue, to, &target, from, &source)
                                                            : tsr__box_command(queue, CL_COMMAND_COPY_IMAGE, to_box, from_box, bytes);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}

/* Between an image and a buffer, which has the pixels without gaps from `offset` on. */
static cl_int copy_with_buffer(const char *function, bool to_buffer, cl_command_queue queue, cl_mem image, cl_mem buffer,
                               const size_t *origin, const size_t *region, size_t offset, cl_uint wait_count, const cl_event *wait_list,
                               cl_event *event)
{
    cl_int err;
    struct tsr__part part;
    if ((err = tsr__check_queue(function, queue)) || (err = check_image(function, queue, image)) ||
        (err = tsr__check_buffer(function, queue, buffer)) || (err = read_part(function, image, origin, region, &part)))
        return err;
    size_t bytes[3];
    struct tsr__box pixels = box_of(image, &part, bytes);
    if ((err = tsr__check_range(function, buffer, offset, bytes[0] * bytes[1] * bytes[2])) ||
        (err = tsr__check_mutable(function, to_buffer ? buffer : image)) ||
        (err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    struct tsr__box packed = {buffer, buffer->data + offset, bytes[0], bytes[0] * bytes[1]};
    cl_command_type type = to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE;
    struct _cl_event *command = !tsr__moved_by_device(queue) ? to_buffer ? tsr__box_command(queue, type, packed, pixels, bytes)
                                                                         : tsr__box_command(queue, type, pixels, packed, bytes)
                                : to_buffer                  ? tsr__device_read_image(queue, type, image, &part, &packed)
                                                             : tsr__device_write_image(queue, type, image, &part, &packed);
    return tsr__submit_or_report(function, queue, command, wait_count, wait_list, event, false);
}

TSR_API cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t *origin,
                                                      const size_t *region, size_t offset, cl_uint wait_count, const cl_event *wait_list,
                                                      cl_event *event)
{
    return copy_with_buffer(__func__, true, queue, image, buffer, origin, region, offset, wait_count, wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset,
                                                      const size_t *origin, const size_t *region, cl_uint wait_count,
                                                      const cl_event *wait_list, cl_event *event)
{
    return copy_with_buffer(__func__, false, queue, image, buffer, origin, region, offset, wait_count, wait_list, event);
}
