/* SPDX-License-Identifier: Apache-2.0
 * Reads of images (OpenCL C 3.0, 6.15.15.2 to 6.15.15.4; cl_khr_depth_images, cl_khr_mipmap_image). */
#include "image_types.h"

#define READS __attribute__((overloadable, pure))

#define DECLARE(shape, PARAMETERS)                                                                                                         \
    float4 __attribute__((pure)) __tsr_image_fetch_f_##shape(image_desc image, uint sampler, PARAMETERS(int));                             \
    uint4 __attribute__((pure)) __tsr_image_fetch_i_##shape(image_desc image, uint sampler, PARAMETERS(int));                              \
    float4 __attribute__((pure)) __tsr_image_sample_f_##shape(image_desc image, uint sampler, PARAMETERS(float));                          \
    uint4 __attribute__((pure)) __tsr_image_sample_i_##shape(image_desc image, uint sampler, PARAMETERS(float));                           \
    float4 __attribute__((pure)) __tsr_image_lod_f_##shape(image_desc image, uint sampler, PARAMETERS(float), float lod);                  \
    uint4 __attribute__((pure)) __tsr_image_lod_i_##shape(image_desc image, uint sampler, PARAMETERS(float), float lod);
#define ONE(T) T
#define TWO(T) T, T
#define THREE(T) T, T, T
DECLARE(1d, ONE)
DECLARE(1d_array, TWO)
DECLARE(2d, TWO)
DECLARE(2d_array, THREE)
DECLARE(3d, THREE)

/* Formats that kernels have code of their own for, in place of a call: the address of a pixel is then part of what is known of the lanes, and
 * what depends on the image alone is done once for all reads. Samplers that are constants only: others would be too much code. */
