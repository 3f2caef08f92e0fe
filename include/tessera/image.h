/* SPDX-License-Identifier: Apache-2.0
 * An image as a kernel sees it: its argument points to this, so that for an engine it is a pointer like any other. The built-in functions
 * on images read it. Numbers of OpenCL are stored as plain integers. */
#ifndef TESSERA_IMAGE_H
#define TESSERA_IMAGE_H

#include <stdint.h>

struct tsr_image {
    uint64_t pixels;                 /* address of the first, on the device */
    uint64_t row_pitch, slice_pitch; /* bytes; slice_pitch also from one element of an array to the next */
    uint32_t width, height, depth;   /* in pixels; 1 where the image has no such dimension */
    uint32_t array_size;             /* 1 if it is no array */
    uint32_t type;                   /* CL_MEM_OBJECT_IMAGE* */
    uint32_t channel_order, channel_type;
    uint32_t pixel_bytes;
    uint32_t mip_levels, samples;
};

_Static_assert(sizeof(struct tsr_image) == 64, "one cache line, the same for the host and for kernels");

#endif
