/* SPDX-License-Identifier: Apache-2.0
 * Images and samplers. An image's pixels are an allocation of the device, closed to the host like any other, with gaps between rows and
 * slices; the engine's kernels get the same description as those of the CPU device. */
#include <string.h>

#include "device-xmx/standin/standin.h"

/* ---- formats ---- */

static const struct layout {
    unsigned channels, bits;
} layouts[] = {
    [ZE_IMAGE_FORMAT_LAYOUT_8] = {1, 8},
    [ZE_IMAGE_FORMAT_LAYOUT_16] = {1, 16},
    [ZE_IMAGE_FORMAT_LAYOUT_32] = {1, 32},
    [ZE_IMAGE_FORMAT_LAYOUT_8_8] = {2, 8},
    [ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8] = {4, 8},
    [ZE_IMAGE_FORMAT_LAYOUT_16_16] = {2, 16},
    [ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16] = {4, 16},
    [ZE_IMAGE_FORMAT_LAYOUT_32_32] = {2, 32},
    [ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32] = {4, 32},
};

/* OpenCL's channel type; 0: there is none. */
static uint32_t type_number(unsigned bits, ze_image_format_type_t type)
{
    enum {
#define TSR_IMAGE_TYPE(name, number, bytes, packed) name = (number),
#include "tessera/image_format.def"
    };
    static const struct {
        ze_image_format_type_t type;
        uint32_t of_8, of_16, of_32;
    } numbers[] = {
        {ZE_IMAGE_FORMAT_TYPE_UINT, UNSIGNED_INT8, UNSIGNED_INT16, UNSIGNED_INT32},
        {ZE_IMAGE_FORMAT_TYPE_SINT, SIGNED_INT8, SIGNED_INT16, SIGNED_INT32},
        {ZE_IMAGE_FORMAT_TYPE_UNORM, UNORM_INT8, UNORM_INT16, 0},
        {ZE_IMAGE_FORMAT_TYPE_SNORM, SNORM_INT8, SNORM_INT16, 0},
        {ZE_IMAGE_FORMAT_TYPE_FLOAT, 0, HALF_FLOAT, FLOAT},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(numbers); i++)
        if (numbers[i].type == type)
            return bits == 8 ? numbers[i].of_8 : bits == 16 ? numbers[i].of_16 : numbers[i].of_32;
    return 0;
}

/* OpenCL's channel order; 0: there is none. */
static uint32_t order_number(unsigned channels, const ze_image_format_t *format)
{
    enum { R, G, B, A, ZERO, ONE };
    enum {
#define TSR_IMAGE_ORDER(name, number, in_memory, r, g, b, a) ORDER_##name = (number),
#include "tessera/image_format.def"
    };
    static const struct {
        uint32_t number;
        unsigned channels, x, y, z, w;
    } orders[] = {
        {ORDER_R, 1, R, ZERO, ZERO, ONE}, {ORDER_RG, 2, R, G, ZERO, ONE}, {ORDER_RGBA, 4, R, G, B, A}, {ORDER_BGRA, 4, B, G, R, A}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(orders); i++)
        if (orders[i].channels == channels && orders[i].x == (unsigned)format->x && orders[i].y == (unsigned)format->y &&
            orders[i].z == (unsigned)format->z && orders[i].w == (unsigned)format->w)
            return orders[i].number;
    return 0;
}

/* NULL: the device has no such images. */
static const struct tsr_image_format *find_format(const ze_image_format_t *format)
{
    if ((size_t)format->layout >= TSR_ARRAY_LEN(layouts))
        return NULL;
    if (format->type == ZE_IMAGE_FORMAT_TYPE_SNORM && tsr__standin_settings()->faulty[TSR__FAULT_formats])
        return NULL;
    const struct layout *layout = &layouts[format->layout];
    uint32_t order = order_number(layout->channels, format), type = type_number(layout->bits, format->type);
    return order && type ? tsr_image_find_format(order, type) : NULL;
}

