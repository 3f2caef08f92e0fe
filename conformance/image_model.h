/* SPDX-License-Identifier: Apache-2.0
 * A model in double of what reads of images give, by the specification's formulas alone (OpenCL 3.0, 8.2 to 8.4; OpenCL C 3.0, 6.15.15):
 * kinds of images, what the channels of each format stand for, addressing and filters. */
#ifndef TESSERA_CONFORMANCE_IMAGE_MODEL_H
#define TESSERA_CONFORMANCE_IMAGE_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

enum { WIDTH = 8, HEIGHT = 4, DEPTH = 2, LAYERS = 3, MOST_BYTES = WIDTH * HEIGHT * LAYERS * 16 };

static const struct kind {
    cl_mem_object_type type;
    const char *name, *at, *whole; /* what a kernel calls it; coordinates of a float4 and of an int4 */
    bool y, z, layers, depth;
    const char *gradient; /* components of one */
} kinds[] = {
    {CL_MEM_OBJECT_IMAGE1D, "image1d_t", "c.x", "i.x", false, false, false, false, "x"},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "c.xw", "i.xw", false, false, true, false, "x"},
    {CL_MEM_OBJECT_IMAGE2D, "image2d_t", "c.xy", "i.xy", true, false, false, false, "xy"},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "c.xyww", "i.xyww", true, false, true, false, "xy"},
    {CL_MEM_OBJECT_IMAGE3D, "image3d_t", "c.xyzz", "i.xyzz", true, true, false, false, "xyzz"},
    {CL_MEM_OBJECT_IMAGE2D, "image2d_depth_t", "c.xy", "i.xy", true, false, false, true, "xy"},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_depth_t", "c.xyww", "i.xyww", true, false, true, true, "xy"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- formats ---- */

enum values { FLOATS, INTS, UINTS };

static enum values values_of(cl_channel_type type)
{
    if (type == CL_SIGNED_INT8 || type == CL_SIGNED_INT16 || type == CL_SIGNED_INT32)
        return INTS;
    return type == CL_UNSIGNED_INT8 || type == CL_UNSIGNED_INT16 || type == CL_UNSIGNED_INT32 ? UINTS : FLOATS;
}

/* For each component which channel of memory it is, in the order of the name; -1: 0, -2: 1. */
static const signed char *components_of(cl_channel_order order)
{
    static const signed char r[] = {0, -1, -1, -2}, a[] = {-1, -1, -1, 0}, rg[] = {0, 1, -1, -2}, ra[] = {0, -1, -1, 1},
                             rgb[] = {0, 1, 2, -2}, rgba[] = {0, 1, 2, 3}, bgra[] = {2, 1, 0, 3}, argb[] = {1, 2, 3, 0},
                             abgr[] = {3, 2, 1, 0}, intensity[] = {0, 0, 0, 0}, luminance[] = {0, 0, 0, -2};
    switch (order) {
    case CL_R:
    case CL_DEPTH:
        return r;
    case CL_A:
        return a;
    case CL_RG:
        return rg;
    case CL_RA:
        return ra;
    case CL_RGB:
        return rgb;
    case CL_RGBA:
    case CL_sRGBA:
        return rgba;
    case CL_BGRA:
    case CL_sBGRA:
        return bgra;
    case CL_ARGB:
        return argb;
    case CL_ABGR:
        return abgr;
    case CL_INTENSITY:
        return intensity;
    case CL_LUMINANCE:
        return luminance;
    default:
        REQUIRE(false, "channel order 0x%x is unknown to the model", order);
        return NULL;
    }
}

static int channels_of(cl_channel_order order)
{
    const signed char *c = components_of(order);
    int most = 0;
    for (int i = 0; i < 4; i++)
        most = c[i] > most ? c[i] : most;
    return most + 1;
}

