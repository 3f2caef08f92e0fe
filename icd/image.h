/* SPDX-License-Identifier: Apache-2.0
 * What the files about images share. An image lies in the host's memory: devices with memory of their own have none. */
#ifndef TESSERA_ICD_IMAGE_H
#define TESSERA_ICD_IMAGE_H

#include "icd/mem.h"
#include "tessera/image_desc.h"

/* Limits of every device that has images: full profile of OpenCL 3.0, table 5. Sizes in pixels. */
enum {
    TSR__IMAGE_2D = 16384, /* width and height of 2D images, width of 1D ones */
    TSR__IMAGE_3D = 2048,  /* width, height, depth */
    TSR__IMAGE_LAYERS = 2048,
    TSR__IMAGE_BUFFER = 1 << 27, /* width of 1D images of a buffer, where the device has objects of so many bytes */
    TSR__IMAGE_READ_ARGS = 128,
    TSR__IMAGE_WRITE_ARGS = 128,
    TSR__IMAGE_READ_WRITE_ARGS = 128,
    TSR__IMAGE_SAMPLERS = 16,
    /* Of images in buffers: rows and the first pixel begin at any multiple of the pixel. */
    TSR__IMAGE_ALIGN = 1,
};
enum { TSR__MOST_PIXEL = 16 }; /* bytes of the largest pixel */
/* CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: any format fits into the largest object. */
static inline uint64_t tsr__image_buffer_limit(const struct tsr_device_caps *caps)
{
    uint64_t pixels = caps->max_allocation / TSR__MOST_PIXEL;
    return pixels < TSR__IMAGE_BUFFER ? pixels : TSR__IMAGE_BUFFER;
}

/* A type of images. Pixels have `dims` coordinates, and one more of an array's elements. */
struct tsr__image_kind {
    cl_mem_object_type type;
    unsigned dims;
    bool array;
    const char *name;
};
static inline unsigned tsr__image_coordinates(const struct tsr__image_kind *kind)
{
    return kind->dims + kind->array;
}
/* Whether images have a slice pitch: that of a 1D array is from element to element. */
static inline bool tsr__image_has_slices(const struct tsr__image_kind *kind)
{
    return kind->array || kind->dims == 3;
}
/* NULL: no type of images. */
const struct tsr__image_kind *tsr__image_kind(cl_mem_object_type type);

struct tsr__image {
    struct tsr_image_desc desc; /* what a kernel's argument points to; without addresses until the image is placed */
    const struct tsr__image_kind *kind;
    const struct tsr_image_format *format;
    cl_uint mip_levels; /* as asked for: 0 without mipmaps */
    size_t size;        /* bytes, all levels */
};

/* Whether some device of the context has images, or mipmaps as well. */
bool tsr__context_has_images(const struct _cl_context *context);
bool tsr__context_has_mipmaps(const struct _cl_context *context);

/* The sizes that an image can have, and the most that some device of the context has of each; 0: this type has no such size. */
enum { TSR__IMAGE_WIDTH, TSR__IMAGE_HEIGHT, TSR__IMAGE_DEPTH, TSR__IMAGE_ARRAY_SIZE, TSR__IMAGE_SIZES };
void tsr__image_limits(const struct _cl_context *context, const struct tsr__image_kind *kind, uint64_t most[TSR__IMAGE_SIZES]);

/* Where the pixels of an image are, if in no other object. */
enum tsr__image_pixels {
    TSR__IMAGE_OWN,     /* in memory of its own */
    TSR__IMAGE_OF_HOST, /* where a pointer of the host says, or copied from there, so pitches may be given */
    TSR__IMAGE_PLANNED, /* nowhere: the application only asks, and the buffer of an image that needs one is not there yet */
};
/* Checks format and description, and fills *image with all but addresses. CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
 * CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_IMAGE_SIZE. (icd/image_shape.c) */
cl_int tsr__image_shape(const char *function, struct _cl_context *context, const cl_image_format *format, const cl_image_desc *desc,
                        enum tsr__image_pixels pixels, struct tsr__image *image);

/* Whether an origin in the image has its level in origin[index], behind the coordinates. */
static inline bool tsr__image_has_level(const struct tsr__image *image, unsigned index)
{
    return image->mip_levels > 1 && tsr__image_coordinates(image->kind) == index;
}

/* A pixel in memory: TSR__MOST_PIXEL bytes at most. `color` has one value of 32 bits (CL_DEPTH) or four, as clEnqueueFillImage takes them.
 * (icd/image_pixel.c) */
void tsr__image_pack(const struct tsr_image_format *format, const void *color, unsigned char pixel[TSR__MOST_PIXEL]);

/* A sampler as a kernel gets it. (icd/sampler.c) */
uint32_t tsr__sampler_word(const struct _cl_sampler *sampler);

#endif
