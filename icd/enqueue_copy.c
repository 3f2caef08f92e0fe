/* SPDX-License-Identifier: Apache-2.0
 * Reading, writing, copying and filling buffers. */
#include "icd/mem.h"

static cl_int read_or_write(const char *function, bool reads, cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t size, void *ptr, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err;
    if ((err = tsr__check_queue(function, queue)) || (err = tsr__check_buffer(function, queue, buffer)) ||
        (err = tsr__check_range(function, buffer, offset, size)))
        return err;
    if (!ptr)
        return tsr__error(queue->context, CL_INVALID_VALUE, function, "ptr", "ptr is NULL");
    if ((err = tsr__check_wait_list(queue->context, wait_count, wait_list)) ||
        (err = tsr__check_host_access(function, buffer, reads, !reads)))
        return err;
    unsigned char *data = buffer->data + offset;
    struct _cl_event *command = reads ? tsr__copy_command(queue, CL_COMMAND_READ_BUFFER, NULL, ptr, buffer, data, size)
                                      : tsr__copy_command(queue, CL_COMMAND_WRITE_BUFFER, buffer, data, NULL, ptr, size);
    return tsr__submit_or_report(function, queue, command, wait_count, wait_list, event, blocking);
}

/* clEnqueueReadBuffer, clEnqueueWriteBuffer: OpenCL 3.0, 5.2.2. */
TSR_API cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                                               void *ptr, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    return read_or_write(__func__, true, queue, buffer, blocking, offset, size, ptr, wait_count, wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                                                const void *ptr, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    return read_or_write(__func__, false, queue, buffer, blocking, offset, size, (void *)ptr, wait_count, wait_list, event);
}

/* clEnqueueCopyBuffer: OpenCL 3.0, 5.2.2. */
TSR_API cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                                               size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err;
    if ((err = tsr__check_queue(__func__, queue)) || (err = tsr__check_buffer(__func__, queue, from)) ||
        (err = tsr__check_buffer(__func__, queue, to)) || (err = tsr__check_range(__func__, from, from_offset, size)) ||
        (err = tsr__check_range(__func__, to, to_offset, size)) || (err = tsr__check_mutable(__func__, to)) ||
        (err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    /* "CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object and the source and destination regions
     * overlap or if they are different sub-buffers of the same associated buffer object and they overlap." */
    size_t a = from->origin + from_offset, b = to->origin + to_offset;
    RETURN_IF(queue->context, tsr__mem_root(from) == tsr__mem_root(to) && a < b + size && b < a + size, CL_MEM_COPY_OVERLAP,
              "%zu bytes from %zu on overlap those from %zu on in the same buffer", size, a, b);
    struct _cl_event *command =
        tsr__copy_command(queue, CL_COMMAND_COPY_BUFFER, to, to->data + to_offset, from, from->data + from_offset, size);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}

/* clEnqueueFillBuffer: OpenCL 3.0, 5.2.3. */
TSR_API cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                                               size_t offset, size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err;
    if ((err = tsr__check_queue(__func__, queue)) || (err = tsr__check_buffer(__func__, queue, buffer)) ||
        (err = tsr__check_range(__func__, buffer, offset, size)) ||
        (err = tsr__check_pattern(__func__, queue->context, pattern, pattern_size, offset, size)) ||
        (err = tsr__check_mutable(__func__, buffer)) || (err = tsr__check_wait_list(queue->context, wait_count, wait_list)))
        return err;
    struct _cl_event *command =
        tsr__fill_command(queue, CL_COMMAND_FILL_BUFFER, buffer, buffer->data + offset, size, pattern, pattern_size);
    return tsr__submit_or_report(__func__, queue, command, wait_count, wait_list, event, false);
}
