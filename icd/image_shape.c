/* SPDX-License-Identifier: Apache-2.0
 * Formats and descriptions of images: which are right, which the devices have, and how the pixels lie in memory. */
#include <string.h>

#include "icd/image.h"

/* ---- types ---- */

const struct tsr__image_kind *tsr__image_kind(cl_mem_object_type type)
{
    static const struct tsr__image_kind kinds[] = {
        {CL_MEM_OBJECT_IMAGE1D, 1, false, "1D image"},      {CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, false, "1D image of a buffer"},
        {CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, true, "1D array"}, {CL_MEM_OBJECT_IMAGE2D, 2, false, "2D image"},
        {CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, true, "2D array"}, {CL_MEM_OBJECT_IMAGE3D, 3, false, "3D image"},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(kinds); i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

bool tsr__context_has_images(const struct _cl_context *context)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->devices[i]->caps->images)
            return true;
    return false;
}

bool tsr__context_has_mipmaps(const struct _cl_context *context)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->devices[i]->caps->extensions.has[TSR_HAS_cl_khr_mipmap_image])
            return true;
    return false;
}

/* ---- formats ---- */

bool tsr__device_has_format(const struct _cl_device_id *device, const struct tsr_image_format *format)
{
    return device->caps->images && (!device->ops->image_format || device->ops->image_format(device->impl, format));
}

static bool context_has_format(const struct _cl_context *context, const struct tsr_image_format *format)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (tsr__device_has_format(context->devices[i], format))
            return true;
    return false;
}

/* Which data types the specification allows for an order (OpenCL 3.0, 5.3.1.1), whether or not a device has them. */
static bool format_valid(cl_uint order, cl_uint type)
{
#define BIT(name) (1u << (CL_##name - CL_SNORM_INT8))
    enum {
        BYTES = BIT(UNORM_INT8) | BIT(SNORM_INT8) | BIT(SIGNED_INT8) | BIT(UNSIGNED_INT8),
        GREYS = BIT(UNORM_INT8) | BIT(UNORM_INT16) | BIT(SNORM_INT8) | BIT(SNORM_INT16) | BIT(HALF_FLOAT) | BIT(FLOAT),
        PLAIN = BYTES | GREYS | BIT(SIGNED_INT16) | BIT(SIGNED_INT32) | BIT(UNSIGNED_INT16) | BIT(UNSIGNED_INT32),
        PACKED = BIT(UNORM_SHORT_565) | BIT(UNORM_SHORT_555) | BIT(UNORM_INT_101010),
    };
    static const struct {
        cl_uint order;
        uint32_t types;
    } rules[] = {
        {CL_R, PLAIN},
        {CL_A, PLAIN},
        {CL_RG, PLAIN},
        {CL_RA, PLAIN},
        {CL_Rx, PLAIN},
        {CL_RGx, PLAIN},
        {CL_RGBA, PLAIN | BIT(UNORM_INT_101010_2)},
        {CL_RGB, PACKED},
        {CL_RGBx, PACKED},
        {CL_BGRA, BYTES},
        {CL_ARGB, BYTES},
        {CL_ABGR, BYTES},
        {CL_INTENSITY, GREYS},
        {CL_LUMINANCE, GREYS},
        {CL_sRGB, BIT(UNORM_INT8)},
        {CL_sRGBx, BIT(UNORM_INT8)},
        {CL_sRGBA, BIT(UNORM_INT8)},
        {CL_sBGRA, BIT(UNORM_INT8)},
        {CL_DEPTH, BIT(UNORM_INT16) | BIT(FLOAT)},
    };
#undef BIT
    for (size_t i = 0; i < TSR_ARRAY_LEN(rules); i++)
        if (rules[i].order == order)
            return type >= CL_SNORM_INT8 && type - CL_SNORM_INT8 < 32 && rules[i].types >> (type - CL_SNORM_INT8) & 1;
    return false;
}