/* Bits of a channel, and where they begin in a packed pixel; 0 bits: the type is not packed. */
static int packed_bits(cl_channel_type type, int channel, int *from)
{
    static const struct {
        cl_channel_type type;
        signed char bits[4], from[4];
    } packed[] = {
        {CL_UNORM_SHORT_565, {5, 6, 5, 0}, {11, 5, 0, 0}},
        {CL_UNORM_SHORT_555, {5, 5, 5, 0}, {10, 5, 0, 0}},
        {CL_UNORM_INT_101010, {10, 10, 10, 0}, {20, 10, 0, 0}},
        {CL_UNORM_INT_101010_2, {10, 10, 10, 2}, {22, 12, 2, 0}},
    };
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (packed[i].type == type) {
            *from = packed[i].from[channel];
            return packed[i].bits[channel];
        }
    return 0;
}

static int channel_bytes(cl_channel_type type)
{
    switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
        return 1;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT:
        return 2;
    default:
        return 4;
    }
}

static int pixel_bytes(const cl_image_format *f)
{
    int from;
    if (packed_bits(f->image_channel_data_type, 0, &from))
        return f->image_channel_data_type == CL_UNORM_SHORT_565 || f->image_channel_data_type == CL_UNORM_SHORT_555 ? 2 : 4;
    return channel_bytes(f->image_channel_data_type) * channels_of(f->image_channel_order);
}

static bool is_srgb(const cl_image_format *f)
{
    return f->image_channel_order == CL_sRGBA || f->image_channel_order == CL_sBGRA;
}

static double half_value(unsigned bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double v = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return bits >> 15 ? -v : v;
}

