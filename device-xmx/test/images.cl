// SPDX-License-Identifier: Apache-2.0
// Every type of images that a GPU has, and every function on them: for real_compiler.py.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

constant sampler_t literal = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void image_2d(read_only image2d_t i, write_only image2d_t w, sampler_t s, global int *q)
{
    int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
    write_imagef(w, at, read_imagef(i, s, (float2)(0.5f, 0.25f)) + read_imagef(i, at) + read_imagef(i, literal, at));
    q[0] = get_image_width(i) + get_image_height(i) + get_image_dim(i).x;
    q[1] = get_image_channel_data_type(i);
    q[2] = get_image_channel_order(i);
}

kernel void image_2d_array(read_only image2d_array_t i, write_only image2d_array_t w, sampler_t s, global int *q)
{
    int4 at = (int4)(1, 2, 3, 0);
    write_imageui(w, at, read_imageui(i, s, at) + read_imageui(i, at));
    q[0] = (int)get_image_array_size(i) + get_image_channel_data_type(w) + get_image_channel_order(w);
}

kernel void image_1d(read_only image1d_t i, write_only image1d_t w, sampler_t s, global int *q)
{
    write_imagei(w, 3, read_imagei(i, s, 0.5f) + read_imagei(i, 2));
    q[0] = get_image_width(w) + get_image_channel_order(i);
}

kernel void image_1d_array(read_only image1d_array_t i, write_only image1d_array_t w, sampler_t s, global int *q)
{
    write_imagef(w, (int2)(3, 1), read_imagef(i, s, (float2)(0.5f, 1)) + read_imagef(i, (int2)(2, 1)));
    q[0] = (int)get_image_array_size(i) + get_image_channel_data_type(i);
}

kernel void image_1d_buffer(read_only image1d_buffer_t i, write_only image1d_buffer_t w, global int *q)
{
    write_imagef(w, 3, read_imagef(i, 2));
    q[0] = get_image_width(i) + get_image_channel_order(i) + get_image_channel_data_type(i);
}

kernel void image_3d(read_only image3d_t i, write_only image3d_t w, sampler_t s, global int *q)
{
    int4 at = (int4)(1, 2, 3, 0);
    write_imagef(w, at, read_imagef(i, s, (float4)(0.5f, 0.25f, 0.1f, 0)) + read_imagef(i, at));
    q[0] = get_image_depth(i) + get_image_dim(i).z;
}

kernel void image_half(read_only image2d_t i, write_only image2d_t w, sampler_t s)
{
    int2 at = (int2)(1, 2);
    write_imageh(w, at, read_imageh(i, s, (float2)(1, 2)) + read_imageh(i, at));
}
