/* SPDX-License-Identifier: Apache-2.0
 * Boxes of buffers: clEnqueue{Read,Write,Copy}BufferRect, with the rules for pitches, bounds and overlap. */
#include "icd/mem.h"

/* a * b + c, SIZE_MAX if it overflows. */
static size_t mul_add(size_t a, size_t b, size_t c)
{
    size_t product, sum;
    return __builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum) ? SIZE_MAX : sum;
}

/* CL_INVALID_VALUE if the pitches do not fit the region. `what` names the box in messages. */
static cl_int make_rect(const char *function, struct _cl_context *context, const char *what, const size_t *origin, const size_t *region,
                        size_t row_pitch, size_t slice_pitch, struct tsr__rect *rect)
{
    if (row_pitch && row_pitch < region[0])
        return tsr__error(context, CL_INVALID_VALUE, function, "row_pitch", "%s row pitch %zu is less than the region's width %zu", what,
                          row_pitch, region[0]);
    rect->row_pitch = row_pitch ? row_pitch : region[0];
    size_t least = mul_add(region[1], rect->row_pitch, 0);
    if (slice_pitch && (slice_pitch < least || slice_pitch % rect->row_pitch))
        return tsr__error(context, CL_INVALID_VALUE, function, "slice_pitch",
                          "%s slice pitch %zu must be a multiple of the row pitch %zu and at least %zu", what, slice_pitch, rect->row_pitch,
                          least);
    rect->slice_pitch = slice_pitch ? slice_pitch : least;
    rect->offset = mul_add(origin[2], rect->slice_pitch, mul_add(origin[1], rect->row_pitch, origin[0]));
    rect->end = mul_add(region[2] - 1, rect->slice_pitch, mul_add(region[1] - 1, rect->row_pitch, region[0]));
    rect->end = mul_add(rect->end, 1, rect->offset);
    for (int i = 0; i < 3; i++)
        rect->region[i] = region[i];
    return CL_SUCCESS;
}

static cl_int check_bounds(const char *function, cl_mem buffer, const struct tsr__rect *rect)
{
    if (rect->end > buffer->size)
        return tsr__error(buffer->context, CL_INVALID_VALUE, function, "region", "the box ends at %zu, past the buffer's %zu bytes",
                          rect->end, buffer->size);
    return CL_SUCCESS;
}

static cl_int check_region(const char *function, struct _cl_context *context, const size_t *origin, const size_t *other_origin,
                           const size_t *region)
{
    if (!origin || !other_origin || !region)
        return tsr__error(context, CL_INVALID_VALUE, function, "origin, region", "an origin or the region is NULL");
    if (!region[0] || !region[1] || !region[2])
        return tsr__error(context, CL_INVALID_VALUE, function, "region", "the region %zu × %zu × %zu is empty", region[0], region[1],
                          region[2]);
    return CL_SUCCESS;
}

/* ---- overlap ---- */

/* True if the box has a byte in [low, high). All offsets are in the same memory. */
static bool rect_overlaps(const struct tsr__rect *rect, size_t low, size_t high)
{
    const size_t *region = rect->region;
    if (high <= rect->offset || low >= rect->end)
        return false;
    low = low > rect->offset ? low - rect->offset : 0;
    high -= rect->offset;
    /* The first slice and row that end behind `low`: the box has a byte there if they, or the row after them, begin before `high`. */
    size_t slice_bytes = (region[1] - 1) * rect->row_pitch + region[0];
    size_t z = low / rect->slice_pitch, in_slice = low % rect->slice_pitch;
    size_t y = 0;
    if (in_slice >= slice_bytes) {
        z++;
    } else {
        y = in_slice / rect->row_pitch;
        if (in_slice % rect->row_pitch >= region[0])
            y++;
    }
    return z < region[2] && z * rect->slice_pitch + y * rect->row_pitch < high;
}

bool tsr__rects_overlap(const struct tsr__rect *a, const struct tsr__rect *b)
{
    if (a->end <= b->offset || b->end <= a->offset)
        return false;
    for (size_t z = 0; z < a->region[2]; z++)
        for (size_t y = 0; y < a->region[1]; y++) {
            size_t row = a->offset + z * a->slice_pitch + y * a->row_pitch;
            if (rect_overlaps(b, row, row + a->region[0]))
                return true;
        }
    return false;
}

/* ---- entry points ---- */

