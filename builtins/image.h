/* SPDX-License-Identifier: Apache-2.0
 * Reading and writing pixels: addressing, filters and formats (OpenCL C 3.0, 6.15.15; OpenCL 3.0, 8.2 to 8.4), for one work-item.
 *
 * The code is made to be widened: what depends on the image and the sampler alone is a branch, which all lanes take alike; what depends on
 * coordinates is a choice of values. A pixel outside of an image is never read: its place is moved into the image, and then it counts as
 * zero, which is the border colour of every format, as a component that is not in memory is a constant anyway. */
#ifndef TESSERA_BUILTINS_IMAGE_H
#define TESSERA_BUILTINS_IMAGE_H

#include "library.h"
#include "tessera/image_desc.h"

typedef const global struct tsr_image_desc *image_desc;
typedef const global struct tsr_image_level *image_level;

/* The kinds of images: how many coordinates are pixels', and whether one more is an element of an array. */
enum shape { IMAGE_1D, IMAGE_1D_ARRAY, IMAGE_2D, IMAGE_2D_ARRAY, IMAGE_3D };
#define HAS_Y(shape) ((shape) >= IMAGE_2D)
#define HAS_Z(shape) ((shape) == IMAGE_3D)
#define IS_ARRAY(shape) ((shape) == IMAGE_1D_ARRAY || (shape) == IMAGE_2D_ARRAY)

/* x, y, z and the element of an array; those that the kind of image lacks are 0. */
#define PARAMS_1d(T) T x
#define PARAMS_1d_array(T) T x, T element
#define PARAMS_2d(T) T x, T y
#define PARAMS_2d_array(T) T x, T y, T element
#define PARAMS_3d(T) T x, T y, T z
#define ARGS_1d IMAGE_1D, x, 0, 0, 0
#define ARGS_1d_array IMAGE_1D_ARRAY, x, 0, 0, element
#define ARGS_2d IMAGE_2D, x, y, 0, 0
#define ARGS_2d_array IMAGE_2D_ARRAY, x, y, 0, element
#define ARGS_3d IMAGE_3D, x, y, z, 0
#define NAMES_1d x
#define NAMES_1d_array x, element
#define NAMES_2d x, y
#define NAMES_2d_array x, y, element
#define NAMES_3d x, y, z

/* A pixel as it lies in memory; words beyond its size are zero. */
struct pixel {
    uint word[4];
};
/* The channels of memory as floats or as bits of integers. */
struct channels_f {
    float c[4];
};
struct channels_i {
    uint c[4];
};

/* ---- places ---- */

INLINE int between(int x, int low, int high)
{
    return __builtin_elementwise_min(__builtin_elementwise_max(x, low), high);
}

/* A NaN becomes `low`. */
INLINE float between_f(float x, float low, float high)
{
    x = x > low ? x : low;
    return x < high ? x : high;
}

/* The integer below, and whatever is beyond `size` by more than one becomes that. */
INLINE int floor_within(float x, int size)
{
    return (int)between_f(__builtin_elementwise_floor(x), -2.0f, (float)size + 1.0f);
}

/* The one or two pixels along an axis that a coordinate means, and how much of the second one: numbers from -1 to `size`, of which -1 and
 * `size` are outside. */
struct axis {
    int first, second;
    float part;
};

/* `normalised` only where the addressing mode is one that repeats. */
INLINE float scaled_coordinate(float s, int size, uint addressing, uint sampler)
{
    if (addressing == CLK_ADDRESS_REPEAT)
        return (s - __builtin_elementwise_floor(s)) * (float)size;
    if (addressing == CLK_ADDRESS_MIRRORED_REPEAT)
        return __builtin_elementwise_abs(s - 2.0f * __builtin_elementwise_rint(0.5f * s)) * (float)size;
    return sampler & TSR_SAMPLER_NORMALIZED ? s * (float)size : s;
}

INLINE int addressed(int i, int size, uint addressing)
{
    if (addressing == CLK_ADDRESS_CLAMP)
        return between(i, -1, size);
    return between(i, 0, size - 1);
}

