/* SPDX-License-Identifier: Apache-2.0
 * Images. No device has them (CL_DEVICE_IMAGE_SUPPORT is CL_FALSE): creation and commands are refused with the codes of the
 * specification, and the list of formats is empty. */
#include "icd/mem.h"

static cl_mem no_image(const char *function, cl_context context, cl_int *errcode_ret)
{
    cl_int err;
    if (!tsr__valid(context, TSR_TAG_CONTEXT))
        err = tsr__error(NULL, CL_INVALID_CONTEXT, function, "context", "not a context: %p", (void *)context);
    else
        err = tsr__error(context, CL_INVALID_OPERATION, function, "CL_DEVICE_IMAGE_SUPPORT", "no device of the context has images");
    if (errcode_ret)
        *errcode_ret = err;
    return NULL;
}

/* For commands: whatever the application passes as an image is none. */
static cl_int no_command(const char *function, cl_command_queue queue, cl_mem image)
{
    cl_int err = tsr__check_queue(function, queue);
    if (err != CL_SUCCESS)
        return err;
    return tsr__error(queue->context, CL_INVALID_MEM_OBJECT, function, "image", "not an image: %p; the device has none", (void *)image);
}

/* clCreateImageWithProperties, clCreateImage: OpenCL 3.0, 5.3.1. clCreateImage2D, clCreateImage3D: OpenCL 1.1, deprecated. */
TSR_API cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                                       const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                                                       cl_int *errcode_ret)
{
    (void)properties, (void)flags, (void)format, (void)desc, (void)host_ptr;
    return no_image(__func__, context, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                                         void *host_ptr, cl_int *errcode_ret)
{
    (void)flags, (void)format, (void)desc, (void)host_ptr;
    return no_image(__func__, context, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                                           size_t height, size_t row_pitch, void *host_ptr, cl_int *errcode_ret)
{
    (void)flags, (void)format, (void)width, (void)height, (void)row_pitch, (void)host_ptr;
    return no_image(__func__, context, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                                           size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr,
                                           cl_int *errcode_ret)
{
    (void)flags, (void)format, (void)width, (void)height, (void)depth, (void)row_pitch, (void)slice_pitch, (void)host_ptr;
    return no_image(__func__, context, errcode_ret);
}

static bool image_type_valid(cl_mem_object_type type)
{
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    case CL_MEM_OBJECT_IMAGE3D:
        return true;
    default:
        return false;
    }
}

/* clGetSupportedImageFormats: OpenCL 3.0, 5.3.2. */
TSR_API cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint room,
                                                      cl_image_format *formats, cl_uint *count)
{
    const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR |
                               CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS |
                               CL_MEM_KERNEL_READ_AND_WRITE;
    RETURN_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    RETURN_IF(context, flags & ~known, CL_INVALID_VALUE, "unknown bits in flags 0x%llx", (unsigned long long)flags);
    RETURN_IF(context, !image_type_valid(type), CL_INVALID_VALUE, "0x%x is no type of image", type);
    RETURN_IF(context, room == 0 && formats, CL_INVALID_VALUE, "a place for formats is given, but its size is 0");
    if (count)
        *count = 0;
    return CL_SUCCESS;
}

/* clGetImageInfo: OpenCL 3.0, 5.3.7. */
TSR_API cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info name, size_t size, void *value, size_t *size_ret)
{
    (void)name, (void)size, (void)value, (void)size_ret;
    return tsr__error(NULL, CL_INVALID_MEM_OBJECT, __func__, "image", "not an image: %p", (void *)image);
}

/* ---- commands: OpenCL 3.0, 5.3.3 – 5.3.6 -------------------------------------------------------------------------------------------- */

TSR_API cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                                              const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr, cl_uint wait_count,
                                              const cl_event *wait_list, cl_event *event)
{
    (void)blocking, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch, (void)ptr, (void)wait_count, (void)wait_list,
        (void)event;
    return no_command(__func__, queue, image);
}

TSR_API cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                                               const size_t *region, size_t row_pitch, size_t slice_pitch, const void *ptr,
                                               cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    (void)blocking, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch, (void)ptr, (void)wait_count, (void)wait_list,
        (void)event;
    return no_command(__func__, queue, image);
}

TSR_API cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
                                              const size_t *region, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    (void)color, (void)origin, (void)region, (void)wait_count, (void)wait_list, (void)event;
    return no_command(__func__, queue, image);
}

TSR_API cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                                              const size_t *to_origin, const size_t *region, cl_uint wait_count, const cl_event *wait_list,
                                              cl_event *event)
{
    (void)to, (void)from_origin, (void)to_origin, (void)region, (void)wait_count, (void)wait_list, (void)event;
    return no_command(__func__, queue, from);
}

TSR_API cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t *origin,
                                                      const size_t *region, size_t offset, cl_uint wait_count, const cl_event *wait_list,
                                                      cl_event *event)
{
    (void)buffer, (void)origin, (void)region, (void)offset, (void)wait_count, (void)wait_list, (void)event;
    return no_command(__func__, queue, image);
}

TSR_API cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset,
                                                      const size_t *origin, const size_t *region, cl_uint wait_count,
                                                      const cl_event *wait_list, cl_event *event)
{
    (void)buffer, (void)origin, (void)region, (void)offset, (void)wait_count, (void)wait_list, (void)event;
    return no_command(__func__, queue, image);
}

TSR_API void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                                            const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
                                            cl_uint wait_count, const cl_event *wait_list, cl_event *event, cl_int *errcode_ret)
{
    (void)blocking, (void)flags, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch, (void)wait_count, (void)wait_list,
        (void)event;
    cl_int err = no_command(__func__, queue, image);
    if (errcode_ret)
        *errcode_ret = err;
    return NULL;
}
