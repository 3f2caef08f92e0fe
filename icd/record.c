/* SPDX-License-Identifier: Apache-2.0
 * Functions that record a command into a command buffer, kernels excepted. Each keeps copies of its arguments and, when the command buffer
 * is enqueued, calls the function that enqueues the same command. That one also checks the arguments when they are recorded: what it makes
 * then is thrown away. */
#include <string.h>

#include "icd/command_buffer.h"
#include "icd/image.h"

/* Makes the command once for its checks. */
static cl_int try(struct _cl_command_buffer_khr *buffer, const struct tsr__recording *recording)
{
    tsr__command_buffer_lock(buffer);
    buffer->recorder->captured = NULL;
    cl_int err = recording->enqueue(buffer->recorder, recording->args);
    if (buffer->recorder->captured)
        tsr__command_abandon(buffer->recorder->captured);
    tsr__command_buffer_unlock(buffer);
    return err;
}

static cl_int record(const struct tsr__record_call *call, const struct tsr__recording *recording)
{
    cl_int err = tsr__record_check(call, false);
    if (err == CL_SUCCESS && recording->enqueue)
        err = try(call->buffer, recording);
    return err == CL_SUCCESS ? tsr__record_add(call, recording) : err;
}

#define CALL                                                                                                                               \
    (&(struct tsr__record_call){__func__, command_buffer, command_queue, properties, num_sync_points_in_wait_list, sync_point_wait_list,   \
                                sync_point, mutable_handle})
#define RECORD(type, enqueue, args, ...)                                                                                                   \
    record(CALL, &(struct tsr__recording){type, enqueue, NULL, &(args), sizeof(args), NULL, {__VA_ARGS__}})

TSR_API cl_int CL_API_CALL clCommandBarrierWithWaitListKHR(TSR_RECORD_HEAD, TSR_RECORD_TAIL)
{
    return record(CALL, &(struct tsr__recording){.type = CL_COMMAND_BARRIER});
}

/* ---- three numbers, which may be missing ---- */

struct triple {
    bool given;
    size_t n[4]; /* the fourth: in an image with mipmaps and three coordinates, the level of an origin */
};

static struct triple triple_of(const size_t *numbers)
{
    return numbers ? (struct triple){true, {numbers[0], numbers[1], numbers[2], 0}} : (struct triple){0};
}

static struct triple origin_in(cl_mem image, const size_t *numbers)
{
    struct triple origin = triple_of(numbers);
    if (numbers && tsr__valid(image, TSR_TAG_MEM) && image->image && tsr__image_has_level(image->image, 3))
        origin.n[3] = numbers[3];
    return origin;
}

static const size_t *numbers_of(const struct triple *triple)
{
    return triple->given ? triple->n : NULL;
}

/* ---- a pattern, which may be missing or too long ---- */

struct pattern {
    bool given;
    size_t size;
    unsigned char bytes[TSR__MOST_PATTERN];
};

static struct pattern pattern_of(const void *bytes, size_t size)
{
    struct pattern pattern = {.given = bytes, .size = size};
    if (bytes)
        memcpy(pattern.bytes, bytes, size < sizeof pattern.bytes ? size : sizeof pattern.bytes);
    return pattern;
}

static const void *bytes_of(const struct pattern *pattern)
{
    return pattern->given ? pattern->bytes : NULL;
}

/* ---- buffers ---- */

struct copy_args {
    cl_mem from, to;
    size_t from_offset, to_offset, size;
};

static cl_int copy(struct _cl_command_queue *queue, const void *args)
{
    const struct copy_args *a = args;
    return clEnqueueCopyBuffer(queue, a->from, a->to, a->from_offset, a->to_offset, a->size, 0, NULL, NULL);
}

TSR_API cl_int CL_API_CALL clCommandCopyBufferKHR(TSR_RECORD_HEAD, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
                                                  size_t dst_offset, size_t size, TSR_RECORD_TAIL)
{
    struct copy_args args = {src_buffer, dst_buffer, src_offset, dst_offset, size};
    return RECORD(CL_COMMAND_COPY_BUFFER, copy, args, src_buffer, dst_buffer);
}