INLINE struct axis axis_nearest(float s, int size, uint sampler)
{
    uint addressing = sampler & TSR_SAMPLER_ADDRESSING;
    int i = floor_within(scaled_coordinate(s, size, addressing, sampler), size);
    if (addressing == CLK_ADDRESS_REPEAT)
        i = i > size - 1 ? i - size : i;
    i = addressed(i, size, addressing);
    return (struct axis){i, i, 0};
}

INLINE struct axis axis_linear(float s, int size, uint sampler)
{
    uint addressing = sampler & TSR_SAMPLER_ADDRESSING;
    float u = scaled_coordinate(s, size, addressing, sampler) - 0.5f, whole = __builtin_elementwise_floor(u);
    int i = floor_within(u, size), j = i + 1;
    if (addressing == CLK_ADDRESS_REPEAT) {
        i = i < 0 ? i + size : i;
        j = j > size - 1 ? j - size : j;
    }
    return (struct axis){addressed(i, size, addressing), addressed(j, size, addressing), u - whole};
}

INLINE int array_element(float layer, uint count)
{
    return (int)between_f(__builtin_elementwise_rint(layer), 0.0f, (float)((int)count - 1));
}

/* ---- memory ---- */

/* What needs no alignment but that of a channel. */
typedef uint __attribute__((aligned(1))) word_1;
typedef ushort __attribute__((aligned(1))) short_1;
typedef uint2 __attribute__((aligned(1))) words_2_of_bytes;
typedef uint2 __attribute__((aligned(2))) words_2;
typedef uint4 __attribute__((aligned(2))) words_4_of_shorts;
typedef uint4 __attribute__((aligned(4))) words_4;
typedef uint8 __attribute__((aligned(4))) words_8;

/* The number of a pixel within its level, which has less than 2^31. Unsigned sums are made in 32 bits, and only the last one is widened to an
 * address. */
INLINE uint place(image_desc image, image_level level, uint pixel_bytes, enum shape shape, int x, int y, int z, int element)
{
    uint shift = __builtin_constant_p(pixel_bytes) ? (uint)__builtin_ctz(pixel_bytes) : image->pixel_shift;
    uint at = (uint)x;
    if (HAS_Y(shape))
        at += (uint)y * (uint)(level->row_pitch >> shift);
    if (HAS_Z(shape) || IS_ARRAY(shape))
        at += (uint)(HAS_Z(shape) ? z : element) * (uint)(level->slice_pitch >> shift);
    return at;
}

INLINE struct pixel load_pixel(image_level level, uint pixel_bytes, uint at)
{
    struct pixel p = {{0, 0, 0, 0}};
    switch (pixel_bytes) {
    case 1:
        p.word[0] = ((const global uchar *)level->pixels)[at];
        break;
    case 2:
        p.word[0] = ((const global short_1 *)level->pixels)[at];
        break;
    case 4:
        p.word[0] = ((const global word_1 *)level->pixels)[at];
        break;
    case 8: {
        uint2 two = ((const global words_2 *)level->pixels)[at];
        p.word[0] = two.x;
        p.word[1] = two.y;
        break;
    }
    default: {
        uint4 four = ((const global words_4 *)level->pixels)[at];
        p.word[0] = four.x;
        p.word[1] = four.y;
        p.word[2] = four.z;
        p.word[3] = four.w;
        break;
    }
    }
    return p;
}

/* A pixel of 4, 8 or 16 bytes and the one behind it, by one load. */
INLINE void load_pair(image_level level, uint pixel_bytes, uint at, struct pixel pair[2])
{
    if (pixel_bytes == 4) {
        uint2 two = *(const global words_2_of_bytes *)((const global word_1 *)level->pixels + at);
        pair[0] = (struct pixel){{two.x, 0, 0, 0}};
        pair[1] = (struct pixel){{two.y, 0, 0, 0}};
    } else if (pixel_bytes == 8) {
        uint4 four = *(const global words_4_of_shorts *)((const global words_2 *)level->pixels + at);
        pair[0] = (struct pixel){{four.x, four.y, 0, 0}};
        pair[1] = (struct pixel){{four.z, four.w, 0, 0}};
    } else {
        uint8 all = *(const global words_8 *)((const global words_4 *)level->pixels + at);
        pair[0] = (struct pixel){{all.s0, all.s1, all.s2, all.s3}};
        pair[1] = (struct pixel){{all.s4, all.s5, all.s6, all.s7}};
    }
}