static ze_result_t check_desc(const char *function, const struct tsr__device *device, const ze_image_desc_t *desc)
{
    const ze_image_flags_t flags = ZE_IMAGE_FLAG_KERNEL_WRITE | ZE_IMAGE_FLAG_BIAS_UNCACHED;
    if (!desc)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_NULL_POINTER, "the description is NULL");
    if (desc->stype != ZE_STRUCTURE_TYPE_IMAGE_DESC)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "the description has the type 0x%x", (unsigned)desc->stype);
    if (desc->flags & ~flags || desc->type > ZE_IMAGE_TYPE_BUFFER || desc->miplevels)
        return tsr__standin_misuse(function, ZE_RESULT_ERROR_INVALID_ENUMERATION, "flags 0x%x, type %u, %u levels", desc->flags,
                                   (unsigned)desc->type, desc->miplevels);
    bool lines = desc->type == ZE_IMAGE_TYPE_BUFFER && tsr__standin_settings()->faulty[TSR__FAULT_lines];
    if (lines && strcmp(function, "zeImageCreate") == 0)
        return tsr__standin_refuse(function, ZE_RESULT_ERROR_INVALID_ARGUMENT, "there are no images of this type");
    if (!tsr__standin_image_limits(device).maxImageDims2D)
        return tsr__standin_refuse(function, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "the device has no images");
    if (!find_format(&desc->format))
        return tsr__standin_refuse(function, ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, "there are no images of layout %u and type %u",
                                   (unsigned)desc->format.layout, (unsigned)desc->format.type);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeImageGetProperties(ze_device_handle_t hDevice, const ze_image_desc_t *desc,
                                            ze_image_properties_t *pImageProperties)
{
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(pImageProperties, ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES);
    ze_result_t result = check_desc(__func__, device, desc);
    if (!result)
        pImageProperties->samplerFilterFlags = ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT | ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR;
    return result;
}

/* ---- life ---- */

/* Sizes in pixels, layers among them. False: beyond a limit. */
static bool find_extent(const struct tsr__device *device, const ze_image_desc_t *desc, uint32_t pixel, uint64_t extent[3])
{
    ze_device_image_properties_t limits = tsr__standin_image_limits(device);
    uint64_t most[3] = {limits.maxImageDims2D, 1, 1};
    extent[0] = desc->width;
    extent[1] = extent[2] = 1;
    switch (desc->type) {
    case ZE_IMAGE_TYPE_BUFFER: /* its width is in bytes */
        most[0] = limits.maxImageBufferSize / pixel;
        extent[0] = desc->width % pixel ? 0 : desc->width / pixel;
        break;
    case ZE_IMAGE_TYPE_1DARRAY:
        extent[1] = desc->arraylevels;
        most[1] = limits.maxImageArraySlices;
        break;
    case ZE_IMAGE_TYPE_2D:
    case ZE_IMAGE_TYPE_2DARRAY:
        extent[1] = desc->height;
        most[1] = limits.maxImageDims2D;
        if (desc->type == ZE_IMAGE_TYPE_2D)
            break;
        extent[2] = desc->arraylevels;
        most[2] = limits.maxImageArraySlices;
        break;
    case ZE_IMAGE_TYPE_3D:
        extent[1] = desc->height;
        extent[2] = desc->depth;
        most[0] = most[1] = most[2] = limits.maxImageDims3D;
        break;
    default:
        break;
    }
    for (int d = 0; d < 3; d++)
        if (!extent[d] || extent[d] > most[d])
            return false;
    return true;
}

/* Rows are longer than their pixels and slices longer than their rows, so that who takes them for packed is found out. */
static void lay_out(struct tsr__image *image, uint32_t pixel)
{
    bool array = image->type == ZE_IMAGE_TYPE_1DARRAY || image->type == ZE_IMAGE_TYPE_2DARRAY;
    bool flat = image->type == ZE_IMAGE_TYPE_1DARRAY; /* its layers are rows */
    image->pitches[0] = image->type == ZE_IMAGE_TYPE_BUFFER ? image->extent[0] * pixel : (image->extent[0] + 1) * pixel;
    image->pitches[1] = image->pitches[0] * (image->extent[1] + (image->extent[2] > 1));
    image->size = (size_t)(image->pitches[1] * image->extent[2]);
    struct tsr_image_level *level = &image->desc.level[0];
    level->row_pitch = image->pitches[0];
    level->slice_pitch = flat ? image->pitches[0] : image->pitches[1];
    level->width = (uint32_t)image->extent[0];
    level->height = flat ? 1 : (uint32_t)image->extent[1];
    level->depth = array ? 1 : (uint32_t)image->extent[2];
    image->desc.array_size = !array ? 1 : (uint32_t)image->extent[flat ? 1 : 2];
    image->desc.mip_levels = 1;
}

