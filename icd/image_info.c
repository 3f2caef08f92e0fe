/* SPDX-License-Identifier: Apache-2.0
 * What can be asked about images: the formats that there are, an image's properties, what an image would need. */
#include "icd/image.h"

/* `both`: a kernel may read and write the same image. */
static bool some_device_has(const struct _cl_context *context, const struct tsr_image_format *format, bool both)
{
    for (cl_uint i = 0; i < context->device_count; i++) {
        const struct _cl_device_id *device = context->devices[i];
        if ((!both || (format->both && device->caps->extensions.has[TSR_HAS___opencl_c_read_write_images])) &&
            tsr__device_has_format(device, format))
            return true;
    }
    return false;
}

/* clGetSupportedImageFormats: OpenCL 3.0, 5.3.2. "a union of image formats supported by all devices in the context" */
TSR_API cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint room,
                                                      cl_image_format *formats, cl_uint *count)
{
    RETURN_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    RETURN_IF(context, !tsr__mem_flags_valid(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE), CL_INVALID_VALUE,
              "flags 0x%llx: unknown, or some that exclude each other", (unsigned long long)flags);
    const struct tsr__image_kind *kind = tsr__image_kind(type);
    RETURN_IF(context, !kind, CL_INVALID_VALUE, "0x%x is no type of image", type);
    RETURN_IF(context, room == 0 && formats, CL_INVALID_VALUE, "a place for formats is given, but its size is 0");
    cl_uint found = 0;
    for (uint32_t i = 0; i < tsr_image_format_count; i++) {
        const struct tsr_image_format *format = &tsr_image_formats[i];
        if ((format->depth && kind->dims != 2) || !some_device_has(context, format, flags & CL_MEM_KERNEL_READ_AND_WRITE))
            continue;
        if (formats && found < room)
            formats[found] = (cl_image_format){format->order, format->type};
        found++;
    }
    if (count)
        *count = found;
    return CL_SUCCESS;
}

/* clGetImageInfo: OpenCL 3.0, 5.3.7. */
TSR_API cl_int CL_API_CALL clGetImageInfo(cl_mem mem, cl_image_info name, size_t size, void *value, size_t *size_ret)
{
    RETURN_IF(NULL, !tsr__valid(mem, TSR_TAG_MEM) || !mem->image, CL_INVALID_MEM_OBJECT, "not an image: %p", (void *)mem);
    struct tsr_info_out out = {size, value, size_ret};
    const struct tsr__image *image = mem->image;
    const struct tsr__image_kind *kind = image->kind;
    const struct tsr_image_level *level = &image->desc.level[0];
    switch (name) {
    case CL_IMAGE_FORMAT:
        return tsr__info_bytes(out, &(cl_image_format){image->format->order, image->format->type}, sizeof(cl_image_format));
    case CL_IMAGE_ELEMENT_SIZE:
        return tsr__info_value(out, size_t, image->format->pixel_bytes);
    case CL_IMAGE_ROW_PITCH:
        return tsr__info_value(out, size_t, level->row_pitch);
    case CL_IMAGE_SLICE_PITCH:
        return tsr__info_value(out, size_t, tsr__image_has_slices(kind) ? level->slice_pitch : 0);
    case CL_IMAGE_WIDTH:
        return tsr__info_value(out, size_t, level->width);
    case CL_IMAGE_HEIGHT:
        return tsr__info_value(out, size_t, kind->dims > 1 ? level->height : 0);
    case CL_IMAGE_DEPTH:
        return tsr__info_value(out, size_t, kind->dims > 2 ? level->depth : 0);
    case CL_IMAGE_ARRAY_SIZE:
        return tsr__info_value(out, size_t, kind->array ? image->desc.array_size : 0);
    case CL_IMAGE_BUFFER:
        return tsr__info_value(out, cl_mem, mem->parent && !mem->parent->image ? mem->parent : NULL);
    case CL_IMAGE_NUM_MIP_LEVELS:
        return tsr__info_value(out, cl_uint, image->mip_levels);
    case CL_IMAGE_NUM_SAMPLES:
        return tsr__info_value(out, cl_uint, 0);
    default:
        return tsr__error(mem->context, CL_INVALID_VALUE, __func__, "param_name", "no image has the property 0x%x", name);
    }
}

/* ---- cl_ext_image_requirements_info, cl_ext_image_from_buffer ---- */

/* One size that images of a type can have; CL_INVALID_IMAGE_DESCRIPTOR if they have no such size. */
static cl_int most(struct _cl_context *context, const struct tsr__image_kind *kind, cl_image_requirements_info_ext name,
                   struct tsr_info_out out)
{
    static const cl_image_requirements_info_ext names[TSR__IMAGE_SIZES] = {
        CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT};
    uint64_t limits[TSR__IMAGE_SIZES];
    tsr__image_limits(context, kind, limits);
    size_t i = 0;
    while (i < TSR__IMAGE_SIZES && names[i] != name)
        i++;
    RETURN_IF(context, i == TSR__IMAGE_SIZES, CL_INVALID_VALUE, "0x%x is no requirement of images", name);
    RETURN_IF(context, !limits[i], CL_INVALID_IMAGE_DESCRIPTOR, "a %s has no such size", kind->name);
    return tsr__info_value(out, cl_uint, (cl_uint)limits[i]);
}

TSR_API cl_int CL_API_CALL clGetImageRequirementsInfoEXT(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                                         const cl_image_format *format, const cl_image_desc *desc,
                                                         cl_image_requirements_info_ext name, size_t size, void *value, size_t *size_ret)
{
    RETURN_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    RETURN_IF(context, !tsr__context_has_images(context), CL_INVALID_OPERATION, "no device of the context has images");
    RETURN_IF(context, properties && *properties, CL_INVALID_PROPERTY, "no image has the property 0x%llx", (unsigned long long)*properties);
    RETURN_IF(context, !tsr__mem_flags_valid(flags), CL_INVALID_VALUE, "flags 0x%llx: unknown, or some that exclude each other",
              (unsigned long long)flags);
    RETURN_IF(context, !desc, CL_INVALID_VALUE, "image_desc is NULL, and the answer depends on it");
    const struct tsr__image_kind *kind = tsr__image_kind(desc->image_type);
    RETURN_IF(context, !kind, CL_INVALID_IMAGE_DESCRIPTOR, "0x%x is no type of image", desc->image_type);
    struct tsr_info_out out = {size, value, size_ret};
    struct tsr__image image = {0};
    cl_int err = format ? tsr__image_shape(__func__, context, format, desc, TSR__IMAGE_PLANNED, &image) : CL_SUCCESS;
    if (err != CL_SUCCESS)
        return err;
    switch (name) {
    case CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT:
    case CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT:
    case CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT:
        return tsr__info_value(out, size_t, TSR__IMAGE_ALIGN *(size_t)(format ? image.format->pixel_bytes : TSR__MOST_PIXEL));
    case CL_IMAGE_REQUIREMENTS_SIZE_EXT:
        RETURN_IF(context, !format, CL_INVALID_VALUE, "image_format is NULL, and the size depends on it");
        return tsr__info_value(out, size_t, image.size);
    default:
        return most(context, kind, name, out);
    }
}