static cl_int read_or_write(const char *function, bool reads, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                            const size_t *buffer_origin, const size_t *host_origin, const size_t *region, const size_t pitches[4],
                            void *ptr, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err;
    if ((err = tsr__check_queue(function, queue)) || (err = tsr__check_buffer(function, queue, buffer)))
        return err;
    struct _cl_context *context = queue->context;
    struct tsr__rect in_buffer, on_host;
    if ((err = check_region(function, context, buffer_origin, host_origin, region)) ||
        (err = make_rect(function, context, "buffer", buffer_origin, region, pitches[0], pitches[1], &in_buffer)) ||
        (err = check_bounds(function, buffer, &in_buffer)) ||
        (err = make_rect(function, context, "host", host_origin, region, pitches[2], pitches[3], &on_host)))
        return err;
    if (!ptr)
        return tsr__error(context, CL_INVALID_VALUE, function, "ptr", "ptr is NULL");
    if (on_host.end == SIZE_MAX)
        return tsr__error(context, CL_INVALID_VALUE, function, "host_origin", "the box on the host is larger than the address space");
    if ((err = tsr__check_wait_list(context, wait_count, wait_list)) || (err = tsr__check_host_access(function, buffer, reads, !reads)))
        return err;
    struct tsr__box device = {buffer, buffer->data + in_buffer.offset, in_buffer.row_pitch, in_buffer.slice_pitch};
    struct tsr__box host = {NULL, (unsigned char *)ptr + on_host.offset, on_host.row_pitch, on_host.slice_pitch};
    struct _cl_event *command = reads ? tsr__box_command(queue, CL_COMMAND_READ_BUFFER_RECT, host, device, region)
                                      : tsr__box_command(queue, CL_COMMAND_WRITE_BUFFER_RECT, device, host, region);
    return tsr__submit_or_report(function, queue, command, wait_count, wait_list, event, blocking);
}

/* clEnqueueReadBufferRect, clEnqueueWriteBufferRect, clEnqueueCopyBufferRect: OpenCL 3.0, 5.2.2. */
TSR_API cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
                                                   const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
                                                   size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, void *ptr,
                                                   cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    const size_t pitches[4] = {buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch};
    return read_or_write(__func__, true, queue, buffer, blocking, buffer_origin, host_origin, region, pitches, ptr, wait_count, wait_list,
                         event);
}

TSR_API cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
                                                    const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
                                                    size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
                                                    const void *ptr, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    const size_t pitches[4] = {buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch};
    return read_or_write(__func__, false, queue, buffer, blocking, buffer_origin, host_origin, region, pitches, (void *)ptr, wait_count,
                         wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                                                   const size_t *to_origin, const size_t *region, size_t from_row_pitch,
                                                   size_t from_slice_pitch, size_t to_row_pitch, size_t to_slice_pitch, cl_uint wait_count,
                                                   const cl_event *wait_list, cl_event *event)
{
    cl_int err;
    if ((err = tsr__check_queue(__func__, queue)) || (err = tsr__check_buffer(__func__, queue, from)) ||
        (err = tsr__check_buffer(__func__, queue, to)))
        return err;
    struct _cl_context *context = queue->context;
    struct tsr__rect source, target;
    if ((err = check_region(__func__, context, from_origin, to_origin, region)) ||
        (err = make_rect(__func__, context, "source", from_origin, region, from_row_pitch, from_slice_pitch, &source)) ||
        (err = check_bounds(__func__, from, &source)) ||
        (err = make_rect(__func__, context, "destination", to_origin, region, to_row_pitch, to_slice_pitch, &target)) ||
        (err = check_bounds(__func__, to, &target)))
        return err;
    RETURN_IF(context, from == to && (source.row_pitch != target.row_pitch || source.slice_pitch != target.slice_pitch), CL_INVALID_VALUE,
              "within one buffer both boxes must have the same pitches: rows %zu and %zu, slices %zu and %zu", source.row_pitch,
              target.row_pitch, source.slice_pitch, target.slice_pitch);
    if ((err = tsr__check_mutable(__func__, to)) || (err = tsr__check_wait_list(context, wait_count, wait_list)))
        return err;
    struct tsr__box from_box = {from, from->data + source.offset, source.row_pitch, source.slice_pitch};
    struct tsr__box to_box = {to, to->data + target.offset, target.row_pitch, target.slice_pitch};
    if (tsr__mem_root(from) == tsr__mem_root(to)) {
        source.offset += from->origin;
        source.end += from->origin;
        target.offset += to->origin;
        target.end += to->origin;
        RETURN_IF(context, tsr__rects_overlap(&source, &target), CL_MEM_COPY_OVERLAP, "the boxes overlap in the same buffer");
    }
    struct _cl_event *command = tsr__box_command(queue, CL_COMMAND_COPY_BUFFER_RECT, to_box, from_box, region);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}