/* The number that a channel of a pixel stands for. */
static double channel_value(const cl_image_format *f, const unsigned char *pixel, int channel)
{
    cl_channel_type type = f->image_channel_data_type;
    uint32_t bits = 0, whole = 0;
    int from, width = packed_bits(type, channel, &from), bytes = channel_bytes(type);
    memcpy(&whole, pixel, pixel_bytes(f) < 4 ? (size_t)pixel_bytes(f) : 4);
    if (width)
        return (double)(whole >> from & ((1u << width) - 1)) / ((1u << width) - 1);
    memcpy(&bits, pixel + channel * bytes, (size_t)bytes);
    switch (type) {
    case CL_SNORM_INT8:
        return fmax((int8_t)bits / 127.0, -1);
    case CL_SNORM_INT16:
        return fmax((int16_t)bits / 32767.0, -1);
    case CL_UNORM_INT8: {
        double c = bits / 255.0;
        return !is_srgb(f) || channel == 3 ? c : c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    case CL_UNORM_INT16:
        return bits / 65535.0;
    case CL_HALF_FLOAT:
        return half_value(bits);
    case CL_FLOAT: {
        float v;
        memcpy(&v, &bits, sizeof v);
        return v;
    }
    case CL_SIGNED_INT8:
        return (int8_t)bits;
    case CL_SIGNED_INT16:
        return (int16_t)bits;
    case CL_SIGNED_INT32:
        return (int32_t)bits;
    default:
        return bits;
    }
}

/* ---- images ---- */

struct image {
    const struct kind *kind;
    cl_image_format format;
    int w, h, d, layers;
    unsigned char bytes[MOST_BYTES];
    size_t size;
};

static uint32_t random_word(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static void fill(struct image *m)
{
    m->size = (size_t)(m->w * m->h * m->d * m->layers * pixel_bytes(&m->format));
    for (size_t i = 0; i < m->size; i++)
        m->bytes[i] = (unsigned char)random_word();
    for (size_t i = 0; i < m->size; i += 4) {
        if (m->format.image_channel_data_type == CL_FLOAT) {
            float v = (float)((int)(random_word() % 20001) - 10000) / 64;
            memcpy(m->bytes + i, &v, sizeof v);
        } else if (m->format.image_channel_data_type == CL_HALF_FLOAT) { /* finite ones of moderate size */
            m->bytes[i + 1] = (unsigned char)((m->bytes[i + 1] & 0x80) | 0x30 | (m->bytes[i + 1] & 0xf));
            if (i + 3 < m->size)
                m->bytes[i + 3] = (unsigned char)((m->bytes[i + 3] & 0x80) | 0x30 | (m->bytes[i + 3] & 0xf));
        }
    }
}

static const unsigned char *pixel(const struct image *m, int x, int y, int z, int layer)
{
    return m->bytes + (((layer * m->d + z) * m->h + y) * m->w + x) * pixel_bytes(&m->format);
}

/* Component k of a pixel, or of the border. */
static double component(const struct image *m, int x, int y, int z, int layer, int k)
{
    bool inside = x >= 0 && x < m->w && y >= 0 && y < m->h && z >= 0 && z < m->d;
    cl_channel_order order = m->format.image_channel_order;
    int c = components_of(order)[k];
    if (!inside) /* OpenCL C 3.0, 6.15.15.1 */
        return k == 3 && (order == CL_R || order == CL_RG || order == CL_RGB || order == CL_LUMINANCE || order == CL_DEPTH);
    return c >= 0 ? channel_value(&m->format, pixel(m, x, y, z, layer), c) : c == -2;
}

/* ---- addressing (OpenCL 3.0, 8.2) ---- */

struct sampler {
    bool normalised, linear;
    cl_addressing_mode mode;
};

static int within(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

static int addressed(int i, int size, const struct sampler *s)
{
    switch (s->mode) {
    case CL_ADDRESS_CLAMP_TO_EDGE:
        return within(i, 0, size - 1);
    case CL_ADDRESS_CLAMP:
        return within(i, -1, size);
    default:
        return i;
    }
}

/* The pixels along an axis, and how much of the second. */
static void along(double s, int size, const struct sampler *sampler, int i[2], double *a)
{
    double u = sampler->normalised ? s * size : s;
    if (sampler->mode == CL_ADDRESS_REPEAT)
        u = (s - floor(s)) * size;
    if (sampler->mode == CL_ADDRESS_MIRRORED_REPEAT)
        u = fabs(s - 2 * rint(0.5 * s)) * size;
    if (!sampler->linear) {
        i[0] = (int)floor(u);
        if (sampler->mode == CL_ADDRESS_REPEAT && i[0] > size - 1)
            i[0] -= size;
        if (sampler->mode == CL_ADDRESS_MIRRORED_REPEAT)
            i[0] = within(i[0], 0, size - 1);
        i[0] = i[1] = addressed(i[0], size, sampler);
        *a = 0;
        return;
    }
    double v = u - 0.5;
    i[0] = (int)floor(v);
    i[1] = i[0] + 1;
    *a = v - floor(v);
    if (sampler->mode == CL_ADDRESS_REPEAT) {
        i[0] += i[0] < 0 ? size : 0;
        i[1] -= i[1] > size - 1 ? size : 0;
    }
    for (int k = 0; k < 2; k++)
        i[k] = sampler->mode == CL_ADDRESS_MIRRORED_REPEAT ? within(i[k], 0, size - 1) : addressed(i[k], size, sampler);
}

static void sample(const struct image *m, const struct sampler *s, const float c[4], double result[4])
{
    int x[2], y[2] = {0, 0}, z[2] = {0, 0}, layer = m->kind->layers ? within((int)rint(c[3]), 0, m->layers - 1) : 0;
    double part[3] = {0, 0, 0};
    along(c[0], m->w, s, x, &part[0]);
    if (m->kind->y)
        along(c[1], m->h, s, y, &part[1]);
    if (m->kind->z)
        along(c[2], m->d, s, z, &part[2]);
    for (int k = 0; k < 4; k++) {
        result[k] = 0;
        for (int corner = 0; corner < 8; corner++) {
            double weight = 1;
            for (int axis = 0; axis < 3; axis++)
                weight *= corner >> axis & 1 ? part[axis] : 1 - part[axis];
            if (weight)
                result[k] += weight * component(m, x[corner & 1], y[corner >> 1 & 1], z[corner >> 2], layer, k);
        }
    }
}

#endif
