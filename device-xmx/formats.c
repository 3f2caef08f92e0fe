/* SPDX-License-Identifier: Apache-2.0
 * Whether a GPU has images, of which sizes, and of which formats. */
#include "device-xmx/images.h"

#define R ZE_IMAGE_FORMAT_SWIZZLE_R
#define G ZE_IMAGE_FORMAT_SWIZZLE_G
#define B ZE_IMAGE_FORMAT_SWIZZLE_B
#define A ZE_IMAGE_FORMAT_SWIZZLE_A
#define ZERO ZE_IMAGE_FORMAT_SWIZZLE_0
#define ONE ZE_IMAGE_FORMAT_SWIZZLE_1
enum {
#define TSR_IMAGE_TYPE(name, number, bytes, packed) name = (number),
#define TSR_IMAGE_ORDER(name, number, channels, r, g, b, a) ORDER_##name = (number),
#include "tessera/image_format.def"
};
static const struct {
    uint32_t order;
    ze_image_format_swizzle_t of[4]; /* what a read gives for each component */
} orders[TSR__XMX_ORDERS] = {
    [TSR__XMX_R] = {ORDER_R, {R, ZERO, ZERO, ONE}},
    [TSR__XMX_RG] = {ORDER_RG, {R, G, ZERO, ONE}},
    [TSR__XMX_RGBA] = {ORDER_RGBA, {R, G, B, A}},
    [TSR__XMX_BGRA] = {ORDER_BGRA, {B, G, R, A}},
};
#undef R
#undef G
#undef B
#undef A
#undef ZERO
#undef ONE

static const struct channel_type {
    bool there;
    ze_image_format_layout_t layouts[TSR__XMX_ORDERS];
    ze_image_format_type_t type;
} channel_types[TSR_IMAGE_TYPES] = {
#define LAYOUT(name) ZE_IMAGE_FORMAT_LAYOUT_##name
#define TSR_XMX_TYPE(name, one, two, four, kind)                                                                                           \
    [TSR_IMAGE_##name] = {true, {LAYOUT(one), LAYOUT(two), LAYOUT(four), LAYOUT(four)}, ZE_IMAGE_FORMAT_TYPE_##kind},
#include "device-xmx/images.def"
#undef TSR_XMX_TYPE
#undef LAYOUT
};

/* TSR__XMX_ORDERS: Level Zero has no such format. */
static enum tsr__xmx_order order_of(const struct tsr_image_format *format)
{
    unsigned order = 0;
    while (order < TSR__XMX_ORDERS && orders[order].order != format->order)
        order++;
    return channel_types[format->dense].there ? order : TSR__XMX_ORDERS;
}

ze_image_format_t tsr__xmx_ze_format(const struct tsr_image_format *format)
{
    enum tsr__xmx_order order = order_of(format);
    const struct channel_type *type = &channel_types[format->dense];
    const ze_image_format_swizzle_t *of = orders[order].of;
    return (ze_image_format_t){type->layouts[order], type->type, of[0], of[1], of[2], of[3]};
}

/* Whether the driver has 2D images of this format, filtered where values are fractions. */
static bool ask_format(const struct tsr__xmx_device *device, const struct tsr_image_format *format)
{
    enum { SIDE = 16 };
    const ze_image_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                                  .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
                                  .type = ZE_IMAGE_TYPE_2D,
                                  .format = tsr__xmx_ze_format(format),
                                  .width = SIDE,
                                  .height = SIDE,
                                  .depth = 1};
    ze_image_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    if (tsr__ze.ImageGetProperties(device->handle, &desc, &properties))
        return false;
    bool integers = desc.format.type == ZE_IMAGE_FORMAT_TYPE_UINT || desc.format.type == ZE_IMAGE_FORMAT_TYPE_SINT;
    return integers ? properties.samplerFilterFlags != 0 : properties.samplerFilterFlags & ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR;
}

static void ask_formats(struct tsr__xmx_device *device)
{
    for (uint32_t i = 0; i < tsr_image_format_count; i++) {
        const struct tsr_image_format *format = &tsr_image_formats[i];
        enum tsr__xmx_order order = order_of(format);
        if (order < TSR__XMX_ORDERS && ask_format(device, format))
            device->formats[order] |= UINT64_C(1) << format->dense;
    }
}

