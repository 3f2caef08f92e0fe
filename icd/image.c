/* SPDX-License-Identifier: Apache-2.0
 * Images: their creation. */
#include <string.h>

#include "icd/image.h"

/* Copies all pixels of the host's image, whose pitches the description gives, into memory without gaps. */
static void copy_pixels(struct _cl_mem *mem, const struct tsr_image_level *host, const unsigned char *pixels)
{
    const struct tsr_image_desc *desc = &mem->image->desc;
    const struct tsr_image_level *level = &desc->level[0];
    size_t row = (size_t)level->width * desc->pixel_bytes, slices = (size_t)level->depth * desc->array_size;
    if (host->row_pitch == level->row_pitch && (slices == 1 || host->slice_pitch == level->slice_pitch)) {
        tsr__take_contents(mem->context, mem->data, pixels, mem->size);
        return;
    }
    for (size_t z = 0; z < slices; z++)
        for (size_t y = 0; y < level->height; y++)
            memcpy(mem->data + z * level->slice_pitch + y * level->row_pitch, pixels + z * host->slice_pitch + y * host->row_pitch, row);
}

/* The memory of an image that lies in no other object. */
static cl_int allocate(const char *function, struct _cl_mem *mem, const struct tsr__mem_properties *p, void *host_ptr)
{
    if (p->imports)
        return tsr__mem_import(function, mem, p);
    struct tsr__image *image = mem->image;
    struct tsr_image_level *level = &image->desc.level[0];
    if (mem->flags & CL_MEM_USE_HOST_PTR) {
        mem->data = mem->host_ptr = host_ptr;
        return CL_SUCCESS;
    }
    struct tsr_image_level host = *level;
    if (host_ptr) { /* the image itself has no gaps */
        level->row_pitch = (uint64_t)level->width * image->desc.pixel_bytes;
        level->slice_pitch = level->row_pitch * level->height;
        mem->size = image->size = level->slice_pitch * level->depth * image->desc.array_size;
    }
    if (!tsr__mem_too_large(mem->context, mem->size))
        mem->data = tsr__mem_allocate(mem->size);
    if (!mem->data)
        return tsr__error(mem->context, CL_MEM_OBJECT_ALLOCATION_FAILURE, function, "data", "there are no %zu bytes for an image",
                          mem->size);
    mem->owns_data = true;
    if (host_ptr)
        copy_pixels(mem, &host, host_ptr);
    return CL_SUCCESS;
}

/* Makes addresses of the levels' offsets. */
static void place(struct _cl_mem *mem)
{
    struct tsr_image_desc *desc = &mem->image->desc;
    for (cl_uint i = 0; i < desc->mip_levels; i++)
        desc->level[i].pixels += (uintptr_t)mem->data;
}

