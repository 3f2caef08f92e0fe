/* SPDX-License-Identifier: Apache-2.0
 * A colour as a pixel in memory, by the formulas for writes of OpenCL C 3.0, 8.3. Rounding is to nearest even, whatever mode the
 * application has set. */
#include <math.h>
#include <string.h>

#include "icd/image.h"
#include "tessera/floats.h"
#include "tessera/matrix_math.h"

/* convert_<integer>_sat_rte(value) for an integer from `low` to `high`, which a double holds exactly; NaN gives 0. */
static int64_t saturate(double value, int64_t low, int64_t high)
{
    if (!(value > (double)low))
        return value == value ? low : 0;
    if (value >= (double)high)
        return high;
    double below = floor(value), rest = value - below;
    int64_t integer = (int64_t)below;
    return integer + (rest > 0.5 || (rest == 0.5 && integer & 1));
}

static uint32_t unorm(float value, uint32_t high)
{
    return (uint32_t)saturate((double)(value * (float)high), 0, high);
}

static uint32_t snorm(float value, int32_t high)
{
    return (uint32_t)saturate((double)(value * (float)high), -high - 1, high);
}

static uint32_t srgb(float linear)
{
    double c = linear >= 0 ? linear > 1 ? 1 : (double)linear : 0; /* NaN gives 0 */
    c = c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
    return (uint32_t)(c * 255 + 0.5);
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

static uint32_t unsigned_clamp(uint32_t value, uint32_t high)
{
    return value > high ? high : value;
}

static uint32_t half_of(float value)
{
    return tsr_f16_of_float(value);
}

/* One channel of memory. `bits` is the value of its component as the application gives it. */
static uint32_t pack_channel(const struct tsr_image_format *format, unsigned component, uint32_t bits)
{
    enum { ALPHA = 3 };
    float value;
    memcpy(&value, &bits, sizeof value);
    switch (format->dense) {
    case TSR_IMAGE_SNORM_INT8:
        return snorm(value, INT8_MAX);
    case TSR_IMAGE_SNORM_INT16:
        return snorm(value, INT16_MAX);
    case TSR_IMAGE_UNORM_INT8:
        return unorm(value, UINT8_MAX);
    case TSR_IMAGE_UNORM_INT16:
        return unorm(value, UINT16_MAX);
    case TSR_IMAGE_SRGB8:
        return component == ALPHA ? unorm(value, UINT8_MAX) : srgb(value);
    case TSR_IMAGE_SIGNED_INT8:
        return (uint32_t)clamp((int32_t)bits, INT8_MIN, INT8_MAX);
    case TSR_IMAGE_SIGNED_INT16:
        return (uint32_t)clamp((int32_t)bits, INT16_MIN, INT16_MAX);
    case TSR_IMAGE_UNSIGNED_INT8:
        return unsigned_clamp(bits, UINT8_MAX);
    case TSR_IMAGE_UNSIGNED_INT16:
        return unsigned_clamp(bits, UINT16_MAX);
    case TSR_IMAGE_HALF_FLOAT:
        return half_of(value);
    default: /* 32 bits, as they are */
        return bits;
    }
}

/* Packed formats: bits of each channel, from the highest on. */
static bool pack_fields(const struct tsr_image_format *format, const float *color, unsigned char *pixel)
{
    static const struct {
        uint8_t dense, bits[4];
    } layouts[] = {
        {TSR_IMAGE_UNORM_SHORT_565, {5, 6, 5, 0}},
        {TSR_IMAGE_UNORM_SHORT_555, {5, 5, 5, 0}},
        {TSR_IMAGE_UNORM_INT_101010, {10, 10, 10, 0}},
        {TSR_IMAGE_UNORM_INT_101010_2, {10, 10, 10, 2}},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(layouts); i++) {
        if (layouts[i].dense != format->dense)
            continue;
        uint32_t word = 0;
        for (unsigned channel = 0; channel < format->channels; channel++) {
            unsigned bits = layouts[i].bits[channel];
            word = word << bits | unorm(color[format->write[channel]], (1u << bits) - 1);
        }
        memcpy(pixel, &word, format->pixel_bytes);
        return true;
    }
    return false;
}

static void pack(const struct tsr_image_format *format, const void *color, unsigned char pixel[TSR__MOST_PIXEL])
{
    uint32_t components[4] = {0};
    memcpy(components, color, format->depth ? sizeof components[0] : sizeof components);
    float values[4];
    memcpy(values, components, sizeof values);
    if (pack_fields(format, values, pixel))
        return;
    size_t bytes = format->pixel_bytes / format->channels;
    for (unsigned channel = 0; channel < format->channels; channel++) {
        unsigned component = format->write[channel];
        uint32_t word = pack_channel(format, component, components[component]);
        memcpy(pixel + channel * bytes, &word, bytes); /* the lowest bytes of the word */
    }
}

void tsr__image_pack(const struct tsr_image_format *format, const void *color, unsigned char pixel[TSR__MOST_PIXEL])
{
    const unsigned begun = tsr_floats_begin();
    pack(format, color, pixel);
    tsr_floats_end(begun);
}