bool tsr__xmx_image_format(const struct tsr_device *device, const struct tsr_image_format *format)
{
    enum tsr__xmx_order order = order_of(format);
    return order < TSR__XMX_ORDERS && tsr__xmx(device)->formats[order] >> format->dense & 1;
}

/* ---- what there is ---- */

/* The formats that a device with images must have (OpenCL 3.0, 5.3.2.1). */
static bool has_required_formats(const struct tsr__xmx_device *device)
{
    static const unsigned required[] = {TSR_IMAGE_UNORM_INT8,   TSR_IMAGE_UNORM_INT16,   TSR_IMAGE_SIGNED_INT8,    TSR_IMAGE_SIGNED_INT16,
                                        TSR_IMAGE_SIGNED_INT32, TSR_IMAGE_UNSIGNED_INT8, TSR_IMAGE_UNSIGNED_INT16, TSR_IMAGE_UNSIGNED_INT32,
                                        TSR_IMAGE_HALF_FLOAT,   TSR_IMAGE_FLOAT};
    for (size_t i = 0; i < TSR_ARRAY_LEN(required); i++)
        if (!(device->formats[TSR__XMX_RGBA] >> required[i] & 1))
            return false;
    return device->formats[TSR__XMX_BGRA] >> TSR_IMAGE_UNORM_INT8 & 1;
}

/* Whether the limits are at least those of the full profile (OpenCL 3.0, table 5). */
static bool is_full(const struct tsr_image_limits *limits)
{
    return limits->side_2d >= 16384 && limits->side_3d >= 2048 && limits->layers >= 2048 && limits->buffer >= 65536 &&
           limits->read_args >= 128 && limits->write_args >= 64 && limits->samplers >= 16;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Whether the driver makes images of the type BUFFER: Intel's tells a limit for them, and refuses them. */
static bool makes_buffer_images(const struct tsr__xmx_device *device)
{
    enum { WIDTH = 64 };
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_image_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                                  .type = ZE_IMAGE_TYPE_BUFFER,
                                  .format = tsr__xmx_ze_format(tsr_image_find_format(ORDER_RGBA, UNORM_INT8)),
                                  .width = WIDTH,
                                  .height = 1,
                                  .depth = 1};
    ze_context_handle_t context;
    ze_image_handle_t image;
    if (tsr__ze.ContextCreate(device->driver->handle, &context_desc, &context))
        return false;
    bool made = !tsr__ze.ImageCreate(context, device->handle, &desc, &image);
    if (made)
        tsr__ze.ImageDestroy(image);
    tsr__ze.ContextDestroy(context);
    return made;
}

void tsr__xmx_images_fill(struct tsr__xmx_device *device)
{
    enum { MOST_PIXEL = 16 };
    ze_device_image_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    struct tsr_device_caps *caps = &device->caps;
    if (tsr__ze.DeviceGetImageProperties(device->handle, &p))
        return;
    caps->image = (struct tsr_image_limits){
        .side_2d = smaller(p.maxImageDims1D, p.maxImageDims2D),
        .side_3d = p.maxImageDims3D,
        .layers = p.maxImageArraySlices,
        .buffer = smaller(smaller(p.maxImageBufferSize, caps->max_allocation) / MOST_PIXEL, INT32_MAX),
        .read_args = p.maxReadImageArgs,
        .write_args = p.maxWriteImageArgs,
        .samplers = p.maxSamplers,
    };
    if (!is_full(&caps->image))
        return;
    ask_formats(device);
    if (!has_required_formats(device))
        return;
    device->line_images = !makes_buffer_images(device);
    if (device->line_images)
        caps->image.buffer = smaller(caps->image.buffer, p.maxImageDims1D);
    caps->images = !device->line_images || tsr_env_bool(TSR_ENV_GPU_IMAGES);
    if (!caps->images)
        tsr_log(TSR_LOG_DEVICE, "xmx: %s: no images, as the driver makes none of buffers; TESSERA_GPU_IMAGES=1 reports them all the same",
                device->name);
}
