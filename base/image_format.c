/* SPDX-License-Identifier: Apache-2.0
 * The formats of images, as tables for the host. */
#include "tessera/base.h"
#include "tessera/floats.h"
#include "tessera/image_desc.h"

#include <string.h>

enum { ZERO = TSR_IMAGE_ZERO, ONE = TSR_IMAGE_ONE };

#define TSR_IMAGE_ORDER(name, number, channels, r, g, b, a)                                                                                \
    ORDER_##name = number, CHANNELS_##name = channels, R_##name = r, G_##name = g, B_##name = b, A_##name = a,
enum {
#include "tessera/image_format.def"
};

#define TSR_IMAGE_TYPE(name, number, bytes, packed) TYPE_##name = number, BYTES_##name = bytes, PACKED_##name = packed,
enum {
#include "tessera/image_format.def"
};

/* The first of the components that come from a channel is stored in it. */
#define STORED(order, channel)                                                                                                             \
    (R_##order == channel ? 0 : G_##order == channel ? 1 : B_##order == channel ? 2 : A_##order == channel ? 3 : 0)
#define IS_SRGB(order) (ORDER_##order == ORDER_sRGBA || ORDER_##order == ORDER_sBGRA)
#define IS_RW 0
#define IS_KRW 1

const struct tsr_image_format tsr_image_formats[] = {
#define TSR_IMAGE_FORMAT(o, t, access)                                                                                                     \
    {                                                                                                                                      \
        .name = #o " " #t,                                                                                                                 \
        .order = ORDER_##o,                                                                                                                \
        .type = TYPE_##t,                                                                                                                  \
        .pixel_bytes = BYTES_##t * (PACKED_##t ? 1 : CHANNELS_##o),                                                                        \
        .channels = CHANNELS_##o,                                                                                                          \
        .both = IS_##access,                                                                                                               \
        .depth = ORDER_##o == ORDER_DEPTH,                                                                                                 \
        .dense = IS_SRGB(o) ? TSR_IMAGE_SRGB8 : TSR_IMAGE_##t,                                                                             \
        .read = {R_##o, G_##o, B_##o, A_##o},                                                                                              \
        .write = {STORED(o, 0), STORED(o, 1), STORED(o, 2), STORED(o, 3)},                                                                 \
    },
#include "tessera/image_format.def"
};

const uint32_t tsr_image_format_count = TSR_ARRAY_LEN(tsr_image_formats);

const struct tsr_image_format *tsr_image_find_format(uint32_t order, uint32_t type)
{
    for (uint32_t i = 0; i < tsr_image_format_count; i++)
        if (tsr_image_formats[i].order == order && tsr_image_formats[i].type == type)
            return &tsr_image_formats[i];
    return NULL;
}

/* Of a channel: the integer that stands for 1. 1 where channels are numbers as they are; sRGB is not linear. */
static double largest_of(const struct tsr_image_format *format, int channel)
{
    switch (format->dense) {
    case TSR_IMAGE_UNORM_INT8:
        return 255;
    case TSR_IMAGE_SNORM_INT8:
        return 127;
    case TSR_IMAGE_UNORM_INT16:
        return 65535;
    case TSR_IMAGE_SNORM_INT16:
        return 32767;
    case TSR_IMAGE_UNORM_SHORT_565:
        return channel == 1 ? 63 : 31;
    case TSR_IMAGE_UNORM_SHORT_555:
        return 31;
    case TSR_IMAGE_UNORM_INT_101010:
        return 1023;
    case TSR_IMAGE_UNORM_INT_101010_2:
        return channel == 3 ? 3 : 1023;
    default:
        return 1;
    }
}

void tsr_image_set_format(struct tsr_image_desc *desc, const struct tsr_image_format *format)
{
    static const tsr_image_u8 straight[4] = {0, 1, 2, 3};
    desc->channel_order = format->order;
    desc->channel_type = format->type;
    desc->pixel_bytes = format->pixel_bytes;
    desc->type = format->dense;
    desc->pixel_shift = (tsr_image_u32)__builtin_ctz(format->pixel_bytes);
    desc->normalised = 0;
    desc->plain = !memcmp(format->read, straight, sizeof straight);
    desc->quick = TSR_IMAGE_SLOW;
    if (desc->plain && format->channels == 4)
        desc->quick = format->dense == TSR_IMAGE_UNORM_INT8 ? TSR_IMAGE_RGBA8
                      : format->dense == TSR_IMAGE_FLOAT    ? TSR_IMAGE_RGBA32F
                                                            : TSR_IMAGE_SLOW;
    memcpy(desc->read, format->read, sizeof desc->read);
    memcpy(desc->write, format->write, sizeof desc->write);
    const unsigned begun = tsr_floats_begin();
    for (int i = 0; i < 4; i++) {
        double largest = largest_of(format, i);
        desc->normalised |= largest != 1;
        desc->largest[i] = (float)largest;
        desc->reciprocal[i] = (float)(1 / largest);
        desc->reciprocal_rest[i] = (float)(1 / largest - (double)desc->reciprocal[i]);
    }
    tsr_floats_end(begun);
}