INLINE void store_pixel(image_level level, uint pixel_bytes, uint at, struct pixel p)
{
    switch (pixel_bytes) {
    case 1:
        ((global uchar *)level->pixels)[at] = (uchar)p.word[0];
        break;
    case 2:
        ((global short_1 *)level->pixels)[at] = (ushort)p.word[0];
        break;
    case 4:
        ((global word_1 *)level->pixels)[at] = p.word[0];
        break;
    case 8:
        ((global words_2 *)level->pixels)[at] = (uint2)(p.word[0], p.word[1]);
        break;
    default:
        ((global words_4 *)level->pixels)[at] = (uint4)(p.word[0], p.word[1], p.word[2], p.word[3]);
        break;
    }
}

/* The pixel at x, y, z, each from -1 to the size, or if there is no border from 0 and below it. */
INLINE struct pixel pixel_at(image_desc image, image_level level, uint pixel_bytes, enum shape shape, bool border, int x, int y, int z,
                             int element)
{
    int w = (int)level->width, h = (int)level->height, d = (int)level->depth;
    bool inside = true;
    if (border) {
        inside = (uint)x < (uint)w;
        x = between(x, 0, w - 1);
        if (HAS_Y(shape)) {
            inside = inside & ((uint)y < (uint)h);
            y = between(y, 0, h - 1);
        }
        if (HAS_Z(shape)) {
            inside = inside & ((uint)z < (uint)d);
            z = between(z, 0, d - 1);
        }
    }
    struct pixel p = load_pixel(level, pixel_bytes, place(image, level, pixel_bytes, shape, x, y, z, element));
    for (int i = 0; i < 4; i++)
        p.word[i] = inside ? p.word[i] : 0;
    return p;
}

/* With integer coordinates. */
INLINE struct pixel fetch(image_desc image, uint sampler, uint pixel_bytes, enum shape shape, int x, int y, int z, int element)
{
    uint addressing = sampler & TSR_SAMPLER_ADDRESSING;
    image_level level = &image->level[0];
    x = addressed(x, (int)level->width, addressing);
    y = addressed(y, (int)level->height, addressing);
    z = addressed(z, (int)level->depth, addressing);
    element = between(element, 0, (int)image->array_size - 1);
    return pixel_at(image, level, pixel_bytes, shape, addressing == CLK_ADDRESS_CLAMP, x, y, z, element);
}

/* The pixels around a place, which a filter joins. */
struct place {
    struct axis x, y, z;
    int element;
};

INLINE struct pixel corner_pixel(image_desc image, image_level level, uint sampler, uint pixel_bytes, enum shape shape, struct place p,
                                 int corner)
{
    bool border = (sampler & TSR_SAMPLER_ADDRESSING) == CLK_ADDRESS_CLAMP;
    return pixel_at(image, level, pixel_bytes, shape, border, corner & 1 ? p.x.second : p.x.first, corner & 2 ? p.y.second : p.y.first,
                    corner & 4 ? p.z.second : p.z.first, p.element);
}

INLINE struct place place_nearest(image_level level, uint sampler, float x, float y, float z, int element)
{
    return (struct place){axis_nearest(x, (int)level->width, sampler), axis_nearest(y, (int)level->height, sampler),
                          axis_nearest(z, (int)level->depth, sampler), element};
}

/* ---- formats ---- */

INLINE struct channels_i bytes_of(struct pixel p)
{
    return (struct channels_i){{p.word[0] & 0xff, p.word[0] >> 8 & 0xff, p.word[0] >> 16 & 0xff, p.word[0] >> 24}};
}

