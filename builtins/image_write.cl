/* SPDX-License-Identifier: Apache-2.0
 * Writes of images and questions about them (OpenCL C 3.0, 6.15.15.5, 6.15.15.6; cl_khr_depth_images, cl_khr_mipmap_image_writes). */
#include "image_types.h"

#define DECLARE(shape, PARAMETERS)                                                                                                         \
    void __tsr_image_write_f_##shape(image_desc image, int lod, PARAMETERS, float, float, float, float);                                   \
    void __tsr_image_write_i_##shape(image_desc image, int lod, PARAMETERS, uint, uint, uint, uint);
#define COMMA ,
DECLARE(1d, int)
DECLARE(1d_array, int COMMA int)
DECLARE(2d, int COMMA int)
DECLARE(2d_array, int COMMA int COMMA int)
DECLARE(3d, int COMMA int COMMA int)

/* As for reads, formats with code of their own. */
#define QUICK(shape)                                                                                                                       \
    INLINE void write_f_##shape(image_desc image, PARAMS_##shape(int), float r, float g, float b, float a)                                 \
    {                                                                                                                                      \
        struct channels_f c = {{r, g, b, a}};                                                                                              \
        if (image->quick == TSR_IMAGE_RGBA8)                                                                                               \
            write(image, 0, 4, pack_f(c, TSR_IMAGE_UNORM_INT8, image->largest), ARGS_##shape);                                             \
        else if (image->quick == TSR_IMAGE_RGBA32F)                                                                                        \
            write(image, 0, 16, pack_f(c, TSR_IMAGE_FLOAT, image->largest), ARGS_##shape);                                                 \
        else                                                                                                                               \
            __tsr_image_write_f_##shape(image, 0, NAMES_##shape, r, g, b, a);                                                              \
    }                                                                                                                                      \
    INLINE void write_i_##shape(image_desc image, PARAMS_##shape(int), uint r, uint g, uint b, uint a)                                     \
    {                                                                                                                                      \
        __tsr_image_write_i_##shape(image, 0, NAMES_##shape, r, g, b, a);                                                                  \
    }
QUICK(1d)
QUICK(1d_array)
QUICK(2d)
QUICK(2d_array)
QUICK(3d)

#define COMPONENTS_4(colour) (colour).x, (colour).y, (colour).z, (colour).w
#define FROM_f(x) COMPONENTS_4(x)
#define FROM_i(x) COMPONENTS_4(__builtin_astype(x, uint4))
#define FROM_h(x) COMPONENTS_4(__builtin_convertvector(x, float4))
#define FROM_depth(x) x, 0, 0, 0

#define WRITE(type, shape, access, T, suffix, kind, from)                                                                                  \
    void OVER write_image##suffix(access type image, COORDINATE_##shape(int) c, T colour)                                                  \
    {                                                                                                                                      \
        write_##kind##_##shape(__tsr_image_descriptor(image), TAKE_##shape(c), from(colour));                                              \
    }
#define WRITE_LEVEL(type, shape, access, T, suffix, kind, from)                                                                            \
    void OVER write_image##suffix(access type image, COORDINATE_##shape(int) c, int lod, T colour)                                         \
    {                                                                                                                                      \
        __tsr_image_write_##kind##_##shape(__tsr_image_descriptor(image), lod, TAKE_##shape(c), from(colour));                             \
    }
#define WRITES(access)                                                                                                                     \
    EACH_COLOUR_IMAGE(WRITE, access, float4, f, f, FROM_f)                                                                                 \
    EACH_COLOUR_IMAGE(WRITE, access, int4, i, i, FROM_i)                                                                                   \
    EACH_COLOUR_IMAGE(WRITE, access, uint4, ui, i, FROM_i)                                                                                 \
    EACH_COLOUR_IMAGE(WRITE, access, half4, h, f, FROM_h)                                                                                  \
    EACH_DEPTH_IMAGE(WRITE, access, float, f, f, FROM_depth)                                                                               \
    WRITE(image1d_buffer_t, 1d, access, float4, f, f, FROM_f)                                                                              \
    WRITE(image1d_buffer_t, 1d, access, int4, i, i, FROM_i)                                                                                \
    WRITE(image1d_buffer_t, 1d, access, uint4, ui, i, FROM_i)                                                                              \
    WRITE(image1d_buffer_t, 1d, access, half4, h, f, FROM_h)
WRITES(write_only)
WRITES(read_write)
EACH_COLOUR_IMAGE(WRITE_LEVEL, write_only, float4, f, f, FROM_f)
EACH_COLOUR_IMAGE(WRITE_LEVEL, write_only, int4, i, i, FROM_i)
EACH_COLOUR_IMAGE(WRITE_LEVEL, write_only, uint4, ui, i, FROM_i)
EACH_DEPTH_IMAGE(WRITE_LEVEL, write_only, float, f, f, FROM_depth)

/* ---- questions ---- */

#define ANSWER(type, access, R, name, answer)                                                                                              \
    R PURE name(access type image)                                                                                                         \
    {                                                                                                                                      \
        image_desc at = __tsr_image_descriptor(image);                                                                                     \
        return answer;                                                                                                                     \
    }
#define WIDTH (int)at->level[0].width
#define HEIGHT (int)at->level[0].height
#define DEPTH (int)at->level[0].depth
#define ANSWERS_1d(type, access)
#define ANSWERS_2d(type, access)                                                                                                           \
    ANSWER(type, access, int, get_image_height, HEIGHT) ANSWER(type, access, int2, get_image_dim, ((int2)(WIDTH, HEIGHT)))
#define ANSWERS_3d(type, access)                                                                                                           \
    ANSWER(type, access, int, get_image_height, HEIGHT)                                                                                    \
    ANSWER(type, access, int, get_image_depth, DEPTH)                                                                                      \
    ANSWER(type, access, int4, get_image_dim, ((int4)(WIDTH, HEIGHT, DEPTH, 0)))
#define ANSWERS_1d_array(type, access) ANSWER(type, access, size_t, get_image_array_size, at->array_size)
#define ANSWERS_2d_array(type, access) ANSWERS_2d(type, access) ANSWERS_1d_array(type, access)
#define ANSWERS_OF_ALL(type, access)                                                                                                       \
    ANSWER(type, access, int, get_image_width, WIDTH)                                                                                      \
    ANSWER(type, access, int, get_image_channel_data_type, (int)at->channel_type)                                                          \
    ANSWER(type, access, int, get_image_channel_order, (int)at->channel_order)
#define ANSWERS(type, shape, access)                                                                                                       \
    ANSWERS_OF_ALL(type, access)                                                                                                           \
    ANSWER(type, access, int, get_image_num_mip_levels, (int)at->mip_levels)                                                               \
    ANSWERS_##shape(type, access)
#define ALL_ANSWERS(access)                                                                                                                \
    EACH_COLOUR_IMAGE(ANSWERS, access) EACH_DEPTH_IMAGE(ANSWERS, access) ANSWERS_OF_ALL(image1d_buffer_t, access)
ALL_ANSWERS(read_only)
ALL_ANSWERS(write_only)
ALL_ANSWERS(read_write)