#define QUICK(shape)                                                                                                                       \
    INLINE float4 fetch_f_##shape(image_desc image, uint sampler, PARAMS_##shape(int))                                                     \
    {                                                                                                                                      \
        if (image->quick == TSR_IMAGE_RGBA8)                                                                                               \
            return rgba8(image, fetch(image, sampler, 4, ARGS_##shape));                                                                   \
        if (image->quick == TSR_IMAGE_RGBA32F)                                                                                             \
            return rgba32f(fetch(image, sampler, 16, ARGS_##shape));                                                                       \
        return __tsr_image_fetch_f_##shape(image, sampler, NAMES_##shape);                                                                 \
    }                                                                                                                                      \
    INLINE uint4 fetch_i_##shape(image_desc image, uint sampler, PARAMS_##shape(int))                                                      \
    {                                                                                                                                      \
        return __tsr_image_fetch_i_##shape(image, sampler, NAMES_##shape);                                                                 \
    }                                                                                                                                      \
    INLINE float4 sample_f_##shape(image_desc image, uint sampler, PARAMS_##shape(float))                                                  \
    {                                                                                                                                      \
        if (__tsr_is_constant(sampler) && !(sampler & TSR_SAMPLER_LINEAR) && image->quick == TSR_IMAGE_RGBA8)                              \
            return rgba8(image, nearest(image, sampler, 4, ARGS_##shape));                                                                 \
        if (__tsr_is_constant(sampler) && !(sampler & TSR_SAMPLER_LINEAR) && image->quick == TSR_IMAGE_RGBA32F)                            \
            return rgba32f(nearest(image, sampler, 16, ARGS_##shape));                                                                     \
        return __tsr_image_sample_f_##shape(image, sampler, NAMES_##shape);                                                                \
    }                                                                                                                                      \
    INLINE uint4 sample_i_##shape(image_desc image, uint sampler, PARAMS_##shape(float))                                                   \
    {                                                                                                                                      \
        return __tsr_image_sample_i_##shape(image, sampler, NAMES_##shape);                                                                \
    }

INLINE float4 rgba8(image_desc image, struct pixel p)
{
    struct channels_f c = unpack_f(p, TSR_IMAGE_UNORM_INT8);
    return (float4)(normalised(image, c, 0), normalised(image, c, 1), normalised(image, c, 2), normalised(image, c, 3));
}

INLINE float4 rgba32f(struct pixel p)
{
    struct channels_f c = unpack_f(p, TSR_IMAGE_FLOAT);
    return (float4)(c.c[0], c.c[1], c.c[2], c.c[3]);
}

INLINE struct pixel nearest(image_desc image, uint sampler, uint pixel_bytes, enum shape shape, float x, float y, float z, float layer)
{
    image_level level = &image->level[0];
    int element = IS_ARRAY(shape) ? array_element(layer, image->array_size) : 0;
    return corner_pixel(image, level, sampler, pixel_bytes, shape, place_nearest(level, sampler, x, y, z, element), 0);
}
QUICK(1d)
QUICK(1d_array)
QUICK(2d)
QUICK(2d_array)
QUICK(3d)

/* What the functions give of the four components. */
#define AS_f(x) (x)
#define AS_i(x) __builtin_astype(x, int4)
#define AS_ui(x) (x)
#define AS_h(x) __builtin_convertvector(x, half4)
#define AS_depth(colour) ((colour).x)

/* R: the type of the result; suffix: of the function; kind: f or i, of the pixels. */
#define READ_WITHOUT_SAMPLER(type, shape, access, R, suffix, kind, as)                                                                     \
    R READS read_image##suffix(access type image, COORDINATE_##shape(int) c)                                                               \
    {                                                                                                                                      \
        return as(fetch_##kind##_##shape(__tsr_image_descriptor(image), CLK_ADDRESS_NONE, TAKE_##shape(c)));                               \
    }
#define READ_WITH_SAMPLER(type, shape, R, suffix, kind, as)                                                                                \
    R READS read_image##suffix(read_only type image, sampler_t sampler, COORDINATE_##shape(int) c)                                         \
    {                                                                                                                                      \
        return as(fetch_##kind##_##shape(__tsr_image_descriptor(image), __tsr_image_sampler(sampler), TAKE_##shape(c)));                   \
    }                                                                                                                                      \
    R READS read_image##suffix(read_only type image, sampler_t sampler, COORDINATE_##shape(float) c)                                       \
    {                                                                                                                                      \
        return as(sample_##kind##_##shape(__tsr_image_descriptor(image), __tsr_image_sampler(sampler), TAKE_##shape(c)));                  \
    }
#define READ_LEVEL(type, shape, R,         suffix, kind, as)                                                                               \
    R READS read_image##suffix(read_only type image, sampler_t sampler, COORDINATE_##shape(float) c, float lod)                            \
    {                                                                                                                                      \
        return as(                                                                                                                         \
            __tsr_image_lod_##kind##_##shape(__tsr_image_descriptor(image), __tsr_image_sampler(sampler), TAKE_##shape(c), lod));          \
    }                                                                                                                                      \
    R READS read_image##suffix(read_only type image, sampler_t sampler, COORDINATE_##shape(float) c, GRADIENT_##shape dx,                  \
                               GRADIENT_##shape dy)                                                                                        \
    {                                                                                                                                      \
        image_desc at = __tsr_image_descriptor(image);                                                                                     \
        return as(__tsr_image_lod_##kind##_##shape(at, __tsr_image_sampler(sampler), TAKE_##shape(c), LOD_##shape(at, dx, dy)));           \
    }

#define GRADIENT_1d float
#define GRADIENT_1d_array float
#define GRADIENT_2d float2
#define GRADIENT_2d_array float2
#define GRADIENT_3d float4
#define LOD_1d(image, dx, dy) level_of_gradients(image, (float4)(dx, 0, 0, 0), (float4)(dy, 0, 0, 0))
#define LOD_1d_array LOD_1d
#define LOD_2d(image, dx, dy) level_of_gradients(image, (float4)(dx, 0, 0), (float4)(dy, 0, 0))
#define LOD_2d_array LOD_2d
#define LOD_3d(image, dx, dy) level_of_gradients(image, (float4)(dx.xyz, 0), (float4)(dy.xyz, 0))

/* By how many pixels of level 0 the coordinate changes from one pixel of the result to the next, at most. */
INLINE float level_of_gradients(image_desc image, float4 dx, float4 dy)
{
    float4 size = {(float)image->level[0].width, (float)image->level[0].height, (float)image->level[0].depth, 0};
    dx *= size;
    dy *= size;
    dx *= dx;
    dy *= dy;
    return 0.5f * log2(__builtin_elementwise_max(dx.x + dx.y + dx.z, dy.x + dy.y + dy.z));
}

#define READ(type, shape, R, suffix, kind, as)                                                                                             \
    READ_WITH_SAMPLER(type, shape, R, suffix, kind, as)                                                                                    \
    READ_WITHOUT_SAMPLER(type, shape, read_only, R, suffix, kind, as)                                                                      \
    READ_WITHOUT_SAMPLER(type, shape, read_write, R, suffix, kind, as)
#define READ_BUFFER(R, suffix, kind, as)                                                                                                   \
    READ_WITHOUT_SAMPLER(image1d_buffer_t, 1d, read_only, R, suffix, kind, as)                                                             \
    READ_WITHOUT_SAMPLER(image1d_buffer_t, 1d, read_write, R, suffix, kind, as)

EACH_COLOUR_IMAGE(READ, float4, f, f, AS_f)
EACH_COLOUR_IMAGE(READ, int4, i, i, AS_i)
EACH_COLOUR_IMAGE(READ, uint4, ui, i, AS_ui)
EACH_COLOUR_IMAGE(READ, half4, h, f, AS_h)
EACH_DEPTH_IMAGE(READ, float, f, f, AS_depth)
READ_BUFFER(float4, f, f, AS_f)
READ_BUFFER(int4, i, i, AS_i)
READ_BUFFER(uint4, ui, i, AS_ui)
READ_BUFFER(half4, h, f, AS_h)
EACH_COLOUR_IMAGE(READ_LEVEL, float4, f, f, AS_f)
EACH_COLOUR_IMAGE(READ_LEVEL, int4, i, i, AS_i)
EACH_COLOUR_IMAGE(READ_LEVEL, uint4, ui, i, AS_ui)
EACH_DEPTH_IMAGE(READ_LEVEL, float, f, f, AS_depth)