struct rect_args {
    cl_mem from, to;
    struct triple from_origin, to_origin, region;
    size_t from_row, from_slice, to_row, to_slice;
};

static cl_int copy_rect(struct _cl_command_queue *queue, const void *args)
{
    const struct rect_args *a = args;
    return clEnqueueCopyBufferRect(queue, a->from, a->to, numbers_of(&a->from_origin), numbers_of(&a->to_origin), numbers_of(&a->region),
                                   a->from_row, a->from_slice, a->to_row, a->to_slice, 0, NULL, NULL);
}

TSR_API cl_int CL_API_CALL clCommandCopyBufferRectKHR(TSR_RECORD_HEAD, cl_mem src_buffer, cl_mem dst_buffer, const size_t *src_origin,
                                                      const size_t *dst_origin, const size_t *region, size_t src_row_pitch,
                                                      size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch, TSR_RECORD_TAIL)
{
    struct rect_args args = {.from = src_buffer,
                             .to = dst_buffer,
                             .from_origin = triple_of(src_origin),
                             .to_origin = triple_of(dst_origin),
                             .region = triple_of(region),
                             .from_row = src_row_pitch,
                             .from_slice = src_slice_pitch,
                             .to_row = dst_row_pitch,
                             .to_slice = dst_slice_pitch};
    return RECORD(CL_COMMAND_COPY_BUFFER_RECT, copy_rect, args, src_buffer, dst_buffer);
}

struct fill_args {
    cl_mem buffer;
    struct pattern pattern;
    size_t offset, size;
};

static cl_int fill(struct _cl_command_queue *queue, const void *args)
{
    const struct fill_args *a = args;
    return clEnqueueFillBuffer(queue, a->buffer, bytes_of(&a->pattern), a->pattern.size, a->offset, a->size, 0, NULL, NULL);
}

TSR_API cl_int CL_API_CALL clCommandFillBufferKHR(TSR_RECORD_HEAD, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset,
                                                  size_t size, TSR_RECORD_TAIL)
{
    struct fill_args args = {buffer, pattern_of(pattern, pattern_size), offset, size};
    return RECORD(CL_COMMAND_FILL_BUFFER, fill, args, buffer);
}

/* ---- images ---- */

struct image_args {
    cl_mem from, to;
    struct triple from_origin, to_origin, region;
    size_t offset; /* in the buffer */
};

static cl_int copy_image(struct _cl_command_queue *queue, const void *args)
{
    const struct image_args *a = args;
    return clEnqueueCopyImage(queue, a->from, a->to, numbers_of(&a->from_origin), numbers_of(&a->to_origin), numbers_of(&a->region), 0,
                              NULL, NULL);
}

TSR_API cl_int CL_API_CALL clCommandCopyImageKHR(TSR_RECORD_HEAD, cl_mem src_image, cl_mem dst_image, const size_t *src_origin,
                                                 const size_t *dst_origin, const size_t *region, TSR_RECORD_TAIL)
{
    struct image_args args = {src_image,         dst_image, origin_in(src_image, src_origin), origin_in(dst_image, dst_origin),
                              triple_of(region), 0};
    return RECORD(CL_COMMAND_COPY_IMAGE, copy_image, args, src_image, dst_image);
}

static cl_int copy_image_to_buffer(struct _cl_command_queue *queue, const void *args)
{
    const struct image_args *a = args;
    return clEnqueueCopyImageToBuffer(queue, a->from, a->to, numbers_of(&a->from_origin), numbers_of(&a->region), a->offset, 0, NULL, NULL);
}

