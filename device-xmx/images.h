/* SPDX-License-Identifier: Apache-2.0
 * Images and samplers of a device. */
#ifndef TESSERA_DEVICE_XMX_IMAGES_H
#define TESSERA_DEVICE_XMX_IMAGES_H

#include "device-xmx/xmx.h"

/* ---- formats.c ---- */

/* Fills caps->images, caps->image and device->formats: the device has images if its driver says all that the full profile asks for. */
void tsr__xmx_images_fill(struct tsr__xmx_device *device);
/* Of a format that some device has. */
ze_image_format_t tsr__xmx_ze_format(const struct tsr_image_format *format);

bool tsr__xmx_image_format(const struct tsr_device *device, const struct tsr_image_format *format); /* tessera/device.h */

/* ---- images.c ---- */

/* Functions of the table: tessera/device.h. */
enum tsr_status tsr__xmx_image_make(const struct tsr_device *device, const struct tsr_image_shape *shape, uint64_t *image);
void tsr__xmx_image_free(const struct tsr_device *device, uint64_t image);
enum tsr_status tsr__xmx_image_write(const struct tsr_device *device, uint64_t to, const struct tsr_image_part *part,
                                     const struct tsr_image_rows *from);
enum tsr_status tsr__xmx_image_read(const struct tsr_device *device, const struct tsr_image_rows *to, uint64_t from,
                                    const struct tsr_image_part *part);
enum tsr_status tsr__xmx_image_copy(const struct tsr_device *device, uint64_t to, const struct tsr_image_part *to_part, uint64_t from,
                                    const struct tsr_image_part *from_part);

/* Where the handle is of an image that tsr__xmx_image_make made. */
const ze_image_handle_t *tsr__xmx_image_argument(uint64_t image);
/* The sampler with these bits of tessera/sampler.def; the device keeps it. NULL: *status says why. */
ze_sampler_handle_t tsr__xmx_sampler(struct tsr__xmx_device *device, uint32_t word, enum tsr_status *status);

#endif
