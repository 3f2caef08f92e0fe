/* SPDX-License-Identifier: Apache-2.0
 * Images and samplers. Level Zero copies pixels from and to memory without gaps between rows; rows with pitches are gathered here. */
#include <string.h>

#include "device-xmx/images.h"
#include "device-xmx/memory.h"
#include "device-xmx/queues.h"

struct tsr__xmx_image {
    ze_image_handle_t handle;
    enum tsr_image_object type;
    uint32_t pixel_bytes;
};

static struct tsr__xmx_image *image_of(uint64_t image)
{
    return (struct tsr__xmx_image *)(uintptr_t)image;
}

const ze_image_handle_t *tsr__xmx_image_argument(uint64_t image)
{
    return &image_of(image)->handle;
}

/* ---- images ---- */

static ze_image_desc_t describe(const struct tsr__xmx_device *device, const struct tsr_image_shape *shape)
{
    static const ze_image_type_t types[] = {
        [TSR_OBJECT_IMAGE1D - TSR_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_1D,
        [TSR_OBJECT_IMAGE1D_ARRAY - TSR_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_1DARRAY,
        [TSR_OBJECT_IMAGE1D_BUFFER - TSR_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_BUFFER,
        [TSR_OBJECT_IMAGE2D - TSR_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_2D,
        [TSR_OBJECT_IMAGE2D_ARRAY - TSR_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_2DARRAY,
        [TSR_OBJECT_IMAGE3D - TSR_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_3D,
    };
    bool line = shape->type == TSR_OBJECT_IMAGE1D_BUFFER && device->line_images;
    bool buffer = shape->type == TSR_OBJECT_IMAGE1D_BUFFER && !line; /* its width is in bytes */
    bool array = shape->type == TSR_OBJECT_IMAGE1D_ARRAY || shape->type == TSR_OBJECT_IMAGE2D_ARRAY;
    return (ze_image_desc_t){.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                             .flags = shape->written ? ZE_IMAGE_FLAG_KERNEL_WRITE : 0,
                             .type = line ? ZE_IMAGE_TYPE_1D : types[shape->type - TSR_OBJECT_IMAGE2D],
                             .format = tsr__xmx_ze_format(shape->format),
                             .width = shape->width * (buffer ? shape->format->pixel_bytes : 1),
                             .height = (uint32_t)shape->height,
                             .depth = (uint32_t)shape->depth,
                             .arraylevels = array ? (uint32_t)shape->layers : 0};
}

enum tsr_status tsr__xmx_image_make(const struct tsr_device *base, const struct tsr_image_shape *shape, uint64_t *made)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    enum tsr_status status;
    ze_context_handle_t context = tsr__xmx_context(device, &status);
    if (!context)
        return status;
    struct tsr__xmx_image *image = tsr_calloc(1, sizeof *image);
    if (!image)
        return TSR_NO_MEMORY;
    const ze_image_desc_t desc = describe(device, shape);
    image->type = shape->type;
    image->pixel_bytes = shape->format->pixel_bytes;
    status = tsr__xmx_judge(device, tsr__ze.ImageCreate(context, device->handle, &desc, &image->handle), "zeImageCreate");
    if (status != TSR_OK) {
        tsr_free(image);
        return status;
    }
    *made = (uint64_t)(uintptr_t)image;
    return TSR_OK;
}

void tsr__xmx_image_free(const struct tsr_device *base, uint64_t image)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    if (!atomic_load(&device->lost))
        tsr__xmx_judge(device, tsr__ze.ImageDestroy(image_of(image)->handle), "zeImageDestroy");
    tsr_free(image_of(image));
}

/* ---- copies ---- */

static ze_image_region_t region_of(const struct tsr_image_part *part)
{
    return (ze_image_region_t){(uint32_t)part->origin[0], (uint32_t)part->origin[1], (uint32_t)part->origin[2],
                               (uint32_t)part->region[0], (uint32_t)part->region[1], (uint32_t)part->region[2]};
}

/* Bytes of a row of the part, and of all of it without gaps. */
static uint64_t row_bytes(const struct tsr__xmx_image *image, const struct tsr_image_part *part)
{
    return part->region[0] * image->pixel_bytes;
}

static uint64_t part_bytes(const struct tsr__xmx_image *image, const struct tsr_image_part *part)
{
    return row_bytes(image, part) * part->region[1] * part->region[2];
}

static bool has_gaps(const struct tsr__xmx_image *image, const struct tsr_image_part *part, const struct tsr_image_rows *rows)
{
    uint64_t row = row_bytes(image, part);
    return (part->region[1] > 1 && rows->row_pitch != row) || (part->region[2] > 1 && rows->slice_pitch != row * part->region[1]);
}

/* Copies between rows on the host and the same without gaps. */
static void gather(const struct tsr__xmx_image *image, const struct tsr_image_part *part, const struct tsr_image_rows *rows,
                   unsigned char *packed, bool scatter)
{
    uint64_t row = row_bytes(image, part);
    for (uint64_t z = 0; z < part->region[2]; z++)
        for (uint64_t y = 0; y < part->region[1]; y++, packed += row) {
            unsigned char *at = (unsigned char *)(uintptr_t)(rows->address + z * rows->slice_pitch + y * rows->row_pitch);
            memcpy(scatter ? at : packed, scatter ? packed : at, row);
        }
}

static enum tsr_status write_packed(struct tsr__xmx_device *device, const struct tsr__xmx_image *to, const struct tsr_image_part *part,
                                    const void *from)
{
    enum tsr_status status;
    struct tsr__xmx_mover *mover = tsr__xmx_mover_take(device, TSR__XMX_IMAGES, &status);
    if (!mover)
        return status;
    const ze_image_region_t region = region_of(part);
    ze_result_t result =
        tsr__ze.CommandListAppendImageCopyFromMemory(mover->list, to->handle, from, &region, mover->event->handle, 0, NULL);
    return tsr__xmx_mover_end(device, mover, result, "zeCommandListAppendImageCopyFromMemory");
}

static enum tsr_status read_packed(struct tsr__xmx_device *device, void *to, const struct tsr__xmx_image *from,
                                   const struct tsr_image_part *part)
{
    enum tsr_status status;
    struct tsr__xmx_mover *mover = tsr__xmx_mover_take(device, TSR__XMX_IMAGES, &status);
    if (!mover)
        return status;
    const ze_image_region_t region = region_of(part);
    ze_result_t result = tsr__ze.CommandListAppendImageCopyToMemory(mover->list, to, from->handle, &region, mover->event->handle, 0, NULL);
    return tsr__xmx_mover_end(device, mover, result, "zeCommandListAppendImageCopyToMemory");
}

enum tsr_status tsr__xmx_image_write(const struct tsr_device *base, uint64_t to, const struct tsr_image_part *part,
                                     const struct tsr_image_rows *from)
{
    const struct tsr__xmx_image *image = image_of(to);
    if (!has_gaps(image, part, from))
        return write_packed(tsr__xmx(base), image, part, (const void *)(uintptr_t)from->address);
    unsigned char *packed = tsr_malloc(part_bytes(image, part));
    if (!packed)
        return TSR_NO_MEMORY;
    gather(image, part, from, packed, false);
    enum tsr_status status = write_packed(tsr__xmx(base), image, part, packed);
    tsr_free(packed);
    return status;
}

enum tsr_status tsr__xmx_image_read(const struct tsr_device *base, const struct tsr_image_rows *to, uint64_t from,
                                    const struct tsr_image_part *part)
{
    const struct tsr__xmx_image *image = image_of(from);
    if (!has_gaps(image, part, to))
        return read_packed(tsr__xmx(base), (void *)(uintptr_t)to->address, image, part);
    unsigned char *packed = tsr_malloc(part_bytes(image, part));
    if (!packed)
        return TSR_NO_MEMORY;
    enum tsr_status status = read_packed(tsr__xmx(base), packed, image, part);
    if (status == TSR_OK)
        gather(image, part, to, packed, true);
    tsr_free(packed);
    return status;
}

/* Between images of two types, by way of the host: Level Zero does not say that drivers copy these. */
static enum tsr_status copy_by_host(const struct tsr_device *base, uint64_t to, const struct tsr_image_part *to_part, uint64_t from,
                                    const struct tsr_image_part *from_part)
{
    const struct tsr__xmx_image *image = image_of(from);
    unsigned char *packed = tsr_malloc(part_bytes(image, from_part));
    if (!packed)
        return TSR_NO_MEMORY;
    enum tsr_status status = read_packed(tsr__xmx(base), packed, image, from_part);
    if (status == TSR_OK)
        status = write_packed(tsr__xmx(base), image_of(to), to_part, packed);
    tsr_free(packed);
    return status;
}

enum tsr_status tsr__xmx_image_copy(const struct tsr_device *base, uint64_t to, const struct tsr_image_part *to_part, uint64_t from,
                                    const struct tsr_image_part *from_part)
{
    struct tsr__xmx_device *device = tsr__xmx(base);
    if (image_of(to)->type != image_of(from)->type)
        return copy_by_host(base, to, to_part, from, from_part);
    enum tsr_status status;
    struct tsr__xmx_mover *mover = tsr__xmx_mover_take(device, TSR__XMX_IMAGES, &status);
    if (!mover)
        return status;
    const ze_image_region_t to_region = region_of(to_part), from_region = region_of(from_part);
    ze_result_t result = tsr__ze.CommandListAppendImageCopyRegion(mover->list, image_of(to)->handle, image_of(from)->handle, &to_region,
                                                                  &from_region, mover->event->handle, 0, NULL);
    return tsr__xmx_mover_end(device, mover, result, "zeCommandListAppendImageCopyRegion");
}

/* ---- samplers ---- */

static ze_sampler_desc_t sampler_desc(uint32_t word)
{
    static const ze_sampler_address_mode_t modes[] = {/* in the order of tessera/sampler.def */
                                                      ZE_SAMPLER_ADDRESS_MODE_NONE, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                                      ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, ZE_SAMPLER_ADDRESS_MODE_REPEAT,
                                                      ZE_SAMPLER_ADDRESS_MODE_MIRROR};
    uint32_t mode = (word & TSR_SAMPLER_ADDRESSING) >> 1;
    return (ze_sampler_desc_t){.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                               .addressMode = mode < TSR_ARRAY_LEN(modes) ? modes[mode] : ZE_SAMPLER_ADDRESS_MODE_NONE,
                               .filterMode = word & TSR_SAMPLER_LINEAR ? ZE_SAMPLER_FILTER_MODE_LINEAR : ZE_SAMPLER_FILTER_MODE_NEAREST,
                               .isNormalized = (word & TSR_SAMPLER_NORMALIZED) != 0};
}

ze_sampler_handle_t tsr__xmx_sampler(struct tsr__xmx_device *device, uint32_t word, enum tsr_status *status)
{
    enum { USED = TSR__XMX_SAMPLERS - 1 };
    ze_sampler_handle_t *sampler = &device->samplers[word & USED];
    ze_context_handle_t context = tsr__xmx_context(device, status);
    if (!context)
        return NULL;
    const ze_sampler_desc_t desc = sampler_desc(word);
    pthread_mutex_lock(&device->lock);
    *status = *sampler ? TSR_OK : tsr__xmx_judge(device, tsr__ze.SamplerCreate(context, device->handle, &desc, sampler), "zeSamplerCreate");
    if (*status != TSR_OK)
        *sampler = NULL;
    ze_sampler_handle_t made = *sampler;
    pthread_mutex_unlock(&device->lock);
    return made;
}