/* "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if values specified in image_format are not valid or if image_format is NULL",
 * "CL_IMAGE_FORMAT_NOT_SUPPORTED if there are no devices in context that support image_format". */
static cl_int check_format(const char *function, struct _cl_context *context, const cl_image_format *format,
                           const struct tsr__image_kind *kind, struct tsr__image *image)
{
    cl_uint order = format->image_channel_order, type = format->image_channel_data_type;
    if (!format_valid(order, type))
        return tsr__error(context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, function, "image_format",
                          "channel order 0x%x and data type 0x%x do not go together", order, type);
    image->format = tsr_image_find_format(order, type);
    if (!image->format || (image->format->depth && kind->dims != 2) || !context_has_format(context, image->format))
        return tsr__error(context, CL_IMAGE_FORMAT_NOT_SUPPORTED, function, "image_format",
                          "no device has a %s of channel order 0x%x and data type 0x%x; clGetSupportedImageFormats lists what there is",
                          kind->name, order, type);
    tsr_image_set_format(&image->desc, image->format);
    return CL_SUCCESS;
}

/* ---- sizes ---- */

/* The largest sizes on one device; all 0 if it has no images. */
static void device_limits(const struct _cl_device_id *device, const struct tsr__image_kind *kind, uint64_t most[TSR__IMAGE_SIZES])
{
    static const struct tsr_image_limits none;
    const struct tsr_image_limits *limits = device->caps->images ? &device->caps->image : &none;
    uint64_t side = kind->dims == 3 ? limits->side_3d : limits->side_2d;
    most[TSR__IMAGE_WIDTH] = kind->type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? limits->buffer : side;
    most[TSR__IMAGE_HEIGHT] = kind->dims > 1 ? side : 0;
    most[TSR__IMAGE_DEPTH] = kind->dims > 2 ? side : 0;
    most[TSR__IMAGE_ARRAY_SIZE] = kind->array ? limits->layers : 0;
}

void tsr__image_limits(const struct _cl_context *context, const struct tsr__image_kind *kind, uint64_t most[TSR__IMAGE_SIZES])
{
    uint64_t one[TSR__IMAGE_SIZES];
    memset(most, 0, TSR__IMAGE_SIZES * sizeof *most);
    for (cl_uint i = 0; i < context->device_count; i++) {
        device_limits(context->devices[i], kind, one);
        for (size_t d = 0; d < TSR__IMAGE_SIZES; d++)
            most[d] = one[d] > most[d] ? one[d] : most[d];
    }
}

cl_int tsr__image_fits(const struct _cl_mem *mem, const struct _cl_device_id *device)
{
    const struct tsr__image *image = mem->image;
    const struct tsr_image_level *level = &image->desc.level[0];
    const uint64_t sizes[TSR__IMAGE_SIZES] = {level->width, level->height, level->depth, image->desc.array_size};
    uint64_t most[TSR__IMAGE_SIZES];
    if (!device->caps->images)
        return CL_INVALID_OPERATION;
    if (!tsr__device_has_format(device, image->format) || (image->mip_levels && !device->caps->extensions.has[TSR_HAS_cl_khr_mipmap_image]))
        return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    device_limits(device, image->kind, most);
    for (size_t i = 0; i < TSR__IMAGE_SIZES; i++)
        if (most[i] && sizes[i] > most[i])
            return CL_INVALID_IMAGE_SIZE;
    return CL_SUCCESS;
}

cl_int tsr__check_image_on(const char *function, const struct _cl_mem *mem, const struct _cl_device_id *device)
{
    cl_int err = tsr__image_fits(mem, device);
    if (err == CL_INVALID_OPERATION)
        return tsr__error(mem->context, err, function, "queue", "the device of the queue has no images");
    if (err != CL_SUCCESS)
        return tsr__error(mem->context, err, function, "queue",
                          "the device of the queue has no %s of %s%s%s; ask clGetSupportedImageFormats and clGetDeviceInfo for this device "
                          "alone, or use the queue of another device",
                          mem->image->kind->name, mem->image->format->name, mem->image->mip_levels ? " with mipmaps" : "",
                          err == CL_INVALID_IMAGE_SIZE ? " of this size" : "");
    return CL_SUCCESS;
}