ze_result_t ZE_APICALL zeImageCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice, const ze_image_desc_t *desc,
                                     ze_image_handle_t *phImage)
{
    FIND(CONTEXT, tsr__context, context, hContext);
    FIND(DEVICE, tsr__device, device, hDevice);
    NEED_POINTER(phImage);
    MISUSE_IF(!tsr__standin_context_has(context, device), ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not of the context");
    ze_result_t result = check_desc(__func__, device, desc);
    if (result)
        return result;
    CHECK_LOST(device);
    const struct tsr_image_format *format = find_format(&desc->format);
    struct tsr__image *image = tsr_calloc(1, sizeof *image);
    REFUSE_IF(!image, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for an image");
    image->device = device;
    image->context = context;
    image->type = desc->type;
    image->written = desc->flags & ZE_IMAGE_FLAG_KERNEL_WRITE;
    if (!find_extent(device, desc, format->pixel_bytes, image->extent)) {
        tsr_free(image);
        return tsr__standin_misuse(__func__, ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "%llu x %u x %u pixels, %u layers",
                                   (unsigned long long)desc->width, desc->height, desc->depth, desc->arraylevels);
    }
    tsr_image_set_format(&image->desc, format);
    lay_out(image, format->pixel_bytes);
    const ze_device_mem_alloc_desc_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *pixels = NULL;
    result = zeMemAllocDevice(hContext, &memory, image->size, 0, hDevice, &pixels);
    if (!result && !tsr__standin_add(image, TSR__KIND_IMAGE, context)) {
        zeMemFree(hContext, pixels);
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result) {
        tsr_free(image);
        return result;
    }
    image->pixels = pixels;
    image->desc.level[0].pixels = (uint64_t)(uintptr_t)pixels;
    *phImage = HANDLE(ze_image_handle_t, image);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeImageDestroy(ze_image_handle_t hImage)
{
    FIND(IMAGE, tsr__image, image, hImage);
    ze_result_t result = tsr__standin_free(__func__, HANDLE(ze_context_handle_t, image->context), image->pixels);
    if (result)
        return result;
    tsr__standin_remove(image);
    tsr_free(image);
    return ZE_RESULT_SUCCESS;
}

/* ---- samplers ---- */

ze_result_t ZE_APICALL zeSamplerCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice, const ze_sampler_desc_t *desc,
                                       ze_sampler_handle_t *phSampler)
{
    static const uint32_t modes[] = {[ZE_SAMPLER_ADDRESS_MODE_NONE] = 0,
                                     [ZE_SAMPLER_ADDRESS_MODE_REPEAT] = 6,
                                     [ZE_SAMPLER_ADDRESS_MODE_CLAMP] = 2,
                                     [ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER] = 4,
                                     [ZE_SAMPLER_ADDRESS_MODE_MIRROR] = 8}; /* tessera/sampler.def */
    enum { NEAREST = 0x10 };
    FIND(CONTEXT, tsr__context, context, hContext);
    FIND(DEVICE, tsr__device, device, hDevice);
    CHECK_TYPE(desc, ZE_STRUCTURE_TYPE_SAMPLER_DESC);
    NEED_POINTER(phSampler);
    MISUSE_IF(!tsr__standin_context_has(context, device), ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not of the context");
    MISUSE_IF((size_t)desc->addressMode >= TSR_ARRAY_LEN(modes) || desc->filterMode > ZE_SAMPLER_FILTER_MODE_LINEAR,
              ZE_RESULT_ERROR_INVALID_ENUMERATION, "address mode %u, filter %u", (unsigned)desc->addressMode, (unsigned)desc->filterMode);
    REFUSE_IF(!tsr__standin_image_limits(device).maxSamplers, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "the device has no samplers");
    struct tsr__sampler *sampler = tsr_calloc(1, sizeof *sampler);
    REFUSE_IF(!sampler || !tsr__standin_add(sampler, TSR__KIND_SAMPLER, context), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
              "no memory for a sampler");
    sampler->device = device;
    sampler->word = (desc->isNormalized ? TSR_SAMPLER_NORMALIZED : 0) | modes[desc->addressMode] |
                    (desc->filterMode == ZE_SAMPLER_FILTER_MODE_LINEAR ? TSR_SAMPLER_LINEAR : NEAREST);
    *phSampler = HANDLE(ze_sampler_handle_t, sampler);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeSamplerDestroy(ze_sampler_handle_t hSampler)
{
    FIND(SAMPLER, tsr__sampler, sampler, hSampler);
    tsr__standin_remove(sampler);
    tsr_free(sampler);
    return ZE_RESULT_SUCCESS;
}