INLINE struct channels_i shorts_of(struct pixel p)
{
    return (struct channels_i){{p.word[0] & 0xffff, p.word[0] >> 16, p.word[1] & 0xffff, p.word[1] >> 16}};
}

INLINE float signed_byte(uint x)
{
    return (float)__builtin_elementwise_max((int)(char)x, -127);
}

INLINE float signed_short(uint x)
{
    return (float)__builtin_elementwise_max((int)(short)x, -32767);
}

float PURE exp2(float); /* float_exp.cl */
float PURE log2(float);

/* Of 0 and above: a much smaller function than the library's, which is exact to some units in the last place. */
INLINE float power(float x, float exponent)
{
    return exp2(exponent * log2(x));
}

/* OpenCL 3.0, 8.3.1.3 and the formula of sRGB. */
INLINE float linear_of_srgb(uint x)
{
    float c = (float)x / 255.0f, high = power((c + 0.055f) / 1.055f, 2.4f);
    return c <= 0.04045f ? c / 12.92f : high;
}

#define CHANNELS_F(f, from)                                                                                                                \
    (struct channels_f)                                                                                                                    \
    {                                                                                                                                      \
        {                                                                                                                                  \
            f((from).c[0]), f((from).c[1]), f((from).c[2]), f((from).c[3])                                                                 \
        }                                                                                                                                  \
    }
#define PLAIN(x) ((float)(x))
#define HALF(x) ((float)__builtin_astype((ushort)(x), half))
#define BITS(x) __builtin_astype(x, float)

/* The channels of memory; those that are normalised, still as integers. */
INLINE struct channels_f unpack_f(struct pixel p, uint type)
{
    uint w = p.word[0];
    struct channels_i i;
    switch (type) {
    case TSR_IMAGE_UNORM_INT8:
        i = bytes_of(p);
        return CHANNELS_F(PLAIN, i);
    case TSR_IMAGE_SNORM_INT8:
        i = bytes_of(p);
        return CHANNELS_F(signed_byte, i);
    case TSR_IMAGE_UNORM_INT16:
        i = shorts_of(p);
        return CHANNELS_F(PLAIN, i);
    case TSR_IMAGE_SNORM_INT16:
        i = shorts_of(p);
        return CHANNELS_F(signed_short, i);
    case TSR_IMAGE_HALF_FLOAT:
        i = shorts_of(p);
        return CHANNELS_F(HALF, i);
    case TSR_IMAGE_SRGB8:
        i = bytes_of(p);
        return (struct channels_f){{linear_of_srgb(i.c[0]), linear_of_srgb(i.c[1]), linear_of_srgb(i.c[2]), (float)i.c[3] / 255.0f}};
    case TSR_IMAGE_UNORM_SHORT_565:
        return (struct channels_f){{(float)(w >> 11), (float)(w >> 5 & 63), (float)(w & 31), 0}};
    case TSR_IMAGE_UNORM_SHORT_555:
        return (struct channels_f){{(float)(w >> 10 & 31), (float)(w >> 5 & 31), (float)(w & 31), 0}};
    case TSR_IMAGE_UNORM_INT_101010:
        return (struct channels_f){{(float)(w >> 20 & 1023), (float)(w >> 10 & 1023), (float)(w & 1023), 0}};
    case TSR_IMAGE_UNORM_INT_101010_2:
        return (struct channels_f){{(float)(w >> 22), (float)(w >> 12 & 1023), (float)(w >> 2 & 1023), (float)(w & 3)}};
    default:
        i = (struct channels_i){{p.word[0], p.word[1], p.word[2], p.word[3]}};
        return CHANNELS_F(BITS, i);
    }
}