/* "CL_INVALID_IMAGE_DESCRIPTOR if values specified in image_desc are not valid", "CL_INVALID_IMAGE_SIZE if image dimensions specified in
 * image_desc exceed the maximum image dimensions for all devices in context". */
static cl_int check_size(const char *function, struct _cl_context *context, const cl_image_desc *desc, struct tsr__image *image)
{
    const struct tsr__image_kind *kind = image->kind;
    static const char *const names[TSR__IMAGE_SIZES] = {"width", "height", "depth", "array size"};
    const size_t sizes[TSR__IMAGE_SIZES] = {desc->image_width, desc->image_height, desc->image_depth, desc->image_array_size};
    uint64_t most[TSR__IMAGE_SIZES];
    tsr__image_limits(context, kind, most);
    for (size_t i = 0; i < TSR__IMAGE_SIZES; i++)
        if (most[i] && !sizes[i])
            return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "image_desc", "the %s of a %s is 0", names[i], kind->name);
    for (size_t i = 0; i < TSR__IMAGE_SIZES; i++)
        if (most[i] && sizes[i] > most[i])
            return tsr__error(context, CL_INVALID_IMAGE_SIZE, function, "image_desc", "the %s %zu of a %s is more than %llu", names[i],
                              sizes[i], kind->name, (unsigned long long)most[i]);
    struct tsr_image_level *level = &image->desc.level[0];
    level->width = (uint32_t)desc->image_width;
    level->height = kind->dims > 1 ? (uint32_t)desc->image_height : 1;
    level->depth = kind->dims > 2 ? (uint32_t)desc->image_depth : 1;
    image->desc.array_size = kind->array ? (uint32_t)desc->image_array_size : 1;
    return CL_SUCCESS;
}

static cl_int check_levels(const char *function, struct _cl_context *context, const cl_image_desc *desc, bool has_memory,
                           struct tsr__image *image)
{
    /* Levels below that of one pixel have one pixel, too: Khronos' tests give the smaller of two images as many levels as the larger. */
    cl_uint most = tsr__context_has_mipmaps(context) && !has_memory ? TSR_IMAGE_MAX_LEVELS : 0;
    if (desc->num_mip_levels > most)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "num_mip_levels",
                          "%u levels; there can be %u, and none where a pointer or a buffer is given", desc->num_mip_levels, most);
    if (desc->num_samples)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "num_samples", "no device has images with %u samples",
                          desc->num_samples);
    image->mip_levels = desc->num_mip_levels;
    image->desc.mip_levels = desc->num_mip_levels ? desc->num_mip_levels : 1;
    return CL_SUCCESS;
}

/* ---- pitches ---- */

/* The pitches of level 0: as given, or those of pixels without gaps. */
static cl_int check_pitches(const char *function, struct _cl_context *context, const cl_image_desc *desc, bool has_memory,
                            struct tsr__image *image)
{
    struct tsr_image_level *level = &image->desc.level[0];
    const struct tsr__image_kind *kind = image->kind;
    size_t row = desc->image_row_pitch, slice = desc->image_slice_pitch, pixel = image->desc.pixel_bytes;
    if ((row || slice) && !has_memory)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "image_row_pitch",
                          "pitches %zu and %zu without a pointer or a buffer: they must be 0", row, slice);
    size_t least = level->width * pixel;
    if (row && row < least)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "image_row_pitch", "row pitch %zu, but a row has %zu bytes", row,
                          least);
    if (row % pixel)
        return tsr__error(context, desc->buffer ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR, function,
                          "image_row_pitch", "row pitch %zu is no multiple of the pixel's %zu bytes", row, pixel);
    level->row_pitch = row ? row : least;
    if (__builtin_mul_overflow(level->row_pitch, (uint64_t)level->height, &least))
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "image_row_pitch", "row pitch %zu passes the address space", row);
    bool has_slices = tsr__image_has_slices(kind);
    if (slice && has_slices && slice < least)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "image_slice_pitch", "slice pitch %zu, but a slice has %zu bytes",
                          slice, least);
    /* In a buffer, slices begin where CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT lets them. */
    size_t unit = desc->buffer ? pixel : level->row_pitch;
    if (slice % unit)
        return tsr__error(context, desc->buffer ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR, function,
                          "image_slice_pitch", "slice pitch %zu is no multiple of %zu", slice, unit);
    level->slice_pitch = slice && has_slices ? slice : least;
    uint64_t slices = (uint64_t)level->depth * image->desc.array_size;
    if (__builtin_mul_overflow(level->slice_pitch, slices, &image->size))
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "image_slice_pitch", "slice pitch %zu passes the address space",
                          slice);
    return CL_SUCCESS;
}

