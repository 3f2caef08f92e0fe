/* SPDX-License-Identifier: Apache-2.0
 * An image with a plain model of its pixels, for tests that compare every byte. */
#ifndef TESSERA_ICD_TEST_IMAGE_H
#define TESSERA_ICD_TEST_IMAGE_H

#include "icd/test/guarded.h"

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};

static const cl_mem_object_type image_types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                                 CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};
enum { IMAGE_TYPES = sizeof image_types / sizeof *image_types };

/* The size in each direction: coordinates that the type lacks are 1. */
static CL_TEST_UNUSED void image_extent(cl_mem_object_type type, size_t x, size_t y, size_t z, size_t extent[3])
{
    bool one = type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    bool three = type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    extent[0] = x;
    extent[1] = one ? 1 : y;
    extent[2] = three ? z : 1;
}

static CL_TEST_UNUSED cl_image_desc image_desc(cl_mem_object_type type, const size_t extent[3])
{
    cl_image_desc desc = {.image_type = type, .image_width = extent[0], .image_height = extent[1], .image_depth = extent[2]};
    desc.image_array_size = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? extent[1] : extent[2];
    return desc;
}

enum { IMAGE_SKIPPED = 77 };

/* The end of main: the tests, unless the device has no images. */
#define IMAGE_RUN(tests, setup, teardown) (image_is_there() ? cmocka_run_group_tests(tests, setup, teardown) : IMAGE_SKIPPED)
static CL_TEST_UNUSED bool image_is_there(void)
{
    cl_bool there;
    struct test_world world = test_begin(0);
    CHECK(clGetDeviceInfo(world.device, CL_DEVICE_IMAGE_SUPPORT, sizeof there, &there, NULL));
    test_end(&world);
    return there;
}

/* Whether clGetSupportedImageFormats lists the format. */
static CL_TEST_UNUSED bool image_has_format(cl_context context, cl_mem_object_type type, cl_image_format format)
{
    enum { MOST = 128 };
    cl_image_format list[MOST];
    cl_uint count;
    CHECK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type, MOST, list, &count));
    for (cl_uint i = 0; i < count; i++)
        if (!memcmp(&list[i], &format, sizeof format))
            return true;
    return false;
}

/* The memory of an object with CL_MEM_USE_HOST_PTR has what commands wrote when it is mapped: that of devices with memory of their own. */
static CL_TEST_UNUSED void image_see_buffer(cl_command_queue queue, cl_mem buffer, size_t bytes)
{
    cl_int err;
    void *pointer = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, NULL, NULL));
    CHECK(clFinish(queue));
}

static CL_TEST_UNUSED void image_see(cl_command_queue queue, cl_mem image, const size_t extent[3])
{
    const size_t zero[3] = {0};
    size_t row, slice;
    cl_int err;
    void *pointer = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, extent, &row, &slice, 0, NULL, NULL, &err);
    CHECK(err);
    CHECK(clEnqueueUnmapMemObject(queue, image, pointer, 0, NULL, NULL));
    CHECK(clFinish(queue));
}

struct picture {
    cl_mem mem, buffer; /* buffer: of a 1D image in a buffer */
    cl_mem_object_type type;
    size_t extent[3], pixel;
    unsigned char *model; /* pixels without gaps */
};

static CL_TEST_UNUSED unsigned char *picture_at(const struct picture *p, size_t x, size_t y, size_t z)
{
    return p->model + ((z * p->extent[1] + y) * p->extent[0] + x) * p->pixel;
}

/* An image of noise. */
static CL_TEST_UNUSED struct picture picture_make(cl_context context, cl_mem_object_type type, cl_image_format format, size_t x, size_t y,
                                                  size_t z)
{
    struct picture p = {.type = type};
    image_extent(type, x, y, z, p.extent);
    cl_image_desc desc = image_desc(type, p.extent);
    size_t pixels = p.extent[0] * p.extent[1] * p.extent[2];
    p.model = malloc(pixels * 16);
    for (size_t i = 0; i < pixels * 16; i++)
        p.model[i] = (unsigned char)guarded_below(256);
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
        desc.mem_object = p.buffer = test_buffer(context, CL_MEM_COPY_HOST_PTR, pixels * 16, p.model);
        CHECK_CREATE(p.mem, clCreateImage(context, 0, &format, &desc, NULL, &err), CL_SUCCESS);
    } else {
        CHECK_CREATE(p.mem, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, p.model, &err), CL_SUCCESS);
    }
    CHECK(clGetImageInfo(p.mem, CL_IMAGE_ELEMENT_SIZE, sizeof p.pixel, &p.pixel, NULL));
    return p;
}

static CL_TEST_UNUSED void picture_free(struct picture *p)
{
    CHECK(clReleaseMemObject(p->mem));
    if (p->buffer)
        CHECK(clReleaseMemObject(p->buffer));
    free(p->model);
}

/* All of the image is as the model says. */
static CL_TEST_UNUSED void picture_check(cl_command_queue queue, const struct picture *p, const char *what)
{
    const size_t origin[3] = {0};
    size_t bytes = p->extent[0] * p->extent[1] * p->extent[2] * p->pixel;
    unsigned char *now = malloc(bytes);
    CHECK(clEnqueueReadImage(queue, p->mem, CL_TRUE, origin, p->extent, 0, 0, now, 0, NULL, NULL));
    for (size_t i = 0; i < bytes; i++)
        if (now[i] != p->model[i])
            fail_msg("%s, type 0x%x: byte %zu of %zu is %u, expected %u", what, p->type, i, bytes, now[i], p->model[i]);
    free(now);
}

#endif