INLINE struct channels_i unpack_i(struct pixel p, uint type)
{
    struct channels_i i;
    switch (type) {
    case TSR_IMAGE_UNSIGNED_INT8:
        return bytes_of(p);
    case TSR_IMAGE_SIGNED_INT8:
        i = bytes_of(p);
        for (int k = 0; k < 4; k++)
            i.c[k] = (uint)(int)(char)i.c[k];
        return i;
    case TSR_IMAGE_UNSIGNED_INT16:
        return shorts_of(p);
    case TSR_IMAGE_SIGNED_INT16:
        i = shorts_of(p);
        for (int k = 0; k < 4; k++)
            i.c[k] = (uint)(int)(short)i.c[k];
        return i;
    default:
        return (struct channels_i){{p.word[0], p.word[1], p.word[2], p.word[3]}};
    }
}

#define CHOOSE(from, one, k)                                                                                                               \
    ((k) == 0 ? (from).c[0] : (k) == 1 ? (from).c[1] : (k) == 2 ? (from).c[2] : (k) == 3 ? (from).c[3] : (k) == TSR_IMAGE_ONE ? (one) : 0)

/* A channel that stands for 0 to 1 or -1 to 1: the float that is nearest to the quotient. */
INLINE float normalised(image_desc image, struct channels_f c, int k)
{
    return __builtin_elementwise_fma(c.c[k], image->reciprocal[k], c.c[k] * image->reciprocal_rest[k]);
}

/* R, G, B and A. */
INLINE float4 components_f(image_desc image, struct channels_f c)
{
    if (image->normalised)
        for (int k = 0; k < 4; k++)
            c.c[k] = normalised(image, c, k);
    if (image->plain)
        return (float4)(c.c[0], c.c[1], c.c[2], c.c[3]);
    return (float4)(CHOOSE(c, 1.0f, image->read[0]), CHOOSE(c, 1.0f, image->read[1]), CHOOSE(c, 1.0f, image->read[2]),
                    CHOOSE(c, 1.0f, image->read[3]));
}

INLINE uint4 components_i(image_desc image, struct channels_i c)
{
    if (image->plain)
        return (uint4)(c.c[0], c.c[1], c.c[2], c.c[3]);
    return (uint4)(CHOOSE(c, 1u, image->read[0]), CHOOSE(c, 1u, image->read[1]), CHOOSE(c, 1u, image->read[2]), CHOOSE(c, 1u, image->read[3]));
}

/* ---- writing (OpenCL 3.0, 8.3.1, 8.3.2) ---- */

/* To the nearest integer, even ones where two are near, within the bounds; NaN is `low` where that is 0, else 0. */
INLINE int rounded(float x, float low, float high)
{
    x = x == x ? x : 0.0f;
    return (int)__builtin_elementwise_rint(between_f(x, low, high));
}

INLINE uint srgb_of_linear(float x)
{
    x = between_f(x, 0.0f, 1.0f);
    float high = 1.055f * power(x, 1.0f / 2.4f) - 0.055f;
    return (uint)rounded(255.0f * (x < 0.0031308f ? 12.92f * x : high), 0.0f, 255.0f);
}

INLINE struct pixel pack_bytes(uint a, uint b, uint c, uint d)
{
    return (struct pixel){{(a & 0xff) | (b & 0xff) << 8 | (c & 0xff) << 16 | d << 24, 0, 0, 0}};
}

INLINE struct pixel pack_shorts(uint a, uint b, uint c, uint d)
{
    return (struct pixel){{(a & 0xffff) | b << 16, (c & 0xffff) | d << 16, 0, 0}};
}

#define UNORM(k) ((uint)rounded(c.c[k] * largest[k], 0.0f, largest[k]))
#define SNORM(k) ((uint)rounded(c.c[k] * largest[k], -largest[k] - 1.0f, largest[k]))
#define HALF_BITS(k) ((uint)__builtin_astype((half)c.c[k], ushort))