/* Functions on images compute in 32 bits where a pixel is: tessera/image_desc.h. */
static cl_int check_offsets(const char *function, struct _cl_context *context, bool has_memory, const struct tsr__image *image)
{
    enum { WORD = 4 };
    uint64_t unit = image->desc.pixel_bytes < WORD ? image->desc.pixel_bytes : WORD;
    if (image->size / unit <= INT32_MAX)
        return CL_SUCCESS;
    return tsr__error(context, has_memory ? CL_INVALID_IMAGE_SIZE : CL_MEM_OBJECT_ALLOCATION_FAILURE, function, "size",
                      "an image of %zu bytes: with pixels of %u bytes no device has images of more than %llu", image->size,
                      image->desc.pixel_bytes, (unsigned long long)(unit * INT32_MAX));
}

/* Level after level, each without gaps. `pixels` becomes the offset of the level's first pixel. */
static void lay_out_levels(struct tsr__image *image)
{
    for (cl_uint i = 1; i < image->desc.mip_levels; i++) {
        const struct tsr_image_level *above = &image->desc.level[i - 1];
        struct tsr_image_level *level = &image->desc.level[i];
        image->size = (image->size + TSR_MAX_ALIGN - 1) / TSR_MAX_ALIGN * TSR_MAX_ALIGN;
        level->pixels = image->size;
        level->width = above->width > 1 ? above->width / 2 : 1;
        level->height = above->height > 1 ? above->height / 2 : 1;
        level->depth = above->depth > 1 ? above->depth / 2 : 1;
        level->row_pitch = (uint64_t)level->width * image->desc.pixel_bytes;
        level->slice_pitch = level->row_pitch * level->height;
        image->size += level->slice_pitch * level->depth * image->desc.array_size;
    }
}

/* ---- memory of other objects ---- */

static cl_int check_buffer(const char *function, struct _cl_context *context, const struct _cl_mem *buffer, const struct tsr__image *image)
{
    if ((uintptr_t)buffer->data % image->desc.pixel_bytes)
        return tsr__error(context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, function, "buffer",
                          "the buffer begins at %p, which is no multiple of the pixel's %u bytes", (void *)buffer->data,
                          image->desc.pixel_bytes);
    if (image->size > buffer->size)
        return tsr__error(context, CL_INVALID_IMAGE_SIZE, function, "buffer", "the image takes %zu bytes, the buffer has %zu", image->size,
                          buffer->size);
    return CL_SUCCESS;
}

/* Whether pixels of one order can be seen as those of the other. */
static bool orders_compatible(cl_uint order, cl_uint of_parent)
{
    static const cl_uint pairs[][2] = {{CL_sBGRA, CL_BGRA}, {CL_sRGBA, CL_RGBA}, {CL_sRGB, CL_RGB}, {CL_sRGBx, CL_RGBx}, {CL_DEPTH, CL_R}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(pairs); i++)
        if ((pairs[i][0] == order && pairs[i][1] == of_parent) || (pairs[i][1] == order && pairs[i][0] == of_parent))
            return true;
    return order == of_parent;
}