/* The checks in the order of the specification's list, and the object without memory. */
static cl_int make(const char *function, cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                   const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, struct _cl_mem **made)
{
    struct _cl_mem *mem = NULL;
    cl_int err;
    struct tsr__mem_properties p;
    if ((err = tsr__read_mem_properties(function, context, properties, false, &p)))
        return err;
    if (!tsr__mem_flags_valid(flags))
        return tsr__error(context, CL_INVALID_VALUE, function, "flags", "flags 0x%llx: unknown, or some that exclude each other",
                          (unsigned long long)flags);
    const struct _cl_mem *of = desc && tsr__valid(desc->mem_object, TSR_TAG_MEM) ? desc->mem_object : NULL;
    if (of ? of->flags & ~flags & CL_MEM_IMMUTABLE_EXT : !tsr__mem_flags_give_contents(flags, p.imports))
        return tsr__error(context, CL_INVALID_VALUE, function, "CL_MEM_IMMUTABLE_EXT", "%s",
                          of ? "the object that the image is made of is CL_MEM_IMMUTABLE_EXT, so the image must be"
                             : "CL_MEM_IMMUTABLE_EXT needs CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR");
    if (p.imports && of)
        return tsr__error(context, CL_INVALID_PROPERTY, function, "properties",
                          "an image in a memory object is not imported: mem_object must be NULL");
    if ((err = tsr__check_import_flags(function, context, flags, p.imports)))
        return err;
    struct tsr__image *image = tsr_calloc(1, sizeof *image);
    if (!image)
        return tsr__error(context, CL_OUT_OF_HOST_MEMORY, function, "image", "no memory for an image object");
    struct _cl_mem *parent = NULL;
    cl_mem_flags all = tsr__mem_flags_of_root(flags);
    if ((err = tsr__image_shape(function, context, format, desc, host_ptr || p.imports ? TSR__IMAGE_OF_HOST : TSR__IMAGE_OWN, image)) ||
        (err = tsr__check_host_pointer(function, context, flags, host_ptr)))
        goto fail;
    parent = desc->mem_object;
    if (parent && (err = tsr__mem_flags_of_part(function, parent, flags, &all)))
        goto fail;
    mem = tsr__mem_new(context, image->kind->type, all, image->size);
    err = mem ? CL_SUCCESS : tsr__error(context, CL_OUT_OF_HOST_MEMORY, function, "mem", "no memory for an image object");
fail:
    if (err != CL_SUCCESS) {
        tsr_free(image);
        return err;
    }
    mem->image = image;
    *made = mem;
    if (!tsr__keep_properties(properties, p.words, &mem->properties, &mem->property_count))
        return tsr__error(context, CL_OUT_OF_HOST_MEMORY, function, "properties", "no memory for an image object");
    if (parent)
        tsr__mem_become_part(mem, parent, 0);
    else if ((err = allocate(function, mem, &p, host_ptr)))
        return err;
    place(mem);
    if (!parent && context->own_memory && !(mem->residence = tsr__residence_new(context, mem->size, host_ptr != NULL, NULL)))
        return tsr__error(context, CL_OUT_OF_HOST_MEMORY, function, "residence", "no memory for an image object");
    return CL_SUCCESS;
}

static cl_mem create(const char *function, cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                     const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    struct _cl_mem *mem = NULL;
    cl_int err;
    if (!tsr__valid(context, TSR_TAG_CONTEXT))
        err = tsr__error(NULL, CL_INVALID_CONTEXT, function, "context", "not a context: %p", (void *)context);
    else if (!tsr__context_has_images(context))
        err = tsr__error(context, CL_INVALID_OPERATION, function, "CL_DEVICE_IMAGE_SUPPORT", "no device of the context has images");
    else
        err = make(function, context, properties, flags, format, desc, host_ptr, &mem);
    return tsr__created(mem, err, errcode_ret);
}

/* clCreateImageWithProperties, clCreateImage: OpenCL 3.0, 5.3.1. */
TSR_API cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                                       const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                                                       cl_int *errcode_ret)
{
    return create(__func__, context, properties, flags, format, desc, host_ptr, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                                         void *host_ptr, cl_int *errcode_ret)
{
    return create(__func__, context, NULL, flags, format, desc, host_ptr, errcode_ret);
}

/* clCreateImage2D, clCreateImage3D: OpenCL 1.1, deprecated. "CL_INVALID_IMAGE_SIZE if" a size is 0 or too large, or a pitch is wrong. */
static cl_mem create_old(const char *function, cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    cl_int err;
    cl_mem mem = create(function, context, NULL, flags, format, desc, host_ptr, &err);
    if (errcode_ret)
        *errcode_ret = err == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : err;
    return mem;
}

TSR_API cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                                           size_t height, size_t row_pitch, void *host_ptr, cl_int *errcode_ret)
{
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = row_pitch};
    return create_old(__func__, context, flags, format, &desc, host_ptr, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                                           size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr,
                                           cl_int *errcode_ret)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row_pitch,
                                .image_slice_pitch = slice_pitch};
    return create_old(__func__, context, flags, format, &desc, host_ptr, errcode_ret);
}
