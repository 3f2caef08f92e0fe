/* SPDX-License-Identifier: Apache-2.0
 * The types of images in OpenCL C, and what pack.py makes of the address of an image's descriptor and of a sampler: themselves. */
#ifndef TESSERA_BUILTINS_IMAGE_TYPES_H
#define TESSERA_BUILTINS_IMAGE_TYPES_H

#include "image.h"

#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL EXTENSION cl_khr_depth_images : enable

/* M(type, shape, …): shape as in image.cl, whose coordinates the macros below take from a vector. Depth images are read as float. */
#define EACH_COLOUR_IMAGE(M, ...)                                                                                                          \
    M(image1d_t, 1d, ##__VA_ARGS__)                                                                                                        \
    M(image1d_array_t, 1d_array, ##__VA_ARGS__)                                                                                            \
    M(image2d_t, 2d, ##__VA_ARGS__)                                                                                                        \
    M(image2d_array_t, 2d_array, ##__VA_ARGS__)                                                                                            \
    M(image3d_t, 3d, ##__VA_ARGS__)
#define EACH_DEPTH_IMAGE(M, ...) M(image2d_depth_t, 2d, ##__VA_ARGS__) M(image2d_array_depth_t, 2d_array, ##__VA_ARGS__)

#define COORDINATE_1d(T) T
#define COORDINATE_1d_array(T) T##2
#define COORDINATE_2d(T) T##2
#define COORDINATE_2d_array(T) T##4
#define COORDINATE_3d(T) T##4
#define TAKE_1d(c) (c)
#define TAKE_1d_array(c) (c).x, (c).y
#define TAKE_2d(c) (c).x, (c).y
#define TAKE_2d_array(c) (c).x, (c).y, (c).z
#define TAKE_3d(c) (c).x, (c).y, (c).z

#define DESCRIPTOR(type, shape, access) image_desc PURE __tsr_image_descriptor(access type image);
#define DESCRIPTORS(access)                                                                                                                \
    EACH_COLOUR_IMAGE(DESCRIPTOR, access) EACH_DEPTH_IMAGE(DESCRIPTOR, access) DESCRIPTOR(image1d_buffer_t, 1d, access)
DESCRIPTORS(read_only)
DESCRIPTORS(write_only)
DESCRIPTORS(read_write)
#undef DESCRIPTORS
#undef DESCRIPTOR
/* Whether it is a constant of the program: pack.py makes LLVM's llvm.is.constant of it, which clang would answer here and now. */
bool __attribute__((const)) __tsr_is_constant(uint x);
uint PURE __tsr_image_sampler(sampler_t sampler);

#endif
