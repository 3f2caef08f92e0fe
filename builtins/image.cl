/* SPDX-License-Identifier: Apache-2.0
 * What all functions on images stand on: for each kind of image, reads with integer and with float coordinates and with a level of detail,
 * and writes. The vector engine makes each of them for a packet (lanes/prepare/outlined.c). */
#include "image.h"

#define EACH_SHAPE(M) M(1d) M(1d_array) M(2d) M(2d_array) M(3d)

#define READS __attribute__((noinline, pure))
#define WRITES __attribute__((noinline))

/* ---- integer coordinates ---- */

#define FETCH(shape)                                                                                                                       \
    float4 READS __tsr_image_fetch_f_##shape(image_desc image, uint sampler, PARAMS_##shape(int))                                          \
    {                                                                                                                                      \
        return components_f(image, unpack_f(fetch(image, sampler, image->pixel_bytes, ARGS_##shape), image->type));                        \
    }                                                                                                                                      \
    uint4 READS __tsr_image_fetch_i_##shape(image_desc image, uint sampler, PARAMS_##shape(int))                                           \
    {                                                                                                                                      \
        return components_i(image, unpack_i(fetch(image, sampler, image->pixel_bytes, ARGS_##shape), image->type));                        \
    }
EACH_SHAPE(FETCH)

/* ---- float coordinates ---- */

INLINE float corner_weight(enum shape shape, struct place p, int corner)
{
    float weight = corner & 1 ? p.x.part : 1.0f - p.x.part;
    if (HAS_Y(shape))
        weight *= corner & 2 ? p.y.part : 1.0f - p.y.part;
    if (HAS_Z(shape))
        weight *= corner & 4 ? p.z.part : 1.0f - p.z.part;
    return weight;
}

INLINE void add_corner(struct channels_f *sum, float weight, struct channels_f c)
{
#pragma OPENCL FP_CONTRACT ON
    for (int k = 0; k < 4; k++)
        sum->c[k] += weight * c.c[k];
}

/* Two neighbours of a row are one load: of a pixel that is there and the one behind it, of which a sum takes twice the same at the ends of the
 * row. The row has two pixels at least. */
INLINE void add_pair(struct channels_f *sum, image_desc image, image_level level, uint sampler, uint type, uint pixel_bytes, enum shape shape,
                     struct place p, int corner)
{
    bool border = (sampler & TSR_SAMPLER_ADDRESSING) == CLK_ADDRESS_CLAMP, inside = true;
    int w = (int)level->width, h = (int)level->height, d = (int)level->depth;
    int x = between(p.x.first, 0, w - 2), y = corner & 2 ? p.y.second : p.y.first, z = corner & 4 ? p.z.second : p.z.first;
    if (border && HAS_Y(shape)) {
        inside = (uint)y < (uint)h;
        y = between(y, 0, h - 1);
    }
    if (border && HAS_Z(shape)) {
        inside = inside & ((uint)z < (uint)d);
        z = between(z, 0, d - 1);
    }
    struct pixel pair[2];
    load_pair(level, pixel_bytes, place(image, level, pixel_bytes, shape, x, y, z, p.element), pair);
    for (int k = 0; k < 2; k++) {
        int own = k ? p.x.second : p.x.first;
        struct pixel one;
        for (int i = 0; i < 4; i++) {
            one.word[i] = own == x ? pair[0].word[i] : pair[1].word[i];
            if (border)
                one.word[i] = (inside & ((uint)own < (uint)w)) ? one.word[i] : 0;
        }
        add_corner(sum, corner_weight(shape, p, corner + k), unpack_f(one, type));
    }
}

/* Of one format all pixels are read at once. */
#define ADD_PAIRS(type, bytes)                                                                                                             \
    _Pragma("unroll") for (int corner = 0; corner < corners; corner += 2)                                                                  \
        add_pair(&sum, image, level, sampler, type, bytes, shape, p, corner);
#define ADD_CORNERS(type, bytes)                                                                                                           \
    _Pragma("nounroll") for (int corner = 0; corner < corners; corner++)                                                                   \
        add_corner(&sum, corner_weight(shape, p, corner), unpack_f(corner_pixel(image, level, sampler, bytes, shape, p, corner), type));

/* The mean of the pixels around a place. The commonest formats have code of their own. */
INLINE struct channels_f filtered(image_desc image, image_level level, uint sampler, enum shape shape, struct place p)
{
    int corners = HAS_Z(shape) ? 8 : HAS_Y(shape) ? 4 : 2;
    bool repeats = (sampler & TSR_SAMPLER_ADDRESSING) == CLK_ADDRESS_REPEAT, neighbours = !repeats && level->width > 1;
    struct channels_f sum = {{0, 0, 0, 0}};
    if (image->type == TSR_IMAGE_UNORM_INT8 && image->pixel_bytes == 4 && neighbours) {
        ADD_PAIRS(TSR_IMAGE_UNORM_INT8, 4)
    } else if (image->type == TSR_IMAGE_FLOAT && image->pixel_bytes == 16) {
        ADD_CORNERS(TSR_IMAGE_FLOAT, 16)
    } else if (image->type == TSR_IMAGE_HALF_FLOAT && image->pixel_bytes == 8 && neighbours) {
        ADD_PAIRS(TSR_IMAGE_HALF_FLOAT, 8)
    } else if (image->type == TSR_IMAGE_HALF_FLOAT && image->pixel_bytes == 8 && repeats) {
        ADD_CORNERS(TSR_IMAGE_HALF_FLOAT, 8)
    } else {
        ADD_CORNERS(image->type, image->pixel_bytes)
    }
    return sum;
}

INLINE struct place place_linear(image_level level, uint sampler, float x, float y, float z, int element)
{
    return (struct place){axis_linear(x, (int)level->width, sampler), axis_linear(y, (int)level->height, sampler),
                          axis_linear(z, (int)level->depth, sampler), element};
}

INLINE float4 sample_f(image_desc image, image_level level, uint sampler, enum shape shape, float x, float y, float z, float layer)
{
    int element = IS_ARRAY(shape) ? array_element(layer, image->array_size) : 0;
    struct channels_f c;
    if (sampler & TSR_SAMPLER_LINEAR)
        c = filtered(image, level, sampler, shape, place_linear(level, sampler, x, y, z, element));
    else
        c = unpack_f(corner_pixel(image, level, sampler, image->pixel_bytes, shape, place_nearest(level, sampler, x, y, z, element), 0), image->type);
    return components_f(image, c);
}

INLINE uint4 sample_i(image_desc image, image_level level, uint sampler, enum shape shape, float x, float y, float z, float layer)
{
    int element = IS_ARRAY(shape) ? array_element(layer, image->array_size) : 0;
    struct place p = place_nearest(level, sampler, x, y, z, element);
    return components_i(image, unpack_i(corner_pixel(image, level, sampler, image->pixel_bytes, shape, p, 0), image->type));
}

#define SAMPLE(shape)                                                                                                                      \
    float4 READS __tsr_image_sample_f_##shape(image_desc image, uint sampler, PARAMS_##shape(float))                                       \
    {                                                                                                                                      \
        return sample_f(image, &image->level[0], sampler, ARGS_##shape);                                                                   \
    }                                                                                                                                      \
    uint4 READS __tsr_image_sample_i_##shape(image_desc image, uint sampler, PARAMS_##shape(float))                                        \
    {                                                                                                                                      \
        return sample_i(image, &image->level[0], sampler, ARGS_##shape);                                                                   \
    }
EACH_SHAPE(SAMPLE)

/* ---- mipmaps (OpenCL extensions, cl_khr_mipmap_image) ---- */

/* Within the bounds of the sampler and of the image. */
INLINE float level_of_detail(image_desc image, uint sampler, float lod)
{
    float least = (float)(sampler >> TSR_SAMPLER_LOD_MIN_SHIFT & 255) / 16.0f;
    float most = (float)(255 - (sampler >> TSR_SAMPLER_LOD_MAX_SHIFT & 255)) / 16.0f, last = (float)(image->mip_levels - 1);
    return between_f(between_f(lod, least, most), 0.0f, last);
}

INLINE int level_nearest(float lod)
{
    return lod <= 0.5f ? 0 : (int)__builtin_elementwise_ceil(lod + 0.5f) - 1;
}

INLINE float4 sample_lod_f(image_desc image, uint sampler, float lod, enum shape shape, float x, float y, float z, float layer)
{
    int last = (int)image->mip_levels - 1;
    lod = level_of_detail(image, sampler, lod);
    bool linear = sampler & TSR_SAMPLER_MIP_LINEAR;
    float whole = __builtin_elementwise_floor(lod), part = linear ? lod - whole : 0.0f;
    int first = linear ? (int)whole : level_nearest(lod);
    float4 sum = 0.0f;
    _Pragma("nounroll") for (int i = 0; i <= (int)linear; i++)
    {
        float4 one = sample_f(image, &image->level[between(first + i, 0, last)], sampler, shape, x, y, z, layer);
        sum = i ? sum + part * one : (1.0f - part) * one;
    }
    return sum;
}

INLINE uint4 sample_lod_i(image_desc image, uint sampler, float lod, enum shape shape, float x, float y, float z, float layer)
{
    int nearest = level_nearest(level_of_detail(image, sampler, lod));
    return sample_i(image, &image->level[between(nearest, 0, (int)image->mip_levels - 1)], sampler, shape, x, y, z, layer);
}

#define SAMPLE_LOD(shape)                                                                                                                  \
    float4 READS __tsr_image_lod_f_##shape(image_desc image, uint sampler, PARAMS_##shape(float), float lod)                               \
    {                                                                                                                                      \
        return sample_lod_f(image, sampler, lod, ARGS_##shape);                                                                            \
    }                                                                                                                                      \
    uint4 READS __tsr_image_lod_i_##shape(image_desc image, uint sampler, PARAMS_##shape(float), float lod)                                \
    {                                                                                                                                      \
        return sample_lod_i(image, sampler, lod, ARGS_##shape);                                                                            \
    }
EACH_SHAPE(SAMPLE_LOD)

/* ---- writes ---- */

INLINE struct pixel packed_f(image_desc image, float r, float g, float b, float a)
{
    float from[4] = {r, g, b, a};
    struct channels_f c = {{PUT(from, image->write[0]), PUT(from, image->write[1]), PUT(from, image->write[2]), PUT(from, image->write[3])}};
    return pack_f(c, image->type, image->largest);
}

INLINE struct pixel packed_i(image_desc image, uint r, uint g, uint b, uint a)
{
    uint from[4] = {r, g, b, a};
    struct channels_i c = {{PUT(from, image->write[0]), PUT(from, image->write[1]), PUT(from, image->write[2]), PUT(from, image->write[3])}};
    return pack_i(c, image->type);
}

#define WRITE(shape)                                                                                                                       \
    void WRITES __tsr_image_write_f_##shape(image_desc image, int lod, PARAMS_##shape(int), float r, float g, float b, float a)            \
    {                                                                                                                                      \
        write(image, lod, image->pixel_bytes, packed_f(image, r, g, b, a), ARGS_##shape);                                                  \
    }                                                                                                                                      \
    void WRITES __tsr_image_write_i_##shape(image_desc image, int lod, PARAMS_##shape(int), uint r, uint g, uint b, uint a)                \
    {                                                                                                                                      \
        write(image, lod, image->pixel_bytes, packed_i(image, r, g, b, a), ARGS_##shape);                                                  \
    }
EACH_SHAPE(WRITE)