TSR_API cl_int CL_API_CALL clCommandCopyImageToBufferKHR(TSR_RECORD_HEAD, cl_mem src_image, cl_mem dst_buffer, const size_t *src_origin,
                                                         const size_t *region, size_t dst_offset, TSR_RECORD_TAIL)
{
    struct image_args args = {src_image, dst_buffer, origin_in(src_image, src_origin), {0}, triple_of(region), dst_offset};
    return RECORD(CL_COMMAND_COPY_IMAGE_TO_BUFFER, copy_image_to_buffer, args, src_image, dst_buffer);
}

static cl_int copy_buffer_to_image(struct _cl_command_queue *queue, const void *args)
{
    const struct image_args *a = args;
    return clEnqueueCopyBufferToImage(queue, a->from, a->to, a->offset, numbers_of(&a->to_origin), numbers_of(&a->region), 0, NULL, NULL);
}

TSR_API cl_int CL_API_CALL clCommandCopyBufferToImageKHR(TSR_RECORD_HEAD, cl_mem src_buffer, cl_mem dst_image, size_t src_offset,
                                                         const size_t *dst_origin, const size_t *region, TSR_RECORD_TAIL)
{
    struct image_args args = {src_buffer, dst_image, {0}, origin_in(dst_image, dst_origin), triple_of(region), src_offset};
    return RECORD(CL_COMMAND_COPY_BUFFER_TO_IMAGE, copy_buffer_to_image, args, src_buffer, dst_image);
}

struct fill_image_args {
    cl_mem image;
    struct pattern color;
    struct triple origin, region;
};

static cl_int fill_image(struct _cl_command_queue *queue, const void *args)
{
    const struct fill_image_args *a = args;
    return clEnqueueFillImage(queue, a->image, bytes_of(&a->color), numbers_of(&a->origin), numbers_of(&a->region), 0, NULL, NULL);
}

/* "a four component RGBA … value"; a single float for depth images */
static size_t color_bytes(cl_mem image)
{
    bool known = tsr__valid(image, TSR_TAG_MEM) && image->image;
    return !known ? 0 : image->image->format->depth ? sizeof(cl_float) : sizeof(cl_float4);
}

TSR_API cl_int CL_API_CALL clCommandFillImageKHR(TSR_RECORD_HEAD, cl_mem image, const void *fill_color, const size_t *origin,
                                                 const size_t *region, TSR_RECORD_TAIL)
{
    struct fill_image_args args = {image, pattern_of(fill_color, color_bytes(image)), origin_in(image, origin), triple_of(region)};
    return RECORD(CL_COMMAND_FILL_IMAGE, fill_image, args, image);
}

/* ---- shared virtual memory ---- */

struct svm_copy_args {
    void *to;
    const void *from;
    size_t size;
};

static cl_int svm_copy(struct _cl_command_queue *queue, const void *args)
{
    const struct svm_copy_args *a = args;
    return clEnqueueSVMMemcpy(queue, CL_FALSE, a->to, a->from, a->size, 0, NULL, NULL);
}

TSR_API cl_int CL_API_CALL clCommandSVMMemcpyKHR(TSR_RECORD_HEAD, void *dst_ptr, const void *src_ptr, size_t size, TSR_RECORD_TAIL)
{
    struct svm_copy_args args = {dst_ptr, src_ptr, size};
    return RECORD(CL_COMMAND_SVM_MEMCPY, svm_copy, args, NULL);
}

struct svm_fill_args {
    void *to;
    struct pattern pattern;
    size_t size;
};

static cl_int svm_fill(struct _cl_command_queue *queue, const void *args)
{
    const struct svm_fill_args *a = args;
    return clEnqueueSVMMemFill(queue, a->to, bytes_of(&a->pattern), a->pattern.size, a->size, 0, NULL, NULL);
}

TSR_API cl_int CL_API_CALL clCommandSVMMemFillKHR(TSR_RECORD_HEAD, void *svm_ptr, const void *pattern, size_t pattern_size, size_t size,
                                                  TSR_RECORD_TAIL)
{
    struct svm_fill_args args = {svm_ptr, pattern_of(pattern, pattern_size), size};
    return RECORD(CL_COMMAND_SVM_MEMFILL, svm_fill, args, NULL);
}
