/* SPDX-License-Identifier: Apache-2.0
 * An image as a kernel sees it: its argument is the address of a struct tsr_image_desc, so that for an engine it is a pointer like any
 * other. icd/ makes it when the image is made, the functions of builtins/ read it. For C and for OpenCL C. */
#ifndef TESSERA_IMAGE_DESC_H
#define TESSERA_IMAGE_DESC_H

#ifdef __OPENCL_C_VERSION__
typedef ulong tsr_image_u64;
typedef uint tsr_image_u32;
typedef uchar tsr_image_u8;
typedef float tsr_image_f32;
#else
#include <stdbool.h>
#include <stdint.h>
typedef uint64_t tsr_image_u64;
typedef uint32_t tsr_image_u32;
typedef uint8_t tsr_image_u8;
typedef float tsr_image_f32;
#endif

/* Dense numbers of the channel types: those of tessera/image_format.def in its order. */
enum tsr_image_type {
#define TSR_IMAGE_TYPE(name, number, bytes, packed) TSR_IMAGE_##name,
#include "tessera/image_format.def"
    TSR_IMAGE_SRGB8, /* UNORM_INT8 of the orders sRGBA and sBGRA */
    TSR_IMAGE_TYPES,
};

/* The commonest formats, for which kernels have code of their own: RGBA of bytes that stand for 0 to 1, RGBA of floats. */
enum tsr_image_quick { TSR_IMAGE_SLOW, TSR_IMAGE_RGBA8, TSR_IMAGE_RGBA32F };

/* Where a component of a pixel comes from: channel 0 to 3 of memory, or a constant. */
enum { TSR_IMAGE_ZERO = 4, TSR_IMAGE_ONE = 5 };

/* A sampler is a word of 32 bits: those of tessera/sampler.def, and what samplers of the host alone have. Levels of detail are in
 * sixteenths; the largest one is counted down from 255, so that 0 means no bounds. */
enum {
    TSR_SAMPLER_NORMALIZED = 0x1,
    TSR_SAMPLER_ADDRESSING = 0xe, /* mask */
    TSR_SAMPLER_LINEAR = 0x20,
    TSR_SAMPLER_MIP_LINEAR = 0x40, /* CL_SAMPLER_MIP_FILTER_MODE_KHR is CL_FILTER_LINEAR; else the nearest level */
    TSR_SAMPLER_LOD_MIN_SHIFT = 16,
    TSR_SAMPLER_LOD_MAX_SHIFT = 24,
};

/* The image itself (level 0), or a level of its mipmaps. Pitches are multiples of pixel_bytes, `pixels` is a multiple of the bytes of a
 * channel (of a packed type: of the pixel). All of a level has less than 2^31 pixels, and less than 2^31 words of 32 bits: what is between
 * rows and slices counts, so that functions on images may compute in 32 bits where a pixel is. */
struct tsr_image_level {
    tsr_image_u64 pixels;                 /* address of the first pixel of this level; on the device */
    tsr_image_u64 row_pitch, slice_pitch; /* bytes from row to row; from slice to slice, or from one element of an array to the next */
    tsr_image_u32 width, height, depth;   /* in pixels; 1 where the image has no such dimension */
    tsr_image_u32 reserved;
};

/* Levels that an image can have: as many as 32768 pixels in a row have. */
enum { TSR_IMAGE_MAX_LEVELS = 16 };

struct tsr_image_desc {
    struct tsr_image_level level[TSR_IMAGE_MAX_LEVELS]; /* the first `mip_levels` */
    tsr_image_u32 array_size;                           /* 1 if it is no array */
    tsr_image_u32 mip_levels;                           /* at least 1 */
    tsr_image_u32 channel_order, channel_type;          /* CL_*: what the queries of OpenCL C answer */
    tsr_image_u32 pixel_bytes;

    /* What the format means, by tsr_image_set_format. */
    tsr_image_u32 type;                              /* enum tsr_image_type */
    tsr_image_u32 plain;                             /* 1: R, G, B, A are channels 0, 1, 2, 3 of memory */
    tsr_image_u8 read[4];                            /* for R, G, B, A: where a read takes it from */
    tsr_image_u8 write[4];                           /* for each channel of memory: which component a write stores in it */
    tsr_image_u32 normalised;                        /* 1: a channel is an integer that stands for 0 to 1 or -1 to 1 */
    tsr_image_u32 pixel_shift;                       /* pixel_bytes is 1 << pixel_shift */
    tsr_image_u32 quick;                             /* enum tsr_image_quick */
    tsr_image_f32 largest[4];                        /* for each channel of memory: the integer that stands for 1 */
    tsr_image_f32 reciprocal[4], reciprocal_rest[4]; /* 1 / largest, and what that lacks: their sum is exact to twice the digits */
};

_Static_assert(sizeof(struct tsr_image_level) == 40, "the same for the host and for kernels");
_Static_assert(sizeof(struct tsr_image_desc) == TSR_IMAGE_MAX_LEVELS * 40 + 96, "the same for the host and for kernels");
_Static_assert(__builtin_offsetof(struct tsr_image_desc, largest) == TSR_IMAGE_MAX_LEVELS * 40 + 48,
               "the same for the host and for kernels");

#ifndef __OPENCL_C_VERSION__

/* A format of tessera/image_format.def. */
struct tsr_image_format {
    const char *name;               /* "RGBA UNORM_INT8" */
    uint32_t order, type;           /* CL_* */
    uint32_t pixel_bytes;           /* size of an element */
    uint32_t channels;              /* in memory */
    bool both;                      /* CL_MEM_KERNEL_READ_AND_WRITE is there as well; reading and writing by different kernels always is */
    bool depth;                     /* of 2D images and arrays of 2D images only; depth images in OpenCL C */
    uint32_t dense;                 /* enum tsr_image_type */
    tsr_image_u8 read[4], write[4]; /* as in struct tsr_image_desc */
};

/* The formats that devices with images have. Static storage, any thread. */
extern const struct tsr_image_format tsr_image_formats[];
extern const uint32_t tsr_image_format_count;
/* NULL: there is no such format. */
const struct tsr_image_format *tsr_image_find_format(uint32_t order, uint32_t type);
/* Fills channel_order, channel_type, pixel_bytes and what the format means. */
void tsr_image_set_format(struct tsr_image_desc *desc, const struct tsr_image_format *format);

#endif
#endif
