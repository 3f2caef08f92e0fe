/* SPDX-License-Identifier: Apache-2.0
 * What the files about images share. An image lies in the host's memory; a device with memory of its own has an object of its driver beside
 * it, made when a command first needs it, whose pixels icd/residence.c keeps up to date. */
#ifndef TESSERA_ICD_IMAGE_H
#define TESSERA_ICD_IMAGE_H

#include "icd/mem.h"
#include "tessera/image_desc.h"

/* Of images in buffers, in pixels: rows and the first pixel begin at any multiple of the pixel. */
enum { TSR__IMAGE_ALIGN = 1 };
enum { TSR__MOST_PIXEL = 16 }; /* bytes of the largest pixel */

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

/* Pixels of level `level` in each of three directions; 1 where the image has no such coordinate. */
static inline void tsr__image_extent(const struct tsr__image *image, cl_uint level, size_t extent[3])
{
    const struct tsr_image_level *at = &image->desc.level[level];
    extent[0] = at->width;
    extent[1] = image->kind->dims > 1 ? at->height : image->desc.array_size;
    extent[2] = image->kind->dims == 3 ? at->depth : image->kind->dims == 2 ? image->desc.array_size : 1;
}

/* Bytes from one pixel to the next in the direction of the second and third coordinate. A 1D array is one slice, whose rows are its
 * elements, so the second number is the size of all of it. */
static inline void tsr__image_strides(const struct tsr__image *image, cl_uint level, size_t strides[2])
{
    const struct tsr_image_level *at = &image->desc.level[level];
    strides[0] = image->kind->dims > 1 ? at->row_pitch : at->slice_pitch;
    strides[1] = image->kind->dims > 1 ? at->slice_pitch : at->slice_pitch * image->desc.array_size;
}

/* Whether some device of the context has images, or mipmaps as well. */
bool tsr__context_has_images(const struct _cl_context *context);
bool tsr__context_has_mipmaps(const struct _cl_context *context);

/* Whether the device has images of this format, and of its type. */
bool tsr__device_has_format(const struct _cl_device_id *device, const struct tsr_image_format *format);
/* CL_SUCCESS if commands on a queue of the device can use the image, else CL_INVALID_OPERATION (the device has no images),
 * CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_IMAGE_SIZE. */
cl_int tsr__image_fits(const struct _cl_mem *image, const struct _cl_device_id *device);
/* The same, reported. */
cl_int tsr__check_image_on(const char *function, const struct _cl_mem *image, const struct _cl_device_id *device);

/* A part of an image, in pixels. */
struct tsr__part {
    cl_uint level;
    size_t origin[3], region[3]; /* 0 and 1 in directions that the image does not have */
};
/* Commands on queues of devices with memory of their own; memory of the host, or of a buffer (icd/mem.h). NULL: out of memory.
 * (icd/device_image.c) */
struct _cl_event *tsr__device_read_image(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *image,
                                         const struct tsr__part *part, const struct tsr__box *to);
struct _cl_event *tsr__device_write_image(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *image,
                                          const struct tsr__part *part, const struct tsr__box *from);
struct _cl_event *tsr__device_fill_image(struct _cl_command_queue *queue, struct _cl_mem *image, const struct tsr__part *part,
                                         const unsigned char pixel[TSR__MOST_PIXEL]);
struct _cl_event *tsr__device_copy_image(struct _cl_command_queue *queue, struct _cl_mem *to, const struct tsr__part *to_part,
                                         struct _cl_mem *from, const struct tsr__part *from_part);

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