/* A 2D image with the pixels of another one: the same in all but the channel order. */
static cl_int check_view(const char *function, struct _cl_context *context, const cl_image_desc *desc, const struct tsr__image *parent,
                         struct tsr__image *image)
{
    const struct tsr_image_level *level = &parent->desc.level[0];
    if (parent->desc.channel_type != image->desc.channel_type || !orders_compatible(image->desc.channel_order, parent->desc.channel_order))
        return tsr__error(context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, function, "image_format",
                          "pixels of channel order 0x%x and data type 0x%x cannot be seen as 0x%x and 0x%x", parent->desc.channel_order,
                          parent->desc.channel_type, image->desc.channel_order, image->desc.channel_type);
    if (desc->image_width != level->width || desc->image_height != level->height || desc->num_mip_levels || parent->mip_levels ||
        (desc->image_row_pitch && desc->image_row_pitch != level->row_pitch))
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "image_desc",
                          "an image in an image of %u x %u with row pitch %llu must have the same size and pitch, and no mipmaps",
                          level->width, level->height, (unsigned long long)level->row_pitch);
    image->desc.level[0].row_pitch = level->row_pitch;
    image->desc.level[0].slice_pitch = level->slice_pitch;
    image->size = parent->size;
    return CL_SUCCESS;
}

/* Which kinds of images lie in which objects. */
static cl_int check_parent(const char *function, struct _cl_context *context, const cl_image_desc *desc, const struct tsr__image_kind *kind,
                           bool planned)
{
    const struct _cl_mem *parent = desc->mem_object;
    bool wanted = kind->type == CL_MEM_OBJECT_IMAGE1D_BUFFER && !planned;
    if (!parent && wanted)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "buffer", "a %s needs a buffer", kind->name);
    if (!parent)
        return CL_SUCCESS;
    if (!tsr__valid(parent, TSR_TAG_MEM) || parent->context != context)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "mem_object", "not a memory object of the context: %p",
                          (const void *)parent);
    bool view = parent->type == CL_MEM_OBJECT_IMAGE2D && kind->type == CL_MEM_OBJECT_IMAGE2D;
    if (parent->type != CL_MEM_OBJECT_BUFFER && !view)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "mem_object",
                          "a %s can lie in a buffer, and a 2D image in another 2D image", kind->name);
    return CL_SUCCESS;
}

cl_int tsr__image_shape(const char *function, struct _cl_context *context, const cl_image_format *format, const cl_image_desc *desc,
                        enum tsr__image_pixels pixels, struct tsr__image *image)
{
    *image = (struct tsr__image){0};
    if (!format)
        return tsr__error(context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, function, "image_format", "image_format is NULL");
    if (!desc)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "image_desc", "image_desc is NULL");
    const struct tsr__image_kind *kind = image->kind = tsr__image_kind(desc->image_type);
    if (!kind)
        return tsr__error(context, CL_INVALID_IMAGE_DESCRIPTOR, function, "image_type", "0x%x is no type of image", desc->image_type);
    cl_int err;
    bool has_memory = pixels == TSR__IMAGE_OF_HOST || desc->mem_object;
    if ((err = check_format(function, context, format, kind, image)) ||
        (err = check_parent(function, context, desc, kind, pixels == TSR__IMAGE_PLANNED)) ||
        (err = check_size(function, context, desc, image)) || (err = check_levels(function, context, desc, has_memory, image)))
        return err;
    const struct _cl_mem *parent = desc->mem_object;
    if (parent && parent->image)
        return check_view(function, context, desc, parent->image, image);
    if ((err = check_pitches(function, context, desc, has_memory, image)) || (err = check_offsets(function, context, has_memory, image)))
        return err;
    lay_out_levels(image);
    return parent ? check_buffer(function, context, parent, image) : CL_SUCCESS;
}