INLINE struct pixel pack_f(struct channels_f c, uint type, const global float *largest)
{
    switch (type) {
    case TSR_IMAGE_UNORM_INT8:
        return pack_bytes(UNORM(0), UNORM(1), UNORM(2), UNORM(3));
    case TSR_IMAGE_SNORM_INT8:
        return pack_bytes(SNORM(0), SNORM(1), SNORM(2), SNORM(3));
    case TSR_IMAGE_UNORM_INT16:
        return pack_shorts(UNORM(0), UNORM(1), UNORM(2), UNORM(3));
    case TSR_IMAGE_SNORM_INT16:
        return pack_shorts(SNORM(0), SNORM(1), SNORM(2), SNORM(3));
    case TSR_IMAGE_HALF_FLOAT:
        return pack_shorts(HALF_BITS(0), HALF_BITS(1), HALF_BITS(2), HALF_BITS(3));
    case TSR_IMAGE_SRGB8:
        return pack_bytes(srgb_of_linear(c.c[0]), srgb_of_linear(c.c[1]), srgb_of_linear(c.c[2]), (uint)rounded(c.c[3] * 255.0f, 0.0f, 255.0f));
    case TSR_IMAGE_UNORM_SHORT_565:
        return (struct pixel){{UNORM(0) << 11 | UNORM(1) << 5 | UNORM(2), 0, 0, 0}};
    case TSR_IMAGE_UNORM_SHORT_555:
        return (struct pixel){{UNORM(0) << 10 | UNORM(1) << 5 | UNORM(2), 0, 0, 0}};
    case TSR_IMAGE_UNORM_INT_101010:
        return (struct pixel){{UNORM(0) << 20 | UNORM(1) << 10 | UNORM(2), 0, 0, 0}};
    case TSR_IMAGE_UNORM_INT_101010_2:
        return (struct pixel){{UNORM(0) << 22 | UNORM(1) << 12 | UNORM(2) << 2 | UNORM(3), 0, 0, 0}};
    default:
        return (struct pixel){{__builtin_astype(c.c[0], uint), __builtin_astype(c.c[1], uint), __builtin_astype(c.c[2], uint),
                               __builtin_astype(c.c[3], uint)}};
    }
}

#define SIGNED(k, most) ((uint)between((int)c.c[k], -(most)-1, most))
#define UNSIGNED(k, most) __builtin_elementwise_min(c.c[k], (uint)(most))

INLINE struct pixel pack_i(struct channels_i c, uint type)
{
    switch (type) {
    case TSR_IMAGE_UNSIGNED_INT8:
        return pack_bytes(UNSIGNED(0, 255), UNSIGNED(1, 255), UNSIGNED(2, 255), UNSIGNED(3, 255));
    case TSR_IMAGE_SIGNED_INT8:
        return pack_bytes(SIGNED(0, 127), SIGNED(1, 127), SIGNED(2, 127), SIGNED(3, 127));
    case TSR_IMAGE_UNSIGNED_INT16:
        return pack_shorts(UNSIGNED(0, 65535), UNSIGNED(1, 65535), UNSIGNED(2, 65535), UNSIGNED(3, 65535));
    case TSR_IMAGE_SIGNED_INT16:
        return pack_shorts(SIGNED(0, 32767), SIGNED(1, 32767), SIGNED(2, 32767), SIGNED(3, 32767));
    default:
        return (struct pixel){{c.c[0], c.c[1], c.c[2], c.c[3]}};
    }
}

/* Pixels outside of the image are dropped. `lod`: a level of mipmaps. */
INLINE void write(image_desc image, int lod, uint pixel_bytes, struct pixel p, enum shape shape, int x, int y, int z, int element)
{
    image_level level = &image->level[between(lod, 0, (int)image->mip_levels - 1)];
    bool inside = ((uint)lod < image->mip_levels) & ((uint)x < level->width);
    if (HAS_Y(shape))
        inside = inside & ((uint)y < level->height);
    if (HAS_Z(shape))
        inside = inside & ((uint)z < level->depth);
    if (IS_ARRAY(shape))
        inside = inside & ((uint)element < image->array_size);
    if (inside)
        store_pixel(level, pixel_bytes, place(image, level, pixel_bytes, shape, x, y, z, element), p);
}

#define PUT(x, k) ((k) == 0 ? (x)[0] : (k) == 1 ? (x)[1] : (k) == 2 ? (x)[2] : (x)[3])

#endif
